"""Which cards no rule of a rule set tells apart."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sabacc_env.cards import SYLOPS, Card
from sabacc_env.rules import RuleSet

NO_CARD = 63


def suits_alike(rules: RuleSet) -> bool:
    """Say whether no rule looks at suits.

    The ``casino`` ranking does (RULES.md 6.1, ties); and where several cards go face up at once,
    their ids, and so their suits, decide which one lies on top (D4).
    """
    batches = rules.junk_face_up or (
        "dice" in rules.phases and "redraw_all" in (rules.doubles, rules.double_spike)
    )
    return rules.suits == 1 or not (rules.ranking == "casino" or batches)


def card_classes(rules: RuleSet) -> NDArray[np.int64]:
    """Return a class for every card id, (64,): equal for cards that no rule tells apart.

    The Sylops are alike everywhere: their ids are neighbours.
    """
    classes = np.arange(64)
    classes[list(SYLOPS)] = SYLOPS[0]
    if suits_alike(rules):
        cards = [card for card in rules.deck if card not in SYLOPS]
        classes[cards] = [Card(card).value + 10 for card in cards]
    return classes
