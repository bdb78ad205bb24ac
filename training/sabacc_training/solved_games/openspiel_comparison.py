"""Our solver beside OpenSpiel's, in one run.

    python -m sabacc_training.solved_games.openspiel_comparison NAME

For each rung named: NashConv of one strategy by both, the value by OpenSpiel's sequence-form linear
program where two seats play and memory holds it, and how long an iteration of CFR+ takes in both,
OpenSpiel's in C++ over a Python game.
Needs the extra ``openspiel``. Prints a line of JSON a rung.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from statistics import median
from typing import Any, Final

import pyspiel

from sabacc_training.jobs.stopwatch import Stopwatch
from sabacc_training.solved_games.best_response import distance
from sabacc_training.solved_games.cfr import Regrets
from sabacc_training.solved_games.game_tree import GameTree, flatten
from sabacc_training.solved_games.openspiel import openspiel_game, tabular
from sabacc_training.solved_games.rung import load_rung

ITERATIONS: Final = 20
"""After so many iterations both measure the average strategy."""

ROUNDS: Final = 5
OURS_A_ROUND: Final = 200

LARGEST_PROGRAM: Final = 10_000
"""The information states up to which OpenSpiel's linear program is asked for: its matrices are
dense, and took 11 GiB at 8,775 information states and more than 24 at 20,040."""


def compare(tree: GameTree) -> dict[str, Any]:
    """Return what both solvers say of a game; times in seconds, medians of alternating rounds."""
    game = openspiel_game(tree)
    regrets = Regrets(tree)
    regrets.iterate(ITERATIONS)
    strategy = regrets.average()
    theirs = pyspiel.CFRPlusSolver(game)
    ours_took, theirs_took = [], []
    for _ in range(ROUNDS):
        ours_took.append(_seconds(lambda: regrets.iterate(OURS_A_ROUND)) / OURS_A_ROUND)
        theirs_took.append(_seconds(theirs.evaluate_and_update_policy))
    ratios = sorted(b / a for a, b in zip(ours_took, theirs_took, strict=True))
    holds = tree.num_players == 2 and len(tree.states.seats) <= LARGEST_PROGRAM
    return {
        "rung": tree.rung.name,
        "nodes": len(tree.nodes.seats),
        "nash_conv": distance(tree, strategy).nash_conv,
        "openspiel_nash_conv": pyspiel.nash_conv(game, tabular(tree, strategy), False),
        "openspiel_value": _value(game) if holds else None,
        "seconds": median(ours_took),
        "openspiel_seconds": median(theirs_took),
        "ratio": median(ratios),
        "ratio_least": ratios[0],
        "ratio_most": ratios[-1],
    }


def _value(game: Any) -> float:
    """Return what the first seat wins, by OpenSpiel's linear program."""
    from open_spiel.python.algorithms import sequence_form_lp

    return float(sequence_form_lp.solve_zero_sum_game(game)[0])


def _seconds(work: Callable[[], Any]) -> float:
    with Stopwatch() as taken:
        work()
    return taken.cpu


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(json.dumps(compare(flatten(load_rung(name)))), flush=True)
    os._exit(0)  # once a Python game is registered, OpenSpiel 2.0 aborts when Python ends
