"""Deals one hand to the engine and to the oracle, and compares them after every move."""

from __future__ import annotations

import random
from typing import Any

from sabacc_env import load_rules
from sabacc_env.engine import chance
from sabacc_env.game import Game
from sabacc_env.moves import Move
from sabacc_env.rules import RuleSet
from tests.oracle.game import OracleGame

COMPARED = (
    "seat_to_act",
    "hands",
    "spike_cards",
    "drawn_card",
    "draw_pile",
    "discard_pile",
    "junked_cards",
    "credits",
    "pots",
    "round",
    "phase",
    "sabacc_pot",
)
COMPARED_AT_THE_END = ("net_credits", "winners", "revealed")


def shuffled(key: int, use: int, number: int, cards: list[int]) -> list[int]:
    """Return cards shuffled by a key's random stream, with a plain Fisher-Yates shuffle."""
    pile = list(cards)
    state, increment = chance.stream(key & 0xFFFFFFFF, key >> 32, use, number)
    for top in range(len(pile)):
        state, offset = chance.below(state, increment, len(pile) - top)
        pile[top], pile[top + offset] = pile[top + offset], pile[top]
    return pile


def deal_twins(
    rules: str | RuleSet, num_players: int, key: int, dealer: int = 0, **given: Any
) -> tuple[Game, OracleGame]:
    """Deal one hand to both: the engine gets the key, the oracle the key's deck and dice."""
    rules = load_rules(rules)
    game = Game(rules, num_players, dealer=dealer, key=key, **given)
    dice = [chance.roll(key & 0xFFFFFFFF, key >> 32, number) for number in range(1, 9)]
    oracle = OracleGame(
        rules,
        num_players,
        dealer,
        deck=shuffled(key, chance.DECK, 0, list(rules.deck)),
        dice=dice,
        reshuffle=lambda cards, count: shuffled(key, chance.RESHUFFLE, count, cards),
        **({"credits": game.start["credits"]} | given if not rules.points else given),
    )
    return game, oracle


def legal_tuples(game: Game) -> set[tuple[Any, ...]]:
    """Return the legal moves in the oracle's form."""
    return {
        (move.kind, move.low, move.high, move.step)
        if move.kind == "raise"
        else (move.kind, move.card)
        for move in game.legal_moves()
    }


def compare(game: Game, oracle: OracleGame) -> None:
    """Assert that the states of both are equal."""
    for name in COMPARED + (COMPARED_AT_THE_END if game.phase == "over" else ()):
        ours, theirs = getattr(game, name), getattr(oracle, name)
        assert _plain(ours) == _plain(theirs), name
    for seat in range(game.num_players):
        assert set(game.known_cards(seat)) == set(oracle.known[seat]), f"known of seat {seat}"
        assert set(game.seen_cards(seat)) == set(oracle.seen[seat]), f"seen by seat {seat}"
    assert legal_tuples(game) == oracle.legal_moves()


def play_twins(game: Game, oracle: OracleGame, rng: random.Random, most_moves: int = 400) -> int:
    """Play random legal moves in both and compare after each; return the number of moves."""
    compare(game, oracle)
    moves = 0
    while game.seat_to_act is not None and moves < most_moves:
        move = rng.choice(game.legal_moves())
        if move.kind == "raise":
            assert move.low is not None
            assert move.high is not None
            assert move.step is not None
            steps = (move.high - move.low) // move.step
            pick = rng.choice((0, 0, 0, rng.randint(0, min(steps, 20)), steps))
            move = Move("raise", amount=move.low + move.step * pick)
        game.play(move)
        oracle.play(move.kind, card=move.card, amount=move.amount)
        moves += 1
        compare(game, oracle)
    return moves


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
