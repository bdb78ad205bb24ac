"""Discounted CFR on a tree of bets, with ranges over classes of hands.

Discounts are those of Brown and Sandholm (2019): positive regrets of iteration t are multiplied by
t**1.5 / (t**1.5 + 1), negative ones by 1/2, and strategies weigh t**2.

Cards that both seats might hold are not excluded.

What takes a whole tree loops over its nodes itself: a call with a tree and a solution passes more
than a hundred numbers, which takes as long as the work at a node.
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
        for k in range(NUM_CLASSES):
            found.reach[seat, 0, k] = ranges[seat, k]
        play(tree, found, size, seat)
    for iteration in range(1, iterations + 1):
        discount = np.float32(iteration**POSITIVE_POWER / (iteration**POSITIVE_POWER + 1))
        weight = np.float32(iteration**2)
        for learner in range(2):
            write_ends(tree, found, size, learner, showdown)
            learn(tree, found, size, learner, discount, weight)
            play(tree, found, size, learner)
    average(tree, found, size)


@jit
def write_ends(tree: BetTree, found: Solution, size: int, learner: int, showdown: Showdown) -> None:
    """Write the values of the learner's hands at the ends."""
    extra = np.float32(0.5 * showdown.sabacc_pot)
    wins = showdown.wins if learner == 0 else 1 - showdown.wins
    takes = showdown.takes if learner == 0 else -showdown.takes
    for node in range(size):
        if tree.counts[node] > 0:
            continue
        values, reach = found.values[node], found.reach[1 - learner, node]
        lost, won = np.float32(tree.stakes[node, 0]), np.float32(tree.stakes[node, 1])
        if learner == 1:
            lost, won = -won, -lost
        if tree.seats[node] == FOLD:
            values[:] = won * total(reach)
        else:
            anew = showdown.redealt * (lost + wins * (won - lost) + takes * extra)
            write_showdown(values, reach, found.below, showdown, lost, won, np.float32(anew))


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
def write_showdown(
    values: Array, reach: Array, scratch: Array, showdown: Showdown, lost: Any, won: Any, anew: Any
) -> None:
    """Write the values of hands at a reveal, against the other seat's reach probabilities.

    ``anew`` is what new hands are worth after the last bets, times the probability of them.
    """
    is_zero, below, zeros_below = showdown.is_zero, scratch[0], scratch[1]
    extra, tie = np.float32(0.5 * showdown.sabacc_pot), np.float32(0.5) * (lost + won)
    stays, whole, zeros = np.float32(1 - showdown.redealt), np.float32(0), np.float32(0)
    for k in range(NUM_CLASSES):
        below[k], zeros_below[k] = whole, zeros
        whole += reach[k]
        zeros += reach[k] * is_zero[k]
    anew *= whole
    for k in range(NUM_CLASSES):
        here = reach[k]
        stronger = whole - below[k] - here
        stronger_zeros = zeros - zeros_below[k] - here * is_zero[k]
        kept = below[k] * (won + extra * is_zero[k]) + here * tie
        kept += stronger * lost - stronger_zeros * extra
        values[k] = stays * kept + anew


@jit
def learn(
    tree: BetTree, found: Solution, size: int, learner: int, discount: Any, weight: Any
) -> None:
    """Write the values of nodes with moves; add regrets and strategies where the learner acts."""
    for node in range(size - 1, -1, -1):
        count = int(tree.counts[node])
        if count == 0:
            continue
        values = found.values[node]
        values[:] = 0
        acts = tree.seats[node] == learner
        for move in range(count):
            child = int(tree.children[node, move])
            following, strategy = found.values[child], found.strategies[child]
            for k in range(NUM_CLASSES):
                values[k] += strategy[k] * following[k] if acts else following[k]
        if not acts:
            continue
        reach = found.reach[learner, node]
        for move in range(count):
            child = int(tree.children[node, move])
            following, strategy = found.values[child], found.strategies[child]
            regrets, sums = found.regrets[child], found.sums[child]
            for k in range(NUM_CLASSES):
                kept = discount if regrets[k] > 0 else np.float32(NEGATIVE_DISCOUNT)
                regrets[k] = regrets[k] * kept + following[k] - values[k]
                sums[k] += weight * reach[k] * strategy[k]


@jit
def play(tree: BetTree, found: Solution, size: int, seat: int) -> None:
    """Write the strategy of a seat by its regrets, and how likely it reaches each node."""
    for node in range(size):
        count, children = int(tree.counts[node]), tree.children[node]
        acts = tree.seats[node] == seat
        if acts:
            match_regrets(found.regrets, children, count, found.values[node], found.strategies)
        reach = found.reach[seat, node]
        for move in range(count):
            strategy = found.strategies[children[move]]
            following = found.reach[seat, children[move]]
            for k in range(NUM_CLASSES):
                following[k] = reach[k] * strategy[k] if acts else reach[k]


@jit
def match_regrets(
    regrets: Array, children: Array, count: int, whole: Array, strategies: Array
) -> None:
    """Write the strategy of regret matching at a node: uniform where no regret is positive.

    Args:
        regrets: (nodes, classes) as in ``Solution``.
        children: (moves,) the nodes after the moves.
        count: how many moves there are.
        whole: (classes,) scratch memory.
        strategies: (nodes, classes) written at the children.
    """
    whole[:] = 0
    for move in range(count):
        row = regrets[children[move]]
        for k in range(NUM_CLASSES):
            whole[k] += max(row[k], np.float32(0))
    uniform = np.float32(1 / count)
    for move in range(count):
        row, strategy = regrets[children[move]], strategies[children[move]]
        for k in range(NUM_CLASSES):
            share = max(row[k], np.float32(0)) / max(whole[k], np.float32(NOTHING))
            strategy[k] = share if whole[k] > np.float32(NOTHING) else uniform


@jit
def average(tree: BetTree, found: Solution, size: int) -> None:
    """Make averages of the sums. Where a hand never came, the last strategy counts."""
    for node in range(size):
        count, children = int(tree.counts[node]), tree.children[node]
        whole = found.values[node]
        whole[:] = 0
        for move in range(count):
            sums = found.sums[children[move]]
            for k in range(NUM_CLASSES):
                whole[k] += sums[k]
        for move in range(count):
            sums, strategy = found.sums[children[move]], found.strategies[children[move]]
            for k in range(NUM_CLASSES):
                share = sums[k] / max(whole[k], np.float32(NOTHING))
                sums[k] = share if whole[k] > np.float32(NOTHING) else strategy[k]
