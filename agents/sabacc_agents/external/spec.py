"""The spec of an agent that is a process: ``process:COMMAND``, with settings before the command."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, fields
from typing import Any, Final, Self

from sabacc_agents.saved_files import PROCESS_PREFIX
from sabacc_env.errors import SabaccError, short_repr
from sabacc_env.rules.wording import did_you_mean


def is_process(spec: object) -> bool:
    """Say whether a spec means a process."""
    return isinstance(spec, str) and spec.startswith(PROCESS_PREFIX)


def with_timeout(spec: str, seconds: float) -> str:
    """Return a spec whose process has so many seconds for a decision, if it says nothing itself.

    >>> ProcessSpec.parse(with_timeout("process:perl agent.pl", 0.5)).timeout_s
    0.5
    >>> ProcessSpec.parse(with_timeout("process:timeout_s=3 perl agent.pl", 0.5)).timeout_s
    3.0
    """
    return f"{PROCESS_PREFIX}timeout_s={seconds!r} {spec.removeprefix(PROCESS_PREFIX)}"


@dataclass(frozen=True)
class ProcessSpec:
    """What is run, and its limits.

    Attributes:
        words: the program and its arguments.
        timeout_s: seconds that the process has for each decision.
        startup_s: seconds that it has to say hello.
        restarts: how often it is started again after a failure.
    """

    words: tuple[str, ...]
    timeout_s: float = 10.0
    startup_s: float = 60.0
    restarts: int = 5

    @classmethod
    def parse(cls, spec: str) -> Self:
        """Read a spec.

        Raises:
            SabaccError: for one without a command, or with a wrong setting.

        >>> ProcessSpec.parse("process:timeout_s=0.5 perl 'my agent.pl'")
        ProcessSpec(words=('perl', 'my agent.pl'), timeout_s=0.5, startup_s=60.0, restarts=5)
        """
        try:
            words = shlex.split(spec.removeprefix(PROCESS_PREFIX))
        except ValueError as error:
            raise SabaccError(f"agent: {short_repr(spec)}: {str(error).lower()}") from None
        settings: dict[str, Any] = {}
        while words and "=" in words[0]:
            name, _, text = words.pop(0).partition("=")
            settings[name] = _number(spec, name, text)
        if not words:
            raise SabaccError(
                f"agent: {short_repr(spec)} names no command; write, for example, "
                f'"{PROCESS_PREFIX}perl my_agent.pl"'
            )
        return cls(tuple(words), **settings)

    @property
    def name(self) -> str:
        """The command without the folders of its paths, in one line.

        >>> ProcessSpec.parse("process:timeout_s=2 /bin/perl 'my bots/a.pl' --net=nets/b").name
        'perl a.pl --net=b'
        """
        words = (re.sub(r"[^=]*/(?=.)", "", word) for word in self.words)
        return " ".join(" ".join(words).split())


SETTINGS: Final = tuple(field.name for field in fields(ProcessSpec))[1:]


def _number(spec: str, name: str, text: str) -> float | int:
    """Return the value of a setting."""
    if name not in SETTINGS:
        raise SabaccError(
            f"agent: {short_repr(spec)}: unknown setting {short_repr(name)}"
            f"{did_you_mean(name, SETTINGS)}; use {', '.join(SETTINGS)}"
        )
    if name == "restarts":
        if not (text.isascii() and text.isdecimal() and len(text) < 7):
            raise SabaccError(f"agent: restarts: {short_repr(text)} is not a whole number from 0")
        return int(text)
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 86_400:
        raise SabaccError(f"agent: {name}: {short_repr(text)} is not a number of seconds above 0")
    return seconds
