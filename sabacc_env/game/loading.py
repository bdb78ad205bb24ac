"""What bytes hold: checked, for whoever can write bytes can seal them too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabacc_env.engine.layout import (
    MAX_SEATS,
    NUM_CARDS,
    NUM_KINDS,
    RAISE,
    UNLIMITED,
)
from sabacc_env.engine.rules_record import rules_record
from sabacc_env.engine.validation import find_error
from sabacc_env.rules import RuleSet
from sabacc_env.storage.checksums import content_error


def check_records(
    format_line: bytes, games: NDArray[Any], rules: Sequence[RuleSet], rule_of: NDArray[np.int64]
) -> None:
    """Refuse records of games that no hand can be in.

    Args:
        format_line: what the bytes were of.
        games: (n,) of ``GAME_DTYPE``.
        rules: the rule sets.
        rule_of: (n,) which of them each is played by.

    Raises:
        SabaccError: says what is wrong.
    """
    seats = np.array([each.seats for each in rules])[rule_of]
    players = games["num_players"]
    if ((players < seats[:, 0]) | (players > seats[:, 1])).any():
        raise content_error(format_line, "a game with a number of seats that its rules forbid")
    records = np.concatenate([rules_record(each) for each in rules])
    if wrong := find_error(games, records, rule_of):
        raise content_error(format_line, f"a state that no hand can be in: {wrong}")


def records_from_bytes(
    format_line: bytes, state: bytes, kind: np.dtype[Any], count: int
) -> NDArray[Any]:
    """Return so many items of a type out of the bytes of their memory; they may be written to.

    Raises:
        SabaccError: where the bytes are too few or too many.
    """
    if len(state) != count * kind.itemsize:
        raise content_error(
            format_line, f"{len(state)} bytes of records instead of {count * kind.itemsize}"
        )
    return np.frombuffer(bytearray(state), dtype=kind)


def check_moves(format_line: bytes, played: object) -> list[int]:
    """Return the moves of a hand, packed as ``engine.step.pack_move`` does.

    Raises:
        SabaccError: for what is none.
    """
    if not isinstance(played, list) or not all(map(_is_move, played)):
        raise content_error(format_line, "invalid moves")
    return played


def _is_move(packed: object) -> bool:
    if type(packed) is not int or not 0 <= packed < MAX_SEATS << 40:
        return False
    kind, named = packed >> 32 & 255, packed & 0xFFFFFFFF
    if kind == RAISE:
        return named <= UNLIMITED
    return kind < NUM_KINDS and named & 255 < NUM_CARDS and named >> 8 <= NUM_CARDS
