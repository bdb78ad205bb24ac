"""Values at the reveal of buckets of final hands.

A hand in a higher bucket is stronger. In the same bucket each seat wins as often: the value is 0.
"""

from __future__ import annotations

import numpy as np
from sabacc_agents.blueprint.buckets import HAND_BUCKETS

from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import Array


@jit
def add_values(
    reach: Array, stake: float, sabacc_stake: float, first_zero: int, values: Array
) -> None:
    """Add the value of a hand in each bucket at the reveal.

    Args:
        reach: (buckets,) the weights of the opponent's hands.
        stake: what the winner's margin is, and minus the loser's.
        sabacc_stake: what it is more if the winner's total is zero.
        first_zero: the lowest bucket of zero hands.
        values: (buckets,) what is added to.
    """
    weaker, stronger, stronger_zero = np.float32(0), np.float32(0), np.float32(0)
    for bucket in range(HAND_BUCKETS):
        stronger += reach[bucket]
        if bucket >= first_zero:
            stronger_zero += reach[bucket]
    for bucket in range(HAND_BUCKETS):
        stronger -= reach[bucket]
        won = stake
        if bucket >= first_zero:
            stronger_zero -= reach[bucket]
            won += sabacc_stake
        values[bucket] += weaker * won - stronger * stake - stronger_zero * sabacc_stake
        weaker += reach[bucket]
