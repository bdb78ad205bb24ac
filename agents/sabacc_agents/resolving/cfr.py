"""Discounted CFR on a tree of bets, with ranges over classes of hands.

Discounts are those of Brown and Sandholm (2019): positive regrets of iteration t are multiplied by
t**1.5 / (t**1.5 + 1), negative ones by 1/2, and strategies weigh t**2.

Cards that both seats might hold are not excluded.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from sabacc_agents.resolving.bet_tree import FOLD, MAX_NODES, BetTree
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

    What belongs to a move stands at the node that the move leads to.

    Attributes:
        regrets: (nodes, classes) of moves.
        sums: (nodes, classes) the sums of strategies; at the end their average, the probabilities
            of moves.
        strategies: (nodes, classes) those of the last iteration.
        values: (nodes, classes) the counterfactual values of the seat that learns.
        reach: (2, nodes, classes) the reach probabilities of both seats.
        below: (2, classes) scratch memory.
    """

    regrets: Array
    sums: Array
    strategies: Array
    values: Array
    reach: Array
    below: Array


def new_solution() -> Solution:
    """Return room for a solution.

    One row more than nodes, so that rows of one node in two arrays are not 4 KiB apart: processors
    take such addresses for the same at first.
    """
    rows = np.zeros((6, MAX_NODES + 1, NUM_CLASSES), np.float32)
    regrets, sums, strategies, values = rows[:4]
    below = np.zeros((2, NUM_CLASSES), np.float32)
    return Solution(regrets, sums, strategies, values, rows[4:], below)


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
        copy(ranges[seat], found.reach[seat, 0])
        play(tree, found, size, seat)
    for iteration in range(1, iterations + 1):
        discount = np.float32(iteration**POSITIVE_POWER / (iteration**POSITIVE_POWER + 1))
        weight = np.float32(iteration**2)
        for learner in range(2):
            for node in range(size - 1, -1, -1):
                if tree.counts[node] > 0:
                    learn(tree, found, node, learner, discount, weight)
                else:
                    write_end(tree, found, node, learner, showdown)
            play(tree, found, size, learner)
    for node in range(size):
        average(tree, found, node)


@jit
def copy(source: Array, target: Array) -> None:
    """Copy an array: to assign a whole array would take memory."""
    for i in range(len(source)):
        target[i] = source[i]


@jit
def play(tree: BetTree, found: Solution, size: int, seat: int) -> None:
    """Write the strategy of a seat by its regrets, and how likely it reaches each node."""
    for node in range(size):
        count = int(tree.counts[node])
        acts = tree.seats[node] == seat
        if acts:
            match_regrets(tree, found, node)
        reach = found.reach[seat, node]
        for move in range(count):
            child = int(tree.children[node, move])
            strategy, following = found.strategies[child], found.reach[seat, child]
            if acts:
                for k in range(len(reach)):
                    following[k] = reach[k] * strategy[k]
            else:
                copy(reach, following)


@jit
def match_regrets(tree: BetTree, found: Solution, node: int) -> None:
    """Write the strategy of regret matching at a node: uniform where no regret is positive."""
    whole, count = found.values[node], int(tree.counts[node])
    whole[:] = 0
    for move in range(count):
        regrets = found.regrets[tree.children[node, move]]
        for k in range(len(whole)):
            whole[k] += max(regrets[k], np.float32(0))
    uniform = np.float32(1 / count)
    for move in range(count):
        child = int(tree.children[node, move])
        regrets, strategy = found.regrets[child], found.strategies[child]
        for k in range(len(whole)):
            share = max(regrets[k], np.float32(0)) / max(whole[k], np.float32(NOTHING))
            strategy[k] = share if whole[k] > np.float32(NOTHING) else uniform


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
        child = int(tree.children[node, move])
        following, strategy = found.values[child], found.strategies[child]
        for k in range(len(values)):
            values[k] += strategy[k] * following[k]
    reach = found.reach[learner, node]
    for move in range(count):
        child = int(tree.children[node, move])
        following, strategy = found.values[child], found.strategies[child]
        regrets, sums = found.regrets[child], found.sums[child]
        for k in range(len(values)):
            kept = discount if regrets[k] > 0 else np.float32(NEGATIVE_DISCOUNT)
            regrets[k] = regrets[k] * kept + following[k] - values[k]
            sums[k] += weight * reach[k] * strategy[k]


@jit
def write_end(tree: BetTree, found: Solution, node: int, learner: int, showdown: Showdown) -> None:
    """Write the values of the learner's hands at an end."""
    values, reach = found.values[node], found.reach[1 - learner, node]
    lost, won = np.float32(tree.stakes[node, 0]), np.float32(tree.stakes[node, 1])
    if learner == 1:
        lost, won = -won, -lost
    if tree.seats[node] == FOLD:
        values[:] = won * total(reach)
        return
    is_zero, below, zeros_below = showdown.is_zero, found.below[0], found.below[1]
    whole, zeros = np.float32(0), np.float32(0)
    for k in range(len(values)):
        below[k], zeros_below[k] = whole, zeros
        whole += reach[k]
        zeros += reach[k] * is_zero[k]
    extra, tie = np.float32(0.5 * showdown.sabacc_pot), np.float32(0.5) * (lost + won)
    stays = np.float32(1 - showdown.redealt)
    wins = showdown.wins if learner == 0 else 1 - showdown.wins
    takes = showdown.takes if learner == 0 else -showdown.takes
    anew = np.float32(showdown.redealt * (lost + wins * (won - lost) + takes * extra)) * whole
    for k in range(len(values)):
        here = reach[k]
        stronger = whole - below[k] - here
        stronger_zeros = zeros - zeros_below[k] - here * is_zero[k]
        kept = below[k] * (won + extra * is_zero[k]) + here * tie
        kept += stronger * lost - stronger_zeros * extra
        values[k] = stays * kept + anew


@jit
def total(numbers: Array) -> Any:
    """Return the sum of numbers, whose number is a multiple of four.

    Four sums at once are faster, because each addition waits for the one before.
    """
    first = second = third = fourth = np.float32(0)
    for k in range(0, len(numbers), 4):
        first += numbers[k]
        second += numbers[k + 1]
        third += numbers[k + 2]
        fourth += numbers[k + 3]
    return first + second + third + fourth


@jit
def average(tree: BetTree, found: Solution, node: int) -> None:
    """Make averages of the sums at a node. Where a hand never came, the last strategy counts."""
    whole, count = found.values[node], int(tree.counts[node])
    whole[:] = 0
    for move in range(count):
        sums = found.sums[tree.children[node, move]]
        for k in range(len(whole)):
            whole[k] += sums[k]
    for move in range(count):
        child = int(tree.children[node, move])
        sums, strategy = found.sums[child], found.strategies[child]
        for k in range(len(whole)):
            share = sums[k] / max(whole[k], np.float32(NOTHING))
            sums[k] = share if whole[k] > np.float32(NOTHING) else strategy[k]
