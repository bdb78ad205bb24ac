"""Compiled, interpreted and bounds-checked runs give the same bytes, and so do the years to come.

The engine's two other modes are chosen when Numba is imported, so they run in processes of their
own. The first bounds-checked run of a changed engine compiles it, into a cache of its own.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sabacc_env import Card, Game, RuleSet
from sabacc_env.game.keys import hand_key
from tests.support.episodes_digest import episodes_digest
from tests.support.played_digest import played_digest
from tests.support.tree_digest import tree_digest

ROOT = Path(__file__).parents[2]
MODES = {
    "interpreted": {"NUMBA_DISABLE_JIT": "1"},
    "bounds-checked": {"NUMBA_BOUNDSCHECK": "1"},
}


def digest_in_mode(mode: str, module: str, *arguments: int) -> str:
    command = [sys.executable, "-m", module, *map(str, arguments)]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")}
    result = subprocess.run(
        command,
        cwd=ROOT,
        env=environment | MODES[mode],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


@pytest.mark.parametrize(
    ("mode", "hands", "most_moves"),
    [
        ("interpreted", 4, 200),
        pytest.param("interpreted", 300, 200, marks=pytest.mark.slow),
        pytest.param("bounds-checked", 8000, 200, marks=pytest.mark.slow),
    ],
)
def test_modes_agree(mode: str, hands: int, most_moves: int) -> None:
    found = digest_in_mode(mode, "tests.support.played_digest", hands, most_moves)
    assert found == played_digest(hands, most_moves)


@pytest.mark.parametrize(
    "mode", ["interpreted", pytest.param("bounds-checked", marks=pytest.mark.slow)]
)
def test_modes_agree_about_trees(mode: str) -> None:
    assert digest_in_mode(mode, "tests.support.tree_digest") == tree_digest()


@pytest.mark.parametrize(
    "mode", ["interpreted", pytest.param("bounds-checked", marks=pytest.mark.slow)]
)
def test_modes_agree_about_episodes(mode: str) -> None:
    assert digest_in_mode(mode, "tests.support.episodes_digest") == episodes_digest()


def test_the_digest_notices_a_difference() -> None:
    assert len({played_digest(hands, moves) for hands in (1, 2) for moves in (10, 11)}) == 4


# The seeded chance, pinned. Whatever changes one of these values changes every hand that anyone
# has ever seeded: published results, replays, other people's tests. Do not update them lightly.

HAND_KEYS = {  # (seed, table, hand count): the hand's key
    (0, 0, 0): 15253079151036289201,
    (1, 0, 0): 8320898393542302726,
    (7, 3, 2): 9056042928352852534,
    (2**64 - 1, 2**31, 5): 5201322722285101466,
}
DEALS = {  # key: hands of seat 1 and seat 0 by slot / discard, then the draw pile's top
    0: "-9c +2t -6c 0a / -3t -7c -10c -2t -9s +4s -3c +5s +7t +9s +3s",
    1: "-9s -3c +6c +10c / +1c -2s +7s +7c +2c -7t +5s +2s -10s 0b +9s",
    0x0123456789ABCDEF: "+6t +9t -2s +1s / +4c -9t 0b -4c +5t +8c +8t -5c +1t -9c +7t",
    2**64 - 1: "+8t +9c -9t +4t / -1s -5c -4s -9s -10t +1c +4s -8s -6t +8s -9c",
}
DICE = {  # key: the dice of rounds 1 to 4
    0: [(1, 3), (6, 2), (2, 2), (5, 3)],
    1: [(2, 6), (6, 4), (6, 3), (2, 6)],
    0x0123456789ABCDEF: [(1, 3), (6, 1), (4, 3), (1, 6)],
    2**64 - 1: [(3, 5), (3, 6), (2, 3), (3, 5)],
}
DEALERS = {  # key: the dealer among 2 to 8 players
    0: [1, 2, 2, 3, 4, 5, 5],
    1: [0, 0, 1, 1, 1, 2, 2],
    0x0123456789ABCDEF: [0, 0, 0, 0, 0, 0, 0],
    2**64 - 1: [1, 2, 3, 4, 5, 6, 7],
}
RESHUFFLED = {  # key: hands of seat 1 and seat 0 / draw pile / discard, after two reshuffles
    0: "-1s +1t +1s -2t -1t +2t / -2s / +2s",
    1: "-2t -2s +1s -1s +1t +2s / +2t / -1t",
    0x0123456789ABCDEF: "-2t -1s +2t -1t +1t +2s / +1s / -2s",
    2**64 - 1: "-2t +2t +2s -1t -1s +1t / -2s / +1s",
}


def words(*places: list[Card]) -> str:
    return " / ".join(" ".join(map(str, cards)) for cards in places)


@pytest.mark.parametrize(("named", "key"), HAND_KEYS.items())
def test_pinned_hand_keys(named: tuple[int, int, int], key: int) -> None:
    assert hand_key(*named) == key


@pytest.mark.parametrize(("key", "deal"), DEALS.items())
def test_pinned_deals(key: int, deal: str) -> None:
    game = Game("casino", 2, key=key, dealer=0)
    shown = words(game.hands[1] + game.hands[0], game.discard_pile + game.draw_pile[:10])
    assert shown == deal


def test_a_pinned_draw_pile() -> None:
    game = Game("casino", 2, key=0, dealer=0)
    assert list(map(int, game.draw_pile)) == [
        *(56, 59, 11, 38, 23, 52, 24, 6, 28, 22, 32, 7, 39, 46, 61, 37, 13, 54, 45, 15, 50, 30),
        *(43, 16, 49, 36, 48, 47, 31, 26, 18, 27, 25, 17, 0, 53, 3, 14, 40, 5, 20, 57, 35, 8, 33),
        *(9, 19, 2, 21, 44, 42, 34, 51, 4, 29, 41, 10),
    ]


@pytest.mark.parametrize(("key", "dice"), DICE.items())
def test_pinned_dice(key: int, dice: list[tuple[int, int]]) -> None:
    game = Game(RuleSet(rounds=4, card_actions=("stand",), doubles="none"), 2, key=key)
    while game.seat_to_act is not None:
        game.play(game.legal_moves()[0])  # stand, check
    assert game.dice == dice


@pytest.mark.parametrize(("key", "dealers"), DEALERS.items())
def test_pinned_dealers(key: int, dealers: list[int]) -> None:
    assert [Game("casino", players, key=key).dealer for players in range(2, 9)] == dealers


@pytest.mark.parametrize(("key", "after"), RESHUFFLED.items())
def test_pinned_reshuffles(key: int, after: str) -> None:
    rules = RuleSet(
        highest_value=2, suits=2, sylops=0, seats=(2, 2), rounds=1, doubles="redraw_all"
    )
    game = Game(rules, 2, key=key, dealer=0, dice=[(2, 2)])
    game.play("draw")
    game.play("draw")
    assert words(game.hands[1] + game.hands[0], game.draw_pile, game.discard_pile) == after
