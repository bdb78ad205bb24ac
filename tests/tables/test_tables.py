"""Tables, the batch: it plays what Game plays, restarts in place, and takes what is given."""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from numpy.typing import NDArray

from sabacc_env import (
    Game,
    IllegalMove,
    RuleSet,
    RuleSpace,
    SabaccError,
    Tables,
    load_rules,
    rule_sets,
)
from sabacc_env.actions import DEFAULT_BET_SIZES, FIRST_BET, JUNK, encode_bet_sizes
from sabacc_env.engine.chance import drawn_rules
from sabacc_env.game.keys import hand_key, split_key
from sabacc_env.game.turn_buffers import TurnBuffers
from sabacc_env.observation import OBSERVATION_SIZE
from sabacc_env.policies import random_legal
from sabacc_env.rules.space import SPLITS
from sabacc_env.tables.arrays import TableArrays
from tests.support.damage import flip_random_bit
from tests.support.random_play import HOUSE_RULES

every_rules = [load_rules(name) for name in rule_sets()] + list(HOUSE_RULES.values())
with_every_rules = pytest.mark.parametrize("rules", every_rules, ids=lambda rules: rules.name)
SIZES = encode_bet_sizes(DEFAULT_BET_SIZES)
SHOWN = ("observations", "action_masks", "seats_to_act")
TOLD = ("finished", "match_finished", "net_credits", "hand_counts")


def most_players(rules: RuleSet) -> int:
    return min(5, rules.seats[1])


def random_actions(tables: Tables, rng: random.Random, calm: float = 0.8) -> NDArray[np.int64]:
    """Choose legal actions; seldom junk or a raise, so that matches last."""
    actions = []
    for mask in tables.action_masks:
        legal = np.flatnonzero(mask).tolist()
        careful = [action for action in legal if action != JUNK and action < FIRST_BET]
        actions.append(rng.choice(careful if careful and rng.random() < calm else legal))
    return np.array(actions)


def everything(tables: Tables) -> dict[str, bytes]:
    return {name: getattr(tables, name).tobytes() for name in SHOWN + TOLD}


def assert_shows(tables: Tables, table: int, game: Game) -> None:
    """Assert that a table shows what a game shows the seat to act."""
    buffers = TurnBuffers(game.rules, SIZES)
    assert tables.seats_to_act[table] == game.write_turn(buffers) >= 0
    assert tables.observations[table].tobytes() == buffers.observation.tobytes()
    assert tables.action_masks[table].tobytes() == buffers.mask.tobytes()


# Against Game.


@with_every_rules
def test_tables_play_as_games_do(rules: RuleSet) -> None:
    assert_plays_as_games_do(rules, lambda key: rules, most_players(rules))


@pytest.mark.parametrize("split", SPLITS)
def test_tables_that_draw_rules_play_as_games_do(split: str) -> None:
    space = RuleSpace("house", num_rule_sets=30).split(split)
    drawn = [space.sample(key, 4) for key in range(30)]
    played = set()

    def rules_of(key: int) -> RuleSet:
        rules = drawn[drawn_rules(*split_key(key), len(drawn))]
        played.add(rules)
        return rules

    assert_plays_as_games_do(space, rules_of, 4)
    assert len(played) > 5


def assert_plays_as_games_do(
    rules: RuleSet | RuleSpace, rules_of: Callable[[int], RuleSet], num_players: int
) -> None:
    """Episodes of four hands at three tables, each beside a Game that is dealt the same.

    ``rules_of`` are the rules of an episode by the key of its first hand.
    """
    num_tables, hands = 3, 4
    rng = random.Random(rules.name)
    tables = Tables(rules, num_tables, num_players, seed=8, hands=hands)
    counts, numbers = [0] * num_tables, [0] * num_tables
    first_keys = [0] * num_tables

    def deal(table: int, **carried: Any) -> Game:
        key = hand_key(8, table, counts[table])
        if numbers[table] == 0:
            first_keys[table] = key
        game = Game(rules_of(first_keys[table]), num_players, key=key, **carried)
        game.set_episode_position(numbers[table], hands)
        return game

    games = [deal(table) for table in range(num_tables)]
    ended = matches = 0
    for _ in range(250):
        for table in range(num_tables):
            assert_shows(tables, table, games[table])
        actions = random_actions(tables, rng)
        tables.step(actions)
        for table in range(num_tables):
            game = games[table]
            game.play_action(TurnBuffers(game.rules, SIZES), int(actions[table]))
            over = game.phase == "over"
            assert tables.finished[table] == over
            if not over:
                assert not tables.match_finished[table]
                assert not tables.net_credits[table].any()
                continue
            ended += 1
            assert tables.net_credits[table].tolist() == game.net_credits
            assert tables.final_game(table).revealed_hands == game.revealed_hands
            seen = tables.final_observations([table], [1])[0]
            buffers = TurnBuffers(game.rules, SIZES)
            game.write_observation(buffers, 1)
            assert seen.tobytes() == buffers.requested_observation.tobytes()
            (outcome,) = tables.final_outcomes([table])
            assert outcome["sabacc_pot"] == game.sabacc_pot
            counts[table] += 1
            numbers[table] += 1
            assert tables.hand_counts[table] == counts[table]
            match_over = numbers[table] == hands or not game.can_deal_next_hand()
            assert tables.match_finished[table] == match_over
            matches += match_over
            if match_over:
                numbers[table] = 0
                games[table] = deal(table)
                continue
            carried: dict[str, Any] = {"dealer": (game.dealer + 1) % num_players}
            if not game.rules.points:
                carried |= {"credits": game.credits, "sabacc_pot": game.sabacc_pot}
            games[table] = deal(table, **carried)
    assert ended > 5
    assert matches > 1


@with_every_rules
def test_game_is_a_copy_of_a_table(rules: RuleSet) -> None:
    tables = Tables(rules, 4, most_players(rules), seed=3)
    rng = random.Random(3)
    for _ in range(25):
        tables.step(random_actions(tables, rng))
    before = everything(tables)
    for table in range(4):
        game = tables.game(table)
        assert_shows(tables, table, game)
        assert game.history == ()
        assert game.legal_moves()
        while game.seat_to_act is not None:
            game.play(rng.choice(game.legal_moves()))
        assert Game.from_bytes(game.to_bytes()) == game
    assert everything(tables) == before


def test_the_first_hand_is_the_environments() -> None:
    """A table's hands come from (seed, table, hand count); those of Game are table 0, hand 0."""
    tables = Tables("orsl", 2, 3, seed=77)
    game = Game("orsl", 3, seed=77)
    assert tables.game(0).key == game.key == hand_key(77, 0, 0)
    assert_shows(tables, 0, game)
    assert tables.game(1).key == hand_key(77, 1, 0)


def test_a_points_hand_pays_the_winner() -> None:
    tables = Tables("black_spire", 50, 4, seed=1)
    for _ in range(12):
        tables.step(np.zeros(50, dtype=np.int64))
        for table in np.flatnonzero(tables.finished):
            assert sorted(tables.net_credits[table]) == [-1, -1, -1, 3]
    assert (tables.hand_counts == 1).all()
    assert tables.finished.all()


# Arrays.


def test_shapes_and_types() -> None:
    tables = Tables("casino", 7, 4, seed=0, bet_sizes=("min", 1))
    shapes = {
        "observations": ((7, OBSERVATION_SIZE), np.float32),
        "action_masks": ((7, 31), np.int8),
        "seats_to_act": ((7,), np.int64),
        "finished": ((7,), np.bool_),
        "match_finished": ((7,), np.bool_),
        "net_credits": ((7, 4), np.int64),
        "hand_counts": ((7,), np.int64),
    }
    arrays = {name: getattr(tables, name) for name in shapes}
    for name, (shape, dtype) in shapes.items():
        assert (arrays[name].shape, arrays[name].dtype) == (shape, dtype), name
    before = arrays["observations"].copy()
    for _ in range(30):
        tables.step(random_actions(tables, random.Random(1)))
    assert all(getattr(tables, name) is array for name, array in arrays.items())
    assert not np.array_equal(arrays["observations"], before)


@pytest.mark.parametrize("rules", rule_sets())
def test_subsets_step_alone(rules: str) -> None:
    whole, parts = (Tables(rules, 6, 3, seed=5, hands=2) for _ in range(2))
    rng = random.Random(5)
    for _ in range(60):
        actions = random_actions(whole, rng)
        whole.step(actions)
        told: dict[str, Any] = {name: [] for name in TOLD}
        order = rng.sample(range(6), 6)
        for which in (order[:1], order[1:4], order[4:]):
            others = np.setdiff1d(np.arange(6), which)
            before = parts.observations[others].tobytes()
            parts.step(actions[which], tables=which)
            assert parts.observations[others].tobytes() == before
            assert not parts.finished[others].any()
            assert not parts.match_finished[others].any()
            assert not parts.net_credits[others].any()
            for name in TOLD:
                told[name] += zip(which, getattr(parts, name)[which].tolist(), strict=True)
        for name in SHOWN:
            assert getattr(parts, name).tobytes() == getattr(whole, name).tobytes()
        for name in TOLD:
            assert [value for _, value in sorted(told[name])] == getattr(whole, name).tolist()


def test_stepping_no_table_changes_only_what_the_last_step_said() -> None:
    tables = Tables("casino", 3, 2, seed=0)
    while not tables.finished.any():
        tables.step(random_actions(tables, random.Random(0)))
    shown = {name: getattr(tables, name).tobytes() for name in SHOWN}
    tables.step(np.zeros(0, dtype=np.int64), tables=np.zeros(0, dtype=np.int64))
    assert {name: getattr(tables, name).tobytes() for name in SHOWN} == shown
    assert not tables.finished.any()
    assert not tables.net_credits.any()


def test_empty_lists_name_no_table() -> None:
    tables = Tables("casino", 3, 2, seed=0)
    before = tables.to_bytes()
    tables.step([], [])
    tables.restart([])
    tables.clone_from(tables, [], [])
    assert tables.final_observations([], []).shape == (0, OBSERVATION_SIZE)
    assert tables.final_outcomes([]).shape == (0,)
    assert tables.to_bytes() == before


@pytest.mark.parametrize("form", [list, tuple, np.array, lambda values: np.array(values, object)])
def test_rules_and_players_may_be_any_sequence(form: Callable[[Any], Any]) -> None:
    rules, players = ["casino", "orsl", "casino"], [2, 3, 8]
    tables = Tables(form(rules), 3, form(players), seed=1)
    assert [len(tables.game(table).credits) for table in range(3)] == players
    assert everything(tables) == everything(Tables(rules, 3, players, seed=1))


@pytest.mark.parametrize("rules", rule_sets())
def test_a_table_does_not_depend_on_how_many_there_are(rules: str) -> None:
    few, many = Tables(rules, 3, 3, seed=9, hands=3), Tables(rules, 40, 3, seed=9, hands=3)
    rng = random.Random(9)
    for _ in range(80):
        actions = random_actions(many, rng)
        many.step(actions)
        few.step(actions[:3])
        for name in SHOWN + TOLD:
            assert getattr(many, name)[:3].tobytes() == getattr(few, name).tobytes()


def test_seeds_and_tables_differ() -> None:
    deals = {
        tables.game(table).key
        for tables in (Tables("orsl", 20, 2, seed=seed) for seed in (0, 1, 2**64 - 1))
        for table in range(20)
    }
    assert len(deals) == 60
    assert Tables("orsl", 1).game(0).key != Tables("orsl", 1).game(0).key


# Given: keys, dealers, credits, Sabacc pots.

KEYS = [3, 2**63, 2**64 - 1, 0]
CREDITS = [[100, 200, 300], [31, 90, 4000], [30, 30, 29], [0, 60, 60]]
GIVEN: dict[str, Any] = {
    "keys": KEYS,
    "dealers": [2, 1, 0, 1],
    "credits": CREDITS,
    "sabacc_pots": [0, 5, 1000, 20],
}
FORMS: dict[str, Callable[[Any], Any]] = {
    "list": lambda values: values,
    "array": lambda values: np.array(values, dtype=np.uint64 if values is KEYS else np.int64),
    "function": lambda values: lambda table, hand_count: values[table],
}


@pytest.mark.parametrize("form", FORMS)
def test_given_for_each_table(form: str) -> None:
    given = {name: FORMS[form](values) for name, values in GIVEN.items()}
    tables = Tables("orsl", 4, 3, seed=1, **given)
    for table in range(4):
        game = Game(
            "orsl",
            3,
            key=KEYS[table],
            dealer=GIVEN["dealers"][table],
            credits=CREDITS[table],
            sabacc_pot=GIVEN["sabacc_pots"][table],
        )
        assert_shows(tables, table, game)
        assert tables.game(table).credits == game.credits
        assert tables.game(table).sabacc_pot == game.sabacc_pot
        assert tables.game(table).dealer == game.dealer
        assert tables.game(table).key == game.key


def test_keys_are_asked_at_every_hand_and_the_rest_at_every_episode() -> None:
    asked: dict[str, list[tuple[int, int]]] = {name: [] for name in GIVEN}

    def ask(name: str, value: Any) -> Callable[[int, int], Any]:
        def given(table: int, hand_count: int) -> Any:
            assert type(table) is type(hand_count) is int
            asked[name].append((table, hand_count))
            return value(table, hand_count) if callable(value) else value

        return given

    tables = Tables(
        "orsl",
        2,
        2,
        hands=3,
        keys=ask("keys", lambda table, count: 1000 * table + count),
        dealers=ask("dealers", 1),
        credits=ask("credits", [900, 950]),
        sabacc_pots=ask("sabacc_pots", lambda table, count: 7 * count),
    )
    rng = random.Random(1)
    for _ in range(200):
        counts = tables.hand_counts.copy()
        tables.step(random_actions(tables, rng, calm=1))
        assert (tables.hand_counts == counts + tables.finished).all()
        for table in np.flatnonzero(tables.finished).tolist():
            game = tables.game(table)
            assert game.key == 1000 * table + tables.hand_counts[table]
            if tables.match_finished[table]:
                assert game.dealer == 1
                assert game.credits == [870, 920]
                assert game.sabacc_pot == 7 * tables.hand_counts[table] + 20
    played = tables.hand_counts.tolist()
    assert min(played) > 6
    every_hand = [(t, h) for t in range(2) for h in range(played[t] + 1)]
    assert sorted(asked["keys"]) == every_hand
    first_hands = [(t, h) for t, h in every_hand if h % 3 == 0]
    for name in ("dealers", "credits", "sabacc_pots"):
        assert sorted(asked[name]) == first_hands


def test_one_value_for_all_tables() -> None:
    tables = Tables("orsl", 3, 2, keys=5, dealers=1, credits=[60, 70], sabacc_pots=4)
    for table in range(3):
        assert_shows(
            tables, table, Game("orsl", 2, key=5, dealer=1, credits=[60, 70], sabacc_pot=4)
        )


# Restarting.


@pytest.mark.parametrize("threads", [1, 3])
def test_restarted_tables_begin_new_episodes_and_the_others_go_on(threads: int) -> None:
    tables, twin = (Tables("orsl", 6, 3, seed=5, hands=4, threads=threads) for _ in range(2))
    rng = random.Random(5)
    while not tables.finished.any():
        actions = random_actions(tables, rng)
        tables.step(actions)
        twin.step(actions)
    which, others = [4, 1], [0, 2, 3, 5]
    counts = tables.hand_counts.copy()
    tables.restart(which)
    for name in ("finished", "match_finished", "net_credits"):  # of the last step
        assert np.array_equal(getattr(tables, name), getattr(twin, name))
    for table in which:
        count = int(counts[table]) + 1  # an abandoned hand counts
        assert tables.hand_counts[table] == count
        game = Game("orsl", 3, key=hand_key(5, table, count))
        game.set_episode_position(0, 4)
        assert_shows(tables, table, game)
        assert tables.game(table).credits == game.credits
    for _ in range(60):
        for name in (*SHOWN, *TOLD):
            assert np.array_equal(getattr(tables, name)[others], getattr(twin, name)[others])
        actions = random_actions(tables, rng)
        elsewhere = random_actions(twin, rng)
        elsewhere[others] = actions[others]
        tables.step(actions)
        twin.step(elsewhere)


def test_an_abandoned_hand_has_no_end() -> None:
    tables = Tables("orsl", 3, 2, seed=5)
    tables.restart([1])
    with pytest.raises(SabaccError, match="table 1: no hand has ended yet"):
        tables.final_game(1)


def test_functions_are_asked_of_restarted_tables() -> None:
    asked: list[tuple[int, int]] = []

    def credits(table: int, hand_count: int) -> list[int]:
        asked.append((table, hand_count))
        return [100 + hand_count, 200]

    tables = Tables("orsl", 3, 2, seed=5, credits=credits)
    asked.clear()
    tables.restart([2])
    assert asked == [(2, 1)]
    assert tables.game(2).credits == [101 - 30, 170]


@pytest.mark.parametrize("which", [[3], [-1], [1, 1], 1, [1.0], [True, False, True]])
def test_what_is_no_table_is_not_restarted(which: Any) -> None:
    tables = Tables("orsl", 3, 2, seed=5)
    before = tables.to_bytes()
    with pytest.raises(SabaccError, match="tables: "):
        tables.restart(which)
    assert tables.to_bytes() == before


# Stopping, where what the next hand starts from is refused.


@pytest.mark.parametrize("bad", [[1, 2], ["much", 2], None], ids=["poor", "words", "raises"])
@pytest.mark.parametrize("plays", [False, True], ids=["step", "play"])
def test_tables_that_cannot_be_dealt_stop_until_they_are_restarted(bad: Any, plays: bool) -> None:
    broken = False

    def credits(table: int, hand_count: int) -> Any:
        if not broken or table != 1:
            return [500, 600]
        if bad is None:
            raise RuntimeError("out of credits")
        return bad

    tables = Tables("orsl", 4, 2, seed=5, credits=credits)
    rng = random.Random(5)

    def go_on(steps: int) -> None:
        for _ in range(steps):
            if plays:
                tables.play(random_legal, 1)
            else:
                tables.step(random_actions(tables, rng))

    broken = True
    with pytest.raises(RuntimeError if bad is None else SabaccError, match="credits"):
        go_on(200)
    assert tables.finished[1]  # what was played counts
    assert tables.net_credits[1].any()
    stopped = tables.seats_to_act < 0
    assert stopped[1]
    before, told = tables.to_bytes(), everything(tables)
    which = np.flatnonzero(stopped)
    sentence = f"table {which[0]}: it stopped .*; restart it"
    for wrong in (
        lambda: tables.play(random_legal, 1),
        *(lambda action=action: tables.step(np.full(4, action)) for action in range(33)),
    ):
        with pytest.raises(SabaccError, match=sentence) as raised:
            wrong()
        assert type(raised.value) is SabaccError
        assert tables.to_bytes() == before
        assert everything(tables) == told
    others = np.flatnonzero(~stopped)
    tables.step(random_actions(tables, rng)[others] if len(others) else [], others)
    broken = False
    tables.restart(which)
    assert (tables.seats_to_act >= 0).all()
    go_on(100)
    assert tables.hand_counts.min() > 2


def test_starts_that_leave_no_decision_stop_a_table_until_it_gets_others() -> None:
    tables = Tables(RuleSet(phases=("betting",)), 3, 2, seed=1, credits=[90, 90])
    tables.set_episode_starts([1], credits=[[4, 4]])
    with pytest.raises(SabaccError, match="credits: at table 1 the antes leave no seat a decision"):
        tables.play(random_legal, 100)
    with pytest.raises(SabaccError, match=r"table 1: it stopped .*; restart it"):
        tables.step([0, 0, 0])
    tables.set_episode_starts([1], credits=[[90, 90]])
    tables.restart([1])
    tables.play(random_legal, 100)


# Matches.


@pytest.mark.parametrize("rules", ["casino", "orsl", "spacers"])
def test_conservation_over_matches(rules: str) -> None:
    """No credit appears or vanishes: stacks and Sabacc pot of a match add up to a constant."""
    num_tables, num_players = 20, 4
    stacks = [20 * load_rules(rules).ante_unit, 3 * load_rules(rules).ante_unit] * 2
    tables = Tables(rules, num_tables, num_players, seed=2, hands=9, credits=stacks)
    totals = np.tile(stacks, (num_tables, 1))
    rng = random.Random(2)
    early = late = 0
    for _ in range(400):
        numbers = tables._games.records["hand_number"].copy()
        tables.step(random_actions(tables, rng))
        totals += tables.net_credits
        assert (totals >= 0).all()
        assert not (tables.match_finished & ~tables.finished).any()
        for table in np.flatnonzero(tables.finished).tolist():
            game = tables.game(table)
            if tables.match_finished[table]:
                late += numbers[table] == 8
                early += numbers[table] < 8
                totals[table] = stacks
            credits = [amount or 0 for amount in game.credits]
            assert sum(credits) + game.pots[0][0] + game.sabacc_pot == sum(stacks)
            staked = [s - c for s, c in zip(totals[table], credits, strict=True)]
            unit = load_rules(rules).ante_unit
            assert staked == [unit if seat in game.seated else 0 for seat in range(num_players)]
    assert early > 0
    assert late > 0


def test_a_hand_that_ends_at_its_deal_counts_in_the_step_that_deals_it() -> None:
    rules = RuleSet(phases=("betting",))  # the antes may take everything: then nobody has a turn
    credits = [8, 8, 200]
    tables = Tables(rules, 30, 3, seed=1, hands=6, credits=credits)
    totals = np.tile(credits, (30, 1))
    counts = tables.hand_counts.copy()
    several = 0
    rng = random.Random(1)
    for _ in range(300):
        tables.step(random_actions(tables, rng))
        assert (tables.seats_to_act >= 0).all()
        assert tables.action_masks.any(axis=1).all()
        totals += tables.net_credits
        assert (totals >= 0).all()
        totals[tables.match_finished] = credits
        several += int((tables.hand_counts - counts > 1).sum())
        counts = tables.hand_counts.copy()
    assert several > 0


def test_tables_that_do_not_fit_in_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(TableArrays, "_allocate", full)
    with pytest.raises(SabaccError, match=r"num_tables: 1000000000 tables need more than \d+ GB"):
        Tables("casino", 10**9)


def test_a_match_that_starts_without_a_decision_is_refused() -> None:
    rules = RuleSet(phases=("betting",))
    with pytest.raises(SabaccError, match="credits: at table 2 the antes leave no seat a decision"):
        Tables(rules, 3, 2, credits=[[9, 9], [9, 9], [4, 4]])


# Keeping.


@with_every_rules
def test_bytes_have_the_same_future(rules: RuleSet) -> None:
    tables = Tables(rules, 5, most_players(rules), seed=4, hands=3, bet_sizes=("max", 1 / 3, 2))
    rng = random.Random(4)
    for _ in range(30):
        tables.step(random_actions(tables, rng))
    twin = Tables.from_bytes(tables.to_bytes())
    assert everything(twin) == everything(tables)
    assert (twin.rules, twin.seed, twin.hands, twin.bet_sizes) == (rules, 4, 3, ("max", 1 / 3, 2))
    for _ in range(60):
        actions = random_actions(tables, rng)
        tables.step(actions)
        twin.step(actions)
        assert everything(twin) == everything(tables)
    assert twin.to_bytes() == tables.to_bytes()


def test_bytes_take_what_was_given_again() -> None:
    given: dict[str, Any] = {
        "keys": lambda table, count: 50 * table + count,
        "credits": [[200, 300]] * 4,
        "dealers": [0, 1, 0, 1],
        "sabacc_pots": [1, 2, 3, 4],
    }
    tables = Tables("orsl", 4, 2, seed=3, **given)
    twin = Tables.from_bytes(tables.to_bytes(), **given)
    rng = random.Random(4)
    for _ in range(50):
        actions = random_actions(tables, rng)
        tables.step(actions)
        twin.step(actions)
        assert everything(twin) == everything(tables)
    assert tables.hand_counts.min() > 1


COPIES: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda tables: pickle.loads(pickle.dumps(tables)),
}


def test_an_unknown_keyword_is_named() -> None:
    unknown = r"^Tables\(\) got an unexpected keyword argument 'key'; did you mean keys\?$"
    keywords: dict[str, Any] = {"key": [1, 2]}
    misspelt: dict[str, Any] = {"num_player": 2}
    with pytest.raises(TypeError, match=unknown):
        Tables("casino", 2, **keywords)
    with pytest.raises(TypeError, match="'num_player'; did you mean num_players"):
        Tables("casino", 2, **misspelt)
    with pytest.raises(TypeError, match=unknown):
        Tables.from_bytes(Tables("casino", 2).to_bytes(), **keywords)


with_every_copy = pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)


@with_every_copy
@pytest.mark.parametrize(
    "given", [{}, GIVEN, {"packed": True, "threads": 2}], ids=["seed", "given", "packed"]
)
def test_copies_have_the_same_future(
    copied: Callable[[Tables], Tables], given: dict[str, Any]
) -> None:
    tables = Tables("orsl", 4, 3, seed=3, hands=2, **given)
    tables.set_episode_starts([2, 0], credits=[[300, 400, 500], [40, 50, 60]], sabacc_pots=[7, 8])
    rng = random.Random(3)
    tables.play(random_legal, 60)
    twin = copied(tables)
    assert (twin.threads, twin.calls, twin.seed) == (tables.threads, tables.calls, tables.seed)
    tables.step(random_actions(tables, rng))
    twin.set_episode_starts([1], credits=[[70, 80, 90]])
    twin = copied(tables)  # the first one's play and starts are its own
    for _ in range(40):
        for each in (tables, twin):
            each.play(random_legal, 3)
        assert everything(twin) == everything(tables)
        actions = random_actions(tables, rng)
        for each in (tables, twin):
            each.step(actions)
        assert everything(twin) == everything(tables)
        assert twin.final_game(2) == tables.final_game(2)
    assert tables.hand_counts.min() > 4
    assert twin.to_bytes() == tables.to_bytes()


@with_every_copy
def test_copies_draw_the_same_rules(copied: Callable[[Tables], Tables]) -> None:
    space = RuleSpace("house", num_rule_sets=20)
    tables = Tables(space, 6, 3, seed=3, observation="tokens")
    tables.play(random_legal, 60)
    twin = copied(tables)
    for _ in range(30):
        for each in (tables, twin):
            each.play(random_legal, 5)
        assert everything(twin) == everything(tables)
        assert twin.rule_of.tolist() == tables.rule_of.tolist()
        assert twin.final_game(2) == tables.final_game(2)
    assert twin.to_bytes() == tables.to_bytes()
    state = tables.save_state()
    tables.play(random_legal, 50)
    twin.restore_state(state)
    twin.play(random_legal, 50)
    assert everything(twin) == everything(tables)
    others = Tables(space, 6, 3, seed=4, observation="tokens")
    others.clone_from(tables, [0, 5], [3, 1])
    assert others.game(3) == tables.game(0)
    assert others.final_game(1) == tables.final_game(5)
    fixed = Tables(tables.rule_sets[0], 6, 3, observation="tokens")
    with pytest.raises(SabaccError, match="other: its tables differ in rules"):
        fixed.clone_from(tables, [0], [0])


def test_threads_draw_the_same_rules() -> None:
    one, two = (Tables(RuleSpace("small"), 5, seed=2, threads=threads) for threads in (1, 2))
    for each in (one, two):
        each.play(random_legal, 100)
    assert everything(one) == everything(two)
    assert len(set(one.rule_of.tolist())) > 2


@with_every_copy
def test_tables_that_ask_functions_are_not_copied(copied: Callable[[Tables], Tables]) -> None:
    tables = Tables("orsl", 2, 2, keys=hand_count_of)
    with pytest.raises(SabaccError, match="call functions cannot be copied; use to_bytes"):
        copied(tables)


def hand_count_of(table: int, hand_count: int) -> int:
    return hand_count


@pytest.mark.parametrize("copied", [COPIES["deepcopy"], COPIES["pickle"]])
def test_copies_of_a_vector_environment_have_the_same_future(copied: Callable[[Any], Any]) -> None:
    envs: Any = gymnasium.make_vec("Sabacc-v0", num_envs=5, hands=2, stacks=(5, 9))
    envs.reset(seed=4)
    for _ in range(10):
        envs.step(envs.unwrapped.action_masks().argmax(axis=1))
    twin = copied(envs)
    for _ in range(60):
        actions = envs.unwrapped.action_masks().argmax(axis=1)
        two = [each.step(actions) for each in (envs, twin)]
        for ours, its in zip(two[0][:4], two[1][:4], strict=True):
            assert np.array_equal(ours, its)
        assert np.array_equal(two[0][4]["action_mask"], two[1][4]["action_mask"])


def test_numpy_integers_are_whole_numbers() -> None:
    sizes: list[Any] = [np.int32(3), np.int64(2)]
    given: dict[str, Any] = {"seed": np.uint64(5), "hands": np.int8(2)}
    tables = Tables("orsl", *sizes, **given)
    assert everything(Tables.from_bytes(tables.to_bytes())) == everything(tables)
    assert everything(Tables("orsl", 3, 2, seed=5, hands=2)) == everything(tables)


def test_damaged_bytes_are_refused() -> None:
    data = Tables("spacers", 2, 2, seed=1).to_bytes()
    rng = random.Random(1)
    damaged = [b"", b"sabacc-tables 1\nnull\n", data[:-1], data + b"x", Game().to_bytes()]
    damaged += [flip_random_bit(data, rng) for _ in range(200)]
    for wrong in damaged:
        with pytest.raises(SabaccError, match="these bytes") as raised:
            Tables.from_bytes(wrong)
        assert "\n" not in str(raised.value)


# What can be wrong.


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rules": "sabac"}, 'rules: "sabac" is not a rule set'),
        ({"num_tables": 0}, "num_tables: 0 is not from 1"),
        ({"num_tables": 2.0}, "num_tables: 2.0 is not a whole number"),
        ({"num_players": 1}, "num_players: 1 is not from 2 to 8"),
        ({"num_players": 9}, "num_players: 9 is not from 2 to 8"),
        ({"seed": -1}, "seed: -1 is not from 0"),
        ({"seed": "x"}, "seed: 'x' is not a whole number"),
        ({"hands": 0}, "hands: 0 is not from 1"),
        ({"bet_sizes": ()}, "bet_sizes: give a sequence"),
        ({"num_players": np.array([2, 3])}, "num_players: give one, or one for each of 3 tables"),
        ({"num_players": np.array([2.0, 3, 4])}, "num_players: 2.0 is not a whole number"),
        ({"packed": "yes"}, "packed: 'yes' is neither True nor False"),
        ({"packed": 1}, "packed: 1 is neither True nor False"),
        ({"keys": [1, 2]}, r"keys: give whole numbers of shape \(3,\)"),
        ({"keys": [1.5, 2, 3]}, "keys: give whole numbers"),
        ({"keys": [2**64, 0, 1]}, "keys: give whole numbers"),
        ({"keys": lambda table, count: "x"}, "keys: give whole numbers"),
        ({"dealers": [0, 1, 2]}, "dealers: each must be from 0 to 1"),
        ({"dealers": [-1, 1, 0]}, "dealers: each must be from 0 to 1"),
        ({"dealers": [True, False, True]}, "dealers: give whole numbers"),
        ({"credits": 5.0}, "credits: give whole numbers"),
        ({"credits": [[100, 100, 100]] * 3}, r"credits: give whole numbers of shape \(3, 2\)"),
        ({"credits": lambda table, count: [1, 2, 3]}, "credits: .* returning one row"),
        ({"credits": [[100, -1]] * 3}, "credits: .* negative"),
        ({"credits": [[100, 3]] * 3}, "credits: fewer than two seats of a table can pay"),
        ({"credits": [[2**30, 2**30]] * 3}, "credits: more than 2147483647"),
        ({"credits": [[2**62, 2**62]] * 3}, "credits: more than 2147483647"),
        ({"sabacc_pots": [-1, 0, 0]}, "credits: .* negative"),
        ({"sabacc_pots": 2**63 - 1}, "credits: more than 2147483647"),
        ({"sabacc_pots": "much"}, "sabacc_pots: give whole numbers"),
        ({"rules": "black_spire", "credits": [9, 9]}, "credits: .*'black_spire'.* points"),
        ({"rules": "black_spire", "sabacc_pots": 3}, "sabacc_pots: .* no Sabacc pot"),
        ({"rules": "spacers", "sabacc_pots": 3}, "sabacc_pots: .* no Sabacc pot"),
        ({"rules": RuleSpace("small"), "credits": [9, 9]}, "credits: tables that draw their rules"),
        ({"rules": RuleSpace("small"), "num_players": 3}, "space: .* gave no rules for 3 seats"),
        ({"rules": RuleSpace("small"), "num_players": [2, 2, 3]}, "num_players: give one number"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"rules": "casino", "num_tables": 3, "num_players": 2}
    with pytest.raises(SabaccError, match=message) as raised:
        Tables(**{**given, **arguments})
    assert "\n" not in str(raised.value)


BAD_STEPS: list[tuple[Any, Any, str]] = [
    ([0, 0], None, "actions: give 3 whole numbers"),
    ([0, 0, 0, 0], None, "actions: give 3 whole numbers"),
    ([[0, 0, 0]], None, "actions: give 3 whole numbers"),
    (0, None, "actions: give 3 whole numbers"),
    ([0.0, 0.0, 0.0], None, "actions: .* float64"),
    ([True, False, True], None, "actions: .* bool"),
    (["0", "0", "0"], None, "actions: give 3 whole numbers"),
    (None, None, "actions: give 3 whole numbers"),
    ([0, 0, 0], [0, 1], "actions: give 2 whole numbers"),
    ([0], [3], "tables: table indices go from 0 to 2"),
    ([0], [-1], "tables: table indices go from 0 to 2"),
    ([0, 0], [1, 1], "tables: an index is given twice"),
    ([0], 1, "tables: give a one-dimensional array"),
    ([0], [1.0], "tables: give a one-dimensional array"),
    ([0, 0], [True, False, True], "tables: give a one-dimensional array"),
    ([[0], [0, 0], 0], None, "actions: the rows have different lengths"),
    ([0, 0], [[0], [1, 2]], "tables: the rows have different lengths"),
]
ILLEGAL_STEPS: list[tuple[Any, Any, str]] = [
    ([0, 6, 0], None, r"table 1: action 6 \(check\) is not legal for seat \d now"),
    ([0, 0, 99], None, r"table 2: action 99 \(no such action\)"),
    ([-1, 0, 0], None, "table 0: action -1"),
    ([0, 0, 2**40], None, "table 2: action 1099511627776"),
    ([0, 0, 63], None, "table 2: action 63"),
    (np.array([0, 0, 2**64 - 1], np.uint64), None, "table 2: action 18446744073709551615 "),
    ([0, 31], [0, 2], r"table 2: action 31 \(raise 1\)"),
]


@pytest.mark.parametrize(("actions", "which", "message"), BAD_STEPS + ILLEGAL_STEPS)
def test_a_bad_step_changes_nothing(actions: Any, which: Any, message: str) -> None:
    tables = Tables("casino", 3, 2, seed=6)
    rng = random.Random(6)
    while not (tables.finished.any() and tables.action_masks[:, 0].all()):
        tables.step(random_actions(tables, rng))
    before = tables.to_bytes()
    shown = everything(tables)
    illegal = message in [words for *_, words in ILLEGAL_STEPS]
    with pytest.raises(IllegalMove if illegal else SabaccError, match=message) as raised:
        tables.step(actions, tables=which)
    assert "\n" not in str(raised.value)
    assert tables.to_bytes() == before
    assert everything(tables) == shown


@pytest.mark.parametrize("table", [-1, 3, 1.0, None])
def test_no_such_table(table: Any) -> None:
    with pytest.raises(SabaccError, match="table: "):
        Tables("casino", 3, 2).game(table)


@pytest.mark.parametrize(
    ("which", "seats", "message"),
    [
        ([0, 1], [0, 2], "seats: table 1 has seats 0 to 1"),
        ([0, 1], [-1, 0], "seats: table 0 has seats 0 to 1"),
        ([0, 1], np.array([0, 2**64 - 1], np.uint64), "seats: table 1 has seats 0 to 1"),
        ([0, 1], [0], "seats: give 2 whole numbers, or one for all"),
        ([0, 1], [[0, 0]], "seats: give 2 whole numbers"),
        ([0, 1], [[0], [1, 2]], "seats: the rows have different lengths"),
        ([0, 1], [0.0, np.nan], "seats: give 2 whole numbers"),
        ([0, 1], [True, False], "seats: give 2 whole numbers"),
        ([0, 1], "me", "seats: give 2 whole numbers"),
        ([0, 1], None, "seats: give 2 whole numbers"),
        ([0, 1], [2**70, 0], "seats: give 2 whole numbers"),
        ([0, 3], 0, "table 3: no hand has ended yet"),
    ],
)
def test_what_no_seat_saw_is_not_observed(which: Any, seats: Any, message: str) -> None:
    tables = Tables("casino", 4, [2, 2, 3, 3], seed=6)
    rng = random.Random(6)
    while not tables.hand_counts[:3].all():
        tables.step(random_actions(tables, rng)[:3], [0, 1, 2])
    assert tables.final_observations([2, 0], 1).shape == (2, OBSERVATION_SIZE)
    assert tables.final_observations([2, 0], [2, 1]).any()
    with pytest.raises(SabaccError, match=message) as raised:
        tables.final_observations(which, seats)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("other", "sources", "message"),
    [
        (5, [0], "other: 5 is not a Tables"),
        (None, [[0], [1, 2]], "sources: the rows have different lengths"),
        (None, [0.5], "sources: give a one-dimensional array of table indices"),
        (None, [0, 1], "sources: give 1 table indices"),
        (None, [2], "sources: table indices go from 0 to 1"),
    ],
)
def test_what_is_no_source_of_clones(other: Any, sources: Any, message: str) -> None:
    tables = Tables("casino", 2, 2, seed=6)
    before = tables.to_bytes()
    with pytest.raises(SabaccError, match=message):
        tables.clone_from(other or tables, sources, [0])
    assert tables.to_bytes() == before


def test_the_states_of_no_tables_have_the_width_of_some():
    tables = Tables("casino", 3, seed=1)
    assert tables.states([]).shape == (0, tables.states([0]).shape[1])
