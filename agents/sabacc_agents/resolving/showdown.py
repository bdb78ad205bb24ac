"""What follows the last bets: the reveal, and dice before it that may make all hands new."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sabacc_agents.expectation.backward_induction import DOUBLE_SPIKE_PROB, DOUBLES_PROB
from sabacc_agents.expectation.hand_table import HandTable
from sabacc_env.array_types import Ints
from sabacc_env.engine.layout import Array
from sabacc_env.errors import SabaccError
from sabacc_env.rules import RuleSet


class Showdown(NamedTuple):
    """What decides a hand that nobody junks.

    Attributes:
        is_zero: (classes,) float32: 1 where hands total zero. The winner takes the Sabacc pot with
            them.
        sabacc_pot: its credits. Half of it counts for the winner, half against the other, as in
            the margins of two seats.
        redealt: the probability that both hands are new, as many cards as before.
        wins: the probability that seat 0 wins then.
        takes: the probability that seat 0 takes the Sabacc pot then, less that of seat 1.
    """

    is_zero: Array
    sabacc_pot: float
    redealt: float
    wins: float
    takes: float


def redealt_probability(rules: RuleSet) -> float:
    """Return the probability that all hands are new after the last bets.

    Raises:
        SabaccError: for rules in which hands change otherwise.
    """
    following = rules.phases[rules.phases.index("betting") + 1 :]
    if not following:
        return 0
    if following != ("dice",) or {rules.doubles, rules.double_spike} != {"redraw_all"}:
        raise SabaccError(
            f"{rules.name}: a resolving agent needs rules in which all hands are redrawn or none "
            "after the last bets"
        )
    return DOUBLES_PROB + DOUBLE_SPIKE_PROB


class NewHands:
    """What new hands win, by their sizes; under rules with Spike Cards by these, which stay.

    A double Spike makes Spike Cards new, too. Cards that are known are not left out.

    Args:
        rules: the rules.
        table: the hand table.
        ranks: (hands,) the rank of each hand among all strengths.

    Attributes:
        wins: (sizes, sizes) the probability that a hand of the first size wins. With Spike Cards
            (21, 21), by the values of both as indices.
        takes: likewise, the probability that it takes the Sabacc pot, less that of the other.
    """

    def __init__(self, rules: RuleSet, table: HandTable, ranks: Ints) -> None:
        shares = spike_shares(table) if rules.spike_card else size_shares(table)
        num_ranks = int(ranks.max()) + 1
        by_rank = np.array([np.bincount(ranks, share, num_ranks) for share in shares])
        zeros = np.array([np.bincount(ranks, share * table.is_zero, num_ranks) for share in shares])
        below = by_rank.cumsum(axis=1) - by_rank
        wins = by_rank @ (below + by_rank / 2).T
        taken = zeros @ below.T
        same = DOUBLES_PROB / (DOUBLES_PROB + DOUBLE_SPIKE_PROB) if rules.spike_card else 1
        self.wins: NDArray[np.float64] = same * wins + (1 - same) / 2
        self.takes: NDArray[np.float64] = same * (taken - taken.T)


def size_shares(table: HandTable) -> NDArray[np.float64]:
    """Return how likely new hands of each size are each hand, (sizes, hands)."""
    of_size = table.sizes == np.arange(int(table.sizes.max()) + 1)[:, None]
    return np.asarray(of_size * table.deal_probs)


def spike_shares(table: HandTable) -> NDArray[np.float64]:
    """Return how likely new hands are each hand, by the value of the Spike Card, (21, hands)."""
    dealt = table.deal_probs * (table.sizes == table.sizes.max()) * table.counts.T
    whole = dealt.sum(axis=1, keepdims=True)
    return np.asarray(dealt / np.where(whole > 0, whole, 1))
