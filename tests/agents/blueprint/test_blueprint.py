"""Blueprints as files, and the agent that plays them."""

from __future__ import annotations

import lzma
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from sabacc_agents import load, trained_against
from sabacc_agents.blueprint.agent import BlueprintAgent
from sabacc_agents.blueprint.blueprint import (
    MOST_MEMORY,
    VERSION,
    Blueprint,
    load_blueprint,
    save_blueprint,
)
from sabacc_agents.blueprint.buckets import (
    HAND_BUCKETS,
    NO_TOP,
    betting_values,
    bucket_edges,
    hand_buckets,
)
from sabacc_agents.blueprint.card_choices import free_win_probabilities, without_fees
from sabacc_agents.blueprint.observed_turns import public_states_of
from sabacc_agents.blueprint.public_states import num_public_states, pattern_codes
from sabacc_agents.expectation.hand_table import NUM_VALUES
from sabacc_agents.expectation.maximiser import Maximiser
from sabacc_agents.expectation.win_probabilities import win_probabilities
from sabacc_agents.loading import made_for

from sabacc_env import SabaccError, Tables, load_rules
from sabacc_env.actions import (
    BUY_DISCARD,
    CALL,
    CHECK,
    DEFAULT_BET_SIZES,
    DRAW,
    FIRST_BET,
    JUNK,
    STAND,
)
from sabacc_env.array_types import Floats, Ints
from sabacc_env.observation import decode
from sabacc_env.rules import RuleSet

RULES = load_rules("casino")
MORE_RULES = load_rules("casino", short_call="junk")
CODES = pattern_codes(RULES, tells_swaps=False)
NUM_STATES = num_public_states(RULES, CODES)
STATES = np.arange(9, dtype=np.int32)
POT = FIRST_BET + DEFAULT_BET_SIZES.index(1)


@pytest.fixture(scope="module")
def blueprint() -> Blueprint:
    """Every second public state, with random probabilities; one bucket was never met."""
    rng = np.random.default_rng(0)
    hands = rng.choice(np.flatnonzero(win_probabilities(RULES, 2).table.sizes == 4), (5_000, 3))
    states = np.arange(0, 2 * NUM_STATES, 2, dtype=np.int32)
    policy = rng.integers(1, 255, (len(states), HAND_BUCKETS, 3), dtype=np.uint8)
    policy[:, 7] = 0
    return Blueprint(
        rules=RULES,
        bet_sizes=DEFAULT_BET_SIZES,
        stacks=np.array([10, 40], np.float32),
        edges=edges_of(hands),
        actions=np.array([JUNK, CALL, POT]),
        states=states,
        policy=policy,
        codes=CODES,
        metadata={"epochs": 3},
        more_rules=(MORE_RULES,),
    )


@pytest.fixture(scope="module")
def small(blueprint: Blueprint) -> Blueprint:
    """A blueprint that is quickly saved: it knows few of these states."""
    some = slice(None, None, 4_001)
    return replace(blueprint, states=blueprint.states[some], policy=blueprint.policy[some])


def test_buckets_hold_equally_many_hands_and_part_zero_hands_from_others() -> None:
    table = win_probabilities(RULES, 2).table
    hands = np.random.default_rng(0).choice(np.flatnonzero(table.sizes == 3), (40_000, 3))
    buckets = hand_buckets(RULES, edges_of(hands))
    positions, tops = positions_and_tops(len(hands))
    counts = np.bincount(buckets[positions, 0, hands[:, 0], tops], minlength=HAND_BUCKETS)
    assert 900 < counts.min() <= counts.max() < 1_100
    zero = table.is_zero & (table.sizes > 1)
    assert buckets[:, -1, zero].min() > buckets[:, -1, ~table.is_zero].max()


def test_a_top_discard_that_mends_the_hand_is_worth_more_to_who_acts_first() -> None:
    """At -9 and +7 a swap of one of them for -7 or +9 makes zero."""
    table = win_probabilities(RULES, 2).table
    hand = table.hands_of(np.array([[-9, 7]]), np.array([[True, True]]))[0]
    first, second = betting_values(RULES)[:, 0, hand]
    for top in (-7, 9):
        assert first[top + 10] > second[top + 10] > first[NO_TOP]
    assert first[10 + 3] < second[10 + 3] < first[NO_TOP]
    assert first[NO_TOP] == second[NO_TOP]


def test_values_with_and_without_a_top_discard_agree_on_average() -> None:
    table = win_probabilities(RULES, 2).table
    values = betting_values(RULES)
    average = np.einsum("pbnv,nv->pbn", values[..., :NO_TOP], table.draw_probs)
    grown = table.sizes > 1
    assert np.allclose(average[..., grown], values[..., grown, NO_TOP], atol=1e-5)
    assert (values[:, -1] == values[:, -1, :, NO_TOP:]).all()  # no swap follows


def edges_of(hands: Ints) -> Floats:
    """Return bucket edges of hands, (n, betting phases)."""
    positions, tops = positions_and_tops(len(hands))
    by_phase = np.repeat(tops[:, None], hands.shape[1], axis=1)
    return bucket_edges(RULES, positions, hands.astype(np.int32), by_phase)


def positions_and_tops(count: int) -> tuple[Ints, Ints]:
    """Return positions and top discards for some hands: all in turn."""
    numbers = np.arange(count)
    return numbers // NUM_VALUES % 2, numbers % NUM_VALUES


def test_a_file_holds_the_same_blueprint(small: Blueprint, tmp_path: Path) -> None:
    path = tmp_path / "agent.safetensors"
    save_blueprint(path, replace(small, policy=np.asfortranarray(small.policy)))
    found = load_blueprint(path)
    for name in ("stacks", "edges", "actions", "states", "policy", "codes"):
        assert (getattr(found, name) == getattr(small, name)).all()
    assert (found.rules, found.bet_sizes) == (RULES, DEFAULT_BET_SIZES)
    assert found.more_rules == (MORE_RULES,)
    assert found.metadata == {"epochs": 3}
    assert isinstance(load(path), BlueprintAgent)
    assert isinstance(load(path, MORE_RULES), BlueprintAgent)
    assert made_for(path).rules == (RULES, MORE_RULES)
    assert trained_against(path) == ()
    with pytest.raises(SabaccError, match="was made for 2 players, not 3"):
        load(path, "casino", 3)
    with pytest.raises(SabaccError, match="was made for the rules 'casino', not 'orsl'"):
        load(path, "orsl", 2)


def test_an_older_version_is_refused(
    small: Blueprint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "agent.safetensors"
    save_blueprint(path, replace(small, policy=small.policy[:9], states=STATES))
    monkeypatch.setattr("sabacc_agents.blueprint.blueprint.VERSION", VERSION + 1)
    message = f"is a blueprint of format version {VERSION}; this package reads {VERSION + 1}"
    with pytest.raises(SabaccError, match=message):
        load_blueprint(path)


@pytest.mark.parametrize(
    "damage",
    [
        lambda b: replace(b, states=b.states[::-1].copy()),
        lambda b: replace(b, states=b.states + np.int32(NUM_STATES)),
        lambda b: replace(b, stacks=b.stacks[::-1].copy()),
        lambda b: replace(b, stacks=b.stacks[:1].copy()),
        lambda b: replace(b, edges=b.edges[:-1].copy()),
        lambda b: replace(b, actions=b.actions + 99),
        lambda b: replace(b, codes=b.codes[1:].copy()),
        lambda b: replace(b, codes=b.codes - 1),
    ],
)
def test_impossible_arrays_are_refused(damage: object, small: Blueprint, tmp_path: Path) -> None:
    path = tmp_path / "agent.safetensors"
    save_blueprint(path, damage(small))  # type: ignore[operator]
    with pytest.raises(SabaccError, match="its arrays are not those of a blueprint"):
        load_blueprint(path)


@pytest.mark.parametrize("size", [0, 5, 10**6])
def test_a_policy_of_another_size_is_refused(size: int, small: Blueprint, tmp_path: Path) -> None:
    path = tmp_path / "agent.safetensors"
    save_blueprint(path, replace(small, policy=np.zeros(size, np.uint8), states=STATES))
    with pytest.raises(SabaccError, match="its policy cannot be unpacked"):
        load_blueprint(path)


def test_a_policy_that_asks_for_much_memory_is_refused(
    small: Blueprint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To unpack it takes as much memory as its dictionary has, which may be any size."""
    path = tmp_path / "agent.safetensors"
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 2 * MOST_MEMORY}]
    with monkeypatch.context() as patched:
        patched.setattr(lzma, "compress", partial(lzma.compress, filters=filters))
        save_blueprint(path, small)
    with pytest.raises(SabaccError, match="its policy cannot be unpacked"):
        load_blueprint(path)


def test_it_plays_what_the_table_says_and_as_the_maximiser_elsewhere(blueprint: Blueprint) -> None:
    agent, maximiser = BlueprintAgent(blueprint=blueprint), Maximiser(RULES, 2)
    tables = Tables(RULES, 400, 2, seed=1)
    rng = np.random.default_rng(2)
    playing = np.arange(400)
    mixed = 0
    while len(playing):
        observations, masks = tables.flat_observations[playing], tables.action_masks[playing]
        probabilities = agent.probabilities(observations, masks)
        assert np.allclose(probabilities.sum(axis=1), 1)
        assert (probabilities[masks == 0] == 0).all()
        pure = probabilities.max(axis=1) == 1
        expected = maximiser.probabilities(observations, masks)
        assert (probabilities[pure] == expected[pure]).all()
        mixed += (~pure).sum()
        bets = [CHECK, CALL, JUNK, *range(FIRST_BET, masks.shape[1])]
        assert (probabilities[~pure][:, bets].sum(axis=1) > 0.999).all()
        assert (probabilities[~pure][:, FIRST_BET + 3] == 0).all()  # the largest is not its own
        tables.step(agent.act(observations, masks, rng), playing)
        playing = playing[~tables.finished[playing]]
    assert mixed > 200


@pytest.mark.parametrize(("antes", "column"), [(5, 0), (10, 0), (12, 0), (13, 1), (80, 1)])
def test_the_strategies_are_those_of_the_stack_that_counts(
    antes: int, column: int, blueprint: Blueprint
) -> None:
    half = NUM_STATES
    policy = np.zeros_like(blueprint.policy)
    policy[blueprint.states < half, :, 0] = 255
    policy[blueprint.states >= half, :, 1] = 255
    every = np.arange(0, 2 * half, dtype=np.int32)
    policy = np.repeat(policy, 2, axis=0)
    agent = BlueprintAgent(blueprint=replace(blueprint, states=every, policy=policy))
    tables = Tables(RULES, 200, 2, seed=1)
    unit = RULES.ante_unit
    tables.set_episode_starts(np.arange(200), credits=np.full((200, 2), antes * unit))
    tables.restart(np.arange(200))
    rng = np.random.default_rng(2)
    compared = 0
    for _ in range(20):
        facing = tables.action_masks[:, JUNK] > 0
        found = agent.probabilities(tables.flat_observations, tables.action_masks)
        assert (found[facing, [JUNK, CALL][column]] == 1).all()
        compared += facing.sum()
        weights = rng.random(tables.action_masks.shape) * tables.action_masks
        weights[:, JUNK] *= 0.1
        tables.step(weights.argmax(axis=1))
    assert compared > 50


def test_it_bets_a_seat_out_that_paid_a_fee_and_pays_none() -> None:
    """In orsl a seat must junk where it cannot pay the call. The other seat buys at every turn."""
    rules = load_rules("orsl")
    hands = np.full((100, 3), 30, np.int32)
    values = np.zeros((100, 3), np.int8)
    codes = pattern_codes(rules, tells_swaps=False)
    policy = np.zeros((num_public_states(rules, codes), HAND_BUCKETS, 2), np.uint8)
    policy[..., 1] = 255
    agent = BlueprintAgent(
        blueprint=Blueprint(
            rules=rules,
            bet_sizes=DEFAULT_BET_SIZES,
            stacks=np.array([100], np.float32),
            edges=bucket_edges(rules, np.arange(100) % 2, hands, values),
            actions=np.array([JUNK, CALL]),
            states=np.arange(len(policy), dtype=np.int32),
            policy=policy,
            codes=codes,
        )
    )
    tables = Tables(rules, 200, 2, seed=1)
    rng = np.random.default_rng(2)
    playing, won = np.arange(200), 0
    while len(playing):
        masks = tables.action_masks[playing]
        actions = agent.act(tables.flat_observations[playing], masks, rng)
        buys = (tables.seats_to_act[playing] == 1) & (masks[:, DRAW] > 0)
        betting = masks[:, CHECK] + masks[:, CALL] > 0
        others = (tables.seats_to_act[playing] == 1) & betting
        assert not (actions[~buys] == DRAW).any()
        actions[buys] = DRAW
        actions[others] = np.where(masks[others, CHECK] > 0, CHECK, JUNK)
        tables.step(actions, playing)
        ended = playing[tables.finished[playing]]
        # An ante of 20, a fee of 10 and a penalty of 10, less the own Sabacc ante of 10.
        won += (tables.net_credits[ended, 0] == 30).sum()
        playing = playing[~tables.finished[playing]]
    assert won == 200


def test_where_calls_may_be_short_it_pays_a_fee_in_a_large_pot() -> None:
    rules = load_rules("orsl", short_call="all_in")
    agent = load("zoo:orsl-2p-blueprint", rules, 2)
    plain = load("zoo:orsl-2p-blueprint", load_rules("orsl"), 2)
    assert isinstance(agent, BlueprintAgent)
    assert isinstance(plain, BlueprintAgent)
    for pots, some_pay in (((0.02, 0.04), False), ((0.2, 2), True)):
        rows, masks = card_turns(rules, *pots)
        pays = agent.probabilities(rows, masks)[:, [DRAW, BUY_DISCARD]].sum(axis=1)
        assert (pays.sum() > 30) == some_pay
        assert not plain.probabilities(rows, masks)[:, [DRAW, BUY_DISCARD]].any()


def card_turns(rules: RuleSet, low: float, high: float) -> tuple[Floats, NDArray[np.int8]]:
    """Return card turns of random play where the pot is so large, in starting credits."""
    tables, rng = Tables(rules, 1_000, 2, seed=1), np.random.default_rng(2)
    rows, masks = [], []
    playing = np.arange(1_000)
    while len(playing):
        seen, legal = tables.flat_observations[playing], tables.action_masks[playing]
        decoded = decode(seen)
        pots = decoded.pot_per_start
        found = (decoded.phase == 0) & (low <= pots) & (pots <= high)
        rows.append(seen[found].copy())
        masks.append(legal[found].copy())
        weights = rng.random(legal.shape) * legal
        weights[:, JUNK] *= 0.1
        tables.step(weights.argmax(axis=1), playing)
        playing = playing[~tables.finished[playing]]
    assert sum(map(len, rows)) > 100
    return np.concatenate(rows), np.concatenate(masks)


def test_hands_that_only_a_fee_makes_leave_the_others_as_they_are() -> None:
    rules = load_rules("three_en")
    free, small = free_win_probabilities(rules), win_probabilities(without_fees(rules), 2)
    count = len(small.table.sizes)
    assert free.table.max_cards == 5
    assert (free.table.counts[:count] == small.table.counts).all()
    assert (free.hand_values[:, :, :count] == small.hand_values).all()
    order = np.argsort(free.table.strengths)
    assert (np.diff(free.final[order]) >= 0).all()
    larger = (free.table.sizes == 4) & ~free.table.is_zero
    assert free.hand_values[0, 0, larger].mean() > free.final[larger].mean() + 0.1


def test_stacks_that_it_was_not_solved_for_and_uneven_ones() -> None:
    """The table knows nearly all that happens in the agent's own play, whatever the stacks."""
    agent = load("zoo:casino-2p-blueprint", RULES, 2)
    assert isinstance(agent, BlueprintAgent)
    rng = np.random.default_rng(0)
    for credits in [(200, 200), (60, 60), (200, 40), (120, 60), (43, 17), (400, 1_000)]:
        tables = Tables(RULES, 200, 2, seed=1, credits=np.tile(credits, (200, 1)))
        playing, known = np.arange(200), np.zeros(0, np.bool_)
        while len(playing):
            rows, masks = tables.flat_observations[playing], tables.action_masks[playing]
            bets = rows[decode(rows).is_betting]
            known = np.append(known, agent._rows_of(bets)[1])
            tables.step(agent.act(rows, masks, rng), playing)
            playing = playing[~tables.finished[playing]]
        assert len(known) > 400
        assert known.mean() > 0.95, credits


def test_what_a_seat_cannot_pay_of_a_call_does_not_count() -> None:
    """A bet of more than the other has is the all-in bet of equal stacks."""
    states = []
    for richer in (200, 1_000):
        tables = Tables(
            RULES, 1, 2, seed=2, credits=np.array([[200, richer]]), dealers=np.array([0])
        )
        for action in (STAND, STAND, -1):
            mask = tables.action_masks[0]
            tables.step(np.array([action if action >= 0 else np.flatnonzero(mask)[-1]]))
        assert tables.seats_to_act[0] == 0
        rows = tables.flat_observations
        assert decode(rows).is_betting.all()
        states.append(public_states_of(rows, RULES, np.ones(1), CODES).item())
    assert states[0] == states[1]


def test_the_solved_stack_that_a_hand_is_played_as(blueprint: Blueprint) -> None:
    """Stacks of 10 and 40: nearest by ratio, but no solved stack for one that is much deeper."""
    stacks = np.array([1, 10, 12.5, 13, 40, 1_000])
    assert blueprint.nearest_stacks(stacks).tolist() == [0, 0, 0, 1, 1, 1]
    close = replace(blueprint, stacks=np.array([10, 12], np.float32))
    assert close.nearest_stacks(np.array([10.9, 11])).tolist() == [0, 1]
