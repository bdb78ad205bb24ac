"""A flattened game as a Python game of OpenSpiel, for its solvers and ours to be compared.

Needs the extra ``openspiel``.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pyspiel

from sabacc_env.engine.search.game_tree import CHANCE, END
from sabacc_training.solved_games.game_tree import Floats, GameTree


class _Lists:
    """A tree as plain lists: an element of an array takes three times as long to get."""

    def __init__(self, tree: GameTree) -> None:
        self.tree = tree
        self.seats: list[int] = tree.nodes.seats.tolist()
        self.first: list[int] = tree.nodes.first.tolist()
        self.choices: list[int] = tree.nodes.choices.tolist()
        self.payoffs: list[list[float]] = tree.nodes.payoffs.tolist()
        self.chances: list[float] = tree.chances.tolist()
        self.state_of: list[int] = tree.states.of_choice.tolist()


_REGISTERED: dict[str, _Lists] = {}
"""By the names of the games. OpenSpiel copies games and states, so that they hold names alone."""


def openspiel_game(tree: GameTree) -> TreeGame:
    """Return a flattened game as one of OpenSpiel, registered there as ``sabacc_`` + its name.

    OpenSpiel copies a game by making it again under its name: another tree of the same name takes
    the place of this one.
    """
    name = f"sabacc_{tree.rung.name}"
    known = name in _REGISTERED
    _REGISTERED[name] = _Lists(tree)
    game = TreeGame(name)
    if not known:
        pyspiel.register_game(game.get_type(), lambda _=None: TreeGame(name))
    return game


class TreeGame(pyspiel.Game):  # type: ignore[misc]
    """A flattened game: actions and outcomes are numbered from 0 at each node.

    An information state is the text of its number.
    """

    def __init__(self, name: str) -> None:
        tree = _REGISTERED[name].tree
        kind = pyspiel.GameType(
            short_name=name,
            long_name=name,
            dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
            chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
            information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
            utility=pyspiel.GameType.Utility.ZERO_SUM,
            reward_model=pyspiel.GameType.RewardModel.TERMINAL,
            max_num_players=tree.num_players,
            min_num_players=tree.num_players,
            provides_information_state_string=True,
            provides_information_state_tensor=False,
            provides_observation_string=False,
            provides_observation_tensor=False,
        )
        widths = np.diff(tree.nodes.first)
        size = pyspiel.GameInfo(
            num_distinct_actions=int(widths[tree.nodes.seats >= 0].max()),
            max_chance_outcomes=int(widths[tree.nodes.seats == CHANCE].max()),
            num_players=tree.num_players,
            min_utility=float(tree.nodes.payoffs.min()),
            max_utility=float(tree.nodes.payoffs.max()),
            utility_sum=0.0,
            max_game_length=len(tree.nodes.levels) - 1,
        )
        super().__init__(kind, size, {})

    def new_initial_state(self) -> TreeState:
        """Return the root."""
        return TreeState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> _Observer:
        """Return what shows information states."""
        return _Observer()


class _Observer:
    """Shows the information state as its text: there are no tensors."""

    tensor: None = None
    dict: ClassVar[dict[str, Any]] = {}

    def set_from(self, state: TreeState, player: int) -> None:
        """Show nothing."""

    def string_from(self, state: TreeState, player: int) -> str:
        """Return the information state of the seat to act."""
        return state.information_state_string(player)


class TreeState(pyspiel.State):  # type: ignore[misc]
    """A node of a flattened game."""

    def __init__(self, game: TreeGame) -> None:
        super().__init__(game)
        self._name: str = game.get_type().short_name
        self._node = 0

    @property
    def _tree(self) -> _Lists:
        return _REGISTERED[self._name]

    def current_player(self) -> int:
        """Return the seat to act."""
        seat = self._tree.seats[self._node]
        if seat == CHANCE:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if seat == END else seat

    def _legal_actions(self, player: int) -> list[int]:
        first = self._tree.first
        return list(range(first[self._node + 1] - first[self._node]))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes and their chances."""
        choice = self._tree.choices[self._node]
        return [(k, self._tree.chances[choice + k]) for k in self._legal_actions(-1)]

    def _apply_action(self, action: int) -> None:
        self._node = self._tree.first[self._node] + action

    def _action_to_string(self, player: int, action: int) -> str:
        return str(action)

    def is_terminal(self) -> bool:
        """Say whether the hand is over."""
        return self._tree.seats[self._node] == END

    def returns(self) -> list[float]:
        """Return what each seat won, in antes."""
        if not self.is_terminal():
            return [0.0] * len(self._tree.payoffs[0])
        return self._tree.payoffs[self._tree.choices[self._node]]

    def information_state_string(self, player: int = -1) -> str:
        """Return the number of the information state."""
        return str(self._tree.state_of[self._tree.choices[self._node]])

    def __str__(self) -> str:
        return str(self._node)


def tabular(tree: GameTree, strategy: Floats) -> Any:
    """Return a strategy, (choices,), as a policy of OpenSpiel for the game of this tree."""
    first = tree.states.first.tolist()
    table = {
        str(state): list(enumerate(strategy[first[state] : first[state + 1]].tolist()))
        for state in range(len(tree.states.seats))
    }
    return pyspiel.TabularPolicy(table)
