"""An agent that is a process of its own, in any language; docs/your-own-agent.md has the protocol.

Requests for many tables are sent together, and answered in any order. What is wrong with one answer
concerns its row only. Anything else ends the process: the oldest request that has no answer fails,
and the process is started again for the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from sabacc_agents.external import messages
from sabacc_agents.external.failures import Failure, RowsFailedError
from sabacc_agents.external.line_process import LineProcess, ProcessFailedError
from sabacc_agents.external.messages import line_of
from sabacc_agents.external.spec import ProcessSpec
from sabacc_env.actions import DEFAULT_BET_SIZES, BetSize, action_names
from sabacc_env.errors import SabaccError, short_repr
from sabacc_env.game.view import GameView
from sabacc_env.rules import RuleSet

Answer = dict[str, Any] | Failure
Values = TypeVar("Values", bound=NDArray[Any])


class ProcessStartError(SabaccError):
    """The process of an agent does not start.

    Attributes:
        spec: the agent's spec.
        reason: what the process did.
    """

    def __init__(self, spec: str, reason: str) -> None:
        super().__init__(f"agent: {spec!r}: {reason}")
        self.spec = spec
        self.reason = reason


class ProcessAgent:
    """Lets a process decide.

    Args:
        rules, num_players, bet_sizes: the game.
        spec: ``process:COMMAND``; see ``ProcessSpec``.

    Attributes:
        spec: the same; messages call the agent by it.
        name: the name that the process gives itself.
        restarts: how often it was started again so far.

    Raises:
        ProcessStartError: if the process cannot be started, or does not say hello.
        SabaccError: for a wrong spec.
    """

    wants = "views"

    def __init__(
        self,
        rules: RuleSet,
        num_players: int,
        bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
        *,
        spec: str,
    ) -> None:
        self.spec = spec
        self._limits = ProcessSpec.parse(spec)
        self._bet_sizes = bet_sizes
        self._names = action_names(bet_sizes)
        self._hello = line_of(messages.hello(rules, num_players, bet_sizes))
        self._reset = b""
        self._requests = 0
        self.restarts = 0
        self._closed = False
        try:
            self._process: LineProcess | None = self._started()
        except ProcessFailedError as error:
            raise ProcessStartError(spec, str(error)) from error

    def reset(self, num_tables: int) -> None:
        """Tell the process that hands begin at so many tables, and to forget all others."""
        self._reset = line_of({"type": "reset", "num_tables": num_tables})
        if self._process is not None:
            self._process.send(self._reset)

    def restart(self, tables: NDArray[np.int64]) -> None:
        """Tell the process that new hands begin at these tables."""
        if self._process is not None:
            self._process.send(line_of({"type": "restart", "tables": tables.tolist()}))

    def act(
        self,
        observations: Sequence[GameView],
        action_masks: NDArray[np.int8],
        rng: np.random.Generator,
        tables: NDArray[np.int64] | None = None,
    ) -> NDArray[np.int64]:
        """Ask for an action for each row; each gets a random word of 32 bits.

        Raises:
            RowsFailedError: if some rows have no answer.
        """
        count = len(observations)
        where = range(count) if tables is None else tables.tolist()
        words = rng.integers(2**32, size=count).tolist()
        headers = [
            {"type": "act", "table": table, "seed": word}
            for table, word in zip(where, words, strict=True)
        ]
        answers = self._ask(headers, observations, action_masks)
        return self._read(answers, "action", messages.read_action, np.zeros(count, np.int64))

    @property
    def probabilities(self) -> Callable[..., NDArray[np.float64]] | None:
        """As of ``Agent``; None for a process that does not say that it tells them."""
        return self._probabilities if self._tells_probabilities else None

    def close(self) -> None:
        """End the process for good, which also happens when nobody holds this agent any more."""
        self._closed = True
        self._end()

    def _probabilities(
        self, observations: Sequence[GameView], action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """Ask for the distribution that the process draws from in each row."""
        headers = [{"type": "probabilities"}] * len(observations)
        answers = self._ask(headers, observations, action_masks)
        shares = np.zeros(action_masks.shape)
        return self._read(answers, "probabilities", messages.read_probabilities, shares)

    def _read(
        self,
        answers: Iterable[Answer],
        key: str,
        read: Callable[[object, Sequence[str]], Any],
        values: Values,
    ) -> Values:
        """Fill ``values`` with what each answer says under a key, a row each."""
        failures: dict[int, Failure] = {}
        for row, answer in enumerate(answers):
            if isinstance(answer, Failure):
                failures[row] = answer
            elif (value := read(answer.get(key), self._names)) is not None:
                values[row] = value
            else:
                said = f"it answered {short_repr(answer)}, where {key!r} cannot be read"
                failures[row] = Failure("unreadable", said)
        if failures:
            raise RowsFailedError(values, failures)
        return values

    # The process.

    def _ask(
        self,
        headers: Sequence[Mapping[str, Any]],
        views: Sequence[GameView],
        action_masks: NDArray[np.int8],
    ) -> list[Answer]:
        """Send a request for each row; return each answer, or why there is none."""
        waiting: dict[int, bytes] = {}
        for header, view, mask in zip(headers, views, action_masks, strict=True):
            self._requests += 1
            shown = messages.situation(view, mask, self._bet_sizes, self._names)
            waiting[self._requests] = line_of({**header, "id": self._requests, **shown})
        numbers = list(waiting)
        answers: dict[int, Answer] = {}
        while waiting:
            try:
                self._talk(waiting, answers)
            except ProcessFailedError as error:
                self._end()
                oldest = next(iter(waiting))
                del waiting[oldest]
                answers[oldest] = Failure(error.kind, str(error))
            except BaseException:  # interrupted: what it still answers belongs to nothing
                self._end()
                raise
        return [answers[number] for number in numbers]

    def _talk(self, waiting: dict[int, bytes], answers: dict[int, Answer]) -> None:
        """Send the requests that wait for an answer, and move each that is answered."""
        process = self._running()
        for line in waiting.values():
            process.send(line)
        while waiting:
            answer = messages.read_line(process.receive(self._limits.timeout_s))
            number = messages.read_id(answer)
            if number not in waiting:
                raise ProcessFailedError(
                    "unreadable", f"it answered {short_repr(answer)}, whose id waits for no answer"
                )
            del waiting[number]
            answers[number] = answer

    def _running(self) -> LineProcess:
        """Return the process; start it again if it has failed."""
        if self._process is None:
            if self._closed or self.restarts == self._limits.restarts:
                raise ProcessFailedError("crash", "it has failed too often to be started again")
            self.restarts += 1
            self._process = self._started()
            self._process.send(self._reset)
        return self._process

    def _started(self) -> LineProcess:
        process = LineProcess(self._limits.words)
        try:
            process.send(self._hello)
            answer = messages.read_line(process.receive(self._limits.startup_s))
            self.name, self._tells_probabilities = messages.read_hello(answer)
        except BaseException:
            process.kill()
            raise
        return process

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process = None
