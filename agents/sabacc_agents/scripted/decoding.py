"""Reading back from observations what rule-based agents go by: cards as values, stakes as pots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sabacc_env.actions import FIRST_BET, BetSize, encode_bet_sizes, num_actions
from sabacc_env.engine.layout import (
    BET_MAX,
    BET_MIN,
    MAX_SEATS,
)
from sabacc_env.engine.rules_record import starting_credits
from sabacc_env.observation import blocks
from sabacc_env.rules import RuleSet

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Floats = NDArray[np.float32]

ALMOST_TEN: Final = np.float32(10.2)
"""A card is observed as value / 10, a Sylop as 0.05: times this, cut to an integer, its value."""


class Cards:
    """The cards in sight of the observing seats, as values from -10 to 10.

    Attributes:
        held: (n, 5) bool, whether a slot holds a card.
        values: (n, 5) of the own slots, 0 where there is no card.
        total: (n,) of the own hand, the Spike Card counted.
        spike, has_spike: (n,) the own Spike Card, and whether there is one.
        drawn, has_drawn: (n,) the card being decided on.
        top, has_top: (n,) the top discard.
    """

    def __init__(self, observations: Floats) -> None:
        seen = blocks(observations)
        self.values, self.held = _values(seen.own_slots[..., 0])
        self.spike, self.has_spike = _values(seen.own_spike[:, 0])
        self.drawn, self.has_drawn = _values(seen.drawn[:, 0])
        self.top, self.has_top = _values(seen.discard_top[:, 0])
        self.total = self.values.sum(axis=1) + self.spike


def _values(codes: Floats) -> tuple[Ints, Bools]:
    """Return observed card codes as values, and where there is a card."""
    return (codes * ALMOST_TEN).astype(np.int64), codes != 0


class Stakes:
    """What a betting turn is about, in pots: everything staked in this hand is 1.

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
        seen = blocks(observations)
        betting, own = seen.betting, seen.own_stakes
        to_call = betting[:, 0]
        self.facing = betting[:, 2] > 0
        self.first = own[:, 2] == 0
        self.opponents = np.rint(seen.table[:, 3] * 8).astype(np.int64) - 1
        self.credits = own[:, 1]
        self.cost = np.minimum(to_call, self.credits)
        self.prize = 1 - (to_call - self.cost)
        self.sabacc_pot = betting[:, 6]
        # The pot is observed in starting credits; where seats start unequal, their mean serves.
        start = float(np.mean(starting_credits(rules, MAX_SEATS)))
        self.unit = 1 / np.maximum(betting[:, 5] * np.float32(start), 1)


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

    def nearest(self, action_masks: NDArray[np.int8], stakes: Stakes, wish: float | Floats) -> Ints:
        """Return the legal raise nearest to a fraction of the pot after the call, (n,).

        The totals are worked out from the observation, so from rounded numbers: that decides
        between two sizes only where they are about equally near. Undefined where there is none.
        """
        rules = self._rules
        pot = 1 + stakes.cost
        facing, unit = stakes.facing, stakes.unit
        low = np.where(facing, rules.min_raise, rules.min_bet) * unit / pot
        high = (stakes.credits - stakes.cost) / pot
        for limit, where in ((rules.max_raise, facing), (rules.max_bet, ~facing)):
            if limit is not None:
                high = np.where(where, np.minimum(high, limit * unit / pot), high)
        sizes = np.clip(self._fractions, low[:, None], np.maximum(low, high)[:, None])
        sizes[:, self._least] = low[:, None]
        sizes[:, self._most] = high[:, None]
        away = np.abs(sizes - np.asarray(wish).reshape(-1, 1))
        away[action_masks[:, FIRST_BET:] == 0] = np.inf
        return np.asarray(FIRST_BET + away.argmin(axis=1), dtype=np.int64)
