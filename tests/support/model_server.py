"""A language model's endpoint on this machine, whose every answer a test decides."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOKENS = {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107}


@dataclass(frozen=True)
class Reply:
    """What the endpoint sends.

    Attributes:
        text: what the model says; None for the bytes of ``body``.
        usage: the counts of tokens.
        status: the HTTP status.
        headers: more headers.
        body: the bytes, in place of a completion.
        hangs: send nothing but spaces, one after the other.
        drops: close the connection without an answer.
    """

    text: str | None = None
    usage: dict[str, int] | None = field(default_factory=lambda: dict(TOKENS))
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    hangs: bool = False
    drops: bool = False

    def to_bytes(self) -> bytes:
        if self.text is None:
            return self.body
        message = {"role": "assistant", "content": self.text}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {} if self.usage is None else {"usage": self.usage}
        return json.dumps({"object": "chat.completion", "choices": [choice], **usage}).encode()


def first_legal(body: dict[str, Any]) -> Reply:
    """Play as ``toys.FirstLegal``: the number of the first move that the prompt lists."""
    asked = "\n".join(message["content"] for message in body["messages"])
    found = re.search(r"each with its number:\n(\d+): ", asked)
    return Reply("Yes." if found is None else f"<think>Or 1?</think>\nAnswer: {found[1]}")


Answering = Callable[[dict[str, Any]], Reply]


@dataclass
class ModelServer:
    """A server that runs.

    Attributes:
        url: the address of the endpoint.
        answer: what it sends to the body of a request.
        bodies: the bodies that it was sent.
        keys: the header ``Authorization`` of each.
    """

    url: str
    answer: Answering
    bodies: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)

    def spec(self, settings: str = "", name: str = "my-model") -> str:
        """Return the spec of its model."""
        return f"model:base_url={self.url} {settings} {name}"


@contextmanager
def serving_model(answer: Answering = first_legal) -> Iterator[ModelServer]:
    """Serve a model on a free port of this machine."""
    closing = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            served.bodies.append(body)
            served.keys.append(self.headers["Authorization"])
            known = self.path == "/v1/chat/completions"
            self.send(served.answer(body) if known else Reply(status=404, body=b"no such path"))

        def send(self, reply: Reply) -> None:
            data = reply.to_bytes()
            self.close_connection = reply.drops or reply.hangs
            if reply.drops:
                return
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(10_000 if reply.hangs else len(data)))
            self.end_headers()
            with suppress(OSError):  # whoever asked waits no more
                while reply.hangs and not closing.wait(0.02):
                    self.wfile.write(b" ")
                self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            """Print nothing."""

    class Server(ThreadingHTTPServer):
        request_queue_size = 128  # of more connections at once some would be made a second later

    with Server(("127.0.0.1", 0), Handler) as server:
        served = ModelServer(f"http://127.0.0.1:{server.server_port}/v1", answer)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield served
        finally:
            closing.set()
            server.shutdown()
            thread.join()
