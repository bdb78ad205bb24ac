"""Who plays the seats beside the learner's, where not all of them are the policy as it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sabacc_agents.loading import load

from sabacc_env import agent_calls
from sabacc_env.agent import Agent
from sabacc_env.envs.opponents import Opponents
from sabacc_env.rules import RuleSet
from sabacc_env.tables import Tables
from sabacc_training.ppo.config import PPOConfig
from sabacc_training.runs.opponent_pool import Pool

Ints = NDArray[np.int64]

CURRENT = 0
"""The place of the policy as it is in the pool."""


class Cast:
    """Draws at every hand who plays: one seat is always the learner's, all others one member's.

    All others, for that is how margins are measured. With as many scripted agents spread over all
    tables, a learner at eight seats plays among copies of itself and hardly ever meets seven of
    another kind: at spacers it ended 13.7 antes a hand behind the maximiser, and so 4.5 ahead.

    Args:
        pool: who there is, and how often each is drawn.
        tables: where they play.
        rng: decides every draw.
    """

    def __init__(self, config: PPOConfig, pool: Pool, tables: Tables) -> None:
        self._tables = tables
        self._opponents = Opponents(
            config.rule_set,
            tables.num_tables,
            tables.num_players,
            config.bet_sizes,
            pool.agents,
            pool.weights,
        )
        self._opponents.begin(tables)

    @property
    def members(self) -> Ints:
        """(num_tables, num_players) who plays each seat, by the place in the pool."""
        return self._opponents.members

    def choose(self, pool: Pool) -> None:
        """Draw from the pool as it is now, from the next hands on."""
        self._opponents.choose(pool.agents, pool.weights)

    def state(self) -> dict[str, Any]:
        """Return who plays where, and what they remember of it, for ``restore``."""
        return {"members": self.members, "remembered": self._opponents.remembered()}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a ``state``."""
        self.members[:] = state["members"]
        self._opponents.recall(state["remembered"])

    def draw(self, which: Ints, rng: np.random.Generator) -> None:
        """Draw who plays at these tables, where a hand begins."""
        self._opponents.draw(which, rng)
        players = self._tables.players[which]
        heroes = (rng.random(len(which)) * players).astype(np.int64)
        self.members[which] = self.members[which, (heroes + 1) % players, None]
        self.members[which, heroes] = CURRENT
        self._opponents.restart(which)

    def learners(self) -> Ints:
        """Return the tables where the learner is to act."""
        seats = self._tables.seats_to_act
        return np.flatnonzero(self.members[np.arange(len(seats)), seats] == CURRENT)

    def play(self, rng: np.random.Generator) -> tuple[Ints, Ints]:
        """Return the tables where the others are to act, and what they play there."""
        seats = self._tables.seats_to_act
        others = np.flatnonzero(self.members[np.arange(len(seats)), seats] != CURRENT)
        if not len(others):
            return others, others
        return others, self._opponents.actions(self._tables, others, rng)


class ForEachGame:
    """An agent for tables of several games: one of the same kind for each.

    Args:
        spec: which agent, as ``sabacc_agents.load`` takes it.
        games: rules and seats.
        bet_sizes: what the bet actions mean.
        game_of: (num_tables,) which of the games each table plays.
    """

    def __init__(
        self,
        spec: str,
        games: Sequence[tuple[RuleSet, int]],
        bet_sizes: Sequence[str | int | float],
        game_of: Ints,
    ) -> None:
        self._agents: list[Agent] = [
            load(spec, rules, players, bet_sizes) for rules, players in games
        ]
        self._game_of = game_of
        self.wants = getattr(self._agents[0], "wants", "observations")

    def reset(self, num_tables: int) -> None:
        """Start that many tables."""
        agent_calls.reset(self._agents, num_tables)

    def restart(self, tables: Ints) -> None:
        """Begin a new hand at these tables."""
        for game, agent in enumerate(self._agents):
            agent_calls.restart([agent], tables[self._game_of[tables] == game])

    def remembered(self) -> list[Any]:
        """Return what the agent of each game remembers of the hands in play."""
        return agent_calls.remembered(self._agents)

    def recall(self, remembered: list[Any]) -> None:
        """Go on from what they ``remembered``."""
        agent_calls.recall(self._agents, remembered)

    def act(
        self,
        observations: NDArray[np.float32] | list[object],
        action_masks: NDArray[np.int8],
        rng: np.random.Generator,
        tables: Ints | None = None,
    ) -> Ints:
        """Choose a legal action for each row."""
        assert tables is not None
        games = self._game_of[tables]
        actions = np.zeros(len(tables), np.int64)
        for game in np.unique(games):
            rows = np.flatnonzero(games == game)
            seen = (
                [observations[row] for row in rows]
                if isinstance(observations, list)
                else observations[rows]
            )
            agent = self._agents[game]
            actions[rows] = agent.act(seen, action_masks[rows], rng, tables[rows])
        return actions
