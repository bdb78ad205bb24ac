"""A hand as plain data, playing it again exactly, and going to any of its moves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sabacc_env.errors import SabaccError, short_repr
from sabacc_env.game.game import Game
from sabacc_env.moves import Turn
from sabacc_env.rules import RuleSet


def replay(history: Mapping[str, Any]) -> Game:
    """Deal and play again the hand that ``Game.to_dict`` described, up to the same move.

    Raises:
        SabaccError: for something that is no such description, moves that are not legal, or a
            state that these moves do not lead to.

    >>> game = Game("casino", 2, seed=5)
    >>> game.play(game.legal_moves()[0])
    >>> replay(game.to_dict()) == game
    True
    """
    try:
        rules, start = RuleSet(**history["rules"]), dict(history["start"])
        moves = [(seat, str(move)) for seat, move in history["moves"]]
        state = dict(history["state"])
        if not start:
            raise SabaccError(
                "history: this game was copied from tables, which do not keep its start"
            )
        hand, hands = map(int, history["episode"])
        dealt = deal_again(rules, start, (hand, hands))
    except SabaccError:
        raise
    except (ArithmeticError, LookupError, TypeError, ValueError):
        raise SabaccError("history: this is not what Game.to_dict() returned") from None
    game = play_again(dealt, moves)
    for name, value in game.to_dict()["state"].items():
        if state.get(name) != value:
            raise SabaccError(f"history: its moves lead to {name} {value}, but its state differs")
    return game


def deal_again(rules: RuleSet, start: Mapping[str, Any], episode: tuple[int, int]) -> Game:
    """Return a hand as it was dealt, from ``Game.start`` and ``Game.episode_position``."""
    game = Game(rules, **start)
    game.set_episode_position(*episode)
    return game


def play_again(game: Game, moves: Iterable[tuple[int, str]]) -> Game:
    """Play moves in a game, each with the seat that is to play it; return the game.

    Raises:
        SabaccError: for a move of another seat or one that is not legal.
    """
    for seat, move in moves:
        if seat != game.seat_to_act:
            raise SabaccError(
                f"history: seat {seat} plays {short_repr(move)}, but seat "
                f"{game.seat_to_act} is to act"
            )
        game.play(move)
    return game


def positions(game: Game) -> list[Game]:
    """Return a hand after each number of moves: as it was dealt, after one move, and so on.

    Raises:
        SabaccError: for a game copied from tables, which do not keep its start, or (in bytes that
            somebody made) where the moves do not lead to the state.

    >>> game = Game("casino", 2, seed=5)
    >>> game.play(game.legal_moves()[0])
    >>> [len(each.history) for each in positions(game)]
    [0, 1]
    """
    if not game.start:
        raise SabaccError("positions: this game was copied from tables, which keep no start")
    found = [deal_again(game.rules, game.start, game.episode_position)]
    try:
        for turn in game.history:
            found.append(found[-1].clone())
            found[-1].play(turn.move)
    except SabaccError as error:
        raise SabaccError(
            f"positions: the moves of this game do not follow from its start: {error}"
        ) from None
    if found[-1] != game:
        raise SabaccError("positions: the moves of this game do not lead to its state")
    return found


def before_last_move(game: Game) -> tuple[Game, Turn]:
    """Return a game as it was before its last move, dealt and played again, and that move.

    Raises:
        SabaccError: where no move was played, the start is not known, or (in bytes that somebody
            made) the moves do not lead to the state.
    """
    if not game.history:
        raise SabaccError("undo: no move of this hand has been played")
    if not game.start:
        raise SabaccError("undo: this game was copied from tables, which do not keep its start")
    *earlier, last = game.history
    again = deal_again(game.rules, game.start, game.episode_position)
    try:
        for turn in earlier:
            again.play(turn.move)
        after = again.clone()
        after.play(last.move)
    except SabaccError as error:
        raise SabaccError(
            f"undo: the moves of this game do not follow from its start: {error}"
        ) from None
    if after != game:
        raise SabaccError("undo: the moves of this game do not lead to its state")
    return again, last
