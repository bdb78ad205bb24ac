"""How long tasks took: a file beside a tournament's folder, whose bytes do not depend on it.

Where that file cannot be written, because the disk is full or the folder above is not ours, no
tournament stops: then nobody knows the hours of these tasks.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from sabacc_env.errors import SabaccError
from sabacc_env.storage.files import read_bytes, write_text
from sabacc_training.jobs.stopwatch import Stopwatch
from sabacc_training.tournaments.config import TournamentConfig
from sabacc_training.tournaments.tasks import Task, play_task

SUFFIX: Final = ".times.jsonl"


class TaskTimes:
    """The processor time of the tasks in a folder: a line of JSON for each, added as it ends.

    Args:
        folder: the tournament's folder; ``FOLDER.times.jsonl`` beside it has the times.

    Attributes:
        seconds: of each task by its digest; processes that agents run in are not counted.
    """

    def __init__(self, folder: Path) -> None:
        resolved = folder.resolve()
        self._path = resolved.with_name(resolved.name + SUFFIX)
        self.seconds: dict[str, float] = {}
        for line in (read_bytes(self._path) or b"").splitlines():
            try:
                task, seconds = json.loads(line)
                taken = float(seconds)
            except (ValueError, TypeError):  # a line that a killed run did not finish
                continue
            if 0 <= taken < math.inf:
                self.seconds[str(task)] = taken

    def add(self, task: str, seconds: float) -> None:
        """Note how long a task took."""
        self.seconds[task] = seconds
        with suppress(OSError), self._path.open("a", encoding="utf-8") as file:
            file.write(f"{json.dumps([task, round(seconds, 4)])}\n")

    def update(self, seconds: dict[str, float]) -> None:
        """Note how long tasks took that were played elsewhere."""
        self.seconds |= seconds
        lines = (f"{json.dumps([task, each])}\n" for task, each in sorted(self.seconds.items()))
        with suppress(SabaccError):
            write_text(self._path, "".join(lines))


def timed_task(config: TournamentConfig, task: Task) -> tuple[bytes, float]:
    """Play a task; return its file's bytes, and the seconds of processor time that it took."""
    with Stopwatch() as stopwatch:
        data = play_task(config, task)
    return data, stopwatch.cpu


def hours(folder: Path, digests: Iterable[str]) -> float | None:
    """Return the processor hours of tasks; None where a folder does not say all of them."""
    known = TaskTimes(folder).seconds
    seconds = [known.get(digest) for digest in digests]
    return sum(each or 0.0 for each in seconds) / 3600 if all(seconds) and seconds else None
