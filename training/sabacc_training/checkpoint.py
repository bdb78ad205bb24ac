"""Checkpoints: everything that a training run needs to go on, in one file, written atomically."""

from __future__ import annotations

import io
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import torch

from sabacc_env.errors import SabaccError
from sabacc_training.files import write_bytes
from sabacc_training.selfplay_config import TrainingConfig

FREE = frozenset({"progress", "threads"})
"""Sections and keys of a configuration that may be others when a run goes on."""


def save_checkpoint(path: Path, config: TrainingConfig, state: dict[str, Any]) -> None:
    """Write a run's configuration and state; the file before is there until the new one is."""
    buffer = io.BytesIO()
    torch.save({"config": config.model_dump_json(), "state": _as_tensors(state)}, buffer)
    write_bytes(path, buffer.getvalue())


def load_checkpoint(path: Path, config: TrainingConfig) -> dict[str, Any]:
    """Return the state in a checkpoint of the same configuration; no code in it is run.

    Raises:
        SabaccError: where there is none, it is damaged, or it is of another configuration.
    """
    try:
        kept = torch.load(path, weights_only=True)
        old = TrainingConfig.model_validate_json(kept["config"])
        state: dict[str, Any] = _as_arrays(kept["state"])
    except FileNotFoundError:
        raise SabaccError(f"{path}: there is no checkpoint to resume from") from None
    except (OSError, RuntimeError, ValueError, KeyError, pickle.UnpicklingError) as error:
        raise SabaccError(f"{path}: is not a checkpoint of this version ({error})") from None
    others = [
        key
        for key in TrainingConfig.model_fields
        if key not in FREE and getattr(old, key) != getattr(config, key)
    ]
    if others:
        raise SabaccError(
            f"{path}: was made with other values of {', '.join(others)}; resume with the same "
            f"configuration, or start afresh in another folder"
        )
    return state


# ``weights_only`` loading knows tensors, numbers, text and containers: arrays and bytes are marked.


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
