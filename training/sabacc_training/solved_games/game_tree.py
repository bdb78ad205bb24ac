"""Flattened game trees: arrays in level order, over which the solver makes its passes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sabacc_env.actions import DEFAULT_BET_SIZES, BetSize, encode_bet_sizes
from sabacc_env.array_types import Ints
from sabacc_env.engine.layout import GAME_DTYPE
from sabacc_env.engine.observation.blocks import OBSERVATION_DTYPE
from sabacc_env.engine.rules_record import rules_record
from sabacc_env.engine.search import game_tree
from sabacc_env.errors import SabaccError
from sabacc_env.game.records import record_before_deal
from sabacc_env.rules import RuleSet
from sabacc_training.solved_games.rung import Rung, rung_of
from sabacc_training.solved_games.suit_isomorphism import card_classes, suits_are_isomorphic

IndexArray = NDArray[np.int32]
FloatArray = NDArray[np.float64]

MAX_DEPTH: Final = 256
"""The largest number of nodes on a path from the deal to an end."""
MAX_OUTCOMES: Final = 1 << 21
"""The largest number of outcomes of the chance events on a path."""
MAX_NODES: Final = 1 << 25
"""The default for the largest tree: three times that of the largest rung, in 4 GiB."""
CHUNK: Final = 1 << 20
"""Nodes between two calls of ``on_nodes``."""

ERROR_MESSAGES: Final = {
    game_tree.TOO_DEEP: f"a hand can take more than {MAX_DEPTH} turns and chance events",
    game_tree.TOO_MANY_OUTCOMES: (
        f"one chance event has more than {MAX_OUTCOMES:,} outcomes, or {game_tree.MAX_WAYS:,} ways "
        "to reach them, as repeated blind draws have; use one suit and fewer cards"
    ),
}


class Nodes(NamedTuple):
    """The nodes of a tree, level by level, the root first; the children of a node are consecutive.

    A sequence is an information state with one of its actions, as in the sequence form of a game
    and in OpenSpiel. An outcome of a chance node counts as a sequence too. Sequences have numbers:
    first the actions of one information state after another, then the outcomes of one chance node
    after another. Policies and regrets are arrays over sequences.
    """

    seats: NDArray[np.int8]  # (n,) the seat to act, CHANCE or END
    first_child: IndexArray  # (n + 1,) the children of node i end where those of i + 1 begin
    first_sequence: IndexArray  # (n,) the first sequence; of an end, its row of ``returns``
    returns: FloatArray  # (ends, num_players) antes of the unit
    level_starts: Ints  # (depth + 1,) the first node of each level, then n


class InformationStates(NamedTuple):
    """The information states in the order of their levels."""

    seats: NDArray[np.int8]  # (m,) the seat to act
    first_sequence: IndexArray  # (m + 1,) the first sequence of each, then their number
    parent_sequence: IndexArray  # (m,) the seat's own last sequence before it, -1 for none
    levels: IndexArray  # (m,) the level of its nodes
    of_sequence: IndexArray  # (num_sequences,) the information state of each sequence
    hashes: Ints  # (m,) how agents recognise them: ``game_tree.update_info_state``
    nodes: IndexArray  # (m,) one node of each
    actions: NDArray[np.int8]  # (num_sequences,) in the discrete layout


@dataclass(frozen=True)
class GameTree:
    """A flattened game tree; ``flatten`` makes it.

    Attributes:
        rung: the game.
        nodes: its nodes.
        states: its information states.
        chance_probabilities: (sequences,) the probabilities of chance outcomes; 0 for actions,
            which come before them.
        parents: (n,) the parent of each node.
        edges: (n,) the action that led to each node, or the number that forced the outcome.
        root: the hand at the root, for the engine.
    """

    rung: Rung
    nodes: Nodes
    states: InformationStates
    chance_probabilities: FloatArray
    parents: IndexArray
    edges: Ints
    root: game_tree.Root

    @property
    def num_players(self) -> int:
        """The number of seats."""
        return int(self.nodes.returns.shape[1])

    @property
    def num_sequences(self) -> int:
        """The number of sequences without chance outcomes."""
        return len(self.states.actions)


def flatten(
    game: Rung | str | Path | RuleSet,
    num_players: int = 2,
    *,
    bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
    merge_isomorphic: bool = True,
    max_nodes: int = MAX_NODES,
    on_nodes: Callable[[int], None] | None = None,
) -> GameTree:
    """Return the whole game tree of a rung, or of any rules that are small enough.

    Args:
        game: a rung, which says how many players and which bet sizes; or rules by name, by path,
            or as a ``RuleSet``. The dealer is the last seat.
        num_players: the number of players.
        bet_sizes: what the bet actions mean.
        merge_isomorphic: whether isomorphic chance outcomes are merged.
        max_nodes: the largest tree; while it is built, a node takes up to 120 bytes.
        on_nodes: called now and then with the number of nodes so far.

    Raises:
        SabaccError: for rules or players that make no game, and for a game that is too deep, too
            large, or has chance events with too many outcomes.
        MemoryError: for a game that does not fit into memory.

    >>> from sabacc_env import load_rules
    >>> rules = load_rules(
    ...     "casino", highest_value=2, suits=1, sylops=0, seats=(2, 2), cards_dealt=1, rounds=1,
    ...     phases=("betting",), starting_credits=8, sabacc_ante=0
    ... )
    >>> tree = flatten(rules, bet_sizes=("min", "max"))
    >>> len(tree.nodes.seats), len(tree.states.seats)
    (1657, 288)
    """
    rung = game if isinstance(game, Rung) else rung_of(game, num_players, bet_sizes)
    root = _root(rung, merge_isomorphic)
    traversal, tree = _traversal(), _empty_tree(CHUNK, rung.num_players)
    problem = game_tree.begin(root, traversal, tree)
    counters = traversal.counters[0]
    while problem == game_tree.NO_ROOM:
        problem = game_tree.expand(root, traversal, tree)
        if on_nodes is not None:
            on_nodes(int(counters.nodes))
        if counters.nodes > max_nodes:
            raise SabaccError(
                f"{rung.name}: cannot be flattened: its tree has more than {max_nodes:,} nodes; "
                "use fewer cards, rounds, players or bet sizes, or a greater max_nodes"
            )
        if problem == game_tree.NO_ROOM:
            tree = _enlarged(tree, int(counters.nodes))
    if problem != game_tree.DONE:
        raise SabaccError(f"{rung.name}: cannot be flattened: {ERROR_MESSAGES[problem]}")
    return _number_by_level(rung, root, tree, int(counters.nodes), int(counters.ends))


def _root(rung: Rung, merge_isomorphic: bool) -> game_tree.Root:
    start = record_before_deal(rung.rule_set, rung.num_players)
    rules = rules_record(rung.rule_set)
    sizes = encode_bet_sizes(rung.bet_sizes)
    classes, suits_isomorphic = card_classes(rung.rule_set), suits_are_isomorphic(rung.rule_set)
    return game_tree.Root(start, rules, sizes, classes, suits_isomorphic, merge_isomorphic)


def _traversal() -> game_tree.Traversal:
    rows = np.zeros(1, OBSERVATION_DTYPE)
    return game_tree.Traversal(
        counters=np.zeros(1, game_tree.COUNTERS_DTYPE),
        frames=np.zeros(MAX_DEPTH, game_tree.FRAME_DTYPE),
        games=np.zeros(MAX_DEPTH, GAME_DTYPE),
        trial=np.zeros(1, GAME_DTYPE),
        rows=rows,
        words=rows.view(np.int32),
        numbers=np.zeros(MAX_OUTCOMES, np.int64),
        probabilities=np.zeros(MAX_OUTCOMES),
        hash_keys=np.zeros(2 * MAX_OUTCOMES, np.int64),
        hash_outcomes=np.zeros(2 * MAX_OUTCOMES, np.int64),
        hash_events=np.zeros(2 * MAX_OUTCOMES, np.int64),
        pending=np.zeros((1 << 12, 2), np.int64),
    )


def _empty_tree(size: int, num_players: int) -> game_tree.Tree:
    return game_tree.Tree(
        seats=np.zeros(size, np.int8),
        first_children=np.zeros(size, np.int32),
        num_children=np.zeros(size, np.int32),
        info_states=np.zeros(size, np.int64),
        edges=np.zeros(size, np.int64),
        probabilities=np.zeros(size),
        net_credits=np.zeros((size, num_players), np.int32),
    )


def _enlarged(tree: game_tree.Tree, used: int) -> game_tree.Tree:
    """Return the tree with room for a quarter more nodes and for the nodes counted already."""
    size = max(len(tree.seats) * 5 // 4, len(tree.seats) + CHUNK, used + CHUNK)
    enlarged = []
    for array in tree:
        larger = np.zeros((size, *array.shape[1:]), array.dtype)
        larger[: len(array)] = array
        enlarged.append(larger)
    return game_tree.Tree(*enlarged)


def _number_by_level(
    rung: Rung, root: game_tree.Root, tree: game_tree.Tree, size: int, ends: int
) -> GameTree:
    """Number the nodes level by level, and number the sequences."""
    order, level_starts = _level_order(tree.first_children[:size], tree.num_children[:size])
    seats, widths, edges = tree.seats[order], tree.num_children[order], tree.edges[order]
    first_child = np.ones(size + 1, np.int32)
    first_child[1:] += np.cumsum(widths, dtype=np.int32)
    parents = np.full(size, -1, np.int32)
    parents[1:] = np.repeat(np.arange(size, dtype=np.int32), widths)

    decisions = np.flatnonzero(seats >= 0)
    state_of, examples = _grouped(tree.info_states[order[decisions]])
    state_starts = np.zeros(len(examples) + 1, np.int32)
    np.cumsum(widths[decisions[examples]], out=state_starts[1:])
    first_sequence = tree.first_children[order]  # of ends, their row of returns
    first_sequence[decisions] = state_starts[state_of]
    chance = np.flatnonzero(seats == game_tree.CHANCE)
    first_sequence[chance] = state_starts[-1] + np.cumsum(widths[chance]) - widths[chance]
    incoming = np.full(size, -1, np.int32)  # the sequence that led to a node
    incoming[1:] = first_sequence[parents[1:]] - first_child[parents[1:]]
    incoming[1:] += np.arange(1, size, dtype=np.int32)
    chance_probabilities = np.zeros(int(state_starts[-1] + widths[chance].sum()))
    chance_probabilities[incoming[1:]] = tree.probabilities[order[1:]]
    chance_probabilities[: state_starts[-1]] = 0

    levels = np.arange(len(level_starts) - 1, dtype=np.int32)
    level_of = np.repeat(levels, np.diff(level_starts))[decisions]
    own = _own_sequences(seats, parents, incoming, level_starts)[decisions, seats[decisions]]
    children = _ranges(first_child[decisions], widths[decisions])
    actions = np.zeros(state_starts[-1], np.int8)
    actions[incoming[children]] = edges[children]
    same = np.stack([seats[decisions], widths[decisions], level_of, own])
    same_actions = (edges[children] == actions[incoming[children]]).all()
    if not same_actions or (same != same[:, examples[state_of]]).any():
        raise SabaccError(
            f"{rung.name}: cannot be flattened: two information states have the same hash"
        )
    states = InformationStates(
        seats=seats[decisions[examples]],
        first_sequence=state_starts,
        parent_sequence=own[examples],
        levels=level_of[examples],
        of_sequence=np.repeat(np.arange(len(examples), dtype=np.int32), np.diff(state_starts)),
        hashes=tree.info_states[order[decisions[examples]]],
        nodes=decisions[examples].astype(np.int32),
        actions=actions,
    )
    returns = tree.net_credits[:ends] / rung.rule_set.ante_unit
    nodes = Nodes(seats, first_child, first_sequence, returns, level_starts)
    return GameTree(rung, nodes, states, chance_probabilities, parents, edges, root)


def _level_order(children: IndexArray, widths: IndexArray) -> tuple[Ints, Ints]:
    """Return the nodes level by level, and the start of each level."""
    levels = [np.zeros(1, np.int64)]
    while len(levels[-1]):
        inner = levels[-1]
        levels.append(_ranges(children[inner], widths[inner]))
    return np.concatenate(levels), np.cumsum([0, *map(len, levels[:-1])])


def _ranges(starts: IndexArray, widths: IndexArray) -> Ints:
    """Return consecutive numbers from each start: starts [5, 0], widths [2, 1] give [5, 6, 0]."""
    offsets = np.cumsum(widths, dtype=np.int64) - widths
    return np.repeat(starts - offsets, widths) + np.arange(int(widths.sum()))


def _grouped(hashes: Ints) -> tuple[Ints, Ints]:
    """Return the group of each hash, in order of first occurrence, and these occurrences."""
    _, found, group = np.unique(hashes, return_index=True, return_inverse=True)
    by_occurrence = np.argsort(found)
    rank = np.empty_like(by_occurrence)
    rank[by_occurrence] = np.arange(len(by_occurrence))
    return rank[group], found[by_occurrence]


def _own_sequences(
    seats: NDArray[np.int8], parents: IndexArray, incoming: IndexArray, level_starts: Ints
) -> IndexArray:
    """Return the last sequence of each seat before each node, (n, num_players); -1 for none."""
    last = np.full((len(seats), int(seats.max()) + 1), -1, np.int32)
    for begin, end in pairwise(level_starts[1:]):
        above = parents[begin:end]
        last[begin:end] = last[above]
        decided = np.flatnonzero(seats[above] >= 0)
        last[begin + decided, seats[above[decided]]] = incoming[begin + decided]
    return last
