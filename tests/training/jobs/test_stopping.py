"""Signals that stop long work: collected, said once, and no reason to lose anything."""

from __future__ import annotations

import os
import signal
import sys

import pytest
from sabacc_training.jobs.stopping import STOPPING, stop_signals


def test_the_first_signal_is_said_and_a_second_one_acts(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with stop_signals() as received:
        signal.raise_signal(signal.SIGINT)
        assert received == [signal.SIGINT]
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert capsys.readouterr().err == f"{STOPPING}\n"


def test_a_reader_that_is_gone_does_not_stop_the_saving(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    monkeypatch.setattr(sys, "stderr", _Text(writer))
    with stop_signals() as received:
        signal.raise_signal(signal.SIGTERM)
    os.close(writer)
    assert received == [signal.SIGTERM]


class _Text:
    """A text stream that writes at once."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def write(self, text: str) -> int:
        return os.write(self._descriptor, text.encode())

    def flush(self) -> None:
        pass
