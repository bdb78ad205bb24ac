"""Agents whose every action is known in advance."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sabacc_env.actions import CHECK, FIRST_BET, JUNK
from sabacc_env.agent import RandomAgent
from sabacc_env.engine.layout import RAISE_TO
from sabacc_env.game.view import GameView

MIN = FIRST_BET
"""The action of the smallest of the default bet sizes."""


class FirstLegal:
    """Takes the first legal action of ``prefers``, else the first legal action.

    ``calls`` records the calls of its optional methods.
    """

    prefers: ClassVar[tuple[int, ...]] = ()

    def __init__(self, rules, num_players, bet_sizes=()) -> None:
        self.calls: list[tuple[str, Any]] = []

    def reset(self, num_tables: int) -> None:
        self.calls.append(("reset", num_tables))

    def restart(self, tables: NDArray[np.int64]) -> None:
        self.calls.append(("restart", tables.tolist()))

    def act(self, observations, action_masks, rng, tables=None):
        assert len(observations) == len(action_masks) == len(tables)
        masks = action_masks.copy()
        for action in self.prefers:
            wanted = masks[:, action] > 0
            masks[wanted] = 0
            masks[wanted, action] = 1
        return masks.argmax(axis=1).astype(np.int64)


class Coward(FirstLegal):
    """Junks whenever it may."""

    prefers = (JUNK,)


class Bully(FirstLegal):
    """Makes the smallest bet if nobody has bet, and calls."""

    def act(self, observations, action_masks, rng, tables=None):
        bets = (action_masks[:, CHECK] > 0) & (action_masks[:, MIN] > 0)
        return np.where(bets, MIN, super().act(observations, action_masks, rng, tables))


class Viewer(FirstLegal):
    """Plays as ``FirstLegal`` does, but gets views."""

    wants = "views"

    def act(self, observations, action_masks, rng, tables=None):
        for view, mask in zip(observations, action_masks, strict=True):
            assert isinstance(view, GameView)
            assert view.seat == view.seat_to_act
            assert len(view.legal_moves) <= mask.sum()
        return super().act(observations, action_masks, rng, tables)


class Illegal(FirstLegal):
    """Takes an illegal action."""

    def act(self, observations, action_masks, rng, tables=None):
        return action_masks.argmin(axis=1).astype(np.int64)


class RaiseTo(FirstLegal):
    """Returns the engine's code of a raise to 40, which is not an action, if it may raise."""

    def act(self, observations, action_masks, rng, tables=None):
        return np.where(action_masks[:, MIN] > 0, RAISE_TO + 40, action_masks.argmax(axis=1))


class Historian(FirstLegal):
    """Gets views, and checks that each holds the moves before it."""

    wants = "views"

    def act(self, observations, action_masks, rng, tables=None):
        for view in observations:
            first = (view.dealer + 1) % view.num_players
            assert view.history or view.seat == first
        return super().act(observations, action_masks, rng, tables)


class Counting(FirstLegal):
    """Takes the n-th legal action at its n-th turn of a hand, counted round."""

    def reset(self, num_tables: int) -> None:
        self.turns = np.zeros(num_tables, np.int64)

    def restart(self, tables: NDArray[np.int64]) -> None:
        self.turns[tables] = 0

    def memory(self) -> NDArray[np.int64]:
        return self.turns.copy()

    def restore_memory(self, memory: NDArray[np.int64]) -> None:
        self.turns = memory.copy()

    def act(self, observations, action_masks, rng, tables=None):
        self.turns[tables] += 1
        return np.array(
            [
                legal[turn % len(legal)]
                for turn, legal in zip(
                    self.turns[tables], map(np.flatnonzero, action_masks), strict=True
                )
            ]
        )


class Undecided(FirstLegal):
    """Returns NaN as its probabilities."""

    def probabilities(self, observations, action_masks):
        return np.full(action_masks.shape, np.nan)


class Preferring:
    """Takes the first legal action of the list it is made with, else the first legal action.

    It is built without a game, and records where it acted and restarted.
    """

    def __init__(self, *prefers: int) -> None:
        self.prefers = prefers
        self.acted: set[int] = set()
        self.restarted: set[int] = set()

    def reset(self, num_tables):
        pass

    def restart(self, tables):
        self.restarted.update(tables.tolist())

    def act(self, observations, action_masks, rng, tables=None):
        self.acted.update(tables.tolist())
        scores = action_masks.astype(float)
        for rank, action in enumerate(self.prefers):
            scores[:, action] *= 100 - rank
        return scores.argmax(axis=1)


class AskedRandom(RandomAgent):
    """The random agent without its compiled policy: it is always asked."""

    compiled_policy = None  # type: ignore[assignment]
