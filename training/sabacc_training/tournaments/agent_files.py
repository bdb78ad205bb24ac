"""The files that agents are made of: their content, not their name, says which agent played."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable
from functools import lru_cache
from importlib.machinery import PathFinder
from pathlib import Path

from sabacc_agents.external.spec import ProcessSpec
from sabacc_agents.language_models.spec import ModelSpec
from sabacc_agents.saved_files import is_saved, path_of
from sabacc_agents.specs import outside_spec

from sabacc_env.errors import SabaccError
from sabacc_env.storage.files import failure_reason


def identity(spec: str) -> str:
    """Return what identifies an agent: the hash of a saved one, otherwise its spec and its hash.

    A registered agent has no hash: the version of the package says what it is. Of a language model
    it is all of its spec that decides how it plays; nobody knows whether its endpoint changes.

    Raises:
        SabaccError: for a file that cannot be read.
    """
    if isinstance(outside := outside_spec(spec), ModelSpec):
        return outside.identity
    digest = agent_digest(spec)
    if is_saved(spec):
        return digest
    return f"{spec} {digest}" if digest else spec


def agent_digest(spec: str) -> str:
    """Return the SHA-256 of the file that an agent is made of; "" where there is none.

    Raises:
        SabaccError: for a file that cannot be read.
    """
    path = agent_file(spec)
    return "" if path is None else file_digest(path)


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file.

    Raises:
        SabaccError: where it cannot be read.
    """
    try:
        state = path.stat()
        return _digest(path.absolute(), state.st_mtime_ns, state.st_size, state.st_ino)
    except OSError as error:
        raise SabaccError(f"{path}: cannot be read ({failure_reason(error)})") from None


def agent_file(spec: str) -> Path | None:
    """Return the file that an agent is made of; None where there is none, or it is absent.

    A saved agent is its file. Of ``module:Class`` it is the module's source; of a process the first
    word of its command that names a file: the program, or the script where an interpreter is named
    without its path. Nobody knows what these load in turn.
    """
    if is_saved(spec):
        return path_of(spec)
    if (outside := outside_spec(spec)) is not None:
        return _first_file(outside.words) if isinstance(outside, ProcessSpec) else None
    module, colon, _ = spec.partition(":")
    return _source(module, Path.cwd()) if colon else None


def _first_file(words: Iterable[str]) -> Path | None:
    return next((path for path in map(Path, words) if path.is_file()), None)


@lru_cache
def _source(module: str, folder: Path) -> Path | None:
    """Return the source of a module, found as ``load`` finds it, without running any of it."""
    places: list[str] | None = [str(folder), *sys.path]
    found = None
    for name in module.split("."):
        found = PathFinder.find_spec(name, places)
        if found is None:
            return None
        places = list(found.submodule_search_locations or ())
    return Path(found.origin) if found is not None and found.has_location and found.origin else None


@lru_cache
def _digest(path: Path, *_: int) -> str:
    """Return a hash of a file; the numbers change where the file does."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
