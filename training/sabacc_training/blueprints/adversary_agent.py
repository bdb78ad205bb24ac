"""The agent that plays an adversary's strategy on the engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from sabacc_agents.blueprint.buckets import NO_TOP
from sabacc_agents.blueprint.card_choices import free_actions, free_win_probabilities, without_fees
from sabacc_agents.blueprint.observed_hands import own_hands, tops_of
from sabacc_agents.blueprint.observed_turns import stacks_of
from sabacc_agents.expectation.action_values import CardActionValues
from sabacc_agents.expectation.maximiser import Maximiser
from sabacc_agents.scripted.betting import PotAmounts
from sabacc_agents.scripted.stochastic_agent import StochasticAgent

from sabacc_env.actions import (
    CALL as CALL_ACTION,
)
from sabacc_env.actions import (
    CHECK,
    DISCARD_DRAW_SLOTS,
    DRAW,
    FIRST_BET,
    STAND,
    SWAP_SLOTS,
    BetSize,
)
from sabacc_env.actions import JUNK as JUNK_ACTION
from sabacc_env.array_types import Floats, Ints
from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import Array
from sabacc_env.observation import decode
from sabacc_env.rules import RuleSet
from sabacc_training.blueprints.adversary_states import adversary_state, find_row
from sabacc_training.blueprints.card_states import card_state, hand_row
from sabacc_training.blueprints.game import CALL, CARDS, FIRST_RAISE, JUNK, Game
from sabacc_training.blueprints.hands import Cards
from sabacc_training.blueprints.observed_states import states_of
from sabacc_training.blueprints.workspace import LearntTables

ACTIONS_OF_KINDS: Final = ((STAND,), (DRAW,), tuple(DISCARD_DRAW_SLOTS), tuple(SWAP_SLOTS))
"""The engine's actions of each kind of card action (``public_states.CARD_KINDS``)."""


class AdversaryAgent(StochasticAgent):
    """Plays what regret matching of an adversary's regrets says, and else what the maximiser does.

    It pays no fee, but buys cards beside a Spike Card as the maximiser does, where they are bought
    in the abstract game. Within a kind of card action it takes the best card by expectation. The
    maximiser decides where the tables know no action of positive regret, and which card doubles
    replace.

    Args:
        rules: the rules.
        bet_sizes: what the bet actions mean.
        game: the abstract game.
        cards: its cards.
        tables: what the adversary has learnt. States that are new take free rows.
    """

    def __init__(
        self,
        rules: RuleSet,
        bet_sizes: Sequence[BetSize],
        game: Game,
        cards: Cards,
        tables: LearntTables,
    ) -> None:
        self._rules = rules
        self._game = game
        self._cards = cards
        self._tables = tables
        self._win_probs = free_win_probabilities(rules)
        free = rules if game.price else without_fees(rules)
        self._card_values = CardActionValues(
            free, self._win_probs.table, self._win_probs.hand_values
        )
        self._maximiser = Maximiser(free, 2, bet_sizes)
        self._may_take = free_actions(rules) | bool(game.price)

    def probabilities(
        self, observations: Floats, action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """Return the distribution over actions of each row, (n, num_actions)."""
        decoded = decode(observations)
        action_masks = action_masks * self._may_take[: action_masks.shape[1]]
        probabilities = np.zeros(action_masks.shape)
        for is_now, learnt in (
            (decoded.is_betting, self._bets),
            (decoded.phase == CARDS, self._card_actions),
        ):
            rows = np.flatnonzero(is_now)
            if len(rows):
                probabilities[rows] = learnt(observations[rows], action_masks[rows])
        probabilities[action_masks == 0] = 0
        whole = probabilities.sum(axis=1, keepdims=True)
        np.divide(probabilities, whole, out=probabilities, where=whole > 0)
        others = np.flatnonzero(whole[:, 0] == 0)
        if len(others):
            probabilities[others] = self._maximiser.probabilities(
                observations[others], action_masks[others]
            )
        return probabilities

    def _bets(self, observations: Floats, action_masks: NDArray[np.int8]) -> NDArray[np.float64]:
        """Return the positive regrets of bet actions, (n, num_actions)."""
        states = states_of(observations, self._game, self._rules)
        rows = np.zeros(len(states), np.int64)
        find_rows(self._game, states, self._tables, rows)
        hands = self._hands(observations)
        betting = self._game.bettings[states["stage"]]
        tops = tops_of(observations, self._rules)
        buckets = self._cards.buckets[states["position"], betting, hands, tops]
        regrets = np.maximum(self._tables.adversary_regrets[rows, :, buckets], 0)
        found = np.zeros(action_masks.shape)
        found[:, JUNK_ACTION] = regrets[:, JUNK]
        found[:, CALL_ACTION] = found[:, CHECK] = regrets[:, CALL]
        num_sizes = action_masks.shape[1] - FIRST_BET
        found[:, FIRST_BET:] = regrets[:, FIRST_RAISE : FIRST_RAISE + num_sizes]
        return found

    def _card_actions(
        self, observations: Floats, action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """Return the positive regrets of kinds, each at the best action of its kind."""
        amounts = PotAmounts(observations, self._rules)
        stages = self._win_probs.stages_of(observations)
        values = self._card_values.action_values(observations, action_masks, amounts, stages)
        values = np.where(action_masks > 0, values, -np.inf)
        best = np.stack(
            [np.array(a)[values[:, a].argmax(axis=1)] for a in ACTIONS_OF_KINDS], axis=1
        )
        best_kinds = np.take_along_axis(values, best, axis=1).argmax(axis=1)
        states = states_of(observations, self._game, self._rules)
        rows = np.zeros(len(states), np.int64)
        number_card_states(self._game, states, stacks_of(observations, self._rules), rows)
        phases = np.maximum(self._game.bettings[states["stage"]] - 1, 0)
        buckets = self._cards.buckets[0, phases, self._hands(observations), NO_TOP]
        tops = decode(observations).top_discard + 10
        number_hand_rows(rows, best_kinds, tops, buckets)
        found = np.zeros(action_masks.shape)
        regrets = np.maximum(self._tables.kind_regrets[rows], 0)
        np.put_along_axis(found, best, regrets.astype(np.float64), axis=1)
        return found

    def _hands(self, observations: Floats) -> Ints:
        return own_hands(observations, self._win_probs.table)


@jit
def find_rows(game: Game, states: Array, tables: LearntTables, rows: Array) -> None:
    """Write the row of each state in which the adversary bets, (n,)."""
    for i in range(len(states)):
        rows[i] = find_row(tables, adversary_state(game, states[i]))


@jit
def number_card_states(game: Game, states: Array, stacks: Array, numbers: Array) -> None:
    """Write the number of each state in which the adversary plays its cards, (n,)."""
    for i in range(len(states)):
        numbers[i] = card_state(game, states[i], int(stacks[i]))


@jit
def number_hand_rows(rows: Array, best_kinds: Array, tops: Array, buckets: Array) -> None:
    """Turn the numbers of card states, (n,), into the rows of hands in them."""
    for i in range(len(rows)):
        rows[i] = hand_row(int(rows[i]), int(best_kinds[i]), int(tops[i]), int(buckets[i]))
