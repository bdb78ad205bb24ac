"""Executors: what runs independent pieces of work, here or in processes of their own.

An executor is called with a function and items; it yields each item with what the function returned
for it, in any order. The function, the items and the results must be picklable, and the function
must depend on its item alone: a piece of work may be run again, elsewhere. Items are taken when
there is room for them, so that an iterator may end early, for example after a signal.

Local processes are not those of ``concurrent.futures``: where one of these dies, all pieces that
were begun or wait fail, and nothing says which one it was; running pieces cannot be ended before
Python 3.14; and Ctrl-C inside ``submit`` can leave a process that nobody ends.
"""

from __future__ import annotations

import multiprocessing
import pickle
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice
from multiprocessing.connection import Connection, wait
from typing import Any, Final, Protocol, TypeVar

from sabacc_env.errors import SabaccError

T = TypeVar("T")
R = TypeVar("R")

MAX_ATTEMPTS: Final = 3
"""How often a piece of work is begun before its workers' deaths are an error."""


class Executor(Protocol):
    """Runs a function on items, and yields each item with its result, in any order.

    An error of the function's own is raised here, and ends the rest.
    """

    def __call__(self, function: Callable[[T], R], items: Iterable[T]) -> Iterator[tuple[T, R]]:
        """Yield each item with the function's result for it."""
        ...


def in_process(function: Callable[[T], R], items: Iterable[T]) -> Iterator[tuple[T, R]]:
    """Run all items in this process, one after the other.

    >>> dict(in_process(abs, [-2, 3]))
    {-2: 2, 3: 3}
    """
    return ((item, function(item)) for item in items)


@contextmanager
def local_processes(
    count: int, on_death: Callable[[str], None] = lambda _: None
) -> Iterator[Executor]:
    """Yield an executor over so many processes; one process is this one.

    The processes are spawned, so that no thread or lock of this one is copied, and live until the
    end. They leave signals to this process. Where one dies, its piece of work is begun again in a
    new one, at most ``MAX_ATTEMPTS`` times in all.

    Args:
        count: how many processes.
        on_death: told of each process that died, in one sentence.
    """
    if count == 1:
        yield in_process
        return
    workers: dict[int, _Worker] = {}
    try:
        yield partial(_run, count, workers, on_death)
    finally:
        for index in list(workers):
            workers.pop(index).end()


class _Worker:
    """A process that runs one item after the other."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, others = context.Pipe()
        self._process = context.Process(target=_work, args=(others,), daemon=True)
        self._process.start()
        others.close()
        self.function: object = None

    def send(self, function: Callable[[Any], Any], item: object) -> None:
        """Begin an item; the function travels only where it is another one."""
        with suppress(OSError):  # it has died: this shows when its answer is read
            self.connection.send((None if function is self.function else function, item))
        self.function = function

    def death(self) -> str:
        """Say how the process, which has died, ended."""
        self._process.join()
        self.connection.close()
        code = self._process.exitcode or 0
        ended = f"was killed by signal {-code}" if code < 0 else f"exited with code {code}"
        return f"process {self._process.pid} {ended}"

    def end(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.join()
        self.connection.close()


def _run(
    count: int,
    workers: dict[int, _Worker],
    on_death: Callable[[str], None],
    function: Callable[[T], R],
    items: Iterable[T],
) -> Iterator[tuple[T, R]]:
    """Run items in so many workers, made as they are needed; see ``local_processes``."""
    waiting, idle = iter(items), list(range(count))
    busy: dict[Connection, tuple[int, T, int]] = {}

    def begin(index: int, item: T, attempt: int) -> None:
        worker = workers[index] = workers.get(index) or _Worker()
        worker.send(function, item)
        busy[worker.connection] = index, item, attempt

    try:
        while True:
            for item in islice(waiting, len(idle)):
                begin(idle.pop(), item, 1)
            if not busy:
                return
            for connection in wait(list(busy)):
                assert isinstance(connection, Connection)
                index, item, attempt = busy.pop(connection)
                try:
                    error, result = connection.recv()
                except (EOFError, OSError):
                    told = f"{workers.pop(index).death()} while it worked on {item}"
                    if attempt == MAX_ATTEMPTS:
                        raise SabaccError(
                            f"{told}, as {attempt - 1} did before; it cannot be done here"
                        ) from None
                    on_death(f"{told}; it is begun again")
                    begin(index, item, attempt + 1)
                    continue
                idle.append(index)
                if error is not None:
                    raise error
                yield item, result
    finally:
        for index, *_ in busy.values():  # nobody will read their answers
            workers.pop(index).end()


def _work(connection: Connection) -> None:
    """Run items until nobody sends any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    function: Callable[[Any], Any] | None = None
    with suppress(EOFError, OSError):
        while True:
            sent, item = connection.recv()
            function = sent or function
            assert function is not None
            connection.send_bytes(answer(function, item))


def answer(function: Callable[[T], Any], item: T) -> bytes:
    """Return (error, result) of a call as bytes, one of them None."""
    try:
        return pickle.dumps((None, function(item)))
    except BaseException as error:  # noqa: BLE001 (it is raised where the bytes are read)
        return _pickled_error(error)


def _pickled_error(error: BaseException) -> bytes:
    """Return an error as bytes; one that cannot be sent as one that says the same."""
    try:
        answer = pickle.dumps((error, None))
        pickle.loads(answer)
    except Exception:  # noqa: BLE001 (anyone's class)
        return pickle.dumps((RuntimeError(f"{type(error).__name__}: {error}"), None))
    return answer
