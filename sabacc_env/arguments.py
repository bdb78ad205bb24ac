"""Checking what a game is made from: one clear sentence for whatever is wrong."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from inspect import signature
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sabacc_env.cards import as_int
from sabacc_env.engine.layout import UNLIMITED
from sabacc_env.engine.rules_record import starting_credits
from sabacc_env.errors import SabaccError, short_repr
from sabacc_env.rules import RuleSet
from sabacc_env.rules.wording import did_you_mean


def check_int(name: str, value: object, least: int, most: int) -> int:
    """Return a whole number within limits, or say in one sentence what is wrong with it."""
    number = as_int(value)
    if number is None:
        raise SabaccError(f"{name}: {short_repr(value)} is not a whole number")
    if not least <= number <= most:
        raise SabaccError(f"{name}: {number} is not from {least} to {most}")
    return number


def check_number(name: str, value: object) -> float:
    """Return a number, or say in one sentence that it is none."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise SabaccError(f"{name}: {short_repr(value)} is not a number")
    try:
        return float(value)
    except OverflowError:
        raise SabaccError(f"{name}: {short_repr(value)} is too large") from None


def check_bool(name: str, value: object) -> bool:
    """Return True or False, or say in one sentence that it is neither."""
    if not isinstance(value, bool | np.bool_):
        raise SabaccError(f"{name}: {short_repr(value)} is neither True nor False")
    return bool(value)


def check_max_tokens(max_tokens: int | None, num_players: int) -> int:
    """Return the length of token sequences, which by default follows from the number of seats."""
    if max_tokens is None:
        return default_max_tokens(num_players)
    return check_int("max_tokens", max_tokens, 2, 2**16)


def default_max_tokens(num_players: int) -> int:
    """Return a length that nearly all hands fit into (docs/reference/forms.md has figures)."""
    return 64 + 16 * num_players


def check_array(name: str, values: ArrayLike) -> NDArray[Any]:
    """Return an array of the host, or say in one sentence that it is none."""
    try:
        return np.asarray(values)
    except ValueError:
        raise SabaccError(f"{name}: the rows have different lengths") from None


@contextmanager
def explain_memory_error(name: str, count: int, size: int) -> Iterator[None]:
    """Say in one sentence that there is no memory for so many tables, of so many bytes each."""
    try:
        yield
    except MemoryError:
        raise SabaccError(
            f"{name}: {count} tables need more than {count * size / 1e9:.0f} GB of memory, which "
            "this machine or its GPU cannot give; use fewer"
        ) from None


def check_int_array(name: str, values: ArrayLike, count: int) -> NDArray[np.int64]:
    """Return so many whole numbers as an array, or say in one sentence what is wrong with them."""
    array = check_array(name, values)
    if array.shape != (count,) or array.dtype.kind not in "iu":
        raise SabaccError(
            f"{name}: give {count} whole numbers, not {array.dtype} of shape {array.shape}"
        )
    return np.ascontiguousarray(array, dtype=np.int64)


def check_table_indices(name: str, array: NDArray[Any], count: int) -> NDArray[np.int64]:
    """Return indices of so many tables as int64, or say in one sentence what is wrong with them."""
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise SabaccError(f"{name}: give a one-dimensional array of table indices")
    if len(array) and (array.min() < 0 or array.max() >= count):
        raise SabaccError(f"{name}: table indices go from 0 to {count - 1}")
    return np.ascontiguousarray(array, dtype=np.int64)


def check_seats(
    seats: NDArray[Any], tables: NDArray[np.int64], players: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return a seat at each of these tables, given for each or once, as int64.

    Args:
        seats: what was given.
        tables: the tables' indices, (n,).
        players: the seats of each, (n,).

    Raises:
        SabaccError: for anything that is not a seat; names the table.
    """
    if seats.shape not in ((), tables.shape) or seats.dtype.kind not in "iu":
        raise SabaccError(f"seats: give {len(tables)} whole numbers, or one for all")
    each = np.broadcast_to(seats, tables.shape)
    wrong = (each < 0) | (each >= players)
    if wrong.any():
        first = wrong.argmax()
        raise SabaccError(f"seats: table {tables[first]} has seats 0 to {players[first] - 1}")
    return np.ascontiguousarray(each, dtype=np.int64)


def is_legal(action_masks: NDArray[Any], actions: NDArray[Any]) -> NDArray[np.bool_]:
    """Say for each row whether its mask allows its action; no number is out of bounds here.

    >>> is_legal(np.array([[1, 0], [1, 0], [1, 0]]), np.array([0, 1, -2]))
    array([ True, False, False])
    """
    count, num_actions = action_masks.shape
    known = (actions >= 0) & (actions < num_actions)
    legal: NDArray[np.bool_] = action_masks[np.arange(count), np.where(known, actions, 0)] > 0
    legal &= known
    return legal


def check_keywords(kind: type[object], given: Iterable[str], known: Collection[str]) -> None:
    """Refuse keyword arguments that a class takes as ``**keywords`` and does not know.

    Args:
        kind: the class; its other arguments are hinted at too.
        given: the names of the keywords.
        known: the names that it knows.

    Raises:
        TypeError: names the class and the keyword, and what was probably meant.
    """
    for name in given:
        if name not in known:
            hint = did_you_mean(name, [*known, *signature(kind).parameters])
            raise TypeError(f"{kind.__name__}() got an unexpected keyword argument {name!r}{hint}")


def check_sequence(name: str, values: Any) -> list[Any]:
    """Return the items of a sequence, or say in one sentence that it is none."""
    rows = isinstance(values, np.ndarray) and values.ndim > 0
    text = isinstance(values, str | bytes | bytearray | memoryview)
    if not rows and (text or not isinstance(values, Sequence)):
        raise SabaccError(f"{name}: {short_repr(values)} is not a sequence")
    return list(values)


def one_per_table(name: str, given: Any, num_tables: int) -> list[Any]:
    """Return what was given as a list: of one for all tables, or of one for each."""
    if hasattr(given, "tolist"):  # an array, or one of its numbers
        given = given.tolist()
    if isinstance(given, str | Path | RuleSet) or hasattr(given, "__index__"):
        return [given]
    if given is None:
        raise SabaccError(f"{name}: None was given; give one, or one for each table")
    each = check_sequence(name, given)
    if len(each) != num_tables:
        raise SabaccError(f"{name}: give one, or one for each of {num_tables} tables")
    return each


def check_num_players(rules: RuleSet, num_players: int) -> int:
    """Return the number of players, for which the rules must have seats."""
    return check_int("num_players", num_players, *rules.seats)


def check_credits(
    rules: RuleSet, num_players: int, credits: Sequence[int] | None, sabacc_pot: int
) -> list[int]:
    """Return each seat's credits before the antes (zeros for points)."""
    sabacc_pot = check_int("sabacc_pot", sabacc_pot, 0, UNLIMITED)
    if sabacc_pot and not rules.sabacc_ante:
        raise SabaccError(f"sabacc_pot: the rules {rules.name!r} have no Sabacc pot")
    if credits is None:
        stacks = starting_credits(rules, num_players)
    elif rules.points:
        raise SabaccError(f"credits: the rules {rules.name!r} are played for points")
    else:
        stacks = [
            check_int("credits", amount, 0, UNLIMITED)
            for amount in check_sequence("credits", credits)
        ]
        if len(stacks) != num_players:
            raise SabaccError(f"credits: give one number for each of {num_players} seats")
    if sum(stacks) + sabacc_pot > UNLIMITED:
        raise SabaccError(f"credits: more than {UNLIMITED} would be in play")
    return stacks


def check_deck(rules: RuleSet, deck: Sequence[int]) -> list[int]:
    """Return a given deck, which must be the rules' cards in some order."""
    cards = [check_int("deck", card, 0, 61) for card in check_sequence("deck", deck)]
    if sorted(cards) != list(rules.deck):
        raise SabaccError(f"deck: give each of the {len(rules.deck)} cards of the rules once")
    return cards


def check_dice(dice: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Return given dice as pairs of faces."""
    pairs = [check_sequence("dice", faces) for faces in check_sequence("dice", dice)]
    if any(len(faces) != 2 for faces in pairs):
        raise SabaccError("dice: give pairs of faces, one pair a round")
    return [[check_int("dice", face, 1, 6) for face in faces] for faces in pairs]
