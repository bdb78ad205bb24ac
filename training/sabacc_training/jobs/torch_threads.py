"""How many threads PyTorch uses where networks play."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def one_torch_thread() -> Iterator[None]:
    """Let torch, if it has been imported, use one thread.

    With more, sums may be rounded otherwise elsewhere, and threads that wait for each other on a
    busy machine take several times as long. Several processes are faster than threads, too.
    """
    torch = sys.modules.get("torch")
    if torch is None:
        yield
        return
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
