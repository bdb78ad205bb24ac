"""The public states that a blueprint tells apart.

A public state is what both seats know at a betting turn, coarsely. ``public_state`` numbers it by:

- the betting phase, and who bet or raised last in each of the two before it;
- whether the seat acts first in its phases;
- how often the phase was raised, and what the call costs in pots;
- the stack behind a call, in pots: the smaller of the two seats';
- what each seat did last with its cards (``card_pattern``), or shows of them (``spike_hands``).

Exact bets, the cards in the discard pile and the number of cards in a hand are left out.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from sabacc_env.array_types import Ints
from sabacc_env.engine.jit import jit
from sabacc_env.rules import RuleSet

NUM_SIZES: Final = 6
"""The sizes of bets that ``facing_bucket`` tells apart."""

NUM_FACING: Final = 1 + 3 * NUM_SIZES
"""The buckets of ``facing_bucket``."""

NUM_STACKS: Final = 8
"""The buckets of ``stack_bucket``."""

# What a seat did in a card phase.
STAND: Final = 0
DRAW: Final = 1
DISCARD_DRAW: Final = 2
SWAP: Final = 3
CARD_KINDS: Final = ("stand", "draw", "discard_draw", "swap")
"""The names of these kinds, in order."""

SWAP_LIMITS: Final = 2, 6
"""The largest distances from zero of cards that swaps of the first classes take.

The card is public, and in a hand of two it is half of it: who takes a 9 has very likely a pair."""

NUM_SWAPS: Final = len(SWAP_LIMITS) + 1
"""The classes of swaps, by the card that is taken."""

NUM_SEEN_KINDS: Final = SWAP + NUM_SWAPS
"""The kinds of card action as everyone sees them (``seen_kind``)."""

NOTHING_KNOWN: Final = 0
"""No card of a swap lies in a hand. Otherwise it is 1 + the class of the last swap."""

# The patterns of ``card_pattern`` beside the kinds that are seen, of which STAND has two.
STOOD: Final = 0
STOOD_AGAIN: Final = NUM_SEEN_KINDS
STOOD_SWAPPED: Final = STOOD_AGAIN + 1
STOOD_AGAIN_SWAPPED: Final = STOOD_SWAPPED + NUM_SWAPS
REDRAWN: Final = STOOD_AGAIN_SWAPPED + NUM_SWAPS
NUM_PATTERNS: Final = REDRAWN + 1

SPIKE_LIMITS: Final = 0, 3, 7
"""The largest distances from zero of the Spike Cards of all classes but the last."""

NUM_SPIKE_CLASSES: Final = len(SPIKE_LIMITS) + 1

NOBODY: Final = 0
"""In the history of a phase: it was checked through. Otherwise it holds 1 + the position of the
seat that bet or raised last."""

REMEMBERED: Final = 2
"""The betting phases that a history holds. Observations show no more for sure, because their log
has 16 actions."""

DATED_HISTORIES: Final = 1 + 3 + 3**2
"""How many histories there are of at most ``REMEMBERED`` phases, under rules with Spike Cards."""


def num_bettings(rules: RuleSet) -> int:
    """Return the number of betting phases of a hand."""
    return rules.rounds + rules.opening_bet


def num_public_states(rules: RuleSet, codes: Ints) -> int:
    """Return one more than the largest number of a public state, by the codes of patterns.

    >>> from sabacc_env.rules import load_rules
    >>> num_public_states(load_rules("casino"), pattern_codes(load_rules("casino")))
    1608768
    """
    states = num_bettings(rules) * num_histories(rules) * 2
    return int(states * NUM_FACING * NUM_STACKS * (codes.max() + 1) ** 2)


def price_of_card(rules: RuleSet) -> int:
    """Return what a card costs that seats buy under rules with Spike Cards; 0 if nobody buys.

    Where a seat that cannot pay a call must junk, nobody does: the other seat would bet all it has.
    """
    buys = rules.spike_card and rules.short_call == "all_in"
    return int(rules.fees.get("draw", 0)) if buys else 0


def num_histories(rules: RuleSet) -> int:
    """Return how many histories there are in the last betting phase."""
    if rules.spike_card:
        return DATED_HISTORIES
    return int(3 ** min(num_bettings(rules) - 1, REMEMBERED))


@jit
def add_to_history(history: int, aggressor: int, histories: int) -> int:
    """Return a history with one more phase, and without those that are remembered no more.

    Args:
        history: the phases before it, as digits to base 3, the first one highest. Under rules with
            Spike Cards doubles make all hands new, and what was bet before says nothing about them:
            a history begins again at 0, the one of no phase. So those of 0, 1 and 2 phases differ:
            digits are from 1 to 3 (bijective numeration).
        aggressor: who bet or raised last in it: NOBODY, or 1 + the position.
        histories: how many histories there are in the last betting phase.
    """
    if histories != DATED_HISTORIES:
        return (history * 3 + aggressor) % histories
    more = history * 3 + 1 + aggressor
    return more if more < DATED_HISTORIES else 4 + (more - 4) % 9


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


def pattern_codes(rules: RuleSet, tells_swaps: bool = True) -> Ints:
    """Return what a public state calls each pattern, (NUM_PATTERNS,), from 0 without gaps.

    Under rules with Spike Cards these are the classes of Spike Cards, and where seats buy cards
    whether one did.

    Args:
        rules: the rules.
        tells_swaps: whether the cards that swaps take are told apart.
    """
    patterns = np.arange(NUM_PATTERNS)
    if rules.spike_card:
        return np.minimum(patterns, NUM_SPIKE_CLASSES * (2 if price_of_card(rules) else 1) - 1)
    if not tells_swaps:
        patterns[SWAP:NUM_SEEN_KINDS] = SWAP
        patterns[STOOD_SWAPPED:STOOD_AGAIN_SWAPPED] = STOOD
        patterns[STOOD_AGAIN_SWAPPED:REDRAWN] = STOOD_AGAIN
    return np.unique(patterns, return_inverse=True)[1]


@jit
def seen_kind(kind: int, top: int) -> int:
    """Return a kind of card action as everyone sees it, by the value of the top discard.

    ``top`` is an index, value + 10.
    """
    if kind != SWAP:
        return kind
    distance, found = abs(top - 10), SWAP
    for limit in SWAP_LIMITS:
        found += int(distance > limit)
    return found


@jit
def known_after(known: int, kind: int) -> int:
    """Return the class of the last swap whose card lies in a hand, after a kind that was seen.

    Discards may put it down, so they count as if they did.
    """
    if kind >= SWAP:
        return kind - SWAP + 1
    return NOTHING_KNOWN if kind == DISCARD_DRAW else known


@jit
def card_pattern(kind: int, stood_before: int, redrawn: int, known: int) -> int:
    """Return the pattern of a seat's last card actions.

    Args:
        kind: what it did in the last card phase, as it was seen.
        stood_before: whether it stood in the phase before that, and no doubles followed.
        redrawn: whether doubles have changed its hand since.
        known: the last swap whose card lies in its hand, as ``known_after`` has it.
    """
    if redrawn:
        return REDRAWN
    if kind != STAND:
        return kind
    if known == NOTHING_KNOWN:
        return STOOD_AGAIN if stood_before else STOOD
    return (STOOD_AGAIN_SWAPPED if stood_before else STOOD_SWAPPED) + known - 1


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
    patterns: int,
) -> int:
    """Return the number of a public state.

    Args:
        betting: the number of the betting phase, from 0.
        history: the phases before it that are remembered (``add_to_history``).
        histories: how many histories there are in the last betting phase.
        position: 0 for the seat that acts first, else 1.
        facing: what it faces, ``facing_bucket``.
        stack: the stack behind a call, ``stack_bucket``.
        own_pattern: the code of the seat's ``card_pattern``, or of its Spike Card's class.
        other_pattern: the other seat's.
        patterns: how many codes there are.
    """
    state = betting * histories + history
    state = state * 2 + position
    state = state * NUM_FACING + facing
    state = state * NUM_STACKS + stack
    state = state * patterns + own_pattern
    return state * patterns + other_pattern
