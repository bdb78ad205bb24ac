"""A server of tables on this machine, and players that talk to it as a page does."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import uvicorn
from sabacc_training.config.base import validated
from sabacc_training.play.config import PlayConfig
from sabacc_training.play.server import make_app
from sabacc_training.play.table_folder import TableFolder
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

SECONDS = 60
"""How long an answer may take on a busy machine before a test fails."""


@contextlib.contextmanager
def serving(folder: Path, token: str | None = None) -> Iterator[tuple[TableFolder, str]]:
    """Serve tables in a folder; yield them and the address, HOST:PORT."""
    tables = TableFolder(folder, seconds=0.0)
    listening = socket.create_server(("127.0.0.1", 0))
    address = f"127.0.0.1:{listening.getsockname()[1]}"
    config = uvicorn.Config(
        make_app(tables, ["127.0.0.1"], token), log_level="error", lifespan="off"
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield tables, address
    finally:
        server.should_exit = True
        thread.join(SECONDS)
        listening.close()


def new_table(tables: TableFolder, *seats: str, **keys: Any) -> str:
    """Open a table and return its name."""
    return tables.add(validated(PlayConfig, {"seats": list(seats), "seed": 1, **keys}))


class Player:
    """A client of one table.

    Attributes:
        seat: its seat; None for one that watches.
        token: what it comes back with.
        table: the last message about the table.
        frames: every text that it received.
    """

    def __init__(self, connection: ClientConnection, token: str | None, watch: bool) -> None:
        self._connection = connection
        self.frames: list[str] = []
        self.send(type="join", seat_token=token, watch=watch)
        joined = self.receive()
        self.seat: int | None = joined["seat"]
        self.token: str | None = joined["seat_token"]
        self.table = self.receive()

    def send(self, **message: Any) -> None:
        self._connection.send(json.dumps(message))

    def receive(self) -> dict[str, Any]:
        """Return the next message; keep it where it is about the table."""
        text = self._connection.recv(timeout=SECONDS)
        assert isinstance(text, str)
        self.frames.append(text)
        message: dict[str, Any] = json.loads(text)
        if message["type"] == "table":
            self.table = message
        return message

    def answer(self, **message: Any) -> dict[str, Any]:
        """Send a message and return the first answer that is not about the table."""
        self.send(**message)
        while (found := self.receive())["type"] == "table":
            pass
        return found

    def refused(self, **message: Any) -> str:
        """Send a message that is refused; return the sentence."""
        found = self.answer(**message)
        assert found["type"] == "refused", found
        return str(found["sentence"])

    def play(self, move: str) -> None:
        self.send(type="move", turn=self.table["turn"], move=move)

    def wait_for_turn(self) -> bool:
        """Wait until the player is to act, or the hand is over; say which."""
        while self.table["to_act"] != self.seat and not self.table["result"]:
            self.receive()
        return self.table["to_act"] == self.seat


@contextlib.contextmanager
def playing(
    address: str, name: str, token: str | None = None, *, watch: bool = False
) -> Iterator[Player]:
    """Take a seat at a table."""
    with connect(
        f"ws://{address}/table/{name}/socket", origin=Origin(f"http://{address}")
    ) as connection:
        yield Player(connection, token, watch)
