"""Discounted CFR on a tree of bets, with ranges over classes of hands.

Discounts are those of Brown and Sandholm (2019): positive regrets of iteration t are multiplied by
t**1.5 / (t**1.5 + 1), negative ones by 1/2, and strategies weigh t**2.

Cards that both seats might hold are not excluded.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from sabacc_agents.resolving.bet_tree import FOLD, MAX_CHILDREN, MAX_NODES, BetTree
from sabacc_agents.resolving.hand_classes import NUM_CLASSES
from sabacc_agents.resolving.showdown import Showdown
from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import Array

POSITIVE_POWER: Final = 1.5
NEGATIVE_DISCOUNT: Final = 0.5

NOTHING: Final = 1e-12
"""Sums of regrets or of strategies below this count as 0."""


class Solution(NamedTuple):
    """A solution, and the scratch of CFR. All are float32, by class of hands.

    Attributes:
        regrets: (nodes, MAX_CHILDREN, classes).
        sums: (nodes, MAX_CHILDREN, classes) the sums of strategies; at the end their average.
        strategies: (nodes, MAX_CHILDREN, classes) those of the last iteration.
        reach: (nodes, 2, classes) the reach probabilities of both seats.
        values: (nodes, classes) the counterfactual values of the seat that learns.
    """

    regrets: Array
    sums: Array
    strategies: Array
    reach: Array
    values: Array


def new_solution() -> Solution:
    """Return room for a solution."""

    def numbers(*shape: int) -> Array:
        return np.zeros((*shape, NUM_CLASSES), np.float32)

    return Solution(
        regrets=numbers(MAX_NODES, MAX_CHILDREN),
        sums=numbers(MAX_NODES, MAX_CHILDREN),
        strategies=numbers(MAX_NODES, MAX_CHILDREN),
        reach=numbers(MAX_NODES, 2),
        values=numbers(MAX_NODES),
    )


@jit
def solve(
    tree: BetTree,
    found: Solution,
    ranges: Array,
    showdown: Showdown,
    iterations: int,
) -> None:
    """Solve a tree; ``found.sums`` become the average strategies.

    Args:
        tree: the tree.
        found: filled.
        ranges: (2, classes) float32: how likely each seat has a hand of each class.
        showdown: what decides a hand that nobody junks.
        iterations: how often each seat learns.
    """
    size = int(tree.size[0])
    for node in range(size):
        found.regrets[node] = 0
        found.sums[node] = 0
    for seat in range(2):
        copy(ranges[seat], found.reach[0, seat])
    for iteration in range(1, iterations + 1):
        discount = np.float32(iteration**POSITIVE_POWER / (iteration**POSITIVE_POWER + 1))
        weight = np.float32(iteration**2)
        for learner in range(2):
            for node in range(size):
                if tree.counts[node] > 0:
                    match_regrets(found, node, int(tree.counts[node]))
                    pass_on_reach(tree, found, node)
            for node in range(size - 1, -1, -1):
                if tree.counts[node] > 0:
                    learn(tree, found, node, learner, discount, weight)
                else:
                    write_end(tree, found, node, learner, showdown)
    for node in range(size):
        average(found, node, int(tree.counts[node]))


@jit
def copy(source: Array, target: Array) -> None:
    """Copy an array: to assign a whole array would take memory."""
    for i in range(len(source)):
        target[i] = source[i]


@jit
def match_regrets(found: Solution, node: int, count: int) -> None:
    """Write the strategy of regret matching at a node: uniform where no regret is positive."""
    regrets, strategies, whole = found.regrets[node], found.strategies[node], found.values[node]
    whole[:] = 0
    for move in range(count):
        of_move = regrets[move]
        for k in range(len(whole)):
            whole[k] += max(of_move[k], np.float32(0))
    uniform = np.float32(1 / count)
    for move in range(count):
        of_move, strategy = regrets[move], strategies[move]
        for k in range(len(whole)):
            share = max(of_move[k], np.float32(0)) / max(whole[k], np.float32(NOTHING))
            strategy[k] = share if whole[k] > np.float32(NOTHING) else uniform


@jit
def pass_on_reach(tree: BetTree, found: Solution, node: int) -> None:
    """Write the reach probabilities of the children of a node."""
    seat = int(tree.seats[node])
    own, other = found.reach[node, seat], found.reach[node, 1 - seat]
    for move in range(int(tree.counts[node])):
        child = int(tree.children[node, move])
        strategy, following = found.strategies[node, move], found.reach[child, seat]
        for k in range(len(own)):
            following[k] = own[k] * strategy[k]
        copy(other, found.reach[child, 1 - seat])


@jit
def learn(
    tree: BetTree, found: Solution, node: int, learner: int, discount: Any, weight: Any
) -> None:
    """Write the values of a node; add regrets and strategies if the learner acts there."""
    values = found.values[node]
    values[:] = 0
    count = int(tree.counts[node])
    if tree.seats[node] != learner:
        for move in range(count):
            following = found.values[tree.children[node, move]]
            for k in range(len(values)):
                values[k] += following[k]
        return
    for move in range(count):
        following = found.values[tree.children[node, move]]
        strategy = found.strategies[node, move]
        for k in range(len(values)):
            values[k] += strategy[k] * following[k]
    reach = found.reach[node, learner]
    for move in range(count):
        following = found.values[tree.children[node, move]]
        strategy = found.strategies[node, move]
        regrets, sums = found.regrets[node, move], found.sums[node, move]
        for k in range(len(values)):
            kept = discount if regrets[k] > 0 else np.float32(NEGATIVE_DISCOUNT)
            regrets[k] = regrets[k] * kept + following[k] - values[k]
            sums[k] += weight * reach[k] * strategy[k]


@jit
def write_end(tree: BetTree, found: Solution, node: int, learner: int, showdown: Showdown) -> None:
    """Write the values of the learner's hands at an end."""
    values, reach = found.values[node], found.reach[node, 1 - learner]
    lost, won = np.float32(tree.stakes[node, 0]), np.float32(tree.stakes[node, 1])
    if learner == 1:
        lost, won = -won, -lost
    is_zero, extra = showdown.is_zero, np.float32(0.5 * showdown.sabacc_pot)
    weaker, stronger, stronger_zeros = np.float32(0), np.float32(0), np.float32(0)
    for k in range(len(values)):
        stronger += reach[k]
        stronger_zeros += reach[k] * is_zero[k]
    if tree.seats[node] == FOLD:
        values[:] = won * stronger
        return
    tie = np.float32(0.5) * (lost + won)
    stays = np.float32(1 - showdown.redealt)
    wins = showdown.wins if learner == 0 else 1 - showdown.wins
    takes = showdown.takes if learner == 0 else -showdown.takes
    anew = np.float32(showdown.redealt * (lost + wins * (won - lost) + takes * extra)) * stronger
    for k in range(len(values)):
        here = reach[k]
        stronger -= here
        stronger_zeros -= here * is_zero[k]
        kept = weaker * (won + extra * is_zero[k]) + here * tie
        kept += stronger * lost - stronger_zeros * extra
        values[k] = stays * kept + anew
        weaker += here


@jit
def average(found: Solution, node: int, count: int) -> None:
    """Make average strategies of sums. Where a hand never came, the last strategy counts."""
    for k in range(found.values.shape[1]):
        whole = np.float32(0)
        for move in range(count):
            whole += found.sums[node, move, k]
        for move in range(count):
            last = found.strategies[node, move, k]
            share = found.sums[node, move, k] / max(whole, np.float32(NOTHING))
            found.sums[node, move, k] = share if whole > np.float32(NOTHING) else last
