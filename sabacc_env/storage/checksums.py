"""Packs plain data with a format and a checksum: into bytes with a state, or into JSON text."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from typing import Any

from sabacc_env.errors import SabaccError


def pack_with_checksum(format_line: bytes, header: dict[str, Any], state: bytes) -> bytes:
    """Return bytes that hold the format line, a checksum, the header as JSON, and the state.

    Args:
        format_line: the name and the version of the format, with a line end.
        header: plain data that JSON can hold.
        state: any bytes.
    """
    return b"".join(parts_with_checksum(format_line, header, [state]))


def parts_with_checksum(
    format_line: bytes, header: dict[str, Any], state: Sequence[bytes | memoryview[Any]]
) -> list[bytes | memoryview[Any]]:
    """Return what ``pack_with_checksum`` returns, in parts: a large state is not copied.

    Args:
        format_line: the name and the version of the format, with a line end.
        header: plain data that JSON can hold.
        state: any bytes, in parts.
    """
    text = json.dumps(header).encode() + b"\n"
    digest = hashlib.sha256(text)
    for part in state:
        digest.update(part)
    return [format_line + digest.hexdigest().encode() + b"\n" + text, *state]


def unpack_checked(format_line: bytes, data: bytes) -> tuple[dict[str, Any], bytes]:
    """Return the header and the state that ``pack_with_checksum`` packed.

    Anyone can write bytes with a correct checksum, so the caller must still check the contents.

    Raises:
        SabaccError: if the bytes have another format or version, are damaged or are cut short.
    """
    name = format_line.decode().strip()
    if not isinstance(data, bytes) or not data.startswith(format_line):
        raise SabaccError(
            f"these bytes do not have the format {name!r}{_other_version(name, data)}"
        )
    # Large data are not copied here, but for the state.
    begin = data.find(b"\n", len(format_line)) + 1
    checksum = data[len(format_line) : begin].rstrip(b"\n")
    if hashlib.sha256(memoryview(data)[begin:]).hexdigest().encode() != checksum:
        raise SabaccError(f"these bytes of the format {name!r} are damaged or cut short")
    end = data.find(b"\n", begin)
    end = len(data) if end < 0 else end
    text, state = data[begin:end], data[end + 1 :]
    try:
        header = json.loads(text)
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict):
        raise content_error(format_line, "no header")
    return header, state


def seal_text(name: str, content: dict[str, Any]) -> str:
    """Return JSON text that holds the name and version of a format, a checksum, and the content."""
    return json.dumps({"format": name, "checksum": _content_digest(content)} | content)


def unseal_text(name: str, text: str) -> dict[str, Any]:
    """Return the content that ``seal_text`` wrote; spaces and the order of keys may have changed.

    Anyone can write text with a correct checksum, so the caller must still check the content.

    Raises:
        SabaccError: if the text has another format or version, was changed or is cut short.
    """
    try:
        content = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        raise SabaccError(f"this text is not JSON of the format {name!r}, or cut short") from None
    found = content.pop("format", None) if isinstance(content, dict) else None
    if found != name:
        kind, _, _ = name.rpartition(" ")
        old = isinstance(found, str) and re.fullmatch(rf"{kind} (\d{{1,4}})", found)
        raise SabaccError(
            f"this text does not have the format {name!r}"
            + (f"; it has version {int(old[1])} of it, which is not read here" if old else "")
        )
    assert isinstance(content, dict)
    if content.pop("checksum", None) != _content_digest(content):
        raise SabaccError(f"this text of the format {name!r} was changed or is damaged")
    return content


def _content_digest(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _other_version(name: str, data: object) -> str:
    """Say which other version of the format the bytes have; "" if they have none."""
    kind, _, _ = name.rpartition(" ")
    found = isinstance(data, bytes) and re.match(rf"{kind} (\d{{1,4}})\n".encode(), data)
    return f"; they have version {int(found[1])} of it, which is not read here" if found else ""


def content_error(format_line: bytes, what: str) -> SabaccError:
    """Return the error for bytes with a correct checksum whose contents are impossible."""
    name = format_line.decode().strip()
    return SabaccError(f"these bytes of the format {name!r} hold {what}")
