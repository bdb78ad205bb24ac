"""Networks of a rule space under rules that they never met: groups, gaps, specialists, resuming."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from sabacc_training.commands.generalise import generalise
from sabacc_training.config.base import load_config
from sabacc_training.experiments.generalisation import (
    Plan,
    RulesResult,
    number_of_parts,
    summarise,
)
from sabacc_training.ppo.config import PPOConfig

from sabacc_env import RuleSpace, SabaccError, load_rules, rule_sets

SMALL = "configs/rule-space-small.toml"
HOUSE = "configs/rule-space-house.toml"


def plan(path: str, rule_sets: int) -> Plan:
    config = load_config(PPOConfig, path)
    return Plan(config, 2, rule_sets, 1, 1000, False, "random", 10)


def test_the_rule_sets_of_groups_are_distinct_and_of_their_split() -> None:
    groups = {name: rules for name, rules, _ in plan(HOUSE, 5).groups()}
    assert list(groups) == ["train", "test_near", "test_far", "published"]
    for split in ("train", "test_near", "test_far"):
        part = RuleSpace("house").split(split)
        assert all(map(part.contains, groups[split]))
        assert len({rules.digest for rules in groups[split]}) == 5
    assert groups["published"] == [load_rules(name) for name in rule_sets()]
    assert [name for name, _, _ in plan(SMALL, 3).groups()] == ["train", "test_near", "test_far"]
    assert number_of_parts(plan(SMALL, 3)) == 2 + 9


def test_gaps_are_paired_by_seed_and_means_are_over_rule_sets() -> None:
    def row(group: str, networks: list[float], specialist: float | None = None) -> RulesResult:
        over = None if specialist is None else [each - specialist for each in networks]
        return RulesResult(
            group=group,
            rules="r",
            networks=networks,
            specialist=specialist,
            over_specialist=over,
        )

    train, far = summarise(
        [
            row("train", [10, 20, 60], specialist=30),
            row("train", [30, 40, 80]),
            row("test_far", [5, 15, 55]),
        ]
    )
    assert (train.rule_sets, train.networks.mean, train.gap) == (2, 40, None)
    assert (train.specialists, train.beside) == (
        30,
        summarise([row("a", [10, 20, 60])])[0].networks,
    )
    assert train.over_specialists is not None
    assert train.over_specialists.mean == 0
    assert far.gap is not None
    assert (far.gap.mean, far.gap.half_width) == (-15, 0)
    scores = np.array([20, 30, 70])
    student = 4.3027  # of two degrees of freedom, at 97.5 %
    expected = student * scores.std(ddof=1) / np.sqrt(3)
    assert train.networks.half_width == pytest.approx(expected, abs=0.06)


def test_wrong_arguments_are_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(SabaccError, match="does not train on a rule space"):
        generalise("configs/casino-2p.toml", folder=tmp_path)
    with pytest.raises(SabaccError, match="give at least 2, 1, 0, 1 and 2"):
        generalise(SMALL, seeds=1, folder=tmp_path)
    with pytest.raises(SabaccError, match="unknown agent 'nobody'"):
        generalise(SMALL, opponent="nobody", folder=tmp_path)
    with pytest.raises(SabaccError, match="was made for the rules 'casino'"):
        generalise(SMALL, opponent="zoo:casino-2p", folder=tmp_path)


@pytest.mark.slow
def test_the_command_measures_and_resumes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def measured(folder: Path, resume: bool = False) -> dict[str, object]:
        generalise(
            SMALL,
            "steps=60_000",
            seeds=2,
            rule_sets=2,
            specialists=1,
            specialist_steps=60_000,
            nash_conv=True,
            folder=folder,
            resume=resume,
            output=tmp_path / "figures.json",
        )
        found: dict[str, object] = json.loads((tmp_path / "figures.json").read_text())
        return found

    first = measured(tmp_path / "runs")
    assert "networks" in capsys.readouterr().out
    assert measured(tmp_path / "runs", resume=True) == first
    assert isinstance(first["rules"], list)
    assert len(first["rules"]) == 6
    special = [row for row in first["rules"] if row["specialist"] is not None]
    assert len(special) == 3
    learnt = [row["specialist"] for row in special]
    assert max(learnt) < 3000  # random play of these games is at 2,000 to 5,000 milli-antes
