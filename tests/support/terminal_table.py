"""A person at a table in a terminal: presses keys, and reads the screen as text."""

from __future__ import annotations

import asyncio
import html
import re
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sabacc_training.config.base import validated
from sabacc_training.play.config import PlayConfig
from sabacc_training.play.room import Room
from sabacc_training.play.table_folder import TableFolder
from sabacc_training.play.terminal import Page, TerminalTable
from textual.pilot import Pilot

from sabacc_env.agent import RandomAgent
from tests.support.play_server import SECONDS


class Slow(RandomAgent):
    """An agent that thinks until it is told to move."""

    may_move = threading.Event()

    def act(self, *arguments: Any) -> NDArray[np.int64]:
        assert self.may_move.wait(SECONDS)
        return super().act(*arguments)


class PatientTable(TerminalTable):
    """The program as it is, but what it says stays until a busy machine has read it."""

    NOTIFICATION_TIMEOUT = SECONDS


class Seated:
    """A person, or a watcher, with a keyboard.

    Attributes:
        room: the table.
        app: the program in the terminal.
        table: what it was told last of the table.
    """

    def __init__(self, room: Room, app: TerminalTable, pilot: Pilot[None]) -> None:
        self.room, self.app, self._pilot = room, app, pilot

    @property
    def table(self) -> dict[str, Any]:
        return self.app.table

    async def press(self, *keys: str) -> None:
        await self._pilot.press(*keys)

    async def resize(self, width: int, height: int) -> None:
        await self._pilot.resize_terminal(width, height)

    async def wait(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(SECONDS):
            while not condition():
                await self._pilot.pause(0.001)
        await self._pilot.pause()

    async def wait_for_turn(self) -> bool:
        """Wait until the person is to act, or the hand is over; say which."""
        await self.wait(lambda: bool(self.table and (self.table["moves"] or self.table["result"])))
        return bool(self.table["moves"])

    async def play(self, *keys: str) -> None:
        """Press keys that play a move or deal, and wait until it is done."""
        turn = self.table["turn"]
        await self.press(*keys)
        await self.wait(lambda: self.table["turn"] > turn)

    async def read(self, *keys: str) -> str:
        """Press keys that open a page; close it again and return its text."""
        await self.press(*keys)
        await self.wait(lambda: isinstance(self.app.screen, Page))
        found = self.screen()
        await self.press("escape")
        await self.wait(lambda: not isinstance(self.app.screen, Page))
        return found

    def screen(self) -> str:
        """Return what stands on the screen, line by line, without empty ones."""
        lines: dict[str, str] = {}
        drawn = self.app.export_screenshot()
        for line, text in re.findall(r'<text[^>]* y="([\d.]+)"[^>]*>([^<]*)</text>', drawn):
            lines[line] = lines.get(line, "") + html.unescape(text).replace("\xa0", " ")
        return "\n".join(line for line in lines.values() if line.strip())


@asynccontextmanager
async def seated(
    tables: TableFolder, name: str, size: tuple[int, int] = (80, 24)
) -> AsyncIterator[Seated]:
    """Take a seat at a table, in a terminal of a size."""
    room = tables.room(name)
    assert room is not None
    app = PatientTable(room)
    async with app.run_test(size=size, notifications=True) as pilot:
        person = Seated(room, app, pilot)
        await person.wait(lambda: bool(person.table))
        yield person


def new_table(
    folder: Path, *seats: str, seconds: float = 0.0, **keys: Any
) -> tuple[TableFolder, str]:
    """Open a table whose agents wait some seconds before they move."""
    tables = TableFolder(folder, seconds)
    return tables, tables.add(validated(PlayConfig, {"seats": list(seats), "seed": 1, **keys}))
