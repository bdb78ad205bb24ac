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
    """What new hands win, by their sizes. The cards that are known are not left out.

    Args:
        table: the hand table of the rules.
        ranks: (hands,) the rank of each hand among all strengths.

    Attributes:
        wins: (sizes, sizes) the probability that a hand of the first size wins.
        takes: (sizes, sizes) the probability that it takes the Sabacc pot, less that of the other.
    """

    def __init__(self, table: HandTable, ranks: Ints) -> None:
        num_ranks, num_sizes = int(ranks.max()) + 1, int(table.sizes.max()) + 1
        by_rank, zeros = np.zeros((2, num_sizes, num_ranks))
        np.add.at(by_rank, (table.sizes, ranks), table.deal_probs)
        np.add.at(zeros, (table.sizes, ranks), table.deal_probs * table.is_zero)
        below = by_rank.cumsum(axis=1) - by_rank
        self.wins: NDArray[np.float64] = by_rank @ (below + by_rank / 2).T
        taken = zeros @ below.T
        self.takes: NDArray[np.float64] = taken - taken.T
