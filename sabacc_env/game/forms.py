"""The forms of observation of one game beside the flat one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabacc_env.engine.drivers import single_forms
from sabacc_env.engine.observation.blocks import OBSERVATION_DTYPE
from sabacc_env.engine.observation.planes import PLANES_SHAPE
from sabacc_env.engine.observation.state import CARDS_SHAPE, DICE_SHAPE
from sabacc_env.engine.rules_record import starting_credits
from sabacc_env.engine.token_log import empty_sequences
from sabacc_env.game.records import copy_record, empty_record, write_start
from sabacc_env.game.turn_buffers import TurnBuffers
from sabacc_env.rules import RuleSet


class GameTokens:
    """The token sequences of a hand, which follow a game's moves by playing them again.

    A game that nobody asks for tokens pays nothing for them, and copies and saved games need not
    hold any.

    Attributes:
        length: of each sequence.
    """

    def __init__(
        self,
        rules: NDArray[Any],
        start: dict[str, Any],
        rule_set: RuleSet,
        episode_position: tuple[int, int],
        length: int,
    ) -> None:
        num_players = start["num_players"]
        self.length = length
        self._sequences = empty_sequences(1, num_players, length)
        self._records, self._num_played = empty_record(), 0
        stacks = start["credits"] or starting_credits(rule_set, num_players)
        write_start(self._records, rules, start, stacks)
        self._records["hand_number"], self._records["hands"] = episode_position
        single_forms.deal_hand_and_log(self._records, rules, self._sequences)

    def read(
        self, seat: int, buffers: TurnBuffers, packed_moves: Sequence[int]
    ) -> NDArray[np.int16]:
        """Return a seat's sequence after these moves, of which those seen before are the first."""
        new = np.array(packed_moves[self._num_played :], dtype=np.int64)
        single_forms.replay_and_log(self._records, buffers.records, self._sequences, new)
        self._num_played += len(new)
        tokens = np.zeros(self.length, np.int16)
        single_forms.write_tokens(self._records, self._sequences, seat, tokens)
        return tokens


def forced_tokens(
    records: NDArray[Any],
    buffers: TurnBuffers,
    forced: Sequence[tuple[int, int]],
    seat: int,
    length: int,
) -> NDArray[np.int16]:
    """Return the sequence of a seat in a hand all chance of which is forced.

    Args:
        records: the hand before its deal (``record_before_deal``).
        buffers: its rules and bet sizes.
        forced: the deal and the actions so far, each with the number that forces its chance.
        seat: whose sequence.
        length: of the sequence.
    """
    records = copy_record(records)
    sequences = empty_sequences(1, int(records["num_players"][0]), length)
    actions, numbers = np.array(forced, dtype=np.int64).T.copy()
    single_forms.replay_forced_and_log(records, buffers.records, sequences, actions, numbers)
    tokens = np.zeros(length, np.int16)
    single_forms.write_tokens(records, sequences, seat, tokens)
    return tokens


def card_planes(records: NDArray[Any], seat: int) -> NDArray[np.int8]:
    """Return what a seat sees of the cards, ``PLANES_SHAPE``."""
    planes = np.zeros(PLANES_SHAPE, np.int8)
    single_forms.write_card_planes(records, seat, planes)
    return planes


def hand_state(records: NDArray[Any], rules: NDArray[Any], num_players: int) -> NDArray[np.float32]:
    """Return everything about a hand, (state_size(num_players),)."""
    rows = np.zeros(num_players, OBSERVATION_DTYPE)
    cards, dice = np.zeros(CARDS_SHAPE, np.float32), np.zeros(DICE_SHAPE, np.float32)
    single_forms.write_hand_state(records, rules, empty_record(), rows, cards, dice)
    return np.concatenate([rows.view(np.float32).reshape(-1), cards.reshape(-1), dice.reshape(-1)])
