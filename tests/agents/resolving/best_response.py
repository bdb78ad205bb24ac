"""Best responses in a tree of bets, in NumPy, and views of last betting phases."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sabacc_agents.resolving.bet_tree import FOLD, BetTree
from sabacc_agents.resolving.showdown import Showdown

from sabacc_env import Game
from sabacc_env.agent import sample
from sabacc_env.game.view import GameView


def best_response_value(
    tree: BetTree,
    policy: NDArray[Any],
    ranges: NDArray[Any],
    showdown: Showdown,
    seat: int,
) -> float:
    """Return what the best response of a seat wins, in credits beyond half of all.

    Hands are compared one by one. ``policy`` is (nodes, classes): of the move that leads to a node.
    """
    size, classes = int(tree.size[0]), ranges.shape[1]
    is_zero = showdown.is_zero
    stronger = np.sign(np.arange(classes)[:, None] - np.arange(classes))
    even = 2 * showdown.wins - 1
    zero = np.where(stronger > 0, is_zero[:, None], 0) - np.where(stronger < 0, is_zero, 0)
    reach = np.zeros((size, classes))
    reach[0] = ranges[1 - seat]
    for node in range(size):
        for move in range(int(tree.counts[node])):
            child = tree.children[node, move]
            reach[child] = reach[node] * (policy[child] if tree.seats[node] != seat else 1.0)
    values = np.zeros((size, classes))
    for node in reversed(range(size)):
        count = int(tree.counts[node])
        if count:
            following = values[tree.children[node, :count]]
            own = tree.seats[node] == seat
            values[node] = following.max(axis=0) if own else following.sum(axis=0)
            continue
        lost, won = tree.stakes[node] if seat == 0 else -tree.stakes[node, ::-1]
        if tree.seats[node] == FOLD:
            values[node] = won * reach[node].sum()
        else:
            sign = 1 if seat == 0 else -1
            better = (1 - showdown.redealt) * stronger + showdown.redealt * sign * even
            takes = (1 - showdown.redealt) * zero + showdown.redealt * sign * showdown.takes
            each = (lost + won) / 2 + (won - lost) / 2 * better + showdown.sabacc_pot / 2 * takes
            values[node] = each @ reach[node]
    return float(values[0] @ ranges[seat])


def views_of_last_bets(
    agent: Any, rules: Any, hands: int, credits: tuple[int, int]
) -> list[GameView]:
    """Return views at the last bets of hands that an agent plays against itself."""
    rng = np.random.default_rng(0)
    found = []
    for seed in range(hands):
        game = Game(rules, num_players=2, seed=seed, credits=list(credits))
        while (seat := game.seat_to_act) is not None:
            view = game.view(seat)
            if view.phase == "betting" and view.round == rules.rounds:
                found.append(view)
            moves = view.legal_actions()
            game.play(moves[int(sample(agent.probabilities([view], mask_of(view)), rng)[0])])
    return found


def mask_of(view: GameView) -> NDArray[np.int8]:
    """Return the mask of a view's legal actions, (1, actions)."""
    mask = np.zeros((1, 33), np.int8)
    mask[0, list(view.legal_actions())] = 1
    return mask
