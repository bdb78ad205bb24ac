"""One walk through the abstract game: Monte Carlo CFR in vector form.

A walk samples what is public: the kinds of card action, the dice, and the opponent's bets. It meets
many hands of both seats at once (public chance sampling, Johanson et al. 2012). Values of the
traverser's hands are counterfactual: weighted by the opponent's reach probabilities over the
probabilities of sampling. The traverser tries every bet action but for the raises, of which it
samples one. The value of a call stands in for those that are not tried, and the average value of a
kind of card action for those that are not (baselines, Schmid et al. 2019).
"""

from __future__ import annotations

from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import REDRAW_ONE
from sabacc_training.blueprints.bet_turns import (
    add_reveal,
    begin_bet,
    learn_bets,
    meet_bets,
    prepare_bets,
    sample_raise,
)
from sabacc_training.blueprints.game import (
    BETTING,
    CALL,
    CARDS,
    DICE,
    REVEAL,
    Game,
    begin_cards,
    end_betting,
    is_followed_by_reveal,
    is_last_call,
    next_stage,
)
from sabacc_training.blueprints.hands import Cards, after_dice
from sabacc_training.blueprints.kind_turns import (
    end_cards_turn,
    learn_kinds,
    meet_kinds,
    sample_kind,
)
from sabacc_training.blueprints.reveal import compare
from sabacc_training.blueprints.sampling import UNREACHED, copy, total
from sabacc_training.blueprints.workspace import LearntTables, Workspace


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
