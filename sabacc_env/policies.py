"""Compiled policies, which tables play inside their own loop: ``Tables.play``.

A policy is a plain function ``(observation, legal, word) -> action`` over the engine's types:
``observation`` one row with the blocks of ``sabacc_env.observation`` by name
(``observation.own_total[1]``), ``legal`` the legal actions as bits, ``word`` a random word of 32
bits, all the chance that it may use.

>>> @policy
... def cautious(observation, legal, word):
...     return pick(legal & 1 if legal & 1 else legal, word)  # action 0: stand
"""

from __future__ import annotations

from collections.abc import Sequence

from sabacc_env.engine.cards import count
from sabacc_env.engine.layout import MAX_SEATS
from sabacc_env.engine.playing import (
    Policy,
    always_raise,
    calling_station,
    is_policy,
    pick,
    policy,
    random_legal,
)
from sabacc_env.errors import SabaccError

__all__ = [
    "Policy",
    "always_raise",
    "calling_station",
    "count",
    "one_a_seat",
    "pick",
    "policy",
    "random_legal",
]


def one_a_seat(policies: Policy | Sequence[Policy], num_players: int) -> tuple[Policy, ...]:
    """Return a policy for each of ``MAX_SEATS`` seats, from one for all or one for each player.

    Raises:
        SabaccError: for what is no policy, or not one for each player.
    """
    if isinstance(policies, Sequence) and not isinstance(policies, str):
        chosen = list(policies)
    else:
        chosen = [policies] * num_players
    if len(chosen) != num_players:
        raise SabaccError(f"policies: give one, or one for each of {num_players} seats")
    for each in chosen:
        if not is_policy(each):
            raise SabaccError(f"policies: {each!r} is no policy; make it with @policy")
    return tuple((chosen * MAX_SEATS)[:MAX_SEATS])
