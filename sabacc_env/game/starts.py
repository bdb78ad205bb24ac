"""What a hand started from, also where its game was copied from tables, which do not keep that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sabacc_env.engine.layout import OVER
from sabacc_env.errors import SabaccError

if TYPE_CHECKING:
    from sabacc_env.game.game import Game


def start_of(game: Game) -> dict[str, Any]:
    """Return the arguments that deal a hand again; the dealer is a seat, also where the key chose.

    Raises:
        SabaccError: for a hand all chance of which was forced.
    """
    chance = chance_of(game)
    if chance is None:
        raise SabaccError("this hand cannot be dealt again: all its chance was forced")
    key, deck = chance
    given = int(game._number("dice_given"))
    return {
        "num_players": game.num_players,
        "dealer": game.dealer,
        "deck": deck,
        "dice": game.start.get("dice", game.dice[:given] if given >= 0 else None),
        "credits": None if game.rules.points else game.credits_before,
        "sabacc_pot": sabacc_pot_before(game),
        "key": key,
    }


def chance_of(game: Game) -> tuple[int, Sequence[int] | None] | None:
    """Return the hand's key and the deck that was given, if any; None for forced chance."""
    if start := game._start:
        return start["key"], start["deck"]
    given = game._number("deck_given")
    if given == 1:
        return game.key, game._records["deck"][0, : len(game.rules.deck)].tolist()
    return (game.key, None) if given == 0 else None


def sabacc_pot_before(game: Game) -> int:
    """Return the credits in the Sabacc pot before the antes."""
    if game.rules.points:
        return game.sabacc_pot
    if game._number("phase") == OVER:
        return game.sabacc_pot + int(game._records["net_credits"].sum())
    return game.sabacc_pot - len(game.seated) * game.rules.sabacc_ante
