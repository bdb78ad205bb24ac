"""Checkpoints of a blueprint's solver: what it has learnt, without actions never met."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, TypeGuard

import numpy as np
from numpy.typing import NDArray

from sabacc_env.errors import SabaccError
from sabacc_env.storage.checksums import parts_with_checksum
from sabacc_env.storage.files import write_parts
from sabacc_training.blueprints.solver import BlueprintSolver
from sabacc_training.blueprints.workspace import LearntTables
from sabacc_training.jobs.checkpoint_file import read_checkpoint

FORMAT: Final = b"sabacc-env blueprint checkpoint 5\n"
"""The first line of a checkpoint; its number changes with the format."""


def save_checkpoint(solver: BlueprintSolver, path: Path) -> None:
    """Write a solver's state to a file, whole or not at all."""
    rows: list[int] = []
    parts: list[memoryview[Any]] = []
    for table in _arrays(solver):
        used = np.flatnonzero(table.any(axis=1)).astype(np.int64)
        rows.append(len(used))
        parts += [used.data, table[used].data]
    header = {
        "game": _game(solver),
        "epochs": solver.epochs,
        "seconds": solver.seconds,
        "rows": rows,
    }
    write_parts(path, parts_with_checksum(FORMAT, header, parts))


def load_checkpoint(solver: BlueprintSolver, path: Path) -> None:
    """Continue from the state in a file.

    Raises:
        SabaccError: if there is no such file, if it is damaged, or is of another configuration.
    """
    header, state = read_checkpoint(path, FORMAT)
    old, new = header.get("game", {}), _game(solver)
    if others := [key for key in {**old, **new} if old.get(key) != new.get(key)]:
        raise SabaccError(
            f"{path}: was made with other values of {', '.join(others)}; resume with the same "
            "configuration, or choose another output file"
        )
    rows, epochs, seconds = (header.get(key) for key in ("rows", "epochs", "seconds"))
    if type(epochs) is not int or epochs < 0 or type(seconds) is not float or not seconds >= 0:
        raise SabaccError(f"{path}: cannot be resumed from; it is damaged")
    solver.begin(epochs, seconds)
    if not _are_counts(rows, solver, len(state)):
        raise SabaccError(f"{path}: cannot be resumed from; it is damaged")
    begin = 0
    for table, count in zip(_arrays(solver), rows, strict=True):
        used = np.frombuffer(state, np.int64, count, begin)
        begin += used.nbytes
        values = np.frombuffer(state, table.dtype, count * table.shape[1], begin)
        begin += values.nbytes
        if (used < 0).any() or (used >= len(table)).any() or not np.isfinite(values).all():
            raise SabaccError(f"{path}: cannot be resumed from; its numbers are impossible")
        table[used] = values.reshape(count, table.shape[1])
    if not all(_have_their_rows(tables) for tables in solver.tables):
        raise SabaccError(f"{path}: cannot be resumed from; its numbers are impossible")


def _have_their_rows(tables: LearntTables) -> bool:
    """Say whether the rows of the adversary's states exist."""
    rows, count = tables.adversary_rows, int(tables.adversary_count[0])
    return bool(0 <= rows.min() <= rows.max() < len(rows) and 0 <= count <= len(rows))


def _are_counts(rows: object, solver: BlueprintSolver, size: int) -> TypeGuard[list[int]]:
    """Say whether these are the numbers of rows of the tables in a state of so many bytes."""
    if not isinstance(rows, list) or len(rows) != len(_arrays(solver)):
        return False
    if not all(type(count) is int and count >= 0 for count in rows):
        return False
    widths = [8 + table.itemsize * table.shape[1] for table in _arrays(solver)]
    return bool(size == sum(n * width for n, width in zip(rows, widths, strict=True)))


def _arrays(solver: BlueprintSolver) -> list[NDArray[Any]]:
    """Return views of all that is learnt as matrices, with a row for each action in a state."""
    return [
        array.reshape(-1, array.shape[-1] if array.ndim > 1 else 1)
        for tables in solver.tables
        for array in tables
    ]


def _game(solver: BlueprintSolver) -> dict[str, object]:
    """Return what a checkpoint must have in common with a run that continues it."""
    return solver.config.model_dump(mode="json", exclude={"epochs", "threads"})
