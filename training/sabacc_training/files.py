"""Files: written atomically, so that a reader, or an interrupted run, never finds half of one."""

from __future__ import annotations

import errno
import os
import secrets
import tempfile
from pathlib import Path

from sabacc_env.errors import SabaccError


def read_bytes(path: Path) -> bytes | None:
    """Return what is in a file; None where there is none, or none that can be read."""
    try:
        return path.read_bytes()
    except OSError:
        return None


def make_folder(folder: Path) -> None:
    """Make a folder to write into, where it is missing.

    Raises:
        SabaccError: where it cannot be made, or not be written into.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SabaccError(
            f"{folder}: this folder cannot be made ({error.strerror}); name another"
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
    except OSError as error:
        raise SabaccError(f"{path}: cannot be written ({error.strerror}); name another") from None


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file in one step; its folder is made where it is missing.

    Raises:
        SabaccError: where the folder cannot be made, or the file not be written.
    """
    make_folder(path.parent)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        try:
            temporary.write_bytes(data)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise SabaccError(f"{path}: cannot be written ({error.strerror})") from None


def write_text(path: Path, text: str) -> None:
    """Write a text file in one step, UTF-8, its line ends as they are."""
    write_bytes(path, text.encode())
