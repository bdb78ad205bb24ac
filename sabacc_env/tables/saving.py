"""A batch of tables as bytes, and back."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import fields
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sabacc_env.actions import encode_bet_sizes
from sabacc_env.arguments import check_int, check_sequence
from sabacc_env.engine.drivers import batch
from sabacc_env.engine.layout import GAME_DTYPE
from sabacc_env.engine.token_log import Sequences, are_sequences
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
from sabacc_env.tables.arrays import TableArrays
from sabacc_env.tables.settings import TableSettings

FORMAT: Final = b"sabacc-tables 4\n"
TEXT_FORMAT: Final = "sabacc-tables-json 1"

INDEX: Final = np.dtype(np.int64)


class SavedTables(NamedTuple):
    """What the bytes of tables hold.

    Attributes:
        settings: what makes the tables.
        calls: how often ``Tables.play`` was called.
        histories: the packed moves of the hands in play, if the tables kept them.
        state: the bytes of ``TableArrays.saved``.
    """

    settings: TableSettings
    calls: int
    histories: list[list[int]] | None
    state: bytes


class TablesState:
    """Where tables stand, in the host's memory: quicker to take and to go back to than bytes.

    Args:
        settings: what makes the tables.
        calls: how often ``Tables.play`` was called.
        histories: the packed moves of the hands in play, if the tables kept them.
        arrays: the tables' arrays.
        saved: the arrays of ``arrays.saved`` in the host's memory; they are copied.
        starts: what hands start from, a copy.
    """

    def __init__(
        self,
        settings: TableSettings,
        calls: int,
        histories: list[list[int]] | None,
        arrays: TableArrays,
        saved: Sequence[NDArray[Any]],
        starts: batch.Starts,
    ) -> None:
        self.settings, self.calls, self.starts = settings, calls, starts
        self.histories = None if histories is None else [moves.copy() for moves in histories]
        self._arrays = arrays.rule_sets, arrays.rules_given, arrays.players
        self._saved = [(array.tobytes(), array.dtype, array.shape) for array in saved]

    def saved(self) -> list[NDArray[Any]]:
        """Return what was saved of each of ``arrays.saved``, read-only."""
        return [np.frombuffer(data, kind).reshape(shape) for data, kind, shape in self._saved]

    def check_alike(self, settings: TableSettings, arrays: TableArrays) -> None:
        """Refuse tables that are made from something else than these were; the seed may differ."""
        rule_sets, rules_given, players = self._arrays
        if len(players) != len(arrays.players):
            raise SabaccError(f"state: it has {len(players)} tables, not {len(arrays.players)}")
        if rule_sets != arrays.rule_sets or not np.array_equal(rules_given, arrays.rules_given):
            raise SabaccError("state: its tables have other rules")
        if not np.array_equal(players, arrays.players):
            raise SabaccError("state: its tables have other numbers of players")
        for field in fields(TableSettings):
            if field.name not in ("rules", "num_players", "seed"):
                its, own = getattr(self.settings, field.name), getattr(settings, field.name)
                if field.name == "bet_sizes":  # fractions have become floats in bytes
                    differ = encode_bet_sizes(its).tobytes() != encode_bet_sizes(own).tobytes()
                else:
                    differ = its != own
                if differ:
                    raise SabaccError(f"state: its tables have {field.name} {its}, not {own}")

    def to_bytes(self) -> bytes:
        """Return what ``Tables.to_bytes`` returned there."""
        return tables_to_bytes(
            self.settings, self.calls, self.histories, *self._arrays, self.saved()
        )


def tables_to_bytes(
    settings: TableSettings,
    calls: int,
    histories: list[list[int]] | None,
    rule_sets: Sequence[RuleSet],
    rules_given: NDArray[np.int64],
    players: NDArray[np.int64],
    saved: Sequence[NDArray[Any]],
) -> bytes:
    """Return tables as bytes; ``saved`` are the arrays of ``TableArrays.saved``, on the host."""
    header = {
        "rules": [rule_set.canonical() for rule_set in rule_sets],
        "seed": settings.seed,
        "hands": settings.hands,
        "bet_sizes": [
            size if isinstance(size, str | int) else float(size) for size in settings.bet_sizes
        ],
        "packed": settings.packed,
        "calls": calls,
        "histories": histories,
        "num_tables": settings.num_tables,
        "record": GAME_DTYPE.itemsize,
    }
    if settings.observation != "flat":
        header |= {"observation": settings.observation, "max_tokens": settings.max_tokens}
    if settings.draws_rules:
        header["num_rule_sets"] = len(rules_given)
    state = b"".join(array.tobytes() for array in (rules_given, players, *saved))
    return pack_with_checksum(FORMAT, header, state)


def tables_from_bytes(data: bytes) -> SavedTables:
    """Return what the bytes of tables hold; ``check_saved_arrays`` reads their ``state``.

    Raises:
        SabaccError: for bytes of something else, of another version, damaged, or cut short.
    """
    header, state = unpack_checked(FORMAT, data)
    if header.pop("record", None) != GAME_DTYPE.itemsize:
        raise SabaccError("these bytes hold tables of another engine version")
    try:
        texts, calls, histories = (header.pop(key) for key in ("rules", "calls", "histories"))
        n = check_int("num_tables", header["num_tables"], 1, len(state))
        if type(header["seed"]) is not int:  # None would be a random one
            raise TypeError("a seed that is not a whole number")
        rule_sets = [RuleSet.from_canonical(text) for text in check_sequence("rules", texts)]
        drawn = header.pop("num_rule_sets", None)
        num_given = n if drawn is None else check_int("num_rule_sets", drawn, 1, len(state))
        size = (num_given + n) * INDEX.itemsize
        indices = records_from_bytes(FORMAT, state[:size], INDEX, num_given + n)
        given = [rule_sets[index] for index in indices[:num_given]]
        settings = TableSettings.check(
            rule_sets[0] if drawn is None and len(rule_sets) == 1 else given,
            num_players=indices[num_given:].tolist(),
            draws_rules=drawn is not None,
            **header,
        )
    except (KeyError, IndexError, TypeError) as error:
        raise content_error(FORMAT, "an incomplete description of tables") from error
    calls = check_int("calls", calls, 0, 2**62)
    if histories is not None:
        histories = [check_moves(FORMAT, moves) for moves in check_sequence("histories", histories)]
        if len(histories) != n:
            raise content_error(FORMAT, "another number of histories than of tables")
    return SavedTables(settings, calls, histories, state[size:])


def tables_to_text(data: bytes, hands: list[Any]) -> str:
    """Return the bytes of tables as JSON text; what makes them and their hands can be read there.

    Args:
        data: what ``tables_to_bytes`` returned.
        hands: the state of the hand at each table, as plain data.
    """
    header, _ = unpack_checked(FORMAT, data)
    rules = [json.loads(text) for text in header.pop("rules")]
    told = header | {"rules": rules, "state": hands}
    return seal_text(TEXT_FORMAT, told | {"bytes": base64.b64encode(data).decode()})


def tables_from_text(text: str) -> tuple[bytes, Any]:
    """Return the bytes and the hands that ``tables_to_text`` was given.

    Raises:
        SabaccError: for text of something else, of another version, changed, or cut short.
    """
    told = unseal_text(TEXT_FORMAT, text)
    try:
        return base64.b64decode(told["bytes"], validate=True), told["state"]
    except (KeyError, TypeError, ValueError):
        raise SabaccError("this text does not hold the bytes of tables") from None


def check_saved_arrays(saved: SavedTables, arrays: TableArrays) -> tuple[NDArray[Any], ...]:
    """Return the arrays that are to be written over ``arrays.saved``.

    Raises:
        SabaccError: for a state that tables with these settings cannot be in.
    """
    state, values = saved.state, []
    for array in arrays.saved:
        part, state = state[: array.nbytes], state[array.nbytes :]
        items = records_from_bytes(FORMAT, part, array.dtype, array.size)
        values.append(items.reshape(array.shape))
    games, rule_of, *others = values
    results = batch.Results(*others[: len(batch.Results._fields)])
    sequences = others[len(results) :]
    dealt = results.final_games["num_players"] > 0
    for indices in (rule_of, results.final_rule_of):
        kept = saved.settings.draws_rules or np.array_equal(indices, arrays.rules_given)
        if not kept or not ((indices >= 0) & (indices < len(arrays.rule_sets))).all():
            raise content_error(FORMAT, "tables with other rules than they describe")
    check_records(FORMAT, games, arrays.rule_sets, rule_of)
    final_rules = results.final_rule_of[dealt]
    check_records(FORMAT, results.final_games[dealt], arrays.rule_sets, final_rules)
    other = (games["num_players"] != arrays.players) | (games["hands"] != saved.settings.hands)
    flags = np.stack([results.finished, results.match_finished]).view(np.uint8)
    if (
        state
        or (other | (games["dice_given"] >= 0) | (results.hand_counts < 0)).any()
        or (flags > 1).any()
        or (sequences and not are_sequences(Sequences(*sequences)))
    ):
        raise content_error(FORMAT, "tables that do not fit their description")
    return tuple(values)
