"""Files of recorded hands: one line of JSON for each."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sabacc_env.errors import SabaccError
from sabacc_env.hand_histories.history import HandHistory
from sabacc_env.storage.files import check_writable, failure_reason, make_folder


class HandHistoryWriter:
    """Adds hands to a file, which is made if it is missing.

    Each hand is added in one piece, and nothing is open in between. So the file is whole after
    every hand, several writers may add to it, and an environment that has a writer can be copied
    and pickled.

    Args:
        path: the file. Its folder is made, too.

    Raises:
        SabaccError: where it cannot be written, or does not end with a whole hand.
    """

    def __init__(self, path: str | Path) -> None:
        if not isinstance(path, str | Path):
            raise SabaccError("record_hands: give the path of a file")
        self.path = Path(path)
        make_folder(self.path.parent)
        check_writable(self.path)
        _check_last_line(self.path)

    def write(self, hand: HandHistory) -> None:
        """Add a hand.

        Raises:
            SabaccError: where it cannot be written, because the disk is full, and so on.
        """
        line = f"{hand.to_json()}\n".encode()
        with _refusing(self.path, "written"), self.path.open("ab", buffering=0) as file:
            if (written := file.write(line)) != len(line):
                file.truncate(file.tell() - written)  # so that hands can be added later
                raise SabaccError(f"{self.path}: cannot be written (the disk is full)")


def read_hand_histories(path: str | Path) -> Iterator[HandHistory]:
    """Yield the hands of a file in order.

    Raises:
        SabaccError: for a file that cannot be read, and for a line that is damaged, cut short, of
            another version, or of rules that are not known here; names the line.
    """
    path = Path(path)
    with _refusing(path, "read"), path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            yield _read_line(line, f"{path}, line {number}")


@contextmanager
def _refusing(path: Path, done: str) -> Iterator[None]:
    """Turn an error of the system into one sentence: the file cannot be read, or written."""
    try:
        yield
    except SabaccError:
        raise
    except (OSError, ValueError) as error:
        raise SabaccError(f"{path}: cannot be {done} ({failure_reason(error)})") from None


def _read_line(line: bytes, where: str) -> HandHistory:
    try:
        hand = HandHistory.from_json(line.decode())
        _ = hand.rule_set
    except UnicodeDecodeError:
        raise SabaccError(f"{where}: is damaged; it is not text") from None
    except SabaccError as error:
        if not line.endswith(b"\n"):
            raise SabaccError(
                f"{where}: is cut short, because its writer was stopped; remove this line"
            ) from None
        raise SabaccError(f"{where}: {error}") from None
    return hand


def _check_last_line(path: Path) -> None:
    """Refuse a file to which no hand can be added: its last line is none, or cut short."""
    if not path.exists():
        return
    number, last = 0, b""
    with _refusing(path, "read"), path.open("rb") as file:
        for number, last in enumerate(file, start=1):  # noqa: B007
            pass
    if not number:
        return
    _read_line(last, f"{path}, line {number}")
    if not last.endswith(b"\n"):
        with (
            _refusing(path, "written"),
            path.open("ab") as file,
        ):  # an editor may leave out the last line end
            file.write(b"\n")
