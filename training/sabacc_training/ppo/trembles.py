"""Trembling hands: hands in which a seat plays at random for a while.

A policy learns where it plays. In self-play a large bet in each round, or a worthless hand that
stands, soon becomes rare, and then neither seat learns to answer it. So in a share of hands one
seat trembles, as in Selten's trembling-hand perfect equilibrium: it plays at random for a few
decisions, then by its policy. Nothing is learnt from its random decisions, but from all others,
its own that follow and those of the other seats.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray

from sabacc_env.actions import CALL, CHECK, JUNK
from sabacc_env.agent import sample
from sabacc_env.array_types import Bools, Ints
from sabacc_training.config.run import linear
from sabacc_training.ppo.rollout_buffer import Decisions

STYLE_POWER: Final = 3
"""How different the styles are: the power of the exponential numbers that weigh the actions."""


class Trembles:
    """Which seat trembles at each table, for how long, and how.

    Each trembling hand has a style, random weights of all actions but junk. So one hand bets the
    pot at every chance, another never changes a card. In half of these hands only bets are random.

    Args:
        share: the share of hands in which a seat trembles, at the beginning and the end of the run.
        max_decisions: the most random decisions in a hand; their number is drawn evenly.
        num_tables: the number of tables.
        num_actions: the number of actions.
    """

    def __init__(
        self, share: tuple[float, float], max_decisions: int, num_tables: int, num_actions: int
    ) -> None:
        self._schedule = share
        self._share = share[0]
        self._max_decisions = max_decisions
        self._seats = np.full(num_tables, -1)
        self._decisions_left = np.zeros(num_tables, np.int64)
        self._only_bets = np.zeros(num_tables, np.bool_)
        self._styles = np.zeros((num_tables, num_actions))

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
        count = len(tables)
        trembles = rng.random(count) < self._share
        self._seats[tables] = np.where(trembles, sample(seats.astype(np.float64), rng), -1)
        self._decisions_left[tables] = rng.integers(1, self._max_decisions, count, endpoint=True)
        self._only_bets[tables] = rng.random(count) < 0.5
        styles = rng.exponential(size=(count, self._styles.shape[1])) ** STYLE_POWER
        styles[:, JUNK] = 0
        self._styles[tables] = styles

    def play(self, decisions: Decisions, rng: np.random.Generator) -> None:
        """Rewrite the actions of seats that tremble, and leave their decisions out of learning."""
        tables = decisions.tables
        trembling = (decisions.seats == self._seats[tables]) & (self._decisions_left[tables] > 0)
        decisions.left_out[:] = trembling
        rows = np.flatnonzero(trembling)
        if not len(rows):
            return
        tables = tables[rows]
        self._decisions_left[tables] -= 1
        masks = decisions.action_masks[torch.from_numpy(rows)].cpu().numpy()
        weights = masks * self._styles[tables]
        bets = masks[:, [CHECK, CALL]].any(axis=1)
        # Where junk is the only legal action, the policy has chosen it.
        random = (bets | ~self._only_bets[tables]) & weights.any(axis=1)
        actions = torch.from_numpy(sample(weights[random], rng))
        decisions.actions[torch.from_numpy(rows[random])] = actions.to(decisions.actions.device)

    def state(self) -> dict[str, NDArray[Any]]:
        """Return everything that changes, for ``restore``."""
        return {
            "seats": self._seats,
            "decisions_left": self._decisions_left,
            "only_bets": self._only_bets,
            "styles": self._styles,
        }

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Continue from a ``state``."""
        self._seats[:] = state["seats"]
        self._decisions_left[:] = state["decisions_left"]
        self._only_bets[:] = state["only_bets"]
        self._styles[:] = state["styles"]
