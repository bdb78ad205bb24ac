"""Checkpoint files: a header and a state with a checksum, from which work is resumed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sabacc_env.errors import SabaccError
from sabacc_env.storage.checksums import unpack_checked


def read_checkpoint(path: Path, format_line: bytes) -> tuple[dict[str, Any], bytes]:
    """Return the header and the state in a file that ``pack_with_checksum`` packed.

    Raises:
        SabaccError: if there is no such file, if it cannot be read or is damaged, or if it has
            another format or version.
    """
    try:
        return unpack_checked(format_line, path.read_bytes())
    except FileNotFoundError:
        raise SabaccError(f"{path}: there is no checkpoint to resume from") from None
    except OSError as error:
        raise SabaccError(f"{path}: cannot be read ({error.strerror})") from None
    except SabaccError as error:
        raise SabaccError(f"{path}: cannot be resumed from; {error}") from None
