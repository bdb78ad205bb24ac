"""Every credit and every card is accounted for after every move of many thousand random hands."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sabacc_env import RuleSet, RuleSpace, load_rules, rule_sets
from sabacc_env.engine.rules_record import starting_credits
from sabacc_env.rules.space import SPLITS
from tests.support.conservation import assert_conserved
from tests.support.modes import INTERPRETED
from tests.support.strategies import tables

HANDS_A_RULE_SET = 4000
HANDS_A_HOUSE = 1000

pytestmark = pytest.mark.skipif(INTERPRETED, reason="so many hands take the compiled engine")


@pytest.mark.parametrize("num_players", range(2, 9))
@pytest.mark.parametrize("name", rule_sets())
def test_published_rules(name: str, num_players: int) -> None:
    rules = load_rules(name)
    stacks = starting_credits(rules, num_players)
    assert_conserved(rules, num_players, stacks, 0, 1, HANDS_A_RULE_SET)
    if not rules.points:
        short = [rules.ante_unit * (1 + 3 * seat) for seat in range(num_players)]
        pot = 77 if rules.sabacc_ante else 0
        assert_conserved(rules, num_players, short, pot, 2, HANDS_A_RULE_SET)


@settings(max_examples=100, deadline=None)
@given(table=tables(), seed=st.integers(0, 2**62), pot=st.integers(0, 10**6))
def test_house_rules(table: tuple[RuleSet, int], seed: int, pot: int) -> None:
    rules, num_players = table
    stacks = starting_credits(rules, num_players)
    assert_conserved(
        rules, num_players, stacks, pot if rules.sabacc_ante else 0, seed, HANDS_A_HOUSE
    )


def _play_spaces(keys: range) -> None:
    spaces = RuleSpace("house"), RuleSpace("small")
    parts = [space.split(split) for space in spaces for split in SPLITS]
    for key in keys:
        rules = parts[key % len(parts)].sample(key)
        least, most = rules.seats
        num_players = least + key // len(parts) % (most - least + 1)
        stacks = starting_credits(rules, num_players)
        assert_conserved(rules, num_players, stacks, 0, key, hands=10)


def test_every_rule_set_of_a_space() -> None:
    _play_spaces(range(300))


@pytest.mark.slow
def test_a_hundred_thousand_rule_sets_of_spaces() -> None:
    _play_spaces(range(300, 100_300))
