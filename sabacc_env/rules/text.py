"""Describes a rule set in words, and the differences between two rule sets.

Every sentence is derived from the fields, so a page always says what the engine plays.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from sabacc_env.rules.hand_texts import HAND_TEXTS
from sabacc_env.rules.model import LABELS, RuleSet

_SUITS: Final = ("triangle", "square", "circle")
_PHASES: Final = {"cards": "cards", "dice": "Spike Dice", "betting": "betting"}
_NUMBERS: Final = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")

_ACTION_TEXTS: Final = {
    "stand": "stand: change nothing",
    "draw": "draw: take the top card of the draw pile",
    "buy_discard": "buy_discard: take the top card of the discard pile and discard nothing",
    "discard_draw": "discard_draw: discard a card, then take the top card of the draw pile",
    "swap": "swap: take the top card of the discard pile and discard another card of the hand",
}
_SECOND_CHOICE_TEXTS: Final = {
    "replace": "replace a hand card with it",
    "replace_spike": "replace the Spike Card with it",
    "discard_drawn": "discard it",
}
_REDRAW_TEXTS: Final = {
    "none": "nothing happens",
    "redraw_one": "each remaining seat in turn discards a card of its choice and draws one",
    "redraw_all": "each remaining seat in turn discards its whole hand and draws as many cards",
}
_JUNK_TEXTS: Final = {
    "facing_bet": "A seat may junk its hand at a betting turn when it faces a bet.",
    "betting": "A seat may junk its hand at any betting turn.",
    "cards": "A seat may junk its hand at its turn in the card phase.",
}
_SHORT_CALL_TEXTS: Final = {
    "all_in": "A seat that cannot pay a call may go all-in with what it has left.",
    "junk": "A seat that cannot pay a call must junk its hand.",
}
_RANKING_TEXTS: Final = {
    "casino": ("casino", "6.1"),
    "spacers": ("spacers'", "6.2"),
    "alta_orsl": ("Alta (Outer Rim Sabacc League)", "6.3"),
    "alta_three_en": ("Alta (30 Three-En)", "6.3"),
    "alta_yarith_bespin": ("Alta (Yarith Bespin)", "6.3"),
}


@dataclass(frozen=True)
class Section:
    """A heading on the page of a rule set, and the sentences under it."""

    title: str
    sentences: tuple[str, ...]


def page(rules: RuleSet) -> list[Section]:
    """Return a rule set as a player would explain it, section by section.

    >>> print(page(RuleSet())[0].sentences[0])
    2 to 8 seats.
    """
    sections = {
        "Table": _seats_and_deck(rules),
        "Antes": _antes(rules),
        "Order of play": _order_of_play(rules),
        "Card phase": _card_phase(rules),
        "Dice phase": _dice_phase(rules),
        "Betting phase": _betting_phase(rules),
        "Junking": _junking(rules),
        "Reveal": _reveal(rules),
    }
    written = [Section(title, tuple(sentences)) for title, sentences in sections.items()]
    return [section for section in written if section.sentences]


def paragraph(sentences: Iterable[str]) -> str:
    r"""Return sentences as text; the items of a list, which begin with "- ", have a line each.

    >>> paragraph(["Each seat may:", "- stand.", "- draw.", "Fees are paid.", "They stay."])
    'Each seat may:\n- stand.\n- draw.\nFees are paid. They stay.'
    """
    runs = itertools.groupby(sentences, lambda sentence: sentence.startswith("- "))
    return "\n".join(("\n" if is_list else " ").join(run) for is_list, run in runs)


def differences(first: RuleSet, second: RuleSet) -> list[tuple[str, object, object]]:
    """Return the fields that differ and decide play, each with its two values.

    >>> differences(RuleSet(), RuleSet(rounds=2, sylops=0))
    [('sylops', 2, 0), ('rounds', 3, 2)]
    """
    both = {
        field: (getattr(first, field), getattr(second, field))
        for field in RuleSet.model_fields
        if field not in LABELS
    }
    return [(field, one, other) for field, (one, other) in both.items() if one != other]


def value_text(field: str, value: object) -> str:
    """Write a field's value for a reader.

    >>> value_text("max_bet", None), value_text("phases", ("cards", "dice"))
    ('no limit', 'cards, dice')
    """
    if value is None:
        return "points" if field == "starting_credits" else "no limit"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if field == "seats" and isinstance(value, tuple):
        return _range(*value)
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, Mapping):
        return ", ".join(f"{kind} {amount}" for kind, amount in value.items()) or "none"
    return str(value)


def _seats_and_deck(rules: RuleSet) -> Iterator[str]:
    yield f"{_range(*rules.seats)} seats."
    high, suits = rules.highest_value, _SUITS[: rules.suits]
    values = f"+1 to +{high} and -1 to -{high}" if high > 1 else "+1 and -1"
    yield (
        f"{len(rules.deck)} cards: {values} in {_counted(rules.suits, 'suit')} "
        f"({', '.join(suits)}), and {_counted(rules.sylops, 'Sylop')}."
    )


def _antes(rules: RuleSet) -> Iterator[str]:
    if rules.points:
        yield "No credits: each seat stakes one point, and the winner takes them all."
        return
    pays = f"Each seat pays an ante of {_credits(rules.hand_ante)} into the hand pot"
    if rules.sabacc_ante:
        yield f"{pays} and {_credits(rules.sabacc_ante)} into the Sabacc pot."
        yield (
            "The Sabacc pot goes to a winner at the reveal whose hand totals exactly 0; otherwise "
            "it stays for the next hand."
        )
    else:
        yield f"{pays}; there is no Sabacc pot."
    if isinstance(rules.starting_credits, int):
        yield f"Each seat starts with {_credits(rules.starting_credits)}."
    else:
        yield f"The seats start with {value_text('', rules.starting_credits)} credits."


def _order_of_play(rules: RuleSet) -> Iterator[str]:
    dealt = f"Each seat is dealt {_counted(rules.cards_dealt, 'card')}"
    turned = ", then the top card is turned up as the discard pile" if rules.turns_up_card else ""
    yield f"{dealt}{turned}."
    if rules.opening_bet:
        yield "A betting phase comes before round 1."
    if rules.spike_card:
        yield "Before round 1 each remaining seat is dealt a face-up Spike Card."
    if rules.phases:
        order = ", then ".join(_PHASES[phase] for phase in rules.phases)
        yield f"{_counted(rules.rounds, 'round').capitalize()} of {order}."
    yield "Each phase starts left of the dealer; the hand ends at once when one seat remains."


def _card_phase(rules: RuleSet) -> Iterator[str]:
    if "cards" not in rules.phases:
        return
    yield "Each seat in turn takes one action:"
    for kind, words in _ACTION_TEXTS.items():
        if kind in rules.card_actions:
            yield f"- {words}{_fee_text(rules, kind)}."
    second = [words for kind, words in _SECOND_CHOICE_TEXTS.items() if kind in rules.card_actions]
    if second:
        yield f"The card drawn is seen by its buyer only, who must then {_join_choices(second)}."
    if rules.look_then_discard:
        yield "The card drawn may be discarded after it is seen; a fee is not returned."
    if rules.fees:
        yield "Fees go into the hand pot."


def _dice_phase(rules: RuleSet) -> Iterator[str]:
    if "dice" not in rules.phases:
        return
    doubles, spikes = _REDRAW_TEXTS[rules.doubles], _REDRAW_TEXTS[rules.double_spike]
    if rules.spike_card and rules.double_spike == "redraw_all":
        spikes += ", and its Spike Card is replaced too"
    if doubles == spikes:
        yield f"On doubles {doubles}."
    else:
        yield f"On doubles other than Spikes {doubles}."
        yield f"On a double Spike {spikes}."


def _betting_phase(rules: RuleSet) -> Iterator[str]:
    if not _has_betting(rules):
        return
    yield "Seats check, bet, call or raise until all who remain have matched the highest bet."
    if rules.bet_step > 1:
        yield f"Bets and raises are multiples of {_credits(rules.bet_step)}."
    yield f"A first bet is {_limits(rules.min_bet, rules.max_bet)}."
    yield f"A raise is {_limits(rules.min_raise, rules.max_raise)} above the highest bet."
    if rules.max_raises is not None:
        yield f"After the first bet a phase has at most {_counted(rules.max_raises, 'raise')}."
    yield _SHORT_CALL_TEXTS[rules.short_call]


def _junking(rules: RuleSet) -> Iterator[str]:
    may = "cards" in rules.phases if rules.junk_when == "cards" else _has_betting(rules)
    must = rules.short_call == "junk" and _has_betting(rules)
    if not may and not must:
        return
    if may:
        yield _JUNK_TEXTS[rules.junk_when]
    if rules.junk_penalty:
        penalty = _credits(rules.junk_penalty)
        yield f"A seat that junks pays {penalty} into the pot, or what it has left, if less."
    if rules.junk_face_up:
        yield "Junked cards go face up on the discard pile."
    else:
        yield "Junked cards go face down under the discard pile."


def _reveal(rules: RuleSet) -> Iterator[str]:
    name, section = _RANKING_TEXTS[rules.ranking]
    yield "The seats that remain after the last round reveal, and the best hand wins."
    if rules.spike_card:
        yield "The Spike Card counts with the hand."
    yield f"Hands are ranked by the {name} list (RULES.md section {section}), best first:"
    yield from (f"- {hand}: {what}." for hand, what in HAND_TEXTS[rules.ranking].items())
    others = [hand for hand in ("Nulrhek", "Idiots' Array") if hand in HAND_TEXTS[rules.ranking]]
    yield (
        f"All but {' and '.join(others)} total 0. Pairs, cards of a kind and runs go by the value "
        "without its sign."
    )


def _has_betting(rules: RuleSet) -> bool:
    return rules.opening_bet or "betting" in rules.phases


def _counted(number: int, thing: str) -> str:
    return f"{_NUMBERS[number] if number <= 8 else number} {thing}{'' if number == 1 else 's'}"


def _credits(number: int) -> str:
    return f"{number} credit{'' if number == 1 else 's'}"


def _range(least: int, most: int) -> str:
    return f"{least} to {most}" if least < most else str(least)


def _limits(least: int, most: int | None) -> str:
    if most is None:
        return f"at least {_credits(least)}"
    if least == most:
        return f"exactly {_credits(least)}"
    return f"{least} to {_credits(most)}"


def _fee_text(rules: RuleSet, kind: str) -> str:
    fee = rules.fees.get(kind)
    return f" ({_credits(fee)})" if fee else ""


def _join_choices(choices: list[str]) -> str:
    *others, last = choices
    return f"{', '.join(others)} or {last}" if others else last
