"""A folder of tables: each has a name, and a file."""

from __future__ import annotations

import re
import secrets
import threading
from pathlib import Path
from typing import Final

from sabacc_env.errors import SabaccError
from sabacc_env.storage.files import make_folder
from sabacc_training.play.config import PlayConfig
from sabacc_training.play.match import Match
from sabacc_training.play.room import SUFFIX, Room

MAX_TABLES: Final = 200
"""The most tables that are opened at once."""


class TableFolder:
    """All tables of a folder; they go on where they were.

    Args:
        folder: for the files.
        seconds: how long an agent waits before it moves.
    """

    def __init__(self, folder: Path, seconds: float = 1.0) -> None:
        self._folder, self._seconds = folder, seconds
        self._rooms: dict[str, Room] = {}
        self._opening = threading.Lock()  # a table is in memory once, whoever asks for it
        make_folder(folder)

    def add(self, config: PlayConfig) -> str:
        """Open a table and return its name.

        Raises:
            SabaccError: for agents that cannot play there, or where there are too many tables.
        """
        with self._opening:
            if len(self._rooms) >= MAX_TABLES:
                raise SabaccError(f"there are {MAX_TABLES} tables already; stop the server first")
            name = secrets.token_hex(6)
            room = Room(Match(config), self._folder / name, self._seconds)
            room.save()
            self._rooms[name] = room
            return name

    def room(self, name: str) -> Room | None:
        """Return a table, from its files where it is not in memory; None for no such table."""
        with self._opening:
            if name not in self._rooms and re.fullmatch(r"[\w-]{1,40}", name, re.ASCII):
                found = Room.read(self._folder / name, self._seconds)
                if found is not None:
                    self._rooms[name] = found
            return self._rooms.get(name)

    def resume(self, name: str) -> Room:
        """Return a table of the folder. Whoever comes first takes the seat, if it is for one.

        The seats of several people stay theirs: nobody is to see another one's cards.

        Raises:
            SabaccError: for no such table, or one whose file is damaged.
        """
        room = self.room(name)
        if room is None:
            files = sorted(self._folder.glob(f"*{SUFFIX}"), key=lambda file: file.stat().st_mtime)
            last = f"; the last one is {files[-1].name.removesuffix(SUFFIX)}" if files else ""
            raise SabaccError(f"{self._folder}: there is no table {name!r}{last}")
        if len(room.match.people) == 1:
            room.free_seats()
        return room
