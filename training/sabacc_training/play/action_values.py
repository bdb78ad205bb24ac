"""What each action is worth to a seat when everyone plays on as one strong agent would."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from sabacc_agents.search.agent import Rollouts

from sabacc_env import agent_calls
from sabacc_env.actions import BetSize
from sabacc_env.agent import Agent
from sabacc_env.array_types import Ints
from sabacc_env.game.view import GameView
from sabacc_env.tables import Tables

SAMPLES: Final = 512
"""In how many hands each action is played."""


class ActionValues:
    """Estimates the net credits of a hand after each action, from what a seat may know.

    Hands are drawn that fit what the seat has seen, by the weights of ``Rollouts``. In each of them
    every action is played, with the same dice and draw pile, and then the agent plays all seats.

    Args:
        agent: the agent.
        view: any view of the game, for its rules and its number of seats.
        bet_sizes: what the bet actions mean.
    """

    def __init__(self, agent: Agent, view: GameView, bet_sizes: Sequence[BetSize]) -> None:
        self._agent = agent
        self._bet_sizes = bet_sizes
        self._search = Rollouts(view.rules, view.num_players, bet_sizes)

    def of(self, view: GameView, actions: Ints, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return the net credits after each of some legal actions in each hand, (SAMPLES, n).

        Args:
            view: the view of the seat to act, with its history.
            actions: (n,) legal actions.
            rng: the only source of chance.
        """
        games = self._search.sample_games(view, SAMPLES, rng.integers(2**32, size=3))
        for name in ("key_low", "key_high"):
            games[name] = rng.integers(2**32, size=SAMPLES)
        games["deck_state"] = rng.integers(2**62, size=SAMPLES)
        tables = Tables(
            view.rules, SAMPLES * len(actions), view.num_players, bet_sizes=self._bet_sizes, seed=0
        )
        tables.records[:] = np.repeat(games, len(actions))
        everywhere = np.arange(tables.num_tables)
        tables.clone_from(tables, everywhere, everywhere)  # so that seats observe these hands
        agent_calls.reset([self._agent], tables.num_tables)
        self._play_out(tables, np.tile(actions, SAMPLES), rng)
        net: NDArray[np.int64] = tables.final_records["net_credits"][:, view.seat]
        return net.reshape(SAMPLES, len(actions)).astype(np.float64)

    def _play_out(self, tables: Tables, actions: Ints, rng: np.random.Generator) -> None:
        """Play the first actions, then on by the agent to the end of each hand."""
        playing = np.arange(tables.num_tables)
        while len(playing):
            tables.step(actions, playing)
            playing = playing[~tables.finished[playing]]
            if len(playing):
                actions = agent_calls.actions_at(self._agent, tables, playing, rng)
