"""What rule-based agents bet by: amounts of credits, in pots, and the raises on offer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sabacc_agents.array_types import Bools, Floats, Ints
from sabacc_env.actions import FIRST_BET, BetSize, encode_bet_sizes, num_actions
from sabacc_env.engine.layout import BET_MAX, BET_MIN, MAX_SEATS
from sabacc_env.engine.rules_record import starting_credits
from sabacc_env.observation import decode
from sabacc_env.rules import RuleSet


class PotAmounts:
    """What calls and raises are about, in pots: everything staked in this hand is 1.

    Attributes:
        facing: (n,) bool, whether there is a bet to call.
        first: (n,) bool, whether the seat has put nothing in yet in this phase.
        opponents: (n,) how many other seats remain.
        credits: (n,) what the seat has left, at most 4.
        cost: (n,) what a call really costs: a short call costs what is left.
        prize: (n,) what the pot pays besides the call: without what a short call cannot win.
        sabacc_pot: (n,) the Sabacc pot.
        unit: (n,) one credit.
    """

    def __init__(self, observations: Floats, rules: RuleSet) -> None:
        decoded = decode(observations)
        to_call = decoded.call_over_pot
        self.facing = decoded.faces_bet
        self.first = decoded.phase_bet_over_pot == 0
        self.opponents = decoded.num_remaining - 1
        self.credits = decoded.credits_over_pot
        self.cost = np.minimum(to_call, self.credits)
        self.prize = 1 - (to_call - self.cost)
        self.sabacc_pot = decoded.sabacc_pot_over_pot
        # The pot is observed in starting credits; where seats start unequal, their mean serves.
        start = float(np.mean(starting_credits(rules, MAX_SEATS)))
        self.unit = 1 / np.maximum(decoded.pot_over_start * np.float32(start), 1)


class Raises:
    """The bet actions of an environment: which is the largest, which is nearest to a wish."""

    def __init__(self, rules: RuleSet, bet_sizes: Sequence[BetSize]) -> None:
        sizes = encode_bet_sizes(bet_sizes)
        self._rules = rules
        self.actions = np.arange(FIRST_BET, num_actions(bet_sizes))
        numerators = sizes["numerators"][0, : len(bet_sizes)]
        self._least = numerators == BET_MIN
        self._most = numerators == BET_MAX
        fractions = numerators / sizes["denominators"][0, : len(bet_sizes)]
        self._fractions = np.where(numerators < 0, 0.0, fractions)
        # Of equal totals only the first is legal, so what is legal grows in this order.
        self._order = np.where(self._most, np.inf, np.where(self._least, -1.0, self._fractions))

    def legal(self, action_masks: NDArray[np.int8]) -> Bools:
        """Say where any raise is legal, (n,)."""
        return np.asarray(action_masks[:, FIRST_BET:].any(axis=1))

    def most(self, action_masks: NDArray[np.int8]) -> Ints:
        """Return the legal raise to the highest total, (n,); undefined where there is none."""
        order = np.where(action_masks[:, FIRST_BET:] > 0, self._order, -2.0)
        return np.asarray(FIRST_BET + order.argmax(axis=1), dtype=np.int64)

    def nearest(
        self, action_masks: NDArray[np.int8], amounts: PotAmounts, wish: float | Floats
    ) -> Ints:
        """Return the legal raise nearest to a fraction of the pot after the call, (n,).

        The totals are worked out from the observation, so from rounded numbers: that decides
        between two sizes only where they are about equally near. Undefined where there is none.
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
        sizes[:, self._least] = low[:, None]
        sizes[:, self._most] = high[:, None]
        away = np.abs(sizes - np.asarray(wish).reshape(-1, 1))
        away[action_masks[:, FIRST_BET:] == 0] = np.inf
        return np.asarray(FIRST_BET + away.argmin(axis=1), dtype=np.int64)
