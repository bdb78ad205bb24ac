"""Many tables as they stand: the arrays that hold them, and what can be read out of these."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sabacc_env.actions import BetSize, encode_bet_sizes, num_actions
from sabacc_env.arguments import (
    check_bool,
    check_int,
    check_num_players,
    check_seats,
    check_table_indices,
    explain_memory_error,
    one_per_table,
)
from sabacc_env.engine.drivers import batch
from sabacc_env.engine.drivers.results import OUTCOME_DTYPE
from sabacc_env.engine.layout import GAME_DTYPE, MAX_SEATS, UNLIMITED
from sabacc_env.engine.observation.blocks import (
    HAND_DTYPE,
    HAND_SIZE,
    OBSERVATION_DTYPE,
    OBSERVATION_SIZE,
)
from sabacc_env.engine.rules_record import rules_record
from sabacc_env.errors import SabaccError
from sabacc_env.game.game import Game, game_from_record
from sabacc_env.rules import RuleSet, load_rules
from sabacc_env.tables.cpu import Cpu
from sabacc_env.tables.move_histories import MoveHistories

if TYPE_CHECKING:
    from sabacc_env.tables.gpu import Cuda

Rules = str | Path | RuleSet

BYTES_EACH: Final = 2 * GAME_DTYPE.itemsize + 4 * OBSERVATION_SIZE
"""What a table takes in memory, at least."""


class TableArrays:
    """A batch of tables as they stand; ``Tables`` adds playing and keeping them."""

    _device: Cpu | Cuda
    _histories: MoveHistories | None = None

    def _make_arrays(
        self,
        rules: Rules | Sequence[Rules],
        num_tables: int,
        num_players: int | Sequence[int],
        hands: int,
        bet_sizes: Sequence[BetSize],
        packed: bool,
    ) -> None:
        """Make tables at which nothing is dealt, on the device; arguments as of ``Tables``."""
        n = self.num_tables = check_int("num_tables", num_tables, 1, 2**31)
        self.hands = check_int("hands", hands, 1, UNLIMITED)
        self._sizes = encode_bet_sizes(bet_sizes)
        self.bet_sizes = tuple(bet_sizes)
        self.packed = check_bool("packed", packed)
        with explain_memory_error("num_tables", n, BYTES_EACH):
            self._set_up(
                one_per_table("rules", rules, n), one_per_table("num_players", num_players, n)
            )

    def _set_up(self, rules: list[Rules], num_players: list[int]) -> None:
        """Make the arrays."""
        n = self.num_tables
        put = self._device.to_device
        games = np.zeros(n, GAME_DTYPE)  # before what is small or filled: it fails at once
        floats = put(np.zeros((n, OBSERVATION_SIZE), dtype=np.float32))
        loaded = [load_rules(each) for each in rules]
        self.rule_sets = tuple(dict.fromkeys(loaded))
        index = {rule_set: i for i, rule_set in enumerate(self.rule_sets)}
        self.rule_of = np.resize([index[rule_set] for rule_set in loaded], n)
        self.players = np.resize(
            [
                check_num_players(loaded[i % len(loaded)], num_players[i % len(num_players)])
                for i in range(max(len(loaded), len(num_players)))
            ],
            n,
        )
        self.num_players = int(self.players.max())
        games["num_players"] = self.players
        games["hands"] = self.hands
        self._all = put(np.arange(n))
        self._games = batch.Games(
            records=put(games),
            rules=put(np.concatenate([rules_record(rule_set) for rule_set in self.rule_sets])),
            rule_of=put(self.rule_of),
            bet_sizes=put(self._sizes),
        )
        self._turns = batch.Turns(
            seats=put(np.zeros(n, dtype=np.int64)),
            legal=put(np.zeros(n, dtype=np.int64)),
            masks=put(np.zeros((n, num_actions(self.bet_sizes)), dtype=np.int8)),
            rows=floats.view(OBSERVATION_DTYPE).reshape(n),
            floats=floats,
            packed=put(np.zeros((n if self.packed else 0, OBSERVATION_SIZE), dtype=np.int8)),
        )
        self._results = batch.Results(
            finished=put(np.zeros(n, dtype=np.bool_)),
            match_finished=put(np.zeros(n, dtype=np.bool_)),
            net_credits=put(np.zeros((n, MAX_SEATS), dtype=np.int64)),
            final_games=put(np.zeros(n, GAME_DTYPE)),
            hand_counts=put(np.zeros(n, dtype=np.int64)),
        )
        self.observations: NDArray[Any] = self._turns.packed if self.packed else floats
        self.action_masks: NDArray[np.int8] = self._turns.masks
        self.seats_to_act: NDArray[np.int64] = self._turns.seats
        self.finished: NDArray[np.bool_] = self._results.finished
        self.match_finished: NDArray[np.bool_] = self._results.match_finished
        self.net_credits: NDArray[np.int64] = self._results.net_credits[:, : self.num_players]
        self.hand_counts: NDArray[np.int64] = self._results.hand_counts

    @property
    def rules(self) -> RuleSet:
        """The rule set that all tables play.

        Raises:
            SabaccError: where they play several; see ``rule_sets`` and ``rule_of``.
        """
        if len(self.rule_sets) > 1:
            raise SabaccError("these tables play several rule sets; use rule_sets and rule_of")
        return self.rule_sets[0]

    @property
    def threads(self) -> int:
        """How many threads step the tables."""
        return self._device.threads

    def game(self, table: int) -> Game:
        """Return a copy of one table's hand as a ``Game``, its history empty.

        Where ``keep_histories`` was asked for, the history is there too.
        """
        return self._game(self._games.records, table, self._histories)

    def final_game(self, table: int) -> Game:
        """Return the last hand that ended at a table: its revealed hands, winners and net credits.

        Raises:
            SabaccError: where none has ended yet.
        """
        game = self._game(self._results.final_games, table)
        if game.num_players == 0:
            raise SabaccError(f"table {table}: no hand has ended yet")
        return game

    @property
    def final_records(self) -> NDArray[Any]:
        """The engine's records of the last hands that ended, (num_tables,) of ``GAME_DTYPE``."""
        return self._results.final_games

    def _game(
        self, games: NDArray[Any], table: int, histories: MoveHistories | None = None
    ) -> Game:
        table = check_int("table", table, 0, self.num_tables - 1)
        record = self._device.to_host(games[table : table + 1]).copy()
        played = () if histories is None else histories.played[table]
        return game_from_record(self.rule_sets[self.rule_of[table]], record, played)

    def final_observations(self, tables: ArrayLike, seats: ArrayLike) -> NDArray[np.float32]:
        """Return what seats saw of the last hands that ended, (n, OBSERVATION_SIZE) float32.

        Args:
            tables: distinct tables, (n,).
            seats: a seat at each of them, (n,), or one for all.

        Raises:
            SabaccError: for a wrong table or seat, or where no hand has ended yet.
        """
        indices = self._checked_tables(tables)
        n = len(indices)
        named = self._device.to_host(indices)
        whose = check_seats(
            self._device.to_host(self._given("seats", seats)), named, self.players[named]
        )
        self._refuse_unended(indices)
        seen: NDArray[np.float32] = self._device.to_device(
            np.zeros((n, OBSERVATION_SIZE), np.float32)
        )
        rows = seen.view(OBSERVATION_DTYPE).reshape(n)
        batches = (self._games, self._results)
        self._device.run(
            batch.write_final_observations, batches, self._whole_numbers(whose), rows, indices
        )
        return seen

    def opponents_hands(self, tables: ArrayLike) -> NDArray[np.float32]:
        """Return the hands of all who are not to act: for a critic in training, never for an agent.

        Args:
            tables: distinct tables, (n,), where a seat is to act.

        Returns:
            (n, num_players - 1, HAND_SIZE) float32: of each opponent, in order of play after the
            seat to act, what it sees of its own hand: the first features of an observation. Zeros
            for seats that a table lacks.

        Raises:
            SabaccError: for anything that is not a table, or one that has stopped.
        """
        indices = self._checked_tables(tables)
        stopped = self._device.find_first(batch.first_stopped, (self._turns,), indices)
        if stopped >= 0:
            raise SabaccError(f"table {indices[stopped]}: it has stopped, so no seat is to act")
        shape = len(indices), self.num_players - 1
        seen: NDArray[np.float32] = self._device.to_device(
            np.zeros((*shape, HAND_SIZE), np.float32)
        )
        hands = seen.view(HAND_DTYPE).reshape(shape)
        self._device.run(batch.write_opponents_hands, (self._games, self._turns), hands, indices)
        return seen

    def upcoming_chance(self, tables: ArrayLike) -> NDArray[np.float32]:
        """Return the chance to come: for a critic in training, never for an agent.

        Cards and dice are decided by the hand's key before anybody acts.

        Args:
            tables: distinct tables, (n,).

        Returns:
            (n, UPCOMING_SIZE) float32: the next six cards of the draw pile, as value / 10, a Sylop
            0.05; then of each of four rounds whether doubles will come, and whether two Spikes
            will. Zeros where the pile ends, the dice are rolled, or doubles do nothing.

        Raises:
            SabaccError: for anything that is not a table.
        """
        indices = self._checked_tables(tables)
        n = len(indices)
        shown: NDArray[np.float32] = self._device.to_device(
            np.zeros((n, batch.UPCOMING_SIZE), np.float32)
        )
        scratch = self._device.to_device(np.zeros(n, GAME_DTYPE))
        self._device.run(batch.write_upcoming_chance, (self._games,), shown, scratch, indices)
        return shown

    def final_outcomes(self, tables: ArrayLike) -> NDArray[Any]:
        """Return how the last hands that ended at these tables did: the numbers of ``final_game``.

        Args:
            tables: distinct tables, (n,).

        Returns:
            (n,) of ``OUTCOME_DTYPE``, in the host's memory: ``net_credits`` of each seat;
            ``winners`` of each pot, then -1; ``sabacc_pot``, the credits left in it; ``revealed``,
            the seats whose hands were, as bits; ``strengths`` of those hands, out of which
            ``sabacc_env.hand_ranks.hand_name`` reads the name.

        Raises:
            SabaccError: for anything that is not a table, or where no hand has ended yet.
        """
        indices = self._checked_tables(tables)
        self._refuse_unended(indices)
        endings = self._device.to_device(np.zeros(len(indices), OUTCOME_DTYPE))
        self._device.run(batch.write_outcomes, (self._games, self._results), endings, indices)
        return self._device.to_host(endings)

    def _refuse_unended(self, indices: NDArray[np.int64]) -> None:
        """Refuse tables where no hand has ended yet."""
        unended = self._device.find_first(batch.first_without_result, (self._results,), indices)
        if unended >= 0:
            raise SabaccError(f"table {indices[unended]}: no hand has ended yet")

    # What users give.

    def _checked_tables(self, tables: ArrayLike) -> NDArray[np.int64]:
        indices = check_table_indices(
            "tables", self._device.to_host(self._given("tables", tables)), self.num_tables
        )
        if np.bincount(indices).max(initial=0) > 1:
            raise SabaccError("tables: an index is given twice")
        return self._whole_numbers(indices)

    def _given(self, name: str, values: Any) -> Any:
        """Return what a user gave as an array, of the device if it was there."""
        array = self._device.as_given(name, values)
        return np.zeros(0, dtype=np.int64) if array.shape == (0,) else array  # [] is of floats

    def _whole_numbers(self, array: Any) -> NDArray[np.int64]:
        numbers: NDArray[np.int64] = self._device.as_int64(array)
        return numbers
