"""A saved policy network and its file.

The file (``saved_files``) holds the layers of a multilayer perceptron as arrays in float32 or
float16: ``layers.0.weight`` (outputs, inputs), ``layers.0.bias`` (outputs,), ``layers.1.weight``
and so on. The last layer gives the logits. Where a ``FeatureExtractor`` computes the inputs, the
file also holds ``features.columns``, ``features.terms`` and ``features.factors``. After these
inputs come those that are recalled (``recall``), if any. The description says what the network was
made for and how it was trained.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from sabacc_agents.networks.features import TERMS, FeatureExtractor
from sabacc_agents.networks.recall import NUM_RECALLED
from sabacc_agents.saved_files import (
    bet_sizes_as_json,
    read_arrays,
    read_description,
    write_arrays,
)
from sabacc_env.actions import (
    DEFAULT_BET_SIZES,
    BetSize,
    encode_bet_sizes,
    num_actions,
)
from sabacc_env.arguments import check_bool, check_int, check_num_players, check_sequence
from sabacc_env.errors import SabaccError, short_repr
from sabacc_env.observation import OBSERVATION_SIZE
from sabacc_env.rules import RuleSet

FORMAT: Final = "sabacc-network"
VERSION: Final = 3
UNCHECKED_VERSION: Final = 2
ACTIVATIONS: Final = ("tanh", "relu")
PRECISIONS: Final = ("float32", "float16")
MAX_RECALLED_DECISIONS: Final = 16

FEATURE_ARRAYS: Final[dict[str, np.dtype[Any]]] = {
    "features.columns": np.dtype(np.int16),
    "features.terms": np.dtype(np.int16),
    "features.factors": np.dtype(np.float32),
}
"""The arrays of a feature extractor in a file, and their types."""

OLD_FEATURES_PREFIX: Final = "outlook."
"""The prefix of these arrays in older files, as in ``outlook.columns``."""


@dataclass(frozen=True)
class NetworkInfo:
    """What a network was made for, and how it was trained.

    Attributes:
        rules: the rule sets that it plays.
        num_players: the numbers of seats that it plays at, under each rule set.
        bet_sizes: what its bet actions mean.
        activation: the activation after every layer but the last, ``"tanh"`` or ``"relu"``.
        training: plain data about the training. The key ``"opponents"``, if given, lists the
            names of the agents that it met. Other usual keys are config, steps and seed.
        any_rules: whether it plays all rule sets, of which ``rules`` are examples.
        recalled_decisions: how many of its own last decisions of the hand its inputs have the cards
            of (see ``recall``).
    """

    rules: tuple[RuleSet, ...]
    num_players: tuple[int, ...]
    bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES
    activation: str = "tanh"
    training: Mapping[str, Any] = field(default_factory=dict)
    any_rules: bool = False
    recalled_decisions: int = 0

    def __post_init__(self) -> None:
        rule_sets = check_sequence("rules", self.rules)
        numbers = check_sequence("num_players", self.num_players)
        if not (rule_sets and numbers):
            raise SabaccError(
                "rules, num_players: give at least one rule set and one number of players"
            )
        for rules in rule_sets:
            if not isinstance(rules, RuleSet):
                raise SabaccError(f"rules: {short_repr(rules)} is not a RuleSet")
            for players in numbers:
                check_num_players(rules, players)
        if not isinstance(self.activation, str) or self.activation not in ACTIVATIONS:
            raise SabaccError(
                f"unknown activation {short_repr(self.activation)}; use one of "
                f"{', '.join(ACTIVATIONS)}"
            )
        encode_bet_sizes(self.bet_sizes)  # refuses invalid bet sizes
        if not isinstance(self.training, Mapping):
            raise SabaccError(f"training: {short_repr(self.training)} is not a mapping")
        if not isinstance(self.training.get("opponents", ()), Sequence):
            raise SabaccError("training: its opponents are not a list")
        check_bool("any_rules", self.any_rules)
        check_int("recalled_decisions", self.recalled_decisions, 0, MAX_RECALLED_DECISIONS)

    @property
    def opponents(self) -> tuple[str, ...]:
        """The names of the agents that the network met in training."""
        return tuple(self.training.get("opponents", ()))


@dataclass(frozen=True)
class Network:
    """A policy network in memory.

    Attributes:
        weights: the arrays of its layers by name, float32.
        info: what it was made for.
        extractor: computes the inputs of its first layer. None stands for the whole observation.
    """

    weights: Mapping[str, NDArray[np.float32]]
    info: NetworkInfo
    extractor: FeatureExtractor | None = None

    @property
    def layer_sizes(self) -> tuple[int, ...]:
        """The number of inputs, the widths of the hidden layers, and the number of logits."""
        return _layer_sizes(self.weights)


# Files.


def save_network(
    path: str | Path,
    weights: Mapping[str, Any],
    info: NetworkInfo,
    extractor: FeatureExtractor | None = None,
    precision: Literal["float32", "float16"] = "float32",
) -> None:
    """Write a policy network to a file, whole or not at all.

    Args:
        path: a path that ends in ``.safetensors``.
        weights: arrays or torch tensors ``layers.0.weight`` (outputs, inputs), ``layers.0.bias``
            (outputs,) and so on. The last layer gives one logit for each action.
        info: what the network is for.
        extractor: computes the inputs of the first layer. None stands for the whole observation.
        precision: the type of the weights in the file. They are float32 again when they are read.

    Raises:
        SabaccError: for weights that are not such layers, or do not fit ``info``.
    """
    if not isinstance(weights, Mapping):
        raise SabaccError(f"weights: {short_repr(weights)} is not a mapping of arrays")
    if not isinstance(info, NetworkInfo):
        raise SabaccError(f"info: {short_repr(info)} is not a NetworkInfo")
    if not isinstance(extractor, FeatureExtractor | None):
        raise SabaccError(f"extractor: {short_repr(extractor)} is not a FeatureExtractor")
    if not isinstance(precision, str) or precision not in PRECISIONS:
        raise SabaccError(
            f"unknown precision {short_repr(precision)}; use {' or '.join(PRECISIONS)}"
        )
    with np.errstate(over="ignore"):  # infinite weights are refused below
        arrays = {name: _array(value).astype(precision) for name, value in weights.items()}
    _check_layers(str(path), arrays, info, extractor)
    description: dict[str, Any] = {
        "rules": [rules.canonical() for rules in info.rules],
        "num_players": info.num_players,
        "bet_sizes": bet_sizes_as_json(info.bet_sizes),
        "layer_sizes": _layer_sizes(arrays),
        "activation": info.activation,
        "training": dict(info.training),
    }
    if info.any_rules:
        description["any_rules"] = True
    if info.recalled_decisions:
        description["recalled_decisions"] = info.recalled_decisions
    feature_arrays = {} if extractor is None else _extractor_arrays(extractor)
    write_arrays(path, arrays | feature_arrays, FORMAT, VERSION, description)


def layer_arrays(layers: Iterable[tuple[Any, Any]]) -> dict[str, Any]:
    """Return the weights and biases of layers by name, as ``save_network`` takes them."""
    return {
        f"layers.{layer}.{part}": value
        for layer, parts in enumerate(layers)
        for part, value in zip(("weight", "bias"), parts, strict=True)
    }


def load_network(path: str | Path) -> Network:
    """Read a saved network, or ``zoo:NAME``.

    Raises:
        SabaccError: for a file that cannot be read, or is not a network of this version.
    """
    info = read_info(path)
    arrays = {
        name.replace(OLD_FEATURES_PREFIX, "features."): array
        for name, array in read_arrays(path).items()
    }
    feature_arrays = [arrays.pop(name) for name in FEATURE_ARRAYS if name in arrays]
    extractor = _extractor_of(str(path), feature_arrays) if feature_arrays else None
    if other := [name for name, array in arrays.items() if array.dtype.kind != "f"]:
        raise SabaccError(f"{path}: its array {other[0]} does not hold floating-point numbers")
    weights = {name: array.astype(np.float32) for name, array in arrays.items()}
    _check_layers(str(path), weights, info, extractor)
    return Network(weights, info, extractor)


def read_info(path: str | Path) -> NetworkInfo:
    """Read only the description of a saved network.

    Raises:
        SabaccError: as ``load_network``.
    """
    description = read_description(
        path, FORMAT, VERSION, "network", unchecked_version=UNCHECKED_VERSION
    )
    try:
        return NetworkInfo(
            rules=tuple(map(RuleSet.from_canonical, description["rules"])),
            num_players=tuple(description["num_players"]),
            bet_sizes=tuple(description["bet_sizes"]),
            activation=description["activation"],
            training=description["training"],
            any_rules=description.get("any_rules", False),
            recalled_decisions=description.get("recalled_decisions", 0),
        )
    except (AttributeError, KeyError, TypeError, SabaccError) as error:
        raise SabaccError(f"{path}: its description is damaged ({error})") from None


def _array(value: Any) -> NDArray[np.float32]:
    """Return an array or a torch tensor of any device as a contiguous float32 array."""
    if hasattr(value, "detach"):
        value = value.detach().cpu().float().numpy()
    try:
        return np.ascontiguousarray(value, dtype=np.float32)
    except (TypeError, ValueError):
        raise SabaccError(f"weights: {short_repr(value)} is not an array of numbers") from None


def _extractor_arrays(extractor: FeatureExtractor) -> dict[str, NDArray[Any]]:
    """Return the arrays of a feature extractor by their names in a file."""
    arrays: list[NDArray[Any]] = [extractor.columns, extractor.terms, extractor.factors]
    return {
        name: array.astype(dtype)
        for (name, dtype), array in zip(FEATURE_ARRAYS.items(), arrays, strict=True)
    }


def _extractor_of(label: str, arrays: Sequence[NDArray[Any]]) -> FeatureExtractor:
    """Return the extractor in a file. One that reads beyond the observation is refused."""
    if [array.dtype for array in arrays] == list(FEATURE_ARRAYS.values()):
        columns, terms, factors = arrays
        shapes_fit = columns.ndim == 1 and terms.ndim == 2 and terms.shape == factors.shape
        features = np.concatenate([columns.ravel(), terms.ravel()])
        known = (features >= 0) & (features < OBSERVATION_SIZE)
        if shapes_fit and terms.shape[1] == TERMS and known.all() and np.isfinite(factors).all():
            return FeatureExtractor(columns.astype(np.int64), terms.astype(np.int64), factors)
    raise SabaccError(
        f"{label}: its feature extractor is damaged; it reads features that no observation has"
    )


def _layer_sizes(weights: Mapping[str, NDArray[Any]]) -> tuple[int, ...]:
    shapes = [weights[f"layers.{layer}.weight"].shape for layer in range(len(weights) // 2)]
    return (shapes[0][1], *(outputs for outputs, _ in shapes))


# Checks.


def _check_layers(
    label: str,
    weights: Mapping[str, NDArray[Any]],
    info: NetworkInfo,
    extractor: FeatureExtractor | None,
) -> None:
    """Refuse arrays that are not the layers of a network from its inputs to the logits."""
    count = max(1, len(weights) // 2)
    wanted = {f"layers.{layer}.{part}" for layer in range(count) for part in ("weight", "bias")}
    if set(weights) != wanted:
        raise SabaccError(
            f"{label}: a network's arrays are layers.0.weight, layers.0.bias, layers.1.weight and "
            f"so on, not {', '.join(sorted(map(str, weights))) or 'nothing'}"
        )
    width = OBSERVATION_SIZE if extractor is None else extractor.size
    width += info.recalled_decisions * NUM_RECALLED
    for layer in range(count):
        weight, bias = weights[f"layers.{layer}.weight"], weights[f"layers.{layer}.bias"]
        if weight.ndim != 2 or weight.shape[1] != width or bias.shape != weight.shape[:1]:
            raise SabaccError(
                f"{label}: layer {layer} takes {width} numbers, so its weight has a shape "
                f"(outputs, {width}) and its bias (outputs,), not {weight.shape} and {bias.shape}"
            )
        if not (np.isfinite(weight).all() and np.isfinite(bias).all()):
            raise SabaccError(
                f"{label}: layer {layer} holds a value that is not a finite {weight.dtype}"
            )
        width = weight.shape[0]
    if width != num_actions(info.bet_sizes):
        raise SabaccError(
            f"{label}: its last layer gives {width} logits, but {len(info.bet_sizes)} bet sizes "
            f"make {num_actions(info.bet_sizes)} actions"
        )
