"""Random moves and positions, and house rules that differ from the published rule sets."""

from __future__ import annotations

import random
from collections.abc import Iterator

from sabacc_env import Game, Move, RuleSet, load_rules

HOUSE_RULES = {
    "reshuffles": RuleSet(
        name="reshuffles",
        highest_value=3,
        suits=2,
        sylops=1,
        seats=(2, 2),
        doubles="redraw_all",
        junk_face_up=True,
    ),
    "look first": load_rules(
        "spacers", name="look first", look_then_discard=True, fees={"draw": 1, "swap": 3}
    ),
    "eight rounds": load_rules(
        "yarith_bespin", name="eight rounds", rounds=8, sabacc_ante=0, max_raises=1, max_raise=60
    ),
    "cheap spikes": RuleSet(
        name="cheap spikes",
        starting_credits=(40, 9, 25, 4, 100, 12, 8, 30),
        spike_card=True,
        rounds=2,
        opening_bet=True,
        junk_when="betting",
        junk_penalty=1,
        double_spike="redraw_one",
        card_actions=("stand", "draw", "buy_discard", "discard_draw", "swap"),
        fees={"buy_discard": 2, "discard_draw": 1},
        min_bet=2,
        bet_step=2,
        min_raise=4,
        ranking="alta_three_en",
    ),
    "points with dice": load_rules(
        "black_spire", name="points with dice", doubles="redraw_one", rounds=2
    ),
}


def random_move(game: Game, rng: random.Random) -> Move:
    """Return a random legal move; a raise may go to any total on its grid."""
    move = rng.choice(game.legal_moves())
    if move.kind != "raise":
        return move
    assert move.low is not None
    assert move.high is not None
    assert move.step is not None
    steps = (move.high - move.low) // move.step
    pick = rng.choice((0, 0, rng.randint(0, min(steps, 20)), steps))
    return Move("raise", amount=move.low + move.step * pick)


def decisions(game: Game, rng: random.Random, most: int = 300) -> Iterator[Move]:
    """Yield each random move before it is played, at most ``most`` of them."""
    for _ in range(most):
        if game.seat_to_act is None:
            return
        move = random_move(game, rng)
        yield move
        game.play(move)


def random_position(game: Game, rng: random.Random) -> Game:
    """Play a few random moves, perhaps to the end."""
    for _ in decisions(game, rng, most=rng.randrange(40)):
        pass
    return game
