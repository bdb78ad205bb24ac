"""The states in which the adversary bets. They are finer than the public states of the agent.

A real opponent knows the exact bets and all card actions of the hand. It chooses the lines in which
the agent folds too much. An adversary that shares the agent's public states mixes these lines with
others. A solution against it fits the abstraction and not the game. So here bets are in fine
buckets, and all events of the agent's cards count: its card actions, and doubles. Of the cards that
its swaps took only the last counts, as far as its pattern shows it.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from sabacc_agents.blueprint.public_states import NUM_PATTERNS

from sabacc_env.engine.chance import WORD, mix
from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import Record
from sabacc_training.blueprints.game import Game
from sabacc_training.blueprints.states import NUM_COURSES, last_pattern, to_call
from sabacc_training.blueprints.workspace import LearntTables

MAX_PROBES: Final = 64
"""The slots that are tried for a state. Where all are taken it shares the row of the next."""

POT_STEP: Final = 0.25
"""The logarithm of the ratio of two pots that are a bucket apart."""

NUM_POTS: Final = 64
"""More than the buckets of pots: 10,000 antes make 40."""

NUM_CALLS: Final = 12
"""The buckets of what a call costs, in pots with the bet that is called."""

NUM_FACED: Final = 1 + 3 * NUM_CALLS
"""The buckets of what a seat faces: no bet, or a first, second or later raise."""


@jit
def adversary_state(game: Game, s: Record) -> int:
    """Return the number of the state in which the adversary bets, from 1.

    Of its own card actions those count that the agent remembers.
    """
    p = int(s.position) & 1
    call = to_call(s)
    pot = 2 * game.hand_ante + int(s.bets[0]) + int(s.bets[1])
    pot_bucket = int(np.log((pot - call) / (2 * game.hand_ante)) / POT_STEP)
    faced = 0
    if call > 0:
        faced = 1 + NUM_CALLS * (min(int(s.raises), 3) - 1) + call * NUM_CALLS // pot
    state = int(game.bettings[s.stage]) * game.histories + int(s.history)
    state = state * 2 + p
    state = state * NUM_POTS + min(pot_bucket, NUM_POTS - 1)
    state = state * NUM_FACED + faced
    state = state * NUM_COURSES + int(s.courses[1 - p])
    state = state * NUM_PATTERNS + last_pattern(s, 1 - p)
    return state * NUM_PATTERNS + last_pattern(s, p) + 1


@jit
def find_row(tables: LearntTables, state: int) -> int:
    """Return the row of a state in the regrets; one that is met first takes the next row.

    Args:
        tables: what is learnt. The number of slots is a power of 2.
        state: the number of the state, from 1.
    """
    keys, rows = tables.adversary_keys, tables.adversary_rows
    last = len(keys) - 1
    slot = mix(mix(state & WORD) ^ (state >> 32)) & last
    for _ in range(MAX_PROBES):
        if keys[slot] == state:
            return int(rows[slot])
        if keys[slot] == 0:
            keys[slot] = state
            rows[slot] = tables.adversary_count[0]
            tables.adversary_count[0] += 1
            return int(rows[slot])
        slot = (slot + 1) & last
    return int(rows[slot])
