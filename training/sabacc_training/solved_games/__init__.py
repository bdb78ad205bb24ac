"""Small games that are solved exactly: the ladder, game trees, CFR, best responses."""

from sabacc_training.config.game import rungs
from sabacc_training.solved_games.agent_policy import nash_conv, tabular_policy_of
from sabacc_training.solved_games.best_response import PolicyValues, policy_values
from sabacc_training.solved_games.game_tree import GameTree, flatten
from sabacc_training.solved_games.rung import Rung, load_rung
from sabacc_training.solved_games.solver import Solution, solve

__all__ = [
    "GameTree",
    "PolicyValues",
    "Rung",
    "Solution",
    "flatten",
    "load_rung",
    "nash_conv",
    "policy_values",
    "rungs",
    "solve",
    "tabular_policy_of",
]
