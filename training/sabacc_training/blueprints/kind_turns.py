"""The adversary's card phases in a walk: one kind of card action is sampled for many hands.

It is sampled as everyone sees it (``public_states.seen_kind``). So of swaps only hands make it that
find a top discard of its class.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from sabacc_agents.blueprint.buckets import NO_TOP
from sabacc_agents.blueprint.public_states import NUM_SEEN_KINDS, SWAP, seen_kind

from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import Array
from sabacc_training.blueprints.card_states import card_state, hand_row
from sabacc_training.blueprints.game import Game
from sabacc_training.blueprints.hands import (
    NUM_KINDS,
    Cards,
    after_kind,
    random_below,
    top_after_kind,
    uniform,
)
from sabacc_training.blueprints.sampling import UNREACHED, copy, match_regrets, sample, total
from sabacc_training.blueprints.states import note_kind
from sabacc_training.blueprints.workspace import LearntTables, Workspace

EXPLORED_KINDS: Final = 0.4
"""The share of the traverser's kinds that are sampled uniformly."""

DEFENDED_KINDS: Final = 0.1
"""The share of the opponent's kinds that are."""

BASELINE_RATE: Final = 0.02
"""How fast the average values of kinds follow the last one."""


@jit
def prepare_kinds(
    game: Game, cards: Cards, tables: LearntTables, w: Workspace, depth: int, weights: Array
) -> None:
    """Write the rows and strategies of the adversary's hands.

    Writes the weighted sums of the strategies by the kinds that are seen to ``w.probabilities``,
    and how many hands can play each to ``w.kind_counts``.
    """
    s = w.states[depth]
    hands, tops, rows = w.adversary_hands[depth], w.tops[depth], w.kind_rows[depth]
    state = card_state(game, s, int(w.hand[0]))
    betting = max(int(game.bettings[s.stage]) - 1, 0)
    sums, counts = w.probabilities[depth], w.kind_counts
    sums[:] = 0
    counts[:] = 0
    for j in range(len(hands)):
        best = int(cards.best_kinds[s.stage, hands[j], tops[j]])
        bucket = int(cards.buckets[0, betting, hands[j], NO_TOP])
        rows[j] = hand_row(state, best, int(tops[j]), bucket)
        strategy = w.kind_strategies[depth, j]
        match_regrets(tables.kind_regrets[rows[j]], cards.allowed, strategy)
        for kind in range(NUM_KINDS):
            if cards.allowed[kind]:
                seen = seen_kind(kind, int(tops[j]))
                sums[seen] += weights[j] * strategy[kind]
                counts[seen] += 1


@jit
def mix_kinds(w: Workspace, depth: int, explored: float) -> None:
    """Normalise sums of strategies, and mix them with the shares of hands that can play a kind."""
    probabilities, counts = w.probabilities[depth], w.kind_counts
    found, count = 0.0, 0
    for kind in range(NUM_SEEN_KINDS):
        found += probabilities[kind]
        count += int(counts[kind])
    for kind in range(NUM_SEEN_KINDS):
        share = explored * counts[kind] / count
        probabilities[kind] = (1 - explored) * probabilities[kind] / found + share


@jit
def plays(kind: int, top: int) -> bool:
    """Say whether a hand can play a kind that everyone sees, by the top discard that it finds."""
    return kind < SWAP or kind == seen_kind(SWAP, top)


@jit
def meet_kinds(game: Game, cards: Cards, tables: LearntTables, w: Workspace, depth: int) -> bool:
    """Let the opponent, the adversary, play its cards; False if no hand gets there."""
    s = w.states[depth]
    weights, hands = w.weights[depth], w.adversary_hands[depth]
    prepare_kinds(game, cards, tables, w, depth, weights)
    probabilities = w.probabilities[depth]
    mix_kinds(w, depth, DEFENDED_KINDS)
    kind = sample(w.rng, probabilities, 0, NUM_SEEN_KINDS)
    own = min(kind, SWAP)
    for j in range(len(weights)):
        can = plays(kind, int(w.tops[depth, j]))
        weights[j] *= can * w.kind_strategies[depth, j, own] / probabilities[kind]
    if total(weights) < UNREACHED:
        return False
    resample(w, depth)
    chosen = w.kind_rows[depth]
    for n in range(len(hands)):  # the hands of the next decision: they are read before they change
        play_kind(cards, w, s.stage, depth, chosen[n], n, own)
    copy(w.adversary_hands[depth + 1], hands)
    copy(w.tops[depth + 1], w.tops[depth])
    note_kind(s, kind)
    return True


@jit
def play_kind(
    cards: Cards, w: Workspace, stage: int, depth: int, j: int, n: int, kind: int
) -> None:
    """Write what hand j and its top discard become, as hand n of the next decision."""
    hand, top = int(w.adversary_hands[depth, j]), int(w.tops[depth, j])
    w.adversary_hands[depth + 1, n] = after_kind(cards, w.rng, stage, hand, top, kind)
    w.tops[depth + 1, n] = top_after_kind(cards, stage, hand, top, kind)


@jit
def resample(w: Workspace, depth: int) -> None:
    """Draw hands by weight (systematic resampling): their numbers go to ``w.kind_rows``.

    Each then has the same weight.
    """
    weights, chosen = w.weights[depth], w.kind_rows[depth]
    step = total(weights) / len(weights)
    at = uniform(w.rng) * step
    j, reached = 0, weights[0]
    for n in range(len(weights)):
        while reached < at and j < len(weights) - 1:
            j += 1
            reached += weights[j]
        chosen[n] = j
        at += step
    weights[:] = step


@jit
def sample_kind(game: Game, cards: Cards, tables: LearntTables, w: Workspace, depth: int) -> int:
    """Begin the next decision after one kind of card action, and return the kind."""
    s = w.states[depth]
    ones = w.weights[depth + 1]
    ones[:] = 1
    prepare_kinds(game, cards, tables, w, depth, ones)
    mix_kinds(w, depth, EXPLORED_KINDS)
    kind = sample(w.rng, w.probabilities[depth], 0, NUM_SEEN_KINDS)
    w.states[depth + 1] = s
    w.path_weights[depth + 1] = w.path_weights[depth] / w.probabilities[depth, kind]
    copy(w.weights[depth], w.weights[depth + 1])
    tops, count = w.tops[depth], len(ones)
    for j in range(count):
        chosen = j
        while not plays(kind, int(tops[chosen])):  # another hand stands in: all places are filled
            chosen = random_below(w.rng, count)
        play_kind(cards, w, s.stage, depth, chosen, j, min(kind, SWAP))
    note_kind(w.states[depth + 1], kind)
    return kind


@jit
def learn_kinds(tables: LearntTables, w: Workspace, depth: int, kind: int) -> None:
    """Write values and add regrets, after the values of one kind of card action.

    A hand that cannot play it learns from its baselines alone.
    """
    weight = np.float32(total(w.weights[depth]))
    over = np.float32(1 / w.probabilities[depth, kind])
    epoch, found, values = w.epoch[0], w.hand_values[depth + 1], w.hand_values[depth]
    own = min(kind, SWAP)
    for j in range(len(values)):
        can = plays(kind, int(w.tops[depth, j]))
        row = w.kind_rows[depth, j]
        regrets, baselines = tables.kind_regrets[row], tables.kind_values[row]
        strategy = w.kind_strategies[depth, j]
        surprise = can * (found[j] - baselines[own] * weight) * over
        value = strategy[own] * surprise
        for k in range(NUM_KINDS):
            value += strategy[k] * baselines[k] * weight
        for k in range(NUM_KINDS):
            regrets[k] += epoch * (baselines[k] * weight - value)
        regrets[own] += epoch * surprise
        if can:
            baselines[own] += np.float32(BASELINE_RATE) * (found[j] / weight - baselines[own])
        values[j] = value
