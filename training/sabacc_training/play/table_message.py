"""What a client is told of a table: what its seat may know, and nothing else, as plain data.

All of it comes from a ``GameView``, which holds no more than that. A client without a seat is told
what everyone at the table knows. Where only agents play, nobody can be wronged: there it sees all,
and what the agents told of their moves.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sabacc_env.cards import Card
from sabacc_env.game import Game
from sabacc_env.game.events import Event
from sabacc_env.game.view import GameView
from sabacc_env.hand_histories import Told
from sabacc_env.moves import Move
from sabacc_env.text.course import phase_name, pot_name
from sabacc_training.evaluation.telling import told_words
from sabacc_training.play.guide import guide
from sabacc_training.play.match import Match
from sabacc_training.play.words import label, move_card, told_event, you_may

NOBODY = -1
"""The seat of a view that belongs to none."""


def table_message(match: Match, seat: int | None) -> dict[str, Any]:
    """Return the message about the table as it is now.

    Args:
        match: the match.
        seat: the client's seat; None for one that watches.
    """
    game = match.game
    view = public_view(game) if seat is None else game.view(seat, events=True)
    hands = dict(view.revealed_hands)
    if seat is not None:
        hands[seat] = view.hand
    elif not match.people:
        hands = dict(enumerate(map(tuple, game.hands)))
    return {
        "type": "table",
        "turn": match.turn,
        "seat": seat,
        "rules": {"name": view.rules.name, "title": view.rules.title, "points": view.rules.points},
        "hand": match.hand + 1,
        "hands": match.config.hands,
        "phase": view.phase,
        "now": "The hand is over" if view.phase == "over" else phase_name(view.round, view.phase),
        "dealer": view.dealer,
        "to_act": view.seat_to_act,
        "seats": [_seat(match, view, hands, owner) for owner in range(view.num_players)],
        "drawn": None if view.drawn_card is None else str(view.drawn_card),
        "discards": [str(card) for card in view.discard_pile],
        "draw_pile": view.draw_pile_size,
        "dice": [list(faces) for faces in view.dice],
        "pot": sum(amount for amount, _ in view.pots),
        "sabacc_pot": view.sabacc_pot,
        "moves": [_move(move, view) for move in view.legal_moves],
        "you_may": you_may(view),
        "guide": guide(view) if match.config.guided and seat is not None else [],
        "log": list(_log(view, match.names, match.told)),
        "result": _result(view, match.names),
        "match_over": match.is_over,
        "failures": match.failures,
    }


def public_view(game: Game) -> GameView:
    """Return what everyone at the table knows: a seat's view without what only it knows."""
    view = game.view(0, events=True)
    events = None if view.events is None else tuple(_public_events(view.events))
    return replace(
        view,
        seat=NOBODY,
        hand=(),
        rank=None,
        drawn_card=None,
        seen_cards=(),
        legal_moves=(),
        events=events,
    )


def _public_events(events: Sequence[Event]) -> Iterator[Event]:
    for event in events:
        if event.kind != "deal":
            yield replace(event, drawn=())


def _seat(
    match: Match, view: GameView, hands: Mapping[int, Sequence[Card]], owner: int
) -> dict[str, Any]:
    size, known = view.hand_sizes[owner], view.known_cards[owner]
    cards: list[Card | None] = [*hands.get(owner, known)]
    cards += [None] * (size - len(cards))
    spike = view.spike_cards[owner]
    shown = owner in hands and size > 0
    rank = match.game.rank(owner) if shown else None
    return {
        "name": match.names[owner],
        "person": owner in match.people,
        "cards": [None if card is None else str(card) for card in cards],
        "known": [str(card) for card in known],
        "spike": None if spike is None else str(spike),
        "credits": view.credits[owner],
        "bet": view.bets[owner],
        "bet_of_hand": view.bets_of_hand[owner],
        "in_play": owner in view.remaining,
        "rank": None if rank is None else {"name": rank.name, "total": rank.total},
        "last": _last_move(view, owner),
        "net": None if view.net_credits is None else view.net_credits[owner],
        "wins": owner in (view.winners or ()),
    }


def _last_move(view: GameView, owner: int) -> str:
    """Return what a seat did last in this phase of the hand; "" for nothing."""
    own = [event for event in view.events or () if event.seat == owner and event.move is not None]
    if not own:
        return ""
    last, move = own[-1], own[-1].move
    assert move is not None
    stale = (last.round, last.phase) != (view.round, view.phase) and view.phase != "over"
    return "" if stale and move.kind != "junk" else _done(move)


def _done(move: Move) -> str:
    """Return a move that was made, in a word or two."""
    words = {"raise": f"raises to {move.amount}", "discard_draw": "discards and draws"}
    return words.get(move.kind, move.kind.replace("_", " "))


def _move(move: Move, view: GameView) -> dict[str, Any]:
    return {
        "move": str(move),
        "kind": move.kind,
        "label": label(move, view),
        "card": move_card(move),
        "low": move.low,
        "high": move.high,
        "step": move.step,
    }


def _log(
    view: GameView, names: Sequence[str], told: Mapping[int, Told]
) -> Iterator[dict[str, str]]:
    """Yield what the client saw happen: the phase, a sentence, and what an agent told of it."""
    phase = ""
    moves = itertools.count()
    for event in view.events or ():
        if event.phase:
            phase = phase_name(event.round, event.phase)
        who = "You" if event.seat == view.seat else names[event.seat or 0]
        thought = ""
        if event.move is not None:
            thought = told_words(told.get(next(moves)), str(event.move))
        yield {"phase": phase, "text": told_event(event, who), "told": thought}


def _result(view: GameView, names: Sequence[str]) -> str:
    """Return how the hand ended; "" for one in play."""
    if view.winners is None:
        return ""
    pots = [
        f"{'You win' if winner == view.seat else f'{names[winner]} wins'} "
        f"{pot_name(number)} of {amount}"
        for number, ((amount, _), winner) in enumerate(zip(view.pots, view.winners, strict=True))
    ]
    how = "" if view.revealed else " All others junked."
    return "; ".join(pots) + "." + how
