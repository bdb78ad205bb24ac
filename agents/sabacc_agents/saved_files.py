"""Files of arrays that an agent plays by: one ``.safetensors`` each, whole or not at all.

Its header holds, under a format's name, a JSON description of what it was made for, and in this a
checksum of the whole file, itself left out. Everything that reads or writes one imports what the
extra ``train`` brings only when it is used.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import re
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from numpy.typing import NDArray

from sabacc_agents import zoo
from sabacc_env.actions import BetSize, encode_bet_sizes
from sabacc_env.cards import as_int
from sabacc_env.errors import SabaccError, how_to_install, short_repr
from sabacc_env.observation import OBSERVATION_SIZE, observation_version
from sabacc_env.rules import RuleSet, load_rules
from sabacc_env.storage.files import failure_reason, write_bytes

SUFFIX: Final = ".safetensors"

UNKNOWN: Final = "0" * 64
"""Stands in a file in the place of its checksum while this is worked out."""

CHECKSUM: Final = re.compile(rb'\\"sha256\\": \\"(.{64})\\"', re.DOTALL)
"""Where the header of a file, JSON within JSON, has its checksum."""


def write_arrays(
    path: str | Path,
    arrays: Mapping[str, NDArray[Any]],
    form: str,
    version: int,
    described: Mapping[str, Any],
) -> None:
    """Write arrays and their description to a file.

    Args:
        path: a path that ends in ``.safetensors``.
        arrays: contiguous, by name.
        form: the name of the format.
        version: which version of it this is.
        described: plain data.

    Raises:
        SabaccError: for another name, a description that is no plain data, or a file that cannot be
            written.
    """
    path = Path(path)
    if path.suffix != SUFFIX:
        raise SabaccError(f"{path}: give a file name that ends in {SUFFIX}")
    description = {
        "version": version,
        "observation_size": OBSERVATION_SIZE,
        "observation_version": observation_version(),
        **described,
        "sha256": UNKNOWN,
    }
    try:
        text = json.dumps(description, sort_keys=True)
    except (TypeError, ValueError) as error:
        raise SabaccError(f"training: cannot be written as JSON ({error})") from None
    data: bytes = needs("safetensors.numpy").save(dict(arrays), metadata={form: text})
    write_bytes(path, data.replace(UNKNOWN.encode(), _checksum(data), 1))


def read_arrays(path: str | Path) -> dict[str, NDArray[Any]]:
    """Return the arrays of a file by name.

    Raises:
        SabaccError: for a file that cannot be read, is no safetensors file, or is damaged.
    """
    arrays: dict[str, NDArray[Any]] = _opened(
        path,
        lambda file: {name: file.get_tensor(name) for name in file.keys()},  # noqa: SIM118
    )
    return arrays


def forms(path: str | Path) -> tuple[str, ...]:
    """Return under which formats' names a file describes itself.

    Raises:
        SabaccError: as ``read_arrays``.
    """
    return tuple(_opened(path, lambda file: file.metadata()) or ())


def read_description(path: str | Path, form: str, version: int, kind: str) -> dict[str, Any]:
    """Return the description of a file, made for observations as they are now.

    Args:
        path: the file.
        form: the format's name in its header.
        version: the version that is read; of the one before, which had no checksums, too.
        kind: what errors call it, ``"network"`` or so.

    Raises:
        SabaccError: as ``read_arrays``; for a file of something else, or made for other versions.
    """
    metadata = _opened(path, lambda file: file.metadata()) or {}
    if form not in metadata:
        raise SabaccError(f"{path}: this safetensors file is not a {kind} that this package saved")
    try:
        described: dict[str, Any] = json.loads(metadata[form])
        found, size = described["version"], described["observation_size"]
        if found == version:
            described.pop("sha256")
    except (KeyError, TypeError, json.JSONDecodeError) as error:
        raise SabaccError(f"{path}: its description is damaged ({error})") from None
    if found == version - 1:
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
    if described.get("observation_version") != observation_version():
        raise SabaccError(
            f"{path}: was made for another version of the observation; make it again with this "
            "version"
        )
    return described


def check_fit(
    label: str,
    made_for: tuple[Sequence[RuleSet], Sequence[int], Sequence[BetSize]],
    rules: str | Path | RuleSet | None,
    num_players: int | None,
    bet_sizes: Sequence[BetSize],
) -> None:
    """Refuse to play at tables that something was not made for: rules, players, bet sizes.

    Args:
        label: what errors call it.
        made_for: the rule sets and the numbers of players that it is for; the bet sizes.
        rules: what is played; None for what it was made for.
        num_players: seats there; likewise.
        bet_sizes: what the bet actions mean there.

    Raises:
        SabaccError: one sentence that starts with the label and says what differs.
    """
    made_rules, made_players, made_sizes = made_for
    rules = made_rules[0] if rules is None else load_rules(rules)
    if all(made.digest != rules.digest for made in made_rules):
        names = dict.fromkeys(made.name for made in made_rules)
        other = "other rules of that name" if rules.name in names else repr(rules.name)
        raise SabaccError(
            f"{label}: was made for the rules {', '.join(map(repr, names))}, not {other}"
        )
    if num_players is not None and as_int(num_players) not in made_players:
        several = ", ".join(map(str, made_players))
        raise SabaccError(f"{label}: was made for {several} players, not {short_repr(num_players)}")
    if encode_bet_sizes(made_sizes).tobytes() != encode_bet_sizes(bet_sizes).tobytes():
        raise SabaccError(
            f"{label}: was made for the bet sizes {plain_sizes(made_sizes)}, not "
            f"{plain_sizes(bet_sizes)}"
        )


def is_saved(spec: str | Path) -> bool:
    """Say whether a spec means a saved agent: the path of a file, or a member of the zoo."""
    return isinstance(spec, Path) or str(spec).endswith(SUFFIX) or zoo.is_member(spec)


def located(spec: str | Path) -> Path:
    """Return the file that the spec of a saved agent means.

    Raises:
        SabaccError: for a name that no member of the zoo has.
    """
    if not isinstance(spec, str | Path):
        raise SabaccError(f"path: {short_repr(spec)} is not the path of a file")
    if zoo.is_member(spec):
        return zoo.network_file(str(spec).removeprefix(zoo.PREFIX))
    return Path(spec)


def plain_sizes(bet_sizes: Sequence[BetSize]) -> list[str | int | float]:
    """Return bet sizes as JSON can hold them."""
    return [size if isinstance(size, str | int) else float(size) for size in bet_sizes]


def needs(module: str) -> ModuleType:
    """Import what the extra ``train`` brings, or say how to install it."""
    package = module.partition(".")[0]
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError:
        raise SabaccError(f"a saved agent needs {package}; {how_to_install('train')}") from None
    except ImportError as error:  # it is there: memory is short, or a library of its is missing
        raise SabaccError(f"{package}: cannot be loaded ({error})") from None


def _opened(path: str | Path, read: Any) -> Any:
    """Apply a function to an open safetensors file, its arrays NumPy's."""
    safetensors = needs("safetensors")
    try:
        file = located(path)
        _refuse_damaged(path, file.read_bytes())
        with safetensors.safe_open(file, framework="np") as opened:
            return read(opened)
    except SabaccError:
        raise
    except safetensors.SafetensorError as error:
        raise SabaccError(f"{path}: is not a safetensors file ({error})") from None
    except (OSError, ValueError) as error:
        raise SabaccError(f"{path}: cannot be read ({failure_reason(error)})") from None


def _refuse_damaged(path: str | Path, data: bytes) -> None:
    header = data[: 8 + int.from_bytes(data[:8], "little")]
    found = CHECKSUM.search(header)
    if found is None:
        return
    checksum = found[1]
    if _checksum(data.replace(checksum, UNKNOWN.encode(), 1)) != checksum:
        raise SabaccError(f"{path}: is damaged: its checksum does not match")


def _checksum(data: bytes) -> bytes:
    """Return the checksum of a file that has ``UNKNOWN`` in its place."""
    return hashlib.sha256(data).hexdigest().encode()
