"""Resolving agents as files: the blueprint that one plays, by name, and its settings.

The file (``saved_files``) has one array, the SHA-256 of the blueprint's file. The blueprint is a
member of the zoo, or a file in the same folder.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from sabacc_agents import zoo
from sabacc_agents.blueprint.blueprint import NUM_PLAYERS, Blueprint, load_blueprint
from sabacc_agents.resolving.last_phase import RangeSettings, check_iterations, check_rules
from sabacc_agents.saved_files import (
    formats_in,
    path_of,
    read_arrays,
    read_description,
    write_arrays,
)
from sabacc_env.errors import SabaccError, short_repr

FORMAT: Final = "sabacc-resolving"
VERSION: Final = 1


@dataclass(frozen=True)
class Resolving:
    """What a resolving agent plays.

    Attributes:
        blueprint: ``zoo:NAME``, or the name of a file.
        iterations: the iterations of CFR for a betting phase.
        ranges: how ranges are drawn.

    Raises:
        SabaccError: for a wrong number of iterations.
    """

    blueprint: str
    iterations: int
    ranges: RangeSettings

    def __post_init__(self) -> None:
        check_iterations(self.iterations)


def save_resolving(path: str | Path, resolving: Resolving) -> None:
    """Write a resolving agent to a file that ends in ``.safetensors``.

    Raises:
        SabaccError: for a blueprint that cannot be read, is in another folder or is this file, or
            whose rules no phase can be solved again for.
    """
    file = _blueprint_file(path, resolving.blueprint)
    if file.resolve() == Path(path).resolve():
        raise SabaccError(f"{path}: is the blueprint itself; give the agent another file name")
    if FORMAT in formats_in(file):
        raise SabaccError(f"{resolving.blueprint}: is a resolving agent; give its blueprint")
    check_rules(load_blueprint(file).rules)
    description = {
        "blueprint": resolving.blueprint,
        "iterations": resolving.iterations,
        "ranges": asdict(resolving.ranges),
    }
    write_arrays(path, {"digest": _digest(file)}, FORMAT, VERSION, description)


def load_resolving(path: str | Path) -> tuple[Resolving, Blueprint]:
    """Read a resolving agent, and its blueprint.

    Raises:
        SabaccError: for a file that cannot be read, or is not a resolving agent of this version, or
            whose blueprint is missing or another one.
    """
    path = path_of(path)
    description: Mapping[str, Any] = read_description(path, FORMAT, VERSION, "resolving agent")
    try:
        resolving = Resolving(
            description["blueprint"],
            description["iterations"],
            RangeSettings(**description["ranges"]),
        )
        digest = read_arrays(path)["digest"]
    except (KeyError, TypeError, SabaccError) as error:
        raise SabaccError(f"{path}: its description is damaged ({error})") from None
    file = _blueprint_file(path, resolving.blueprint)
    blueprint = load_blueprint(file)
    if digest.tobytes() != _digest(file).tobytes():
        raise SabaccError(
            f"{path}: was made for another blueprint than {resolving.blueprint} is now; make it "
            "again (sabacc resolving)"
        )
    return resolving, blueprint


def made_for(path: str | Path) -> tuple[Any, tuple[int, ...], Any]:
    """Return the rules, the numbers of players and the bet sizes of a resolving agent."""
    _, blueprint = load_resolving(path)
    return blueprint.all_rules, (NUM_PLAYERS,), blueprint.bet_sizes


def _blueprint_file(path: str | Path, blueprint: Any) -> Path:
    """Return the path of a blueprint that a resolving agent names.

    Raises:
        SabaccError: for what is neither a member of the zoo nor the name of a file that is there.
    """
    if isinstance(blueprint, str) and zoo.is_member(blueprint):
        return path_of(blueprint)
    if not isinstance(blueprint, str) or Path(blueprint).name != blueprint or not blueprint:
        raise SabaccError(
            f"blueprint: give a member of the zoo (zoo:NAME), or the name of a file in the folder "
            f"of the agent, not {short_repr(blueprint)}"
        )
    file = Path(path).parent / blueprint
    if not file.exists():
        raise SabaccError(f"{file}: there is no blueprint here; zoo:NAME means one of the zoo")
    return file


def _digest(file: Path) -> np.ndarray[Any, np.dtype[np.uint8]]:
    return np.frombuffer(hashlib.sha256(file.read_bytes()).digest(), np.uint8)
