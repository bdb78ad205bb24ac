"""``sabacc play``: sit down at a table in the browser or the terminal, or watch agents at one."""

from __future__ import annotations

import json
import secrets
import shlex
import sys
import webbrowser
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from cyclopts import Parameter
from rich.console import Console
from rich.text import Text

from sabacc_env.errors import SabaccError
from sabacc_training.config.base import overridden, validated
from sabacc_training.config.game import GameConfig
from sabacc_training.jobs.listening import listen
from sabacc_training.play.config import PERSON, PlayConfig, strongest_agent
from sabacc_training.play.requests import MAX_SECONDS
from sabacc_training.play.table_folder import TableFolder

FOLDER: Final = Path("runs", "play")
"""The folder for tables where none is named."""

LOCAL: Final = ("127.0.0.1", "localhost")
"""The names of this machine for itself."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class NewTable:
    """What is played at a new table."""

    rules: str = "casino"
    """A rule set's name, the path of a rules file, or a rung of the ladder."""

    people: int = 1
    """Seats for people. In the browser each opens the same address and gets a seat of its own."""

    run: Path | None = None
    """The folder of a training run. Its game is played, and its newest agent takes the seats that
    are left, anew in each hand as it learns."""

    hands: int = 20
    """Hands of the match at most."""

    seed: int | None = None
    """The seed of all hands; by default one is drawn."""

    house_rules: str = ""
    """Rules to change: "short_call=all_in hand_ante=4"."""

    guide: bool = False
    """Say in each phase what it is about, for those who play their first hand."""

    def config(self, agents: tuple[str, ...]) -> PlayConfig:
        """Return the table; agents that are not named are the strongest ones that ship."""
        table: dict[str, Any]
        if self.run is not None:
            table = _table_of(self.run, self.people, agents)
        else:
            changes = [f"rule_overrides.{change}" for change in self.house_rules.split()]
            table = overridden({"rules": self.rules}, changes)
            opponents = agents or _opponents(table, self.people)
            table["seats"] = [*[PERSON] * self.people, *opponents]
        given = {"guided": self.guide} | ({} if self.seed is None else {"seed": self.seed})
        return validated(PlayConfig, table | {"hands": self.hands} | given)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Page:
    """Where the page of a table is."""

    host: str = "127.0.0.1"
    """The address to listen on; 0.0.0.0 for all that this machine has. For any but 127.0.0.1 the
    address that is printed has a token, without which nobody gets in."""

    port: int = 8377
    """The port to listen on; 0 for a free one."""

    browser: bool = True
    """Open the page in a browser."""


NEW_TABLE: Final = NewTable()
PAGE: Final = Page()


def play(
    *agents: str,
    table: NewTable = NEW_TABLE,
    seconds: float = 1.0,
    folder: Path = FOLDER,
    resume: str | None = None,
    terminal: bool = False,
    page: Page = PAGE,
) -> None:
    """Sit down at a table in the browser or the terminal, or watch agents at one (--people 0).

    The table goes on where it was after a reload, a lost connection, and a restart of the command.

    Args:
        agents: The agents at the table; by default the strongest one that ships, once.
        table: What is played.
        seconds: How long an agent waits before it moves.
        folder: The folder for the tables and the hands played at them.
        resume: The name of a table in the folder, which goes on as it is.
        terminal: Play in this terminal, by keyboard.
        page: Where the page is.
    """
    if not 0 <= seconds <= MAX_SECONDS:
        raise SabaccError(f"--seconds: {seconds} is out of range; give 0 to {MAX_SECONDS}")
    if table.people < 0:
        raise SabaccError(f"--people: {table.people} is out of range; give 0 or more")
    if resume is not None and (agents, table) != ((), NEW_TABLE):
        raise SabaccError(
            "a table that is resumed stays as it is; leave out the agents and what is played"
        )
    # A missing extra is said before a table is begun.
    import_module("textual" if terminal else "uvicorn")
    from sabacc_training.jobs.locking import locked_folder  # needs the extra train

    with locked_folder(folder):  # two commands would each record the same hands
        tables = TableFolder(folder, seconds)
        config = table.config(agents) if resume is None else tables.resume(resume).match.config
        if terminal:
            _check_terminal(config, page)
        name = resume or tables.add(config)
        if not terminal:
            _serve(tables, name, page)
            return
        words = ["sabacc", "play", "--terminal", "--resume", name]
        words += [] if folder == FOLDER else ["--folder", str(folder)]
        _say(f"This table goes on later with: {shlex.join(words)}")
        _play_in_terminal(tables, name)


def _check_terminal(config: PlayConfig, page: Page) -> None:
    """Refuse what cannot be played in this terminal."""
    if page != PAGE:
        raise SabaccError("--host, --port and --browser are of the page; leave out --terminal")
    if config.seats.count(PERSON) > 1:
        raise SabaccError("a terminal has one seat; several people play in their browsers")
    if not all(stream and stream.isatty() for stream in (sys.__stdin__, sys.__stderr__)):
        raise SabaccError("--terminal needs a terminal to read keys from and to draw on")


def _play_in_terminal(tables: TableFolder, name: str) -> None:
    from sabacc_training.play.terminal import TerminalTable

    room = tables.room(name)
    assert room is not None
    app = TerminalTable(room)
    app.run(mouse=False)
    if app.return_code:
        sys.exit(app.return_code)


def _serve(tables: TableFolder, name: str, page: Page) -> None:
    import uvicorn

    from sabacc_training.play.server import make_app

    token = None if page.host in LOCAL else secrets.token_urlsafe(16)
    listening = listen(page.host, page.port)
    port = listening.getsockname()[1]
    address = f"http://{page.host}:{port}/table/{name}" + (f"?token={token}" if token else "")
    _say(f"The table is at {address} until Ctrl-C ends the server.")
    if page.browser:
        webbrowser.open(address)
    app = make_app(tables, LOCAL, token)
    uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off")).run([listening])


def _say(sentence: str) -> None:
    Console(highlight=False, soft_wrap=True).print(Text(sentence))


def _opponents(table: dict[str, Any], people: int) -> list[str]:
    """Return the agents at a table where none is named: one, or two where nobody plays."""
    seats = max(people + 1, 2)
    strongest = strongest_agent(validated(GameConfig, dict(table)).rule_set, seats)
    return [strongest] * (seats - people)


def _table_of(run: Path, people: int, agents: tuple[str, ...]) -> dict[str, Any]:
    """Return the table of a training run: its game, and its newest agent in the seats left."""
    from sabacc_training.runs.callback import CONFIG, LATEST  # it imports torch

    try:
        config = json.loads((run / CONFIG).read_text("utf-8"))
        table = {key: config[key] for key in ("rules", "rule_overrides", "bet_sizes")}
        num_players = int(config["num_players"])
    except (OSError, ValueError, KeyError, TypeError):
        raise SabaccError(f"{run}: holds no training run of one game") from None
    if not (run / LATEST).exists():
        raise SabaccError(f"{run}: has no checkpoint yet; wait for its first one")
    taken = [*[PERSON] * people, *agents]
    return table | {"seats": [*taken, *[str(run / LATEST)] * (num_players - len(taken))]}
