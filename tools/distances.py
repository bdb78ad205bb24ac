"""NashConv of the scripted agents in solved games: the table of docs/reference/ladder.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from sabacc_training.solved_games import GameTree, nash_conv

SCRIPTED: Final = (
    *("tight", "loose", "calling_station", "always_raise", "bluffer", "trapper", "shover"),
    *("draws_to_zero", "swaps_to_zero", "pot_odds", "maximiser", "heuristic"),
)


def rows(trees: Sequence[GameTree]) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the table of docs/reference/ladder.md: a scripted agent in these games."""
    for name in SCRIPTED:
        found = (nash_conv(tree, tree.rung.load(name)) for tree in trees)
        yield f"`{name}`", *(f"{each:.3f}" for each in found)
