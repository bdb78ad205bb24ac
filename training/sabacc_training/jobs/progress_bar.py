"""What all progress has in common: a bar on the error stream, lines where that is no terminal."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import Progress, ProgressColumn


class Bar:
    """A bar of these columns, shown between entering and leaving.

    Args:
        columns: what stands in it.
        transient: whether it vanishes when it is left.
    """

    def __init__(self, *columns: ProgressColumn, transient: bool) -> None:
        console = Console(stderr=True)
        self._bar = Progress(
            *columns, console=console, transient=transient, disable=not console.is_terminal
        )

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def line(self, text: str) -> None:
        """Print a line where there is no bar."""
        if self._bar.disable:
            print(text, file=sys.stderr, flush=True)
