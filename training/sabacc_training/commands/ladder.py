"""``sabacc ladder``: how near to equilibrium the fast trainer comes in a solved game."""

from __future__ import annotations

import numpy as np
from rich.console import Console
from rich.table import Table

from sabacc_env.errors import SabaccError
from sabacc_training.fast.ladder import METHODS, climb
from sabacc_training.solving.game_tree import flatten
from sabacc_training.solving.rung import load_rung


def ladder(name: str, *methods: str, seeds: int = 5, steps: int = 2_000_000) -> None:
    """Train by several methods from several seeds, and print the NashConv of what they learnt.

    Args:
        name: A rung of the ladder, or a file of the same keys.
        methods: Which methods; by default all.
        seeds: Runs of each method, at least two.
        steps: Decisions in a run.
    """
    if unknown := [method for method in methods if method not in METHODS]:
        raise SabaccError(f"methods: {unknown[0]!r} is none; use some of {', '.join(METHODS)}")
    if seeds < 2 or steps < 1:
        raise SabaccError("seeds, steps: give at least two seeds and one step")
    rung = load_rung(name)
    tree = flatten(rung)
    table = Table(
        "method",
        "NashConv, antes",
        "last policy",
        "seconds a run",
        title=f"{rung.name}: {len(tree.nodes.seats):,} nodes; {steps:,} decisions, {seeds} seeds",
    )
    for method in methods or METHODS:
        found = climb(rung, tree, method, steps, seeds)
        table.add_row(
            method,
            f"{found.mean:.3f} ± {found.half_width:.3f}",
            f"{np.mean(found.last):.3f}",
            f"{np.mean(found.seconds):.0f}",
        )
    Console(highlight=False).print(table)
