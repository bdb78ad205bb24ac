"""The page of a rule set and the differences between two, derived from the fields."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from sabacc_env.rules import RuleSet, load_rules, rule_sets
from sabacc_env.rules.text import differences, page, value_text
from tests.support.strategies import rule_sets as any_rules


def section(rules: RuleSet, title: str) -> str:
    return " ".join(s for part in page(rules) if part.title == title for s in part.sentences)


@pytest.mark.parametrize(
    ("name", "title", "words"),
    [
        ("casino", "Table", "62 cards: +1 to +10 and -1 to -10 in three suits"),
        ("casino", "Antes", "2 credits into the hand pot and 2 credits into the Sabacc pot"),
        ("casino", "Dice phase", "other than Spikes each remaining seat in turn discards a card"),
        ("casino", "Junking", "when it faces a bet"),
        ("black_spire", "Antes", "each seat stakes one point"),
        ("black_spire", "Junking", "in the card phase"),
        ("orsl", "Card phase", "discard nothing (20 credits)"),
        ("orsl", "Order of play", "Three rounds of cards, then betting, then Spike Dice."),
        ("orsl", "Betting phase", "must junk"),
        ("orsl", "Junking", "pays 10 credits"),
        ("three_en", "Order of play", "Three rounds of cards, then Spike Dice, then betting."),
        ("yarith_bespin", "Order of play", "face-up Spike Card"),
        ("yarith_bespin", "Card phase", "replace a hand card with it, replace the Spike Card with"),
        ("yarith_bespin", "Dice phase", "its Spike Card is replaced too"),
        ("yarith_bespin", "Reveal", "The Spike Card counts with the hand."),
        ("spacers", "Antes", "there is no Sabacc pot"),
        ("spacers", "Junking", "face up"),
        ("spacers", "Reveal", "6.2"),
    ],
)
def test_a_page_says_what_the_rules_page_says(name: str, title: str, words: str) -> None:
    assert words in section(load_rules(name), title)


@pytest.mark.parametrize(
    ("fields", "title", "words"),
    [
        ({"starting_credits": (200, 90)}, "Antes", "The seats start with 200, 90 credits."),
        ({"seats": (3, 3)}, "Table", "3 seats."),
        ({"max_raises": 1}, "Betting phase", "at most one raise."),
        ({"min_bet": 4, "max_bet": 8}, "Betting phase", "A first bet is 4 to 8 credits."),
        ({"max_raise": 1}, "Betting phase", "A raise is exactly 1 credit"),
        ({"bet_step": "ante"}, "Betting phase", "multiples of 2 credits"),
        ({"look_then_discard": True}, "Card phase", "may be discarded after it is seen"),
        ({"doubles": "none"}, "Dice phase", "other than Spikes nothing happens"),
    ],
)
def test_house_rules_appear_on_the_page(fields: dict[str, Any], title: str, words: str) -> None:
    assert words in section(RuleSet(**fields), title)


def test_what_does_not_exist_is_not_on_the_page() -> None:
    assert not section(load_rules("black_spire"), "Betting phase")
    assert not section(RuleSet(phases=("betting",)), "Card phase")
    assert not section(RuleSet(phases=("betting",)), "Dice phase")
    assert not section(RuleSet(phases=("betting",), junk_when="cards"), "Junking")


@given(any_rules())
def test_any_page_is_made_of_lines(rules: RuleSet) -> None:
    for part in page(rules):
        assert part.sentences
        for sentence in part.sentences:
            assert sentence.endswith((".", ":"))
            assert "\n" not in sentence
            assert "_one" not in sentence
            assert "None" not in sentence


def test_differences_are_the_fields_that_decide_play() -> None:
    assert differences(load_rules("orsl"), load_rules("three_en")) == [
        ("phases", ("cards", "betting", "dice"), ("cards", "dice", "betting")),
        ("ranking", "alta_orsl", "alta_three_en"),
    ]
    for name in rule_sets():
        assert not differences(load_rules(name), load_rules(name, name="another", title="t"))


@pytest.mark.parametrize(
    ("field", "value", "text"),
    [
        ("starting_credits", None, "points"),
        ("max_raise", None, "no limit"),
        ("opening_bet", True, "yes"),
        ("opening_bet", False, "no"),
        ("seats", (2, 8), "2 to 8"),
        ("phases", (), "none"),
        ("fees", load_rules("orsl").fees, "buy_discard 20, draw 10"),
        ("fees", load_rules("casino").fees, "none"),
        ("rounds", 3, "3"),
        ("ranking", "casino", "casino"),
    ],
)
def test_values_as_a_reader_sees_them(field: str, value: object, text: str) -> None:
    assert value_text(field, value) == text
