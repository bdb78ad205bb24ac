"""Numbers in a text: in digits and in words, fractions, and shares of the pot."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final

_ONES: Final = "one two three four five six seven eight nine".split()
_TEENS: Final = (
    "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
)
_TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_VALUES: Final = {word: value for value, word in enumerate(["zero", *_ONES, *_TEENS])} | {
    word: 10 * value for value, word in enumerate(_TENS, start=2)
}
_PARTS: Final = {
    "half": 2,
    "halve": 2,
    "third": 3,
    "quarter": 4,
    "fourth": 4,
    "fifth": 5,
    "sixth": 6,
    "eighth": 8,
    "tenth": 10,
}
_MULTIPLES: Final = {"twice": 2, "double": 2, "thrice": 3, "triple": 3}


def _any(words: list[str] | dict[str, int]) -> str:
    return f"(?:{'|'.join(words)})"


_BELOW_100: Final = rf"(?:{_any(_TENS)}(?:[ -]{_any(_ONES)})?|{_any(['zero', *_TEENS, *_ONES])})"
_BELOW_1000: Final = rf"(?:(?:{_BELOW_100}|an?) hundred(?:(?: and)? {_BELOW_100})?|{_BELOW_100})"
IN_WORDS: Final = rf"\b{_BELOW_1000}(?: thousand(?:(?: and)? {_BELOW_1000})?)?\b"
"""The pattern of a number in words, such as "one hundred and five"."""

_START: Final = r"(?<![0-9a-z.,/%])"
_WHOLE: Final = rf"{_START}[0-9]{{1,9}}"
_COUNT: Final = rf"(?:{_WHOLE}|{IN_WORDS})"
_FRACTION: Final = re.compile(
    rf"(?:({_COUNT})[ -]and[ -])?(?:({_COUNT}|\ban?)[ -])?\b({_any(_PARTS)})s?\b"
)
_SHARE: Final = re.compile(
    rf"({_WHOLE}(?:/[0-9]{{1,9}}|\.[0-9]{{1,9}})?|{_START}\.[0-9]{{1,9}}|{IN_WORDS}"
    rf"|\b{_any(_MULTIPLES)}\b)( ?(?:%|percent|per cent))?"
    r"(?: ?x\b| times\b)?[ -]?(?:of )?(?:(?:a|the|this|current|full|whole|entire) )*"
    r"pots?\b"
)
_THOUSANDS: Final = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+")
_INTEGER: Final = re.compile(r"([0-9]{1,12})(?:\.00?)?")


def fractions_in_digits(text: str) -> str:
    """Write fractions in digits, and shares of the pot as one word.

    >>> fractions_in_digits("two thirds of the pot"), fractions_in_digits("50% of the pot")
    ('2/3pot', '1/2pot')
    """
    return _SHARE.sub(_share, _FRACTION.sub(_fraction, text))


def _fraction(match: re.Match[str]) -> str:
    whole = _count(match[1]) if match[1] else Fraction(0)
    count = Fraction(1) if match[2] in (None, "a", "an") else _count(match[2])
    fraction = whole + count / _PARTS[match[3]]
    return f"{fraction.numerator}/{fraction.denominator}"


def _share(match: re.Match[str]) -> str:
    count = match[1]
    if re.fullmatch("[0-9]+/0+", count):
        return match[0]
    share = Fraction(_MULTIPLES[count]) if count in _MULTIPLES else _count(count)
    share /= 100 if match[2] else 1
    return f"{share.numerator}/{share.denominator}pot"


def _count(text: str) -> Fraction:
    """Return the value of a number in digits or in words."""
    return Fraction(text) if text[-1].isdecimal() else Fraction(value_of_words(text))


def value_of_words(text: str) -> int:
    """Return the value of a number in words.

    >>> value_of_words("twenty-five"), value_of_words("two thousand one hundred and six")
    (25, 2106)
    """
    total = part = 0
    for word in re.findall("[a-z]+", text):
        if word == "hundred":
            part *= 100
        elif word == "thousand":
            total, part = 1000 * part, 0
        else:
            part += _VALUES.get(word, word in ("a", "an"))
    return total + part


def whole_number(text: str) -> int | None:
    """Return a whole number in digits, if it is a clear one: "40", "1,000", "40.0"."""
    if _THOUSANDS.fullmatch(text) and text[0] != "0":
        text = text.replace(",", "")
    match = _INTEGER.fullmatch(text)
    return int(match[1]) if match else None
