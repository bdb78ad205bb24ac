"""A run's curves, as TensorBoard shows them.

Written in place and at once, not by a thread as TensorBoard's own writer does: what goes wrong is
then an error of the run, and can be said in one sentence.
"""

from __future__ import annotations

import io
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.record_writer import RecordWriter

from sabacc_env.errors import SabaccError
from sabacc_env.storage.files import make_folder


class Curves:
    """One file of events, closed on leaving ``with``.

    Args:
        folder: where it is made.
        steps: where the run begins or goes on: later events of earlier files do not count.

    Raises:
        SabaccError: where it cannot be written, now or later.
    """

    def __init__(self, folder: Path, steps: int) -> None:
        make_folder(folder)
        self._path = folder / f"events.out.tfevents.{time.time():.6f}.{os.getpid()}"
        try:
            self._file = self._path.open("wb", buffering=0)
        except OSError as error:
            raise self._refusal(error) from None
        self._write(Event(file_version="brain.Event:2"))
        self._write(Event(step=steps, session_log=SessionLog(status=SessionLog.START)))

    def write(self, steps: int, values: Mapping[str, float]) -> None:
        """Write numbers by their names, after so many steps of the run."""
        summary = Summary(
            value=[
                Summary.Value(tag=name, simple_value=float(value)) for name, value in values.items()
            ]
        )
        self._write(Event(step=steps, summary=summary))

    def _write(self, event: Event) -> None:
        event.wall_time = time.time()
        record = io.BytesIO()
        RecordWriter(record).write(event.SerializeToString())
        rest = record.getvalue()
        try:
            while rest:  # a disk that becomes full takes a part
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            raise self._refusal(error) from None

    def _refusal(self, error: OSError) -> SabaccError:
        return SabaccError(f"{self._path}: cannot be written ({error.strerror})")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
