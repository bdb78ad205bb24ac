"""Ranks hands: name, keys, total and strength under a ranking (RULES.md section 6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sabacc_env.arguments import check_sequence
from sabacc_env.cards import Card, parse_hand
from sabacc_env.engine.drivers import single
from sabacc_env.engine.layout import GAME_DTYPE, MAX_HAND, RANKINGS
from sabacc_env.engine.ranking import KEY_SHIFT, LOWEST_PLACE, PLACE_SHIFT, SECOND_KEY_SHIFT
from sabacc_env.errors import SabaccError, short_repr

_CASINO: Final = (
    ("Full Sabacc", 1),
    ("Fleet", 1),
    ("Rhylet", 1),
    ("Wild Rhylet", 1),
    ("Gee Whiz", 1),
    ("Full Straight", 1),
    ("Sylop Straight Khyron", 1),
    ("Five Card Squad", 1),
    ("Squadron", 1),
    ("Sylop Rule of Two", 2),
    ("Banthas Wild", 1),
    ("Pure Sabacc", 0),
    ("Straight Khyron", 1),
    ("Idiot's Rule", 1),
    ("Rule of Two", 2),
    ("Yee-Haa", 1),
    ("Pair", 1),
    ("Sabacc", 0),
    ("Nulrhek", 0),
)
_SPACERS: Final = (
    ("Pure Sabacc", 0),
    ("Sylop Fleet", 1),
    ("Sylop Khyron", 1),
    ("Sylop Wings", 1),
    ("Sylop Ace", 1),
    ("Fleet", 1),
    ("Rhylet", 1),
    ("Full Khyron", 1),
    ("Khyron", 1),
    ("Squadron", 1),
    ("Wings", 1),
    ("Ace", 1),
    ("Sabacc", 0),
    ("Nulrhek", 0),
)
_ALTA: Final = (
    ("Pure Sabacc", 0),
    ("Full Sabacc", 0),
    ("Fleet", 1),
    ("Dual Power Coupling", 2),
    ("Idiots' Array", 0),
    ("Prime Sabacc", 0),
    ("Yee-Haa", 1),
    ("Rhylet", 1),
    ("Straight Rhoon", 1),
    ("Straight Staves", 0),
    ("Squadron", 1),
    ("Gee Whiz", 0),
    ("Straight Khyron", 1),
    ("Straight Trill", 0),
    ("Rule of Two", 2),
    ("Paired Sabacc", 1),
    ("Sabacc", 0),
    ("Nulrhek", 0),
)
HAND_NAMES: Final = {
    ranking: {"casino": _CASINO, "spacers": _SPACERS}.get(ranking, _ALTA) for ranking in RANKINGS
}
"""For each ranking, the name of each kind of hand and its number of keys, best first."""


@dataclass(frozen=True, slots=True, order=True)
class HandRank:
    """How a hand ranks; ranks of one ranking compare by strength alone.

    Attributes:
        strength: larger wins; equal strengths need a blind draw.
        name: exactly as in RULES.md section 6.
        keys: the values that break ties between hands of this name first, in order.
        total: the sum of the cards' values.
    """

    strength: int
    name: str = field(compare=False)
    keys: tuple[int, ...] = field(compare=False)
    total: int = field(compare=False)


def rank_hand(
    cards: Sequence[int | str] | None = None,
    *,
    ranking: str,
    ids: Sequence[int] | None = None,
) -> HandRank:
    """Rank a hand of one to five cards (RULES.md section 6).

    Args:
        cards: the hand: a ``Card`` is that card, a plain int is a value that takes the next free
            suit, text is a card (``"+10s"``, ``"0"``).
        ranking: ``casino``, ``spacers``, ``alta_orsl``, ``alta_three_en`` or
            ``alta_yarith_bespin``.
        ids: the hand as card ids, instead of ``cards``.

    Raises:
        SabaccError: if the ranking is unknown or the cards are not a hand.

    >>> rank = rank_hand([+10, +10, -10, -5, -5], ranking="casino")
    >>> rank.name, rank.keys, rank.total
    ('Wild Rhylet', (10,), 0)
    >>> rank > rank_hand(["+5t", "-5t", "0"], ranking="casino")
    True
    """
    if not isinstance(ranking, str) or ranking not in RANKINGS:
        raise SabaccError(
            f"unknown ranking {short_repr(ranking)}; use one of {', '.join(RANKINGS)}"
        )
    if (cards is None) == (ids is None):
        raise SabaccError("cards, ids: give exactly one of them")
    if cards is not None:
        hand = parse_hand(check_sequence("cards", cards))
    else:
        hand = [Card(card) for card in check_sequence("ids", ids)]
    if not 1 <= len(hand) <= MAX_HAND or len(set(hand)) != len(hand):
        raise SabaccError(f"a hand has one to {MAX_HAND} different cards, not {hand}")
    strength = int(hand_strengths(ranking, np.array([hand], dtype=np.int8))[0])
    return describe_strength(ranking, strength, sum(card.value for card in hand))


def hand_strengths(ranking: str, hands: NDArray[np.int8]) -> NDArray[np.int64]:
    """Return the strengths of hands of one to five different cards: larger wins.

    Args:
        ranking: as in ``rank_hand``.
        hands: card ids, (n, at most 5) int8; -1 for none, after the others.
    """
    slots = np.full((len(hands), MAX_HAND), -1, dtype=np.int8)
    slots[:, : hands.shape[1]] = hands
    strengths = np.zeros(len(hands), dtype=np.int64)
    single.rank_hands(np.zeros(1, GAME_DTYPE), RANKINGS.index(ranking), slots, strengths)
    return strengths


def hand_name(ranking: str, strength: int) -> str:
    """Return the name of a hand from the strength that the engine computed."""
    return HAND_NAMES[ranking][LOWEST_PLACE - (strength >> PLACE_SHIFT) - 1][0]


def describe_strength(ranking: str, strength: int, total: int) -> HandRank:
    """Return the rank of a hand from the strength that the engine computed."""
    name, num_keys = HAND_NAMES[ranking][LOWEST_PLACE - (strength >> PLACE_SHIFT) - 1]
    stored = (strength >> KEY_SHIFT & 63, strength >> SECOND_KEY_SHIFT & 15)[:num_keys]
    keys = stored if ranking == "casino" else tuple(11 - key for key in stored)
    return HandRank(strength, name, keys, total)
