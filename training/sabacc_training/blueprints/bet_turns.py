"""Betting turns in a walk: those of the traverser, which learns, and those of the opponent.

Within a betting phase hands do not change, so all is by bucket: the opponent's reach and the values
of the traverser's hands.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from sabacc_agents.blueprint.buckets import HAND_BUCKETS

from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import Array, Record
from sabacc_training.blueprints.adversary_states import adversary_state, find_row
from sabacc_training.blueprints.game import CALL, FIRST_RAISE, JUNK, NUM_BETS, Game
from sabacc_training.blueprints.hands import uniform
from sabacc_training.blueprints.reveal import add_values
from sabacc_training.blueprints.sampling import UNREACHED, copy, sample, total
from sabacc_training.blueprints.states import apply_bet, bet_public_state, is_last_call, write_legal
from sabacc_training.blueprints.workspace import LAST_RAISE, LearntTables, Workspace

EXPLORED: Final = 0.2
"""How often the traverser tries a bet that none of its hands would play.

Such a bet has no part in any value. Its regret changes where it is tried, by so much more.
"""


@jit
def prepare_bets(game: Game, tables: LearntTables, w: Workspace, depth: int) -> int:
    """Write the legal bets and the strategies of the seat to act. Return the row of its tables."""
    s = w.states[depth]
    stack, agent, _ = w.hand
    is_agent = s.position == agent
    legal = w.legal[depth]
    write_legal(game, s, stack, is_agent, legal, w.raises[depth])
    if depth >= LAST_RAISE:
        legal[FIRST_RAISE:] = False
    if is_agent:
        row = bet_public_state(game, s, stack)
    else:
        row = find_row(tables, adversary_state(game, s))
    regrets = tables.agent_regrets[row] if is_agent else tables.adversary_regrets[row]
    match_bets(regrets, legal, w.scratch, w.strategies[depth])
    return row


@jit
def match_bets(regrets: Array, legal: Array, positive: Array, strategies: Array) -> None:
    """Write the strategies of regret matching, (bets, buckets).

    They are uniform where no regret is positive. ``positive`` takes the sums of positive regrets.
    """
    count = 0
    positive[:] = 0
    for action in range(NUM_BETS):
        strategy, of_action = strategies[action], regrets[action]
        if not legal[action]:
            strategy[:] = 0
            continue
        count += 1
        for bucket in range(HAND_BUCKETS):
            strategy[bucket] = max(of_action[bucket], np.float32(0))
            positive[bucket] += strategy[bucket]
    uniform = np.float32(1 / count)
    for action in range(NUM_BETS):
        if legal[action]:
            strategy = strategies[action]
            for bucket in range(HAND_BUCKETS):
                found = positive[bucket] > np.float32(UNREACHED)
                share = strategy[bucket] / max(positive[bucket], np.float32(UNREACHED))
                strategy[bucket] = share if found else uniform


@jit
def begin_bet(game: Game, w: Workspace, depth: int, action: int) -> None:
    """Begin the next decision after the traverser's bet action."""
    w.states[depth + 1] = w.states[depth]
    w.path_weights[depth + 1] = w.path_weights[depth]
    apply_bet(game, w.states[depth + 1], int(w.hand[0]), action, w.raises[depth])
    copy(w.reach[depth], w.reach[depth + 1])


@jit
def add_reveal(game: Game, s: Record, reach: Array, values: Array) -> None:
    """Add the values of the traverser's hands at the reveal in a state of equal bets."""
    unit = game.hand_ante + game.sabacc_ante
    stake = (int(s.bets[0]) + game.hand_ante) / unit
    add_values(reach, stake, game.sabacc_ante / unit, game.first_zero, values)


@jit
def junk_value(game: Game, s: Record, stack: int) -> float:
    """Return the margin of the seat to act if it junks, in antes. A penalty may take all it has."""
    bet = int(s.bets[s.position])
    lost = game.hand_ante + bet + min(game.junk_penalty, stack - bet)
    return -lost / (game.hand_ante + game.sabacc_ante)


@jit
def choose_bets(w: Workspace, depth: int, start: int) -> None:
    """Write which bets the traverser tries. To junk needs no trial."""
    legal, trials, strategies = w.legal[depth], w.trials[depth], w.strategies[depth]
    counts = w.counts[start]
    for action in range(NUM_BETS):
        trials[action] = 0
        if legal[action]:
            if action == JUNK or dot(counts, strategies[action]) > 0:
                trials[action] = 1
            elif uniform(w.rng) < EXPLORED:
                trials[action] = EXPLORED


@jit
def dot(weights: Array, numbers: Array) -> float:
    """Return the sum of the products of two arrays, four sums at a time."""
    a, b, c, d = np.float32(0), np.float32(0), np.float32(0), np.float32(0)
    for i in range(0, HAND_BUCKETS, 4):
        a += weights[i] * numbers[i]
        b += weights[i + 1] * numbers[i + 1]
        c += weights[i + 2] * numbers[i + 2]
        d += weights[i + 3] * numbers[i + 3]
    return float(a + b + c + d)


@jit
def learn_bets(
    game: Game, tables: LearntTables, w: Workspace, depth: int, start: int, row: int
) -> None:
    """Write values and add regrets, after the values of the bets that are tried."""
    s = w.states[depth]
    is_agent = s.position == w.hand[1]
    regrets = tables.agent_regrets[row] if is_agent else tables.adversary_regrets[row]
    trials, strategies, counts = w.trials[depth], w.strategies[depth], w.counts[start]
    bet_values, values = w.bet_values[depth], w.values[depth]
    epoch = w.epoch[0]
    bet_values[JUNK] = np.float32(junk_value(game, s, int(w.hand[0])) * total(w.reach[depth]))
    for action in range(NUM_BETS):
        if trials[action] > 0:
            of_action, strategy = bet_values[action], strategies[action]
            for bucket in range(HAND_BUCKETS):
                values[bucket] += strategy[bucket] * of_action[bucket]
    for action in range(NUM_BETS):
        if trials[action] > 0:
            of_action, regret = bet_values[action], regrets[action]
            weight = epoch / trials[action]
            for bucket in range(HAND_BUCKETS):
                surplus = of_action[bucket] - values[bucket]
                regret[bucket] += weight * counts[bucket] * surplus


@jit
def meet_bets(game: Game, tables: LearntTables, w: Workspace, depth: int, row: int) -> int:
    """Let the opponent bet. Add the values of what ends the hand, and sample one of the others.

    Begins the next decision after the sampled action and returns it; -1 if there is none.
    """
    s = w.states[depth]
    reach, strategies, values = w.reach[depth], w.strategies[depth], w.values[depth]
    following, probabilities = w.reach[depth + 1], w.probabilities[depth]
    if s.position == w.hand[1]:
        add_to_average(tables.agent_sums[row], w.path_weights[depth], reach, strategies)
    for action in range(NUM_BETS):
        probabilities[action] = dot(reach, strategies[action])
    values[:] = np.float32(-junk_value(game, s, int(w.hand[0])) * probabilities[JUNK])
    probabilities[JUNK] = 0
    if is_last_call(game, s):
        begin_bet(game, w, depth, CALL)
        weigh(reach, strategies[CALL], np.float32(1), following)
        add_reveal(game, w.states[depth + 1], following, values)
        probabilities[CALL] = 0
    whole = total(probabilities)
    if whole < UNREACHED:
        return -1
    for action in range(NUM_BETS):
        probabilities[action] /= whole
    action = sample(w.rng, probabilities, CALL, NUM_BETS)
    begin_bet(game, w, depth, action)
    weigh(reach, strategies[action], np.float32(1 / probabilities[action]), following)
    return action


@jit
def weigh(reach: Array, strategy: Array, factor: Any, following: Array) -> None:
    """Write the reach after an action."""
    for bucket in range(HAND_BUCKETS):
        following[bucket] = reach[bucket] * strategy[bucket] * factor


@jit
def add_to_average(sums: Array, weight: float, reach: Array, strategies: Array) -> None:
    """Add the agent's strategies to their sums, by its reach probabilities in each bucket."""
    for action in range(NUM_BETS):
        of_action, strategy = sums[action], strategies[action]
        for bucket in range(HAND_BUCKETS):
            of_action[bucket] += weight * reach[bucket] * strategy[bucket]
