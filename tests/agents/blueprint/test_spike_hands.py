"""Hands beside Spike Cards: their values, and the blueprints that count on them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from sabacc_agents.blueprint.agent import BlueprintAgent
from sabacc_agents.blueprint.blueprint import Blueprint
from sabacc_agents.blueprint.buckets import HAND_BUCKETS, betting_values
from sabacc_agents.blueprint.public_states import num_public_states, pattern_codes
from sabacc_agents.blueprint.spike_hands import SPIKE_CLASSES
from sabacc_agents.expectation.hand_table import VALUES, hand_table

from sabacc_env import Tables, load_rules
from sabacc_env.actions import CALL, CHECK, DEFAULT_BET_SIZES, DRAW, JUNK
from sabacc_env.observation import decode

RULES = load_rules("yarith_bespin")
TABLE = hand_table(RULES)


def test_values_are_those_of_an_exhaustive_count() -> None:
    values = betting_values(RULES)
    deck = np.repeat(VALUES, TABLE.deck_counts)
    for spike in (-10, 0, 3):
        left = deck.tolist()
        left.remove(spike)
        pairs = np.array(list(combinations(left, 2)))
        theirs = np.column_stack([pairs, np.full(len(pairs), spike)])
        others = TABLE.strengths[TABLE.hands_of(theirs, np.ones_like(theirs, np.bool_))]
        for cards in ([0, 2, 3], [-4, 1, 2], [7, 7, 7], [-1, 0, 1], [5, -5, 1]):
            hand = TABLE.hands_of(np.array([cards]), np.ones((1, 3), np.bool_)).item()
            own = TABLE.strengths[hand]
            expected = (others < own).mean() + (others == own).mean() / 2
            assert np.allclose(values[:, 1:, hand, spike + 10], expected, atol=1e-5)


def test_in_the_opening_phase_values_do_not_depend_on_spike_cards() -> None:
    opening = betting_values(RULES)[:, 0, TABLE.sizes == 2]
    assert (opening == opening[..., :1]).all()


def test_classes_of_spike_cards() -> None:
    by_value = dict(zip(VALUES, SPIKE_CLASSES[:-1].tolist(), strict=True))
    assert [by_value[value] for value in range(11)] == [0, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3]
    assert all(by_value[value] == by_value[-value] for value in range(11))
    assert pattern_codes(RULES)[SPIKE_CLASSES[:-1]].tolist() == SPIKE_CLASSES[:-1].tolist()
    assert pattern_codes(RULES).max() == SPIKE_CLASSES.max()


@pytest.fixture(scope="module")
def caller() -> Blueprint:
    """It knows every public state, and always calls."""
    codes = pattern_codes(RULES)
    policy = np.zeros((num_public_states(RULES, codes), HAND_BUCKETS, 2), np.uint8)
    policy[..., 1] = 255
    return Blueprint(
        rules=RULES,
        bet_sizes=DEFAULT_BET_SIZES,
        stacks=np.array([66], np.float32),
        edges=np.tile(np.linspace(0, 1, HAND_BUCKETS - 1, dtype=np.float32), (4, 1)),
        actions=np.array([JUNK, CALL]),
        states=np.arange(len(policy), dtype=np.int32),
        policy=policy,
        codes=codes,
    )


def test_it_plays_by_the_table_and_never_buys(caller: Blueprint) -> None:
    agent = BlueprintAgent(blueprint=caller)
    tables = Tables(RULES, 300, 2, seed=1)
    rng = np.random.default_rng(2)
    playing, rounds = np.arange(300), set()
    while len(playing):
        rows, masks = tables.flat_observations[playing], tables.action_masks[playing]
        found = agent.probabilities(rows, masks)
        assert np.allclose(found.sum(axis=1), 1)
        assert (found[masks == 0] == 0).all()
        decoded = decode(rows)
        calls = np.where(masks[:, CHECK] > 0, CHECK, CALL)
        expected = np.where(decoded.is_betting, calls, 0)
        assert (found[decoded.is_betting, expected[decoded.is_betting]] == 1).all()
        assert (found[:, DRAW] == 0).all()
        rounds.update(decoded.round[decoded.is_betting].tolist())
        tables.step(agent.act(rows, masks, rng), playing)
        playing = playing[~tables.finished[playing]]
    assert rounds == {0, 1, 2, 3}


def test_who_buys_a_card_is_bet_out(caller: Blueprint) -> None:
    """The other seat buys at its first turn, and checks or calls."""
    agent = BlueprintAgent(blueprint=caller)
    tables = Tables(RULES, 200, 2, seed=1)
    rng = np.random.default_rng(2)
    playing, won = np.arange(200), 0
    while len(playing):
        masks = tables.action_masks[playing]
        actions = agent.act(tables.flat_observations[playing], masks, rng)
        other = tables.seats_to_act[playing] == 1
        for action in (JUNK, CHECK, CALL, DRAW):
            legal = other & (masks[:, action] > 0)
            actions[legal] = action
        random = other & (masks[:, [JUNK, CHECK, CALL, DRAW]].sum(axis=1) == 0)
        actions[random] = (rng.random(masks.shape) * masks).argmax(axis=1)[random]
        assert not (actions[~other] == DRAW).any()
        tables.step(actions, playing)
        ended = playing[tables.finished[playing]]
        # An ante of 20 and a fee of 20, less the own Sabacc ante of 10.
        won += (tables.net_credits[ended, 0] == 30).sum()
        playing = playing[~tables.finished[playing]]
    assert won == 200
