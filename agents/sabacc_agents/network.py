"""A saved policy network: its file, and the agent that plays it.

The file (``saved.py``) holds arrays ``layers.0.weight``, ``layers.0.bias``, ``layers.1.weight`` and
so on, the last layer giving the logits, each weight of shape (outputs, inputs); its description
says what the network was made for and how it was trained.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sabacc_agents.saved import (
    check_fit,
    needs,
    plain_sizes,
    read_arrays,
    read_description,
    write_arrays,
)
from sabacc_env.agent import sample
from sabacc_env.engine.actions import (
    DEFAULT_BET_SIZES,
    BetSize,
    encode_bet_sizes,
    num_actions,
)
from sabacc_env.errors import SabaccError
from sabacc_env.observation import OBSERVATION_SIZE
from sabacc_env.rules import RuleSet, load_rules

FORMAT: Final = "sabacc-network"
VERSION: Final = 1
ACTIVATIONS: Final = ("tanh", "relu")


@dataclass(frozen=True)
class NetworkInfo:
    """What a network was made for, and how it was trained.

    Attributes:
        rules: the rule set that it plays.
        num_players: seats at its tables.
        bet_sizes: what its bet actions mean.
        activation: ``"tanh"`` or ``"relu"``, after every layer but the last.
        training: plain data, free in form; ``"opponents"``, if there, lists the names of the
            agents that it met in training. Usual keys beside it: config, steps, seed.
    """

    rules: RuleSet
    num_players: int
    bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES
    activation: str = "tanh"
    training: Mapping[str, Any] = field(default_factory=dict)

    @property
    def opponents(self) -> tuple[str, ...]:
        """The names of the agents that the network met in training."""
        return tuple(self.training.get("opponents", ()))


@dataclass(frozen=True)
class Network:
    """A policy network in memory: its arrays by name, and what it was made for."""

    weights: Mapping[str, NDArray[np.float32]]
    info: NetworkInfo

    @property
    def layer_sizes(self) -> tuple[int, ...]:
        """The width of the observation, of each hidden layer, and of the logits."""
        return _layer_sizes(self.weights)


class NetworkAgent:
    """Plays a policy network: a masked softmax over its logits, sampled.

    Args:
        rules: the rules that it will play, the same as the network's.
        num_players: likewise.
        bet_sizes: likewise.
        network: the path of a saved network, or one in memory.
        greedy: take the most likely action instead.

    Raises:
        SabaccError: for a network made for something else; a file that is no network; no torch.
    """

    def __init__(
        self,
        rules: str | Path | RuleSet,
        num_players: int,
        bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
        *,
        network: str | Path | Network,
        greedy: bool = False,
    ) -> None:
        label = "this network" if isinstance(network, Network) else str(network)
        info = network.info if isinstance(network, Network) else read_info(network)
        made_for = info.rules, info.num_players, info.bet_sizes
        check_fit(label, made_for, load_rules(rules), num_players, bet_sizes)
        if not isinstance(network, Network):
            network = load_network(network)
        self.info = info
        self.greedy = greedy
        self._torch = needs("torch")
        self._layers = [
            tuple(
                self._torch.tensor(np.asarray(network.weights[f"layers.{layer}.{part}"]))
                for part in ("weight", "bias")
            )
            for layer in range(len(network.layer_sizes) - 1)
        ]

    def reset(self, num_tables: int) -> None:
        """Remember nothing."""

    def act(
        self,
        observations: NDArray[np.float32],
        action_masks: NDArray[np.int8],
        rng: np.random.Generator,
        tables: NDArray[np.int64] | None = None,
    ) -> NDArray[np.int64]:
        """Draw a legal action for each row, or take the most likely one."""
        probabilities = self.probabilities(observations, action_masks)
        if self.greedy:
            return np.asarray(probabilities.argmax(axis=1), dtype=np.int64)
        return sample(probabilities, rng)

    def probabilities(
        self, observations: NDArray[np.float32], action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """Return the distribution that it draws from, (n, num_actions); 0 for what is illegal."""
        torch = self._torch
        activate = torch.tanh if self.info.activation == "tanh" else torch.relu
        with torch.inference_mode():
            values = torch.as_tensor(np.ascontiguousarray(observations))
            for index, (weight, bias) in enumerate(self._layers):
                values = torch.nn.functional.linear(values, weight, bias)
                if index < len(self._layers) - 1:
                    values = activate(values)
            legal = torch.as_tensor(np.ascontiguousarray(action_masks)) != 0
            logits = values.double().masked_fill(~legal, -torch.inf)
            chances: NDArray[np.float64] = torch.softmax(logits, dim=1).numpy()
        return chances


# Files.


def save_network(path: str | Path, weights: Mapping[str, Any], info: NetworkInfo) -> None:
    """Write a policy network to a file, whole or not at all.

    Args:
        path: a path that ends in ``.safetensors``.
        weights: arrays or torch tensors ``layers.0.weight`` (outputs, inputs), ``layers.0.bias``
            (outputs,) and so on; the last layer gives one logit an action.
        info: what the network is for.

    Raises:
        SabaccError: for weights that are no network of this kind or do not fit ``info``.
    """
    arrays = {name: _array(value) for name, value in weights.items()}
    _check_weights(str(path), arrays, info)
    described = {
        "rules": info.rules.canonical(),
        "num_players": info.num_players,
        "bet_sizes": plain_sizes(info.bet_sizes),
        "layer_sizes": _layer_sizes(arrays),
        "activation": info.activation,
        "training": dict(info.training),
    }
    write_arrays(path, arrays, FORMAT, VERSION, described)


def load_network(path: str | Path) -> Network:
    """Read a saved network.

    Raises:
        SabaccError: for a file that cannot be read, or is no network of this version.
    """
    info = read_info(path)
    weights = read_arrays(path)
    _check_weights(str(path), weights, info)
    return Network(weights, info)


def read_info(path: str | Path) -> NetworkInfo:
    """Read only what a saved network says about itself.

    Raises:
        SabaccError: as ``load_network``.
    """
    described = read_description(path, FORMAT, VERSION, "network")
    try:
        return NetworkInfo(
            rules=RuleSet.from_canonical(described["rules"]),
            num_players=described["num_players"],
            bet_sizes=tuple(described["bet_sizes"]),
            activation=described["activation"],
            training=described["training"],
        )
    except (KeyError, TypeError) as error:
        raise SabaccError(f"{path}: has a damaged description ({error})") from None


def _array(value: Any) -> NDArray[np.float32]:
    """Return an array or a torch tensor, wherever it lies, as contiguous float32."""
    if hasattr(value, "detach"):
        value = value.detach().cpu().float().numpy()
    return np.ascontiguousarray(value, dtype=np.float32)


def _layer_sizes(weights: Mapping[str, NDArray[np.float32]]) -> tuple[int, ...]:
    shapes = [weights[f"layers.{layer}.weight"].shape for layer in range(len(weights) // 2)]
    return (shapes[0][1], *(outputs for outputs, _ in shapes))


# What is refused.


def _check_weights(label: str, weights: Mapping[str, NDArray[Any]], info: NetworkInfo) -> None:
    """Refuse arrays that are not the layers of a network from observation to logits."""
    count = max(1, len(weights) // 2)
    wanted = {f"layers.{layer}.{part}" for layer in range(count) for part in ("weight", "bias")}
    if set(weights) != wanted:
        raise SabaccError(
            f"{label}: a network's arrays are layers.0.weight, layers.0.bias, layers.1.weight and "
            f"so on, not {', '.join(sorted(weights)) or 'nothing'}"
        )
    width = OBSERVATION_SIZE
    for layer in range(count):
        weight, bias = weights[f"layers.{layer}.weight"], weights[f"layers.{layer}.bias"]
        if weight.ndim != 2 or weight.shape[1] != width or bias.shape != weight.shape[:1]:
            raise SabaccError(
                f"{label}: layer {layer} takes {width} numbers, so its weight has a shape "
                f"(outputs, {width}) and its bias (outputs,), not {weight.shape} and {bias.shape}"
            )
        width = weight.shape[0]
    encode_bet_sizes(info.bet_sizes)  # refuses what is no bet size
    if width != num_actions(info.bet_sizes):
        raise SabaccError(
            f"{label}: its last layer gives {width} logits, but {len(info.bet_sizes)} bet sizes "
            f"make {num_actions(info.bet_sizes)} actions"
        )
    if info.activation not in ACTIVATIONS:
        raise SabaccError(
            f"{label}: the activation {info.activation!r} is unknown; use one of "
            f"{', '.join(ACTIVATIONS)}"
        )
