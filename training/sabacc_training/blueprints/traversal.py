"""One walk through the abstract game: Monte Carlo CFR in vector form.

A walk samples what is public: the kinds of card action, the dice, and the opponent's bets. It meets
many hands of both seats at once (public chance sampling, Johanson et al. 2012). Values of the
traverser's hands are counterfactual: weighted by the opponent's reach probabilities over the
probabilities of sampling. The traverser tries every bet that one of its hands would play, and the
others at times (``bet_turns.EXPLORED``). Of the kinds of card action it samples one, and the
average value of each stands in for those that are not tried (baselines, Schmid et al. 2019).

Within a betting phase hands of a bucket have one value, the average of their values after it.
"""

from __future__ import annotations

from typing import Final, cast

import numpy as np
from sabacc_agents.blueprint.buckets import HAND_BUCKETS
from sabacc_agents.blueprint.public_states import DISCARD_DRAW, STAND
from sabacc_agents.blueprint.spike_hands import NO_SPIKE

from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import REDRAW_ONE
from sabacc_training.blueprints.bet_turns import (
    add_reveal,
    begin_bet,
    choose_bets,
    learn_bets,
    meet_bets,
    prepare_bets,
)
from sabacc_training.blueprints.game import BETTING, CALL, CARDS, DICE, NUM_BETS, REVEAL, Game
from sabacc_training.blueprints.hands import Cards, after_dice
from sabacc_training.blueprints.kind_turns import (
    learn_kinds,
    meet_kinds,
    sample_kind,
)
from sabacc_training.blueprints.sampling import UNREACHED, copy, total
from sabacc_training.blueprints.spike_walks import (
    BOUGHT,
    begin_choice,
    keep_values,
    play_to_choice,
)
from sabacc_training.blueprints.states import (
    begin_cards,
    end_betting,
    next_stage,
    note_kind,
    redraw,
)
from sabacc_training.blueprints.workspace import LearntTables, Workspace

BETWEEN: Final = cast("int", np.int64(-1))  # Numba types a plain constant otherwise than a number
"""Instead of the depth at which a betting phase began: there is none."""

CHOICES: Final = STAND, BOUGHT
"""What a seat does where cards are bought."""


@jit
def walk(
    game: Game, cards: Cards, tables: LearntTables, w: Workspace, depth: int, start: int
) -> None:
    """Compute the values of the traverser's hands from a state on, and learn from it.

    Args:
        game: the game.
        cards: its cards.
        tables: what is learnt.
        w: the scratch.
        depth: the state is ``w.states[depth]``. It changes.
        start: the depth at which the betting phase of the last bet began. ``w.reach[depth]``
            belongs to the state, and the values go to ``w.values[depth]``, by bucket in that phase.
            BETWEEN if no bet came last: ``w.weights`` and ``w.adversary_hands`` belong to the
            state, and the values go to ``w.hand_values[depth]``.
    """
    w.nodes[0] += 1
    s = w.states[depth]
    values, hand_values = w.values[depth], w.hand_values[depth]
    if start == BETWEEN:
        hand_values[:] = 0
        if total(w.weights[depth]) < UNREACHED or not play_to_decision(
            game, cards, tables, w, depth
        ):
            return
        if game.phases[s.stage] == CARDS and game.price > 0:
            for kind in CHOICES:
                if begin_choice(cards, w, depth, kind):
                    walk(game, cards, tables, w, depth + 1, start)
                    keep_values(w, depth, kind)
            return
        if game.phases[s.stage] == CARDS:
            kind = sample_kind(game, cards, tables, w, depth)
            walk(game, cards, tables, w, depth + 1, start)
            learn_kinds(tables, w, depth, kind)
            return
        gather_buckets(game, cards, w, depth)
        walk(game, cards, tables, w, depth, depth)
        for i in range(len(hand_values)):
            hand_values[i] = values[w.own_buckets[depth, i]]
        return
    values[:] = 0
    if total(w.reach[depth]) < UNREACHED:
        return
    if game.phases[s.stage] == REVEAL:
        add_reveal(game, s, w.reach[depth], values)
    elif s.stage != w.states[start].stage:
        spread_to_hands(game, w, start, depth)
        walk(game, cards, tables, w, depth, BETWEEN)
        average_hands(w, start, depth)
    elif s.position == w.hand[2]:
        row = prepare_bets(game, tables, w, depth)
        choose_bets(w, depth, start)
        for action in range(CALL, NUM_BETS):
            if w.trials[depth, action] > 0:
                begin_bet(game, w, depth, action)
                w.path_weights[depth + 1] /= w.trials[depth, action]
                walk(game, cards, tables, w, depth + 1, start)
                copy(w.values[depth + 1], w.bet_values[depth, action])
        learn_bets(game, tables, w, depth, start, row)
    else:
        row = prepare_bets(game, tables, w, depth)
        action = meet_bets(game, tables, w, depth, row)
        if action >= 0:
            walk(game, cards, tables, w, depth + 1, start)
            for bucket in range(HAND_BUCKETS):
                values[bucket] += w.values[depth + 1, bucket]


@jit
def gather_buckets(game: Game, cards: Cards, w: Workspace, depth: int) -> None:
    """Write the buckets of both seats' hands, their counts and their reach, as a phase begins."""
    betting = int(game.bettings[w.states[depth].stage])
    agent, adversary, tops = w.agent_buckets[betting], w.adversary_hands[depth], w.tops[depth]
    position = 1 - int(w.hand[1])
    own, others = w.own_buckets[depth], w.other_buckets[depth]
    counts, reach, weights = w.counts[depth], w.reach[depth], w.weights[depth]
    agent_learns = w.hand[1] == w.hand[2]
    counts[:] = 0
    reach[:] = 0
    for j in range(len(weights)):
        bucket = int(cards.buckets[position, betting, adversary[j], tops[j]])
        own[j] = agent[j] if agent_learns else bucket
        others[j] = bucket if agent_learns else agent[j]
        counts[own[j]] += np.float32(1)
        reach[others[j]] += weights[j]


@jit
def spread_to_hands(game: Game, w: Workspace, start: int, depth: int) -> None:
    """Write the weights of the opponent's hands, and the hands, as a phase ends."""
    buckets, before, after = w.other_buckets[start], w.reach[start], w.reach[depth]
    weights, following = w.weights[start], w.weights[depth]
    for j in range(len(weights)):
        bucket = buckets[j]
        following[j] = 0
        if before[bucket] > 0:
            following[j] = weights[j] * after[bucket] / before[bucket]
    copy(w.adversary_hands[start], w.adversary_hands[depth])
    copy(w.tops[start], w.tops[depth])
    if game.spikes_from != NO_SPIKE:
        for seat in range(2):
            copy(w.hidden[start, seat], w.hidden[depth, seat])


@jit
def average_hands(w: Workspace, start: int, depth: int) -> None:
    """Write the averages of the values of the traverser's hands, by bucket in the phase before."""
    buckets, counts = w.own_buckets[start], w.counts[start]
    hand_values, values = w.hand_values[depth], w.values[depth]
    values[:] = 0
    for i in range(len(hand_values)):
        values[buckets[i]] += hand_values[i] / counts[buckets[i]]


@jit
def play_to_decision(
    game: Game, cards: Cards, tables: LearntTables, w: Workspace, depth: int
) -> bool:
    """Play on to a bet, the traverser's cards or the reveal. False if no hand gets there."""
    if game.spikes_from != NO_SPIKE:
        play_to_choice(game, cards, w, depth)
        return True
    s = w.states[depth]
    stack, agent, traverser = w.hand
    while True:
        phase = int(game.phases[s.stage])
        if phase == CARDS:
            if s.acted == 0:
                begin_cards(s)
            if s.position == agent:
                kind = int(w.events[s.stage])
                if kind >= DISCARD_DRAW:  # or a swap
                    copy(w.agent_left[s.stage], w.tops[depth])
                note_kind(s, kind)
            elif s.position == traverser:
                return True
            elif not meet_kinds(game, cards, tables, w, depth):
                return False
        elif phase == DICE:
            how = int(game.redraws[w.events[s.stage]])
            if how >= REDRAW_ONE:
                redraw(s, how)
                redraw_hands(cards, w, depth, how)
            next_stage(s)
        elif phase == BETTING and s.bets[0] == stack and s.bets[1] == stack:
            end_betting(game, s)  # nobody has a turn (D7)
        else:
            return True


@jit
def redraw_hands(cards: Cards, w: Workspace, depth: int, how: int) -> None:
    """Change the adversary's hands by doubles. The seat that acts second discards last."""
    hands, tops, stage = w.adversary_hands[depth], w.tops[depth], int(w.states[depth].stage)
    discards_last = how == REDRAW_ONE and w.hand[1] == 0
    for j in range(len(hands)):
        tops[j] = cards.discards[stage, hands[j]] if discards_last else w.agent_left[stage, j]
        hands[j] = after_dice(cards, w.rng, stage, hands[j], how)
