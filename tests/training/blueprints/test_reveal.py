"""Values at the reveal are those of all pairs of hands."""

from __future__ import annotations

import numpy as np
from sabacc_training.blueprints.game import abstract_game
from sabacc_training.blueprints.hands import cards_of
from sabacc_training.blueprints.reveal import add_values, compare, new_reveal

from sabacc_env import load_rules
from sabacc_env.actions import DEFAULT_BET_SIZES


def test_values_at_the_reveal_are_those_of_all_pairs() -> None:
    rules = load_rules("casino", rounds=1)
    game = abstract_game(rules, DEFAULT_BET_SIZES, (1,))
    cards, _, _ = cards_of(rules, game)
    rng = np.random.default_rng(1)
    for _ in range(20):
        own, others = rng.choice(300, (2, 40)) + 22  # often equal, often zero
        weights = rng.random(40) * (rng.random(40) < 0.7)
        reveal = new_reveal(40)
        compare(reveal, cards, own, others)
        values = np.ones(40)
        add_values(reveal, weights, 3.0, 0.5, values)
        ranks, zero = cards.ranks, cards.is_zero
        for i in range(40):
            expected = 1.0
            for j in range(40):
                if ranks[own[i]] > ranks[others[j]]:
                    expected += weights[j] * (3.0 + 0.5 * zero[own[i]])
                elif ranks[own[i]] < ranks[others[j]]:
                    expected -= weights[j] * (3.0 + 0.5 * zero[others[j]])
            assert np.isclose(values[i], expected)
