"""Saved agents: safetensors files of arrays, with a checksum.

The metadata of a file hold a JSON description under the name of the file's format. It says what the
arrays were made for. Its ``sha256`` is the checksum of the whole file, computed with a placeholder
in its own place. The packages of the extra ``train`` are imported only when a file is read or
written.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sabacc_agents import zoo
from sabacc_env.actions import BetSize, encode_bet_sizes
from sabacc_env.cards import as_int
from sabacc_env.errors import SabaccError, how_to_install, short_repr
from sabacc_env.observation import OBSERVATION_SIZE, observation_version
from sabacc_env.rules import RuleSet, load_rules
from sabacc_env.storage.files import failure_reason, write_bytes

SUFFIX: Final = ".safetensors"
PROCESS_PREFIX: Final = "process:"
"""Starts the spec of a process."""

MODEL_PREFIX: Final = "model:"
"""Starts the spec of a language model behind an endpoint."""

CHECKSUM_PLACEHOLDER: Final = b"0" * 64
"""Stands in the place of a file's checksum while the checksum is computed."""

CHECKSUM_PATTERN: Final = re.compile(rb'\\"sha256\\": \\"(.{64})\\"', re.DOTALL)
"""Finds the checksum in a file's header, which is JSON that holds escaped JSON."""


def write_arrays(
    path: str | Path,
    arrays: Mapping[str, NDArray[Any]],
    format_name: str,
    version: int,
    description: Mapping[str, Any],
) -> None:
    """Write arrays and their description to a file, whole or not at all.

    Args:
        path: a path that ends in ``.safetensors``.
        arrays: arrays by name.
        format_name: the name of the format.
        version: the version of the format.
        description: plain data. The versions and the checksum are added to it.

    Raises:
        SabaccError: if the path has another suffix, JSON cannot hold the description, or the file
            cannot be written.
    """
    path = Path(path)
    if path.suffix != SUFFIX:
        raise SabaccError(f"{path}: give a file name that ends in {SUFFIX}")
    whole = {
        "version": version,
        "observation_size": OBSERVATION_SIZE,
        "observation_version": observation_version(),
        **description,
        "sha256": CHECKSUM_PLACEHOLDER.decode(),
    }
    try:
        text = json.dumps(whole, sort_keys=True)
    except (TypeError, ValueError) as error:
        raise SabaccError(f"{path}: its description cannot be written as JSON ({error})") from None
    safetensors = import_extra("safetensors.numpy")
    # safetensors writes the memory of an array as it is, in whatever order.
    in_order = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    data: bytes = safetensors.save(in_order, metadata={format_name: text})
    write_bytes(path, data.replace(CHECKSUM_PLACEHOLDER, _checksum(data), 1))


def read_arrays(path: str | Path) -> dict[str, NDArray[Any]]:
    """Return the arrays of a file by name.

    Raises:
        SabaccError: for a file that cannot be read, is not a safetensors file, or is damaged.
    """
    arrays: dict[str, NDArray[Any]] = _read(
        path,
        lambda file: {name: file.get_tensor(name) for name in file.keys()},  # noqa: SIM118
    )
    return arrays


def formats_in(path: str | Path) -> tuple[str, ...]:
    """Return the names of the formats that a file has descriptions for.

    Raises:
        SabaccError: as ``read_arrays``.
    """
    return tuple(_read_metadata(path))


def read_description(
    path: str | Path,
    format_name: str,
    version: int,
    kind: str,
    *,
    unchecked_version: int | None = None,
) -> dict[str, Any]:
    """Return the description of a file that was made for the present observations.

    Args:
        path: the file.
        format_name: the name of the format.
        version: the version of the format.
        kind: what error messages call the contents, such as ``"network"``.
        unchecked_version: an older version that had no checksum. It can be read too, with a
            warning.

    Raises:
        SabaccError: as ``read_arrays``; also for a file of another format or version, or one that
            was made for other observations.
    """
    metadata = _read_metadata(path)
    if format_name not in metadata:
        raise SabaccError(f"{path}: this safetensors file is not a {kind} that this package saved")
    try:
        description: dict[str, Any] = json.loads(metadata[format_name])
        found, size = description["version"], description["observation_size"]
        if found == version:
            description.pop("sha256")
    except (KeyError, TypeError, json.JSONDecodeError) as error:
        raise SabaccError(f"{path}: its description is damaged ({error})") from None
    if found == unchecked_version:
        warnings.warn(
            f"{path}: has no checksum, because an older version saved it: damage cannot be noticed",
            stacklevel=2,
        )
    elif found != version:
        raise SabaccError(
            f"{path}: is a {kind} of format version {found}; this package reads {version}"
        )
    if size != OBSERVATION_SIZE:
        raise SabaccError(
            f"{path}: was made for observations of {size} numbers; this version has "
            f"{OBSERVATION_SIZE}"
        )
    if description.get("observation_version") != observation_version():
        raise SabaccError(
            f"{path}: was made for another version of the observation; make it again with this "
            "version"
        )
    return description


def check_made_for(
    label: str,
    made_for: tuple[Sequence[RuleSet], Sequence[int], Sequence[BetSize]],
    rules: str | Path | RuleSet | None,
    num_players: int | None,
    bet_sizes: Sequence[BetSize],
    *,
    any_rules: bool = False,
) -> None:
    """Check that a saved agent was made for the game that it is to play.

    Args:
        label: what error messages call the agent.
        made_for: the rule sets, the numbers of players and the bet sizes that it was made for.
        rules: the rules that it is to play. None stands for its own.
        num_players: the number of seats. None stands for its own.
        bet_sizes: what the bet actions mean.
        any_rules: whether it plays all rule sets.

    Raises:
        SabaccError: if the game is another one. The message starts with the label and says what
            differs.
    """
    made_rules, made_players, made_sizes = made_for
    rules = made_rules[0] if rules is None else load_rules(rules)
    if not any_rules and all(made.digest != rules.digest for made in made_rules):
        names = dict.fromkeys(made.name for made in made_rules)
        other = "other rules of that name" if rules.name in names else repr(rules.name)
        raise SabaccError(
            f"{label}: was made for the rules {', '.join(map(repr, names))}, not {other}"
        )
    if num_players is not None and as_int(num_players) not in made_players:
        numbers = ", ".join(map(str, made_players))
        raise SabaccError(f"{label}: was made for {numbers} players, not {short_repr(num_players)}")
    if encode_bet_sizes(made_sizes).tobytes() != encode_bet_sizes(bet_sizes).tobytes():
        raise SabaccError(
            f"{label}: was made for the bet sizes {bet_sizes_as_json(made_sizes)}, not "
            f"{bet_sizes_as_json(bet_sizes)}"
        )


def is_saved(spec: str | Path) -> bool:
    """Say whether a spec means a saved agent: the path of a file, or a member of the zoo."""
    if isinstance(spec, str) and spec.startswith((PROCESS_PREFIX, MODEL_PREFIX)):
        return False  # it may end as the name of such a file does
    return isinstance(spec, Path) or str(spec).endswith(SUFFIX) or zoo.is_member(spec)


def path_of(spec: str | Path) -> Path:
    """Return the path of the file that the spec of a saved agent means.

    Raises:
        SabaccError: if no member of the zoo has the name in the spec.
    """
    if not isinstance(spec, str | Path):
        raise SabaccError(f"path: {short_repr(spec)} is not the path of a file")
    if zoo.is_member(spec):
        return zoo.network_file(str(spec).removeprefix(zoo.PREFIX))
    return Path(spec)


def bet_sizes_as_json(bet_sizes: Sequence[BetSize]) -> list[str | int | float]:
    """Return bet sizes as values that JSON can hold."""
    return [size if isinstance(size, str | int) else float(size) for size in bet_sizes]


def import_extra(module: str) -> ModuleType:
    """Import a module that the extra ``train`` installs.

    Raises:
        SabaccError: if it is not installed, or cannot be loaded.
    """
    package = module.partition(".")[0]
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError:
        raise SabaccError(f"a saved agent needs {package}; {how_to_install('train')}") from None
    except ImportError as error:  # it is installed: memory is short, or a shared library is missing
        raise SabaccError(f"{package}: cannot be loaded ({error})") from None


def _read_metadata(path: str | Path) -> dict[str, str]:
    """Return the JSON descriptions in a file by the name of their format."""
    metadata: dict[str, str] | None = _read(path, lambda file: file.metadata())
    return metadata or {}


def _read(path: str | Path, read: Callable[[Any], Any]) -> Any:
    """Check a safetensors file and return what a function reads from it, arrays as NumPy's."""
    safetensors = import_extra("safetensors")
    try:
        file_path = path_of(path)
        _check_checksum(path, file_path.read_bytes())
        with safetensors.safe_open(file_path, framework="np") as file:
            return read(file)
    except SabaccError:
        raise
    except safetensors.SafetensorError as error:
        raise SabaccError(f"{path}: is not a safetensors file ({error})") from None
    except (OSError, ValueError) as error:
        raise SabaccError(f"{path}: cannot be read ({failure_reason(error)})") from None


def _check_checksum(path: str | Path, data: bytes) -> None:
    """Refuse a file whose checksum is wrong. Files of older versions have none."""
    header = data[: 8 + int.from_bytes(data[:8], "little")]
    found = CHECKSUM_PATTERN.search(header)
    if found is None:
        return
    checksum = found[1]
    if _checksum(data.replace(checksum, CHECKSUM_PLACEHOLDER, 1)) != checksum:
        raise SabaccError(f"{path}: is damaged: its checksum does not match")


def _checksum(data: bytes) -> bytes:
    """Return the checksum of a file that has the placeholder in its place."""
    return hashlib.sha256(data).hexdigest().encode()
