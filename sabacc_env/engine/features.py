"""What every feature of the observation is: the blocks in their order, with a name for each index.

The encoder (``observe.py``) writes the same blocks in the same order; the documentation's table is
made from here. A feature is a comparison, a small integer, or one division of integers in float64
stored once as float32, so that every mode agrees bit for bit.
"""

from __future__ import annotations

from itertools import product
from typing import Final, NamedTuple

import numpy as np

from sabacc_env.engine.layout import (
    BUY_DISCARD,
    CALL,
    CHECK,
    DISCARD_DRAW,
    DISCARD_DRAWN,
    DRAW,
    JUNK,
    KEEP,
    LOG_LENGTH,
    MAX_HAND,
    MAX_SEATS,
    NUM_KINDS,
    NUM_RULE_FEATURES,
    RAISE,
    REDRAW,
    REPLACE,
    REPLACE_SPIKE,
    STAND,
    SWAP,
)
from sabacc_env.engine.rulebook import rule_features
from sabacc_env.rules import RuleSet

SHOWN_ROUNDS: Final = 4
"""Rounds of dice and card actions shown: all, or the last four of a longer hand."""

LARGEST_FEATURE: Final = 8.0
"""No feature is larger, in absolute value."""

KIND_CODES: Final = np.zeros((NUM_KINDS + 1, 3))
"""Each move kind as three numbers, none (-1) as the last row: where a card comes from (1 the draw
pile, -1 the discard pile, 0.5 a forced redraw); what becomes of the hand (above 0 it grows or
stays, below 0 a card is put down); what becomes of the bet (1 raise, 0.5 call, 0.25 check, -1
junk)."""
for _kind, _code in {
    STAND: (0, 0.5, 0),
    DRAW: (1, 1, 0),
    BUY_DISCARD: (-1, 1, 0),
    KEEP: (1, 0.75, 0),
    DISCARD_DRAWN: (1, 0.25, 0),
    REPLACE: (1, -0.5, 0),
    REPLACE_SPIKE: (1, -0.75, 0),
    DISCARD_DRAW: (1, -1, 0),
    SWAP: (-1, -1, 0),
    REDRAW: (0.5, -1, 0),
    CHECK: (0, 0, 0.25),
    CALL: (0, 0, 0.5),
    RAISE: (0, 0, 1),
    JUNK: (0, 0, -1),
}.items():
    KIND_CODES[_kind] = _code


class Block(NamedTuple):
    """Consecutive features of one kind: its columns, once or for each of some rows."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[str, ...] = ()

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


_CODE = "as value / 10, a Sylop 0.05, 0 for none"
_VALUES = tuple(f"{value:+d}" for value in range(-10, 11))
_KIND = ("source", "hand", "money")

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
    ),
    Block(
        "own_rank",
        (
            "what the hand would rank: (31 - place in the ranking's list) / 31",
            "how good its first key is (0 to 63) / 63; for a Nulrhek, (63 - |total|) / 63",
        ),
    ),
    Block("own_spike", (f"own Spike Card {_CODE}",)),
    Block("drawn", (f"the card being decided on {_CODE}",)),
    Block("discard_top", (f"the top discard {_CODE}",)),
    Block(
        "seen_values",
        tuple(f"cards of value {value} seen and not shuffled away since, / 3" for value in _VALUES),
    ),
    Block("draw_pile", ("cards in the draw pile / 62",)),
    Block(
        "own_stakes",
        (
            "own credits / starting credits, at most 4",
            "own credits / pot, at most 4",
            "own bets of this phase / pot",
            "own bets of this hand / starting credits, at most 4",
        ),
    ),
    Block(
        "round", ("round 0, the opening bet", "round 1", "round 2", "round 3", "round 4 or later")
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
        tuple(f"round {number} (or of the last four)" for number in range(1, SHOWN_ROUNDS + 1)),
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
    ),
    Block("rules", tuple(rule_features(RuleSet()))),
    Block(
        "opponents",
        (
            "remains in the hand",
            "has junked",
            "is out (not dealt in)",
            "is all-in",
            "credits / starting credits, at most 4",
            "bets of this phase / pot",
            "bets of this hand / starting credits, at most 4",
            "cards in hand / 5",
            *(f"card {number} that everyone knows, {_CODE}" for number in range(1, MAX_HAND + 1)),
            f"Spike Card {_CODE}",
            *(f"last action: {part}" for part in _KIND),
            *(
                f"card action of round {number} (or of the last four): {part}"
                for number in range(1, SHOWN_ROUNDS + 1)
                for part in _KIND[:2]
            ),
        ),
        tuple(f"opponent {after} to the left" for after in range(1, MAX_SEATS)),
    ),
    Block(
        "log",
        (
            "seat: (1 + seats after the observer) / 8, 0 for none",
            *(f"kind: {part}" for part in _KIND),
            "credits paid (a raise: its total) / pot, at most 4",
        ),
        tuple(f"public action {back} back" for back in range(1, LOG_LENGTH + 1)),
    ),
)

OBSERVATION_SIZE: Final = sum(len(block.features) for block in BLOCKS)
OPPONENT_FEATURES: Final = len(BLOCKS[-2].columns)
assert len(rule_features(RuleSet())) == NUM_RULE_FEATURES
