"""States of OpenSpiel are copied, saved, restored and stepped back from at random points."""

from __future__ import annotations

import copy
import json
import pickle
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sabacc_training.solved_games import load_rung

from sabacc_env import Game, SabaccError, load_rules, rule_sets
from sabacc_env.storage.checksums import pack_with_checksum, seal_text
from tests.support.damage import flip_random_bit
from tests.support.random_play import HOUSE_RULES

pyspiel = pytest.importorskip("pyspiel")

from sabacc_env.adapters.openspiel import SabaccState, load_game  # noqa: E402
from sabacc_env.adapters.openspiel.saving import FORMAT, TEXT_FORMAT  # noqa: E402

ONE_CARD = load_rung("one_card").rule_set
ONE_DRAW = load_rung("one_draw").rule_set

GAMES = [
    *(
        load_game(rules, seats)
        for rules in rule_sets()
        for seats in (2, load_rules(rules).seats[1])
    ),
    *(load_game(rules, 2, bet_sizes=("min", 1 / 3, "max")) for rules in HOUSE_RULES.values()),
    *(load_game(rules, 2, bet_sizes=("min",), chance="cards") for rules in (ONE_CARD, ONE_DRAW)),
    load_game("casino", 3, chance="sampled"),
    load_game(ONE_DRAW, 2, chance="sampled", rng_seed=7),
]


def game_name(game) -> str:
    return f"{game.settings.rules.name}-{game.num_players()}p-{game.chance}"


with_every_game = pytest.mark.parametrize("game", GAMES, ids=game_name)

COPIES: dict[str, Callable[[SabaccState], SabaccState]] = {
    "clone": lambda state: state.clone(),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda state: pickle.loads(pickle.dumps(state)),
    "serialize": lambda state: pyspiel.deserialize_game_and_state(
        pyspiel.serialize_game_and_state(state.get_game(), state)
    )[1],
    "bytes": lambda state: SabaccState.from_bytes(state.to_bytes()),
    "json": lambda state: SabaccState.from_json(state.to_json()),
}


def random_hand(game, rng: random.Random) -> Iterator[SabaccState]:
    """Yield one state before each random action of a hand, then at the end."""
    state = game.new_initial_state()
    while not state.is_terminal():
        yield state
        state.apply_action(rng.choice(state.legal_actions()))
    yield state


def shown(state: SabaccState) -> list[object]:
    """Return all that OpenSpiel tells of a state."""
    players = range(state.num_players())
    return [
        str(state.get_game()),
        [(each.player, each.action) for each in state.full_history()],
        state.move_number(),
        state.current_player(),
        state.legal_actions(),
        state.returns(),
        [state.information_state_string(player) for player in players],
        [state.information_state_tensor(player) for player in players],
        [state.observation_string(player) for player in players],
    ]


@with_every_game
def test_a_restored_state_is_the_same_and_goes_on_the_same(game) -> None:
    rng = random.Random(1)
    for state in random_hand(game, rng):
        if rng.random() < 0.85:
            continue
        before = shown(state)
        twins = {
            name: make(state)
            for name, make in COPIES.items()
            if (name, game.chance) != ("serialize", "sampled")  # OpenSpiel has no such text
        }
        assert {name: shown(twin) for name, twin in twins.items()} == dict.fromkeys(twins, before)
        if game.chance == "sampled" and not state.history():
            continue  # copies draw their own deal
        first, *others = twins.values()
        while not first.is_terminal():
            action = rng.choice(first.legal_actions())
            for twin in twins.values():
                twin.apply_action(action)
        assert all(shown(twin) == shown(first) for twin in others)
        assert shown(state) == before


def test_a_sampled_hand_that_was_saved_before_the_deal_is_dealt_as_it_would_have_been() -> None:
    game = load_game("casino", chance="sampled")
    state = game.new_initial_state()
    saved = state.to_json()
    state.apply_action(0)
    for _ in range(2):
        again = SabaccState.from_json(saved)
        again.apply_action(0)
        assert again.hand.game == state.hand.game


@with_every_game
def test_parent_is_the_state_before_the_last_action(game) -> None:
    rng = random.Random(2)
    before = None
    for state in random_hand(game, rng):
        if before is not None and rng.random() < 0.5:
            now = shown(state)
            parent = state.parent()
            assert shown(parent) == shown(before)
            parent.apply_action(state.history()[-1])
            assert shown(parent) == shown(state) == now
        before = state.clone()


def test_nothing_comes_before_the_first_action() -> None:
    with pytest.raises(SabaccError, match=r"^parent: nothing was applied yet$"):
        load_game("casino").new_initial_state().parent()


def test_undo_action_says_what_to_call() -> None:
    state = load_game("casino").new_initial_state()
    state.apply_action(3)
    with pytest.raises(SabaccError, match=r"^undo_action: .* state.parent\(\) is the state before"):
        state.undo_action(-1, 3)
    assert state.history() == [3]


# What is refused.


def some_state(chance: str = "auto") -> SabaccState:
    """Return a state with some moves."""
    rng = random.Random(3)
    state = load_game("casino", 3, chance=chance).new_initial_state()
    for _ in range(7):
        state.apply_action(rng.choice(state.legal_actions()))
    return state


def test_a_state_keeps_its_rules_where_others_have_their_name() -> None:
    """Rules travel with a state, so that no later rules of the same name take their place."""
    mine = load_rules("casino", name="casino", rounds=2)
    state = load_game(mine, 2).new_initial_state()
    assert SabaccState.from_json(state.to_json()).get_game().settings.rules == mine
    assert SabaccState.from_bytes(some_state().to_bytes()).get_game().settings.rules == load_rules(
        "casino"
    )


def test_damaged_bytes_and_text_are_refused() -> None:
    rng = random.Random(0)
    data, text = some_state().to_bytes(), some_state().to_json()
    for _ in range(50):
        with pytest.raises(SabaccError):
            SabaccState.from_bytes(flip_random_bit(data, rng))
        with pytest.raises(SabaccError, match="is not JSON of the format"):
            SabaccState.from_json(text[: rng.randrange(len(text))])
    for cut in range(0, len(data), 40):
        with pytest.raises(SabaccError):
            SabaccState.from_bytes(data[:cut])


def test_something_else_is_refused() -> None:
    others: tuple[Any, ...] = (None, 5, b"", "", "{}", Game("casino", seed=0).to_json())
    in_bytes = r"^these bytes do not have the format 'sabacc-openspiel"
    in_text = r"^this text (is not JSON of|does not have) the format"
    for junk in others:
        with pytest.raises(SabaccError, match=in_bytes):
            SabaccState.from_bytes(junk)
        with pytest.raises(SabaccError, match=in_text):
            SabaccState.from_json(junk)


def test_another_version_is_refused() -> None:
    version = "they have version 9 of it, which is not read here"
    with pytest.raises(SabaccError, match=version):
        SabaccState.from_bytes(some_state().to_bytes().replace(b"-state 1\n", b"-state 9\n", 1))
    with pytest.raises(SabaccError, match=version.replace("they have", "it has")):
        SabaccState.from_json(some_state().to_json().replace("-json 1", "-json 9", 1))


CASINO = json.loads(load_rules("casino").canonical())


def changed_game(**changes):
    """Return the content of a state with other parameters of its game."""

    def change(content):
        return content | {"game": content["game"] | changes}

    return change


def drawn(start):
    """Return the content of a state of sampled chance with another start."""
    return lambda _: json.loads(some_state("sampled").to_json()) | {"drawn": start}


FORGED = [
    (lambda _: {}, "an incomplete description of a state"),
    (
        lambda content: {"game": content["game"], "history": 3},
        "an incomplete description of a state",
    ),
    (changed_game(colour="red"), "no parameters of a game"),
    (changed_game(players=True), "no parameters of a game"),
    (changed_game(players=99), "num_players: 99 is not from 2 to 8"),
    (changed_game(chance="fate"), "chance: 'fate' is unknown"),
    (changed_game(rules=CASINO | {"rounds": -1}), "rounds"),
    (lambda content: content | {"history": [1, "two"]}, "a history that no hand can have"),
    (lambda content: content | {"history": [1, 2**70]}, "a history that no hand can have"),
    (
        lambda content: content | {"history": [1, 2, 3, 300]},
        "cannot be played: outcome 300 cannot happen",
    ),
    (
        lambda content: content | {"history": [1, 2, 3, 4, 32]},
        "cannot be played: action 32 is not legal",
    ),
    (
        lambda content: content | {"history": content["history"][:-1]},
        "a table that its history does not lead to",
    ),
    (lambda content: content | {"table": None}, "a table that its history does not lead to"),
    (drawn(None), "no seed of a hand"),
    (drawn({"seed": 1, "credits": [1, 1, 1]}), "no seed of a hand"),
    (drawn({"seed": -1}), "seed: -1 is not from 0"),
]


@pytest.mark.parametrize(("change", "sentence"), FORGED)
def test_what_has_a_right_checksum_is_checked_too(change, sentence: str) -> None:
    content = change(json.loads(some_state().to_json()))
    content = {key: each for key, each in content.items() if key not in ("format", "checksum")}
    for load in (
        lambda: SabaccState.from_bytes(pack_with_checksum(FORMAT, content, b"")),
        lambda: SabaccState.from_json(seal_text(TEXT_FORMAT, content)),
    ):
        with pytest.raises(SabaccError, match=sentence) as raised:
            load()
        assert "\n" not in str(raised.value)
