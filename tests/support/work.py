"""Pieces of work for processes of their own."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from sabacc_env.errors import SabaccError


def square(number: int) -> int:
    """Return the square of a number; refuse 13."""
    if number == 13:
        raise SabaccError("13 is not squared here")
    return number * number


def die_once(marker: str) -> int:
    """Kill this process unless the marker's file is there; then return its process number."""
    path = Path(marker)
    if not path.exists():
        path.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return os.getpid()


def die(_: object) -> None:
    """Exit this process."""
    os._exit(7)


def work_for_an_hour(_: object) -> None:
    """Print the number of this process, and sleep."""
    print(os.getpid(), flush=True)
    time.sleep(3600)
