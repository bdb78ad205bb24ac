"""Rule spaces: drawing rule sets, membership, splits, and descriptions that are refused."""

from __future__ import annotations

import copy
import pickle
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sabacc_env import RulesError, RuleSet, RuleSpace, load_rules, rule_sets
from sabacc_env.engine.rules_record import rule_features
from sabacc_env.rules.space import SPLITS
from sabacc_env.rules.space_description import Range, in_credits

SPACES = {name: RuleSpace(name) for name in ("house", "small")}
PARTS = {
    (name, split): space.split(split) if split else space
    for name, space in SPACES.items()
    for split in (None, *SPLITS)
}
DIGESTS_OF_KEYS_0_TO_3 = {
    "house": "845a7a08 16f513b5 b14229fc a2fb8d1e",
    "house/train": "681e9965 3c2fc25a 33d4617a 3d86f431",
    "house/test_near": "6f53e798 7f78f590 015acf80 0a5631c8",
    "house/test_far": "845a7a08 d7899d70 d8552b11 8bef69d9",
    "small": "7591e910 4087f282 a81a11d4 fe021377",
    "small/train": "5df198a3 852964bc 3e25ae69 bc3bc82b",
    "small/test_near": "2751a168 1e2cdff8 f6f38cf0 141e3790",
    "small/test_far": "33a24074 a0bde2c2 f701ab14 9add14b9",
}
SPACE_DIGESTS = {"house": "18d539bbeb64a36c", "small": "4bedce84ab4977d8"}
"""Who changes a named space changes the benchmark: give the new one another name."""

KEYS = st.integers(0, 2**64 - 1)


def splits_of(space: RuleSpace, rules: RuleSet) -> list[str]:
    return [split for split in SPLITS if PARTS[space.description.name, split].contains(rules)]


# Drawing.


@settings(max_examples=150, deadline=None)
@given(part=st.sampled_from(list(PARTS.items())), key=KEYS)
def test_what_is_drawn_belongs_to_its_part_alone(
    part: tuple[tuple[str, str | None], RuleSpace], key: int
) -> None:
    (name, split), space = part
    rules = space.sample(key)
    assert space.contains(rules)
    assert SPACES[name].contains(rules)
    splits = splits_of(SPACES[name], rules)
    assert len(splits) == 1 if split is None else splits == [split]
    assert rules == space.sample(key)
    assert RuleSet.from_canonical(rules.canonical()) == rules
    assert rules.name == f"{name}-{rules.digest[:8]}"


def test_keys_decide_the_same_rules_for_ever() -> None:
    assert {name: space.digest[:16] for name, space in SPACES.items()} == SPACE_DIGESTS
    assert {
        space.name: " ".join(space.sample(key).digest[:8] for key in range(4))
        for space in PARTS.values()
    } == DIGESTS_OF_KEYS_0_TO_3


def test_a_number_of_seats_can_be_asked_for() -> None:
    space = SPACES["house"].split("test_far")
    for seats in (2, 8):
        for key in range(30):
            least, most = space.sample(key, num_players=seats).seats
            assert least <= seats <= most
    with pytest.raises(RulesError, match=r"space: 1,000 draws from small gave no rules for 3 s"):
        SPACES["small"].sample(0, num_players=3)


def test_values_are_as_frequent_as_described(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(
        "bases = {casino = 3, spacers = 1}\nvary.rounds = {probability = 0.4, values = [1, 2]}\n"
        "vary.hand_ante = {probability = 1.0, values = [{least = 1, most = 4}]}\n"
        'vary.max_bet = {values = ["2 antes"]}\n'
    )
    space = RuleSpace(file)
    n = 2000
    drawn = [space.sample(key) for key in range(n)]
    expected: dict[str, dict[object, Fraction]] = {
        "ranking": {"casino": Fraction(3, 4), "spacers": Fraction(1, 4)},
        "rounds": {1: Fraction(1, 5), 2: Fraction(1, 5), 3: Fraction(3, 5)},
        "hand_ante": {ante: Fraction(1, 4) for ante in range(1, 5)},
    }
    for field, shares in expected.items():
        counts = Counter(getattr(rules, field) for rules in drawn)
        assert counts.keys() == shares.keys()
        for value, share in shares.items():  # within five standard errors
            assert abs(counts[value] - n * share) < 5 * (n * share * (1 - share)) ** 0.5
    limited = [rules for rules in drawn if rules.max_bet is not None]
    assert all(rules.max_bet == 2 * rules.hand_ante for rules in limited)
    assert abs(len(limited) - n / 2) < 5 * (n / 4) ** 0.5


# Membership.


@pytest.mark.parametrize("name", rule_sets())
def test_published_rules_are_held_out_of_train(name: str) -> None:
    split = "test_far" if name == "three_en" else "test_near"
    assert splits_of(SPACES["house"], load_rules(name, name="other", title="label")) == [split]


@pytest.mark.parametrize(
    ("base", "changes", "split"),
    [
        ("casino", {"hand_ante": 3, "junk_penalty": 6}, "train"),
        ("casino", {"hand_ante": 3, "junk_penalty": 5}, None),
        ("casino", {"hand_ante": 11}, None),
        ("casino", {"rounds": 4, "cards_dealt": 1}, "test_far"),
        ("casino", {"rounds": 4, "cards_dealt": 1, "seats": (2, 7)}, None),
        ("spacers", {"hand_ante": 4}, "train"),
        ("spacers", {"hand_ante": 4, "min_bet": 8}, None),
        ("black_spire", {"phases": ("dice", "cards")}, "test_far"),
        ("yarith_bespin", {"ranking": "alta_three_en"}, "test_far"),
        ("orsl", {"ranking": "spacers", "doubles": "none", "opening_bet": True}, "train"),
    ],
)
def test_membership_goes_by_what_decides_play(
    base: str, changes: dict[str, object], split: str | None
) -> None:
    rules = load_rules(base, **changes)
    assert splits_of(SPACES["house"], rules) == ([split] if split else [])
    assert SPACES["house"].contains(rules) == (split is not None)


@pytest.mark.parametrize("name", SPACES)
def test_test_far_has_values_that_train_never_has(name: str) -> None:
    described = SPACES[name].description
    near = {
        (field, str(value))
        for base in described.bases
        for axis in described.axes(base)
        for option in axis.near
        for field, value in option.items()
    }
    for base in described.bases:
        own = load_rules(base, **described.common)
        for axis in described.axes(base):
            for option in axis.far:
                assert any(
                    (field, str(value)) not in near and getattr(own, field) != value
                    for field, value in option.items()
                ), option


@pytest.mark.parametrize("name", SPACES)
def test_one_rule_set_in_eight_is_held_out(name: str) -> None:
    described = SPACES[name].description
    bases = {load_rules(base, **described.common).digest for base in described.bases}
    rests = {
        split: {
            int(rules.digest[:8], 16) % 8
            for rules in map(PARTS[name, split].sample, range(150))
            if rules.digest not in bases
        }
        for split in ("train", "test_near")
    }
    assert rests == {"train": set(range(1, 8)), "test_near": {0}}


AMOUNTS = (
    "sabacc_ante",
    "junk_penalty",
    "bet_step",
    "min_bet",
    "max_bet",
    "min_raise",
    "max_raise",
)
OWN_FEATURES = {"hand_ante", "starting_credits", "seats"}
"""Amounts are observed in antes, and stacks and seats elsewhere than in the rules."""


def as_observed(rules: RuleSet) -> dict[str, object]:
    ante = rules.hand_ante
    fields = {field: value for field, value in dict(rules).items() if field not in OWN_FEATURES}
    amounts = {field: fields[field] and fields[field] / ante for field in AMOUNTS}
    fees = {kind: fee / ante for kind, fee in rules.fees.items()}
    return fields | amounts | {"fees": fees}


@pytest.mark.parametrize("name", SPACES)
def test_the_observation_tells_the_values_of_every_axis_apart(name: str) -> None:
    described = SPACES[name].description
    for base in described.all_bases:
        own = load_rules(base, **described.common)
        for axis in described.axes(base):
            seen: dict[tuple[float, ...], RuleSet] = {}
            for option in ({}, *axis.near, *axis.far):
                fields = {
                    field: value.least if isinstance(value, Range) else value
                    for field, value in option.items()
                }
                try:
                    rules = own.replace(
                        **in_credits(fields, fields.get("hand_ante", own.hand_ante))
                    )
                except RulesError:
                    continue
                same = seen.setdefault(tuple(rule_features(rules).values()), rules)
                assert as_observed(same) == as_observed(rules), (base, option)


# Spaces as values.


def test_spaces_compare_and_copy() -> None:
    train = SPACES["house"].split("train")
    assert train == RuleSpace("house").split("train") != SPACES["house"] != SPACES["small"]
    for other in (copy.deepcopy(train), pickle.loads(pickle.dumps(train))):
        assert (other, hash(other), repr(other)) == (train, hash(train), repr(train))
        assert other.sample(5) == train.sample(5)
    assert (train.name, repr(train)) == ("house/train", "RuleSpace('house').split('train')")


# Refusals.


UNKNOWN = {
    "houses": 'space: "houses" is not a rule space; use "house" or "small", or a path to a file, '
    "which ends in .toml; did you mean house?",
    "/nowhere/x.toml": "/nowhere/x.toml: cannot be read (No such file or directory)",
}
BAD_FILES = {
    "bases = 3": "bases: 3 is not allowed: input should be a valid dictionary",
    "bases = {}": 'bases: is empty; give at least one rule set, as in {"casino" = 1}',
    "bases = {casinos = 1}": 'rules: "casinos" is not a rule set; use ',
    "bases = {casino = 0}": "bases: the weight of casino, 0, is not a positive number",
    "": "bases: is missing",
    "= 1": "is not a valid TOML file",
}
BAD_KEYS = {
    "common = {round = 2}": "round: there is no such field; did you mean rounds?",
    "common = {starting_credits = [5, 6]}": "bases: casino has starting_credits by seat; use one",
    "vary.rounds = {valeus = [1]}": "vary.rounds.valeus: there is no such key in a rule space; did "
    "you mean values?",
    "vary.rounds = {}": "vary.rounds: give it values",
    "vary.rounds = {values = [9]}": "vary.rounds: rounds: 9 is too large; use 1 to 8",
    "vary.round = {values = [1]}": 'vary.round: "round" is not a field of the rules, so each of '
    "its values is a table of fields, not 1; did you mean rounds?",
    "vary.x = {values = [{round = 1}]}": 'vary.x: "round" is not a field of the rules; did you '
    "mean rounds?",
    "vary.x = {values = [{title = 'x'}]}": "vary.x: title is a label, which does not decide play",
    "vary.rounds = {values = [{least = 3}]}": "rounds: {'least': 3} is not a range such as "
    "{least = 1, most = 10}; most: ",
    "vary.rounds = {values = [{least = 1, most = 3, step = 0}]}": "; step: ",
    "vary.rounds = {values = [{least = 3, most = 2}]}": "rounds: least, 3, is more than most, 2",
    "vary.rounds = {values = [1], far = [2, 1]}": "vary.rounds: 1 is one of the values, and far",
    "far_bases = {casino = 1}": "far_bases: casino is one of the bases, too",
    "vary.hand_ante = {values = ['2 antes']}": 'vary.hand_ante: hand_ante: "2 antes" is not a ',
    "vary.starting_credits = {values = [[5, 6]]}": "vary.starting_credits: starting_credits is one",
    "vary.rounds = {probability = 2, values = [1]}": "vary.rounds.probability: 2 is not allowed: "
    "input should be less than or equal to 1",
    "vary.rounds = {values = [1], bases = ['orsl']}": 'vary.rounds: "orsl" is not one of the bases '
    '"casino"',
    "vary.rounds = {values = [1]}\nvary.x = {values = [{rounds = 2}]}": "vary.x: rounds already "
    'varies in vary.rounds, for the base "casino" too',
}


@pytest.mark.parametrize("space", UNKNOWN)
def test_unknown_spaces_are_refused(space: str) -> None:
    with pytest.raises(RulesError) as refused:
        RuleSpace(space)
    assert str(refused.value) == UNKNOWN[space]


@pytest.mark.parametrize(
    ("text", "message"),
    [*BAD_FILES.items(), *((f"bases = {{casino = 1}}\n{key}", BAD_KEYS[key]) for key in BAD_KEYS)],
)
def test_bad_descriptions_are_refused(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text)
    with pytest.raises(RulesError) as refused:
        RuleSpace(file)
    assert message in str(refused.value)
    assert str(file) in str(refused.value)


def test_splits_and_keys_are_refused_by_name(tmp_path: Path) -> None:
    space = SPACES["house"]
    with pytest.raises(RulesError, match=r'split: "training" is not one of "train", "test_near"'):
        space.split("training")
    with pytest.raises(RulesError, match="split: house/train is a split already"):
        space.split("train").split("train")
    for key in (-1, 2**64, "a"):
        with pytest.raises(RulesError, match=r"key: .* is not a whole number from 0 to 2"):
            space.sample(key)  # type: ignore[arg-type]
    with pytest.raises(RulesError, match="rules: 'casino' is not a RuleSet"):
        space.contains("casino")  # type: ignore[arg-type]
    file = tmp_path / "mine.toml"
    file.write_text("bases = {casino = 1}\nvary.rounds = {values = [1]}")
    with pytest.raises(RulesError, match="split: the space mine has no far values"):
        RuleSpace(file).split("test_far")
    file.write_text("bases = {casino = 1}\nvary.rounds = {probability = 1.0, values = [8]}")
    with pytest.raises(RulesError, match=r"mine gave no rules; the last was refused: cards_dealt"):
        RuleSpace(file).sample(0)
