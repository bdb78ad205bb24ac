"""Every kind of file with a bit changed or cut short: refused, or counted as absent."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from sabacc_agents.loading import load
from sabacc_agents.saved_files import path_of
from sabacc_training import trainers
from sabacc_training.config.base import validated
from sabacc_training.jobs.partial_results import FILE, open_partial_results
from sabacc_training.runs.callback import CHECKPOINT
from sabacc_training.runs.checkpoint import load_checkpoint
from sabacc_training.solved_games import solver
from sabacc_training.solved_games.cfr import CFRSolver
from sabacc_training.solved_games.game_tree import GameTree, flatten
from sabacc_training.solved_games.rung import load_rung
from sabacc_training.tournaments.config import TournamentConfig
from sabacc_training.tournaments.tasks import FORMAT, Task, play_task, read_task

from sabacc_env import Game, SabaccError, Tables, load_rules
from sabacc_env.storage.checksums import pack_with_checksum, unpack_checked
from tests.agents.test_descriptions import a_policy
from tests.support.damage import flip_bit, flip_random_bit
from tests.training.runs.test_keeping import CONFIGS

Reads = Callable[[Path], Any]


@cache
def one_card() -> GameTree:
    return flatten(load_rung("one_card"))


def a_checkpoint(name: str, folder: Path) -> Path:
    trainers.train(CONFIGS[name], folder)
    return folder / CHECKPOINT


def some_unfinished_work(folder: Path) -> Path:
    with open_partial_results(folder, {"what": 1}, resume=False) as partial:
        partial.add("a part", [1, 2.5, "x"])
    return folder / FILE


def reads_unfinished_work(path: Path) -> None:
    with open_partial_results(path.parent, {"what": 1}, resume=True):
        pass


def written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def a_solver_checkpoint(folder: Path) -> Path:
    cfr = CFRSolver(one_card(), "cfr+")
    cfr.iterate()
    solver._save_checkpoint(cfr, folder / "solver")
    return folder / "solver"


def reads_a_solver_checkpoint(path: Path) -> None:
    solver._load_checkpoint(CFRSolver(one_card(), "cfr+"), path)


KINDS: dict[str, tuple[Callable[[Path], Path], Reads]] = {
    "network": (
        lambda folder: written(folder / "a.safetensors", path_of("zoo:casino-2p").read_bytes()),
        load,
    ),
    "policy": (lambda folder: a_policy(folder / "p.safetensors"), load),
    "checkpoint of the solver": (a_solver_checkpoint, reads_a_solver_checkpoint),
    **{
        f"checkpoint of {name}": (
            lambda folder, name=name: a_checkpoint(name, folder),  # type: ignore[misc]
            lambda path, name=name: load_checkpoint(path, CONFIGS[name]),  # type: ignore[misc]
        )
        for name in CONFIGS
    },
    "game": (
        lambda folder: written(folder / "game", Game("casino", 3, seed=1).to_bytes()),
        lambda path: Game.from_bytes(path.read_bytes()),
    ),
    "tables": (
        lambda folder: written(folder / "tables", Tables("casino", 3, seed=1).to_bytes()),
        lambda path: Tables.from_bytes(path.read_bytes()),
    ),
    "unfinished work": (some_unfinished_work, reads_unfinished_work),
}


def damages(whole: bytes, count: int) -> list[bytes]:
    """Return a file with a bit changed, or cut short, so many times each."""
    rng = random.Random(0)
    at_the_start = range(min(count, 80, len(whole)))
    return [
        *(flip_bit(whole, place, rng.randrange(8)) for place in at_the_start),
        *(flip_random_bit(whole, rng) for _ in range(count)),
        b"",
        *(whole[: rng.randrange(len(whole))] for _ in range(count)),
    ]


@pytest.mark.parametrize("count", [10, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_file_is_refused(kind: str, count: int, tmp_path: Path) -> None:
    make, read = KINDS[kind]
    path = make(tmp_path)
    whole = path.read_bytes()
    read(path)
    for damaged in damages(whole, count):
        path.write_bytes(damaged)
        with pytest.raises(SabaccError) as refused:
            read(path)
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize("count", [30, pytest.param(5000, marks=pytest.mark.slow)])
def test_a_damaged_task_counts_as_absent(count: int) -> None:
    config = validated(TournamentConfig, {"agents": ["tight", "loose"], "deals": 10})
    task = Task(("tight", "loose"), 0, 10)
    whole = play_task(config, task)
    assert read_task(config, task, whole) is not None
    assert read_task(config, Task(task.lineup, 10, 10), whole) is None
    for damaged in damages(whole, count):
        assert read_task(config, task, damaged) is None
    header, state = unpack_checked(FORMAT, whole)
    lacking = [{key: header[key] for key in header if key != name} for name in header]
    for odd in (*lacking, {}, header | {"arrays": []}):  # whole, and something else
        assert read_task(config, task, pack_with_checksum(FORMAT, odd, state)) is None
    for cut in (state[:-1], state + b"x", b""):
        assert read_task(config, task, pack_with_checksum(FORMAT, header, cut)) is None


@pytest.mark.parametrize("count", [30, pytest.param(2000, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("reads", "text"),
    [
        (load_rules, 'hand_ante = 3\nphases = ["cards", "betting"]\nfees = {draw = 1}\n'),
        (
            trainers.training_config,
            'rules = "casino"\nsteps = 3000\n[sb3]\nhidden_sizes = [16, 16]\n',
        ),
    ],
)
def test_a_damaged_text_is_refused_or_says_something_else(
    reads: Reads, text: str, count: int, tmp_path: Path
) -> None:
    path = tmp_path / "text.toml"
    for damaged in damages(text.encode(), count):
        path.write_bytes(damaged)
        try:
            reads(path)
        except SabaccError as error:
            assert "\n" not in str(error)  # noqa: PT017
