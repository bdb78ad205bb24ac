"""Suit isomorphism: the cards that no rule of a rule set distinguishes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sabacc_env.cards import SYLOPS, Card
from sabacc_env.rules import RuleSet


def suits_are_isomorphic(rules: RuleSet) -> bool:
    """Return whether no rule depends on suits.

    The ``casino`` ranking does (RULES.md 6.1, ties). So do rules by which several cards go face up
    at once: their ids, and so their suits, decide which one lies on top (D4). So do hands in which
    everyone knows one of two cards of a value: which slot it is in depends on their suits.
    """
    if _knows_one_of_two(rules):
        return rules.suits == 1
    several_face_up = rules.junk_face_up or (
        "dice" in rules.phases and "redraw_all" in (rules.doubles, rules.double_spike)
    )
    return rules.suits == 1 or not (rules.ranking == "casino" or several_face_up)


def _knows_one_of_two(rules: RuleSet) -> bool:
    """Return whether a hand may hold a card from the discards beside one that nobody has seen."""
    return "buy_discard" in rules.card_actions or (
        "swap" in rules.card_actions and (rules.cards_dealt > 1 or rules.rounds > 1)
    )


def card_classes(rules: RuleSet) -> NDArray[np.int64]:
    """Return the isomorphism class of each card id, (64,): equal for isomorphic cards.

    The two Sylops are isomorphic too, for their ids are neighbours, unless one of two may be known.
    """
    classes = np.arange(64)
    if not _knows_one_of_two(rules):
        classes[list(SYLOPS)] = SYLOPS[0]
    if suits_are_isomorphic(rules):
        cards = [card for card in rules.deck if card not in SYLOPS]
        classes[cards] = [Card(card).value + 10 for card in cards]
    return classes
