"""Walks through an abstract game with Spike Cards, in which the only choice is to buy cards.

The dice and both Spike Cards of the whole hand are dealt before a walk begins. All hands of a walk
share them, because they are public. The other cards of each hand change by doubles and, with
all-in, where a seat buys a card: a hand does if it gains more than the price's share of the pot.
Everyone sees who buys. So for the opponent it is sampled, and the traverser's hands go both ways.
Nobody pays the price in the abstract game.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from sabacc_agents.blueprint.buckets import NO_TOP
from sabacc_agents.blueprint.public_states import DISCARD_DRAW, STAND
from sabacc_agents.blueprint.spike_hands import SPIKE_CLASSES, with_purchase, with_spike
from sabacc_agents.expectation.hand_table import EMPTY

from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import NO_REDRAW, Record
from sabacc_training.blueprints.game import BETTING, CARDS, DICE, REVEAL, Game
from sabacc_training.blueprints.hands import Cards, random_below, random_dice, uniform
from sabacc_training.blueprints.kind_turns import resample
from sabacc_training.blueprints.sampling import copy, total
from sabacc_training.blueprints.states import (
    begin_cards,
    end_betting,
    next_stage,
    note_kind,
    redraw,
)
from sabacc_training.blueprints.workspace import Workspace

BOUGHT: Final = DISCARD_DRAW
"""To buy a card, as it is seen: the hand is no longer what it was."""


@jit
def deal_with_spikes(game: Game, cards: Cards, w: Workspace) -> None:
    """Deal the dice and Spike Cards of a whole walk, and its first hands."""
    deal_spikes(cards, w)
    for stage in range(len(game.phases)):
        phase = int(game.phases[stage])
        if phase == DICE:
            w.events[stage] = random_dice(w.rng)
            if w.events[stage] == 2:
                deal_spikes(cards, w)
        elif phase in (BETTING, REVEAL):
            for p in range(2):
                w.spikes[game.bettings[stage], p] = w.dealt[p]
    deal_hidden(game, cards, w, 0, 0)


@jit
def deal_spikes(cards: Cards, w: Workspace) -> None:
    """Deal the Spike Cards of both seats, which take the first places of ``w.dealt``."""
    deal_card(cards, w, 0)
    deal_card(cards, w, 1)


@jit
def deal_card(cards: Cards, w: Workspace, place: int) -> None:
    """Deal a card of the deck that is none of those before it in ``w.dealt``."""
    taken = True
    while taken:
        card = random_below(w.rng, len(cards.deck))
        taken = False
        for before in range(place):
            taken |= w.dealt[before] == card
        w.dealt[place] = card


@jit
def deal_hidden(game: Game, cards: Cards, w: Workspace, depth: int, betting: int) -> None:
    """Deal new hands to both seats, beside the Spike Cards of a betting phase.

    What the other seat hides and what doubles have put down may lie in them.
    """
    for p in range(2):
        w.dealt[p] = w.spikes[betting, p]
    for seat in range(2):
        for j in range(w.hidden.shape[2]):
            hand = EMPTY
            for place in range(2, 2 + game.cards_dealt):
                deal_card(cards, w, place)
                hand = int(cards.children[hand, cards.deck[w.dealt[place]]])
            w.hidden[depth, seat, j] = hand


@jit
def shown_spike(game: Game, cards: Cards, w: Workspace, betting: int, position: int) -> int:
    """Return the value of a Spike Card in a betting phase, as an index; NO_TOP before the deal."""
    if betting < game.spikes_from:
        return NO_TOP
    return int(cards.deck[w.spikes[betting, position]])


@jit
def play_to_choice(game: Game, cards: Cards, w: Workspace, depth: int) -> None:
    """Play on to a bet, to the traverser's choice to buy a card or not, or to the reveal."""
    s, stack, agent, traverser = w.states[depth], int(w.hand[0]), int(w.hand[1]), int(w.hand[2])
    while not is_at_bet(game, s, stack):
        if game.phases[s.stage] == CARDS and game.price > 0:
            if s.acted == 0:
                begin_cards(s)
            if count_buyers(game, cards, w, depth) == 0:
                note_kind(s, STAND)
            elif s.position == traverser:
                return
            else:
                meet_buyers(cards, w, depth)
            continue
        dice = int(w.events[s.stage])
        if is_redealt(game, s, dice):
            deal_hidden(game, cards, w, depth, int(game.bettings[s.stage]))
        pass_stage(game, s, dice)
    betting = int(game.bettings[s.stage])
    own = shown_spike(game, cards, w, betting, agent)
    other = shown_spike(game, cards, w, betting, 1 - agent)
    show_spikes(game, s, agent, own, other)
    w.tops[depth, :] = own
    for j in range(w.hidden.shape[2]):
        hand = with_spike(cards.children, int(w.hidden[depth, 0, j]), own)
        w.agent_buckets[betting, j] = cards.buckets[agent, betting, hand, other]
        w.adversary_hands[depth, j] = with_spike(cards.children, int(w.hidden[depth, 1, j]), other)


@jit
def is_at_bet(game: Game, s: Record, stack: int) -> bool:
    """Say whether a seat has a turn, or the reveal has come."""
    phase = int(game.phases[s.stage])
    if phase == BETTING:
        return bool(s.bets[0] < stack or s.bets[1] < stack)
    return phase == REVEAL


@jit
def is_redealt(game: Game, s: Record, dice: int) -> bool:
    """Say whether dice make all hands new."""
    return bool(game.phases[s.stage] == DICE and game.redraws[dice] != NO_REDRAW)


@jit
def pass_stage(game: Game, s: Record, dice: int) -> None:
    """Go on from cards, dice, or bets that nobody can make. Doubles make all hands new."""
    if game.phases[s.stage] == BETTING:
        end_betting(game, s)
        return
    if is_redealt(game, s, dice):
        s.history = 0
        if game.price > 0:
            redraw(s, int(game.redraws[dice]))
    next_stage(s)


@jit
def count_buyers(game: Game, cards: Cards, w: Workspace, depth: int) -> int:
    """Count the hands of the seat to act for which a card is worth its price.

    Writes to ``w.kind_rows`` what each of them does, STAND or BOUGHT. All hands count their Spike
    Cards from here on.
    """
    s = w.states[depth]
    hands, kinds = w.hidden[depth, hidden_seat(s, w)], w.kind_rows[depth]
    spike = shown_spike(game, cards, w, int(game.bettings[s.stage]), int(s.position))
    pot = 2 * game.hand_ante + int(s.bets[0]) + int(s.bets[1])
    can_pay = game.price <= int(w.hand[0]) - int(s.bets[0])
    count = 0
    for j in range(len(hands)):
        hands[j] = with_spike(cards.children, hands[j], spike)
        buys = can_pay and cards.gains[s.stage, hands[j]] > game.price / pot
        kinds[j] = BOUGHT if buys else STAND
        count += buys
    return count


@jit
def hidden_seat(s: Record, w: Workspace) -> int:
    """Return where ``w.hidden`` has the hands of the seat to act."""
    return 0 if s.position == w.hand[1] else 1


@jit
def meet_buyers(cards: Cards, w: Workspace, depth: int) -> None:
    """Let the opponent buy a card or stand: one of them is sampled for all of its hands."""
    s, weights, kinds = w.states[depth], w.weights[depth], w.kind_rows[depth]
    share = 0.0
    for j in range(len(weights)):
        share += weights[j] * (kinds[j] == BOUGHT)
    share /= total(weights)
    kind = BOUGHT if uniform(w.rng) < share else STAND
    over = np.float32(1 / (share if kind == BOUGHT else 1 - share))
    for j in range(len(weights)):
        weights[j] *= over * np.float32(kinds[j] == kind)
    resample(w, depth)
    hands, following = w.hidden[depth, hidden_seat(s, w)], w.hidden[depth + 1, hidden_seat(s, w)]
    for n in range(len(hands)):
        following[n] = after_choice(cards, w, int(s.stage), int(hands[kinds[n]]), kind)
    copy(following, hands)
    note_kind(s, kind)


@jit
def begin_choice(cards: Cards, w: Workspace, depth: int, kind: int) -> bool:
    """Begin the next decision after the traverser's choice; False if none of its hands makes it."""
    s, kinds = w.states[depth], w.kind_rows[depth]
    seat, count = hidden_seat(s, w), 0
    for j in range(len(kinds)):
        count += kinds[j] == kind
    if count == 0:
        return False
    w.states[depth + 1] = s
    w.path_weights[depth + 1] = w.path_weights[depth]
    copy(w.weights[depth], w.weights[depth + 1])
    copy(w.hidden[depth, 1 - seat], w.hidden[depth + 1, 1 - seat])
    hands, following = w.hidden[depth, seat], w.hidden[depth + 1, seat]
    for j in range(len(hands)):
        chosen = j
        while kinds[chosen] != kind:  # another hand stands in: all places are filled
            chosen = random_below(w.rng, len(kinds))
        following[j] = after_choice(cards, w, int(s.stage), int(hands[chosen]), kind)
    note_kind(w.states[depth + 1], kind)
    return True


@jit
def keep_values(w: Workspace, depth: int, kind: int) -> None:
    """Write the values of the hands that make a choice, after the values of the next decision."""
    kinds, found, values = w.kind_rows[depth], w.hand_values[depth + 1], w.hand_values[depth]
    for j in range(len(values)):
        if kinds[j] == kind:
            values[j] = found[j]


@jit
def after_choice(cards: Cards, w: Workspace, stage: int, hand: int, kind: int) -> int:
    """Return a hand after it stood or bought a card."""
    if kind == STAND:
        return hand
    return best_with(cards, stage, hand, other_card(cards, w, hand))


@jit
def other_card(cards: Cards, w: Workspace, hand: int) -> int:
    """Return the value of a random card that the hand does not hold, as an index."""
    while True:
        value = int(cards.deck[random_below(w.rng, len(cards.deck))])
        held, copies = int(cards.counts[hand, value]), int(cards.copies[value])
        if random_below(w.rng, copies) >= held:
            return value


@jit
def best_with(cards: Cards, stage: int, hand: int, card: int) -> int:
    """Return the best hand that a card makes which is bought: it replaces another one or goes.

    It may replace the Spike Card. In the abstract game the other seat does not see that.
    """
    best, value = hand, cards.values[stage, hand]
    for place in range(len(cards.slots)):
        held = int(cards.slots[place, hand])
        if held >= 0:
            made = int(cards.children[cards.parents[hand, held], card])
            found = cards.values[stage, made]
            if found > value:
                best, value = made, found
    return best


@jit
def show_spikes(game: Game, s: Record, agent: int, own: int, other: int) -> None:
    """Write what a state tells of Spike Cards, given as indices of their values."""
    s.spikes[agent], s.spikes[1 - agent] = SPIKE_CLASSES[own], SPIKE_CLASSES[other]
    if game.price > 0:
        for p in range(2):
            s.spikes[p] = with_purchase(int(s.spikes[p]), int(s.kinds[p]), int(s.redrawn))
