"""Ranges: how likely a seat holds each hand, by its public moves and a blueprint's strategy.

The weight of a hand is the probability that a seat which plays the blueprint would have made its
public moves with one such hand of certain suits. Its mass is the weight times the number of such
hands, among the cards that do not lie face up now. Cards that the other seat may hold unseen are
not left out.

The strategy of the cards is mixed with another one (epsilon), so that a card action which the
blueprint would never take rules out no hand.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from sabacc_agents.blueprint.buckets import NO_TOP
from sabacc_agents.blueprint.card_choices import CardChoices
from sabacc_agents.blueprint.public_states import CARD_KINDS, DISCARD_DRAW, DRAW, STAND, SWAP
from sabacc_agents.expectation.hand_table import BINOMIALS, NUM_VALUES, HandTable
from sabacc_agents.expectation.win_probabilities import WinProbabilities
from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import BUY_DISCARD, REDRAW, Array, Record
from sabacc_env.engine.layout import DISCARD_DRAW as DISCARD_DRAW_KIND
from sabacc_env.engine.layout import DRAW as DRAW_KIND
from sabacc_env.engine.layout import STAND as STAND_KIND
from sabacc_env.engine.layout import SWAP as SWAP_KIND
from sabacc_env.rules import RuleSet

BUY: Final = len(CARD_KINDS)
"""Beside the kinds of a blueprint: to buy the top discard."""

KNOWN_KINDS: Final = (*CARD_KINDS, "buy_discard")
"""The card actions whose effect on ranges is known."""


class Fees(NamedTuple):
    """What card actions that cost a fee are worth. Without fees the arrays are empty.

    Attributes:
        draw: what a draw costs, in credits; 0 where it is free or nobody pays.
        buy: what the top discard costs.
        values: (stages, hands) float32: what hands are worth after each stage.
        drawn: (stages, hands) float32: what a draw is worth, its fee not taken off.
        free: (stages, hands, 21) float32: what the best free action is worth, by the top discard.
    """

    draw: int
    buy: int
    values: Array
    drawn: Array
    free: Array


def fees_of(rules: RuleSet, win_probs: WinProbabilities, choices: CardChoices) -> Fees:
    """Return what card actions with a fee are worth to the agent of a blueprint.

    Where a seat that cannot pay a call must junk, it pays none.

    Args:
        rules: the rules in play.
        win_probs: what hands are worth to the agent.
        choices: its free card actions.
    """
    draw, buy = (rules.fees.get(kind, 0) for kind in ("draw", "buy_discard"))
    if rules.short_call == "junk" or rules.spike_card or not (draw or buy):
        nothing = np.zeros((0, 0), np.float32)
        return Fees(0, 0, nothing, nothing, nothing[..., None])
    values, table = np.ascontiguousarray(win_probs.hand_values[:, 0]), win_probs.table
    drawn, free = np.full_like(values, -1), np.zeros((*values.shape, NUM_VALUES), np.float32)
    for stage, best in choices.values.items():
        growing = len(table.children)
        drawn[stage, :growing] = np.einsum(
            "nv,nv->n", values[stage][table.children], table.draw_probs[:growing]
        )
        free[stage] = best
    return Fees(int(draw), int(buy), values, drawn, free)


class Hands(NamedTuple):
    """The hand table and a blueprint's choices, as compiled code takes them.

    Attributes:
        children: as in ``HandTable``.
        parents: likewise.
        counts: likewise.
        first: (sizes + 2,) the first hand of each size.
        kinds: as in ``CardChoices``.
        swaps: likewise.
        discards: likewise.
        buckets: (positions, betting phases, hands, NUM_TOPS) the buckets of hands at bets.
        cards_dealt: the cards of a hand at first.
        num_kinds: how many kinds of card action there are.
        fees: what card actions with a fee are worth.
    """

    children: Array
    parents: Array
    counts: Array
    first: Array
    kinds: Array
    swaps: Array
    discards: Array
    buckets: Array
    cards_dealt: int
    num_kinds: int
    fees: Fees


def hands_of(
    win_probs: WinProbabilities, choices: CardChoices, buckets: Array, rules: RuleSet
) -> Hands:
    """Return the hands of a blueprint, for the rules in play."""
    table = win_probs.table
    return Hands(
        children=table.children,
        parents=table.parents,
        counts=table.counts,
        first=np.searchsorted(table.sizes, np.arange(int(table.sizes.max()) + 3)),
        kinds=choices.kinds,
        swaps=choices.swaps,
        discards=choices.discards,
        buckets=buckets,
        cards_dealt=rules.cards_dealt,
        num_kinds=len(rules.card_actions),
        fees=fees_of(rules, win_probs, choices),
    )


class Bets(NamedTuple):
    """What a blueprint says of the bets among some moves.

    Attributes:
        chances: (moves, buckets) the probability of each bet, by the bucket of the hand.
        positions: (moves,) whether the seat acts second.
        bettings: (moves,) the number of the betting phase.
    """

    chances: Array
    positions: Array
    bettings: Array


class Scratch(NamedTuple):
    """Scratch memory for a range.

    Attributes:
        kept: (hands,) weights of hands while one card is missing.
        known: (21,) the cards of each value that everyone knows the seat to hold.
    """

    kept: Array
    known: Array


def new_scratch(table: HandTable) -> Scratch:
    """Return scratch memory."""
    return Scratch(np.zeros(len(table.sizes)), np.zeros(NUM_VALUES, np.int64))


@jit
def write_range(
    hands: Hands,
    moves: Array,
    bets: Bets,
    seat: int,
    epsilon: float,
    unseen: Array,
    scratch: Scratch,
    masses: Array,
) -> int:
    """Write the masses of a seat's hands, which add up to 1.

    Where no hand is left, because the moves rule all out, all are as likely as dealt ones.

    Args:
        hands: the hands, and what the blueprint does with them.
        moves: (n,) MOVE, the public moves.
        bets: what the blueprint says of them.
        seat: whose range.
        epsilon: how often the seat plays its cards otherwise.
        unseen: (21,) the cards of each value that do not lie face up now.
        scratch: scratch memory.
        masses: (hands,) filled for hands of the size that the seat has.

    Returns:
        How many cards the seat holds.
    """
    size = hands.cards_dealt
    deal_anew(hands, size, scratch.known, masses)
    for index in range(len(moves)):
        move = moves[index]
        if move.seat == seat:
            kind = int(move.kind)
            if move.is_bet:
                buckets = hands.buckets[bets.positions[index], bets.bettings[index]]
                for hand in range(hands.first[size], hands.first[size + 1]):
                    masses[hand] *= bets.chances[index, buckets[hand, move.top]]
            elif kind in (STAND_KIND, DRAW_KIND):
                wanted = STAND if kind == STAND_KIND else DRAW
                for hand in range(hands.first[size], hands.first[size + 1]):
                    plays = kind_is(hands, move, hand, wanted)
                    masses[hand] *= mixed(plays, epsilon, hands.num_kinds)
                if kind == DRAW_KIND:
                    add_unseen_card(hands, size, scratch.known, masses)
                    size += 1
            elif kind == BUY_DISCARD:
                for hand in range(hands.first[size], hands.first[size + 1]):
                    plays = kind_is(hands, move, hand, BUY)
                    scratch.kept[hand] = masses[hand] * mixed(plays, epsilon, hands.num_kinds)
                size += 1
                take(hands, int(move.top), size, scratch.kept, masses)
                scratch.known[move.top] += 1
            elif kind in (SWAP_KIND, DISCARD_DRAW_KIND, REDRAW):
                weigh_put_down(hands, move, size, epsilon, masses, scratch.kept)
                scratch.known[move.down] -= move.was_known
                if kind == SWAP_KIND:
                    take(hands, int(move.top), size, scratch.kept, masses)
                    scratch.known[move.top] += 1
                else:
                    for hand in range(hands.first[size - 1], hands.first[size]):
                        masses[hand] = scratch.kept[hand]
                    add_unseen_card(hands, size - 1, scratch.known, masses)
        if move.redealt:
            deal_anew(hands, size, scratch.known, masses)
    total = count_or_deal(hands, size, scratch.known, unseen, masses)
    for hand in range(hands.first[size], hands.first[size + 1]):
        masses[hand] /= total
    return size


@jit
def deal_anew(hands: Hands, size: int, known: Array, weights: Array) -> None:
    """Give all hands of a size the weight 1."""
    known[:] = 0
    for hand in range(hands.first[size], hands.first[size + 1]):
        weights[hand] = 1


@jit
def mixed(plays: float, epsilon: float, choices: int) -> float:
    """Return the probability of one of some moves that the blueprint plays as often as stated."""
    return (1 - epsilon) * plays + epsilon / choices


@jit
def kind_is(hands: Hands, move: Record, hand: int, kind: int) -> bool:
    """Say whether the blueprint plays this kind of card action. A first move has a top discard."""
    return move.top != NO_TOP and best_kind(hands, move, hand) == kind


@jit
def best_kind(hands: Hands, move: Record, hand: int) -> int:
    """Return the kind of card action that the blueprint plays. Fees count as shares of the pot."""
    fees, stage, top = hands.fees, int(move.stage), int(move.top)
    best = int(hands.kinds[stage, hand, top])
    if (fees.draw > 0 or fees.buy > 0) and hand < len(hands.children):
        value = fees.free[stage, hand, top]
        drawn = fees.drawn[stage, hand] - fees.draw / move.pot
        if 0 < fees.draw <= move.credits and drawn > value:
            best, value = DRAW, drawn
        bought = fees.values[stage, hands.children[hand, top]] - fees.buy / move.pot
        if 0 < fees.buy <= move.credits and bought > value:
            best = BUY
    return best


@jit
def weigh_put_down(
    hands: Hands, move: Record, size: int, epsilon: float, weights: Array, kept: Array
) -> None:
    """Write the weights of the hands that are left as a card is put down.

    Of equal values each card is put down equally often.
    """
    for hand in range(hands.first[size - 1], hands.first[size]):
        kept[hand] = 0
    down = int(move.down)
    choices = size if move.kind == REDRAW else hands.num_kinds * size
    for hand in range(hands.first[size], hands.first[size + 1]):
        same = int(hands.counts[hand, down])
        if weights[hand] == 0 or same == 0:
            continue
        if move.kind == SWAP_KIND:
            plays = kind_is(hands, move, hand, SWAP)
            plays = plays and hands.swaps[move.stage, hand, move.top] == down
        else:
            plays = move.kind == REDRAW or kind_is(hands, move, hand, DISCARD_DRAW)
            plays = plays and hands.discards[move.stage, hand] == down
        chance = mixed(plays / same, epsilon, choices)
        kept[hands.parents[hand, down]] += weights[hand] * chance


@jit
def take(hands: Hands, value: int, size: int, kept: Array, weights: Array) -> None:
    """Write the weights of hands of a size that take a card into what they kept."""
    for hand in range(hands.first[size], hands.first[size + 1]):
        weights[hand] = 0
    for hand in range(hands.first[size - 1], hands.first[size]):
        weights[hands.children[hand, value]] = kept[hand]


@jit
def add_unseen_card(hands: Hands, size: int, known: Array, weights: Array) -> None:
    """Write the weights after hands of a size drew: any hidden card may be the one that came."""
    for hand in range(hands.first[size + 1], hands.first[size + 2]):
        total = 0.0
        for value in range(NUM_VALUES):
            hidden = hands.counts[hand, value] - known[value]
            if hands.counts[hand, value] > 0 and hidden > 0:
                total += hidden * weights[hands.parents[hand, value]]
        weights[hand] = total


@jit
def count_hands(hands: Hands, size: int, known: Array, unseen: Array, weights: Array) -> float:
    """Multiply weights by the number of such hands that there are; return the sum."""
    total = 0.0
    for hand in range(hands.first[size], hands.first[size + 1]):
        for value in range(NUM_VALUES):
            hidden = hands.counts[hand, value] - known[value]
            if hidden < 0 or hidden > unseen[value]:
                weights[hand] = 0
            elif hidden > 0:
                weights[hand] *= BINOMIALS[unseen[value], hidden]
        total += weights[hand]
    return total


@jit
def count_or_deal(hands: Hands, size: int, known: Array, unseen: Array, weights: Array) -> float:
    """Do as ``count_hands``; where no hand is left, with all hands of the size dealt anew."""
    total = count_hands(hands, size, known, unseen, weights)
    if total == 0:
        deal_anew(hands, size, known, weights)
        total = count_hands(hands, size, known, unseen, weights)
    return total
