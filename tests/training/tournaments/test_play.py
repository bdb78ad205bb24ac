"""Tasks of agents with compiled policies: played in the compiled loop, with the same results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sabacc_agents.scripted.agents import TightAgent
from sabacc_training.config.base import validated
from sabacc_training.evaluation.guarded_agent import GuardedAgent
from sabacc_training.evaluation.playing import deal_keys, generator
from sabacc_training.tournaments import tasks
from sabacc_training.tournaments.config import TournamentConfig
from sabacc_training.tournaments.play import Play, play_by_asking, play_by_policies
from sabacc_training.tournaments.tasks import Task, play_task, read_task
from sabacc_training.variance_reduction.network import ValueNetwork
from sabacc_training.variance_reduction.values import save_value_function

from sabacc_env.errors import SabaccError
from sabacc_env.policies import policy

ARRAYS = "net_credits", "hands", "ranks"


def config_of(*agents: str, **settings: Any) -> TournamentConfig:
    data = {"rules": "casino", "deals": 60, "agents": agents, "formats": ["mixed-3"]}
    return validated(TournamentConfig, data | settings)


def both_plays(config: TournamentConfig, lineup: tuple[str, ...]) -> tuple[Play, Play]:
    """Return what the agents play when they are asked, and what their policies play."""
    places = len(lineup)
    agents = [GuardedAgent(config.load(config.entrants[name], places)) for name in lineup]
    keys = deal_keys(config.seed, 0, config.deals)
    rngs = [generator(place) for place in range(places)]
    policies = [each.compiled_policy for each in agents]
    asked = play_by_asking(config, lineup, agents, keys, rngs)
    return asked, play_by_policies(config, policies, keys, rngs)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"rules": "orsl", "bet_sizes": ["max", 0.5]},
        {"rules": "black_spire", "hands": 3},
        {"hands": 8, "credits": 30, "sabacc_pot": 12},
    ],
    ids=["hands", "bet sizes", "points", "matches"],
)
def test_policies_play_as_their_agents_when_asked(settings: dict[str, Any]) -> None:
    lineup = "loose", "shover", "always_raise"
    asked, compiled = both_plays(config_of(*lineup, **settings), lineup)
    for name in ARRAYS:
        expected = getattr(asked.deals, name)
        np.testing.assert_array_equal(getattr(compiled.deals, name), expected)
    assert asked.counts.keys() == compiled.counts.keys()
    for name, counts in asked.counts.items():
        np.testing.assert_array_equal(compiled.counts[name], counts)
    for episode in (0, 1, 2, 100):
        hands = [[game.to_dict() for game in each.replay(episode)] for each in (compiled, asked)]
        assert hands[0] == hands[1]
    assert len(np.unique(asked.deals.ranks)) > 2 or settings["rules"] == "black_spire"


def test_a_task_of_policies_asks_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    config = config_of("random", "loose", "tight")
    task = Task(("random", "loose", "tight"), 20, 30)
    monkeypatch.setattr(tasks, "play_by_asking", None)
    data = play_task(config, task)
    assert play_task(config, task) == data
    result = read_task(config, task, data)
    assert result is not None
    assert result.arrays["net_credits"].any()
    assert [hand["deal"] for hand in result.costliest if 20 <= hand["deal"] < 50]


@policy
def hasty(observation, legal, _word):
    """Raise, legal or not."""
    return 30


class Hasty(TightAgent):
    """Its policy is wrong, and it is wrong itself in the same way."""

    compiled_policy = hasty  # type: ignore[assignment]

    def act(self, observations: Any, action_masks: Any, rng: Any, tables: Any = None) -> Any:
        return np.full(len(action_masks), 30)


def test_a_wrong_policy_fails_as_its_agent_does() -> None:
    """It is asked then, and what it does wrong is counted."""
    config = config_of(f"{__name__}:Hasty", "loose", "tight")
    task = Task(("Hasty", "loose", "tight"), 0, 10)
    result = read_task(config, task, play_task(config, task))
    assert result is not None
    assert result.arrays["failures"][0].sum() > 10
    assert not result.arrays["failures"][1:].any()
    assert "chose action 30" in result.messages[0]["illegal"]


def test_the_digest_of_a_task_knows_the_values_of_control_variates(tmp_path: Path) -> None:
    file = tmp_path / "values.safetensors"
    raw = config_of("tight", "loose", "random")
    (task, *_) = tasks.all_tasks(raw, range(60))
    shipped = config_of("tight", "loose", "random", variance_reduction=True)
    digests = [tasks.task_digest(raw, task), tasks.task_digest(shipped, task)]
    for weight in (0.5, 0.25):
        network = ValueNetwork()
        torch.nn.init.constant_(network.output.bias, weight)
        save_value_function(file, network, raw.rule_set, ["tight"], {})
        own = config_of("tight", "loose", "random", variance_reduction=str(file))
        digests.append(tasks.task_digest(own, task))
    assert len(set(digests)) == 4


def test_a_value_function_of_ones_own_takes_the_place_of_the_shipped_one(tmp_path: Path) -> None:
    file = tmp_path / "values.safetensors"
    names = "tight", "loose", "random"
    shipped = config_of(*names, variance_reduction=True)
    task = Task(names, 0, 4)
    save_value_function(file, ValueNetwork(), shipped.rule_set, [], {})
    results = {}
    for setting in (True, str(file)):
        config = config_of(*names, variance_reduction=setting)
        result = read_task(config, task, play_task(config, task))
        assert result is not None
        results[setting] = result.arrays
    ours, theirs = results[str(file)], results[True]
    np.testing.assert_array_equal(ours["net_credits"], theirs["net_credits"])
    assert (ours["corrections"] != theirs["corrections"]).any()
    with pytest.raises(SabaccError, match="was trained for the rules 'casino'"):
        config_of(*names, rules="orsl", variance_reduction=str(file))
    with pytest.raises(SabaccError, match="cannot be read"):
        config_of(*names, variance_reduction=str(tmp_path / "absent.safetensors"))
