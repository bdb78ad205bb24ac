"""An agent that never fails: where the agent in it does, it plays a default and counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sabacc_agents.external.agent import ProcessAgent, ProcessStartError
from sabacc_agents.external.failures import FAILURE_KINDS, Failure, RowsFailedError
from sabacc_agents.language_models.agent import ModelAgent
from sabacc_agents.language_models.usage import Usage

from sabacc_env import agent_calls
from sabacc_env.actions import BetSize, default_actions
from sabacc_env.agent import Agent
from sabacc_env.agent_calls import (
    illegal_move,
    is_distribution,
    no_distribution,
    unchecked_actions,
    unchecked_probabilities,
)
from sabacc_env.arguments import is_legal
from sabacc_env.engine.drivers.policy_code import Policy
from sabacc_env.errors import SabaccError
from sabacc_env.rules import RuleSet

NOWHERE: Final = np.zeros(0, dtype=np.int64)
"""No tables."""

Answers = NDArray[Any]
"""What a call returns: actions, (n,), or distributions, (n, num_actions)."""


class GuardedAgent:
    """Plays as an agent, and plays ``default_actions`` where the agent fails.

    A failure is an error in the agent's own code, no answer in time (of a process or a language
    model), an illegal action or distribution, or an answer of another form. It concerns the rows
    that are wrong; all rows of the call, if it raised an error. Nothing but ``KeyboardInterrupt``
    leaves a call. A call in process has no limit of time.

    ``probabilities`` gives the rows that fail the distribution that plays the default. An agent
    that fails may so play otherwise than it tells: no control variate should rely on it.

    ``compiled_policy`` is the agent's own. Compiled loops refuse an illegal action of a policy with
    ``IllegalMove``; play by ``act`` then, which counts it.

    Args:
        agent: any agent.

    Attributes:
        agent: the same.
        failures: how many answers failed since this was made, by kind (``FAILURE_KINDS``).
        messages: the first message of each kind that occurred.
        hand_failures: (num_tables, 4) int64: how many answers failed in the hand in play at each
            table, by kind in the order of ``FAILURE_KINDS``. ``reset`` and ``restart`` begin anew,
            so read it when a hand ends.
    """

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.failures: Counter[str] = Counter()
        self.messages: dict[str, str] = {}
        self.hand_failures = np.zeros((0, len(FAILURE_KINDS)), dtype=np.int64)
        self.wants: str | None = getattr(agent, "wants", None)

    @property
    def restarts(self) -> int:
        """How often the agent's process was started again; 0 for one without."""
        return self.agent.restarts if isinstance(self.agent, ProcessAgent) else 0

    @property
    def usage(self) -> Usage:
        """What the agent's language model was asked; nothing for one without."""
        return self.agent.usage if isinstance(self.agent, ModelAgent) else Usage()

    # Calls that are not about decisions.

    def reset(self, num_tables: int) -> None:
        """Start that many tables. A failure counts in the first hand of each."""
        self.hand_failures = np.zeros((num_tables, len(FAILURE_KINDS)), dtype=np.int64)
        with self._counting(np.arange(num_tables)):
            agent_calls.reset([self.agent], num_tables)

    def restart(self, tables: NDArray[np.int64]) -> None:
        """Begin new hands at these tables. A failure counts in each of them."""
        self.hand_failures[tables] = 0
        with self._counting(tables):
            agent_calls.restart([self.agent], tables.copy())

    def memory(self) -> Any:
        """Return what the agent remembers; None for one that remembers nothing, or fails."""
        with self._counting(NOWHERE):
            return agent_calls.memories([self.agent])[0]
        return None

    def restore_memory(self, memory: Any) -> None:
        """Let the agent continue from what ``memory`` returned."""
        with self._counting(NOWHERE):
            agent_calls.restore_memories([self.agent], [memory])

    def check_game(self, rules: RuleSet, num_players: int, bet_sizes: Sequence[BetSize]) -> None:
        """Let the agent refuse a game that it was not made for: with its own error, no failure."""
        agent_calls.check_game(self.agent, rules, num_players, bet_sizes)

    # Decisions.

    @property
    def compiled_policy(self) -> Policy | None:
        """The policy that plays as the agent does; None for one without, or with a wrong one."""
        try:
            return agent_calls.compiled_policy(self.agent)
        except SabaccError:
            return None

    def act(
        self,
        observations: Any,
        action_masks: NDArray[np.int8],
        rng: np.random.Generator,
        tables: NDArray[np.int64] | None = None,
    ) -> NDArray[np.int64]:
        """Return a legal action for each row; see ``Agent.act``."""
        agent, masks = self.agent, action_masks.copy()  # the agent may write into its own
        where = np.arange(len(masks)) if tables is None else tables
        actions = default_actions(masks)
        chosen, failures = _outcome(
            agent,
            lambda: unchecked_actions(agent, observations, action_masks, rng, where.copy()),
            actions.copy(),
        )
        for row in np.flatnonzero(~is_legal(masks, chosen)).tolist():
            error = illegal_move(agent, int(chosen[row]), int(where[row]), masks[row])
            failures.setdefault(row, Failure("illegal", str(error)))
        for row, failure in failures.items():
            self._count(failure, where[row])
        answered = _others(failures, len(masks))
        actions[answered] = chosen[answered]
        return actions

    @property
    def probabilities(self) -> Callable[..., NDArray[np.float64]] | None:
        """As of ``Agent``; None for an agent that does not tell."""
        tells = getattr(self.agent, "probabilities", None)
        return None if tells is None else self._probabilities

    def _probabilities(
        self, observations: Any, action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """Return a distribution over the legal actions of each row."""
        agent, masks = self.agent, action_masks.copy()
        shares = np.eye(masks.shape[1])[default_actions(masks)]
        given, failures = _outcome(
            agent,
            lambda: unchecked_probabilities(agent, observations, action_masks),
            shares.copy(),
        )
        for row in np.flatnonzero(~is_distribution(given, masks)).tolist():
            error = no_distribution(agent, masks)
            failures.setdefault(row, Failure("illegal", str(error)))
        for failure in failures.values():  # nobody says at which tables
            self._count(failure, NOWHERE)
        answered = _others(failures, len(masks))
        shares[answered] = given[answered]
        return shares

    # Counting.

    @contextmanager
    def _counting(self, tables: NDArray[np.int64]) -> Iterator[None]:
        """Count an error of the call inside, once at each of these tables."""
        try:
            yield
        except (Exception, SystemExit) as error:  # noqa: BLE001 (nothing may leave)
            self._count(Failure("crash", _sentence(error)), tables)

    def _count(self, failure: Failure, tables: NDArray[np.int64]) -> None:
        """Count a failure, at tables whose hands it concerns."""
        self.failures[failure.kind] += 1
        self.messages.setdefault(failure.kind, failure.message)
        self.hand_failures[tables, FAILURE_KINDS.index(failure.kind)] += 1


class _AbsentAgent:
    """Stands for an agent whose process does not start: it fails in every decision."""

    def __init__(self, error: ProcessStartError) -> None:
        self.spec = error.spec
        self._reason = error.reason

    def reset(self, num_tables: int) -> None:
        """Do nothing."""

    def act(self, *_: Any) -> NDArray[np.int64]:
        """Say why there is no action."""
        raise SabaccError(self._reason)


def load_guarded(load: Callable[[], Agent]) -> GuardedAgent:
    """Load an agent and guard it, in the middle of a tournament.

    A process that does not start fails in every decision: it worked when the tournament began, and
    is not to stop it.

    Args:
        load: loads the agent.

    Raises:
        SabaccError: for any other agent that cannot be loaded.
    """
    try:
        return GuardedAgent(load())
    except ProcessStartError as error:
        return GuardedAgent(_AbsentAgent(error))


def _outcome(
    agent: Agent, call: Callable[[], Any], fallback: Answers
) -> tuple[Answers, dict[int, Failure]]:
    """Return what a call for n answers returns, and the failures by row.

    Args:
        agent: the agent that is called.
        call: the call, which raises a ``SabaccError`` with the agent's own error as its cause.
        fallback: n answers that are returned where the call has none.
    """
    try:
        return call(), {}
    except SabaccError as error:
        if isinstance(partly := error.__cause__, RowsFailedError):
            name = agent_calls.name_of(agent)
            return partly.answers, {
                row: Failure(failure.kind, f"agent: {name!r}: {failure.message}")
                for row, failure in partly.failures.items()
            }
        failure = Failure("unreadable" if error.__cause__ is None else "crash", str(error))
    except (Exception, SystemExit) as error:  # noqa: BLE001 (nothing may leave)
        failure = Failure("crash", _sentence(error))
    return fallback, dict.fromkeys(range(len(fallback)), failure)


def _sentence(error: BaseException) -> str:
    text = str(error) if isinstance(error, SabaccError) else f"{type(error).__name__}: {error}"
    return " ".join(text.split())


def _others(rows: Iterable[int], count: int) -> NDArray[np.bool_]:
    """Return which of so many rows are not among these."""
    others = np.ones(count, dtype=np.bool_)
    others[list(rows)] = False
    return others
