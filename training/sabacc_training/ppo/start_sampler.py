"""What hands start from in a run: credits and Sabacc pots, drawn from the configured ranges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sabacc_env.envs.start_ranges import StartRanges
from sabacc_env.rules import RuleSet
from sabacc_env.tables import Tables
from sabacc_training.config.run import Antes
from sabacc_training.ppo.config import PPOConfig


class StartSampler:
    """Draws the credits and Sabacc pots that hands start from.

    The collector draws once for each table and rollout: all hands that begin at a table during the
    rollout start from the same.

    Hands that draw their rules start with what the rules say. Where several rule sets are played,
    those for points ignore the range of stacks, and those
    without a Sabacc pot ignore its range.
    """

    def __init__(self, config: PPOConfig, tables: Tables) -> None:
        self._tables = tables
        self._start = config.start
        self._several_rules = len(config.all_rules) > 1
        self._games = [
            (np.flatnonzero(self._plays(rules, players)), rules, self._ranges(rules, players))
            for rules, players in (() if config.rule_space else config.games)
        ]

    def _plays(self, rules: RuleSet, players: int) -> NDArray[np.bool_]:
        tables = self._tables
        has_rules = tables.rule_of == tables.rule_sets.index(rules)
        return np.asarray(has_rules & (tables.players == players))

    def _ranges(self, rules: RuleSet, players: int) -> StartRanges:
        stacks, pots = self._antes(rules, 0.0)
        return StartRanges(rules, players, stacks, self._start.equal_stacks, pots)

    def _antes(self, rules: RuleSet, progress: float) -> tuple[Antes | None, Antes | None]:
        """Return the ranges of stacks and of the Sabacc pot after this fraction of the run."""
        stacks, pots = self._start.stacks_at(progress), self._start.sabacc_pot_at(progress)
        if self._several_rules:
            stacks = None if rules.points else stacks
            pots = pots if rules.sabacc_ante else None
        return stacks, pots

    def draw(self, progress: float, rng: np.random.Generator) -> None:
        """Draw credits and Sabacc pots for all tables, after this fraction of the run."""
        for indices, rules, ranges in self._games:
            ranges.change(*self._antes(rules, progress))
            drawn = ranges.draw(len(indices), rng)
            if "credits" in drawn:
                missing_seats = self._tables.num_players - drawn["credits"].shape[1]
                drawn["credits"] = np.pad(drawn["credits"], ((0, 0), (0, missing_seats)))
            if drawn:
                self._tables.set_episode_starts(indices, **drawn)
