"""Hashes the results of whole episodes by compiled policies.

``python -m tests.support.episodes_digest`` prints the digest; test_modes.py compares it between the
engine's modes.
"""

from __future__ import annotations

import hashlib

from sabacc_env import rule_sets
from sabacc_env.game.keys import hand_key
from sabacc_env.policies import always_raise, random_legal
from sabacc_env.tables import play_episodes


def episodes_digest() -> str:
    """Play single hands and matches under each of the rules, on two threads."""
    digest = hashlib.sha256()
    for rules in rule_sets():
        for hands in (1, 3):
            keys = [hand_key(1, episode, 0) for episode in range(3)]
            policies = [random_legal, always_raise, random_legal]
            for array in play_episodes(rules, policies, keys, seed=2, hands=hands, threads=2):
                digest.update(array.tobytes())
    return digest.hexdigest()


if __name__ == "__main__":
    print(episodes_digest())
