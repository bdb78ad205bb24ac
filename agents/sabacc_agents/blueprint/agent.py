"""The agent that plays a blueprint."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sabacc_agents.blueprint.blueprint import NUM_PLAYERS, Blueprint, load_blueprint
from sabacc_agents.blueprint.buckets import hand_buckets
from sabacc_agents.blueprint.card_choices import free_actions, free_win_probabilities, without_fees
from sabacc_agents.blueprint.observed_hands import own_hands, tops_of
from sabacc_agents.blueprint.observed_turns import first_round, public_states_of, stacks_of
from sabacc_agents.blueprint.public_states import MARGIN
from sabacc_agents.expectation.maximiser import Maximiser
from sabacc_agents.saved_files import check_made_for
from sabacc_agents.scripted.stochastic_agent import StochasticAgent
from sabacc_env.actions import CALL, CHECK, DEFAULT_BET_SIZES, FIRST_BET, BetSize
from sabacc_env.array_types import Floats, Ints
from sabacc_env.observation import decode
from sabacc_env.rules import RuleSet, load_rules


class BlueprintAgent(StochasticAgent):
    """Plays a blueprint: its bets by the table, its cards as the maximiser does.

    The table counts on no fees. Where a call may be short, the agent still pays one if that raises
    the hand's chance to win by more than its share of the pot. Where a seat that cannot pay a call
    must junk, it pays none, and bets all it has as soon as the other seat has less, because that
    paid one. Where the table does not know the public state or the hand, the maximiser bets, too.

    Args:
        rules: the rules that it will play, which must be some of the blueprint's. None stands for
            those that it was solved for.
        num_players: 2.
        bet_sizes: what the bet actions mean, as in the blueprint.
        blueprint: the path of a blueprint, or a blueprint in memory.

    Raises:
        SabaccError: for a blueprint of another game, or a file that is not a blueprint.
    """

    def __init__(
        self,
        rules: str | Path | RuleSet | None = None,
        num_players: int | None = None,
        bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
        *,
        blueprint: str | Path | Blueprint,
    ) -> None:
        label = "this blueprint" if isinstance(blueprint, Blueprint) else str(blueprint)
        found = blueprint if isinstance(blueprint, Blueprint) else load_blueprint(blueprint)
        made_for = found.all_rules, (NUM_PLAYERS,), found.bet_sizes
        self.check_game = partial(check_made_for, label, made_for)
        self.check_game(rules, num_players, bet_sizes)
        self.blueprint = found
        win_probs = free_win_probabilities(found.rules)
        self._table = win_probs.table
        self.buckets = hand_buckets(found.rules, found.edges)
        played = found.rules if rules is None else load_rules(rules)
        paid = played if played.short_call == "all_in" else without_fees(played)
        self._maximiser = Maximiser(paid, NUM_PLAYERS, found.bet_sizes, win_probs=win_probs)
        self._may_take = free_actions(played) | (paid is played)
        limits = played.max_bet, played.max_raise
        self._bets_others_out = (
            played.short_call == "junk" and limits == (None, None) and "max" in found.bet_sizes
        )

    def probabilities(
        self, observations: Floats, action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """Return the distribution over actions of each row, (n, num_actions)."""
        action_masks = action_masks * self._may_take[: action_masks.shape[1]]
        probabilities = np.zeros(action_masks.shape)
        betting = np.flatnonzero(decode(observations).is_betting)
        bets = self._bet_probabilities(observations[betting], action_masks[betting])
        probabilities[betting] = bets
        if self._bets_others_out:
            bet_out(probabilities, observations, action_masks)
        others = np.flatnonzero(probabilities.sum(axis=1) == 0)
        if len(others):
            probabilities[others] = self._maximiser.probabilities(
                observations[others], action_masks[others]
            )
        return probabilities

    def _bet_probabilities(
        self, observations: Floats, action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """Return the distributions at betting turns; all 0 where the blueprint knows none."""
        rows, known = self._rows_of(observations)
        probabilities = np.zeros(action_masks.shape)
        columns = self.blueprint.policy[rows, self._hand_buckets(observations)].astype(np.float64)
        columns[~known] = 0
        for column, action in enumerate(self.blueprint.actions):
            probabilities[:, action] += columns[:, column]
        legal = action_masks > 0
        checks = legal[:, CHECK]
        probabilities[checks, CHECK] = probabilities[checks, CALL]
        # Of sizes that mean equal totals only the first is legal.
        for action in range(action_masks.shape[1] - 1, FIRST_BET, -1):
            moved = ~legal[:, action]
            probabilities[moved, action - 1] += probabilities[moved, action]
        probabilities[~legal] = 0
        whole = probabilities.sum(axis=1, keepdims=True)
        np.divide(probabilities, whole, out=probabilities, where=whole > 0)
        return probabilities

    def policies(self, observations: Floats) -> NDArray[np.float64]:
        """Return what the table says at betting turns, (n, HAND_BUCKETS, actions of the blueprint).

        It is uniform where the table knows nothing.
        """
        rows, known = self._rows_of(observations)
        found = self.blueprint.policy[rows].astype(np.float64)
        found[~known] = 0
        found[found.sum(axis=2) == 0] = 1
        return np.asarray(found / found.sum(axis=2, keepdims=True))

    def _rows_of(self, observations: Floats) -> tuple[Ints, NDArray[np.bool_]]:
        """Return the rows of the table at betting turns, and whether it knows them, both (n,)."""
        blueprint = self.blueprint
        ante = blueprint.rules.ante_unit
        stacks = stacks_of(observations, blueprint.rules)  # of both seats the smaller one
        nearest = blueprint.nearest_stacks(stacks / ante + 1)
        solved = np.rint((blueprint.stacks[nearest] - 1) * ante)
        stretched = solved / np.maximum(stacks, 1)
        states = public_states_of(observations, blueprint.rules, stretched, blueprint.codes)
        states += nearest * blueprint.num_states
        rows = np.minimum(np.searchsorted(blueprint.states, states), len(blueprint.states) - 1)
        return rows.astype(np.int64), blueprint.states[rows] == states

    def hands_of(self, observations: Floats) -> Ints:
        """Return the own hands as indices in the hand table, (n,)."""
        return own_hands(observations, self._table)

    def _hand_buckets(self, observations: Floats) -> Ints:
        """Return the buckets of the own hands at betting turns, (n,)."""
        decoded = decode(observations)
        hands = self.hands_of(observations)
        rules = self.blueprint.rules
        betting = decoded.round - first_round(rules)
        positions = (decoded.seats_after_dealer == 0).astype(np.int64)
        tops = tops_of(observations, rules)
        buckets: Ints = self.buckets[positions, betting, hands, tops].astype(np.int64)
        return buckets


def bet_out(
    probabilities: NDArray[np.float64], observations: Floats, action_masks: NDArray[np.int8]
) -> None:
    """Let a seat bet all it has where the other cannot call that, and so must junk (RULES.md, 5).

    Args:
        probabilities: (n, num_actions) what is written to.
        observations: (n, OBSERVATION_SIZE) of turns at tables of two.
        action_masks: (n, num_actions). The largest bet size is "max".
    """
    decoded = decode(observations)
    left = decoded.credits_per_start - decoded.to_call_per_start
    is_short = decoded.opponents.credits_per_start[:, 0] < left - MARGIN
    bets = action_masks[:, FIRST_BET:] > 0
    rows = np.flatnonzero(is_short & bets.any(axis=1))
    largest = action_masks.shape[1] - 1 - bets[rows, ::-1].argmax(axis=1)
    probabilities[rows] = 0
    probabilities[rows, largest] = 1
