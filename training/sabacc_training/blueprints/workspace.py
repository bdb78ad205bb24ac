"""What a walk through the abstract game works on: the tables that it learns, and its scratch."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sabacc_agents.blueprint.buckets import HAND_BUCKETS
from sabacc_agents.blueprint.public_states import num_public_states

from sabacc_env.engine.layout import Array
from sabacc_env.rules import RuleSet
from sabacc_training.blueprints.card_states import num_card_states
from sabacc_training.blueprints.game import NUM_BETS, Game, new_states
from sabacc_training.blueprints.hands import NUM_KINDS
from sabacc_training.blueprints.reveal import Reveal, new_reveal

NUM_HANDS: Final = 128
"""How many hands of each seat a walk meets."""

MAX_DEPTH: Final = 64
"""The most decisions of a walk, one after another."""

LAST_RAISE: Final = MAX_DEPTH - 20
"""From this depth on nobody raises. No other decision but a call or a kind of action follows."""


class LearntTables(NamedTuple):
    """What is learnt. A row is a public state, or a state of cards, and a bucket of hands.

    Attributes:
        agent_regrets: (rows, bets) float32: cumulative regrets of the agent's bets, in antes.
        agent_sums: (rows, bets) float32: weighted sums of the agent's strategies.
        adversary_regrets: (rows, bets) float32: regrets of the adversary's bets.
        kind_regrets: (rows, kinds) float32: regrets of the adversary's kinds of card action.
        kind_values: (rows, kinds) float32: their average values, the baselines of these regrets.
    """

    agent_regrets: NDArray[np.float32]
    agent_sums: NDArray[np.float32]
    adversary_regrets: NDArray[np.float32]
    kind_regrets: NDArray[np.float32]
    kind_values: NDArray[np.float32]


def new_tables(rules: RuleSet, game: Game) -> LearntTables:
    """Return tables in which nothing has been learnt."""
    bets = num_public_states(rules) * HAND_BUCKETS, NUM_BETS
    kinds = num_card_states(game) * HAND_BUCKETS, NUM_KINDS
    return LearntTables(
        *(np.zeros(shape, np.float32) for shape in (bets, bets, bets, kinds, kinds))
    )


class Workspace(NamedTuple):
    """The scratch of one walk. Arrays with a first dimension of MAX_DEPTH have one row a decision.

    The traverser's values are learnt in a walk. The opponent is the other seat.

    Attributes:
        rng: (2,) the state of the random numbers.
        hand: (3,) the stack after the antes, the agent's position, and the traverser's.
        events: (stages,) the agent's kind of action, or the dice.
        agent_hands: (betting phases + 1, n) the agent's hands.
        states: (depth,) the public state.
        adversary_hands: (depth, n) the adversary's hands.
        weights: (depth, n) the reach probabilities of the opponent's hands, over that of sampling.
        values: (depth, n) the values of the traverser's hands, in antes.
        legal: (depth, bets) bool: which bets are legal.
        raises: (depth, bets) by how much they exceed a call.
        first_rows: (depth,) the first row of the public state.
        buckets: (depth, n) the bucket of each hand of the seat to act.
        strategies: (depth, buckets, bets) float32: the strategy of the seat to act, by bucket.
        in_bucket: (buckets, 3) sums over the hands of a bucket, while they are counted.
        probabilities: (depth, bets) the probabilities with which an action is sampled.
        kind_rows: (depth, n) the row of each of the adversary's hands as it plays its cards.
        kind_strategies: (depth, n, kinds) float32: its strategies.
        tops: (depth, n) the top discard that each of the adversary's hands meets.
        reveal: how the hands compare in the end.
    """

    rng: Array
    hand: Array
    events: Array
    agent_hands: Array
    states: Array
    adversary_hands: Array
    weights: Array
    values: Array
    legal: Array
    raises: Array
    first_rows: Array
    buckets: Array
    strategies: Array
    in_bucket: Array
    probabilities: Array
    kind_rows: Array
    kind_strategies: Array
    tops: Array
    reveal: Reveal


def new_workspace(game: Game, num_hands: int = NUM_HANDS) -> Workspace:
    """Return the scratch of walks that meet so many hands of each seat."""
    by_hand: tuple[int, ...] = MAX_DEPTH, num_hands

    def numbers(*shape: int, dtype: Any = np.int64) -> Array:
        return np.zeros(shape, dtype)

    return Workspace(
        rng=numbers(2),
        hand=numbers(3),
        events=numbers(len(game.phases)),
        agent_hands=numbers(int(game.bettings[-1]) + 1, num_hands),
        states=new_states(MAX_DEPTH),
        adversary_hands=numbers(*by_hand),
        weights=numbers(*by_hand, dtype=np.float64),
        values=numbers(*by_hand, dtype=np.float64),
        legal=numbers(MAX_DEPTH, NUM_BETS, dtype=np.bool_),
        raises=numbers(MAX_DEPTH, NUM_BETS),
        first_rows=numbers(MAX_DEPTH),
        buckets=numbers(*by_hand),
        strategies=numbers(MAX_DEPTH, HAND_BUCKETS, NUM_BETS, dtype=np.float32),
        in_bucket=numbers(HAND_BUCKETS, 3, dtype=np.float64),
        probabilities=numbers(MAX_DEPTH, NUM_BETS, dtype=np.float64),
        kind_rows=numbers(*by_hand),
        kind_strategies=numbers(*by_hand, NUM_KINDS, dtype=np.float32),
        tops=numbers(*by_hand),
        reveal=new_reveal(num_hands),
    )
