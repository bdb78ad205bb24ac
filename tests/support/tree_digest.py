"""Hashes two flattened games: ``python -m tests.support.tree_digest``."""

from __future__ import annotations

import hashlib

from sabacc_training.solved_games.game_tree import flatten
from sabacc_training.solved_games.rung import Rung, load_rung

RULES = {  # dice, one card or whole hands redrawn, blind draws, in a few nodes
    "name": "digest",
    "seats": [2, 2],
    "highest_value": 1,
    "suits": 1,
    "sylops": 2,
    "rounds": 1,
    "cards_dealt": 1,
    "hand_ante": 1,
    "sabacc_ante": 0,
    "starting_credits": 5,
    "phases": ["dice"],
    "card_actions": ["stand"],
    "ranking": "casino",
    "doubles": "redraw_one",
    "double_spike": "redraw_all",
}


def tree_digest() -> str:
    """Hash every array of two trees."""
    digest = hashlib.sha256()
    for rung in (load_rung("one_card"), Rung(rule_overrides=RULES, bet_sizes=("min",))):
        tree = flatten(rung)
        for array in (*tree.nodes, *tree.states, tree.chance_probabilities, tree.edges):
            digest.update(array.tobytes())
    return digest.hexdigest()


if __name__ == "__main__":
    print(tree_digest())
