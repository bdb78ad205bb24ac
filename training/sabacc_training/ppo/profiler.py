"""Where the time goes: seconds by the name of what they were spent on."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager


class Clock:
    """Adds up time by name; what runs in two threads at once counts in both."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)

    @contextmanager
    def on(self, name: str) -> Iterator[None]:
        """Count the time in here under a name."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] += time.perf_counter() - began

    def __str__(self) -> str:
        """Return the shares, the largest first.

        >>> clock = Clock()
        >>> clock.seconds.update(tables=1.0, learning=3.0)
        >>> print(clock)
        learning 75 %, tables 25 %
        """
        whole = sum(self.seconds.values())
        largest = sorted(self.seconds.items(), key=lambda item: -item[1])
        return ", ".join(
            f"{name} {seconds / whole:.0%}".replace("%", " %") for name, seconds in largest
        )
