"""The information state of a view, as the engine's search takes it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabacc_env.engine.drivers import single
from sabacc_env.engine.layout import GAME_DTYPE, KINDS, NUM_CARDS
from sabacc_env.engine.rules_record import rules_record
from sabacc_env.engine.search.determinization import (
    PUBLIC_MOVE_DTYPE,
    VISIBLE_DTYPE,
    InformationState,
)
from sabacc_env.game.view import GameView


def information_state_of(view: GameView, sizes: NDArray[Any]) -> InformationState:
    """Return the information state of the seat that is to act.

    Args:
        view: the view of that seat, with its whole history.
        sizes: the bet sizes, as ``encode_bet_sizes`` returns them.
    """
    return InformationState(
        _start(view), rules_record(view.rules), sizes, _moves(view), _visible(view)
    )


def _start(view: GameView) -> NDArray[Any]:
    """Return the record of the hand before the deal, with the dice rolled so far."""
    start = np.zeros(1, GAME_DTYPE)
    start["num_players"] = view.num_players
    start["hands"] = 1
    if not view.rules.points:
        start["credits"][0, : view.num_players] = view.credits_before
        num_antes = sum(credits >= view.rules.ante_unit for credits in start["credits"][0].tolist())
        start["sabacc_pot"] = view.sabacc_pot - num_antes * view.rules.sabacc_ante
    single.reset(start, rules_record(view.rules), 0, 0, view.dealer)
    start["deck_given"] = 1
    start["dice_given"] = len(view.dice)
    start["dice"][0, : len(view.dice)] = np.reshape(view.dice, (-1, 2))
    return start


def _moves(view: GameView) -> NDArray[Any]:
    """Return the public moves, (n,) of ``PUBLIC_MOVE_DTYPE``."""
    moves = np.zeros(len(view.history), PUBLIC_MOVE_DTYPE)
    for move, (turn, taken) in zip(
        moves, zip(view.history, view.taken_discards, strict=True), strict=True
    ):
        move["kind"] = KINDS.index(turn.move.kind)
        move["card"] = -1 if turn.move.card is None else turn.move.card
        move["taken"] = -1 if taken is None else taken
        move["total"] = turn.move.amount or 0
    return moves


def _visible(view: GameView) -> NDArray[Any]:
    """Return what the seat sees now, (1,) of ``VISIBLE_DTYPE``."""
    visible = np.zeros(1, VISIBLE_DTYPE)
    known = [_mask(cards) for cards in view.known_cards]
    spikes = [_mask([] if card is None else [card]) for card in view.spike_cards]
    drawn = _mask([] if view.drawn_card is None else [view.drawn_card])
    in_sight = _mask(view.hand) | drawn | _mask(view.discard_pile)
    for cards in (*known, *spikes):
        in_sight |= cards
    visible["seat"] = view.seat
    visible["known"][0, : len(known)] = known
    visible["spikes"][0, : len(spikes)] = spikes
    visible["hand"] = _mask(view.hand)
    visible["drawn"] = drawn
    visible["buried"] = _mask(view.seen_cards) & ~in_sight
    visible["num_discards"] = len(view.discard_pile)
    visible["discards"][0] = [*view.discard_pile, *[-1] * (NUM_CARDS - len(view.discard_pile))]
    return visible


def _mask(cards: Iterable[int]) -> int:
    return sum(1 << int(card) for card in cards)
