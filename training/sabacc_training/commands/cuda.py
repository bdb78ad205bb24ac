"""``sabacc cuda``: tables on a GPU, compared with the CPU and measured."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from statistics import median

from numba import cuda as numba_cuda

from sabacc_env.errors import SabaccError
from sabacc_env.rules import rule_sets
from sabacc_env.tables import Tables
from sabacc_training.bench.gpu_comparison import NUM_BATCHES, compare_devices
from sabacc_training.bench.gpu_speed import gpu_tables, play_rate, step_rate
from sabacc_training.bench.progress import BenchProgress


def cuda(*num_tables: int, repeats: int = 5) -> None:
    """Play all rule sets on the GPU and on the CPU, compare every byte, then measure the GPU.

    Stepping is measured only where torch is installed, because torch chooses the actions there.

    Args:
        num_tables: Tables to measure with; by default 4096, 65536 and 524288, in turn.
        repeats: Measurements of each speed; their median, minimum and maximum are printed.
    """
    counts = num_tables or (4096, 65_536, 524_288)
    if min(counts) < 1 or repeats < 1:
        raise SabaccError("num_tables, repeats: give whole numbers from 1 up")
    Tables("casino", 1, 2, device="cuda")  # refuses a machine without a GPU
    print(f"GPU: {numba_cuda.get_current_device().name}", flush=True)
    decisions = 0
    with BenchProgress() as progress:
        progress.start(NUM_BATCHES)
        progress.next("comparing with the CPU")
        for equal in compare_devices("cuda", 1000, 100):
            decisions += equal
            progress.next("comparing with the CPU")
    print(f"{decisions:,} decisions are equal to the byte on the GPU and the CPU", flush=True)
    for count in counts:
        for rules in rule_sets():
            tables = gpu_tables(rules, count)
            _print_rate(f"play, {count:,} tables, {rules}", tables, play_rate, repeats)
            if find_spec("torch"):
                _print_rate(f"step, {count:,} tables, {rules}", tables, step_rate, repeats)


def _print_rate(
    label: str, tables: Tables, measure_rate: Callable[[Tables], float], repeats: int
) -> None:
    measure_rate(tables)  # compiles
    rates = [measure_rate(tables) / 1e6 for _ in range(repeats)]
    spread = f"{min(rates):.1f} to {max(rates):.1f}"
    print(f"{label}: {median(rates):.1f} M decisions a second ({spread})", flush=True)
