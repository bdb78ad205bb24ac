"""A whole game tree: every decision, every outcome of chance, every end of a hand.

``grow`` walks through the tree depth first, playing real records, and writes what a solver needs:
whose turn each node is, its children, their chances, and what the ends pay. It stops where there is
no more room and goes on when it is called again with more.

Outcomes of chance that no rule tells apart are one, and their chances are added up: ends that pay
the same; else records in which alike cards (``solved_games.suit_isomorphism``) lie in the same
places. The faces of the dice are in neither: only what they do is.

A seat's information state is the sequence of what it observed at its own turns, folded into 63 bits
(``recall``): the rows that every agent is shown, what it did itself among it, and what was legal.
"""

from typing import Final, NamedTuple

import numpy as np

from sabacc_env.engine.chance import WORD, asked, tell, used
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
from sabacc_env.engine.observation.write import observe
from sabacc_env.engine.piles import count, lowest
from sabacc_env.engine.step import deal, describe, legal_actions, play_action

CHANCE: Final = -1
END: Final = -2
"""In place of the seat to act."""

DEAL: Final = -1
"""In place of the action that chance follows."""

# Why the walk has stopped.
DONE: Final = 0
NO_ROOM: Final = -1
TOO_DEEP: Final = -2
TOO_MANY_OUTCOMES: Final = -3
"""Or too many ways to get there: blind draws that are tied again and again."""

MOST_WAYS: Final = 2**24
HIGHEST_NUMBER: Final = 2**62


class Position(NamedTuple):
    """What the tree is of."""

    start: Array  # (1,) GAME_DTYPE: ready for its deal, all chance told
    rules: Array  # (1,) RULES_DTYPE
    sizes: Array  # (1,) BET_SIZES_DTYPE
    classes: Array  # (64,) int64: equal for cards that no rule tells apart
    suits: bool  # whether no rule tells suits apart
    merged: bool  # whether outcomes that no rule tells apart are one


class Path(NamedTuple):
    """The nodes from the root to where the walk is: a frame for each, and what is noted there."""

    counters: Array  # (1,) COUNTERS_DTYPE
    frames: Array  # (depth,) FRAME_DTYPE
    games: Array  # (depth,) GAME_DTYPE; before a chance event: of the decision that it follows
    trial: Array  # (1,) GAME_DTYPE: for trying out
    rows: Array  # (1,) OBSERVATION_DTYPE
    words: Array  # (OBSERVATION_SIZE,) int32: the same memory
    numbers: Array  # (outcomes,) int64: of the outcomes of the events on the path
    chances: Array  # (outcomes,) float64
    names: Array  # (slots,) int64: a hash table of one event's outcomes; a power of 2, and more
    found: Array  # (slots,) int64: which outcome has that name
    events: Array  # (slots,) int64: in which event it was written
    pending: Array  # (choices, 2) int64: numbers and products that are still to be tried


class Grown(NamedTuple):
    """The tree so far. The children of a node are consecutive."""

    seats: Array  # (n,) int8: the seat to act, CHANCE or END
    children: Array  # (n,) int32: the first child; of an end its place in ``net``
    widths: Array  # (n,) int32: how many children
    keys: Array  # (n,) int64: the information state of a decision
    edges: Array  # (n,) int64: the action that led here, or the number that told chance
    chances: Array  # (n,) float64: of the outcome that led here; 1 after an action
    net: Array  # (m, num_players) int32: net credits


class NodesShown(NamedTuple):
    """Some nodes, and what is seen there."""

    nodes: Array  # (n,) int64
    rows: Array  # (n,) OBSERVATION_DTYPE
    legal: Array  # (n,) int64, bits
    games: Array  # (1,) GAME_DTYPE: for playing there
    path: Array  # (depth,) int64: for finding the way
    played: Array  # (depth,) int64: the moves on the way to the last one, as ``describe`` has them


COUNTERS_DTYPE: Final = np.dtype(
    (
        np.record,
        [
            ("nodes", "i8"),
            ("ends", "i8"),
            ("depth", "i8"),  # the frames in use
            ("outcomes", "i8"),  # noted by the chance events on the path
            ("event", "i8"),  # how many were listed
        ],
    )
)
FRAME_DTYPE: Final = np.dtype(
    (
        np.record,
        [
            ("keys", "i8", (MAX_SEATS,)),  # the information states at each seat's last turn
            ("is_chance", "i8"),
            ("child", "i8"),  # the node that is visited next
            ("actions", "i8"),  # a decision: those still to visit, as bits
            ("action", "i8"),  # chance: what it follows
            ("first", "i8"),  # the outcomes of the event: the first, the next one to visit, the end
            ("next", "i8"),
            ("end", "i8"),
        ],
    )
)


@jit
def fold(key: int, word: int) -> int:
    """Hash a 63-bit key with a 32-bit word more."""
    low = ((key & WORD) ^ word) * 0x21F0AAAD & WORD
    high = ((key >> 32) ^ (word + 0x3C6EF372 & WORD)) * 0x735A2D97 & WORD
    low ^= low >> 15
    high ^= high >> 16
    return (high & 0x7FFFFFFF) << 32 | low ^ (high >> 31)


@jit
def recall(key: int, words: Array, legal: int) -> int:
    """Return an information state after another turn.

    ``words`` are the observation in 32 bits each, ``legal`` what may be done as bits.
    """
    for index in range(len(words)):
        key = fold(key, int(words[index]) & WORD)
    return fold(fold(key, legal & WORD), legal >> 32)


@jit
def forget(row: Record, suits: bool) -> None:
    """Leave out of an observation what tells outcomes apart that are one: dice, and alike suits."""
    for index in range(len(row.dice)):
        row.dice[index] = 0.0
    if suits:
        for slot in range(MAX_HAND):
            row.own_slots[3 * slot + 1] = 0.0


@jit
def distinct(row: Record, legal: int) -> int:
    """Return the legal actions without those on a card that is like the one before it."""
    for slot in range(1, MAX_HAND):
        alike = row.own_slots[3 * slot] != 0.0
        for column in range(3):
            if row.own_slots[3 * slot + column] != row.own_slots[3 * slot - 3 + column]:
                alike = False
        if alike:
            for kind in range(len(SLOT_KINDS)):
                legal &= ~(1 << (FIRST_CARD_ACTION + kind * MAX_HAND + slot))
    return legal


# Outcomes of chance.


@jit
def happen(g: Record, position: Position, action: int, number: int, product: int) -> None:
    """Play an action, or deal, and what chance makes of it as it is told."""
    tell(g, number, product)
    if action == DEAL:
        deal(g, position.rules[0])
    else:
        play_action(g, position.rules[0], action, position.sizes[0])


@jit
def name_of(g: Record, classes: Array) -> int:
    """Return a hash of what rules can tell about the outcome of an event, by classes of cards.

    Whatever the event cannot change is left out, and so is the draw pile: it holds the rest.
    """
    name = 0
    if g.phase == OVER:
        for seat in range(int(g.num_players)):
            name = fold(name, int(g.net_credits[seat]) & WORD)
        return name
    for seat in range(int(g.num_players)):
        for slot in range(int(g.num_cards[seat])):
            card = int(g.cards[seat, slot])
            name = fold(name, 2 * int(classes[card]) + (int(g.known[seat]) >> card & 1))
        name = fold(name, 256 + int(classes[int(g.spikes[seat]) & 63]))
    for index in range(int(g.num_discards)):
        name = fold(name, int(classes[int(g.discards[index])]))
    junked = int(g.junked_cards)
    sum_of_junked = 0  # in any order
    while junked != 0:
        sum_of_junked += fold(0, int(classes[lowest(junked)])) & 0xFFFFFF
        junked &= junked - 1
    name = fold(name, sum_of_junked)
    name = fold(name, int(classes[int(g.drawn) & 63]))
    name = fold(name, int(g.phase) << 24 | (int(g.seat_to_act) & 15) << 16 | int(g.to_go))
    return fold(name, int(g.round_no) << 16 | int(g.deck_size) - int(g.deck_next))


@jit
def list_outcomes(position: Position, path: Path, frame: int, action: int) -> int:
    """Note the outcomes of an action after those on the path; return their end, or what is wrong.

    The first one listed is told by the number 0.
    """
    counters = path.counters[0]
    counters.event = int(counters.event) + 1
    first = int(counters.outcomes)
    end = first
    path.pending[0, 0] = 0
    path.pending[0, 1] = 1
    waiting = 1
    ways = 0
    while waiting != 0:
        waiting -= 1
        number = int(path.pending[waiting, 0])
        product = int(path.pending[waiting, 1])
        path.trial[0] = path.games[frame]
        happen(path.trial[0], position, action, number, product)
        limit = asked(path.trial[0])
        if limit != 0:
            if product > HIGHEST_NUMBER // limit or waiting + limit > len(path.pending):
                return TOO_MANY_OUTCOMES
            for choice in range(limit - 1, -1, -1):
                path.pending[waiting, 0] = number + choice * product
                path.pending[waiting, 1] = product * limit
                waiting += 1
            continue
        ways += 1
        if end == len(path.numbers) or ways > MOST_WAYS:
            return TOO_MANY_OUTCOMES
        noted = noted_as(position, path, end)
        if noted == end:
            path.numbers[end] = number
            path.chances[end] = 0.0
            end += 1
        path.chances[noted] += 1.0 / product
    return end


@jit
def noted_as(position: Position, path: Path, end: int) -> int:
    """Return which outcome of this event the trial is the same as, or the end if it is new."""
    if not position.merged:
        return end
    event = int(path.counters[0].event)
    name = name_of(path.trial[0], position.classes)
    slots = len(path.names) - 1
    slot = name & slots
    while path.events[slot] == event:
        if path.names[slot] == name:
            return int(path.found[slot])
        slot = (slot + 1) & slots
    path.events[slot] = event
    path.names[slot] = name
    path.found[slot] = end
    return end


# The walk.


@jit
def begin(position: Position, path: Path, grown: Grown) -> int:
    """Start a walk at the root, the deal."""
    counters = path.counters[0]
    counters.nodes = 1
    counters.ends = 0
    counters.outcomes = 0
    counters.depth = 0
    counters.event = 0
    path.games[0] = position.start[0]
    path.frames[0].keys[:] = 0
    end = list_outcomes(position, path, 0, DEAL)
    if end < 0:
        return end
    await_chance(path, grown, 0, 0, DEAL, end)
    return NO_ROOM


@jit
def grow(position: Position, path: Path, grown: Grown) -> int:
    """Visit nodes until all have been, or there is no room, and say which."""
    counters = path.counters[0]
    while counters.depth != 0:
        frame = int(counters.depth) - 1
        if frame + 1 == len(path.frames):
            return TOO_DEEP
        if path.frames[frame].is_chance == 1:
            problem = visit_outcome(position, path, grown, frame)
        else:
            problem = visit_action(position, path, grown, frame)
        if problem != DONE:
            return problem
    return DONE


@jit
def visit_outcome(position: Position, path: Path, grown: Grown, frame: int) -> int:
    """Go on to the next outcome of an event, or back where there is none left."""
    f = path.frames[frame]
    counters = path.counters[0]
    if f.next == f.end:
        counters.outcomes = f.first
        counters.depth = frame
        return DONE
    if counters.nodes + MAX_ACTIONS > len(grown.seats):
        return NO_ROOM
    outcome = int(f.next)
    child = int(f.child)
    grown.edges[child] = path.numbers[outcome]
    grown.chances[child] = path.chances[outcome]
    f.next = outcome + 1
    f.child = child + 1
    path.frames[frame + 1].keys = f.keys
    path.games[frame + 1] = path.games[frame]
    happen(path.games[frame + 1], position, int(f.action), int(path.numbers[outcome]), 0)
    arrive(position, path, grown, frame + 1, child)
    return DONE


@jit
def visit_action(position: Position, path: Path, grown: Grown, frame: int) -> int:
    """Go on to the next action of a decision, or back where there is none left."""
    f = path.frames[frame]
    counters = path.counters[0]
    if f.actions == 0:
        counters.depth = frame
        return DONE
    action = lowest(int(f.actions))
    end = list_outcomes(position, path, frame, action)
    if end < 0:
        return end
    outcomes = end - int(counters.outcomes)
    if counters.nodes + max(outcomes, MAX_ACTIONS) > len(grown.seats):
        return NO_ROOM
    child = int(f.child)
    grown.edges[child] = action
    grown.chances[child] = 1.0
    f.actions = int(f.actions) & (int(f.actions) - 1)
    f.child = child + 1
    path.frames[frame + 1].keys = f.keys
    path.games[frame + 1] = path.games[frame]
    # Of an event that came to one outcome a node is kept, for it is one of several elsewhere: all
    # nodes of an information state are then as deep. Ends are in none.
    if outcomes > 1 or (used(path.trial[0]) and path.trial[0].phase != OVER):
        await_chance(path, grown, frame + 1, child, action, end)
    else:
        happen(path.games[frame + 1], position, action, 0, 0)
        arrive(position, path, grown, frame + 1, child)
    return DONE


@jit
def await_chance(path: Path, grown: Grown, frame: int, node: int, action: int, end: int) -> None:
    """Make a node one of chance, whose outcomes are those just listed."""
    counters = path.counters[0]
    f = path.frames[frame]
    f.is_chance = 1
    f.action = action
    f.child = counters.nodes
    f.first = counters.outcomes
    f.next = counters.outcomes
    f.end = end
    add_children(counters, grown, node, CHANCE, end - int(counters.outcomes))
    counters.outcomes = end
    counters.depth = frame + 1


@jit
def arrive(position: Position, path: Path, grown: Grown, frame: int, node: int) -> None:
    """Make a node a decision, or the end, by the record that has been played to it."""
    counters = path.counters[0]
    g = path.games[frame]
    if g.phase == OVER:
        place = int(counters.ends)
        counters.ends = place + 1
        grown.seats[node] = END
        grown.children[node] = place
        grown.widths[node] = 0
        for seat in range(int(g.num_players)):
            grown.net[place, seat] = g.net_credits[seat]
        return
    seat = int(g.seat_to_act)
    f = path.frames[frame]
    f.is_chance = 0
    f.child = counters.nodes
    legal = legal_actions(g, position.rules[0], position.sizes[0])
    observe(g, position.rules[0], seat, path.rows[0])
    if position.merged:
        forget(path.rows[0], position.suits)
        legal = distinct(path.rows[0], legal)
    f.actions = legal
    f.keys[seat] = recall(int(f.keys[seat]), path.words, legal)
    grown.keys[node] = f.keys[seat]
    add_children(counters, grown, node, seat, count(legal))
    counters.depth = frame + 1


@jit
def add_children(counters: Record, grown: Grown, node: int, seat: int, width: int) -> None:
    """Give a node its children: consecutive nodes, still to be visited."""
    grown.seats[node] = seat
    grown.children[node] = counters.nodes
    grown.widths[node] = width
    counters.nodes = int(counters.nodes) + width


# Agents at the nodes of a tree.


@jit
def show_nodes(
    position: Position, seats: Array, parents: Array, edges: Array, shown: NodesShown
) -> None:
    """Write what the seat to act sees and may do at some nodes: plays to each from the deal.

    ``seats``, ``parents`` and ``edges`` are of the whole tree: whose turn it is, the node before,
    and the action or the number of chance that led from there.
    """
    for index in range(len(shown.nodes)):
        go_to(position, seats, parents, edges, int(shown.nodes[index]), shown)
        g = shown.games[0]
        observe(g, position.rules[0], int(g.seat_to_act), shown.rows[index])
        shown.legal[index] = legal_actions(g, position.rules[0], position.sizes[0])


@jit
def go_to(
    position: Position, seats: Array, parents: Array, edges: Array, node: int, shown: NodesShown
) -> int:
    """Play from the deal to a node; return how many moves that took, and write them."""
    depth = 0
    while node >= 0:
        shown.path[depth] = node
        depth += 1
        node = int(parents[node])
    shown.games[0] = position.start[0]
    g = shown.games[0]
    action = DEAL
    moves = 0
    for place in range(depth - 2, -1, -1):
        node = int(shown.path[place])
        number = 0
        if seats[parents[node]] == CHANCE:
            number = int(edges[node])
        else:
            action = int(edges[node])
            shown.played[moves] = describe(g, action)
            moves += 1
            if seats[node] == CHANCE:  # an action is played with what chance makes of it
                continue
        happen(g, position, action, number, 0)
        if action >= FIRST_BET_ACTION:
            shown.played[moves - 1] = int(shown.played[moves - 1]) | int(g.paid)
    return moves


@jit
def recognise(
    rows: Array, words: Array, suits: bool, legal: Array, tables: Array, keys: Array
) -> None:
    """Bring the information states of some tables up to date by another turn, as ``grow`` does.

    ``words`` are the memory of ``rows``, which are not kept as they are; of alike actions
    ``legal`` keeps one.
    """
    for index in range(len(rows)):
        forget(rows[index], suits)
        legal[index] = distinct(rows[index], int(legal[index]))
        table = tables[index]
        keys[table] = recall(int(keys[table]), words[index], int(legal[index]))
