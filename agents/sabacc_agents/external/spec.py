"""The spec of an agent that is a process: ``process:COMMAND``, with settings before the command."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Self

from sabacc_agents.external.settings import Reader, seconds, split_spec, whole_number
from sabacc_agents.saved_files import PROCESS_PREFIX
from sabacc_env.errors import SabaccError, short_repr

SETTINGS: Final[dict[str, Reader]] = {
    "timeout_s": seconds,
    "startup_s": seconds,
    "restarts": whole_number,
}


def is_process(spec: object) -> bool:
    """Say whether a spec means a process."""
    return isinstance(spec, str) and spec.startswith(PROCESS_PREFIX)


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
        words, settings = split_spec(spec, PROCESS_PREFIX, SETTINGS)
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
