"""The PPO trainer on solved games: it comes near to equilibrium, the nearer by its magnet."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sabacc_training.bench.progress import BenchProgress
from sabacc_training.experiments.nash_conv_curves import (
    METHODS,
    LearningCurve,
    ladder_config,
    learning_curve,
)
from sabacc_training.experiments.nash_conv_plot import plot
from sabacc_training.jobs.partial_results import open_partial_results
from sabacc_training.ppo.trainer import PPOTrainer
from sabacc_training.solved_games import flatten, load_rung, nash_conv

from sabacc_env.errors import how_to_install
from tests.support.commands import command, refusal
from tests.support.processors import QUICK_PRECISIONS
from tests.support.training import before_calls, terminate


@pytest.mark.parametrize("precision", QUICK_PRECISIONS)
def test_a_small_game_is_learnt_in_seconds(precision: str) -> None:
    rung = load_rung("one_card")
    config = ladder_config(rung, "moving-average magnet", 200_000, seed=0)
    learner = PPOTrainer(config, precision=precision)
    while learner.steps < 200_000:
        learner.update()
    assert nash_conv(flatten(rung), learner.average) < 0.15  # of random play 1.25


@pytest.mark.slow
def test_the_magnet_comes_at_most_half_as_far_from_equilibrium_as_plain_ppo(tmp_path) -> None:
    tree = flatten(load_rung("one_draw"))
    with open_partial_results(tmp_path, {}, resume=False) as partial, BenchProgress() as progress:
        plain, drawn = (
            learning_curve(tree, method, 2_000_000, 3, partial, [], progress)
            for method in ("PPO, entropy .01", "moving-average magnet")
        )
    assert drawn.nash_conv[:, -1].max() < 0.05  # of random play 2.58
    assert drawn.means[-1] < plain.means[-1] / 2


def test_the_figures_of_a_learning_curve() -> None:
    averaged = np.array([[0.3, 0.1], [0.5, 0.3]])
    found = LearningCurve(
        "any", np.ones((2, 2), np.int64), averaged, np.array([[1.0, 2], [3, 4]]), averaged
    )
    np.testing.assert_allclose(found.means, [0.4, 0.2])
    np.testing.assert_allclose(found.half_widths, 12.706 * 0.1, rtol=1e-4)  # Student's t, 1 degree
    np.testing.assert_array_equal(found.seconds_to(0.2), [2, np.inf])


def test_a_picture_has_a_curve_of_each_method() -> None:
    pytest.importorskip("matplotlib")
    some = np.array([[0.3, 0.1], [0.5, 0.3]])
    steps = np.array([[1, 2], [1, 2]])
    curves = [LearningCurve(name, steps, some, some, some) for name in METHODS]
    picture = plot("all", curves).decode()
    assert all(name in picture for name in METHODS)
    colours = set(re.findall(r"stroke: (#[0-9a-f]{6}); stroke-width: 1.5", picture))
    assert len(colours) >= len(METHODS)


def test_the_command_compares_and_draws(tmp_path: Path, capsys: Any) -> None:
    pytest.importorskip("matplotlib")
    file = tmp_path / "new" / "ladder.svg"
    options = ["--picture", str(file), "--seeds", "2", "--steps", "20_000"]
    options += ["--folder", str(tmp_path / "kept")]
    assert command("ladder", "one_card", "moving-average magnet", *options) == 0
    out = capsys.readouterr().out
    assert "one_card: 631 nodes; 20,000 decisions, 2 seeds" in out
    assert "moving-average magnet" in out
    assert "periodic" not in out
    picture = file.read_text()
    assert "NashConv, antes" in picture
    assert " \n" not in picture


def test_a_picture_that_cannot_be_drawn_is_refused_before_the_work(monkeypatch, capsys) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert refusal(capsys, "ladder", "one_card", "--picture", "a.svg") == (
        f"sabacc: picture: needs matplotlib; {how_to_install('bench')}\n"
    )


def test_a_picture_in_place_of_a_folder_is_refused_before_the_work(tmp_path, capsys) -> None:
    pytest.importorskip("matplotlib")
    error = refusal(capsys, "ladder", "one_card", "--picture", str(tmp_path))
    assert error == f"sabacc: {tmp_path}: cannot be written (Is a directory); name another\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["one_card", "nothing"], "unknown method 'nothing'; use some of: PPO, entropy .01; "),
        (
            ["one_card", "--seeds", "1"],
            "give at least two seeds, at least one step, a target above 0",
        ),
        (
            ["one_card", "--target", "-1"],
            "give at least two seeds, at least one step, a target above 0",
        ),
        (["kessel"], "unknown rung 'kessel'"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(
    capsys: Any, arguments: list[str], sentence: str
) -> None:
    assert sentence in refusal(capsys, "ladder", *arguments)


def test_a_ladder_goes_on_as_if_never_stopped(tmp_path: Path, capsys: Any) -> None:
    words = ["ladder", "one_card", "moving-average magnet", "--seeds", "2", "--steps", "30_000"]
    words += ["--folder", str(tmp_path / "kept")]
    figures = re.compile(r"by seed: .*|without averaging: .*")
    assert command(*words) == 0
    whole = figures.findall(capsys.readouterr().out)
    with before_calls(PPOTrainer, "update", (4, 12), terminate):
        assert command(*words) == 130
        assert "nothing is lost: resume with --resume" in capsys.readouterr().err
        assert command(*words, "--resume") == 130
        assert command(*words, "--resume") == 0
    assert figures.findall(capsys.readouterr().out) == whole
    assert not (tmp_path / "kept").exists()


def test_other_work_begins_anew_where_the_list_of_parts_was_removed(
    tmp_path: Path, capsys: Any
) -> None:
    words = ["ladder", "one_card", "--seeds", "2", "--folder", str(tmp_path)]
    with before_calls(PPOTrainer, "update", (4,), terminate):
        assert command(*words, "moving-average magnet", "--steps", "30_000") == 130
    assert (tmp_path / "part-0.pt").exists()
    (tmp_path / "unfinished").unlink()
    assert command(*words, "periodic magnet", "--steps", "20_000") == 0
    assert not (tmp_path / "part-0.pt").exists()
