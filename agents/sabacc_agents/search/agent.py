"""Rollouts: plays every legal action in many determinizations and chooses the best mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from sabacc_agents.search.heuristic import heuristic
from sabacc_env.actions import DEFAULT_BET_SIZES, BetSize, encode_bet_sizes
from sabacc_env.array_types import Ints
from sabacc_env.engine.drivers.policy_code import function_pointer
from sabacc_env.engine.layout import GAME_DTYPE, MAX_ACTIONS
from sabacc_env.engine.search.determinization import InformationState
from sabacc_env.engine.search.rollouts import (
    STOCHASTIC_POLICY_SIGNATURE,
    StochasticPolicy,
    play_rollouts,
    sample_determinizations,
)
from sabacc_env.errors import SabaccError
from sabacc_env.game.determinization import information_state_of, make_workspace
from sabacc_env.game.view import GameView
from sabacc_env.rules import RuleSet

ROLLOUTS: Final = 2000
"""The number of rollouts for a decision."""
DETERMINIZATIONS: Final = 1024
"""The number of determinizations sampled for a decision."""
EPSILON: Final = 0.3
"""The epsilon of the opponent model. Values of 0.1, 0.3 and 0.6 won about as much against the base
and scripted agents, but 0.1 lost to the search without weights."""


class Rollouts:
    """Improves on a base policy by one step of search.

    At each decision it samples determinizations: deals that fit all that its seat has seen. Each
    has a weight, the probability of the opponents' moves so far under a model of the opponents. It
    resamples the determinizations by weight and plays every legal action in the same ones to the
    end of the hand, where all seats follow the base policy, with the same deck, dice and random
    numbers. It chooses the action with the highest mean of net credits. The Sabacc pot counts as
    far as it is won or lost in this hand.

    Args:
        rules: the rules that it will play.
        num_players: seats at the table.
        bet_sizes: what the bet actions mean.
        rollouts: about how many rollouts are played for a decision, over all actions.
        determinizations: how many determinizations are sampled for a decision.
        base: the policy of all seats in rollouts.
        model: the policy that the opponents are assumed to have followed so far.
        epsilon: the probability with which the model is assumed to choose uniformly among the legal
            actions, so that a move which it would never make rules out no determinization. With 1
            all weights are equal.
    """

    wants = "views"
    epsilon: ClassVar[float] = EPSILON

    def __init__(
        self,
        rules: RuleSet,
        num_players: int,
        bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
        *,
        rollouts: int = ROLLOUTS,
        determinizations: int = DETERMINIZATIONS,
        base: StochasticPolicy = heuristic,
        model: StochasticPolicy = heuristic,
        epsilon: float | None = None,
    ) -> None:
        self._sizes = encode_bet_sizes(bet_sizes)
        self._rollouts = rollouts
        self._base = function_pointer(base, STOCHASTIC_POLICY_SIGNATURE)
        self._model = function_pointer(model, STOCHASTIC_POLICY_SIGNATURE)
        self._epsilon = self.epsilon if epsilon is None else epsilon
        self._workspace = make_workspace()
        self._determinizations = np.zeros(determinizations, GAME_DTYPE)
        self._log_weights = np.zeros(determinizations)

    def reset(self, num_tables: int) -> None:
        """Do nothing: a view has its history."""

    def act(
        self,
        observations: Sequence[GameView],
        action_masks: NDArray[np.int8],
        rng: np.random.Generator,
        tables: Ints | None = None,
    ) -> Ints:
        """Choose a legal action for each view.

        Raises:
            SabaccError: for a view whose history is incomplete.
        """
        chosen = np.zeros(len(action_masks), dtype=np.int64)
        for row, mask in enumerate(action_masks):
            actions = np.flatnonzero(mask)
            # They are drawn even without a choice, so that later decisions do not depend on that.
            words = rng.integers(2**32, size=4)
            best = 0
            if len(actions) > 1:
                best = int(self.action_values(observations[row], actions, words).argmax())
            chosen[row] = actions[best]
        return chosen

    def action_values(self, view: GameView, actions: Ints, words: Ints) -> NDArray[np.float64]:
        """Return the mean net credits after each of some legal actions, (n,).

        Args:
            view: the view of the seat to act.
            actions: (n,) legal actions.
            words: (4,) random 32-bit words, the only source of randomness.
        """
        info_state = information_state_of(view, self._sizes)
        determinizations, weights = self._sample(info_state, int(words[0]), int(words[1]))
        num_samples = max(self._rollouts // len(actions), 1)
        samples = systematic_resample(weights, num_samples, words[2] / 2**32)
        net_credits = np.zeros((num_samples, MAX_ACTIONS), np.int64)
        play_rollouts(
            info_state,
            self._workspace,
            self._base,
            int(words[2]),
            int(words[3]),
            determinizations,
            samples,
            int((1 << actions).sum()),
            net_credits,
        )
        means: NDArray[np.float64] = net_credits[:, actions].mean(axis=0)
        return means

    def sample_games(self, view: GameView, count: int, words: Ints) -> NDArray[Any]:
        """Return hands as they may stand now, drawn by their weights, (count,) GAME_DTYPE.

        Args:
            view: the view of the seat to act.
            count: how many; one may occur several times.
            words: (3,) random 32-bit words, the only source of randomness.
        """
        info_state = information_state_of(view, self._sizes)
        determinizations, weights = self._sample(info_state, int(words[0]), int(words[1]))
        return determinizations[systematic_resample(weights, count, words[2] / 2**32)]

    def _sample(
        self, info_state: InformationState, low: int, high: int
    ) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Return determinizations and their weights, which add up to 1.

        Raises:
            SabaccError: if the moves do not lead to what the seat sees.
        """
        found = sample_determinizations(
            info_state,
            self._workspace,
            self._model,
            self._epsilon,
            low,
            high,
            self._determinizations,
            self._log_weights,
        )
        if found == 0:
            raise SabaccError("view: its history does not lead to the state that it shows")
        log_weights = self._log_weights[:found]
        weights = np.exp(log_weights - log_weights.max())
        return self._determinizations[:found], weights / weights.sum()


class UnweightedRollouts(Rollouts):
    """The same search with equal weights: it draws no conclusions from the opponents' moves."""

    epsilon = 1.0


def systematic_resample(weights: NDArray[np.float64], count: int, offset: float) -> Ints:
    """Return indices sampled in proportion to their weights, (count,), by systematic resampling.

    Each index comes as often as its weight demands, rounded up or down. The offset, from 0 to 1,
    decides which ones are rounded up.

    >>> systematic_resample(np.array([0.5, 0.25, 0.25]), 4, 0.5)
    array([0, 0, 1, 2])
    """
    positions = (np.arange(count) + offset) / count
    found = np.searchsorted(np.cumsum(weights), positions * weights.sum(), side="right")
    return np.asarray(np.minimum(found, len(weights) - 1), dtype=np.int64)
