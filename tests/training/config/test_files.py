"""Every training configuration in configs/ is read, and trains."""

from __future__ import annotations

from pathlib import Path

import pytest
from sabacc_agents import load
from sabacc_training.experiments.demo import demo_config
from sabacc_training.ppo.config import PPOConfig
from sabacc_training.sb3.config import MaskablePPOConfig
from sabacc_training.trainers import train, training_config

from sabacc_env import RuleSet, load_rules, rule_sets

FOLDER = Path(__file__).parents[3] / "configs"
CONFIGS = sorted(
    path
    for path in FOLDER.rglob("*.toml")
    if not path.stem.startswith("tournament") and not path.stem.endswith("blueprint")
)


def test_there_is_one_for_each_rule_set_and_one_with_four_seats() -> None:
    games = [
        (config.rules, config.num_players)
        for config in map(training_config, CONFIGS)
        if isinstance(config, MaskablePPOConfig)
    ]
    assert {(name, 2) for name in rule_sets()} | {("casino", 4)} <= set(games)


def test_the_zoo_has_one_for_each_rule_set_at_two_seats_and_at_any_number() -> None:
    zoo = {path.stem: training_config(path) for path in CONFIGS if path.parent.name == "zoo"}
    games = {name: config.games for name, config in zoo.items() if isinstance(config, PPOConfig)}
    for rules in map(load_rules, rule_sets()):
        forms = {rules, rules.replace(short_call="all_in")} if credit(rules) else {rules}
        assert set(games[f"{rules.name}-2p"]) == {(form, 2) for form in forms}
        every = {(form, players) for form in forms for players in range(2, 9)}
        assert set(games[f"{rules.name}-2-8p"]) == every
        assert every <= set(games["generalist"])


def credit(rules: RuleSet) -> bool:
    return not rules.points and rules.short_call == "junk"


def test_the_demonstration_never_meets_two_of_its_opponents() -> None:
    scripted = demo_config(seed=0).pool.scripted
    assert not {"calling_station", "always_raise"} & set(scripted)


@pytest.mark.slow
@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_it_trains(path: Path, tmp_path: Path) -> None:
    config = training_config(
        path, ["steps=30_000", "evaluation.every=10_000", "evaluation.deals=50"]
    )
    agent = train(config, tmp_path)
    load(str(agent), config.rule_set, config.num_players, bet_sizes=config.bet_sizes)
    assert any((tmp_path / "tensorboard").iterdir())
