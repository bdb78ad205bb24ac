"""Long work in parts: each part's results are saved when it ends, and the work can be resumed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from sabacc_env.errors import SabaccError
from sabacc_env.storage.checksums import pack_with_checksum
from sabacc_env.storage.files import write_bytes
from sabacc_training.jobs.checkpoint_file import read_checkpoint
from sabacc_training.jobs.locking import locked_folder

FORMAT: Final = b"sabacc-env unfinished work 1\n"
FILE: Final = "unfinished"


class PartialResults:
    """The results of the finished parts of some work, saved in a folder.

    ``open_partial_results`` makes one.

    Attributes:
        parts: the result of each finished part, as plain data, by the part's name.
    """

    def __init__(self, folder: Path, work: Mapping[str, Any], parts: dict[str, Any]) -> None:
        self._folder = folder
        self._path = folder / FILE
        self._work = work
        self.parts = parts

    @property
    def checkpoint(self) -> Path:
        """The file in which the current part may save itself; it is removed when the part ends."""
        return self._folder / f"part-{len(self.parts)}.pt"

    def add(self, name: str, part: Any) -> None:
        """Save the result of a part.

        Raises:
            SabaccError: where it cannot be written.
        """
        self.parts[name] = part
        self.write()

    def write(self) -> None:
        """Write the description of the work and its parts."""
        header = {"work": self._work, "parts": self.parts}
        write_bytes(self._path, pack_with_checksum(FORMAT, header, b""))
        _remove_checkpoints(self._folder, but=self.checkpoint)

    def finish(self) -> None:
        """Remove the file: the whole work has ended."""
        self._path.unlink(missing_ok=True)


@contextmanager
def open_partial_results(
    folder: Path, work: Mapping[str, Any], resume: bool
) -> Iterator[PartialResults]:
    """Open the partial results in a folder, and lock the folder meanwhile.

    Work that stops before its first part has ended leaves nothing behind.

    Args:
        folder: made where it is missing; removed again where it is empty at the end.
        work: plain data that identifies the work.
        resume: whether to continue the same work where the folder holds parts of it.

    Raises:
        SabaccError: for parts that are there without ``resume``, for those of other work, for a
            damaged file, or for a folder that cannot be written or that another process uses.
    """
    path = folder / FILE
    with locked_folder(folder):
        left = path.exists()
        if left and not resume:
            raise SabaccError(
                f"{path}: was left by work that stopped; resume it (--resume) or remove the file"
            )
        if not left:
            _remove_checkpoints(folder)
        parts = _parts_of(path, json.loads(json.dumps(work))) if left else {}
        partial = PartialResults(folder, work, parts)
        partial.write()
        try:
            yield partial
        finally:
            if not (parts or partial.checkpoint.exists()):
                partial.finish()
    if left and not path.exists():
        with suppress(OSError):  # the folder holds something else
            folder.rmdir()


def _remove_checkpoints(folder: Path, but: Path | None = None) -> None:
    """Remove the checkpoints of parts in a folder, but for one."""
    for checkpoint in folder.glob("part-*.pt"):
        if checkpoint != but:
            checkpoint.unlink(missing_ok=True)


def _parts_of(path: Path, work: Any) -> dict[str, Any]:
    header, _ = read_checkpoint(path, FORMAT)
    match header:
        case {"work": found, "parts": dict() as parts} if found == work:
            return parts
    raise SabaccError(
        f"{path}: belongs to other work or another machine; remove the file to start anew"
    )
