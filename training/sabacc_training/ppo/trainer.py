"""The PPO trainer: PPO with action masks by self-play, and a KL term in the policy's loss.

An update is one of PPO: collect a rollout, compute generalised advantages, and run epochs of
minibatches over the clipped loss with an entropy bonus, and over the loss of the critic. The policy
and the critic are separate networks with optimizers of their own. To this the trainer adds an
average of all policies, which is what is saved, and a KL term that pulls the policy towards
another one, the magnet; by default this is the average.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from sabacc_agents.loading import load
from sabacc_agents.networks.network import Network, NetworkInfo, save_network
from torch import Tensor, nn

from sabacc_env.actions import num_actions
from sabacc_env.agent import Agent
from sabacc_env.errors import SabaccError
from sabacc_env.tables import Tables
from sabacc_training.config.run import check_threads, linear
from sabacc_training.ppo.agent_per_game import AgentPerGame
from sabacc_training.ppo.collector import RolloutCollector, make_tables
from sabacc_training.ppo.compute import Compute, flush_denormal
from sabacc_training.ppo.config import PPOConfig
from sabacc_training.ppo.initial_policy import InitialPolicy
from sabacc_training.ppo.input_readers import make_input_reader
from sabacc_training.ppo.losses import PolicyLoss, policy_loss, value_loss
from sabacc_training.ppo.network_inputs import NetworkInputs
from sabacc_training.ppo.networks import forward, forward_in_chunks, make_mlp
from sabacc_training.ppo.policy import PolicyAgent
from sabacc_training.ppo.profiler import Profiler
from sabacc_training.ppo.rollout_buffer import Decisions, Rollout, RolloutBuffer
from sabacc_training.ppo.stakes import Stakes
from sabacc_training.ppo.teachers import Teachers
from sabacc_training.ppo.threads import Workers
from sabacc_training.runs.opponent_pool import OpponentPool
from sabacc_training.runs.trainer import UpdateCallback
from sabacc_training.runs.weights import layer_weights, load_weights, polyak_update

ADAM_EPSILON: Final = 1e-5
"""Adam's epsilon, as usual for PPO."""


class PPOTrainer:
    """The networks, optimizers, opponents and tables of a run, which a checkpoint can restore.

    Args:
        config: the run.
        tables: makes the tables that the run plays at.
        precision: the precision of matrix products; by default the one of the configuration.

    Attributes:
        agent: the current policy.
        average: the policy that is saved, the moving average of the current one's weights.
        pool: the opponents.
        collector: the tables and who plays at them.
        steps: the learner's decisions so far.
        updates: the number of updates so far.
        metrics: the metrics of the last update, by their TensorBoard tags.
        profiler: the time that each section of the updates took.
    """

    def __init__(
        self,
        config: PPOConfig,
        tables: Callable[[PPOConfig], Tables] = make_tables,
        precision: str | None = None,
    ) -> None:
        check_threads(config.threads)
        torch.set_num_threads(1)
        self.config = config
        ppo = config.ppo
        self.profiler = Profiler()
        self.metrics: dict[str, float] = {}
        self._compute = Compute.choose(config.device, precision or ppo.precision)
        self._workers = Workers(config.threads if self._compute.device == "cpu" else 1)
        input_reader = make_input_reader(self._compute, self._workers)
        max_players = max(players for _, players in config.games)
        initial = InitialPolicy.of_run(config)
        self.inputs = NetworkInputs(
            initial.extractor, ppo.recalled_decisions, max_players, ppo.critic_input
        )
        actions = num_actions(config.bet_sizes)

        generator = torch.Generator().manual_seed(config.seed)
        actor_sizes = self.inputs.policy_size, *initial.hidden_sizes, actions
        critic_sizes = self.inputs.size, *ppo.hidden_sizes, 1
        self._actor = make_mlp(actor_sizes, self._compute, generator, last_gain=0.01)
        load_weights(self._actor, initial.weights)
        self._critic = make_mlp(critic_sizes, self._compute, generator, last_gain=1.0)
        self._actor_optimizer, self._critic_optimizer = (
            torch.optim.Adam(network.parameters(), eps=ADAM_EPSILON, fused=True)
            for network in (self._actor, self._critic)
        )

        self.agent = PolicyAgent(self._actor, self.inputs, self._compute, self._workers)
        self.average = self.agent.frozen()
        average_is_magnet = ppo.magnet == "moving_average" and ppo.magnet_tau is None
        self._magnet = self.average if average_is_magnet else self.agent.frozen()
        self._teachers = Teachers(config, self.inputs.extractor, self._compute, self._workers)
        self.pool = self._make_pool()
        self.collector = RolloutCollector(
            config,
            tables(config),
            self.inputs,
            self.agent,
            self.pool,
            input_reader,
            self.profiler,
        )
        rule_sets = self.collector.tables.rule_sets
        self._stakes = Stakes(self.inputs.extractor, rule_sets, ppo.reward_scale)
        self._buffer = RolloutBuffer(
            ppo.num_tables,
            max_players,
            ppo.rollout_steps,
            self.inputs.size,
            actions,
            self._compute,
        )
        self._rng = np.random.default_rng([config.seed, 3])
        self.steps = 0
        self.updates = 0

    def _make_pool(self) -> OpponentPool:
        """Return the opponents; a subclass may have others."""
        return OpponentPool(self.config, self.agent, self._make_opponent)

    def _make_opponent(self, spec: str) -> Agent:
        """Return an agent that plays at all tables of the run, whichever games they play."""
        config, games = self.config, self.config.games
        if len(games) == 1:
            return load(spec, *games[0], config.bet_sizes)
        game_of = np.arange(config.ppo.num_tables) % len(games)
        return AgentPerGame(spec, games, config.bet_sizes, game_of)

    @property
    def progress(self) -> float:
        """The fraction of the run that is done."""
        return min(1.0, self.steps / self.config.steps)

    @property
    def _only_critic_learns(self) -> bool:
        """Whether the policy is still what it began as, a saved network."""
        ppo = self.config.ppo
        return ppo.initial is not None and self.progress < ppo.critic_warmup

    def learn(self, callback: UpdateCallback) -> None:
        """Update until the run is over; log the metrics of each update and call the callback."""
        while self.steps < self.config.steps:
            before, began = self.steps, time.perf_counter()
            self.update()
            seconds = time.perf_counter() - began
            speed = {"time/fps": (self.steps - before) / seconds}
            sections = {
                f"time/{name.replace(' ', '_')}_seconds": total
                for name, total in self.profiler.seconds.items()
            }
            callback.log(self.steps, speed | self.metrics | sections)
            callback.between_updates()

    def summary(self) -> str:
        """Return the shares of the run's time by section; nothing for a run without updates."""
        return f"where the time went: {self.profiler}" if self.profiler.seconds else ""

    # An update.

    def update(self) -> None:
        """Collect a rollout, learn from its finished hands, and update average, magnet and pool."""
        self.collector.collect(self._buffer, self.progress)
        decisions = self._buffer.decisions
        collected = len(decisions) - self._buffer.carried_over
        with self.profiler.section("values"):
            outputs = forward_in_chunks(
                self._critic, decisions.inputs, self._compute, self._workers
            )
            values = outputs[:, 0].cpu().numpy()
        with self.profiler.section("advantages"):
            rollout = self._buffer.compute_returns_and_advantages(
                values, self.config.ppo.gae_lambda
            )
        self.metrics["rollout/dropped_fraction"] = rollout.dropped / collected
        if self.collector.episode_rewards:
            rewards = np.concatenate(self.collector.episode_rewards)
            if len(rewards):
                self.metrics["rollout/ep_rew_mean"] = float(rewards.mean())
        if len(rollout.decisions):
            self._optimize(rollout)
        self._buffer.begin(rollout.unfinished)
        self.steps += collected
        self.updates += 1
        if not all(bool(weights.isfinite().all()) for weights in self._actor.parameters()):
            raise SabaccError(
                f"training: the policy's weights are not finite after update {self.updates}; use a "
                "smaller ppo.learning_rate"
            )
        self._update_followers()

    def _optimize(self, rollout: Rollout) -> None:
        """Run all epochs over a rollout, for the policy and for the critic in parallel.

        While the critic warms up, the policy stays as it is.
        """
        learning_rate = linear(self.config.ppo.learning_rate, self.progress)
        for optimizer in (self._actor_optimizer, self._critic_optimizer):
            optimizer.param_groups[0]["lr"] = learning_rate
        self.metrics["train/learning_rate"] = learning_rate
        minibatches = list(self._minibatches(len(rollout.decisions)))
        if self._only_critic_learns:
            self._optimize_critic(rollout, minibatches)
            return
        magnet_log_probs = self._magnet_log_probs(rollout.decisions)
        self._workers.run(
            lambda: self._optimize_policy(rollout, magnet_log_probs, minibatches),
            lambda: self._optimize_critic(rollout, minibatches),
        )

    def _minibatches(self, count: int) -> Iterator[slice]:
        """Yield the rows of each minibatch of each epoch, in random order.

        A minibatch is a slice of consecutive rows, so that no row is copied. Consecutive rows are
        decisions at different tables, whose hands are at different points. All minibatches have the
        same length, because matrix products are compiled anew for each new number of rows. So they
        overlap a little, or leave some rows out.
        """
        length = min(self.config.ppo.minibatch_size, count)
        begins = np.linspace(0, count - length, round(count / length)).astype(np.int64)
        for _ in range(self.config.ppo.n_epochs):
            for begin in self._rng.permutation(begins):
                yield slice(int(begin), int(begin) + length)

    def _magnet_log_probs(self, decisions: Decisions) -> Tensor | None:
        """Return the magnet's log probabilities, (n, num_actions); None without a KL term."""
        ppo = self.config.ppo
        if ppo.magnet == "none" or not ppo.kl_coef:
            return None
        with self.profiler.section("magnet"):
            if ppo.magnet == "teachers":
                return self._teachers.log_probs(decisions, self.collector.tables)
            return self._magnet.log_probs(decisions.inputs, decisions.action_masks)

    @flush_denormal()  # Adam's moments of inputs that no longer vary decay to denormal numbers
    def _optimize_policy(
        self, rollout: Rollout, magnet_log_probs: Tensor | None, minibatches: list[slice]
    ) -> None:
        """Take a gradient step on the policy's loss for each minibatch."""
        ppo, decisions = self.config.ppo, rollout.decisions
        advantages = _normalised(self._in_units(rollout)).to(self._compute.device)
        coefficients = {
            "ent_coef": linear(ppo.ent_coef, self.progress),
            "log_barrier_coef": linear(ppo.log_barrier_coef, self.progress),
        }
        losses = []
        with self.profiler.section("learning the policy"):
            for rows in minibatches:
                inputs = decisions.inputs[rows, : self.inputs.policy_size]
                loss = policy_loss(
                    forward(self._actor, inputs, self._compute),
                    decisions.action_masks[rows],
                    decisions.actions[rows],
                    decisions.log_probs[rows],
                    advantages[rows],
                    None if magnet_log_probs is None else magnet_log_probs[rows],
                    clip_range=ppo.clip_range,
                    kl_coef=ppo.kl_coef,
                    **coefficients,
                )
                self._gradient_step(self._actor, self._actor_optimizer, loss.loss)
                losses.append(torch.stack([part.detach() for part in loss]))
        means = torch.stack(losses).mean(dim=0).tolist()
        for name, mean in zip(PolicyLoss._fields, means, strict=True):
            self.metrics[f"train/{name}"] = mean
        for name, value in coefficients.items():
            self.metrics[f"train/{name}"] = value

    def _in_units(self, rollout: Rollout) -> NDArray[np.float32]:
        """Return the advantages of a rollout in ``advantage_unit``."""
        if self.config.ppo.advantage_unit == "ante":
            return rollout.advantages
        return rollout.advantages / self._stakes.of(rollout.decisions, self.collector.tables)

    @flush_denormal()  # as above
    def _optimize_critic(self, rollout: Rollout, minibatches: list[slice]) -> None:
        """Take a gradient step on the critic's loss for each minibatch."""
        returns = torch.from_numpy(rollout.returns).to(self._compute.device)
        losses = []
        with self.profiler.section("learning the values"):
            for rows in minibatches:
                inputs = rollout.decisions.inputs[rows]
                values = forward(self._critic, inputs, self._compute)[:, 0]
                loss = value_loss(values, returns[rows])
                self._gradient_step(self._critic, self._critic_optimizer, loss)
                losses.append(loss.detach())
        self.metrics["train/value_loss"] = torch.stack(losses).mean().item()
        variance = float(np.var(rollout.returns))
        # Advantages are returns less the values that the critic gave before the update.
        unexplained = float(np.var(rollout.advantages)) / variance if variance else 1.0
        self.metrics["train/explained_variance"] = 1 - unexplained

    def _gradient_step(
        self, network: nn.Sequential, optimizer: torch.optim.Optimizer, loss: Tensor
    ) -> None:
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(network.parameters(), self.config.ppo.max_grad_norm)
        optimizer.step()

    def _update_followers(self) -> None:
        """Update what follows the policy: the average, the magnet and the opponent pool."""
        ppo = self.config.ppo
        polyak_update(self.average.network, self._actor, self.config.polyak_tau, self.updates)
        if ppo.magnet_tau is not None:
            polyak_update(self._magnet.network, self._actor, ppo.magnet_tau, self.updates)
        if ppo.magnet == "periodic" and self.updates % ppo.magnet_update_interval == 0:
            self._magnet.restore(self.agent.state())
        if self.pool.add_snapshot_if_due(self.steps):
            self.collector.set_pool(self.pool)

    # Saving.

    def save_agent(self, path: Path) -> None:
        """Write the average policy as a network that ``sabacc_agents`` plays."""
        network = self.saved_network(self.average)
        save_network(path, network.weights, network.info, network.extractor)

    def saved_network(self, agent: PolicyAgent) -> Network:
        """Return a policy of the run as it is saved."""
        config = self.config
        seats = tuple(dict.fromkeys(players for _, players in config.games))
        record = config.training_record(self.steps)
        rules = config.all_rules if config.rule_space is None else (config.rule_set,)
        any_rules = config.rule_space is not None
        info = NetworkInfo(
            rules,
            seats,
            config.bet_sizes,
            "relu",
            record,
            any_rules,
            self.inputs.recalled_decisions,
        )
        weights = {
            name: weight.cpu().numpy() for name, weight in layer_weights(agent.network).items()
        }
        return Network(weights, info, self.inputs.extractor)

    def state(self) -> dict[str, Any]:
        """Return everything that ``restore`` needs to continue as if there had been no stop."""
        return {
            "precision": self._compute.precision,
            "steps": self.steps,
            "updates": self.updates,
            "actor": dict(self._actor.state_dict()),
            "critic": dict(self._critic.state_dict()),
            "actor_optimizer": self._actor_optimizer.state_dict(),
            "critic_optimizer": self._critic_optimizer.state_dict(),
            "average": self.average.state(),
            "magnet": self._magnet.state(),
            "pool": self.pool.state(),
            "collector": self.collector.state(),
            "carried_over": self._buffer.decisions.state(),
            "rng": self._rng.bit_generator.state,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from a ``state`` of a trainer of the same configuration and precision."""
        self.steps, self.updates = state["steps"], state["updates"]
        self._actor.load_state_dict(state["actor"])
        self._critic.load_state_dict(state["critic"])
        self._actor_optimizer.load_state_dict(state["actor_optimizer"])
        self._critic_optimizer.load_state_dict(state["critic_optimizer"])
        self.average.restore(state["average"])
        self._magnet.restore(state["magnet"])
        self.pool.restore(state["pool"])
        self.collector.set_pool(self.pool)
        self.collector.restore(state["collector"])
        self._buffer.begin(Decisions.restored(state["carried_over"]))
        self._rng.bit_generator.state = state["rng"]


def _normalised(advantages: NDArray[np.float32]) -> Tensor:
    return torch.from_numpy((advantages - advantages.mean()) / (advantages.std() + 1e-8))
