"""Matches over duplicate deals, and what is estimated from them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sabacc_training.evaluation.evaluate import Entrant, MatchConfig, evaluate, pair_rows
from sabacc_training.evaluation.match import MatchResult, play_match
from sabacc_training.evaluation.report import legend, margins_table

from sabacc_env.agent import RandomAgent
from sabacc_env.errors import IllegalMove, SabaccError
from sabacc_env.rules import load_rules, rule_sets
from tests.support import toys

CASINO = load_rules("casino")


def play(first, second, deals=60, seed=3, rules="casino", **settings):
    rules = load_rules(rules)
    agents = (first(rules, 2), second(rules, 2))
    return play_match(rules, agents, deals, seed, **settings)


@pytest.mark.parametrize("rules", rule_sets())
def test_deterministic_twins_are_level_on_every_deal(rules):
    match = play(toys.Bully, toys.Bully, rules=rules)
    assert not match.deal_margins.any()
    assert match.hand_margins.any()
    assert match.margin.half_width() == 0
    assert match.variance_reduction == math.inf


def test_exchanging_the_agents_turns_the_margin_round():
    there, back = play(toys.Bully, toys.Coward), play(toys.Coward, toys.Bully)
    assert np.array_equal(there.deal_margins, -back.deal_margins)


def test_the_strong_beats_the_weak():
    margin = play(toys.Bully, toys.Coward, deals=200).margin
    assert margin.mean - margin.half_width() > 0


def test_random_agents_are_level():
    margin = play(RandomAgent, RandomAgent, deals=2000).margin
    assert abs(margin.mean) < margin.half_width(comparisons=50)


@pytest.mark.parametrize(("settings", "sums"), [({}, {-4, 0}), ({"sabacc_pot": 40}, {-4, 40})])
def test_credits_go_nowhere_but_into_the_sabacc_pot(settings, sums):
    net = play(RandomAgent, RandomAgent, deals=300, **settings).net_credits
    assert set(net.sum(axis=2).flat) == sums


def test_stacks_limit_what_is_lost():
    net = play(RandomAgent, RandomAgent, deals=100, credits=9).net_credits
    assert net.min() == -9


def test_points_are_margins_too():
    match = play(RandomAgent, RandomAgent, deals=200, rules="black_spire")
    assert match.ante_unit == 1
    assert set(match.net_credits.flat) == {-1, 1}
    assert set(match.hand_margins.flat) == {-1000, 1000}


def test_the_same_seed_gives_the_same_bytes_and_another_others():
    first, again, other = (
        play(RandomAgent, RandomAgent, seed=seed).net_credits for seed in (3, 3, 4)
    )
    assert first.tobytes() == again.tobytes()
    assert first.tobytes() != other.tobytes()


def test_deals_are_the_same_however_many_and_however_batched():
    whole = play(toys.Bully, toys.Coward, deals=60).net_credits
    for settings in ({"deals": 25}, {"num_tables": 8}, {"num_tables": 3}, {"deals": 2}):
        net = play(toys.Bully, toys.Coward, **settings).net_credits
        assert np.array_equal(net, whole[: len(net)])


def test_the_deals_stay_when_the_agents_random_numbers_change():
    nets = [play(toys.Bully, toys.Coward, rng_stream=stream).net_credits for stream in (0, 1)]
    assert np.array_equal(*nets)
    nets = [play(RandomAgent, RandomAgent, rng_stream=stream).net_credits for stream in (0, 1)]
    assert not np.array_equal(*nets)


def test_views_come_to_the_agent_that_wants_them():
    assert np.array_equal(
        play(toys.Viewer, toys.Bully, deals=10).net_credits,
        play(toys.FirstLegal, toys.Bully, deals=10).net_credits,
    )


def test_an_agent_is_told_of_every_hand_that_begins():
    agents = (toys.FirstLegal(CASINO, 2), toys.Bully(CASINO, 2))
    play_match(CASINO, agents, deals=10, seed=0, num_tables=6)
    for agent in agents:
        (kind, tables), *restarts = agent.calls
        assert (kind, tables) == ("reset", 6)
        begun = sorted(table for _, tables in restarts for table in tables)
        assert begun == sorted([0, 1, 2, 3, 4, 5] * 2 + [0, 3])  # deals 3 to 8, then deal 9


def test_hands_are_reported_as_they_end():
    reports = []
    match = play(toys.Bully, toys.Coward, on_hands=reports.append)
    calls = np.concatenate(reports)
    assert calls.shape == (120, 2)
    assert np.array_equal(calls.sum(axis=0), match.net_credits.sum(axis=(0, 1)))


def test_an_illegal_action_is_refused():
    with pytest.raises(
        IllegalMove, match=r"agent: 'tests.support.toys:Illegal' chose action \d+ at table"
    ):
        play(toys.Illegal, toys.Bully)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"deals": 1}, "deals: 1 is too few"),
        ({"credits": 3}, "fewer than two seats"),
        ({"rules": "black_spire", "credits": 100}, "played for points"),
        ({"rules": "black_spire", "sabacc_pot": 5}, "no Sabacc pot"),
    ],
)
def test_what_cannot_be_played_is_refused(settings, words):
    with pytest.raises(SabaccError, match=words):
        play(RandomAgent, RandomAgent, **settings)


def test_the_variance_reduction_is_in_hands_for_the_same_interval():
    luck, skill = np.random.default_rng(0).normal(size=(2, 100_000))
    net = np.zeros((100_000, 2, 2))
    net[:, 0, 0], net[:, 1, 0] = 30 * luck + 10 * skill, -30 * luck + 10 * skill
    # One hand: variance 1000; a deal, which is two hands: 100.
    assert MatchResult(net, 1).variance_reduction == pytest.approx(5, rel=0.02)


def test_an_evaluation_is_a_match_against_each_opponent(capsys):
    opponents = [Entrant(spec=f"tests.support.toys:{name}") for name in ("Coward", "Bully")]
    config = MatchConfig(deals=50, seed=5)
    pairs = evaluate(config, Entrant(spec="tests.support.toys:Bully", label="me"), opponents)
    assert [(pair.first, pair.second, pair.met_in_training) for pair in pairs] == [
        ("me", "Coward", False),
        ("me", "Bully", False),
    ]
    assert np.array_equal(
        pairs[0].match.net_credits, play(toys.Bully, toys.Coward, 50, 5).net_credits
    )
    rows = pair_rows(pairs)
    assert margins_table(rows).row_count == 2
    assert "50 deals" in legend(rows)[0]
