"""Reads files, and writes them in one step: an interrupted writer never leaves half a file."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import tempfile
from collections.abc import Iterable
from glob import escape
from pathlib import Path
from typing import Any

from sabacc_env.errors import SabaccError


def read_bytes(path: Path) -> bytes | None:
    """Return the contents of a file, or None if it does not exist or cannot be read."""
    try:
        return path.read_bytes()
    except (OSError, ValueError):
        return None


def failure_reason(error: OSError | ValueError) -> str:
    """Return why a file cannot be read or written. An impossible file name is a ``ValueError``."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def make_folder(folder: Path) -> None:
    """Make a folder, if it is missing, and check that it can be written into.

    Raises:
        SabaccError: if it cannot be made or cannot be written into.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise SabaccError(
            f"{folder}: cannot make this folder ({failure_reason(error)}); name another"
        ) from None
    if not os.access(folder, os.W_OK):
        raise SabaccError(f"{folder}: cannot write into this folder; name another")


def check_writable(path: Path) -> None:
    """Check, before long work, that the file of its result can be written.

    Raises:
        SabaccError: if the path is a folder, or its folder cannot be made or written into.
    """
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        existing = next(folder for folder in path.absolute().parents if folder.exists())
        with tempfile.TemporaryFile(dir=existing):
            pass
    except (OSError, ValueError) as error:
        raise SabaccError(
            f"{path}: cannot be written ({failure_reason(error)}); name another"
        ) from None


def check_new(path: Path) -> None:
    """Check that nothing is there yet which the file of a result would replace.

    Raises:
        SabaccError: for a path that exists.
    """
    if path.exists():
        raise SabaccError(f"{path}: exists; remove it or name another file")


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file in one step; see ``write_parts``."""
    write_parts(path, [data])


def write_parts(path: Path, parts: Iterable[bytes | memoryview[Any]]) -> None:
    """Write a file in one step; the data is on the disk when this returns.

    The old contents stay whole until all of the parts are written. A killed process leaves a hidden
    file beside it, which ``remove_partial_files`` removes.

    Raises:
        SabaccError: if it cannot be written, because the disk is full, the folder is gone, and so
            on.
    """
    partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        try:
            with partial.open("wb") as file:
                file.writelines(parts)
                file.flush()
                os.fsync(file.fileno())
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)
        _sync_folder(path.parent)
    except (OSError, ValueError) as error:
        why = failure_reason(error) if path.parent.is_dir() else "there is no such folder"
        raise SabaccError(f"{path}: cannot be written ({why})") from None


def write_text(path: Path, text: str) -> None:
    """Write a text file as ``write_bytes`` does, in UTF-8 and with unchanged line ends."""
    write_bytes(path, text.encode())


def remove_partial_files(folder: Path, name: str | None = None) -> None:
    """Remove the partial files that killed processes left in a folder.

    No other process may be writing there now.

    Args:
        folder: the folder.
        name: the file whose partial files are removed; None removes those of every file.
    """
    pattern = "*" if name is None else escape(name)
    for partial in folder.glob(f".{pattern}.{'[0-9a-f]' * 8}"):
        partial.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    """Flush the names in a folder to the disk, if the system can."""
    if os.name == "nt":
        return
    with contextlib.suppress(OSError):  # some file systems cannot
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
