"""Checkpoints: everything that a training run needs to resume, in one file, written atomically.

The file has a format line, a checksum, the configuration as JSON, and the state as torch saves it.
A damaged file is refused, because a run that continued from it could not be reproduced.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch

from sabacc_env.errors import SabaccError
from sabacc_env.storage.checksums import pack_with_checksum
from sabacc_env.storage.files import write_bytes
from sabacc_training.config.run import RunConfig
from sabacc_training.jobs.checkpoint_file import read_checkpoint

FORMAT: Final = b"sabacc-env training checkpoint 8\n"
"""The first line of a checkpoint; the number changes when the rest does."""

CHANGEABLE = frozenset({"evaluation", "checkpoint_seconds", "threads"})
"""Sections and keys of a configuration that may change when a run is resumed."""


def save_checkpoint(path: Path, config: RunConfig, state: dict[str, Any]) -> None:
    """Write a run's configuration and state, atomically."""
    buffer = io.BytesIO()
    torch.save(_as_tensors(state), buffer)
    write_bytes(path, pack_with_checksum(FORMAT, config.model_dump(mode="json"), buffer.getvalue()))


def load_checkpoint(path: Path, config: RunConfig) -> dict[str, Any]:
    """Return the state in a checkpoint of the same configuration; no code in it is run.

    Raises:
        SabaccError: if there is no checkpoint, if the file is damaged or not a checkpoint, or if it
            has another configuration.
    """
    old, state = read_checkpoint(path, FORMAT)
    new = config.model_dump(mode="json")
    with refuse_malformed_state(path):
        others = [key for key in new if key not in CHANGEABLE and old.get(key) != new[key]]
    if others:
        longer = "; schedules depend on the number of steps, so a run cannot be made longer"
        raise SabaccError(
            f"{path}: was made with other values of {', '.join(others)}; resume with the same "
            f"configuration, or start afresh in another folder{longer if 'steps' in others else ''}"
        )
    with refuse_malformed_state(path):
        loaded: dict[str, Any] = _as_arrays(torch.load(io.BytesIO(state), weights_only=True))
    return loaded


@contextmanager
def refuse_malformed_state(path: Path) -> Iterator[None]:
    """Turn an error of reading a state into one sentence.

    The checksum is right by then, so the state itself is malformed.

    Raises:
        SabaccError: in place of any other error.
    """
    try:
        yield
    except SabaccError:
        raise
    except Exception as error:
        raise SabaccError(
            f"{path}: cannot be resumed from; it is not the state of a run of this configuration"
        ) from error


# ``weights_only`` loading accepts tensors, numbers, text and containers only. Arrays and bytes are
# saved as marked tensors.


def _as_tensors(value: Any) -> Any:
    match value:
        case dict():
            return {key: _as_tensors(part) for key, part in value.items()}
        case list() | tuple():
            return type(value)(map(_as_tensors, value))
        case np.ndarray():
            return {"array": torch.from_numpy(value.copy())}
        case bytes():
            return {"bytes": torch.frombuffer(bytearray(value), dtype=torch.uint8)}
        case _:
            return value


def _as_arrays(value: Any) -> Any:
    match value:
        case {"array": torch.Tensor() as tensor, **rest} if not rest:
            return tensor.numpy()
        case {"bytes": torch.Tensor() as tensor, **rest} if not rest:
            return tensor.numpy().tobytes()
        case dict():
            return {key: _as_arrays(part) for key, part in value.items()}
        case list() | tuple():
            return type(value)(map(_as_arrays, value))
        case _:
            return value
