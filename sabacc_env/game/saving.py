"""A game as bytes or JSON text, and back."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sabacc_env.engine.layout import GAME_DTYPE
from sabacc_env.errors import SabaccError
from sabacc_env.game.loading import check_moves, check_records, records_from_bytes
from sabacc_env.rules import RuleSet
from sabacc_env.storage.checksums import (
    content_error,
    pack_with_checksum,
    seal_text,
    unpack_checked,
    unseal_text,
)

if TYPE_CHECKING:
    from sabacc_env.game.game import Game

FORMAT: Final = b"sabacc-game 3\n"
"""Starts the bytes of a game; the number rises when the record's layout changes."""

TEXT_FORMAT: Final = "sabacc-game-json 1"

START_KEYS: Final = {"num_players", "dealer", "deck", "dice", "credits", "sabacc_pot", "key"}
"""What the start of a hand says."""


class SavedGame(NamedTuple):
    """What the bytes of a game hold.

    Attributes:
        rules: the rules.
        start: what the hand started from; {} where that is not known.
        played: the packed moves.
        records: an array of the one record.
    """

    rules: RuleSet
    start: dict[str, Any]
    played: list[int]
    records: NDArray[Any]


def game_to_bytes(saved: SavedGame) -> bytes:
    """Return a game as bytes: format version, rules, start, moves and record."""
    header = {
        "rules": saved.rules.canonical(),
        "start": saved.start,
        "played": saved.played,
        "record": GAME_DTYPE.itemsize,
    }
    return pack_with_checksum(FORMAT, header, saved.records.tobytes())


def game_from_bytes(data: bytes) -> SavedGame:
    """Return what the bytes of a game hold; that its rules deal from its start is left to check.

    Raises:
        SabaccError: for bytes of something else, of another version, damaged, or cut short, and
            for a state that no hand can be in.
    """
    header, record = unpack_checked(FORMAT, data)
    if header.get("record") != GAME_DTYPE.itemsize:
        raise SabaccError("these bytes hold a game of another engine version")
    match header:
        case {"rules": str() as text, "start": dict() as start, "played": played}:
            pass
        case _:
            raise content_error(FORMAT, "an incomplete description of a game")
    rules = RuleSet.from_canonical(text)
    if start and set(start) != START_KEYS:
        raise content_error(FORMAT, "a start that no hand can have")
    played = check_moves(FORMAT, played)
    records = records_from_bytes(FORMAT, record, GAME_DTYPE, 1)
    check_records(FORMAT, records, [rules], np.zeros(1, dtype=np.int64))
    if (start.get("dice") is None) != (records["dice_given"].item() < 0):
        raise content_error(FORMAT, "rolled dice that were not given")
    return SavedGame(rules, start, played, records)


def game_to_text(game: Game) -> str:
    """Return a game as JSON text: what ``Game.to_dict`` returns, sealed.

    A game that knows no start cannot be played again from it, so its bytes are there too.
    """
    told = game.to_dict()
    if not told["start"]:
        told["bytes"] = base64.b64encode(game.to_bytes()).decode()
    return seal_text(TEXT_FORMAT, told)


def game_from_text(text: str) -> Game:
    """Return the game that ``game_to_text`` wrote.

    Raises:
        SabaccError: for text of something else, of another version, changed, or cut short, and
            for a state that its moves do not lead to.
    """
    from sabacc_env.game.game import Game
    from sabacc_env.game.replay import replay

    told = unseal_text(TEXT_FORMAT, text)
    if "bytes" not in told:
        return replay(told)
    try:
        game = Game.from_bytes(base64.b64decode(told.pop("bytes"), validate=True))
    except (TypeError, ValueError) as error:
        if isinstance(error, SabaccError):
            raise
        raise SabaccError("this text does not hold the bytes of a game") from None
    if game.to_dict() != told:
        raise SabaccError("this text describes another game than its bytes hold")
    return game
