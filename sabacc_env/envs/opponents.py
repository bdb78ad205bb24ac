"""Who plays the seats that are not the learner's."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sabacc_env import agent_calls
from sabacc_env.actions import BetSize
from sabacc_env.agent import Agent, agent_class
from sabacc_env.arguments import check_number, check_sequence
from sabacc_env.array_types import Ints
from sabacc_env.engine.drivers.learner_loop import NO_ACTION
from sabacc_env.engine.drivers.policy_code import Policy, policy_codes
from sabacc_env.errors import SabaccError
from sabacc_env.rules import RuleSet
from sabacc_env.rules.space import RuleSpace
from sabacc_env.tables.tables import Tables

AnyOpponents = Agent | str | Sequence[Agent | str]
"""An agent as an object or by the name that it is registered under, or several of them."""

COMPILED: Final = ("_policies", "_codes", "_no_codes")
"""What ``Opponents`` knows of compiled code."""


class Opponents:
    """The agents that play the other seats: each seat draws its own when an episode starts.

    Attributes:
        agents: who may be drawn.
        names: what recorded hands call them: the registered name, or the class.
        members: (num_tables, num_players) which of them a seat has drawn.
    """

    def __init__(
        self,
        rules: RuleSet | RuleSpace,
        num_tables: int,
        num_players: int,
        bet_sizes: Sequence[BetSize],
        opponents: AnyOpponents,
        weights: Sequence[float] | None,
    ) -> None:
        self._rule_sets = rules.rule_sets(num_players) if isinstance(rules, RuleSpace) else (rules,)
        self._num_players, self._bet_sizes = num_players, bet_sizes
        self.members = np.zeros((num_tables, num_players), dtype=np.int64)
        self.agents: list[Agent] = []
        self.names: list[str] = []
        self.set_agents(opponents, weights)

    def set_agents(self, opponents: AnyOpponents, weights: Sequence[float] | None = None) -> None:
        """Draw from these from the next episodes on.

        A running episode goes on with the agent at the same place of the new list.

        Args:
            opponents: agents built for this game, or registered names.
            weights: how often each is drawn, in proportion; None is equally often.

        Raises:
            SabaccError: for an opponent that is not an agent, fewer opponents than are in use, or
                weights that are not proportions.
        """
        if isinstance(opponents, str | Agent) or not isinstance(opponents, Sequence):
            opponents = [opponents]
        agents = [self._given(each) for each in opponents]
        if len(agents) <= self.members.max():
            raise SabaccError(
                f"opponents: give at least {self.members.max() + 1}, because so many are in use"
            )
        shares = np.ones(len(agents))
        if weights is not None:
            shares = np.array(
                [check_number("weights", share) for share in check_sequence("weights", weights)]
            )
        if shares.shape != (len(agents),) or not shares.min() >= 0 or not 0 < shares.sum() < np.inf:
            raise SabaccError("weights: give one for each opponent, none negative and not all 0")
        # Who was there before may be in the middle of a hand.
        new = [agent for agent in agents if not any(agent is old for old in self.agents)]
        agent_calls.reset(new, len(self.members))
        self.agents = agents
        self.names = [each if isinstance(each, str) else type(each).__name__ for each in opponents]
        for name in COMPILED:
            vars(self).pop(name, None)
        self._shares = shares / shares.sum()

    def _given(self, opponent: Any) -> Agent:
        """Return an opponent that plays all the rules, or refuse it."""
        rules, *others = self._rule_sets
        if (
            others
            and isinstance(opponent, str)
            and not getattr(agent_class(opponent), "plays_any_rules", False)
        ):
            raise SabaccError(
                f"opponents: {opponent!r} is made for one rule set; where every episode draws its "
                'rules, give "random" or an agent object that plays them all'
            )
        game = self._num_players, self._bet_sizes
        agent = agent_calls.given("opponents", opponent, rules, *game)
        for each in others:
            agent_calls.check_game(agent, each, *game)
        return agent

    @cached_property
    def _policies(self) -> list[Policy | None]:
        """The compiled policy of each agent: only asked for where tables can play it."""
        return [agent_calls.compiled_policy(agent) for agent in self.agents]

    @cached_property
    def _codes(self) -> Any:
        return policy_codes(self._policies)

    @cached_property
    def _no_codes(self) -> Any:
        return policy_codes([None] * len(self.agents))

    def __getstate__(self) -> dict[str, Any]:
        # Addresses of code mean nothing in another process.
        return {name: value for name, value in vars(self).items() if name not in COMPILED}

    def names_at(self, table: int, learner: int) -> list[str]:
        """Return the names of a table's seats, of which one is the learner's."""
        names = [self.names[member] for member in self.members[table].tolist()]
        names[learner] = "learner"
        return names

    def begin(self, tables: Tables) -> None:
        """Tell all agents to start at these tables, where nothing has been played yet."""
        agent_calls.begin(self.agents, tables)

    def restart(self, indices: Ints) -> None:
        """Tell all agents that a new hand begins at these tables."""
        agent_calls.restart(self.agents, indices)

    def memories(self) -> list[Any]:
        """Return what each of ``agents`` remembers of its hands, for ``restore_memories``."""
        return copy.deepcopy(agent_calls.memories(self.agents))

    def restore_memories(self, memories: list[Any]) -> None:
        """Let ``agents`` continue from what ``memories`` returned."""
        agent_calls.restore_memories(self.agents, copy.deepcopy(memories))

    def check_members(self, members: NDArray[Any]) -> None:
        """Refuse what cannot be ``members``, of a saved state."""
        most = len(self.agents) - 1
        if (
            members.shape != self.members.shape
            or members.dtype.kind not in "iu"
            or not 0 <= members.min() <= members.max() <= most
        ):
            raise SabaccError(f"state: its indices of opponents are not all from 0 to {most}")

    def draw(self, indices: Ints, rng: np.random.Generator) -> None:
        """Draw the agents of every seat of these tables; nothing is drawn where there is one."""
        if len(self.agents) > 1:
            size = (len(indices), self.members.shape[1])
            self.members[indices] = rng.choice(len(self.agents), size=size, p=self._shares)

    def codes(self, tables: Tables) -> Any:
        """Return the ``policy_codes`` of the agents, for which the engine plays them itself.

        Tables that keep histories for agents with views play none.
        """
        return self._no_codes if tables.keeps_histories else self._codes

    def actions(self, tables: Tables, indices: Ints, rng: np.random.Generator) -> Ints:
        """Return what is played at these tables: each agent is asked once for all its seats."""
        return self._ask(range(len(self.agents)), tables, indices, rng)

    def actions_beside_policies(
        self, tables: Tables, indices: Ints, rng: np.random.Generator
    ) -> Ints:
        """Return the same where the engine plays compiled policies itself, by ``codes``.

        NO_ACTION stands where it does.
        """
        asked = [
            member
            for member, policy in enumerate(self._policies)
            if policy is None or tables.keeps_histories
        ]
        return self._ask(asked, tables, indices, rng)

    def _ask(
        self, asked: Sequence[int], tables: Tables, indices: Ints, rng: np.random.Generator
    ) -> Ints:
        """Return what these agents play at these tables; NO_ACTION for others."""
        members = self.members[indices, tables.seats_to_act[indices]]
        actions = np.full(len(indices), NO_ACTION)
        for member in np.flatnonzero(np.bincount(members)).tolist():
            if member in asked:
                rows = np.flatnonzero(members == member)
                agent = self.agents[member]
                actions[rows] = agent_calls.actions_at(agent, tables, indices[rows], rng)
        return actions
