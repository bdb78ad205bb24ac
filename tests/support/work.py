"""Pieces of work for processes of their own."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

from sabacc_training.jobs.stopping import StoppedBySignal, stop_signals

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
    os.write(1, f"{os.getpid()}\n".encode())  # at once: others write there too
    time.sleep(3600)


def count_to(goal: int, folder: Path) -> None:
    """Count slowly; the number so far is saved, and each beginning is noted in a file."""
    if goal == 13:
        raise SabaccError(f"{folder}: 13 is not counted to")
    (folder / "begun").mkdir(parents=True, exist_ok=True)
    (folder / "begun" / str(len(list((folder / "begun").iterdir())))).touch()
    so_far, number = folder / "unfinished" / "so-far", 0
    so_far.parent.mkdir(exist_ok=True)
    with stop_signals() as received:
        if so_far.exists():
            number = int(so_far.read_text())
        while number < goal:
            number += 1
            time.sleep(0.02)
            so_far.write_text(str(number))
            if received:
                print(f"{number} so far", file=sys.stderr)
                raise StoppedBySignal
    so_far.unlink()
    so_far.parent.rmdir()
    (folder / "count").write_text(str(number))
