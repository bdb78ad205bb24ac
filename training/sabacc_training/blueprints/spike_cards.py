"""The cards of abstract games, with or without Spike Cards, and the edges of their buckets."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray
from sabacc_agents.blueprint.buckets import (
    HAND_BUCKETS,
    NO_TOP,
    NUM_TOPS,
    betting_values,
    hand_buckets,
)
from sabacc_agents.blueprint.card_choices import free_win_probabilities
from sabacc_agents.blueprint.public_states import price_of_card
from sabacc_agents.blueprint.spike_hands import first_spike_betting, values_and_gains
from sabacc_agents.expectation.hand_table import HandTable

from sabacc_env.array_types import Floats, Ints
from sabacc_env.rules import RuleSet
from sabacc_training.blueprints import hands as hands_without_spikes
from sabacc_training.blueprints.game import Game
from sabacc_training.blueprints.hands import AgentHands, Cards
from sabacc_training.blueprints.spike_rules import first_zero_with_spikes

NUM_SAMPLES: Final = 200_000
"""The hands that decide the edges of buckets."""

SAMPLES_SEED: Final = 1977

TOP_DETAIL: Final = 2
"""A bucket below which a share x of all buckets lies begins where a share (1 - x) ** TOP_DETAIL of
all hands is better: stacks are deep, and large bets are about the best hands."""

BOUGHT_DETAIL: Final = 4
"""Instead of that, where hands are better than dealt ones, because cards are bought."""


def cards_of(rules: RuleSet, game: Game) -> tuple[Cards, AgentHands, NDArray[np.float32]]:
    """Return the cards of an abstract game, the courses of the agent's hand, and bucket edges.

    With Spike Cards there are no such courses: hands are dealt in each walk.
    """
    if not rules.spike_card:
        return hands_without_spikes.cards_of(rules, game)
    table = free_win_probabilities(rules).table
    edges = spike_edges(rules)
    in_play = hand_buckets(rules, edges)
    final = final_buckets(rules, table)
    at_reveal = np.broadcast_to(final[:, None], (2, 1, len(table.sizes), NUM_TOPS))
    cards = hands_without_spikes.cards_with(rules, np.hstack([in_play, at_reveal]))
    if price_of_card(rules):
        values, gains = values_and_gains(rules)
        cards = cards._replace(values=values, gains=gains)
    nothing = np.zeros((0, 0))
    courses = AgentHands(
        hands=nothing.astype(np.int32),
        tops=nothing.astype(np.int8),
        left=nothing.astype(np.int8),
        codes=np.zeros(0, np.int64),
        first=np.zeros(0, np.int64),
    )
    return cards, courses, edges


def spike_edges(rules: RuleSet) -> Floats:
    """Return the lowest values of all buckets but the first, (betting phases, HAND_BUCKETS - 1).

    In the last phase zero hands share buckets with others: dice follow, and they are the best.
    """
    table, values = free_win_probabilities(rules).table, betting_values(rules)[0]
    edges = np.empty((len(values), HAND_BUCKETS - 1), np.float32)
    for betting, of_phase in enumerate(values):
        shown = betting >= first_spike_betting(rules)
        hands, tops = sample_hands(table, rules.cards_dealt + shown)
        found = of_phase[hands, tops if shown else NO_TOP]
        edges[betting] = detailed_quantiles(rules, found, HAND_BUCKETS)
    return edges


def detailed_quantiles(rules: RuleSet, values: Floats, count: int) -> Floats:
    """Return the values that part others into so many parts, the higher the smaller, (count - 1,).

    See ``TOP_DETAIL``.
    """
    detail = BOUGHT_DETAIL if price_of_card(rules) else TOP_DETAIL
    shares = 1 - (1 - np.arange(1, count) / count) ** detail
    found: Floats = np.quantile(values, shares).astype(np.float32)
    return found


def final_buckets(rules: RuleSet, table: HandTable) -> NDArray[np.int8]:
    """Return the buckets of final hands, (hands,).

    Idiots' Array, which is no zero hand and yet better than any, is in the highest bucket with the
    best of them. So in the abstract game it wins the Sabacc pot, too.
    """
    ranks: Floats = np.unique(table.strengths, return_inverse=True)[1].astype(np.float32)
    hands, _ = sample_hands(table, int(table.sizes[-1]))
    drawn, first = ranks[hands], first_zero_with_spikes(rules)
    lowest = drawn[table.is_zero[hands]].min()
    edges = [
        *detailed_quantiles(rules, drawn[drawn < lowest], first),
        lowest,
        *detailed_quantiles(rules, drawn[table.is_zero[hands]], HAND_BUCKETS - first),
    ]
    return np.searchsorted(edges, ranks, side="right").astype(np.int8)


def sample_hands(table: HandTable, size: int) -> tuple[Ints, Ints]:
    """Return random hands of so many cards, and a card dealt after each, both (NUM_SAMPLES,)."""
    rng = np.random.default_rng(SAMPLES_SEED)
    every = np.flatnonzero(table.sizes == size)
    hands = rng.choice(every, NUM_SAMPLES, p=table.deal_probs[every])
    reached = table.draw_probs[hands].cumsum(axis=1)
    cards = (rng.random((NUM_SAMPLES, 1)) * reached[:, -1:] >= reached).sum(axis=1)
    return hands, cards
