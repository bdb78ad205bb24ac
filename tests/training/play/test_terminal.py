"""The table in the terminal: whole hands by keyboard, what the screen shows, resuming."""

from __future__ import annotations

import asyncio
import json
import random
import re
from itertools import product
from pathlib import Path

import pytest
from sabacc_training.play.room import Room
from sabacc_training.play.table_folder import TableFolder
from sabacc_training.play.terminal import Page
from sabacc_training.play.terminal_text import SIGNED_CARD, signs

from sabacc_env import rule_sets
from sabacc_env.hand_histories import read_hand_histories
from tests.support.determinizations import replay_with_deck, sample_determinizations
from tests.support.terminal_table import Seated, Slow, new_table, seated

AGENTS = ("tight", "loose", "bluffer", "calling_station", "trapper", "tight", "random")

QUICK = (("three_en", 8), ("spacers", 2), ("yarith_bespin", 2))
"""The games that are played in each run of the tests; the others are slow."""


def keys_of_a_move(person: Seated, rng: random.Random) -> list[str]:
    """Return keys that play a random move in one of the ways that there are."""
    moves = sorted(person.table["moves"], key=lambda move: move["kind"] == "raise")
    place = rng.randrange(len(moves))
    if moves[place]["kind"] == "raise":
        return ["r", *["up"] * rng.randrange(3), "enter"]
    return [str(place + 1)] if place < 9 and rng.random() < 0.5 else [*["down"] * place, "enter"]


def shown_cards(screen: str) -> set[str]:
    return set(SIGNED_CARD.findall(screen))


@pytest.mark.parametrize(
    ("rules", "num_players"),
    [
        pytest.param(*game, marks=() if game in QUICK else pytest.mark.slow)
        for game in product(rule_sets(), (2, 8))
    ],
)
def test_a_whole_hand_is_played_by_keyboard_and_all_fits_the_screen(
    tmp_path: Path, rules: str, num_players: int
) -> None:
    agents = AGENTS[: num_players - 1]
    tables, name = new_table(tmp_path, "person", *agents, rules=rules, hands=1)
    rng = random.Random(num_players)

    async def play() -> None:
        async with seated(tables, name) as person:
            while await person.wait_for_turn():
                screen, table = person.screen(), person.table
                view = person.room.match.game.view(0)
                assert "It is your turn." in screen
                assert f"Pot {table['pot']:,}" in screen
                assert {signs(str(card)) for card in view.hand} <= shown_cards(screen)
                assert shown_cards(screen) <= {signs(str(card)) for card in view.seen_cards}
                assert all(seat["name"][:18] in screen for seat in table["seats"][1:])
                for number in range(1, min(9, len(table["moves"]) + 1)):
                    assert re.search(rf"[ ›]({number}|r) \w", screen)
                await person.play(*keys_of_a_move(person, rng))
            assert "The match is over." in person.screen()

    asyncio.run(play())
    (hand,) = read_hand_histories(tmp_path / f"{name}.hands.jsonl")
    assert hand.replay().history


@pytest.mark.parametrize("rules", ["spacers", pytest.param("casino", marks=pytest.mark.slow)])
def test_hidden_cards_change_nothing_on_the_screen(tmp_path: Path, rules: str) -> None:
    tables, name = new_table(tmp_path, "person", *AGENTS[:4], rules=rules, hands=1)
    compared = 0

    async def shown(person: Seated) -> str:
        await person.app.send_text(json.dumps(person.room.message(0)))
        await person.press()
        return person.screen()

    async def play() -> None:
        nonlocal compared
        async with seated(tables, name) as person:
            match = person.room.match
            while compared < 4 and await person.wait_for_turn():
                true, told = match.game, await shown(person)
                view = true.view(0, events=True)
                for other, deck in sample_determinizations(true.view(0), 2, seed=compared):
                    match.game = replay_with_deck(true.view(0), deck)
                    match.game.set_episode_position(*true.episode_position)
                    if match.game.view(0, events=True).events == view.events:
                        assert await shown(person) == told
                        compared += other.hands != true.hands
                match.game = true
                await person.play("1")

    asyncio.run(play())
    assert compared > 3


def test_hints_coach_and_rules_are_read_and_closed_again(tmp_path: Path) -> None:
    tables, name = new_table(tmp_path, "person", "tight", rules="spacers", hands=2)

    async def play() -> None:
        async with seated(tables, name) as person:
            assert await person.wait_for_turn()
            hints = await person.read("h")
            assert "net credits" in hints
            assert all(move["label"][:8] in hints for move in person.table["moves"][:2])
            rules = await person.read("question_mark")
            assert "choose a move and play it" in rules
            await person.press("c", "n")  # not now
            while await person.wait_for_turn():
                kinds = [move["kind"] for move in person.table["moves"]]
                await person.play(str(kinds.index("junk") + 1) if "junk" in kinds else "1")
            assert "Next hand" in person.screen()
            assert "Your moves cost" in await person.read("c")
            await person.play("n")
            assert person.table["hand"] == 2

    asyncio.run(play())


def test_the_arrow_keys_reach_moves_below_the_end_of_a_small_terminal(tmp_path: Path) -> None:
    tables, name = new_table(tmp_path, "person", *AGENTS)

    async def play() -> None:
        async with seated(tables, name, size=(60, 18)) as person:
            assert await person.wait_for_turn()
            last = len(person.table["moves"])
            assert f" {last} Swap" not in person.screen()
            await person.press(*["down"] * (last - 1))
            await person.wait(lambda: f"›{last} Swap" in person.screen())

    asyncio.run(play())


def test_the_first_hand_has_a_guide(tmp_path: Path) -> None:
    tables, name = new_table(tmp_path, "person", "tight", guided=True)

    async def play() -> None:
        async with seated(tables, name) as person:
            await person.wait(lambda: isinstance(person.app.screen, Page))
            assert "Welcome." in person.screen()
            await person.press("enter")
            await person.play("1")

    asyncio.run(play())


def test_a_wrong_amount_is_refused_in_a_sentence_and_can_be_changed(tmp_path: Path) -> None:
    tables, name = new_table(tmp_path, "person", "tight", rules="spacers")

    async def play() -> None:
        async with seated(tables, name) as person:
            assert await person.wait_for_turn()
            turn = person.table["turn"]
            await person.press("r", *"99999", "enter")
            await person.wait(lambda: "is not legal" in person.screen())
            assert person.table["turn"] == turn
            await person.press("escape", "r")
            assert "Raise to: 1 to 99" in person.screen()
            await person.play("up", "enter")
            history = person.room.match.game.history
            assert ("raise", 2) in [(turn.move.kind, turn.move.amount) for turn in history]

    asyncio.run(play())


@pytest.mark.parametrize("size", [(60, 20), (200, 60)])
def test_a_watcher_of_agents_sees_all_cards_pauses_and_sets_the_speed(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    tables, name = new_table(tmp_path, "tight", "loose", "random", seconds=60)

    async def watch() -> None:
        async with seated(tables, name, size) as watcher:
            await watcher.press("p", *["plus"] * 5)
            await watcher.wait(lambda: "0.2 s a move · paused" in watcher.screen())
            assert watcher.table["turn"] == 0
            assert shown_cards(watcher.screen()) >= {
                signs(str(card)) for hand in watcher.room.match.game.hands for card in hand
            }
            await watcher.press("p")
            await watcher.wait(lambda: watcher.table["turn"] > 2)

    asyncio.run(watch())


def test_the_keyboard_answers_while_an_agent_thinks(tmp_path: Path) -> None:
    Slow.may_move.clear()
    tables, name = new_table(tmp_path, "person", "tests.support.terminal_table:Slow")

    async def play() -> None:
        async with seated(tables, name) as person:
            assert "Slow is to act." in person.screen()
            assert "choose a move" in await person.read("question_mark")
            await person.press("p", "1")
            await person.wait(lambda: "paused" in person.screen())
            assert person.table["turn"] == 0
            await person.press("p")
            Slow.may_move.set()
            assert await person.wait_for_turn()

    asyncio.run(play())


def test_a_table_that_cannot_be_saved_says_so_and_goes_on(tmp_path: Path) -> None:
    tables, name = new_table(tmp_path, "person", "tight")

    async def play() -> None:
        async with seated(tables, name) as person:
            assert await person.wait_for_turn()
            file = tmp_path / f"{name}.table.json"
            file.rename(tmp_path / "before")
            file.mkdir()
            await person.play("1")
            await person.wait(lambda: "written" in person.screen())  # its lines may break anywhere
            assert await person.wait_for_turn()

    asyncio.run(play())


def test_a_table_goes_on_where_it_was(tmp_path: Path) -> None:
    tables, name = new_table(tmp_path, "person", "tight", hands=3)

    async def play(tables: TableFolder) -> tuple[Room, str]:
        async with seated(tables, name) as person:
            assert await person.wait_for_turn()
            screen = person.screen()
            if not person.room.match.game.history:
                await person.play("2")
                assert await person.wait_for_turn()
                screen = person.screen()
            return person.room, screen

    room, before = asyncio.run(play(tables))
    again = TableFolder(tmp_path, seconds=0.0)
    again.resume(name)
    found, after = asyncio.run(play(again))
    assert found is not room
    assert found.match.to_text() == room.match.to_text()
    assert after == before


def test_another_size_of_the_terminal_is_used_at_once(tmp_path: Path) -> None:
    tables, name = new_table(tmp_path, "person", "person")

    async def play() -> None:
        async with seated(tables, name, (130, 40)) as person:
            assert "━" in person.screen()  # the other seat as a panel
            await person.resize(80, 15)
            assert "━" not in person.screen()

    asyncio.run(play())
