"""Worlds weighed by what the others did in them, and played to their end by a base policy."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numba
import numpy as np
from numba import types

from sabacc_env.engine.chance import next_word, stream
from sabacc_env.engine.jit import inlined, jit, jit_for
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
from sabacc_env.engine.observation.blocks import OBSERVATION_DTYPE
from sabacc_env.engine.observation.write import observe, observe_play, observe_rules
from sabacc_env.engine.piles import count, lowest
from sabacc_env.engine.search.determinization import (
    COURSE_DTYPE,
    SEEN_DTYPE,
    WORLD,
    Course,
    Room,
    draw_world,
    slot_of,
)
from sabacc_env.engine.step import deal, legal_actions, play, play_action, raise_total

Model = Callable[[Record, int, Array], None]
"""Writes into the third how likely each action is, from an observation and the legal actions as
bits: (MAX_ACTIONS,) float64, never negative, in proportion; what is not legal is not read."""


def _array(dtype: Any, dimensions: int = 1) -> Any:
    return numba.typeof(np.zeros((1,) * dimensions, dtype))


_GAMES, _RULES, _SIZES = _array(GAME_DTYPE), _array(RULES_DTYPE), _array(BET_SIZES_DTYPE)
_INTEGERS, _FLOATS, _ROWS = _array(np.int64), _array(np.float64), _array(OBSERVATION_DTYPE)
_COURSE = types.NamedTuple(
    (_GAMES, _RULES, _SIZES, _array(COURSE_DTYPE), _array(SEEN_DTYPE)), Course
)
_ROOM = types.NamedTuple(
    (_GAMES, _ROWS, _FLOATS, _INTEGERS, _INTEGERS, _INTEGERS, _INTEGERS, _INTEGERS), Room
)
MODEL_SIGNATURE: Final = types.void(_ROWS.dtype, types.int64, _FLOATS)
MODEL_TYPE: Final = types.FunctionType(MODEL_SIGNATURE)


@jit
def deal_order(course: Course, room: Room) -> None:
    """Deal the world drawn last from the start."""
    room.game[0] = course.start[0]
    g = room.game[0]
    for place in range(int(g.deck_size)):
        g.deck[place] = room.labels[int(room.order[place])]
    deal(g, course.rules[0])


@inlined
def weigh(course: Course, room: Room, model: Model, mixed: float) -> float:
    """Return the logarithm of the weight of the world drawn last; see ``draw_worlds``."""
    deal_order(course, room)
    g = room.game[0]
    r = course.rules[0]
    sizes = course.sizes[0]
    row = room.rows[0]
    weight = 0.0
    for index in range(len(course.moves)):
        move = course.moves[index]
        seat = int(g.seat_to_act)
        slot = slot_of(g, seat, int(move.card)) if move.card >= 0 else 0
        kind = int(move.kind)
        if seat != course.seen[0].seat:
            legal = legal_actions(g, r, sizes)
            observe(g, r, seat, row)
            model(row, legal, room.chances)
            action = kind
            if kind == RAISE:
                action = nearest_size(g, r, sizes, legal, int(move.total))
            elif kind >= FIRST_CARD_ACTION:
                action = FIRST_CARD_ACTION + (kind - FIRST_CARD_ACTION) * MAX_HAND + slot
            even = 1.0 / count(legal)
            weight += math.log((1 - mixed) * share_of(room.chances, legal, action) + mixed * even)
        play(g, r, kind, slot, int(move.total))
    return weight


@jit
def nearest_size(g: Record, r: Record, sizes: Record, legal: int, total: int) -> int:
    """Return the legal bet action nearest to a total, of equally near ones the first."""
    raises = legal >> FIRST_BET_ACTION << FIRST_BET_ACTION
    found = lowest(raises)
    nearest = -1
    while raises != 0:
        action = lowest(raises)
        raises &= raises - 1
        away = abs(raise_total(g, r, action - FIRST_BET_ACTION, sizes) - total)
        if nearest < 0 or away < nearest:
            found = action
            nearest = away
    return found


@jit
def share_of(chances: Array, legal: int, action: int) -> float:
    """Return an action's chance among the legal ones; all alike where a model gives them none."""
    total = 0.0
    rest = legal
    while rest != 0:
        total += chances[lowest(rest)]
        rest &= rest - 1
    return chances[action] / total if total > 0 else 1.0 / count(legal)


@jit_for(
    types.int64(
        _COURSE, _ROOM, MODEL_TYPE, types.float64, types.int64, types.int64, _GAMES, _FLOATS
    )
)
def draw_worlds(
    course: Course,
    room: Room,
    model: Model,
    mixed: float,
    low: int,
    high: int,
    worlds: Array,
    weights: Array,
) -> int:
    """Fill an array with worlds, and write the logarithm of each one's weight.

    The weight is how likely the other seats' moves are in that world: the product, over their
    turns so far, of the chance that the model gives to what they did, of which ``mixed`` is spread
    evenly over what was legal; with ``mixed`` 1 all worlds weigh the same, and so after a
    reshuffle.

    Returns:
        How many were found: all, or those before the first that was not.
    """
    for place in range(len(worlds)):
        if not draw_world(course, room, low, high, worlds, place):
            return place
        weights[place] = 0.0
        if mixed < 1 and worlds[place].reshuffles == 0:
            weights[place] = weigh(course, room, model, mixed)
    return len(worlds)


@jit_for(types.void(MODEL_TYPE, _ROWS, _INTEGERS, _array(np.float64, 2)))
def ask(model: Model, rows: Array, legal: Array, chances: Array) -> None:
    """Write what a model gives to each action, the sum 1, from observations and legal actions.

    ``chances`` (n, MAX_ACTIONS) are 0 before, and stay 0 for what is not legal.
    """
    for index in range(len(rows)):
        model(rows[index], legal[index], chances[index])
        for action in range(MAX_ACTIONS):
            if legal[index] >> action & 1 == 0:
                chances[index, action] = 0.0
        total = chances[index].sum()
        for action in range(MAX_ACTIONS):
            if legal[index] >> action & 1:
                chances[index, action] /= total


# Playing worlds to their end.


@jit
def drawn_by(chances: Array, legal: int, word: int) -> int:
    """Return a legal action drawn by a random word of 32 bits, by the chances of a model."""
    at = word / 4294967296.0
    rest = legal
    while rest & (rest - 1) != 0:
        action = lowest(rest)
        at -= share_of(chances, legal, action)
        if at < 0:
            return action
        rest &= rest - 1
    return lowest(rest)


@jit_for(
    types.void(
        _COURSE,
        _ROOM,
        MODEL_TYPE,
        types.int64,
        types.int64,
        _GAMES,
        _INTEGERS,
        types.int64,
        _array(np.int64, 2),
    )
)
def play_out(
    course: Course,
    room: Room,
    base: Model,
    low: int,
    high: int,
    worlds: Array,
    which: Array,
    legal: int,
    net: Array,
) -> None:
    """Play some worlds to their end once after each legal action, every seat by a base policy.

    In one world the deck, the dice and the random words of the policy are the same whatever the
    action.

    Args:
        course: what was seen, where the seat is to act.
        room: to work in.
        base: the policy, as of ``Model``.
        low: with ``high`` decides the random words.
        high: see ``low``.
        worlds: some worlds.
        which: (n,) those to play; one may be named several times.
        legal: the legal actions as bits.
        net: (n, MAX_ACTIONS), the net credits of the seat after each action are written to it.
    """
    g = room.game[0]
    r = course.rules[0]
    sizes = course.sizes[0]
    row = room.rows[0]
    observe_rules(worlds[0], r, row)
    me = int(course.seen[0].seat)
    for index in range(len(which)):
        rest = legal
        while rest != 0:
            first = lowest(rest)
            rest &= rest - 1
            room.game[0] = worlds[which[index]]
            state, increment = stream(low, high, WORLD, index)
            action = first
            while True:
                play_action(g, r, action, sizes)
                if g.phase == OVER:
                    break
                choices = legal_actions(g, r, sizes)
                observe_play(g, r, int(g.seat_to_act), row)
                base(row, choices, room.chances)
                state, word = next_word(state, increment)
                action = drawn_by(room.chances, choices, word)
            net[index, first] = g.net_credits[me]
