"""From where a table is looked at."""

from __future__ import annotations

from sabacc_env.arguments import whole
from sabacc_env.errors import SabaccError, short_repr
from sabacc_env.game.game import Game


def checked(game: Game, seat: int | None) -> int | None:
    """Return the seat that looks at a game, None for somebody who sees everything.

    Raises:
        SabaccError: for what is no game, or no seat of it.
    """
    if not isinstance(game, Game):
        raise SabaccError(f"game: {short_repr(game)} is no Game")
    return None if seat is None else whole("seat", seat, 0, game.num_players - 1)
