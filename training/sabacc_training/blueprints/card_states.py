"""The states in which the adversary chooses what to do with its cards.

Its bucket of hands is that of the betting phase before, or of the first one.
"""

from __future__ import annotations

from typing import Final

from sabacc_agents.blueprint.buckets import HAND_BUCKETS
from sabacc_agents.blueprint.public_states import (
    NUM_SEEN_KINDS,
    NUM_STACKS,
    NUM_SWAPS,
    SWAP,
    seen_kind,
    stack_bucket,
)

from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import Record
from sabacc_training.blueprints.game import Game
from sabacc_training.blueprints.hands import NUM_KINDS

NOTHING_YET: Final = NUM_SEEN_KINDS
"""What the other seat has done with its cards in this phase, where it has not acted."""


def num_card_states(game: Game) -> int:
    """Return one more than the largest number of a state, the kinds of ``hand_row`` included."""
    phases = max(int(game.bettings[-1]), 1)
    states = phases * game.histories * 2 * NUM_STACKS * (NUM_SEEN_KINDS + 1) * 2 * 2
    return states * NUM_KINDS * NUM_SWAPS


@jit
def card_state(game: Game, s: Record, stack: int) -> int:
    """Return the number of the state, without what each hand sees itself (``hand_row``)."""
    p = int(s.position) & 1
    pot = 2 * game.hand_ante + int(s.bets[0]) + int(s.bets[1])
    state = int(game.bettings[s.stage]) * game.histories + int(s.history)
    state = state * 2 + p
    state = state * NUM_STACKS + stack_bucket((stack - int(s.bets[0])) / pot)
    state = state * (NUM_SEEN_KINDS + 1) + (int(s.kinds[1 - p]) if s.acted > 0 else NOTHING_YET)
    return (state * 2 + int(s.stood[p])) * 2 + int(s.stood[1 - p])


@jit
def hand_row(state: int, best_kind: int, top: int, bucket: int) -> int:
    """Return the row of a hand in what is learnt about kinds.

    Args:
        state: the number of the state.
        best_kind: the kind that is best by expectation.
        top: the top discard. Its class as a swap counts (``seen_kind``).
        bucket: the bucket of the hand.
    """
    swap = seen_kind(SWAP, top) - SWAP
    return ((state * NUM_KINDS + best_kind) * NUM_SWAPS + swap) * HAND_BUCKETS + bucket
