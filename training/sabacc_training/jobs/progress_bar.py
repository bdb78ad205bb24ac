"""A progress bar on standard error; lines where standard error is not a terminal."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import Progress, ProgressColumn


class ProgressBar:
    """A progress bar with these columns, shown inside ``with``.

    Args:
        columns: the columns of the bar.
        transient: whether the bar vanishes at the end.
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

    def print_warning(self, text: str) -> None:
        """Print a line, above the bar where one is shown."""
        self._bar.console.print(text, markup=False, highlight=False, soft_wrap=True)

    def print_line(self, text: str) -> None:
        """Print a line where no bar is shown."""
        if self._bar.disable:
            print(text, file=sys.stderr, flush=True)
