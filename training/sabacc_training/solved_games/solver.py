"""Solving a game: iterations until the strategies are close enough to an equilibrium."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray
from sabacc_agents.equilibrium import Policy

from sabacc_env.errors import SabaccError
from sabacc_env.storage.checksums import pack_with_checksum, unpack_checked
from sabacc_env.storage.files import write_bytes
from sabacc_training.jobs.stopping import StoppedBySignal, stop_signals
from sabacc_training.solved_games.best_response import Distance, distance
from sabacc_training.solved_games.cfr import Regrets
from sabacc_training.solved_games.game_tree import Floats, GameTree
from sabacc_training.solved_games.suit_isomorphism import suits_alike

FORMAT: Final = b"sabacc-env solver checkpoint 1\n"
"""The first line of a checkpoint; the number changes when the rest does."""

KEEP_SECONDS: Final = 60
"""How often a checkpoint is written."""

FIRST_MEASURED: Final = 10
MEASURED_AGAIN: Final = 1.2
"""NashConv is measured after so many iterations, then when they are so many times as many."""


class Watcher(Protocol):
    """Who is told how a solver gets on."""

    def measured(self, iterations: int, nash_conv: float) -> None:
        """Hear how far the average strategy is from an equilibrium after so many iterations."""
        ...


@dataclass(frozen=True)
class Solution:
    """A game solved as far as it was asked for.

    Attributes:
        tree: the game.
        strategy: (choices,) what is played in it, and the chances.
        distance: how far that is from an equilibrium.
        iterations: how many it took.
        variant: by which variant of CFR.
    """

    tree: GameTree
    strategy: Floats
    distance: Distance
    iterations: int
    variant: str

    def policy(self) -> Policy:
        """Return the strategy as agents play it (``sabacc_agents.equilibrium``)."""
        states, rung = self.tree.states, self.tree.rung
        rising = np.argsort(states.keys)
        widths = np.diff(states.first)
        first = np.zeros(len(widths) + 1, np.int32)
        np.cumsum(widths[rising], out=first[1:])
        choices = np.repeat(states.first[:-1][rising] - first[:-1], widths[rising])
        choices += np.arange(len(choices), dtype=np.int32)
        arrays: dict[str, NDArray[Any]] = {
            "keys": states.keys[rising],
            "first": first,
            "actions": states.actions[choices],
            "probabilities": self.strategy[choices],
        }
        alike = suits_alike(rung.rule_set)
        return Policy(
            rung.rule_set, rung.num_players, rung.bet_sizes, alike, arrays, self.summary()
        )

    def summary(self) -> dict[str, Any]:
        """Return what came out, as plain data; amounts in antes of the unit."""
        return {
            "nodes": len(self.tree.nodes.seats),
            "information states": len(self.tree.states.seats),
            "variant": self.variant,
            "iterations": self.iterations,
            "nash_conv": self.distance.nash_conv,
            "values": list(self.distance.values),
        }


def solve(
    tree: GameTree,
    *,
    variant: str = "cfr+",
    target: float = 0.001,
    most: int = 100_000,
    checkpoint: Path | None = None,
    resume: bool = False,
    watcher: Watcher | None = None,
) -> Solution:
    """Iterate until NashConv is below a target.

    With three players or more no method is known to reach an equilibrium; where the target is not
    reached the solution is what ``most`` iterations came to.

    Args:
        tree: the game.
        variant: one of ``cfr.VARIANTS``.
        target: NashConv in antes of the unit.
        most: iterations at most.
        checkpoint: a file to go on from: written now and then, and when told to stop.
        resume: go on from that file, as if there had been no stop.
        watcher: is told how it gets on.

    Raises:
        SabaccError: for a checkpoint of another game, or none to resume.
        StoppedBySignal: on SIGINT or SIGTERM, after the checkpoint is written.
    """
    regrets = Regrets(tree, variant)
    if resume and checkpoint is not None:
        _restore(regrets, checkpoint)
    kept = time.monotonic()
    with stop_signals() as told:
        while True:
            until = min(most, _next_measured(regrets.iterations))
            while regrets.iterations < until and not told:
                regrets.iterate()
                if checkpoint is not None and time.monotonic() - kept > KEEP_SECONDS:
                    _keep(regrets, checkpoint)
                    kept = time.monotonic()
            if told:
                if checkpoint is not None:
                    _keep(regrets, checkpoint)
                raise StoppedBySignal
            strategy = regrets.average()
            reached = distance(tree, strategy)
            if watcher is not None:
                watcher.measured(regrets.iterations, reached.nash_conv)
            if reached.nash_conv < target or regrets.iterations >= most:
                return Solution(tree, strategy, reached, regrets.iterations, variant)


def _next_measured(iterations: int) -> int:
    """Return after how many iterations NashConv is measured next.

    >>> _next_measured(0), _next_measured(10), _next_measured(11)
    (10, 12, 12)
    """
    following = FIRST_MEASURED
    while following <= iterations:
        following = int(following * MEASURED_AGAIN)
    return following


def _header(regrets: Regrets) -> dict[str, Any]:
    return {
        "game": regrets.tree.rung.model_dump(mode="json"),
        "nodes": len(regrets.tree.nodes.seats),
        "variant": regrets.variant,
    }


def _keep(regrets: Regrets, checkpoint: Path) -> None:
    header = _header(regrets) | {"iterations": regrets.iterations}
    state = np.concatenate([regrets.regrets, regrets.sums]).tobytes()
    write_bytes(checkpoint, pack_with_checksum(FORMAT, header, state))


def _restore(regrets: Regrets, checkpoint: Path) -> None:
    try:
        header, state = unpack_checked(FORMAT, checkpoint.read_bytes())
    except FileNotFoundError:
        raise SabaccError(f"{checkpoint}: there is no checkpoint to resume from") from None
    except OSError as error:
        raise SabaccError(f"{checkpoint}: cannot be read ({error.strerror})") from None
    except SabaccError as error:
        raise SabaccError(f"{checkpoint}: cannot be resumed from; {error}") from None
    game = _header(regrets)
    if not isinstance(header, dict) or {key: header.get(key) for key in game} != game:
        raise SabaccError(f"{checkpoint}: is of another game or variant; start afresh elsewhere")
    iterations = header.get("iterations")
    choices = len(regrets.regrets)
    if type(iterations) is not int or iterations < 0 or len(state) != 2 * choices * 8:
        raise SabaccError(f"{checkpoint}: cannot be resumed from; it holds what no solver wrote")
    gathered = np.frombuffer(state).reshape(2, -1)
    if not np.isfinite(gathered).all():
        raise SabaccError(f"{checkpoint}: cannot be resumed from; it holds what is no number")
    regrets.resume(iterations, gathered[0], gathered[1])
