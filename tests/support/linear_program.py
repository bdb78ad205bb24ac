"""The exact value of a two-seat zero-sum game, by sequence-form linear programming.

After Koller, Megiddo and von Stengel (1996): the first seat chooses a realisation plan x. The best
response of the second seat is a linear program, whose dual is solved together with x.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sabacc_training.solved_games.game_tree import GameTree
from scipy.optimize import linprog
from scipy.sparse import block_array, coo_array, csr_array

from sabacc_env.engine.search.game_tree import CHANCE, END


def exact_value(tree: GameTree) -> float:
    """Return the value of an equilibrium to the first seat, in antes."""
    own, other = (_sequence_numbers(tree, seat) for seat in (0, 1))
    payoffs = _payoffs(tree, own, other)
    constraints, right = _realisation(tree, 0, own)
    against, right_against = _realisation(tree, 1, other)
    # Choose x and q: maximise q . e with  payoffs' x - F' q >= 0,  E x = e,  x >= 0.
    cost = np.concatenate([np.zeros(constraints.shape[1]), -right_against])
    held: Any = block_array([[-payoffs.T, against.T]])
    plan: Any = block_array([[constraints, csr_array((constraints.shape[0], against.shape[0]))]])
    free: Any = [(0, None)] * constraints.shape[1] + [(None, None)] * against.shape[0]
    found = linprog(
        cost, A_ub=held, b_ub=np.zeros(held.shape[0]), A_eq=plan, b_eq=right, bounds=free
    )
    assert found.success, found.message
    return -float(found.fun or 0)


def _sequence_numbers(tree: GameTree, seat: int) -> np.ndarray:
    """Return the number of each sequence among those of the seat; 0 is the empty sequence."""
    mine = tree.states.seats[tree.states.of_sequence] == seat
    numbers = np.zeros(tree.num_sequences, np.int64)
    numbers[mine] = 1 + np.arange(mine.sum())
    return numbers


def _realisation(tree: GameTree, seat: int, numbers: np.ndarray) -> tuple[csr_array, np.ndarray]:
    """Return the constraints, as matrix and right side, on a realisation plan of the seat."""
    states = np.flatnonzero(tree.states.seats == seat)
    rows, columns, values = [0], [0], [1.0]
    for row, state in enumerate(states, start=1):
        parent = tree.states.parent_sequence[state]
        rows.append(row)
        columns.append(0 if parent < 0 else numbers[parent])
        values.append(-1.0)
        first, end = tree.states.first_sequence[state : state + 2]
        for sequence in range(first, end):
            rows.append(row)
            columns.append(numbers[sequence])
            values.append(1.0)
    shape = (len(states) + 1, int(numbers.max()) + 1)
    right = np.zeros(shape[0])
    right[0] = 1
    return csr_array(coo_array((values, (rows, columns)), shape=shape)), right


def _payoffs(tree: GameTree, own: np.ndarray, other: np.ndarray) -> csr_array:
    """Return the first seat's returns for each pair of sequences, times chance's probabilities."""
    nodes = tree.nodes
    size = len(nodes.seats)
    last = np.zeros((2, size), np.int64)
    reach = np.ones(size)
    for node in range(size):
        seat = nodes.seats[node]
        for k, child in enumerate(range(nodes.first_child[node], nodes.first_child[node + 1])):
            sequence = nodes.first_sequence[node] + k
            last[:, child] = last[:, node]
            reach[child] = reach[node]
            if seat == CHANCE:
                reach[child] *= tree.chance_probabilities[sequence]
            else:
                last[seat, child] = (own, other)[seat][sequence]
    ends = np.flatnonzero(nodes.seats == END)
    won = reach[ends] * nodes.returns[nodes.first_sequence[ends], 0]
    shape = (int(own.max()) + 1, int(other.max()) + 1)
    return csr_array(coo_array((won, (last[0, ends], last[1, ends])), shape=shape))
