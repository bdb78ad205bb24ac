"""What may go wrong in a call of an agent, by kind, and how an agent says that of single rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from numpy.typing import NDArray

from sabacc_env.errors import SabaccError

FAILURE_KINDS: Final = ("crash", "timeout", "illegal", "unreadable")
"""An error or the end of a process; no answer in time; an action or a distribution that is not
legal; an answer of another form."""


class Failure(NamedTuple):
    """One answer that is missing or wrong.

    Attributes:
        kind: one of ``FAILURE_KINDS``.
        message: what the agent did, as the end of a sentence.
    """

    kind: str
    message: str


class RowsFailedError(SabaccError):
    """Some rows of a call have no answer. The agent raises this, and the other rows still count.

    Attributes:
        answers: what the call would have returned; the rows that failed hold any value.
        failures: what went wrong, by row; at least one.
    """

    def __init__(self, answers: NDArray[Any], failures: Mapping[int, Failure]) -> None:
        super().__init__(next(iter(failures.values())).message)
        self.answers = answers
        self.failures = failures
