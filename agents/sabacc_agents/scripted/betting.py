"""What agents that bet by pots need, for batches: the amounts, and the choice of actions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sabacc_agents.scripted.bet_rule import (
    RaiseLimits,
    call_cost,
    call_prize,
    credit_per_pot,
    passive_action,
    raise_action,
)
from sabacc_env.actions import FIRST_BET, BetSize, encode_bet_sizes
from sabacc_env.array_types import Bools, Floats, Ints
from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import BET_MAX, BET_MIN, Array
from sabacc_env.observation import decode
from sabacc_env.policies import legal_bits, observation_rows
from sabacc_env.rules import RuleSet


def bet_fractions(bet_sizes: Sequence[BetSize]) -> tuple[float, ...]:
    """Return bet sizes as fractions of the pot: "min" is -1, "max" infinite."""
    encoded = encode_bet_sizes(bet_sizes)
    pairs = zip(encoded["numerators"][0], encoded["denominators"][0], strict=True)
    ends = {BET_MIN: -1.0, BET_MAX: np.inf}
    return tuple(ends.get(int(n), float(n / d)) for n, d in list(pairs)[: len(bet_sizes)])


def read_only(fractions: Sequence[float]) -> Floats:
    """Return ``bet_fractions`` as compiled code takes them: policies have them as a constant."""
    sizes = np.array(fractions)
    sizes.flags.writeable = False
    return sizes


class PotAmounts:
    """The amounts that calls and raises depend on, in pots: the credits bet in this hand are 1.

    Attributes:
        facing: (n,) bool, whether there is a bet to call.
        first: (n,) bool, whether the seat has not bet yet in this phase.
        opponents: (n,) the number of other seats that remain.
        cost: (n,) the cost of a call. A short call costs the credits that are left.
        prize: (n,) what the pot pays besides the call. A short call cannot win all of it.
        sabacc_pot: (n,) the Sabacc pot.
        unit: (n,) one credit.
    """

    def __init__(self, observations: Floats, rules: RuleSet) -> None:
        decoded = decode(observations)
        self.facing = decoded.faces_bet
        self.first = decoded.phase_bets_per_pot == 0
        self.opponents = decoded.num_remaining - 1
        self.sabacc_pot = decoded.sabacc_pot_per_pot
        amounts = np.zeros((3, len(observations)), np.float32)
        write_amounts(observation_rows(observations), RaiseLimits.of(rules).start, amounts)
        self.cost, self.prize, self.unit = amounts


@jit
def write_amounts(rows: Array, start: np.float32, amounts: Array) -> None:
    """Write the cost and the prize of a call, and one credit, for each row."""
    for i in range(len(rows)):
        amounts[0, i] = call_cost(rows[i])
        amounts[1, i] = call_prize(rows[i])
        amounts[2, i] = credit_per_pot(rows[i], start)


class Bets:
    """The bet actions of an environment, chosen from intentions."""

    def __init__(self, rules: RuleSet, bet_sizes: Sequence[BetSize]) -> None:
        self._limits = RaiseLimits.of(rules)
        self._sizes = read_only(bet_fractions(bet_sizes))

    def choose(
        self,
        observations: Floats,
        action_masks: NDArray[np.int8],
        calls: Bools,
        raises: Bools,
        raise_size: float,
    ) -> Ints:
        """Return actions at betting turns, (n,). They junk only to a bet, or where they must.

        Args:
            observations: (n, OBSERVATION_SIZE).
            action_masks: (n, num_actions).
            calls: (n,) whether to call a bet.
            raises: (n,) whether to bet or raise, where that is legal.
            raise_size: the size to aim for, in pots after the call.
        """
        chosen = np.zeros(len(action_masks), dtype=np.int64)
        rows, legal = observation_rows(observations), legal_bits(action_masks)
        choose_bets(self._limits, self._sizes, rows, legal, calls, raises, raise_size, chosen)
        return chosen


@jit
def choose_bets(
    limits: RaiseLimits,
    sizes: Array,
    rows: Array,
    legal: Array,
    calls: Array,
    raises: Array,
    raise_size: float,
    chosen: Array,
) -> None:
    """Write the action for each row."""
    for i in range(len(rows)):
        if raises[i] and legal[i] >> FIRST_BET != 0:
            chosen[i] = raise_action(limits, sizes, rows[i], legal[i], raise_size)
        else:
            chosen[i] = passive_action(legal[i], calls[i])
