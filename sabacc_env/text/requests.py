"""What a text asks for, clause by clause, in the words that people and language models use."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_PHRASES: Final = (
    (r"discard(ing)?[ -](it|drawn|the drawn card|the card drawn)", "discard_drawn"),
    (r"replac(e|ing)[ -]((the|my) )?spike([ -]card)?", "replace_spike"),
    (r"(buy|tak)(e|ing)?[ -](from )?(the )?(top )?discard( pile)?", "buy_discard"),
    (r"discard(ing)?[ -](and[ -])?(draw|gain)(ing)?", "discard_draw"),
    (r"discard(ing)? ([^.;!?\n]{1,40}?),?( and)?( then)? (draw|gain)(ing)?", r"discard_draw \2"),
    (r"(draw|discard) pile", "pile"),
    (r"(junk|fold)(ing)? (my|the|this) hand", "junk"),
    (r"((go|going) )?all[ -]in", "all_in"),
    (r"half( the| a)?[ -]pot", "0.5 pot"),
    (r"minimum", "min"),
    (r"maximum", "max"),
)
"""What is read as something else, in this order."""

_KINDS: Final = {
    "stand": ("stand",),
    "pass": ("stand", "check"),
    "draw": ("draw",),
    "gain": ("draw",),
    "buy": ("draw",),
    "buy_discard": ("buy_discard",),
    "keep": ("keep",),
    "discard_drawn": ("discard_drawn",),
    "replace_spike": ("replace_spike",),
    "check": ("check",),
    "call": ("call",),
    "junk": ("junk",),
    "fold": ("junk",),
    "discard": ("discard_draw", "redraw"),
    "discard_draw": ("discard_draw",),
    "swap": ("swap",),
    "trade": ("swap",),
    "redraw": ("redraw",),
    "replace": ("replace",),
    "raise": ("raise",),
    "bet": ("raise",),
    "all_in": ("raise", "call"),
}
"""For each word, the kinds of move that it may mean."""

_GERUNDS: Final = {
    "swapping": "swap",
    "trading": "trade",
    "replacing": "replace",
    "raising": "raise",
} | {
    f"{word}ing": word
    for word in "stand pass draw keep check call junk fold discard redraw".split()
}

_MODIFIERS: Final = frozenset("to by pot min max credit credits total slot".split())
_FILLER: Final = frozenset(
    """a action again also am an and answer best card cards choice choose chose deck decide
    decision down final for from go going here i id ill im in is it just let lets like me move my
    now number of ok okay option our out pile place play please put should sized so still take
    taking the then this time top up want well will wish with would yes""".split()
)
"""Words that change nothing in the plain statement of a move."""

_CHOICES: Final = frozenset("if unless or either whether".split())
"""Words that make a sentence name more than what the writer does."""

_NOT_DONE: Final = frozenset(
    """not never no dont wont cant cannot wouldnt shouldnt isnt than instead without avoid could
    might may maybe perhaps possible possibly""".split()
)
_OTHERS: Final = frozenset(
    "player players opponent opponents they he she their his her them seat dealer".split()
)
"""Words that make a clause name what the writer does not do, or what others do."""

_SIGNS: Final = {"+": 1, "plus": 1, "positive": 1, "-": -1, "minus": -1, "negative": -1}
_NUMBER_WORDS: Final = "zero one two three four five six seven eight nine ten".split()
_SYLOPS: Final = frozenset(("sylop", "sylops"))
_SUITS: Final = ("triangle", "square", "circle")

_SENTENCE_END: Final = re.compile(r"[.!?;]+(?=\s|$)|\n+")
_CLAUSE_END: Final = re.compile(r"[,:()]|\s-+\s|\b(?:because|since|as|but)\b")
_LEADING_NUMBER: Final = re.compile(
    r"^\s*(?:action |option |move )?#?(\d+)[:).]?\s+(?=\D)", re.MULTILINE
)
_WORD: Final = re.compile(r"[+-]?0([ab])\b|([+-])?([0-9]+(?:[./][0-9]+)?)([tsc]\b)?|[a-z_]+|[+-]")


@dataclass(frozen=True)
class Number:
    """A number in a text: a card, the total of a raise, or an action.

    Attributes:
        digits: the number without its sign, as it is written in digits.
        sign: 1 or -1 for a number with a sign.
        suit: 0, 1 or 2 for a number with a suit.
        sylop: which Sylop is meant, 60 or 61, where that is said.
        of_slot: whether the number is that of a slot of the hand.
    """

    digits: str
    sign: int | None = None
    suit: int | None = None
    sylop: int | None = None
    of_slot: bool = False

    @property
    def whole(self) -> int | None:
        """The number without its sign, if it is a whole one that can be meant."""
        return int(self.digits) if self.digits.isdecimal() and len(self.digits) < 12 else None

    @property
    def bare(self) -> bool:
        """Whether it is only a number, which may be that of an action."""
        return self == Number(self.digits)


@dataclass(frozen=True)
class Request:
    """What a clause asks for.

    Attributes:
        words: the words for moves in it, by what they mean: none asks for an action by its number.
        numbers: the numbers in it.
        modifiers: what else it says: ``to``, ``by``, ``pot``, ``min``, ``max``, ``all_in``.
        plain: whether it says nothing else.
    """

    kinds: frozenset[tuple[str, ...]]
    numbers: tuple[Number, ...]
    modifiers: frozenset[str]
    plain: bool


def requests_in(text: str) -> list[Request]:
    """Return what a text asks for: the plain statements of moves, or else what it mentions.

    Statements of what is possible, of what not to do, and of what others do are left out.
    """
    found = [request for clause in _clauses(text) if (request := _read(clause))]
    return [request for request in found if request.plain] or found


def _clauses(text: str) -> Iterator[str]:
    text = unicodedata.normalize("NFKC", text).lower()
    text = re.sub("[\u2010-\u2015\u2212]", "-", text)
    text = re.sub("['\u2019]", "", text)
    text = re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)
    text = re.sub('[_*`"]+', " ", text)
    text = _LEADING_NUMBER.sub(r"action \1.\n", text)
    for pattern, word in _PHRASES:
        text = re.sub(rf"\b{pattern}\b", word, text)
    for sentence in _SENTENCE_END.split(text):
        if _CHOICES.isdisjoint(re.findall(r"[a-z]+", sentence)):
            yield from _CLAUSE_END.split(sentence)


def _read(clause: str) -> Request | None:
    """Return what a clause asks for, or None if it asks for nothing."""
    words = [_GERUNDS.get(match[0], match[0]) for match in _WORD.finditer(clause)]
    if not _NOT_DONE.isdisjoint(words) or not _OTHERS.isdisjoint(words):
        return None
    numbers = tuple(_numbers(clause))
    kinds = frozenset(_KINDS[word] for word in words if word in _KINDS)
    named = {*_KINDS, *_MODIFIERS, *_FILLER, *_SIGNS, *_NUMBER_WORDS, *_SYLOPS}
    plain = all(word in named or _is_number(word) or _suit(word) is not None for word in words)
    modifiers = frozenset(words) & (_MODIFIERS | {"all_in"})
    is_action = plain and len(numbers) == 1 and not modifiers and numbers[0].bare
    if not kinds and not (is_action and _SYLOPS.isdisjoint(words)):
        return None
    return Request(kinds, numbers, modifiers, plain)


def _numbers(clause: str) -> Iterator[Number]:
    """Yield the numbers of a clause; a word such as "two" counts with a sign or a suit only."""
    matches = list(_WORD.finditer(clause))
    for place, match in enumerate(matches):
        word, before = match[0], matches[place - 1][0] if place else ""
        sign = _SIGNS.get(match[2] or before)
        if match[1]:
            yield Number("0", sylop=60 + "ab".index(match[1]))
        elif word in _SYLOPS and not _is_sylop_named(matches, place):
            yield Number("0")
        elif match[3]:
            suit = "tsc".index(match[4]) if match[4] else _suit_after(matches[place + 1 :])
            yield Number(match[3], sign, suit, of_slot=before == "slot")
        elif word in _NUMBER_WORDS:
            suit = _suit_after(matches[place + 1 :])
            if sign is not None or suit is not None:
                yield Number(str(_NUMBER_WORDS.index(word)), sign, suit)


def _is_sylop_named(matches: list[re.Match[str]], place: int) -> bool:
    """Say whether the word at a place has the name of a Sylop beside it: "the Sylop 0b"."""
    return any(match[1] for match in matches[max(place - 1, 0) : place + 2])


def _suit_after(matches: list[re.Match[str]]) -> int | None:
    """Return the suit that follows a number: "of circles", "of the circles", "circle"."""
    for match in matches[:3]:
        if match[0] not in ("of", "the"):
            return _suit(match[0])
    return None


def _suit(word: str) -> int | None:
    singular = word.removesuffix("s")
    return _SUITS.index(singular) if singular in _SUITS else None


def _is_number(word: str) -> bool:
    return any(character.isdigit() for character in word)
