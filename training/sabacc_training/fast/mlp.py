"""A network of plain layers, all its weights in one vector, with its gradient written out.

One vector makes every step over all weights one operation: Adam's, an average, a copy. Matrices are
multiplied in a lower precision where that is faster; the weights themselves stay float32.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import llvmlite.binding
import torch
from torch import Tensor

from sabacc_env.errors import SabaccError


class Made(NamedTuple):
    """Where matrices are multiplied, and in what precision."""

    device: str
    precision: torch.dtype

    @classmethod
    def named(cls, device: str, precision: str) -> Made:
        """Return what these names mean; precision "auto" is bfloat16 where that is faster.

        Raises:
            SabaccError: for a GPU where there is none.
        """
        if device == "cuda" and not torch.cuda.is_available():
            raise SabaccError('device: PyTorch finds no GPU here; leave it at "cpu"')
        if precision == "auto":
            features = llvmlite.binding.get_host_cpu_features()
            fast = any(features.get(name, False) for name in ("avx512bf16", "amx-bf16"))
            precision = "bfloat16" if device == "cuda" or fast else "float32"
        return cls(device, getattr(torch, precision))

    @property
    def at_once(self) -> int:
        """Rows that go through a network together: of a processor so few that they stay near."""
        return 1024 if self.device == "cpu" else 65_536


class Mlp:
    """Layers with a ReLU after each but the last, and what Adam remembers of their weights.

    Args:
        sizes: numbers taken, widths of the hidden layers, numbers given.
        made: where matrices are multiplied, and in what precision.

    Attributes:
        weights: all of them, (count,) float32; after writing them call ``settle``.
        made: where matrices are multiplied, and in what precision.
        gradient: what ``backward`` added up, likewise (count,) float32.
    """

    def __init__(self, sizes: Sequence[int], made: Made) -> None:
        self.sizes = tuple(sizes)
        self.made = made
        count = sum(given * (taken + 1) for taken, given in self._shapes())
        self.weights = torch.zeros(count, device=made.device)
        self.gradient = torch.zeros(count, device=made.device)
        self._used = self.weights.to(made.precision)  # itself where it is float32
        self._layers = list(self.parts(self._used))
        self._slopes = list(self.parts(self.gradient))
        self._values: list[Tensor] = []

    def _shapes(self) -> Iterator[tuple[int, int]]:
        return zip(self.sizes, self.sizes[1:], strict=False)

    def parts(self, vector: Tensor) -> Iterator[tuple[Tensor, Tensor]]:
        """Yield the weight (outputs, inputs) and bias of each layer, views of a vector of all."""
        begin = 0
        for taken, given in self._shapes():
            end = begin + given * taken
            yield vector[begin:end].view(given, taken), vector[end : end + given]
            begin = end + given

    def start(self, generator: torch.Generator, last: float) -> None:
        """Draw the first weights: orthogonal, scaled for ReLUs; the last layer's by ``last``."""
        self.weights.zero_()
        layers = list(self.parts(self.weights))
        for index, (weight, _) in enumerate(layers):
            gain = last if index == len(layers) - 1 else math.sqrt(2)
            drawn = torch.empty(weight.shape)
            weight.copy_(torch.nn.init.orthogonal_(drawn, gain, generator))
        self.settle()

    def settle(self) -> None:
        """Use the weights as they are now."""
        if self._used is not self.weights:
            self._used.copy_(self.weights)

    def forward(self, inputs: Tensor) -> Tensor:
        """Return what it makes of inputs, (n, numbers given); ``backward`` is then of these."""
        self._values = [inputs]
        for weight, bias in self._layers[:-1]:
            inputs = torch.addmm(bias, inputs, weight.t()).relu_()
            self._values.append(inputs)
        weight, bias = self._layers[-1]
        return torch.addmm(bias, inputs, weight.t())

    def backward(self, slopes: Tensor) -> None:
        """Add to the gradient, given that of what the last ``forward`` returned, (n, given)."""
        for index in range(len(self._layers) - 1, -1, -1):
            weight, bias = self._slopes[index]
            weight.add_(torch.mm(slopes.t(), self._values[index]))
            bias.add_(slopes.sum(0))
            if index:
                back = torch.mm(slopes, self._layers[index][0])
                slopes = torch.ops.aten.threshold_backward(back, self._values[index], 0)


class Learnt:
    """A network that is learnt: its weights, and Adam with the gradient's length limited.

    Args:
        network: what is learnt.
        grad_norm: the longest gradient.
    """

    def __init__(self, network: Mlp, grad_norm: float) -> None:
        self.network = network
        self._grad_norm = grad_norm
        network.weights.grad = network.gradient
        self._adam = torch.optim.Adam([network.weights], lr=0.0, eps=1e-5, fused=True)

    def step(self, learning_rate: float) -> None:
        """Learn from the gradient that was added up, and begin a new one."""
        network = self.network
        norm = float(torch.linalg.vector_norm(network.gradient))
        if norm > self._grad_norm:
            network.gradient.mul_(self._grad_norm / norm)
        self._adam.param_groups[0]["lr"] = learning_rate
        self._adam.step()
        network.gradient.zero_()
        network.settle()

    def state(self) -> dict[str, Tensor | dict[str, Tensor]]:
        """Return all of it, for ``restore``."""
        return {
            "weights": self.network.weights,
            "adam": dict(self._adam.state[self.network.weights]),
        }

    def restore(self, state: dict[str, Tensor | dict[str, Tensor]]) -> None:
        """Go on from a ``state``."""
        weights, adam = state["weights"], state["adam"]
        assert isinstance(weights, Tensor)
        assert isinstance(adam, dict)
        self.network.weights.copy_(weights)
        self._adam.state[self.network.weights] = dict(adam)
        self.network.settle()
