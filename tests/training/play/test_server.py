"""The server: whole hands over its websockets, strangers, nonsense, floods, restarts."""

from __future__ import annotations

import asyncio
import json
import random
import re
import threading
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from sabacc_training.config.base import validated
from sabacc_training.play.config import PlayConfig
from sabacc_training.play.match import Match
from sabacc_training.play.room import ADVISER, BURST, MOST_WAITING, Room
from sabacc_training.play.table_folder import TableFolder
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from sabacc_env import Card, Game, rule_sets
from sabacc_env.hand_histories import read_hand_histories
from tests.support.play_server import SECONDS, Player, new_table, playing, serving
from tests.support.terminal_table import Slow

CARD = re.compile(r"[+-](?:10|[1-9])[tsc]\b|\b0[ab]\b")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with serving(tmp_path_factory.mktemp("play")) as found:
        yield found


def random_text(player: Player, rng: random.Random) -> str:
    move = rng.choice(player.table["moves"])
    return f"raise {rng.choice((move['low'], move['high']))}" if move["low"] else move["move"]


def told_by_the_rules(game: Game, seat: int | None) -> set[str]:
    """Return the cards that a seat, or somebody without one, has seen in a hand that is over."""
    view = game.view(seat or 0, events=True)
    seen = {card for hand in view.revealed_hands.values() for card in hand}
    for event in view.events or ():
        seen |= {*event.face_up, *(() if seat is None else event.drawn)}
        put_down = None if event.move is None else event.move.card
        seen |= {Card(card) for card in (event.taken, put_down) if card is not None}
    return set(map(str, seen))


@pytest.mark.parametrize("num_players", [2, 8])
@pytest.mark.parametrize("rules", rule_sets())
def test_no_byte_that_a_client_receives_tells_what_its_seat_may_not_know(
    server: tuple[TableFolder, str], rules: str, num_players: int
) -> None:
    tables, address = server
    seats = ["person", "person", *["tight"] * (num_players - 2)]
    name = new_table(tables, *seats, rules=rules, hands=1)
    rng = random.Random(num_players)
    with (
        playing(address, name) as first,
        playing(address, name) as second,
        playing(address, name, watch=True) as watcher,
    ):
        assert (first.seat, second.seat, watcher.seat) == (0, 1, None)
        room = tables.room(name)
        assert room is not None
        while not first.table["result"]:
            for player in (first, second):
                if player.table["to_act"] == player.seat:
                    player.play(random_text(player, rng))
            turn = first.table["turn"]
            while first.table["turn"] == turn:
                first.receive()
            for player in (second, watcher):
                while player.table["turn"] < first.table["turn"]:
                    player.receive()
        game = room.match.game
        for player in (first, second, watcher):
            said = {card for frame in player.frames for card in CARD.findall(frame)}
            assert said <= told_by_the_rules(game, player.seat)
            assert not any("%" in frame for frame in player.frames)  # no agent's probabilities
        assert any(CARD.search(frame) for frame in first.frames)


def test_messages_that_are_wrong_are_refused_and_change_nothing(
    server: tuple[TableFolder, str],
) -> None:
    tables, address = server
    name = new_table(tables, "person", "person")
    with playing(address, name) as first, playing(address, name) as second:
        to_act, other = (first, second) if first.table["to_act"] == 0 else (second, first)
        turn = to_act.table["turn"]
        room = tables.room(name)
        assert room is not None
        before = room.match.to_text()
        assert "is not legal" in to_act.refused(type="move", turn=turn, move="raise 10")
        assert "is not a card" in to_act.refused(type="move", turn=turn, move="swap +11s")
        assert "not the turn" in other.refused(type="move", turn=turn, move="stand")
        assert "has changed" in to_act.refused(type="move", turn=turn - 1, move="stand")
        assert "not over" in to_act.refused(type="deal", turn=turn)
        assert "your own turn" in other.refused(type="hints", turn=turn)
        assert "after the hand" in to_act.refused(type="coach", turn=turn)
        assert "joined already" in to_act.refused(type="join")
        for wrong in (
            {"type": "move"},
            {"type": "move", "turn": "0", "move": "stand"},
            {"type": "move", "turn": turn, "move": "x" * 101},
            {"type": "cheat"},
            {},
            {"type": "pace", "seconds": -1, "paused": False},
            {"type": "deal", "turn": turn, "more": 1},
        ):
            assert "is not understood" in to_act.refused(**wrong)
        assert "longer than" in to_act.refused(type="x" * 3000)
        assert room.match.to_text() == before
        with connect(f"ws://{address}/table/{name}/socket") as binary:
            binary.send(b"{}")
            with pytest.raises(ConnectionClosed, match="messages are text"):
                binary.recv(SECONDS)
        with playing(address, name) as third:
            assert third.seat is None
            assert "no seat" in third.refused(type="move", turn=turn, move="stand")
            assert "only players" in third.refused(type="pace", seconds=0, paused=True)


def flood(player: Player) -> None:
    """Send messages until the connection is closed; whoever reads no answers is not told of it."""
    while True:
        player.refused(type="cheat")


def test_a_flood_is_refused_and_then_cut_off_and_nobody_else_notices(
    server: tuple[TableFolder, str],
) -> None:
    tables, address = server
    name = new_table(tables, "person", "person")
    with playing(address, name) as first, playing(address, name) as flooder:
        # Fewer than close the connection: what a closed one had still to say may be lost.
        for _ in range(2 * BURST):
            flooder.send(type="cheat")
        sentences = [flooder.receive()["sentence"] for _ in range(2 * BURST)]
        assert "is not understood" in sentences[0]
        assert any("too many messages" in sentence for sentence in sentences)
        with pytest.raises(ConnectionClosed):
            flood(flooder)
        assert len(first.frames) == 2
        with playing(address, name, flooder.token) as again:
            assert again.seat == flooder.seat


class Unread:
    """A connection whose other end does not read."""

    async def send_text(self, _: str) -> None:
        await asyncio.Event().wait()


class Read:
    """A connection whose other end reads; ``messages`` has what it has read."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []

    async def send_text(self, data: str) -> None:
        self.messages.append(json.loads(data))


def test_a_client_that_does_not_read_holds_up_nobody_and_takes_no_memory(tmp_path: Path) -> None:
    async def play() -> None:
        match = Match(validated(PlayConfig, {"seats": ["tight", "loose"], "hands": 5}))
        room = Room(match, tmp_path / "table", seconds=0.0)
        reads, unread = Read(), room.open(Unread())
        for client in (unread, room.open(reads)):
            await room.receive(client, '{"type": "join", "watch": true}')
        async with asyncio.timeout(SECONDS):
            while not reads.messages or not reads.messages[-1].get("match_over"):
                await asyncio.sleep(0.01)
        assert not unread.is_hopeless
        for _ in range(MOST_WAITING):
            await room.receive(unread, "{}")
        assert unread.is_hopeless
        room.close(unread)

    asyncio.run(play())


def test_a_hand_goes_on_after_a_reload_and_in_a_second_tab(server: tuple[TableFolder, str]) -> None:
    tables, address = server
    name = new_table(tables, "person", "tight", hands=1)
    with playing(address, name) as player:
        assert player.wait_for_turn()
        token, table = player.token, player.table
    with playing(address, name, token) as player, playing(address, name, token) as tab:
        assert (player.seat, tab.seat) == (0, 0)
        assert player.table == tab.table == table
        player.play("stand")
        while tab.table["turn"] == table["turn"]:
            tab.receive()
        assert tab.table["turn"] == table["turn"] + 1
    with playing(address, name, "guessed") as stranger:
        assert stranger.seat is None


def test_people_come_to_a_table_while_an_agent_thinks(server: tuple[TableFolder, str]) -> None:
    tables, address = server
    Slow.may_move.clear()
    name = new_table(tables, "person", "tests.support.terminal_table:Slow", "person", hands=1)
    with playing(address, name) as player:
        assert player.table["to_act"] == 1
        with playing(address, name, player.token) as tab, playing(address, name) as other:
            assert (tab.seat, tab.table, other.seat) == (0, player.table, 2)
            Slow.may_move.set()
            while other.table["turn"] == tab.table["turn"]:
                other.receive()


def test_a_hand_goes_on_after_the_server_is_started_again(tmp_path: Path) -> None:
    with serving(tmp_path) as (tables, address):
        name = new_table(tables, "person", "tight", hands=2)
        with playing(address, name) as player:
            assert player.wait_for_turn()
            player.play("stand")
            player.receive()
            player.wait_for_turn()
            token = player.token
            room = tables.room(name)
            assert room is not None
            last = room.match.to_text()
    with serving(tmp_path) as (tables, address), playing(address, name, token) as player:
        room = tables.room(name)
        assert room is not None
        assert room.match.to_text() == last
        assert player.seat == 0
        assert player.wait_for_turn() or player.table["result"]


@pytest.mark.parametrize("damage", [b"", b"{", b"\xff", b'{"format": "sabacc-room 1"}'])
def test_a_damaged_table_is_refused_in_a_sentence_and_others_go_on(
    tmp_path: Path, damage: bytes
) -> None:
    (tmp_path / "damaged.table.json").write_bytes(damage)
    with serving(tmp_path) as (tables, address):
        whole = new_table(tables, "person", "tight")
        for path in ("/table/damaged", "/table/damaged/rules"):
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(f"http://{address}{path}")
            assert refused.value.code == 409
            assert "damaged.table.json: cannot be read" in refused.value.read().decode()
        with connect(f"ws://{address}/table/damaged/socket") as socket:
            refusal = json.loads(socket.recv(SECONDS))
            assert refusal["type"] == "refused"
            assert "damaged.table.json: cannot be read" in refusal["sentence"]
            with pytest.raises(ConnectionClosed):
                socket.recv(SECONDS)
        with playing(address, whole) as player:
            assert player.wait_for_turn()


@pytest.mark.parametrize(("seats", "seat"), [(("person", "tight"), 0), (("person", "person"), 1)])
def test_whoever_resumes_a_table_takes_its_seat_unless_it_has_several(
    tmp_path: Path, seats: tuple[str, ...], seat: int
) -> None:
    with serving(tmp_path) as (tables, address):
        name = new_table(tables, *seats)
        with playing(address, name) as player:
            token = player.token
    with serving(tmp_path) as (tables, address):
        tables.resume(name)
        with playing(address, name) as newcomer, playing(address, name, token) as player:
            assert (newcomer.seat, player.seat) == (seat, 0 if seat else None)


def play_hand(player: Player) -> None:
    """Play the first move that there is, again and again to the end of the hand."""
    while player.wait_for_turn():
        turn = player.table["turn"]
        player.play(player.table["moves"][0]["move"])
        while player.table["turn"] == turn:
            player.receive()


def test_the_hands_of_a_table_are_recorded(tmp_path: Path) -> None:
    with serving(tmp_path) as (tables, address):
        name = new_table(tables, "person", "tight", hands=2)
        with playing(address, name) as player:
            for hand in (1, 2):
                play_hand(player)
                if hand == 1:
                    player.send(type="deal", turn=player.table["turn"])
                    while player.table["hand"] == 1:
                        player.receive()
        room = tables.room(name)
        assert room is not None
        hands = list(read_hand_histories(tmp_path / f"{name}.hands.jsonl"))
        assert [hand.origin["hand"] for hand in hands] == [1, 2]
        assert hands[1].replay() == room.match.game
        for played in hands:
            for (seat, move), told in zip(played.moves, played.told, strict=True):
                assert (told is None) == (seat == 0)  # a person tells nothing
                assert told is None or told.probabilities == {move: 1}


def test_a_hand_is_recorded_once_where_its_server_stopped_before_it_was(tmp_path: Path) -> None:
    with serving(tmp_path) as (tables, address):
        name = new_table(tables, "person", "tight", hands=1)
        file = tmp_path / f"{name}.hands.jsonl"
        file.mkdir()  # so it cannot be recorded now
        with playing(address, name) as player:
            play_hand(player)
            assert "cannot be written" in player.receive()["sentence"]
        table = tmp_path / f"{name}.table.json"
        table.rename(tmp_path / "before")
        table.mkdir()  # so not even the table can be saved, and yet people come back to it
        with playing(address, name, player.token) as again:
            assert (again.seat, again.table) == (0, player.table)
        table.rmdir()
        (tmp_path / "before").rename(table)
    file.rmdir()
    for _ in range(2):
        room = TableFolder(tmp_path).room(name)
        assert room is not None
        (hand,) = read_hand_histories(file)
        assert hand.replay().history == room.match.game.history


def test_pages_of_other_sites_and_strangers_are_kept_out(tmp_path: Path) -> None:
    with serving(tmp_path, token="secret") as (tables, address):
        name = new_table(tables, "person", "tight")
        page = f"http://{address}/table/{name}"
        assert status(page) == 403
        assert status(f"{page}?token=guessed") == 403
        assert status(f"{page}?token=secret") == 200
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        assert opener.open(f"{page}?watch&token=secret").url == f"{page}?watch"
        assert status(f"http://{address}/", Host="evil.example") == 403
        assert status(f"http://{address}/", Host="[") == 403
        assert status(f"http://{address}/", Origin="http://[") == 403
        with pytest.raises(InvalidStatus):
            connect(f"ws://{address}/table/{name}/socket")
        port = address.split(":")[1]
        with pytest.raises(InvalidStatus):
            connect(
                f"ws://{address}/table/{name}/socket",
                additional_headers={"Cookie": "sabacc_token_1=secret"},  # of another server
            )
        cookie = {"Cookie": f"sabacc_token_1=other; sabacc_token_{port}=secret"}
        with pytest.raises(InvalidStatus):
            connect(
                f"ws://{address}/table/{name}/socket",
                additional_headers=cookie,
                origin=Origin("http://evil.example"),
            )
        with connect(f"ws://{address}/table/{name}/socket", additional_headers=cookie):
            pass


def test_with_a_token_the_server_may_be_called_by_any_name_and_without_one_only_by_its_own(
    tmp_path: Path,
) -> None:
    elsewhere = {"Host": "192.168.0.7:8377"}
    with serving(tmp_path, token="secret") as (_, address):
        page = f"http://{address}/"
        assert status(page, **elsewhere) == 403
        assert status(f"{page}?token=secret", **elsewhere) == 200
        same_site = elsewhere | {"Origin": "http://192.168.0.7:8377"}
        assert status(f"{page}?token=secret", **same_site) == 200
        other_site = elsewhere | {"Origin": "http://evil.example"}
        assert status(f"{page}?token=secret", **other_site) == 403
    with serving(tmp_path) as (_, address):
        assert status(f"http://{address}/") == 200
        assert status(f"http://{address}/", **elsewhere) == 403


def status(address: str, **headers: str) -> int:
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    try:
        with opener.open(urllib.request.Request(address, headers=headers)) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def post(address: str, body: object) -> tuple[int, dict[str, Any]]:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(f"http://{address}/tables", data) as answer:
            return int(answer.status), json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def test_a_page_opens_tables_and_wrong_ones_are_refused(server: tuple[TableFolder, str]) -> None:
    tables, address = server
    asked = {"rules": "orsl", "seats": ["person", "tight"], "hands": 5}
    code, answer = post(address, asked | {"house_rules": "short_call=all_in\nhand_ante=4"})
    assert code == 201
    room = tables.room(answer["name"])
    assert room is not None
    assert room.match.game.rules.hand_ante == 4
    for change, sentence in (
        ({"seats": ["person", "process:rm"]}, "'process:rm' is not an agent that a page can name"),
        ({"seats": ["person", "model:m"]}, "'model:m' is not an agent that a page can name"),
        ({"seats": ["person"]}, "num_players"),
        ({"rules": "/etc/passwd"}, "is not one of the rule sets"),
        ({"house_rules": "short_call=maybe"}, "short_call"),
        ({"hands": 0}, "hands"),
        ({"seats": ["person", "zoo:casino-2p"]}, "casino-2p"),
        ({"hands": float("inf")}, "as JSON"),
        ({"hands": 10**400}, "hands: 1000"),
        ({"seats": [["person"], {}]}, "as JSON"),
        ({"seats": ["person"] * 9}, "2 to 8 seats"),
        ({"house_rules": "hand_ante=" + "[" * 5000}, "hand_ante"),
    ):
        code, answer = post(address, asked | change)
        assert code == 400
        assert sentence in answer["sentence"]
    assert post(address, b"\xff")[0] == 400
    assert post(address, b"[" * 10_000)[0] == 400
    with pytest.raises(urllib.error.HTTPError, match="413"):
        urllib.request.urlopen(f"http://{address}/tables", b"x" * 10_001)


def test_advice_is_given_over_the_connection(server: tuple[TableFolder, str]) -> None:
    tables, address = server
    name = new_table(tables, "person", "tight", hands=1, rules="black_spire")
    with playing(address, name) as player:
        assert player.wait_for_turn()
        hints = player.answer(type="hints", turn=player.table["turn"])
        assert "net points" in hints["tables"][0]["columns"]
        moves = hints["tables"][0]["rows"]
        assert len(moves) == len(player.table["moves"])
        play_hand(player)
        review = player.answer(type="coach", turn=player.table["turn"])
        assert review["title"] == "The coach"
        assert "points more than" in review["sentences"][0]
        assert review["tables"][0]["rows"]


def test_play_goes_on_while_advice_is_computed_and_old_advice_is_not_given(
    server: tuple[TableFolder, str],
) -> None:
    tables, address = server
    name = new_table(tables, "person", "person")
    may_advise = threading.Event()
    ADVISER.submit(may_advise.wait, SECONDS)
    with playing(address, name) as first, playing(address, name) as second:
        to_act, other = (first, second) if first.table["to_act"] == 0 else (second, first)
        to_act.send(type="hints", turn=to_act.table["turn"])
        to_act.play("stand")
        assert other.wait_for_turn()
        other.send(type="hints", turn=other.table["turn"])
        may_advise.set()
        assert other.receive()["title"] == "Hints"
        assert to_act.receive()["type"] == "table"
        assert "the hand is not over" in to_act.refused(type="deal", turn=to_act.table["turn"])
