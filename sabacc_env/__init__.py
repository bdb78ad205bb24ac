"""Corellian Spike Sabacc for reinforcement learning: exact rules on one compiled engine."""

import gymnasium

from sabacc_env.cards import Card
from sabacc_env.errors import IllegalMove, RulesError, SabaccError
from sabacc_env.game.game import Game
from sabacc_env.hand_ranks import HandRank, rank_hand
from sabacc_env.moves import Move
from sabacc_env.rules import RuleSet, load_rules, rule_sets
from sabacc_env.rules.space import RuleSpace
from sabacc_env.tables.tables import Tables

# Last, because it imports what is above.
from sabacc_env import sabacc_v0  # isort: skip
from sabacc_env.envs.saved_states import SavedState  # isort: skip
from sabacc_env.envs.text_env import TextEnv  # isort: skip

gymnasium.register(
    "Sabacc-v0",
    entry_point="sabacc_env.envs.single_seat:SabaccEnv",
    vector_entry_point="sabacc_env.envs.vector:SabaccVectorEnv",
)

__all__ = [
    "Card",
    "Game",
    "HandRank",
    "IllegalMove",
    "Move",
    "RuleSet",
    "RuleSpace",
    "RulesError",
    "SabaccError",
    "SavedState",
    "Tables",
    "TextEnv",
    "load_rules",
    "rank_hand",
    "rule_sets",
    "sabacc_v0",
]
