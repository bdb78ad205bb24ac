"""``sabacc speed``."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.support.commands import refusal, run
from tests.support.model_server import serving_model

PROCESS = Path(__file__).parents[2] / "agents" / "examples" / "random_agent.py"
QUICK = ("--tables", 8, "--samples", 1, "--decisions", 2)


def test_the_command_measures_both_kinds_of_agents(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "speed", "tight", "rollouts", "--rules", "orsl", *QUICK)
    assert code == 0
    assert re.search(r"tight +│ [\d,]+ ", out)
    assert re.search(r"rollouts +│ +│ [\d.]+ \([\d.]+ to [\d.]+\)", out)


def test_the_command_measures_a_process(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "speed", f"process:{sys.executable} {PROCESS}", *QUICK)
    assert code == 0
    assert re.search(r"process:[^│]*│ +│ +│ [\d,]+ ", out)


def test_the_command_measures_a_language_model(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "*")
    with serving_model() as model:
        code, out, _ = run(capsys, "speed", model.spec(), *QUICK)
    assert code == 0
    assert re.search(r"model:[^│]*│ +│ +│ [\d,]+ ", out)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("nobody",), "nobody"),
        (("tight", "--players", 9), "num_players"),
        (("tight", "--samples", 0), "samples, decisions: give whole numbers from 1 up"),
    ],
)
def test_the_command_refuses_what_cannot_be_measured(
    capsys: pytest.CaptureFixture[str], words: tuple[object, ...], sentence: str
) -> None:
    assert sentence in refusal(capsys, "speed", *words)
