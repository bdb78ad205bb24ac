"""Bytes that say what they are and notice damage: a format line, a checksum, a header, a state."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from sabacc_env.errors import SabaccError


def pack_with_checksum(form: bytes, header: dict[str, Any], state: bytes) -> bytes:
    """Return header and state as bytes that start with the line ``form``."""
    body = json.dumps(header).encode() + b"\n" + state
    return form + hashlib.sha256(body).hexdigest().encode() + b"\n" + body


def unpack_checked(form: bytes, data: bytes) -> tuple[dict[str, Any], bytes]:
    """Return the header and the state that were sealed.

    Whoever can write bytes can seal them: what they hold is still to be checked.

    Raises:
        SabaccError: for bytes of something else, of another version, damaged, or cut short.
    """
    name = form.decode().strip()
    if not isinstance(data, bytes) or not data.startswith(form):
        raise SabaccError(f"these bytes do not start as {name!r} does")
    checksum, _, body = data[len(form) :].partition(b"\n")
    if hashlib.sha256(body).hexdigest().encode() != checksum:
        raise SabaccError(f"these bytes, which start as {name!r} does, are damaged or cut short")
    text, _, state = body.partition(b"\n")
    try:
        header = json.loads(text)
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict):
        raise content_error(form, "no header")
    return header, state


def content_error(form: bytes, what: str) -> SabaccError:
    """Return the error for bytes whose seal is whole, and that hold something impossible."""
    name = form.decode().strip()
    return SabaccError(f"these bytes, which start as {name!r} does, hold {what}")
