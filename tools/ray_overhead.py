"""Measure what Ray costs: tasks a second, and the overhead of a task.

``python -m tools.ray_overhead`` starts a cluster of this machine alone; with an address as its
argument it measures that cluster.
"""

from __future__ import annotations

import sys
import time

from sabacc_training.jobs.ray_executor import ray_cluster

EMPTY, LONG = 2000, 20
"""Tasks that do nothing, and tasks that last a second."""


def main(address: str) -> None:
    """Print the time to the first result, and the rates of both kinds of tasks."""
    began = time.perf_counter()
    with ray_cluster(address) as executor:
        list(executor(abs, [0]))
        print(f"first result after {time.perf_counter() - began:.1f} s")
        began = time.perf_counter()
        list(executor(abs, range(EMPTY)))
        seconds = time.perf_counter() - began
        print(f"empty tasks: {EMPTY / seconds:,.0f} a second, {1000 * seconds / EMPTY:.2f} ms each")
        import ray

        processors = ray.cluster_resources()["CPU"]
        began = time.perf_counter()
        list(executor(time.sleep, [1.0] * LONG))
        seconds = time.perf_counter() - began
        alone = LONG / processors
        print(
            f"{LONG} tasks of a second on {processors:.0f} processors: {seconds:.2f} s, "
            f"{seconds / alone - 1:.1%} more than the tasks themselves"
        )


if __name__ == "__main__":
    main(*sys.argv[1:] or ["local"])
