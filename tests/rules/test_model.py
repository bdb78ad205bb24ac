"""RuleSet: values, what follows the hand ante, equality, round trips, and every refusal."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest
from hypothesis import given
from pydantic import ValidationError

from sabacc_env.cards import Card, deck
from sabacc_env.errors import RulesError
from sabacc_env.rules import Fees, RuleSet, load_rules, rule_sets
from tests.support.strategies import rule_sets as any_rules

MOST = 2**31 - 1
POINTS: dict[str, Any] = {
    "starting_credits": None,
    "hand_ante": 1,
    "sabacc_ante": 0,
    "phases": ("cards", "dice"),
}

BAD_FIELDS: list[tuple[str, object, str]] = [
    ("name", 3, "not text"),
    ("name", "", "not a line of printable text"),
    ("name", "two\nlines", "not a line of printable text"),
    ("title", None, "not text"),
    ("source", 1, "not text"),
    ("seats", 4, "not a list"),
    ("seats", (2,), "two whole numbers"),
    ("seats", (2, 3, 4), "two whole numbers"),
    ("seats", (1, 4), "1 is too small"),
    ("seats", (2, 9), "9 is too large"),
    ("seats", (2, True), "true is not a whole number"),
    ("seats", (5, 3), "the least number, 5, is more than the greatest, 3"),
    ("highest_value", 0, "use 1 to 10"),
    ("highest_value", 11, "use 1 to 10"),
    ("suits", 4, "use 1 to 3"),
    ("suits", 0, "use 1 to 3"),
    ("sylops", 3, "use 0 to 2"),
    ("sylops", -1, "use 0 to 2"),
    ("rounds", 0, "0 is too small; use 1 to 8"),
    ("rounds", 9, "9 is too large"),
    ("rounds", "3", '"3" is not a whole number'),
    ("rounds", 3.0, "3.0 is not a whole number"),
    ("rounds", True, "true is not a whole number"),
    ("rounds", None, "None is not a whole number"),
    ("cards_dealt", 0, "use 1 to 5"),
    ("cards_dealt", 6, "use 1 to 5"),
    ("hand_ante", 0, "0 is too small"),
    ("hand_ante", "ante", "not a whole number"),
    ("hand_ante", range(10**6), "not a whole number"),
    ("hand_ante", MOST + 1, "too large"),
    ("sabacc_ante", -1, "-1 is too small"),
    ("sabacc_ante", 2.5, "2.5 is not a whole number"),
    ("starting_credits", "many", '"many" is not'),
    ("starting_credits", -1, "too small"),
    ("starting_credits", False, "not a whole number"),
    ("starting_credits", (200, -5), "-5 is too small"),
    ("starting_credits", (200, "x"), '"x" is not a whole number'),
    ("starting_credits", (200,), "a list of 1 does not fit 2 to 8 seats"),
    ("starting_credits", (), "a list of 0 does not fit"),
    ("starting_credits", (200,) * 9, "a list of 9 does not fit"),
    ("starting_credits", MOST, "more than the 2147483647 credits that can be in play"),
    ("starting_credits", (MOST, 1), "more than the 2147483647 credits that can be in play"),
    ("starting_credits", 3, "lets fewer than two seats pay the antes of 4"),
    ("starting_credits", (200, 3, 0), "lets fewer than two seats pay the antes of 4"),
    ("phases", "cards", "not a list"),
    ("phases", ("crads",), "did you mean cards?"),
    ("phases", (3,), '3 is not one of "cards", "dice" or "betting"'),
    ("phases", ("cards", "dice", "cards"), '"cards" is given more than once'),
    ("phases", (), "no seat ever has a turn"),
    ("opening_bet", 1, "1 is not true or false"),
    ("opening_bet", "yes", '"yes" is not true or false'),
    ("card_actions", "stand", "not a list"),
    ("card_actions", ("stand", "gain"), '"gain" is not one of "stand", "draw"'),
    ("card_actions", ("stand", "swop"), "did you mean swap?"),
    ("card_actions", ("stand", "draw", "draw"), '"draw" is given more than once'),
    ("card_actions", ("draw",), '"stand" is missing'),
    ("card_actions", (), '"stand" is missing'),
    ("fees", 5, "5 is not a table"),
    ("fees", {"draw": -3}, "-3 for draw is too small"),
    ("fees", {"draw": "two"}, '"two" for draw is not a whole number'),
    ("fees", {"draw": True}, "true for draw is not a whole number"),
    ("fees", {1: 3}, "1 is not text"),
    ("fees", {"stand": 3}, '"stand" is not one of "draw"'),
    ("fees", {"discard": 3}, "did you mean buy_discard?"),
    ("fees", {"buy_discard": 3}, '"buy_discard" is not in card_actions'),
    ("look_then_discard", 0, "0 is not true or false"),
    ("doubles", "wipe", '"none", "redraw_one" or "redraw_all"'),
    ("doubles", ["none"], "not one of"),
    ("double_spike", None, '"none", "redraw_one" or "redraw_all"'),
    ("junk_when", "always", '"facing_bet", "betting" or "cards"'),
    ("junk_penalty", -1, "too small"),
    ("junk_penalty", "10", "not a whole number"),
    ("junk_face_up", "no", "not true or false"),
    ("short_call", "fold", '"all_in" or "junk"'),
    ("min_bet", 0, "too small"),
    ("min_bet", None, "not a whole number"),
    ("max_bet", 0, "too small"),
    ("max_bet", "none", "or leave it out for no limit"),
    ("min_raise", 1.5, "not a whole number"),
    ("max_raise", -2, "too small"),
    ("bet_step", 0, "too small"),
    ("bet_step", "anti", '"anti" is not a whole number'),
    ("max_raises", -1, "too small"),
    ("spike_card", 1, "not true or false"),
    ("ranking", "alta", '"alta" is not one of "casino", "spacers"'),
]

IMPOSSIBLE: list[tuple[str, dict[str, Any], str]] = [
    ("rankng", {"rankng": "casino"}, "there is no such field; did you mean ranking?"),
    ("card_actions", {"card_actions": ("stand", "replace")}, 'needs "draw"'),
    ("card_actions", {"card_actions": ("stand", "discard_drawn")}, 'needs "draw"'),
    (
        "card_actions",
        {"card_actions": ("stand", "draw", "discard_drawn")},
        '"discard_drawn" needs "replace" or "replace_spike"',
    ),
    (
        "card_actions",
        {"card_actions": ("stand", "draw", "replace_spike")},
        '"replace_spike" needs spike_card',
    ),
    (
        "look_then_discard",
        {"look_then_discard": True, "card_actions": ("stand", "swap")},
        'needs "draw"',
    ),
    (
        "look_then_discard",
        {"look_then_discard": True, "card_actions": ("stand", "draw", "replace")},
        'cannot be combined with "replace"',
    ),
    ("hand_ante", POINTS | {"hand_ante": 2}, "not possible in a game without credits"),
    ("sabacc_ante", POINTS | {"sabacc_ante": 1}, "not possible in a game without credits"),
    ("phases", POINTS | {"phases": ("cards", "betting")}, "not possible in a game without credits"),
    ("opening_bet", POINTS | {"opening_bet": True}, "not possible in a game without credits"),
    ("fees", POINTS | {"fees": {"draw": 1}}, "not possible in a game without credits"),
    ("junk_penalty", POINTS | {"junk_penalty": 1}, "not possible in a game without credits"),
    ("starting_credits", {"hand_ante": 10**8}, "too large"),
    ("starting_credits", {"hand_ante": 10**7}, "more than the 2147483647 credits"),
    ("starting_credits", {"sabacc_ante": 500}, "fewer than two seats pay the antes of 502"),
    ("min_bet", {"bet_step": 5, "min_bet": 7}, "7 is not a multiple of bet_step, 5"),
    ("max_bet", {"bet_step": 5, "max_bet": 7}, "7 is not a multiple of bet_step, 5"),
    ("min_raise", {"bet_step": 5, "min_raise": 7}, "7 is not a multiple of bet_step, 5"),
    ("max_raise", {"bet_step": 5, "max_raise": 7}, "7 is not a multiple of bet_step, 5"),
    ("min_bet", {"min_bet": 8, "max_bet": 7}, "8 is more than max_bet, 7"),
    ("min_raise", {"min_raise": 8, "max_raise": 7}, "8 is more than max_raise, 7"),
    ("cards_dealt", {"rounds": 4}, "rounds 4"),
    ("cards_dealt", {"cards_dealt": 3}, "would be 6 cards"),
    ("cards_dealt", {"spike_card": True}, "spike_card"),
    (
        "cards_dealt",
        {"card_actions": ("stand", "buy_discard"), "rounds": 4},
        "may not exceed 5",
    ),
    (
        "cards_dealt",
        {"card_actions": ("stand", "draw", "replace"), "cards_dealt": 5, "spike_card": True},
        "may not exceed 5",
    ),
    ("seats", {"highest_value": 6}, "need a deck of 42"),
    ("seats", {"suits": 1}, "suits 1"),
    ("seats", {"highest_value": 2, "sylops": 0, "seats": (2, 3)}, "sylops 0 make 12"),
    (
        "phases",
        {"phases": ("dice",), "doubles": "redraw_all", "double_spike": "none"},
        "no seat ever has a turn",
    ),
]

PLAYABLE: list[dict[str, Any]] = [
    {"phases": (), "opening_bet": True},
    {"phases": ("dice",)},
    {"phases": ("betting",), "cards_dealt": 5},
    {"phases": ("betting",), "cards_dealt": 4, "spike_card": True, "rounds": 8},
    {"card_actions": ("stand",)},
    {"card_actions": ("stand", "discard_draw", "swap"), "rounds": 8, "cards_dealt": 5},
    {"fees": {"buy_discard": 0}},
    {"junk_when": "cards", "short_call": "junk"},
    {"min_bet": 5, "max_bet": 5, "max_raises": 0},
    {"highest_value": 1, "suits": 1, "sylops": 2, "seats": (2, 2), "cards_dealt": 1}
    | {"phases": ("betting",), "rounds": 1},
    {"hand_ante": 1, "sabacc_ante": 0, "starting_credits": (1, 1, 0)},
    {"seats": (2, 2), "starting_credits": MOST // 2},
    POINTS,
]


def refusal(description: dict[str, Any]) -> str:
    with pytest.raises(RulesError) as caught:
        RuleSet(**description)
    return str(caught.value)


@pytest.mark.parametrize(
    ("field", "description", "words"),
    [(field, {field: value}, words) for field, value, words in BAD_FIELDS] + IMPOSSIBLE,
)
def test_a_refusal_is_one_sentence_that_names_the_field(
    field: str, description: dict[str, Any], words: str
) -> None:
    sentence = refusal(description)
    assert sentence.startswith(f"{field}: ")
    assert words in sentence
    assert "\n" not in sentence
    assert ". " not in sentence
    assert not sentence.endswith(".")


def test_every_field_has_a_bad_case_and_a_documented_meaning() -> None:
    assert {field for field, _, _ in BAD_FIELDS} == set(RuleSet.model_fields)
    for field, info in RuleSet.model_fields.items():
        assert info.description, field
        if field not in {"name", "title", "source"}:
            assert "RULES.md" in info.description, field


@pytest.mark.parametrize("description", PLAYABLE)
def test_unusual_rules_that_can_be_played_are_accepted(description: dict[str, Any]) -> None:
    RuleSet(**description)


def test_the_largest_hand_counts_added_cards_and_the_spike_card() -> None:
    largest = {name: load_rules(name).largest_hand for name in rule_sets()}
    assert largest == {
        "casino": 5,
        "black_spire": 5,
        "orsl": 5,
        "three_en": 5,
        "yarith_bespin": 3,
        "spacers": 5,
    }
    assert RuleSet(phases=("betting",), rounds=8).largest_hand == 2
    assert RuleSet(card_actions=("stand", "buy_discard"), rounds=2).largest_hand == 4


def test_fields_given_in_antes_follow_the_hand_ante_unless_set() -> None:
    rules = RuleSet(
        hand_ante=3, bet_step="ante", fees={"draw": "ante", "swap": 5, "discard_draw": 0}
    )
    assert (rules.starting_credits, rules.bet_step, rules.min_bet, rules.min_raise) == (
        300,
        3,
        3,
        3,
    )
    assert rules.fees == {"draw": 3, "swap": 5}
    raised = rules.replace(hand_ante=7)
    assert (raised.starting_credits, raised.bet_step, raised.min_bet) == (700, 7, 7)
    assert raised.fees == {"draw": 7, "swap": 5}
    assert raised.replace(hand_ante=3) == rules
    fixed = rules.replace(starting_credits=90, bet_step=1, min_raise=2).replace(hand_ante=7)
    assert (fixed.starting_credits, fixed.bet_step, fixed.min_bet, fixed.min_raise) == (90, 1, 1, 2)
    assert fixed.sabacc_ante == 2


def test_a_description_is_not_changed_from_outside() -> None:
    fees, phases = {"draw": 3}, ["cards", "betting"]
    rules = RuleSet(fees=fees, phases=phases)
    fees["draw"] = 9
    phases.append("dice")
    assert rules.fees == rules.replace(rounds=2).fees == {"draw": 3}
    assert rules.phases == rules.replace(rounds=2).phases == ("cards", "betting")


def test_a_list_of_starting_credits_limits_the_seats() -> None:
    rules = RuleSet(starting_credits=[200, 90, 40])
    assert rules.starting_credits == (200, 90, 40)
    assert rules.seats == (2, 3)
    assert rules.replace(starting_credits=100).seats == (2, 8)
    assert RuleSet(seats=(2, 2), starting_credits=(9, 9, 9)).seats == (2, 2)


def test_the_order_of_card_actions_means_nothing() -> None:
    assert RuleSet(card_actions=["swap", "discard_draw", "draw", "stand"]) == RuleSet()


def test_rules_cannot_be_changed() -> None:
    rules = RuleSet(fees={"draw": 1})
    with pytest.raises(ValidationError):
        rules.rounds = 2  # type: ignore[misc]
    with pytest.raises(TypeError):
        rules.fees["draw"] = 2  # type: ignore[index]
    with pytest.raises(ValidationError):
        rules.more = 2  # type: ignore[attr-defined]


def test_fees_hash_and_pickle_as_values() -> None:
    fees = Fees({"swap": 2, "draw": 1, "discard_draw": 0})
    assert list(fees.items()) == [("draw", 1), ("swap", 2)]
    assert fees == Fees({"draw": 1, "swap": 2}) == {"draw": 1, "swap": 2}
    assert hash(fees) == hash(Fees({"draw": 1, "swap": 2}))
    assert pickle.loads(pickle.dumps(fees)) == copy.deepcopy(fees) == fees


def test_a_pickle_has_no_hash_which_differs_in_other_processes() -> None:
    rules = RuleSet(name="mine")
    pickled = pickle.dumps(rules)
    assert hash(pickle.loads(pickled)) == hash(rules)
    assert pickle.dumps(rules) == pickled


def test_equality_is_by_resolved_value() -> None:
    assert RuleSet(hand_ante=5, bet_step="ante") == RuleSet(hand_ante=5, bet_step=5)
    assert RuleSet() != RuleSet(name="other")
    assert RuleSet().digest == RuleSet(name="other", title="t", source="s").digest
    assert RuleSet() != "casino"
    assert len({load_rules(name).digest for name in rule_sets()}) == 6


def test_derived_values() -> None:
    casino, black_spire = load_rules("casino"), load_rules("black_spire")
    assert (casino.points, casino.ante_unit) == (False, 4)
    assert (black_spire.points, black_spire.ante_unit) == (True, 1)
    assert casino.deck == tuple(deck())
    small = RuleSet(highest_value=2, suits=2, sylops=1, seats=(2, 2), rounds=1)
    assert small.deck == tuple(Card(card) for card in (0, 1, 10, 11, 20, 21, 30, 31, 60))
    turned = {name: load_rules(name).turns_up_card for name in rule_sets()}
    assert [name for name, up in turned.items() if not up] == ["yarith_bespin"]


@given(any_rules())
def test_canonical_text_copies_and_pickles_are_exact(rules: RuleSet) -> None:
    again = RuleSet.from_canonical(rules.canonical())
    assert again == rules
    assert hash(again) == hash(rules)
    assert again.canonical() == rules.canonical()
    assert again.digest == rules.digest
    assert list(json.loads(rules.canonical())) == sorted(RuleSet.model_fields)
    for copied in (pickle.loads(pickle.dumps(rules)), copy.deepcopy(rules), copy.copy(rules)):
        assert copied == rules
        assert copied.replace(name="copy").digest == rules.digest


def test_a_copy_still_follows_the_hand_ante() -> None:
    rules = pickle.loads(pickle.dumps(load_rules("spacers")))
    assert rules.replace(hand_ante=4) == load_rules("spacers", hand_ante=4)


@given(any_rules())
def test_any_rules_keep_the_limits_of_section_8(rules: RuleSet) -> None:
    assert rules.largest_hand <= 5
    assert len(rules.deck) >= rules.seats[1] * rules.largest_hand + 2
    if isinstance(rules.starting_credits, tuple):
        assert len(rules.starting_credits) >= rules.seats[1]


@pytest.mark.parametrize("text", ["", "{", "[1]", "3", "[" * 10**5])
def test_text_without_a_rule_set_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(RulesError, match=r"^canonical rules: not [^\n]*$"):
        RuleSet.from_canonical(text)


def test_canonical_text_with_a_bad_field_names_it() -> None:
    text = RuleSet().canonical().replace('"rounds":3', '"rounds":0')
    with pytest.raises(RulesError, match=r"^rounds: 0 is too small"):
        RuleSet.from_canonical(text)
