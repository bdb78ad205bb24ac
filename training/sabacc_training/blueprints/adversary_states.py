"""The states in which the adversary bets. They have the exact bets, where the agent has buckets.

A real opponent knows the exact bets and chooses the lines in which the agent folds too much. An
adversary that shares the agent's public states mixes these lines with others, so a solution against
it fits the abstraction and not the game.
"""

from __future__ import annotations

from typing import Final

from sabacc_agents.blueprint.public_states import NUM_PATTERNS, STAND, card_pattern

from sabacc_env.engine.chance import WORD, mix
from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import Array, Record
from sabacc_training.blueprints.game import Game

NUM_ROWS: Final = 1 << 19
"""The rows of the adversary's regrets. Casino at 50 antes takes 111,000 in 148,000 walks."""

MAX_PROBES: Final = 64
"""The rows that are tried for a state. Where all are taken it shares the last of them."""

BETS: Final = 1 << 20
"""More than any bet, in credits."""


@jit
def adversary_state(game: Game, s: Record) -> int:
    """Return the number of the state in which the adversary bets, from 1."""
    p = int(s.position) & 1
    state = int(s.stage) * game.histories + int(s.history)
    state = state * 2 + p
    state = state * 4 + min(int(s.raises), 3)
    state = state * BETS + int(s.bets[0])
    state = state * BETS + int(s.bets[1])
    for position in range(2):
        kind = max(int(s.kinds[position]), STAND)
        state = state * NUM_PATTERNS + card_pattern(kind, s.stood[position], s.redrawn)
    return state + 1


@jit
def find_row(keys: Array, state: int) -> int:
    """Return the row of a state; one that is met for the first time takes a free row.

    Args:
        keys: (rows,) the state of each row, 0 where it is free. Their number is a power of 2.
        state: the number of the state, from 1.
    """
    last = len(keys) - 1
    row = mix(mix(state & WORD) ^ (state >> 32)) & last
    for _ in range(MAX_PROBES):
        if keys[row] == state:
            return row
        if keys[row] == 0:
            keys[row] = state
            return row
        row = (row + 1) & last
    return row
