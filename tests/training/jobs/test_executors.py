"""Executors: the same results in one process and in several, and workers that die."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from sabacc_training.jobs.executors import MAX_ATTEMPTS, in_process, local_processes

from sabacc_env.errors import SabaccError
from tests.support.work import die, die_once, square


def test_processes_return_what_one_process_returns():
    with local_processes(2) as executor:
        assert dict(executor(square, range(12))) == dict(in_process(square, range(12)))
        assert dict(executor(abs, [-1])) == {-1: 1}  # another function, in the same processes
    with local_processes(1) as executor:
        assert executor is in_process


@pytest.mark.parametrize("count", [1, 2])
def test_items_are_taken_only_where_there_is_room(count: int) -> None:
    left, stopped = list(range(9)), False
    items = (left.pop() for _ in range(9) if not stopped)
    with local_processes(count) as executor:
        found = executor(square, items)
        next(found)
        assert len(left) == 9 - count
        stopped = True
        assert len(dict(found)) == count - 1
    assert len(left) == 9 - count


def test_ctrl_c_ends_all_processes(tmp_path: Path) -> None:
    script = tmp_path / "work.py"
    script.write_text(
        "import signal\n"
        "from sabacc_training.jobs.executors import local_processes\n"
        "from tests.support.work import work_for_an_hour\n"
        "if __name__ == '__main__':\n"
        # Programs that a shell starts in the background ignore SIGINT, and so do theirs.
        "    signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "    with local_processes(2) as executor:\n"
        "        list(executor(work_for_an_hour, range(9)))\n"
    )
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen([sys.executable, script], env=environment, **pipes) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(2)]
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
    assert errors.count(b"Traceback") == 1
    assert errors.rstrip().endswith(b"KeyboardInterrupt")
    for line in lines:
        with pytest.raises(ProcessLookupError):
            os.kill(int(line), 0)


def test_an_error_of_the_work_is_raised_here():
    with (
        local_processes(2) as executor,
        pytest.raises(SabaccError, match="13 is not squared here"),
    ):
        dict(executor(square, [12, 13, 14]))


def test_work_whose_process_died_is_begun_again(tmp_path):
    deaths: list[str] = []
    marker = str(tmp_path / "marker")
    with local_processes(2, deaths.append) as executor:
        ((item, process),) = executor(die_once, [marker])
    assert item == marker
    assert process != os.getpid()
    (told,) = deaths
    assert f"was killed by signal {signal.SIGKILL.value} while it worked on {marker}" in told


def test_work_that_kills_every_process_is_one_sentence():
    deaths: list[str] = []
    with (
        local_processes(2, deaths.append) as executor,
        pytest.raises(SabaccError, match="exited with code 7 while it worked on this, as 2 did"),
    ):
        list(executor(die, ["this"]))
    assert len(deaths) == MAX_ATTEMPTS - 1
