"""How much narrower control variates make the interval of an agent's margin."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sabacc_agents.loading import load

from sabacc_env.agent import Agent
from sabacc_env.rules import RuleSet
from sabacc_training.evaluation.playing import DealTables, deal_keys, generator, play_deals
from sabacc_training.statistics.estimate import MILLI, Estimate
from sabacc_training.variance_reduction.deal_corrections import DealCorrections
from sabacc_training.variance_reduction.values import ValueFunction


@dataclass(frozen=True, eq=False)
class Reduction:
    """The margin of an agent over copies of another, raw and reduced, in mante/hand.

    Attributes:
        raw: (deals, rotations) margins.
        corrections: (deals, rotations, kinds) to be taken off them, by ``KINDS``.
    """

    raw: NDArray[np.float64]
    corrections: NDArray[np.float64]

    @property
    def reduced(self) -> NDArray[np.float64]:
        """(deals, rotations) margins less corrections."""
        return np.asarray(self.raw - self.corrections.sum(axis=2))

    @property
    def hand_factor(self) -> float:
        """The variance of one hand's margin over that of its reduced margin."""
        return float(self.raw.var() / self.reduced.var())

    @property
    def deal_factor(self) -> float:
        """The same of the means over all rotations: how many times fewer deals it needs."""
        return float(self.raw.mean(axis=1).var() / self.reduced.mean(axis=1).var())

    @property
    def factor_over_fresh_deals(self) -> float:
        """How many times fewer hands it needs than raw hands, each dealt afresh."""
        rotations = self.raw.shape[1]
        return float(self.raw.var() / (rotations * self.reduced.mean(axis=1).var()))

    def estimates(self) -> tuple[Estimate, Estimate]:
        """Return the raw margin and the reduced one, with their intervals."""
        return (
            Estimate.from_values(self.raw.mean(axis=1)),
            Estimate.from_values(self.reduced.mean(axis=1)),
        )


@dataclass(frozen=True, eq=False)
class Measurement(Reduction):
    """A reduction, and what it cost.

    Attributes:
        hands_a_second: with control variates, in CPU time.
        raw_hands_a_second: without.
    """

    hands_a_second: float
    raw_hands_a_second: float


def play_reduced(
    rules: RuleSet,
    specs: Sequence[str],
    agents: Sequence[Agent],
    deals: int,
    values: ValueFunction,
    seed: int = 0,
) -> Reduction:
    """Play an agent against others in all rotations, with control variates.

    Args:
        rules: the rule set.
        specs: the agents by spec; the margin is the first's.
        agents: the same, loaded.
        deals: the number of deals.
        values: the value function.
        seed: seeds the deals, the agents and the samples.
    """
    dealt = DealTables(rules, len(agents), deal_keys(seed, 0, deals))
    corrections = DealCorrections(dealt, values, specs, agents, seed + 1)
    played = play_deals(dealt, agents, _rngs(agents, seed), tell=True, observers=[corrections])
    return Reduction(_margins(played.net_credits, rules), _margins(corrections.by_kind, rules))


def measure(
    rules: RuleSet,
    hero: str,
    opponent: str,
    num_players: int,
    deals: int,
    values: ValueFunction,
    seed: int = 0,
) -> Measurement:
    """Play an agent against copies of another, with control variates and without; take the times.

    Args:
        rules: the rule set.
        hero: an agent by spec.
        opponent: likewise.
        num_players: seats at a table.
        deals: the number of deals.
        values: the value function.
        seed: as of ``play_reduced``.
    """
    specs = [hero] + [opponent] * (num_players - 1)
    agents = [load(hero, rules, num_players)]
    agents += [load(opponent, rules, num_players)] * (num_players - 1)
    begin = time.process_time()
    found = play_reduced(rules, specs, agents, deals, values, seed)
    between = time.process_time()
    dealt = DealTables(rules, num_players, deal_keys(seed, 0, deals))
    play_deals(dealt, agents, _rngs(agents, seed), tell=True)
    end = time.process_time()
    hands = deals * num_players
    return Measurement(
        found.raw, found.corrections, hands / (between - begin), hands / (end - between)
    )


def _rngs(agents: Sequence[Agent], seed: int) -> list[np.random.Generator]:
    return [generator(seed, 1, place) for place in range(len(agents))]


def _margins(by_place: NDArray[np.number], rules: RuleSet) -> NDArray[np.float64]:
    """Return the first place's margin over the mean of the others, at two seats half of it."""
    others = by_place[..., 1:].mean(axis=-1)
    margins = (by_place[..., 0] - others) * MILLI / rules.ante_unit
    return np.asarray(margins / 2 if by_place.shape[-1] == 2 else margins)
