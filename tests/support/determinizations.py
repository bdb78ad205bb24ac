"""Determinizations of a view as games, sampled by the engine or dealt from a deck."""

from __future__ import annotations

import numpy as np

from sabacc_env.actions import DEFAULT_BET_SIZES, encode_bet_sizes
from sabacc_env.cards import Card
from sabacc_env.engine.layout import GAME_DTYPE
from sabacc_env.engine.search.determinization import sample_determinization
from sabacc_env.game.determinization import information_state_of, make_workspace
from sabacc_env.game.game import Game, game_from_record

SIZES = encode_bet_sizes(DEFAULT_BET_SIZES)


def sample_determinizations(view, count, seed=0):
    """Yield games that fit a view, each with the order of its deck."""
    info_state, space = information_state_of(view, SIZES), make_workspace()
    determinizations = np.zeros(count, GAME_DTYPE)
    for place in range(count):
        assert sample_determinization(info_state, space, seed, 1, determinizations, place)
        deck = [
            Card(int(space.card_of_token[token])) for token in space.order[: len(view.rules.deck)]
        ]
        yield game_from_record(view.rules, determinizations[place : place + 1].copy()), deck


def with_history(determinization, game):
    """Return a determinization with the history of the game that it stands for."""
    return game_from_record(determinization.rules, determinization._records, game._packed_moves)


def deal_with_deck(view, deck):
    """Return the hand of a view, dealt from another deck, before its first move."""
    points = view.rules.points
    able = sum(points or each >= view.rules.ante_unit for each in view.credits_before)
    return Game(
        view.rules,
        view.num_players,
        dealer=view.dealer,
        deck=deck,
        dice=view.dice or None,
        credits=None if points else view.credits_before,
        sabacc_pot=0 if points else view.sabacc_pot - able * view.rules.sabacc_ante,
        key=0,
    )


def replay_with_deck(view, deck):
    """Return the hand of a view, dealt from another deck, after the same public moves."""
    game = deal_with_deck(view, deck)
    for turn in view.history:
        assert game.seat_to_act == turn.seat
        game.play(turn.move)
    return game
