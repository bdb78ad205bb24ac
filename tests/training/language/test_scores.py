"""Scores on the form of the leaderboard: regrets of any agent, a margin, refusals."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from sabacc_training.commands.score import score
from sabacc_training.evaluation.guarded_agent import GuardedAgent
from sabacc_training.language import scores
from sabacc_training.language.episode import TextEpisodes
from sabacc_training.language.scores import RUNGS, decision_regrets
from sabacc_training.language.task import text_task

from sabacc_env import SabaccError
from tests.support.model_server import Reply, first_legal, serving_model

TASK = text_task(rules="one_card", kind="decision", retries=0)


def test_the_regrets_of_a_model_are_those_of_its_answers() -> None:
    """Episodes are answered one by one in words; the score asks for all decisions at once."""
    episodes, regrets = TextEpisodes(TASK), list[float]()
    for seed in range(40):
        episodes.reset(seed)
        first = min(episodes.game.view(episodes.game.seat_to_act or 0).legal_actions())
        regrets.append(-episodes.step(f"action {first}").reward)
    with serving_model() as server:
        model = GuardedAgent(TASK.load(server.spec()))
        found = decision_regrets(model, TASK, 40)
    assert found.tolist() == regrets
    assert max(regrets) > 0
    assert not model.failures


def test_who_knows_the_best_move_regrets_nothing_and_who_plays_the_worst_most() -> None:
    episodes = TextEpisodes(TASK)
    best, worst = [], []
    for seed in range(40):
        episodes.reset(seed)
        assert episodes.decision is not None
        values = episodes.decision.action_values
        best.append(episodes.decision.regret(max(values, key=values.__getitem__)))
        worst.append(episodes.decision.regret(min(values, key=values.__getitem__)))
    played = decision_regrets(GuardedAgent(TASK.load("pot_odds")), TASK, 40)
    assert max(best) == 0
    assert (played >= 0).all()
    assert (played <= np.array(worst)).all()
    assert 0 < played.mean() < np.mean(worst)


@pytest.mark.slow
def test_the_command_scores_agents_and_models(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every fifth answer is no move: asked again, and counted."""
    count = 0

    def sometimes(body: dict[str, object]) -> Reply:
        nonlocal count
        count += 1
        return Reply("Sugar, please.") if count % 5 == 0 else first_legal(body)

    with serving_model(sometimes) as server:
        model = server.spec("max_concurrency=1 retries=1")
        score("random", model, decisions=20, deals=5, output=tmp_path / "rows.json")
    shown = capsys.readouterr().out
    random, asked = json.loads((tmp_path / "rows.json").read_text())
    assert random["refused"] is None
    assert asked["refused"] == pytest.approx(0.2, abs=0.02)
    assert random["failures"] == asked["failures"] == 0
    assert set(random["regrets"]) == set(RUNGS)
    assert all(figure["mean"] > 0 for figure in random["regrets"].values())
    assert f"{100 * asked['refused']:.1f} %" in shown


def test_wrong_arguments_are_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(SabaccError, match="agents: give at least one"):
        score()
    with pytest.raises(SabaccError, match="decisions, deals"):
        score("random", decisions=1)
    with pytest.raises(SabaccError, match="unknown agent 'nobody'"):
        scores.score("nobody", 2, 2)
    with pytest.raises(SabaccError, match="cannot be written"):
        score("random", output=tmp_path)
    with pytest.raises(SabaccError, match="unknown agent 'nobody'"):
        score("random", "nobody")
    with pytest.raises(SabaccError, match="cannot be asked"):
        score("random", "model:base_url=http://127.0.0.1:9/v1 timeout_s=1 absent")


def test_a_folder_for_the_rows_is_made_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(SabaccError, match="unknown agent 'nobody'"):
        score("nobody", output=tmp_path / "new" / "rows.json")
    assert (tmp_path / "new").is_dir()
