"""The learner's decisions as rows: what was shown, what was played, when its hand ended.

Decisions are learnt from when their hand is over. Those of hands that are not wait: they are the
first rows of the next update.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sabacc_training.ppo.kernels import advantages
from sabacc_training.ppo.mlp import Made

Ints = NDArray[np.int64]


@dataclass
class Rows:
    """Some decisions, the earliest first, an entry of each array for each.

    What is learnt from is where networks are, the rest in this machine's memory.

    Attributes:
        shown: (n, size) what the networks are shown (``Inputs``), in the precision of matrices.
        legal: (n,) int64, legal actions as bits.
        actions: (n,) int64, what was played.
        log_chances: (n,) float32, the logarithm of its probability.
        tables, seats: (n,) int64, where and by whom.
    """

    shown: Tensor
    legal: Tensor
    actions: Tensor
    log_chances: Tensor
    tables: Ints
    seats: Ints

    @classmethod
    def room_for(cls, count: int, size: int, made: Made) -> Rows:
        """Return rows to be written."""
        device = made.device
        legal, actions = (torch.zeros(count, dtype=torch.int64, device=device) for _ in range(2))
        return cls(
            shown=torch.zeros((count, size), dtype=made.precision, device=device),
            legal=legal,
            actions=actions,
            log_chances=torch.zeros(count, device=device),
            tables=np.zeros(count, np.int64),
            seats=np.zeros(count, np.int64),
        )

    def __len__(self) -> int:
        return len(self.tables)

    def __getitem__(self, which: slice | Ints) -> Rows:
        """Return some of the rows: of a slice views, of indices copies."""
        return Rows(*(part[_index(which, part)] for part in vars(self).values()))

    def __setitem__(self, which: slice | Ints, rows: Rows) -> None:
        for own, other in zip(vars(self).values(), vars(rows).values(), strict=True):
            own[_index(which, own)] = other

    def state(self) -> dict[str, Any]:
        """Return a copy of all of it, for ``restored``; of a view the whole room would be kept."""
        return vars(self[np.arange(len(self))])

    @classmethod
    def restored(cls, state: dict[str, Any]) -> Rows:
        """Return the rows of a ``state``."""
        return cls(**state)


def _index(which: slice | Ints, part: Tensor | Ints) -> Any:
    """Return which rows are meant, as an array's or a tensor's own index."""
    indices = isinstance(which, np.ndarray) and isinstance(part, Tensor)
    return torch.from_numpy(which).to(part.device) if indices else which


class Batch:
    """The rows of one update, written step by step.

    Args:
        num_tables, num_players: of the tables.
        decisions: rows to be gathered, at least.
        size: how many numbers stand for a decision.
        made: where these are, and in what precision.

    Attributes:
        waiting: how many of the rows were there when it began.
    """

    def __init__(
        self, num_tables: int, num_players: int, decisions: int, size: int, made: Made
    ) -> None:
        self._decisions = decisions
        self._most_waiting = decisions  # in hands of thousands of raises the first are let go
        self._room = Rows.room_for(decisions + num_tables + self._most_waiting, size, made)
        self._firsts: list[int] = []
        self._ends: list[NDArray[np.bool_]] = []
        self._rewards: list[NDArray[np.float32]] = []
        self._coming = np.zeros((num_tables, num_players), np.float64)
        self._gains = np.zeros_like(self._coming)
        self._begin(self._room[:0])

    def _begin(self, waiting: Rows) -> None:
        """Begin with the rows that wait for the end of their hands."""
        self._count = self.waiting = len(waiting)
        self._room[: self._count] = waiting
        none = np.zeros(len(self._coming), np.bool_), np.zeros(self._coming.shape, np.float32)
        self._firsts, self._ends, self._rewards = [0], [none[0]], [none[1]]

    @property
    def full(self) -> bool:
        """Whether enough decisions were gathered."""
        return self._count - self.waiting >= self._decisions

    def place(self, count: int) -> Rows:
        """Return the rows of the decisions of one step, to be written."""
        self._firsts.append(self._count)
        self._count += count
        return self._room[self._count - count : self._count]

    def close_step(self, ends: NDArray[np.bool_], rewards: NDArray[np.float32]) -> None:
        """Note which hands a step ended, (num_tables,), and what each seat won in them, copies."""
        self._ends.append(ends)
        self._rewards.append(rewards)

    @property
    def rows(self) -> Rows:
        """All rows so far; views."""
        return self._room[: self._count]

    def close(self, values: NDArray[np.float32], decay: float) -> Closed:
        """Return what can be learnt from, and begin anew with what waits.

        Args:
            values: (rows,) what a critic expected at each of ``rows``.
            decay: lambda of the generalised advantage estimate.
        """
        rows = self.rows
        gains, closed = np.zeros(len(rows), np.float32), np.zeros(len(rows), np.bool_)
        advantages(
            rows.tables,
            rows.seats,
            values,
            np.array([*self._firsts, self._count]),
            np.stack(self._ends),
            np.stack(self._rewards),
            decay,
            self._coming,
            self._gains,
            gains,
            closed,
        )
        unfinished = np.flatnonzero(~closed)
        waiting = rows[unfinished[-self._most_waiting :]]
        # The last of the closed rows take the places of open ones: so the fewest are copied.
        kept = np.arange(np.count_nonzero(closed))
        open_places = np.flatnonzero(~closed[: len(kept)])
        kept[open_places] = np.flatnonzero(closed[len(kept) :]) + len(kept)
        rows[open_places] = rows[kept[open_places]]
        returns = values[kept] + gains[kept]
        let_go = len(unfinished) - len(waiting)
        return Closed(rows[: len(kept)], gains[kept], returns, waiting, let_go)

    def go_on(self, waiting: Rows) -> None:
        """Begin the next update with the rows that wait."""
        self._begin(waiting)


@dataclass(frozen=True)
class Closed:
    """Decisions of hands that are over.

    Attributes:
        rows: the decisions, views that ``Batch.go_on`` overwrites.
        gains: (n,) their advantages.
        returns: (n,) what the critic ought to have expected.
        waiting: the decisions of hands that are not over.
        let_go: how many decisions of such hands will never be learnt from, for want of room.
    """

    rows: Rows
    gains: NDArray[np.float32]
    returns: NDArray[np.float32]
    waiting: Rows
    let_go: int
