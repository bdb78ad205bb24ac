"""Many tables at once: every seat's decisions, in arrays that are rewritten in place."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sabacc_env.actions import DEFAULT_BET_SIZES, BetSize, action_names
from sabacc_env.arguments import check_int, check_sequence, check_table_indices
from sabacc_env.engine.drivers import batch
from sabacc_env.engine.layout import GAME_DTYPE
from sabacc_env.errors import IllegalMove, SabaccError, short_repr
from sabacc_env.game.loading import check_moves, check_records, records_from_bytes
from sabacc_env.rules import RuleSet
from sabacc_env.storage.checksums import content_error, pack_with_checksum, unpack_checked
from sabacc_env.tables.arrays import Rules, TableArrays
from sabacc_env.tables.cpu import get_device
from sabacc_env.tables.hand_starts import HandStarts, PerTable
from sabacc_env.tables.move_histories import MoveHistories

if TYPE_CHECKING:
    from sabacc_env.policies import Policy

FORMAT: Final = b"sabacc-tables 3\n"

INDEX: Final = np.dtype(np.int64)


class Tables(TableArrays):
    """A batch of tables; hands restart in the step that ends them.

    Args:
        rules: a rule set by name, path, or as a ``RuleSet``; or a sequence of them, one a table.
        num_tables: how many tables.
        num_players: seats at each table: one number, or a sequence of them, one a table.
        seed: decides the key of every hand: a hash of (seed, table, hand count); None is random.
        hands: hands in an episode: credits, Sabacc pot and dealer carry over inside it, then the
            table starts afresh. It ends early when fewer than two seats can pay their antes.
        bet_sizes: what the bet actions mean (docs/reference/actions.md).
        threads: how many threads step the tables; results do not depend on it.
        device: "cpu", or "cuda" for a GPU (extra ``cuda``), where the same hands are played: the
            attributes are then arrays in its memory, which torch and others share through
            ``__cuda_array_interface__``, and actions may be such arrays too.
        packed: whether observations are int8: each feature times its entry in
            ``sabacc_env.observation.named_blocks.PACKED_SCALES``, rounded.
        keys: 64-bit keys of the hands, asked for at every hand.
        dealers: first dealers, asked for at every episode; by default the key decides.
        credits: each seat's credits before the antes, asked for at every episode.
        sabacc_pots: credits in the Sabacc pot before the antes, likewise.

    The last four are each an array per table or a function of (table, hand count); on a GPU, an
    array. Where a hand ends and what the next one is to start from makes none (or a function
    raises), the step raises; it has been played. The tables that wait for a deal then stop:
    ``seats_to_act`` is -1 there until ``restart``, and other tables can be stepped on.

    Tables can be copied and pickled, unless they ask functions.

    Attributes:
        observations: (num_tables, OBSERVATION_SIZE) float32 or int8, what the seat to act
            observes. Features that never change at a table (the rules, absent opponents) are
            written once, so work on a copy.
        action_masks: (num_tables, num_actions) int8, 1 for a legal action.
        seats_to_act: (num_tables,) int64, whose decision it is.
        finished: (num_tables,) bool, whether a hand ended in the last step.
        match_finished: (num_tables,) bool, whether its episode ended with it.
        net_credits: (num_tables, num_players) int64, that hand's; zeros elsewhere. Hands that end
            in one step (antes may take all credits) add up.
        hand_counts: (num_tables,) int64, hands finished (or abandoned) at each table so far.

    >>> tables = Tables("orsl", num_tables=4, num_players=3, seed=0)
    >>> tables.step(np.zeros(4, dtype=np.int64))  # action 0: everyone stands
    >>> tables.seats_to_act.shape, tables.observations.shape
    ((4,), (4, 400))
    """

    def __init__(
        self,
        rules: Rules | Sequence[Rules],
        num_tables: int,
        num_players: int | Sequence[int] = 2,
        *,
        seed: int | None = None,
        hands: int = 1,
        bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
        threads: int = 1,
        device: str = "cpu",
        packed: bool = False,
        keys: PerTable | None = None,
        dealers: PerTable | None = None,
        credits: PerTable | None = None,
        sabacc_pots: PerTable | None = None,
    ) -> None:
        self._device = get_device(device, threads)
        given = keys, dealers, credits, sabacc_pots
        self._make(rules, num_tables, num_players, seed, hands, bet_sizes, packed, given)
        self._begin_episodes(self._all, np.zeros(self.num_tables, dtype=np.int64))

    def _make(
        self,
        rules: Rules | Sequence[Rules],
        num_tables: int,
        num_players: int | Sequence[int],
        seed: int | None,
        hands: int,
        bet_sizes: Sequence[BetSize],
        packed: bool,
        given: tuple[PerTable | None, ...],
    ) -> None:
        """Make everything but the first deal."""
        self.seed = secrets.randbits(64) if seed is None else check_int("seed", seed, 0, 2**64 - 1)
        self.calls = 0  # of play
        self._make_arrays(rules, num_tables, num_players, hands, bet_sizes, packed)
        self._hand_starts = HandStarts(
            self.rule_sets, self.rule_of, self.players, self.seed, *given
        )
        if self._hand_starts.calls_functions and self._device.arrays_only:
            raise SabaccError(
                "device: tables on a GPU cannot call functions; give keys, dealers, credits and "
                "sabacc_pots as arrays"
            )
        self._send_starts()

    def _send_starts(self) -> None:
        """Bring what hands start from to the device."""
        self._starts = batch.Starts(*map(self._device.to_device, self._hand_starts.starts))

    # Stepping.

    def step(self, actions: ArrayLike, tables: ArrayLike | None = None) -> None:
        """Play one action at every table, or at the ``tables`` named (distinct indices).

        Rewrites the arrays; ``finished``, ``match_finished`` and ``net_credits`` then speak of
        this step alone.

        Raises:
            IllegalMove: if an action is not legal: names the table and the action; no table moved.
            SabaccError: for actions of a wrong shape or type, a table that has stopped, or what
                makes no next hand.
        """
        indices = self._all if tables is None else self._checked_tables(tables)
        given = self._checked_actions(actions, len(indices))
        chosen = self._whole_numbers(given)
        wrong = self._device.find_first(batch.first_illegal, (self._turns.legal,), indices, chosen)
        if wrong >= 0:
            self._refuse_stopped(indices)
            raise IllegalMove(self._illegal_message(int(indices[wrong]), int(given[wrong])))
        self._clear_results()
        autoreset = not self._hand_starts.calls_functions
        if self._histories is not None:
            self._histories.record(self._games, indices, chosen)
        self._device.run(batch.step_tables, (*self._batches, autoreset), indices, chosen)
        if self._histories is not None:
            self._histories.clear(np.flatnonzero(self.finished))
        self._deal_waiting(indices)

    def keep_histories(self) -> None:
        """Keep from now on what is stepped in each hand: ``game(table).history`` then says it.

        Agents that want views need it. Ask for it before anything is played: of a hand in play
        the moves so far stay missing.

        Raises:
            SabaccError: on a GPU.
        """
        if self._device.arrays_only:
            raise SabaccError(
                "device: tables on a GPU keep no histories, which agents with views need"
            )
        self._histories = MoveHistories(self.num_tables)

    def play(self, policies: Policy | Sequence[Policy], decisions: int) -> None:
        """Play so many decisions at every table by compiled policies, dealing on.

        Afterwards ``net_credits`` are the sums over all hands that ended in this call, and
        ``finished`` and ``match_finished`` say whether any did. What the policies draw is decided
        by the tables' seed and the number of calls so far. Ctrl-C is heard within a second: some
        tables have then played all these decisions, and others have not.

        Args:
            policies: a function made by ``sabacc_env.policies.policy``, or one for each seat.
            decisions: how many decisions to play at each table.

        Raises:
            SabaccError: for anything that is not a policy, a table that has stopped, a next hand
                that cannot start, or tables that keep histories.
            IllegalMove: for a policy that chose an illegal action: names the table and the action.
                Its table stands before it, and the others have played on.
        """
        from sabacc_env.engine.drivers.policy_loop import NO_STATE, NONE_ILLEGAL
        from sabacc_env.policies import one_a_seat

        chosen = one_a_seat(policies, self.num_players)
        decisions = check_int("decisions", decisions, 0, 2**62)
        if self._histories is not None:
            raise SabaccError(
                "play: these tables keep histories, which play cannot record; use step"
            )
        self._refuse_stopped(self._all)
        self._clear_results()
        autoreset = not self._hand_starts.calls_functions
        to_device, n = self._device.to_device, self.num_tables
        illegal = to_device(np.full(n, NONE_ILLEGAL, dtype=np.int64))
        for _ in range(1 if autoreset else decisions):
            self.calls += 1
            random_states = to_device(np.full(n, NO_STATE, dtype=np.int64))
            for indices, some in self._device.chunks(self._all, decisions if autoreset else 1):
                settings = (self.calls, some, autoreset, random_states, illegal)
                self._device.play(chosen, self._batches, settings, indices)
            self._deal_waiting(self._all)
            if (bad := self._device.to_host(illegal) != NONE_ILLEGAL).any():
                table = int(bad.argmax())
                raise IllegalMove(f"policies: {self._illegal_message(table, int(illegal[table]))}")

    @property
    def _batches(self) -> tuple[Any, ...]:
        return self._games, self._turns, self._results, self._starts

    def _clear_results(self) -> None:
        for array in (
            self._results.finished,
            self._results.match_finished,
            self._results.net_credits,
        ):
            self._device.clear(array)

    def restart(self, tables: ArrayLike) -> None:
        """Abandon the episodes at these tables (distinct indices) and begin new ones.

        An abandoned hand has no result, but it counts: its deal does not come again. What the
        last step said stays.

        Raises:
            SabaccError: for anything that is not a table, or starts that make no hand.
        """
        indices = self._checked_tables(tables)
        counts = self._device.to_host(self.hand_counts).copy()
        counts[self._device.to_host(indices)] += 1
        self._begin_episodes(indices, counts)

    def _begin_episodes(self, indices: NDArray[np.int64], hand_counts: NDArray[np.int64]) -> None:
        """Deal the first hands of episodes, which are these hands of their tables."""
        if self._histories is not None:
            self._histories.clear(indices)
        if self._hand_starts.calls_functions:
            self._hand_starts.call_functions(
                indices, np.ones(len(indices), dtype=np.bool_), hand_counts
            )
        self._device.write(self.hand_counts, hand_counts)
        self._device.run(batch.begin_episodes, self._batches, indices)
        self._refuse_dead_starts(indices)

    def _deal_waiting(self, indices: NDArray[np.int64]) -> None:
        """Deal where hands of these tables wait for what functions say of the next one."""
        if not self._hand_starts.calls_functions:
            self._refuse_dead_starts(indices)
            return
        waiting = indices[self.finished[indices] & (self.seats_to_act[indices] < 0)]
        while len(waiting):
            new = np.zeros(len(waiting), dtype=np.bool_)
            batch.write_match_over(self._games, waiting, new)
            self._hand_starts.call_functions(waiting, new, self.hand_counts)
            self._device.run(batch.deal_next_hands, self._batches, waiting)
            waiting = waiting[self.seats_to_act[waiting] < 0]
            self._refuse_dead_starts(waiting)

    def _refuse_dead_starts(self, indices: NDArray[np.int64]) -> None:
        """Refuse starts that leave nobody a decision in the first hand of an episode."""
        dead = self._device.find_first(batch.first_dead_start, (self._games, self._turns), indices)
        if dead >= 0:
            table = int(indices[dead])
            raise SabaccError(f"credits: at table {table} the antes leave no seat a decision")

    def _refuse_stopped(self, indices: NDArray[np.int64]) -> None:
        """Refuse tables whose next hand could not be dealt."""
        stopped = self._device.find_first(batch.first_stopped, (self._turns,), indices)
        if stopped >= 0:
            raise SabaccError(
                f"table {indices[stopped]}: it stopped because the start of its next hand was "
                "refused; restart it"
            )

    def _checked_actions(self, actions: ArrayLike, count: int) -> Any:
        """Return actions as they were given: numbers beyond int64 are refused by name."""
        chosen = self._given("actions", actions)
        if chosen.shape != (count,) or chosen.dtype.kind not in "iu":
            raise SabaccError(
                f"actions: give {count} whole numbers, not {chosen.dtype} of shape {chosen.shape}"
            )
        return chosen

    def _illegal_message(self, table: int, action: int) -> str:
        names = action_names(self.bet_sizes)
        name = names[action] if 0 <= action < len(names) else "no such action"
        seat = self.seats_to_act[table]
        return f"table {table}: action {action} ({name}) is not legal for seat {seat} now"

    def set_hand_starts(
        self,
        tables: ArrayLike,
        *,
        credits: ArrayLike | None = None,
        sabacc_pots: ArrayLike | None = None,
    ) -> None:
        """Change what later episodes of these tables start from.

        Args:
            tables: distinct indices, (n,).
            credits: each seat's credits before the antes, (n, num_players), or a row for all.
            sabacc_pots: credits in the Sabacc pots before the antes, (n,), or one for all.

        Raises:
            SabaccError: for starts that make no hand; nothing has changed.
        """
        self._hand_starts.change(
            self._device.to_host(self._checked_tables(tables)), credits, sabacc_pots
        )
        self._send_starts()

    # Keeping.

    def clone_from(self, other: Tables, sources: ArrayLike, tables: ArrayLike) -> None:
        """Make tables go on from where tables of another batch (or of this one) stand.

        Their hands, hand counts and what the last step said are copied; keys and starts of later
        hands stay this batch's own.

        Args:
            other: tables with the same rule sets, numbers of players and hands in an episode.
            sources: which tables of ``other``, (n,); one may be named several times.
            tables: which of these become their clones, (n,), distinct.

        Raises:
            SabaccError: for tables that play something else, or elsewhere.
        """
        if not isinstance(other, Tables):
            raise SabaccError(f"other: {short_repr(other)} is not a Tables")
        cloned = self._checked_tables(tables)
        indices = self._device.to_host(cloned)
        given = self._device.to_host(self._given("sources", sources))
        origin = check_table_indices("sources", given, other.num_tables)
        if origin.shape != indices.shape:
            raise SabaccError(f"sources: give {len(indices)} table indices")
        if self._device.name != other._device.name:
            raise SabaccError("other: its tables are on another device")
        same = self.rule_sets == other.rule_sets and self.hands == other.hands
        if not (
            same
            and (self.rule_of[indices] == other.rule_of[origin]).all()
            and (self.players[indices] == other.players[origin]).all()
        ):
            raise SabaccError("other: its tables differ in rules, players or hands")
        copied = self._whole_numbers(origin)
        for own, its in zip(self._saved_arrays(), other._saved_arrays(), strict=True):
            self._device.copy_rows(its, copied, own, cloned)
        if self._histories is not None:
            unknown: list[list[int]] = [[]] * other.num_tables
            kept = unknown if other._histories is None else other._histories.played
            self._histories.write(indices.tolist(), [kept[source] for source in origin])
        self._device.run(batch.write_turns_with_rules, (self._games, self._turns), cloned)

    def to_bytes(self) -> bytes:
        """Return everything but what was given per table: ``from_bytes`` goes on from here."""
        header = {
            "rules": [rule_set.canonical() for rule_set in self.rule_sets],
            "seed": self.seed,
            "hands": self.hands,
            "bet_sizes": [s if isinstance(s, str | int) else float(s) for s in self.bet_sizes],
            "packed": self.packed,
            "calls": self.calls,
            "histories": None if self._histories is None else self._histories.played,
            "num_tables": self.num_tables,
            "record": GAME_DTYPE.itemsize,
        }
        arrays = (self.rule_of, self.players, *map(self._device.to_host, self._saved_arrays()))
        return pack_with_checksum(FORMAT, header, b"".join(array.tobytes() for array in arrays))

    def _saved_arrays(self) -> tuple[NDArray[Any], ...]:
        return self._games.records, *self._results

    @classmethod
    def from_bytes(
        cls,
        data: bytes,
        *,
        threads: int = 1,
        device: str = "cpu",
        keys: PerTable | None = None,
        dealers: PerTable | None = None,
        credits: PerTable | None = None,
        sabacc_pots: PerTable | None = None,
    ) -> Self:
        """Return the tables whose ``to_bytes`` these are.

        What was given per table is not in the bytes, so give it again; nor are ``threads`` and
        ``device``, which may be others now.

        Raises:
            SabaccError: for bytes of something else, of another version, damaged, or cut short.
        """
        header, state = unpack_checked(FORMAT, data)
        if header.pop("record", None) != GAME_DTYPE.itemsize:
            raise SabaccError("these bytes hold tables of another engine version")
        tables = object.__new__(cls)
        tables._device = get_device(device, threads)
        try:
            texts, calls, histories = (header.pop(key) for key in ("rules", "calls", "histories"))
            n, _ = check_int("num_tables", header["num_tables"], 1, len(state)), header["seed"] + 0
            rule_sets = [RuleSet.from_canonical(text) for text in check_sequence("rules", texts)]
            rule_of, players = records_from_bytes(FORMAT, state[: 16 * n], INDEX, 2 * n).reshape(
                2, n
            )
            tables._make(
                rule_sets[0] if len(rule_sets) == 1 else [rule_sets[index] for index in rule_of],
                num_players=players.tolist(),
                **header,
                given=(keys, dealers, credits, sabacc_pots),
            )
        except (KeyError, IndexError, TypeError) as error:
            raise content_error(FORMAT, "an incomplete description of tables") from error
        tables.calls = check_int("calls", calls, 0, 2**62)
        if histories is not None:
            played = [
                check_moves(FORMAT, moves) for moves in check_sequence("histories", histories)
            ]
            if len(played) != n:
                raise content_error(FORMAT, "another number of histories than of tables")
            tables._histories = MoveHistories(n)
            tables._histories.write(range(n), played)
        tables._restore(state[16 * n :])
        return tables

    def _restore(self, state: bytes) -> None:
        """Take the bytes of all that is kept, and show the tables."""
        kept = []
        for array in self._saved_arrays():
            part, state = state[: array.nbytes], state[array.nbytes :]
            values = records_from_bytes(FORMAT, part, array.dtype, array.size).reshape(array.shape)
            kept.append(values)
        games, ended = kept[0], batch.Results(*kept[1:])
        dealt = ended.final_games["num_players"] > 0
        check_records(FORMAT, games, self.rule_sets, self.rule_of)
        check_records(FORMAT, ended.final_games[dealt], self.rule_sets, self.rule_of[dealt])
        other = (games["num_players"] != self.players) | (games["hands"] != self.hands)
        flags = np.stack([ended.finished, ended.match_finished]).view(np.uint8)
        if (
            state
            or (other | (games["dice_given"] >= 0) | (ended.hand_counts < 0)).any()
            or (flags > 1).any()
        ):
            raise content_error(FORMAT, "tables that do not fit their description")
        for array, values in zip(self._saved_arrays(), kept, strict=True):
            self._device.write(array, values)
        self._device.run(batch.write_turns_with_rules, (self._games, self._turns), self._all)
        stuck = (self._device.to_host(self._turns.legal) == 0) & (
            self._device.to_host(self.seats_to_act) >= 0
        )
        if stuck.any():
            raise content_error(FORMAT, "a seat to act without a legal move")

    def __reduce__(self) -> tuple[Any, ...]:
        if self._hand_starts.calls_functions:
            raise SabaccError(
                "tables that call functions cannot be copied; use to_bytes, and give the functions "
                "to from_bytes again"
            )
        settings = {"threads": self.threads, "device": self._device.name}
        start = batch.Starts(*(array.copy() for array in self._hand_starts.starts))
        return _copy, (type(self), self.to_bytes(), settings, start)


def _copy(kind: type[Tables], data: bytes, settings: dict[str, Any], start: batch.Starts) -> Tables:
    """Return tables of these bytes whose hands start from what the first ones' do."""
    tables = kind.from_bytes(data, **settings)
    tables._hand_starts.starts = start
    tables._send_starts()
    return tables
