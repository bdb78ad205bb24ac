"""The tree of bets of a betting phase at a table of two, after which hands are revealed."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from sabacc_env.array_types import Ints
from sabacc_env.engine.betting import has_no_turn, to_call
from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import (
    FIRST_BET_ACTION,
    GAME_DTYPE,
    JUNK,
    MAX_ACTIONS,
    RAISE_TO,
    Array,
    Record,
)
from sabacc_env.engine.legal import legal_actions
from sabacc_env.engine.step import play_code, raise_total

MAX_NODES: Final = 2048
"""The nodes of the largest tree."""

MAX_CHILDREN: Final = 12
"""Check or call, junk, the bet sizes, and one raise of any other size."""

FOLD: Final = -1
SHOWDOWN: Final = -2

NO_ACTION: Final = -1

MAX_OVERBET: Final = 3
"""A raise of more than so many pots after the call is in a tree only where somebody has made it.
Such raises are rarely worth it, and CFR converges slowly with them: after 100 iterations on
`casino` at 50 antes NashConv is .1 of the pot with them, and .01 without."""

DEPTHS: Final = 4
"""Which raises a tree has depends on how many came before; all from this number on are alike."""


class BetTree(NamedTuple):
    """A tree of bets. Parents come before their children, and the root is node 0.

    Attributes:
        games: (nodes,) GAME_DTYPE: the hand at each node.
        seats: (nodes,) who is to act; FOLD or SHOWDOWN at the end.
        raises: (nodes,) the bets and raises of the phase before.
        counts: (nodes,) the number of children.
        children: (nodes, MAX_CHILDREN) the nodes after each move.
        codes: (nodes, MAX_CHILDREN) the code of each move: its kind, or RAISE_TO + its total.
        actions: (nodes, MAX_CHILDREN) its action in the discrete layout; NO_ACTION for others.
        stakes: (nodes, 2) at an end, what seat 0 has more than half of all credits in play, if it
            loses and if it wins. After a fold both are the same.
        size: (1,) the number of nodes.
    """

    games: Array
    seats: Array
    raises: Array
    counts: Array
    children: Array
    codes: Array
    actions: Array
    stakes: Array
    size: Array


def new_tree() -> BetTree:
    """Return room for a tree."""
    moves = MAX_NODES, MAX_CHILDREN
    return BetTree(
        games=np.zeros(MAX_NODES, GAME_DTYPE),
        seats=np.zeros(MAX_NODES, np.int64),
        raises=np.zeros(MAX_NODES, np.int64),
        counts=np.zeros(MAX_NODES, np.int64),
        children=np.zeros(moves, np.int64),
        codes=np.zeros(moves, np.int64),
        actions=np.zeros(moves, np.int64),
        stakes=np.zeros((MAX_NODES, 2)),
        size=np.zeros(1, np.int64),
    )


def considered_raises(sizes: Array) -> Ints:
    """Return the raises that trees have, by the number of raises before, as bits of actions.

    At first all bet sizes, then the smallest and the two largest, then the two largest. Later
    raises are in a tree only where somebody has made them.

    Args:
        sizes: (1,) BET_SIZES_DTYPE.
    """
    rising = sizes["by_rank"][0][: int(sizes["amount"][0])].tolist()
    by_raises = [rising, [*rising[:1], *rising[-2:]], rising[-2:], []]
    assert len(by_raises) == DEPTHS
    return np.array([sum(1 << FIRST_BET_ACTION + size for size in set(row)) for row in by_raises])


@jit
def grow_tree(
    tree: BetTree, root: Record, rules: Array, sizes: Array, considered: Array, path: Array
) -> bool:
    """Write the tree of a betting phase.

    Args:
        tree: filled.
        root: the hand at the start of the phase.
        rules: (1,) RULES_DTYPE.
        sizes: (1,) BET_SIZES_DTYPE.
        considered: (DEPTHS,) the raises that are considered, as bits of actions, by the number of
            raises before.
        path: (n,) codes of moves from the start of the phase. They are in the tree, whatever is
            considered.

    Returns:
        False if the tree has too many nodes.
    """
    tree.games[0] = root
    tree.seats[0] = root.seat_to_act
    tree.raises[0] = 0
    tree.size[0] = 1
    node, on_path, walked = 0, 0, 0
    while node < tree.size[0]:
        tree.counts[node] = 0
        if tree.seats[node] >= 0:
            wanted = NO_ACTION
            if node == on_path and walked < len(path):
                wanted = int(path[walked])
            if not grow_node(tree, node, rules[0], sizes[0], considered, wanted):
                return False
            if wanted != NO_ACTION:
                walked += 1
                on_path = child_by_code(tree, node, wanted)
        node += 1
    return True


@jit
def grow_node(
    tree: BetTree, node: int, r: Record, sizes: Record, considered: Array, wanted: int
) -> bool:
    """Add the children of a node, one of them after the code that is wanted; False if too many."""
    g = tree.games[node]
    legal = legal_actions(g, r, sizes)
    raises = int(considered[min(int(tree.raises[node]), DEPTHS - 1)])
    for action in range(MAX_ACTIONS):
        if legal >> action & 1 == 0:
            continue
        code = action
        if action >= FIRST_BET_ACTION:
            code = RAISE_TO + raise_total(g, r, action - FIRST_BET_ACTION, sizes)
            is_considered = raises >> action & 1 and not is_overbet(g, code - RAISE_TO)
            if not is_considered and code != wanted:
                continue
        if not add_child(tree, node, r, sizes, action, code):
            return False
    if wanted != NO_ACTION and child_by_code(tree, node, wanted) < 0:
        return add_child(tree, node, r, sizes, NO_ACTION, wanted)
    return True


@jit
def is_overbet(g: Record, total: int) -> bool:
    """Say whether a raise to a total exceeds ``MAX_OVERBET`` pots."""
    pot = int(g.staked) + to_call(g, int(g.seat_to_act))
    return total - int(g.highest_bet) > MAX_OVERBET * pot


@jit
def add_child(tree: BetTree, node: int, r: Record, sizes: Record, action: int, code: int) -> bool:
    """Add the node after a move; False if there is no room."""
    child = int(tree.size[0])
    place = int(tree.counts[node])
    if child == MAX_NODES or place == MAX_CHILDREN:
        return False
    tree.size[0] += 1
    tree.counts[node] += 1
    tree.children[node, place] = child
    tree.codes[node, place] = code
    tree.actions[node, place] = action
    tree.raises[child] = int(tree.raises[node]) + (code >= RAISE_TO)
    tree.games[child] = tree.games[node]
    g = tree.games[child]
    seat = int(g.seat_to_act)
    play_code(g, r, code, sizes)
    other = 1 - seat
    if code == JUNK:
        tree.seats[child] = FOLD
        write_stakes(g, seat, seat, tree.stakes[child])  # seat 0 wins if seat 1 junks
    elif int(g.yet_to_act) >> other & 1 and not has_no_turn(g, r, other):
        tree.seats[child] = other
        g.seat_to_act = other
    else:
        tree.seats[child] = SHOWDOWN
        write_stakes(g, 0, 1, tree.stakes[child])
    return True


@jit
def write_stakes(g: Record, low: int, high: int, stakes: Array) -> None:
    """Write what seat 0 has, if it wins a share ``low`` or ``high`` (0 or 1) of the pot.

    What a seat bet beyond the other's bets comes back.
    """
    matched = min(int(g.bet_hand[0]), int(g.bet_hand[1]))
    pot = int(g.staked)
    has0, has1 = int(g.credits[0]), int(g.credits[1])
    beyond0, beyond1 = int(g.bet_hand[0]) - matched, int(g.bet_hand[1]) - matched
    pot -= beyond0 + beyond1
    has0 += beyond0
    half = 0.5 * (has0 + has1 + beyond1 + pot)
    stakes[0] = has0 + low * pot - half
    stakes[1] = has0 + high * pot - half


@jit
def child_by_code(tree: BetTree, node: int, code: int) -> int:
    """Return the node after a move; -1 if the tree does not have it."""
    for place in range(int(tree.counts[node])):
        if tree.codes[node, place] == code:
            return int(tree.children[node, place])
    return -1
