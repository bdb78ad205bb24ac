"""The whole game tree of a hand: its decisions, chance events and ends.

``expand`` traverses the tree depth first by playing game records, and writes what a solver needs:
the seat to act at each node, its children and their probabilities, and the payoffs at the ends. It
stops when the arrays are full, and continues when it is called again with longer ones.

Isomorphic chance outcomes are merged, and their probabilities are added up. Two ends are isomorphic
if their payoffs are equal. Other records are isomorphic if isomorphic cards
(``solved_games.suit_isomorphism``) are in the same places. The dice matter only by their effect.

A seat's information state is the sequence of its observations and legal actions at its own turns,
hashed into 63 bits (``update_info_state``). The observations contain its own actions.
"""

from typing import Final, NamedTuple

import numpy as np

from sabacc_env.engine.bit_sets import count, lowest
from sabacc_env.engine.chance import (
    WORD,
    force_chance,
    has_used_chance,
    num_unforced_outcomes,
)
from sabacc_env.engine.forced_play import DEAL, play_with_forced_chance
from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import (
    FIRST_BET_ACTION,
    FIRST_CARD_ACTION,
    MAX_ACTIONS,
    MAX_HAND,
    MAX_SEATS,
    OVER,
    SLOT_KINDS,
    Array,
    Record,
)
from sabacc_env.engine.legal import legal_actions
from sabacc_env.engine.observation.blocks import COLUMNS
from sabacc_env.engine.observation.write import observe
from sabacc_env.engine.step import pack_move
from sabacc_env.engine.token_log import Sequences, deal_and_log, play_and_log, read_tokens

CHANCE: Final = -1
END: Final = -2
"""In place of the seat to act."""

# Why the traversal has stopped.
DONE: Final = 0
NO_ROOM: Final = -1
TOO_DEEP: Final = -2
TOO_MANY_OUTCOMES: Final = -3
"""Also if too many ways lead to the outcomes: blind draws can be tied again and again."""

SLOT: Final = COLUMNS.own_slots

MAX_WAYS: Final = 2**24
MAX_NUMBER: Final = 2**62


class Root(NamedTuple):
    """The hand whose tree is built."""

    start: Array  # (1,) GAME_DTYPE: ready for its deal, all chance forced
    rules: Array  # (1,) RULES_DTYPE
    sizes: Array  # (1,) BET_SIZES_DTYPE
    card_classes: Array  # (64,) int64: equal for isomorphic cards
    suits_isomorphic: bool  # whether no rule tells suits apart
    merge_isomorphic: bool  # whether isomorphic chance outcomes are merged


class Traversal(NamedTuple):
    """The stack of a depth-first traversal: a frame for each node on the path from the root."""

    counters: Array  # (1,) COUNTERS_DTYPE
    frames: Array  # (depth,) FRAME_DTYPE
    games: Array  # (depth,) GAME_DTYPE; of a chance node: before the action that it follows
    trial: Array  # (1,) GAME_DTYPE: for trying chance outcomes
    rows: Array  # (1,) OBSERVATION_DTYPE
    words: Array  # (OBSERVATION_SIZE,) int32: the same memory
    numbers: Array  # (outcomes,) int64: what forces each outcome of the events on the path
    probabilities: Array  # (outcomes,) float64
    hash_keys: Array  # (slots,) int64: a hash table of one event's outcomes
    hash_outcomes: Array  # (slots,) int64: the outcome with that key
    hash_events: Array  # (slots,) int64: the event in which it was written
    pending: Array  # (n, 2) int64: numbers and products (see ``force_chance``) still to try


class Tree(NamedTuple):
    """The tree so far. The children of a node are consecutive."""

    seats: Array  # (n,) int8: the seat to act, CHANCE or END
    first_children: Array  # (n,) int32: the first child, or the row of ``net_credits`` of an end
    num_children: Array  # (n,) int32
    info_states: Array  # (n,) int64: the information state of a decision
    edges: Array  # (n,) int64: the action that led here, or the number that forced the outcome
    probabilities: Array  # (n,) float64: of the outcome that led here; 1 after an action
    net_credits: Array  # (m, num_players) int32: of the ends


class NodeTurns(NamedTuple):
    """Some nodes, and the turns of the seats to act there."""

    nodes: Array  # (n,) int64
    rows: Array  # (n,) OBSERVATION_DTYPE
    legal: Array  # (n,) int64, bits
    games: Array  # (1,) GAME_DTYPE: scratch, the hand at the last node
    path: Array  # (depth, 2) int64: scratch, the actions on the path and what forces their outcomes
    played: Array  # (depth,) int64: the moves on the path to the last node, packed


COUNTERS_DTYPE: Final = np.dtype(
    (
        np.record,
        [
            ("nodes", "i8"),
            ("ends", "i8"),
            ("depth", "i8"),  # the frames in use
            ("outcomes", "i8"),  # listed by the chance events on the path
            ("event", "i8"),  # how many events were listed
        ],
    )
)
FRAME_DTYPE: Final = np.dtype(
    (
        np.record,
        [
            ("info_states", "i8", (MAX_SEATS,)),  # at each seat's last turn
            ("is_chance", "i8"),
            ("child", "i8"),  # the node to visit next
            ("actions", "i8"),  # of a decision: those still to visit, as bits
            ("action", "i8"),  # of a chance node: the action that it follows
            ("first", "i8"),  # of a chance node: its first outcome, the next to visit, the end
            ("next", "i8"),
            ("end", "i8"),
        ],
    )
)


@jit
def hash_word(info_state: int, word: int) -> int:
    """Return the 63-bit hash of what was hashed so far and another 32-bit word."""
    low = ((info_state & WORD) ^ word) * 0x21F0AAAD & WORD
    high = ((info_state >> 32) ^ (word + 0x3C6EF372 & WORD)) * 0x735A2D97 & WORD
    low ^= low >> 15
    high ^= high >> 16
    return (high & 0x7FFFFFFF) << 32 | low ^ (high >> 31)


@jit
def update_info_state(info_state: int, words: Array, legal: int) -> int:
    """Return an information state after another turn.

    ``words`` is the observation as 32-bit words, ``legal`` the legal actions as bits.
    """
    for index in range(len(words)):
        info_state = hash_word(info_state, int(words[index]) & WORD)
    return hash_word(hash_word(info_state, legal & WORD), legal >> 32)


@jit
def canonicalize(row: Record, suits_isomorphic: bool) -> None:
    """Clear what differs between isomorphic observations: the dice, and the suits if isomorphic."""
    for index in range(len(row.dice)):
        row.dice[index] = 0.0
    if suits_isomorphic:
        for slot in range(MAX_HAND):
            row.own_slots[len(SLOT) * slot + SLOT.suit] = 0.0


@jit
def drop_isomorphic_actions(row: Record, legal: int) -> int:
    """Return the legal actions without those on a card that is isomorphic to the one before."""
    for slot in range(1, MAX_HAND):
        first = len(SLOT) * slot
        isomorphic = row.own_slots[first + SLOT.card] != 0.0
        for column in range(first, first + len(SLOT)):
            if row.own_slots[column] != row.own_slots[column - len(SLOT)]:
                isomorphic = False
        if isomorphic:
            for kind in range(len(SLOT_KINDS)):
                legal &= ~(1 << (FIRST_CARD_ACTION + kind * MAX_HAND + slot))
    return legal


# Outcomes of chance.


@jit
def outcome_hash(g: Record, card_classes: Array) -> int:
    """Return a hash that is the same for isomorphic outcomes of one event.

    It leaves out what the event cannot change, and the draw pile, which holds the other cards.
    """
    digest = 0
    if g.phase == OVER:
        for seat in range(int(g.num_players)):
            digest = hash_word(digest, int(g.net_credits[seat]) & WORD)
        return digest
    for seat in range(int(g.num_players)):
        for slot in range(int(g.num_cards[seat])):
            card = int(g.cards[seat, slot])
            digest = hash_word(
                digest, 2 * int(card_classes[card]) + (int(g.known[seat]) >> card & 1)
            )
        digest = hash_word(digest, 256 + int(card_classes[int(g.spikes[seat]) & 63]))
    for index in range(int(g.num_discards)):
        digest = hash_word(digest, int(card_classes[int(g.discards[index])]))
    junked = int(g.junked_cards)
    sum_of_junked = 0  # independent of the order
    while junked != 0:
        sum_of_junked += hash_word(0, int(card_classes[lowest(junked)])) & 0xFFFFFF
        junked &= junked - 1
    digest = hash_word(digest, sum_of_junked)
    digest = hash_word(digest, int(card_classes[int(g.drawn) & 63]))
    digest = hash_word(
        digest, int(g.phase) << 24 | (int(g.seat_to_act) & 15) << 16 | int(g.yet_to_act)
    )
    return hash_word(digest, int(g.round_no) << 16 | int(g.deck_size) - int(g.deck_next))


@jit
def list_outcomes(root: Root, traversal: Traversal, frame: int, action: int) -> int:
    """List the outcomes of an action after those of the path.

    The first one is forced by the number 0.

    Returns:
        The end of the outcomes, or why the traversal must stop.
    """
    counters = traversal.counters[0]
    counters.event = int(counters.event) + 1
    first = int(counters.outcomes)
    end = first
    traversal.pending[0, 0] = 0
    traversal.pending[0, 1] = 1
    waiting = 1
    ways = 0
    while waiting != 0:
        waiting -= 1
        number = int(traversal.pending[waiting, 0])
        product = int(traversal.pending[waiting, 1])
        traversal.trial[0] = traversal.games[frame]
        play_with_forced_chance(
            traversal.trial[0], root.rules[0], root.sizes[0], action, number, product
        )
        limit = num_unforced_outcomes(traversal.trial[0])
        if limit != 0:
            if product > MAX_NUMBER // limit or waiting + limit > len(traversal.pending):
                return TOO_MANY_OUTCOMES
            for choice in range(limit - 1, -1, -1):
                traversal.pending[waiting, 0] = number + choice * product
                traversal.pending[waiting, 1] = product * limit
                waiting += 1
            continue
        ways += 1
        if end == len(traversal.numbers) or ways > MAX_WAYS:
            return TOO_MANY_OUTCOMES
        outcome = outcome_of_trial(root, traversal, end)
        if outcome == end:
            traversal.numbers[end] = number
            traversal.probabilities[end] = 0.0
            end += 1
        traversal.probabilities[outcome] += 1.0 / product
    return end


@jit
def outcome_of_trial(root: Root, traversal: Traversal, end: int) -> int:
    """Return the outcome of this event that is isomorphic to the trial, or ``end`` if none is."""
    if not root.merge_isomorphic:
        return end
    event = int(traversal.counters[0].event)
    digest = outcome_hash(traversal.trial[0], root.card_classes)
    slots = len(traversal.hash_keys) - 1
    slot = digest & slots
    while traversal.hash_events[slot] == event:
        if traversal.hash_keys[slot] == digest:
            return int(traversal.hash_outcomes[slot])
        slot = (slot + 1) & slots
    traversal.hash_events[slot] = event
    traversal.hash_keys[slot] = digest
    traversal.hash_outcomes[slot] = end
    return end


# The traversal.


@jit
def begin(root: Root, traversal: Traversal, tree: Tree) -> int:
    """Start a traversal at the root, the deal."""
    counters = traversal.counters[0]
    counters.nodes = 1
    counters.ends = 0
    counters.outcomes = 0
    counters.depth = 0
    counters.event = 0
    traversal.games[0] = root.start[0]
    traversal.frames[0].info_states[:] = 0
    end = list_outcomes(root, traversal, 0, DEAL)
    if end < 0:
        return end
    make_chance_node(traversal, tree, 0, 0, DEAL, end)
    return NO_ROOM


@jit
def expand(root: Root, traversal: Traversal, tree: Tree) -> int:
    """Visit nodes until none is left or the traversal must stop. Return why it stopped."""
    counters = traversal.counters[0]
    while counters.depth != 0:
        frame = int(counters.depth) - 1
        if frame + 1 == len(traversal.frames):
            return TOO_DEEP
        if traversal.frames[frame].is_chance == 1:
            problem = visit_outcome(root, traversal, tree, frame)
        else:
            problem = visit_action(root, traversal, tree, frame)
        if problem != DONE:
            return problem
    return DONE


@jit
def visit_outcome(root: Root, traversal: Traversal, tree: Tree, frame: int) -> int:
    """Go on to the next outcome of a chance node, or back if all were visited."""
    f = traversal.frames[frame]
    counters = traversal.counters[0]
    if f.next == f.end:
        counters.outcomes = f.first
        counters.depth = frame
        return DONE
    if counters.nodes + MAX_ACTIONS > len(tree.seats):
        return NO_ROOM
    outcome = int(f.next)
    child = int(f.child)
    tree.edges[child] = traversal.numbers[outcome]
    tree.probabilities[child] = traversal.probabilities[outcome]
    f.next = outcome + 1
    f.child = child + 1
    traversal.frames[frame + 1].info_states = f.info_states
    traversal.games[frame + 1] = traversal.games[frame]
    play_with_forced_chance(
        traversal.games[frame + 1],
        root.rules[0],
        root.sizes[0],
        int(f.action),
        int(traversal.numbers[outcome]),
        0,
    )
    make_decision_or_end(root, traversal, tree, frame + 1, child)
    return DONE


@jit
def visit_action(root: Root, traversal: Traversal, tree: Tree, frame: int) -> int:
    """Go on to the next action of a decision, or back if all were visited."""
    f = traversal.frames[frame]
    counters = traversal.counters[0]
    if f.actions == 0:
        counters.depth = frame
        return DONE
    action = lowest(int(f.actions))
    end = list_outcomes(root, traversal, frame, action)
    if end < 0:
        return end
    outcomes = end - int(counters.outcomes)
    if counters.nodes + max(outcomes, MAX_ACTIONS) > len(tree.seats):
        return NO_ROOM
    child = int(f.child)
    tree.edges[child] = action
    tree.probabilities[child] = 1.0
    f.actions = int(f.actions) & (int(f.actions) - 1)
    f.child = child + 1
    traversal.frames[frame + 1].info_states = f.info_states
    traversal.games[frame + 1] = traversal.games[frame]
    # An event with one outcome gets a node too, because elsewhere it may have several. So all nodes
    # of an information state are equally deep. Ends belong to no information state.
    if outcomes > 1 or (has_used_chance(traversal.trial[0]) and traversal.trial[0].phase != OVER):
        make_chance_node(traversal, tree, frame + 1, child, action, end)
    else:
        play_with_forced_chance(
            traversal.games[frame + 1], root.rules[0], root.sizes[0], action, 0, 0
        )
        make_decision_or_end(root, traversal, tree, frame + 1, child)
    return DONE


@jit
def make_chance_node(
    traversal: Traversal, tree: Tree, frame: int, node: int, action: int, end: int
) -> None:
    """Make a chance node whose outcomes are those just listed."""
    counters = traversal.counters[0]
    f = traversal.frames[frame]
    f.is_chance = 1
    f.action = action
    f.child = counters.nodes
    f.first = counters.outcomes
    f.next = counters.outcomes
    f.end = end
    add_children(counters, tree, node, CHANCE, end - int(counters.outcomes))
    counters.outcomes = end
    counters.depth = frame + 1


@jit
def make_decision_or_end(
    root: Root, traversal: Traversal, tree: Tree, frame: int, node: int
) -> None:
    """Make a decision node or an end of the record that was played to it."""
    counters = traversal.counters[0]
    g = traversal.games[frame]
    if g.phase == OVER:
        place = int(counters.ends)
        counters.ends = place + 1
        tree.seats[node] = END
        tree.first_children[node] = place
        tree.num_children[node] = 0
        for seat in range(int(g.num_players)):
            tree.net_credits[place, seat] = g.net_credits[seat]
        return
    seat = int(g.seat_to_act)
    f = traversal.frames[frame]
    f.is_chance = 0
    f.child = counters.nodes
    legal = legal_actions(g, root.rules[0], root.sizes[0])
    observe(g, root.rules[0], seat, traversal.rows[0])
    if root.merge_isomorphic:
        canonicalize(traversal.rows[0], root.suits_isomorphic)
        legal = drop_isomorphic_actions(traversal.rows[0], legal)
    f.actions = legal
    f.info_states[seat] = update_info_state(int(f.info_states[seat]), traversal.words, legal)
    tree.info_states[node] = f.info_states[seat]
    add_children(counters, tree, node, seat, count(legal))
    counters.depth = frame + 1


@jit
def add_children(counters: Record, tree: Tree, node: int, seat: int, num_children: int) -> None:
    """Append the children of a node, which are still to be visited."""
    tree.seats[node] = seat
    tree.first_children[node] = counters.nodes
    tree.num_children[node] = num_children
    counters.nodes = int(counters.nodes) + num_children


# Agents at the nodes of a tree.


@jit
def write_node_turns(
    root: Root, seats: Array, parents: Array, edges: Array, turns: NodeTurns
) -> None:
    """Write the observations and legal actions at some nodes, replaying each from the deal.

    ``seats``, ``parents`` and ``edges`` describe the whole tree: the seat to act at each node, the
    node before it, and the action or the forced chance outcome between the two.
    """
    for index in range(len(turns.nodes)):
        replay_to(root, seats, parents, edges, int(turns.nodes[index]), turns)
        g = turns.games[0]
        observe(g, root.rules[0], int(g.seat_to_act), turns.rows[index])
        turns.legal[index] = legal_actions(g, root.rules[0], root.sizes[0])


@jit
def replay_to(
    root: Root, seats: Array, parents: Array, edges: Array, node: int, turns: NodeTurns
) -> int:
    """Replay from the deal to a decision; write the moves and return how many there are."""
    turns.games[0] = root.start[0]
    g = turns.games[0]
    moves = 0
    for place in range(write_path(seats, parents, edges, node, turns.path), len(turns.path)):
        action, number = int(turns.path[place, 0]), int(turns.path[place, 1])
        if action != DEAL:
            turns.played[moves] = pack_move(g, action)
            moves += 1
        play_with_forced_chance(g, root.rules[0], root.sizes[0], action, number, 0)
        if action >= FIRST_BET_ACTION:
            turns.played[moves - 1] = int(turns.played[moves - 1]) | int(g.paid)
    return moves


@jit
def write_node_tokens(
    root: Root,
    seats: Array,
    parents: Array,
    edges: Array,
    turns: NodeTurns,
    sequences: Sequences,
    tokens: Array,
) -> None:
    """Write what the seats to act at some nodes have been told, (n, length), as tokens.

    ``sequences`` is scratch memory for one table.
    """
    r, sizes = root.rules[0], root.sizes[0]
    for index in range(len(turns.nodes)):
        turns.games[0] = root.start[0]
        g = turns.games[0]
        first = write_path(seats, parents, edges, int(turns.nodes[index]), turns.path)
        for place in range(first, len(turns.path)):
            action = int(turns.path[place, 0])
            force_chance(g, int(turns.path[place, 1]), 0)
            if action == DEAL:
                deal_and_log(g, r, sequences, 0)
            else:
                play_and_log(g, r, action, sizes, sequences, 0)
        seat, num_players = int(g.seat_to_act), int(g.num_players)
        read_tokens(sequences, 0, sequences.current[0], seat, num_players, tokens[index])


@jit
def write_path(seats: Array, parents: Array, edges: Array, node: int, path: Array) -> int:
    """Write the actions on the path from the deal to a decision, and what forces their outcomes.

    They are written to the end of ``path``, the deal first.

    Returns:
        The place of the deal in ``path``.
    """
    place = len(path)
    while node > 0:
        place -= 1
        path[place, 1] = 0
        if seats[parents[node]] == CHANCE:  # an action is played together with its outcome
            path[place, 1] = edges[node]
            node = int(parents[node])
        path[place, 0] = DEAL
        if node > 0:
            path[place, 0] = edges[node]
            node = int(parents[node])
    return place


@jit
def update_info_states(
    rows: Array,
    words: Array,
    suits_isomorphic: bool,
    legal: Array,
    tables: Array,
    info_states: Array,
) -> None:
    """Update the information states of some tables by another turn, as ``expand`` does.

    ``words`` is the memory of ``rows``, which are overwritten. ``legal`` keeps only one of several
    isomorphic actions.
    """
    for index in range(len(rows)):
        canonicalize(rows[index], suits_isomorphic)
        legal[index] = drop_isomorphic_actions(rows[index], int(legal[index]))
        table = tables[index]
        info_states[table] = update_info_state(
            int(info_states[table]), words[index], int(legal[index])
        )
