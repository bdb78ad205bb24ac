"""The yardsticks are worth beating: margins at two-seat casino, in antes a hand."""

from __future__ import annotations

import pytest
from sabacc_agents import load

from sabacc_env import load_rules, rule_sets
from tests.agents.match import margin

CASINO = load_rules("casino")


def versus(one, other, rules=CASINO, **options):
    return margin(rules, load(one, rules, 2), load(other, rules, 2), **options)


@pytest.mark.parametrize("name", ["tight", "maximiser"])
def test_five_antes_a_hand_against_random(name):
    assert versus(name, "random", deals=4000).low > 5


def test_the_maximiser_beats_tight():
    assert versus("maximiser", "tight", deals=4000).low > 0


@pytest.mark.slow
@pytest.mark.parametrize("rules", rule_sets())
@pytest.mark.parametrize("other", ["random", "tight", "calling_station", "always_raise"])
def test_the_maximiser_beats_everyone_everywhere(rules, other):
    rules = load_rules(rules)
    assert versus("maximiser", other, rules, deals=20_000).low > 0


def test_two_alike_are_level():
    assert versus("tight", "tight", deals=200).mean == 0
