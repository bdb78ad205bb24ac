"""Tournaments with agents that are processes and fail in every way: none stops, all is counted."""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import command, refusal

pytestmark = pytest.mark.skipif(os.name != "posix", reason="process groups")

SCRIPT = """
import json, os, sys, time
starts = open(sys.argv[1], "a+")
starts.write("x")
starts.seek(0)
count = len(starts.read())
json.loads(sys.stdin.readline())
{start}
print('{{"type": "hello", "protocol": 1, "name": "broken"}}', flush=True)
for line in sys.stdin:
    m = json.loads(line)
    if m["type"] == "act":
        {answer}
"""
ANSWER = "print(json.dumps({'id': m['id'], 'action': %s}), flush=True)"
FIRST = ANSWER % "m['legal'][0]"

WAYS = {  # at the start, and at a decision
    "crash": ("", "sys.exit('no idea')"),
    "timeout": ("", "time.sleep(999)"),
    "illegal": ("", ANSWER % "'call' if 'call' not in m['legal'] else 'stand'"),
    "unreadable": ("", "print('?', flush=True)"),
    "crash at a later start": ("if count > 1: sys.exit('no idea')", FIRST),
}


def spec(folder: Path, way: str) -> str:
    """Return the spec of a process that fails in some way."""
    start, answer = WAYS[way]
    script, starts = folder / f"{way}.py", folder / f"{way}.starts"
    script.write_text(SCRIPT.format(start=start, answer=answer))
    words = [sys.executable, "-S", str(script), str(starts)]
    return f"process:timeout_s=0.2 restarts=1 {shlex.join(words)}"


def entrant(folder: Path, way: str) -> str:
    return f"{{spec = {json.dumps(spec(folder, way))}, label = {json.dumps(way)}}}"


def test_no_failing_process_stops_a_tournament(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config, out = tmp_path / "broken.toml", tmp_path / "out"
    agents = ", ".join(entrant(tmp_path, way) for way in WAYS)
    config.write_text(f'agents = ["tight", {agents}]\ndeals = 2\nformats = ["pairs"]\n')
    assert command("tournament", config, "--output", out) == 0
    results = json.loads((out / "results.json").read_text())
    failed: dict[str, dict[str, Any]] = {}
    for row in results["failures"]:
        failed.setdefault(row["agent"], {})[row["kind"]] = row
    assert set(failed) == set(WAYS)
    for way in WAYS:
        assert failed[way][way.split()[0]]["count"] > 0
    printed = capsys.readouterr().out
    assert "it did not answer within 0.2 s" in printed
    assert "its last words were: no idea" in printed
    assert json.loads((out / "results.json").read_text())["ranking"]


def test_a_process_that_never_starts_is_refused_before_anything_is_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "absent.toml"
    config.write_text('agents = ["tight", "process:no_such_program"]\ndeals = 2\n')
    sentence = refusal(capsys, "tournament", config, "--output", tmp_path / "out")
    assert "'process:no_such_program': it cannot be started (No such file" in sentence
    assert not (tmp_path / "out").exists()
