"""A game for tests of blueprints: one card each, a betting phase of two sizes, one raise."""

from __future__ import annotations

import tomllib
from typing import Final

ONE_CARD_TOML: Final = """
bet_sizes = ["min", 1]

[rule_overrides]
name = "one_card_of_22"
rounds = 1
suits = 1
cards_dealt = 1
hand_ante = 1
sabacc_ante = 0
phases = ["betting"]
card_actions = ["stand"]
starting_credits = 12
max_raises = 1
"""

ONE_CARD: Final = tomllib.loads(ONE_CARD_TOML)
