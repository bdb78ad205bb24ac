"""Threads that share the work of one run."""

from __future__ import annotations

import threading

import pytest
from sabacc_training.ppo.threads import Workers


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize(
    ("rows", "chunk_size"), [(0, 4), (1, 4), (8, 4), (9, 4), (1000, 1), (12, 5)]
)
def test_every_row_is_worked_on_once(threads: int, rows: int, chunk_size: int) -> None:
    done: list[int] = []
    begins: list[int] = []

    def work(some: slice) -> None:
        begins.append(some.start)
        done.extend(range(some.start, some.stop))

    Workers(threads).parallel_for(rows, work, chunk_size)
    assert sorted(done) == list(range(rows))
    assert not any(begin % chunk_size for begin in begins)
    assert len(begins) == min(threads, -(-rows // chunk_size))


def test_jobs_run_side_by_side_the_first_in_the_calling_thread() -> None:
    both, seen = threading.Barrier(2, timeout=20), {}

    def job(name: str) -> None:
        both.wait()  # neither ends before the other began
        seen[name] = threading.current_thread()

    Workers(2).run(lambda: job("first"), lambda: job("second"))
    assert seen["first"] is threading.current_thread()
    assert seen["second"] is not seen["first"]


@pytest.mark.parametrize("threads", [1, 2])
def test_what_a_job_raises_is_raised(threads: int) -> None:
    def fail() -> None:
        raise KeyError("lost")

    with pytest.raises(KeyError, match="lost"):
        Workers(threads).run(lambda: None, fail)
