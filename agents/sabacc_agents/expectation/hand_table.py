"""Every hand of a deck by its values alone, numbered; what a card more makes of it; its strength.

Suits are left out: they decide nothing but the last tie-breaker of the casino ranking, between two
hands of the very same values.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sabacc_agents.scripted.decoding import Bools, Floats, Ints
from sabacc_env.cards import Card, deck
from sabacc_env.hand_ranks import hand_strengths
from sabacc_env.rules import RuleSet

NUM_VALUES: Final = 21
"""Values from -10 to +10, in this order: value + 10 is the index of one."""

VALUES: Final = range(-10, 11)

WAYS: Final = np.array([[1, 0, 0, 0], [1, 1, 0, 0], [1, 2, 1, 0], [1, 3, 3, 1]], dtype=np.float64)
"""In how many ways so many of so many cards can be chosen: of n cards k, at [n, k]."""

EMPTY: Final = 0
"""The number of the hand without cards."""


@dataclass(frozen=True)
class HandValues:
    """The hands of up to ``largest`` cards that a deck can make, each numbered once.

    Attributes:
        deck: (21,) how many cards of each value the deck has.
        children: (number of hands of fewer than ``largest`` cards, 21) int32: the hand that one
            card more makes; the hand itself where the deck has no such card left.
        parents: (number of hands, 21) int32: the hand that is left without a card of that value;
            the hand itself where it has none.
        counts: (number of hands, 21) int8: the cards of each value.
        sizes: (number of hands,) how many cards; hands of fewer cards come first.
        slots: (largest, number of hands) int8: value + 10 of each card of the hand; -1 for none.
        dealt: (number of hands,) the chance that so many cards dealt blindly make this hand.
        draws: (number of hands, 21) float32: the chance of each value to be drawn next, when of the
            deck no more is seen than the hand.
        strengths: (number of hands,) as the ranking has them; 0 for the empty hand.
        zeros: (number of hands,) bool, whether the total is zero.
    """

    deck: Ints
    children: NDArray[np.int32]
    parents: NDArray[np.int32]
    counts: NDArray[np.int8]
    sizes: Ints
    slots: NDArray[np.int8]
    dealt: NDArray[np.float64]
    draws: Floats
    strengths: Ints
    zeros: Bools

    def up_to(self, size: int) -> int:
        """Return how many hands have at most so many cards: they are numbered first."""
        return int(np.searchsorted(self.sizes, size, side="right"))

    def plus(self, hands: Ints, values: Ints, where: Bools | None = None) -> Ints:
        """Return the hands with a card more, all (n,); of a full hand the result is undefined.

        >>> from sabacc_env.rules import load_rules
        >>> hands = hand_values(load_rules("casino"))
        >>> pair = hands.plus(hands.plus(np.array([EMPTY]), np.array([-3])), np.array([3]))
        >>> hands.sizes[pair], hands.zeros[pair], hands.counts[pair].nonzero()[1] - 10
        (array([2]), array([ True]), array([-3,  3]))
        """
        rows = np.minimum(hands, len(self.children) - 1)
        more = self.children[rows, values + 10].astype(np.int64)
        return more if where is None else np.where(where, more, hands)

    def minus(self, hands: Ints, values: Ints) -> Ints:
        """Return the hands with a card less, all (n,)."""
        return self.parents[hands, values + 10].astype(np.int64)


def hand_values(rules: RuleSet) -> HandValues:
    """Return the hands that these rules can make, worked out once for each deck and ranking.

    >>> from sabacc_env.rules import load_rules
    >>> hands = hand_values(load_rules("yarith_bespin"))
    >>> len(hands.sizes), hands.up_to(2)
    (2023, 253)
    """
    return _hand_values(
        rules.highest_value, rules.suits, rules.sylops, rules.largest_hand, rules.ranking
    )


@functools.lru_cache(maxsize=8)
def _hand_values(
    highest_value: int, suits: int, sylops: int, largest: int, ranking: str
) -> HandValues:
    cards = deck(highest_value, suits, sylops)
    in_deck = np.bincount([card.value + 10 for card in cards], minlength=NUM_VALUES)
    # A hand's key has two bits for the number of its cards of each value.
    one_more = np.int64(1) << 2 * np.arange(NUM_VALUES, dtype=np.int64)
    sizes_keys = [np.zeros(1, dtype=np.int64)]
    children = []
    first = 0
    for _ in range(largest):
        keys = sizes_keys[-1]
        possible = _counts(keys) < in_deck
        longer = keys[:, None] + one_more
        unique = np.unique(longer[possible])
        found = first + len(keys) + np.searchsorted(unique, longer)
        children.append(np.where(possible, found, first + np.arange(len(keys))[:, None]))
        sizes_keys.append(unique)
        first += len(keys)
    counts = _counts(np.concatenate(sizes_keys))
    sizes = counts.sum(axis=1, dtype=np.int64)
    made = np.concatenate(children).astype(np.int32)
    shorter, value = np.nonzero(made != np.arange(len(made))[:, None])
    parents = np.repeat(np.arange(len(counts), dtype=np.int32)[:, None], NUM_VALUES, axis=1)
    parents[made[shorter, value], value] = shorter
    ways = WAYS[in_deck, counts].prod(axis=1)
    left = (in_deck - counts).astype(np.float32)
    slots = _slots(counts, largest)
    return HandValues(
        deck=in_deck.astype(np.int64),
        children=made,
        parents=parents,
        counts=counts,
        sizes=sizes,
        slots=slots,
        dealt=ways / np.bincount(sizes, ways)[sizes],
        draws=left / np.maximum(left.sum(axis=1, keepdims=True), 1),
        strengths=_strengths(slots, sizes, ranking),
        zeros=counts.astype(np.int64) @ np.arange(-10, 11) == 0,
    )


def _counts(keys: Ints) -> NDArray[np.int8]:
    """Return the cards of each value in hands given by their keys, (n, 21)."""
    return (keys[:, None] >> 2 * np.arange(NUM_VALUES) & 3).astype(np.int8)


def _slots(counts: NDArray[np.int8], largest: int) -> NDArray[np.int8]:
    """Return the cards of hands one by one (see ``HandValues``)."""
    slots = np.full((largest, len(counts)), -1, dtype=np.int8)
    filled = np.zeros(len(counts), dtype=np.int64)
    for value in range(NUM_VALUES):
        for copy in range(3):
            has = np.flatnonzero(counts[:, value] > copy)
            slots[filled[has], has] = value
            filled[has] += 1
    return slots


def _strengths(slots: NDArray[np.int8], sizes: Ints, ranking: str) -> Ints:
    """Return how the hands rank; equal values take the suits in order."""
    card_of = np.array([[Card.of(v, s) if v else 60 + s % 2 for s in range(3)] for v in VALUES])
    copy = np.zeros_like(slots)
    for slot in range(1, len(slots)):
        again = (slots[slot] == slots[slot - 1]) & (slots[slot] >= 0)
        copy[slot] = np.where(again, copy[slot - 1] + 1, 0)
    cards = card_of[slots, copy].T.astype(np.int8)
    cards[np.arange(cards.shape[1]) >= sizes[:, None]] = -1
    return np.array([0, *hand_strengths(ranking, np.ascontiguousarray(cards[1:]))])
