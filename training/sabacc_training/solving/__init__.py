"""Games small enough to solve exactly: the ladder, their trees, CFR+, best responses."""

from sabacc_training.game_config import rungs
from sabacc_training.solving.game_tree import GameTree, flatten
from sabacc_training.solving.measuring import nash_conv, strategy_of
from sabacc_training.solving.responses import Distance, distance
from sabacc_training.solving.rung import Rung, load_rung
from sabacc_training.solving.solver import Solution, solve

__all__ = [
    "Distance",
    "GameTree",
    "Rung",
    "Solution",
    "distance",
    "flatten",
    "load_rung",
    "nash_conv",
    "rungs",
    "solve",
    "strategy_of",
]
