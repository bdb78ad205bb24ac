"""What is shown besides the observation: the legal actions as a mask, and how a hand ended."""

from typing import Final

import numpy as np

from sabacc_env.engine.jit import inlined, jit
from sabacc_env.engine.layout import MAX_SEATS, Array, Record
from sabacc_env.engine.ranking import hand_strength

ENDING_DTYPE: Final = np.dtype(
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


@inlined
def put_mask(bits: int, mask: Array) -> None:
    """Write legal actions, given as bits, as 0 and 1."""
    for action in range(len(mask)):
        mask[action] = bits >> action & 1


@jit
def put_ending(g: Record, r: Record, ending: Record) -> None:
    """Write how a hand that is over ended."""
    revealed = int(g.remaining) if g.revealed == 1 else 0
    ending.revealed = revealed
    ending.sabacc_pot = g.sabacc_pot
    for index in range(MAX_SEATS):
        ending.net_credits[index] = g.net_credits[index]
        ending.winners[index] = g.pot_winners[index]
        if revealed >> index & 1:
            ending.strengths[index] = hand_strength(int(r.ranking), g, index)
