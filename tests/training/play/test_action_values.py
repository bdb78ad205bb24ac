"""What actions are worth: by what is certain, and beside the exact values of a solved game."""

from __future__ import annotations

import numpy as np
from sabacc_agents.loading import load
from sabacc_training.play.action_values import SAMPLES, ActionValues

from sabacc_env import Game, Move, load_rules
from sabacc_env.actions import DEFAULT_BET_SIZES, JUNK


def facing_a_bet(seed: int) -> Game:
    """Return a hand of which the last round has a bet to call."""
    game = Game("casino", 2, seed=seed)
    while game.seat_to_act is not None:
        raises = [move for move in game.legal_moves() if move.kind == "raise"]
        if game.round == 3 and raises:
            game.play(Move("raise", amount=10))
            return game
        game.play(next(move for move in game.legal_moves() if move.kind in ("stand", "check")))
    raise AssertionError("the hand has ended")


def test_to_junk_costs_what_was_bet_and_a_sure_winner_wins_the_pot() -> None:
    game = facing_a_bet(seed=3)
    seat = game.seat_to_act
    assert seat is not None
    station = load("calling_station", load_rules("casino"), 2)
    values = ActionValues(station, game.view(seat), DEFAULT_BET_SIZES)
    actions = np.array(list(game.view(seat).legal_actions()))
    net = values.of(game.view(seat), actions, np.random.default_rng(0))
    assert net.shape == (SAMPLES, len(actions))
    junked = net[:, actions == JUNK]
    assert (junked == -game.rules.ante_unit).all()
    assert net.std(axis=0).max() > 0


def test_the_same_random_numbers_give_the_same_values_and_others_near_ones() -> None:
    game = facing_a_bet(seed=5)
    seat = game.seat_to_act
    assert seat is not None
    agent = load("zoo:casino-2p", load_rules("casino"), 2)
    values = ActionValues(agent, game.view(seat), DEFAULT_BET_SIZES)
    actions = np.array(list(game.view(seat).legal_actions()))
    first, again, other = (
        values.of(game.view(seat), actions, np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    assert (first == again).all()
    error = np.hypot(first.std(axis=0), other.std(axis=0)) / np.sqrt(SAMPLES)
    assert (abs(first.mean(axis=0) - other.mean(axis=0)) <= 4 * error + 1e-9).all()
