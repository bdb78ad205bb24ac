"""Suit isomorphism: the cards that no rule of a rule set distinguishes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sabacc_env.cards import SYLOPS, Card
from sabacc_env.rules import RuleSet


def suits_are_isomorphic(rules: RuleSet) -> bool:
    """Return whether no rule depends on suits.

    The ``casino`` ranking does (RULES.md 6.1, ties). So do rules by which several cards go face up
    at once: their ids, and so their suits, decide which one lies on top (D4).
    """
    several_face_up = rules.junk_face_up or (
        "dice" in rules.phases and "redraw_all" in (rules.doubles, rules.double_spike)
    )
    return rules.suits == 1 or not (rules.ranking == "casino" or several_face_up)


def card_classes(rules: RuleSet) -> NDArray[np.int64]:
    """Return the isomorphism class of each card id, (64,): equal for isomorphic cards.

    The two Sylops are isomorphic under all rules: their ids are neighbours.
    """
    classes = np.arange(64)
    classes[list(SYLOPS)] = SYLOPS[0]
    if suits_are_isomorphic(rules):
        cards = [card for card in rules.deck if card not in SYLOPS]
        classes[cards] = [Card(card).value + 10 for card in cards]
    return classes
