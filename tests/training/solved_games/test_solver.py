"""Solved games: values from linear programming, NashConv, resuming; OpenSpiel says the same."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest
from sabacc_agents import load
from sabacc_agents.equilibrium import EquilibriumAgent, save_policy
from sabacc_agents.search.agent import Rollouts, UnweightedRollouts
from sabacc_training.evaluation.hero_margin import hero_margin
from sabacc_training.jobs.stopping import StoppedBySignal
from sabacc_training.solved_games import solver
from sabacc_training.solved_games.agent_policy import nash_conv, observations_at, tabular_policy_of
from sabacc_training.solved_games.best_response import policy_values
from sabacc_training.solved_games.cfr import VARIANTS, CFRSolver
from sabacc_training.solved_games.game_tree import flatten
from sabacc_training.solved_games.rung import load_rung
from sabacc_training.solved_games.solver import solve

from sabacc_env import SabaccError
from sabacc_env.agent import RandomAgent
from sabacc_env.game.view import GameView
from tests.support.linear_program import exact_value

VALUES = {  # of the first seat, in antes, by linear programming
    "one_card": -0.062419562,
    "little_spire": 0.105555556,
    "one_draw": 0.0,
    "little_casino": -0.004959844,
    "little_bespin": -0.126725119,
    "with_dice": -0.051048015,
    "little_spacers": 0.179752376,
    "little_orsl": -0.211111111,
}

OF_OPENSPIEL = ("one_card", "little_spire", "one_draw", "little_casino", "with_dice")
"""The rungs whose value OpenSpiel's linear program finds in 24 GiB."""


@pytest.mark.parametrize("name", VALUES)
def test_a_rung_is_solved(name: str) -> None:
    tree = flatten(load_rung(name))
    assert exact_value(tree) == pytest.approx(VALUES[name], abs=1e-8)
    solution = solve(tree, target=0.001)
    assert solution.values.nash_conv < 0.001
    assert solution.values.on_policy[0] == pytest.approx(VALUES[name], abs=0.001)
    assert solution.iterations < 2_000


@pytest.mark.parametrize("variant", VARIANTS)
def test_variants_come_to_the_same(variant: str) -> None:
    solution = solve(flatten(load_rung("one_draw")), variant=variant, target=1e-4)
    assert solution.values.on_policy[0] == pytest.approx(VALUES["one_draw"], abs=1e-4)


def test_three_seats_come_close_without_a_guarantee() -> None:
    solution = solve(flatten(load_rung("side_pots")), target=0.01)
    assert solution.values.nash_conv < 0.01
    assert sum(solution.values.on_policy) == pytest.approx(0)


def test_a_best_response_is_the_one_worked_out_by_hand() -> None:
    """Who always takes the first action checks and calls: a bet of 1 wins or loses 1 more.

    Of 7 cards the best wins against all 6 others, the next against 5, and so on; betting the three
    that win more than they lose gains (6 + 4 + 2) / 6 in 7 hands, from either seat.
    """
    tree = flatten(load_rung("one_card"))
    first = tree.chance_probabilities.copy()
    first[tree.states.first_sequence[:-1]] = 1
    found = policy_values(tree, first)
    assert found.on_policy == pytest.approx((0, 0))
    assert found.best_response == pytest.approx((2 / 7, 2 / 7))
    assert found.exploitability == pytest.approx(2 / 7)


def test_stopped_and_resumed_it_ends_the_same(tmp_path, monkeypatch) -> None:
    tree, checkpoint = flatten(load_rung("little_spire")), tmp_path / "solver.checkpoint"
    whole = solve(tree, target=1e-4)

    class Stop:
        def on_nash_conv(self, iterations: int, nash_conv: float) -> None:
            if iterations > 50:
                raise KeyboardInterrupt

    monkeypatch.setattr(solver, "CHECKPOINT_SECONDS", 0)
    with pytest.raises(KeyboardInterrupt):
        solve(tree, target=1e-4, checkpoint=checkpoint, callback=Stop())
    again = solve(tree, target=1e-4, checkpoint=checkpoint, resume=True)
    assert again.iterations == whole.iterations
    assert again.policy.tobytes() == whole.policy.tobytes()


def test_told_to_stop_it_keeps_what_it_has(tmp_path) -> None:
    import os
    import signal

    checkpoint = tmp_path / "solver.checkpoint"

    class Interrupt:
        def on_nash_conv(self, iterations: int, nash_conv: float) -> None:
            os.kill(os.getpid(), signal.SIGINT)

    tree = flatten(load_rung("one_card"))
    with pytest.raises(StoppedBySignal):
        solve(tree, target=1e-9, checkpoint=checkpoint, callback=Interrupt())
    assert checkpoint.exists()
    other = flatten(load_rung("one_draw"))
    with pytest.raises(SabaccError, match="is of another game or variant"):
        solve(other, checkpoint=checkpoint, resume=True)
    checkpoint.write_bytes(checkpoint.read_bytes()[:-3])
    with pytest.raises(SabaccError, match="cannot be resumed from"):
        solve(flatten(load_rung("one_card")), checkpoint=checkpoint, resume=True)


# Agents.


def test_the_random_agent_has_the_uniform_policy() -> None:
    tree = flatten(load_rung("one_draw"))
    found = tabular_policy_of(tree, RandomAgent(tree.rung.rule_set, 2))
    # Where two Sylops are held, both of which may go, only one action is in the tree.
    assert policy_values(tree, found).nash_conv == pytest.approx(
        policy_values(tree, CFRSolver(tree).current_policy).nash_conv, abs=0.1
    )


def test_a_solved_policy_is_played_and_found_again(tmp_path) -> None:
    rung = load_rung("one_draw")
    tree = flatten(rung)
    solution = solve(tree, target=0.001)
    path = tmp_path / "one_draw.safetensors"
    save_policy(path, solution.to_policy())
    agent = rung.load(str(path))
    assert (tabular_policy_of(tree, agent) == solution.policy).all()
    counted = tabular_policy_of(tree, Secretive(agent), samples=1000)
    assert np.abs(counted - solution.policy).max() < 0.1
    assert policy_values(tree, counted).nash_conv < 0.1
    uniform = RandomAgent(rung.rule_set, 2)
    margin = hero_margin(rung.rule_set, agent, uniform, 2, 2000, seed=1, bet_sizes=rung.bet_sizes)
    assert margin.mean > margin.half_width()
    with pytest.raises(SabaccError, match="was made for the rules 'one_draw', not 'casino'"):
        load(path, "casino", 2)


@pytest.mark.parametrize(
    "name", ["little_casino", "little_bespin", "little_orsl", "little_spacers"]
)
def test_a_policy_knows_all_turns_of_real_hands(name: str) -> None:
    """Whatever the cards: isomorphic ones are merged in the tree, and are not at a table."""
    rung = load_rung(name)
    policy = solve(flatten(rung), target=10).to_policy()
    agent = EquilibriumAgent(bet_sizes=rung.bet_sizes, policy=policy)
    uniform = RandomAgent(rung.rule_set, 2)
    hero_margin(rung.rule_set, agent, uniform, 2, 2000, seed=1, bet_sizes=rung.bet_sizes)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("probabilities", lambda a: a * np.nan),
        ("probabilities", lambda a: a * 2),
        ("probabilities", lambda a: -a),
        ("probabilities", lambda a: a[1:]),
        ("first", lambda a: a * 2),
        ("first", lambda a: a[::-1]),
        ("first", lambda a: a[1:]),
        ("actions", lambda a: a - 100),
        ("actions", lambda a: a + 99),
        ("keys", lambda a: a[::-1]),
        ("keys", lambda a: a.astype(np.int32)),
    ],
)
def test_a_damaged_policy_is_refused(tmp_path, name: str, change) -> None:
    policy = solve(flatten(load_rung("one_card")), target=0.1).to_policy()
    path = tmp_path / "one_card.safetensors"
    arrays = {**policy.arrays, name: np.ascontiguousarray(change(policy.arrays[name]))}
    save_policy(path, replace(policy, arrays=arrays))
    with pytest.raises(SabaccError, match="its arrays are not those of a solved policy"):
        load(path)


def test_a_policy_that_lacks_states_is_not_measured() -> None:
    tree = flatten(load_rung("one_card"))
    policy = solve(tree, target=0.1).to_policy()
    policy = replace(policy, arrays={**policy.arrays, "keys": policy.arrays["keys"] + 1})
    agent = EquilibriumAgent(bet_sizes=policy.bet_sizes, policy=policy)
    with pytest.raises(SabaccError, match="has no entry for some information states"):
        nash_conv(tree, agent)


class Secretive:
    """Plays as another agent, and does not tell by what chances."""

    def __init__(self, agent) -> None:
        self.reset, self.restart, self.act = agent.reset, agent.restart, agent.act


class ByViews:
    """Takes the first legal move that its view names, and keeps what it was shown."""

    wants = "views"

    def __init__(self) -> None:
        self.shown: list[GameView] = []

    def reset(self, num_tables: int) -> None:
        self.tables = num_tables

    def act(self, observations, action_masks, rng, tables=None):
        assert len(observations) == self.tables
        for view, mask in zip(observations, action_masks, strict=True):
            assert view.seat_to_act == view.seat
            assert len(view.legal_moves) == mask.sum()  # one raise size, no two alike cards
        self.shown += observations
        return action_masks.argmax(axis=1)


def test_an_agent_that_wants_views_is_measured_as_one_that_observes() -> None:
    tree, agent = flatten(load_rung("one_card")), ByViews()
    assert nash_conv(tree, agent, samples=2) == pytest.approx(4 / 7)  # see above: worked out
    assert len(agent.shown) == 2 * len(tree.states.seats)
    assert {len(view.history) for view in agent.shown} == {0, 1, 2, 3}


def test_the_searching_agents_are_far_from_random_play() -> None:
    tree = flatten(load_rung("little_spire"))
    for kind in (Rollouts, UnweightedRollouts):
        agent = kind(tree.rung.rule_set, 2, tree.rung.bet_sizes, rollouts=200, determinizations=64)
        assert nash_conv(tree, agent, samples=2) < 0.5  # 1.237 for random play


@pytest.mark.parametrize("name", ["maximiser", "tight", "heuristic"])
def test_scripted_agents_tell_exactly_what_they_play(name: str) -> None:
    tree = flatten(load_rung("little_spire"))
    agent = tree.rung.load(name)
    told = tabular_policy_of(tree, agent)
    agent.restart = lambda tables: None  # type: ignore[attr-defined]
    counted = tabular_policy_of(tree, Secretive(agent), samples=300)
    assert np.abs(told - counted).max() < (0.15 if name == "heuristic" else 1e-9)


def test_a_turn_outside_the_solved_game_is_refused(tmp_path) -> None:
    rung = load_rung("one_card")
    tree = flatten(rung)
    path = tmp_path / "one_card.safetensors"
    save_policy(path, solve(tree, target=0.1).to_policy())
    agent = rung.load(str(path))
    observations, masks = observations_at(tree, np.array([0]))
    agent.reset(1)
    observations[0, 0] += 1
    with pytest.raises(SabaccError, match="table 0 is at a turn that the solved game does not"):
        agent.act(observations, masks, np.random.default_rng(0))


@pytest.mark.skipif(
    find_spec("pyspiel") is None or find_spec("cvxpy") is None,
    reason='comparing needs the extra "openspiel"',
)
@pytest.mark.parametrize(
    "name",
    [
        "side_pots",
        pytest.param("one_card", marks=pytest.mark.slow),
        pytest.param("little_spire", marks=pytest.mark.slow),
        pytest.param("one_draw", marks=pytest.mark.slow),
        pytest.param("little_casino", marks=pytest.mark.slow),
        pytest.param("little_bespin", marks=pytest.mark.slow),
        pytest.param("with_dice", marks=pytest.mark.slow),
        pytest.param("little_spacers", marks=pytest.mark.slow),
        pytest.param("little_orsl", marks=pytest.mark.slow),
        pytest.param("three_seats", marks=pytest.mark.slow),
    ],
)
def test_openspiel_says_the_same(name: str) -> None:
    command = [sys.executable, "-m", "sabacc_training.solved_games.openspiel_comparison", name]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert found["nash_conv"] == pytest.approx(found["openspiel_nash_conv"], abs=1e-6)
    solved = name in OF_OPENSPIEL and find_spec("ecos") is not None
    assert (found["openspiel_value"] is not None) == solved
    if solved:
        assert found["openspiel_value"] == pytest.approx(VALUES[name], abs=1e-6)
