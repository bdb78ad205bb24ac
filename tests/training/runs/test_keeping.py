"""Runs lose nothing: on full disks, in folders that vanish or are shared, after kills."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sabacc_training import trainers
from sabacc_training.config.base import dump, validated
from sabacc_training.config.run import RunConfig
from sabacc_training.jobs.locking import locked_file, locked_folder
from sabacc_training.ppo.config import PPOConfig
from sabacc_training.runs.callback import AGENT, BEST, CHECKPOINT, CONFIG, EVENTS
from sabacc_training.runs.checkpoint import FORMAT, load_checkpoint, save_checkpoint
from sabacc_training.runs.tensorboard import EventWriter
from sabacc_training.sb3.config import MaskablePPOConfig

from sabacc_env import SabaccError
from sabacc_env.storage.checksums import pack_with_checksum
from tests.support.commands import run
from tests.support.disks import full_disk
from tests.support.training import Killed, before_update, kill

RUN: dict[str, Any] = {
    "rules": "black_spire",
    "steps": 3000,
    "evaluation": {"every": 1000, "deals": 20},
    "checkpoint_seconds": 0,
}
PPO = {"num_tables": 32, "rollout_steps": 500, "minibatch_size": 128, "hidden_sizes": [16]}
SB3 = {"num_tables": 32, "n_steps": 16, "batch_size": 128, "hidden_sizes": [16]}
CONFIGS: dict[str, RunConfig] = {
    "ppo": validated(PPOConfig, RUN | {"trainer": "ppo", "ppo": PPO}),
    "sb3": validated(MaskablePPOConfig, RUN | {"sb3": SB3}),
}


@pytest.fixture(params=CONFIGS)
def config(request: pytest.FixtureRequest) -> RunConfig:
    return CONFIGS[request.param]


@pytest.fixture
def halved(config: RunConfig, tmp_path: Path) -> Path:
    """The folder of a run that was killed."""
    with before_update(config, 4, kill), pytest.raises(Killed):
        trainers.train(config, tmp_path / "halved")
    return tmp_path / "halved"


def test_a_disk_that_fills_up_costs_nothing(
    config: RunConfig, halved: Path, tmp_path: Path
) -> None:
    before = (halved / CHECKPOINT).read_bytes()
    with (
        full_disk(room=20_000),
        pytest.raises(SabaccError, match=r"checkpoint.pt: cannot be written \(File too large\)"),
    ):
        trainers.train(config, halved, resume=True)
    assert (halved / CHECKPOINT).read_bytes() == before
    whole = trainers.train(config, tmp_path / "whole")
    assert trainers.train(config, halved, resume=True).read_bytes() == whole.read_bytes()


def test_a_folder_that_vanishes_ends_the_run_in_one_sentence(
    config: RunConfig, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    with (
        before_update(config, 4, lambda: shutil.rmtree(folder)),
        pytest.raises(SabaccError, match=r"run/.*: cannot be written \(there is no such folder\)"),
    ):
        trainers.train(config, folder)
    assert not folder.exists()


def test_curves_say_that_the_disk_is_full_and_keep_what_they_had(tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    with EventWriter(tmp_path, 0) as curves:
        for step in range(10):
            curves.write(step, {"train/loss": step / 2})
        with full_disk(), pytest.raises(SabaccError, match=r"tfevents.*File too large"):
            curves.write(10, {"train/loss": 5.0})
    read = EventAccumulator(str(tmp_path))
    read.Reload()
    assert [(each.step, each.value) for each in read.Scalars("train/loss")] == [
        (step, step / 2) for step in range(10)
    ]


def test_a_run_that_goes_on_replaces_the_curves_of_what_was_lost(tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    for began, value in ((0, 1.0), (5, 2.0)):
        with EventWriter(tmp_path, began) as curves:
            for step in range(began, 10):
                curves.write(step, {"train/loss": value})
    read = EventAccumulator(str(tmp_path))
    read.Reload()
    assert [each.value for each in read.Scalars("train/loss")] == [1.0] * 5 + [2.0] * 5


def test_both_trainers_draw_curves(config: RunConfig, tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    trainers.train(config, tmp_path)
    read = EventAccumulator(str(tmp_path / EVENTS))
    read.Reload()
    tags = set(read.Tags()["scalars"])
    assert {"eval/margin_random", "train/learning_rate"} <= tags
    assert len(read.Scalars("eval/margin_random")) >= 2


@pytest.mark.parametrize("name", [AGENT, BEST, CONFIG])
def test_a_new_run_overwrites_nothing_of_an_earlier_one(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"earlier")
    with pytest.raises(SabaccError, match=f"holds {name} of an earlier run, and no checkpoint.pt"):
        trainers.train(CONFIGS["ppo"], tmp_path)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [(name, b"earlier")]


def test_a_run_killed_before_its_first_checkpoint_may_begin_again(
    config: RunConfig, tmp_path: Path
) -> None:
    (tmp_path / CONFIG).write_text(dump(config))
    (tmp_path / BEST).touch()
    assert trainers.train(config, tmp_path).exists()
    (tmp_path / CHECKPOINT).unlink()
    with pytest.raises(SabaccError, match=r"holds agent\.safetensors of an earlier run"):
        trainers.train(config, tmp_path)


def test_what_killed_writes_left_is_removed(config: RunConfig, halved: Path) -> None:
    left = [halved / f".{name}.0123abcd" for name in (CHECKPOINT, AGENT, "config.json")]
    for path in left:
        path.write_bytes(b"half of it")
    other = halved / ".notes"
    other.touch()
    trainers.train(config, halved, resume=True)
    assert not any(path.exists() for path in left)
    assert other.exists()
    assert not (halved / ".lock").exists()


HOLDS = """
import sys, time
from pathlib import Path
from sabacc_training.jobs.locking import locked_folder
with locked_folder(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def held(tmp_path: Path) -> Iterator[tuple[Path, subprocess.Popen[str]]]:
    """A folder that another process writes into, and this process."""
    folder = tmp_path / "held"
    other = subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(folder)], stdout=subprocess.PIPE, text=True
    )
    assert other.stdout is not None
    assert other.stdout.readline() == "held\n"
    yield folder, other
    other.kill()
    other.wait()
    other.stdout.close()


def test_a_folder_has_one_writer_until_that_is_killed(
    held: tuple[Path, subprocess.Popen[str]], config: RunConfig, tmp_path: Path, capsys: Any
) -> None:
    folder, other = held
    (tmp_path / "run.json").write_text(dump(config))
    code, output, errors = run(capsys, "train", tmp_path / "run.json", "--folder", folder)
    assert (code, output) == (2, "")
    assert errors == (
        f"sabacc: {folder}: another process is writing into this folder; wait until it ends, or "
        "choose another\n"
    )
    other.kill()
    other.wait()
    assert trainers.train(config, folder).exists()


@pytest.mark.parametrize(
    "words",
    [
        ["exploit", "random", "black_spire", "steps=100", "seeds=1", "--folder"],
        ["tournament", "tournament.json", "--output"],
    ],
    ids=lambda words: words[0],
)
def test_commands_leave_a_folder_to_who_writes_there(
    held: tuple[Path, Any], words: list[str], tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    (tmp_path / "tournament.json").write_text('{"agents": ["random", "tight"], "deals": 10}')
    monkeypatch.chdir(tmp_path)
    code, output, errors = run(capsys, *words, held[0])
    assert (code, output) == (2, "")
    assert "another process is writing into this folder" in errors
    assert errors.count("\n") == 1
    assert [path.name for path in held[0].iterdir()] == [".lock"]


def test_a_file_has_one_writer(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "one_card.safetensors"
    with locked_file(path):
        code, _, errors = run(capsys, "solve", "one_card", "--output", path)
    assert code == 2
    assert "another process is writing this file" in errors
    assert not list(tmp_path.iterdir())


def test_folders_that_stay_empty_are_removed(tmp_path: Path) -> None:
    with locked_folder(tmp_path / "a" / "b"):
        assert os.listdir(tmp_path / "a" / "b") == [".lock"]  # noqa: PTH208
    assert not list(tmp_path.iterdir())


NO_RUNS: list[Any] = [
    {},
    {"steps": 5},
    [1, 2],
    "text",
    {"seconds": "long", "best": None},
    {"seconds": 1.0, "best": None, "precision": "float13"},
    {"seconds": 1.0, "best": None, "precision": "float32", "steps": 3, "actor": {}},
]


@pytest.mark.parametrize("state", NO_RUNS, ids=range(len(NO_RUNS)))
def test_a_sealed_checkpoint_of_something_else_is_one_sentence(
    config: RunConfig, halved: Path, state: Any
) -> None:
    save_checkpoint(halved / CHECKPOINT, config, state)
    with pytest.raises(SabaccError, match="it is not the state of a run of this configuration"):
        trainers.train(config, halved, resume=True)


def test_a_state_that_lacks_any_part_is_one_sentence(config: RunConfig, halved: Path) -> None:
    state = load_checkpoint(halved / CHECKPOINT, config)
    for part in state:
        save_checkpoint(
            halved / CHECKPOINT, config, {key: state[key] for key in state if key != part}
        )
        with pytest.raises(SabaccError, match="it is not the state of a run of this configuration"):
            trainers.train(config, halved, resume=True)


@pytest.mark.parametrize("content", [b"", b"no pickle", b"\x80\x04."])
@pytest.mark.parametrize("header", [None, 5, [], {}])
def test_sealed_bytes_of_something_else_are_one_sentence(
    config: RunConfig, tmp_path: Path, header: Any, content: bytes
) -> None:
    path = tmp_path / CHECKPOINT
    settings = config.model_dump(mode="json") if header is None else header
    path.write_bytes(pack_with_checksum(FORMAT, settings, content))
    with pytest.raises(SabaccError, match=r"checkpoint\.pt: "):
        load_checkpoint(path, config)
