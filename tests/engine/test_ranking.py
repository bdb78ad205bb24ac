"""The evaluator over every hand there is: names, keys and order, against the slow oracle.

A hand's rank depends on its values and on whether it is suited, so the oracle looks at each set of
values once, suited and mixed, and counts how many of the 7,068,558 hands of 2 to 5 cards it stands
for; the engine looks at every one of them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import combinations_with_replacement, pairwise
from math import comb, prod
from pathlib import Path

import numpy as np
import pytest

from sabacc_env import Card, rank_hand
from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import GAME_DTYPE, RANKINGS, Array, Record
from sabacc_env.engine.ranking import LOWEST_PLACE, PLACE_SHIFT, hand_strength
from sabacc_env.hand_ranks import HAND_NAMES
from sabacc_env.rules.hand_texts import HAND_TEXTS
from tests.oracle.ranking import rank
from tests.support.modes import INTERPRETED

PINNED = json.loads((Path(__file__).parent / "hand_counts.json").read_text())
"""For each ranking and name, how many hands of 2, 3, 4 and 5 cards have that name."""


def value_sets(largest: int) -> Iterator[tuple[int, ...]]:
    for size in range(2, largest + 1):
        for values in combinations_with_replacement(range(-10, 11), size):
            if all(values.count(value) <= (3 if value else 2) for value in set(values)):
                yield values


def variants(values: tuple[int, ...]) -> Iterator[tuple[list[int], int]]:
    """Yield a suited and a mixed hand of these values, each with how many hands it stands for."""
    ways = prod(comb(3 if value else 2, values.count(value)) for value in set(values))
    others = [value for value in values if value != 0]
    sylops = [60, 61][: values.count(0)]
    suited = 0
    if len(set(others)) == len(others):
        suited = (3 if others else 1) * comb(2, len(sylops))
        yield sylops + [Card.of(value, 0) for value in others], suited
    if ways > suited:
        suits = [others[:i].count(value) for i, value in enumerate(others)]
        if len(set(suits)) == 1:
            suits[-1] += 1
        yield (
            sylops + [Card.of(value, suit) for value, suit in zip(others, suits, strict=True)],
            ways - suited,
        )


@jit
def _count_places(ranking: int, games: Array, counts: Array) -> None:
    """Count every hand of 2 to 5 of the 62 cards by place and size; a game's seat holds them."""
    g = games[0]
    hand = g.cards[0]
    for a in range(62):
        hand[0] = a
        for b in range(a + 1, 62):
            hand[1] = b
            counts[_place(ranking, g, 2), 0] += 1
            for c in range(b + 1, 62):
                hand[2] = c
                counts[_place(ranking, g, 3), 1] += 1
                for d in range(c + 1, 62):
                    hand[3] = d
                    counts[_place(ranking, g, 4), 2] += 1
                    for e in range(d + 1, 62):
                        hand[4] = e
                        counts[_place(ranking, g, 5), 3] += 1
                    hand[4] = -1
                hand[3] = -1
            hand[2] = -1


@jit
def _place(ranking: int, g: Record, size: int) -> int:
    g.num_cards[0] = size
    return LOWEST_PLACE - (hand_strength(ranking, g, 0) >> PLACE_SHIFT)


@pytest.mark.skipif(INTERPRETED, reason="seven million hands take the compiled engine")
@pytest.mark.parametrize("ranking", RANKINGS)
def test_every_hand_has_one_name_and_the_counts_are_pinned(ranking: str) -> None:
    counts = np.zeros((LOWEST_PLACE + 1, 4), dtype=np.int64)
    games = np.zeros(1, GAME_DTYPE)
    games["cards"] = games["spikes"] = -1
    _count_places(RANKINGS.index(ranking), games, counts)
    assert counts.sum() == 7_068_558
    named = {
        name: counts[place].tolist()
        for place, (name, _) in enumerate(HAND_NAMES[ranking], start=1)
        if counts[place].any()
    }
    assert named == PINNED[ranking]


@pytest.mark.parametrize("largest", [4, pytest.param(5, marks=pytest.mark.slow)])
@pytest.mark.parametrize("ranking", RANKINGS)
def test_names_keys_and_order_are_the_oracles(ranking: str, largest: int) -> None:
    by_size: dict[str, Counter[int]] = {}
    strengths: dict[tuple[object, ...], int] = {}
    for values in value_sets(largest):
        for hand, hands in variants(values):
            theirs, ours = rank(hand, ranking), rank_hand(ids=hand, ranking=ranking)
            assert (ours.name, ours.keys, ours.total) == (theirs.name, theirs.keys, theirs.total)
            assert strengths.setdefault(theirs.order, ours.strength) == ours.strength
            by_size.setdefault(theirs.name, Counter())[len(hand)] += hands
    in_order = [strengths[order] for order in sorted(strengths)]
    assert all(weaker < stronger for weaker, stronger in pairwise(in_order))
    sizes = range(2, largest + 1)
    counted = {name: [hands[size] for size in sizes] for name, hands in by_size.items()}
    pinned = {name: counts[: largest - 1] for name, counts in PINNED[ranking].items()}
    assert counted == {name: counts for name, counts in pinned.items() if any(counts)}


@pytest.mark.parametrize("ranking", RANKINGS)
def test_every_kind_of_hand_is_told_in_words_best_first(ranking: str) -> None:
    assert list(HAND_TEXTS[ranking]) == list(PINNED[ranking])
