"""Where compiled code is kept: folders that nobody else can write into.

What lies there is run. So each folder belongs to this user and to nobody else, is no symbolic link,
and is named by a hash of all that decides the machine code, so that it can never be stale.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numba
import platformdirs


def fingerprint() -> str:
    """Hash what decides the machine code: the engine's sources, Numba, and its bounds checks."""
    digest = hashlib.sha256(f"{numba.__version__} {numba.config.BOUNDSCHECK}".encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def own_folder() -> str | None:
    """Return a writable folder of this user's own for this engine; None where there is none."""
    for parent in _parents():
        folder = parent / f"engine-{fingerprint()}"
        try:
            parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not _is_of_user(parent):
                continue
            parent.chmod(0o700)
            folder.mkdir(mode=0o700, exist_ok=True)
            if not _is_of_user(folder) or _others_can_write(folder):
                continue
            with tempfile.TemporaryFile(dir=folder):
                return str(folder)
        except OSError:
            continue
    return None


def _parents() -> Iterator[Path]:
    """Yield the folders that may hold caches, the best first."""
    yield platformdirs.user_cache_path("sabacc-env")
    try:
        temporary = Path(tempfile.gettempdir())
    except FileNotFoundError:
        return
    only_owners_rename = bool(temporary.stat().st_mode & stat.S_ISVTX)
    if only_owners_rename or not _others_can_write(temporary):
        yield temporary / f"sabacc-env-{_user()}"


def _is_of_user(folder: Path) -> bool:
    """Say whether a folder is this user's, and no link to another one."""
    status = folder.lstat()
    return stat.S_ISDIR(status.st_mode) and status.st_uid == _user()


def _others_can_write(folder: Path) -> bool:
    # On Windows both folders lie in the user's own, and modes say nothing.
    others = stat.S_IWGRP | stat.S_IWOTH
    return os.name != "nt" and bool(folder.stat().st_mode & others)


def _user() -> int:
    return os.getuid() if hasattr(os, "getuid") else 0
