"""One table that people and agents play at, and the clients that look at it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal, Protocol

from sabacc_env.errors import SabaccError
from sabacc_env.hand_histories import HandHistoryWriter, read_hand_histories
from sabacc_env.storage.checksums import seal_text, unseal_text
from sabacc_env.storage.files import write_text
from sabacc_training.play.match import Match
from sabacc_training.play.requests import (
    Coach,
    Deal,
    Hints,
    Join,
    Pace,
    Play,
    Request,
    read_request,
)
from sabacc_training.play.table_message import table_message

FORMAT: Final = "sabacc-room 1"

SUFFIX: Final = ".table.json"
"""The end of the name of a table's file."""

BURST: Final = 40
"""How many messages a client may send at once."""
PER_SECOND: Final = 10
"""How many a second it may send on and on."""
MOST_REFUSED: Final = 100
"""After so many messages above that its connection is closed."""
MOST_WAITING: Final = 100
"""Where so many answers wait for a client that does not read, its connection is closed."""

ADVISER: Final = ThreadPoolExecutor(1, "adviser")
"""Computes hints and what the coach says, one after the other; moves have threads of their own."""


class Connection(Protocol):
    """What a client is reached by."""

    async def send_text(self, data: str) -> None:
        """Send one message."""
        ...


@dataclass(eq=False)
class Client:
    """One open page.

    Attributes:
        connection: where its messages go.
        seat: its seat; None for one that watches.
        has_joined: whether it has said who it is.
        advice: what computes the advice that it asked for last.
    """

    connection: Connection
    seat: int | None = None
    has_joined: bool = False
    advice: asyncio.Task[None] | None = None
    _waiting: list[dict[str, Any]] = field(default_factory=list)
    _sender: asyncio.Task[None] | None = None
    _allowance: float = BURST
    _heard: float = field(default_factory=time.monotonic)
    _refused: int = 0

    def send(self, message: dict[str, Any]) -> None:
        """Send a message as soon as the client reads; nobody else waits for that.

        A table that still waits then is out of date, so the new one is sent in its place.
        """
        if message["type"] == "table":
            self._waiting = [each for each in self._waiting if each["type"] != "table"]
        self._waiting.append(message)
        if self._sender is None or self._sender.done():
            self._sender = asyncio.create_task(self._send_waiting())

    async def _send_waiting(self) -> None:
        """Send what waits; a connection that is gone is no error."""
        with contextlib.suppress(Exception):
            while self._waiting:
                await self.connection.send_text(json.dumps(self._waiting.pop(0)))

    def close(self) -> None:
        """End what is still done for it."""
        for task in (self.advice, self._sender):
            if task is not None:
                task.cancel()

    def is_flooding(self) -> bool:
        """Count one message; say whether it is above what a client may send."""
        now = time.monotonic()
        self._allowance = min(BURST, self._allowance + (now - self._heard) * PER_SECOND)
        self._heard = now
        if self._allowance < 1:
            self._refused += 1
            return True
        self._allowance -= 1
        return False

    @property
    def is_hopeless(self) -> bool:
        """Whether its connection is to be closed."""
        return self._refused > MOST_REFUSED or len(self._waiting) > MOST_WAITING


class Room:
    """A table, its clients, and its files: after each move everything is on the disk.

    ``NAME.table.json`` has the match, and ``NAME.hands.jsonl`` the hands that are over.

    Args:
        match: what is played.
        path: the path of its files, without their suffixes.
        seconds: how long an agent waits before it moves.
        seat_tokens: for each seat that a person has taken, what they come back with.
    """

    def __init__(
        self,
        match: Match,
        path: Path,
        seconds: float = 1.0,
        seat_tokens: dict[int, str] | None = None,
    ) -> None:
        self.match = match
        self._path = path.with_name(path.name + SUFFIX)
        self._hands = HandHistoryWriter(path.with_name(f"{path.name}.hands.jsonl"))
        self._seconds, self._paused = seconds, False
        self._seat_tokens = dict(seat_tokens or {})
        self._clients: set[Client] = set()
        self._lock = asyncio.Lock()
        self._agent_thinks = False
        self._wake = asyncio.Event()
        self._runner: asyncio.Task[None] | None = None

    @classmethod
    def read(cls, path: Path, seconds: float = 1.0) -> Room | None:
        """Return the table whose files these are; None where there are none.

        Raises:
            SabaccError: for a file that is damaged, or of another version.
        """
        file = path.with_name(path.name + SUFFIX)
        if not file.exists():
            return None
        try:
            content = unseal_text(FORMAT, file.read_text("utf-8"))
            tokens = {int(seat): str(token) for seat, token in content["seat_tokens"].items()}
            room = cls(Match.from_text(content["match"]), path, seconds, tokens)
            room._record_what_is_missing()
            return room
        except (OSError, ValueError, KeyError, AttributeError) as error:
            raise SabaccError(f"{file}: cannot be read ({error})") from None

    def save(self) -> None:
        """Write everything to the file."""
        tokens = {str(seat): token for seat, token in self._seat_tokens.items()}
        content = {"match": self.match.to_text(), "seat_tokens": tokens}
        write_text(self._path, seal_text(FORMAT, content))

    def free_seats(self) -> None:
        """Let whoever comes next take a seat: what players came back with is worth nothing now."""
        self._seat_tokens.clear()

    # Clients.

    def open(self, connection: Connection) -> Client:
        """Return a new client."""
        client = Client(connection)
        self._clients.add(client)
        return client

    def close(self, client: Client) -> None:
        """Forget a client; its seat stays its own."""
        self._clients.discard(client)
        client.close()

    async def receive(self, client: Client, text: str) -> None:
        """Do what a client asks, or refuse it in one sentence."""
        try:
            if client.is_flooding():
                raise SabaccError(f"too many messages; send at most {PER_SECOND} a second")
            request = read_request(text)
            if not client.has_joined and not isinstance(request, Join):
                raise SabaccError("send a message of the type join first")
            async with self._lock:
                await self._do(client, request)
        except SabaccError as error:
            client.send({"type": "refused", "sentence": str(error)})

    async def _do(self, client: Client, request: Request) -> None:
        match request:
            case Join():
                await self._join(client, request)
            case Pace():
                self._set_pace(client, request)
            case _ if client.seat is None:
                raise SabaccError("you watch this table and have no seat")
            case _ if request.turn != self.match.turn:
                raise SabaccError("the table has changed since; look again")
            case Play():
                await self._change(partial(self.match.play, client.seat, request.move))
            case Deal():
                await self._change(self.match.deal)
            case Hints():
                self._advise(client, self.match.hints(client.seat))
            case Coach():
                self._advise(client, self.match.review(client.seat))

    def _advise(self, client: Client, compute: Callable[[], dict[str, Any]]) -> None:
        """Let advice be computed in place of what this client asked for before; play goes on."""
        if client.advice is not None:
            client.advice.cancel()
        client.advice = asyncio.create_task(self._send_advice(client, self.match.turn, compute))

    async def _send_advice(
        self, client: Client, turn: int, compute: Callable[[], dict[str, Any]]
    ) -> None:
        """Send advice about a turn; nothing where the table has changed by then."""
        try:
            advice = await asyncio.get_running_loop().run_in_executor(ADVISER, compute)
        except SabaccError as error:
            advice = {"type": "refused", "sentence": str(error)}
        if turn == self.match.turn:
            client.send(advice)

    async def _join(self, client: Client, request: Join) -> None:
        if client.has_joined:
            raise SabaccError("you have joined already")
        taken = len(self._seat_tokens)
        client.seat = None if request.watch else self._seat_of(request.seat_token)
        client.has_joined = True
        seat = client.seat
        token = None if seat is None else self._seat_tokens[seat]
        client.send({"type": "joined", "seat": seat, "seat_token": token})
        client.send(self.message(seat))
        # An agent that thinks cannot be saved; its move is, and the seat with it.
        is_unsaved = len(self._seat_tokens) > taken and not self._agent_thinks
        if is_unsaved and (refused := await self._refusal(self.save)):
            client.send(refused)
        self._run()

    def _seat_of(self, token: str | None) -> int | None:
        """Return the seat of a token; without one a free seat, if there is any."""
        for seat, known in self._seat_tokens.items():
            if token is not None and secrets.compare_digest(token.encode(), known.encode()):
                return seat
        for seat in self.match.people:
            if seat not in self._seat_tokens:
                self._seat_tokens[seat] = secrets.token_urlsafe(24)
                return seat
        return None

    def _set_pace(self, client: Client, request: Pace) -> None:
        if client.seat is None and self.match.people:
            raise SabaccError("only players set the pace of a table with people")
        self._seconds, self._paused = request.seconds, request.paused
        for each in self._clients:
            if each.has_joined:
                each.send(self.message(each.seat))
        self._run()

    def message(self, seat: int | None) -> dict[str, Any]:
        """Return the message about the table, with how fast its agents move."""
        pace = {"seconds": self._seconds, "paused": self._paused}
        return table_message(self.match, seat) | {"pace": pace}

    # Play.

    async def _change(self, change: Callable[[], None]) -> None:
        """Change the match, save it and a hand that is over, and tell all clients.

        Where it cannot be saved they are told that, too, and the hand goes on.
        """
        await asyncio.to_thread(change)
        refused = await self._refusal(self._keep)
        for client in list(self._clients):
            if client.has_joined:
                client.send(self.message(client.seat))
                if refused is not None:
                    client.send(refused)
        self._run()

    async def _refusal(self, write: Callable[[], None]) -> dict[str, Any] | None:
        """Write files; return the message that says why they cannot be written, if they cannot."""
        try:
            await asyncio.to_thread(write)
        except SabaccError as error:
            return {"type": "refused", "sentence": str(error)}
        return None

    def _keep(self) -> None:
        """Save the match, then record a hand that is over.

        In this order each hand is recorded once: who stops in between, or cannot write it, leaves
        the second step to ``read``.
        """
        self.save()
        if self.match.game.seat_to_act is None:
            self._record()

    def _record(self) -> None:
        self._hands.write(self.match.hand_history())

    def _record_what_is_missing(self) -> None:
        """Record a hand that is over, where the file does not have it."""
        path = self._hands.path
        recorded = read_hand_histories(path) if path.exists() else ()
        if self.match.game.seat_to_act is None and all(
            hand.origin["hand"] != self.match.hand + 1 for hand in recorded
        ):
            self._record()

    def _run(self) -> None:
        """Let the agents play on where it is their turn."""
        self._wake.set()
        if self._runner is None or self._runner.done():
            self._runner = asyncio.create_task(self._play_agents())

    async def _play_agents(self) -> None:
        while self._next_step() is not None:
            self._wake.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), self._seconds)
                continue  # the pace or the table has changed
            async with self._lock:
                step = self._next_step()
                self._agent_thinks = step == "agent"
                if step == "deal":
                    await self._change(self.match.deal)
            if self._agent_thinks:
                await self._play_agent()

    async def _play_agent(self) -> None:
        """Let an agent choose, while clients come and go, and play its move."""
        choice = await asyncio.to_thread(self.match.agent_choice)
        async with self._lock:
            self._agent_thinks = False
            await self._change(partial(self.match.play_agent, choice))

    def _next_step(self) -> Literal["agent", "deal"] | None:
        """Return what happens without any person: an agent's move, or the next hand among agents.

        Where only agents play and nobody looks, nothing happens.
        """
        nobody_looks = not self.match.people and not any(c.has_joined for c in self._clients)
        if self._paused or nobody_looks:
            return None
        if self.match.agent_is_to_act:
            return "agent"
        between_hands = self.match.game.seat_to_act is None and not self.match.is_over
        return "deal" if between_hands and not self.match.people else None
