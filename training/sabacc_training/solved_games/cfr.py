"""Counterfactual regret minimisation (CFR) over a flattened game: CFR+ and discounted CFR.

For each seat in turn, one pass from the root computes counterfactual reach probabilities, and one
pass back computes counterfactual values and regrets (Zinkevich et al. 2007). After each iteration
cumulative regrets and policies are discounted (Brown and Sandholm 2019).
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np

from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import Array
from sabacc_env.engine.search.game_tree import END
from sabacc_training.solved_games.game_tree import FloatArray, GameTree, InformationStates, Nodes


class Discount(NamedTuple):
    """The discount factors of iteration t.

    Attributes:
        alpha: positive cumulative regrets are multiplied by t^alpha / (t^alpha + 1).
        beta: negative ones are multiplied by t^beta / (t^beta + 1).
        gamma: the policy of the iteration has the weight t^gamma in the average policy.
    """

    alpha: float
    beta: float
    gamma: float


VARIANTS: Final = {
    "cfr+": Discount(math.inf, -math.inf, 1.0),  # Tammelin 2014: no negative cumulative regrets
    "dcfr": Discount(1.5, 0.0, 2.0),
}


class CFRSolver:
    """The state of CFR after some iterations.

    Attributes:
        tree: the game.
        variant: one of ``VARIANTS``.
        iterations: the number of iterations so far.
        cumulative_regrets: (tree.num_sequences,) counterfactual regrets of the actions, in antes.
        cumulative_policy: (tree.num_sequences,) weighted sums of the policies so far.
        current_policy: (sequences,) the policy of the next iteration, with the probabilities of
            chance outcomes.
    """

    def __init__(self, tree: GameTree, variant: str = "cfr+") -> None:
        self.tree = tree
        self.variant = variant
        self.iterations = 0
        self.cumulative_regrets: FloatArray = np.zeros(tree.num_sequences)
        self.cumulative_policy: FloatArray = np.zeros(tree.num_sequences)
        self.current_policy: FloatArray = tree.chance_probabilities.copy()
        self._own_reach: FloatArray = np.zeros(tree.num_sequences)
        self._reach_then_values: FloatArray = np.zeros(len(tree.nodes.seats))
        self._update_current_policy()

    def restore(
        self, iterations: int, cumulative_regrets: FloatArray, cumulative_policy: FloatArray
    ) -> None:
        """Continue from the state of an earlier solver."""
        self.iterations = iterations
        self.cumulative_regrets[:] = cumulative_regrets
        self.cumulative_policy[:] = cumulative_policy
        self._update_current_policy()

    def _update_current_policy(self) -> None:
        for seat in range(self.tree.num_players):
            match_regrets(self.tree.states, self.cumulative_regrets, self.current_policy, seat)

    def iterate(self, times: int = 1) -> None:
        """Run some iterations; each updates every seat once."""
        nodes, states = self.tree.nodes, self.tree.states
        policy, regrets = self.current_policy, self.cumulative_regrets
        alpha, beta, gamma = VARIANTS[self.variant]
        for _ in range(times):
            self.iterations += 1
            t = float(self.iterations)
            positive, negative = _discount_factor(t, alpha), _discount_factor(t, beta)
            for seat in range(self.tree.num_players):
                compute_reach_probabilities(nodes, policy, seat, self._reach_then_values)
                update_regrets(nodes, policy, seat, self._reach_then_values, regrets)
                discount_regrets(states, regrets, seat, positive, negative)
                update_cumulative_policy(
                    states, policy, seat, t**gamma, self._own_reach, self.cumulative_policy
                )
                match_regrets(states, regrets, policy, seat)

    def average_policy(self) -> FloatArray:
        """Return the average policy, (sequences,), with the probabilities of chance outcomes."""
        policy = self.tree.chance_probabilities.copy()
        normalise_policy(self.tree.states, self.cumulative_policy, policy)
        return policy


def _discount_factor(t: float, power: float) -> float:
    """Return t^power / (t^power + 1), or its limit for an infinite power.

    >>> _discount_factor(5, math.inf), _discount_factor(5, -math.inf), _discount_factor(5, 0.0)
    (1.0, 0.0, 0.5)
    """
    if math.isinf(power):
        return 1.0 if power > 0 else 0.0
    return float(t**power / (t**power + 1))


@jit
def compute_reach_probabilities(nodes: Nodes, policy: Array, seat: int, reach: Array) -> None:
    """Write the counterfactual reach probability of each node for a seat.

    This is the probability with which chance and the other seats reach the node if the seat itself
    plays towards it.
    """
    reach[0] = 1.0
    for node in range(len(nodes.seats)):
        node_reach = reach[node]
        first = nodes.first_child[node]
        width = nodes.first_child[node + 1] - first
        if nodes.seats[node] == seat:
            for k in range(width):
                reach[first + k] = node_reach
        else:
            sequence = nodes.first_sequence[node]
            for k in range(width):
                reach[first + k] = node_reach * policy[sequence + k]


@jit
def update_regrets(nodes: Nodes, policy: Array, seat: int, reach: Array, regrets: Array) -> None:
    """Compute a seat's counterfactual values and add its counterfactual regrets to ``regrets``.

    ``reach`` (n,) holds the counterfactual reach probabilities of the nodes. Afterwards it holds
    their counterfactual values for the seat.
    """
    values = reach  # one array: the value of a node takes the place of its reach probability
    for node in range(len(nodes.seats) - 1, -1, -1):
        acting = nodes.seats[node]
        sequence = nodes.first_sequence[node]
        first = nodes.first_child[node]
        width = nodes.first_child[node + 1] - first
        if acting == END:
            values[node] = reach[node] * nodes.returns[sequence, seat]
        elif acting == seat:
            value = 0.0
            for k in range(width):
                value += policy[sequence + k] * values[first + k]
            for k in range(width):
                regrets[sequence + k] += values[first + k] - value
            values[node] = value
        else:
            value = 0.0
            for k in range(width):
                value += values[first + k]
            values[node] = value


@jit
def discount_regrets(
    states: InformationStates, regrets: Array, seat: int, positive: float, negative: float
) -> None:
    """Multiply a seat's positive and negative cumulative regrets by their discount factors."""
    for state in range(len(states.seats)):
        if states.seats[state] == seat:
            for sequence in range(states.first_sequence[state], states.first_sequence[state + 1]):
                regrets[sequence] *= positive if regrets[sequence] > 0 else negative


@jit
def update_cumulative_policy(
    states: InformationStates,
    policy: Array,
    seat: int,
    weight: float,
    own_reach: Array,
    cumulative_policy: Array,
) -> None:
    """Add a seat's policy to the cumulative policy, weighted by the seat's own reach probability.

    ``own_reach`` (num_sequences,) is scratch: the seat's probability of playing each sequence.
    """
    for state in range(len(states.seats)):
        if states.seats[state] == seat:
            parent = states.parent_sequence[state]
            reach = 1.0 if parent < 0 else own_reach[parent]
            for sequence in range(states.first_sequence[state], states.first_sequence[state + 1]):
                own_reach[sequence] = reach * policy[sequence]
                cumulative_policy[sequence] += weight * own_reach[sequence]


@jit
def match_regrets(states: InformationStates, regrets: Array, policy: Array, seat: int) -> None:
    """Write a seat's policy by regret matching: in proportion to positive cumulative regrets.

    The policy is uniform in information states without a positive regret.
    """
    for state in range(len(states.seats)):
        if states.seats[state] == seat:
            first, end = states.first_sequence[state], states.first_sequence[state + 1]
            total = 0.0
            for sequence in range(first, end):
                total += max(regrets[sequence], 0.0)
            for sequence in range(first, end):
                if total > 0:
                    policy[sequence] = max(regrets[sequence], 0.0) / total
                else:
                    policy[sequence] = 1.0 / (end - first)


@jit
def normalise_policy(states: InformationStates, cumulative_policy: Array, policy: Array) -> None:
    """Write the average policy; it is uniform in information states that were never reached."""
    for state in range(len(states.seats)):
        first, end = states.first_sequence[state], states.first_sequence[state + 1]
        total = 0.0
        for sequence in range(first, end):
            total += cumulative_policy[sequence]
        for sequence in range(first, end):
            if total > 0:
                policy[sequence] = cumulative_policy[sequence] / total
            else:
                policy[sequence] = 1.0 / (end - first)
