"""What a walk through the abstract game works on: the tables that it learns, and its scratch."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sabacc_agents.blueprint.buckets import HAND_BUCKETS
from sabacc_agents.blueprint.public_states import NUM_SEEN_KINDS, num_public_states

from sabacc_env.engine.layout import MAX_HAND, Array
from sabacc_env.rules import RuleSet
from sabacc_training.blueprints.card_states import num_card_states
from sabacc_training.blueprints.game import NUM_BETS, Game
from sabacc_training.blueprints.hands import NUM_KINDS
from sabacc_training.blueprints.states import new_states

NUM_HANDS: Final = 128
"""How many hands of each seat a walk meets."""

MAX_DEPTH: Final = 64
"""The most decisions of a walk, one after another."""

LAST_RAISE: Final = MAX_DEPTH - 20
"""From this depth on nobody raises. No other decision but a call or a kind of action follows."""


class LearntTables(NamedTuple):
    """What is learnt, by public state and bucket of hands, or by state of cards and bucket.

    Attributes:
        agent_regrets: (public states, bets, buckets) float32: sums of the regrets of the agent's
            bets, in antes, weighted by the epoch.
        agent_sums: (public states, bets, buckets) float32: sums of the agent's strategies, weighted
            by its reach probabilities and the epoch.
        adversary_keys: (slots,) int64: the states of the adversary's bets that were met
            (``adversary_states``), 0 in free slots.
        adversary_rows: (slots,) int32: their rows in the regrets, in the order in which they were
            met, so that no memory is taken for rows that are not in use.
        adversary_count: (1,) int64: how many states were met.
        adversary_regrets: (slots, bets, buckets) float32: regrets of the adversary's bets.
        kind_regrets: (rows, kinds) float32: regrets of the adversary's kinds of card action.
        kind_values: (rows, kinds) float32: their average values, the baselines of these regrets.
    """

    agent_regrets: NDArray[np.float32]
    agent_sums: NDArray[np.float32]
    adversary_keys: NDArray[np.int64]
    adversary_rows: NDArray[np.int32]
    adversary_count: NDArray[np.int64]
    adversary_regrets: NDArray[np.float32]
    kind_regrets: NDArray[np.float32]
    kind_values: NDArray[np.float32]


def new_tables(rules: RuleSet, game: Game, rows: int) -> LearntTables:
    """Return tables in which nothing has been learnt, with so many rows of the adversary's bets."""
    bets = num_public_states(rules, game.codes), NUM_BETS, HAND_BUCKETS
    kinds = num_card_states(game) * HAND_BUCKETS, NUM_KINDS
    return LearntTables(
        agent_regrets=np.zeros(bets, np.float32),
        agent_sums=np.zeros(bets, np.float32),
        adversary_keys=np.zeros(rows, np.int64),
        adversary_rows=np.zeros(rows, np.int32),
        adversary_count=np.zeros(1, np.int64),
        adversary_regrets=np.zeros((rows, NUM_BETS, HAND_BUCKETS), np.float32),
        kind_regrets=np.zeros(kinds, np.float32),
        kind_values=np.zeros(kinds, np.float32),
    )


class Workspace(NamedTuple):
    """The scratch of one walk. Arrays with a first dimension of MAX_DEPTH have one row a decision.

    The traverser's values are learnt in a walk. The opponent is the other seat. Within a betting
    phase all is by bucket, between two by hand.

    Attributes:
        rng: (2,) the state of the random numbers.
        hand: (3,) the stack after the antes, the agent's position, and the traverser's.
        epoch: (1,) float32: the weight of what is learnt.
        nodes: (1,) how many nodes walks have visited, each with all hands.
        events: (stages,) the agent's kind of action, or the dice.
        agent_buckets: (betting phases + 1, n) the buckets of the agent's hands, at last the final
            ones.
        agent_left: (stages, n) the top discard that each of the agent's hands leaves behind.
        spikes: (betting phases + 1, 2) the Spike Cards by position, as numbers in the deck. Before
            they are dealt it holds the first ones. Only games with Spike Cards use this and the
            next two.
        dealt: (cards,) scratch, the numbers in the deck of cards that are dealt.
        hidden: (depth, 2, n) the hands of the agent and the adversary, without Spike Cards.
        states: (depth,) the public state.
        path_weights: (depth,) float32: the epoch, over the probability that the traverser tried
            what led there.
        adversary_hands: (depth, n) the adversary's hands.
        tops: (depth, n) the top discard that each of them sees.
        weights: (depth, n) float32: the reach probabilities of the opponent's hands, over that of
            sampling.
        hand_values: (depth, n) float32: the values of the traverser's hands, in antes.
        own_buckets: (depth, n) the buckets of the traverser's hands, at the first bet of a phase.
        other_buckets: (depth, n) those of the opponent's hands, likewise.
        counts: (depth, buckets) float32: how many of the traverser's hands are in each, likewise.
        reach: (depth, buckets) float32: the sums of the opponent's weights.
        values: (depth, buckets) float32: the values of a hand of the traverser.
        bet_values: (depth, bets, buckets) float32: those of each bet that is tried.
        legal: (depth, bets) bool: which bets are legal.
        trials: (depth, bets) float32: the probability that the traverser tried a bet that it tries,
            0 for the others.
        raises: (depth, bets) by how much they exceed a call.
        strategies: (depth, bets, buckets) float32: the strategy of the seat to act.
        probabilities: (depth, bets or kinds) the probabilities with which an action is sampled.
        scratch: (buckets,) float32: numbers that one function needs.
        kind_counts: (kinds as seen,) how many of the adversary's hands can play each.
        kind_rows: (depth, n) the row of each of the adversary's hands as it plays its cards.
        kind_strategies: (depth, n, kinds) float32: its strategies.
    """

    rng: Array
    hand: Array
    epoch: Array
    nodes: Array
    events: Array
    agent_buckets: Array
    agent_left: Array
    spikes: Array
    dealt: Array
    hidden: Array
    states: Array
    path_weights: Array
    adversary_hands: Array
    tops: Array
    weights: Array
    hand_values: Array
    own_buckets: Array
    other_buckets: Array
    counts: Array
    reach: Array
    values: Array
    bet_values: Array
    legal: Array
    trials: Array
    raises: Array
    strategies: Array
    probabilities: Array
    scratch: Array
    kind_counts: Array
    kind_rows: Array
    kind_strategies: Array


def new_workspace(game: Game, num_hands: int = NUM_HANDS) -> Workspace:
    """Return the scratch of walks that meet so many hands of each seat."""
    by_hand: tuple[int, ...] = MAX_DEPTH, num_hands
    by_bucket: tuple[int, ...] = MAX_DEPTH, HAND_BUCKETS

    def numbers(*shape: int, dtype: Any = np.int64) -> Array:
        return np.zeros(shape, dtype)

    return Workspace(
        rng=numbers(2),
        hand=numbers(3),
        epoch=numbers(1, dtype=np.float32),
        nodes=numbers(1),
        events=numbers(len(game.phases)),
        agent_buckets=numbers(int(game.bettings[-1]) + 1, num_hands),
        agent_left=numbers(len(game.phases), num_hands),
        spikes=numbers(int(game.bettings[-1]) + 1, 2),
        dealt=numbers(2 + MAX_HAND),
        hidden=numbers(MAX_DEPTH, 2, num_hands),
        states=new_states(MAX_DEPTH),
        path_weights=numbers(MAX_DEPTH, dtype=np.float32),
        adversary_hands=numbers(*by_hand),
        tops=numbers(*by_hand),
        weights=numbers(*by_hand, dtype=np.float32),
        hand_values=numbers(*by_hand, dtype=np.float32),
        own_buckets=numbers(*by_hand),
        other_buckets=numbers(*by_hand),
        counts=numbers(*by_bucket, dtype=np.float32),
        reach=numbers(*by_bucket, dtype=np.float32),
        values=numbers(*by_bucket, dtype=np.float32),
        bet_values=numbers(MAX_DEPTH, NUM_BETS, HAND_BUCKETS, dtype=np.float32),
        legal=numbers(MAX_DEPTH, NUM_BETS, dtype=np.bool_),
        trials=numbers(MAX_DEPTH, NUM_BETS, dtype=np.float32),
        raises=numbers(MAX_DEPTH, NUM_BETS),
        strategies=numbers(MAX_DEPTH, NUM_BETS, HAND_BUCKETS, dtype=np.float32),
        probabilities=numbers(MAX_DEPTH, max(NUM_BETS, NUM_SEEN_KINDS), dtype=np.float64),
        scratch=numbers(HAND_BUCKETS, dtype=np.float32),
        kind_counts=numbers(NUM_SEEN_KINDS),
        kind_rows=numbers(*by_hand),
        kind_strategies=numbers(*by_hand, NUM_KINDS, dtype=np.float32),
    )
