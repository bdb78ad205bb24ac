"""Successors of hands in play: where an action leads, and where it or chance could have led.

For each decision ``expand`` writes the hand that follows the action that is played, and samples of
what could have followed every action that the agent might have chosen. Each has weights with which
its value enters the corrections. Those in which the hand is over are added up at once; the others
wait as rows for the value function, and ``add_values`` adds them up.

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
from sabacc_env.engine.layout import GAME_DTYPE, MAX_SEATS, OVER, Array, Record
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
from sabacc_training.variance_reduction.features import (
    SEAT_FEATURES,
    TABLE_FEATURES,
    VALUES,
    write_baseline,
    write_features,
    write_strengths,
)

DEAL: Final = 0
DRAWS: Final = 1
DICE: Final = 2
ACTIONS: Final = 3
CARDS_USED: Final = 0xFFFFFFFF
"""The bits of ``chance_marker`` that differ where cards were drawn."""
KINDS: Final = ("deal", "draws", "dice", "actions")
"""The kinds of corrections: for the deal, for chance without and with dice, for actions."""


class Rows(NamedTuple):
    """Hands in play that wait for the value function, and scratch memory."""

    seat_features: Array  # (seat rows, SEAT_FEATURES) float32, of the remaining seats
    seats: Array  # (seat rows,) int64: whose they are
    first_seat_rows: Array  # (rows + 1,) int64: where the seats of each row begin
    table_features: Array  # (rows, TABLE_FEATURES) float32
    baselines: Array  # (rows, MAX_SEATS) float64, credits
    bounds: Array  # (rows, MAX_SEATS, 2) float64, credits
    scales: Array  # (rows, 2) float32, credits
    tables: Array  # (rows,) int64: the table whose corrections a row enters
    kinds: Array  # (rows,) int64: which kind of chance
    weights: Array  # (rows, 2) float64: in the correction of chance, and in that of actions
    styles: Array  # (num_tables, MAX_SEATS) int64: who plays each seat of each table
    counters: Array  # (1,) int64: rows in use
    games: Array  # (2,) GAME_DTYPE: scratch
    pile: Array  # (VALUES,) float64: scratch
    strengths: Array  # (MAX_SEATS,) int64: scratch


class Settings(NamedTuple):
    """How many samples are taken, and the words of the seed."""

    deals: int
    draws: int
    seed_low: int
    seed_high: int


def empty_rows(size: int, num_tables: int = 1) -> Rows:
    """Return room for so many hands in play of so many tables, where nobody is known."""
    return Rows(
        seat_features=np.zeros((size * MAX_SEATS, SEAT_FEATURES), np.float32),
        seats=np.zeros(size * MAX_SEATS, np.int64),
        first_seat_rows=np.zeros(size + 1, np.int64),
        table_features=np.zeros((size, TABLE_FEATURES), np.float32),
        baselines=np.zeros((size, MAX_SEATS)),
        bounds=np.zeros((size, MAX_SEATS, 2)),
        scales=np.zeros((size, 2), np.float32),
        tables=np.zeros(size, np.int64),
        kinds=np.zeros(size, np.int64),
        weights=np.zeros((size, 2)),
        styles=np.zeros((num_tables, MAX_SEATS), np.int64),
        counters=np.zeros(1, np.int64),
        games=np.zeros(2, GAME_DTYPE),
        pile=np.zeros(VALUES),
        strengths=np.zeros(MAX_SEATS, np.int64),
    )


@jit
def expand(
    games: Games,
    rows: Rows,
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
    """Write the successors of decisions until the rows are full; return the next index.

    Args:
        games: the hands in play, of which nothing is changed.
        rows: written to.
        settings: how many samples.
        streams: (num_tables, 2) int64: each table's stream of alternative chance.
        fresh: (num_tables,) bool: tables whose deal has not been corrected for; cleared.
        sums: (num_tables, kinds, MAX_SEATS) float64: corrections, added to.
        tables: (n,) the tables where an action is played.
        actions: (n,) these actions.
        probabilities: (n, num_actions) of the agents that tell them; else rows of NaN.
        begin: the first index.
        room: how many rows one decision may need.
    """
    sizes = games.bet_sizes[0]
    for index in range(begin, len(tables)):
        if int(rows.counters[0]) + room > len(rows.tables):
            return index
        table = int(tables[index])
        g = games.records[table]
        r = games.rules[games.rule_of[table]]
        if fresh[table]:
            fresh[table] = False
            low = int(g.key_low) ^ settings.seed_low
            high = int(g.key_high) ^ settings.seed_high
            streams[table, 0], streams[table, 1] = stream(low, high, ALTERNATIVE, 0)
            expand_deal(g, r, rows, settings, streams[table], sums, table)
        action = int(actions[index])
        alternative = rows.games[0:1]
        alternative[0] = g
        play_alternative(alternative[0], r, action, sizes)
        marker = chance_marker(g)
        kind = DICE if alternative[0].rolls != g.rolls else DRAWS
        if chance_marker(alternative[0]) != marker:
            add(alternative[0], r, rows, sums, table, kind, 1.0, 0.0)
        tells = probabilities[index, action] == probabilities[index, action]
        if not tells:
            expand_action(
                g, r, sizes, rows, settings, streams[table], sums, table, kind, action, -1.0, 0.0
            )
            continue
        for other in range(probabilities.shape[1]):
            probability = probabilities[index, other]
            if other == action:
                expand_action(
                    g, r, sizes, rows, settings, streams[table], sums,
                    table, kind, other, -1.0, 1.0 - probability,
                )  # fmt: skip
            elif probability > 0.0:
                expand_action(
                    g, r, sizes, rows, settings, streams[table], sums,
                    table, kind, other, 0.0, -probability,
                )  # fmt: skip
    return len(tables)


@jit
def expand_deal(
    g: Record, r: Record, rows: Rows, settings: Settings, stream: Array, sums: Array, table: int
) -> None:
    """Write a hand at its first decision, and samples of other deals."""
    if settings.deals == 0:
        return
    add(g, r, rows, sums, table, DEAL, 1.0, 0.0)
    state = int(stream[0])
    alternative = rows.games[0:1]
    for _ in range(settings.deals):
        alternative[0] = g
        state = redeal(alternative[0], r, state, int(stream[1]))
        add(alternative[0], r, rows, sums, table, DEAL, -1.0 / settings.deals, 0.0)
    stream[0] = state


@jit
def expand_action(
    g: Record,
    r: Record,
    sizes: Record,
    rows: Rows,
    settings: Settings,
    stream: Array,
    sums: Array,
    table: int,
    kind: int,
    action: int,
    chance_weight: float,
    action_weight: float,
) -> None:
    """Write samples of what could follow an action; their weights add up to the given ones.

    An action of an agent that does not use chance has no correction for chance.
    """
    marker = chance_marker(g)
    increment = int(stream[1])
    state = int(stream[0])
    places = draw_pile_by_value(g)
    left = int(g.deck_size) - int(g.deck_next)
    samples = settings.draws
    if left > 0:
        samples = min(samples, left)
    groups = num_dice_groups(r)
    alternative = rows.games[0:1]
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
            chance = chance_weight * weight if drawn or rolled else 0.0
            if chance != 0.0 or action_weight != 0.0:
                add(alternative[0], r, rows, sums, table, kind, chance, action_weight * weight)
            if not drawn:
                break
        if not rolled:
            break
    stream[0] = state


@jit
def add(
    g: Record,
    r: Record,
    rows: Rows,
    sums: Array,
    table: int,
    kind: int,
    chance_weight: float,
    action_weight: float,
) -> None:
    """Add a hand with these weights: its net credits if it is over, else a row."""
    if g.phase == OVER:
        for seat in range(int(g.num_players)):
            net = float(int(g.net_credits[seat]))
            sums[table, kind, seat] += chance_weight * net
            sums[table, ACTIONS, seat] += action_weight * net
        return
    row = int(rows.counters[0])
    rows.counters[0] = row + 1
    rows.tables[row] = table
    rows.kinds[row] = kind
    rows.weights[row, 0] = chance_weight
    rows.weights[row, 1] = action_weight
    write_row(g, r, rows, row)


@jit
def write_row(g: Record, r: Record, rows: Rows, row: int) -> None:
    """Write what the value function sees of a hand in play as a row."""
    ante = float(max(1, int(r.hand_ante) + int(r.sabacc_ante)))
    begin = int(rows.first_seat_rows[row])
    write_strengths(g, r, rows.strengths)
    scratch = rows.games[1:2]
    write_baseline(g, r, scratch, rows.strengths, rows.baselines[row], rows.bounds[row])
    written = write_features(
        g,
        r,
        ante,
        rows.pile,
        scratch,
        rows.strengths,
        rows.baselines[row],
        rows.seat_features[begin:],
        rows.seats[begin:],
        rows.table_features[row],
        rows.scales[row],
        rows.styles[int(rows.tables[row])],
    )
    rows.first_seat_rows[row + 1] = begin + written


@jit
def add_values(rows: Rows, values: Array, sums: Array) -> None:
    """Add the values of all rows to the corrections, and empty the rows.

    ``values`` is (rows, MAX_SEATS) float64, in credits.
    """
    for row in range(int(rows.counters[0])):
        table = int(rows.tables[row])
        kind = int(rows.kinds[row])
        for seat in range(sums.shape[2]):
            sums[table, kind, seat] += rows.weights[row, 0] * values[row, seat]
            sums[table, ACTIONS, seat] += rows.weights[row, 1] * values[row, seat]
    rows.counters[0] = 0
