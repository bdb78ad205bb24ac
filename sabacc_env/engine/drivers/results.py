"""The results of a turn besides the observation: the action mask and the outcome of a hand."""

from typing import Final

import numpy as np

from sabacc_env.engine.jit import inlined, jit
from sabacc_env.engine.layout import MAX_SEATS, Array, Record
from sabacc_env.engine.ranking import hand_strength

OUTCOME_DTYPE: Final = np.dtype(
    (
        np.record,
        [
            ("revealed", "i8"),  # the seats whose hands were revealed, as bits
            ("sabacc_pot", "i8"),  # credits left in it
            ("net_credits", "i8", (MAX_SEATS,)),
            ("winners", "i8", (MAX_SEATS,)),  # of each pot, then -1
            ("strengths", "i8", (MAX_SEATS,)),  # of each revealed hand
        ],
    )
)
"""The outcome of a hand."""


@inlined
def write_mask(bits: int, mask: Array) -> None:
    """Write legal actions, given as bits, as 0 and 1."""
    for action in range(len(mask)):
        mask[action] = bits >> action & 1


@jit
def write_outcome(g: Record, r: Record, outcome: Record) -> None:
    """Write the outcome of a hand that is over."""
    revealed = int(g.remaining) if g.revealed == 1 else 0
    outcome.revealed = revealed
    outcome.sabacc_pot = g.sabacc_pot
    for index in range(MAX_SEATS):
        outcome.net_credits[index] = g.net_credits[index]
        outcome.winners[index] = g.pot_winners[index]
        if revealed >> index & 1:
            outcome.strengths[index] = hand_strength(int(r.ranking), g, index)
