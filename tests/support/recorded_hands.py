"""Hands of all rules to record, and comparing hands that were played again."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from sabacc_env import Game, RuleSet, load_rules, rule_sets
from sabacc_env.game.events import _same
from tests.support.random_play import HOUSE_RULES, decisions

ALL_RULES = (*map(load_rules, rule_sets()), *HOUSE_RULES.values())


def random_hands(seed: int, count: int) -> Iterator[Game]:
    """Yield random hands that are over: of all rule sets and house rules, with 2 to 8 seats.

    Some have a deck, dice, credits, a dealer or a Sabacc pot that was given.
    """
    rng = random.Random(seed)
    while count:
        rules = ALL_RULES[count % len(ALL_RULES)]
        game = random_deal(rules, rng)
        for _ in decisions(game, rng):
            pass
        if game.seat_to_act is None:  # a few go on too long
            count -= 1
            yield game


def random_deal(rules: RuleSet, rng: random.Random) -> Game:
    seats = rng.randint(*rules.seats)
    start: dict[str, Any] = {"key": rng.getrandbits(64)}
    if rng.random() < 0.3:
        start["dealer"] = rng.randrange(seats)
    if rng.random() < 0.2:
        start["deck"] = rng.sample(rules.deck, len(rules.deck))
    if rng.random() < 0.2:
        start["dice"] = [(rng.randint(1, 6), rng.randint(1, 6)) for _ in range(rules.rounds)]
    if not rules.points and rng.random() < 0.5:
        unit = rules.ante_unit
        start["credits"] = [rng.randint(unit, 40 * unit) for _ in range(seats)]
        if rules.sabacc_ante:
            start["sabacc_pot"] = rng.randrange(50)
    game = Game(rules, seats, **start)
    hands = rng.randint(1, 9)
    game.set_episode_position(rng.randrange(hands), hands)
    return game


def assert_same_hand(again: Game, game: Game) -> None:
    """Assert that a hand is another one: moves, results, and the bytes of the engine's record."""
    assert again.history == game.history
    assert again.taken_discards == game.taken_discards
    assert again.net_credits == game.net_credits
    assert again.to_dict()["state"] == game.to_dict()["state"]
    if game.start:
        assert again._records.tobytes() == game._records.tobytes()
    else:  # tables leave cards of a hand before where nobody reads
        assert _same(again._records, game._records)
