"""The server of tables: pages, and a websocket for each open page.

It listens on this machine only, unless told otherwise; then nobody gets in without its token.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from sabacc_env.errors import SabaccError
from sabacc_env.rules.text import page as rules_page
from sabacc_env.rules.text import paragraph
from sabacc_training.play.catalogue import MAX_BYTES, catalogue, table_config
from sabacc_training.play.room import Room
from sabacc_training.play.table_folder import TableFolder

HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; "
    "script-src 'unsafe-inline'; connect-src 'self'; img-src data:; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


def make_app(tables: TableFolder, hosts: Sequence[str], token: str | None = None) -> Starlette:
    """Return the web application.

    Args:
        tables: its tables.
        hosts: the names by which browsers may call this server where it has no token. Otherwise a
            page of another site could call it by a name of its own (DNS rebinding).
        token: what they must have in the address, the first time; None for no such thing.
    """

    def check(connection: HTTPConnection) -> None:
        """Refuse a stranger: a page of another site, or somebody without the token."""
        host, origin = connection.headers.get("host", ""), connection.headers.get("origin")
        if origin is not None and origin.partition("://")[2] != host:
            raise HTTPException(403, "a page of another site may not call this server")
        if token is None:
            if host.partition(":")[0] not in hosts:
                raise HTTPException(403, "this address is not one of the server's")
            return
        given = connection.query_params.get("token") or connection.cookies.get(
            _cookie(connection), ""
        )
        if not secrets.compare_digest(given.encode(), token.encode()):
            raise HTTPException(403, "open the address that the server printed, with its token")

    def room_of(connection: HTTPConnection) -> Room:
        try:
            room = tables.room(connection.path_params["name"])
        except SabaccError as error:
            raise HTTPException(409, str(error)) from None
        if room is None:
            raise HTTPException(404, "there is no such table")
        return room

    def page(request: Request) -> Response:
        check(request)
        if "name" in request.path_params:
            room_of(request)
        if token is None or not request.query_params.get("token"):
            return HTMLResponse(_page(), headers=HEADERS)
        query = "?watch" if "watch" in request.query_params else ""
        clean = RedirectResponse(request.url.path + query, headers=HEADERS)
        clean.set_cookie(_cookie(request), token, httponly=True, samesite="strict")
        return clean

    def offers(request: Request) -> Response:
        check(request)
        return JSONResponse(catalogue(), headers=HEADERS)

    def rules(request: Request) -> Response:
        check(request)
        room = room_of(request)
        sections = rules_page(room.match.game.rules)
        return JSONResponse(
            [[each.title, paragraph(each.sentences)] for each in sections], headers=HEADERS
        )

    async def new_table(request: Request) -> Response:
        check(request)
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > MAX_BYTES:
                raise HTTPException(413, f"a table is described by at most {MAX_BYTES:,} bytes")
        try:
            name = await asyncio.to_thread(lambda: tables.add(table_config(body)))
        except SabaccError as error:
            return JSONResponse({"sentence": str(error)}, 400, headers=HEADERS)
        return JSONResponse({"name": name}, 201, headers=HEADERS)

    async def socket(websocket: WebSocket) -> None:
        check(websocket)
        await websocket.accept()
        try:
            room = await asyncio.to_thread(room_of, websocket)
        except HTTPException as refused:
            await websocket.send_json({"type": "refused", "sentence": refused.detail})
            await websocket.close(1008, "this table cannot be opened")
            return
        client = room.open(websocket)
        try:
            while not client.is_hopeless:
                await room.receive(client, await websocket.receive_text())
            await websocket.close(1008, "too many messages")
        except WebSocketDisconnect:
            pass
        except KeyError:  # bytes in place of text
            await websocket.close(1003, "messages are text")
        finally:
            room.close(client)

    return Starlette(
        routes=[
            Route("/", page),
            Route("/catalogue", offers),
            Route("/tables", new_table, methods=["POST"]),
            Route("/table/{name}", page),
            Route("/table/{name}/rules", rules),
            WebSocketRoute("/table/{name}/socket", socket),
        ]
    )


def _cookie(connection: HTTPConnection) -> str:
    """Return the name of the cookie with the token: browsers send one to all ports of a host."""
    return f"sabacc_token_{connection.scope['server'][1]}"


@cache
def _page() -> str:
    """Return the page as one file: its style and its script are put into it."""
    files = resources.files("sabacc_training.play") / "page"
    text = (files / "table.html").read_text("utf-8")
    for name in ("table.css", "table.js"):
        text = text.replace(f"/* {name} */", (files / name).read_text("utf-8"))
    return text
