"""Weights of policies: their average, and the layers of a network as they are saved and loaded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import torch
from numpy.typing import NDArray
from sabacc_agents.networks.network import layer_arrays
from torch import Tensor, nn


@torch.no_grad()
def polyak_update(average: nn.Module, latest: nn.Module, tau: float, updates: int) -> None:
    """Move an average of policies towards the latest one.

    The average begins as the mean of all policies and becomes a moving average.

    Args:
        average: the network of the average, changed in place.
        latest: the network of the latest policy.
        tau: weight of the latest policy in the moving average.
        updates: how many policies there have been, the latest one included.
    """
    weight = max(tau, 1 / updates)
    for mean, parameter in zip(average.parameters(), latest.parameters(), strict=True):
        mean.lerp_(parameter, weight)


def layer_weights(layers: Iterable[nn.Module]) -> dict[str, Tensor]:
    """Return the weights of the linear layers as ``sabacc_agents.save_network`` takes them."""
    linear = [layer for layer in layers if isinstance(layer, nn.Linear)]
    return layer_arrays((layer.weight.detach(), layer.bias.detach()) for layer in linear)


def load_weights(layers: Iterable[nn.Module], weights: Mapping[str, NDArray[np.float32]]) -> None:
    """Set the weights of the linear layers to arrays that have the names of ``layer_weights``."""
    own = layer_weights(layers)
    for name, array in weights.items():
        own[name].copy_(torch.from_numpy(array))
