"""The PPO trainer's speed is measured at played and at frozen tables."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sabacc_training.config.base import load_config
from sabacc_training.experiments.throughput import HAND_STEPS, frozen_tables
from sabacc_training.ppo.config import PPOConfig
from sabacc_training.ppo.trainer import PPOTrainer

from tests.support.commands import command, refusal, run
from tests.support.processors import PRECISIONS, TWO_PROCESSORS
from tests.support.training import before_calls, interrupt

TINY = """trainer = "ppo"
rules = "black_spire"
[pool.scripted]
random = 1
[ppo]
num_tables = 32
rollout_steps = 500
minibatch_size = 128
hidden_sizes = [16]
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "run.toml"
    path.write_text(TINY)
    return path


def test_at_frozen_tables_every_hand_ends_after_as_many_steps(config: Path) -> None:
    tables = frozen_tables(load_config(PPOConfig, config))
    seen, ends = tables.observations.copy(), np.zeros(32, np.int64)
    for _ in range(3 * HAND_STEPS):
        tables.step(np.zeros(32, np.int64))
        ends += tables.finished
        assert not tables.net_credits[~tables.finished].any()
    np.testing.assert_array_equal(ends, 3)
    np.testing.assert_array_equal(tables.observations, seen)
    for frozen in (tables.opponents_hands, tables.upcoming_chance):
        assert len(frozen([3, 5])) == 2
        assert frozen(range(32)) is frozen(range(32))


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("threads", [1, pytest.param(2, marks=TWO_PROCESSORS)])
def test_the_command_prints_both(threads: int, precision: str, config: Path, capsys: Any) -> None:
    changes = ["ppo.n_epochs=3", f"ppo.precision={precision}", f"threads={threads}"]
    once = ["--rounds", 1, "--updates", 1, "--folder", config.with_name("kept")]
    assert command("throughput", config, *changes, *once) == 0
    assert not config.with_name("kept").exists()
    out = capsys.readouterr().out
    assert f"matrices in {precision}; " in out
    assert "500 decisions, 3 times in gradient steps of 128: 1,500 samples" in out
    assert "at played tables" in out
    assert "at frozen tables" in out
    assert "learning the policy" in out


def test_other_runs_are_measured_beside_with_their_exploiters(
    config: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    league = config.with_name("league.toml")
    league.write_text(f"{TINY}[league]\ncold = 1\n")
    once = ["--rounds", 1, "--updates", 1, "--folder", config.with_name("kept")]
    learners = []
    update = PPOTrainer.update

    def counted(learner: PPOTrainer) -> None:
        learners.append(type(learner).__name__)
        update(learner)

    monkeypatch.setattr(PPOTrainer, "update", counted)
    assert command("throughput", config, "--beside", league, *once) == 0
    # Once to warm up and once in the round.
    assert Counter(learners) == {"PPOTrainer": 2 * 2, "LeagueTrainer": 2, "Exploiter": 2}
    out = capsys.readouterr().out
    assert f"of the decisions with {league} (" in out
    assert "of the decisions at frozen tables (" in out


def test_it_goes_on_after_the_rounds_that_are_kept(
    config: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    update, done = PPOTrainer.update, 0
    words = ["throughput", config, "--rounds", 3, "--updates", 1]
    words += ["--folder", config.with_name("kept")]

    def counted(learner: PPOTrainer) -> None:
        nonlocal done
        done += 1
        update(learner)

    with before_calls(PPOTrainer, "update", [6], interrupt):  # two to warm up, two a round
        code, _, errors = run(capsys, *words)
    assert code == 130
    assert errors.endswith(": resume with --resume\n")
    code, _, errors = run(capsys, *words)
    assert code == 2
    assert "was left by work that stopped" in errors
    monkeypatch.setattr(PPOTrainer, "update", counted)
    code, output, _ = run(capsys, *words, "--resume")
    assert code == 0
    assert done == 2 + 4  # two of the three rounds
    assert "learning the policy" in output


def test_only_the_ppo_trainer_is_measured(capsys) -> None:
    assert refusal(capsys, "throughput", "casino-2p") == (
        'sabacc: casino-2p: is not for the PPO trainer; use one with trainer = "ppo"\n'
    )
