"""Hand histories: a hand as plain data, and playing it again exactly."""

from __future__ import annotations

from collections.abc import Mapping
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
        game = Game(rules, **start)
        game.set_episode_position(*map(int, history["episode"]))
    except SabaccError:
        raise
    except (KeyError, IndexError, TypeError, ValueError):
        raise SabaccError("history: this is not what Game.to_dict() returned") from None
    for seat, move in moves:
        if seat != game.seat_to_act:
            raise SabaccError(
                f"history: seat {seat} plays {short_repr(move)}, but seat "
                f"{game.seat_to_act} is to act"
            )
        game.play(move)
    for name, value in game.to_dict()["state"].items():
        if state.get(name) != value:
            raise SabaccError(f"history: its moves lead to {name} {value}, but its state differs")
    return game


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
    again = Game(game.rules, **game.start)
    again.set_episode_position(*game.episode_position)
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
