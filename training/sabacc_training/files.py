"""Writing files atomically: a reader, or an interrupted run, never finds half a file."""

from __future__ import annotations

import secrets
from pathlib import Path


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file in one step; its folder is made where it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        temporary.write_bytes(data)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a text file in one step, UTF-8, its line ends as they are."""
    write_bytes(path, text.encode())
