"""What hands start from at many tables: keys, dealers, credits and Sabacc pots, given or not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sabacc_env.engine.drivers.batch import Starts
from sabacc_env.engine.layout import MAX_SEATS, UNLIMITED
from sabacc_env.engine.rules_record import starting_credits
from sabacc_env.errors import SabaccError
from sabacc_env.game.keys import split_key
from sabacc_env.rules import RuleSet

PerTable = ArrayLike | Callable[[int, int], Any]
"""One value a table (for credits, a row), or a function of (table, hand count)."""

Ints = NDArray[np.int64]

WORD: Final = 0xFFFFFFFF


class Stakes:
    """What each table's hands and episodes start from.

    Args:
        rule_sets: the rule sets in play.
        rule_of: (n,) which of them a table plays.
        players: (n,) the seats of each table.
        seed: decides the keys that are not given.
        keys, dealers, credits, sabacc_pots: as of ``Tables``.

    Attributes:
        start: the arrays that the engine reads.
        asked: whether any of it comes from functions, which are asked by ``ask``.
    """

    def __init__(
        self,
        rule_sets: Sequence[RuleSet],
        rule_of: Ints,
        players: Ints,
        seed: int,
        keys: PerTable | None,
        dealers: PerTable | None,
        credits: PerTable | None,
        sabacc_pots: PerTable | None,
    ) -> None:
        self._players = players
        self._antes = np.array([0 if rules.points else rules.ante_unit for rules in rule_sets])[
            rule_of
        ]
        self._rule_sets = rule_sets
        self._rule_of = rule_of
        n = len(rule_of)
        self._refuse_unfit(np.arange(n), credits, sabacc_pots)
        usual = [starting_credits(rules, MAX_SEATS) for rules in rule_sets]
        self._seats = np.arange(MAX_SEATS) < players[:, None]
        self.start = Starts(
            seed=np.array(split_key(seed), dtype=np.int64),
            keys=np.zeros((0 if keys is None else n, 2), dtype=np.int64),
            dealers=np.zeros(0 if dealers is None else n, dtype=np.int64),
            credits=np.array(usual, dtype=np.int64)[rule_of] * self._seats,
            sabacc_pots=np.zeros(n, dtype=np.int64),
        )
        self._given = {
            "keys": keys,
            "dealers": dealers,
            "credits": credits,
            "sabacc_pots": sabacc_pots,
        }
        self.asked = any(callable(given) for given in self._given.values())
        self._take(np.arange(n), np.zeros(n, dtype=np.int64), asked=False, names=tuple(self._given))
        self._check_stakes(np.arange(n))

    def _refuse_unfit(self, which: Ints, credits: object, sabacc_pots: object) -> None:
        """Refuse what the rule sets of some of these tables do not have."""
        for rules in (self._rule_sets[rule] for rule in np.unique(self._rule_of[which])):
            if credits is not None and rules.points:
                raise SabaccError(f"credits: the rules {rules.name!r} are played for points")
            if sabacc_pots is not None and not rules.sabacc_ante:
                raise SabaccError(f"sabacc_pots: the rules {rules.name!r} have no Sabacc pot")

    def give(self, which: Ints, credits: ArrayLike | None, sabacc_pots: ArrayLike | None) -> None:
        """Change the credits or Sabacc pots that later episodes of these tables start from.

        Raises:
            SabaccError: for values that make no hand; nothing has changed.
        """
        self._refuse_unfit(which, credits, sabacc_pots)
        before = self.start.credits[which], self.start.sabacc_pots[which]
        try:
            for name, values in (("credits", credits), ("sabacc_pots", sabacc_pots)):
                if values is not None:
                    shape = (len(which), *self._row(name))
                    try:
                        new = np.broadcast_to(_whole(values), shape)
                    except (ValueError, TypeError, OverflowError) as error:
                        raise SabaccError(f"{name}: give whole numbers of shape {shape}") from error
                    getattr(self, f"_set_{name}")(which, new)
            self._check_stakes(which)
        except SabaccError:
            self.start.credits[which], self.start.sabacc_pots[which] = before
            raise

    def _row(self, name: str) -> tuple[int, ...]:
        """Return the shape of what is given for one table."""
        return (int(self._players.max()),) if name == "credits" else ()

    def ask(self, which: Ints, new: NDArray[np.bool_], hand_counts: Ints) -> None:
        """Ask the functions what the next hands start from.

        Args:
            which: the tables of these hands, (n,).
            new: whether the hand begins an episode, (n,): only then is more asked than its key.
            hand_counts: of all tables.

        Raises:
            SabaccError: for values that make no hand; names what was asked.
        """
        self._take(which, hand_counts, asked=True, names=("keys",))
        self._take(which[new], hand_counts, asked=True, names=("dealers", "credits", "sabacc_pots"))
        self._check_stakes(which[new])

    def _take(self, which: Ints, hand_counts: Ints, asked: bool, names: Sequence[str]) -> None:
        """Write what was given for these tables into the arrays: what is asked, or the rest."""
        for name in names:
            given = self._given[name]
            if given is None or callable(given) != asked or not len(which):
                continue
            getattr(self, f"_set_{name}")(which, self._values(name, given, which, hand_counts))

    def _values(self, name: str, given: PerTable, which: Ints, hand_counts: Ints) -> Ints:
        """Return what was given for these tables, (len(which),) or with a row for each."""
        row = self._row(name)
        try:
            if callable(given):
                rows = [given(int(table), int(hand_counts[table])) for table in which]
                if row:
                    rows = [[*values, *[0] * (row[0] - len(values))] for values in rows]
                return np.array([_whole(values) for values in rows]).reshape(len(which), *row)
            return np.broadcast_to(_whole(given), (len(self._players), *row))[which]
        except (ValueError, TypeError, OverflowError) as error:
            raise SabaccError(
                f"{name}: give whole numbers of shape {(len(self._players), *row)}, or a "
                f"function of (table, hand count) returning {'a row' if row else 'one'}"
            ) from error

    def _set_keys(self, which: Ints, keys: Ints) -> None:
        self.start.keys[which, 0] = keys & WORD
        self.start.keys[which, 1] = keys >> 32 & WORD

    def _set_dealers(self, which: Ints, dealers: Ints) -> None:
        if ((dealers < 0) | (dealers >= self._players[which])).any():
            raise SabaccError(f"dealers: each must be from 0 to {self._players.min() - 1}")
        self.start.dealers[which] = dealers

    def _set_credits(self, which: Ints, credits: Ints) -> None:
        rows = np.pad(credits, ((0, 0), (0, MAX_SEATS - credits.shape[1])))
        self.start.credits[which] = np.where(self._seats[which], rows, 0)

    def _set_sabacc_pots(self, which: Ints, pots: Ints) -> None:
        self.start.sabacc_pots[which] = pots

    def _check_stakes(self, which: Ints) -> None:
        credits, pots = self.start.credits[which], self.start.sabacc_pots[which]
        if credits.min(initial=0) < 0 or pots.min(initial=0) < 0:
            raise SabaccError("credits: credits and Sabacc pots cannot be negative")
        largest = max(credits.max(initial=0), pots.max(initial=0))
        if largest > UNLIMITED or (credits.sum(axis=1) + pots).max(initial=0) > UNLIMITED:
            raise SabaccError(f"credits: more than {UNLIMITED} would be in play at one table")
        antes = self._antes[which]
        able = (self._seats[which] & (credits >= antes[:, None])).sum(axis=1)
        if (poor := able < 2).any():
            raise SabaccError(
                f"credits: fewer than two seats of a table can pay the antes of "
                f"{antes[poor.argmax()]} credits"
            )


def _whole(values: Any) -> Ints:
    array = np.asarray(values)
    if array.dtype.kind == "f":  # NumPy makes floats of a mix with keys from 2**63 up
        whole_numbers = np.asarray(values, dtype=object)
        if all(type(number) is int for number in whole_numbers.flat):
            array = (whole_numbers & (2**64 - 1)).astype(np.uint64)
    if array.dtype.kind not in "iu":
        raise TypeError("not whole numbers")
    return array.astype(np.int64)
