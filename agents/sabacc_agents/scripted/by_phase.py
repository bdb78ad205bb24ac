"""What rule-based agents share: choosing by phase; from scores and intentions to actions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sabacc_agents.scripted.decoding import Bools, Floats, Ints
from sabacc_env.actions import CALL, CHECK, JUNK
from sabacc_env.observation import blocks

NEVER: Final = np.float32(-1e6)
"""The score of an action that is chosen only where nothing else is legal."""

_BETTING: Final = 3
"""The index of the betting phase in the observation's block ``phase``."""


class ByPhase(ABC):
    """An agent without memory or chance that plays cards in one way and bets in another."""

    def reset(self, num_tables: int) -> None:  # noqa: B027 (nothing to do is the point)
        """Remember nothing."""

    def act(
        self,
        observations: Floats,
        action_masks: NDArray[np.int8],
        rng: np.random.Generator,
        tables: Ints | None = None,
    ) -> Ints:
        """Choose a legal action for each row, by what it shows alone."""
        actions = np.zeros(len(observations), dtype=np.int64)
        betting = blocks(observations).phase[:, _BETTING] > 0
        for rows, choose in (
            (np.flatnonzero(~betting), self._play_cards),
            (np.flatnonzero(betting), self._bet),
        ):
            if len(rows):
                actions[rows] = choose(observations[rows], action_masks[rows])
        return actions

    def probabilities(
        self, observations: Floats, action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """Return 1 for what it plays and 0 for all else, (n, num_actions): nothing is drawn."""
        chances = np.zeros(action_masks.shape)
        actions = self.act(observations, action_masks, np.random.default_rng(0))
        chances[np.arange(len(actions)), actions] = 1
        return chances

    @abstractmethod
    def _play_cards(self, observations: Floats, action_masks: NDArray[np.int8]) -> Ints:
        """Choose at card turns and redraws, (n,)."""

    @abstractmethod
    def _bet(self, observations: Floats, action_masks: NDArray[np.int8]) -> Ints:
        """Choose at betting turns, (n,)."""


def best_legal(scores: Floats, action_masks: NDArray[np.int8]) -> Ints:
    """Return the legal action of the highest score in each row, the first of equal ones.

    >>> best_legal(np.array([[3, 2, 2]], np.float32), np.array([[0, 1, 1]], np.int8))
    array([1])
    """
    return np.asarray(np.where(action_masks > 0, scores, -np.inf).argmax(axis=1), dtype=np.int64)


def chosen_bets(action_masks: NDArray[np.int8], calls: Bools, raises: Bools, to: Ints) -> Ints:
    """Return betting actions from intentions, all (n,).

    Where nothing is to be called it checks rather than junks; where it cannot call it junks.

    Args:
        action_masks: (n, num_actions).
        calls: whether a bet is to be called; else the hand is junked, where that is legal.
        raises: whether to raise; only true where a raise is legal.
        to: the raise.
    """
    check, call, junk = (action_masks[:, kind] > 0 for kind in (CHECK, CALL, JUNK))
    passive = np.where(check, CHECK, np.where(call & (calls | ~junk), CALL, JUNK))
    return np.where(raises, to, passive)
