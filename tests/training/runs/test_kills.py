"""Commands that are killed at random moments and go on: they end in the bytes of one that was not.

A kill leaves nothing to the process: no handler runs, no file is closed.
"""

from __future__ import annotations

import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

SABACC = [sys.executable, "-c", "from sabacc_training.cli import main; main()"]
KILLS = 8

EVALUATION = "[evaluation]\nevery = 20_000\ndeals = 50\n"
PPO = (
    'trainer = "ppo"\ncheckpoint_seconds = 0\nrules = "black_spire"\nsteps = 150_000\n'
    "[ppo]\nnum_tables = 32\n"
    "rollout_steps = 500\nminibatch_size = 128\nhidden_sizes = [16]\n" + EVALUATION
)
SB3 = (
    'checkpoint_seconds = 0\nrules = "black_spire"\nsteps = 12_000\n'
    "[sb3]\nnum_tables = 32\nn_steps = 16\n"
    "batch_size = 128\nhidden_sizes = [16]\n" + EVALUATION
)
TOURNAMENT = 'agents = ["random", "tight", "bluffer", "rollouts"]\ndeals = 300\nnum_tables = 64\n'


@dataclass(frozen=True)
class Work:
    """A command, what it reads, and what it leaves.

    Attributes:
        words: the command, given the folder that its files go into.
        text: the configuration beside it.
        results: the files whose bytes must be the same, as a pattern below that folder.
        told: what of its output must be the same.
    """

    words: Callable[[Path], list[str]]
    text: str = ""
    results: str = ""
    told: str = ""


def words(*start: str, option: str) -> Callable[[Path], list[str]]:
    return lambda folder: [*start, option, str(folder)]


WORKS = {
    "train ppo": Work(words("train", "config.toml", option="--folder"), PPO, "agent.safetensors"),
    "train sb3": Work(words("train", "config.toml", option="--folder"), SB3, "agent.safetensors"),
    "tournament": Work(words("tournament", "config.toml", option="--output"), TOURNAMENT, "**/*"),
    "exploit": Work(
        words(
            *("exploit", "tight", "black_spire", "--probe", "trained"),
            *("steps=60_000", "deals=300"),
            option="--folder",
        ),
        results="**/agent.safetensors",
        told="mante/hand.*|│.*",
    ),
    "solve": Work(
        lambda folder: [
            *("solve", "one_draw", "--target", "1e-4", "--iterations", "400"),
            *("--output", str(folder / "policy.safetensors")),
        ],
        results="policy.safetensors",
        told="NashConv .* antes",
    ),
    "ladder": Work(
        words("ladder", "one_card", "moving-average magnet", "--steps=60_000", option="--folder"),
        told=r"by seed: .*|without averaging: .*",
    ),
}


def started(work: Work, folder: Path, *more: str) -> subprocess.Popen[str]:
    command = [*SABACC, *work.words(folder), *more]
    return subprocess.Popen(
        command, cwd=folder.parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def result(work: Work, folder: Path, output: str) -> tuple[dict[str, bytes], list[str]]:
    found = sorted(folder.glob(work.results)) if work.results else []
    files = {str(path.relative_to(folder)): path.read_bytes() for path in found if path.is_file()}
    return files, re.findall(work.told, output) if work.told else []


@pytest.mark.parametrize("name", WORKS)
def test_work_killed_at_random_moments_ends_in_the_same_bytes(name: str, tmp_path: Path) -> None:
    work, rng = WORKS[name], random.Random(name)
    (tmp_path / "config.toml").write_text(work.text)
    began = time.monotonic()
    whole = started(work, tmp_path / "whole")
    output, errors = whole.communicate()
    taken = time.monotonic() - began
    assert whole.returncode == 0, errors
    expected = result(work, tmp_path / "whole", output)
    assert expected[0] or expected[1]

    kills = runs = 0
    while kills < KILLS:  # a run may end before it was killed: then another one begins
        runs += 1
        folder, resumed, ended = tmp_path / f"killed-{runs}", False, False
        while not ended:
            process = started(work, folder, *["--resume"] * resumed)
            time.sleep(rng.uniform(0.1, 1) * taken)
            process.kill()
            output, errors = process.communicate()
            ended = process.returncode == 0
            if ended or process.returncode == -signal.SIGKILL:
                kills += not ended
                resumed = True
            else:  # there may be nothing to go on from yet, or something after all
                assert "there is no checkpoint" in errors or "stopped" in errors, errors
                assert errors.count("\n") == 1
                resumed = not resumed
        assert result(work, folder, output) == expected
        assert not list(folder.glob("**/.*"))  # neither drafts nor locks
