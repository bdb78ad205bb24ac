"""What networks look at: the totals are right, so are the views of them, and nothing varying is
left out."""

from __future__ import annotations

import numpy as np
import pytest
from sabacc_agents.networks.features import FeatureExtractor, totals_after

from sabacc_env import SabaccError, load_rules, rule_sets
from tests.support.agents import random_tables

SIX = [load_rules(name) for name in rule_sets()]


def test_totals_of_the_card_actions():
    tables = random_tables("casino", 2, steps=1)
    totals = [
        sum(tables.observations[:, feature] * factor for feature, factor in total)
        for total in totals_after(tables.rules)
    ]
    seen = 0
    for table in range(tables.num_tables):
        game = tables.game(table)
        assert game.seat_to_act is not None
        hand = game.hands[game.seat_to_act]
        top = game.discard_pile[-1]
        if game.phase != "cards" or any(card.value == 0 for card in (*hand, top)):
            continue
        seen += 1
        total = sum(card.value for card in hand)
        assert totals[0][table] == pytest.approx(total)
        for slot, card in enumerate(hand):
            assert totals[1 + slot][table] == pytest.approx(total - card.value, abs=1e-4)
            swapped = total - card.value + top.value
            assert totals[6 + slot][table] == pytest.approx(swapped, abs=1e-4)
    assert seen > 20


@pytest.mark.parametrize("rules", SIX, ids=rule_sets())
def test_inputs_are_columns_and_three_functions_of_each_total(rules):
    observations = random_tables(rules, 3).observations
    extractor = FeatureExtractor.for_games([rules], 3)
    columns, distances, zero, near = np.split(
        extractor.extract(observations),
        np.cumsum([len(extractor.columns), len(extractor.terms), len(extractor.terms)]),
        axis=1,
    )
    assert (columns == observations[:, extractor.columns]).all()
    totals = [
        sum(observations[:, feature] * factor for feature, factor in total)
        for total in totals_after(rules)
    ]
    t = abs(np.array(totals).T)
    assert distances == pytest.approx(t / 5, abs=1e-5)
    assert zero == pytest.approx(np.maximum(0, 1 - t), abs=1e-5)
    assert near == pytest.approx(np.maximum(0, 1 - t / 4), abs=1e-5)


@pytest.mark.parametrize("games", [SIX[:1], SIX[2:4]], ids=["one rule set", "two"])
@pytest.mark.parametrize("num_players", [2, 5])
def test_features_that_are_left_out_never_vary(games, num_players):
    extractor = FeatureExtractor.for_games(games, num_players)
    rows = np.concatenate([random_tables(rules, num_players).observations for rules in games])
    left_out = np.setdiff1d(np.arange(rows.shape[1]), extractor.columns)
    assert len(left_out) > 0
    assert (rows[:, left_out] == rows[0, left_out]).all()


def test_several_rule_sets_have_the_totals_of_each_once():
    totals = [set(totals_after(rules)) for rules in SIX]
    assert (
        len(FeatureExtractor.for_games(SIX, 8).terms)
        == len(set.union(*totals))
        < sum(map(len, totals))
    )


@pytest.mark.parametrize("rules", SIX, ids=rule_sets())
def test_inputs_of_one_extractor_are_found_among_those_of_a_wider_one(rules):
    one, all_six = FeatureExtractor.for_games([rules], 3), FeatureExtractor.for_games(SIX, 8)
    observations = random_tables(rules, 3).observations
    found = all_six.extract(observations)[:, all_six.positions_of(one)]
    assert (found == one.extract(observations)).all()
    with pytest.raises(SabaccError, match="has inputs that this one lacks"):
        one.positions_of(all_six)
    joined = one.with_totals_of(all_six)
    assert (joined.extract(observations)[:, joined.positions_of(one)] == found).all()
    assert len(joined.terms) == len(all_six.terms)
    assert (joined.columns == one.columns).all()
