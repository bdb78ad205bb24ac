"""Resumable work in folders, done by an executor: in other processes, or on other machines.

Long work here saves itself in a folder, stops at a signal, and goes on as if it had never stopped.
So it is done in slices. A slice is given the files of the work, goes on from them in a folder of
its own, stops after some time as at a signal, and returns the files. So machines share no disk, a
machine that is lost costs no more than a slice, and what comes out is what one process makes.
"""

from __future__ import annotations

import io
import signal
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn

from sabacc_env.errors import SabaccError
from sabacc_env.storage.files import make_folder, write_bytes
from sabacc_training.jobs.executors import Executor
from sabacc_training.jobs.locking import locked_folder
from sabacc_training.jobs.progress_bar import ProgressBar
from sabacc_training.jobs.ray_executor import executor_at
from sabacc_training.jobs.stopping import STOPPING, StoppedBySignal, stop_signals

SLICE: Final = 120.0
"""Seconds after which a slice stops. Beginning one takes some seconds."""

Files = dict[str, bytes]
"""The contents of files, by their paths in a folder."""


@dataclass(frozen=True)
class FolderWork:
    """Work that saves itself in a folder.

    Attributes:
        name: its name in messages.
        folder: its folder.
        go_on: begins the work in a folder, or goes on from what is there; it can be pickled, and
            raises ``StoppedBySignal`` after a signal.
        own: the files and folders in the folder that are its own; empty where all are.
    """

    name: str
    folder: Path
    go_on: Callable[[Path], object]
    own: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.name

    def read(self) -> Files:
        """Return its files; those that begin with a point are locks, or half written."""
        tops = [self.folder / name for name in self.own] or [self.folder]
        paths = (path for top in tops for path in (top, *top.rglob("*")))
        return {
            path.relative_to(self.folder).as_posix(): path.read_bytes()
            for path in sorted(paths)
            if path.is_file() and not path.name.startswith(".")
        }

    def write(self, files: Files, before: Files) -> None:
        """Make its files those of ``files``, where they were those of ``before``."""
        for name, data in files.items():
            if before.get(name) != data:
                path = self.folder / name
                make_folder(path.parent)
                write_bytes(path, data)
        for name in before.keys() - files.keys():
            path = self.folder / name
            path.unlink(missing_ok=True)
            if path.parent != self.folder:
                with suppress(OSError):  # it holds something else
                    path.parent.rmdir()


@dataclass(frozen=True)
class Slice:
    """Some seconds of work, from these files."""

    work: FolderWork
    files: Files
    seconds: float

    def __str__(self) -> str:
        return str(self.work)


@dataclass(frozen=True)
class Done:
    """What a slice has done: whether the work is finished, its files, the last line it printed."""

    finished: bool
    files: Files
    told: str


def do_slice(slice_: Slice) -> Done:
    """Do a slice in a temporary folder.

    Raises:
        SabaccError: what the work raises, about the folder of the work.
    """
    work, finished, errors = slice_.work, True, io.StringIO()
    with tempfile.TemporaryDirectory() as name:
        here = FolderWork(work.name, Path(name), work.go_on)
        here.write(slice_.files, {})
        try:
            with redirect_stderr(errors), _signals(slice_.seconds):
                work.go_on(here.folder)
        except StoppedBySignal:
            finished = False
        except SabaccError as error:
            raise SabaccError(str(error).replace(name, str(work.folder))) from None
        # A slice stops by a signal of its own, which is no news.
        told = [line for line in errors.getvalue().strip().splitlines() if line != STOPPING]
        return Done(finished, here.read(), told[-1] if told else "")


@contextmanager
def _signals(seconds: float) -> Iterator[None]:
    """Send SIGTERM to this process every so many seconds, which only ``stop_signals`` notes."""
    ended = threading.Event()

    def send() -> None:
        while not ended.wait(seconds):
            signal.raise_signal(signal.SIGTERM)

    thread = threading.Thread(target=send, daemon=True)
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        signal.signal(signal.SIGTERM, before)


class WorkProgress(ProgressBar):
    """A bar over several works; lines where standard error is not a terminal."""

    def __init__(self, works: int) -> None:
        super().__init__(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            transient=True,
        )
        self._task = self._bar.add_task("", total=works)

    def add(self, work: FolderWork, done: Done) -> None:
        """Show what a slice has done."""
        line = f"{work}: {'finished' if done.finished else done.told or 'goes on'}"
        self._bar.update(self._task, description=line, advance=int(done.finished))
        self.print_line(line)


def do_works(
    works: Sequence[FolderWork], *, resume: bool, processes: int = 1, ray: str | None = None
) -> None:
    """Do works, by one process in their own folders, by several or on a Ray cluster in slices.

    Args:
        works: the works.
        resume: whether to go on from what is in their folders.
        processes: how many processes of this machine.
        ray: the address of a cluster, as ``ray_cluster`` takes it; None for this machine.

    Raises:
        SabaccError: for files that are there without ``resume``, for what a work raises, for a
            folder that another process writes into, or for no process.
        StoppedBySignal: after a signal; everything is saved.
    """
    if processes < 1:
        raise SabaccError(f"processes: {processes} is not allowed; give at least 1")
    if not resume:
        _refuse_files(works)
    if not works or (processes == 1 and ray is None):
        _refuse_held(works)
        for work in works:
            if len(works) > 1:
                print(work, file=sys.stderr)
            work.go_on(work.folder)
        return
    with (
        WorkProgress(len(works)) as progress,
        executor_at(ray, processes, progress.print_warning) as executor,
    ):
        do_in_slices(works, executor, progress)


def _refuse_files(works: Sequence[FolderWork]) -> None:
    """Refuse works of which something is done."""
    for work in works:
        for name in work.read():
            raise SabaccError(
                f"{work.folder}: holds {name} already; resume (--resume) or choose another folder"
            )


def _refuse_held(works: Sequence[FolderWork]) -> None:
    """Refuse works in folders that another process writes into, before anything is done."""
    for folder in dict.fromkeys(work.folder for work in works):
        with locked_folder(folder):
            pass


def do_in_slices(
    works: Sequence[FolderWork],
    executor: Executor,
    progress: WorkProgress,
    seconds: float = SLICE,
) -> None:
    """Do works in slices of some seconds, and save what each slice returns.

    After a signal no slice is begun; those that were begun end, and are saved.

    Raises:
        SabaccError: for what a work raises, or a folder that another process writes into.
        StoppedBySignal: after a signal.
    """
    waiting = deque(works)

    def slices() -> Iterator[Slice]:
        while waiting and not received:
            work = waiting.popleft()
            yield Slice(work, work.read(), seconds)

    with ExitStack() as stack, stop_signals() as received:
        for folder in dict.fromkeys(work.folder for work in works):
            stack.enter_context(locked_folder(folder))
        while waiting:
            for slice_, done in executor(do_slice, slices()):
                slice_.work.write(done.files, slice_.files)
                progress.add(slice_.work, done)
                if not done.finished:
                    waiting.append(slice_.work)
            if received and waiting:
                raise StoppedBySignal
