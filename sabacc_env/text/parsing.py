"""Reading a move from what a person or a language model writes; what is ambiguous is refused."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Final

from sabacc_env.actions import DEFAULT_BET_SIZES, LARGEST_FRACTION, BetSize
from sabacc_env.cards import Card
from sabacc_env.errors import IllegalMove, short_repr
from sabacc_env.game.move_codes import move_text
from sabacc_env.game.view import GameView, check_view
from sabacc_env.moves import CARD_KINDS, Move
from sabacc_env.text.answers import highlighted, in_json, marked, without_reasoning
from sabacc_env.text.course import move_words
from sabacc_env.text.requests import Number, Request, requests_in

_TOTAL_WORDS: Final = frozenset("to by credits total".split())
"""Words beside a number that say that it is no name of a bet size."""


def parse_action(
    text: str, view: GameView, bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES
) -> int:
    """Read a legal discrete action from text, as ``parse_move`` reads a move.

    Args:
        text: what the seat to act has written.
        view: the view of that seat.
        bet_sizes: what the bet actions mean, those of the environment; a raise to another total is
            refused.

    Raises:
        IllegalMove: in one sentence that says what is legal.
        SabaccError: for what is no view.

    >>> from sabacc_env import Game
    >>> view = Game("casino", num_players=2, seed=7).view(0)
    >>> parse_action("I swap the plus eight of triangles.", view), parse_action("1", view)
    (15, 1)
    """
    move = parse_move(text, view, bet_sizes)
    actions = view.legal_actions(bet_sizes)
    for action, legal in actions.items():
        if legal == move:
            return action
    raises = ", ".join(move_words(legal) for legal in actions.values() if legal.kind == "raise")
    raise IllegalMove(f"{short_repr(text)} is not the total of a bet size here; legal: {raises}")


def parse_move(text: str, view: GameView, bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES) -> Move:
    """Read a legal move from what a person or a language model has written.

    It takes sentences ("I raise to 40."), ``swap +3c`` or "swap the +3 of circles", the number or
    name of an action, JSON such as ``{"move": "raise", "amount": 40}``, and remarks around an
    answer. Reasoning between ``<think>`` tags is none. A JSON object goes before ``Answer: ...``,
    that before what is in bold or set as code, and that before the rest of the text. A whole number
    is the total to raise to, as in ``Game.play``. Text that can mean two moves is refused.

    Args:
        text: what the seat to act has written.
        view: the view of that seat.
        bet_sizes: what the numbers and names of the bet actions mean.

    Raises:
        IllegalMove: in one sentence that says what is legal.
        SabaccError: for what is no view.

    >>> from sabacc_env import Game
    >>> view = Game("casino", num_players=2, seed=7).view(0)
    >>> print(parse_move("**Draw**, for my total is far from 0.", view))
    draw
    """
    reader = _Reader(text, view, bet_sizes)
    answer = without_reasoning(text)
    if objects := list(dict.fromkeys(in_json(answer))):
        return reader.move(_requests(objects))
    if found := _requests(marked(answer)):
        return reader.move(found)
    if (found := _requests(highlighted(answer))) and reader.agree(found):
        return reader.move(found)
    return reader.move(requests_in(answer))


def _requests(texts: Iterable[str]) -> list[Request]:
    """Return what several texts ask for, each request once."""
    found = (request for text in dict.fromkeys(texts) for request in requests_in(text))
    return list(dict.fromkeys(found))


class _Reader:
    """Turns requests into a legal move of a view."""

    def __init__(self, text: str, view: GameView, bet_sizes: Sequence[BetSize]) -> None:
        check_view(view)
        if not isinstance(text, str):
            raise IllegalMove(f"text: {short_repr(text)} is not text; {_legal(view)}")
        if not view.legal_moves:
            raise IllegalMove(f"{short_repr(text)} cannot be played: {_whose_turn(view)}")
        self.text, self.view, self.bet_sizes = text, view, bet_sizes

    def agree(self, requests: Sequence[Request]) -> bool:
        """Say whether requests are clear and mean one legal move."""
        try:
            self.move(requests)
        except IllegalMove:
            return False
        return True

    def move(self, requests: Sequence[Request]) -> Move:
        """Return the one move that all requests mean."""
        moves = list(dict.fromkeys(self._move_of(request) for request in requests))
        if not moves:
            raise self._refusal("does not name one move")
        if len(moves) > 1:
            raise self._ambiguous(moves)
        return moves[0]

    def _move_of(self, request: Request) -> Move:
        """Return the one legal move that a request means."""
        if not request.kinds:
            return self._action(request.numbers[0])
        if "all_in" in request.modifiers:
            return self._all_in(request)
        view = self.view
        meant = [m for m in view.legal_moves if all(m.kind in kinds for kinds in request.kinds)]
        if not meant and len(request.kinds) > 1:
            raise self._refusal("does not name one move")
        if not meant:
            raise self._refusal("is not legal now")
        if meant[0].kind == "raise":
            return self._raise(meant[0], request)
        if meant[0].kind in CARD_KINDS:
            meant = self._with_card(meant, request)
        elif not self._fits_cost(meant[0], request.numbers):
            raise self._refusal(f"names a number that does not go with {meant[0]}")
        if len(meant) > 1:
            raise self._ambiguous(meant)
        return meant[0]

    def _fits_cost(self, move: Move, numbers: Sequence[Number]) -> bool:
        """Say whether the numbers beside a call or a draw are what it costs."""
        if move.kind not in ("call", "draw"):
            return True
        bet, fee = max(self.view.bets), self.view.rules.fees.get(move.kind, 0)
        costs = {fee} if move.kind == "draw" else {bet, bet - self.view.bets[self.view.seat]}
        return all(number.whole in costs for number in numbers)

    def _action(self, number: Number) -> Move:
        """Return the move of a discrete action."""
        legal = self.view.legal_actions(self.bet_sizes)
        action = number.whole
        if action is None:
            raise self._refusal("names no action")
        if action not in legal:
            raise self._refusal(f"names action {action}, which is not legal now")
        return legal[action]

    def _with_card(self, moves: list[Move], request: Request) -> list[Move]:
        """Return those moves that put down a card that is named; all where none is."""
        hand = self.view.hand
        named: set[Card] = set()
        for number in request.numbers:
            cards = self._cards(number)
            in_hand = cards.intersection(hand)
            if not cards or (in_hand and in_hand != cards):
                raise self._refusal("does not name one card of the hand")
            named |= in_hand
        return [move for move in moves if not named or move.card in named]

    def _cards(self, number: Number) -> set[Card]:
        """Return the cards in play that a number may mean: of the hand, and the one for it."""
        view = self.view
        if number.of_slot:
            return {card for slot, card in enumerate(view.hand) if slot == number.whole}
        beside = {*view.discard_pile[-1:], *([] if view.drawn_card is None else [view.drawn_card])}
        if number.digits == "0" and number.sylop is None:  # the lowest one, as in ``Game.play``
            return set([card for card in (*view.hand, *beside) if card.suit is None][:1])
        return {card for card in (*view.hand, *beside) if _fits(card, number)}

    def _raise(self, grid: Move, request: Request) -> Move:
        """Return the raise to the total that a request names."""
        assert grid.low is not None
        assert grid.high is not None
        assert grid.step is not None
        if not request.exact:
            raise self._refusal("does not say clearly what to bet")
        said, legal = request.modifiers, range(grid.low, grid.high + 1, grid.step)
        totals = {grid.low} if "min" in said else set()
        if "max" in said:
            totals.add(grid.high)
        if "pot" in said:
            totals.add(self._total_of_size("1"))
        for number in request.numbers:
            totals.add(self._total(number, said))
        if not totals and len(legal) == 1:
            totals.add(grid.low)
        if not totals:
            raise self._refusal("names no total to raise to")
        if not totals.issubset(legal):
            raise self._refusal("is not legal now")
        if len(totals) > 1:
            raise self._ambiguous([Move("raise", amount=total) for total in sorted(totals)])
        return Move("raise", amount=totals.pop())

    def _total(self, number: Number, said: frozenset[str]) -> int:
        """Return the total that a number means: a whole one itself, another one a bet size."""
        if number.of_pot:
            return self._total_of_size(number.digits)
        if number.sign is not None or number.suit is not None:
            raise self._refusal("names a card to raise to")
        if number.whole is not None:
            return number.whole + (max(self.view.bets) if "by" in said else 0)
        if number.digits in map(str, self.bet_sizes) and said.isdisjoint(_TOTAL_WORDS):
            return self._total_of_size(number.digits)
        raise self._refusal("names a number that is no total to raise to")

    def _total_of_size(self, fraction: str) -> int:
        """Return the total that a fraction of the pot means."""
        size = Fraction(fraction)
        if size > LARGEST_FRACTION:
            raise self._refusal("names too large a bet")
        moves = self.view.legal_actions([size]).values()
        return next(move.amount for move in moves if move.amount is not None)

    def _all_in(self, request: Request) -> Move:
        """Return the move that puts in all credits of the seat."""
        view = self.view
        credits_left = view.credits[view.seat] or 0
        total = view.bets[view.seat] + credits_left
        if any(number.whole not in (total, credits_left) for number in request.numbers):
            raise self._refusal(f"names another number than all {credits_left} credits")
        for move in view.legal_moves:
            if move.kind == "call" and max(view.bets) >= total:
                return move
            if move.kind == "raise" and move.high == total:
                return Move("raise", amount=move.high)
        raise self._refusal("is not legal now")

    def _ambiguous(self, moves: Sequence[Move]) -> IllegalMove:
        choices = " or ".join(map(_words, moves))
        return IllegalMove(f"{short_repr(self.text)} may mean {choices}; write one of them alone")

    def _refusal(self, why: str) -> IllegalMove:
        return IllegalMove(f"{short_repr(self.text)} {why}; {_legal(self.view)}")


def _fits(card: Card, number: Number) -> bool:
    """Say whether a card is the one that a number names, as far as it does."""
    if number.sylop is not None:
        return card == number.sylop
    sign = 1 if card.value > 0 else -1
    return (
        number.digits == str(abs(card.value))
        and number.sign in (None, sign)
        and number.suit in (None, card.suit)
    )


def _legal(view: GameView) -> str:
    """Say what is legal, or that it is not this seat's turn."""
    if not view.legal_moves:
        return _whose_turn(view)
    return f"legal: {', '.join(map(move_text, view.legal_moves))}"


def _whose_turn(view: GameView) -> str:
    if view.seat_to_act is None:
        return "the hand is over"
    return f"player_{view.seat_to_act} is to act, not player_{view.seat}"


def _words(move: Move) -> str:
    return move_text(move) if move.low is not None else move_words(move)
