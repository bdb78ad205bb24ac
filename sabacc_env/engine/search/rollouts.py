"""Rollouts: determinizations, weighted by the opponents' moves and played by a base policy."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numba
import numpy as np
from numba import types

from sabacc_env.engine.bit_sets import count, lowest
from sabacc_env.engine.chance import DETERMINIZATION, next_word, stream
from sabacc_env.engine.jit import inlined, jit, jit_when_called
from sabacc_env.engine.layout import (
    BET_SIZES_DTYPE,
    FIRST_BET_ACTION,
    FIRST_CARD_ACTION,
    GAME_DTYPE,
    MAX_ACTIONS,
    MAX_HAND,
    OVER,
    RAISE,
    RULES_DTYPE,
    Array,
    Record,
)
from sabacc_env.engine.legal import legal_actions
from sabacc_env.engine.observation.blocks import OBSERVATION_DTYPE
from sabacc_env.engine.observation.write import observe, write_rules, write_turn_features
from sabacc_env.engine.search.determinization import (
    PUBLIC_MOVE_DTYPE,
    VISIBLE_DTYPE,
    InformationState,
    Workspace,
    sample_determinization,
    slot_of,
)
from sabacc_env.engine.step import deal, play, play_action, raise_total

StochasticPolicy = Callable[[Record, int, Array], None]
"""A function ``(observation, legal, probabilities)`` that writes the probability of each legal
action into ``probabilities``, (MAX_ACTIONS,) float64. They are not negative and need not add up to
1. The entries of illegal actions are not read."""


def _array(dtype: Any, dimensions: int = 1) -> Any:
    return numba.typeof(np.zeros((1,) * dimensions, dtype))


_GAMES, _RULES, _SIZES = _array(GAME_DTYPE), _array(RULES_DTYPE), _array(BET_SIZES_DTYPE)
_INTEGERS, _FLOATS, _ROWS = _array(np.int64), _array(np.float64), _array(OBSERVATION_DTYPE)
_INFO_STATE = types.NamedTuple(
    (_GAMES, _RULES, _SIZES, _array(PUBLIC_MOVE_DTYPE), _array(VISIBLE_DTYPE)), InformationState
)
_WORKSPACE = types.NamedTuple(
    (_GAMES, _ROWS, _FLOATS, _INTEGERS, _INTEGERS, _INTEGERS, _INTEGERS, _INTEGERS), Workspace
)
STOCHASTIC_POLICY_SIGNATURE: Final = types.void(_ROWS.dtype, types.int64, _FLOATS)
STOCHASTIC_POLICY_TYPE: Final = types.FunctionType(STOCHASTIC_POLICY_SIGNATURE)


@jit
def deal_determinization(info_state: InformationState, workspace: Workspace) -> None:
    """Deal the determinization that was sampled last."""
    workspace.game[0] = info_state.start[0]
    g = workspace.game[0]
    for place in range(int(g.deck_size)):
        g.deck[place] = workspace.card_of_token[int(workspace.order[place])]
    deal(g, info_state.rules[0])


@inlined
def log_weight_of(
    info_state: InformationState, workspace: Workspace, model: StochasticPolicy, epsilon: float
) -> float:
    """Return the logarithm of the weight of the determinization that was sampled last."""
    deal_determinization(info_state, workspace)
    g = workspace.game[0]
    r = info_state.rules[0]
    sizes = info_state.sizes[0]
    row = workspace.rows[0]
    weight = 0.0
    for index in range(len(info_state.moves)):
        move = info_state.moves[index]
        seat = int(g.seat_to_act)
        slot = slot_of(g, seat, int(move.card)) if move.card >= 0 else 0
        kind = int(move.kind)
        if seat != info_state.visible[0].seat:
            legal = legal_actions(g, r, sizes)
            observe(g, r, seat, row)
            model(row, legal, workspace.probabilities)
            action = kind
            if kind == RAISE:
                action = nearest_bet_action(g, r, sizes, legal, int(move.total))
            elif kind >= FIRST_CARD_ACTION:
                action = FIRST_CARD_ACTION + (kind - FIRST_CARD_ACTION) * MAX_HAND + slot
            uniform = 1.0 / count(legal)
            weight += math.log(
                (1 - epsilon) * probability_of(workspace.probabilities, legal, action)
                + epsilon * uniform
            )
        play(g, r, kind, slot, int(move.total))
    return weight


@jit
def nearest_bet_action(g: Record, r: Record, sizes: Record, legal: int, total: int) -> int:
    """Return the legal bet action whose total is nearest; of equally near ones the first."""
    raises = legal >> FIRST_BET_ACTION << FIRST_BET_ACTION
    found = lowest(raises)
    nearest = -1
    while raises != 0:
        action = lowest(raises)
        raises &= raises - 1
        difference = abs(raise_total(g, r, action - FIRST_BET_ACTION, sizes) - total)
        if nearest < 0 or difference < nearest:
            found = action
            nearest = difference
    return found


@jit
def probability_of(probabilities: Array, legal: int, action: int) -> float:
    """Return the normalised probability of an action; uniform if all probabilities are 0."""
    total = 0.0
    rest = legal
    while rest != 0:
        total += probabilities[lowest(rest)]
        rest &= rest - 1
    return probabilities[action] / total if total > 0 else 1.0 / count(legal)


@jit_when_called(
    types.int64(
        _INFO_STATE,
        _WORKSPACE,
        STOCHASTIC_POLICY_TYPE,
        types.float64,
        types.int64,
        types.int64,
        _GAMES,
        _FLOATS,
    )
)
def sample_determinizations(
    info_state: InformationState,
    workspace: Workspace,
    model: StochasticPolicy,
    epsilon: float,
    seed_low: int,
    seed_high: int,
    determinizations: Array,
    weights: Array,
) -> int:
    """Sample determinizations into an array, and write the logarithm of the weight of each.

    The weight is the likelihood of the opponents' moves: the product, over their turns so far, of
    the probability that the model gives to what they played. A share ``epsilon`` of the model's
    probability is spread evenly over the legal actions. With ``epsilon`` 1, and after a reshuffle,
    all determinizations weigh the same.

    Returns:
        How many were sampled: all, or those before the first failure.
    """
    for place in range(len(determinizations)):
        if not sample_determinization(
            info_state, workspace, seed_low, seed_high, determinizations, place
        ):
            return place
        weights[place] = 0.0
        if epsilon < 1 and determinizations[place].reshuffles == 0:
            weights[place] = log_weight_of(info_state, workspace, model, epsilon)
    return len(determinizations)


@jit_when_called(types.void(STOCHASTIC_POLICY_TYPE, _ROWS, _INTEGERS, _array(np.float64, 2)))
def write_probabilities(
    model: StochasticPolicy, rows: Array, legal: Array, probabilities: Array
) -> None:
    """Write a policy's action probabilities for some observations and legal actions.

    ``probabilities`` is (n, MAX_ACTIONS), zeros. Each row then adds up to 1.
    """
    for index in range(len(rows)):
        model(rows[index], legal[index], probabilities[index])
        for action in range(MAX_ACTIONS):
            if legal[index] >> action & 1 == 0:
                probabilities[index, action] = 0.0
        total = probabilities[index].sum()
        for action in range(MAX_ACTIONS):
            if legal[index] >> action & 1:
                probabilities[index, action] /= total


# Playing to the end.


@jit
def sample_action(probabilities: Array, legal: int, word: int) -> int:
    """Return a legal action sampled from probabilities by a random word of 32 bits."""
    remaining = word / 4294967296.0
    rest = legal
    while rest & (rest - 1) != 0:
        action = lowest(rest)
        remaining -= probability_of(probabilities, legal, action)
        if remaining < 0:
            return action
        rest &= rest - 1
    return lowest(rest)


@jit_when_called(
    types.void(
        _INFO_STATE,
        _WORKSPACE,
        STOCHASTIC_POLICY_TYPE,
        types.int64,
        types.int64,
        _GAMES,
        _INTEGERS,
        types.int64,
        _array(np.int64, 2),
    )
)
def play_rollouts(
    info_state: InformationState,
    workspace: Workspace,
    base: StochasticPolicy,
    seed_low: int,
    seed_high: int,
    determinizations: Array,
    chosen: Array,
    legal: int,
    net_credits: Array,
) -> None:
    """Play determinizations to the end, once after each legal action.

    The deck, the dice and the random words of the policy are the same after each action of one
    determinization.

    Args:
        info_state: of the seat to act.
        workspace: scratch memory.
        base: the policy of all seats.
        seed_low: the low word of the seed of the random words.
        seed_high: the high word.
        determinizations: (m,) GAME_DTYPE.
        chosen: (n,) the indices of those to play; an index may occur several times.
        legal: the legal actions as bits.
        net_credits: (n, MAX_ACTIONS); filled with the net credits of the seat after each action.
    """
    g = workspace.game[0]
    r = info_state.rules[0]
    sizes = info_state.sizes[0]
    row = workspace.rows[0]
    write_rules(determinizations[0], r, row)
    seat = int(info_state.visible[0].seat)
    for index in range(len(chosen)):
        rest = legal
        while rest != 0:
            first = lowest(rest)
            rest &= rest - 1
            workspace.game[0] = determinizations[chosen[index]]
            state, increment = stream(seed_low, seed_high, DETERMINIZATION, index)
            action = first
            while True:
                play_action(g, r, action, sizes)
                if g.phase == OVER:
                    break
                choices = legal_actions(g, r, sizes)
                write_turn_features(g, r, int(g.seat_to_act), row)
                base(row, choices, workspace.probabilities)
                state, word = next_word(state, increment)
                action = sample_action(workspace.probabilities, choices, word)
            net_credits[index, first] = g.net_credits[seat]
