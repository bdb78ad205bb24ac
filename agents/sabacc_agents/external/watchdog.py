"""Ends the processes of agents when this process is gone, even where it was killed.

One small process waits for the end of its standard input, which comes when this process ends in
whatever way. It then kills the process groups that it was told of.
"""

from __future__ import annotations

import os
import subprocess
import sys
import weakref
from contextlib import suppress
from functools import lru_cache
from typing import Final

_SCRIPT: Final = """
import os, signal, sys
groups = set()
for line in sys.stdin:
    group = int(line)
    (groups.add if group > 0 else groups.discard)(abs(group))
for group in groups:
    try:
        os.killpg(group, signal.SIGKILL)
    except OSError:
        pass
"""


class _Watchdog:
    """The process that waits for the end of this one."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _SCRIPT],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            start_new_session=True,  # Ctrl-C in a terminal does not reach it
        )
        weakref.finalize(self, _close, self._process, os.getpid())

    def tell(self, group: int) -> None:
        """Tell it of a group, or of minus a group that has ended."""
        assert self._process.stdin is not None
        with suppress(OSError):  # somebody has ended it
            self._process.stdin.write(f"{group}\n".encode())


def watch(group: int) -> None:
    """Have a process group killed when this process is gone."""
    _watchdog_of(os.getpid()).tell(group)


def forget(group: int) -> None:
    """Leave a process group, which has ended, alone."""
    _watchdog_of(os.getpid()).tell(-group)


@lru_cache(maxsize=1)
def _watchdog_of(_process_id: int) -> _Watchdog:
    """Return the watchdog of this process; a fork gets its own."""
    return _Watchdog()


def _close(process: subprocess.Popen[bytes], owner: int) -> None:
    assert process.stdin is not None
    process.stdin.close()
    if os.getpid() == owner:
        process.wait()
