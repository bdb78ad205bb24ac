"""The blocks of the observation in their order, with an identifier and a meaning for each column.

This is the only description of the observation. ``write.py`` and ``public_features.py`` take the
numbers of the columns from ``COLUMNS``; the documentation's table is made from ``BLOCKS``. To add a
feature, add its column here and write it there: no other number changes by hand.

A feature is a comparison, a small integer, an integer times the inverse of another (computed in
float64, then stored as float32), or a small integer times a third in float32. So compiled code,
interpreted code and a GPU agree bit for bit.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterable
from itertools import product, takewhile
from typing import Any, Final, NamedTuple, cast

import numpy as np

from sabacc_env.engine.layout import (
    LOG_ENTRY_DTYPE,
    LOG_FEATURES,
    LOG_LENGTH,
    MAX_HAND,
    MAX_SEATS,
    NUM_RULE_FEATURES,
    OBSERVED_ROUNDS,
    PUBLIC_SEAT_DTYPE,
    SEAT_FEATURES,
)
from sabacc_env.engine.rules_record import rule_features
from sabacc_env.rules import RuleSet

LARGEST_FEATURE: Final = 8.0
"""No feature is larger, in absolute value."""


class Column(NamedTuple):
    """One feature of a block, or of each row of a block."""

    name: str
    meaning: str
    scale: int = 120
    """What the feature is multiplied by when it is packed into int8. The usual scale keeps halves,
    thirds, fifths, eighths and tenths exact."""


class Block(NamedTuple):
    """Consecutive features of one kind: the columns, once or for each row."""

    name: str
    columns: tuple[Column, ...]
    rows: tuple[str, ...] = ()

    @property
    def shape(self) -> tuple[int, ...]:
        """(rows, columns), or (columns,) for a block without rows."""
        return (len(self.rows), len(self.columns)) if self.rows else (len(self.columns),)

    @property
    def features(self) -> list[str]:
        """A name for each feature of the block, in order."""
        meanings = [column.meaning for column in self.columns]
        if not self.rows:
            return meanings
        return [f"{row}: {meaning}" for row, meaning in product(self.rows, meanings)]

    @property
    def packed_scales(self) -> list[int]:
        """What each feature of the block is multiplied by when it is packed, in order."""
        return [column.scale for column in self.columns] * max(len(self.rows), 1)


def _numbered(name: str, meanings: Iterable[str], scale: int = 120) -> tuple[Column, ...]:
    """Return columns for a block that is indexed by a number: ``name_0``, ``name_1``, ..."""
    return tuple(Column(f"{name}_{index}", each, scale) for index, each in enumerate(meanings))


_CARD = "as value / 10, a Sylop 0.05, 0 for none"
_VALUES = tuple(f"{value:+d}" for value in range(-10, 11))
_KIND = ("source", "hand", "money")
_OPPONENTS = tuple(f"opponent {after} to the left" for after in range(1, MAX_SEATS))
_LOG = tuple(f"public action {back} back" for back in range(1, LOG_LENGTH + 1))

BLOCKS: Final = (
    Block("own_values", _numbered("value", (f"own cards of value {v}, / 3" for v in _VALUES))),
    Block(
        "own_slots",
        (
            Column("card", f"card {_CARD}"),
            Column("suit", "its suit (1 to 3) / 3, 0 for a Sylop or none"),
            Column("known", "everyone knows it"),
        ),
        tuple(f"own slot {slot}" for slot in range(MAX_HAND)),
    ),
    Block(
        "own_total",
        (
            Column("total", "own total / 10, Spike Card counted", 20),
            Column("is_zero", "own total is 0"),
            Column("is_positive", "own total is positive"),
        ),
    ),
    Block(
        "own_rank",
        (
            Column(
                "place", "what the hand would rank: (31 - place in the ranking's list) / 31", 124
            ),
            Column(
                "first_key",
                "how good its first key is (0 to 63) / 63; for a Nulrhek, (63 - |total|) / 63",
                126,
            ),
        ),
    ),
    Block("own_spike", (Column("card", f"own Spike Card {_CARD}"),)),
    Block("drawn", (Column("card", f"the card being decided on {_CARD}"),)),
    Block("discard_top", (Column("card", f"the top discard {_CARD}"),)),
    Block(
        "seen_values",
        _numbered(
            "value",
            (f"cards of value {v} seen and not shuffled away since, / 3" for v in _VALUES),
        ),
    ),
    Block("draw_pile", (Column("size", "cards in the draw pile / 62", 124),)),
    Block(
        "own_stakes",
        (
            Column("credits_per_start", "own credits / starting credits, at most 4", 30),
            Column("credits_per_pot", "own credits / pot, at most 4", 30),
            Column("phase_bets_per_pot", "own bets of this phase / pot", 30),
            Column(
                "hand_bets_per_start", "own bets of this hand / starting credits, at most 4", 30
            ),
        ),
    ),
    Block(
        "round_no",
        _numbered(
            "round",
            ("round 0, the opening bet", "round 1", "round 2", "round 3", "round 4 or later"),
        ),
    ),
    Block(
        "phase",
        (
            Column("first_choice", "card phase, first choice"),
            Column("second_choice", "card phase, second choice"),
            Column("redraw", "dice phase, a redraw to choose"),
            Column("betting", "betting phase"),
        ),
    ),
    Block(
        "dice",
        (Column("first", "first die / 6, 0 if not rolled"), Column("second", "second die / 6")),
        tuple(f"round {number} (or of the last four)" for number in range(1, OBSERVED_ROUNDS + 1)),
    ),
    Block(
        "table",
        (
            Column("seats_after_dealer", "seats after the dealer / 8"),
            Column("is_dealer", "is the dealer"),
            Column("players", "players / 8"),
            Column("remaining", "remaining seats / 8"),
            Column("hands_left", "hands left in the episode, this one included, / 10, at most 1"),
        ),
    ),
    Block(
        "betting",
        (
            Column("to_call_per_pot", "to call / pot, at most 4", 30),
            Column("to_call_per_start", "to call / starting credits, at most 4", 30),
            Column("faces_bet", "faces a bet", 30),
            Column("cannot_cover_call", "cannot cover the call", 30),
            Column("raises_left", "raises left / 5, at most 1; 1 without a limit", 30),
            Column("pot_per_start", "pot / starting credits, at most 4", 30),
            Column("sabacc_pot_per_pot", "Sabacc pot / pot, at most 4", 30),
            Column("sabacc_pot_per_start", "Sabacc pot / starting credits, at most 4", 30),
            Column("to_call_above_quarter_pot", "to call is above a quarter of the pot", 30),
            Column("to_call_above_half_pot", "to call is above half of the pot", 30),
            Column("credits_below_pot", "own credits are below the pot", 30),
            Column("credits_below_four_pots", "own credits are below four pots", 30),
            Column("sabacc_pot_above_pot", "Sabacc pot is above the pot", 30),
        ),
    ),
    Block(
        "opponent_bets",
        _numbered("opponent", (f"{other}: bets of this phase / pot" for other in _OPPONENTS)),
    ),
    Block(
        "log_seats",
        _numbered(
            "action",
            (
                f"seat of {action}: (1 + seats after the observer) / 8, 0 for none"
                for action in _LOG
            ),
        ),
    ),
    Block(
        "log",
        (
            *(Column(part, part) for part in _KIND),
            Column("paid", "credits paid (a raise: its total) / the pot before, at most 4", 30),
        ),
        _LOG,
    ),
    Block(
        "opponents",
        (
            Column("remains", "remains in the hand"),
            Column("has_junked", "has junked"),
            Column("is_out", "is out (not dealt in)"),
            Column("is_all_in", "is all-in"),
            Column("credits_per_start", "credits / starting credits, at most 4", 30),
            Column("hand_bets_per_start", "bets of this hand / starting credits, at most 4", 30),
            Column("hand_size", "cards in hand / 5"),
            *(
                Column(f"known_card_{number}", f"card {number} that everyone knows, {_CARD}")
                for number in range(1, MAX_HAND + 1)
            ),
            Column("spike_card", f"Spike Card {_CARD}"),
            *(Column(f"last_{part}", f"last action: {part}") for part in _KIND),
            *(
                Column(
                    f"round_{number}_{part}",
                    f"card action of round {number} (or of the last four): {part}",
                )
                for number in range(1, OBSERVED_ROUNDS + 1)
                for part in _KIND[:2]
            ),
        ),
        _OPPONENTS,
    ),
    Block("rules", _numbered("rule", rule_features(RuleSet()), 15)),
)


def _column_numbers(blocks: Iterable[Block]) -> Any:
    """Return a named tuple of named tuples: each column's number within its block.

    Numba compiles the numbers in as constants.
    """
    make = cast(Any, namedtuple)
    numbers = {
        block.name: make(block.name, [column.name for column in block.columns])(
            *range(len(block.columns))
        )
        for block in blocks
    }
    return make("Columns", numbers)(**numbers)


COLUMNS: Final = _column_numbers(BLOCKS)
"""The number of each column within its block: ``COLUMNS.betting.faces_bet`` is 2."""
assert len(COLUMNS.opponents) == SEAT_FEATURES
assert len(COLUMNS.log) == LOG_FEATURES
assert len(COLUMNS.rules) == NUM_RULE_FEATURES

OBSERVATION_SIZE: Final = sum(len(block.features) for block in BLOCKS)

_RECORDS: Final = {"opponents": PUBLIC_SEAT_DTYPE, "log": LOG_ENTRY_DTYPE}
OBSERVATION_DTYPE: Final = np.dtype(
    (
        np.record,
        [
            (block.name, _RECORDS[block.name], (len(block.rows),))
            if block.name in _RECORDS
            else (block.name, "f4", (len(block.features),))
            for block in BLOCKS
        ],
    )
)
"""An observation as the engine writes it. Each block is a field, which holds its rows one after the
other. In ``opponents`` and ``log`` each row is a record of ``features``."""

HAND_DTYPE: Final = np.dtype(
    (
        np.record,
        [
            (block.name, "f4", (len(block.features),))
            for block in takewhile(lambda block: block.name.startswith("own_"), BLOCKS)
        ],
    )
)
"""The first blocks of an observation: a seat's own hand."""
HAND_SIZE: Final = HAND_DTYPE.itemsize // 4
"""The number of features of one hand."""

PACKED_SCALES: Final = np.array(
    [scale for block in BLOCKS for scale in block.packed_scales], dtype=np.float32
)
"""What each feature is multiplied by when it is packed, and then rounded (halves to even)."""
