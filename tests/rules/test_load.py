"""The six rule sets as RULES.md has them, and loading by name, file and override."""

from __future__ import annotations

import os
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from sabacc_env.errors import RulesError
from sabacc_env.rules import RuleSet, load_rules, rule_sets

TRADING = ("stand", "draw", "buy_discard", "discard_draw", "swap")
COMMON: dict[str, Any] = {
    "seats": (2, 8),
    "highest_value": 10,
    "suits": 3,
    "sylops": 2,
    "rounds": 3,
    "cards_dealt": 2,
    "look_then_discard": False,
    "double_spike": "redraw_all",
    "min_bet": 1,
    "max_bet": None,
    "min_raise": 1,
    "max_raise": None,
    "bet_step": 1,
    "max_raises": None,
}
BOOKLET: dict[str, Any] = {
    "hand_ante": 20,
    "sabacc_ante": 10,
    "starting_credits": 2000,
    "doubles": "redraw_all",
    "junk_when": "betting",
    "junk_face_up": False,
    "short_call": "junk",
}
LEAGUE: dict[str, Any] = BOOKLET | {
    "opening_bet": False,
    "card_actions": TRADING,
    "fees": {"draw": 10, "buy_discard": 20},
    "junk_penalty": 10,
    "spike_card": False,
}
PUBLISHED: dict[str, dict[str, Any]] = {
    "casino": {
        "hand_ante": 2,
        "sabacc_ante": 2,
        "starting_credits": 200,
        "phases": ("cards", "dice", "betting"),
        "opening_bet": False,
        "card_actions": ("stand", "draw", "discard_draw", "swap"),
        "fees": {},
        "doubles": "redraw_one",
        "junk_when": "facing_bet",
        "junk_penalty": 0,
        "junk_face_up": False,
        "short_call": "all_in",
        "spike_card": False,
        "ranking": "casino",
    },
    "black_spire": {
        "hand_ante": 1,
        "sabacc_ante": 0,
        "starting_credits": None,
        "phases": ("cards", "dice"),
        "opening_bet": False,
        "card_actions": ("stand", "draw", "swap"),
        "fees": {},
        "doubles": "redraw_all",
        "junk_when": "cards",
        "junk_penalty": 0,
        "junk_face_up": False,
        "short_call": "all_in",  # without betting nobody calls
        "spike_card": False,
        "ranking": "alta_orsl",
    },
    "orsl": LEAGUE | {"phases": ("cards", "betting", "dice"), "ranking": "alta_orsl"},
    "three_en": LEAGUE | {"phases": ("cards", "dice", "betting"), "ranking": "alta_three_en"},
    "yarith_bespin": BOOKLET
    | {
        "phases": ("cards", "betting", "dice"),
        "opening_bet": True,
        "card_actions": ("stand", "draw", "replace", "replace_spike", "discard_drawn"),
        "fees": {"draw": 20},
        "junk_penalty": 0,
        "spike_card": True,
        "ranking": "alta_yarith_bespin",
    },
    "spacers": {
        "hand_ante": 1,
        "sabacc_ante": 0,
        "starting_credits": 100,
        "phases": ("cards", "betting", "dice"),
        "opening_bet": True,
        "card_actions": ("stand", "draw", "discard_draw", "swap"),
        "fees": {},
        "doubles": "redraw_all",
        "junk_when": "facing_bet",
        "junk_penalty": 0,
        "junk_face_up": True,
        "short_call": "all_in",
        "spike_card": False,
        "ranking": "spacers",
    },
}


def test_the_published_rule_sets_are_these_in_this_order() -> None:
    assert rule_sets() == tuple(PUBLISHED)


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_rule_set_has_the_values_of_the_rules_page(name: str) -> None:
    rules = load_rules(name)
    expected = COMMON | PUBLISHED[name]
    assert {field: getattr(rules, field) for field in expected} == expected
    assert set(RuleSet.model_fields) - set(expected) == {"name", "title", "source"}
    assert rules.name == name
    assert rules.title
    assert rules.source


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_data_file_ships_in_the_package_and_loads_as_a_file(name: str) -> None:
    data = resources.files("sabacc_env.rules") / "data" / f"{name}.toml"
    with resources.as_file(data) as path:
        assert load_rules(path) == load_rules(name) == load_rules(str(path))


def test_there_are_no_other_data_files() -> None:
    files = (resources.files("sabacc_env.rules") / "data").iterdir()
    assert sorted(file.name for file in files) == sorted(f"{name}.toml" for name in rule_sets())


def test_the_defaults_of_a_description_are_the_casino() -> None:
    assert RuleSet().digest == load_rules("casino").digest


def test_overrides_and_what_follows_the_hand_ante() -> None:
    casino = load_rules("casino", hand_ante=4)
    assert (casino.hand_ante, casino.sabacc_ante, casino.starting_credits) == (4, 2, 400)
    assert (casino.bet_step, casino.min_bet) == (1, 1)
    spacers = load_rules("spacers", hand_ante=4)
    assert (spacers.starting_credits, spacers.bet_step) == (400, 4)
    assert (spacers.min_bet, spacers.min_raise) == (4, 4)
    again = load_rules(spacers, hand_ante=2, sabacc_ante=1)
    assert (again.starting_credits, again.bet_step, again.sabacc_ante) == (200, 2, 1)
    assert load_rules(again) is again
    assert load_rules("orsl", hand_ante=40, starting_credits=500).starting_credits == 500
    assert load_rules("orsl", hand_ante=40).fees == load_rules("orsl").fees


def test_the_house_options_of_the_spacers() -> None:
    ante = "ante"
    rules = load_rules(
        "spacers",
        hand_ante=2,
        sabacc_ante=1,
        fees={"draw": ante, "discard_draw": ante, "swap": ante},
        look_then_discard=True,
    )
    assert rules.fees == {"draw": 2, "discard_draw": 2, "swap": 2}


def test_a_file_says_only_what_is_not_as_in_the_casino(tmp_path: Path) -> None:
    path = tmp_path / "short game.toml"
    path.write_text('rounds = 1\nstarting_credits = [50, 60]\nfees = {draw = "ante"}\n')
    rules = load_rules(path, hand_ante=3)
    assert rules.name == "short game"
    assert (rules.rounds, rules.seats, rules.starting_credits) == (1, (2, 2), (50, 60))
    assert rules.fees == {"draw": 3}


def test_a_file_can_be_a_points_game(tmp_path: Path) -> None:
    path = tmp_path / "points.toml"
    path.write_text(
        'name = "mine"\nstarting_credits = "points"\nhand_ante = 1\nsabacc_ante = 0\n'
        'phases = ["cards"]\n'
    )
    rules = load_rules(path)
    assert (rules.name, rules.points, rules.starting_credits) == ("mine", True, None)


def sentence_of(rules: Any, **overrides: Any) -> str:
    with pytest.raises(RulesError) as caught:
        load_rules(rules, **overrides)
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert not sentence.endswith(".")
    return sentence


def test_an_unknown_name_lists_the_known_ones() -> None:
    sentence = sentence_of("cassino")
    assert sentence.startswith('rules: "cassino" is not a rule set')
    assert all(name in sentence for name in rule_sets())
    assert sentence.endswith("did you mean casino?")


@pytest.mark.parametrize("rules", [None, 3, ["casino"], b"casino"])
def test_other_values_are_not_rule_sets(rules: object) -> None:
    assert "is not a rule set" in sentence_of(rules)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"# nothing\n", "is empty; give at least one field"),
        (b"rounds = ", "is not a valid TOML file"),
        (b"rounds = 1\nrounds = 2\n", "is not a valid TOML file"),
        (b"title = '\xff'", "is not a valid TOML file"),
        (b"x = " + b"[" * 5000, "is not a valid TOML file"),
    ],
)
def test_a_broken_file_is_named(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "broken.toml"
    path.write_bytes(content)
    sentence = sentence_of(path)
    assert sentence.startswith(f"{path}: ")
    assert words in sentence


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    missing = f"{tmp_path}{os.sep}none"
    assert sentence_of(missing).startswith(f"{missing}: cannot be read (No such file")
    assert sentence_of("none.toml").startswith("none.toml: cannot be read")
    assert sentence_of(tmp_path).startswith(f"{tmp_path}: cannot be read")


def test_a_bad_field_in_a_file_names_both(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("rounds = 1.0\n")
    assert sentence_of(path) == f"rounds: 1.0 is not a whole number; use 1 to 8 (in {path})"


def test_a_field_like_no_other_gets_no_suggestion() -> None:
    assert sentence_of("orsl", base="casino") == "base: there is no such field"


def test_a_bad_override_names_the_field() -> None:
    assert sentence_of("orsl", short_cal="junk").endswith("did you mean short_call?")
    assert sentence_of("black_spire", hand_ante=4).startswith("hand_ante: ")
    assert sentence_of("orsl", card_actions=["stand"]).startswith("fees: ")
