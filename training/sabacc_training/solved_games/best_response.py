"""Values of policies, best responses to them, and NashConv, all exact."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import Array
from sabacc_env.engine.search.game_tree import END
from sabacc_training.solved_games.cfr import compute_reach_probabilities
from sabacc_training.solved_games.game_tree import FloatArray, GameTree, InformationStates, Nodes

NO_SEAT: Final = -9
"""In place of a seat: every seat plays its policy."""


@dataclass(frozen=True)
class PolicyValues:
    """Values of a policy of all seats, in antes of the unit a hand.

    Attributes:
        on_policy: the value of each seat when all seats play the policy.
        best_response: the value of each seat's best response to the policies of the others.
    """

    on_policy: tuple[float, ...]
    best_response: tuple[float, ...]

    @property
    def nash_conv(self) -> float:
        """The gains of all seats by best responses, added up; 0 in an equilibrium."""
        return sum(self.best_response) - sum(self.on_policy)

    @property
    def exploitability(self) -> float:
        """NashConv divided by the number of seats."""
        return self.nash_conv / len(self.on_policy)


def policy_values(tree: GameTree, policy: FloatArray) -> PolicyValues:
    """Return the exact values of a policy of all seats, (sequences,).

    With three seats or more a small NashConv says less: no seat gains by deviating alone, but this
    implies nothing about the values against other opponents.
    """
    node_values = np.zeros(len(tree.nodes.seats))
    compute_reach_probabilities(tree.nodes, policy, NO_SEAT, node_values)
    on_policy = np.zeros(tree.num_players)
    add_expected_returns(tree.nodes, node_values, on_policy)
    best_response = []
    for seat in range(tree.num_players):
        action_values = np.zeros(tree.num_sequences)
        best_actions = np.zeros(len(tree.states.seats), np.int32)
        value = best_response_value(
            tree.nodes, tree.states, policy, seat, node_values, action_values, best_actions
        )
        best_response.append(value)
    return PolicyValues(tuple(on_policy.tolist()), tuple(best_response))


@jit
def add_expected_returns(nodes: Nodes, reach: Array, values: Array) -> None:
    """Add to ``values`` each seat's returns, weighted by the reach probabilities of the ends."""
    for node in range(len(nodes.seats)):
        if nodes.seats[node] == END:
            for seat in range(len(values)):
                values[seat] += reach[node] * nodes.returns[nodes.first_sequence[node], seat]


@jit
def best_response_value(
    nodes: Nodes,
    states: InformationStates,
    policy: Array,
    seat: int,
    values: Array,
    action_values: Array,
    best_actions: Array,
) -> float:
    """Return the value of a seat's best response, and write its actions to ``best_actions``.

    ``values`` (n,) is scratch: counterfactual reach probabilities, then counterfactual values. All
    nodes of an information state are on one level, so its best action is known as soon as the level
    below has values.
    """
    compute_reach_probabilities(nodes, policy, seat, values)
    state = len(states.seats) - 1
    for level in range(len(nodes.level_starts) - 2, -1, -1):
        begin, end = nodes.level_starts[level], nodes.level_starts[level + 1]
        for node in range(begin, end):
            sequence = nodes.first_sequence[node]
            first = nodes.first_child[node]
            width = nodes.first_child[node + 1] - first
            if nodes.seats[node] == END:
                values[node] *= nodes.returns[sequence, seat]
            elif nodes.seats[node] == seat:
                for k in range(width):
                    action_values[sequence + k] += values[first + k]
            else:
                value = 0.0
                for k in range(width):
                    value += values[first + k]
                values[node] = value
        while state >= 0 and states.levels[state] == level:
            if states.seats[state] == seat:
                first = states.first_sequence[state]
                for k in range(states.first_sequence[state + 1] - first):
                    if action_values[first + k] > action_values[first + best_actions[state]]:
                        best_actions[state] = k
            state -= 1
        for node in range(begin, end):
            if nodes.seats[node] == seat:
                best = best_actions[states.of_sequence[nodes.first_sequence[node]]]
                values[node] = values[nodes.first_child[node] + best]
    return float(values[0])
