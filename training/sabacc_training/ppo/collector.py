"""The rollout collector: plays every seat's decisions at all tables into a rollout buffer."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sabacc_agents.networks.recall import HandMemory

from sabacc_env.array_types import Bools, Ints
from sabacc_env.rules import RuleSet
from sabacc_env.tables import Tables
from sabacc_training.evaluation.margins import seat_margins
from sabacc_training.ppo.config import PPOConfig
from sabacc_training.ppo.input_readers import InputReader
from sabacc_training.ppo.network_inputs import NetworkInputs
from sabacc_training.ppo.policy import PolicyAgent
from sabacc_training.ppo.profiler import Profiler
from sabacc_training.ppo.rollout_buffer import RolloutBuffer
from sabacc_training.ppo.seat_assignment import SeatAssignment
from sabacc_training.ppo.start_sampler import StartSampler
from sabacc_training.ppo.trembles import Trembles
from sabacc_training.runs.opponent_pool import OpponentPool


class RolloutCollector:
    """The tables, and the policies that play at them.

    Args:
        config: the run.
        tables: the tables that it plays at.
        inputs: computes the inputs of the networks.
        policy: the policy that learns.
        pool: the opponents.
        input_reader: reads the tables.
        profiler: counts the time.

    Attributes:
        episode_rewards: the rewards of the learner's seats in the hands that ended in the last
            rollout. In self-play of all seats there are none.
    """

    def __init__(
        self,
        config: PPOConfig,
        tables: Tables,
        inputs: NetworkInputs,
        policy: PolicyAgent,
        pool: OpponentPool,
        input_reader: InputReader,
        profiler: Profiler,
    ) -> None:
        self._config = config
        self._inputs = inputs
        self._policy = policy
        self._input_reader = input_reader
        self._profiler = profiler
        self._rng = np.random.default_rng([config.seed, 2])
        self.tables = tables
        self._host_tables = input_reader.host_tables(tables)
        self._memory = HandMemory(inputs.recalled_decisions, tables.num_tables)
        self._starts = StartSampler(config, self.tables)
        reward_units = np.array([_reward_unit(rules, config) for rules in self.tables.rule_sets])
        self._reward_scales = 1 / reward_units
        # Both are rewritten in place.
        self._rules_of_results = (
            tables.rule_of if config.rule_space is None else tables.final_rule_of
        )
        self._all_tables = np.arange(self.tables.num_tables)
        self.episode_rewards: list[NDArray[np.float32]] = []
        self._seats: SeatAssignment | None = None
        if not pool.is_self_play:
            self._seats = SeatAssignment(config, pool, self._host_tables)
            self._seats.draw(self._all_tables, self._rng)
        self._trembles = Trembles(
            config.ppo.trembles,
            config.ppo.tremble_decisions,
            tables.num_tables,
            config.bet_sizes,
        )
        self._draw_trembles(self._all_tables)

    def collect(self, buffer: RolloutBuffer, progress: float) -> None:
        """Play until a rollout buffer is full.

        Args:
            buffer: takes the decisions.
            progress: the fraction of the run that is done; the credits and Sabacc pots that hands
                start from depend on it, and the share of hands that tremble.
        """
        self._starts.draw(progress, self._rng)
        self._trembles.set_progress(progress)
        self.episode_rewards = []
        while not buffer.full:
            self._step(buffer)

    def _step(self, buffer: RolloutBuffer) -> None:
        tables, seats, profiler = self._host_tables, self._seats, self._profiler
        own = self._all_tables if seats is None else seats.tables_for_learner()
        decisions = buffer.begin_step(len(own))
        decisions.tables[:] = own
        decisions.seats[:] = tables.seats_to_act[own]
        with profiler.section("inputs"):
            recalled = self._memory.recall(tables.flat_observations, own, own)
            self._input_reader.write_inputs(self._inputs, self.tables, own, recalled, decisions)
        with profiler.section("policy"):
            self._policy.decide(decisions, self._rng)
            self._trembles.play(decisions, self._rng)
        actions = decisions.actions
        if seats is not None:
            with profiler.section("opponents"):
                others, their_actions = seats.act(self._rng)
                actions = torch.empty(self.tables.num_tables, dtype=torch.int64)
                actions[torch.from_numpy(own)] = decisions.actions.cpu()
                actions[torch.from_numpy(others)] = torch.from_numpy(their_actions)
        with profiler.section("tables"):
            self.tables.step(actions)
            scales = self._reward_scales[self._rules_of_results]
            rewards = (self._credits_won() * scales[:, None]).astype(np.float32)
            finished = tables.finished.copy()
            buffer.end_step(finished, rewards)
            ended = np.flatnonzero(finished)
            self._memory.restart(ended)
        if seats is not None:
            with profiler.section("opponents"):
                self.episode_rewards.append(rewards[ended][seats.learner_seats(ended)])
                seats.draw(ended, self._rng)
        self._draw_trembles(ended)

    def _draw_trembles(self, tables: Ints) -> None:
        self._trembles.draw(tables, self._own_seats(tables), self._rng)

    def _own_seats(self, tables: Ints) -> Bools:
        """Return which seats the learner has at some tables, (n, num_players)."""
        if self._seats is not None:
            return self._seats.learner_seats(tables)
        host = self._host_tables
        return np.asarray(np.arange(host.num_players) < host.players[tables, None])

    def _credits_won(self) -> NDArray[Any]:
        """Return what the hands that ended were worth to their seats, (num_tables, num_players)."""
        tables = self._host_tables
        if self._config.ppo.reward == "net_credits":
            return tables.net_credits
        return seat_margins(tables.net_credits, tables.players)

    def set_pool(self, pool: OpponentPool) -> None:
        """Draw opponents from a pool that has changed."""
        if self._seats is not None:
            self._seats.set_pool(pool)

    def state(self) -> dict[str, Any]:
        """Return everything that changes, for ``restore``."""
        return {
            "tables": self.tables.to_bytes(),
            "seats": None if self._seats is None else self._seats.state(),
            "memory": self._memory.stacks,
            "trembles": self._trembles.state(),
            "rng": self._rng.bit_generator.state,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a ``state``."""
        saved = Tables.from_bytes(state["tables"], device=self._config.device)
        self.tables.clone_from(saved, self._all_tables, self._all_tables)
        if self._seats is not None:
            self._seats.restore(state["seats"])
        self._memory.stacks[:] = state.get("memory", 0)  # older checkpoints have none
        if "trembles" in state:  # older checkpoints have none
            self._trembles.restore(state["trembles"])
        self._rng.bit_generator.state = state["rng"]


def make_tables(config: PPOConfig) -> Tables:
    """Return the tables of a run: they play its games in turn."""
    num_tables = config.ppo.num_tables
    games = [config.games[i % len(config.games)] for i in range(num_tables)]
    return Tables(
        config.rules_of_hands if config.rule_space else [rules for rules, _ in games],
        num_tables,
        [players for _, players in games],
        seed=config.seed,
        bet_sizes=config.bet_sizes,
        threads=config.threads if config.device == "cpu" else 1,
        device=config.device,
    )


def _reward_unit(rules: RuleSet, config: PPOConfig) -> float:
    """Return the net credits that make a reward of 1: one point, or ``reward_scale`` antes."""
    return 1.0 if rules.points else rules.ante_unit * config.ppo.reward_scale
