"""A stopwatch for CPU time and wall-clock time."""

from __future__ import annotations

import time
from typing import Self


class Stopwatch:
    """Adds up seconds between ``start`` and ``stop``, or inside ``with``.

    Attributes:
        cpu: CPU time of all threads of this process; other work on the machine changes it little.
        wall: wall-clock time.

    >>> watch = Stopwatch()
    >>> with watch:
    ...     time.sleep(0.01)
    >>> watch.cpu < 0.01 <= watch.wall
    True
    """

    def __init__(self) -> None:
        self.cpu = self.wall = 0.0

    def start(self) -> Self:
        """Start the stopwatch; return itself."""
        self._cpu, self._wall = time.process_time(), time.perf_counter()
        return self

    def stop(self) -> None:
        """Stop it: add the time since ``start``."""
        self.cpu += time.process_time() - self._cpu
        self.wall += time.perf_counter() - self._wall

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()
