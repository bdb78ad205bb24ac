"""Threads that share the work of one run."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor


class Workers:
    """A pool of threads, the calling thread included.

    Only work that releases the GIL becomes faster.

    Args:
        threads: the number of threads.
    """

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads - 1) if threads > 1 else None

    def run(self, *jobs: Callable[[], None]) -> None:
        """Run all jobs, in parallel where there are several threads."""
        if self._pool is None:
            for job in jobs:
                job()
            return
        others = [self._pool.submit(job) for job in jobs[1:]]
        jobs[0]()
        for other in others:
            other.result()

    def parallel_for(self, rows: int, work: Callable[[slice], None], chunk_size: int = 1) -> None:
        """Call some work for all rows, in each thread for a slice of consecutive ones.

        Args:
            rows: the number of rows.
            work: takes a slice of rows; several threads call it at the same time.
            chunk_size: each slice begins at a multiple of it.
        """
        if not rows:
            return
        chunks = -(-rows // chunk_size)
        count = min(self._threads, chunks)
        begins = [chunks * k // count * chunk_size for k in range(count)]
        slices = map(slice, begins, [*begins[1:], rows])
        self.run(*(lambda part=part: work(part) for part in slices))
