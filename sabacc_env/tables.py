"""Many tables at once: every seat's decisions, in arrays that are rewritten in place."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sabacc_env.checks import check_num_players, whole
from sabacc_env.engine import batch
from sabacc_env.engine.actions import (
    DEFAULT_BET_SIZES,
    BetSize,
    action_names,
    encode_bet_sizes,
    num_actions,
)
from sabacc_env.engine.features import OBSERVATION_SIZE
from sabacc_env.engine.layout import GAME_DTYPE, UNLIMITED, Array
from sabacc_env.engine.rulebook import rules_record, starting_credits
from sabacc_env.errors import IllegalMove, SabaccError
from sabacc_env.game import Game, game_of_record
from sabacc_env.keys import split_key
from sabacc_env.rules import RuleSet, load_rules
from sabacc_env.sealing import sealed, unsealed

PerTable = ArrayLike | Callable[[int, int], Any]
"""One value a table (for credits, a row), or a function of (table, hand count)."""

FORMAT: Final = b"sabacc-tables 1\n"


class Tables:
    """A batch of tables under one rule set; hands restart in the step that ends them.

    Args:
        rules: a rule set by name, path, or as a ``RuleSet``.
        num_tables: how many tables.
        num_players: seats at each table.
        seed: decides the key of every hand: a hash of (seed, table, hand count); None is random.
        hands: hands in an episode: credits, Sabacc pot and dealer carry over inside it, then the
            table starts afresh. It ends early when fewer than two seats can pay their antes.
        bet_sizes: what the bet actions mean (docs/actions.md).
        threads: how many threads step the tables; results do not depend on it.
        keys: 64-bit keys of the hands, asked for at every hand.
        dealers: first dealers, asked for at every episode; by default the key decides.
        credits: each seat's credits before the antes, asked for at every episode.
        sabacc_pots: credits in the Sabacc pot before the antes, likewise.

    The last four are each an array per table or a function of (table, hand count).

    Attributes:
        observations: (num_tables, OBSERVATION_SIZE) float32, what the seat to act observes.
        action_masks: (num_tables, num_actions) int8, 1 for a legal action.
        seats_to_act: (num_tables,) int64, whose decision it is.
        finished: (num_tables,) bool, whether a hand ended in the last step.
        match_finished: (num_tables,) bool, whether its episode ended with it.
        net_credits: (num_tables, num_players) int64, that hand's; zeros elsewhere.
        hand_counts: (num_tables,) int64, hands finished at each table so far.

    >>> tables = Tables("orsl", num_tables=4, num_players=3, seed=0)
    >>> tables.step(np.zeros(4, dtype=np.int64))  # action 0: everyone stands
    >>> tables.seats_to_act.shape, tables.observations.shape
    ((4,), (4, 400))
    """

    def __init__(
        self,
        rules: str | Path | RuleSet,
        num_tables: int,
        num_players: int = 2,
        *,
        seed: int | None = None,
        hands: int = 1,
        bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
        threads: int = 1,
        keys: PerTable | None = None,
        dealers: PerTable | None = None,
        credits: PerTable | None = None,
        sabacc_pots: PerTable | None = None,
    ) -> None:
        self._set_up(rules, num_tables, num_players, seed, hands, bet_sizes, threads)
        self._give(keys, dealers, credits, sabacc_pots)
        self._games["num_players"] = self.num_players
        self._games["hands"] = self.hands
        self._start_episodes(self._all)
        self._deal(self._all, np.full(self.num_tables, -1, dtype=np.int64))

    def _set_up(
        self,
        rules: str | Path | RuleSet,
        num_tables: int,
        num_players: int,
        seed: int | None,
        hands: int,
        bet_sizes: Sequence[BetSize],
        threads: int,
    ) -> None:
        self.rules = load_rules(rules)
        self.num_players = check_num_players(self.rules, num_players)
        self.num_tables = n = whole("num_tables", num_tables, 1, 2**31)
        self.seed = secrets.randbits(64) if seed is None else whole("seed", seed, 0, 2**64 - 1)
        self.hands = whole("hands", hands, 1, UNLIMITED)
        self.threads = whole("threads", threads, 1, 1024)
        self._encoded_sizes = encode_bet_sizes(bet_sizes)
        self.bet_sizes = tuple(bet_sizes)
        self._rules_record = rules_record(self.rules)
        try:
            self._allocate(n)
        except MemoryError:
            needed = n * (GAME_DTYPE.itemsize + OBSERVATION_SIZE * 4) / 1e9
            raise SabaccError(
                f"num_tables: {n} tables need more than {needed:.0f} GB of memory, which this "
                "machine cannot give; use fewer"
            ) from None

    def _allocate(self, n: int) -> None:
        self._games = np.zeros(n, GAME_DTYPE)  # before what is small or filled: it fails at once
        self._legal = np.zeros(n, dtype=np.int64)
        self.observations = np.zeros((n, OBSERVATION_SIZE), dtype=np.float32)
        self.action_masks = np.zeros((n, num_actions(self.bet_sizes)), dtype=np.int8)
        self.seats_to_act = np.zeros(n, dtype=np.int64)
        self.finished = np.zeros(n, dtype=np.bool_)
        self.match_finished = np.zeros(n, dtype=np.bool_)
        self.net_credits = np.zeros((n, self.num_players), dtype=np.int64)
        self.hand_counts = np.zeros(n, dtype=np.int64)
        self._all = np.arange(n, dtype=np.int64)

    def _give(
        self,
        keys: PerTable | None,
        dealers: PerTable | None,
        credits: PerTable | None,
        sabacc_pots: PerTable | None,
    ) -> None:
        if credits is not None and self.rules.points:
            raise SabaccError(f"credits: the rules {self.rules.name!r} are played for points")
        if sabacc_pots is not None and not self.rules.sabacc_ante:
            raise SabaccError(f"sabacc_pots: the rules {self.rules.name!r} have no Sabacc pot")
        self._given = {
            "keys": keys,
            "dealers": dealers,
            "credits": credits,
            "sabacc_pots": sabacc_pots,
        }

    # Stepping.

    def step(self, actions: ArrayLike, tables: ArrayLike | None = None) -> None:
        """Play one action at every table, or at the ``tables`` named (distinct indices).

        Rewrites the arrays; ``finished``, ``match_finished`` and ``net_credits`` then speak of
        this step alone.

        Raises:
            IllegalMove: if an action is not legal: names the table and the action; no table moved.
            SabaccError: for actions of a wrong shape or type.
        """
        which = self._all if tables is None else self._checked_tables(tables)
        chosen = self._checked_actions(actions, len(which))
        wrong = batch.first_illegal(self._legal, which, chosen)
        if wrong >= 0:
            raise IllegalMove(self._refusal(int(which[wrong]), int(chosen[wrong])))
        self.finished[:] = False
        self.match_finished[:] = False
        self.net_credits[:] = 0
        written = (*self._arrays(), self.finished, self.net_credits)
        self._in_chunks(batch.step_tables, written, which, chosen)
        ended = np.flatnonzero(self.finished)
        if len(ended):
            self._restart(ended)

    def _restart(self, ended: NDArray[np.int64]) -> None:
        """Deal the next hand where one has ended: in the same episode or in a new one."""
        while len(ended):
            self.hand_counts[ended] += 1
            self._games["hand_number"][ended] += 1
            able = np.zeros(len(ended), dtype=np.int64)
            batch.able_counts(self._games, self._rules_record, ended, able)
            over = (self._games["hand_number"][ended] >= self.hands) | (able < 2)
            self.match_finished[ended] |= over
            dealers = self._games["dealer"][ended].astype(np.int64) + 1
            dealers[over] = -1
            self._start_episodes(ended[over])
            self._deal(ended, dealers)
            # A hand in which the antes took all credits may end at its deal: it counts here too.
            ended = ended[self.seats_to_act[ended] < 0]
            self.net_credits[ended] += self._games["net_credits"][ended, : self.num_players]

    def _start_episodes(self, which: NDArray[np.int64]) -> None:
        """Give tables fresh stacks and Sabacc pots."""
        games, seats = self._games, slice(0, self.num_players)
        games["hand_number"][which] = 0
        credits = self._asked("credits", which, self.num_players)
        if credits is None:
            credits = np.array([starting_credits(self.rules, self.num_players)], dtype=np.int64)
        pots = self._asked("sabacc_pots", which)
        if pots is None:
            pots = np.zeros(1, dtype=np.int64)
        self._check_stakes(credits, pots)
        games["credits"][which, seats] = credits
        games["sabacc_pot"][which] = pots

    def _deal(self, which: NDArray[np.int64], dealers: NDArray[np.int64]) -> None:
        keys = np.zeros((len(which), 2), dtype=np.int64)
        given = self._asked("keys", which)
        if given is None:
            low, high = split_key(self.seed)
            batch.hand_keys(low, high, which, self.hand_counts[which], keys)
        else:
            keys[:, 0] = given & 0xFFFFFFFF
            keys[:, 1] = given >> 32 & 0xFFFFFFFF
        first = dealers < 0
        if first.any() and (given := self._asked("dealers", which[first])) is not None:
            if given.min() < 0 or given.max() >= self.num_players:
                raise SabaccError(f"dealers: each must be from 0 to {self.num_players - 1}")
            dealers[first] = given
        batch.reset_hands(self._games, self._rules_record, which, keys, dealers)
        self._in_chunks(batch.deal_hands, (self._games, self._rules_record), which)
        self._in_chunks(batch.write_tables, self._arrays(), which)
        started = which[self._games["hand_number"][which] == 0]
        if self.seats_to_act[started].min(initial=0) < 0:
            table = started[self.seats_to_act[started].argmin()]
            raise SabaccError(f"credits: at table {table} the antes leave nobody a decision")

    def _arrays(self) -> tuple[Array, ...]:
        """Return what the compiled functions read and write, in their order."""
        return (
            self._games,
            self._rules_record,
            self._encoded_sizes,
            self._legal,
            self.seats_to_act,
            self.observations,
            self.action_masks,
        )

    def _in_chunks(
        self, function: Callable[..., None], arrays: tuple[Array, ...], *per_table: Array
    ) -> None:
        """Call a compiled function, which needs no GIL, on a part of the tables in each thread."""
        if self.threads == 1:
            function(*arrays, *per_table)
            return
        chunks = zip(*(np.array_split(array, self.threads) for array in per_table), strict=True)
        pool = _pool(self.threads, os.getpid())
        calls = [pool.submit(function, *arrays, *chunk) for chunk in chunks]
        for call in calls:
            call.result()

    def _asked(
        self, name: str, which: NDArray[np.int64], width: int | None = None
    ) -> NDArray[np.int64] | None:
        """Return what was given for these tables, or None; functions are asked table by table."""
        given = self._given[name]
        if given is None:
            return None
        shape = (len(which),) if width is None else (len(which), width)
        try:
            if callable(given):
                rows = [given(int(table), int(self.hand_counts[table])) for table in which]
                return np.array([_whole_array(row) for row in rows]).reshape(shape)
            full = _whole_array(given)
            return np.broadcast_to(full, (self.num_tables, *shape[1:]))[which]
        except (ValueError, TypeError, OverflowError) as error:
            raise SabaccError(
                f"{name}: give whole numbers of shape {(self.num_tables, *shape[1:])}, or a "
                f"function of (table, hand count) returning {'one' if width is None else 'a row'}"
            ) from error

    def _check_stakes(self, credits: NDArray[np.int64], pots: NDArray[np.int64]) -> None:
        if credits.min(initial=0) < 0 or pots.min(initial=0) < 0:
            raise SabaccError("credits: credits and Sabacc pots cannot be negative")
        largest = max(credits.max(initial=0), pots.max(initial=0))
        if largest > UNLIMITED or (credits.sum(axis=1) + pots).max(initial=0) > UNLIMITED:
            raise SabaccError(f"credits: more than {UNLIMITED} would be in play at one table")
        able = (credits >= self.rules.ante_unit).sum(axis=1)
        if not self.rules.points and able.min(initial=2) < 2:
            raise SabaccError(
                f"credits: fewer than two seats of a table can pay the antes of "
                f"{self.rules.ante_unit} credits"
            )

    def _checked_tables(self, tables: ArrayLike) -> NDArray[np.int64]:
        which = np.asarray(tables)
        if which.ndim != 1 or which.dtype.kind not in "iu":
            raise SabaccError("tables: give a one-dimensional array of table indices")
        if len(which) and (which.min() < 0 or which.max() >= self.num_tables):
            raise SabaccError(f"tables: indices go from 0 to {self.num_tables - 1}")
        if len(np.unique(which)) != len(which):
            raise SabaccError("tables: an index is named twice")
        return np.ascontiguousarray(which, dtype=np.int64)

    def _checked_actions(self, actions: ArrayLike, count: int) -> NDArray[np.int64]:
        chosen = np.asarray(actions)
        if chosen.shape != (count,) or chosen.dtype.kind not in "iu":
            raise SabaccError(
                f"actions: give {count} whole numbers, not {chosen.dtype} of shape {chosen.shape}"
            )
        return np.ascontiguousarray(chosen, dtype=np.int64)

    def _refusal(self, table: int, action: int) -> str:
        names = action_names(self.bet_sizes)
        name = names[action] if 0 <= action < len(names) else "no such action"
        seat = self.seats_to_act[table]
        return f"table {table}: action {action} ({name}) is not legal for seat {seat} now"

    # Looking and keeping.

    def game(self, table: int) -> Game:
        """Return a copy of one table's hand as a ``Game``, its history empty."""
        table = whole("table", table, 0, self.num_tables - 1)
        return game_of_record(self.rules, self._games[table : table + 1].copy())

    def to_bytes(self) -> bytes:
        """Return everything but what was given per table: ``from_bytes`` goes on from here."""
        header = {
            "rules": self.rules.canonical(),
            "num_tables": self.num_tables,
            "num_players": self.num_players,
            "seed": self.seed,
            "hands": self.hands,
            "bet_sizes": [s if isinstance(s, str | int) else float(s) for s in self.bet_sizes],
            "record": GAME_DTYPE.itemsize,
        }
        state = b"".join(array.tobytes() for array in self._kept())
        return sealed(FORMAT, header, state)

    def _kept(self) -> tuple[NDArray[Any], ...]:
        return (
            self._games,
            self.hand_counts,
            self.finished,
            self.match_finished,
            self.net_credits,
        )

    @classmethod
    def from_bytes(
        cls,
        data: bytes,
        *,
        threads: int = 1,
        keys: PerTable | None = None,
        dealers: PerTable | None = None,
        credits: PerTable | None = None,
        sabacc_pots: PerTable | None = None,
    ) -> Self:
        """Return the tables whose ``to_bytes`` these are.

        What was given per table is not in the bytes, so give it again; nor is ``threads``.

        Raises:
            SabaccError: for bytes of something else, of another version, damaged, or cut short.
        """
        header, state = unsealed(FORMAT, data)
        if header.pop("record") != GAME_DTYPE.itemsize:
            raise SabaccError("these bytes are tables of another engine version")
        tables = object.__new__(cls)
        rules = RuleSet.from_canonical(header.pop("rules"))
        tables._set_up(rules, **header, threads=threads)
        tables._give(keys, dealers, credits, sabacc_pots)
        for array in tables._kept():
            array[:] = np.frombuffer(state[: array.nbytes], dtype=array.dtype).reshape(array.shape)
            state = state[array.nbytes :]
        tables._in_chunks(batch.write_tables, tables._arrays(), tables._all)
        return tables


@lru_cache
def _pool(threads: int, process: int) -> ThreadPoolExecutor:
    """Return the threads of a process: those of its parent do not survive a fork."""
    return ThreadPoolExecutor(threads, thread_name_prefix=f"sabacc-tables-{process}")


def _whole_array(values: Any) -> NDArray[np.int64]:
    array = np.asarray(values)
    if array.dtype.kind == "f":  # NumPy makes floats of a mix with keys from 2**63 up
        whole_numbers = np.asarray(values, dtype=object)
        if all(type(number) is int for number in whole_numbers.flat):
            array = (whole_numbers & (2**64 - 1)).astype(np.uint64)
    if array.dtype.kind not in "iu":
        raise TypeError("not whole numbers")
    return array.astype(np.int64)
