"""A process that is sent lines and answers with lines, within a limit of time."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time
import weakref
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from sabacc_agents.external import watchdog
from sabacc_env.errors import SabaccError, printable

MAX_LINE: Final = 2**20
"""The most bytes of a line."""

GRACE_S: Final = 1.0
"""Seconds that a process has to end after its standard input was closed."""

_CHUNK: Final = 2**16
_KEPT_ERRORS: Final = 4096
"""Bytes kept of what a process wrote to standard error last."""

_MAX_QUOTED: Final = 200
"""Characters quoted of its last line."""


class ProcessFailedError(SabaccError):
    """A process cannot be talked to any more; the message says what it did.

    Attributes:
        kind: one of ``failures.FAILURE_KINDS``.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class LineProcess:
    """A command that runs in a process group of its own, without a shell.

    It is killed, with all that it started, when it is closed or collected as garbage, and when this
    process ends in any way.

    Args:
        words: the program and its arguments.

    Attributes:
        process_id: the system's number of the process, and of its group.

    Raises:
        ProcessFailedError: if it cannot be started.
    """

    def __init__(self, words: Sequence[str]) -> None:
        if os.name != "posix":
            raise ProcessFailedError(
                "crash", "it runs on Linux, macOS and other POSIX systems only"
            )
        try:
            process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,  # its group is killed; Ctrl-C is left to this process
            )
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise ProcessFailedError("crash", f"it cannot be started ({reason})") from error
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self.process_id = process.pid
        self._process = process
        self._input = process.stdin.fileno()
        self._output = process.stdout.fileno()
        self._errors = process.stderr.fileno()
        for pipe in (self._input, self._output, self._errors):
            os.set_blocking(pipe, False)
        self._errors_open = True
        self._unsent = bytearray()
        self._lines: deque[bytes] = deque()
        self._part = b""
        self._last_errors = b""
        watchdog.watch(process.pid)
        self._end = weakref.finalize(self, _end, process, os.getpid())

    def send(self, line: bytes) -> None:
        """Put a line, with its end, among those that ``receive`` sends while it waits."""
        self._unsent += line

    def receive(self, seconds: float) -> bytes:
        """Return the next line that the process writes, without its end.

        Raises:
            ProcessFailedError: if the process ends, writes a line longer than ``MAX_LINE``, or
                writes none in so many seconds.
        """
        deadline = time.monotonic() + seconds
        while not self._lines:
            if not self._wait(max(deadline - time.monotonic(), 0)):
                raise ProcessFailedError(
                    "timeout", f"it did not answer within {seconds:g} s (does it flush its output?)"
                )
        return self._lines.popleft()

    def close(self) -> None:
        """Close its standard input, give it ``GRACE_S`` to end, and kill what is left of it."""
        self._end()

    def kill(self) -> None:
        """Kill it, and all that it started."""
        _kill_group(self._process)
        self._end()

    def _wait(self, seconds: float) -> bool:
        """Send and read what can be, waiting for that at most so long; say whether anything was."""
        with selectors.PollSelector() as selector:
            selector.register(self._output, selectors.EVENT_READ, self._read_output)
            if self._errors_open:
                selector.register(self._errors, selectors.EVENT_READ, self._read_errors)
            if self._unsent:
                selector.register(self._input, selectors.EVENT_WRITE, self._write)
            ready = selector.select(seconds)
        for key, _ in ready:
            key.data()
        return bool(ready)

    def _write(self) -> None:
        try:
            del self._unsent[: os.write(self._input, self._unsent[:_CHUNK])]
        except BlockingIOError:  # less room than the pipe said
            pass
        except BrokenPipeError:  # it reads no more: it has ended, or may still answer
            self._unsent.clear()

    def _read_output(self) -> None:
        chunk = os.read(self._output, _CHUNK)
        if not chunk:
            raise ProcessFailedError("crash", self._ending())
        *lines, self._part = (self._part + chunk).split(b"\n")
        self._lines += lines
        if max(map(len, [self._part, *lines])) > MAX_LINE:
            raise ProcessFailedError("unreadable", f"it wrote a line of more than {MAX_LINE} bytes")

    def _read_errors(self) -> None:
        chunk = os.read(self._errors, _CHUNK)
        self._errors_open = bool(chunk)
        self._last_errors = (self._last_errors + chunk)[-_KEPT_ERRORS:]

    def _ending(self) -> str:
        """Say how the process ended, and the last line that it wrote to standard error."""
        with suppress(BlockingIOError):
            while self._errors_open:
                self._read_errors()
        try:
            code = self._process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            how = "it closed its standard output"
        else:
            how = (
                f"it ended with exit code {code}"
                if code >= 0
                else f"it was ended by {_signal(-code)}"
            )
        lines = self._last_errors.decode(errors="replace").splitlines()
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        quoted = printable(last)[:_MAX_QUOTED]
        return f"{how}; its last words were: {quoted}" if quoted else how


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _end(process: subprocess.Popen[bytes], owner: int) -> None:
    """Close the process's standard input, wait for its end, kill what is left of its group."""
    pipes = process.stdin, process.stdout, process.stderr
    if os.getpid() == owner:  # and not a fork, to which the process does not belong
        _close_input(process)
        _kill_group(process)
        process.wait()
        watchdog.forget(process.pid)
    for pipe in pipes:
        if pipe is not None:
            pipe.close()


def _close_input(process: subprocess.Popen[bytes]) -> None:
    """Close its standard input, and wait for the end of its output, which is its own end."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.close()
    deadline = time.monotonic() + GRACE_S
    with selectors.PollSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while process.returncode is None and selector.select(max(deadline - time.monotonic(), 0)):
            if not process.stdout.read(_CHUNK):
                return


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill what is left of a process's group."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
