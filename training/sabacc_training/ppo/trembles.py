"""Trembling hands: hands in which a seat plays at random for a while.

A policy learns where it plays. In self-play a large bet in each round, or a worthless hand that
stands, soon becomes rare, and then neither seat learns to answer it. So in a share of hands one
seat trembles, as in Selten's trembling-hand perfect equilibrium: it plays a few decisions at
random, and all others by its policy. Nothing is learnt from random decisions, nor from those of the
seat before them, whose results depend on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray

from sabacc_env.actions import CALL, CHECK, JUNK, BetSize, action_names
from sabacc_env.agent import sample
from sabacc_env.array_types import Bools, Ints
from sabacc_training.config.run import linear
from sabacc_training.ppo.rollout_buffer import Decisions

STYLE_POWER: Final = 3
"""How different the styles are: the power of the exponential numbers that weigh the kinds of
actions."""

RANDOM_PHASES: Final = np.array([[True, False], [False, True], [True, True]])
"""In which phases a trembling seat plays at random, the card phase and the betting phase: in one of
them, or in both."""


class Trembles:
    """Which seat trembles at each table, at which of its decisions, and how.

    It trembles at some decisions one after the other. Half of the hands begin with these, in others
    some decisions by the policy come first. Each trembling hand has a style, random weights of all
    kinds of actions but junk. So one hand bets the pot at every chance, another never changes a
    card. In a third of the hands only cards are random, in a third only bets.

    Args:
        share: the share of hands in which a seat trembles, at the beginning and the end of the run.
        max_decisions: the most random decisions in a hand; their number is drawn evenly.
        num_tables: the number of tables.
        bet_sizes: what the bet actions mean.
    """

    def __init__(
        self,
        share: tuple[float, float],
        max_decisions: int,
        num_tables: int,
        bet_sizes: Sequence[BetSize],
    ) -> None:
        self._schedule = share
        self._share = share[0]
        self._max_decisions = max_decisions
        self._kinds = _kinds(bet_sizes)
        self._seats = np.full(num_tables, -1)
        self._policy_decisions = np.zeros(num_tables, np.int64)
        self._random_decisions = np.zeros(num_tables, np.int64)
        self._random_phases = np.zeros((num_tables, 2), np.bool_)
        self._styles = np.zeros((num_tables, len(self._kinds)))

    def set_progress(self, progress: float) -> None:
        """Set the share for hands that begin after this fraction of the run."""
        self._share = linear(self._schedule, progress)

    def draw(self, tables: Ints, seats: Bools, rng: np.random.Generator) -> None:
        """Draw who trembles in hands that begin.

        Args:
            tables: (n,) where they begin.
            seats: (n, num_players) the seats that may tremble, at least one at each table.
            rng: decides.
        """
        if not any(self._schedule):
            return
        count, most = len(tables), self._max_decisions
        trembles = rng.random(count) < self._share
        self._seats[tables] = np.where(trembles, sample(seats.astype(np.float64), rng), -1)
        later = rng.random(count) < 0.5
        self._policy_decisions[tables] = np.where(later, rng.integers(0, most, count), 0)
        self._random_decisions[tables] = rng.integers(1, most, count, endpoint=True)
        self._random_phases[tables] = rng.choice(RANDOM_PHASES, count)
        # The slots of a card action share the weight of their kind.
        weights = rng.exponential(size=(count, self._kinds.max() + 1)) ** STYLE_POWER
        styles = (weights / np.bincount(self._kinds))[:, self._kinds]
        styles[:, JUNK] = 0
        self._styles[tables] = styles

    def play(self, decisions: Decisions, rng: np.random.Generator) -> None:
        """Rewrite the actions of seats that tremble, and leave out what is not learnt from."""
        tables = decisions.tables
        own = (decisions.seats == self._seats[tables]) & (self._random_decisions[tables] > 0)
        decisions.left_out[:] = own
        before = own & (self._policy_decisions[tables] > 0)
        self._policy_decisions[tables[before]] -= 1
        rows = np.flatnonzero(own & ~before)
        if not len(rows):
            return
        tables = tables[rows]
        self._random_decisions[tables] -= 1
        masks = decisions.action_masks[torch.from_numpy(rows)].cpu().numpy()
        weights = masks * self._styles[tables]
        betting = masks[:, [CHECK, CALL]].any(axis=1).astype(np.int64)
        # Where junk is the only legal action, the policy has chosen it.
        random = self._random_phases[tables, betting] & weights.any(axis=1)
        actions = torch.from_numpy(sample(weights[random], rng))
        decisions.actions[torch.from_numpy(rows[random])] = actions.to(decisions.actions.device)

    def state(self) -> dict[str, NDArray[Any]]:
        """Return everything that changes, for ``restore``."""
        return {
            "seats": self._seats,
            "policy_decisions": self._policy_decisions,
            "random_decisions": self._random_decisions,
            "random_phases": self._random_phases,
            "styles": self._styles,
        }

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Continue from a ``state``."""
        self._seats[:] = state["seats"]
        self._policy_decisions[:] = state["policy_decisions"]
        self._random_decisions[:] = state["random_decisions"]
        self._random_phases[:] = state["random_phases"]
        self._styles[:] = state["styles"]


def _kinds(bet_sizes: Sequence[BetSize]) -> Ints:
    """Return the kind of each action, (num_actions,): card actions with any slot are one kind."""
    names = [name.split(" slot ")[0] for name in action_names(bet_sizes)]
    return np.unique(names, return_inverse=True)[1]
