"""Stopping long work by a signal: the work saves what it has, then raises an exception."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from signal import SIGINT, SIGTERM, Signals, getsignal, signal
from types import FrameType
from typing import Final

STOPPING: Final = "stopping: what was begun ends first; once more stops at once"


class StoppedBySignal(Exception):
    """A signal stopped the work, which can be resumed.

    It has saved everything, unless its message says what is lost.
    """


@contextmanager
def exit_when_stopped(where: Path, how: str = "resume with --resume") -> Iterator[None]:
    """Exit with code 130 when a signal has stopped the work inside, and say how to resume it.

    Args:
        where: the folder or file from which the work can be resumed.
        how: how it is resumed.
    """
    try:
        yield
    except StoppedBySignal as stop:
        print(f"stopped; {str(stop) or 'nothing is lost'}: {how} ({where})", file=sys.stderr)
        sys.exit(130)


@contextmanager
def stop_signals() -> Iterator[list[Signals]]:
    """Collect SIGINT and SIGTERM in a list; a second signal of a kind acts as it did before.

    The first one is said on standard error. Where nobody reads that any more, because Ctrl-C ended
    the reader of a pipe, too, the work goes on to save what it has.
    """
    received: list[Signals] = []
    before = {number: getsignal(number) for number in (SIGINT, SIGTERM)}

    def note(number: int, _: FrameType | None) -> None:
        received.append(Signals(number))
        signal(number, before[Signals(number)])
        if len(received) == 1:
            with suppress(OSError, RuntimeError):  # RuntimeError: in the middle of another write
                print(STOPPING, file=sys.stderr, flush=True)

    for number in before:
        signal(number, note)
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal(number, handler)
