"""What observations show of hands: the own one, and the card that its value depends on."""

from __future__ import annotations

import numpy as np

from sabacc_agents.blueprint.buckets import NO_TOP
from sabacc_agents.expectation.hand_table import HandTable
from sabacc_env.array_types import Floats, Ints
from sabacc_env.observation import decode
from sabacc_env.rules import RuleSet


def own_hands(observations: Floats, table: HandTable) -> Ints:
    """Return the own hands, Spike Cards counted, as indices in the hand table, (n,)."""
    decoded = decode(observations)
    return table.hands_of(
        np.column_stack([decoded.own_values, decoded.own_spike_card]),
        np.column_stack([decoded.own_held, decoded.has_spike_card]),
    )


def tops_of(observations: Floats, rules: RuleSet) -> Ints:
    """Return the top discards as indices of card values, (n,); NO_TOP where there is none.

    Under rules with Spike Cards it is the other seat's (``spike_hands``).
    """
    decoded = decode(observations)
    if rules.spike_card:
        others = decoded.opponents
        return np.where(others.have_spike_card[:, 0], others.spike_cards[:, 0] + 10, NO_TOP)
    return np.where(decoded.has_top_discard, decoded.top_discard + 10, NO_TOP)
