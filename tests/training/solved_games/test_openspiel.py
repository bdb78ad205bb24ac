"""Flattened games in OpenSpiel, and any rules flattened."""

from __future__ import annotations

import pickle
import random
import subprocess
import sys

import numpy as np
import pytest
from sabacc_training.solved_games import flatten, load_rung, policy_values
from sabacc_training.solved_games.cfr import CFRSolver

from sabacc_env import IllegalMove, RuleSet, SabaccError

pyspiel = pytest.importorskip("pyspiel")

from sabacc_training.solved_games.openspiel import (  # noqa: E402
    TreeGame,
    openspiel_game,
    openspiel_policy,
)

MINE = RuleSet(
    name="mine",
    seats=(2, 3),
    highest_value=3,
    suits=1,
    sylops=0,
    rounds=1,
    cards_dealt=1,
    phases=("betting",),
    starting_credits=8,
)
"""Rules with a Sabacc pot, so that what all win does not add up to 0."""


def test_rules_of_a_users_own_are_flattened_as_a_rung_is() -> None:
    rung = load_rung("little_casino")
    tree = flatten(rung)
    again = flatten(rung.rule_set, 2, bet_sizes=rung.bet_sizes)
    for field in ("seats", "first_child", "first_sequence", "returns"):
        assert np.array_equal(getattr(tree.nodes, field), getattr(again.nodes, field))


def test_a_game_that_is_too_large_is_refused() -> None:
    with pytest.raises(SabaccError, match=r"mine: .* more than 10 nodes; use fewer cards"):
        flatten(MINE, max_nodes=10)
    with pytest.raises(SabaccError, match=r"casino: cannot be flattened: .* outcomes"):
        flatten("casino")


@pytest.mark.parametrize("merge_isomorphic", [True, False])
@pytest.mark.parametrize("seats", [2, 3])
def test_openspiels_random_simulations(seats: int, merge_isomorphic: bool) -> None:
    game = openspiel_game(flatten(MINE, seats, merge_isomorphic=merge_isomorphic))
    assert game.get_type().utility == pyspiel.GameType.Utility.GENERAL_SUM
    pyspiel.random_sim_test(game, num_sims=10, serialize=True, verbose=False)


def test_a_tree_is_loaded_again_from_its_text() -> None:
    game = openspiel_game(flatten(MINE, 3, bet_sizes=("min", "max"), merge_isomorphic=False))
    for again in (pyspiel.load_game(str(game)), pickle.loads(pickle.dumps(game))):
        assert again.lists is game.lists


def test_actions_have_their_names_and_illegal_ones_change_nothing() -> None:
    game = openspiel_game(flatten(load_rung("little_casino")))
    state = game.new_initial_state()
    rng = random.Random(0)
    while not state.is_player_node():
        state.apply_action(rng.choice(state.legal_actions()))
    assert [state.action_to_string(action) for action in state.legal_actions()] == [
        "stand",
        "draw",
        "discard_draw slot 0",
        "swap slot 0",
    ]
    before = str(state)
    with pytest.raises(IllegalMove, match="action 7 is not legal now"):
        state.apply_action(7)
    assert str(state) == before


def test_nash_conv_of_a_users_game_is_that_of_openspiel() -> None:
    tree = flatten(MINE, bet_sizes=("min", "max"))
    solver = CFRSolver(tree)
    solver.iterate(20)
    policy = solver.average_policy()
    game = pyspiel.convert_to_cached_tree(openspiel_game(tree))
    theirs = pyspiel.nash_conv(game, openspiel_policy(tree, policy), False)
    assert theirs == pytest.approx(policy_values(tree, policy).nash_conv)


def test_a_tree_is_flattened_where_it_is_loaded_and_python_ends_cleanly() -> None:
    """OpenSpiel frees what was registered after Python has ended: that must not abort."""
    text = str(openspiel_game(flatten(load_rung("one_card"))))
    assert isinstance(pyspiel.load_game(text), TreeGame)
    code = f"""
import pyspiel
import sabacc_training.solved_games.openspiel
state = pyspiel.load_game({text!r}).new_initial_state()
print(state.clone().legal_actions() == state.legal_actions())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "True\n", "")
