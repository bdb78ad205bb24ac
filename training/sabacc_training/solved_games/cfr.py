"""Counterfactual regret minimisation over a flattened game: CFR+ and its discounted relatives.

One pass from the root carries down how likely chance and the other seats make each node; one pass
back gathers what each node is worth to the seat, and its regrets (Zinkevich et al. 2007). The seats
take turns. After each iteration regrets and averages are discounted (Brown and Sandholm 2019).
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np

from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import Array
from sabacc_env.engine.search.game_tree import END
from sabacc_training.solved_games.game_tree import Floats, GameTree, Nodes, States


class Discount(NamedTuple):
    """How much of what was gathered counts, by the iteration t.

    Attributes:
        alpha: positive regrets are multiplied by t^alpha / (t^alpha + 1).
        beta: negative ones by t^beta / (t^beta + 1).
        gamma: an iteration has a weight of t^gamma in the average.
    """

    alpha: float
    beta: float
    gamma: float


VARIANTS: Final = {
    "cfr+": Discount(math.inf, -math.inf, 1.0),  # Tammelin 2014: regrets never below nothing
    "dcfr": Discount(1.5, 0.0, 2.0),
}


class Regrets:
    """What an iteration leaves for the next: (num_choices,) each, of the actions alone.

    Attributes:
        tree: the game.
        variant: one of ``VARIANTS``.
        iterations: how many have been.
        regrets: the regret of not having played each action, in antes.
        sums: of the strategies so far, weighted.
        strategy: (choices,) the strategy of the next iteration, and the chances.
    """

    def __init__(self, tree: GameTree, variant: str = "cfr+") -> None:
        self.tree = tree
        self.variant = variant
        self.iterations = 0
        self.regrets: Floats = np.zeros(tree.num_choices)
        self.sums: Floats = np.zeros(tree.num_choices)
        self.strategy: Floats = tree.chances.copy()
        self._reached: Floats = np.zeros(tree.num_choices)
        self._flow: Floats = np.zeros(len(tree.nodes.seats))
        self._match()

    def resume(self, iterations: int, regrets: Floats, sums: Floats) -> None:
        """Go on from what so many iterations left."""
        self.iterations = iterations
        self.regrets[:] = regrets
        self.sums[:] = sums
        self._match()

    def _match(self) -> None:
        for seat in range(self.tree.num_players):
            match_regrets(self.tree.states, self.regrets, self.strategy, seat)

    def iterate(self, times: int = 1) -> None:
        """Go through so many iterations."""
        tree = self.tree
        alpha, beta, gamma = VARIANTS[self.variant]
        for _ in range(times):
            self.iterations += 1
            t = float(self.iterations)
            for seat in range(tree.num_players):
                carry_down(tree.nodes, self.strategy, seat, self._flow)
                gather(tree.nodes, self.strategy, seat, self._flow, self.regrets)
                discount(tree.states, self.regrets, seat, _share(t, alpha), _share(t, beta))
                add_strategy(tree.states, self.strategy, seat, t**gamma, self._reached, self.sums)
                match_regrets(tree.states, self.regrets, self.strategy, seat)

    def average(self) -> Floats:
        """Return the average strategy, (choices,), the chances with it."""
        strategy = self.tree.chances.copy()
        normalise(self.tree.states, self.sums, strategy)
        return strategy


def _share(t: float, power: float) -> float:
    """Return t^power / (t^power + 1), in the limit too.

    >>> _share(5, math.inf), _share(5, -math.inf), _share(5, 0.0)
    (1.0, 0.0, 0.5)
    """
    if math.isinf(power):
        return 1.0 if power > 0 else 0.0
    return float(t**power / (t**power + 1))


@jit
def carry_down(nodes: Nodes, strategy: Array, seat: int, flow: Array) -> None:
    """Write how likely chance and the others make each node, were the seat to head for it."""
    flow[0] = 1.0
    for node in range(len(nodes.seats)):
        first = nodes.first[node]
        width = nodes.first[node + 1] - first
        reach = flow[node]
        if nodes.seats[node] == seat:
            for k in range(width):
                flow[first + k] = reach
        else:
            choice = nodes.choices[node]
            for k in range(width):
                flow[first + k] = reach * strategy[choice + k]


@jit
def gather(nodes: Nodes, strategy: Array, seat: int, flow: Array, regrets: Array) -> None:
    """Turn ``carry_down``'s flow into what each node is worth to the seat; add to its regrets."""
    for node in range(len(nodes.seats) - 1, -1, -1):
        acting = nodes.seats[node]
        choice = nodes.choices[node]
        first = nodes.first[node]
        width = nodes.first[node + 1] - first
        if acting == END:
            flow[node] *= nodes.payoffs[choice, seat]
        elif acting == seat:
            worth = 0.0
            for k in range(width):
                worth += strategy[choice + k] * flow[first + k]
            for k in range(width):
                regrets[choice + k] += flow[first + k] - worth
            flow[node] = worth
        else:
            worth = 0.0
            for k in range(width):
                worth += flow[first + k]
            flow[node] = worth


@jit
def discount(states: States, regrets: Array, seat: int, positive: float, negative: float) -> None:
    """Keep so much of a seat's positive and negative regrets."""
    for state in range(len(states.seats)):
        if states.seats[state] == seat:
            for choice in range(states.first[state], states.first[state + 1]):
                regrets[choice] *= positive if regrets[choice] > 0 else negative


@jit
def add_strategy(
    states: States, strategy: Array, seat: int, weight: float, reached: Array, sums: Array
) -> None:
    """Add a seat's strategy to the sums, weighted by how likely the seat makes each state."""
    for state in range(len(states.seats)):
        if states.seats[state] == seat:
            before = states.before[state]
            reach = 1.0 if before < 0 else reached[before]
            for choice in range(states.first[state], states.first[state + 1]):
                reached[choice] = reach * strategy[choice]
                sums[choice] += weight * reached[choice]


@jit
def match_regrets(states: States, regrets: Array, strategy: Array, seat: int) -> None:
    """Let a seat play its actions in proportion to their regrets, where any is positive."""
    for state in range(len(states.seats)):
        if states.seats[state] == seat:
            first, end = states.first[state], states.first[state + 1]
            total = 0.0
            for choice in range(first, end):
                total += max(regrets[choice], 0.0)
            for choice in range(first, end):
                if total > 0:
                    strategy[choice] = max(regrets[choice], 0.0) / total
                else:
                    strategy[choice] = 1.0 / (end - first)


@jit
def normalise(states: States, sums: Array, strategy: Array) -> None:
    """Make strategies of sums; where a seat never came, any action is as good."""
    for state in range(len(states.seats)):
        first, end = states.first[state], states.first[state + 1]
        total = 0.0
        for choice in range(first, end):
            total += sums[choice]
        for choice in range(first, end):
            strategy[choice] = sums[choice] / total if total > 0 else 1.0 / (end - first)
