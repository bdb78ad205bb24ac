"""Walks through an abstract game with Spike Cards, in which nobody has a choice of cards.

So all that happens to cards is dealt before a walk begins: the dice, both Spike Cards, which all
hands of a walk share because they are public, and the other cards of each hand.
"""

from __future__ import annotations

from sabacc_agents.blueprint.buckets import NO_TOP
from sabacc_agents.blueprint.spike_hands import SPIKE_CLASSES
from sabacc_agents.expectation.hand_table import EMPTY

from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import NO_REDRAW, Array, Record
from sabacc_training.blueprints.game import (
    BETTING,
    DICE,
    REVEAL,
    Game,
    end_betting,
    next_stage,
)
from sabacc_training.blueprints.hands import Cards, random_below, random_dice
from sabacc_training.blueprints.sampling import copy
from sabacc_training.blueprints.workspace import Workspace


@jit
def deal_with_spikes(game: Game, cards: Cards, w: Workspace, cards_dealt: int) -> None:
    """Deal the dice, Spike Cards and hands of a whole walk.

    A hand has no card that is a Spike Card. What the other seat hides and what doubles have put
    down may lie in it.
    """
    agent, spikes = int(w.hand[1]), w.dealt
    deal_card(cards, w, 0)
    deal_card(cards, w, 1)
    deal_hidden(cards, w, cards_dealt)
    for stage in range(len(game.phases)):
        phase = int(game.phases[stage])
        if phase == DICE:
            dice = random_dice(w.rng)
            w.events[stage] = dice
            if dice == 2:
                deal_card(cards, w, 0)
                deal_card(cards, w, 1)
            if dice > 0:
                deal_hidden(cards, w, cards_dealt)
        elif phase in (BETTING, REVEAL):
            betting = int(game.bettings[stage])
            shown = betting >= game.spikes_from
            for p in range(2):
                w.spikes[betting, p] = cards.deck[spikes[p]] if shown else NO_TOP
            own, other = int(w.spikes[betting, agent]), int(w.spikes[betting, 1 - agent])
            for j in range(w.hidden.shape[1]):
                hand = with_spike(cards, int(w.hidden[0, j]), own)
                w.agent_buckets[betting, j] = cards.buckets[agent, betting, hand, other]
                w.adversary_course[betting, j] = with_spike(cards, int(w.hidden[1, j]), other)


@jit
def with_spike(cards: Cards, hand: int, spike: int) -> int:
    """Return a hand with its Spike Card, if there is one yet."""
    return int(cards.children[hand, spike]) if spike != NO_TOP else hand


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
def deal_hidden(cards: Cards, w: Workspace, cards_dealt: int) -> None:
    """Deal new hands to both seats, after the Spike Cards."""
    for seat in range(2):
        for j in range(w.hidden.shape[1]):
            hand = EMPTY
            for place in range(2, 2 + cards_dealt):
                deal_card(cards, w, place)
                hand = int(cards.children[hand, cards.deck[w.dealt[place]]])
            w.hidden[seat, j] = hand


@jit
def play_to_bet(game: Game, w: Workspace, depth: int) -> None:
    """Play on to a bet or the reveal, with the hands of the walk."""
    s, stack = w.states[depth], int(w.hand[0])
    while not is_at_bet(game, s, stack):
        pass_stage(game, s, int(w.events[s.stage]))
    betting = int(game.bettings[s.stage])
    show_spikes(s, w.spikes[betting])
    copy(w.adversary_course[betting], w.adversary_hands[depth])
    w.tops[depth, :] = w.spikes[betting, int(w.hand[1])]


@jit
def is_at_bet(game: Game, s: Record, stack: int) -> bool:
    """Say whether a seat has a turn, or the reveal has come."""
    phase = int(game.phases[s.stage])
    if phase == BETTING:
        return bool(s.bets[0] < stack or s.bets[1] < stack)
    return phase == REVEAL


@jit
def pass_stage(game: Game, s: Record, dice: int) -> None:
    """Go on from cards, dice, or bets that nobody can make. Doubles make all hands new."""
    if game.phases[s.stage] == BETTING:
        end_betting(game, s)
        return
    if game.phases[s.stage] == DICE and game.redraws[dice] != NO_REDRAW:
        s.history = 0
    next_stage(s)


@jit
def show_spikes(s: Record, spikes: Array) -> None:
    """Write what a state tells of Spike Cards, given as indices of their values, by position."""
    for p in range(2):
        s.spikes[p] = SPIKE_CLASSES[spikes[p]]
        s.courses[p] = s.spikes[p]
