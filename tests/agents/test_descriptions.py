"""Saved agents that somebody made on purpose: sealed, and described as no agent can be."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sabacc_agents import equilibrium
from sabacc_agents.equilibrium import TabularPolicy, save_policy
from sabacc_agents.loading import load
from sabacc_agents.networks import network
from sabacc_agents.saved_files import (
    formats_in,
    path_of,
    read_arrays,
    read_description,
    write_arrays,
)

from sabacc_env import SabaccError, load_rules

pytest.importorskip("safetensors")

ODD: list[Any] = [None, 5, -1, 2**70, 1.5, "x", "", [], [None], ["x"], [5], [[]], {}, {"a": 1}]
ODD += [True, [2, 9], [2.5], [True], ["min", "zz"], ["{"], ["[]"], "MISSING"]

SENSIBLE: dict[str, dict[str, list[Any]]] = {
    "network": {
        "num_players": [[5]],
        "training": [{}, {"a": 1}],
        "layer_sizes": ODD,  # for people to read; the arrays say it
    },
    "policy": {"num_players": [5], "solved": [{}, {"a": 1}], "suits_alike": [True]},
}
"""What may stand in a description, among the odd values."""


def a_policy(path: Path) -> Path:
    arrays = {
        "keys": np.array([1, 2]),
        "first": np.array([0, 1, 3], np.int32),
        "actions": np.array([0, 1, 2], np.int8),
        "probabilities": np.array([1, 0.25, 0.75]),
    }
    save_policy(path, TabularPolicy(load_rules("casino"), 2, ("min", 0.5, 1, "max"), False, arrays))
    return path


Arrays = dict[str, NDArray[Any]]
Described = dict[str, Any]


def opened(
    kind: str, folder: Path
) -> tuple[Arrays, Described, Callable[[Arrays, Described], Path]]:
    """Return what is in a file, and a function that writes another one, sealed as it is."""
    path = path_of("zoo:casino-2p") if kind == "network" else a_policy(folder / "p.safetensors")
    (format_name,) = formats_in(path)
    version = network.VERSION if kind == "network" else equilibrium.VERSION
    described = read_description(path, format_name, version, kind)
    for key in ("version", "observation_size", "observation_version"):
        del described[key]

    def write(arrays: Arrays, described: Described) -> Path:
        write_arrays(folder / "odd.safetensors", arrays, format_name, version, described)
        return folder / "odd.safetensors"

    return read_arrays(path), described, write


@pytest.mark.parametrize("kind", ["network", "policy"])
def test_a_description_of_no_agent_is_refused(kind: str, tmp_path: Path) -> None:
    arrays, described, write = opened(kind, tmp_path)
    refused = 0
    for key in described:
        for value in ODD:
            changed = described | {key: value}
            if value == "MISSING":
                del changed[key]
            odd_file = write(arrays, changed)
            if value in SENSIBLE[kind].get(key, []):
                load(odd_file)
                continue
            with pytest.raises(SabaccError):
                load(odd_file)
            refused += 1
    assert refused > 80


@pytest.mark.parametrize("kind", ["network", "policy"])
def test_arrays_of_no_agent_are_refused(kind: str, tmp_path: Path) -> None:
    arrays, described, write = opened(kind, tmp_path)
    for name, array in arrays.items():
        for odd in (
            np.zeros(0, array.dtype),
            np.zeros((), array.dtype),
            np.zeros((3, 3), np.int64),
            np.full(array.shape, 7, np.uint8),
            array.astype(np.complex64) if array.dtype.kind == "f" else array.astype(np.float16),
            np.full(array.shape, np.nan if array.dtype.kind == "f" else -9, array.dtype),
            array[:-1],
        ):
            with pytest.raises(SabaccError):
                load(write(arrays | {name: np.ascontiguousarray(odd)}, described))
        with pytest.raises(SabaccError):
            load(write({k: a for k, a in arrays.items() if k != name}, described))


def test_a_description_that_is_no_object_is_refused(tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    for text in ("5", "[]", "null", '"x"', "{", json.dumps({"version": network.VERSION})):
        path = tmp_path / "x.safetensors"
        save_file({"a": np.zeros(2)}, path, metadata={network.FORMAT: text})
        with pytest.raises(SabaccError, match="description is damaged"):
            load(path)
