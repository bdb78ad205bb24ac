"""Policies as compiled code: what they are, and how drivers call them.

A policy is a function ``(observation, legal, word) -> action``, compiled by ``policy``. It gets one
row of ``OBSERVATION_DTYPE``, the legal actions as bits, and a random word of 32 bits, the only
randomness that it may use. ``sabacc_env.policies`` explains policies to users.

A driver gets policies as ``policy_codes``: as the addresses of their machine code, because Numba
takes much longer to pass a function than to play a decision.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final

import numba
import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.dispatcher import Dispatcher
from numba.extending import intrinsic, overload, typeof_impl

from sabacc_env.engine.jit import jit_for
from sabacc_env.engine.layout import Record
from sabacc_env.engine.observation.blocks import OBSERVATION_DTYPE

Policy = Callable[[Record, int, int], int]

POLICY_SIGNATURE = types.int64(
    numba.typeof(np.zeros(1, OBSERVATION_DTYPE)).dtype, types.int64, types.int64
)
"""A policy: an action from an observation, the legal actions as bits, and a random word."""

NO_POLICY: Final = 0
"""In ``policy_codes``, where there is none."""


def policy(function: Policy) -> Policy:
    """Compile a function as a policy; one of this package is cached on disk."""
    own = function.__module__.startswith(f"{__package__}.")
    return jit_for(POLICY_SIGNATURE, cached=own, _nrt=not own)(function)


def is_policy(function: object) -> bool:
    """Say whether ``policy`` returned this object; in interpreted mode any function will do."""
    if numba.config.DISABLE_JIT:
        return callable(function)
    return isinstance(function, Dispatcher) and _is_compiled_as_policy(function)


@lru_cache
def _is_compiled_as_policy(function: Dispatcher) -> bool:
    return any(each.args == POLICY_SIGNATURE.args for each in function.nopython_signatures)


# Calling policies.


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


def policy_codes(policies: Sequence[Policy | None]) -> Any:
    """Return what drivers take as these policies, NO_POLICY for None: (n,) int64 addresses.

    Whoever keeps it keeps the policies too, for their code must stay. In interpreted mode it is a
    tuple of the functions.
    """
    if numba.config.DISABLE_JIT:
        return tuple(NO_POLICY if each is None else each for each in policies)
    return np.array(
        [
            NO_POLICY if each is None else function_pointer(each).__wrapper_address__()
            for each in policies
        ],
        dtype=np.int64,
    )


def call_policy(code: Any, _seat: int, observation: Record, legal: int, word: int) -> int:
    """Return the action of a seat's policy. ``cuda.py`` replaces this function."""
    action: int = code(observation, legal, word)
    return action


@overload(call_policy, target="cpu")
def _call_policy(code, _seat, observation, legal, word):  # type: ignore[no-untyped-def]  # noqa: ARG001
    return lambda code, _seat, observation, legal, word: call_code(code, observation, legal, word)


def _call_code(_context: Any, code: Any, observation: Any, legal: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds = [context.get_value_type(each) for each in signature.args[1:]]
        result = context.get_value_type(signature.return_type)
        function = builder.inttoptr(arguments[0], ir.FunctionType(result, kinds).as_pointer())
        return builder.call(function, arguments[1:])

    return types.int64(code, observation, legal, word), generate


call_code: Final[Any] = intrinsic(target="cpu")(_call_code)
