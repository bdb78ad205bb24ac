"""Where compiled code is kept: folders that nobody else can write into.

What lies there is run. So each folder belongs to this user and to nobody else, is no symbolic link,
and is named by a hash of all that decides the machine code, so that it can never be stale. Each
file has a checksum: a damaged one counts as absent, and is replaced.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import stat
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final

import llvmlite
import numba
import numpy as np
import platformdirs
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from sabacc_env import cards
from sabacc_env.errors import SabaccError
from sabacc_env.rules import limits
from sabacc_env.storage.checksums import pack_with_checksum, unpack_checked
from sabacc_env.storage.files import read_bytes, write_bytes

FORMAT: Final = b"sabacc-env compiled function 1\n"
ENGINE: Final = Path(__file__).parent
CONSTANTS: Final = (Path(cards.__file__), Path(limits.__file__))
"""The sources outside the engine whose constants its compiled code holds."""


class DiskCache(NullCache):
    """Keeps a function's machine code, in place of Numba's own cache: a file for each signature.

    Args:
        function: the function in Python.
        not_kept: is called where what was compiled could not be kept.
    """

    def __init__(self, function: Callable[..., Any], not_kept: Callable[[], None]) -> None:
        self._function = function
        self._not_kept = not_kept

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return what was compiled for a signature; None where it was not kept, or is damaged."""
        target_context.refresh()
        name = self._file_name(sig, target_context.codegen())
        for folder in filter(_is_safe, _folders()):
            try:
                _, code = unpack_checked(FORMAT, read_bytes(folder / name) or b"")
            except SabaccError:
                continue
            return CompileResult._rebuild(target_context, *pickle.loads(code))
        return None

    def save_overload(self, sig: Any, data: CompileResult) -> None:
        """Keep what was compiled for a signature, in the first folder that can be written."""
        name = self._file_name(sig, data.codegen)
        content = pack_with_checksum(FORMAT, {}, dumps(data._reduce()))
        for folder in _folders():
            try:
                _make_safe(folder)
                write_bytes(folder / name, content)
            except (OSError, SabaccError):
                continue
            return
        self._not_kept()

    def _file_name(self, sig: Any, codegen: Any) -> str:
        """Return a name that says what decides the code, beside what the folder's name says."""
        sources = _hash_of_sources_beside(Path(self._function.__code__.co_filename))
        decides = f"{sig} {codegen.magic_tuple()} {sources}"
        digest = hashlib.sha256(decides.encode()).hexdigest()[:24]
        return f"{self._function.__module__}.{self._function.__qualname__}-{digest}"


@cache
def _hash_of_sources_beside(source: Path) -> str:
    """Hash the sources that a function of this file may call, besides those of the engine.

    They are those of its whole package, or for a script those in its folder.
    """
    folder = source.parent
    if folder.is_relative_to(ENGINE):
        return ""
    if not (folder / "__init__.py").exists():
        return _hash_of_files(sorted(folder.glob("*.py")))
    while (folder.parent / "__init__.py").exists():
        folder = folder.parent
    return _hash_of_files(sorted(folder.rglob("*.py")))


def _hash_of_files(files: list[Path]) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


# Folders.


@cache
def _folders() -> tuple[Path, ...]:
    """Return the folders that code may be kept in, the best first."""
    parents = [platformdirs.user_cache_path("sabacc-env")]
    try:
        temporary = Path(tempfile.gettempdir())
    except FileNotFoundError:  # there is none
        temporary = None
    if temporary is not None and not _others_can_rename_in(temporary):
        parents.append(temporary / f"sabacc-env-{_user()}")
    return tuple(parent / folder_name() for parent in parents)


@cache
def folder_name() -> str:
    """Return a name made of all that decides the machine code of every function."""
    versions = sys.implementation.cache_tag, *(m.__version__ for m in (numba, llvmlite, np))
    sources = _hash_of_files([*sorted(ENGINE.rglob("*.py")), *CONSTANTS])
    decides = f"{versions} {numba.config.BOUNDSCHECK} {sources}"
    return f"engine-{hashlib.sha256(decides.encode()).hexdigest()[:16]}"


def _make_safe(folder: Path) -> None:
    """Make a folder that only this user can write into.

    Raises:
        OSError: where it cannot be made, or somebody else's is there.
    """
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if _is_of_user(folder.parent):
        folder.parent.chmod(0o700)
    folder.mkdir(mode=0o700, exist_ok=True)
    if not _is_safe(folder):
        raise PermissionError(f"{folder}: others may have written into it")


def _is_safe(folder: Path) -> bool:
    """Say whether a folder is there that only this user can have written into."""
    return all(
        _is_of_user(each) and not _others_can_write(each) for each in (folder.parent, folder)
    )


def _is_of_user(folder: Path) -> bool:
    """Say whether a folder is this user's, and no link to another one."""
    try:
        status = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == _user()


def _others_can_rename_in(folder: Path) -> bool:
    return _others_can_write(folder) and not folder.stat().st_mode & stat.S_ISVTX


def _others_can_write(folder: Path) -> bool:
    # On Windows these folders lie in the user's own, and modes say nothing.
    others = stat.S_IWGRP | stat.S_IWOTH
    return os.name != "nt" and bool(folder.stat().st_mode & others)


def _user() -> int:
    return os.getuid() if hasattr(os, "getuid") else 0
