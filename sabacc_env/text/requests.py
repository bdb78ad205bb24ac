"""What a text asks for, clause by clause, in the words that people and language models use."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from sabacc_env.text.numbers import IN_WORDS, fractions_in_digits, value_of_words, whole_number

Tokens = Sequence[re.Match[str]]
"""The words and numbers of a clause, as ``_TOKEN`` finds them."""

_A_CARD: Final = r"([^.;!?\n]{1,40}?)"
"""What may stand for a card between the words of a phrase."""

_PHRASES: Final = (
    (r"(put|lay)(t?ing)? down", "discard"),
    (rf"(put|lay)(t?ing)? {_A_CARD} down", r"discard \3"),
    (
        rf"discard(ing)? {_A_CARD},?( and)?( then)? (tak|pick)(e|ing)?( up)? the (top )?discard",
        r"swap \2",
    ),
    (r"discard(ing)?[ -](it|drawn|the drawn card|the card drawn)", "discard_drawn"),
    (r"replac(e|ing)[ -]((the|my) )?spike([ -]card)?", "replace_spike"),
    (r"(for|with) the (top )?discard( pile)?( card)?(?![ -](and |draw|gain))", "for pile"),
    (r"(buy|tak)(e|ing)?[ -](from )?(the )?(top )?discard( pile)?", "buy_discard"),
    (r"discard(ing)?[ -](and[ -])?(draw|gain)(ing)?|draw(ing)? and discard(ing)?", "discard_draw"),
    (rf"discard(ing)? {_A_CARD},?( and)?( then)? (draw|gain)(ing)?", r"discard_draw \2"),
    (r"(draw|discard) pile", "pile"),
    (r"(tak|get|pick|grab)(e|t?ing)?( up)? (a|an|another|one|1)( new| more)? card", "draw"),
    (r"(a|another|one|1)( new| more)? card", "card"),
    (r"(junk|fold)(ing)? (my|the|this) hand", "junk"),
    (r"(call|match|see)(ing)? ((the|this|that|your|current) )+(bet|raise)( (of|to))?", "call"),
    (r"see it", "call"),
    (
        r"(let me|lets|let us|to) see|see (?=(a|an|how|if|my|no|that|the|this|what|why)\b)",
        "notice ",
    ),
    (
        r"(bet|rais|wager|put in)(e|ing)? (all (of )?(my|the) (credits|chips)|everything|it all)",
        "all_in",
    ),
    (r"((go|going) )?all[ -]in|shov(e|ing)", "all_in"),
    (r"re-?rais", "rais"),
    (r"(instead of|rather than) [a-z_]+", " "),
    (r"on second thoughts?|(i )?changed? my mind|on reflection", "actually"),
    (r"(to|at|by|of)? ?the size of (?=(the )?pot)|(in|into) (the|this) pot( of)?", " "),
    (r"pot[ -]siz(e|ed)|(full|whole) pot", "pot"),
    (r"minimum", "min"),
    (r"maximum", "max"),
    (r"this time", " "),
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
    "hit": ("draw",),
    "stay": ("stand",),
    "match": ("call",),
    "see": ("call",),
    "redraw": ("redraw",),
    "replace": ("replace",),
    "raise": ("raise",),
    "bet": ("raise",),
    "wager": ("raise",),
    "increase": ("raise",),
    "all_in": ("raise", "call"),
}
"""For each word, the kinds of move that it may mean."""

_GERUNDS: Final = {
    "swapping": "swap",
    "trading": "trade",
    "replacing": "replace",
    "raising": "raise",
    "increasing": "increase",
    "betting": "bet",
    "hitting": "hit",
} | {
    f"{word}ing": word
    for word in "stand pass draw keep check call junk fold discard redraw stay match wager".split()
}

_BY: Final = dict.fromkeys("more extra another additional further".split(), "by")
_UNITS: Final = dict.fromkeys("credit chip chips coin coins".split(), "credits")
_SYNONYMS: Final = _GERUNDS | _BY | _UNITS
"""Words that are read as another."""

_OF_AMOUNTS: Final = frozenset("by pot min max credits total".split())
_MODIFIERS: Final = _OF_AMOUNTS | {"to", "slot"}
_CORRECTIONS: Final = frozenset("actually wait rather instead correction hmm".split())
"""Words that take back what was said before."""

_FILLER: Final = frozenset(
    """a action again against also am an and answer best card cards choice choose chose deck
    decide decision down final for from go going here i id ill im in is it just let lets like me my
    move now number of ok okay on option our out pile place play please put should so still take
    taking the then this top up want well will wish with would yes""".split()
)
"""Words that change nothing in the plain statement of a move."""

_CHOICES: Final = frozenset("if unless or either whether".split())
"""Words that make a sentence name more than what the writer does."""

_NOT_DONE: Final = frozenset(
    """not never no dont wont cant cannot wouldnt shouldnt isnt than without avoid could
    might may maybe perhaps possible possibly""".split()
)
_OTHERS: Final = frozenset(
    "player players opponent opponents they he she their his her them seat dealer".split()
)
"""Words that make a clause name what the writer does not do, or what others do."""

_SIGNS: Final = {"+": 1, "plus": 1, "positive": 1, "-": -1, "minus": -1, "negative": -1}
_SYLOPS: Final = frozenset(("sylop", "sylops"))
_SUITS: Final = ("triangle", "square", "circle")

_KNOWN: Final = frozenset(
    {*_KINDS, *_MODIFIERS, *_FILLER, *_CORRECTIONS, *_SIGNS, *_SYLOPS, *_SUITS}
)

_SENTENCE_END: Final = re.compile(r"((?<![.!?;])[.!?;]+(?=[\s)\]}]|$)|\n+)")
_CLAUSE_END: Final = re.compile(
    r"(?<![0-9]),|,(?![0-9])|[:()]|\s-+\s"
    r"|\b(?:because|since|as|but|given|while|hoping|considering|making|leaving)\b"
)
_LEADING_NUMBER: Final = re.compile(
    r"^[ \t]*(?:action |option |move )?#?(\d+)[:).]?\s+(?=\D)", re.MULTILINE
)
_TOKEN: Final = re.compile(
    r"(?P<sylop>[+-]?0[ab]\b)|(?P<share>[0-9]+/[0-9]+pot\b)"
    r"|(?P<sign>[+-](?=[0-9]))?(?P<digits>\.?[0-9](?:[0-9a-z.,/%]*[0-9a-z%])?)"
    rf"|(?P<words>{IN_WORDS})|[a-z_]+|[+%*/=^-]"
)
_CARD: Final = re.compile(r"([0-9]{1,2})([tsc])")


@dataclass(frozen=True)
class Number:
    """A number in a text: a card, the total of a raise, a share of the pot, or an action.

    Attributes:
        digits: the number without its sign, as it is written in digits.
        sign: 1 or -1 for a number with a sign.
        suit: 0, 1 or 2 for a number with a suit.
        sylop: which Sylop is meant, 60 or 61, where that is said.
        of_slot: whether the number is that of a slot of the hand.
        of_pot: whether it is a share of the pot.
    """

    digits: str
    sign: int | None = None
    suit: int | None = None
    sylop: int | None = None
    of_slot: bool = False
    of_pot: bool = False

    @property
    def whole(self) -> int | None:
        """The number without its sign, if it is clearly a whole one."""
        return None if self.of_pot else whole_number(self.digits)

    @property
    def bare(self) -> bool:
        """Whether it is only a number, which may be that of an action."""
        return self == Number(self.digits)


@dataclass(frozen=True)
class Request:
    """What a clause asks for.

    Attributes:
        kinds: the words for moves in it, by what they mean: none asks for an action by its number.
        numbers: the numbers in it.
        modifiers: what else it says: ``to``, ``by``, ``pot``, ``min``, ``max``, ``all_in``.
        plain: whether it says nothing else.
        exact: whether no unknown word stands between the words for a move and its numbers, or
            beside a number: such a word may change what they mean.
    """

    kinds: frozenset[tuple[str, ...]]
    numbers: tuple[Number, ...]
    modifiers: frozenset[str]
    plain: bool
    exact: bool


def requests_in(text: str) -> list[Request]:
    """Return what a text asks for: the plain statements of moves, or else what it mentions.

    Questions, statements of what is possible, of what not to do, and of what others do are left
    out, and so is what is taken back ("junk... actually call").
    """
    found: dict[Request, None] = {}
    for clause in _clauses(text):
        tokens = list(_TOKEN.finditer(clause))
        words = [_SYNONYMS.get(match[0], match[0]) for match in tokens]
        if not _CORRECTIONS.isdisjoint(words):
            found.clear()
        if request := _read(tokens, words):
            found[request] = None
    return [request for request in found if request.plain] or list(found)


def _clauses(text: str) -> Iterator[str]:
    text = text if text.isascii() else "".join(map(_normalized, text))
    text = re.sub("[\u2010-\u2015\u2212]", "-", text.lower())
    text = re.sub("['\u2019]", "", text)
    text = re.sub('[ _*`"]+', " ", text)
    text = _LEADING_NUMBER.sub(r"action \1.\n", text)
    for pattern, word in _PHRASES:
        text = re.sub(rf"\b(?:{pattern})\b", word, text)
    sentences = _SENTENCE_END.split(fractions_in_digits(text))
    for sentence, end in zip_longest(sentences[::2], sentences[1::2], fillvalue=""):
        if "?" not in end and _CHOICES.isdisjoint(re.findall(r"[a-z]+", sentence)):
            yield from _CLAUSE_END.split(sentence)


def _normalized(character: str) -> str:
    """Return a character in its plain form; what holds digits, such as ½, is a word of its own."""
    if character.isdecimal():
        return str(unicodedata.decimal(character))
    plain = unicodedata.normalize("NFKC", character).replace("\u2044", "/").replace("\u00d7", "x")
    return f" {plain} " if re.search("[0-9]", plain) else plain


def _read(tokens: Tokens, words: Sequence[str]) -> Request | None:
    """Return what a clause asks for, or None if it asks for nothing."""
    if not _NOT_DONE.isdisjoint(words) or not _OTHERS.isdisjoint(words):
        return None
    kinds = frozenset(_KINDS[word] for word in words if word in _KINDS)
    has_amount = any(not {"raise", "call"}.isdisjoint(kind) for kind in kinds)
    numbers = tuple(_numbers(tokens, has_amount))
    known = [_is_known(tokens, words, place) for place in range(len(words))]
    modifiers = frozenset(words) & (_MODIFIERS | {"all_in"})
    is_action = all(known) and len(numbers) == 1 and not modifiers and numbers[0].bare
    if not kinds and not (is_action and _SYLOPS.isdisjoint(words)):
        return None
    return Request(kinds, numbers, modifiers, all(known), _is_exact(tokens, words, known))


def _is_known(tokens: Tokens, words: Sequence[str], place: int) -> bool:
    """Say whether a word is a number, the sign of one, or known."""
    word = words[place]
    if word in _SIGNS:
        return place + 1 < len(words) and any(tokens[place + 1].group("digits", "words", "sylop"))
    return _is_number(tokens[place]) or word in _KNOWN or _suit(word) is not None


def _is_exact(tokens: Tokens, words: Sequence[str], known: Sequence[bool]) -> bool:
    """Say whether all words between and beside move and amounts are known."""
    amounts = [
        _is_number(token) or word in _OF_AMOUNTS for token, word in zip(tokens, words, strict=True)
    ]
    said = [place for place, word in enumerate(words) if amounts[place] or word in _KINDS]
    first, last = said[0] - amounts[said[0]], said[-1] + amounts[said[-1]]
    return all(known[max(first, 0) : last + 1])


def _numbers(tokens: Tokens, has_amount: bool) -> Iterator[Number]:
    """Yield the numbers of a clause; "two" counts for an amount, or with a sign or a suit only."""
    for place, token in enumerate(tokens):
        word, before = token[0], tokens[place - 1][0] if place else ""
        sign = _SIGNS.get(token["sign"] or before)
        if token["sylop"]:
            yield Number("0", sylop=60 + "ab".index(word[-1]))
        elif word in _SYLOPS and not _is_sylop_named(tokens, place):
            yield Number("0")
        elif token["share"]:
            yield Number(word.removesuffix("pot"), of_pot=True)
        elif token["digits"]:
            card = _CARD.fullmatch(token["digits"])
            digits, letter = card.groups() if card else (token["digits"], None)
            suit = "tsc".index(letter) if letter else _suit_after(tokens, place)
            yield Number(digits, sign, suit, of_slot=before == "slot")
        elif token["words"]:
            suit = _suit_after(tokens, place)
            if has_amount or sign is not None or suit is not None:
                yield Number(str(value_of_words(word)), sign, suit)


def _is_sylop_named(tokens: Tokens, place: int) -> bool:
    """Say whether the word at a place has the name of a Sylop beside it: "the Sylop 0b"."""
    return any(token["sylop"] for token in tokens[max(place - 1, 0) : place + 2])


def _suit_after(tokens: Tokens, place: int) -> int | None:
    """Return the suit that follows a number: "of circles", "of the circles", "circle"."""
    for token in tokens[place + 1 : place + 4]:
        if token[0] not in ("of", "the"):
            return _suit(token[0])
    return None


def _suit(word: str) -> int | None:
    singular = word.removesuffix("s")
    return _SUITS.index(singular) if singular in _SUITS else None


def _is_number(token: re.Match[str]) -> bool:
    return any(token.group("sylop", "share", "digits", "words"))
