"""A solved policy: a distribution over actions for each information state of a small game.

``sabacc solve`` writes the file (``saved_files``). Its arrays are ``keys`` (m,), the hashes of the
information states in rising order; ``first`` (m + 1,), the index of the first action of each state;
``actions`` and ``probabilities``, those of one state after another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sabacc_agents.saved_files import (
    bet_sizes_as_json,
    check_made_for,
    read_arrays,
    read_description,
    write_arrays,
)
from sabacc_env.actions import (
    DEFAULT_BET_SIZES,
    BetSize,
    encode_bet_sizes,
    num_actions,
)
from sabacc_env.agent import sample
from sabacc_env.arguments import check_bool, check_num_players
from sabacc_env.engine.observation.blocks import OBSERVATION_DTYPE
from sabacc_env.engine.search.game_tree import update_info_states
from sabacc_env.errors import SabaccError, short_repr
from sabacc_env.rules import RuleSet

FORMAT: Final = "sabacc-policy"
VERSION: Final = 2
UNCHECKED_VERSION: Final = 1

ARRAYS: Final = {
    "keys": np.dtype(np.int64),
    "first": np.dtype(np.int32),
    "actions": np.dtype(np.int8),
    "probabilities": np.dtype(np.float64),
}


@dataclass(frozen=True)
class TabularPolicy:
    """A tabular policy, and the game that it was solved for.

    Attributes:
        rules: the rules of the game.
        num_players: the number of seats.
        bet_sizes: what the bet actions mean.
        suits_isomorphic: whether the hashes of information states leave the suits out.
        arrays: the arrays of the file.
        metadata: plain data about the solution: iterations, NashConv, values and the like.
    """

    rules: RuleSet
    num_players: int
    bet_sizes: Sequence[BetSize]
    suits_isomorphic: bool
    arrays: Mapping[str, NDArray[Any]]
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_num_players(self.rules, self.num_players)
        encode_bet_sizes(self.bet_sizes)  # refuses invalid bet sizes
        check_bool("suits_isomorphic", self.suits_isomorphic)
        if not isinstance(self.metadata, Mapping):
            raise SabaccError(f"metadata: {short_repr(self.metadata)} is not a mapping")


def save_policy(path: str | Path, policy: TabularPolicy) -> None:
    """Write a solved policy to a file that ends in ``.safetensors``."""
    description = {
        "rules": policy.rules.canonical(),
        "num_players": policy.num_players,
        "bet_sizes": bet_sizes_as_json(policy.bet_sizes),
        "suits_alike": policy.suits_isomorphic,
        "solved": dict(policy.metadata),
    }
    write_arrays(path, policy.arrays, FORMAT, VERSION, description)


def load_policy(path: str | Path) -> TabularPolicy:
    """Read a solved policy.

    Raises:
        SabaccError: for a file that cannot be read, or is not a solved policy of this version.
    """
    description = read_description(
        path, FORMAT, VERSION, "solved policy", unchecked_version=UNCHECKED_VERSION
    )
    arrays = read_arrays(path)
    try:
        policy = TabularPolicy(
            rules=RuleSet.from_canonical(description["rules"]),
            num_players=description["num_players"],
            bet_sizes=tuple(description["bet_sizes"]),
            suits_isomorphic=description["suits_alike"],
            arrays=arrays,
            metadata=description["solved"],
        )
    except (KeyError, TypeError, SabaccError) as error:
        raise SabaccError(f"{path}: its description is damaged ({error})") from None
    if not _is_policy(arrays, num_actions(policy.bet_sizes)):
        raise SabaccError(f"{path}: its arrays are not those of a solved policy")
    return policy


def _is_policy(arrays: Mapping[str, NDArray[Any]], num_actions: int) -> bool:
    """Say whether arrays hold a distribution over actions for each information state."""
    if {name: array.dtype for name, array in arrays.items()} != ARRAYS:
        return False
    keys, first, actions, probabilities = (arrays[name] for name in ARRAYS)
    return bool(
        all(array.ndim == 1 for array in arrays.values())
        and len(first) == len(keys) + 1 > 1
        and len(actions) == len(probabilities) == first[-1]
        and first[0] == 0
        and (np.diff(first) > 0).all()
        and (np.diff(keys) > 0).all()
        and 0 <= actions.min() <= actions.max() < num_actions
        and probabilities.min() >= 0
        and np.allclose(np.add.reduceat(probabilities, first[:-1]), 1)
    )


class EquilibriumAgent:
    """Plays a solved policy. It follows the information states of each hand by its observations.

    Every hand must start as in the solved game: with the rules' credits and no Sabacc pot.

    Args:
        rules: the rules that it will play, which must be the policy's. None stands for these.
        num_players: likewise.
        bet_sizes: what the bet actions mean, as in the policy.
        policy: the path of a solved policy, or a policy in memory.

    Raises:
        SabaccError: for a policy of another game, or a file that is not a solved policy.
    """

    def __init__(
        self,
        rules: str | Path | RuleSet | None = None,
        num_players: int | None = None,
        bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
        *,
        policy: str | Path | TabularPolicy,
    ) -> None:
        label = "this policy" if isinstance(policy, TabularPolicy) else str(policy)
        policy = policy if isinstance(policy, TabularPolicy) else load_policy(policy)
        made_for = (policy.rules,), (policy.num_players,), policy.bet_sizes
        self.check_game = partial(check_made_for, label, made_for)
        self.check_game(rules, num_players, bet_sizes)
        self.policy = policy
        self._states = np.zeros(0, np.int64)

    def reset(self, num_tables: int) -> None:
        """Start a hand at each of so many tables."""
        self._states = np.zeros(num_tables, np.int64)

    def restart(self, tables: NDArray[np.int64]) -> None:
        """Forget the hands at these tables."""
        self._states[tables] = 0

    def memory(self) -> NDArray[np.int64]:
        """Return the information state that it was last in at every table, (num_tables,)."""
        return self._states.copy()

    def restore_memory(self, memory: NDArray[np.int64]) -> None:
        """Continue from what ``memory`` returned."""
        self._states = memory.copy()

    def act(
        self,
        observations: NDArray[np.float32],
        action_masks: NDArray[np.int8],
        rng: np.random.Generator,
        tables: NDArray[np.int64] | None = None,
    ) -> NDArray[np.int64]:
        """Draw a legal action for each row.

        Raises:
            SabaccError: at a turn that the solved game does not have.
        """
        if tables is None:
            tables = np.arange(len(observations))
        states = self._next_states(observations, action_masks, self._states[tables])
        self._states[tables] = states
        unknown = ~np.isin(states, self.policy.arrays["keys"])
        if unknown.any():
            raise SabaccError(
                f"equilibrium: table {tables[unknown][0]} is at a turn that the solved game does "
                "not have; every hand must start with the rules' credits and no Sabacc pot"
            )
        return sample(self.state_probabilities(states, action_masks.shape[1]), rng)

    def follow(
        self,
        observations: NDArray[np.float32],
        action_masks: NDArray[np.int8],
        memories: NDArray[np.int64],
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return the distributions after these turns, (n, num_actions), and the states, (n,).

        Where the solved game has no such turn, all legal actions are as probable.

        Args:
            observations: (n, OBSERVATION_SIZE) float32.
            action_masks: (n, num_actions) int8.
            memories: (n,) the information states before; 0 before the first turn of a hand.
        """
        states = self._next_states(observations, action_masks, memories)
        probabilities = action_masks / action_masks.sum(axis=1, keepdims=True)
        known = np.isin(states, self.policy.arrays["keys"])
        probabilities[known] = self.state_probabilities(states[known], action_masks.shape[1])
        return probabilities, states

    def _next_states(
        self,
        observations: NDArray[np.float32],
        action_masks: NDArray[np.int8],
        states: NDArray[np.int64],
    ) -> NDArray[np.int64]:
        """Return the information states, (n,), that these turns lead to."""
        found = np.array(states, np.int64)
        floats = np.array(observations, np.float32, order="C")
        rows = floats.view(OBSERVATION_DTYPE).reshape(len(floats))
        legal = action_masks.astype(np.int64) @ (1 << np.arange(action_masks.shape[1]))
        isomorphic = self.policy.suits_isomorphic
        everywhere = np.arange(len(floats))
        update_info_states(rows, floats.view(np.int32), isomorphic, legal, everywhere, found)
        return found

    def state_probabilities(
        self, states: NDArray[np.int64], num_actions: int
    ) -> NDArray[np.float64]:
        """Return the distributions over actions in information states, (n, num_actions).

        Args:
            states: (n,) hashes of information states, all among the policy's ``keys``.
            num_actions: the number of actions of the environment.
        """
        arrays = self.policy.arrays
        indices = np.searchsorted(arrays["keys"], states)
        begins, ends = arrays["first"][indices], arrays["first"][indices + 1]
        probabilities = np.zeros((len(states), num_actions))
        for offset in range(int((ends - begins).max(initial=0))):
            rows = np.flatnonzero(begins + offset < ends)
            entries = begins[rows] + offset
            probabilities[rows, arrays["actions"][entries]] = arrays["probabilities"][entries]
        return probabilities
