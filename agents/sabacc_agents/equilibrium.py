"""A solved policy: what to play in every information state of a small game, and its agent.

``sabacc solve`` makes the file (``saved_files``): arrays ``keys`` (m,), the information states in
rising order; ``first`` (m + 1,), where the actions of each begin; ``actions`` and
``probabilities``, of all states one after the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sabacc_agents.saved_files import (
    check_fit,
    plain_sizes,
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

ARRAYS: Final = {
    "keys": np.dtype(np.int64),
    "first": np.dtype(np.int32),
    "actions": np.dtype(np.int8),
    "probabilities": np.dtype(np.float64),
}


@dataclass(frozen=True)
class Policy:
    """What is played in every information state of a game, and what game that is.

    Attributes:
        rules, num_players, bet_sizes: the game.
        suits_alike: whether its suits are left out of what a state is recognised by.
        arrays: as in the file.
        solved: plain data: iterations, NashConv, values and the like.
    """

    rules: RuleSet
    num_players: int
    bet_sizes: Sequence[BetSize]
    suits_alike: bool
    arrays: Mapping[str, NDArray[Any]]
    solved: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_num_players(self.rules, self.num_players)
        encode_bet_sizes(self.bet_sizes)  # refuses what is no bet size
        check_bool("suits_alike", self.suits_alike)
        if not isinstance(self.solved, Mapping):
            raise SabaccError(f"solved: {short_repr(self.solved)} is not a mapping")


def save_policy(path: str | Path, policy: Policy) -> None:
    """Write a solved policy to a file that ends in ``.safetensors``."""
    described = {
        "rules": policy.rules.canonical(),
        "num_players": policy.num_players,
        "bet_sizes": plain_sizes(policy.bet_sizes),
        "suits_alike": policy.suits_alike,
        "solved": dict(policy.solved),
    }
    write_arrays(path, policy.arrays, FORMAT, VERSION, described)


def load_policy(path: str | Path) -> Policy:
    """Read a solved policy.

    Raises:
        SabaccError: for a file that cannot be read, or is no policy of this version.
    """
    described = read_description(path, FORMAT, VERSION, "solved policy")
    arrays = read_arrays(path)
    try:
        policy = Policy(
            rules=RuleSet.from_canonical(described["rules"]),
            num_players=described["num_players"],
            bet_sizes=tuple(described["bet_sizes"]),
            suits_alike=described["suits_alike"],
            arrays=arrays,
            solved=described["solved"],
        )
    except (KeyError, TypeError, SabaccError) as error:
        raise SabaccError(f"{path}: its description is damaged ({error})") from None
    if not _is_policy(arrays, num_actions(policy.bet_sizes)):
        raise SabaccError(f"{path}: its arrays are not those of a solved policy")
    return policy


def _is_policy(arrays: Mapping[str, NDArray[Any]], num_actions: int) -> bool:
    """Say whether arrays are a distribution over actions for each of some information states."""
    if {name: array.dtype for name, array in arrays.items()} != ARRAYS:
        return False
    keys, first, actions, chances = (arrays[name] for name in ARRAYS)
    return bool(
        all(array.ndim == 1 for array in arrays.values())
        and len(first) == len(keys) + 1 > 1
        and len(actions) == len(chances) == first[-1]
        and first[0] == 0
        and (np.diff(first) > 0).all()
        and (np.diff(keys) > 0).all()
        and 0 <= actions.min() <= actions.max() < num_actions
        and chances.min() >= 0
        and np.allclose(np.add.reduceat(chances, first[:-1]), 1)
    )


class EquilibriumAgent:
    """Plays a solved policy: recognises each information state by what it observed in the hand.

    Every hand is to start as the solved game does: with the rules' credits and no Sabacc pot.

    Args:
        rules: the rules that it will play, the same as the policy's; None for these.
        num_players: likewise.
        bet_sizes: likewise.
        policy: the path of a solved policy, or one in memory.

    Raises:
        SabaccError: for a policy of another game, or a file that is none.
    """

    def __init__(
        self,
        rules: str | Path | RuleSet | None = None,
        num_players: int | None = None,
        bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
        *,
        policy: str | Path | Policy,
    ) -> None:
        label = "this policy" if isinstance(policy, Policy) else str(policy)
        policy = policy if isinstance(policy, Policy) else load_policy(policy)
        made_for = (policy.rules,), (policy.num_players,), policy.bet_sizes
        check_fit(label, made_for, rules, num_players, bet_sizes)
        self.policy = policy
        self._states = np.zeros(0, np.int64)

    def reset(self, num_tables: int) -> None:
        """Start that many hands."""
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
        floats = np.array(observations, np.float32, order="C")
        rows = floats.view(OBSERVATION_DTYPE).reshape(len(floats))
        legal = action_masks.astype(np.int64) @ (1 << np.arange(action_masks.shape[1]))
        alike = self.policy.suits_alike
        update_info_states(rows, floats.view(np.int32), alike, legal, tables, self._states)
        strange = ~np.isin(self._states[tables], self.policy.arrays["keys"])
        if strange.any():
            raise SabaccError(
                f"equilibrium: table {tables[strange][0]} is at a turn that the solved game does "
                "not have; every hand must start with the rules' credits and no Sabacc pot"
            )
        return sample(self.chances_in(self._states[tables], action_masks.shape[1]), rng)

    def chances_in(self, states: NDArray[np.int64], num_actions: int) -> NDArray[np.float64]:
        """Return what it plays in information states, (n, num_actions).

        Args:
            states: (n,) by the policy's ``keys``, each of which is there.
            num_actions: in the discrete layout.
        """
        arrays = self.policy.arrays
        place = np.searchsorted(arrays["keys"], states)
        begins, ends = arrays["first"][place], arrays["first"][place + 1]
        chances = np.zeros((len(states), num_actions))
        for step in range(int((ends - begins).max(initial=0))):
            some = begins + step < ends
            choice = begins[some] + step
            chances[some, arrays["actions"][choice]] = arrays["probabilities"][choice]
        return chances
