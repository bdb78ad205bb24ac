"""The vocabulary of the token form: what each small integer of a sequence means.

This is the only description of the tokens. ``tokens.py`` takes the numbers from here, and so do the
decoder and the documentation's table. A token stands for one thing that happened, or for a detail
of the one before it. Seats are counted from the observer: 0 is its own, 1 the next to the left.
"""

from __future__ import annotations

from itertools import accumulate
from typing import Final, NamedTuple

from sabacc_env.cards import CARDS
from sabacc_env.engine.layout import KINDS, MAX_SEATS

NUMBER_BASE: Final = 100
"""Numbers are written in this base, the highest digit first, one token a digit."""

MAX_RUN: Final = 100
"""A run of more smallest raises is written as several."""


class TokenGroup(NamedTuple):
    """Consecutive tokens of one kind, one for each value."""

    name: str
    meaning: str
    values: tuple[str, ...] = ("",)


_SEATS = tuple(map(str, range(MAX_SEATS)))
_CARDS = tuple(map(str, CARDS))
_DICE = tuple(f"{first}-{second}" for first in range(1, 7) for second in range(1, 7))
_DIGITS = tuple(f"{digit:02d}" for digit in range(NUMBER_BASE))

GROUPS: Final = (
    TokenGroup("pad", "nothing: the sequence has ended before"),
    TokenGroup("start", "the first token of a sequence that holds the whole hand so far"),
    TokenGroup("truncated", "the first token where the earliest ones have been left out"),
    TokenGroup("hands_left", "hands left in the episode, this one included; then a number"),
    TokenGroup(
        "sabacc_pot",
        "credits in the Sabacc pot after the antes, where it held some before; then a number",
    ),
    TokenGroup("taken", "the card that the move took off the discard pile; then a card face up"),
    TokenGroup("reshuffle", "the discard pile was shuffled into a new draw pile"),
    TokenGroup(
        "credits",
        "a seat's credits before the antes, where the rules start with others; then a number",
        _SEATS,
    ),
    TokenGroup("dealer", "the dealer's seat", _SEATS),
    TokenGroup("spike_card", "a seat gets a Spike Card; then a card face up", _SEATS),
    TokenGroup(
        "redraws_hand",
        "a seat discards its hand by the dice, then as many cards face up, and draws another",
        _SEATS,
    ),
    TokenGroup("dice", "the dice of a round", _DICE),
    TokenGroup("own_card", "a card that the observer is dealt or draws", _CARDS),
    TokenGroup("face_up", "a card that everyone sees, by default a discard", _CARDS),
    TokenGroup("digit", "a digit of a number", _DIGITS),
    TokenGroup(
        "smallest",
        "the smallest raise, then more of them by the seats to act: so many moves in a row",
        tuple(map(str, range(1, MAX_RUN + 1))),
    ),
    TokenGroup(
        "move",
        "a move of a seat; a raise is followed by its total, or by `smallest`",
        tuple(f"{seat} {kind}" for kind in KINDS for seat in _SEATS),
    ),
)

_SIZES = [len(group.values) for group in GROUPS]
FIRST_TOKENS: Final = dict(
    zip((group.name for group in GROUPS), [0, *accumulate(_SIZES)], strict=False)
)
"""The first token of each group."""

VOCABULARY_SIZE: Final = sum(_SIZES)
"""Tokens are from 0 to this, which is none."""

PAD: Final = FIRST_TOKENS["pad"]
START: Final = FIRST_TOKENS["start"]
TRUNCATED: Final = FIRST_TOKENS["truncated"]
HANDS_LEFT: Final = FIRST_TOKENS["hands_left"]
SABACC_POT: Final = FIRST_TOKENS["sabacc_pot"]
TAKEN: Final = FIRST_TOKENS["taken"]
RESHUFFLE: Final = FIRST_TOKENS["reshuffle"]
CREDITS: Final = FIRST_TOKENS["credits"]
DEALER: Final = FIRST_TOKENS["dealer"]
SPIKE_CARD: Final = FIRST_TOKENS["spike_card"]
REDRAWS_HAND: Final = FIRST_TOKENS["redraws_hand"]
DICE: Final = FIRST_TOKENS["dice"]
OWN_CARD: Final = FIRST_TOKENS["own_card"]
FACE_UP: Final = FIRST_TOKENS["face_up"]
DIGIT: Final = FIRST_TOKENS["digit"]
SMALLEST: Final = FIRST_TOKENS["smallest"]
MOVE: Final = FIRST_TOKENS["move"]
