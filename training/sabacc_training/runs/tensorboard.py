"""A run's metrics as TensorBoard reads them.

The run's own thread writes them at once, while TensorBoard's writer has a thread for it. So a full
disk is an error of the run, which can report it in one sentence.
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


class EventWriter:
    """One file of events, closed on leaving ``with``.

    Args:
        folder: the folder of the file, made if it is missing.
        steps: the step at which the run begins or continues. TensorBoard ignores later steps of
            earlier files.

    Raises:
        SabaccError: if the file cannot be written, now or later.
    """

    def __init__(self, folder: Path, steps: int) -> None:
        make_folder(folder)
        self._path = folder / f"events.out.tfevents.{time.time():.6f}.{os.getpid()}"
        try:
            self._file = self._path.open("wb", buffering=0)
        except OSError as error:
            raise self._write_error(error) from None
        self._write(Event(file_version="brain.Event:2"))
        self._write(Event(step=steps, session_log=SessionLog(status=SessionLog.START)))

    def write(self, steps: int, values: Mapping[str, float]) -> None:
        """Write numbers by their tags for a step of the run."""
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
            while rest:  # a disk that is almost full takes a part
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            raise self._write_error(error) from None

    def _write_error(self, error: OSError) -> SabaccError:
        return SabaccError(f"{self._path}: cannot be written ({error.strerror})")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
