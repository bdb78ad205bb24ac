"""Where networks compute, and in what precision."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

import llvmlite.binding
import numba
import torch

from sabacc_env.errors import SabaccError

BFLOAT16_FEATURES: Final = {"+avx512bf16", "+amx-bf16"}
"""LLVM's names for the features of a processor that multiplies bfloat16 faster than float32."""


class Compute(NamedTuple):
    """The device of the networks, and the type in which they multiply matrices.

    Weights are float32 throughout. Matrices are multiplied under ``autocast``.
    """

    device: str
    dtype: torch.dtype

    @classmethod
    def choose(cls, device: str, precision: str) -> Compute:
        """Return the device and the type that a configuration names.

        Precision "auto" is bfloat16 where that is faster. On the CPU, the features that Numba
        compiles for decide: ``NUMBA_CPU_NAME=generic`` asks for those that every processor has, and
        so for float32 here.

        Raises:
            SabaccError: for a GPU where there is none.
        """
        if device == "cuda" and not torch.cuda.is_available():
            raise SabaccError('device: PyTorch finds no CUDA GPU; use "cpu"')
        if precision == "auto":
            features = numba.config.CPU_FEATURES  # type: ignore[attr-defined]  # made as it is read
            if features is None:
                features = llvmlite.binding.get_host_cpu_features().flatten()
            fast = BFLOAT16_FEATURES & set(features.split(","))
            precision = "bfloat16" if device == "cuda" or fast else "float32"
        return cls(device, getattr(torch, precision))

    @property
    def precision(self) -> str:
        """The precision as configurations name it."""
        return str(self.dtype).removeprefix("torch.")

    @property
    def chunk_size(self) -> int:
        """Rows of one forward pass: few on the CPU, so that they stay in its cache."""
        return 1024 if self.device == "cpu" else 65_536

    def autocast(self) -> torch.autocast:
        """Return the context in which networks run."""
        return torch.autocast(self.device, self.dtype, enabled=self.dtype != torch.float32)


def denormals_are_zero() -> bool:
    """Return whether the processor rounds denormal numbers to 0 in this thread."""
    return bool(torch.tensor(1e-40) * 1 == 0)


@contextmanager
def flush_denormal() -> Iterator[None]:
    """Let the processor round denormal numbers to 0 in this thread, and then do as it did before.

    Many processors take twenty times as long to compute with them. A thread starts with the
    setting of the thread that starts it.
    """
    before = denormals_are_zero()
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(before)
