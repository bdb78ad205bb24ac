"""What hands start from at many tables: keys, dealers, credits and Sabacc pots, given or not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sabacc_env.array_types import Ints
from sabacc_env.engine.drivers.batch import Starts
from sabacc_env.engine.layout import MAX_SEATS, UNLIMITED
from sabacc_env.engine.rules_record import starting_credits
from sabacc_env.errors import SabaccError
from sabacc_env.game.keys import split_key
from sabacc_env.rules import RuleSet

PerTable = ArrayLike | Callable[[int, int], Any]
"""One value a table (for credits, a row), or a function of (table, hand count)."""


class StartKeywords(TypedDict, total=False):
    """What the hands of ``Tables`` start from; None is as the seed and the rules say."""

    keys: PerTable | None
    dealers: PerTable | None
    credits: PerTable | None
    sabacc_pots: PerTable | None


WORD: Final = 0xFFFFFFFF


class HandStarts:
    """What each table's hands and episodes start from.

    Args:
        rule_sets: the rule sets in play.
        rule_of: (n,) which of them a table plays.
        players: (n,) the seats of each table.
        seed: decides the keys that are not given.
        rule_pool: (k,) which of the rule sets episodes draw from; empty where tables keep theirs.
        keys, dealers, credits, sabacc_pots: as of ``Tables``.

    Attributes:
        starts: the arrays that the engine reads.
        calls_functions: whether any of it comes from functions; ``call_functions`` calls them.
    """

    def __init__(
        self,
        rule_sets: Sequence[RuleSet],
        rule_of: Ints,
        players: Ints,
        seed: int,
        rule_pool: Ints,
        *,
        keys: PerTable | None = None,
        dealers: PerTable | None = None,
        credits: PerTable | None = None,
        sabacc_pots: PerTable | None = None,
    ) -> None:
        self._players = players
        self._antes = np.array([0 if rules.points else rules.ante_unit for rules in rule_sets])[
            rule_of
        ]
        self._rule_sets = rule_sets
        self._rule_of = rule_of
        self._draws_rules = len(rule_pool) > 0
        n = len(rule_of)
        self._refuse_by_rules(np.arange(n), credits, sabacc_pots)
        by_rules = np.array([starting_credits(rules, MAX_SEATS) for rules in rule_sets])
        self._seats = np.arange(MAX_SEATS) < players[:, None]
        self.starts = Starts(
            seed=np.array(split_key(seed), dtype=np.int64),
            keys=np.zeros((0 if keys is None else n, 2), dtype=np.int64),
            dealers=np.zeros(0 if dealers is None else n, dtype=np.int64),
            credits=by_rules if self._draws_rules else by_rules[rule_of] * self._seats,
            sabacc_pots=np.zeros(n, dtype=np.int64),
            rule_pool=rule_pool,
        )
        self._sources = {
            "keys": keys,
            "dealers": dealers,
            "credits": credits,
            "sabacc_pots": sabacc_pots,
        }
        self.calls_functions = any(callable(source) for source in self._sources.values())
        self._fill(
            np.arange(n),
            np.zeros(n, dtype=np.int64),
            from_functions=False,
            names=tuple(self._sources),
        )
        self._check_credits(np.arange(n))

    def _refuse_by_rules(self, indices: Ints, credits: object, sabacc_pots: object) -> None:
        """Refuse credits or Sabacc pots that the rules of some of these tables do not have."""
        if self._draws_rules and (credits is not None or sabacc_pots is not None):
            name = "sabacc_pots" if credits is None else "credits"
            raise SabaccError(f"{name}: tables that draw their rules start with what the rules say")
        for rules in (self._rule_sets[rule] for rule in np.unique(self._rule_of[indices])):
            if credits is not None and rules.points:
                raise SabaccError(f"credits: the rules {rules.name!r} are played for points")
            if sabacc_pots is not None and not rules.sabacc_ante:
                raise SabaccError(f"sabacc_pots: the rules {rules.name!r} have no Sabacc pot")

    def change(
        self, indices: Ints, credits: ArrayLike | None, sabacc_pots: ArrayLike | None
    ) -> None:
        """Change the credits or Sabacc pots that later episodes of these tables start from.

        Raises:
            SabaccError: for values that make no hand; nothing has changed.
        """
        self._refuse_by_rules(indices, credits, sabacc_pots)
        before = self.starts.credits[indices], self.starts.sabacc_pots[indices]
        try:
            for name, values in (("credits", credits), ("sabacc_pots", sabacc_pots)):
                if values is not None:
                    shape = (len(indices), *self._row(name))
                    try:
                        new = np.broadcast_to(int_array(values), shape)
                    except (ValueError, TypeError, OverflowError) as error:
                        raise SabaccError(f"{name}: give whole numbers of shape {shape}") from error
                    getattr(self, f"_set_{name}")(indices, new)
            self._check_credits(indices)
        except SabaccError:
            self.starts.credits[indices], self.starts.sabacc_pots[indices] = before
            raise

    def _row(self, name: str) -> tuple[int, ...]:
        """Return the shape of what is given for one table."""
        return (int(self._players.max()),) if name == "credits" else ()

    def call_functions(self, indices: Ints, new: NDArray[np.bool_], hand_counts: Ints) -> None:
        """Call the functions that say what the next hands start from.

        Args:
            indices: the tables of these hands, (n,).
            new: whether the hand begins an episode, (n,); other hands only get a key.
            hand_counts: of all tables.

        Raises:
            SabaccError: for values that make no hand; names the argument.
        """
        self._fill(indices, hand_counts, from_functions=True, names=("keys",))
        self._fill(
            indices[new],
            hand_counts,
            from_functions=True,
            names=("dealers", "credits", "sabacc_pots"),
        )
        self._check_credits(indices[new])

    def _fill(
        self, indices: Ints, hand_counts: Ints, from_functions: bool, names: Sequence[str]
    ) -> None:
        """Write what was given for these tables into the arrays: by functions, or as arrays."""
        for name in names:
            source = self._sources[name]
            if source is None or callable(source) != from_functions or not len(indices):
                continue
            getattr(self, f"_set_{name}")(indices, self._values(name, source, indices, hand_counts))

    def _values(self, name: str, source: PerTable, indices: Ints, hand_counts: Ints) -> Ints:
        """Return what was given for these tables, (len(indices),), or with a row for each."""
        row = self._row(name)
        try:
            if callable(source):
                rows = [source(int(table), int(hand_counts[table])) for table in indices]
                if row:
                    rows = [[*values, *[0] * (row[0] - len(values))] for values in rows]
                return np.array([int_array(values) for values in rows]).reshape(len(indices), *row)
            return np.broadcast_to(int_array(source), (len(self._players), *row))[indices]
        except (ValueError, TypeError, OverflowError) as error:
            raise SabaccError(
                f"{name}: give whole numbers of shape {(len(self._players), *row)}, or a "
                f"function of (table, hand count) returning {'one row' if row else 'one'}"
            ) from error

    def _set_keys(self, indices: Ints, keys: Ints) -> None:
        self.starts.keys[indices] = key_words(keys)

    def _set_dealers(self, indices: Ints, dealers: Ints) -> None:
        if ((dealers < 0) | (dealers >= self._players[indices])).any():
            raise SabaccError(f"dealers: each must be from 0 to {self._players.min() - 1}")
        self.starts.dealers[indices] = dealers

    def _set_credits(self, indices: Ints, credits: Ints) -> None:
        rows = np.pad(credits, ((0, 0), (0, MAX_SEATS - credits.shape[1])))
        self.starts.credits[indices] = np.where(self._seats[indices], rows, 0)

    def _set_sabacc_pots(self, indices: Ints, pots: Ints) -> None:
        self.starts.sabacc_pots[indices] = pots

    def _check_credits(self, indices: Ints) -> None:
        if self._draws_rules:
            return  # they are those of the rules, which are checked
        credits, pots = self.starts.credits[indices], self.starts.sabacc_pots[indices]
        if credits.min(initial=0) < 0 or pots.min(initial=0) < 0:
            raise SabaccError("credits: credits and Sabacc pots must not be negative")
        largest = max(credits.max(initial=0), pots.max(initial=0))
        if largest > UNLIMITED or (credits.sum(axis=1) + pots).max(initial=0) > UNLIMITED:
            raise SabaccError(f"credits: more than {UNLIMITED} would be in play at one table")
        antes = self._antes[indices]
        able = (self._seats[indices] & (credits >= antes[:, None])).sum(axis=1)
        if (poor := able < 2).any():
            raise SabaccError(
                f"credits: fewer than two seats of a table can pay the antes of "
                f"{antes[poor.argmax()]} credits"
            )


def key_words(keys: Ints) -> Ints:
    """Return the low and the high word of 64-bit keys, as the engine takes them, (..., 2)."""
    return np.stack([keys & WORD, keys >> 32 & WORD], axis=-1)


def int_array(values: Any) -> Ints:
    """Return whole numbers as int64, those from 2**63 up by their bits; a TypeError for others."""
    array = np.asarray(values)
    if array.dtype.kind == "f":  # NumPy makes floats of a mix with keys from 2**63 up
        whole_numbers = np.asarray(values, dtype=object)
        if all(type(number) is int for number in whole_numbers.flat):
            array = (whole_numbers & (2**64 - 1)).astype(np.uint64)
    if array.dtype.kind not in "iu":
        raise TypeError("not whole numbers")
    return array.astype(np.int64)
