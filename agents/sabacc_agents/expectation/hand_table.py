"""The table of all hands that a deck can make, told apart by card values alone.

Suits are left out. They decide only the last tie-breaker of the casino ranking, between two hands
of the same values.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sabacc_env.array_types import Bools, Floats, Ints
from sabacc_env.cards import Card, deck
from sabacc_env.hand_ranks import hand_strengths
from sabacc_env.rules import RuleSet

NUM_VALUES: Final = 21
"""The number of card values, -10 to +10. The index of a value is value + 10."""

VALUES: Final = range(-10, 11)

BINOMIALS: Final = np.array(
    [[1, 0, 0, 0], [1, 1, 0, 0], [1, 2, 1, 0], [1, 3, 3, 1]], dtype=np.float64
)
"""The binomial coefficients: the number of ways to choose k of n cards, at [n, k]."""

EMPTY: Final = 0
"""The index of the hand without cards."""


@dataclass(frozen=True)
class HandTable:
    """All hands of up to ``max_cards`` cards. A hand is named by its index in this table.

    Attributes:
        deck_counts: (21,) the number of cards of each value in the deck.
        children: (number of hands of fewer than ``max_cards`` cards, 21) int32: the hand that one
            more card makes; the hand itself where the deck has no such card left.
        parents: (number of hands, 21) int32: the hand that is left without a card of that value;
            the hand itself where it has none.
        counts: (number of hands, 21) int8: the number of cards of each value.
        sizes: (number of hands,) the number of cards, in rising order.
        slots: (max_cards, number of hands) int8: value + 10 of each card of the hand; -1 for none.
        deal_probs: (number of hands,) the probability that as many cards, dealt blindly, make this
            hand.
        draw_probs: (number of hands, 21) float32: the probability of each value for the next card
            when only the hand itself has been seen.
        strengths: (number of hands,) the strength in the ranking; 0 for the empty hand.
        is_zero: (number of hands,) bool, whether the total is zero.
    """

    deck_counts: Ints
    children: NDArray[np.int32]
    parents: NDArray[np.int32]
    counts: NDArray[np.int8]
    sizes: Ints
    slots: NDArray[np.int8]
    deal_probs: NDArray[np.float64]
    draw_probs: Floats
    strengths: Ints
    is_zero: Bools

    @property
    def max_cards(self) -> int:
        """How many cards the largest hands hold."""
        return len(self.slots)

    def num_hands_up_to(self, size: int) -> int:
        """Return the number of hands of at most ``size`` cards. They come first in the table."""
        return int(np.searchsorted(self.sizes, size, side="right"))

    def add_cards(self, hands: Ints, values: Ints, where: Bools | None = None) -> Ints:
        """Return the hands with one more card each, all (n,). For a full hand it is undefined.

        >>> from sabacc_env.rules import load_rules
        >>> table = hand_table(load_rules("casino"))
        >>> single = table.add_cards(np.array([EMPTY]), np.array([-3]))
        >>> pair = table.add_cards(single, np.array([3]))
        >>> table.sizes[pair], table.is_zero[pair], table.counts[pair].nonzero()[1] - 10
        (array([2]), array([ True]), array([-3,  3]))
        """
        rows = np.minimum(hands, len(self.children) - 1)
        more = self.children[rows, values + 10].astype(np.int64)
        return more if where is None else np.where(where, more, hands)

    def hands_of(self, values: Ints, held: Bools) -> Ints:
        """Return the hands of these cards, (n,): ``values`` (n, k), where they are held, (n, k)."""
        hands = np.full(len(values), EMPTY)
        for column, where in zip(values.T, held.T, strict=True):
            hands = self.add_cards(hands, column, where)
        return hands

    def remove_cards(self, hands: Ints, values: Ints) -> Ints:
        """Return the hands with one card less each, all (n,)."""
        return self.parents[hands, values + 10].astype(np.int64)


def hand_table(rules: RuleSet) -> HandTable:
    """Return the table of the hands of a rule set. It is computed once per deck and ranking.

    >>> from sabacc_env.rules import load_rules
    >>> table = hand_table(load_rules("yarith_bespin"))
    >>> len(table.sizes), table.num_hands_up_to(2)
    (2023, 253)
    """
    return _hand_table(
        rules.highest_value, rules.suits, rules.sylops, rules.largest_hand, rules.ranking
    )


@functools.lru_cache(maxsize=8)
def _hand_table(
    highest_value: int, suits: int, sylops: int, max_cards: int, ranking: str
) -> HandTable:
    cards = deck(highest_value, suits, sylops)
    deck_counts = np.bincount([card.value + 10 for card in cards], minlength=NUM_VALUES)
    # A hand's key has two bits for the number of its cards of each value.
    one_card = np.int64(1) << 2 * np.arange(NUM_VALUES, dtype=np.int64)
    keys_by_size = [np.zeros(1, dtype=np.int64)]
    children = []
    first = 0
    for _ in range(max_cards):
        keys = keys_by_size[-1]
        possible = _counts(keys) < deck_counts
        larger = keys[:, None] + one_card
        unique = np.unique(larger[possible])
        found = first + len(keys) + np.searchsorted(unique, larger)
        children.append(np.where(possible, found, first + np.arange(len(keys))[:, None]))
        keys_by_size.append(unique)
        first += len(keys)
    counts = _counts(np.concatenate(keys_by_size))
    sizes = counts.sum(axis=1, dtype=np.int64)
    all_children = np.concatenate(children).astype(np.int32)
    smaller, value = np.nonzero(all_children != np.arange(len(all_children))[:, None])
    parents = np.repeat(np.arange(len(counts), dtype=np.int32)[:, None], NUM_VALUES, axis=1)
    parents[all_children[smaller, value], value] = smaller
    num_ways = BINOMIALS[deck_counts, counts].prod(axis=1)
    remaining = (deck_counts - counts).astype(np.float32)
    slots = _slots(counts, max_cards)
    return HandTable(
        deck_counts=deck_counts.astype(np.int64),
        children=all_children,
        parents=parents,
        counts=counts,
        sizes=sizes,
        slots=slots,
        deal_probs=num_ways / np.bincount(sizes, num_ways)[sizes],
        draw_probs=remaining / np.maximum(remaining.sum(axis=1, keepdims=True), 1),
        strengths=_strengths(slots, sizes, ranking),
        is_zero=counts.astype(np.int64) @ np.arange(-10, 11) == 0,
    )


def _counts(keys: Ints) -> NDArray[np.int8]:
    """Return the number of cards of each value in hands given by their keys, (n, 21)."""
    return (keys[:, None] >> 2 * np.arange(NUM_VALUES) & 3).astype(np.int8)


def _slots(counts: NDArray[np.int8], max_cards: int) -> NDArray[np.int8]:
    """Return the cards of hands one by one (see ``HandTable``)."""
    slots = np.full((max_cards, len(counts)), -1, dtype=np.int8)
    filled = np.zeros(len(counts), dtype=np.int64)
    for value in range(NUM_VALUES):
        for copy in range(3):
            has = np.flatnonzero(counts[:, value] > copy)
            slots[filled[has], has] = value
            filled[has] += 1
    return slots


def _strengths(slots: NDArray[np.int8], sizes: Ints, ranking: str) -> Ints:
    """Return the strengths of hands whose cards of equal value take the suits in order."""
    card_of = np.array([[Card.of(v, s) if v else 60 + s % 2 for s in range(3)] for v in VALUES])
    suits = np.zeros_like(slots)
    for slot in range(1, len(slots)):
        repeated = (slots[slot] == slots[slot - 1]) & (slots[slot] >= 0)
        suits[slot] = np.where(repeated, suits[slot - 1] + 1, 0)
    cards = card_of[slots, suits].T.astype(np.int8)
    cards[np.arange(cards.shape[1]) >= sizes[:, None]] = -1
    return np.array([0, *hand_strengths(ranking, np.ascontiguousarray(cards[1:]))])
