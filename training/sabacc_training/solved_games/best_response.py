"""What strategies are worth, and what a best response to them gains: NashConv."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import Array
from sabacc_env.engine.search.game_tree import END
from sabacc_training.solved_games.cfr import carry_down
from sabacc_training.solved_games.game_tree import Floats, GameTree, Nodes, States

NOBODY: Final = -9
"""No seat: whoever acts does so by its strategy."""


@dataclass(frozen=True)
class Distance:
    """How far strategies are from an equilibrium, all in antes of the unit a hand.

    Attributes:
        values: what each seat wins when all play by them.
        responses: what each seat wins by its best response to the others.
    """

    values: tuple[float, ...]
    responses: tuple[float, ...]

    @property
    def nash_conv(self) -> float:
        """What all seats together gain by best responses; 0 in an equilibrium."""
        return sum(self.responses) - sum(self.values)

    @property
    def exploitability(self) -> float:
        """NashConv for each seat."""
        return self.nash_conv / len(self.values)


def distance(tree: GameTree, strategy: Floats) -> Distance:
    """Measure a strategy of all seats, (choices,): exact.

    Of three seats or more a small NashConv says less: no seat gains alone, but nothing follows for
    what it wins against others.
    """
    flow = np.zeros(len(tree.nodes.seats))
    carry_down(tree.nodes, strategy, NOBODY, flow)
    values = np.zeros(tree.num_players)
    pay(tree.nodes, flow, values)
    responses = []
    for seat in range(tree.num_players):
        worths, best = np.zeros(tree.num_choices), np.zeros(len(tree.states.seats), np.int32)
        responses.append(respond(tree.nodes, tree.states, strategy, seat, flow, worths, best))
    return Distance(tuple(values.tolist()), tuple(responses))


@jit
def pay(nodes: Nodes, flow: Array, values: Array) -> None:
    """Add up what each seat wins, by how likely each end is."""
    for node in range(len(nodes.seats)):
        if nodes.seats[node] == END:
            for seat in range(len(values)):
                values[seat] += flow[node] * nodes.payoffs[nodes.choices[node], seat]


@jit
def respond(
    nodes: Nodes,
    states: States,
    strategy: Array,
    seat: int,
    flow: Array,
    worths: Array,
    best: Array,
) -> float:
    """Return what a seat wins by its best response, which is written to ``best``.

    An information state is decided on when all its nodes' children have their worth: they are one
    level below.
    """
    carry_down(nodes, strategy, seat, flow)
    state = len(states.seats) - 1
    for level in range(len(nodes.levels) - 2, -1, -1):
        begin, end = nodes.levels[level], nodes.levels[level + 1]
        for node in range(begin, end):
            choice = nodes.choices[node]
            first = nodes.first[node]
            width = nodes.first[node + 1] - first
            if nodes.seats[node] == END:
                flow[node] *= nodes.payoffs[choice, seat]
            elif nodes.seats[node] == seat:
                for k in range(width):
                    worths[choice + k] += flow[first + k]
            else:
                worth = 0.0
                for k in range(width):
                    worth += flow[first + k]
                flow[node] = worth
        while state >= 0 and states.levels[state] == level:
            if states.seats[state] == seat:
                first = states.first[state]
                for k in range(states.first[state + 1] - first):
                    if worths[first + k] > worths[first + best[state]]:
                        best[state] = k
            state -= 1
        for node in range(begin, end):
            if nodes.seats[node] == seat:
                chosen = best[states.of_choice[nodes.choices[node]]]
                flow[node] = flow[nodes.first[node] + chosen]
    return float(flow[0])
