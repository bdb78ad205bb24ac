"""The search agents: what they may know, what their weights are, and that they beat their base."""

from __future__ import annotations

import random

import numpy as np
import pytest
from sabacc_agents import load
from sabacc_agents.search.agent import Rollouts, UnweightedRollouts, make_workspace, resampled
from sabacc_agents.search.heuristic import even, heuristic
from sabacc_agents.search.public_history import information_state_of
from sabacc_training.evaluation.hero_margin import hero_margin
from sabacc_training.evaluation.match import play_match

from sabacc_env import Card, Game, SabaccError, Tables, load_rules, rule_sets
from sabacc_env.agent import Agent, registered_agents
from sabacc_env.engine.drivers.policy_loop import function_pointer
from sabacc_env.engine.jit import jit_for
from sabacc_env.engine.layout import CALL, CHECK, FIRST_BET_ACTION, GAME_DTYPE, JUNK, STAND
from sabacc_env.engine.search.rollouts import STOCHASTIC_POLICY_SIGNATURE, sample_determinizations
from tests.agents.test_agents import deck_from
from tests.support.agents import decision
from tests.support.determinizations import SIZES
from tests.support.random_play import HOUSE_RULES, random_position
from tests.test_information import rearranged

NAMES = ("rollouts", "rollouts_unweighted")
EVERY_RULES = [load_rules(name) for name in rule_sets()] + list(HOUSE_RULES.values())


def few(kind, rules, num_players, **settings):
    return kind(rules, num_players, **{"rollouts": 60, "worlds": 30} | settings)


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
        if seat is None or game._record.reshuffles:
            continue
        tried += 1
        actions, words = np.flatnonzero(decision(game)[1][0]), np.arange(attempt, attempt + 4)
        worth = agent.worth(game.view(seat), actions, words)
        for _ in range(2):
            twin = rearranged(game, set(game.seen_cards(seat)), rng)
            assert (agent.worth(twin.view(seat), actions, words) == worth).all()
    assert tried > 5


@jit_for(STOCHASTIC_POLICY_SIGNATURE)
def bets_zeros(observation, legal, chances) -> None:
    """Raise with 0.75 on a total of zero, with 0.25 on another; check or call else; cards: even."""
    if observation.phase[3] == 0:
        for action in range(62):
            chances[action] = 1.0
        return
    raising = 0.75 if observation.own_total[1] > 0 else 0.25
    chances[CHECK] = chances[CALL] = 1 - raising
    chances[JUNK] = 0.0
    for action in range(FIRST_BET_ACTION, 62):
        chances[action] = 0.0
    chances[FIRST_BET_ACTION + 1] = raising


ONE_ROUND = load_rules("casino", rounds=1, phases=("cards", "betting"))


def weights_of(game, model, mixed, count=200):
    """Return worlds of the seat to act, and the logarithms of their weights."""
    worlds, logs = np.zeros(count, GAME_DTYPE), np.zeros(count)
    info_state = information_state_of(game.view(game.seat_to_act), SIZES)
    at = function_pointer(model, STOCHASTIC_POLICY_SIGNATURE)
    assert (
        sample_determinizations(info_state, make_workspace(), at, mixed, 5, 1, worlds, logs)
        == count
    )
    return worlds, logs


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
    for mixed in (0.0, 0.2):
        worlds, logs = weights_of(game, bets_zeros, mixed)
        totals = [sum(world) for world in values(worlds, seat=0)]
        assert 0 in totals
        for total, log in zip(totals, logs, strict=True):
            bet = 0.75 if total == 0 else 0.25
            wanted = 1 / num_cards * ((1 - mixed) * bet + mixed / num_bets)
            assert log == pytest.approx(np.log(wanted))


def values(worlds, seat):
    """Return the values of the cards that a seat holds in each world."""
    return [[Card(int(c)).value for c in world["cards"][seat] if c >= 0] for world in worlds]


def test_every_world_weighs_the_same_with_an_even_model() -> None:
    rng = random.Random(3)
    for attempt in range(20):
        game = random_position(Game("casino", 3, seed=attempt), rng)
        if game.seat_to_act is None:
            continue
        for model, mixed in ((even, 0.0), (heuristic, 1.0)):
            _, logs = weights_of(game, model, mixed, 20)
            assert np.ptp(logs) == pytest.approx(0)


def test_with_an_even_model_both_searches_choose_alike() -> None:
    rng = random.Random(4)
    weighted = few(Rollouts, "casino", 3, model=even)
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


def test_a_move_that_the_model_never_makes_rules_no_world_out() -> None:
    @jit_for(STOCHASTIC_POLICY_SIGNATURE)
    def never_bets(observation, legal, chances) -> None:
        for action in range(62):
            chances[action] = 1.0 if action < FIRST_BET_ACTION else 0.0

    _, logs = weights_of(bet_into(), never_bets, 0.1)
    assert np.isfinite(logs).all()


def test_a_surely_winning_hand_is_worth_more_called() -> None:
    """Pure Sabacc facing a bet: to junk loses the ante, to call wins in nearly every world."""
    cards = [int(card) for card in deck_from("+9t +8s 0a 0b")]
    game = Game(ONE_ROUND, 2, dealer=1, deck=cards)
    for move in ("stand", "stand", "raise 20"):
        game.play(move)
    agent = Rollouts(ONE_ROUND, 2)
    actions = np.flatnonzero(decision(game)[1][0])
    worth = dict(
        zip(actions.tolist(), agent.worth(game.view(1), actions, np.arange(4)), strict=True)
    )
    assert worth[JUNK] == -4
    assert worth[CALL] > 15


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
    for start in (0.0, 0.3, 0.999):
        counts = np.bincount(resampled(weights, 1000, start), minlength=4)
        assert abs(counts - 1000 * weights).max() <= 1


def test_search_beats_its_base() -> None:
    rules = load_rules("casino")
    agents = Rollouts(rules, 2, rollouts=800, worlds=256), load("heuristic", rules, 2)
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
