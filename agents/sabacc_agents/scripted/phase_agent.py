"""The base class of rule-based agents, and how scores and intentions become actions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sabacc_env.actions import CALL, CHECK, JUNK
from sabacc_env.array_types import Bools, Floats, Ints
from sabacc_env.observation import decode

MIN_SCORE: Final = np.float32(-1e6)
"""The score of an action that is chosen only where nothing else is legal."""


class PhaseAgent(ABC):
    """A deterministic agent without memory. It has one method for cards and one for betting."""

    def reset(self, num_tables: int) -> None:  # noqa: B027 (nothing to do is the point)
        """Do nothing: the agent has no memory."""

    def act(
        self,
        observations: Floats,
        action_masks: NDArray[np.int8],
        rng: np.random.Generator,
        tables: Ints | None = None,
    ) -> Ints:
        """Choose a legal action for each row, by that row alone."""
        actions = np.zeros(len(observations), dtype=np.int64)
        betting = decode(observations).is_betting
        for rows, choose in (
            (np.flatnonzero(~betting), self._choose_card_actions),
            (np.flatnonzero(betting), self._choose_bets),
        ):
            if len(rows):
                actions[rows] = choose(observations[rows], action_masks[rows])
        return actions

    def probabilities(
        self, observations: Floats, action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """Return 1 for the action that it chooses and 0 for all others, (n, num_actions)."""
        probabilities = np.zeros(action_masks.shape)
        actions = self.act(observations, action_masks, np.random.default_rng(0))
        probabilities[np.arange(len(actions)), actions] = 1
        return probabilities

    @abstractmethod
    def _choose_card_actions(self, observations: Floats, action_masks: NDArray[np.int8]) -> Ints:
        """Return the actions at card turns and redraws, (n,)."""

    @abstractmethod
    def _choose_bets(self, observations: Floats, action_masks: NDArray[np.int8]) -> Ints:
        """Return the actions at betting turns, (n,)."""


def best_legal(scores: Floats, action_masks: NDArray[np.int8]) -> Ints:
    """Return the legal action of the highest score in each row; of equal scores the first.

    >>> best_legal(np.array([[3, 2, 2]], np.float32), np.array([[0, 1, 1]], np.int8))
    array([1])
    """
    return np.asarray(np.where(action_masks > 0, scores, -np.inf).argmax(axis=1), dtype=np.int64)


def choose_bets(
    action_masks: NDArray[np.int8], calls: Bools, raises: Bools, raise_actions: Ints
) -> Ints:
    """Return betting actions from intentions, all (n,).

    Where a check is legal it checks rather than junks. Where it cannot call it junks.

    Args:
        action_masks: (n, num_actions).
        calls: whether to call a bet. Otherwise it junks the hand, if that is legal.
        raises: whether to raise. It may be true only where a raise is legal.
        raise_actions: the raise to choose.
    """
    check, call, junk = (action_masks[:, kind] > 0 for kind in (CHECK, CALL, JUNK))
    passive = np.where(check, CHECK, np.where(call & (calls | ~junk), CALL, JUNK))
    return np.where(raises, raise_actions, passive)
