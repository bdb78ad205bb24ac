"""The learner: networks, what they learn from, and the averaged policy that is saved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sabacc_agents.loading import load
from sabacc_agents.networks.network import NetworkInfo, named_layers, save_network
from torch import Tensor

from sabacc_env.agent import Agent
from sabacc_env.engine.action_layout import num_actions
from sabacc_env.errors import SabaccError
from sabacc_env.tables import Tables
from sabacc_training.config.run import check_threads, linear
from sabacc_training.ppo.collector import Collector, tables_of
from sabacc_training.ppo.config import PPOConfig
from sabacc_training.ppo.cpu import device_of
from sabacc_training.ppo.kernels import Objective
from sabacc_training.ppo.mlp import Learnt, Made, Mlp
from sabacc_training.ppo.network_inputs import Inputs
from sabacc_training.ppo.policy import Player, whole_forward
from sabacc_training.ppo.profiler import Clock
from sabacc_training.ppo.rollout_buffer import Batch, Closed, Rows
from sabacc_training.ppo.seat_assignment import ForEachGame
from sabacc_training.ppo.teachers import Teachers
from sabacc_training.runs.opponent_pool import Pool


class FastLearner:
    """Everything that a run of the fast trainer changes while it runs, and can go on from.

    Args:
        config: the run.
        tables: makes the tables that it plays at.
        precision: what matrices are multiplied in; by default what the configuration says.

    Attributes:
        agent: the policy as it is now.
        average: the policy that is saved: the moving average of the learner's weights.
        clock: where the time went.
        figures: what the last update says about itself, by name.
    """

    def __init__(
        self,
        config: PPOConfig,
        tables: Callable[[PPOConfig], Tables] = tables_of,
        precision: str | None = None,
    ) -> None:
        check_threads(config.threads)
        torch.set_num_threads(1)
        # What Adam remembers of inputs that no longer vary decays to denormal numbers, which take
        # twenty times as long.
        torch.set_flush_denormal(True)
        self.config = config
        learning = config.ppo
        self.clock = Clock()
        self.figures: dict[str, float] = {}
        self._made = Made.named(config.device, precision or learning.precision)
        most_players = max(players for _, players in config.games)
        self.inputs = Inputs(config.all_rules, most_players, learning.critic_input)
        generator = torch.Generator().manual_seed(config.seed)
        actor = self._network(self.inputs.policy_size, num_actions(config.bet_sizes))
        actor.start(generator, 0.01)
        critic = self._network(self.inputs.size, 1)
        critic.start(generator, 1.0)
        self._actor = Learnt(actor, learning.max_grad_norm)
        self._critic = Learnt(critic, learning.max_grad_norm)
        self._device = device_of(self._made, config.threads)
        self.agent = Player(actor, self.inputs, self._device)
        self.average = self.agent.frozen()
        self._magnet = self.average if learning.magnet == "moving_average" else self.agent.frozen()
        self._teachers = Teachers(config, self.inputs.outlook, self._device)
        self.pool = Pool(config, self.agent, self._built)
        self.collector = Collector(
            config, tables(config), self.inputs, self.agent, self.pool, self._device, self.clock
        )
        self._batch = Batch(
            learning.num_tables,
            most_players,
            learning.rollout_steps,
            self.inputs.size,
            self._made,
        )
        self._rng = np.random.default_rng([config.seed, 3])
        self.steps = 0
        self.updates = 0

    def _network(self, taken: int, given: int) -> Mlp:
        return Mlp((taken, *self.config.ppo.hidden_sizes, given), self._made)

    def _built(self, spec: str) -> Agent:
        """Return an agent for all tables of the run from what a user writes."""
        config, games = self.config, self.config.games
        if len(games) == 1:
            return load(spec, *games[0], config.bet_sizes)
        game_of = np.arange(config.ppo.num_tables) % len(games)
        return ForEachGame(spec, games, config.bet_sizes, game_of)

    @property
    def progress(self) -> float:
        """The share of the run that is done."""
        return min(1.0, self.steps / self.config.steps)

    # An update.

    def update(self) -> None:
        """Play, learn from the hands that are over, and move on what follows the policy."""
        self.collector.fill(self._batch, self.progress)
        rows = self._batch.rows
        gathered = len(rows) - self._batch.waiting
        with self.clock.on("values"):
            found = whole_forward(self._critic.network, rows.shown, self._device)
            values = found[:, 0].cpu().numpy()
        with self.clock.on("advantages"):
            closed = self._batch.close(values, self.config.ppo.gae_lambda)
        self.figures["train/let_go"] = closed.let_go / gathered
        if len(closed.rows):
            self._learn(closed)
        self._batch.go_on(closed.waiting)
        self.steps += gathered
        self.updates += 1
        if not bool(self._actor.network.weights.isfinite().all()):
            raise SabaccError(
                f"training: the policy's weights ceased to be finite in update {self.updates}; "
                "a smaller ppo.learning_rate may keep them so"
            )
        self._follow()

    def _learn(self, closed: Closed) -> None:
        rate = linear(self.config.ppo.learning_rate, self.progress)
        epochs = self.config.ppo.n_epochs
        orders = [self._rng.permutation(self._parts(closed.rows)) for _ in range(epochs)]
        magnet = self._magnet_logs(closed.rows)
        self._device.workers.together(
            lambda: self._learn_policy(closed, magnet, orders, rate),
            lambda: self._learn_values(closed, orders, rate),
        )

    def _magnet_logs(self, rows: Rows) -> Tensor:
        """Return the logarithms of the magnet's probabilities; without rows where there is none."""
        learning = self.config.ppo
        if learning.magnet == "none" or not learning.kl_coef:
            return torch.zeros((0, self._actor.network.sizes[-1]), device=self._made.device)
        with self.clock.on("magnet"):
            if learning.magnet == "teachers":
                return self._teachers.logs(rows, self.collector.tables)
            return self._magnet.logs(rows)

    def _parts(self, rows: Rows) -> NDArray[np.int64]:
        """Return the bounds of minibatches, (count, 2): runs of rows, for that copies nothing.

        Consecutive rows are decisions at as many tables, each at another point of its hand. All
        are of one length, so they overlap a little or leave some out: for each number of rows that
        is new, matrix products are compiled anew.
        """
        length = min(self.config.ppo.minibatch_size, len(rows))
        begins = np.linspace(0, len(rows) - length, round(len(rows) / length)).astype(np.int64)
        return np.stack([begins, begins + length], axis=1)

    def _pieces(self, begin: int, end: int) -> Iterator[slice]:
        """Yield the rows of a minibatch as many at once as are fastest."""
        at_once = self._made.at_once
        for first in range(begin, end, at_once):
            yield slice(first, min(first + at_once, end))

    def _learn_policy(
        self, closed: Closed, magnet: Tensor, orders: list[NDArray[np.int64]], rate: float
    ) -> None:
        learning, rows, device = self.config.ppo, closed.rows, self._device
        normal = (closed.gains - closed.gains.mean()) / (closed.gains.std() + 1e-8)
        gains = torch.from_numpy(normal).to(self._made.device)
        entropy = linear(learning.ent_coef, self.progress)
        objective = Objective(learning.clip_range, entropy, learning.kl_coef)
        sums, learnt = torch.zeros(4, dtype=torch.float64, device=self._made.device), 0
        with self.clock.on("learning the policy"):
            for begin, end in np.concatenate(orders):
                learnt += end - begin
                for some in self._pieces(begin, end):
                    part = rows[some]
                    shown = part.shown[:, : self.inputs.policy_size]
                    logs = self._actor.network.forward(shown).float()
                    device.log_softmax(logs, part.legal)
                    slopes = device.policy_slopes(
                        logs, part, gains[some], magnet[some], objective, 1 / (end - begin), sums
                    )
                    self._actor.network.backward(slopes.to(self._made.precision))
                self._actor.step(rate)
        means = (sums / learnt).tolist()
        names = ("entropy", "divergence_from_magnet", "clipped", "divergence")
        self.figures.update(
            {f"train/{name}": mean for name, mean in zip(names, means, strict=True)}
        )
        self.figures["train/entropy_weight"] = entropy
        self.figures["train/learning_rate"] = rate

    def _learn_values(self, closed: Closed, orders: list[NDArray[np.int64]], rate: float) -> None:
        returns = torch.from_numpy(closed.returns).to(self._made.device)
        rows = closed.rows
        with self.clock.on("learning the values"):
            for begin, end in np.concatenate(orders):
                for some in self._pieces(begin, end):
                    found = self._critic.network.forward(rows.shown[some])
                    slopes = (found[:, 0].float() - returns[some]) * (2 / (end - begin))
                    self._critic.network.backward(slopes[:, None].to(*self._made))
                self._critic.step(rate)
        spread = float(returns.var())
        unexplained = float(np.var(closed.gains)) / spread if spread else 1.0
        self.figures["train/explained"] = 1 - unexplained

    def _follow(self) -> None:
        """Move on what follows the policy: average, magnet, pool.

        The average starts as the mean of all updates and becomes a moving one.
        """
        average, current = self.average.network, self.agent.network
        average.weights.lerp_(current.weights, max(self.config.polyak_tau, 1 / self.updates))
        average.settle()
        learning = self.config.ppo
        if learning.magnet == "periodic" and self.updates % learning.magnet_update_interval == 0:
            self._magnet.restore(self.agent.state())
        if self.pool.grow(self.steps):
            self.collector.follow(self.pool)

    # Keeping.

    def save_agent(self, path: Path) -> None:
        """Write the averaged policy as a network that ``sabacc_agents`` plays."""
        config = self.config
        training = config.told_after(self.steps)
        network = self.average.network
        seats = tuple(dict.fromkeys(players for _, players in config.games))
        info = NetworkInfo(config.all_rules, seats, config.bet_sizes, "relu", training)
        layers = named_layers(network.parts(network.weights))
        save_network(path, layers, info, self.inputs.outlook)

    def state(self) -> dict[str, Any]:
        """Return all of it, for ``restore``: what follows is then as if there had been no stop."""
        return {
            "precision": self._made.precision_name,
            "steps": self.steps,
            "updates": self.updates,
            "actor": self._actor.state(),
            "critic": self._critic.state(),
            "average": self.average.state(),
            "magnet": self._magnet.state(),
            "pool": self.pool.state(),
            "collector": self.collector.state(),
            "waiting": self._batch.rows.state(),
            "rng": self._rng.bit_generator.state,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from a ``state`` of a learner of the same configuration and precision."""
        self.steps, self.updates = state["steps"], state["updates"]
        self._actor.restore(state["actor"])
        self._critic.restore(state["critic"])
        self.average.restore(state["average"])
        self._magnet.restore(state["magnet"])
        self.pool.restore(state["pool"])
        self.collector.follow(self.pool)
        self.collector.restore(state["collector"])
        self._batch.go_on(Rows.restored(state["waiting"]))
        self._rng.bit_generator.state = state["rng"]
