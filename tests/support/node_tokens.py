"""The token sequences at nodes of a game tree, each replayed from the deal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sabacc_training.solved_games.game_tree import MAX_DEPTH, GameTree

from sabacc_env.array_types import Ints
from sabacc_env.engine.chance import force_chance
from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import GAME_DTYPE, Array
from sabacc_env.engine.search.game_tree import CHANCE, Root
from sabacc_env.engine.token_log import (
    Sequences,
    deal_and_log,
    empty_sequences,
    play_and_log,
    read_tokens,
)


def node_tokens(tree: GameTree, nodes: Ints, max_tokens: int = 64) -> NDArray[np.int16]:
    """Return what the seats to act at these nodes have been told, (n, max_tokens)."""
    tokens = np.zeros((len(nodes), max_tokens), np.int16)
    write_node_tokens(
        tree.root,
        tree.nodes.seats,
        tree.parents,
        tree.edges,
        nodes,
        np.zeros(MAX_DEPTH, np.int64),
        np.zeros(1, GAME_DTYPE),
        empty_sequences(1, tree.num_players, max_tokens),
        tokens,
    )
    return tokens


@jit
def write_node_tokens(
    root: Root,
    seats: Array,
    parents: Array,
    edges: Array,
    nodes: Array,
    path: Array,
    games: Array,
    sequences: Sequences,
    tokens: Array,
) -> None:
    """Write the sequences; ``path`` and ``games`` are scratch memory."""
    r, sizes = root.rules[0], root.sizes[0]
    for index in range(len(nodes)):
        depth = 0
        node = int(nodes[index])
        while node >= 0:
            path[depth] = node
            depth += 1
            node = int(parents[node])
        games[0] = root.start[0]
        g = games[0]
        action = -1
        for place in range(depth - 2, -1, -1):
            node = int(path[place])
            number = 0
            if seats[parents[node]] == CHANCE:
                number = int(edges[node])
            else:
                action = int(edges[node])
                if seats[node] == CHANCE:  # an action is played together with its chance outcome
                    continue
            force_chance(g, number, 0)
            if action < 0:
                deal_and_log(g, r, sequences, 0)
            else:
                play_and_log(g, r, action, sizes, sequences, 0)
        seat, num_players = int(g.seat_to_act), int(g.num_players)
        read_tokens(sequences, 0, sequences.current[0], seat, num_players, tokens[index])
