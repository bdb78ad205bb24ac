"""The values of decisions: regrets add up to what a policy loses against an equilibrium."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from sabacc_agents import load
from sabacc_training.evaluation.playing import deal_keys
from sabacc_training.solved_games.agent_policy import tabular_policy_of
from sabacc_training.solved_games.best_response import NO_SEAT, policy_values
from sabacc_training.solved_games.cfr import compute_reach_probabilities
from sabacc_training.solved_games.decision_values import DecisionValues, HandFollower
from sabacc_training.solved_games.game_tree import flatten
from sabacc_training.solved_games.rung import load_rung
from sabacc_training.solved_games.solver import Solution, solve

from sabacc_env import Game, SabaccError


@cache
def solved(rung: str) -> Solution:
    return solve(flatten(load_rung(rung)), target=0.001)


@pytest.mark.parametrize("agent", ["tight", "random", "maximiser"])
@pytest.mark.parametrize("rung", ["one_card", "one_draw", "side_pots"])
@pytest.mark.parametrize("seat", [0, 1])
def test_regrets_add_up_to_what_is_lost(rung: str, agent: str, seat: int) -> None:
    solution = solved(rung)
    tree, values = solution.tree, DecisionValues(solution)
    nodes, states = tree.nodes, tree.states
    game = load_rung(rung)
    own = tabular_policy_of(tree, load(agent, game.rule_set, game.num_players, game.bet_sizes))
    seat_of = states.seats[states.of_sequence]
    mixed = solution.policy.copy()
    mixed[: len(seat_of)] = np.where(seat_of == seat, own[: len(seat_of)], mixed[: len(seat_of)])

    reach = np.zeros(len(nodes.seats))
    compute_reach_probabilities(nodes, mixed, NO_SEAT, reach)
    regret = 0.0
    for node in np.flatnonzero((nodes.seats == seat) & (reach > 0)):
        state = states.of_sequence[nodes.first_sequence[node]]
        decision = values.decision(int(states.hashes[state]))
        assert decision is not None
        sequences = range(states.first_sequence[state], states.first_sequence[state + 1])
        for sequence in sequences:
            regret += reach[node] * mixed[sequence] * decision.regret(int(states.actions[sequence]))
    lost = solution.values.best_response[seat] - policy_values(tree, mixed).on_policy[seat]
    assert regret == pytest.approx(lost, abs=1e-9)
    assert lost > 1e-5


@pytest.mark.parametrize("rung", ["one_draw", pytest.param("little_orsl", marks=pytest.mark.slow)])
def test_in_hands_the_mean_of_regrets_is_what_is_lost(rung: str) -> None:
    solution = solved(rung)
    values, rng = DecisionValues(solution), np.random.default_rng(1)
    rules = solution.tree.rung.rule_set
    regrets, lost = [], []
    for number, key in enumerate(deal_keys(1, 0, 700)):
        game, follower, seat = Game(rules, 2, key=int(key)), HandFollower(values), number % 2
        player = (seat - game.dealer - 1) % 2  # the tree's seats begin at the dealer's left
        regret = 0.0
        while (to_act := game.seat_to_act) is not None:
            decision = follower.decision(game)
            moves = game.view(to_act).legal_actions(solution.tree.rung.bet_sizes)
            assert decision is None or list(decision.action_values) == list(moves)
            if to_act == seat or decision is None:
                action = int(rng.choice(list(moves)))
                regret += 0 if decision is None or to_act != seat else decision.regret(action)
            else:
                shares = np.array([decision.probabilities[action] for action in moves])
                action = int(rng.choice(list(moves), p=shares / shares.sum()))
            game.play(moves[action])
        assert game.net_credits is not None
        regrets.append(regret)
        won = game.net_credits[seat] / rules.ante_unit
        lost.append(solution.values.best_response[player] - won)
    difference = np.array(regrets) - np.array(lost)
    assert abs(difference.mean()) < 4 * difference.std() / np.sqrt(len(difference))
    assert np.mean(regrets) > 0.3


def test_what_is_no_turn_of_the_game_is_refused() -> None:
    values = DecisionValues(solved("one_card"))
    with pytest.raises(SabaccError, match="this turn is not one of the solved game"):
        values.decision(1)
    game = Game(solved("one_card").tree.rung.rule_set, 2, seed=1)
    game.play("check")
    game.play("check")
    with pytest.raises(SabaccError, match="nobody is to act"):
        HandFollower(values).decision(game)
