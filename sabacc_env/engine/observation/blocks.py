"""What every feature of the observation is: the blocks in their order, with a name for each index.

The encoder (``write.py``) writes the same blocks in the same order; the documentation's table is
made from here. A feature is a comparison, a small integer, an integer times the inverse of another
in float64 stored once as float32, or a small integer times a third in float32, so that every mode
agrees bit for bit.
"""

from __future__ import annotations

from itertools import product
from typing import Final, NamedTuple

import numpy as np

from sabacc_env.engine.layout import (
    LOG_ENTRY_DTYPE,
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


class Block(NamedTuple):
    """Consecutive features of one kind: its columns, once or for each of some rows."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[str, ...] = ()
    scales: tuple[int, ...] = (120,)
    """What packed features are multiplied by, so that int8 holds them: one number, or one a
    column. Halves, thirds, fifths, eighths and tenths stay exact with the one that is usual."""

    @property
    def shape(self) -> tuple[int, ...]:
        """(rows, columns), or (columns,) for a block without rows."""
        return (len(self.rows), len(self.columns)) if self.rows else (len(self.columns),)

    @property
    def features(self) -> list[str]:
        """A name for each feature of the block, in order."""
        if not self.rows:
            return list(self.columns)
        return [f"{row}: {column}" for row, column in product(self.rows, self.columns)]

    @property
    def packed_scales(self) -> list[int]:
        """What each feature of the block is multiplied by when it is packed, in order."""
        columns = self.scales * (len(self.columns) if len(self.scales) == 1 else 1)
        return list(columns) * max(len(self.rows), 1)


_CODE = "as value / 10, a Sylop 0.05, 0 for none"
_VALUES = tuple(f"{value:+d}" for value in range(-10, 11))
_KIND = ("source", "hand", "money")
_OPPONENTS = tuple(f"opponent {after} to the left" for after in range(1, MAX_SEATS))
_LOG = tuple(f"public action {back} back" for back in range(1, LOG_LENGTH + 1))

BLOCKS: Final = (
    Block("own_values", tuple(f"own cards of value {value}, / 3" for value in _VALUES)),
    Block(
        "own_slots",
        (f"card {_CODE}", "its suit (1 to 3) / 3, 0 for a Sylop or none", "everyone knows it"),
        tuple(f"own slot {slot}" for slot in range(MAX_HAND)),
    ),
    Block(
        "own_total",
        ("own total / 10, Spike Card counted", "own total is 0", "own total is positive"),
        scales=(20, 120, 120),
    ),
    Block(
        "own_rank",
        (
            "what the hand would rank: (31 - place in the ranking's list) / 31",
            "how good its first key is (0 to 63) / 63; for a Nulrhek, (63 - |total|) / 63",
        ),
        scales=(124, 126),
    ),
    Block("own_spike", (f"own Spike Card {_CODE}",)),
    Block("drawn", (f"the card being decided on {_CODE}",)),
    Block("discard_top", (f"the top discard {_CODE}",)),
    Block(
        "seen_values",
        tuple(f"cards of value {value} seen and not shuffled away since, / 3" for value in _VALUES),
    ),
    Block("draw_pile", ("cards in the draw pile / 62",), scales=(124,)),
    Block(
        "own_stakes",
        (
            "own credits / starting credits, at most 4",
            "own credits / pot, at most 4",
            "own bets of this phase / pot",
            "own bets of this hand / starting credits, at most 4",
        ),
        scales=(30,),
    ),
    Block(
        "round_no",
        ("round 0, the opening bet", "round 1", "round 2", "round 3", "round 4 or later"),
    ),
    Block(
        "phase",
        (
            "card phase, first choice",
            "card phase, second choice",
            "dice phase, a redraw to choose",
            "betting phase",
        ),
    ),
    Block(
        "dice",
        ("first die / 6, 0 if not rolled", "second die / 6"),
        tuple(f"round {number} (or of the last four)" for number in range(1, OBSERVED_ROUNDS + 1)),
    ),
    Block(
        "table",
        (
            "seats after the dealer / 8",
            "is the dealer",
            "players / 8",
            "remaining seats / 8",
            "hands left in the episode, this one included, / 10, at most 1",
        ),
    ),
    Block(
        "betting",
        (
            "to call / pot, at most 4",
            "to call / starting credits, at most 4",
            "faces a bet",
            "cannot cover the call",
            "raises left / 5, at most 1; 1 without a limit",
            "pot / starting credits, at most 4",
            "Sabacc pot / pot, at most 4",
            "Sabacc pot / starting credits, at most 4",
            "to call is above a quarter of the pot",
            "to call is above half of the pot",
            "own credits are below the pot",
            "own credits are below four pots",
            "Sabacc pot is above the pot",
        ),
        scales=(30,),
    ),
    Block("opponent_bets", tuple(f"{other}: bets of this phase / pot" for other in _OPPONENTS)),
    Block(
        "log_seats",
        tuple(
            f"seat of {action}: (1 + seats after the observer) / 8, 0 for none" for action in _LOG
        ),
    ),
    Block(
        "log",
        (*_KIND, "credits paid (a raise: its total) / the pot before, at most 4"),
        _LOG,
        scales=(120, 120, 120, 30),
    ),
    Block(
        "opponents",
        (
            "remains in the hand",
            "has junked",
            "is out (not dealt in)",
            "is all-in",
            "credits / starting credits, at most 4",
            "bets of this hand / starting credits, at most 4",
            "cards in hand / 5",
            *(f"card {number} that everyone knows, {_CODE}" for number in range(1, MAX_HAND + 1)),
            f"Spike Card {_CODE}",
            *(f"last action: {part}" for part in _KIND),
            *(
                f"card action of round {number} (or of the last four): {part}"
                for number in range(1, OBSERVED_ROUNDS + 1)
                for part in _KIND[:2]
            ),
        ),
        _OPPONENTS,
        scales=(*[120] * 4, *[30] * 2, *[120] * 18),
    ),
    Block("rules", tuple(rule_features(RuleSet())), scales=(15,)),
)

_BY_NAME = {block.name: block for block in BLOCKS}
OBSERVATION_SIZE: Final = sum(len(block.features) for block in BLOCKS)
assert len(_BY_NAME["opponents"].columns) == SEAT_FEATURES
assert len(_BY_NAME["rules"].columns) == NUM_RULE_FEATURES

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
"""A row of the observation as the engine writes it: every block a field, its rows one by one; of
``opponents`` and ``log`` each row is a record of ``features``."""

HAND_SIZE: Final = 42
"""The features of one hand as its seat sees it: the first blocks, from ``own_values`` on."""

HAND_DTYPE: Final = np.dtype((np.record, [(b.name, "f4", (len(b.features),)) for b in BLOCKS[:5]]))
"""A hand alone, as a row of the observation shows it."""
assert HAND_DTYPE.itemsize == 4 * HAND_SIZE

PACKED_SCALES: Final = np.array(
    [scale for block in BLOCKS for scale in block.packed_scales], dtype=np.float32
)
"""A packed feature is the feature times this, rounded to a whole number (of equals the even)."""
