"""The device where tables are kept and played, by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from sabacc_env.arguments import check_int
from sabacc_env.errors import SabaccError, short_repr
from sabacc_env.tables.cpu import Cpu

if TYPE_CHECKING:
    from sabacc_env.tables.gpu import Cuda

    Device: TypeAlias = Cpu | Cuda


def get_device(name: str, threads: int) -> Device:
    """Return the device of this name.

    Raises:
        SabaccError: for an unknown name, threads on a GPU, or a GPU that cannot be used.
    """
    threads = check_int("threads", threads, 1, 1024)
    if not isinstance(name, str) or name not in ("cpu", "cuda"):
        raise SabaccError(f'unknown device {short_repr(name)}; use "cpu" or "cuda"')
    if name == "cpu":
        return Cpu(threads)
    if threads > 1:
        raise SabaccError("threads: tables on a GPU use no CPU threads; leave it at 1")
    from sabacc_env.tables.gpu import Cuda

    return Cuda()
