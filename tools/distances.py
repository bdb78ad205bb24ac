"""How far agents are from an equilibrium in solved games: NashConv, in antes a hand.

``python -m tools.distances RUNG AGENT ...`` measures some; ``--asks 100`` says how often one is
asked at each information state that does not tell its chances, as the searching ones do not.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import Final

from sabacc_agents import load
from sabacc_training.solving import GameTree, flatten, load_rung, nash_conv

SCRIPTED: Final = (
    *("tight", "loose", "calling_station", "always_raise", "bluffer", "trapper", "shover"),
    *("draws_to_zero", "swaps_to_zero", "pot_odds", "maximiser", "heuristic"),
)


def distance_of(tree: GameTree, name: str, asks: int = 1000) -> float:
    """Return the NashConv of an agent, by what a user writes, in a flattened game."""
    rung = tree.rung
    agent = load(name, rung.rule_set, rung.num_players, rung.bet_sizes)
    return nash_conv(tree, agent, samples=asks)


def rows(trees: Sequence[GameTree]) -> Iterator[tuple[str, ...]]:
    """Yield the lines of the table of docs/ladder.md: a scripted agent in these games."""
    for name in SCRIPTED:
        yield f"`{name}`", *(f"{distance_of(tree, name):.3f}" for tree in trees)


def main() -> None:
    """Measure what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rung")
    parser.add_argument("agents", nargs="+")
    parser.add_argument("--asks", type=int, default=1000)
    given = parser.parse_args()
    tree = flatten(load_rung(given.rung))
    for name in given.agents:
        print(name, f"{distance_of(tree, name, given.asks):.4f}", flush=True)


if __name__ == "__main__":
    main()
