"""What Tables do besides stepping: policies inside the loop, mixed rules, ends, clones, packing."""

from __future__ import annotations

import gc
from pathlib import Path

import numpy as np
import pytest

from sabacc_env import Game, IllegalMove, SabaccError, Tables, load_rules, rule_sets
from sabacc_env.actions import DEFAULT_BET_SIZES, encode_bet_sizes
from sabacc_env.engine.validation import find_error
from sabacc_env.game.turn_buffers import TurnBuffers
from sabacc_env.hand_ranks import hand_name
from sabacc_env.observation import PACKED_SCALES
from sabacc_env.policies import always_raise, calling_station, count, pick, policy, random_legal
from tests.support.modes import INTERPRETED

STATM = Path("/proc/self/statm")


def everything(tables: Tables) -> list[bytes]:
    arrays = (tables.observations, tables.action_masks, tables.seats_to_act, tables.hand_counts)
    return [array.tobytes() for array in (*arrays, tables.net_credits, tables.finished)]


# Policies inside the loop.


@policy
def first_legal(_observation, legal, _word):
    return pick(legal & -legal, 0)


@policy
def stands_on_little(observation, legal, word):
    low = -0.25 < observation.own_total[0] < 0.25
    return pick(legal & 1 if low and legal & 1 else legal, word)


@pytest.mark.parametrize("rules", rule_sets())
def test_playing_is_stepping_by_the_policy(rules: str) -> None:
    inside, outside = (Tables(rules, 16, 3, seed=5, hands=3) for _ in range(2))
    net, ends, matches = (np.zeros((16, 3), dtype=np.int64), *np.zeros((2, 16), dtype=np.int64))
    for _ in range(150):
        outside.step(outside.action_masks.argmax(axis=1))
        net += outside.net_credits
        ends += outside.finished
        matches += outside.match_finished
    counts = inside.hand_counts.copy()
    inside.play(first_legal, 150)
    assert everything(inside)[:4] == everything(outside)[:4]
    assert (inside.net_credits == net).all()
    assert (inside.finished == (ends > 0)).all()
    assert (inside.match_finished == (matches > 0)).all()
    assert (inside.hand_counts - counts).sum() >= ends.sum() > 50


def test_random_play_is_uniform_over_the_legal_actions() -> None:
    tables = Tables("casino", 4000, 2, keys=np.full(4000, 3), dealers=0, seed=1)
    legal = np.flatnonzero(tables.action_masks[0])
    assert (tables.action_masks == tables.action_masks[0]).all()
    tables.play(random_legal, 1)
    kinds = {tables.game(t).to_bytes() for t in range(0, 4000, 40)}
    assert len(kinds) == len(legal)
    found = np.unique(tables.observations, axis=0, return_counts=True)[1]
    expected = 4000 / len(legal)
    assert ((found - expected) ** 2 / expected).sum() < 30  # chi-squared, at most 13 degrees


@pytest.mark.parametrize("threads", [2, 3, 7])
def test_threads_change_nothing(threads: int) -> None:
    one, several = (Tables("three_en", 65, 4, seed=2, threads=n) for n in (1, threads))
    for tables in (one, several):
        tables.play([random_legal, calling_station, always_raise, stands_on_little], 99)
    assert everything(one) == everything(several)


def test_each_seat_has_its_policy() -> None:
    tables = Tables("casino", 200, 2, seed=3)
    tables.play([calling_station, always_raise], 400)
    calm, wild = tables.net_credits.sum(axis=0)
    assert tables.hand_counts.min() > 5
    tables.play([always_raise, calling_station], 400)
    assert (calm, wild) != tuple(tables.net_credits.sum(axis=0)[::-1])
    game = Tables("casino", 1, 2, seed=3, dealers=1)
    while game.game(0).phase == "cards":
        game.play([always_raise, calling_station], 1)
    assert game.game(0).bets[0] == 0
    game.play([always_raise, calling_station], 1)
    assert game.game(0).bets[0] > 0
    assert game.game(0).credits[0] == 0


def test_functions_are_asked_inside_too() -> None:
    asked = Tables("orsl", 5, 2, seed=4, keys=lambda table, hand: 100 * table + hand)
    asked.play(random_legal, 60)
    for table in range(5):
        assert asked.game(table).key == 100 * table + asked.hand_counts[table]
        assert asked.hand_counts[table] > 1


def test_sets() -> None:
    for members in (1, 2**61, 0b1011, 2**62 - 1):
        assert count(members) == members.bit_count()
        picked = {pick(members, word << 22) for word in range(1024)}
        assert picked == {bit for bit in range(62) if members >> bit & 1}


# Mixed rules and numbers of players.


def test_a_table_of_its_own_rules_is_as_among_its_like() -> None:
    names = [*rule_sets(), "casino", "orsl"]
    players = [2, 3, 4, 5, 2, 8, 8, 2]
    mixed = Tables(names, 8, players, seed=9, hands=2)
    mixed.play(random_legal, 77)
    assert mixed.net_credits.shape == (8, 8)
    for table, (name, num_players) in enumerate(zip(names, players, strict=True)):
        alone = Tables(name, 8, num_players, seed=9, hands=2)
        alone.play(random_legal, 77)
        assert alone.observations[table].tobytes() == mixed.observations[table].tobytes()
        assert alone.game(table) == mixed.game(table)
        assert (mixed.net_credits[table, :num_players] == alone.net_credits[table]).all()
        assert not mixed.net_credits[table, num_players:].any()
    twin = Tables.from_bytes(mixed.to_bytes())
    for tables in (twin, mixed):
        tables.play(random_legal, 50)
    assert everything(twin) == everything(mixed)
    with pytest.raises(SabaccError, match="several rule sets"):
        mixed.rules  # noqa: B018


# Ends.


def test_the_finished_hand_is_kept() -> None:
    tables = Tables("casino", 64, 3, seed=0)
    with pytest.raises(SabaccError, match="no hand has ended yet"):
        tables.final_game(0)
    with pytest.raises(SabaccError, match="table 5: no hand has ended yet"):
        tables.final_outcomes([5])
    buffers = TurnBuffers(tables.rules, encode_bet_sizes(DEFAULT_BET_SIZES))
    revealed = 0
    for _ in range(60):
        tables.step(tables.action_masks.argmax(axis=1))
        ended = np.flatnonzero(tables.finished)
        shown = tables.final_observations(ended, 1)
        endings = tables.final_outcomes(ended)
        for row, table in enumerate(ended.tolist()):
            game = tables.final_game(table)
            assert game.net_credits == tables.net_credits[table].tolist()
            assert game.phase == "over"
            game.write_observation(buffers, 1)
            assert buffers.requested_observation.tobytes() == shown[row].tobytes()
            ending = endings[row]
            assert ending["net_credits"][:3].tolist() == game.net_credits
            assert [seat for seat in ending["winners"].tolist() if seat >= 0] == game.winners
            assert ending["sabacc_pot"] == game.sabacc_pot
            assert game.revealed_hands == {
                seat: hand_name("casino", int(ending["strengths"][seat]))
                for seat in range(3)
                if ending["revealed"] >> seat & 1
            }
            revealed += game.revealed
            assert game.winners is not None
            assert not game.revealed or game.rank(game.winners[0]) is not None
    assert revealed > 50


# Clones.


def test_clones_have_the_same_future_until_the_next_deal() -> None:
    source = Tables("spacers", 6, 4, seed=1)
    source.play(random_legal, 40)
    clones = Tables("spacers", 12, 4, seed=8)
    clones.clone_from(source, np.repeat(np.arange(6), 2), np.arange(12))
    for table in range(12):
        assert clones.game(table) == source.game(table // 2)
        assert (clones.observations[table] == source.observations[table // 2]).all()
    clones.play(random_legal, 3)
    assert any(clones.game(2 * t) != clones.game(2 * t + 1) for t in range(6))


def test_clones_of_other_games_are_refused() -> None:
    tables = Tables("casino", 4, 2, seed=0)
    for other in (Tables("orsl", 4, 2), Tables("casino", 4, 3), Tables("casino", 4, 2, hands=5)):
        with pytest.raises(SabaccError, match="differ in rules, players or hands"):
            tables.clone_from(other, [0], [1])
    with pytest.raises(SabaccError, match="sources: table indices go from 0 to 3"):
        tables.clone_from(tables, [4], [1])


# Packed observations.


@pytest.mark.parametrize("rules", rule_sets())
def test_packed_observations_are_the_features_rounded(rules: str) -> None:
    most = min(8, load_rules(rules).seats[1])
    floats, packed = (Tables(rules, 64, most, seed=6, packed=each) for each in (False, True))
    for _ in range(10):
        for tables in (floats, packed):
            tables.play(random_legal, 5)
        assert packed.observations.dtype == np.int8
        scaled = floats.observations * PACKED_SCALES
        assert abs(scaled).max() <= 127
        assert (packed.observations == np.rint(scaled)).all()
    assert (packed.action_masks == floats.action_masks).all()


# Starts of hands.


def test_starts_of_later_episodes() -> None:
    tables = Tables("casino", 3, 2, seed=0, credits=[100, 100])
    tables.set_episode_starts([0, 2], credits=[50, 60], sabacc_pots=9)
    while tables.hand_counts.min() < 1:
        tables.play(first_legal, 1)
    first = {t: Game("casino", 2, credits=[50, 60] if t != 1 else [100, 100]) for t in range(3)}
    for table, game in first.items():
        pots = 9 if table != 1 else 0
        assert sorted(map(str, tables.game(table).credits)) == sorted(map(str, game.credits))
        assert tables.game(table).sabacc_pot == game.sabacc_pot + pots
    with pytest.raises(SabaccError, match="credits: give whole numbers of shape"):
        tables.set_episode_starts([0], credits="x")
    with pytest.raises(SabaccError, match="fewer than two seats"):
        tables.set_episode_starts([0], credits=[0, 50])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rules": ["casino", "orsl"]}, "rules: give one, or one for each of 3 tables"),
        ({"num_players": [2, 3]}, "num_players: give one, or one for each of 3 tables"),
        ({"num_players": [2, 3, 9]}, "num_players: 9 is not from 2 to 8"),
        ({"rules": ["casino", "black_spire", "orsl"], "credits": 100}, "are played for points"),
    ],
)
def test_bad_arguments(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(SabaccError, match=message):
        Tables(**{"rules": "casino", "num_tables": 3, **arguments})  # type: ignore[arg-type]


@policy
def out_of_bounds(_observation, _legal, word):
    return word - 2**31


def test_a_policy_that_breaks_the_rules_is_stopped_before_it() -> None:
    tables, twin = (Tables("casino", 4, 2, seed=0) for _ in range(2))
    with pytest.raises(IllegalMove, match=r"policies: table 0: action -?\d+ \(no such action\)"):
        tables.play(out_of_bounds, 5)
    assert all(tables.game(table) == twin.game(table) for table in range(4))


def test_bytes_are_read_without_dealing_or_asking() -> None:
    asked: list[int] = []

    def key(table: int, hand_count: int) -> int:
        asked.append(table)
        return 7

    tables = Tables("casino", 3, 2, keys=key)
    data, asked[:] = tables.to_bytes(), []
    Tables.from_bytes(data, keys=key)
    assert asked == []


def test_refused_starts_change_nothing() -> None:
    tables = Tables("casino", 2, 2, seed=0)
    before = tables._dealer.copy_starts()
    with pytest.raises(SabaccError, match="fewer than two seats"):
        tables.set_episode_starts([0], credits=[0, 50], sabacc_pots=3)
    after = tables._dealer.copy_starts()
    assert (after.credits == before.credits).all()
    assert (after.sabacc_pots == before.sabacc_pots).all()
    with pytest.raises(SabaccError, match="are played for points"):
        Tables("black_spire", 2).set_episode_starts([0], credits=[5, 5])


@pytest.mark.parametrize("policies", [None, [random_legal], [random_legal, 3], "random"])
def test_what_is_no_policy_is_refused(policies: object) -> None:
    with pytest.raises(SabaccError, match="policies: "):
        Tables("casino", 2, 2).play(policies, 1)  # type: ignore[arg-type]


@pytest.mark.skipif(INTERPRETED, reason="interpreted functions take anything")
def test_a_function_that_is_not_compiled_is_no_policy() -> None:
    with pytest.raises(SabaccError, match="make one with @policy"):
        Tables("casino", 2, 2).play(lambda observation, legal, word: 0, 1)


@pytest.mark.slow
@pytest.mark.skipif(not STATM.exists(), reason="the memory of a process is read from /proc")
def test_a_hundred_million_decisions_end_with_the_memory_they_began_with() -> None:
    tables = Tables("casino", num_tables=4096, num_players=4, seed=0)

    def play_ten_million() -> None:
        for _ in range(24):
            tables.play(random_legal, decisions=100)
        for _ in range(40):
            tables.step(tables.action_masks.argmax(axis=1))
        # Every card is in one place and every credit is there, at every table and in its last hand.
        for games in (tables._games.records, tables._results.final_games):
            assert find_error(games, tables._games.rules, tables.rule_of) == ""

    play_ten_million()
    before = resident_pages()
    for _ in range(10):
        play_ten_million()
    assert resident_pages() - before < 250  # a megabyte; a byte for each decision would be 100


def resident_pages() -> int:
    gc.collect()
    return int(STATM.read_text().split()[1])
