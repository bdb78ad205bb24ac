"""Small games that are solved exactly: game trees, CFR, best responses, values of decisions."""

from sabacc_training.config.game import rungs
from sabacc_training.solved_games.agent_policy import nash_conv, tabular_policy_of
from sabacc_training.solved_games.best_response import PolicyValues, policy_values
from sabacc_training.solved_games.decision_values import Decision, DecisionValues, HandFollower
from sabacc_training.solved_games.game_tree import GameTree, flatten
from sabacc_training.solved_games.rung import Rung, load_rung
from sabacc_training.solved_games.solver import Solution, solve

__all__ = [
    "Decision",
    "DecisionValues",
    "GameTree",
    "HandFollower",
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
