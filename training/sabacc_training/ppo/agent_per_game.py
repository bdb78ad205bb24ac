"""An opponent for runs over several games, made of an agent for each game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sabacc_agents.loading import load

from sabacc_env import agent_calls
from sabacc_env.agent import Agent
from sabacc_env.array_types import Ints
from sabacc_env.rules import RuleSet


class AgentPerGame:
    """An agent for tables of several games: one agent of the same kind for each game.

    Args:
        spec: names the agent, as ``sabacc_agents.load`` takes it.
        games: a rule set and a number of seats each.
        bet_sizes: what the bet actions mean.
        game_of: (num_tables,) the index of the game that each table plays.
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
        """Prepare for that many tables."""
        agent_calls.reset(self._agents, num_tables)

    def restart(self, tables: Ints) -> None:
        """Begin a new hand at these tables."""
        for game, agent in enumerate(self._agents):
            agent_calls.restart([agent], tables[self._game_of[tables] == game])

    def memory(self) -> list[Any]:
        """Return the memory of the agent of each game, for ``restore_memory``."""
        return agent_calls.memories(self._agents)

    def restore_memory(self, memory: list[Any]) -> None:
        """Restore what ``memory`` returned."""
        agent_calls.restore_memories(self._agents, memory)

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
            inputs = (
                [observations[row] for row in rows]
                if isinstance(observations, list)
                else observations[rows]
            )
            agent = self._agents[game]
            actions[rows] = agent.act(inputs, action_masks[rows], rng, tables[rows])
        return actions
