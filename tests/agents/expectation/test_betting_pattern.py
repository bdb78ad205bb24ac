"""Betting patterns bet in their rounds alone, and call with their hands alone."""

from __future__ import annotations

import numpy as np
import pytest
from sabacc_agents import load
from sabacc_agents.expectation.betting_pattern import BettingPattern, Pattern, patterns
from sabacc_training.config.base import validated
from sabacc_training.config.game import TableConfig, rungs

from sabacc_env import Tables
from sabacc_env.actions import CALL, CHECK, FIRST_BET, JUNK, STAND
from sabacc_env.observation import decode
from sabacc_env.rules import load_rules, rule_sets
from tests.support.agents import decisions

pytestmark = pytest.mark.usefixtures("rough_win_probabilities")

SIZES = ("min", 0.5, 1, "max")


def bets_of(rules, pattern, num_players=2):
    """Yield what is observed at betting turns of tables that a pattern plays alone, its action."""
    agent = BettingPattern(rules, num_players, SIZES, pattern=pattern)
    rng = np.random.default_rng(0)
    for observations, masks in decisions(rules, num_players, agent, bet_sizes=SIZES, hands=3):
        decoded = decode(observations)
        rows = np.flatnonzero(decoded.is_betting)
        chosen = agent.act(observations, masks, rng)
        for row in rows:
            yield decode(observations[row]), masks[row], int(chosen[row])


@pytest.mark.parametrize(
    ("rules", "rounds", "size"),
    [("casino", (1, 3), "max"), ("spacers", (0, 2), 1), ("yarith_bespin", (0,), "min")],
)
@pytest.mark.parametrize("distance", [-1, 0, 3, 60])
def test_it_bets_in_its_rounds_and_calls_within_its_distance(rules, rounds, size, distance):
    pattern = Pattern(rounds, size, distance)
    bet, seen = FIRST_BET + SIZES.index(size), set()
    for decoded, mask, chosen in bets_of(load_rules(rules), pattern):
        seen.add((bool(decoded.faces_bet), int(decoded.round), chosen))
        if decoded.faces_bet:
            calls = abs(decoded.own_total) <= distance and mask[CALL]
            assert chosen == (CALL if calls else JUNK)
        elif decoded.round in rounds and mask[bet]:
            assert chosen == bet
        elif decoded.round in rounds and mask[FIRST_BET:].any():
            assert chosen >= FIRST_BET  # the nearest size: equal ones are one action
        else:
            assert chosen == CHECK
    bets = {number for facing, number, chosen in seen if not facing and chosen == bet}
    assert bets <= set(rounds)
    assert min(rounds) in bets
    answers = {chosen for facing, _, chosen in seen if facing}
    assert answers == {-1: {JUNK}, 60: {CALL}}.get(distance, {JUNK, CALL})


def test_it_does_not_bet_again_after_a_raise():
    rules, pattern = load_rules("casino"), Pattern((1,), 1, 0)
    agent = BettingPattern(rules, 2, SIZES, pattern=pattern)
    tables = Tables(rules, 64, 2, seed=1, bet_sizes=SIZES)
    raised = np.zeros(64, dtype=bool)
    answers = set()
    for _ in range(20):
        decoded = decode(tables.observations)
        chosen = agent.act(tables.observations, tables.action_masks, np.random.default_rng(0))
        answers |= set(chosen[decoded.faces_bet & raised].tolist())
        raises = decoded.faces_bet & ~raised & (tables.action_masks[:, FIRST_BET] > 0)
        chosen[raises] = FIRST_BET
        raised |= raises
        tables.step(chosen)
    assert answers == {CALL, JUNK}


@pytest.mark.parametrize("rules", [*rule_sets(), *rungs()])
def test_legal_in_every_game(rules):
    config = validated(TableConfig, {"rules": rules})
    rule_set, sizes, players = config.rule_set, config.bet_sizes, config.num_players
    found = patterns(rule_set, sizes)
    assert (found == ()) == ("betting" not in rule_set.phases and not rule_set.opening_bet)
    assert len({str(each) for each in found}) == len(found)
    for pattern in found[:: max(1, len(found) // 6)]:
        agent = BettingPattern(rule_set, players, sizes, pattern=pattern)
        for _ in decisions(rule_set, players, agent, bet_sizes=sizes, num_tables=24, steps=25):
            pass  # Tables.step refuses what is illegal


def test_it_plays_its_cards_as_the_maximiser_does():
    rules = load_rules("casino")
    agent = BettingPattern(rules, 2, SIZES, pattern=Pattern((2,), 1, 3))
    maximiser, rng = load("maximiser", rules, 2, SIZES), np.random.default_rng(0)
    cards = set()
    for observations, masks in decisions(rules, 2, agent, bet_sizes=SIZES):
        rows = ~decode(observations).is_betting
        chosen = agent.act(observations[rows], masks[rows], rng)
        assert np.array_equal(chosen, maximiser.act(observations[rows], masks[rows], rng))
        cards |= set(chosen.tolist())
    assert len(cards - {STAND}) > 3
