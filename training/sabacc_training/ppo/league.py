"""A league: a learner, and exploiters that learn best responses to it while it learns.

In self-play alone a policy stops meeting what it once drove out, and forgets the answer. Exploiters
look for whatever wins against the current policy, and the learner meets it at once: cold ones from
random weights, warm ones from the learner's own. A learner that follows the gradient of its value
against best responses comes to an equilibrium of two seats (exploitability descent, Lockhart et al.
2019); exploiters stand for these best responses, as in the league of AlphaStar.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sabacc_training.ppo.config import PPOConfig
from sabacc_training.ppo.trainer import PPOTrainer
from sabacc_training.runs.opponent_pool import OpponentPool


class Exploiter(PPOTrainer):
    """Learns to play against a learner, and nobody else.

    Args:
        config: its run.
        learner: the learner; schedules follow its progress.
        precision: the precision of matrix products.
    """

    def __init__(self, config: PPOConfig, learner: PPOTrainer, precision: str) -> None:
        self._learner = learner
        super().__init__(config, precision=precision)

    @property
    def progress(self) -> float:
        """The fraction of the learner's run that is done."""
        return self._learner.progress

    def _make_pool(self) -> OpponentPool:
        opponents = [self._learner.agent.with_own_memory()]
        return OpponentPool(self.config, self.agent, self._make_opponent, opponents, 1.0)


class WarmExploiter(Exploiter):
    """Begins as the learner, and anew as the learner's average policy from time to time."""

    def __init__(self, config: PPOConfig, learner: PPOTrainer, precision: str) -> None:
        super().__init__(config, learner, precision)
        self._begin_as_learner()

    def update(self) -> None:
        """Update, and begin anew if it is time. The critic stays as it is."""
        warm_steps = self._learner.config.league.warm_steps
        lives = self.steps // warm_steps
        super().update()
        if self.steps // warm_steps > lives:
            self._begin_as_learner()

    def _begin_as_learner(self) -> None:
        self.agent.restore(self._learner.average.state())
        self._actor_optimizer.state.clear()


class LeagueTrainer(PPOTrainer):
    """The learner of a run with exploiters; as ``PPOTrainer``.

    Attributes:
        exploiters: the exploiters.
    """

    exploiters: list[Exploiter]

    def _make_pool(self) -> OpponentPool:
        league = self.config.league
        kinds = [Exploiter] * league.cold + [WarmExploiter] * league.warm
        self.exploiters = [
            kind(self.config.exploiter(index), self, self._compute.precision)
            for index, kind in enumerate(kinds)
        ]
        # Exploiters explore where they learn. As opponents they play as well as they can.
        rivals = [exploiter.agent.greedy() for exploiter in self.exploiters]
        return OpponentPool(self.config, self.agent, self._make_opponent, rivals, league.share)

    def update(self) -> None:
        """Update all exploiters, then the learner."""
        for index, exploiter in enumerate(self.exploiters):
            with self.profiler.section("exploiters"):
                exploiter.update()
            for name, value in exploiter.metrics.items():
                self.metrics[f"exploiter_{index}/{name}"] = value
        super().update()

    def state(self) -> dict[str, Any]:
        """Return everything that ``restore`` needs to continue as if there had been no stop."""
        exploiters = [exploiter.state() for exploiter in self.exploiters]
        return super().state() | {"exploiters": exploiters}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from a ``state`` of a trainer of the same configuration and precision."""
        super().restore(state)
        for exploiter, its_state in zip(self.exploiters, state["exploiters"], strict=True):
            exploiter.restore(its_state)


def make_ppo_trainer(config: PPOConfig, precision: str | None = None) -> PPOTrainer:
    """Return the trainer of a run: with exploiters if the configuration says so.

    Args:
        config: the run.
        precision: the precision of matrix products; by default the one of the configuration.
    """
    kind = LeagueTrainer if config.league.exploiters else PPOTrainer
    return kind(config, precision=precision)
