"""The agent that plays a blueprint, and solves the last betting phase again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from sabacc_agents.blueprint.agent import BlueprintAgent
from sabacc_agents.blueprint.blueprint import Blueprint
from sabacc_agents.resolving.last_phase import DEFAULT_RANGES, LastPhase, RangeSettings
from sabacc_agents.resolving.saved import load_resolving
from sabacc_env.actions import DEFAULT_BET_SIZES, BetSize
from sabacc_env.agent import sample
from sabacc_env.array_types import Floats, Ints
from sabacc_env.engine.observation.blocks import OBSERVATION_DTYPE, OBSERVATION_SIZE
from sabacc_env.engine.observation.write import observe
from sabacc_env.engine.rules_record import rules_record
from sabacc_env.game.view import GameView
from sabacc_env.observation import decode
from sabacc_env.rules import RuleSet, load_rules
from sabacc_env.tables.turn_views import TurnViews

ITERATIONS: Final = 200
"""The iterations of CFR for a betting phase, which take some milliseconds."""


class ResolvingAgent:
    """Plays a blueprint, and solves the last betting phase again when it comes to it.

    There hands do not change any more, and each seat's moves have told much of its hand: the cards
    that it took and put down are public. The blueprint does not count on that. This agent draws
    both ranges from the public moves, as if both seats had played the blueprint, and solves the
    phase for them (unsafe subgame solving, Brown and Sandholm 2017). So it bluffs and calls as its
    own range demands. An opponent that plays otherwise than the blueprint may have another range.

    Args:
        rules: the rules that it will play, which must be some of the blueprint's. None stands for
            those that it was solved for.
        num_players: 2.
        bet_sizes: what the bet actions mean, as in the blueprint.
        blueprint: the path of a blueprint, or a blueprint in memory.
        iterations: the iterations of CFR for a betting phase.
        ranges: how ranges are drawn.

    Raises:
        SabaccError: for a blueprint of another game, a file that is not a blueprint, or rules where
            hands change after the last bets.
    """

    wants = "views"

    @classmethod
    def load(
        cls,
        path: str | Path,
        rules: str | Path | RuleSet | None = None,
        num_players: int | None = None,
        bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
    ) -> Self:
        """Make the agent of a file (``saved``).

        Raises:
            SabaccError: for another game than that of its blueprint, or a file that cannot be read.
        """
        resolving, blueprint = load_resolving(path)
        return cls(
            rules,
            num_players,
            bet_sizes,
            blueprint=blueprint,
            iterations=resolving.iterations,
            ranges=resolving.ranges,
        )

    def __init__(
        self,
        rules: str | Path | RuleSet | None = None,
        num_players: int | None = None,
        bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
        *,
        blueprint: str | Path | Blueprint,
        iterations: int = ITERATIONS,
        ranges: RangeSettings = DEFAULT_RANGES,
    ) -> None:
        self.blueprint = BlueprintAgent(rules, num_players, bet_sizes, blueprint=blueprint)
        self.check_game = self.blueprint.check_game
        played = self.blueprint.blueprint.rules if rules is None else load_rules(rules)
        self._last_phase = LastPhase(self.blueprint, played, bet_sizes, iterations, ranges)
        self._rules_record, self._rounds = rules_record(played), played.rounds

    def reset(self, num_tables: int) -> None:
        """Do nothing: a view has its history."""

    def act(
        self,
        observations: Sequence[GameView],
        action_masks: NDArray[np.int8],
        rng: np.random.Generator,
        tables: Ints | None = None,
    ) -> Ints:
        """Draw a legal action for each view."""
        return sample(self.probabilities(observations, action_masks), rng)

    def probabilities(
        self, observations: Sequence[GameView], action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """Return the distributions that it draws from, (n, num_actions).

        Raises:
            SabaccError: for a view whose history is incomplete.
        """
        if isinstance(observations, TurnViews):
            rows = observations.rows
        else:
            rows = self._rows(observations)
        decoded = decode(rows)
        is_last = decoded.is_betting & (decoded.round == self._rounds)
        found = np.zeros(action_masks.shape)
        found[~is_last] = self.blueprint.probabilities(rows[~is_last], action_masks[~is_last])
        for i in np.flatnonzero(is_last).tolist():
            own = rows[i : i + 1]
            found[i] = self.hand_probabilities(observations[i], own, action_masks[i])[0]
        return found

    def hand_probabilities(
        self, view: GameView, observations: Floats, action_mask: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """Return the distributions with each of many hands where all else is as in a view.

        Args:
            view: the view. Its hand is not read.
            observations: (n, OBSERVATION_SIZE) float32, with the hands.
            action_mask: (num_actions,) int8.

        Returns:
            (n, num_actions).
        """
        strategy = self._last_phase.strategy(view) if self._last_phase.is_at(view) else None
        if strategy is None:
            action_masks = np.broadcast_to(action_mask, (len(observations), len(action_mask)))
            return self.blueprint.probabilities(observations, action_masks)
        ranks = self._last_phase.ranks[self.blueprint.hands_of(observations)]
        policy = strategy.policy[:, strategy.class_of[ranks]]
        found = np.zeros((len(observations), len(action_mask)))
        found[:, strategy.actions] = policy.T
        found *= action_mask
        return np.asarray(found / found.sum(axis=1, keepdims=True))

    def _rows(self, views: Sequence[GameView]) -> Floats:
        """Return what the seats of some views observe, (n, OBSERVATION_SIZE)."""
        floats = np.zeros((len(views), OBSERVATION_SIZE), np.float32)
        rows = floats.view(OBSERVATION_DTYPE).reshape(len(views))
        for row, view in zip(rows, views, strict=True):
            _, found = self._last_phase.determinization(view)
            observe(found[0], self._rules_record[0], view.seat, row)
        return floats
