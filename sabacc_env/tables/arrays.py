"""The arrays that hold a batch of tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from sabacc_env.actions import encode_bet_sizes, num_actions
from sabacc_env.arguments import explain_memory_error
from sabacc_env.engine.drivers import batch
from sabacc_env.engine.layout import GAME_DTYPE, MAX_SEATS
from sabacc_env.engine.observation.blocks import OBSERVATION_DTYPE, OBSERVATION_SIZE
from sabacc_env.engine.observation.planes import PLANES_SHAPE
from sabacc_env.engine.rules_record import rules_record
from sabacc_env.engine.token_log import Sequences, empty_sequences
from sabacc_env.rules import RuleSet
from sabacc_env.tables.settings import TableSettings

if TYPE_CHECKING:
    from sabacc_env.tables.device import Device

BYTES_EACH: Final = 2 * GAME_DTYPE.itemsize + 4 * OBSERVATION_SIZE
"""What a table takes in memory, at least."""


class TableArrays:
    """The arrays of tables at which nothing is dealt yet.

    Attributes:
        rule_sets: the rule sets in play.
        rules_given: which of them each table keeps, (num_tables,) int64; or which of them every
            episode draws from, (k,).
        rule_of: (num_tables,) int64, which of them a table plays now; in the host's memory.
        players: (num_tables,) int64, the seats of each table; likewise.
        indices: (num_tables,) int64, all tables; on the device, as are the arrays in what follows.
        games: the hands in play, and the rules and bet sizes that they are played by.
        turns: what the seats to act may know and do.
        results: how the hands of the last step ended.
    """

    def __init__(self, settings: TableSettings, device: Device) -> None:
        with explain_memory_error("num_tables", settings.num_tables, BYTES_EACH):
            self._allocate(settings, device)

    def _allocate(self, settings: TableSettings, device: Device) -> None:
        n, put = settings.num_tables, device.to_device
        records = np.zeros(n, GAME_DTYPE)  # before what is small or filled: it fails at once
        floats = put(np.zeros((n, OBSERVATION_SIZE), dtype=np.float32))
        self.rule_sets: tuple[RuleSet, ...] = tuple(dict.fromkeys(settings.rules))
        index = {rule_set: i for i, rule_set in enumerate(self.rule_sets)}
        given = np.array([index[rule_set] for rule_set in settings.rules])
        self.rules_given = given if settings.draws_rules else np.resize(given, n)
        self.rule_of = np.zeros(n, np.int64) if settings.draws_rules else self.rules_given.copy()
        self.players = np.resize(settings.num_players, n)
        self.indices: NDArray[np.int64] = put(np.arange(n))
        records["num_players"] = self.players
        records["hands"] = settings.hands
        self.games = batch.Games(
            records=put(records),
            rules=put(np.concatenate([rules_record(rule_set) for rule_set in self.rule_sets])),
            rule_of=put(self.rule_of),
            bet_sizes=put(encode_bet_sizes(settings.bet_sizes)),
        )
        with_planes = n if settings.observation == "planes" else 0
        logged = n if settings.observation == "tokens" else 0
        seats, length = int(self.players.max()), settings.max_tokens
        self.turns = batch.Turns(
            seats=put(np.zeros(n, dtype=np.int64)),
            legal=put(np.zeros(n, dtype=np.int64)),
            masks=put(np.zeros((n, num_actions(settings.bet_sizes)), dtype=np.int8)),
            rows=floats.view(OBSERVATION_DTYPE).reshape(n),
            floats=floats,
            packed=put(np.zeros((n if settings.packed else 0, OBSERVATION_SIZE), dtype=np.int8)),
            planes=put(np.zeros((with_planes, *PLANES_SHAPE), dtype=np.int8)),
            tokens=put(np.zeros((logged, length), dtype=np.int16)),
            sequences=Sequences(*map(put, empty_sequences(logged, seats, length))),
        )
        self.results = batch.Results(
            finished=put(np.zeros(n, dtype=np.bool_)),
            match_finished=put(np.zeros(n, dtype=np.bool_)),
            net_credits=put(np.zeros((n, MAX_SEATS), dtype=np.int64)),
            final_games=put(np.zeros(n, GAME_DTYPE)),
            final_rule_of=put(self.rule_of.copy()),
            hand_counts=put(np.zeros(n, dtype=np.int64)),
        )

    @property
    def saved(self) -> tuple[NDArray[Any], ...]:
        """The arrays from which all others can be written again."""
        sequences = self.turns.sequences if len(self.turns.tokens) else ()
        return self.games.records, self.games.rule_of, *self.results, *sequences
