"""Hashes every record, observation and mask of random hands.

``python -m tests.support.played_digest 3 20`` plays 3 hands under each of the rules, at most 20
moves of each, and prints the digest; test_modes.py compares it between the engine's modes.
"""

from __future__ import annotations

import hashlib
import random
import sys

import numpy as np

from sabacc_env import Game, load_rules, rule_sets
from sabacc_env.actions import DEFAULT_BET_SIZES, encode_bet_sizes
from sabacc_env.game.turn_buffers import TurnBuffers
from tests.support.random_play import HOUSE_RULES

SIZES = encode_bet_sizes(DEFAULT_BET_SIZES)


def played_digest(hands: int, most_moves: int) -> str:
    """Play hands whose players, seeds and actions come from one seeded Python generator."""
    rng = random.Random("played digest")
    digest = hashlib.sha256()
    for rules in [*map(load_rules, rule_sets()), *HOUSE_RULES.values()]:
        buffers = TurnBuffers(rules, SIZES)
        for _ in range(hands):
            game = Game(rules, rng.randint(*rules.seats), seed=rng.getrandbits(64))
            for _ in range(most_moves):
                digest.update(game._records.tobytes())
                if game.write_turn(buffers) < 0:
                    game.write_observation(buffers, rng.randrange(game.num_players))
                    digest.update(buffers.requested_observation.tobytes())
                    break
                digest.update(buffers.observation.tobytes())
                digest.update(buffers.mask.tobytes())
                game.play_action(buffers, rng.choice(np.flatnonzero(buffers.mask).tolist()))
    return digest.hexdigest()


if __name__ == "__main__":
    print(played_digest(*map(int, sys.argv[1:])))
