"""A stopwatch: what something takes of the processors, and by the clock."""

from __future__ import annotations

import time
from typing import Self


class Stopwatch:
    """Adds up seconds, between ``start`` and ``stop`` or inside ``with``.

    Attributes:
        cpu: time of the processors, over all threads of this process: what else runs on the
            machine changes little of it.
        wall: time by the clock.

    >>> watch = Stopwatch()
    >>> with watch:
    ...     time.sleep(0.01)
    >>> watch.cpu < 0.01 <= watch.wall
    True
    """

    def __init__(self) -> None:
        self.cpu = self.wall = 0.0

    def start(self) -> Self:
        """Begin to count; return itself."""
        self._cpu, self._wall = time.process_time(), time.perf_counter()
        return self

    def stop(self) -> None:
        """Add what has passed since it was started."""
        self.cpu += time.process_time() - self._cpu
        self.wall += time.perf_counter() - self._wall

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()
