"""The public course of a hand, as the engine plays it again from a view."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from sabacc_agents.blueprint.buckets import NO_TOP
from sabacc_env.engine.betting import raise_limits, to_call
from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import (
    BETTING,
    DISCARD_DRAWN,
    GAME_DTYPE,
    RAISE,
    RAISE_TO,
    REDRAW_ALL,
    Array,
    Record,
)
from sabacc_env.engine.observation.blocks import OBSERVATION_DTYPE, OBSERVATION_SIZE
from sabacc_env.engine.observation.write import observe
from sabacc_env.engine.piles import card_value
from sabacc_env.engine.search.determinization import InformationState, Workspace, slot_of
from sabacc_env.engine.search.rollouts import deal_determinization
from sabacc_env.engine.step import play

ZERO: Final = 10
"""The index of the card value 0."""

MAX_MOVES: Final = 512
"""A longer hand is not looked at."""

MOVE: Final = np.dtype(
    (
        np.record,
        [
            ("seat", "i8"),
            ("stage", "i8"),  # the index of the phase, counted through the hand
            ("is_bet", "i8"),
            ("kind", "i8"),
            ("code", "i8"),  # of a bet: the kind, or RAISE_TO + the total of a raise
            ("raised", "f8"),  # of a raise: what is bet beyond a call, in pots after the call
            ("least", "f8"),  # of a bet: the smallest raise, likewise
            ("all_in", "f8"),  # of a bet: the largest raise that both seats can pay, likewise
            ("row", "i8"),  # of a bet: the row of its observation
            ("down", "i8"),  # the value of the card that is put down, as an index
            ("was_known", "i8"),  # whether everyone knew that the seat had this card
            ("top", "i8"),  # the value of the top discard before, as an index
            ("pot", "i8"),  # the credits staked before
            ("credits", "i8"),  # what the seat had left before
            ("drawn", "i8"),  # the value of a drawn card that is shown or put down, as an index
            ("spikes", "i8", (2,)),  # the values of the Spike Cards after it, as indices
            ("redealt", "i8"),  # whether all hands are new after it
        ],
    )
)
"""A public move."""


class Course(NamedTuple):
    """The public course of a hand up to a turn in its last betting phase.

    Attributes:
        moves: (n,) MOVE.
        rows: (n,) OBSERVATION_DTYPE: what was seen at each bet.
        root: (1,) GAME_DTYPE: at the start of the last betting phase.
        counts: (2,) how many moves came before that phase, and how many bets in the whole hand.
    """

    moves: Array
    rows: Array
    root: Array
    counts: Array


def new_course() -> Course:
    """Return room for a course."""
    floats = np.zeros((MAX_MOVES, OBSERVATION_SIZE), np.float32)
    return Course(
        moves=np.zeros(MAX_MOVES, MOVE),
        rows=floats.view(OBSERVATION_DTYPE).reshape(MAX_MOVES),
        root=np.zeros(1, GAME_DTYPE),
        counts=np.zeros(2, np.int64),
    )


@jit
def write_course(info_state: InformationState, workspace: Workspace, course: Course) -> None:
    """Write the course of the determinization that was sampled last.

    It stands in the last betting phase. What the course shows is the same in all determinizations,
    unless the discards were shuffled.
    """
    deal_determinization(info_state, workspace)
    g = workspace.game[0]
    r = info_state.rules[0]
    before, bets = -1, 0
    for index in range(len(info_state.moves)):
        public = info_state.moves[index]
        move = course.moves[index]
        seat = int(g.seat_to_act)
        move.seat = seat
        move.stage = stage_of(g, r)
        move.kind = public.kind
        move.is_bet = g.phase == BETTING
        move.top = top_discard(g)
        move.pot = g.staked
        move.credits = g.credits[seat]
        slot = 0
        if public.card >= 0:
            slot = slot_of(g, seat, int(public.card))
            move.down = card_value(int(public.card)) + ZERO
            move.was_known = int(g.known[seat]) >> int(public.card) & 1
        if move.is_bet:
            if before < 0 and g.round_no == r.rounds:
                before = index
                course.root[0] = g
            write_bet(g, r, int(public.kind), int(public.total), move)
            move.row = bets
            observe(g, r, seat, course.rows[bets])
            bets += 1
        rolls = int(g.rolls)
        play(g, r, int(public.kind), slot, int(public.total))
        for owner in range(2):
            move.spikes[owner] = spike_of(g, owner)
        move.drawn = top_discard(g) if public.kind == DISCARD_DRAWN else move.spikes[seat]
        move.redealt = all_redrew(g, r, rolls)
    if before < 0:
        before = len(info_state.moves)
        course.root[0] = g
    course.counts[0] = before
    course.counts[1] = bets


@jit
def top_discard(g: Record) -> int:
    """Return the value of the top discard, as an index; NO_TOP where there is none."""
    if g.num_discards == 0:
        return NO_TOP
    return card_value(int(g.discards[int(g.num_discards) - 1])) + ZERO


@jit
def spike_of(g: Record, seat: int) -> int:
    """Return the value of a seat's Spike Card, as an index; NO_TOP where it has none."""
    card = int(g.spikes[seat])
    return card_value(card) + ZERO if card >= 0 else NO_TOP


@jit
def write_bet(g: Record, r: Record, kind: int, total: int, move: Record) -> None:
    """Write what a move at bets is; a raise is to a total."""
    seat = int(g.seat_to_act)
    call = to_call(g, seat)
    pot = int(g.staked) + call
    move.code = kind
    move.raised = 0
    if kind == RAISE:
        move.code = RAISE_TO + total
        move.raised = (total - int(g.highest_bet)) / pot
    move.least = (raise_limits(g, r, seat)[0] - int(g.highest_bet)) / pot
    move.all_in = max(min(int(g.credits[seat]) - call, int(g.credits[1 - seat])), 0) / pot


@jit
def all_redrew(g: Record, r: Record, rolls: int) -> bool:
    """Say whether everyone has redrawn a whole hand since so many rolls of the dice."""
    for index in range(rolls, int(g.rolls)):
        if g.dice[index, 0] == g.dice[index, 1]:
            effect = int(r.double_spike) if g.dice[index, 0] == 1 else int(r.doubles)
            if effect == REDRAW_ALL:
                return True
    return False


@jit
def stage_of(g: Record, r: Record) -> int:
    """Return the index of the phase that the hand is in, counted through the hand."""
    if g.round_no == 0:
        return 0
    return int(r.opening_bet) + (int(g.round_no) - 1) * int(r.num_phases) + int(g.phase_index)
