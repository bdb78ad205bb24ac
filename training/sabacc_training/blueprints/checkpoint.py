"""Checkpoints of a blueprint's solver: what it has learnt, without rows of zeros."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np

from sabacc_env.errors import SabaccError
from sabacc_env.storage.checksums import pack_with_checksum
from sabacc_env.storage.files import write_bytes
from sabacc_training.blueprints.solver import BlueprintSolver
from sabacc_training.jobs.checkpoint_file import read_checkpoint

FORMAT: Final = b"sabacc-env blueprint checkpoint 1\n"
"""The first line of a checkpoint; its number changes with the format."""


def save_checkpoint(solver: BlueprintSolver, path: Path) -> None:
    """Write a solver's state to a file, whole or not at all."""
    rows, parts = [], []
    for table in solver.tables:
        used = np.flatnonzero(table.any(axis=1))
        rows.append(len(used))
        parts += [used.astype(np.int64).tobytes(), table[used].tobytes()]
    header = {"game": _game(solver), "epochs": solver.epochs, "rows": rows}
    write_bytes(path, pack_with_checksum(FORMAT, header, b"".join(parts)))


def load_checkpoint(solver: BlueprintSolver, path: Path) -> None:
    """Continue from the state in a file.

    Raises:
        SabaccError: if there is no such file, if it is damaged, or is of another configuration.
    """
    header, state = read_checkpoint(path, FORMAT)
    if header.get("game") != _game(solver):
        raise SabaccError(f"{path}: is of another configuration; choose another output file")
    begin = 0
    for table, count in zip(solver.tables, header["rows"], strict=True):
        used = np.frombuffer(state, np.int64, count, begin)
        begin += used.nbytes
        values = np.frombuffer(state, np.float32, count * table.shape[1], begin)
        begin += values.nbytes
        table[used] = values.reshape(count, table.shape[1])
    solver.epochs = header["epochs"]


def _game(solver: BlueprintSolver) -> dict[str, object]:
    """Return what a checkpoint must have in common with a run that continues it."""
    return solver.config.model_dump(mode="json", exclude={"epochs"})
