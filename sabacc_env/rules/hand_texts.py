"""What each kind of hand is, in words: RULES.md section 6, best first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_SABACC: Final = {
    "Sabacc": "any other hand that totals 0",
    "Nulrhek": "the total closest to 0, and of two as close the positive one",
}
_CASINO: Final = {
    "Full Sabacc": "+10 +10 -10 -10 and a Sylop",
    "Fleet": "four of a kind and a Sylop",
    "Rhylet": "three of one value and two of another with the opposite sign",
    "Wild Rhylet": "three of a kind and a pair",
    "Gee Whiz": "+10 -1 -2 -3 -4, or the same with the opposite signs",
    "Full Straight": "a run of five",
    "Sylop Straight Khyron": "a run of four and a Sylop",
    "Five Card Squad": "four of a kind and a fifth card that is no Sylop",
    "Squadron": "four of a kind",
    "Sylop Rule of Two": "two pairs and a Sylop",
    "Banthas Wild": "three of a kind and one or two others",
    "Pure Sabacc": "two Sylops",
    "Straight Khyron": "a run of four",
    "Idiot's Rule": "a pair and two Sylops",
    "Rule of Two": "two pairs, and at most a fifth card that is no Sylop",
    "Yee-Haa": "a pair and a Sylop",
    "Pair": "a pair, and at most three others",
    **_SABACC,
}
_SPACERS: Final = {
    "Pure Sabacc": "two Sylops",
    "Sylop Fleet": "four of a kind and a Sylop",
    "Sylop Khyron": "a run of four and a Sylop",
    "Sylop Wings": "two pairs and a Sylop",
    "Sylop Ace": "a pair and a Sylop, alone or with the one card that makes the total 0",
    "Fleet": "four of a kind, and at most one other",
    "Rhylet": "three of a kind and a pair",
    "Full Khyron": "a run of five",
    "Khyron": "a run of four, and at most one other",
    "Squadron": "three of a kind, and others",
    "Wings": "two pairs, and at most one other",
    "Ace": "a pair, and at most three others",
    **_SABACC,
}
_ALTA: Final = {
    "Pure Sabacc": "two Sylops",
    "Full Sabacc": "+10 +10 -10 -10 and a Sylop",
    "Fleet": "two of a value, two of its opposite, and a Sylop",
    "Dual Power Coupling": "two pairs, each of opposite signs, and a Sylop",
    "Idiots' Array": "0 +2 +3, which totals 5",
    "Prime Sabacc": "+10 -10 and a Sylop",
    "Yee-Haa": "a pair and a Sylop, and at most two others",
    "Rhylet": "three of one value and two of another with the opposite sign",
    "Straight Rhoon": "a run of five",
    "Straight Staves": "+7 -8 -9 +10, or the same with the opposite signs",
    "Squadron": "four of a kind, and at most one other",
    "Gee Whiz": "+1 +2 +3 +4 -10, or the same with the opposite signs",
    "Straight Khyron": "a run of four",
    "Straight Trill": "+1 +2 -3, or the same with the opposite signs",
    "Rule of Two": "two pairs, and at most one other",
    "Paired Sabacc": "a pair, and at most three others",
    **_SABACC,
}
_NOT_IN: Final = {
    "alta_orsl": (
        *("Fleet", "Dual Power Coupling", "Idiots' Array", "Prime Sabacc"),
        *("Straight Rhoon", "Straight Trill"),
    ),
    "alta_three_en": ("Idiots' Array",),
    "alta_yarith_bespin": (
        *("Pure Sabacc", "Full Sabacc", "Fleet", "Dual Power Coupling", "Rhylet"),
        *("Straight Rhoon", "Straight Staves", "Squadron", "Gee Whiz"),
        *("Straight Khyron", "Rule of Two"),
    ),
}
"""The hands of the booklet that a ranking does not know (RULES.md 6.3)."""

HAND_TEXTS: Final[Mapping[str, Mapping[str, str]]] = {
    "casino": _CASINO,
    "spacers": _SPACERS,
    **{
        ranking: {name: text for name, text in _ALTA.items() if name not in missing}
        for ranking, missing in _NOT_IN.items()
    },
}
"""For each ranking, what each kind of hand is, best first."""
