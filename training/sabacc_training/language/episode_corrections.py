"""Control variates of episodes in words: each hand once more, at a table that can have them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sabacc_env import agent_calls
from sabacc_env.envs.text_env import TextEnv
from sabacc_env.game.keys import hand_key
from sabacc_env.tables import Tables
from sabacc_training.language.task import TextTask
from sabacc_training.variance_reduction.control_variates import ControlVariates
from sabacc_training.variance_reduction.lookahead import NOBODY, Lookahead
from sabacc_training.variance_reduction.values import ValueFunction

AT: Final = np.zeros(1, np.int64)
"""The only table."""

SEED: Final = 0
"""Of the samples of alternative chance, which have streams of their own for the key of a hand."""


class EpisodeCorrections:
    """Adds up the corrections of the hands that end in the episodes of a table.

    Corrections have mean zero, whatever was played before. So their sum has mean zero over all
    hands that are dealt up to any that what happened before decides; hands in which a seat has no
    decision are among them.

    Args:
        env: the table.
        task: what is played there.
        values: the value function of the rules.
        specs: who has the seats that do not answer in words.

    Attributes:
        antes: (num_players,) the sum since ``clear``, in antes.
    """

    def __init__(
        self, env: TextEnv, task: TextTask, values: ValueFunction, specs: Mapping[int, str]
    ) -> None:
        self._env, self._task, self._values = env, task, values
        # Agents of its own: these are asked for probabilities where those of the table act.
        self._agents = {seat: task.load(spec) for seat, spec in specs.items()}
        self._agent_of = np.full((1, task.num_players), NOBODY)
        self._agent_of[0, list(specs)] = np.arange(len(specs))
        self._styles = np.zeros((1, task.num_players), np.int64)
        self._styles[0, list(specs)] = [values.style_of(spec) for spec in specs.values()]
        self.antes: NDArray[np.float64] = np.zeros(task.num_players)

    def clear(self) -> None:
        """Begin a sum anew."""
        self.antes[:] = 0

    def begin(self, key: int) -> None:
        """Begin the hands that ``env.reset(key)`` deals."""
        task, agents = self._task, list(self._agents.values())
        self._tables = Tables(
            task.rule_set,
            1,
            task.num_players,
            hands=task.hands,
            bet_sizes=task.bet_sizes,
            keys=lambda _, hand: hand_key(key, 0, hand),
        )
        lookahead = Lookahead(self._tables, agents, self._agent_of)
        self._variates = ControlVariates(
            self._tables, SEED, self._values, styles=self._styles, lookahead=lookahead
        )
        agent_calls.begin(agents, self._tables)
        self._played = 0

    def follow(self) -> None:
        """Play what has been played since, and add the corrections of the hands that end."""
        for action in self._env.actions[self._played :]:
            chosen = np.array([action])
            self._variates.before_step(AT, chosen, self._probabilities())
            self._tables.step(chosen)
            if len(self._variates.after_step(AT)):
                self.antes += self._variates.corrections[0] / self._task.rule_set.ante_unit
                agent_calls.restart(self._agents.values(), AT)
        self._played = len(self._env.actions)

    def _probabilities(self) -> NDArray[np.float64]:
        """Return those of the agent to act, a row of NaN where none are told."""
        agent = self._agents.get(int(self._tables.seats_to_act[0]))
        told = None if agent is None else agent_calls.probabilities_at(agent, self._tables, AT)
        return np.full(self._tables.action_masks.shape, np.nan) if told is None else told
