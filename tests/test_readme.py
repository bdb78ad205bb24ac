"""Every block of the README does what it says: Python is run, and so is every command."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from numba import cuda

ROOT = Path(__file__).parent.parent
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
PYTHON = [text for language, text in BLOCKS if language == "python"]
PATIENT = next(text for text in PYTHON if "class Patient" in text)
COMMANDS = [
    shlex.split(line, comments=True)
    for language, text in BLOCKS
    if language == "bash"
    for line in text.splitlines()
]
QUICK_ONES = ("watch", "rules", "solve", "distance", "zoo")
QUICK = [words for words in COMMANDS if words[:1] == ["sabacc"] and words[1] in QUICK_ONES]
LONG = [words for words in COMMANDS if words[0] == "sabacc" and words not in QUICK]
SHORTENED = {"train": ["steps=40_000"], "tournament": ["deals=500"]}
"""What is added to a command that takes minutes as it stands."""


def test_every_block_is_run_here() -> None:
    assert {language for language, _ in BLOCKS} == {"python", "bash"}
    assert {words[0] for words in COMMANDS} == {"sabacc", "make"}


@pytest.mark.parametrize("source", PYTHON, ids=lambda source: source.splitlines()[0])
def test_python_block(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    if 'device="cuda"' in source and not cuda.is_available():
        pytest.skip("there is no CUDA GPU here")
    exec(compile(source, "README.md", "exec"), {"__name__": "readme"})


@pytest.mark.parametrize("words", QUICK, ids=" ".join)
def test_quick_command(words: list[str], tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(PATIENT)
    run = "from sabacc_training.cli import main; main()"
    # As the installed command does it, which has not the current folder on its path (-P).
    command = [sys.executable, "-P", "-c", run, *words[1:]]
    subprocess.run(command, cwd=tmp_path, check=True)


@pytest.mark.slow
@pytest.mark.parametrize("words", LONG, ids=" ".join)
def test_long_command(words: list[str], tmp_path: Path) -> None:
    configs = [str(ROOT / word) if word.endswith(".toml") else word for word in words[1:]]
    command = [sys.executable, "-m", "sabacc_training", *configs, *SHORTENED[words[1]]]
    subprocess.run(command, cwd=tmp_path, check=True)


@pytest.mark.parametrize("words", [words for words in COMMANDS if words[0] == "make"], ids=" ".join)
def test_make_target_exists(words: list[str]) -> None:
    # What they run is the slow test of the demo, and this test run itself.
    subprocess.run([*words, "--dry-run"], cwd=ROOT, check=True, capture_output=True)


def test_the_custom_agent_plays_legal_moves() -> None:
    import numpy as np

    from sabacc_env import Tables

    assert len([line for line in PATIENT.splitlines() if line.strip()]) <= 15
    namespace: dict[str, object] = {"__name__": "readme"}
    exec(compile(PATIENT, "README.md", "exec"), namespace)
    tables = Tables("casino", num_tables=64, num_players=3, seed=0)
    agent = namespace["Patient"](tables.rules, 3)  # type: ignore[operator]
    rng = np.random.default_rng(0)
    for _ in range(50):
        tables.step(agent.act(tables.observations, tables.action_masks, rng))
