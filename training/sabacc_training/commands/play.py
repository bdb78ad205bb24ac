"""``sabacc play``: sit down at a table in the browser, or watch agents at one."""

from __future__ import annotations

import json
import secrets
import socket
import webbrowser
from pathlib import Path
from typing import Any, Final

import uvicorn
from rich.console import Console
from rich.text import Text

from sabacc_env.errors import SabaccError
from sabacc_env.storage.files import failure_reason
from sabacc_training.config.base import overridden, validated
from sabacc_training.config.game import GameConfig
from sabacc_training.play.config import PERSON, PlayConfig, strongest_agent
from sabacc_training.play.server import Tables, make_app
from sabacc_training.runs.callback import CONFIG, LATEST

LOCAL: Final = ("127.0.0.1", "localhost")
"""The names of this machine for itself."""


def play(
    *agents: str,
    rules: str = "casino",
    people: int = 1,
    run: Path | None = None,
    hands: int = 20,
    seed: int | None = None,
    house_rules: str = "",
    guide: bool = False,
    seconds: float = 1.0,
    folder: Path = Path("runs", "play"),
    host: str = "127.0.0.1",
    port: int = 8377,
    browser: bool = True,
) -> None:
    """Sit down at a table in the browser, or watch agents at one (--people 0).

    The table goes on where it was after a reload, a lost connection, and a restart of the command.

    Args:
        agents: The agents at the table; by default the strongest one that ships, once.
        rules: A rule set's name, the path of a rules file, or a rung of the ladder.
        people: Seats for people. Each opens the same address and gets a seat of its own.
        run: The folder of a training run. Its game is played, and its newest agent takes the seats
            that are left, anew in each hand as it learns.
        hands: Hands of the match at most.
        seed: The seed of all hands; by default one is drawn.
        house_rules: Rules to change: "short_call=all_in hand_ante=4".
        guide: Say in each phase what it is about, for those who play their first hand.
        seconds: How long an agent waits before it moves.
        folder: The folder for the tables and the hands played at them.
        host: The address to listen on. For any but this machine's own, the address that is printed
            has a token, without which nobody gets in.
        port: The port to listen on; 0 for a free one.
        browser: Open the page in a browser.
    """
    table: dict[str, Any]
    if run is not None:
        table = _table_of(run, people, agents)
    else:
        table = overridden(
            {"rules": rules}, [f"rule_overrides.{change}" for change in house_rules.split()]
        )
        table["seats"] = [*[PERSON] * people, *(agents or _opponents(table, people))]
    given = {"guided": guide} | ({} if seed is None else {"seed": seed})
    tables = Tables(folder, seconds)
    name = tables.add(validated(PlayConfig, table | {"hands": hands} | given))
    token = None if host in LOCAL else secrets.token_urlsafe(16)
    try:
        listening = socket.create_server((host, port))
    except OSError as error:
        raise SabaccError(
            f"{host}:{port}: cannot be listened on ({failure_reason(error)}); "
            "choose another --host or --port"
        ) from None
    port = listening.getsockname()[1]
    address = f"http://{host}:{port}/table/{name}" + (f"?token={token}" if token else "")
    Console(highlight=False, soft_wrap=True).print(
        Text(f"The table is at {address} until Ctrl-C ends the server.")
    )
    if browser:
        webbrowser.open(address)
    app = make_app(tables, [*LOCAL, host], token)
    uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off")).run([listening])


def _opponents(table: dict[str, Any], people: int) -> list[str]:
    """Return the agents at a table where none is named: one, or two where nobody plays."""
    seats = max(people + 1, 2)
    strongest = strongest_agent(validated(GameConfig, dict(table)).rule_set, seats)
    return [strongest] * (seats - people)


def _table_of(run: Path, people: int, agents: tuple[str, ...]) -> dict[str, Any]:
    """Return the table of a training run: its game, and its newest agent in the seats left."""
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
