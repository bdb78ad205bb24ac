"""Control variates at tables: every rule set and number of seats, the sums, and their seeds."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from sabacc_agents.loading import load
from sabacc_training.variance_reduction.control_variates import ControlVariates
from sabacc_training.variance_reduction.lookahead import LARGE_POT, Lookahead
from sabacc_training.variance_reduction.rows import empty_rows, write_rows
from sabacc_training.variance_reduction.successors import (
    ACTIONS,
    DEAL,
    DRAWS,
)
from sabacc_training.variance_reduction.values import ValueFunction

from sabacc_env import Game, SabaccError, agent_calls, load_rules
from sabacc_env.actions import DEFAULT_BET_SIZES, encode_bet_sizes
from sabacc_env.agent import Agent, RandomAgent
from sabacc_env.engine.rules_record import rules_record
from sabacc_env.game.turn_buffers import TurnBuffers
from sabacc_env.rules import RuleSet
from sabacc_env.tables import Tables
from tests.support.reduced_play import ReducedHands, arbitrary_values, play_reduced

Array = NDArray[np.float64]
RULES = ("casino", "spacers", "orsl", "three_en", "yarith_bespin", "black_spire")


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("seats", [2, 3, 6, 8])
def test_every_game_has_finite_corrections_that_leave_the_mean(rules: str, seats: int) -> None:
    tables = Tables(rules, 50, seats, seed=seats)
    agents = [RandomAgent(tables.rules, seats), *[load("tight", rules, seats)] * (seats - 1)]
    played = play_reduced(tables, agents, 5, value_function=arbitrary_values(), draws=2, deals=1)
    assert np.isfinite(played.by_kind).all()
    for kind in (DEAL, DRAWS, ACTIONS):
        assert played.by_kind[:, kind].any()
    total = played.by_kind.sum(axis=1)
    errors = total.std(axis=0, ddof=1) / np.sqrt(len(total))
    assert (np.abs(total.mean(axis=0)) < 4.5 * errors).all()


def play(game: Game, rules: RuleSet, action: int) -> None:
    """Play a discrete action."""
    game.play_action(TurnBuffers(rules, encode_bet_sizes(DEFAULT_BET_SIZES)), action)


def value_of(game: Game, rules: RuleSet, values: ValueFunction) -> Array:
    """Return the net credits of a game that is over, else the value function's."""
    if game.seat_to_act is None:
        return np.array(game.net_credits, float)
    rows = empty_rows(1)
    zero = np.zeros(1, np.int64)
    write_rows(game._records, zero, rules_record(rules), zero, rows)
    return values.values(rows)[0, : game.num_players]


def mean_value_of(game: Game, rules: RuleSet, values: ValueFunction, agent: Agent) -> Array:
    """Return the mean value of what may follow in a hand with a large pot, else its own value."""
    if game.seat_to_act is None or game._records[0]["staked"] < LARGE_POT * rules.ante_unit:
        return value_of(game, rules, values)
    buffers = TurnBuffers(rules, encode_bet_sizes(DEFAULT_BET_SIZES))
    game.write_turn(buffers)
    told = agent_calls.probabilities(agent, buffers.observation[None], buffers.mask[None])
    assert told is not None
    mean = np.zeros(2)
    for action in np.flatnonzero(told[0]):
        successor = game.clone()
        play(successor, rules, int(action))
        mean += told[0, action] * value_of(successor, rules, values)
    return mean


@pytest.mark.parametrize("looks_ahead", [False, True])
def test_actions_are_corrected_by_the_values_of_all_that_the_agent_could_have_done(
    looks_ahead: bool,
) -> None:
    rules = load_rules("casino", phases=("betting",), starting_credits=60)
    values = arbitrary_values(3)
    agent = RandomAgent(rules, 2)
    tables = Tables(rules, 1, 2, seed=4)
    lookahead = Lookahead(tables, [agent], np.zeros((1, 2), int)) if looks_ahead else None
    variates = ControlVariates(tables, 0, values, deals=0, lookahead=lookahead)
    rng = np.random.default_rng(0)
    for _ in range(30):
        game, expected, over = tables.game(0), np.zeros(2), False
        while not over:
            legal = np.flatnonzero(tables.action_masks[0])
            told = np.zeros((1, tables.action_masks.shape[1]))
            told[0, legal] = rng.dirichlet(np.ones(len(legal)))
            action = int(rng.choice(legal, p=told[0, legal]))
            for other in legal:
                successor = game.clone()
                play(successor, rules, int(other))
                weight = float(other == action) - told[0, other]
                if looks_ahead:
                    expected += weight * mean_value_of(successor, rules, values, agent)
                else:
                    expected += weight * value_of(successor, rules, values)
            variates.before_step(np.array([0]), np.array([action]), told)
            play(game, rules, action)
            tables.step([action])
            over = len(variates.after_step(np.array([0]))) == 1
        assert variates.by_kind[0, ACTIONS] == pytest.approx(expected, rel=1e-5, abs=1e-4)
        assert variates.corrections[0] == pytest.approx(expected, rel=1e-5, abs=1e-4)


@pytest.mark.parametrize("rules", ["casino", "spacers"])
def test_look_ahead_asks_the_agents_in_hands_with_large_pots(rules: str) -> None:
    tables = Tables(rules, 300, 2, seed=0)
    agents = [load("zoo:generalist", rules, 2), load("pot_odds", rules, 2)]
    values = arbitrary_values()

    def corrections(lookahead: Lookahead | None) -> ReducedHands:
        tables = Tables(rules, 300, 2, seed=0)
        variates = ControlVariates(tables, 1, values, deals=0, lookahead=lookahead)
        return play_reduced(tables, agents, 5, variates)

    seats = np.tile([0, 1], (300, 1))
    plain, ahead = corrections(None), corrections(Lookahead(tables, agents, seats))
    assert (plain.net == ahead.net).all()
    differ = (plain.by_kind != ahead.by_kind).any(axis=(1, 2))
    assert differ.any()
    total = ahead.by_kind.sum(axis=1)
    errors = total.std(axis=0, ddof=1) / np.sqrt(len(total))
    assert (np.abs(total.mean(axis=0)) < 4.5 * errors).all()


def test_agents_that_tell_nothing_are_not_corrected_for() -> None:
    tables = Tables("casino", 50, 2, seed=0)
    variates = ControlVariates(tables, 0, arbitrary_values())
    agents = [load("tight", "casino", 2)] * 2
    told = play_reduced(tables, agents, 1, variates)
    assert not told.by_kind[:, ACTIONS].any()
    assert told.by_kind[:, DRAWS].any()


def test_the_seed_decides_and_only_the_seed() -> None:
    def corrections(seed: int, num_tables: int = 40) -> NDArray[np.float64]:
        tables = Tables("orsl", num_tables, 2, seed=0)
        agents = [load("tight", "orsl", 2)] * 2
        return play_reduced(tables, agents, 1, ControlVariates(tables, seed)).by_kind

    assert (corrections(1) == corrections(1)).all()
    assert (corrections(1) != corrections(2)).any()
    assert corrections(1)[:10] == pytest.approx(corrections(1, 10))


def test_deals_cancel_over_both_seatings() -> None:
    tables = Tables("casino", 2, 2, keys=np.array([7, 7], np.uint64))
    agents = [load("tight", "casino", 2)] * 2
    played = play_reduced(tables, agents, 1, value_function=arbitrary_values())
    assert played.by_kind[0, DEAL] == pytest.approx(played.by_kind[1, DEAL])


def test_probabilities_of_another_shape_are_refused() -> None:
    tables = Tables("casino", 3, 2, seed=0)
    with pytest.raises(SabaccError, match=r"shape \(3, 33\), not \(3, 4\)"):
        ControlVariates(tables, 0).before_step(np.arange(3), np.zeros(3, int), np.zeros((3, 4)))
