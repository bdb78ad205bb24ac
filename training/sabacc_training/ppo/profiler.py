"""A profiler: where the time of a run goes, in seconds by section."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager


class Profiler:
    """Adds up seconds by name; sections that run in two threads at once both count."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)

    @contextmanager
    def section(self, name: str) -> Iterator[None]:
        """Count the time of a ``with`` block under a name."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] += time.perf_counter() - began

    def __str__(self) -> str:
        """Return the shares, the largest first.

        >>> profiler = Profiler()
        >>> profiler.seconds.update(tables=1.0, learning=3.0)
        >>> print(profiler)
        learning 75 %, tables 25 %
        """
        whole = sum(self.seconds.values())
        largest = sorted(self.seconds.items(), key=lambda item: -item[1])
        return ", ".join(
            f"{name} {seconds / whole:.0%}".replace("%", " %") for name, seconds in largest
        )
