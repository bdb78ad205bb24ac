"""A comparison of our CFR solver with OpenSpiel's.

    python -m sabacc_training.solved_games.openspiel_comparison NAME...

Prints a line of JSON for each rung: the NashConv of one policy by both libraries, the value of the
game by OpenSpiel's sequence-form linear program (for two seats, where memory holds it, and with
its solver ``ecos``, of which there is none for Python 3.14), and the
time of an iteration of CFR+ in both, OpenSpiel's over its own copy of the tree in C++. Needs the
extra ``openspiel``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib.util import find_spec
from statistics import median
from typing import Any, Final

import pyspiel

from sabacc_training.jobs.stopwatch import Stopwatch
from sabacc_training.solved_games.best_response import policy_values
from sabacc_training.solved_games.cfr import CFRSolver
from sabacc_training.solved_games.game_tree import GameTree, flatten
from sabacc_training.solved_games.openspiel import openspiel_game, openspiel_policy
from sabacc_training.solved_games.rung import load_rung

ITERATIONS: Final = 20
"""Iterations before both libraries measure the average policy."""

ROUNDS: Final = 5
ITERATIONS_PER_ROUND: Final = 200
"""Iterations of our solver in a round; OpenSpiel's solver does one."""

MAX_PROGRAM_STATES: Final = 10_000
"""The largest number of information states for OpenSpiel's linear program. Its matrices are dense:
they took 11 GiB with 8,775 information states and more than 24 GiB with 20,040."""


def compare(tree: GameTree) -> dict[str, Any]:
    """Return the results of both solvers for a game; seconds are medians of alternating rounds."""
    game = openspiel_game(tree)
    ours = CFRSolver(tree)
    ours.iterate(ITERATIONS)
    policy = ours.average_policy()
    theirs = pyspiel.CFRPlusSolver(pyspiel.convert_to_cached_tree(game))
    our_seconds, their_seconds = [], []
    for _ in range(ROUNDS):
        our_seconds.append(
            _seconds(lambda: ours.iterate(ITERATIONS_PER_ROUND)) / ITERATIONS_PER_ROUND
        )
        their_seconds.append(_seconds(theirs.evaluate_and_update_policy))
    ratios = sorted(b / a for a, b in zip(our_seconds, their_seconds, strict=True))
    is_small = tree.num_players == 2 and len(tree.states.seats) <= MAX_PROGRAM_STATES
    return {
        "rung": tree.rung.name,
        "nodes": len(tree.nodes.seats),
        "nash_conv": policy_values(tree, policy).nash_conv,
        "openspiel_nash_conv": pyspiel.nash_conv(game, openspiel_policy(tree, policy), False),
        "openspiel_value": _value(game) if is_small and find_spec("ecos") else None,
        "seconds": median(our_seconds),
        "openspiel_seconds": median(their_seconds),
        "ratio": median(ratios),
        "ratio_min": ratios[0],
        "ratio_max": ratios[-1],
    }


def _value(game: Any) -> float:
    """Return the first seat's value by OpenSpiel's linear program."""
    from open_spiel.python.algorithms import sequence_form_lp

    return float(sequence_form_lp.solve_zero_sum_game(game)[0])


def _seconds(work: Callable[[], Any]) -> float:
    with Stopwatch() as taken:
        work()
    return taken.cpu


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(json.dumps(compare(flatten(load_rung(name)))), flush=True)
