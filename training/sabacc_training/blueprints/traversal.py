"""One walk through the abstract game: Monte Carlo CFR in vector form.

A walk samples what is public: the kinds of card action, the dice, and the opponent's bets. It meets
many hands of both seats at once (public chance sampling, Johanson et al. 2012). Values of the
traverser's hands are counterfactual: weighted by the opponent's reach probabilities over the
probabilities of sampling. The traverser tries every bet action but for the raises, of which it
samples one. The value of a call stands in for those that are not tried, and the average value of a
kind of card action for those that are not (baselines, Schmid et al. 2019).
"""

from __future__ import annotations

from sabacc_agents.blueprint.buckets import HAND_BUCKETS

from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import REDRAW_ONE, Array, Record
from sabacc_training.blueprints.card_states import card_state
from sabacc_training.blueprints.game import (
    BETTING,
    CALL,
    CARDS,
    DICE,
    FIRST_RAISE,
    JUNK,
    NUM_BETS,
    REVEAL,
    Game,
    apply_bet,
    begin_cards,
    bet_public_state,
    end_betting,
    is_followed_by_reveal,
    is_last_call,
    next_stage,
    write_legal,
)
from sabacc_training.blueprints.hands import (
    NUM_KINDS,
    Cards,
    after_dice,
    after_kind,
    random_card,
    uniform,
)
from sabacc_training.blueprints.reveal import add_values, compare
from sabacc_training.blueprints.workspace import LAST_RAISE, LearntTables, Workspace

UNREACHED = 1e-9
"""Below this weight of all the opponent's hands a walk goes no further."""

EXPLORED_KINDS = 0.4
"""The share of the traverser's kinds of card action that are sampled uniformly."""

EXPLORED_RAISES = 0.4
"""The share of its raises that are."""

DEFENDED_KINDS = 0.1
"""The share of the opponent's kinds of card action that are."""

BASELINE_RATE = 0.02
"""How fast the average values of kinds follow the last one."""


@jit
def walk(game: Game, cards: Cards, tables: LearntTables, w: Workspace, depth: int) -> None:
    """Compute the value of each hand of the traverser from a state on, and learn from it.

    The state is ``w.states[depth]``; ``w.weights`` and ``w.adversary_hands`` belong to it. It
    changes. The values go to ``w.values[depth]``.
    """
    s = w.states[depth]
    values = w.values[depth]
    values[:] = 0
    if total(w.weights[depth]) < UNREACHED or not play_to_decision(game, cards, tables, w, depth):
        return
    phase = int(game.phases[s.stage])
    if phase == REVEAL:
        add_reveal(game, w, s, w.weights[depth], values)
    elif phase == CARDS:
        kind = sample_kind(game, cards, tables, w, depth)
        walk(game, cards, tables, w, depth + 1)
        learn_kinds(tables, w, depth, kind)
    elif s.position == w.hand[2]:
        prepare_bets(game, cards, tables, w, depth)
        begin_bet(game, w, depth, CALL)
        if is_last_call(game, s):
            add_reveal(game, w, w.states[depth + 1], w.weights[depth], values)
        else:
            walk(game, cards, tables, w, depth + 1)
            copy(w.values[depth + 1], values)
        action = sample_raise(w, depth)
        if action >= 0:
            begin_bet(game, w, depth, action)
            walk(game, cards, tables, w, depth + 1)
        learn_bets(game, tables, w, depth, action)
    else:
        prepare_bets(game, cards, tables, w, depth)
        action = meet_bets(game, tables, w, depth)
        if action >= 0:
            walk(game, cards, tables, w, depth + 1)
            for i in range(len(values)):
                values[i] += w.values[depth + 1, i]


@jit
def total(weights: Array) -> float:
    """Return the sum of weights."""
    found = 0.0
    for weight in weights:
        found += weight
    return found


@jit
def copy(source: Array, target: Array) -> None:
    """Copy the numbers of an array. Numba would allocate memory for ``target[:] = source``."""
    for i in range(len(source)):
        target[i] = source[i]


@jit
def add_reveal(game: Game, w: Workspace, s: Record, weights: Array, values: Array) -> None:
    """Add the values of the traverser's hands at the reveal in a state of equal bets."""
    unit = game.hand_ante + game.sabacc_ante
    stake = (int(s.bets[0]) + game.hand_ante) / unit
    add_values(w.reveal, weights, stake, game.sabacc_ante / unit, values)


# Chance, the agent's cards, and the opponent's.


@jit
def play_to_decision(
    game: Game, cards: Cards, tables: LearntTables, w: Workspace, depth: int
) -> bool:
    """Play on to a bet, the traverser's cards or the reveal. False if no hand gets there."""
    s = w.states[depth]
    stack, agent, traverser = w.hand
    while True:
        phase = int(game.phases[s.stage])
        if phase == CARDS:
            if s.acted == 0:
                begin_cards(s)
            if s.position == agent:
                end_cards_turn(s, int(w.events[s.stage]))
            elif s.position == traverser:
                return True
            elif not meet_kinds(game, cards, tables, w, depth):
                return False
        elif phase == DICE:
            redraw = int(game.redraws[w.events[s.stage]])
            if redraw >= REDRAW_ONE:
                s.redrawn = 1
                hands = w.adversary_hands[depth]
                for j in range(len(hands)):
                    hands[j] = after_dice(cards, w.rng, s.stage, hands[j], redraw)
            next_stage(s)
        elif phase == BETTING:
            if s.acted == 0 and is_followed_by_reveal(game, s):
                compare_hands(cards, w, depth)
            if s.bets[0] < stack or s.bets[1] < stack:
                return True
            end_betting(game, s)  # nobody has a turn (D7)
        else:
            if game.phases[s.stage - 1] != BETTING:
                compare_hands(cards, w, depth)
            return True


@jit
def compare_hands(cards: Cards, w: Workspace, depth: int) -> None:
    """Compare the traverser's final hands with the opponent's."""
    agent_hands = w.agent_hands[len(w.agent_hands) - 1]
    if w.hand[1] == w.hand[2]:
        compare(w.reveal, cards, agent_hands, w.adversary_hands[depth])
    else:
        compare(w.reveal, cards, w.adversary_hands[depth], agent_hands)


@jit
def end_cards_turn(s: Record, kind: int) -> None:
    """Note a kind of card action. The phase ends after the second."""
    s.kinds[s.position] = kind
    s.acted += 1
    s.position = 1 - s.position
    if s.acted == 2:
        next_stage(s)


@jit
def prepare_kinds(
    game: Game, cards: Cards, tables: LearntTables, w: Workspace, depth: int, weights: Array
) -> None:
    """Write the top discards, rows and strategies of the adversary's hands.

    Writes the weighted sum of the strategies to ``w.probabilities``.
    """
    s = w.states[depth]
    hands, tops, rows = w.adversary_hands[depth], w.tops[depth], w.kind_rows[depth]
    first = card_state(game, s, int(w.hand[0])) * NUM_KINDS
    betting = max(int(game.bettings[s.stage]) - 1, 0)
    sums = w.probabilities[depth]
    sums[:] = 0
    for j in range(len(hands)):
        tops[j] = random_card(cards, w.rng)
        best = int(cards.best_kinds[s.stage, hands[j], tops[j]])
        rows[j] = (first + best) * HAND_BUCKETS + int(cards.buckets[betting, hands[j]])
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
    chosen, tops = w.kind_rows[depth], w.tops[depth]
    for n in range(len(hands)):  # the hands of the next decision: they are read before they change
        w.adversary_hands[depth + 1, n] = after_kind(
            cards, w.rng, s.stage, hands[chosen[n]], tops[chosen[n]], kind
        )
    copy(w.adversary_hands[depth + 1], hands)
    end_cards_turn(s, kind)
    return True


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


# The traverser's cards, which are the adversary's.


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
    copy(w.weights[depth], w.weights[depth + 1])
    hands, tops = w.adversary_hands[depth], w.tops[depth]
    for j in range(len(hands)):
        w.adversary_hands[depth + 1, j] = after_kind(cards, w.rng, s.stage, hands[j], tops[j], kind)
    end_cards_turn(w.states[depth + 1], kind)
    return kind


@jit
def learn_kinds(tables: LearntTables, w: Workspace, depth: int, kind: int) -> None:
    """Write values and add regrets, after the values of one kind of card action."""
    weight = total(w.weights[depth])
    probability = w.probabilities[depth, kind]
    for j in range(len(w.values[depth])):
        row = w.kind_rows[depth, j]
        regrets, baselines = tables.kind_regrets[row], tables.kind_values[row]
        strategy = w.kind_strategies[depth, j]
        baseline = baselines[kind] * weight
        surprise = (w.values[depth + 1, j] - baseline) / probability
        value = strategy[kind] * surprise
        for k in range(NUM_KINDS):
            value += strategy[k] * baselines[k] * weight
        for k in range(NUM_KINDS):
            regrets[k] += baselines[k] * weight - value
        regrets[kind] += surprise
        baselines[kind] += BASELINE_RATE * (w.values[depth + 1, j] / weight - baselines[kind])
        w.values[depth, j] = value


# Bets.


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
def match_regrets(regrets: Array, legal: Array, strategy: Array) -> None:
    """Write the strategy of regret matching; without positive regrets it is uniform."""
    positive, count = 0.0, 0
    for action in range(len(regrets)):
        strategy[action] = 0
        if legal[action]:
            count += 1
            strategy[action] = max(regrets[action], 0)
            positive += strategy[action]
    for action in range(len(regrets)):
        if positive > UNREACHED:
            strategy[action] /= positive
        elif legal[action]:
            strategy[action] = 1 / count


@jit
def begin_bet(game: Game, w: Workspace, depth: int, action: int) -> None:
    """Begin the next decision after the traverser's bet action."""
    w.states[depth + 1] = w.states[depth]
    apply_bet(game, w.states[depth + 1], int(w.hand[0]), action, w.raises[depth])
    copy(w.weights[depth], w.weights[depth + 1])
    copy(w.adversary_hands[depth], w.adversary_hands[depth + 1])


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


@jit
def sample(rng: Array, probabilities: Array, first: int, end: int) -> int:
    """Sample an action from ``first`` to below ``end``, none of probability 0."""
    left = uniform(rng)
    chosen = first
    for action in range(first, end):
        if probabilities[action] > 0:
            chosen = action
            left -= probabilities[action]
            if left < 0:
                break
    return chosen
