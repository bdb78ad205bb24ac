"""On a machine with a GPU: compare it with the CPU byte by byte, then measure it.

``python -m tests.cuda`` does both and prints what it finds; ``python -m tests.cuda 4096`` measures
with that many tables. It needs only what the package itself and its extra ``cuda`` bring; stepping
is measured where torch is installed, which then chooses the actions on the GPU.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from statistics import median
from typing import Any

from numba import cuda

from sabacc_env import Tables, rule_sets
from sabacc_env.policies import random_legal
from tests.support.device_pair import compare_devices

RUNS = 5
PLAYERS = 4


def main() -> None:
    start = time.perf_counter()
    print("GPU:", cuda.get_current_device().name, flush=True)
    played = compare_devices("cuda", 1000, 100)
    seconds = time.perf_counter() - start
    print(f"{played:,} decisions have the bytes of the CPU ({seconds:.0f} s with compilation)")
    for num_tables in map(int, sys.argv[1:] or ("4096", "65536", "524288")):
        for rules in rule_sets():
            measure(rules, num_tables)


def measure(rules: str, num_tables: int) -> None:
    """Print how many decisions a second are played and stepped."""
    tables = Tables(rules, num_tables, PLAYERS, seed=0, device="cuda")
    each = max(10, 2**25 // num_tables)
    report(f"play, {num_tables} tables, {rules}", lambda: played(tables, each))
    if find_spec("torch"):
        report(f"step, {num_tables} tables, {rules}", lambda: stepped(tables, 50))
    device: Any = tables._device
    for kernel in device._ready.values():
        registers, local = kernel.get_regs_per_thread(), kernel.get_local_mem_per_thread()
        print(f"  {kernel.py_func.__name__}: {registers} registers, {local} bytes of local memory")


def report(what: str, rate: Callable[[], float]) -> None:
    rate()  # compiles
    rates = [rate() / 1e6 for _ in range(RUNS)]
    print(f"{what}: {median(rates):.1f} M decisions/s ({min(rates):.1f} to {max(rates):.1f})")


def played(tables: Tables, decisions: int) -> float:
    """Return the rate of decisions inside the loop."""
    cuda.synchronize()
    start = time.perf_counter()
    tables.play(random_legal, decisions)
    cuda.synchronize()
    return decisions * tables.num_tables / (time.perf_counter() - start)


def stepped(tables: Tables, steps: int) -> float:
    """Return the rate of steps with actions that are on the GPU; choosing them is not counted."""
    import torch

    masks: Any = torch.as_tensor(tables.action_masks, device="cuda")
    spent = 0.0
    for _ in range(steps):
        actions = (torch.rand(masks.shape, device="cuda") * masks).argmax(dim=1)
        cuda.synchronize()
        start = time.perf_counter()
        tables.step(actions)
        cuda.synchronize()
        spent += time.perf_counter() - start
    return steps * tables.num_tables / spent


if __name__ == "__main__":
    main()
