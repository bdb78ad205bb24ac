"""One step of look-ahead: what agents would do next, in place of what a value function expects.

The value of a hand whose pot is large, at a bet, becomes the mean value of what may follow, by the
probabilities of the agent that is to act there. Few hands have large pots, and most of the
variance; and whether a bet is called is what value functions know least. A value is still one
number for each hand, so corrections keep their mean of zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sabacc_env import agent_calls
from sabacc_env.agent import Agent
from sabacc_env.array_types import Ints
from sabacc_env.engine.drivers.batch import Games
from sabacc_env.engine.drivers.results import write_mask
from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import BETTING, Array
from sabacc_env.engine.legal import legal_actions
from sabacc_env.engine.observation.blocks import OBSERVATION_DTYPE, OBSERVATION_SIZE
from sabacc_env.engine.observation.write import observe
from sabacc_env.tables import Tables
from sabacc_training.variance_reduction.successors import Frontier

LARGE_POT: Final = 6
"""Antes in a pot from which on hands are looked ahead, unless said otherwise."""

NOBODY: Final = -1
"""Stands for the index of an agent in a seat that cannot be asked."""


class Lookahead:
    """Asks the agents at tables what they would do in hands that wait for their values.

    An agent that wants views, or does not tell its probabilities, is not asked.

    Args:
        tables: the tables, on the CPU, all with one rule set.
        agents: the agents.
        agent_of: (num_tables, num_players) the index of the agent in each seat, or ``NOBODY``.
        least_pot: hands with so many antes or more in the pot are looked ahead.
    """

    def __init__(
        self,
        tables: Tables,
        agents: Sequence[Agent],
        agent_of: Ints,
        least_pot: float = LARGE_POT,
    ) -> None:
        self._tables, self._agents, self._agent_of = tables, agents, agent_of
        self._asked = np.array([*map(_tells, agents), False])  # the last one is nobody
        self._least = least_pot * tables.rules.ante_unit

    def chosen(self, frontier: Frontier) -> NDArray[np.bool_]:
        """Say of each hand that waits whether it is looked ahead."""
        count = int(frontier.counters[0])
        games = frontier.games[:count]
        agents = self._agent_of[frontier.tables[:count], games["seat_to_act"]]
        large = games["staked"] >= self._least
        return np.asarray(large & (games["phase"] == BETTING) & self._asked[agents])

    def probabilities(self, frontier: Frontier, chosen: Ints) -> NDArray[np.float64]:
        """Return those of the agents that are to act in these hands, (n, num_actions)."""
        games = self._tables.games
        floats = np.zeros((len(chosen), OBSERVATION_SIZE), np.float32)
        masks = np.zeros((len(chosen), self._tables.action_masks.shape[1]), np.int8)
        write_turns(games, frontier, chosen, floats.view(OBSERVATION_DTYPE)[:, 0], masks)
        found = np.zeros(masks.shape)
        seats = frontier.games["seat_to_act"][chosen]
        agents = self._agent_of[frontier.tables[chosen], seats]
        for index in np.unique(agents):
            rows = agents == index
            told = agent_calls.probabilities(self._agents[index], floats[rows], masks[rows])
            assert told is not None
            found[rows] = told
        return found


def _tells(agent: Agent) -> bool:
    """Say whether an agent tells its probabilities for observations alone."""
    return not agent_calls.wants_views(agent) and getattr(agent, "probabilities", None) is not None


@jit
def write_turns(
    games: Games, frontier: Frontier, chosen: Array, observations: Array, masks: Array
) -> None:
    """Write what the seats to act see in these hands, and their legal actions."""
    for row in range(len(chosen)):
        index = int(chosen[row])
        g = frontier.games[index]
        r = games.rules[games.rule_of[int(frontier.tables[index])]]
        observe(g, r, int(g.seat_to_act), observations[row])
        write_mask(legal_actions(g, r, games.bet_sizes[0]), masks[row])
