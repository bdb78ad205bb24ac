"""Stopping long work: told by a signal, it keeps what it has and says so."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from signal import SIGINT, SIGTERM, Signals, getsignal, signal
from types import FrameType


class Stopped(Exception):
    """Work was told to stop and has kept everything: it can go on from there."""


@contextmanager
def stop_signals() -> Iterator[list[Signals]]:
    """Collect SIGINT and SIGTERM in a list; a second one acts as it did before."""
    told: list[Signals] = []
    before = {number: getsignal(number) for number in (SIGINT, SIGTERM)}

    def note(number: int, _: FrameType | None) -> None:
        told.append(Signals(number))
        signal(number, before[Signals(number)])

    for number in before:
        signal(number, note)
    try:
        yield told
    finally:
        for number, handler in before.items():
            signal(number, handler)
