"""A headless Chromium, driven through its DevTools protocol over two pipes: no port, no library."""

from __future__ import annotations

import base64
import contextlib
import fcntl
import itertools
import json
import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

PROGRAM: Final = shutil.which("chromium")
FLAGS: Final = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-pipe",
)


class Browser:
    """One page in a browser.

    Attributes:
        problems: the errors and warnings of the console, and exceptions.
        requests: the addresses that the page asked for, other than data in the page itself.
    """

    def __init__(self, commands: int, answers: int) -> None:
        self._commands, self._answers = commands, answers
        self._unread = b""
        self._numbers = itertools.count(1)
        self._session: str | None = None
        self._loaded = False
        self.problems: list[str] = []
        self.requests: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def open(self, path: Path) -> None:
        """Open a file and wait until it is loaded."""
        self.problems.clear()
        self.requests.clear()
        self._loaded = False
        self.call("Page.navigate", url=path.resolve().as_uri())
        while not self._loaded:
            self._read()

    def run(self, script: str) -> Any:
        """Return the value of an expression in the page."""
        answer = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def look(
        self, *, width: int = 1200, height: int = 900, dark: bool = False, paper: bool = False
    ) -> None:
        """Set the size of the window, the colours that the reader prefers, or that it is paper."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        media = "print" if paper else ""
        self.call("Emulation.setEmulatedMedia", media=media, features=[scheme])

    def press(self, key: str) -> None:
        """Press and release a key, such as ``Enter``, ``Tab`` or ``ArrowRight``."""
        codes = {"Enter": 13, "Tab": 9, "ArrowRight": 39, "ArrowLeft": 37, "End": 35, "Home": 36}
        text = {"text": "\r"} if key == "Enter" else {}
        event = {"key": key, "code": key, "windowsVirtualKeyCode": codes[key]}
        self.call("Input.dispatchKeyEvent", type="keyDown", **event, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", **event)

    def picture(self, *, whole: bool = False) -> bytes:
        """Return a PNG of what is in the window, or of the whole page."""
        answer = self.call("Page.captureScreenshot", captureBeyondViewport=whole)
        return base64.b64decode(answer["data"])

    def pdf(self) -> bytes:
        """Return the page as it is printed."""
        answer = self.call("Page.printToPDF", preferCSSPageSize=True, printBackground=False)
        return base64.b64decode(answer["data"])

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Call a method of the protocol and return its result."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == number:
                assert "error" not in answer, (method, answer["error"])
                return answer["result"]

    def _read(self) -> dict[str, Any]:
        """Read the next message and note what it says about the page."""
        while b"\0" not in self._unread:
            more = os.read(self._answers, 2**20)
            assert more, "Chromium has ended"
            self._unread += more
        data, _, self._unread = self._unread.partition(b"\0")
        message: dict[str, Any] = json.loads(data)
        params = message.get("params", {})
        match message.get("method"):
            case "Page.loadEventFired":
                self._loaded = True
            case "Runtime.exceptionThrown":
                self.problems.append(json.dumps(params["exceptionDetails"]))
            case "Runtime.consoleAPICalled" if params["type"] in ("error", "warning", "assert"):
                self.problems.append(json.dumps(params["args"]))
            case "Log.entryAdded":
                self.problems.append(params["entry"]["text"])
            case "Network.requestWillBeSent":
                address = params["request"]["url"]
                if not address.startswith("data:"):
                    self.requests.append(address)
        return message


@contextlib.contextmanager
def browser(folder: Path) -> Iterator[Browser]:
    """Start Chromium with an empty profile in a folder; end it at the end."""
    assert PROGRAM is not None
    ours = [*os.pipe(), *os.pipe()]  # above 4, the descriptors that Chromium reads and writes
    read_commands, write_commands, read_answers, write_answers = (
        fcntl.fcntl(each, fcntl.F_DUPFD_CLOEXEC, 10) for each in ours
    )
    for each in ours:
        os.close(each)
    with Path(os.devnull).open() as nothing:
        process = os.posix_spawn(
            PROGRAM,
            [PROGRAM, *FLAGS, f"--user-data-dir={folder}"],
            os.environ | {"HOME": str(folder)},
            file_actions=[
                (os.POSIX_SPAWN_DUP2, nothing.fileno(), 0),
                (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
                (os.POSIX_SPAWN_DUP2, read_commands, 3),
                (os.POSIX_SPAWN_DUP2, write_answers, 4),
            ],
            setpgroup=0,
        )
    os.close(read_commands)
    os.close(write_answers)
    try:
        yield Browser(write_commands, read_answers)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(write_commands)
        os.close(read_answers)
