"""Ranges under rules with Spike Cards: how likely a seat hides each two cards.

As in ``hand_ranges``, the weight of two cards is the probability that a seat which plays the
blueprint would have made its public moves with them. A seat that buys a card sees it, and then puts
one down: what it put down, and a new Spike Card, is public.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from sabacc_agents.blueprint.buckets import NO_TOP
from sabacc_agents.blueprint.public_states import price_of_card
from sabacc_agents.blueprint.spike_hands import values_and_gains, with_spike
from sabacc_agents.expectation.hand_table import NUM_VALUES
from sabacc_agents.resolving.hand_ranges import (
    Bets,
    Hands,
    Scratch,
    count_or_deal,
    deal_anew,
    mixed,
)
from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import (
    DISCARD_DRAWN,
    DRAW,
    REPLACE,
    REPLACE_SPIKE,
    STAND,
    Array,
    Record,
)
from sabacc_env.rules import RuleSet

SPIKE_KINDS: Final = ("stand", "draw", "replace", "replace_spike", "discard_drawn")
"""The card actions whose effect on ranges is known."""

NUM_FIRST_CHOICES: Final = 2
NUM_SECOND_CHOICES: Final = 4
"""Each of two cards, the Spike Card and the card that was drawn may be put down."""

THE_DRAWN_CARD: Final = -2
THE_SPIKE_CARD: Final = -1
"""What is put down, in place of the value of a card of the hand."""


class SpikeHands(NamedTuple):
    """The hands of a blueprint, and when seats buy cards, as compiled code takes them.

    Attributes:
        table: the hands, Spike Cards counted where they are dealt.
        values: (stages, hands) what hands are worth after each stage.
        gains: (stages, hands) what they gain by a card that is bought; 0 where nobody buys.
        price: what it costs in credits.
    """

    table: Hands
    values: Array
    gains: Array
    price: int


def spike_hands_of(rules: RuleSet, table: Hands) -> SpikeHands:
    """Return the hands of a blueprint that was solved for rules with Spike Cards."""
    values, gains = values_and_gains(rules)
    price = price_of_card(rules)
    return SpikeHands(table, values, gains if price else np.zeros_like(gains), price)


@jit
def write_spike_range(
    hands: SpikeHands,
    moves: Array,
    bets: Bets,
    seat: int,
    epsilon: float,
    unseen: Array,
    scratch: Scratch,
    masses: Array,
) -> int:
    """Write the masses of a seat's hands, Spike Card counted; return how many cards it holds.

    As ``hand_ranges.write_range``, whose arguments it takes. Where no hand is left, because the
    moves rule all out, all are as likely as dealt ones.
    """
    table = hands.table
    size, spike, other = table.cards_dealt, NO_TOP, NO_TOP
    first, end = table.first[size], table.first[size + 1]
    deal_anew(table, size, scratch.known, masses)
    for index in range(len(moves)):
        move = moves[index]
        kind = int(move.kind)
        if move.seat == seat:
            if move.is_bet:
                buckets = table.buckets[bets.positions[index], bets.bettings[index]]
                for hand in range(first, end):
                    whole = with_spike(table.children, hand, spike)
                    masses[hand] *= bets.chances[index, buckets[whole, other]]
            elif kind in (STAND, DRAW):
                for hand in range(first, end):
                    plays = buys(hands, move, hand, spike) == (kind == DRAW)
                    masses[hand] *= mixed(plays, epsilon, NUM_FIRST_CHOICES)
            elif kind in (REPLACE_SPIKE, DISCARD_DRAWN):
                choice = THE_SPIKE_CARD if kind == REPLACE_SPIKE else THE_DRAWN_CARD
                for hand in range(first, end):
                    plays = best_put_down(hands, move, hand, spike, int(move.drawn)) == choice
                    masses[hand] *= mixed(plays, epsilon, NUM_SECOND_CHOICES)
            elif kind == REPLACE:
                for hand in range(first, end):
                    scratch.kept[hand] = masses[hand]
                for hand in range(first, end):
                    masses[hand] = replaced(hands, move, hand, spike, epsilon, scratch.kept)
        if move.redealt:
            deal_anew(table, size, scratch.known, masses)
        spike, other = int(move.spikes[seat]), int(move.spikes[1 - seat])
    total = count_or_deal(table, size, scratch.known, unseen, masses)
    masses[table.first[size + 1] : table.first[size + 2]] = 0
    for hand in range(first, end):
        masses[with_spike(table.children, hand, spike)] = masses[hand] / total
    return size + 1


@jit
def buys(hands: SpikeHands, move: Record, hand: int, spike: int) -> bool:
    """Say whether the blueprint buys a card: it gains more than the price's share of the pot."""
    gain = hands.gains[move.stage, with_spike(hands.table.children, hand, spike)]
    return bool(move.credits >= hands.price and gain > hands.price / move.pot)


@jit
def best_put_down(hands: SpikeHands, move: Record, hand: int, spike: int, drawn: int) -> int:
    """Return what the blueprint puts down after it has drawn a card."""
    table, values = hands.table, hands.values[move.stage]
    choice, best = THE_DRAWN_CARD, values[with_spike(table.children, hand, spike)]
    value = values[with_spike(table.children, hand, drawn)]
    if value > best:
        choice, best = THE_SPIKE_CARD, value
    for card in range(NUM_VALUES):
        if table.counts[hand, card] > 0:
            made = int(table.children[table.parents[hand, card], drawn])
            value = values[with_spike(table.children, made, spike)]
            if value > best:
                choice, best = card, value
    return choice


@jit
def replaced(
    hands: SpikeHands, move: Record, hand: int, spike: int, epsilon: float, before: Array
) -> float:
    """Return the weight of a hand after a card was put down for one of its cards.

    Any of its cards may be the one that was drawn. Of equal values each card is put down equally
    often.
    """
    table, total, down = hands.table, 0.0, int(move.down)
    for drawn in range(NUM_VALUES):
        if table.counts[hand, drawn] > 0:
            kept = int(table.parents[hand, drawn])
            held = int(table.children[kept, down])
            same = int(table.counts[held, down])
            if before[held] > 0 and same > table.counts[kept, down]:
                plays = best_put_down(hands, move, held, spike, drawn) == down
                chance = mixed(plays / same, epsilon, NUM_SECOND_CHOICES)
                total += table.counts[hand, drawn] * before[held] * chance
    return total
