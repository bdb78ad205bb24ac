"""The public states that a blueprint tells apart, and how observations show them.

A public state is what both seats know at a betting turn, coarsely. ``public_state`` numbers it by:

- the betting phase, and who bet or raised last in each of the two before it;
- whether the seat acts first in its phases;
- how often the phase was raised, and what the call costs in pots;
- the stack behind a call, in pots: the smaller of the two seats';
- what each seat did last with its cards (``card_pattern``).

Exact bets, the cards in the discard pile and the number of cards in a hand are left out.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from sabacc_env.array_types import Ints
from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import KINDS, OBSERVED_ROUNDS, RAISE, Array
from sabacc_env.observation import decode
from sabacc_env.rules import RuleSet

NUM_SIZES: Final = 6
"""The sizes of bets that ``facing_bucket`` tells apart."""

NUM_FACING: Final = 1 + 3 * NUM_SIZES
"""The buckets of ``facing_bucket``."""

NUM_STACKS: Final = 8
"""The buckets of ``stack_bucket``."""

NUM_PATTERNS: Final = 6
"""The patterns of ``card_pattern``."""

# What a seat did in a card phase.
STAND: Final = 0
DRAW: Final = 1
DISCARD_DRAW: Final = 2
SWAP: Final = 3
CARD_KINDS: Final = ("stand", "draw", "discard_draw", "swap")
"""The names of these kinds, in order."""

NOBODY: Final = 0
"""In the history of a phase: it was checked through. Otherwise it holds 1 + the position of the
seat that bet or raised last."""

REMEMBERED: Final = 2
"""The betting phases that a history holds. Observations show no more for sure, because their log
has 16 actions."""


def num_bettings(rules: RuleSet) -> int:
    """Return the number of betting phases of a hand."""
    return rules.rounds + rules.opening_bet


def num_public_states(rules: RuleSet) -> int:
    """Return one more than the largest number of a public state.

    >>> from sabacc_env.rules import load_rules
    >>> num_public_states(load_rules("casino"))
    295488
    """
    states = num_bettings(rules) * num_histories(rules) * 2
    return states * NUM_FACING * NUM_STACKS * NUM_PATTERNS**2


def num_histories(rules: RuleSet) -> int:
    """Return how many histories there are in the last betting phase."""
    return int(3 ** min(num_bettings(rules) - 1, REMEMBERED))


MARGIN: Final = 1e-5
"""Ratios are read from observations in float32. A ratio at a limit is in the bucket below it."""


@jit
def stack_bucket(stack_per_pot: float) -> int:
    """Return the bucket of a stack, in pots. Pot-sized bets make it about a third."""
    ratio = stack_per_pot - MARGIN
    if ratio <= 0:
        return 0
    if ratio <= 0.3:
        return 1
    if ratio <= 0.8:
        return 2
    if ratio <= 1.8:
        return 3
    if ratio <= 4:
        return 4
    if ratio <= 10:
        return 5
    if ratio <= 25:
        return 6
    return 7


@jit
def facing_bucket(raises: int, call_per_pot: float) -> int:
    """Return the bucket of what a seat faces.

    Args:
        raises: the bets and raises of the phase; all from the third on count alike.
        call_per_pot: the cost of a call in pots, the bet itself included. The sizes are about a
            tenth, half, all, twice, five times and more of the pot before the bet. Stacks differ,
            so that overbets of all sizes come.
    """
    if raises == 0:
        return 0
    ratio = call_per_pot - MARGIN
    size = 0
    if ratio > 0.88:
        size = 5
    elif ratio > 0.75:
        size = 4
    elif ratio > 0.6:
        size = 3
    elif ratio > 0.4:
        size = 2
    elif ratio > 0.15:
        size = 1
    return 1 + NUM_SIZES * (min(raises, 3) - 1) + size


@jit
def card_pattern(kind: int, stood_before: int, redrawn: int) -> int:
    """Return the pattern of a seat's last card actions.

    Args:
        kind: what it did in the last card phase.
        stood_before: whether it stood in the phase before that, and no doubles followed.
        redrawn: whether doubles have changed its hand since.
    """
    if redrawn:
        return 5
    if kind == STAND:
        return 0 if stood_before else 1
    return kind + 1


@jit
def public_state(
    betting: int,
    history: int,
    histories: int,
    position: int,
    facing: int,
    stack: int,
    own_pattern: int,
    other_pattern: int,
) -> int:
    """Return the number of a public state.

    Args:
        betting: the number of the betting phase, from 0.
        history: the phases before it that are remembered, as digits to base 3, the first one
            highest (``NOBODY``).
        histories: how many histories there are in the last betting phase.
        position: 0 for the seat that acts first, else 1.
        facing: what it faces, ``facing_bucket``.
        stack: the stack behind a call, ``stack_bucket``.
        own_pattern: the seat's ``card_pattern``.
        other_pattern: the other seat's.
    """
    state = betting * histories + history
    state = state * 2 + position
    state = state * NUM_FACING + facing
    state = state * NUM_STACKS + stack
    state = state * NUM_PATTERNS + own_pattern
    return state * NUM_PATTERNS + other_pattern


def public_states_of(observations: Array, rules: RuleSet) -> Ints:
    """Return the numbers of the public states in which observations were made, (n,).

    Args:
        observations: (n, OBSERVATION_SIZE) float32 of betting turns at tables of two.
        rules: the rules of the game.
    """
    decoded = decode(observations)
    found = np.zeros(len(observations), np.int64)
    read_public_states(
        decoded.round,
        (decoded.seats_after_dealer == 0).astype(np.int64),
        decoded.log_kinds,
        decoded.log_seats,
        decoded.opponents.card_actions[:, 0],
        (decoded.dice[..., 0] == decoded.dice[..., 1]) & (decoded.dice[..., 0] > 0),
        decoded.to_call_per_pot,
        decoded.credits_per_start,
        decoded.opponents.credits_per_start[:, 0],
        decoded.pot_per_start,
        0 if rules.opening_bet else 1,
        num_histories(rules),
        np.zeros((2, OBSERVED_ROUNDS), np.int64),
        found,
    )
    return found


IS_BET: Final = np.array([name in ("check", "call", "raise", "junk") for name in KINDS])
CARD_KIND_OF: Final = np.array(
    [CARD_KINDS.index(name) if name in CARD_KINDS else -1 for name in KINDS]
)


@jit
def read_public_states(
    rounds: Array,
    positions: Array,
    log_kinds: Array,
    log_seats: Array,
    other_card_actions: Array,
    doubles: Array,
    call_per_pot: Array,
    credits_per_start: Array,
    other_credits_per_start: Array,
    pot_per_start: Array,
    first_round: int,
    histories: int,
    scratch: Array,
    found: Array,
) -> None:
    """Write the number of each public state, (n,); all other arrays but ``scratch`` have n rows."""
    aggressors, own_kinds = scratch
    for i in range(len(found)):
        now = int(rounds[i])
        position = int(positions[i])
        aggressors[:] = NOBODY
        own_kinds[:] = STAND
        raises = read_log(
            log_kinds[i], log_seats[i], now, first_round, position, aggressors, own_kinds
        )
        history = 0
        for number in range(max(first_round, now - REMEMBERED), now):
            history = history * 3 + aggressors[number & 3]
        own_kind, other_kind, redrawn = STAND, STAND, False
        own_stood, other_stood = False, False
        if now > 0:
            own_kind = own_kinds[now & 3]
            other_kind = card_kind(other_card_actions[i, now - 1])
            redrawn = doubles[i, now - 1]
        if now > 1 and not doubles[i, now - 2]:
            own_stood = own_kinds[(now - 1) & 3] == STAND
            other_stood = card_kind(other_card_actions[i, now - 2]) == STAND
        call = call_per_pot[i]
        pot = pot_per_start[i]
        behind = min(max(credits_per_start[i] - call * pot, 0), other_credits_per_start[i])
        found[i] = public_state(
            now - first_round,
            history,
            histories,
            position,
            facing_bucket(raises, call) if call > 0 else 0,
            stack_bucket(behind / (pot * (1 + call))),
            card_pattern(own_kind, own_stood, redrawn),
            card_pattern(other_kind, other_stood, redrawn),
        )


@jit
def card_kind(kind: int) -> int:
    """Return what a seat did in a card phase, by the kind of its move; a stand for none."""
    return max(int(CARD_KIND_OF[kind]), STAND) if kind >= 0 else STAND


@jit
def read_log(
    kinds: Array,
    seats: Array,
    now: int,
    first_round: int,
    position: int,
    aggressors: Array,
    own_kinds: Array,
) -> int:
    """Read the log of public actions backwards; return the raises of this phase.

    Writes the last aggressor of each round (``NOBODY``), and what the seat did with its cards.
    """
    raises = 0
    number = now
    after_cards = False
    for j in range(len(kinds)):
        kind = int(kinds[j])
        if kind < 0:
            break
        if IS_BET[kind]:
            if after_cards:  # a betting phase before these cards
                number -= 1
                after_cards = False
                if number < first_round:
                    break
            if kind == RAISE:
                raises += number == now
                if aggressors[number & 3] == NOBODY:
                    aggressors[number & 3] = 1 + (position if seats[j] == 0 else 1 - position)
        else:
            after_cards = True
            if CARD_KIND_OF[kind] >= 0 and seats[j] == 0:
                own_kinds[number & 3] = CARD_KIND_OF[kind]
    return raises
