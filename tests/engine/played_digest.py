"""Random hands as one number: every record, observation and mask on the way, hashed.

``python -m tests.engine.played_digest 3 20`` plays 3 hands under each of the rules, at most 20
moves of each, and prints the digest; test_modes.py compares it between the engine's modes.
"""

from __future__ import annotations

import hashlib
import random
import sys

import numpy as np

from sabacc_env import Game, load_rules, rule_sets
from sabacc_env.engine.actions import DEFAULT_BET_SIZES, encode_bet_sizes
from sabacc_env.observation import OBSERVATION_SIZE
from tests.random_play import HOUSE_RULES

SIZES = encode_bet_sizes(DEFAULT_BET_SIZES)


def played_digest(hands: int, most_moves: int) -> str:
    """Play hands whose players, seeds and actions come from one seeded Python generator."""
    rng = random.Random("played digest")
    digest = hashlib.sha256()
    row = np.empty(OBSERVATION_SIZE, dtype=np.float32)
    for rules in [*map(load_rules, rule_sets()), *HOUSE_RULES.values()]:
        for _ in range(hands):
            game = Game(rules, rng.randint(*rules.seats), seed=rng.getrandbits(64))
            for _ in range(most_moves):
                digest.update(game._records.tobytes())
                seat = game.seat_to_act
                game.observe(rng.randrange(game.num_players) if seat is None else seat, row)
                digest.update(row.tobytes())
                if seat is None:
                    break
                mask = game.action_mask(SIZES)
                digest.update(mask.tobytes())
                game.play_code(rng.choice(np.flatnonzero(mask).tolist()), SIZES)
    return digest.hexdigest()


if __name__ == "__main__":
    print(played_digest(*map(int, sys.argv[1:])))
