"""``sabacc play`` as a process of its own: what it prints, whom it serves, how it ends."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sabacc_training.config.base import validated
from sabacc_training.ppo.config import PPOConfig
from sabacc_training.trainers import train_on

from tests.support.commands import refusal
from tests.support.play_server import SECONDS, playing


@contextlib.contextmanager
def command(folder: Path, *words: object) -> Iterator[tuple[str, str, subprocess.Popen[str]]]:
    """Run ``sabacc play``; yield the server, HOST:PORT, the table and the process."""
    fixed = ("--port", "0", "--no-browser", "--folder", folder, "--seconds", "0")
    with subprocess.Popen(
        [sys.executable, "-m", "sabacc_training", "play", *map(str, (*words, *fixed))],
        stdout=subprocess.PIPE,
        text=True,
    ) as started:
        try:
            assert started.stdout is not None
            found = re.search(r"http://([^/]+)/table/([\w-]+)", started.stdout.readline())
            assert found is not None
            yield found[1], found[2], started
        finally:
            started.terminate()


def test_a_training_run_is_watched_to_the_end_of_a_match(tmp_path: Path) -> None:
    tiny = {"num_tables": 8, "rollout_steps": 64, "minibatch_size": 64, "hidden_sizes": [8]}
    config = {"rules": "spacers", "num_players": 3, "steps": 600, "trainer": "ppo", "ppo": tiny}
    quick = {"checkpoint_seconds": 0.0, "evaluation": {"opponent": "random", "deals": 2}}
    train_on(validated(PPOConfig, config | quick), tmp_path / "run")
    with (
        command(tmp_path, "--run", tmp_path / "run", "--hands", 2, "--people", 0, "--seed", 1) as (
            at,
            name,
            _,
        ),
        playing(at, name) as watcher,
    ):
        assert [seat["name"] for seat in watcher.table["seats"]] == [
            f"latest {number}" for number in (1, 2, 3)
        ]
        while not watcher.table["match_over"]:
            watcher.receive()
        assert watcher.table["hand"] == 2


def test_ctrl_c_ends_it_and_the_table_goes_on_when_it_is_started_again(
    capsys: Any, tmp_path: Path
) -> None:
    with command(tmp_path, "tight", "--seed", 1) as (at, name, process):
        second = refusal(capsys, "play", "--resume", name, "--no-browser", "--folder", tmp_path)
        assert "another process is writing into this folder" in second
        with playing(at, name) as player:
            assert player.wait_for_turn()
            token, turn = player.token, player.table["turn"]
        process.send_signal(signal.SIGINT)
        assert process.wait(60) in (0, 130)
    with command(tmp_path) as (at, _, _), playing(at, name, token) as player:
        assert (player.seat, player.table["turn"]) == (0, turn)


@contextlib.contextmanager
def terminal(folder: Path, *words: object) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """Run ``sabacc play --terminal`` in a terminal; yield the process and the terminal's end."""
    ours, theirs = pty.openpty()
    fixed = ("--terminal", "--folder", folder, "--seconds", "0")
    with subprocess.Popen(
        [sys.executable, "-m", "sabacc_training", "play", *map(str, (*words, *fixed))],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    ) as started:
        os.close(theirs)
        try:
            yield started, ours
        finally:
            started.kill()
            os.close(ours)


def read_until(screen: int, text: bytes) -> bytes:
    """Read what a terminal shows until a text stands there."""
    found = b""
    while text not in found:
        ready, _, _ = select.select([screen], [], [], SECONDS)
        assert ready, found
        found += os.read(screen, 65536)
    return found


def test_a_terminal_that_was_killed_goes_on_and_ctrl_c_ends_it(tmp_path: Path) -> None:
    with terminal(tmp_path, "tight", "--seed", 1) as (_, screen):
        shown = read_until(screen, b"It is your turn.")
    resumed = re.search(rb"--resume (\S+)", shown)
    assert resumed is not None
    with terminal(tmp_path, "--resume", resumed[1].decode()) as (process, screen):
        read_until(screen, b"It is your turn.")
        os.write(screen, b"\x03")
        read_until(screen, b"\x1b[?1049l")  # back to what the terminal showed before
        assert process.wait(SECONDS) == 0


def test_mistakes_are_refused_in_a_sentence(capsys: Any, tmp_path: Path) -> None:
    def said(*words: object) -> str:
        return refusal(capsys, "play", *words, "--no-browser", "--folder", tmp_path)

    assert "tigth" in said("tigth")
    assert "10 is not allowed" in said("--people", 9)
    assert "short_call" in said("--house-rules", "short_call=maybe")
    assert "holds no training run" in said("--run", tmp_path)
    assert "there is no table 'nix'" in said("--resume", "nix")
    for seconds in ("-1", "nan", "inf"):
        assert "give 0 to 60" in said("--seconds", seconds)
    assert "--people: -1 is out of range" in said("--people", -1)
    assert "hands" in said("--hands", 10**20)
    assert "leave out the agents" in said("--resume", "nix", "tight")
    assert "--port and --browser are of the page" in said("--terminal")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert "cannot be listened on" in said("--port", port)
    assert "give 0 to 65535" in said("--port", 99_999)
    in_terminal = ("play", "--terminal", "--folder", tmp_path)
    assert "one seat" in refusal(capsys, *in_terminal, "--people", 2)
    assert "needs a terminal" in refusal(capsys, *in_terminal)


@pytest.mark.parametrize(("module", "options"), [("textual", ["--terminal"]), ("uvicorn", [])])
def test_a_missing_extra_is_said_before_a_table_is_begun(
    capsys: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, module: str, options: list[str]
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    said = refusal(capsys, "play", "--folder", tmp_path / "tables", *options)
    assert f"this needs {module}" in said
    assert not (tmp_path / "tables").exists()
