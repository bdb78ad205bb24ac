"""What buttons say is read as the move that they make, by ``sabacc_env.text``."""

from __future__ import annotations

import random

import pytest
from sabacc_training.play.words import label

from sabacc_env import Game, RuleSet, load_rules, rule_sets
from sabacc_env.text import parse_move
from tests.support.random_play import HOUSE_RULES, decisions

EVERY_RULES = [*map(load_rules, rule_sets()), *HOUSE_RULES.values()]


@pytest.mark.parametrize("rules", EVERY_RULES, ids=lambda rules: rules.name)
def test_labels_read_back(rules: RuleSet) -> None:
    rng = random.Random(rules.name)
    for _ in range(3):
        game = Game(rules, rules.seats[1], seed=rng.getrandbits(32))
        for _ in decisions(game, rng, most=30):
            assert game.seat_to_act is not None
            view = game.view(game.seat_to_act)
            for move in view.legal_actions().values():
                text, _, _cost = label(move, view).partition(" (")
                assert parse_move(text, view) == move
