"""What the best card actions are by expectation, and what hands are worth by the top discard.

A value is the probability that a hand wins at the end, if both seats choose their cards by
expectation, and nobody junks or pays a fee (``expectation.win_probabilities``). Hands are indices
in the hand table, and cards are values without suits.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sabacc_agents.blueprint.public_states import CARD_KINDS
from sabacc_agents.expectation.backward_induction import backward_induction, stages
from sabacc_agents.expectation.hand_table import EMPTY, NUM_VALUES, hand_table
from sabacc_agents.expectation.win_probabilities import WinProbabilities, win_probabilities
from sabacc_env.array_types import Bools, Floats
from sabacc_env.engine.layout import KIND_OF_ACTION, KINDS
from sabacc_env.rules import RuleSet

NO_CARD: Final = -1
"""Instead of a card: no action of that kind is possible."""


@dataclass(frozen=True)
class CardChoices:
    """The best card actions of a seat at tables of two.

    Attributes:
        kinds: (stages, hands, 21) int8: the best kind of action (``CARD_KINDS``), by the top
            discard. 0 where no cards are played.
        swaps: (stages, hands, 21) int8: the card that the best swap puts down; NO_CARD if there is
            none.
        discards: (stages, hands) int8: the card that is best discarded before a draw; NO_CARD if
            there is none.
        values: by the stage of each card phase, the values of hands before it, (hands, 21).
    """

    kinds: NDArray[np.int8]
    swaps: NDArray[np.int8]
    discards: NDArray[np.int8]
    values: dict[int, Floats]


@lru_cache(maxsize=16)
def without_fees(rules: RuleSet) -> RuleSet:
    """Return the rules with ``CARD_KINDS`` alone, without those that cost a fee.

    >>> from sabacc_env.rules import load_rules
    >>> without_fees(load_rules("orsl")).card_actions
    ('stand', 'discard_draw', 'swap')
    """
    if not any(rules.fees.values()):
        return rules
    free = [kind for kind in CARD_KINDS if kind in rules.card_actions and not rules.fees.get(kind)]
    return rules.replace(card_actions=free, fees={})


@lru_cache(maxsize=16)
def free_win_probabilities(rules: RuleSet) -> WinProbabilities:
    """Return what hands are worth at tables of two if nobody pays a fee.

    Hands that only a fee can make are worth what they win against others, and have the free actions
    from then on. The smaller hands have the indices that they have in a table without these.
    """
    free = without_fees(rules)
    found, table = win_probabilities(free, 2), hand_table(rules)
    if table.max_cards == found.table.max_cards:
        return found
    strengths, places = np.unique(found.table.strengths, return_index=True)
    final = np.interp(table.strengths, strengths, found.final[places]).astype(np.float32)
    values = backward_induction(free, 2, table, final)
    return WinProbabilities(table, final, values[:, None], found.stage_indices)


def free_actions(rules: RuleSet) -> Bools:
    """Return which discrete actions cost no fee, (actions,)."""
    return np.array([not rules.fees.get(KINDS[kind]) for kind in KIND_OF_ACTION])


@lru_cache(maxsize=16)
def card_choices(rules: RuleSet) -> CardChoices:
    """Compute the best card actions of a rule set that cost no fee, once for each."""
    win_probs = free_win_probabilities(rules)
    table = win_probs.table
    num_hands, num_growing = len(table.sizes), len(table.children)
    order = stages(rules)
    kinds = np.zeros((len(order), num_hands, NUM_VALUES), np.int8)
    swaps = np.full((len(order), num_hands, NUM_VALUES), NO_CARD, np.int8)
    discards = np.full((len(order), num_hands), NO_CARD, np.int8)
    best_values: dict[int, Floats] = {}
    for stage, (_, phase) in enumerate(order):
        if phase == "betting":
            continue
        values = win_probs.hand_values[stage, 0]
        drawn = np.full(num_hands, -1, np.float32)  # a hand of the largest size cannot draw
        drawn[:num_growing] = np.einsum(
            "nv,nv->n", values[table.children], table.draw_probs[:num_growing]
        )
        redrawn, discards[stage] = _best_discards(win_probs, drawn)
        if phase == "cards":
            swapped, swaps[stage] = _best_swaps(win_probs, values)
            options = values, drawn, redrawn, swapped.T
            by_kind = np.stack([np.broadcast_to(v, swapped.T.shape) for v in options])
            by_kind[[kind not in without_fees(rules).card_actions for kind in CARD_KINDS]] = -1
            kinds[stage] = by_kind.argmax(axis=0).T
            best_values[stage] = by_kind.max(axis=0).T
    return CardChoices(kinds, swaps, discards, best_values)


def _best_discards(win_probs: WinProbabilities, drawn: Floats) -> tuple[Floats, NDArray[np.int8]]:
    """Return the best value of a discard and a draw, and the card, both (hands,).

    ``drawn`` are the values of a draw alone.
    """
    table = win_probs.table
    best = np.full(len(table.sizes), -1, np.float32)
    cards = np.full(len(table.sizes), NO_CARD, np.int8)
    every = np.arange(len(best))
    for values in table.slots:
        held = values >= 0
        kept = np.where(held, table.parents[every, values], EMPTY)
        value = np.where(held, drawn[kept], -1)
        better = value > best
        best[better], cards[better] = value[better], values[better]
    return best, cards


def _best_swaps(win_probs: WinProbabilities, values: Floats) -> tuple[Floats, NDArray[np.int8]]:
    """Return the best value of a swap by the top discard, and the card, both (hands, 21)."""
    table = win_probs.table
    count = len(table.sizes)
    best = np.full((count, NUM_VALUES), -1, np.float32)
    cards = np.full((count, NUM_VALUES), NO_CARD, np.int8)
    for slot in table.slots:
        held = (slot >= 0)[:, None] & (slot[:, None] != np.arange(NUM_VALUES))
        kept = np.where(slot >= 0, table.parents[np.arange(count), slot], EMPTY)
        value = np.where(held, values[table.children[kept]], -1)
        better = value > best
        best[better] = value[better]
        cards[better] = np.broadcast_to(slot[:, None], better.shape)[better]
    return best, cards
