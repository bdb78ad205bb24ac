"""Determinizations of a view: its information state as the engine takes it, and decks that fit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabacc_env.actions import DEFAULT_BET_SIZES, encode_bet_sizes
from sabacc_env.engine.drivers import single
from sabacc_env.engine.layout import GAME_DTYPE, KINDS, MAX_ACTIONS, NUM_CARDS
from sabacc_env.engine.observation.blocks import OBSERVATION_DTYPE
from sabacc_env.engine.rules_record import rules_record
from sabacc_env.engine.search.determinization import (
    PUBLIC_MOVE_DTYPE,
    VISIBLE_DTYPE,
    InformationState,
    Workspace,
    sample_determinization,
)
from sabacc_env.errors import SabaccError
from sabacc_env.game.view import GameView


def information_state_of(
    view: GameView, sizes: NDArray[Any], earlier: Sequence[GameView] = ()
) -> InformationState:
    """Return the information state of the seat that is to act.

    Args:
        view: the view of that seat, with its whole history.
        sizes: the bet sizes, as ``encode_bet_sizes`` returns them.
        earlier: its views at earlier turns of its own that count, too.
    """
    return InformationState(
        _start(view),
        rules_record(view.rules),
        sizes,
        _moves(view),
        np.concatenate([_visible(each) for each in (*earlier, view)]),
    )


def make_workspace() -> Workspace:
    """Return buffers for sampling determinizations and playing them out."""
    return Workspace(
        game=np.zeros(1, GAME_DTYPE),
        rows=np.zeros(1, OBSERVATION_DTYPE),
        probabilities=np.zeros(MAX_ACTIONS),
        card_of_token=np.zeros(64, np.int64),
        token_of_card=np.zeros(64, np.int64),
        order=np.zeros(NUM_CARDS, np.int64),
        pinned=np.zeros(1, np.int64),
        random_state=np.zeros(2, np.int64),
    )


def sample_deck(views: Sequence[GameView], low: int, high: int) -> list[int]:
    """Return a deck from which the moves lead to what a seat sees at each of its turns.

    After a reshuffle that need not be so. Every such deck is equally likely.

    Args:
        views: the seat's view at each of its turns; at the last it is to act now.
        low: 32 random bits.
        high: 32 more.

    Raises:
        SabaccError: if none was found: cards were reshuffled, or the moves do not lead there.
    """
    *earlier, view = views
    info_state = information_state_of(view, encode_bet_sizes(DEFAULT_BET_SIZES), earlier)
    workspace = make_workspace()
    if not sample_determinization(info_state, workspace, low, high, np.zeros(1, GAME_DTYPE), 0):
        raise SabaccError("views: no deck was found that leads to what they show")
    deck: list[int] = workspace.card_of_token[workspace.order[: len(view.rules.deck)]].tolist()
    return deck


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
    """Return what the seat sees where it is to act, (1,) of ``VISIBLE_DTYPE``."""
    visible = np.zeros(1, VISIBLE_DTYPE)
    known = [_mask(cards) for cards in view.known_cards]
    spikes = [_mask([] if card is None else [card]) for card in view.spike_cards]
    drawn = _mask([] if view.drawn_card is None else [view.drawn_card])
    in_sight = _mask(view.hand) | drawn | _mask(view.discard_pile)
    for cards in (*known, *spikes):
        in_sight |= cards
    visible["num_moves"] = len(view.history)
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
