"""The rollout buffer: the learner's decisions, and the advantages of those in finished hands.

The networks learn from the decisions of finished hands. Those of unfinished hands are carried over:
they are the first rows of the next rollout.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sabacc_env.array_types import Bools, Ints
from sabacc_training.ppo.compute import Compute
from sabacc_training.ppo.gae import compute_advantages


@dataclass
class Decisions:
    """Some decisions of the learner, the earliest first: one row of each array for each decision.

    The tensors are on the device of the networks, the arrays in this machine's memory.

    Attributes:
        inputs: (n, size) ``NetworkInputs``, in the type of ``Compute``.
        action_masks: (n, num_actions) bool, the legal actions.
        actions: (n,) int64, the actions that were played.
        log_probs: (n,) float32, their log probabilities.
        tables: (n,) int64, the tables where they were played.
        seats: (n,) int64, the seats that played them.
        left_out: (n,) bool, those that nothing is learnt from (``Trembles``).
    """

    inputs: Tensor
    action_masks: Tensor
    actions: Tensor
    log_probs: Tensor
    tables: Ints
    seats: Ints
    left_out: Bools

    @classmethod
    def empty(cls, count: int, size: int, num_actions: int, compute: Compute) -> Decisions:
        """Return rows to be written."""
        device = compute.device
        return cls(
            inputs=torch.zeros((count, size), dtype=compute.dtype, device=device),
            action_masks=torch.zeros((count, num_actions), dtype=torch.bool, device=device),
            actions=torch.zeros(count, dtype=torch.int64, device=device),
            log_probs=torch.zeros(count, device=device),
            tables=np.zeros(count, np.int64),
            seats=np.zeros(count, np.int64),
            left_out=np.zeros(count, np.bool_),
        )

    def __len__(self) -> int:
        return len(self.tables)

    def __getitem__(self, rows: slice | Ints) -> Decisions:
        """Return some of the rows: views for a slice, copies for indices."""
        return Decisions(*(array[_index(rows, array)] for array in vars(self).values()))

    def __setitem__(self, rows: slice | Ints, decisions: Decisions) -> None:
        for own, other in zip(vars(self).values(), vars(decisions).values(), strict=True):
            own[_index(rows, own)] = other

    def state(self) -> dict[str, Any]:
        """Return a copy of all rows, for ``restored``; a view would save the whole buffer."""
        return vars(self[np.arange(len(self))])

    @classmethod
    def restored(cls, state: dict[str, Any]) -> Decisions:
        """Return the rows of a ``state``."""
        older = {"left_out": np.zeros(len(state["tables"]), np.bool_)}
        return cls(**older | state)


def _index(rows: slice | Ints, array: Tensor | Ints | Bools) -> Any:
    """Return an index of rows that an array or a tensor takes."""
    indices = isinstance(rows, np.ndarray) and isinstance(array, Tensor)
    return torch.from_numpy(rows).to(array.device) if indices else rows


@dataclass(frozen=True)
class Rollout:
    """The decisions of finished hands, to learn from, and those that are carried over.

    Attributes:
        decisions: the decisions of finished hands: views, overwritten by the next rollout.
        advantages: (n,) float32, their generalised advantages.
        returns: (n,) float32, the sums of advantages and values: the targets of the critic.
        unfinished: the decisions of unfinished hands, which are carried over.
        dropped: the number of decisions of such hands that were dropped for lack of space.
    """

    decisions: Decisions
    advantages: NDArray[np.float32]
    returns: NDArray[np.float32]
    unfinished: Decisions
    dropped: int


class RolloutBuffer:
    """The decisions of one rollout, written step by step.

    Args:
        num_tables: number of tables.
        num_players: seats at the largest table.
        rollout_steps: the least number of decisions in a rollout.
        size: number of network inputs.
        num_actions: number of actions.
        compute: the device and type of the inputs.

    Attributes:
        carried_over: the number of rows that were carried over from the rollout before.
    """

    def __init__(
        self,
        num_tables: int,
        num_players: int,
        rollout_steps: int,
        size: int,
        num_actions: int,
        compute: Compute,
    ) -> None:
        self._rollout_steps = rollout_steps
        self._max_carried_over = rollout_steps  # hands of thousands of raises would fill memory
        capacity = self._max_carried_over + rollout_steps + num_tables
        self._storage = Decisions.empty(capacity, size, num_actions, compute)
        self._next_values = np.zeros((num_tables, num_players), np.float64)
        self._next_advantages = np.zeros_like(self._next_values)
        self.begin(self._storage[:0])

    def begin(self, unfinished: Decisions) -> None:
        """Begin a rollout with the decisions that are carried over."""
        self._count = self.carried_over = len(unfinished)
        self._storage[: self._count] = unfinished
        num_tables, num_players = self._next_values.shape
        self._step_begins = [0]
        self._finished = [np.zeros(num_tables, np.bool_)]
        self._rewards = [np.zeros((num_tables, num_players), np.float32)]

    @property
    def full(self) -> bool:
        """Whether the rollout has enough decisions."""
        return self._count - self.carried_over >= self._rollout_steps

    @property
    def decisions(self) -> Decisions:
        """All decisions so far, as views."""
        return self._storage[: self._count]

    def begin_step(self, count: int) -> Decisions:
        """Return the rows of the decisions of one step, to be written."""
        self._step_begins.append(self._count)
        self._count += count
        return self._storage[self._count - count : self._count]

    def end_step(self, finished: NDArray[np.bool_], rewards: NDArray[np.float32]) -> None:
        """Add copies of which hands ended in the step, (num_tables,), and of each seat's reward."""
        self._finished.append(finished)
        self._rewards.append(rewards)

    def compute_returns_and_advantages(
        self, values: NDArray[np.float32], gae_lambda: float
    ) -> Rollout:
        """Return the decisions of finished hands with their advantages and returns.

        Args:
            values: (rows,) the critic's value of each of ``decisions``.
            gae_lambda: lambda of the generalised advantage estimates.
        """
        decisions = self.decisions
        advantages = np.zeros(len(decisions), np.float32)
        complete = np.zeros(len(decisions), np.bool_)
        compute_advantages(
            decisions.tables,
            decisions.seats,
            values,
            np.array([*self._step_begins, self._count]),
            np.stack(self._finished),
            np.stack(self._rewards),
            gae_lambda,
            self._next_values,
            self._next_advantages,
            advantages,
            complete,
        )
        incomplete = np.flatnonzero(~complete)
        unfinished = decisions[incomplete[-self._max_carried_over :]]
        learnt = complete & ~decisions.left_out
        # The last rows to learn from move to the places of others: so the fewest are copied.
        order = np.arange(np.count_nonzero(learnt))
        free = np.flatnonzero(~learnt[: len(order)])
        order[free] = np.flatnonzero(learnt[len(order) :]) + len(order)
        decisions[free] = decisions[order[free]]
        return Rollout(
            decisions=decisions[: len(order)],
            advantages=advantages[order],
            returns=values[order] + advantages[order],
            unfinished=unfinished,
            dropped=len(incomplete) - len(unfinished),
        )
