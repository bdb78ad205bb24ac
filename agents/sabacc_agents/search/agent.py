"""Rollouts: each legal action tried in many worlds, the best mean taken."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from sabacc_agents.array_types import Ints
from sabacc_agents.search.heuristic import heuristic
from sabacc_agents.search.public_history import information_state_of
from sabacc_env.actions import DEFAULT_BET_SIZES, BetSize, encode_bet_sizes
from sabacc_env.engine.drivers.policy_loop import function_pointer
from sabacc_env.engine.layout import GAME_DTYPE, MAX_ACTIONS, NUM_CARDS
from sabacc_env.engine.observation.blocks import OBSERVATION_DTYPE
from sabacc_env.engine.search.determinization import InformationState, Workspace
from sabacc_env.engine.search.rollouts import (
    STOCHASTIC_POLICY_SIGNATURE,
    StochasticPolicy,
    play_rollouts,
    sample_determinizations,
)
from sabacc_env.errors import SabaccError
from sabacc_env.game.view import GameView
from sabacc_env.rules import RuleSet

ROLLOUTS: Final = 2000
"""Hands played to their end for a decision."""
CANDIDATES: Final = 1024
"""Worlds weighed for a decision."""
MIXED: Final = 0.3
"""How much of the model's chances is spread evenly. Of 0.1, 0.3 and 0.6, all of which gained much
the same from the base and from scripted agents, 0.1 lost to the search without weights."""


def make_workspace() -> Workspace:
    """Return where worlds can be worked out."""
    return Workspace(
        game=np.zeros(1, GAME_DTYPE),
        rows=np.zeros(1, OBSERVATION_DTYPE),
        probabilities=np.zeros(MAX_ACTIONS),
        card_of_token=np.zeros(64, np.int64),
        token_of_card=np.zeros(64, np.int64),
        order=np.zeros(NUM_CARDS, np.int64),
        pinned=np.zeros(1, np.int64),
        random_state=np.zeros(2, np.int64),
    )


class Rollouts:
    """Improves on a base policy by one step of search.

    At each decision it draws worlds that fit all that it has seen, each with a weight: how likely
    the opponents' moves so far are in it, by a model of them. Every legal action is played in the
    same worlds to the end of the hand, all seats by the base policy, with the same deck, dice and
    random words; the action with the best mean of net credits is chosen. The Sabacc pot counts as
    far as it is won or lost in this hand.

    Args:
        rules: the rules that it will play.
        num_players: seats at the table.
        bet_sizes: what the bet actions mean.
        rollouts: hands played to their end for a decision, about.
        worlds: how many worlds are weighed; those to be played are drawn from these.
        base: what all seats play in rollouts.
        model: what the opponents are taken to have played so far.
        mixed: how much of the model's chances is spread evenly over the legal actions, so that no
            world is ruled out by a move that the model would never make. 1 is the search without
            weights.
    """

    wants = "views"
    mixed: ClassVar[float] = MIXED

    def __init__(
        self,
        rules: RuleSet,
        num_players: int,
        bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
        *,
        rollouts: int = ROLLOUTS,
        worlds: int = CANDIDATES,
        base: StochasticPolicy = heuristic,
        model: StochasticPolicy = heuristic,
        mixed: float | None = None,
    ) -> None:
        self._sizes = encode_bet_sizes(bet_sizes)
        self._rollouts = rollouts
        self._base = function_pointer(base, STOCHASTIC_POLICY_SIGNATURE)
        self._model = function_pointer(model, STOCHASTIC_POLICY_SIGNATURE)
        self._mixed = self.mixed if mixed is None else mixed
        self._workspace = make_workspace()
        self._worlds = np.zeros(worlds, GAME_DTYPE)
        self._weights = np.zeros(worlds)

    def reset(self, num_tables: int) -> None:
        """Remember nothing: a view has its history."""

    def act(
        self,
        observations: list[GameView],
        action_masks: NDArray[np.int8],
        rng: np.random.Generator,
        tables: Ints | None = None,
    ) -> Ints:
        """Choose a legal action for each view.

        Raises:
            SabaccError: for a view whose history is not whole.
        """
        pairs = zip(observations, action_masks, strict=True)
        return np.array([self._choose(view, mask, rng) for view, mask in pairs], dtype=np.int64)

    def _choose(self, view: GameView, mask: NDArray[np.int8], rng: np.random.Generator) -> int:
        actions = np.flatnonzero(mask)
        # Drawn even where there is no choice, so that chance goes on alike.
        words = rng.integers(2**32, size=4)
        if len(actions) == 1:
            return int(actions[0])
        means = self.worth(view, actions, words)
        return int(actions[means.argmax()])

    def worth(self, view: GameView, actions: Ints, words: Ints) -> NDArray[np.float64]:
        """Return the mean net credits after each of some legal actions, (n,).

        Args:
            view: of the seat to act.
            actions: (n,) legal actions of the discrete layout.
            words: (4,) random words of 32 bits, all the chance that is used.
        """
        info_state = information_state_of(view, self._sizes)
        worlds, weights = self.worlds(info_state, int(words[0]), int(words[1]))
        chosen = resampled(weights, max(self._rollouts // len(actions), 1), words[2] / 2**32)
        net = np.zeros((len(chosen), MAX_ACTIONS), np.int64)
        legal = int((1 << actions).sum())
        stream = int(words[2]), int(words[3])
        play_rollouts(info_state, self._workspace, self._base, *stream, worlds, chosen, legal, net)
        means: NDArray[np.float64] = net[:, actions].mean(axis=0)
        return means

    def worlds(
        self, info_state: InformationState, low: int, high: int
    ) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Return worlds that fit, and their weights, which add up to 1.

        Raises:
            SabaccError: for moves that do not lead to what is seen.
        """
        found = sample_determinizations(
            info_state,
            self._workspace,
            self._model,
            self._mixed,
            low,
            high,
            self._worlds,
            self._weights,
        )
        if found == 0:
            raise SabaccError("view: its history does not lead to the state that it shows")
        logs = self._weights[:found]
        weights = np.exp(logs - logs.max())
        return self._worlds[:found], weights / weights.sum()


class UnweightedRollouts(Rollouts):
    """The same search with all worlds alike: what the opponents did tells it nothing."""

    mixed = 1.0


def resampled(weights: NDArray[np.float64], count: int, start: float) -> Ints:
    """Return so many indices, each as often as its weight has it, one more or less.

    ``start`` from 0 to 1 decides which of them have one more.

    >>> resampled(np.array([0.5, 0.25, 0.25]), 4, 0.5)
    array([0, 0, 1, 2])
    """
    at = (np.arange(count) + start) / count
    found = np.searchsorted(np.cumsum(weights), at * weights.sum(), side="right")
    return np.asarray(np.minimum(found, len(weights) - 1), dtype=np.int64)
