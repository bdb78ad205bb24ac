"""Files: written in one step, so that nobody finds half of one, whatever stops the writer."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import tempfile
from glob import escape
from pathlib import Path

from sabacc_env.errors import SabaccError


def read_bytes(path: Path) -> bytes | None:
    """Return what is in a file; None where there is none, or none that can be read."""
    try:
        return path.read_bytes()
    except (OSError, ValueError):
        return None


def failure_reason(error: OSError | ValueError) -> str:
    """Return why a file cannot be read or written; a name that can be none is a ``ValueError``."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def make_folder(folder: Path) -> None:
    """Make a folder to write into, where it is missing.

    Raises:
        SabaccError: where it cannot be made, or not be written into.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise SabaccError(
            f"{folder}: this folder cannot be made ({failure_reason(error)}); name another"
        ) from None
    if not os.access(folder, os.W_OK):
        raise SabaccError(f"{folder}: this folder cannot be written into; name another")


def check_writable(path: Path) -> None:
    """Refuse a file that could not be written, before the work that it is to hold the result of.

    Raises:
        SabaccError: where it is a folder, or none can be made or written into for it.
    """
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        there = next(folder for folder in path.absolute().parents if folder.exists())
        with tempfile.TemporaryFile(dir=there):
            pass
    except (OSError, ValueError) as error:
        raise SabaccError(
            f"{path}: cannot be written ({failure_reason(error)}); name another"
        ) from None


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file in one step, and onto the disk before this returns.

    What the file held before stays whole until all of ``data`` is there. Where the process is
    killed, a hidden file beside it is left, which ``remove_partial_files`` removes.

    Raises:
        SabaccError: where it cannot be written: the disk is full, its folder is gone, and so on.
    """
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        try:
            with draft.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
        _sync_folder(path.parent)
    except (OSError, ValueError) as error:
        why = failure_reason(error) if path.parent.is_dir() else "there is no such folder"
        raise SabaccError(f"{path}: cannot be written ({why})") from None


def write_text(path: Path, text: str) -> None:
    """Write a text file as ``write_bytes`` does: UTF-8, its line ends as they are."""
    write_bytes(path, text.encode())


def remove_partial_files(folder: Path, name: str | None = None) -> None:
    """Remove what killed processes left in a folder when they wrote files, or one of this name.

    Nobody else may be writing there now.
    """
    named = "*" if name is None else escape(name)
    for draft in folder.glob(f".{named}.{'[0-9a-f]' * 8}"):
        draft.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    """Bring a folder's new names onto the disk, where the system can."""
    if os.name == "nt":
        return
    with contextlib.suppress(OSError):  # some file systems cannot
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
