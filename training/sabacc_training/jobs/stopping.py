"""Stopping long work by a signal: the work saves what it has, then raises an exception."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from signal import SIGINT, SIGTERM, Signals, getsignal, signal
from types import FrameType


class StoppedBySignal(Exception):
    """A signal stopped the work, which has saved everything and can be resumed."""


@contextmanager
def stop_signals() -> Iterator[list[Signals]]:
    """Collect SIGINT and SIGTERM in a list; a second signal of a kind acts as it did before."""
    received: list[Signals] = []
    before = {number: getsignal(number) for number in (SIGINT, SIGTERM)}

    def note(number: int, _: FrameType | None) -> None:
        received.append(Signals(number))
        signal(number, before[Signals(number)])

    for number in before:
        signal(number, note)
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal(number, handler)
