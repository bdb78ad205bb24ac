"""The compiled loop in which policies play at many tables, for rollouts and evaluation.

A policy is a function ``(observation, legal, word) -> action``, compiled by ``policy``. It gets one
row of ``OBSERVATION_DTYPE``, the legal actions as bits, and a random word of 32 bits, the only
randomness that it may use. ``sabacc_env.policies`` explains policies to users.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

import numba
import numpy as np
from numba import types
from numba.core.dispatcher import Dispatcher
from numba.extending import typeof_impl

from sabacc_env.engine.bit_sets import count
from sabacc_env.engine.chance import POLICY, next_word, stream
from sabacc_env.engine.drivers.batch import (
    Games,
    Results,
    Starts,
    Turns,
    is_legal_action,
    play_turn,
)
from sabacc_env.engine.jit import inlined, jit, jit_for
from sabacc_env.engine.layout import (
    BET_SIZES_DTYPE,
    CALL,
    CHECK,
    FIRST_BET_ACTION,
    GAME_DTYPE,
    MAX_SEATS,
    RULES_DTYPE,
    STAND,
    Array,
    Record,
)
from sabacc_env.engine.observation.blocks import OBSERVATION_DTYPE

Policy = Callable[[Record, int, int], int]

POLICY_SIGNATURE = types.int64(
    numba.typeof(np.zeros(1, OBSERVATION_DTYPE)).dtype, types.int64, types.int64
)
"""A policy: an action from an observation, the legal actions as bits, and a random word."""
POLICY_TYPE = types.FunctionType(POLICY_SIGNATURE)


def _array(dtype: Any, *shape: int) -> Any:
    return numba.typeof(np.zeros(shape, dtype))


_INTEGERS, _ROWS = _array(np.int64, 1), _array(np.int64, 1, 1)
_BOOLS, _GAMES = _array(np.bool_, 1), _array(GAME_DTYPE, 1)
_SIZES = _array(BET_SIZES_DTYPE, 1)
_FLOATS, _BYTES = _array(np.float32, 1, 1), _array(np.int8, 1, 1)
PLAY_SIGNATURE = types.void(
    types.NamedTuple((_GAMES, _array(RULES_DTYPE, 1), _INTEGERS, _SIZES), Games),
    types.NamedTuple(
        (_INTEGERS, _INTEGERS, _BYTES, _array(OBSERVATION_DTYPE, 1), _FLOATS, _BYTES), Turns
    ),
    types.NamedTuple((_BOOLS, _BOOLS, _ROWS, _GAMES, _INTEGERS), Results),
    types.NamedTuple((_INTEGERS, _ROWS, _INTEGERS, _ROWS, _INTEGERS), Starts),
    types.UniTuple(POLICY_TYPE, MAX_SEATS),
    types.int64,
    types.int64,
    types.boolean,
    _INTEGERS,
    _INTEGERS,
    _INTEGERS,
)

NONE_ILLEGAL: Final = -(2**63)
"""In ``illegal_actions``: no policy has chosen an illegal action at this table."""

NO_STATE: Final = -1
"""In ``random_states``: no random word has been drawn at this table."""


@inlined
def call_policy(policy: Policy, _seat: int, observation: Record, legal: int, word: int) -> int:
    """Return the action of a seat's policy. ``cuda.py`` replaces this function."""
    return policy(observation, legal, word)


@jit_for(PLAY_SIGNATURE)
def play_tables(
    games: Games,
    turns: Turns,
    results: Results,
    starts: Starts,
    policies: tuple[Policy, ...],
    call_number: int,
    decisions: int,
    autoreset: bool,
    random_states: Array,
    illegal_actions: Array,
    tables: Array,
) -> None:
    """Play this many decisions at each of these tables, every seat by its policy.

    A table's random words come from a stream for (seed, table, call number). ``random_states``
    keeps the state of that stream, so that a call of ``Tables.play`` can be split into several
    calls of this function. Each table plays all its decisions before the next table does: its
    record and its row then stay in the fastest cache. A table whose policy chooses an illegal
    action stops before it, and the action is written to ``illegal_actions``.
    """
    for i in range(len(tables)):
        table = tables[i]
        if illegal_actions[table] != NONE_ILLEGAL:
            continue
        low, high = stream(starts.seed[0], starts.seed[1], POLICY, table)
        state, increment = stream(low, high, POLICY, call_number)
        if random_states[table] != NO_STATE:
            state = random_states[table]
        for _ in range(decisions):
            state, word = next_word(state, increment)
            seat = turns.seats[table] & 7
            action = call_policy(policies[seat], seat, turns.rows[table], turns.legal[table], word)
            if not is_legal_action(turns.legal[table], action):
                illegal_actions[table] = action
                break
            play_turn(games, turns, results, starts, autoreset, table, action)
        random_states[table] = state


# Policies.


def policy(function: Policy) -> Policy:
    """Compile a function as a policy."""
    own = function.__module__ == __name__
    return jit_for(POLICY_SIGNATURE, cached=own, _nrt=not own)(function)


def is_policy(function: object) -> bool:
    """Say whether ``policy`` returned this object; in interpreted mode any function will do."""
    if numba.config.DISABLE_JIT:
        return callable(function)
    return isinstance(function, Dispatcher) and _is_compiled_as_policy(function)


@lru_cache
def _is_compiled_as_policy(function: Dispatcher) -> bool:
    return any(each.args == POLICY_SIGNATURE.args for each in function.nopython_signatures)


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


class FunctionPointer(types.WrapperAddressProtocol):
    """A pointer to a compiled function, because Numba looks functions up again at every call."""

    def __init__(self, function: Any, signature: Any) -> None:
        found = function.get_compile_result(signature)
        self._function = function  # its code must stay
        self._signature = signature
        self.type = types.FunctionType(signature)
        self._address = found.library.get_pointer_to_function(found.fndesc.llvm_cfunc_wrapper_name)

    def __wrapper_address__(self) -> int:
        """Return the address of the function's code."""
        return int(self._address)

    def signature(self) -> Any:
        """Return the signature of the function."""
        return self._signature


@typeof_impl.register(FunctionPointer)
def _type_of_pointer(address: FunctionPointer, _context: Any) -> Any:
    return address.type


@lru_cache
def function_pointer(function: Callable[..., Any], signature: Any = POLICY_SIGNATURE) -> Any:
    """Return a pointer to a policy, or to a function of another signature, for compiled code."""
    return function if numba.config.DISABLE_JIT else FunctionPointer(function, signature)


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
