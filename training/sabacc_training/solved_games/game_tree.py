"""A game flattened once, level by level, into the arrays that the solver passes over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sabacc_env.actions import encode_bet_sizes
from sabacc_env.engine.drivers import single
from sabacc_env.engine.layout import FORCED, GAME_DTYPE
from sabacc_env.engine.observation.blocks import OBSERVATION_DTYPE
from sabacc_env.engine.rules_record import rules_record, starting_credits
from sabacc_env.engine.search import game_tree
from sabacc_env.errors import SabaccError
from sabacc_training.solved_games.rung import Rung
from sabacc_training.solved_games.suit_isomorphism import card_classes, suits_alike

Ints = NDArray[np.int64]
Places = NDArray[np.int32]
Floats = NDArray[np.float64]

DEPTH: Final = 256
"""The longest way from the deal to an end, in nodes."""
OUTCOMES: Final = 1 << 21
"""The most outcomes of the chance events on one way."""
CHUNK: Final = 1 << 20
"""Nodes visited between two reports of progress."""

PROBLEMS: Final = {
    game_tree.TOO_DEEP: f"a hand can take more than {DEPTH} turns and chance events",
    game_tree.TOO_MANY_OUTCOMES: (
        f"one chance event has more than {OUTCOMES:,} outcomes, or {game_tree.MAX_WAYS:,} ways "
        "to come about, as repeated blind draws have: use one suit and fewer cards"
    ),
}


class Nodes(NamedTuple):
    """A tree, the root first, each node before its children, which are consecutive.

    Choices are numbered through: the actions of one information state after another, then the
    outcomes of one chance node after another. Arrays over choices hold regrets and strategies.
    """

    seats: NDArray[np.int8]  # (n,) the seat to act, CHANCE or END
    first: Places  # (n + 1,) the first child; its next node's first child is where they end
    choices: Places  # (n,) the first choice; of an end its row of payoffs
    payoffs: Floats  # (ends, num_players) antes of the unit
    levels: Ints  # (depth + 1,) where each level begins, and the end


class States(NamedTuple):
    """The information states, in the order of their levels."""

    seats: NDArray[np.int8]  # (m,) whose they are
    first: Places  # (m + 1,) the first choice of each, and the end
    before: Places  # (m,) the seat's own last choice, -1 for none
    levels: Places  # (m,) the level of their nodes
    of_choice: Places  # (choices of states,)
    keys: Ints  # (m,) what agents recognise them by: ``game_tree.update_info_state``
    nodes: Places  # (m,) one node of each
    actions: NDArray[np.int8]  # (choices of states,) in the discrete layout


@dataclass(frozen=True)
class GameTree:
    """A game flattened: ``flatten`` makes it.

    Attributes:
        rung: the game.
        nodes, states: see there.
        chances: (choices,) of outcomes their probabilities; 0 for the actions before them.
        parents, edges: (n,) what led to each node: from which, by what action or chance number.
        position: what the engine plays it by.
    """

    rung: Rung
    nodes: Nodes
    states: States
    chances: Floats
    parents: Places
    edges: Ints
    root: game_tree.Root

    @property
    def num_players(self) -> int:
        """How many seats play."""
        return int(self.nodes.payoffs.shape[1])

    @property
    def num_choices(self) -> int:
        """How many actions the information states have together."""
        return len(self.states.actions)


def flatten(
    rung: Rung, *, merged: bool = True, on_nodes: Callable[[int], None] | None = None
) -> GameTree:
    """Return the whole game tree of a rung.

    Args:
        rung: the game; its dealer is the last seat.
        merged: whether outcomes of chance that no rule tells apart are one.
        on_nodes: told now and then how many nodes there are so far.

    Raises:
        SabaccError: for a game too deep, or with chance too wide, to flatten.
        MemoryError: for one that does not fit.
    """
    root = _root(rung, merged)
    traversal, grown = _traversal(), _room(CHUNK, rung.num_players)
    problem = game_tree.begin(root, traversal, grown)
    counters = traversal.counters[0]
    while problem == game_tree.NO_ROOM:
        problem = game_tree.expand(root, traversal, grown)
        if on_nodes is not None:
            on_nodes(int(counters.nodes))
        if problem == game_tree.NO_ROOM:
            grown = _more_room(grown, int(counters.nodes))
    if problem != game_tree.DONE:
        raise SabaccError(f"{rung.name}: cannot be flattened: {PROBLEMS[problem]}")
    return _in_levels(rung, root, grown, int(counters.nodes), int(counters.ends))


def _root(rung: Rung, merged: bool) -> game_tree.Root:
    start = np.zeros(1, GAME_DTYPE)
    start["num_players"] = rung.num_players
    start["hands"] = 1
    start["credits"][0, : rung.num_players] = starting_credits(rung.rule_set, rung.num_players)
    rules = rules_record(rung.rule_set)
    single.reset(start, rules, 0, 0, rung.num_players - 1)
    start["deck_given"] = FORCED
    sizes = encode_bet_sizes(rung.bet_sizes)
    classes, suits = card_classes(rung.rule_set), suits_alike(rung.rule_set)
    return game_tree.Root(start, rules, sizes, classes, suits, merged)


def _traversal() -> game_tree.Traversal:
    rows = np.zeros(1, OBSERVATION_DTYPE)
    return game_tree.Traversal(
        counters=np.zeros(1, game_tree.COUNTERS_DTYPE),
        frames=np.zeros(DEPTH, game_tree.FRAME_DTYPE),
        games=np.zeros(DEPTH, GAME_DTYPE),
        trial=np.zeros(1, GAME_DTYPE),
        rows=rows,
        words=rows.view(np.int32),
        numbers=np.zeros(OUTCOMES, np.int64),
        probabilities=np.zeros(OUTCOMES),
        hash_keys=np.zeros(2 * OUTCOMES, np.int64),
        hash_outcomes=np.zeros(2 * OUTCOMES, np.int64),
        hash_events=np.zeros(2 * OUTCOMES, np.int64),
        pending=np.zeros((1 << 12, 2), np.int64),
    )


def _room(size: int, num_players: int) -> game_tree.Tree:
    return game_tree.Tree(
        seats=np.zeros(size, np.int8),
        first_children=np.zeros(size, np.int32),
        num_children=np.zeros(size, np.int32),
        info_states=np.zeros(size, np.int64),
        edges=np.zeros(size, np.int64),
        probabilities=np.zeros(size),
        net_credits=np.zeros((size, num_players), np.int32),
    )


def _more_room(grown: game_tree.Tree, used: int) -> game_tree.Tree:
    """Return the tree so far with room for a quarter more nodes, and those already promised."""
    size = max(len(grown.seats) * 5 // 4, len(grown.seats) + CHUNK, used + CHUNK)
    wider = []
    for array in grown:
        more = np.zeros((size, *array.shape[1:]), array.dtype)
        more[: len(array)] = array
        wider.append(more)
    return game_tree.Tree(*wider)


def _in_levels(
    rung: Rung, root: game_tree.Root, grown: game_tree.Tree, size: int, ends: int
) -> GameTree:
    """Number the nodes level by level, and their choices through."""
    order, levels = _level_order(grown.first_children[:size], grown.num_children[:size])
    seats, widths, edges = grown.seats[order], grown.num_children[order], grown.edges[order]
    first = np.ones(size + 1, np.int32)
    first[1:] += np.cumsum(widths, dtype=np.int32)
    parents = np.full(size, -1, np.int32)
    parents[1:] = np.repeat(np.arange(size, dtype=np.int32), widths)

    decisions = np.flatnonzero(seats >= 0)
    state_of, examples = _grouped(grown.info_states[order[decisions]])
    begins = np.zeros(len(examples) + 1, np.int32)
    np.cumsum(widths[decisions[examples]], out=begins[1:])
    choices = grown.first_children[order]  # of ends their row of payoffs
    choices[decisions] = begins[state_of]
    chance = np.flatnonzero(seats == game_tree.CHANCE)
    choices[chance] = begins[-1] + np.cumsum(widths[chance]) - widths[chance]
    led = np.full(size, -1, np.int32)  # which choice led to a node
    led[1:] = choices[parents[1:]] + np.arange(1, size, dtype=np.int32) - first[parents[1:]]
    chances = np.zeros(int(begins[-1] + widths[chance].sum()))
    chances[led[1:]] = grown.probabilities[order[1:]]
    chances[: begins[-1]] = 0

    level_of = np.repeat(np.arange(len(levels) - 1, dtype=np.int32), np.diff(levels))[decisions]
    own = _own_choices(seats, parents, led, levels)[decisions, seats[decisions]]
    children = _ranges(first[decisions], widths[decisions])
    actions = np.zeros(begins[-1], np.int8)
    actions[led[children]] = edges[children]
    same = np.stack([seats[decisions], widths[decisions], level_of, own])
    alike = (edges[children] == actions[led[children]]).all()
    if not alike or (same != same[:, examples[state_of]]).any():
        raise SabaccError(f"{rung.name}: cannot be flattened: two information states look alike")
    states = States(
        seats=seats[decisions[examples]],
        first=begins,
        before=own[examples],
        levels=level_of[examples],
        of_choice=np.repeat(np.arange(len(examples), dtype=np.int32), np.diff(begins)),
        keys=grown.info_states[order[decisions[examples]]],
        nodes=decisions[examples].astype(np.int32),
        actions=actions,
    )
    payoffs = grown.net_credits[:ends] / rung.rule_set.ante_unit
    nodes = Nodes(seats, first, choices, payoffs, levels)
    return GameTree(rung, nodes, states, chances, parents, edges, root)


def _level_order(children: Places, widths: Places) -> tuple[Ints, Ints]:
    """Return the nodes level by level, and where each level begins."""
    levels = [np.zeros(1, np.int64)]
    while len(levels[-1]):
        inner = levels[-1]
        levels.append(_ranges(children[inner], widths[inner]))
    return np.concatenate(levels), np.cumsum([0, *map(len, levels[:-1])])


def _ranges(first: Places, widths: Places) -> Ints:
    """Return numbers that rise from each first one, so many each: [5, 0], [2, 1] is [5, 6, 0]."""
    begins = np.cumsum(widths, dtype=np.int64) - widths
    return np.repeat(first - begins, widths) + np.arange(int(widths.sum()))


def _grouped(keys: Ints) -> tuple[Ints, Ints]:
    """Return the group of each key, numbered as they first appear, and where each first does."""
    _, found, group = np.unique(keys, return_index=True, return_inverse=True)
    appear = np.argsort(found)
    rank = np.empty_like(appear)
    rank[appear] = np.arange(len(appear))
    return rank[group], found[appear]


def _own_choices(seats: NDArray[np.int8], parents: Places, led: Places, levels: Ints) -> Places:
    """Return the last choice of each seat before each node, (n, num_players); -1 for none."""
    last = np.full((len(seats), int(seats.max()) + 1), -1, np.int32)
    for begin, end in pairwise(levels[1:]):
        above = parents[begin:end]
        last[begin:end] = last[above]
        chosen = np.flatnonzero(seats[above] >= 0)
        last[begin + chosen, seats[above[chosen]]] = led[begin + chosen]
    return last
