"""A network of plain layers, all its weights in one vector, with its gradient written out.

One vector makes every step over all weights one operation: Adam's, an average, a copy. Matrices are
multiplied in a lower precision where that is faster; the weights themselves stay float32.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import llvmlite.binding
import numba
import torch
from torch import Tensor

from sabacc_env.errors import SabaccError

MEAN_DECAY: Final = 0.9
"""How much of Adam's mean of the gradients stays at a step, which is PyTorch's default."""

SQUARE_DECAY: Final = 0.999
"""How much of its mean of their squares stays, likewise."""

SMALLEST_SPREAD: Final = 1e-5
"""Added to the root of that mean, which divides a step: what is usual for PPO."""

FAST_BFLOAT16: Final = {"+avx512bf16", "+amx-bf16"}
"""What LLVM calls the features of a processor that multiplies bfloat16 faster than float32."""


class Made(NamedTuple):
    """Where matrices are multiplied, and in what precision."""

    device: str
    precision: torch.dtype

    @classmethod
    def named(cls, device: str, precision: str) -> Made:
        """Return what these names mean; precision "auto" is bfloat16 where that is faster.

        Of a processor, what Numba compiles for decides: ``NUMBA_CPU_NAME=generic`` asks for what
        every processor can do, here too.

        Raises:
            SabaccError: for a GPU where there is none.
        """
        if device == "cuda" and not torch.cuda.is_available():
            raise SabaccError('device: PyTorch finds no GPU here; leave it at "cpu"')
        if precision == "auto":
            features = numba.config.CPU_FEATURES  # type: ignore[attr-defined]  # made as it is read
            if features is None:
                features = llvmlite.binding.get_host_cpu_features().flatten()
            fast = FAST_BFLOAT16 & set(features.split(","))
            precision = "bfloat16" if device == "cuda" or fast else "float32"
        return cls(device, getattr(torch, precision))

    @property
    def precision_name(self) -> str:
        """The precision as configurations name it."""
        return str(self.precision).removeprefix("torch.")

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

    def outputs(self, inputs: Tensor) -> Tensor:
        """Return what it makes of inputs, (n, numbers given)."""
        *_, last = self._values_of(inputs)
        return last

    def forward(self, inputs: Tensor) -> Tensor:
        """Return what it makes of inputs, (n, numbers given); ``backward`` is then of these."""
        *self._values, last = self._values_of(inputs)
        return last

    def _values_of(self, inputs: Tensor) -> Iterator[Tensor]:
        """Yield the inputs and what each layer makes of them."""
        yield inputs
        for weight, bias in self._layers[:-1]:
            inputs = torch.addmm(bias, inputs, weight.t()).relu_()
            yield inputs
        weight, bias = self._layers[-1]
        yield torch.addmm(bias, inputs, weight.t())

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
    """A network that is learnt, by Adam with the gradient's length limited.

    Adam is written out: PyTorch's imports its compiler, which takes seconds and is not used.

    Args:
        network: what is learnt.
        grad_norm: the longest gradient.
    """

    def __init__(self, network: Mlp, grad_norm: float) -> None:
        self.network = network
        self._grad_norm = grad_norm
        self._mean = torch.zeros_like(network.weights)
        self._square = torch.zeros_like(network.weights)
        self._steps = 0

    def step(self, learning_rate: float) -> None:
        """Learn from the gradient that was added up, and begin a new one."""
        network, gradient = self.network, self.network.gradient
        norm = float(torch.linalg.vector_norm(gradient))
        if norm > self._grad_norm:
            gradient.mul_(self._grad_norm / norm)
        self._steps += 1
        self._mean.lerp_(gradient, 1 - MEAN_DECAY)
        self._square.mul_(SQUARE_DECAY).addcmul_(gradient, gradient, value=1 - SQUARE_DECAY)
        # Both start at zero, which these shares of the way that they have come make good.
        mean_share, square_share = 1 - MEAN_DECAY**self._steps, 1 - SQUARE_DECAY**self._steps
        # 1e-30 changes nothing, but roots of zeros take ten times as long.
        spread = self._square.add(1e-30).sqrt_().mul_(square_share**-0.5).add_(SMALLEST_SPREAD)
        network.weights.addcdiv_(self._mean, spread, value=-learning_rate / mean_share)
        gradient.zero_()
        network.settle()

    def state(self) -> dict[str, Any]:
        """Return all of it, for ``restore``."""
        return {
            "weights": self.network.weights,
            "mean": self._mean,
            "square": self._square,
            "steps": self._steps,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a ``state``."""
        self.network.weights.copy_(state["weights"])
        self._mean.copy_(state["mean"])
        self._square.copy_(state["square"])
        self._steps = state["steps"]
        self.network.settle()
