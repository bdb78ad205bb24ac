"""What an agent is, where agents are registered, and the random one.

Agents act for many tables at once. They see observations and masks, or views, and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.metadata import EntryPoints, entry_points
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sabacc_env.actions import DEFAULT_BET_SIZES, BetSize
from sabacc_env.engine.drivers.policy_code import Policy
from sabacc_env.errors import SabaccError, short_repr
from sabacc_env.rules import RuleSet
from sabacc_env.rules.wording import did_you_mean

ENTRY_POINTS: Final = "sabacc_env.agents"
"""The entry-point group under which a package registers agent classes by name."""


@runtime_checkable
class Agent(Protocol):
    """A batched player, built as ``Class(rules, num_players, bet_sizes=...)``.

    It may also have

    - ``restart(tables)``, which tells it that a new hand begins at these tables.
    - ``memory()``, which returns what it remembers of the hands in play as arrays and plain data,
      and ``restore_memory(memory)``, which restores that. A stopped run then resumes exactly.
    - ``probabilities(observations, action_masks)``, the distribution that it draws from, of shape
      (n, num_actions).
    - ``follow(observations, action_masks, memories)`` in place of ``probabilities``, where these
      depend on the turns before: the distributions in hands that it has followed up to memories,
      (n,) int64, 0 before its first turn of a hand; and its memories afterwards.
    - ``check_game(rules, num_players, bet_sizes)``, which raises a ``SabaccError`` if it was not
      made for this game.
    - ``wants = "views"``: it is then given ``GameView``'s as observations. They have the
      ``history`` of the hand, and None as ``events``, which take several times as long;
      ``wants = "views with events"`` has them, too.
    - ``hand_probabilities(view, observations, action_mask)``, for an agent that wants views: the
      distributions with each of many hands, (n, num_actions), where all else is as in a view. What
      the view shows of the own hand is not read; the observations, (n, OBSERVATION_SIZE), have it.
    - ``compiled_policy``, a function made by ``sabacc_env.policies.policy`` that plays as it does,
      with the same probabilities. Environments with many tables then play it in their compiled
      loop, and ask no ``act``. A subclass that plays otherwise has None, or its own ``act``.
    - ``plays_any_rules``, True for a class whose agents play all rule sets, whichever they were
      made for: a ``RuleSpace`` takes it by name.
    - ``spec``, the text that messages call it by; otherwise that is the name of its class.
    """

    def reset(self, num_tables: int) -> None:
        """Start that many tables and forget all others."""
        ...

    def act(
        self,
        observations: Any,
        action_masks: NDArray[np.int8],
        rng: np.random.Generator,
        tables: NDArray[np.int64] | None = None,
    ) -> NDArray[np.int64]:
        """Choose a legal action for each row.

        Args:
            observations: (n, OBSERVATION_SIZE) float32, or n views for an agent that wants them.
            action_masks: (n, num_actions) int8, 1 for a legal action.
            rng: the only source of chance that an agent may use.
            tables: which table each row belongs to; None means all, in order.
        """
        ...


class RandomAgent:
    """Plays every legal action with the same probability."""

    plays_any_rules = True

    def __init__(
        self,
        rules: RuleSet,
        num_players: int,
        bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
    ) -> None:
        pass

    @property
    def compiled_policy(self) -> Policy:
        """The same player, for compiled loops."""
        from sabacc_env.engine.drivers.simple_policies import random_legal  # compiled when imported

        return random_legal

    def reset(self, num_tables: int) -> None:
        """Remember nothing."""

    def act(
        self,
        observations: Any,
        action_masks: NDArray[np.int8],
        rng: np.random.Generator,
        tables: NDArray[np.int64] | None = None,
    ) -> NDArray[np.int64]:
        """Choose uniformly among the legal actions."""
        return sample(self.probabilities(observations, action_masks), rng)

    def probabilities(
        self, observations: Any, action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """Return the uniform distribution over the legal actions."""
        legal: NDArray[np.float64] = action_masks.astype(np.float64)
        legal /= legal.sum(axis=1, keepdims=True)
        return legal


def sample(probabilities: NDArray[np.floating], rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw one index from each row of probabilities; one of probability 0 is never drawn.

    >>> sample(np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]), np.random.default_rng(0))
    array([1, 0])
    """
    cumulative = np.cumsum(probabilities, axis=1, dtype=np.float64)
    threshold = rng.random(len(probabilities)) * cumulative[:, -1]
    return np.asarray((cumulative > threshold[:, None]).argmax(axis=1), dtype=np.int64)


def registered_agents() -> tuple[str, ...]:
    """Return the names of the agents that installed packages register."""
    return tuple(sorted(_registered().names))


@cache
def _registered() -> EntryPoints:
    """Return what installed packages register, found once: all their metadata is read for it."""
    return entry_points(group=ENTRY_POINTS)


def agent_class(name: str) -> type[Agent]:
    """Return the agent class registered under a name.

    Raises:
        SabaccError: for a name that nobody registered; lists those there are, and says where to
            get any other.
    """
    found = tuple(_registered().select(name=name))
    if not found:
        names = ", ".join(registered_agents())
        raise SabaccError(
            f"unknown agent {short_repr(name)}{did_you_mean(name, registered_agents())}; the "
            f"registered agents are {names}; load any other, "
            "such as a network, with sabacc_agents.load, and give the agent that it returns"
        )
    loaded: type[Agent] = found[0].load()
    return loaded
