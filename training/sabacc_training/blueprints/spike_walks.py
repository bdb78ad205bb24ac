"""Walks through an abstract game with Spike Cards, in which nobody has a choice of cards.

The dice and both Spike Cards of the whole hand are dealt before a walk begins. All hands of a walk
share them, because they are public. The other cards of each hand change by doubles and, with
all-in, where a seat buys a card: a hand does if it gains more than the price's share of the pot.
Nobody pays the price in the abstract game, and nobody is seen to buy.
"""

from __future__ import annotations

from sabacc_agents.blueprint.buckets import NO_TOP
from sabacc_agents.blueprint.spike_hands import SPIKE_CLASSES
from sabacc_agents.expectation.hand_table import EMPTY

from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import NO_REDRAW, Record
from sabacc_training.blueprints.game import (
    BETTING,
    CARDS,
    DICE,
    REVEAL,
    Game,
    end_betting,
    next_stage,
)
from sabacc_training.blueprints.hands import Cards, random_below, random_dice
from sabacc_training.blueprints.workspace import Workspace


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
def with_spike(cards: Cards, hand: int, spike: int) -> int:
    """Return a hand with its Spike Card, if there is one yet."""
    return int(cards.children[hand, spike]) if spike != NO_TOP else hand


@jit
def shown_spike(game: Game, cards: Cards, w: Workspace, betting: int, position: int) -> int:
    """Return the value of a Spike Card in a betting phase, as an index; NO_TOP before the deal."""
    if betting < game.spikes_from:
        return NO_TOP
    return int(cards.deck[w.spikes[betting, position]])


@jit
def play_to_bet(game: Game, cards: Cards, w: Workspace, depth: int) -> None:
    """Play on to a bet or the reveal."""
    s, stack, agent = w.states[depth], int(w.hand[0]), int(w.hand[1])
    while not is_at_bet(game, s, stack):
        if game.phases[s.stage] == CARDS and 0 < game.price <= stack - int(s.bets[0]):
            buy_cards(game, cards, w, depth)
        dice = int(w.events[s.stage])
        if is_redealt(game, s, dice):
            deal_hidden(game, cards, w, depth, int(game.bettings[s.stage]))
        pass_stage(game, s, dice)
    betting = int(game.bettings[s.stage])
    own = shown_spike(game, cards, w, betting, agent)
    other = shown_spike(game, cards, w, betting, 1 - agent)
    show_spikes(s, agent, own, other)
    w.tops[depth, :] = own
    for j in range(w.hidden.shape[2]):
        hand = with_spike(cards, int(w.hidden[depth, 0, j]), own)
        w.agent_buckets[betting, j] = cards.buckets[agent, betting, hand, other]
        w.adversary_hands[depth, j] = with_spike(cards, int(w.hidden[depth, 1, j]), other)


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
    next_stage(s)


@jit
def buy_cards(game: Game, cards: Cards, w: Workspace, depth: int) -> None:
    """Let all hands of both seats buy a card for which that pays."""
    s, agent = w.states[depth], int(w.hand[1])
    stage, betting = int(s.stage), int(game.bettings[s.stage])
    least = game.price / (2 * game.hand_ante + int(s.bets[0]) + int(s.bets[1]))
    for seat in range(2):
        spike = shown_spike(game, cards, w, betting, agent if seat == 0 else 1 - agent)
        for j in range(w.hidden.shape[2]):
            hand = int(w.hidden[depth, seat, j])
            whole = with_spike(cards, hand, spike)
            if cards.gains[stage, whole] > least:
                card = other_card(cards, w, whole)
                w.hidden[depth, seat, j] = best_with(cards, stage, hand, spike, card)


@jit
def other_card(cards: Cards, w: Workspace, hand: int) -> int:
    """Return the value of a random card that the hand does not hold, as an index."""
    while True:
        value = int(cards.deck[random_below(w.rng, len(cards.deck))])
        held, copies = int(cards.counts[hand, value]), int(cards.copies[value])
        if random_below(w.rng, copies) >= held:
            return value


@jit
def best_with(cards: Cards, stage: int, hand: int, spike: int, card: int) -> int:
    """Return the best hand that a card makes which is bought: it replaces another one or goes."""
    best, value = hand, cards.values[stage, with_spike(cards, hand, spike)]
    for place in range(len(cards.slots)):
        held = int(cards.slots[place, hand])
        if held >= 0:
            made = int(cards.children[cards.parents[hand, held], card])
            found = cards.values[stage, with_spike(cards, made, spike)]
            if found > value:
                best, value = made, found
    return best


@jit
def show_spikes(s: Record, agent: int, own: int, other: int) -> None:
    """Write what a state tells of Spike Cards, given as indices of their values."""
    s.spikes[agent], s.spikes[1 - agent] = SPIKE_CLASSES[own], SPIKE_CLASSES[other]
    for p in range(2):
        s.courses[p] = s.spikes[p]
