"""Every training configuration in configs/ is read, and trains."""

from __future__ import annotations

from pathlib import Path

import pytest
from sabacc_agents import load
from sabacc_training.demo import demo_config
from sabacc_training.trainers import train, training_config

from sabacc_env import rule_sets

CONFIGS = sorted(
    path
    for path in (Path(__file__).parents[2] / "configs").glob("*.toml")
    if not path.stem.startswith("tournament")
)


def test_there_is_one_for_each_rule_set_and_one_with_four_seats() -> None:
    games = [(config.rules, config.num_players) for config in map(training_config, CONFIGS)]
    assert {(name, 2) for name in rule_sets()} | {("casino", 4)} <= set(games)


def test_the_demonstration_never_meets_two_of_its_opponents() -> None:
    scripted = demo_config(seed=0).pool.scripted
    assert not {"calling_station", "always_raise"} & set(scripted)


@pytest.mark.slow
@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_it_trains(path: Path, tmp_path: Path) -> None:
    config = training_config(path, ["steps=30_000", "progress.every=10_000", "progress.deals=50"])
    agent = train(config, tmp_path)
    load(str(agent), config.rule_set, config.num_players, bet_sizes=config.bet_sizes)
    assert any((tmp_path / "tensorboard").iterdir())
