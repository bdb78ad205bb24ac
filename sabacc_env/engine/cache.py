"""The cache of compiled code, in folders that nobody else can write into.

The engine runs the code that it finds there. So each folder belongs to this user and is no symbolic
link. Its name is a hash of all that decides the machine code, so that the code can never be stale.
Each file has a checksum: a damaged file is treated as missing and replaced.
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
"""The sources outside the engine whose constants are compiled in."""
LIBRARIES: Final = ("sabacc_env", "sabacc_agents")
"""The packages whose functions and constants are compiled into those of other packages."""


class DiskCache(NullCache):
    """Caches the machine code of a function, a file for each signature, instead of Numba's cache.

    Args:
        function: the function in Python.
        on_failure: called when no folder can be written.
    """

    def __init__(self, function: Callable[..., Any], on_failure: Callable[[], None]) -> None:
        self._function = function
        self._on_failure = on_failure

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the code for a signature, or None if the cache has none that is undamaged."""
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
        """Write the code for a signature into the first folder that can be written."""
        name = self._file_name(sig, data.codegen)
        content = pack_with_checksum(FORMAT, {}, dumps(data._reduce()))
        for folder in _folders():
            try:
                _make_safe(folder)
                write_bytes(folder / name, content)
            except (OSError, SabaccError):
                continue
            return
        self._on_failure()

    def _file_name(self, sig: Any, codegen: Any) -> str:
        """Return a name with a hash of what decides the code and is not in the folder's name."""
        libraries = tuple(
            Path(str(sys.modules[name].__file__)) for name in LIBRARIES if name in sys.modules
        )
        sources = _other_sources(Path(self._function.__code__.co_filename), libraries)
        inputs = f"{sig} {codegen.magic_tuple()} {sources}"
        digest = hashlib.sha256(inputs.encode()).hexdigest()[:24]
        return f"{self._function.__module__}.{self._function.__qualname__}-{digest}"


@cache
def _other_sources(source: Path, libraries: tuple[Path, ...]) -> str:
    """Return a hash of each package outside the engine that a function of this file may call.

    They are the file's own and the libraries, each given by one of its files.
    """
    if source.parent.is_relative_to(ENGINE):
        return ""
    packages = {_package_of(file) for file in (source, *libraries)}
    return " ".join(_hash_of_package(package) for package in sorted(packages))


def _package_of(source: Path) -> Path:
    """Return the folder of a source's top package, the folder of a script, or an archive."""
    if archive := _archive_of(source):
        return archive
    folder = source.parent
    while (folder / "__init__.py").exists() and (folder.parent / "__init__.py").exists():
        folder = folder.parent
    return folder


@cache
def _hash_of_package(package: Path) -> str:
    """Hash all sources of a package or of a folder of scripts, or an archive."""
    if package.is_file():
        return _hash_of_files([package])
    is_package = (package / "__init__.py").exists()
    return _hash_of_files(sorted(package.rglob("*.py") if is_package else package.glob("*.py")))


def _archive_of(source: Path) -> Path | None:
    """Return the archive, such as a zipapp, that holds a source; None where it is a file itself."""
    return next((folder for folder in source.parents if folder.is_file()), None)


def _hash_of_files(files: list[Path]) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


# Folders.


@cache
def _folders() -> tuple[Path, ...]:
    """Return the possible cache folders, the best first."""
    parents = [platformdirs.user_cache_path("sabacc-env")]
    try:
        temporary = Path(tempfile.gettempdir())
    except FileNotFoundError:  # no temporary folder exists
        temporary = None
    if temporary is not None and not _others_can_rename_in(temporary):
        parents.append(temporary / f"sabacc-env-{_user()}")
    return tuple(parent / folder_name() for parent in parents)


@cache
def folder_name() -> str:
    """Return a name with a hash of all that decides the machine code of every function."""
    versions = sys.implementation.cache_tag, *(m.__version__ for m in (numba, llvmlite, np))
    archive = _archive_of(ENGINE / "cache.py")
    files = [archive] if archive else [*sorted(ENGINE.rglob("*.py")), *CONSTANTS]
    sources = _hash_of_files(files)
    inputs = f"{versions} {numba.config.BOUNDSCHECK} {sources}"
    return f"engine-{hashlib.sha256(inputs.encode()).hexdigest()[:16]}"


def _make_safe(folder: Path) -> None:
    """Make a folder that only this user can write into.

    Raises:
        OSError: if it cannot be made, or an unsafe folder of that name exists.
    """
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if _belongs_to_user(folder.parent):
        folder.parent.chmod(0o700)
    folder.mkdir(mode=0o700, exist_ok=True)
    if not _is_safe(folder):
        raise PermissionError(f"{folder}: others may have written into it")


def _is_safe(folder: Path) -> bool:
    """Say whether a folder exists that only this user can have written into."""
    return all(
        _belongs_to_user(each) and not _others_can_write(each) for each in (folder.parent, folder)
    )


def _belongs_to_user(folder: Path) -> bool:
    """Say whether a path is a folder of this user, and no link to one."""
    try:
        status = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == _user()


def _others_can_rename_in(folder: Path) -> bool:
    return _others_can_write(folder) and not folder.stat().st_mode & stat.S_ISVTX


def _others_can_write(folder: Path) -> bool:
    # On Windows these folders are in the user's own folder, and modes mean nothing.
    others = stat.S_IWGRP | stat.S_IWOTH
    return os.name != "nt" and bool(folder.stat().st_mode & others)


def _user() -> int:
    return os.getuid() if hasattr(os, "getuid") else 0
