"""What rule-based agents need for betting: amounts of credits in pots, and the legal raises."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sabacc_env.actions import FIRST_BET, BetSize, encode_bet_sizes, num_actions
from sabacc_env.array_types import Bools, Floats, Ints
from sabacc_env.engine.layout import BET_MAX, BET_MIN, MAX_SEATS
from sabacc_env.engine.rules_record import starting_credits
from sabacc_env.observation import decode
from sabacc_env.rules import RuleSet


class PotAmounts:
    """The amounts that calls and raises depend on, in pots: the credits bet in this hand are 1.

    Attributes:
        facing: (n,) bool, whether there is a bet to call.
        first: (n,) bool, whether the seat has not bet yet in this phase.
        opponents: (n,) the number of other seats that remain.
        credits: (n,) the credits that the seat has left, at most 4.
        cost: (n,) the cost of a call. A short call costs the credits that are left.
        prize: (n,) what the pot pays besides the call. A short call cannot win all of it.
        sabacc_pot: (n,) the Sabacc pot.
        unit: (n,) one credit.
    """

    def __init__(self, observations: Floats, rules: RuleSet) -> None:
        decoded = decode(observations)
        to_call = decoded.to_call_per_pot
        self.facing = decoded.faces_bet
        self.first = decoded.phase_bets_per_pot == 0
        self.opponents = decoded.num_remaining - 1
        self.credits = decoded.credits_per_pot
        self.cost = np.minimum(to_call, self.credits)
        self.prize = 1 - (to_call - self.cost)
        self.sabacc_pot = decoded.sabacc_pot_per_pot
        # The pot is observed in starting credits. If seats start unequal, it is in their mean.
        start = float(np.mean(starting_credits(rules, MAX_SEATS)))
        self.unit = 1 / np.maximum(decoded.pot_per_start * np.float32(start), 1)


class Raises:
    """The bet actions of an environment: finds the largest legal one, or the nearest to a size."""

    def __init__(self, rules: RuleSet, bet_sizes: Sequence[BetSize]) -> None:
        sizes = encode_bet_sizes(bet_sizes)
        self._rules = rules
        self.actions = np.arange(FIRST_BET, num_actions(bet_sizes))
        numerators = sizes["numerators"][0, : len(bet_sizes)]
        self._is_min = numerators == BET_MIN
        self._is_max = numerators == BET_MAX
        fractions = numerators / sizes["denominators"][0, : len(bet_sizes)]
        self._fractions = np.where(numerators < 0, 0.0, fractions)
        # Of equal totals only the first is legal, so legal raises have rising totals in this order.
        self._order = np.where(self._is_max, np.inf, np.where(self._is_min, -1.0, self._fractions))

    @property
    def from_largest(self) -> tuple[int, ...]:
        """The bet actions, from the highest total to the lowest where they are legal."""
        return tuple((FIRST_BET + np.argsort(-self._order, kind="stable")).tolist())

    def legal(self, action_masks: NDArray[np.int8]) -> Bools:
        """Say where any raise is legal, (n,)."""
        return np.asarray(action_masks[:, FIRST_BET:].any(axis=1))

    def largest(self, action_masks: NDArray[np.int8]) -> Ints:
        """Return the legal raise to the highest total, (n,); undefined where there is none."""
        order = np.where(action_masks[:, FIRST_BET:] > 0, self._order, -2.0)
        return np.asarray(FIRST_BET + order.argmax(axis=1), dtype=np.int64)

    def nearest(
        self, action_masks: NDArray[np.int8], amounts: PotAmounts, target: float | Floats
    ) -> Ints:
        """Return the legal raise nearest to a fraction of the pot after the call, (n,).

        It is undefined where no raise is legal. The totals come from the rounded numbers of the
        observation. This matters only between two sizes that are about equally near.
        """
        rules = self._rules
        pot = 1 + amounts.cost
        facing, unit = amounts.facing, amounts.unit
        low = np.where(facing, rules.min_raise, rules.min_bet) * unit / pot
        high = (amounts.credits - amounts.cost) / pot
        for limit, where in ((rules.max_raise, facing), (rules.max_bet, ~facing)):
            if limit is not None:
                high = np.where(where, np.minimum(high, limit * unit / pot), high)
        sizes = np.clip(self._fractions, low[:, None], np.maximum(low, high)[:, None])
        sizes[:, self._is_min] = low[:, None]
        sizes[:, self._is_max] = high[:, None]
        distances = np.abs(sizes - np.asarray(target).reshape(-1, 1))
        distances[action_masks[:, FIRST_BET:] == 0] = np.inf
        return np.asarray(FIRST_BET + distances.argmin(axis=1), dtype=np.int64)
