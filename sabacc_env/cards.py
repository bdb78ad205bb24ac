"""The 62 cards: ids, values, suits and text (RULES.md section 1).

A card's id is ``suit * 20 + value - 1`` for a positive card and
``suit * 20 + 10 + |value| - 1`` for a negative one, suits 0 triangle, 1 square, 2 circle;
the two Sylops are 60 and 61. The engine, replays and tests all use these ids.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from operator import index
from typing import Any, Final

from sabacc_env.errors import SabaccError, short_repr

NUM_CARDS: Final = 62
NUM_SUITS: Final = 3
HIGHEST_VALUE: Final = 10
SYLOPS: Final = (60, 61)
SUIT_LETTERS: Final = "tsc"
"""Triangle, square, circle."""

_TEXT = re.compile(r"([+-])(10|[1-9])([tsc])|0([ab])?")


def as_int(value: Any) -> int | None:
    """Return a whole number of any type as an int, or None for anything else, including bools."""
    try:
        return None if isinstance(value, bool) else index(value)
    except TypeError:
        return None


class Card(int):
    """A card: its id (0 to 61) as an int that prints as text, ``+10s``, ``-3t``, ``0a``.

    >>> Card(29), Card.of(-3, suit=0), Card(60)
    (+10s, -3t, 0a)
    >>> Card(29).value, Card(29).suit, Card(61).suit
    (10, 1, None)
    """

    __slots__ = ()

    def __new__(cls, card_id: int) -> Card:
        """Make the card with this id.

        Raises:
            SabaccError: if ``card_id`` is not a card id.
        """
        known = as_int(card_id)
        if known is None or not 0 <= known < NUM_CARDS:
            raise SabaccError(
                f"card id {short_repr(card_id)} is not a whole number from 0 to {NUM_CARDS - 1}"
            )
        return super().__new__(cls, known)

    @classmethod
    def of(cls, value: int, suit: int) -> Card:
        """Return the card of this value (-10 to 10, not 0) and suit (0, 1 or 2).

        Raises:
            SabaccError: if there is no such card.
        """
        of_value, of_suit = as_int(value) or 0, as_int(suit)
        if not 1 <= abs(of_value) <= HIGHEST_VALUE or of_suit not in (0, 1, 2):
            raise SabaccError(
                f"there is no card of value {short_repr(value)} in suit {short_repr(suit)}; values "
                f"are -{HIGHEST_VALUE} to {HIGHEST_VALUE} without 0, and suits are 0, 1 and 2"
            )
        return cls(of_suit * 20 + (of_value - 1 if of_value > 0 else 9 - of_value))

    @classmethod
    def parse(cls, text: str) -> Card:
        """Read a card from text such as ``+10s``, ``-3t``, ``0a``; a bare ``0`` is ``0a``.

        Raises:
            SabaccError: if the text is not a card.

        >>> Card.parse("-10c")
        -10c
        """
        match = _TEXT.fullmatch(text.strip()) if isinstance(text, str) else None
        if match is None:
            raise SabaccError(
                f"{short_repr(text)} is not a card; write sign, value and suit, such as +10s or "
                "-3t, or 0a and 0b for the Sylops"
            )
        if match[1] is None:
            return cls(61 if match[4] == "b" else 60)
        value = int(match[2]) if match[1] == "+" else -int(match[2])
        return cls.of(value, SUIT_LETTERS.index(match[3]))

    @property
    def value(self) -> int:
        """The value, -10 to +10; a Sylop's is 0."""
        if self >= 60:
            return 0
        rank = self % 20
        return rank + 1 if rank < 10 else 9 - rank

    @property
    def suit(self) -> int | None:
        """0 triangle, 1 square, 2 circle; None for a Sylop."""
        return None if self >= 60 else self // 20

    def __repr__(self) -> str:
        if self >= 60:
            return "0" + "ab"[self - 60]
        return f"{self.value:+d}{SUIT_LETTERS[self // 20]}"

    __str__ = __repr__


def slot_order(cards: Iterable[int]) -> list[Card]:
    """Sort cards as a hand holds them: by value, then by id.

    >>> slot_order([60, 29, 2, 42])
    [0a, +3t, +3c, +10s]
    """
    return sorted((Card(card) for card in cards), key=lambda card: (card.value, int(card)))


def deck(highest_value: int = HIGHEST_VALUE, suits: int = NUM_SUITS, sylops: int = 2) -> list[Card]:
    """Return the cards of a deck by id; a small deck keeps the ids of the full one.

    >>> len(deck()), deck(highest_value=1, suits=1, sylops=1)
    (62, [+1t, -1t, 0a])
    """
    cards = (Card(card) for card in range(60))
    kept = [card for card in cards if abs(card.value) <= highest_value and card < suits * 20]
    return kept + [Card(card) for card in SYLOPS[:sylops]]


CARDS: Final = tuple(deck())
"""Every card by id; to look one up is faster than to make it."""


def cards_of_mask(mask: int) -> Iterator[Card]:
    """Yield the cards of a 62-bit set, by id."""
    while mask:
        lowest = mask & -mask
        yield CARDS[lowest.bit_length() - 1]
        mask ^= lowest


def parse_hand(cards: Sequence[int | str]) -> list[Card]:
    """Turn a mix of cards, plain values and text into cards.

    A ``Card`` is that card, text is a card, and a plain int is a value that takes the next free
    suit.

    Raises:
        SabaccError: if a value is out of range or has no free suit, or a card is given twice.

    >>> parse_hand([+10, +10, "-5c", 0])
    [+10t, +10s, -5c, 0a]
    """
    taken = [
        Card.parse(card) if isinstance(card, str) else card
        for card in cards
        if isinstance(card, str | Card)
    ]
    for card in taken:
        if taken.count(card) > 1:
            raise SabaccError(f"the card {card} is in the hand twice")
    hand: list[Card] = []
    for given in cards:
        if isinstance(given, str):
            hand.append(Card.parse(given))
        elif isinstance(given, Card):
            hand.append(given)
        else:
            hand.append(_free_card(given, taken + hand))
    return hand


def _free_card(value: int, taken: Sequence[Card]) -> Card:
    of_value = as_int(value)
    if of_value is None or abs(of_value) > HIGHEST_VALUE:
        raise SabaccError(f"{short_repr(value)} is not the value of a card; use -10 to 10")
    if of_value == 0:
        candidates = [Card(card) for card in SYLOPS]
    else:
        candidates = [Card.of(of_value, suit) for suit in range(NUM_SUITS)]
    for card in candidates:
        if card not in taken:
            return card
    raise SabaccError(
        f"the hand has too many cards of value {of_value:+d}; the deck has {len(candidates)}"
    )
