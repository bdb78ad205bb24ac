"""Solving a game: iterations of CFR until NashConv is below a target."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray
from sabacc_agents.equilibrium import TabularPolicy

from sabacc_env.errors import SabaccError
from sabacc_env.storage.checksums import pack_with_checksum
from sabacc_env.storage.files import write_bytes
from sabacc_training.jobs.checkpoint_file import read_checkpoint
from sabacc_training.jobs.stopping import StoppedBySignal, stop_signals
from sabacc_training.solved_games.best_response import PolicyValues, policy_values
from sabacc_training.solved_games.cfr import CFRSolver
from sabacc_training.solved_games.game_tree import FloatArray, GameTree
from sabacc_training.solved_games.suit_isomorphism import suits_are_isomorphic

FORMAT: Final = b"sabacc-env solver checkpoint 1\n"
"""The first line of a checkpoint; its number changes with the format."""

CHECKPOINT_SECONDS: Final = 60
"""Seconds between two checkpoints."""

FIRST_EVALUATION: Final = 10
EVALUATION_GROWTH: Final = 1.2
"""NashConv is computed after the first number of iterations, and then whenever the number of
iterations has grown by this factor."""


class SolverCallback(Protocol):
    """Receives the progress of a solver."""

    def on_nash_conv(self, iterations: int, nash_conv: float) -> None:
        """Receive the NashConv of the average policy after some iterations."""
        ...


@dataclass(frozen=True)
class Solution:
    """The solution of a game.

    Attributes:
        tree: the game.
        policy: (sequences,) the average policy, with the probabilities of chance outcomes.
        values: its values, with its NashConv.
        iterations: the number of iterations.
        variant: the variant of CFR.
    """

    tree: GameTree
    policy: FloatArray
    values: PolicyValues
    iterations: int
    variant: str

    def to_policy(self) -> TabularPolicy:
        """Return the policy in the form that agents play (``sabacc_agents.equilibrium``)."""
        states, rung = self.tree.states, self.tree.rung
        order = np.argsort(states.hashes)
        widths = np.diff(states.first_sequence)[order]
        first = np.zeros(len(widths) + 1, np.int32)
        np.cumsum(widths, out=first[1:])
        sequences = np.repeat(states.first_sequence[:-1][order] - first[:-1], widths)
        sequences += np.arange(len(sequences), dtype=np.int32)
        arrays: dict[str, NDArray[Any]] = {
            "keys": states.hashes[order],
            "first": first,
            "actions": states.actions[sequences],
            "probabilities": self.policy[sequences],
        }
        isomorphic = suits_are_isomorphic(rung.rule_set)
        return TabularPolicy(
            rung.rule_set, rung.num_players, rung.bet_sizes, isomorphic, arrays, self.summary()
        )

    def summary(self) -> dict[str, Any]:
        """Return the results as plain data, in antes of the unit."""
        return {
            "nodes": len(self.tree.nodes.seats),
            "information states": len(self.tree.states.seats),
            "variant": self.variant,
            "iterations": self.iterations,
            "nash_conv": self.values.nash_conv,
            "values": list(self.values.on_policy),
        }


def solve(
    tree: GameTree,
    *,
    variant: str = "cfr+",
    target: float = 0.001,
    max_iterations: int = 100_000,
    checkpoint: Path | None = None,
    resume: bool = False,
    callback: SolverCallback | None = None,
) -> Solution:
    """Run CFR until NashConv is below a target, or for ``max_iterations``.

    With three players or more CFR need not converge to an equilibrium.

    Args:
        tree: the game.
        variant: one of ``cfr.VARIANTS``.
        target: NashConv in antes of the unit.
        max_iterations: the largest number of iterations.
        checkpoint: a file for the state, written from time to time and after a signal.
        resume: whether to continue from that file, as if there had been no stop.
        callback: receives the progress.

    Raises:
        SabaccError: for a missing checkpoint, or one of another game.
        StoppedBySignal: after SIGINT or SIGTERM; the checkpoint is written.
    """
    solver = CFRSolver(tree, variant)
    if resume and checkpoint is not None:
        _load_checkpoint(solver, checkpoint)
    saved_at = time.monotonic()
    with stop_signals() as stops:
        while True:
            until = min(max_iterations, _next_evaluation(solver.iterations))
            while solver.iterations < until and not stops:
                solver.iterate()
                if checkpoint is not None and time.monotonic() - saved_at > CHECKPOINT_SECONDS:
                    _save_checkpoint(solver, checkpoint)
                    saved_at = time.monotonic()
            if stops:
                if checkpoint is not None:
                    _save_checkpoint(solver, checkpoint)
                raise StoppedBySignal
            policy = solver.average_policy()
            values = policy_values(tree, policy)
            if callback is not None:
                callback.on_nash_conv(solver.iterations, values.nash_conv)
            if values.nash_conv < target or solver.iterations >= max_iterations:
                return Solution(tree, policy, values, solver.iterations, variant)


def _next_evaluation(iterations: int) -> int:
    """Return the number of iterations at which NashConv is computed next.

    >>> _next_evaluation(0), _next_evaluation(10), _next_evaluation(11)
    (10, 12, 12)
    """
    following = FIRST_EVALUATION
    while following <= iterations:
        following = int(following * EVALUATION_GROWTH)
    return following


def _header(solver: CFRSolver) -> dict[str, Any]:
    return {
        "game": solver.tree.rung.model_dump(mode="json"),
        "nodes": len(solver.tree.nodes.seats),
        "variant": solver.variant,
    }


def _save_checkpoint(solver: CFRSolver, checkpoint: Path) -> None:
    header = _header(solver) | {"iterations": solver.iterations}
    state = np.concatenate([solver.cumulative_regrets, solver.cumulative_policy]).tobytes()
    write_bytes(checkpoint, pack_with_checksum(FORMAT, header, state))


def _load_checkpoint(solver: CFRSolver, checkpoint: Path) -> None:
    header, state = read_checkpoint(checkpoint, FORMAT)
    expected = _header(solver)
    if {key: header.get(key) for key in expected} != expected:
        raise SabaccError(
            f"{checkpoint}: is of another game or variant; choose another output file"
        )
    iterations = header.get("iterations")
    size = 2 * solver.tree.num_sequences
    if type(iterations) is not int or iterations < 0 or len(state) != 8 * size:
        raise SabaccError(f"{checkpoint}: cannot be resumed from; it is damaged")
    cumulative = np.frombuffer(state).reshape(2, -1)
    if not np.isfinite(cumulative).all():
        raise SabaccError(
            f"{checkpoint}: cannot be resumed from; it holds values that are not finite"
        )
    solver.restore(iterations, cumulative[0], cumulative[1])
