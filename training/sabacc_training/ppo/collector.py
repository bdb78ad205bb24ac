"""Playing: every seat's decisions at all tables, gathered for an update."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from sabacc_env.envs.start_ranges import StakeRanges
from sabacc_env.rules import RuleSet
from sabacc_env.tables import Tables
from sabacc_training.config.run import Antes
from sabacc_training.ppo.config import PPOConfig
from sabacc_training.ppo.cpu import Device
from sabacc_training.ppo.network_inputs import Inputs
from sabacc_training.ppo.policy import Player
from sabacc_training.ppo.profiler import Clock
from sabacc_training.ppo.rollout_buffer import Batch, Rows
from sabacc_training.ppo.seat_assignment import Cast
from sabacc_training.runs.opponent_pool import Pool

Ints = NDArray[np.int64]


class Collector:
    """The tables, and how decisions are taken at them.

    Args:
        config: the run.
        tables: where it plays.
        inputs: what the networks are shown.
        player: the policy that learns.
        pool: who else plays.
        device: where it decides.
        clock: counts the time.
    """

    def __init__(
        self,
        config: PPOConfig,
        tables: Tables,
        inputs: Inputs,
        player: Player,
        pool: Pool,
        device: Device,
        clock: Clock,
    ) -> None:
        self._config = config
        self._inputs = inputs
        self._player = player
        self._device = device
        self._clock = clock
        self._rng = np.random.default_rng([config.seed, 2])
        self.tables = tables
        self._read = device.readable(tables)
        self._stakes = Stakes(config, self.tables)
        units = np.array([_unit(rules, config) for rules in self.tables.rule_sets])
        self._scale = 1 / units[self.tables.rule_of]
        self._everywhere = np.arange(self.tables.num_tables)
        self._cast = None if alone(config) else Cast(config, pool, self._read)
        if self._cast is not None:
            self._cast.draw(self._everywhere, self._rng)

    def fill(self, batch: Batch, progress: float) -> None:
        """Play until a batch is full, with the stakes of this share of the run."""
        self._stakes.draw(progress, self._rng)
        while not batch.full:
            self._step(batch)

    def _step(self, batch: Batch) -> None:
        cast, read = self._cast, self._read
        own = self._everywhere if cast is None else cast.learners()
        rows = batch.place(len(own))
        self._decide(rows, own)
        actions = rows.actions
        if cast is not None:
            with self._clock.on("opponents"):
                others, theirs = cast.play(self._rng)
                actions = torch.empty(self.tables.num_tables, dtype=torch.int64)
                actions[torch.from_numpy(own)] = rows.actions.cpu()
                actions[torch.from_numpy(others)] = torch.from_numpy(theirs)
        with self._clock.on("tables"):
            self.tables.step(actions)
            rewards = (read.net_credits * self._scale[:, None]).astype(np.float32)
            finished = read.finished.copy()
            batch.close_step(finished, rewards)
        if cast is not None:
            with self._clock.on("opponents"):
                cast.draw(np.flatnonzero(finished), self._rng)

    def _decide(self, rows: Rows, own: Ints) -> None:
        """Write the learner's decisions at its tables."""
        rows.tables[:] = own
        rows.seats[:] = self._read.seats_to_act[own]
        uniforms = torch.from_numpy(self._rng.random(len(own), np.float32))
        with self._clock.on("inputs"):
            self._device.look(self._inputs, self.tables, own, rows)
        with self._clock.on("playing"):
            logs = self._player.logs(rows)
            self._device.draw(logs, uniforms.to(logs.device), rows)

    def follow(self, pool: Pool) -> None:
        """Draw opponents from a pool that has changed."""
        if self._cast is not None:
            self._cast.choose(pool)

    def state(self) -> dict[str, Any]:
        """Return all of it, for ``restore``."""
        return {
            "tables": self.tables.to_bytes(),
            "cast": None if self._cast is None else self._cast.state(),
            "rng": self._rng.bit_generator.state,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a ``state``."""
        other = Tables.from_bytes(state["tables"], device=self._config.device)
        self.tables.clone_from(other, self._everywhere, self._everywhere)
        if self._cast is not None:
            self._cast.restore(state["cast"])
        self._rng.bit_generator.state = state["rng"]


def tables_of(config: PPOConfig) -> Tables:
    """Return the tables of a run: its games in turn."""
    learning = config.ppo
    games = [config.games[i % len(config.games)] for i in range(learning.num_tables)]
    return Tables(
        [rules for rules, _ in games],
        learning.num_tables,
        [players for _, players in games],
        seed=config.seed,
        bet_sizes=config.bet_sizes,
        threads=config.threads if config.device == "cpu" else 1,
        device=config.device,
    )


def _unit(rules: RuleSet, config: PPOConfig) -> float:
    """Return how much net makes a reward of 1: a point, or so many antes of credits."""
    return 1.0 if rules.points else rules.ante_unit * config.ppo.reward_scale


def alone(config: PPOConfig) -> bool:
    """Say whether every seat is played by the policy as it is."""
    pool = config.pool
    return pool.snapshots == 0 and not any(pool.scripted.values())


class Stakes:
    """What the hands of an update start from, drawn anew for each table at every update.

    Where several rule sets are played, each takes those ranges that it has a use for.
    """

    def __init__(self, config: PPOConfig, tables: Tables) -> None:
        self._tables = tables
        self._start = config.start
        self._several = len(config.all_rules) > 1
        self._games = [
            (np.flatnonzero(self._plays(rules, players)), rules, self._ranges(rules, players))
            for rules, players in config.games
        ]

    def _plays(self, rules: RuleSet, players: int) -> NDArray[np.bool_]:
        tables = self._tables
        of_rules = tables.rule_of == tables.rule_sets.index(rules)
        return np.asarray(of_rules & (tables.players == players))

    def _ranges(self, rules: RuleSet, players: int) -> StakeRanges:
        stacks, pots = self._antes(rules, 0.0)
        return StakeRanges(rules, players, stacks, self._start.equal_stacks, pots)

    def _antes(self, rules: RuleSet, progress: float) -> tuple[Antes | None, Antes | None]:
        """Return the ranges of stacks and of the Sabacc pot after this share of the run."""
        stacks, pots = self._start.stacks_at(progress), self._start.sabacc_pot_at(progress)
        if self._several:
            stacks = None if rules.points else stacks
            pots = pots if rules.sabacc_ante else None
        return stacks, pots

    def draw(self, progress: float, rng: np.random.Generator) -> None:
        """Draw for all tables, from the ranges of this share of the run."""
        for which, rules, ranges in self._games:
            ranges.change(*self._antes(rules, progress))
            drawn = ranges.draw(len(which), rng)
            if "credits" in drawn:
                absent = self._tables.num_players - drawn["credits"].shape[1]
                drawn["credits"] = np.pad(drawn["credits"], ((0, 0), (0, absent)))
            if drawn:
                self._tables.set_stakes(which, **drawn)
