"""Scripted hands that the oracle and the engine both play; each must end as it says.

The expected values were worked out by hand from RULES.md.
"""

from __future__ import annotations

from tests.support.scenarios.betting_and_pots import BETTING_AND_POTS
from tests.support.scenarios.cards_and_dice import CARDS_AND_DICE
from tests.support.scenarios.house_rules import HOUSE_RULES
from tests.support.scenarios.reshuffles import RESHUFFLES

SCENARIOS = CARDS_AND_DICE + RESHUFFLES + BETTING_AND_POTS + HOUSE_RULES
