"""Hands in the abstract game: how they change, and the buckets that a blueprint tells apart.

Hands are indices in the hand table (``sabacc_agents.expectation``): card values without suits.
Every card that comes is drawn from a whole deck, whatever lies elsewhere. Within a kind of action
each seat chooses the card that is best for its expected value. The agent chooses the kind so, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sabacc_agents.blueprint.buckets import bucket_edges, edges_with_zeros, hand_buckets
from sabacc_agents.blueprint.public_states import CARD_KINDS, DISCARD_DRAW, DRAW, SWAP
from sabacc_agents.expectation.backward_induction import (
    DOUBLE_SPIKE_PROB,
    DOUBLES_PROB,
    stages,
)
from sabacc_agents.expectation.hand_table import EMPTY, NUM_VALUES
from sabacc_agents.expectation.win_probabilities import WinProbabilities, win_probabilities

from sabacc_env.array_types import Floats, Ints
from sabacc_env.engine.chance import WORD, next_word, stream
from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import REDRAW_ALL, REDRAW_ONE, Array
from sabacc_env.rules import RuleSet
from sabacc_training.blueprints.game import BETTING, CARDS, DICE, Game

NUM_KINDS: Final = len(CARD_KINDS)
NUM_DICE: Final = 3
"""The outcomes of the dice: no doubles, doubles, two Spikes."""

NUM_SAMPLES: Final = 2_000_000
"""The courses of the agent's hand that the abstract game draws from."""

SAMPLES_SEED: Final = 1977

NO_CARD: Final = -1

TOP_STAYS: Final = 1.0, 0.5
"""How likely the top discard is there when a seat plays its cards next, by its position."""


class Cards(NamedTuple):
    """What compiled code needs of the hand table, and the choices of cards.

    Attributes:
        deck: (cards,) the values of the deck, as indices.
        children: as in ``HandTable``.
        parents: likewise.
        counts: likewise.
        best_kinds: (stages, hands, 21) the best kind of action, by the top discard.
        swaps: likewise, the card that the best swap puts down; NO_CARD if there is none.
        discards: (stages, hands) the card that is best discarded before a draw; NO_CARD if none.
        buckets: (betting phases + 1, hands) the bucket of each hand in each betting phase, and of
            final hands.
        top_buckets: (positions, betting phases + 1, hands, 21) the same for a seat that counts on
            the top discard.
        allowed: (kinds,) whether the rules have each kind of action.
    """

    deck: Array
    children: Array
    parents: Array
    counts: Array
    best_kinds: Array
    swaps: Array
    discards: Array
    buckets: Array
    top_buckets: Array
    allowed: Array


@dataclass(frozen=True)
class AgentHands:
    """Courses of the agent's hand, grouped by what is public of them.

    Attributes:
        hands: (samples, betting phases + 1) the hand in each betting phase and at the reveal.
        codes: (samples,) the group: its kinds of action and dice in order, as digits.
        first: (groups + 1,) the first sample of each group.
    """

    hands: NDArray[np.int32]
    codes: Ints
    first: Ints


def cards_of(rules: RuleSet, game: Game) -> tuple[Cards, AgentHands, NDArray[np.float32]]:
    """Return the cards of an abstract game, the courses of the agent's hand, and bucket edges."""
    win_probs = win_probabilities(rules, 2)
    table = win_probs.table
    num_hands, num_growing = len(table.sizes), len(table.children)
    num_stages = len(game.phases) - 1
    best_kinds = np.zeros((num_stages, num_hands, NUM_VALUES), np.int8)
    swaps = np.full((num_stages, num_hands, NUM_VALUES), NO_CARD, np.int8)
    discards = np.full((num_stages, num_hands), NO_CARD, np.int8)
    best_values: dict[int, Floats] = {}
    for stage, (_, phase) in enumerate(stages(rules)):
        if phase == "betting":
            continue
        values = win_probs.hand_values[stage, 0]
        drawn = np.full(num_hands, -1, np.float32)  # a hand of the largest size cannot draw
        drawn[:num_growing] = np.einsum(
            "nv,nv->n", values[table.children], table.draw_probs[:num_growing]
        )
        redrawn, discards[stage] = _best_discards(win_probs, drawn)
        if phase == "cards":
            swapped, swaps[stage] = _best_swaps(win_probs, values)
            kinds = values, drawn, redrawn, swapped.T
            by_kind = np.stack([np.broadcast_to(v, swapped.T.shape) for v in kinds])
            by_kind[[kind not in rules.card_actions for kind in CARD_KINDS]] = -1
            best_kinds[stage] = by_kind.argmax(axis=0).T
            best_values[stage] = by_kind.max(axis=0).T
    deck = np.repeat(np.arange(NUM_VALUES), table.deck_counts)
    cards = Cards(
        deck=deck,
        children=table.children,
        parents=table.parents,
        counts=table.counts,
        best_kinds=best_kinds,
        swaps=swaps,
        discards=discards,
        buckets=np.zeros((1, 1), np.int8),
        top_buckets=np.zeros((1, 1, 1, 1), np.int8),
        allowed=np.array([kind in rules.card_actions for kind in CARD_KINDS]),
    )
    agent_hands = _agent_hands(game, cards, rules.cards_dealt)
    edges = bucket_edges(rules, agent_hands.hands[:, :-1])
    ranks = np.unique(table.strengths, return_inverse=True)[1].astype(np.float32)
    final_edges = edges_with_zeros(ranks, agent_hands.hands[:, -1], table.is_zero)
    final = np.searchsorted(final_edges, ranks, side="right").astype(np.int8)
    buckets = np.vstack([hand_buckets(rules, edges), final])
    top_buckets = _top_buckets(game, win_probs, edges, best_values)
    top_buckets[:, -1] = final[:, None]
    return cards._replace(buckets=buckets, top_buckets=top_buckets), agent_hands, edges


def _top_buckets(
    game: Game, win_probs: WinProbabilities, edges: Floats, best_values: dict[int, Floats]
) -> NDArray[np.int8]:
    """Return the buckets of hands by the top discard, (positions, betting phases + 1, hands, 21).

    Those of final hands are left at 0.

    The value of a hand counts each top discard as likely. Here it is known, but doubles change it.
    The seat that acts second in the next card phase finds it there half as often.

    Args:
        game: the game.
        win_probs: the values of hands.
        edges: those of the buckets.
        best_values: by the stage of each card phase, the values of hands before it, (hands, 21).
    """
    phases = list(game.phases)
    num_hands = len(win_probs.table.sizes)
    found = np.zeros((2, len(edges) + 1, num_hands, NUM_VALUES), np.int8)
    for betting, stage in enumerate(i for i, phase in enumerate(phases) if phase == BETTING):
        values = np.repeat(win_probs.hand_values[stage, 0][:, None], NUM_VALUES, axis=1)
        following = [number for number in best_values if number > stage]
        for position in range(2):
            of_tops = values
            if following:
                by_top = best_values[following[0]]
                average = np.einsum("nv,nv->n", by_top, win_probs.table.draw_probs)
                stays = TOP_STAYS[position]
                if DICE in phases[stage : following[0]]:
                    stays *= 1 - DOUBLES_PROB - DOUBLE_SPIKE_PROB
                of_tops = values + stays * (by_top - average[:, None])
            found[position, betting] = np.searchsorted(edges[betting], of_tops, side="right")
    return found


def _best_discards(win_probs: WinProbabilities, drawn: Floats) -> tuple[Floats, NDArray[np.int8]]:
    """Return the best value of a discard and a draw, and the card, both (hands,).

    ``drawn`` are the values of a draw alone.
    """
    table = win_probs.table
    best = np.full(len(table.sizes), -1, np.float32)
    cards = np.full(len(table.sizes), NO_CARD, np.int8)
    every = np.arange(len(best))
    for values in table.slots:
        held = values >= 0
        kept = np.where(held, table.parents[every, values], EMPTY)
        value = np.where(held, drawn[kept], -1)
        better = value > best
        best[better], cards[better] = value[better], values[better]
    return best, cards


def _best_swaps(win_probs: WinProbabilities, values: Floats) -> tuple[Floats, NDArray[np.int8]]:
    """Return the best value of a swap by the top discard, and the card, both (hands, 21)."""
    table = win_probs.table
    count = len(table.sizes)
    best = np.full((count, NUM_VALUES), -1, np.float32)
    cards = np.full((count, NUM_VALUES), NO_CARD, np.int8)
    for slot in table.slots:
        held = (slot >= 0)[:, None] & (slot[:, None] != np.arange(NUM_VALUES))
        kept = np.where(slot >= 0, table.parents[np.arange(count), slot], EMPTY)
        value = np.where(held, values[table.children[kept]], -1)
        better = value > best
        best[better] = value[better]
        cards[better] = np.broadcast_to(slot[:, None], better.shape)[better]
    return best, cards


@jit
def start_stream(rng: Array, seed: int, number: int) -> None:
    """Begin the random numbers of a walk; ``rng`` (2,) holds the state of their stream."""
    rng[0], rng[1] = stream(seed, number & WORD, number >> 32, 0)


@jit
def uniform(rng: Array) -> float:
    """Return a random number from 0 to 1, 1 excluded."""
    rng[0], word = next_word(rng[0], rng[1])
    return word / (WORD + 1)


@jit
def random_below(rng: Array, limit: int) -> int:
    """Return a random number below a limit, uniform but for 2**-32."""
    rng[0], word = next_word(rng[0], rng[1])
    return word * limit >> 32


@jit
def random_card(cards: Cards, rng: Array) -> int:
    """Return the value of a random card of the deck, as an index."""
    return int(cards.deck[random_below(rng, len(cards.deck))])


@jit
def dealt_hand(cards: Cards, rng: Array, size: int) -> int:
    """Return a random hand of so many cards."""
    hand = EMPTY
    for _ in range(size):
        hand = int(cards.children[hand, random_card(cards, rng)])
    return hand


@jit
def random_dice(rng: Array) -> int:
    """Return a random outcome of the dice."""
    first, second = random_below(rng, 6), random_below(rng, 6)
    if first != second:
        return 0
    return 2 if first == 0 else 1


@jit
def after_kind(cards: Cards, rng: Array, stage: int, hand: int, top: int, kind: int) -> int:
    """Return the hand after a card action, with its best card."""
    if kind == DRAW:
        return int(cards.children[hand, random_card(cards, rng)])
    if kind == DISCARD_DRAW:
        kept = int(cards.parents[hand, cards.discards[stage, hand]])
        return int(cards.children[kept, random_card(cards, rng)])
    if kind == SWAP and cards.swaps[stage, hand, top] != NO_CARD:
        return int(cards.children[cards.parents[hand, cards.swaps[stage, hand, top]], top])
    return hand


@jit
def top_after_kind(cards: Cards, stage: int, hand: int, top: int, kind: int) -> int:
    """Return the top discard after a card action, with its best card."""
    if kind == DISCARD_DRAW:
        return int(cards.discards[stage, hand])
    if kind == SWAP and cards.swaps[stage, hand, top] != NO_CARD:
        return int(cards.swaps[stage, hand, top])
    return top


@jit
def after_dice(cards: Cards, rng: Array, stage: int, hand: int, redraw: int) -> int:
    """Return the hand after doubles, by what they do."""
    if redraw == REDRAW_ONE:
        kept = int(cards.parents[hand, cards.discards[stage, hand]])
        return int(cards.children[kept, random_card(cards, rng)])
    if redraw == REDRAW_ALL:
        size = 0
        for value in range(NUM_VALUES):
            size += int(cards.counts[hand, value])
        return dealt_hand(cards, rng, size)
    return hand


def _agent_hands(game: Game, cards: Cards, cards_dealt: int) -> AgentHands:
    hands = np.zeros((NUM_SAMPLES, int(game.bettings[-1]) + 1), np.int32)
    codes = np.zeros(NUM_SAMPLES, np.int64)
    sample_courses(game, cards, np.zeros(2, np.int64), cards_dealt, SAMPLES_SEED, hands, codes)
    order = np.argsort(codes, kind="stable")
    codes = codes[order]
    num_groups = _num_groups(game)
    return AgentHands(hands[order], codes, np.searchsorted(codes, np.arange(num_groups + 1)))


def _num_groups(game: Game) -> int:
    """Return how many sequences of kinds and dice there are."""
    sizes = {CARDS: NUM_KINDS, DICE: NUM_DICE}
    return int(np.prod([sizes.get(int(phase), 1) for phase in game.phases]))


@jit
def sample_courses(
    game: Game, cards: Cards, rng: Array, cards_dealt: int, seed: int, hands: Array, codes: Array
) -> None:
    """Write the agent's hand in each betting phase and at the reveal, and the codes."""
    for i in range(len(codes)):
        start_stream(rng, seed, i)
        hand = dealt_hand(cards, rng, cards_dealt)
        code = 0
        for stage in range(len(game.phases) - 1):
            phase = game.phases[stage]
            if phase == CARDS:
                top = random_card(cards, rng)
                kind = int(cards.best_kinds[stage, hand, top])
                hand = after_kind(cards, rng, stage, hand, top, kind)
                code = code * NUM_KINDS + kind
            elif phase == DICE:
                dice = random_dice(rng)
                hand = after_dice(cards, rng, stage, hand, int(game.redraws[dice]))
                code = code * NUM_DICE + dice
            elif phase == BETTING:
                hands[i, game.bettings[stage]] = hand
        hands[i, game.bettings[-1]] = hand
        codes[i] = code


@jit
def decode_course(game: Game, code: int, events: Array) -> None:
    """Write the kind or the dice of each stage of a code, (stages,)."""
    for stage in range(len(game.phases) - 2, -1, -1):
        if game.phases[stage] == CARDS:
            events[stage] = code % NUM_KINDS
            code //= NUM_KINDS
        elif game.phases[stage] == DICE:
            events[stage] = code % NUM_DICE
            code //= NUM_DICE
