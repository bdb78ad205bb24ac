"""Which game a configuration plays: a rule set, or a rung of the ladder by its name."""

from __future__ import annotations

from typing import Any

import pytest
from sabacc_training.config.base import dump, load_config, validated
from sabacc_training.config.game import GameConfig, rungs
from sabacc_training.config.run import RunConfig
from sabacc_training.solved_games.rung import load_rung

from sabacc_env import SabaccError


@pytest.mark.parametrize("name", rungs())
def test_a_rung_by_name_is_the_whole_game(name: str, tmp_path) -> None:
    config, rung = validated(RunConfig, {"rules": name}), load_rung(name)
    assert config.rule_set == rung.rule_set
    assert config.rule_set.name == name
    assert config.bet_sizes == rung.bet_sizes
    assert config.num_players == rung.num_players
    kept = tmp_path / "config.json"
    kept.write_text(dump(config))
    assert load_config(RunConfig, kept) == config


def test_what_is_said_beside_a_rung_takes_its_place() -> None:
    said: dict[str, Any] = {"rule_overrides": {"max_raises": 1}, "bet_sizes": ["min", "max"]}
    config = validated(GameConfig, {"rules": "one_draw"} | said)
    assert config.bet_sizes == ("min", "max")
    assert config.rule_set.max_raises == 1
    assert config.rule_set.highest_value == load_rung("one_draw").rule_set.highest_value


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"rules": "one_drow"}, "rules: .*one_drow"),
        ({"rules": ["one_draw"]}, "rules: .* is not allowed"),
        ({"rules": "one_draw", "rule_overrides": 3}, "rule_overrides: 3 is not allowed"),
        ({"rules": "one_draw", "rule_overrides": {"suit": 1}}, "suit"),
        ({"rules": "one_draw", "num_players": 1}, "num_players: 1 is not allowed"),
    ],
)
def test_a_mistake_is_told_in_a_sentence(said: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SabaccError, match=sentence):
        validated(RunConfig, said)
