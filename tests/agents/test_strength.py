"""The agents to compare with are worth beating: their margins at two seats, in mante/hand."""

from __future__ import annotations

import pytest
from sabacc_agents import load
from sabacc_training.evaluation.match import play_match

from sabacc_env import load_rules, rule_sets

CASINO = load_rules("casino")


def margin(one, other, deals, rules=CASINO):
    agents = load(one, rules, 2), load(other, rules, 2)
    return play_match(rules, agents, deals, seed=0).margin


def lower_end(*match):
    found = margin(*match)
    return found.mean - found.half_width()


@pytest.mark.parametrize("name", ["tight", "maximiser"])
def test_five_antes_a_hand_against_random(name):
    assert lower_end(name, "random", 4000) > 5000


def test_the_maximiser_beats_tight():
    assert lower_end("maximiser", "tight", 4000) > 0


@pytest.mark.slow
@pytest.mark.parametrize("rules", rule_sets())
@pytest.mark.parametrize("other", ["random", "tight", "calling_station", "always_raise"])
def test_the_maximiser_beats_everyone_everywhere(rules, other):
    assert lower_end("maximiser", other, 20_000, load_rules(rules)) > 0


def test_two_alike_are_level():
    assert margin("tight", "tight", 200).mean == 0
