"""Work in folders, in slices: what one process makes, however often it stops."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sabacc_training import trainers
from sabacc_training.config.base import validated
from sabacc_training.jobs.executors import in_process
from sabacc_training.jobs.folder_work import FolderWork, WorkProgress, do_in_slices, do_works
from sabacc_training.jobs.locking import locked_folder
from sabacc_training.jobs.stopping import StoppedBySignal
from sabacc_training.ppo.config import PPOConfig
from sabacc_training.runs.callback import AGENT

from sabacc_env import SabaccError
from tests.support.commands import refusal, run
from tests.support.work import count_to


def counting(folder: Path, *goals: int) -> list[FolderWork]:
    return [FolderWork(f"to {n}", folder / str(n), partial(count_to, n)) for n in goals]


def in_slices(works: Sequence[FolderWork], seconds: float, executor: Any = in_process) -> None:
    with WorkProgress(len(works)) as progress:
        do_in_slices(works, executor, progress, seconds)


def test_slices_make_what_one_process_makes(tmp_path: Path, capsys: Any) -> None:
    in_slices(counting(tmp_path, 40, 3), 0.1)
    for goal, slices in ((40, 3), (3, 1)):
        folder = tmp_path / str(goal)
        assert sorted(path.name for path in folder.iterdir()) == ["begun", "count"]
        assert (folder / "count").read_text() == str(goal)
        assert len(list((folder / "begun").iterdir())) >= slices
    told = capsys.readouterr().err
    assert " so far\n" in told
    assert "to 40: finished\n" in told
    assert "stopping" not in told


def test_a_training_run_in_slices_saves_the_same_agent(tmp_path: Path) -> None:
    ppo = {"num_tables": 8, "rollout_steps": 64, "minibatch_size": 64, "hidden_sizes": [8]}
    data = {"trainer": "ppo", "rules": "black_spire", "num_players": 2, "steps": 3_000}
    config = validated(PPOConfig, data | {"ppo": ppo, "evaluation": {"every": 1_000, "deals": 20}})
    whole = trainers.train(config, tmp_path / "whole").read_bytes()
    beginnings: list[Path] = []

    def train(folder: Path) -> None:
        beginnings.append(folder)
        trainers.train_on(config, folder)

    in_slices([FolderWork("run", tmp_path / "run", train)], 0.3)
    assert len(beginnings) > 1
    for name in ("agent.safetensors", "best.safetensors", "config.json"):
        alone, sliced = (tmp_path / run / name for run in ("whole", "run"))
        assert sliced.read_bytes() == alone.read_bytes()
    assert (tmp_path / "run" / "agent.safetensors").read_bytes() == whole


def test_works_in_one_folder_have_their_own_files(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("kept")
    works = [
        FolderWork("one", tmp_path, partial(write, "one"), ("one",)),
        FolderWork("two", tmp_path, partial(write, "two"), ("two",)),
    ]
    in_slices(works, 9)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "one": "one",
        "two": "two",
        "other": "kept",
    }
    with pytest.raises(SabaccError, match="processes: 0 is not allowed"):
        do_works(works, resume=True, processes=0)
    with pytest.raises(SabaccError, match=r"holds one already; resume \(--resume\)"):
        do_works(works, resume=False)


def write(name: str, folder: Path) -> None:
    assert not list(folder.iterdir())
    (folder / name).write_text(name)


def test_after_a_signal_what_was_begun_is_saved(tmp_path: Path, capsys: Any) -> None:
    def signalled(
        function: Callable[[Any], Any], items: Iterable[Any]
    ) -> Iterator[tuple[Any, Any]]:
        for found in in_process(function, items):
            signal.raise_signal(signal.SIGINT)
            yield found

    works = counting(tmp_path, 40, 3)
    with pytest.raises(StoppedBySignal):
        in_slices(works, 0.1, signalled)
    assert "what was begun ends first" in capsys.readouterr().err
    so_far = int((tmp_path / "40" / "unfinished" / "so-far").read_text())
    assert 0 < so_far < 40
    assert not (tmp_path / "3").exists()
    do_works(works, resume=True)
    assert (tmp_path / "40" / "count").read_text() == "40"
    assert (tmp_path / "3" / "count").read_text() == "3"


def test_a_mistake_is_about_the_folder_of_the_work(tmp_path: Path) -> None:
    with pytest.raises(SabaccError, match=f"^{tmp_path}/13: 13 is not counted to$"):
        in_slices(counting(tmp_path, 13), 9)
    with (
        locked_folder(tmp_path / "3"),
        pytest.raises(SabaccError, match="another process is writing into this folder"),
    ):
        in_slices(counting(tmp_path, 3), 9)


def test_several_seeds_are_trained_as_each_alone(tmp_path: Path, capsys: Any) -> None:
    """The command, in one process; ``test_ray_executor.py`` has a cluster."""
    ppo = '{"num_tables": 8, "rollout_steps": 64, "minibatch_size": 64, "hidden_sizes": [8]}'
    (tmp_path / "few.json").write_text(
        f'{{"trainer": "ppo", "rules": "black_spire", "steps": 100, "ppo": {ppo}, "seed": 4}}'
    )
    command = ["train", tmp_path / "few.json", "--folder"]
    code, output, _ = run(capsys, *command, tmp_path / "both", "--seeds", "2")
    assert code == 0
    for seed in (4, 5):
        assert run(capsys, *command, tmp_path / str(seed), f"seed={seed}")[0] == 0
        one, both = tmp_path / str(seed), tmp_path / "both" / f"few-seed{seed}"
        assert f"The agent is {both / AGENT}; curves" in " ".join(output.split())
        assert (both / AGENT).read_bytes() == (one / AGENT).read_bytes()
    assert "holds agent.safetensors already" in refusal(
        capsys, *command, tmp_path / "both", "--seeds", "2"
    )
    assert "seeds: 0 is not allowed" in refusal(capsys, *command, tmp_path / "no", "--seeds", "0")
