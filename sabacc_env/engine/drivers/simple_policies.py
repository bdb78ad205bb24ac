"""The simplest policies. This module compiles them when it is imported."""

from __future__ import annotations

from sabacc_env.engine.bit_sets import count
from sabacc_env.engine.drivers.policy_code import policy
from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import CALL, CHECK, FIRST_BET_ACTION, STAND, Record


@jit
def pick(members: int, word: int) -> int:
    """Return a member of a set that is not empty, chosen by a random word of 32 bits."""
    smaller = word * count(members) >> 32
    first = 0
    width = 32
    while width > 0:  # a binary search, without a branch that a processor could mispredict
        in_half = count(members >> first & (1 << width) - 1)
        if smaller >= in_half:
            smaller -= in_half
            first += width
        width >>= 1
    return first


@policy
def random_legal(_observation: Record, legal: int, word: int) -> int:
    """Play any legal action with the same probability."""
    return pick(legal, word)


@jit
def passive_action(legal: int, word: int) -> int:
    """Stand, check or call; choose at random where none of them is legal."""
    calm = legal & (1 << STAND | 1 << CHECK | 1 << CALL)
    return pick(calm if calm != 0 else legal, word)


@policy
def calling_station(_observation: Record, legal: int, word: int) -> int:
    """Stand, check or call; choose at random where none of them is legal."""
    return passive_action(legal, word)


@policy
def always_raise(_observation: Record, legal: int, word: int) -> int:
    """Raise by the last legal bet size, by default the largest; else play as calling_station."""
    raises = legal >> FIRST_BET_ACTION
    if raises == 0:
        return passive_action(legal, word)
    largest = FIRST_BET_ACTION
    while raises > 1:
        raises >>= 1
        largest += 1
    return largest
