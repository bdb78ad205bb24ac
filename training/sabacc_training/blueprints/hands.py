"""Hands in the abstract game: how they change, and the buckets that a blueprint tells apart.

Hands are indices in the hand table (``sabacc_agents.expectation``): card values without suits.
Every card that comes is drawn from a whole deck, whatever lies elsewhere. Within a kind of action
each seat chooses the card that is best for its expected value. The agent chooses the kind so, too.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sabacc_agents.blueprint.buckets import bucket_edges, edges_with_zeros, hand_buckets
from sabacc_agents.blueprint.card_choices import (
    NO_CARD,
    card_choices,
    free_win_probabilities,
    without_fees,
)
from sabacc_agents.blueprint.public_states import (
    CARD_KINDS,
    DISCARD_DRAW,
    DRAW,
    NUM_SEEN_KINDS,
    SWAP,
    seen_kind,
)
from sabacc_agents.expectation.hand_table import EMPTY, NUM_VALUES

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


class Cards(NamedTuple):
    """What compiled code needs of the hand table, and the choices of cards.

    Attributes:
        deck: (cards,) the values of the deck, as indices.
        children: as in ``HandTable``.
        parents: likewise.
        counts: likewise.
        best_kinds: as in ``CardChoices``.
        swaps: likewise.
        discards: likewise.
        buckets: (positions, betting phases + 1, hands, NUM_TOPS) the bucket of each hand in each
            betting phase, and of final hands, by the top discard.
        allowed: (kinds,) whether the rules have each kind of action.
        slots: as in ``HandTable``.
        copies: (21,) how many cards of each value the deck has.
        values: (stages, hands) float32: what hands are worth after each stage, where seats with
            Spike Cards buy cards. Else it is empty.
        gains: (stages, hands) float32: what a hand gains by a card that is bought, likewise.
    """

    deck: Array
    children: Array
    parents: Array
    counts: Array
    best_kinds: Array
    swaps: Array
    discards: Array
    buckets: Array
    allowed: Array
    slots: Array
    copies: Array
    values: Array
    gains: Array


class AgentHands(NamedTuple):
    """Courses of the agent's hand, grouped by what is public of them.

    Those of the seat that acts first come first, then as many of the other.

    Attributes:
        hands: (samples, betting phases + 1) int32: the hand in each betting phase and at the
            reveal.
        tops: (samples, betting phases + 1) int8: the top discard in each betting phase and at the
            reveal.
        left: (samples, stages) int8: the top discard that the agent leaves behind.
        codes: (samples,) the group: its position, its kinds of action as seen and the dice in
            order, as digits.
        first: (groups + 1,) the first sample of each group.
    """

    hands: Array
    tops: Array
    left: Array
    codes: Array
    first: Array


def cards_of(rules: RuleSet, game: Game) -> tuple[Cards, AgentHands, NDArray[np.float32]]:
    """Return the cards of an abstract game, the courses of the agent's hand, and bucket edges."""
    table = free_win_probabilities(rules).table
    cards = cards_with(rules, np.zeros((1, 1, 1, 1), np.int8))
    agent_hands = _agent_hands(game, cards)
    hands, tops = agent_hands.hands, agent_hands.tops
    edges = bucket_edges(rules, _positions(len(hands)), hands[:, :-1], tops[:, :-1])
    ranks: Floats = np.unique(table.strengths, return_inverse=True)[1].astype(np.float32)
    final_edges = edges_with_zeros(ranks, hands[:, -1], table.is_zero)
    final = np.searchsorted(final_edges, ranks, side="right").astype(np.int8)
    in_play = hand_buckets(rules, edges)
    at_reveal = np.broadcast_to(final[:, None], (2, 1, *in_play.shape[2:]))
    return cards._replace(buckets=np.hstack([in_play, at_reveal])), agent_hands, edges


def cards_with(rules: RuleSet, buckets: NDArray[np.int8]) -> Cards:
    """Return the cards of an abstract game with these buckets of hands."""
    table, choices = free_win_probabilities(rules).table, card_choices(rules)
    return Cards(
        deck=np.repeat(np.arange(NUM_VALUES), table.deck_counts),
        children=table.children,
        parents=table.parents,
        counts=table.counts,
        best_kinds=choices.kinds,
        swaps=choices.swaps,
        discards=choices.discards,
        buckets=buckets,
        allowed=np.array([kind in without_fees(rules).card_actions for kind in CARD_KINDS]),
        slots=table.slots,
        copies=table.deck_counts,
        values=np.zeros((0, 0), np.float32),
        gains=np.zeros((0, 0), np.float32),
    )


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


@jit
def top_after_dice(cards: Cards, rng: Array, stage: int, hand: int, top: int, redraw: int) -> int:
    """Return the top discard after a seat's part in doubles, by what they do."""
    if redraw == REDRAW_ONE:
        return int(cards.discards[stage, hand])
    if redraw == REDRAW_ALL:
        return random_card(cards, rng)
    return top


def _agent_hands(game: Game, cards: Cards) -> AgentHands:
    found = AgentHands(
        hands=np.zeros((NUM_SAMPLES, int(game.bettings[-1]) + 1), np.int32),
        tops=np.zeros((NUM_SAMPLES, int(game.bettings[-1]) + 1), np.int8),
        left=np.zeros((NUM_SAMPLES, len(game.phases)), np.int8),
        codes=_positions(NUM_SAMPLES),
        first=np.zeros(0, np.int64),
    )
    scratch = np.zeros(2, np.int64), np.zeros(2, np.int64)
    sample_courses(game, cards, *scratch, SAMPLES_SEED, found)
    order = np.argsort(found.codes, kind="stable")
    codes = found.codes[order]
    return AgentHands(
        hands=found.hands[order],
        tops=found.tops[order],
        left=found.left[order],
        codes=codes,
        first=np.searchsorted(codes, np.arange(2 * _num_groups(game) + 1)),
    )


def _positions(count: int) -> Ints:
    """Return the agent's positions in courses, (count,): half of them act first."""
    return np.repeat(np.arange(2), (count + 1) // 2)[:count]


def _num_groups(game: Game) -> int:
    """Return how many sequences of kinds and dice there are."""
    sizes = {CARDS: NUM_SEEN_KINDS, DICE: NUM_DICE}
    return int(np.prod([sizes.get(int(phase), 1) for phase in game.phases]))


@jit
def sample_courses(
    game: Game,
    cards: Cards,
    rng: Array,
    hands: Array,
    seed: int,
    found: AgentHands,
) -> None:
    """Write courses of the agent's hand. Both seats choose their cards by expectation.

    Args:
        game: the game.
        cards: its cards.
        rng: (2,) scratch, the state of the random numbers.
        hands: (2,) scratch, the hands of both seats.
        seed: decides all that is random.
        found: takes the courses. Before that its codes are the agent's positions.
    """
    for i in range(len(found.codes)):
        start_stream(rng, seed, i)
        agent = int(found.codes[i])
        for p in range(2):
            hands[p] = dealt_hand(cards, rng, game.cards_dealt)
        top = random_card(cards, rng)
        code = agent
        for stage in range(len(game.phases) - 1):
            phase = game.phases[stage]
            if phase == CARDS:
                for p in range(2):
                    hand = int(hands[p])
                    kind = int(cards.best_kinds[stage, hand, top])
                    seen = seen_kind(kind, top)
                    hands[p] = after_kind(cards, rng, stage, hand, top, kind)
                    top = top_after_kind(cards, stage, hand, top, kind)
                    if p == agent:
                        code = code * NUM_SEEN_KINDS + seen
                        found.left[i, stage] = top
            elif phase == DICE:
                dice = random_dice(rng)
                code = code * NUM_DICE + dice
                redraw = int(game.redraws[dice])
                for p in range(2):
                    hand = int(hands[p])
                    hands[p] = after_dice(cards, rng, stage, hand, redraw)
                    top = top_after_dice(cards, rng, stage, hand, top, redraw)
                    if p == agent:
                        found.left[i, stage] = top
            elif phase == BETTING:
                found.hands[i, game.bettings[stage]] = hands[agent]
                found.tops[i, game.bettings[stage]] = top
        found.hands[i, game.bettings[-1]] = hands[agent]
        found.tops[i, game.bettings[-1]] = top
        found.codes[i] = code


@jit
def decode_course(game: Game, code: int, events: Array) -> None:
    """Write the kind as seen, or the dice, of each stage of a code, (stages,)."""
    for stage in range(len(game.phases) - 2, -1, -1):
        if game.phases[stage] == CARDS:
            events[stage] = code % NUM_SEEN_KINDS
            code //= NUM_SEEN_KINDS
        elif game.phases[stage] == DICE:
            events[stage] = code % NUM_DICE
            code //= NUM_DICE
