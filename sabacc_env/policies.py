"""Compiled policies, which tables play inside their own loop: ``Tables.play``, and opponents.

A policy is a plain function ``(observation, legal, word) -> action`` over the engine's types:
``observation`` the row of the seat to act, ``legal`` the legal actions as bits, ``word`` a random
word of 32 bits, all the chance that it may use.

The row has the blocks of ``sabacc_env.observation.BLOCKS`` by name, each flat, and
``sabacc_env.observation.COLUMNS`` numbers their columns: ``SLOT = COLUMNS.own_slots`` outside the
policy, ``observation.own_slots[len(SLOT) * slot + SLOT.known]`` in it. Only the two blocks whose
rows are copied whole, ``opponents`` and ``log``, have these as records:
``observation.opponents[0].features[SEAT.is_all_in]``, where ``SEAT = COLUMNS.opponents``. As in all
compiled code no index is checked. The row is the table's own: a policy that writes it spoils what
is observed.

>>> @policy
... def cautious(observation, legal, word):
...     return pick(legal & 1 if legal & 1 else legal, word)  # action 0: stand
"""

from __future__ import annotations

import dis
from collections.abc import Sequence
from inspect import isfunction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabacc_env.engine.bit_sets import count
from sabacc_env.engine.drivers.policy_code import Policy, is_policy, policy_codes
from sabacc_env.engine.drivers.policy_code import policy as compiled
from sabacc_env.engine.drivers.policy_loop import choose_actions
from sabacc_env.engine.drivers.simple_policies import (
    always_raise,
    calling_station,
    pick,
    random_legal,
)
from sabacc_env.engine.layout import MAX_SEATS
from sabacc_env.engine.observation.blocks import OBSERVATION_DTYPE
from sabacc_env.engine.observation.encoding import card_value
from sabacc_env.errors import SabaccError, short_repr

__all__ = [
    "Policy",
    "PolicyAgent",
    "always_raise",
    "calling_station",
    "card_value",
    "count",
    "legal_bits",
    "observation_rows",
    "one_a_seat",
    "pick",
    "policy",
    "random_legal",
]


def policy(function: Policy) -> Policy:
    """Compile a function ``(observation, legal, word) -> action`` as a policy; see this module.

    Raises:
        SabaccError: for what cannot be compiled as one, or raises exceptions: nobody would get
            them out of the loop.
    """
    if not isfunction(function):
        raise SabaccError(f"policy: {short_repr(function)} is not a Python function")
    if any(each.opname == "RAISE_VARARGS" for each in dis.get_instructions(function)):
        raise SabaccError(
            f"policy: {function.__name__} contains raise or assert, which a policy cannot have"
        )
    try:
        return compiled(function)
    except Exception as error:
        reason = [line for line in str(error).splitlines() if line][:2]
        raise SabaccError(
            f"policy: {function.__name__} cannot be compiled as (observation, legal, word) -> "
            f"action: {' '.join(reason)}"
        ) from error


def observation_rows(observations: NDArray[np.float32]) -> NDArray[Any]:
    """Return observations, (n, OBSERVATION_SIZE), as policies get them: records, (n,)."""
    rows = np.ascontiguousarray(observations, np.float32)
    return rows.view(OBSERVATION_DTYPE).reshape(len(rows))


def legal_bits(action_masks: NDArray[np.int8]) -> NDArray[np.int64]:
    """Return the legal actions of masks, (n, num_actions), as policies get them: bits, (n,)."""
    each = action_masks.astype(np.int64) << np.arange(action_masks.shape[1])
    return np.asarray(each.sum(axis=1), dtype=np.int64)


def one_a_seat(policies: Policy | Sequence[Policy], num_players: int) -> tuple[Policy, ...]:
    """Return a policy for each of ``MAX_SEATS`` seats, from one for all or one for each player.

    Raises:
        SabaccError: for anything that is not a policy, or not one for each player.
    """
    if isinstance(policies, Sequence) and not isinstance(policies, str):
        chosen = list(policies)
    else:
        chosen = [policies] * num_players
    if len(chosen) != num_players:
        raise SabaccError(f"policies: give one, or one for each of {num_players} seats")
    for each in chosen:
        if not is_policy(each):
            raise SabaccError(
                f"policies: {short_repr(each)} is not a policy; make one with @policy"
            )
    return tuple((chosen * MAX_SEATS)[:MAX_SEATS])


class PolicyAgent:
    """The agent that plays a policy: an opponent that environments play in their compiled loop.

    Args:
        policy: a function made by ``policy``.

    Attributes:
        compiled_policy: the same.

    Raises:
        SabaccError: for anything else.

    >>> import gymnasium
    >>> opponent = PolicyAgent(calling_station)
    >>> envs = gymnasium.make_vec("Sabacc-v0", num_envs=1024, opponents=opponent)
    """

    def __init__(self, policy: Policy) -> None:
        if not is_policy(policy):
            raise SabaccError(f"policy: {short_repr(policy)} is not one; make one with @policy")
        self.compiled_policy = self._policy = policy

    def reset(self, num_tables: int) -> None:
        """Do nothing: a policy remembers nothing."""

    def act(
        self,
        observations: NDArray[np.float32],
        action_masks: NDArray[np.int8],
        rng: np.random.Generator,
        tables: NDArray[np.int64] | None = None,
    ) -> NDArray[np.int64]:
        """Choose an action for each row, by the policy and a random word."""
        (code,) = policy_codes([self._policy])
        actions = np.zeros(len(action_masks), dtype=np.int64)
        words = rng.integers(2**32, size=actions.shape)
        rows, legal = observation_rows(observations), legal_bits(action_masks)
        choose_actions(code, rows, legal, words, actions)
        return actions
