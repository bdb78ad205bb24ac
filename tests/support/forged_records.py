"""Changes numbers in the bytes of games, and checks that each game is refused or can be finished.

It runs as a program, so that a test can run it in interpreted mode: compiled code does not notice
an index beyond the end of an array.
"""

from __future__ import annotations

import random
import sys

import numpy as np

from sabacc_env import Game, SabaccError, load_rules, rule_sets
from sabacc_env.engine.layout import GAME_DTYPE
from sabacc_env.engine.validation import RANGES
from sabacc_env.game.saving import FORMAT
from sabacc_env.storage.checksums import pack_with_checksum, unpack_checked
from tests.support.random_play import HOUSE_RULES, random_move, random_position

RULES = [*map(load_rules, rule_sets()), *HOUSE_RULES.values()]


def forged(game: Game, rng: random.Random) -> bytes:
    """Return the bytes of a game with one to three numbers changed and a correct checksum."""
    header, record = unpack_checked(FORMAT, game.to_bytes())
    records = np.frombuffer(bytearray(record), GAME_DTYPE)
    for _ in range(rng.randint(1, 3)):
        name = rng.choice(list(RANGES))
        field = records[name].view(np.float32) if name in ("log", "public") else records[name]
        at = tuple(rng.randrange(size) for size in field.shape)
        least, most = RANGES[name]
        old = int(field[at])
        new = rng.choice((least, most, old + 1, old - 1, rng.randint(least, most)))
        field[at] = max(least, min(most, new))
    return pack_with_checksum(FORMAT, header, records.tobytes())


def outcomes(seed: int, count: int) -> tuple[int, int]:
    """Forge ``count`` games; return how many were played to their end, and how many refused."""
    rng = random.Random(seed)
    played = refused = 0
    for _ in range(count):
        rules = rng.choice(RULES)
        game = random_position(
            Game(rules, rng.randint(*rules.seats), seed=rng.getrandbits(32)), rng
        )
        try:
            game = Game.from_bytes(forged(game, rng))
        except SabaccError:
            refused += 1
            continue
        played += 1
        for _ in range(1000):
            if game.seat_to_act is None:
                break
            game.view(game.seat_to_act)
            game.play(random_move(game, rng))
        assert game.seat_to_act is None
        game.to_dict()
    return played, refused


if __name__ == "__main__":
    print(*outcomes(*map(int, sys.argv[1:])))
