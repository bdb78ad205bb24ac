"""The demonstration does what it says: the agent it trains beats everyone it names."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.commands import command

MUST_BE_BEATEN = ("random", "tight", "calling_station", "always_raise")


def run_demo(folder: Path, *options: str) -> str:
    command = [sys.executable, "-m", "sabacc_training", "demo", "--folder", str(folder), *options]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def margins(printed: str) -> dict[str, tuple[float, float]]:
    """Read margin and half-width against each opponent from the table."""
    rows = re.findall(r"trained +(\w+) +([+-][\d,]+) ± +([\d,]+)", printed)
    return {
        name: (float(mean.replace(",", "")), float(half.replace(",", "")))
        for name, mean, half in rows
    }


@pytest.mark.slow
def test_a_short_demo_runs_from_start_to_end(tmp_path: Path) -> None:
    options = ("--steps", "9000", "--deals", "50")
    printed = run_demo(tmp_path, *options)
    assert set(MUST_BE_BEATEN) < set(margins(printed))
    assert (tmp_path / "agent.safetensors").exists()
    again = run_demo(tmp_path, *options)  # goes on where it stopped: at the end
    assert margins(again) == margins(printed)


@pytest.mark.parametrize(
    ("option", "value", "sentence"),
    [
        ("deals", "0", "deals: 0 is not allowed: input should be greater than or equal to 2"),
        ("steps", "0", "steps: 0 is not allowed: input should be greater than or equal to 1"),
        ("seed", "-1", "seed: -1 is not allowed: input should be greater than or equal to 0"),
    ],
)
def test_a_mistake_is_one_sentence_before_any_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str, value: str, sentence: str
) -> None:
    folder = tmp_path / "demo"
    code = command("demo", "--folder", folder, f"--{option}", value)
    assert (code, *capsys.readouterr()) == (2, "", f"sabacc: {sentence}\n")
    assert not folder.exists()


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_demo_beats_them(seed: int, tmp_path: Path) -> None:
    found = margins(run_demo(tmp_path, "--seed", str(seed)))
    for name in MUST_BE_BEATEN:
        mean, half = found[name]
        assert mean > half, f"{name}: {mean} ± {half}"
