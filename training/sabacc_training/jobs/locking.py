"""Locks: who writes into a folder, or a file, is alone there until it ends or is killed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from sabacc_env.errors import SabaccError
from sabacc_env.storage.files import make_folder, remove_partial_files


@contextmanager
def made_folder(folder: Path) -> Iterator[None]:
    """Make a folder and those above it where they are missing; remove those that stay empty.

    Raises:
        SabaccError: where it cannot be made or written into.
    """
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    make_folder(folder)
    try:
        yield
    finally:
        with suppress(OSError):  # the first that is not empty, and those above it, stay
            for each in missing:
                each.rmdir()


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Keep other processes from writing into a folder; it is made where it is missing.

    What killed processes left of writing files is removed. Folders that were made and stayed empty
    are removed again.

    Raises:
        SabaccError: where another process has it, or it cannot be made or written into.
    """
    taken = f"{folder}: another process is writing into this folder"
    with made_folder(folder), _locked(folder / ".lock", taken):
        remove_partial_files(folder)
        yield


@contextmanager
def locked_file(path: Path) -> Iterator[None]:
    """Keep other processes from writing a file, as ``locked_folder`` does of a folder.

    Raises:
        SabaccError: where another process has it, or its folder cannot be made or written into.
    """
    lock = path.with_name(f".{path.name}.lock")
    with made_folder(path.parent), _locked(lock, f"{path}: another process is writing this file"):
        remove_partial_files(path.parent, path.name)
        yield


@contextmanager
def _locked(lock: Path, taken: str) -> Iterator[None]:
    """Hold a lock, which the system takes back from a process that ends in whatever way."""
    held = FileLock(lock)
    try:
        held.acquire(blocking=False)
    except Timeout:
        raise SabaccError(f"{taken}; wait until it ends, or name another") from None
    except OSError as error:
        raise SabaccError(f"{lock}: cannot be written ({error.strerror})") from None
    try:
        yield
    finally:
        with suppress(OSError):
            lock.unlink()  # while it is held: nobody can have it between
        held.release()
