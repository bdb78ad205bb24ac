"""Long work whose parts are kept as they are done, so that it goes on where it was stopped."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from sabacc_env.errors import SabaccError
from sabacc_env.storage.checksums import pack_with_checksum, unpack_checked
from sabacc_env.storage.files import read_bytes, write_bytes
from sabacc_training.jobs.locking import locked_folder

FORMAT: Final = b"sabacc-env unfinished work 1\n"
FILE: Final = "unfinished"


class Unfinished:
    """The finished parts of some work, in a file of a folder; ``unfinished`` opens one.

    Attributes:
        parts: what came of each part, as plain data, by name.
    """

    def __init__(self, folder: Path, work: Mapping[str, Any], parts: dict[str, Any]) -> None:
        self._folder = folder
        self._path = folder / FILE
        self._work = work
        self.parts = parts

    @property
    def checkpoint(self) -> Path:
        """The file that the part underway may be kept in; it is removed when that is done."""
        return self._folder / f"part-{len(self.parts)}.pt"

    def keep(self, name: str, part: Any) -> None:
        """Keep what came of a part.

        Raises:
            SabaccError: where it cannot be written.
        """
        self.parts[name] = part
        self.write()

    def write(self) -> None:
        """Write what the work is, and its parts."""
        header = {"work": self._work, "parts": self.parts}
        write_bytes(self._path, pack_with_checksum(FORMAT, header, b""))
        for checkpoint in self._folder.glob("part-*.pt"):
            if checkpoint != self.checkpoint:
                checkpoint.unlink(missing_ok=True)

    def finish(self) -> None:
        """Say that all of the work is done: nothing of it is kept any longer."""
        self._path.unlink(missing_ok=True)


@contextmanager
def unfinished(folder: Path, work: Mapping[str, Any], resume: bool) -> Iterator[Unfinished]:
    """Open the work in a folder, which nobody else writes into meanwhile.

    Where it stops before anything of it was kept, nothing is left of it.

    Args:
        folder: is made where it is missing; one that is empty at the end is removed again.
        work: plain data that says what the work is.
        resume: go on with the same work where some of it is there already.

    Raises:
        SabaccError: for work that is there and shall not be resumed, other work, a damaged file, or
            a folder that cannot be written or that another process writes into.
    """
    path = folder / FILE
    with locked_folder(folder):
        left = path.exists()
        if left and not resume:
            raise SabaccError(
                f"{path}: was left by work that stopped; go on with it (--resume) or remove it"
            )
        parts = _parts_of(path, json.loads(json.dumps(work))) if left else {}
        opened = Unfinished(folder, work, parts)
        opened.write()
        try:
            yield opened
        finally:
            if not (parts or opened.checkpoint.exists()):
                opened.finish()
    if left and not path.exists():
        with suppress(OSError):  # of a folder that holds something else
            folder.rmdir()


def _parts_of(path: Path, work: Any) -> dict[str, Any]:
    try:
        header, _ = unpack_checked(FORMAT, read_bytes(path) or b"")
    except SabaccError as error:
        raise SabaccError(f"{path}: cannot be resumed from; {error}") from None
    match header:
        case {"work": found, "parts": dict() as parts} if found == work:
            return parts
    raise SabaccError(
        f"{path}: was left by other work, or on another machine; remove it to begin anew"
    )
