"""Successors of hands in play: where an action leads, and where it or chance could have led.

For each decision ``expand`` writes the hand that follows the action that is played, and samples of
what could have followed every action that the agent might have chosen. Each has weights with which
its value enters the corrections. Those in which the hand is over are added up at once; the others
wait in the frontier for their values, and ``add_values`` adds them up.

The expectation over chance is exact where chance is not used, and for the kind of dice that come.
Draws are sampled systematically: at equal distances in the draw pile ordered by value, from a
random start. Every card is then equally likely, so the mean is unbiased, and nearly exact.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from sabacc_env.engine.chance import ALTERNATIVE, next_word, stream
from sabacc_env.engine.drivers.batch import Games
from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import GAME_DTYPE, OVER, Array, Record
from sabacc_env.engine.search.alternatives import (
    NO_DOUBLES,
    chance_marker,
    dice_share,
    draw_pile_by_value,
    num_dice_groups,
    play_alternative,
    redeal,
    renew_chance,
)

DEAL: Final = 0
DRAWS: Final = 1
DICE: Final = 2
ACTIONS: Final = 3
CARDS_USED: Final = 0xFFFFFFFF
"""The bits of ``chance_marker`` that differ where cards were drawn."""
KINDS: Final = ("deal", "draws", "dice", "actions")
"""The kinds of corrections: for the deal, for chance without and with dice, for actions."""


class Frontier(NamedTuple):
    """Hands in play that wait for their values, and scratch memory."""

    games: Array  # (size,) GAME_DTYPE
    tables: Array  # (size,) int64: the table whose corrections a hand enters
    kinds: Array  # (size,) int64: which kind of chance
    weights: Array  # (size, 2) float64: in the correction of chance, and in that of actions
    counters: Array  # (1,) int64: hands that wait
    scratch: Array  # (1,) GAME_DTYPE


class Settings(NamedTuple):
    """How many samples are taken, and the words of the seed."""

    deals: int
    draws: int
    seed_low: int
    seed_high: int


def empty_frontier(size: int) -> Frontier:
    """Return room for so many hands."""
    return Frontier(
        games=np.zeros(size, GAME_DTYPE),
        tables=np.zeros(size, np.int64),
        kinds=np.zeros(size, np.int64),
        weights=np.zeros((size, 2)),
        counters=np.zeros(1, np.int64),
        scratch=np.zeros(1, GAME_DTYPE),
    )


@jit
def expand(
    games: Games,
    frontier: Frontier,
    settings: Settings,
    streams: Array,
    fresh: Array,
    sums: Array,
    tables: Array,
    actions: Array,
    probabilities: Array,
    begin: int,
    room: int,
) -> int:
    """Write the successors of decisions until the frontier is full; return the next index.

    Args:
        games: the hands in play, of which nothing is changed.
        frontier: written to.
        settings: how many samples.
        streams: (num_tables, 2) int64: each table's stream of alternative chance.
        fresh: (num_tables,) bool: tables whose deal has not been corrected for; cleared.
        sums: (num_tables, kinds, MAX_SEATS) float64: corrections, added to.
        tables: (n,) the tables where an action is played.
        actions: (n,) these actions.
        probabilities: (n, num_actions) of the agents that tell them; else rows of NaN.
        begin: the first index.
        room: how many hands may follow one decision.
    """
    sizes = games.bet_sizes[0]
    for index in range(begin, len(tables)):
        if int(frontier.counters[0]) + room > len(frontier.tables):
            return index
        table = int(tables[index])
        g = games.records[table]
        r = games.rules[games.rule_of[table]]
        if fresh[table]:
            fresh[table] = False
            low = int(g.key_low) ^ settings.seed_low
            high = int(g.key_high) ^ settings.seed_high
            streams[table, 0], streams[table, 1] = stream(low, high, ALTERNATIVE, 0)
            expand_deal(g, r, frontier, settings, streams[table], sums, table)
        action = int(actions[index])
        alternative = frontier.scratch
        alternative[0] = g
        play_alternative(alternative[0], r, action, sizes)
        marker = chance_marker(g)
        kind = DICE if alternative[0].rolls != g.rolls else DRAWS
        chance_weight = 0.0
        if chance_marker(alternative[0]) != marker:
            chance_weight = 1.0
            add(alternative[0], frontier, sums, table, kind, 1.0, 0.0)
        tells = probabilities[index, action] == probabilities[index, action]
        if not tells:
            expand_action(
                g,
                r,
                sizes,
                frontier,
                settings,
                streams[table],
                sums,
                table,
                kind,
                action,
                -chance_weight,
                0.0,
            )
            continue
        for other in range(probabilities.shape[1]):
            probability = probabilities[index, other]
            if other == action:
                expand_action(
                    g, r, sizes, frontier, settings, streams[table], sums,
                    table, kind, other, -chance_weight, 1.0 - probability,
                )  # fmt: skip
            elif probability > 0.0:
                expand_action(
                    g, r, sizes, frontier, settings, streams[table], sums,
                    table, kind, other, 0.0, -probability,
                )  # fmt: skip
    return len(tables)


@jit
def expand_waiting(
    games: Games,
    frontier: Frontier,
    chosen: Array,
    probabilities: Array,
    following: Frontier,
    settings: Settings,
    streams: Array,
    sums: Array,
    room: int,
) -> int:
    """Write what may follow hands that wait until ``following`` is full; return how many were done.

    Args:
        games: whose rules and bet sizes they have.
        frontier: the hands that wait.
        chosen: (n,) the indices of those to expand.
        probabilities: (n, num_actions) of the agents that are to act.
        following: written to, with the weights of the hands times the probabilities.
        settings: how many samples.
        streams: as of ``expand``.
        sums: likewise.
        room: how many hands may follow one.
    """
    for row in range(len(chosen)):
        if int(following.counters[0]) + room > len(following.tables):
            return row
        index = int(chosen[row])
        table = int(frontier.tables[index])
        for action in range(probabilities.shape[1]):
            probability = float(probabilities[row, action])
            if probability > 0.0:
                expand_action(
                    frontier.games[index],
                    games.rules[games.rule_of[table]],
                    games.bet_sizes[0],
                    following,
                    settings,
                    streams[table],
                    sums,
                    table,
                    int(frontier.kinds[index]),
                    action,
                    probability * frontier.weights[index, 0],
                    probability * frontier.weights[index, 1],
                )
    return len(chosen)


@jit
def expand_deal(
    g: Record,
    r: Record,
    frontier: Frontier,
    settings: Settings,
    stream: Array,
    sums: Array,
    table: int,
) -> None:
    """Write a hand at its first decision, and samples of other deals."""
    if settings.deals == 0:
        return
    add(g, frontier, sums, table, DEAL, 1.0, 0.0)
    state = int(stream[0])
    alternative = frontier.scratch
    for _ in range(settings.deals):
        alternative[0] = g
        state = redeal(alternative[0], r, state, int(stream[1]))
        add(alternative[0], frontier, sums, table, DEAL, -1.0 / settings.deals, 0.0)
    stream[0] = state


@jit
def expand_action(
    g: Record,
    r: Record,
    sizes: Record,
    frontier: Frontier,
    settings: Settings,
    stream: Array,
    sums: Array,
    table: int,
    kind: int,
    action: int,
    chance_weight: float,
    action_weight: float,
) -> None:
    """Write samples of what could follow an action; their weights add up to the given ones."""
    marker = chance_marker(g)
    increment = int(stream[1])
    state = int(stream[0])
    places = draw_pile_by_value(g)
    left = int(g.deck_size) - int(g.deck_next)
    samples = settings.draws
    if left > 0:
        samples = min(samples, left)
    groups = num_dice_groups(r)
    alternative = frontier.scratch
    rolled = True
    for dice in range(groups):
        share = dice_share(dice, groups)
        state, start = next_word(state, increment)
        for sample in range(samples):
            rank = ((sample << 32 | start) * max(1, left) // samples) >> 32
            alternative[0] = g
            state = renew_chance(alternative[0], places, rank, dice, state, increment)
            play_alternative(alternative[0], r, action, sizes)
            if sample == 0 and dice == NO_DOUBLES and alternative[0].rolls == g.rolls:
                rolled = False
                share = 1.0
            drawn = (chance_marker(alternative[0]) & CARDS_USED) != (marker & CARDS_USED)
            weight = share / samples if drawn else share
            if chance_weight != 0.0 or action_weight != 0.0:
                add(
                    alternative[0], frontier, sums, table, kind,
                    chance_weight * weight, action_weight * weight,
                )  # fmt: skip
            if not drawn:
                break
        if not rolled:
            break
    stream[0] = state


@jit
def add(
    g: Record,
    frontier: Frontier,
    sums: Array,
    table: int,
    kind: int,
    chance_weight: float,
    action_weight: float,
) -> None:
    """Add a hand with these weights: its net credits if it is over, else it waits."""
    if g.phase == OVER:
        for seat in range(int(g.num_players)):
            net = float(int(g.net_credits[seat]))
            sums[table, kind, seat] += chance_weight * net
            sums[table, ACTIONS, seat] += action_weight * net
        return
    index = int(frontier.counters[0])
    frontier.counters[0] = index + 1
    frontier.games[index] = g
    frontier.tables[index] = table
    frontier.kinds[index] = kind
    frontier.weights[index, 0] = chance_weight
    frontier.weights[index, 1] = action_weight


@jit
def add_values(frontier: Frontier, indices: Array, values: Array, sums: Array) -> None:
    """Add values to the corrections.

    Args:
        frontier: whose hands they are.
        indices: (n,) of the hands.
        values: (n, MAX_SEATS) float64, credits.
        sums: as of ``expand``.
    """
    for row in range(len(indices)):
        index = int(indices[row])
        table = int(frontier.tables[index])
        kind = int(frontier.kinds[index])
        for seat in range(sums.shape[2]):
            sums[table, kind, seat] += frontier.weights[index, 0] * values[row, seat]
            sums[table, ACTIONS, seat] += frontier.weights[index, 1] * values[row, seat]
