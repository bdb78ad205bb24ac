"""The zoo: trained networks and blueprints that ship with the package, in this folder.

Each member has a file ``NAME.safetensors`` and a model card ``NAME.json``. ``sabacc zoo`` lists the
members. ``zoo:NAME`` names one wherever an agent is named.
"""

from __future__ import annotations

import atexit
from contextlib import ExitStack
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final

from sabacc_agents.zoo.model_card import ModelCard
from sabacc_env.errors import SabaccError, short_repr

PREFIX: Final = "zoo:"
"""The prefix of a member's spec."""

FOLDER = Path(__file__).parent
"""The folder of the members; it does not exist where the package is in an archive."""

IN_ARCHIVE: Final = not FOLDER.is_dir()
"""Whether the package is in an archive."""

SUFFIX: Final = ".safetensors"


def members() -> tuple[str, ...]:
    """Return the names of all members."""
    files = resources.files(__name__) if IN_ARCHIVE else FOLDER
    names = [file.name for file in files.iterdir()] if files.is_dir() else []
    return tuple(sorted(name.removesuffix(SUFFIX) for name in names if name.endswith(SUFFIX)))


def is_member(spec: str | Path) -> bool:
    """Say whether a spec means a member of the zoo.

    >>> is_member("zoo:casino-2p"), is_member("runs/casino-2p.safetensors")
    (True, False)
    """
    return isinstance(spec, str) and spec.startswith(PREFIX)


def network_file(name: str) -> Path:
    """Return the file of a member.

    Raises:
        SabaccError: if no member has that name; the message lists the members.
    """
    if name not in members():
        there_are = f"there are {', '.join(members())}" if members() else "it is empty"
        raise SabaccError(f"agent: the zoo has no member {short_repr(name)}; {there_are}")
    return _file(f"{name}{SUFFIX}")


def read_card(name: str) -> ModelCard:
    """Return a member's model card.

    Raises:
        SabaccError: if no member has that name, or its card cannot be read.
    """
    network_file(name)
    return ModelCard.read(_file(f"{name}.json"))


def _file(name: str) -> Path:
    return _extracted(name) if IN_ARCHIVE else FOLDER / name


@cache
def _extracted(name: str) -> Path:
    """Return a file of this package, out of an archive, until Python ends."""
    files = ExitStack()
    atexit.register(files.close)
    return files.enter_context(resources.as_file(resources.files(__name__) / name))
