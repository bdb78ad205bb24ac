"""Many tables at once: every seat's decisions, in arrays that are rewritten in place."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Self, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sabacc_env.actions import DEFAULT_BET_SIZES, BetSize
from sabacc_env.arguments import check_int, check_keywords, check_seats, check_table_indices
from sabacc_env.engine.drivers import batch
from sabacc_env.engine.drivers.policy_loop import NO_STATE, NONE_ILLEGAL
from sabacc_env.engine.drivers.results import OUTCOME_DTYPE
from sabacc_env.engine.layout import GAME_DTYPE
from sabacc_env.engine.observation.blocks import (
    HAND_DTYPE,
    HAND_SIZE,
    OBSERVATION_DTYPE,
    OBSERVATION_SIZE,
)
from sabacc_env.engine.observation.state import CARDS_SHAPE, DICE_SHAPE
from sabacc_env.errors import IllegalMove, SabaccError, short_repr
from sabacc_env.game.game import Game, game_from_record
from sabacc_env.rules import RuleSet
from sabacc_env.rules.space import RuleSpace
from sabacc_env.storage.checksums import content_error
from sabacc_env.tables.arrays import TableArrays
from sabacc_env.tables.dealing import HandDealer
from sabacc_env.tables.device import get_device
from sabacc_env.tables.hand_starts import HandStarts, StartKeywords
from sabacc_env.tables.move_histories import MoveHistories
from sabacc_env.tables.saving import (
    FORMAT,
    TablesState,
    check_saved_arrays,
    tables_from_bytes,
    tables_from_text,
    tables_to_text,
)
from sabacc_env.tables.settings import Rules, TableSettings

if TYPE_CHECKING:
    from sabacc_env.policies import Policy
    from sabacc_env.tables.device import Device


class Tables:
    """A batch of tables; hands restart in the step that ends them.

    Args:
        rules: a rule set by name, path, or as a ``RuleSet``; a sequence of them, one a table; or a
            ``RuleSpace``, of whose ``num_rule_sets`` rule sets every episode draws one. The key of
            its first hand decides which.
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
        observation: the form of ``observations``: "flat"; "planes", the cards by place, suit and
            value; or "tokens", all that the seat has been told of its hand, in order
            (docs/reference/observation.md).
        max_tokens: the length of "tokens"; None is one that nearly all hands fit into.
        keys: 64-bit keys of the hands, asked for at every hand.
        dealers: first dealers, asked for at every episode; by default the key decides.
        credits: each seat's credits before the antes, asked for at every episode.
        sabacc_pots: credits in the Sabacc pot before the antes, likewise.

    The last four are each an array per table or a function of (table, hand count); on a GPU, an
    array. If the next hand cannot start from what was given, or a function raises, ``step`` raises
    after the actions have been played. The tables that wait for a deal then stop:
    ``seats_to_act`` is -1 there until ``restart``. Other tables can be stepped on.

    Tables can be copied and pickled, unless they ask functions.

    Attributes:
        observations: what the seat to act observes: flat, (num_tables, OBSERVATION_SIZE) float32,
            or int8 if packed; planes, ``(num_tables, *PLANES_SHAPE)`` int8; or tokens,
            (num_tables, max_tokens) int16. Features that never change at a table (the rules, absent
            opponents) are written once, so work on a copy.
        flat_observations: (num_tables, OBSERVATION_SIZE) float32, whatever the form.
        action_masks: (num_tables, num_actions) int8, 1 for a legal action.
        seats_to_act: (num_tables,) int64, whose decision it is.
        finished: (num_tables,) bool, whether a hand ended in the last step.
        match_finished: (num_tables,) bool, whether its episode ended with it.
        net_credits: (num_tables, num_players) int64, that hand's; zeros elsewhere. Hands that end
            in one step (antes may take all credits) add up.
        rule_of: (num_tables,) int64, which of ``rule_sets`` each plays now.
        final_rule_of: (num_tables,) int64, by which of them its last hand that ended was played.
        hand_counts: (num_tables,) int64, hands finished (or abandoned) at each table so far.

    >>> tables = Tables("orsl", num_tables=4, num_players=3, seed=0)
    >>> tables.step(np.zeros(4, dtype=np.int64))  # action 0: everyone stands
    >>> tables.seats_to_act.shape, tables.observations.shape
    ((4,), (4, 400))
    """

    def __init__(
        self,
        rules: Rules | Sequence[Rules] | RuleSpace,
        num_tables: int,
        num_players: int | Sequence[int] = 2,
        *,
        seed: int | None = None,
        hands: int = 1,
        bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
        threads: int = 1,
        device: str = "cpu",
        packed: bool = False,
        observation: str = "flat",
        max_tokens: int | None = None,
        **starts: Unpack[StartKeywords],
    ) -> None:
        place = get_device(device, threads)
        settings = TableSettings.check(
            rules,
            num_tables,
            num_players,
            seed=seed,
            hands=hands,
            bet_sizes=bet_sizes,
            packed=packed,
            observation=observation,
            max_tokens=max_tokens,
        )
        self._make(settings, place, starts)
        self._dealer.begin_episodes(self._all, np.zeros(self.num_tables, dtype=np.int64))

    def _make(self, settings: TableSettings, device: Device, starts: StartKeywords) -> None:
        """Make everything but the first deal."""
        check_keywords(Tables, starts, StartKeywords.__annotations__)
        self._settings, self._device = settings, device
        self._arrays = arrays = TableArrays(settings, device)
        self._games, self._turns, self._results = arrays.games, arrays.turns, arrays.results
        self._all = arrays.indices
        hand_starts = HandStarts(
            arrays.rule_sets,
            arrays.rule_of,
            arrays.players,
            settings.seed,
            arrays.rules_given if settings.draws_rules else arrays.rules_given[:0],
            **starts,
        )
        self._dealer = HandDealer(arrays, hand_starts, device)
        self._histories: MoveHistories | None = None
        self.calls = 0  # of play

        self.num_tables = settings.num_tables
        self.seed = settings.seed
        self.hands = settings.hands
        self.bet_sizes = settings.bet_sizes
        self.packed = settings.packed
        self.rule_sets = arrays.rule_sets
        self.rule_of = arrays.rule_of
        self.players = arrays.players
        self.num_players = int(arrays.players.max())
        turns, results = arrays.turns, arrays.results
        self.observation = settings.observation
        self.max_tokens = settings.max_tokens
        forms = {"flat": turns.packed if self.packed else turns.floats}
        forms |= {"planes": turns.planes, "tokens": turns.tokens}
        self.observations: NDArray[Any] = forms[self.observation]
        self.flat_observations: NDArray[np.float32] = turns.floats
        self.action_masks: NDArray[np.int8] = turns.masks
        self.seats_to_act: NDArray[np.int64] = turns.seats
        self.finished: NDArray[np.bool_] = results.finished
        self.match_finished: NDArray[np.bool_] = results.match_finished
        self.net_credits: NDArray[np.int64] = results.net_credits[:, : self.num_players]
        self.final_rule_of: NDArray[np.int64] = results.final_rule_of
        self.hand_counts: NDArray[np.int64] = results.hand_counts

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
        chosen = self._legal_actions(actions, indices)
        self._clear_results()
        self.run_driver(batch.step_tables, (self._dealer.autoreset,), indices, chosen)

    def run_driver(
        self,
        driver: Callable[..., None],
        settings: tuple[Any, ...],
        indices: NDArray[np.int64],
        actions: NDArray[np.int64],
    ) -> None:
        """Play legal actions by a driver of the engine, and deal on; nothing is checked.

        For environments. A driver that plays on by itself is for tables without histories.

        Args:
            driver: a function of the batch's arrays, ``settings``, ``indices`` and ``actions``.
            settings: what it gets besides.
            indices: distinct tables, (n,).
            actions: one for each of them, (n,).

        Raises:
            SabaccError: for what makes no next hand.
        """
        if self._histories is not None:
            self._histories.record(self._games, indices, actions)
        self._device.run(driver, (*self._dealer.batches, *settings), indices, actions)
        if self._histories is not None:
            self._histories.end(indices[self.finished[indices]])
        self._dealer.deal_waiting(indices)

    @property
    def keeps_histories(self) -> bool:
        """Whether ``keep_histories`` was asked for."""
        return self._histories is not None

    def keep_histories(self) -> None:
        """Record the moves of each hand from now on, so that ``game(table).history`` has them.

        Agents that want views need it. Call it before anything is played: the moves that a hand
        in play has had so far stay missing.

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
        from sabacc_env.policies import one_a_seat  # compiled when imported

        chosen = one_a_seat(policies, self.num_players)
        decisions = check_int("decisions", decisions, 0, 2**62)
        if self._histories is not None:
            raise SabaccError(
                "play: these tables keep histories, which play cannot record; use step"
            )
        self._refuse_stopped(self._all)
        self._clear_results()
        autoreset = self._dealer.autoreset
        to_device, n = self._device.to_device, self.num_tables
        illegal = to_device(np.full(n, NONE_ILLEGAL, dtype=np.int64))
        for _ in range(1 if autoreset else decisions):
            self.calls += 1
            random_states = to_device(np.full(n, NO_STATE, dtype=np.int64))
            for indices, some in self._device.chunks(self._all, decisions if autoreset else 1):
                settings = (self.calls, some, autoreset, random_states, illegal)
                self._device.play(chosen, self._dealer.batches, settings, indices)
            self._dealer.deal_waiting(self._all)
            if (bad := self._device.to_host(illegal) != NONE_ILLEGAL).any():
                table = int(bad.argmax())
                raise IllegalMove(f"policies: {self._illegal_message(table, int(illegal[table]))}")

    def _clear_results(self) -> None:
        for array in self.finished, self.match_finished, self._results.net_credits:
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
        if self._histories is not None:
            self._histories.clear(indices)
        self._dealer.begin_episodes(indices, counts)

    def _refuse_stopped(self, indices: NDArray[np.int64]) -> None:
        """Refuse tables whose next hand could not be dealt."""
        stopped = self._device.find_first(batch.first_stopped, (self._turns,), indices)
        if stopped >= 0:
            raise SabaccError(
                f"table {indices[stopped]}: it stopped because the start of its next hand was "
                "refused; restart it"
            )

    def _legal_actions(self, actions: ArrayLike, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return legal actions at these tables as int64, or refuse them by name."""
        given = self._checked_actions(actions, len(indices))
        chosen = self._whole_numbers(given)
        wrong = self._device.find_first(batch.first_illegal, (self._turns.legal,), indices, chosen)
        if wrong >= 0:
            self._refuse_stopped(indices)
            raise IllegalMove(self._illegal_message(int(indices[wrong]), int(given[wrong])))
        return chosen

    def check_legal(self, actions: ArrayLike) -> NDArray[np.int64]:
        """Return an action for every table as int64, if all are legal.

        Raises:
            IllegalMove: for one that is not: names the table and the action.
            SabaccError: for actions of a wrong shape or type, or a table that has stopped.
        """
        return self._legal_actions(actions, self._all)

    def illegal(self, actions: NDArray[np.int64], indices: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Say for every table, (num_tables,), whether its action is not legal; unchecked.

        Args:
            actions: (n,), one for each of ``indices``; there is none at other tables.
            indices: distinct tables, (n,).
        """
        illegal = np.zeros(self.num_tables, dtype=np.bool_)
        batch.write_illegal(self._turns.legal, illegal, indices, actions)
        return illegal

    def _checked_actions(self, actions: ArrayLike, count: int) -> Any:
        """Return actions as they were given: numbers beyond int64 are refused by name."""
        chosen = self._given("actions", actions)
        if chosen.shape != (count,) or chosen.dtype.kind not in "iu":
            raise SabaccError(
                f"actions: give {count} whole numbers, not {chosen.dtype} of shape {chosen.shape}"
            )
        return chosen

    def _illegal_message(self, table: int, action: int) -> str:
        return f"table {table}: {self._settings.illegal(action, int(self.seats_to_act[table]))}"

    def set_episode_starts(
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
        self._dealer.change_starts(self._checked_tables(tables), credits, sabacc_pots)

    # Reading.

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
        table = check_int("table", table, 0, self.num_tables - 1)
        played = None if self._histories is None else self._histories.played[table]
        return self._game(self._games.records, self._games.rule_of, table, played)

    def final_game(self, table: int, played: Sequence[int] | None = None) -> Game:
        """Return the last hand that ended at a table: its revealed hands, winners and net credits.

        Where ``keep_histories`` was asked for, the history is there too, unless the tables have
        been copied, saved and loaded since.

        Args:
            table: the table.
            played: the moves of the last hand in which anybody moved, if a driver has logged them,
                packed as ``batch.pack_action`` does.

        Raises:
            SabaccError: where none has ended yet.
        """
        table = check_int("table", table, 0, self.num_tables - 1)
        if played is None and self._histories is not None:
            played = self._histories.final[table]
        results = self._results
        game = self._game(results.final_games, results.final_rule_of, table, played)
        if game.num_players == 0:
            raise SabaccError(f"table {table}: no hand has ended yet")
        return game

    @property
    def records(self) -> NDArray[Any]:
        """The engine's records of the hands in play, (num_tables,) of ``GAME_DTYPE``.

        They hold what no seat may know; never write into them.
        """
        return self._games.records

    @property
    def final_records(self) -> NDArray[Any]:
        """The engine's records of the last hands that ended, (num_tables,) of ``GAME_DTYPE``."""
        return self._results.final_games

    @property
    def games(self) -> batch.Games:
        """The engine's records of the hands in play and of their rules: to read, never to write."""
        return self._games

    def _game(
        self,
        games: NDArray[Any],
        rule_of: NDArray[np.int64],
        table: int,
        played: Sequence[int] | None,
    ) -> Game:
        record = self._device.to_host(games[table : table + 1]).copy()
        if (record["last_action"] < 0).all():  # it ended at its deal: the moves are of another hand
            played = []
        rules = self.rule_sets[int(rule_of[table])]
        return game_from_record(rules, record, played or [])

    def final_observations(
        self, tables: ArrayLike, seats: ArrayLike, observation: str = "flat"
    ) -> NDArray[Any]:
        """Return what seats saw of the last hands that ended, a row for each.

        Args:
            tables: distinct tables, (n,).
            seats: a seat at each of them, (n,), or one for all.
            observation: the form of the rows: "flat", (OBSERVATION_SIZE,) float32; or the form of
                ``observations``, without packing.

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
        whose = self._whole_numbers(whose)
        seen: NDArray[Any]
        if observation == "flat":
            seen = self._device.to_device(np.zeros((n, OBSERVATION_SIZE), np.float32))
            rows = seen.view(OBSERVATION_DTYPE).reshape(n)
            batches = self._games, self._results
            self._device.run(batch.write_final_observations, batches, whose, rows, indices)
            return seen
        if observation != self.observation:
            raise SabaccError(
                f'observation: {short_repr(observation)} is neither "flat" nor the form of these '
                "tables"
            )
        kept = self.observations
        seen = self._device.to_device(np.zeros((n, *kept.shape[1:]), kept.dtype))
        if observation == "planes":
            self._device.run(batch.write_final_planes, (self._results,), whose, seen, indices)
        else:
            logged = self._games, self._turns.sequences
            self._device.run(batch.write_final_tokens, logged, whose, seen, indices)
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

    def states(self, tables: ArrayLike) -> NDArray[np.float32]:
        """Return everything about hands: for a critic in training, never for an agent.

        Args:
            tables: distinct tables, (n,).

        Returns:
            (n, state_size(num_players)) float32, of which ``sabacc_env.observation.state_blocks``
            says what is where. Zeros for seats that a table lacks.

        Raises:
            SabaccError: for anything that is not a table.
        """
        indices = self._checked_tables(tables)
        n, put = len(indices), self._device.to_device
        parts = [
            put(np.zeros((n, self.num_players, OBSERVATION_SIZE), np.float32)),
            put(np.zeros((n, *CARDS_SHAPE), np.float32)),
            put(np.zeros((n, *DICE_SHAPE), np.float32)),
        ]
        rows = parts[0].view(OBSERVATION_DTYPE).reshape(n, self.num_players)
        scratch = put(np.zeros(n, GAME_DTYPE))
        self._device.run(batch.write_states, (self._games,), rows, *parts[1:], scratch, indices)
        host = [self._device.to_host(part) for part in parts]
        return np.concatenate([part.reshape(n, math.prod(part.shape[1:])) for part in host], axis=1)

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
        """Return the results of the last hands that ended at these tables, as numbers.

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

    # Copying and saving.

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
        draws, same = self._settings.draws_rules, self.rule_sets == other.rule_sets
        own_rules = self._arrays.rules_given if draws else self.rule_of[indices]
        its_rules = other._arrays.rules_given if draws else other.rule_of[origin]
        if not (
            same
            and draws == other._settings.draws_rules
            and self.hands == other.hands
            and np.array_equal(own_rules, its_rules)
            and (self.players[indices] == other.players[origin]).all()
        ):
            raise SabaccError("other: its tables differ in rules, players or hands")
        for name in ("observation", "max_tokens") if self.observation == "tokens" else ():
            its, own = getattr(other, name), getattr(self, name)
            if its != own:
                raise SabaccError(f"other: its {name} is {its}, and these tables have {own}")
        copied = self._whole_numbers(origin)
        # Only the other one may have sequences besides.
        for own, its in zip(self._arrays.saved, other._arrays.saved, strict=False):
            self._device.copy_rows(its, copied, own, cloned)
        if self._histories is not None:
            unknown: list[list[int]] = [[]] * other.num_tables
            kept = unknown if other._histories is None else other._histories.played
            self._histories.write(indices.tolist(), [kept[source] for source in origin])
        self._write_turns(cloned)

    def save_state(self) -> TablesState:
        """Return where the tables stand, for ``restore_state``: quicker than bytes, in memory."""
        return TablesState(
            self._settings,
            self.calls,
            None if self._histories is None else self._histories.played,
            self._arrays,
            tuple(map(self._device.to_host, self._arrays.saved)),
            self._dealer.copy_starts(),
        )

    def restore_state(self, state: TablesState) -> None:
        """Go back to where ``save_state`` of these tables, or of others made alike, returned this.

        The arrays are rewritten in place. Seed, hands to come and histories become those of the
        state; functions that say what hands start from stay.

        Raises:
            SabaccError: for anything else; says what differs, and nothing has changed.
        """
        self.check_alike(state)
        self._settings, self.seed = state.settings, state.settings.seed
        self.calls = state.calls
        self._dealer.set_starts(batch.Starts(*(array.copy() for array in state.starts)))
        self._histories = None
        if state.histories is not None:
            self._histories = MoveHistories(self.num_tables)
            self._histories.write(range(self.num_tables), state.histories)
        for array, values in zip(self._arrays.saved, state.saved(), strict=True):
            self._device.write(array, values)
        self._write_turns(self._all)

    def check_alike(self, state: TablesState) -> None:
        """Refuse what ``restore_state`` refuses."""
        if not isinstance(state, TablesState):
            raise SabaccError(f"state: {short_repr(state)} is not what save_state returned")
        state.check_alike(self._settings, self._arrays)

    def to_bytes(self) -> bytes:
        """Return everything but what was given per table: ``from_bytes`` goes on from here."""
        return self.save_state().to_bytes()

    @classmethod
    def from_bytes(
        cls,
        data: bytes,
        *,
        threads: int = 1,
        device: str = "cpu",
        **starts: Unpack[StartKeywords],
    ) -> Self:
        """Return the tables whose ``to_bytes`` these are.

        What was given per table (``keys``, ``dealers``, ``credits``, ``sabacc_pots``) is not in the
        bytes, so give it again; nor are ``threads`` and ``device``, which may be others now.

        Raises:
            SabaccError: for bytes of something else, of another version, damaged, or cut short.
        """
        saved = tables_from_bytes(data)
        tables = object.__new__(cls)
        tables._make(saved.settings, get_device(device, threads), starts)
        tables.calls = saved.calls
        if saved.histories is not None:
            tables._histories = MoveHistories(tables.num_tables)
            tables._histories.write(range(tables.num_tables), saved.histories)
        arrays = tables._arrays
        for array, values in zip(arrays.saved, check_saved_arrays(saved, arrays), strict=True):
            tables._device.write(array, values)
        tables._write_turns(tables._all)
        legal, seats = map(tables._device.to_host, (tables._turns.legal, tables._turns.seats))
        if ((legal == 0) & (seats >= 0)).any():
            raise content_error(FORMAT, "a seat to act without a legal move")
        return tables

    def to_json(self) -> str:
        """Return what ``to_bytes`` holds as JSON text, each hand in plain terms too."""
        return tables_to_text(self.to_bytes(), self._hand_states())

    @classmethod
    def from_json(
        cls,
        text: str,
        *,
        threads: int = 1,
        device: str = "cpu",
        **starts: Unpack[StartKeywords],
    ) -> Self:
        """Return the tables whose ``to_json`` this is; arguments as of ``from_bytes``.

        Raises:
            SabaccError: for text of something else, of another version, changed, or cut short.
        """
        data, hands = tables_from_text(text)
        tables = cls.from_bytes(data, threads=threads, device=device, **starts)
        if hands != tables._hand_states():
            raise SabaccError("this text describes other hands than its bytes hold")
        return tables

    def _hand_states(self) -> list[Any]:
        return [self.game(table).to_dict()["state"] for table in range(self.num_tables)]

    def _write_turns(self, indices: NDArray[np.int64]) -> None:
        """Write the turns of these tables, whose games are new."""
        batches = self._games, self._turns
        self._device.run(batch.write_turns_with_rules, batches, indices)

    def __reduce__(self) -> tuple[Any, ...]:
        if not self._dealer.autoreset:
            raise SabaccError(
                "tables that call functions cannot be copied; use to_bytes, and give the functions "
                "to from_bytes again"
            )
        settings = {"threads": self.threads, "device": self._device.name}
        return _copy, (type(self), self.to_bytes(), settings, self._dealer.copy_starts())

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


def _copy(kind: type[Tables], data: bytes, settings: dict[str, Any], start: batch.Starts) -> Tables:
    """Return tables of these bytes whose hands start from what the first ones' do."""
    tables = kind.from_bytes(data, **settings)
    tables._dealer.set_starts(start)
    return tables
