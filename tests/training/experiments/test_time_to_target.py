"""``sabacc race``: each trainer runs until it reaches the target."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

import pytest
from sabacc_training.experiments.time_to_target import Measurement, train_to_target
from sabacc_training.experiments.timed_run import TimedRun
from sabacc_training.trainers import training_config

from tests.support.commands import command
from tests.support.training import before_calls, terminate

GAME = 'rules = "black_spire"\nsteps = 3000\n[evaluation]\nevery = 1000\n[pool]\nsnapshots = 0\n'
PPO = (
    'trainer = "ppo"\n'
    + GAME
    + "[ppo]\nnum_tables = 32\nrollout_steps = 500\nminibatch_size = 128\n"
)
SB3 = GAME + "[sb3]\nnum_tables = 32\nn_steps = 16\nbatch_size = 128\n"


@pytest.fixture
def configs(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / "ppo.toml", tmp_path / "sb3.toml"]
    for path, text in zip(paths, (PPO, SB3), strict=True):
        path.write_text(text)
    return paths


@pytest.mark.parametrize("trainer", [0, 1])
def test_a_run_ends_at_the_target_or_at_its_end(
    configs: list[Path], trainer: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    config = training_config(configs[trainer])
    checkpoint = tmp_path / "checkpoint.pt"
    taken: list[Measurement] = []
    ended = train_to_target(
        config, lambda _: ("weak", len(taken) == 1), taken.append, checkpoint, []
    )
    assert taken == [taken[0], ended]
    assert ended.reached
    assert 2000 <= ended.steps < 3000
    assert 0 < taken[0].seconds < ended.seconds
    assert 0 < taken[0].cpu_seconds < ended.cpu_seconds
    ended = train_to_target(config, lambda _: ("weak", False), taken.append, checkpoint, [])
    assert not ended.reached
    assert ended.steps >= 3000
    assert not list(temporary.glob("SB3*"))


@pytest.mark.slow
def test_the_command_races_to_a_margin_and_to_an_equilibrium(
    configs: list[Path], capsys: Any
) -> None:
    folder = ["--folder", configs[0].parent / "kept"]
    assert command("race", *configs, "--over", "random", "--margin", "-5000", *folder) == 0
    out = capsys.readouterr().out
    assert "over random (mante/hand)" in out
    assert re.search(r"sb3.toml: [\d.]+ s, [\d.]+ times the first \([\d.]+ CPU-seconds, ", out)
    assert command("race", *configs, "--rung", "one_card", "--nash-conv", "1e-9", *folder) == 0
    out = capsys.readouterr().out
    assert "NashConv" in out
    assert out.count("did not reach the target") == 2


def test_what_is_wrong_is_said_in_one_sentence(configs: list[Path], capsys: Any) -> None:
    assert command("race") == 2
    assert "give at least one training configuration" in capsys.readouterr().err
    for target in (["--margin", "nan"], ["--rung", "one_card", "--nash-conv", "-1"]):
        assert command("race", *configs, *target) == 2
        assert "give a finite margin and a NashConv above 0" in capsys.readouterr().err


@pytest.mark.slow
def test_a_resumed_race_counts_the_time_that_was_taken(configs: list[Path], capsys: Any) -> None:
    """Stopped in each of its runs, it ends like one that was not."""
    words = ["race", *configs, "--over", "random", "--margin", "5000"]
    words += ["--folder", configs[0].parent / "kept"]
    assert command(*words) == 0
    laps = re.compile(r"([\d,]+) decisions  (.*)")
    whole = laps.findall(capsys.readouterr().out)
    for stopped in range(2):
        with before_calls(TimedRun, "after_update", [3], terminate):
            assert command(*words, *["--resume"] * stopped) == 130
        assert "nothing is lost: resume with --resume" in capsys.readouterr().err
        assert command(*words) == 2
        assert "was left by work that stopped" in capsys.readouterr().err
    assert command(*words, "--resume") == 0
    out = capsys.readouterr().out
    assert laps.findall(out) == whole[-len(laps.findall(out)) :]
    times = [float(each) for each in re.findall(r": ([\d.]+) s", out)]
    assert all(each > 0 for each in times)
    assert not (configs[0].parent / "kept").exists()
