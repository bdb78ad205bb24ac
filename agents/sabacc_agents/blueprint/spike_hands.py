"""Hands beside Spike Cards in a blueprint: the classes of Spike Cards, and what hands are worth.

Each seat has a Spike Card that both see. It counts as a card of its hand. So a seat knows one card
of the other's hand, as elsewhere it knows the top discard: the other's Spike Card takes the place
of the top discard wherever hands are told apart.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from sabacc_agents.blueprint.card_choices import free_win_probabilities
from sabacc_agents.blueprint.public_states import (
    DISCARD_DRAW,
    NUM_SPIKE_CLASSES,
    SPIKE_LIMITS,
    num_bettings,
)
from sabacc_agents.expectation.backward_induction import InductionStep, stages
from sabacc_agents.expectation.hand_table import NUM_VALUES, VALUES
from sabacc_agents.expectation.win_probabilities import win_probs_against
from sabacc_env.array_types import Floats
from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import Array
from sabacc_env.rules import RuleSet

NO_SPIKE: Final = -1
"""Instead of the class of a Spike Card: the rules have none."""

SPIKE_CLASSES: Final = np.array([*np.searchsorted(SPIKE_LIMITS, np.abs(VALUES)), 0])
"""The class of each Spike Card in a public state, by the index of its value. What is worth as much
with the sign reversed is told apart only as a hand. Before Spike Cards are dealt (NO_TOP) the class
of both seats is 0. Where a seat bought a card in the last card phase, it is NUM_SPIKE_CLASSES more
(``with_purchase``)."""


@jit
def with_spike(children: Array, hand: int, spike: int) -> int:
    """Return a hand with its Spike Card, if there is one that it does not count yet.

    Args:
        children: as in ``HandTable``.
        hand: the hand.
        spike: the value of the Spike Card as an index; NO_TOP (``buckets``) before it is dealt.
    """
    if spike == NUM_VALUES or hand >= len(children):
        return hand
    return int(children[hand, spike])


@jit
def with_purchase(spike_class: int, kind: int, redrawn: int) -> int:
    """Return the class of a Spike Card, told apart by whether its seat has bought a card.

    Args:
        spike_class: of ``SPIKE_CLASSES``.
        kind: what the seat did in the last card phase, as it was seen.
        redrawn: whether doubles have made its hand new since.
    """
    return spike_class + NUM_SPIKE_CLASSES * int(kind == DISCARD_DRAW and redrawn == 0)


def first_spike_betting(rules: RuleSet) -> int:
    """Return the number of the first betting phase with Spike Cards."""
    return int(rules.opening_bet)


def spike_values(rules: RuleSet) -> Floats:
    """Return the values of hands at betting turns, (positions, betting phases, hands, NUM_TOPS).

    The last index is the other seat's Spike Card. The value is the probability that the hand, its
    own Spike Card counted, beats a random hand with that Spike Card. Doubles to come are left out:
    they take the same from all hands with the same Spike Cards. In the opening phase there are no
    Spike Cards yet: the last index does not matter.
    """
    win_probs = free_win_probabilities(rules)
    table = win_probs.table
    found = np.empty((2, num_bettings(rules), len(table.sizes), NUM_VALUES + 1), np.float32)
    found[:] = win_probs.hand_values[0, 0][:, None]
    shown = found[:, first_spike_betting(rules) :]
    dealt = table.deal_probs * (table.sizes == rules.largest_hand)
    for value in np.flatnonzero(table.deck_counts):
        # Of hands with a card of this value, how likely each is where it was dealt face up.
        others = dealt * table.counts[:, value]
        shown[..., value] = win_probs_against(table.strengths, table.strengths, others)
    shown[..., NUM_VALUES] = win_probs_against(table.strengths, table.strengths, dealt)
    return found


def values_and_gains(rules: RuleSet) -> tuple[Floats, Floats]:
    """Return what hands are worth after each stage, and gain by a card, both (stages, hands).

    As the agent has it in play: a value is the probability to win at the end, if nobody buys a card
    from then on. Of what is gained, the price is not taken off.
    """
    win_probs = free_win_probabilities(rules)
    values: Floats = win_probs.hand_values[:, 0]
    free = InductionStep(rules.replace(fees={}), 2, win_probs.table)
    gains = np.zeros_like(values)
    for stage, (number, phase) in enumerate(stages(rules)):
        if phase == "cards":
            gains[stage] = free.before_cards(values[stage], number) - values[stage]
    return values, gains
