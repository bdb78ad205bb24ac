"""Games small enough to solve exactly: the ladder, their trees, CFR+, best responses."""

from sabacc_training.config.game import rungs
from sabacc_training.solved_games.agent_strategy import nash_conv, strategy_of
from sabacc_training.solved_games.best_response import Distance, distance
from sabacc_training.solved_games.game_tree import GameTree, flatten
from sabacc_training.solved_games.rung import Rung, load_rung
from sabacc_training.solved_games.solver import Solution, solve

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
