"""What networks look at: the totals are right, so are the views of them, and nothing varying is
left out."""

from __future__ import annotations

import numpy as np
import pytest
from sabacc_agents.networks.features import Outlook, totals_after

from sabacc_env import SabaccError, Tables, load_rules, rule_sets
from sabacc_env.agent import RandomAgent

SIX = [load_rules(name) for name in rule_sets()]


def played(rules, num_players, turns=40):
    tables = Tables(rules, num_tables=64, num_players=num_players, seed=3)
    agent, rng = RandomAgent(tables.rules, 2), np.random.default_rng(0)
    for _ in range(turns):
        tables.step(agent.act(tables.observations, tables.action_masks, rng))
    return tables


def test_totals_of_the_card_actions():
    tables = played("casino", 2, turns=1)
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
def test_what_is_shown_are_columns_and_three_views_of_each_total(rules):
    observations = played(rules, 3).observations
    outlook = Outlook.on([rules], 3)
    columns, away, zero, near = np.split(
        outlook.shown(observations),
        np.cumsum([len(outlook.columns), len(outlook.terms), len(outlook.terms)]),
        axis=1,
    )
    assert (columns == observations[:, outlook.columns]).all()
    totals = [
        sum(observations[:, feature] * factor for feature, factor in total)
        for total in totals_after(rules)
    ]
    t = abs(np.array(totals).T)
    assert away == pytest.approx(t / 5, abs=1e-5)
    assert zero == pytest.approx(np.maximum(0, 1 - t), abs=1e-5)
    assert near == pytest.approx(np.maximum(0, 1 - t / 4), abs=1e-5)


@pytest.mark.parametrize("games", [SIX[:1], SIX[2:4]], ids=["one rule set", "two"])
@pytest.mark.parametrize("num_players", [2, 5])
def test_what_is_not_shown_never_varies(games, num_players):
    outlook = Outlook.on(games, num_players)
    rows = np.concatenate([played(rules, num_players).observations for rules in games])
    left_out = np.setdiff1d(np.arange(rows.shape[1]), outlook.columns)
    assert len(left_out) > 0
    assert (rows[:, left_out] == rows[0, left_out]).all()


def test_several_rule_sets_have_the_totals_of_each_once():
    totals = [set(totals_after(rules)) for rules in SIX]
    assert len(Outlook.on(SIX, 8).terms) == len(set.union(*totals)) < sum(map(len, totals))


@pytest.mark.parametrize("rules", SIX, ids=rule_sets())
def test_what_one_outlook_shows_is_found_in_what_a_wider_one_shows(rules):
    one, all_six = Outlook.on([rules], 3), Outlook.on(SIX, 8)
    observations = played(rules, 3).observations
    found = all_six.shown(observations)[:, all_six.places_of(one)]
    assert (found == one.shown(observations)).all()
    with pytest.raises(SabaccError, match="shows what another one does not"):
        one.places_of(all_six)
