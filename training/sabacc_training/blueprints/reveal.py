"""Values at the reveal of many hands of one seat against many hands of the other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import Array
from sabacc_training.blueprints.hands import Cards


class Reveal(NamedTuple):
    """How the hands of the two seats compare, n of each.

    Attributes:
        order: (n,) the opponent's hands, the weakest first.
        ranks: (n,) their ranks, in this order.
        weaker: (n,) how many of the opponent's hands are weaker than each own hand.
        not_stronger: (n,) how many are weaker or equal.
        own_zero: (n,) whether the total of each own hand is zero.
        zero: (n,) whether that of each of the opponent's is.
        weight: (n + 1,) scratch: the weight of the weakest hands.
        zero_weight: (n + 1,) scratch: that of the zero hands among them.
    """

    order: Array
    ranks: Array
    weaker: Array
    not_stronger: Array
    own_zero: Array
    zero: Array
    weight: Array
    zero_weight: Array


def new_reveal(count: int) -> Reveal:
    """Return a comparison of so many hands."""
    order, ranks, weaker, not_stronger = np.zeros((4, count), np.int64)
    own_zero, zero = np.zeros((2, count), np.bool_)
    weight, zero_weight = np.zeros((2, count + 1))
    return Reveal(order, ranks, weaker, not_stronger, own_zero, zero, weight, zero_weight)


@jit
def compare(reveal: Reveal, cards: Cards, own: Array, others: Array) -> None:
    """Write how own hands compare with the opponent's."""
    for j in range(len(others)):
        rank = cards.ranks[others[j]]
        k = j
        while k > 0 and reveal.ranks[k - 1] > rank:
            reveal.ranks[k] = reveal.ranks[k - 1]
            reveal.order[k] = reveal.order[k - 1]
            k -= 1
        reveal.ranks[k] = rank
        reveal.order[k] = j
        reveal.zero[j] = cards.is_zero[others[j]]
    for i in range(len(own)):
        rank = cards.ranks[own[i]]
        reveal.weaker[i] = first_at_least(reveal.ranks, rank)
        reveal.not_stronger[i] = first_at_least(reveal.ranks, rank + 1)
        reveal.own_zero[i] = cards.is_zero[own[i]]


@jit
def first_at_least(ranks: Array, rank: int) -> int:
    """Return the index of the first of these rising ranks that is not below another."""
    low, high = 0, len(ranks)
    while low < high:
        middle = (low + high) // 2
        if ranks[middle] < rank:
            low = middle + 1
        else:
            high = middle
    return low


@jit
def add_values(
    reveal: Reveal, weights: Array, stake: float, sabacc_stake: float, values: Array
) -> None:
    """Add the value of each own hand at the reveal, against the opponent's hands by weight.

    Args:
        reveal: how the hands compare.
        weights: (n,) the weights of the opponent's hands.
        stake: what the winner's margin is, and minus the loser's.
        sabacc_stake: what it is more if the winner's total is zero.
        values: (n,) what is added to.
    """
    total, total_zero = 0.0, 0.0
    for k in range(len(weights)):
        reveal.weight[k] = total
        reveal.zero_weight[k] = total_zero
        j = reveal.order[k]
        total += weights[j]
        if reveal.zero[j]:
            total_zero += weights[j]
    reveal.weight[len(weights)] = total
    reveal.zero_weight[len(weights)] = total_zero
    for i in range(len(values)):
        won = reveal.weight[reveal.weaker[i]]
        lost = total - reveal.weight[reveal.not_stronger[i]]
        lost_to_zero = total_zero - reveal.zero_weight[reveal.not_stronger[i]]
        own_stake = stake + sabacc_stake if reveal.own_zero[i] else stake
        values[i] += won * own_stake - lost * stake - lost_to_zero * sabacc_stake
