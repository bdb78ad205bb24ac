"""The address that a server listens on."""

from __future__ import annotations

import socket
from typing import Final

from sabacc_env.errors import SabaccError
from sabacc_env.storage.files import failure_reason

MAX_PORT: Final = 65_535


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens on an address; port 0 is a free one.

    Raises:
        SabaccError: for an address that cannot be listened on.
    """
    if not 0 <= port <= MAX_PORT:
        raise SabaccError(f"--port: {port} is out of range; give 0 to {MAX_PORT}")
    try:
        return socket.create_server((host, port))
    except OSError as error:
        raise SabaccError(
            f"{host}:{port}: cannot be listened on ({failure_reason(error)}); "
            "choose another --host or --port"
        ) from None
