"""A flattened game as a Python game of OpenSpiel, to compare its solvers with ours.

Needs the extra ``openspiel``.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pyspiel

from sabacc_env.engine.search.game_tree import CHANCE, END
from sabacc_training.solved_games.game_tree import FloatArray, GameTree


class _TreeLists:
    """A tree as plain lists, whose elements Python reads three times as fast as those of arrays."""

    def __init__(self, tree: GameTree) -> None:
        self.tree = tree
        self.seats: list[int] = tree.nodes.seats.tolist()
        self.first_child: list[int] = tree.nodes.first_child.tolist()
        self.first_sequence: list[int] = tree.nodes.first_sequence.tolist()
        self.returns: list[list[float]] = tree.nodes.returns.tolist()
        self.chance_probabilities: list[float] = tree.chance_probabilities.tolist()
        self.state_of_sequence: list[int] = tree.states.of_sequence.tolist()


_REGISTERED: dict[str, _TreeLists] = {}
"""The trees by game names. OpenSpiel copies games and states, which therefore hold only a name."""


def openspiel_game(tree: GameTree) -> TreeGame:
    """Return a flattened game as a game of OpenSpiel, registered there as ``sabacc_`` + its name.

    OpenSpiel copies a game by loading it again by name, so a later tree of the same name replaces
    this one.
    """
    name = f"sabacc_{tree.rung.name}"
    known = name in _REGISTERED
    _REGISTERED[name] = _TreeLists(tree)
    # A class, not a function: OpenSpiel drops what is registered after the interpreter has ended,
    # and to free a function then aborts.
    kind = type("NamedTreeGame", (TreeGame,), {"short_name": name})
    game: TreeGame = kind()
    if not known:
        pyspiel.register_game(game.get_type(), kind)
    return game


class TreeGame(pyspiel.Game):  # type: ignore[misc]
    """A flattened game: actions and outcomes are numbered from 0 at each node.

    An information state string is the number of the information state.
    """

    short_name: ClassVar[str]

    def __init__(self, params: Any = None) -> None:
        name = self.short_name
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
        widths = np.diff(tree.nodes.first_child)
        size = pyspiel.GameInfo(
            num_distinct_actions=int(widths[tree.nodes.seats >= 0].max()),
            max_chance_outcomes=int(widths[tree.nodes.seats == CHANCE].max()),
            num_players=tree.num_players,
            min_utility=float(tree.nodes.returns.min()),
            max_utility=float(tree.nodes.returns.max()),
            utility_sum=0.0,
            max_game_length=len(tree.nodes.level_starts) - 1,
        )
        super().__init__(kind, size, {})

    def new_initial_state(self) -> TreeState:
        """Return the root."""
        return TreeState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> _Observer:
        """Return an observer of information states."""
        return _Observer()


class _Observer:
    """Observes information states as strings; there are no tensors."""

    tensor: None = None
    dict: ClassVar[dict[str, Any]] = {}

    def set_from(self, state: TreeState, player: int) -> None:
        """Do nothing: there is no tensor."""

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
    def _tree(self) -> _TreeLists:
        return _REGISTERED[self._name]

    def current_player(self) -> int:
        """Return the seat to act."""
        seat = self._tree.seats[self._node]
        if seat == CHANCE:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if seat == END else seat

    def _legal_actions(self, player: int) -> list[int]:
        first = self._tree.first_child
        return list(range(first[self._node + 1] - first[self._node]))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes and their probabilities."""
        sequence = self._tree.first_sequence[self._node]
        probabilities = self._tree.chance_probabilities
        return [(k, probabilities[sequence + k]) for k in self._legal_actions(-1)]

    def _apply_action(self, action: int) -> None:
        self._node = self._tree.first_child[self._node] + action

    def _action_to_string(self, player: int, action: int) -> str:
        return str(action)

    def is_terminal(self) -> bool:
        """Return whether the hand is over."""
        return self._tree.seats[self._node] == END

    def returns(self) -> list[float]:
        """Return the returns of each seat, in antes."""
        if not self.is_terminal():
            return [0.0] * len(self._tree.returns[0])
        return self._tree.returns[self._tree.first_sequence[self._node]]

    def information_state_string(self, player: int = -1) -> str:
        """Return the number of the information state."""
        return str(self._tree.state_of_sequence[self._tree.first_sequence[self._node]])

    def __str__(self) -> str:
        return str(self._node)


def openspiel_policy(tree: GameTree, policy: FloatArray) -> Any:
    """Return a policy, (sequences,), as a tabular policy of OpenSpiel for the game of this tree."""
    first = tree.states.first_sequence.tolist()
    table = {
        str(state): list(enumerate(policy[first[state] : first[state + 1]].tolist()))
        for state in range(len(tree.states.seats))
    }
    return pyspiel.TabularPolicy(table)
