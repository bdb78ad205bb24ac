"""The check of a point of view: the seat that looks at a table, or nobody in particular."""

from __future__ import annotations

from sabacc_env.arguments import check_int
from sabacc_env.errors import SabaccError, short_repr
from sabacc_env.game.game import Game


def checked_seat(game: Game, seat: int | None) -> int | None:
    """Return the seat whose view is asked for; None is a viewer who sees everything.

    Raises:
        SabaccError: if ``game`` is not a game, or ``seat`` is not one of its seats.
    """
    if not isinstance(game, Game):
        raise SabaccError(f"game: {short_repr(game)} is not a Game")
    return None if seat is None else check_int("seat", seat, 0, game.num_players - 1)
