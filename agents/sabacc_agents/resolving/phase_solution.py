"""The solution of a betting phase: what a seat does at each of its turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from sabacc_agents.resolving.bet_tree import BetTree
from sabacc_agents.resolving.cfr import Solution
from sabacc_env.array_types import Ints


class TurnStrategy(NamedTuple):
    """What a seat does at a turn.

    Attributes:
        actions: (n,) the discrete actions.
        policy: (n, classes) their probabilities.
        class_of: (ranks,) the class of each rank of hands.
    """

    actions: Ints
    policy: NDArray[np.float64]
    class_of: Ints


@dataclass(frozen=True)
class PhaseSolution:
    """The average strategies of both seats in a betting phase.

    Attributes:
        rows: (nodes,) the row of each node in the other arrays; -1 at an end.
        counts: (rows,) how many moves there are.
        children: (rows, moves) the nodes after them.
        codes: (rows, moves) their codes.
        actions: (rows, moves) their actions in the discrete layout.
        policy: (rows, moves, classes) float16.
        class_of: (ranks,) the class of each rank of hands.
    """

    rows: Ints
    counts: Ints
    children: Ints
    codes: Ints
    actions: Ints
    policy: NDArray[np.float16]
    class_of: Ints

    @classmethod
    def of(cls, tree: BetTree, solution: Solution, class_of: Ints) -> Self:
        """Copy what is needed of a solution."""
        counts = tree.counts[: int(tree.size[0])]
        inner = np.flatnonzero(counts)
        rows = np.full(len(counts), -1)
        rows[inner] = np.arange(len(inner))
        most = int(counts.max())
        return cls(
            rows.astype(np.int16),
            counts[inner],
            tree.children[inner, :most].astype(np.int16),
            tree.codes[inner, :most].astype(np.int64),
            tree.actions[inner, :most].astype(np.int8),
            solution.sums[tree.children[inner, :most]].astype(np.float16),
            class_of.astype(np.int16),
        )

    def after(self, path: Sequence[int]) -> TurnStrategy | int:
        """Return what the seat does after some moves, or how many of them the tree has."""
        row = 0
        for number, code in enumerate(path):
            place = np.flatnonzero(self.codes[row, : self.counts[row]] == code)
            if not len(place):
                return number
            row = int(self.rows[self.children[row, place[0]]])
        count = int(self.counts[row])
        policy = self.policy[row, :count].astype(np.float64)
        return TurnStrategy(self.actions[row, :count].astype(np.int64), policy, self.class_of)
