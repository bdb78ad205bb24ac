"""Flattened games as games of OpenSpiel: ``sabacc_tree``, the explicit tree of any small rules.

A state is a node of the tree, so nothing is played; and isomorphic outcomes of chance are merged,
so there are fewer states than in the game ``sabacc`` of ``sabacc_env.adapters.openspiel``. Needs
the extra ``openspiel``.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, ClassVar, Final

import numpy as np
import pyspiel

from sabacc_env.actions import action_names
from sabacc_env.adapters.openspiel.game import game_info, game_type
from sabacc_env.adapters.openspiel.settings import DEFAULT_PARAMETERS, GameSettings
from sabacc_env.engine.search.game_tree import CHANCE, END
from sabacc_env.errors import IllegalMove
from sabacc_training.solved_games.game_tree import FloatArray, GameTree, flatten

NAME: Final = "sabacc_tree"

PARAMETERS: Final = DEFAULT_PARAMETERS | {"merge_isomorphic": True}


class _TreeLists:
    """A tree as plain lists, whose elements Python reads three times as fast as those of arrays.

    States hold it, and OpenSpiel copies states: a copy is the same object, and so is what was
    pickled and loaded again in one process.
    """

    def __init__(self, tree: GameTree, settings: GameSettings) -> None:
        self.tree = tree
        self.settings = settings
        self.seats: list[int] = tree.nodes.seats.tolist()
        self.first_child: list[int] = tree.nodes.first_child.tolist()
        self.first_sequence: list[int] = tree.nodes.first_sequence.tolist()
        self.returns: list[list[float]] = tree.nodes.returns.tolist()
        self.chance_probabilities: list[float] = tree.chance_probabilities.tolist()
        self.state_of_sequence: list[int] = tree.states.of_sequence.tolist()
        starts = tree.states.first_sequence[1:-1]
        self.actions: list[list[int]] = [
            actions.tolist() for actions in np.split(tree.states.actions, starts)
        ]

    def __deepcopy__(self, memo: object) -> _TreeLists:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _tree_lists, (self.settings, self.tree.root.merge_isomorphic)


_TREES: dict[tuple[GameSettings, bool], _TreeLists] = {}
"""The trees flattened so far, because OpenSpiel loads a game again by its parameters."""


def _tree_lists(settings: GameSettings, merge_isomorphic: bool) -> _TreeLists:
    """Return the tree of a game, flattened unless it was already."""
    key = settings, merge_isomorphic
    if key not in _TREES:
        tree = flatten(
            settings.rules,
            settings.num_players,
            bet_sizes=settings.bet_sizes,
            merge_isomorphic=merge_isomorphic,
        )
        _TREES[key] = _TreeLists(tree, settings)
    return _TREES[key]


def openspiel_game(tree: GameTree) -> TreeGame:
    """Return a flattened game as a game of OpenSpiel.

    ``pyspiel.convert_to_cached_tree`` copies it to C++, where OpenSpiel's solvers are some twenty
    times as fast.

    >>> from sabacc_training.solved_games import flatten, load_rung
    >>> game = openspiel_game(flatten(load_rung("one_card")))
    >>> solver = pyspiel.CFRPlusSolver(pyspiel.convert_to_cached_tree(game))
    >>> for _ in range(100):
    ...     solver.evaluate_and_update_policy()
    >>> pyspiel.nash_conv(game, solver.average_policy()) < 0.01
    True
    """
    rung = tree.rung
    settings = GameSettings.of(rung.rule_set, rung.num_players, rung.bet_sizes)
    merged = tree.root.merge_isomorphic
    if (settings, merged) not in _TREES:
        _TREES[settings, merged] = _TreeLists(tree, settings)
    game: TreeGame = pyspiel.load_game(NAME, settings.parameters() | {"merge_isomorphic": merged})
    return game


class TreeGame(pyspiel.Game):  # type: ignore[misc]
    """A flattened game. Outcomes are numbered from 0 at each chance node.

    The information state string of the player to act is the number of the information state.
    """

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        given = PARAMETERS | dict(params or {})
        settings = GameSettings.from_parameters(given)
        merged = given["merge_isomorphic"]
        self.lists = _tree_lists(settings, merged)
        tree = self.lists.tree
        widths = np.diff(tree.nodes.first_child)[tree.nodes.seats == CHANCE]
        size = game_info(
            settings,
            max_chance_outcomes=int(widths.max()),
            min_utility=float(tree.nodes.returns.min()),
            max_utility=float(tree.nodes.returns.max()),
            max_game_length=len(tree.nodes.level_starts) - 1,
        )
        own = {} if merged else {"merge_isomorphic": False}
        super().__init__(tree_game_type(settings), size, settings.parameters() | own)

    def __reduce__(self) -> tuple[Any, ...]:
        return pyspiel.load_game, (NAME, self.get_parameters())

    def new_initial_state(self) -> TreeState:
        """Return the root."""
        return TreeState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> _Observer:
        """Return an observer of information states."""
        return _Observer()


def tree_game_type(settings: GameSettings | None) -> Any:
    """Return the ``pyspiel.GameType`` of a flattened game, or of all (None)."""
    return game_type(
        settings,
        NAME,
        long_name="Corellian Spike Sabacc, flattened",
        provides_information_state_tensor=False,
        provides_observation_string=False,
        provides_observation_tensor=False,
        parameter_specification=PARAMETERS,
    )


class _Observer:
    """Observes information states as strings; there are no tensors."""

    tensor: None = None
    dict: ClassVar[dict[str, Any]] = {}

    def set_from(self, state: TreeState, player: int) -> None:
        """Do nothing: there is no tensor."""

    def string_from(self, state: TreeState, player: int) -> str:
        """Return the information state of a player."""
        return state.information_text(player)


class TreeState(pyspiel.State):  # type: ignore[misc]
    """A node of a flattened game."""

    def __init__(self, game: TreeGame) -> None:
        super().__init__(game)
        self._tree = game.lists
        self._node = 0
        self._last_sequences = (-1,) * game.num_players()

    def current_player(self) -> int:
        """Return the seat to act."""
        seat = self._tree.seats[self._node]
        if seat == CHANCE:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if seat == END else seat

    def _legal_actions(self, player: int) -> list[int]:
        return self._tree.actions[self._information_state()]

    def _information_state(self) -> int:
        """Return the number of the information state of the player to act."""
        return self._tree.state_of_sequence[self._tree.first_sequence[self._node]]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes and their probabilities."""
        sequence, first = self._tree.first_sequence[self._node], self._tree.first_child
        probabilities = self._tree.chance_probabilities
        width = first[self._node + 1] - first[self._node]
        return [(k, probabilities[sequence + k]) for k in range(width)]

    def _apply_action(self, action: int) -> None:
        seat = self._tree.seats[self._node]
        if seat >= 0:
            legal = self._legal_actions(seat)
            if action not in legal:
                raise IllegalMove(f"action {action} is not legal now; legal: {legal}")
            action = legal.index(action)
            last = list(self._last_sequences)
            last[seat] = self._tree.first_sequence[self._node] + action
            self._last_sequences = tuple(last)
        self._node = self._tree.first_child[self._node] + action

    def _action_to_string(self, player: int, action: int) -> str:
        if player < 0:
            return f"outcome {action}"
        names = action_names(self._tree.settings.bet_sizes)
        # OpenSpiel asks for the names of illegal actions too, to refuse them.
        return names[action] if 0 <= action < len(names) else f"no action {action}"

    def is_terminal(self) -> bool:
        """Return whether the hand is over."""
        return self._tree.seats[self._node] == END

    def returns(self) -> list[float]:
        """Return the returns of each seat, in antes."""
        if not self.is_terminal():
            return [0.0] * self._tree.settings.num_players
        return self._tree.returns[self._tree.first_sequence[self._node]]

    def information_text(self, player: int) -> str:
        """Return the number of the information state; of another player, its own last action."""
        if player == self._tree.seats[self._node]:
            return str(self._information_state())
        return f"after {self._last_sequences[player]}"

    def __str__(self) -> str:
        return str(self._node)


def openspiel_policy(tree: GameTree, policy: FloatArray) -> Any:
    """Return a policy, (sequences,), as a tabular policy of OpenSpiel for the game of this tree."""
    first = tree.states.first_sequence.tolist()
    actions = tree.states.actions.tolist()
    probabilities = policy.tolist()
    table = {
        str(state): list(zip(actions[begin:end], probabilities[begin:end], strict=True))
        for state, (begin, end) in enumerate(pairwise(first))
    }
    return pyspiel.TabularPolicy(table)


# A class, not a function; see ``sabacc_env.adapters.openspiel``.
pyspiel.register_game(tree_game_type(None), TreeGame)
