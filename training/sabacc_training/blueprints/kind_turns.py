"""The adversary's card phases in a walk: one kind of card action is sampled for many hands."""

from __future__ import annotations

from typing import Final

import numpy as np
from sabacc_agents.blueprint.buckets import HAND_BUCKETS, NO_TOP

from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import Array
from sabacc_training.blueprints.card_states import card_state
from sabacc_training.blueprints.game import Game, note_kind
from sabacc_training.blueprints.hands import (
    NUM_KINDS,
    Cards,
    after_kind,
    top_after_kind,
    uniform,
)
from sabacc_training.blueprints.sampling import UNREACHED, copy, match_regrets, sample, total
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

    Writes the weighted sum of the strategies to ``w.probabilities``.
    """
    s = w.states[depth]
    hands, tops, rows = w.adversary_hands[depth], w.tops[depth], w.kind_rows[depth]
    first = card_state(game, s, int(w.hand[0])) * NUM_KINDS
    betting = max(int(game.bettings[s.stage]) - 1, 0)
    sums = w.probabilities[depth]
    sums[:] = 0
    for j in range(len(hands)):
        best = int(cards.best_kinds[s.stage, hands[j], tops[j]])
        bucket = int(cards.buckets[0, betting, hands[j], NO_TOP])
        rows[j] = (first + best) * HAND_BUCKETS + bucket
        strategy = w.kind_strategies[depth, j]
        match_regrets(tables.kind_regrets[rows[j]], cards.allowed, strategy)
        for kind in range(NUM_KINDS):
            sums[kind] += weights[j] * strategy[kind]


@jit
def mix_kinds(cards: Cards, probabilities: Array, uniform_share: float) -> None:
    """Normalise sums of strategies, and mix them with the uniform strategy."""
    found, count = 0.0, 0
    for kind in range(NUM_KINDS):
        found += probabilities[kind]
        count += int(cards.allowed[kind])
    for kind in range(NUM_KINDS):
        share = uniform_share / count if cards.allowed[kind] else 0.0
        probabilities[kind] = (1 - uniform_share) * probabilities[kind] / found + share


@jit
def meet_kinds(game: Game, cards: Cards, tables: LearntTables, w: Workspace, depth: int) -> bool:
    """Let the opponent, the adversary, play its cards; False if no hand gets there."""
    s = w.states[depth]
    weights, hands = w.weights[depth], w.adversary_hands[depth]
    prepare_kinds(game, cards, tables, w, depth, weights)
    probabilities = w.probabilities[depth]
    mix_kinds(cards, probabilities, DEFENDED_KINDS)
    kind = sample(w.rng, probabilities, 0, NUM_KINDS)
    for j in range(len(weights)):
        weights[j] *= w.kind_strategies[depth, j, kind] / probabilities[kind]
    if total(weights) < UNREACHED:
        return False
    resample(w, depth)
    chosen = w.kind_rows[depth]
    for n in range(len(hands)):  # the hands of the next decision: they are read before they change
        play_kind(cards, w, s.stage, depth, chosen[n], n, kind)
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
    mix_kinds(cards, w.probabilities[depth], EXPLORED_KINDS)
    kind = sample(w.rng, w.probabilities[depth], 0, NUM_KINDS)
    w.states[depth + 1] = s
    w.path_weights[depth + 1] = w.path_weights[depth] / w.probabilities[depth, kind]
    copy(w.weights[depth], w.weights[depth + 1])
    for j in range(len(ones)):
        play_kind(cards, w, s.stage, depth, j, j, kind)
    note_kind(w.states[depth + 1], kind)
    return kind


@jit
def learn_kinds(tables: LearntTables, w: Workspace, depth: int, kind: int) -> None:
    """Write values and add regrets, after the values of one kind of card action."""
    weight = np.float32(total(w.weights[depth]))
    over = np.float32(1 / w.probabilities[depth, kind])
    epoch, found, values = w.epoch[0], w.hand_values[depth + 1], w.hand_values[depth]
    for j in range(len(values)):
        row = w.kind_rows[depth, j]
        regrets, baselines = tables.kind_regrets[row], tables.kind_values[row]
        strategy = w.kind_strategies[depth, j]
        surprise = (found[j] - baselines[kind] * weight) * over
        value = strategy[kind] * surprise
        for k in range(NUM_KINDS):
            value += strategy[k] * baselines[k] * weight
        for k in range(NUM_KINDS):
            regrets[k] += epoch * (baselines[k] * weight - value)
        regrets[kind] += epoch * surprise
        baselines[kind] += np.float32(BASELINE_RATE) * (found[j] / weight - baselines[kind])
        values[j] = value
