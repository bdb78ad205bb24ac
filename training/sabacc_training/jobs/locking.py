"""Locks: only one process at a time writes into a folder or a file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from sabacc_env.errors import SabaccError
from sabacc_env.storage.files import make_folder, remove_partial_files


@contextmanager
def created_folder(folder: Path) -> Iterator[None]:
    """Create a folder and its missing parents; afterwards remove those that stayed empty.

    Raises:
        SabaccError: where the folder cannot be made or written into.
    """
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    make_folder(folder)
    try:
        yield
    finally:
        with suppress(OSError):  # the first folder that is not empty, and its parents, stay
            for each in missing:
                each.rmdir()


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Keep other processes from writing into a folder, which is created where it is missing.

    Half-written files that killed processes left there are removed. Folders that were created here
    and stayed empty are removed again.

    Raises:
        SabaccError: where another process holds the folder, or it cannot be made or written into.
    """
    taken = f"{folder}: another process is writing into this folder"
    with created_folder(folder), _locked(folder / ".lock", taken):
        remove_partial_files(folder)
        yield


@contextmanager
def locked_file(path: Path) -> Iterator[None]:
    """Keep other processes from writing a file, as ``locked_folder`` does for a folder.

    Raises:
        SabaccError: where another process holds the file, or its folder cannot be written into.
    """
    lock = path.with_name(f".{path.name}.lock")
    with (
        created_folder(path.parent),
        _locked(lock, f"{path}: another process is writing this file"),
    ):
        remove_partial_files(path.parent, path.name)
        yield


@contextmanager
def _locked(lock: Path, taken: str) -> Iterator[None]:
    """Hold a lock, which the operating system releases however the process ends."""
    held = FileLock(lock)
    try:
        held.acquire(blocking=False)
    except Timeout:
        raise SabaccError(f"{taken}; wait until it ends, or choose another") from None
    except OSError as error:
        raise SabaccError(f"{lock}: cannot be written ({error.strerror})") from None
    try:
        yield
    finally:
        with suppress(OSError):
            lock.unlink()  # while it is held, so that no other process gets it in between
        held.release()
