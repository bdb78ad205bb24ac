"""Betting turns in a walk: those of the traverser, which learns, and those of the opponent."""

from __future__ import annotations

from typing import Final

from sabacc_agents.blueprint.buckets import HAND_BUCKETS

from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import Array, Record
from sabacc_training.blueprints.game import (
    CALL,
    FIRST_RAISE,
    JUNK,
    NUM_BETS,
    Game,
    apply_bet,
    bet_public_state,
    is_last_call,
    write_legal,
)
from sabacc_training.blueprints.hands import Cards
from sabacc_training.blueprints.reveal import add_values
from sabacc_training.blueprints.sampling import UNREACHED, copy, match_regrets, sample, total
from sabacc_training.blueprints.workspace import LAST_RAISE, LearntTables, Workspace

EXPLORED_RAISES: Final = 0.4
"""The share of the traverser's raises that are sampled uniformly."""


@jit
def prepare_bets(game: Game, cards: Cards, tables: LearntTables, w: Workspace, depth: int) -> None:
    """Write the legal bets, and the buckets and strategies of the hands of the seat to act."""
    s = w.states[depth]
    stack, agent, _ = w.hand
    is_agent = s.position == agent
    legal = w.legal[depth]
    write_legal(game, s, stack, is_agent, legal, w.raises[depth])
    if depth >= LAST_RAISE:
        legal[FIRST_RAISE:] = False
    betting = int(game.bettings[s.stage])
    hands = w.agent_hands[betting] if is_agent else w.adversary_hands[depth]
    for j in range(len(hands)):
        w.buckets[depth, j] = cards.buckets[betting, hands[j]]
    first = bet_public_state(game, s, stack) * HAND_BUCKETS
    w.first_rows[depth] = first
    regrets = tables.agent_regrets if is_agent else tables.adversary_regrets
    for bucket in range(HAND_BUCKETS):
        match_regrets(regrets[first + bucket], legal, w.strategies[depth, bucket])


@jit
def begin_bet(game: Game, w: Workspace, depth: int, action: int) -> None:
    """Begin the next decision after the traverser's bet action."""
    w.states[depth + 1] = w.states[depth]
    apply_bet(game, w.states[depth + 1], int(w.hand[0]), action, w.raises[depth])
    copy(w.weights[depth], w.weights[depth + 1])
    copy(w.adversary_hands[depth], w.adversary_hands[depth + 1])


@jit
def add_reveal(game: Game, w: Workspace, s: Record, weights: Array, values: Array) -> None:
    """Add the values of the traverser's hands at the reveal in a state of equal bets."""
    unit = game.hand_ante + game.sabacc_ante
    stake = (int(s.bets[0]) + game.hand_ante) / unit
    add_values(w.reveal, weights, stake, game.sabacc_ante / unit, values)


@jit
def junk_value(game: Game, s: Record) -> float:
    """Return the margin of the seat to act if it junks, in antes."""
    return -(int(s.bets[s.position]) + game.hand_ante) / (game.hand_ante + game.sabacc_ante)


@jit
def sum_by_bucket(w: Workspace, depth: int, numbers: Array, column: int) -> None:
    """Write the sums of the numbers of hands by bucket, to a column of ``w.in_bucket``."""
    buckets, sums = w.buckets[depth], w.in_bucket
    for bucket in range(HAND_BUCKETS):
        sums[bucket, column] = 0
    for j in range(len(numbers)):
        sums[buckets[j], column] += numbers[j]


@jit
def sample_raise(w: Workspace, depth: int) -> int:
    """Sample the raise that the traverser tries; -1 if it cannot raise."""
    legal, probabilities = w.legal[depth], w.probabilities[depth]
    probabilities[:] = 0
    found, count = 0.0, 0
    for action in range(FIRST_RAISE, NUM_BETS):
        if legal[action]:
            count += 1
            for bucket in w.buckets[depth]:
                probabilities[action] += w.strategies[depth, bucket, action]
            found += probabilities[action]
    if count == 0:
        return -1
    explored = EXPLORED_RAISES if found > UNREACHED else 1.0
    for action in range(FIRST_RAISE, NUM_BETS):
        if legal[action]:
            share = probabilities[action] / max(found, UNREACHED)
            probabilities[action] = (1 - explored) * share + explored / count
    return sample(w.rng, probabilities, FIRST_RAISE, NUM_BETS)


@jit
def learn_bets(game: Game, tables: LearntTables, w: Workspace, depth: int, action: int) -> None:
    """Write values and add regrets, after the values of a call and of one raise (-1 for none).

    ``w.values[depth]`` holds the values of the call. Surprises are those of the raise.
    """
    s = w.states[depth]
    values, surprises, buckets = w.values[depth], w.values[depth + 1], w.buckets[depth]
    junked = junk_value(game, s) * total(w.weights[depth])
    for i in range(len(values)):
        surprise = 0.0
        if action >= 0:
            surprise = (surprises[i] - values[i]) / w.probabilities[depth, action]
        surprises[i] = surprise
    sums = w.in_bucket
    sum_by_bucket(w, depth, values, 0)
    sum_by_bucket(w, depth, surprises, 1)
    for bucket in range(HAND_BUCKETS):
        sums[bucket, 2] = 0
    for i in range(len(values)):
        strategy = w.strategies[depth, buckets[i]]
        sums[buckets[i], 2] += 1
        values[i] += strategy[JUNK] * (junked - values[i])
        if action >= 0:
            values[i] += strategy[action] * surprises[i]
    is_agent = s.position == w.hand[1]
    all_regrets = tables.agent_regrets if is_agent else tables.adversary_regrets
    first, legal = w.first_rows[depth], w.legal[depth]
    for bucket in range(HAND_BUCKETS):
        called, surprise, count = sums[bucket]
        if count == 0:
            continue
        strategy, regrets = w.strategies[depth, bucket], all_regrets[first + bucket]
        value = called + strategy[JUNK] * (junked * count - called)
        if action >= 0:
            value += strategy[action] * surprise
            regrets[action] += surprise
        if legal[JUNK]:
            regrets[JUNK] += junked * count - value
        for k in range(CALL, NUM_BETS):
            if legal[k]:
                regrets[k] += called - value


@jit
def meet_bets(game: Game, tables: LearntTables, w: Workspace, depth: int) -> int:
    """Let the opponent bet. Add the values of what ends the hand, and sample one of the others.

    Begins the next decision after the sampled action and returns it; -1 if there is none.
    """
    s = w.states[depth]
    weights, strategies, values = w.weights[depth], w.strategies[depth], w.values[depth]
    following, probabilities = w.weights[depth + 1], w.probabilities[depth]
    buckets = w.buckets[depth]
    sum_by_bucket(w, depth, weights, 0)
    if s.position == w.hand[1]:
        add_to_average(tables.agent_sums, w.first_rows[depth], w.in_bucket, strategies)
    probabilities[:] = 0
    for bucket in range(HAND_BUCKETS):
        for action in range(NUM_BETS):
            probabilities[action] += w.in_bucket[bucket, 0] * strategies[bucket, action]
    values[:] = -junk_value(game, s) * probabilities[JUNK]
    probabilities[JUNK] = 0
    if is_last_call(game, s):
        for j in range(len(weights)):
            following[j] = weights[j] * strategies[buckets[j], CALL]
        w.states[depth + 1] = s
        apply_bet(game, w.states[depth + 1], int(w.hand[0]), CALL, w.raises[depth])
        add_reveal(game, w, w.states[depth + 1], following, values)
        probabilities[CALL] = 0
    whole = total(probabilities)
    if whole < UNREACHED:
        return -1
    for action in range(NUM_BETS):
        probabilities[action] /= whole
    action = sample(w.rng, probabilities, CALL, NUM_BETS)
    begin_bet(game, w, depth, action)
    for j in range(len(weights)):
        following[j] = weights[j] * strategies[buckets[j], action] / probabilities[action]
    return action


@jit
def add_to_average(sums: Array, first: int, weights: Array, strategies: Array) -> None:
    """Add the agent's strategies to their sums, by its reach probabilities in each bucket."""
    for bucket in range(HAND_BUCKETS):
        for action in range(NUM_BETS):
            sums[first + bucket, action] += weights[bucket, 0] * strategies[bucket, action]
