"""The public course of a hand in the abstract game: its phases, its bets, what is seen of cards.

What a state leaves out, the hands, is in ``hands``. Bets and phases follow RULES.md, sections 2 to
5; tests compare them with the engine.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sabacc_agents.blueprint.public_states import (
    CARD_KINDS,
    NOBODY,
    NOTHING_KNOWN,
    STAND,
    SWAP,
    add_to_history,
    card_pattern,
    facing_bucket,
    known_after,
    public_state,
    stack_bucket,
)
from sabacc_agents.blueprint.spike_hands import NO_SPIKE

from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import BET_MAX, BET_MIN, REDRAW_ONE, Array, Record
from sabacc_training.blueprints.game import CALL, FIRST_RAISE, JUNK, REVEAL, Game

NO_KIND: Final = -1

# What happens to the cards of a seat: nothing yet (0), a kind of card action, or doubles.
FIRST_KIND: Final = 1
FIRST_REDRAW: Final = FIRST_KIND + len(CARD_KINDS)
NUM_EVENTS: Final = FIRST_REDRAW + 2
NUM_COURSES: Final = NUM_EVENTS**6
"""Three rounds have at most six events."""

STATE: Final = np.dtype(
    (
        np.record,
        [
            ("stage", "i8"),  # the index of the phase
            ("position", "i8"),  # who acts: 0 for the seat that acts first
            ("acted", "i8"),  # how many seats have acted since the last raise, or in the card phase
            ("raises", "i8"),  # the bets and raises of this phase
            (
                "aggressor",
                "i8",
            ),  # NOBODY, or 1 + the position that bet or raised last in this phase
            ("history", "i8"),  # the aggressors of phases before (``add_to_history``)
            ("bets", "i8", (2,)),  # the bets of the hand, by position
            ("phase_bets", "i8", (2,)),  # the bets of this phase, by position
            (
                "kinds",
                "i8",
                (2,),
            ),  # what each did in the last card phase, as seen; NO_KIND before the first
            (
                "stood",
                "i8",
                (2,),
            ),  # whether it stood in the card phase before, and no doubles followed
            ("redrawn", "i8"),  # whether doubles followed the last card phase
            ("known", "i8", (2,)),  # the last swaps whose cards lie in their hands
            ("courses", "i8", (2,)),  # the events of the cards of each, in order, as digits
            ("spikes", "i8", (2,)),  # the class of each Spike Card; NO_SPIKE without them
        ],
    )
)
"""The public state of a hand."""


def new_states(count: int) -> NDArray[Any]:
    """Return states at the start of a hand, (count,)."""
    states = np.zeros(count, STATE)
    states["kinds"] = NO_KIND
    states["spikes"] = NO_SPIKE
    return states


@jit
def is_followed_by_reveal(game: Game, s: Record) -> bool:
    """Say whether the reveal comes right after this stage."""
    return int(game.phases[s.stage + 1]) == REVEAL


@jit
def is_last_call(game: Game, s: Record) -> bool:
    """Say whether the reveal comes right after a check or call."""
    ends = s.phase_bets[0] != s.phase_bets[1] or s.acted >= 1
    return ends and is_followed_by_reveal(game, s)


@jit
def to_call(s: Record) -> int:
    """Return what the seat to act must add to match the highest bet."""
    p = int(s.position) & 1
    return int(s.phase_bets[1 - p]) - int(s.phase_bets[p])


@jit
def write_legal(
    game: Game, s: Record, stack: int, is_agent: bool, legal: Array, raises: Array
) -> None:
    """Write which bet actions are legal, and by how much each raise exceeds the call.

    ``stack`` is what each seat had after the antes. Of sizes that mean equal totals the first is
    legal, of those that the seat may use.
    """
    p = int(s.position) & 1
    call = to_call(s)
    left = stack - int(s.bets[p]) - call
    legal[:] = False
    legal[JUNK] = call > 0
    legal[CALL] = True
    low, high = game.raises if s.raises > 0 else game.bets
    high = min(high, left - left % game.bet_step)
    if high < low or stack == s.bets[1 - p] or s.raises > game.max_raises:  # D15 and D7
        return
    pot = 2 * game.hand_ante + int(s.bets[0]) + int(s.bets[1]) + call
    before = 0
    for k in range(len(game.numerators)):
        if is_agent and not game.agent_may[k]:
            continue
        amount = raise_amount(game, k, pot, low, high)
        legal[FIRST_RAISE + k] = amount != before
        raises[FIRST_RAISE + k] = amount
        before = amount


@jit
def raise_amount(game: Game, size: int, pot: int, low: int, high: int) -> int:
    """Return by how much a raise of a size exceeds the call, as ``engine.betting`` has it."""
    numerator = int(game.numerators[size])
    if numerator == BET_MIN:
        return low
    if numerator == BET_MAX:
        return high
    amount = pot * numerator // int(game.denominators[size])
    if amount <= low:
        return low
    return min(high, amount - (amount - low) % game.bet_step)


@jit
def apply_bet(game: Game, s: Record, stack: int, action: int, raises: Array) -> None:
    """Change a state by a check, a call or a raise. The phase ends where the rules end it."""
    p = int(s.position) & 1
    call = to_call(s)
    paid = min(call, stack - int(s.bets[p]))
    ends = call > 0 or s.acted >= 1
    if action != CALL:
        paid = call + int(raises[action])
        ends = False
        s.raises += 1
        s.aggressor = 1 + p
        s.acted = 0
    s.bets[p] += paid
    s.phase_bets[p] += paid
    s.acted += 1
    s.position = 1 - p
    if ends:
        end_betting(game, s)


@jit
def end_betting(game: Game, s: Record) -> None:
    """Remember who bet or raised last, and begin the next stage."""
    s.history = add_to_history(int(s.history), int(s.aggressor), game.histories)
    next_stage(s)


@jit
def next_stage(s: Record) -> None:
    """Begin the next stage."""
    s.stage += 1
    s.position = 0
    s.acted = 0
    s.raises = 0
    s.aggressor = NOBODY
    s.phase_bets[:] = 0


@jit
def redraw(s: Record, how: int) -> None:
    """Note doubles, by what they do to the cards of both seats."""
    s.redrawn = 1
    s.known[:] = NOTHING_KNOWN
    for p in range(2):
        add_event(s, p, FIRST_REDRAW + how - REDRAW_ONE)


@jit
def note_kind(s: Record, kind: int) -> None:
    """Note a kind of card action of the seat to act, as seen. The phase ends after the second."""
    s.kinds[s.position] = kind
    s.known[s.position] = known_after(int(s.known[s.position]), kind)
    add_event(s, int(s.position), FIRST_KIND + min(kind, SWAP))
    s.acted += 1
    s.position = 1 - s.position
    if s.acted == 2:
        next_stage(s)


@jit
def add_event(s: Record, position: int, event: int) -> None:
    """Note what happened to a seat's cards."""
    s.courses[position] = s.courses[position] * NUM_EVENTS + event


@jit
def begin_cards(s: Record) -> None:
    """Remember who stood, as a card phase begins."""
    for p in range(2):
        s.stood[p] = s.kinds[p] == STAND and s.redrawn == 0
    s.redrawn = 0


@jit
def last_pattern(s: Record, position: int) -> int:
    """Return the pattern of a seat's last card actions, or the class of its Spike Card."""
    if s.spikes[position] != NO_SPIKE:
        return int(s.spikes[position])
    kind = max(int(s.kinds[position]), STAND)
    return card_pattern(kind, s.stood[position], s.redrawn, int(s.known[position]))


@jit
def bet_public_state(game: Game, s: Record, stack: int) -> int:
    """Return the number of the public state in which the seat to act bets."""
    p = int(s.position) & 1
    call = to_call(s)
    pot = 2 * game.hand_ante + int(s.bets[0]) + int(s.bets[1])
    behind = min(max(stack - int(s.bets[p]) - call, 0), stack - int(s.bets[1 - p]))
    return public_state(
        game.bettings[s.stage],
        s.history,
        game.histories,
        p,
        facing_bucket(s.raises, call / pot) if call > 0 else 0,
        stack_bucket(game.stretch * behind / (pot + call)),
        game.codes[last_pattern(s, p)],
        game.codes[last_pattern(s, 1 - p)],
        game.num_codes,
    )
