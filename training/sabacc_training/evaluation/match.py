"""Matches: two agents over duplicate deals, all tables in one batch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sabacc_env.actions import DEFAULT_BET_SIZES, BetSize
from sabacc_env.agent import Agent
from sabacc_env.errors import SabaccError
from sabacc_env.rules import RuleSet
from sabacc_training.evaluation.playing import (
    NUM_TABLES,
    DealTables,
    OnHands,
    deal_keys,
    generator,
    play_deals,
)
from sabacc_training.statistics.estimate import MILLI, Estimate


@dataclass(frozen=True, eq=False)
class MatchResult:
    """The net credits of two agents over duplicate deals.

    Attributes:
        net_credits: (deals, 2, 2) int64: deal, seating, agent. The first agent has seat 0 in
            seating 0 and seat 1 in seating 1, with the same cards and dice.
        ante_unit: credits in one ante of the unit (``RuleSet.ante_unit``).
    """

    net_credits: NDArray[np.int64]
    ante_unit: int

    @property
    def hand_margins(self) -> NDArray[np.float64]:
        """(deals, 2): the first agent's margin over the second in each hand, in mante/hand."""
        return (self.net_credits[..., 0] - self.net_credits[..., 1]) * MILLI / (2 * self.ante_unit)

    @property
    def deal_margins(self) -> NDArray[np.float64]:
        """(deals,): the margin over both seatings of each deal, in mante/hand."""
        return np.asarray(self.hand_margins.mean(axis=1))

    @property
    def margin(self) -> Estimate:
        """The first agent's margin over the second."""
        return Estimate.from_values(self.deal_margins)

    @property
    def hand_sd(self) -> float:
        """Standard deviation of one hand's margin, as if each deal were played once, mante/hand."""
        return float(self.hand_margins.std(ddof=1))

    @property
    def variance_reduction(self) -> float:
        """How many times as many hands an equally narrow interval needs without duplicate deals.

        A deal has two hands, so this is the variance of one hand over twice that of a deal. It is
        infinite where all deals have the same margin.
        """
        duplicate = 2 * self.margin.sd**2
        return self.hand_sd**2 / duplicate if duplicate else math.inf


def play_match(
    rules: RuleSet,
    agents: tuple[Agent, Agent],
    deals: int,
    seed: int,
    *,
    bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
    credits: int | None = None,
    sabacc_pot: int = 0,
    rng_stream: int = 0,
    num_tables: int = NUM_TABLES,
    on_hands: OnHands | None = None,
) -> MatchResult:
    """Play every deal twice, with the seats exchanged, and return the net credits of the agents.

    Both hands of a deal have the same key, and so the same deck, dice and dealer. Every hand starts
    from the same stacks and Sabacc pot. A table starts its next deal as soon as its hand ends, so
    long hands delay no other table. The same arguments give the same result.

    Args:
        rules: the rule set.
        agents: the two agents, separate objects, built for these rules, two seats and bet sizes.
        deals: the number of deals, at least two; each is played as two hands.
        seed: seeds the deals and the agents' random numbers. Deal d of a seed is the same for all
            agents and for any number of deals.
        bet_sizes: what the bet actions mean.
        credits: each seat's credits before the antes; by default the rules' own.
        sabacc_pot: credits in the Sabacc pot before the antes.
        rng_stream: which of 2**32 independent streams of random numbers the agents draw from:
            pairs of agents that share deals can draw from different ones.
        num_tables: tables played side by side, at least two. The result depends on it, because it
            decides which random numbers of an agent belong to which table.
        on_hands: called when hands end.

    Raises:
        SabaccError: for fewer than two deals, for credits or a Sabacc pot that these rules do not
            allow, or for an agent that fails or returns an illegal action.
    """
    if deals < 2:
        raise SabaccError(f"deals: {deals} is too few; a confidence interval needs at least 2")
    dealt = DealTables(
        rules,
        2,
        deal_keys(seed, 0, deals),
        bet_sizes=bet_sizes,
        credits=credits,
        sabacc_pots=sabacc_pot or None,
        num_tables=num_tables,
    )
    rngs = [generator(seed, 1, rng_stream, index) for index in (0, 1)]
    played = play_deals(dealt, agents, rngs, on_hands=on_hands)
    return MatchResult(played.net_credits, rules.ante_unit)
