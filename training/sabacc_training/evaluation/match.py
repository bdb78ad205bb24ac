"""Matches: two agents over duplicate deals, all tables in one batch."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sabacc_env import agent_calls
from sabacc_env.actions import DEFAULT_BET_SIZES, BetSize
from sabacc_env.agent import Agent
from sabacc_env.errors import SabaccError
from sabacc_env.rules import RuleSet
from sabacc_env.tables import Tables
from sabacc_training.statistics.estimate import MILLI, Estimate

NUM_TABLES: Final = 2048
"""Tables played side by side, unless fewer hands are wanted."""

OnHands = Callable[[NDArray[np.int64]], None]
"""Called when hands end, with (n, 2) net credits of the first and the second agent."""


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
    slots = min(deals, num_tables // 2)
    keys = _generator(seed, 0).integers(2**64, size=deals, dtype=np.uint64)
    tables = Tables(
        rules,
        num_tables=2 * slots,  # first every slot's seating 0, then every slot's seating 1
        bet_sizes=bet_sizes,
        keys=lambda table, count: keys[(table % slots + count * slots) % deals],
        credits=credits,
        sabacc_pots=sabacc_pot or None,
    )
    agent_calls.begin(agents, tables)
    rngs = [_generator(seed, 1, rng_stream, index) for index in (0, 1)]
    net = np.zeros((deals, 2, 2), dtype=np.int64)
    playing = np.arange(tables.num_tables)
    while len(playing):
        tables.step(_actions(tables, playing, playing // slots, agents, rngs), playing)
        ended = playing[tables.finished[playing]]
        if not len(ended):
            continue
        seating, slot = np.divmod(ended, slots)
        seats = np.stack([seating, 1 - seating], axis=1)  # of the first and the second agent
        by_agent = np.take_along_axis(tables.net_credits[ended], seats, axis=1)
        net[slot + (tables.hand_counts[ended] - 1) * slots, seating] = by_agent
        done = slot + tables.hand_counts[ended] * slots >= deals
        if not done.all():
            agent_calls.restart(agents, ended[~done])
        playing = np.setdiff1d(playing, ended[done], assume_unique=True)
        if on_hands is not None:
            on_hands(by_agent)
    return MatchResult(net, rules.ante_unit)


def _generator(seed: int, *path: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=path))


def _actions(
    tables: Tables,
    playing: NDArray[np.int64],
    seating: NDArray[np.int64],
    agents: Sequence[Agent],
    rngs: Sequence[np.random.Generator],
) -> NDArray[np.int64]:
    """Call each agent once for its actions at the tables where it is to act."""
    to_act = tables.seats_to_act[playing] ^ seating  # 0 for the first agent, 1 for the second
    actions = np.empty(len(playing), dtype=np.int64)
    for index, agent in enumerate(agents):
        rows = to_act == index
        where = playing[rows]
        if len(where):
            actions[rows] = agent_calls.actions_at(agent, tables, where, rngs[index])
    return actions
