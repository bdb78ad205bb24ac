"""The search agents: what they may know, what their weights are, and that they beat their base."""

from __future__ import annotations

import random

import numpy as np
import pytest
from sabacc_agents import load
from sabacc_agents.search.agent import (
    Rollouts,
    UnweightedRollouts,
    systematic_resample,
)
from sabacc_agents.search.heuristic import heuristic, uniform_random
from sabacc_training.evaluation.hero_margin import hero_margin
from sabacc_training.evaluation.match import play_match

from sabacc_env import Card, Game, SabaccError, Tables, load_rules, rule_sets
from sabacc_env.agent import Agent, registered_agents
from sabacc_env.engine.drivers.policy_code import function_pointer
from sabacc_env.engine.jit import jit_for
from sabacc_env.engine.layout import CALL, CHECK, FIRST_BET_ACTION, GAME_DTYPE, JUNK, STAND
from sabacc_env.engine.search.rollouts import STOCHASTIC_POLICY_SIGNATURE, sample_determinizations
from sabacc_env.game.determinization import information_state_of, make_workspace
from tests.agents.test_agents import deck_from
from tests.support.agents import decision
from tests.support.determinizations import SIZES
from tests.support.random_play import HOUSE_RULES, random_position
from tests.test_information import rearranged

NAMES = ("rollouts", "rollouts_unweighted")
EVERY_RULES = [load_rules(name) for name in rule_sets()] + list(HOUSE_RULES.values())


def few(kind, rules, num_players, **settings):
    return kind(rules, num_players, **{"rollouts": 60, "determinizations": 30} | settings)


def test_they_are_registered() -> None:
    assert {*NAMES, "heuristic"} <= set(registered_agents())
    for name in NAMES:
        assert isinstance(load(name, "casino", 2), Agent)


@pytest.mark.parametrize("rules", EVERY_RULES, ids=lambda rules: rules.name)
@pytest.mark.parametrize("kind", [Rollouts, UnweightedRollouts])
def test_legal_under_any_rules_at_any_table(kind, rules) -> None:
    for num_players in {2, min(5, rules.seats[1]), rules.seats[1]}:
        hero, other = few(kind, rules, num_players), load("random", rules, num_players)
        hero_margin(rules, hero, other, num_players, deals=2, seed=1)  # refuses what is illegal


@pytest.mark.parametrize("rules", EVERY_RULES, ids=lambda rules: rules.name)
def test_hidden_cards_change_nothing(rules) -> None:
    rng = random.Random(rules.name)
    num_players = min(3, rules.seats[1])
    agent = few(Rollouts, rules, num_players)
    tried = 0
    for attempt in range(60):
        game = random_position(Game(rules, num_players, seed=attempt), rng)
        seat = game.seat_to_act
        if seat is None or game._number("reshuffles"):
            continue
        tried += 1
        actions, words = np.flatnonzero(decision(game)[1][0]), np.arange(attempt, attempt + 4)
        values = agent.action_values(game.view(seat), actions, words)
        for _ in range(2):
            twin = rearranged(game, set(game.seen_cards(seat)), rng)
            assert (agent.action_values(twin.view(seat), actions, words) == values).all()
    assert tried > 5


@jit_for(STOCHASTIC_POLICY_SIGNATURE)
def bets_zeros(observation, legal, probabilities) -> None:
    """Raise with 0.75 on a total of zero and 0.25 on others, else check or call. Cards: uniform."""
    if observation.phase[3] == 0:
        for action in range(62):
            probabilities[action] = 1.0
        return
    raise_prob = 0.75 if observation.own_total[1] > 0 else 0.25
    probabilities[CHECK] = probabilities[CALL] = 1 - raise_prob
    probabilities[JUNK] = 0.0
    for action in range(FIRST_BET_ACTION, 62):
        probabilities[action] = 0.0
    probabilities[FIRST_BET_ACTION + 1] = raise_prob


ONE_ROUND = load_rules("casino", rounds=1, phases=("cards", "betting"))


def weights_of(game, model, epsilon, count=200):
    """Return determinizations of the seat to act, and the logarithms of their weights."""
    determinizations, log_weights = np.zeros(count, GAME_DTYPE), np.zeros(count)
    info_state = information_state_of(game.view(game.seat_to_act), SIZES)
    pointer = function_pointer(model, STOCHASTIC_POLICY_SIGNATURE)
    found = sample_determinizations(
        info_state, make_workspace(), pointer, epsilon, 5, 1, determinizations, log_weights
    )
    assert found == count
    return determinizations, log_weights


def bet_into() -> Game:
    """Return a hand in which seat 0 stood and bet half the pot, and seat 1 is to answer."""
    game = Game(ONE_ROUND, 2, seed=4, dealer=1)
    for move in ("stand", "stand", "raise 2"):
        game.play(move)
    return game


def test_weights_are_how_likely_the_others_moves_are() -> None:
    """Standing: 1 of as many as were legal. Betting half the pot of 4: 0.75 or 0.25."""
    game = bet_into()
    fresh = Game(ONE_ROUND, 2, seed=4, dealer=1)
    num_cards = int(decision(fresh)[1].sum())
    fresh.play("stand")
    fresh.play("stand")
    num_bets = int(decision(fresh)[1].sum())
    for epsilon in (0.0, 0.2):
        determinizations, log_weights = weights_of(game, bets_zeros, epsilon)
        totals = [sum(values) for values in card_values(determinizations, seat=0)]
        assert 0 in totals
        for total, log_weight in zip(totals, log_weights, strict=True):
            bet = 0.75 if total == 0 else 0.25
            wanted = 1 / num_cards * ((1 - epsilon) * bet + epsilon / num_bets)
            assert log_weight == pytest.approx(np.log(wanted))


def card_values(determinizations, seat):
    """Return the values of the cards that a seat holds in each determinization."""
    hands = determinizations["cards"][:, seat]
    return [[Card(int(card)).value for card in hand if card >= 0] for hand in hands]


def test_all_weights_are_equal_with_a_uniform_model() -> None:
    rng = random.Random(3)
    for attempt in range(20):
        game = random_position(Game("casino", 3, seed=attempt), rng)
        if game.seat_to_act is None:
            continue
        for model, epsilon in ((uniform_random, 0.0), (heuristic, 1.0)):
            _, log_weights = weights_of(game, model, epsilon, 20)
            assert np.ptp(log_weights) == pytest.approx(0)


def test_both_searches_choose_the_same_with_a_uniform_model() -> None:
    rng = random.Random(4)
    weighted = few(Rollouts, "casino", 3, model=uniform_random)
    unweighted = few(UnweightedRollouts, "casino", 3)
    for attempt in range(30):
        game = random_position(Game("casino", 3, seed=attempt), rng)
        if game.seat_to_act is None:
            continue
        view, mask = game.view(game.seat_to_act), decision(game)[1]
        chosen = {
            int(agent.act([view], mask, np.random.default_rng(attempt))[0])
            for agent in (weighted, unweighted)
        }
        assert len(chosen) == 1


def test_a_move_that_the_model_never_makes_rules_out_no_determinization() -> None:
    @jit_for(STOCHASTIC_POLICY_SIGNATURE)
    def never_bets(observation, legal, probabilities) -> None:
        for action in range(62):
            probabilities[action] = 1.0 if action < FIRST_BET_ACTION else 0.0

    _, log_weights = weights_of(bet_into(), never_bets, 0.1)
    assert np.isfinite(log_weights).all()


def test_a_surely_winning_hand_is_worth_more_called() -> None:
    """Pure Sabacc facing a bet: to junk loses the ante, to call nearly always wins."""
    cards = [int(card) for card in deck_from("+9t +8s 0a 0b")]
    game = Game(ONE_ROUND, 2, dealer=1, deck=cards)
    for move in ("stand", "stand", "raise 20"):
        game.play(move)
    agent = Rollouts(ONE_ROUND, 2)
    actions = np.flatnonzero(decision(game)[1][0])
    values = agent.action_values(game.view(1), actions, np.arange(4))
    value_of = dict(zip(actions.tolist(), values, strict=True))
    assert value_of[JUNK] == -4
    assert value_of[CALL] > 15


def test_a_view_without_its_history_is_one_sentence() -> None:
    tables = Tables("casino", 1, 2, seed=1)
    tables.step([STAND])
    agent = few(Rollouts, "casino", 2)
    with pytest.raises(SabaccError, match="view: its history does not lead"):
        agent.act(
            [tables.game(0).view(int(tables.seats_to_act[0]))],
            tables.action_masks,
            np.random.default_rng(0),
        )


def test_resampling_follows_the_weights() -> None:
    weights = np.array([0.7, 0.0, 0.2, 0.1])
    for offset in (0.0, 0.3, 0.999):
        counts = np.bincount(systematic_resample(weights, 1000, offset), minlength=4)
        assert abs(counts - 1000 * weights).max() <= 1


@pytest.mark.slow
def test_search_beats_its_base() -> None:
    rules = load_rules("casino")
    agents = Rollouts(rules, 2, rollouts=800, determinizations=256), load("heuristic", rules, 2)
    margin = play_match(rules, agents, 400, seed=11).margin
    assert margin.mean - margin.half_width() > 0


@pytest.mark.slow
@pytest.mark.parametrize("rules", rule_sets())
@pytest.mark.parametrize("name", NAMES)
def test_search_beats_random_everywhere(name, rules) -> None:
    rules = load_rules(rules)
    agents = load(name, rules, 2), load("random", rules, 2)
    margin = play_match(rules, agents, 300, seed=12).margin
    assert margin.mean - margin.half_width() > 0
