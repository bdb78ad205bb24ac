"""The language model that learns from exact regrets: its tokens, its steps, resuming, learning."""

from __future__ import annotations

import json
import signal
import string
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sabacc_training.commands.finetune import finetune
from sabacc_training.language import char_transformer
from sabacc_training.language.char_transformer import (
    CharTransformer,
    answer_tokens,
    decode,
    encode,
    prompt_tokens,
)
from sabacc_training.language.episode import TextEpisodes
from sabacc_training.language.fine_tuning import FineTuner, FineTuning
from sabacc_training.language.task import text_task

from sabacc_env import SabaccError

SMALL: dict[str, Any] = {
    "rules": "one_card",
    "imitation_prompts": 12,
    "imitation_steps": 3,
    "updates": 3,
    "prompts": 4,
    "answers": 3,
    "evaluation_decisions": 5,
    "evaluate_every": 2,
}


def episodes_of(rules: str) -> TextEpisodes:
    return TextEpisodes(text_task(rules=rules, kind="decision", retries=0))


def tuner(**keys: Any) -> FineTuner:
    config = FineTuning(**SMALL | keys)
    return FineTuner(config, episodes_of(config.rules))


@given(st.text(string.ascii_letters + string.digits + string.punctuation + " ", max_size=30))
def test_tokens_are_read_back(text: str) -> None:
    assert decode(encode(text)) == text
    assert decode(answer_tokens([text, text + "more"])[0].tolist()) == text
    context = prompt_tokens([text], 40)[0]
    assert (context[: 40 - len(text)] == char_transformer.PADDING).all()


def test_answers_are_drawn_with_their_log_probs() -> None:
    """The frequency of the likeliest third character, after the likeliest two, is its share."""
    torch.manual_seed(0)
    model = CharTransformer(context=16, max_answer=3, width=16, heads=2, layers=2)
    with torch.no_grad():
        model.head.weight.mul_(16)
        memory = model.read(["one prompt"])
        tokens = torch.tensor([[char_transformer.END] * 3])
        for place in range(3):
            shares = model(memory, tokens)[0, place].softmax(-1)
            tokens[0, place] = int(shares[3:].argmax()) + 3
        expected = float(shares[tokens[0, 2]])
        drawn = model.sample(memory.repeated(20_000), torch.Generator().manual_seed(1))
    begins = [answer for answer in drawn if answer[:2] == decode(tokens[0, :2].tolist())]
    share = sum(answer == decode(tokens[0].tolist()) for answer in begins) / len(begins)
    assert len(begins) > 1000
    assert 0.05 < expected < 0.95
    assert share == pytest.approx(expected, abs=0.04)


def test_a_character_depends_on_those_before_it_and_on_the_prompt_only() -> None:
    torch.manual_seed(0)
    model = CharTransformer(context=16, max_answer=8, width=16, heads=2, layers=1)
    with torch.no_grad():
        memory = model.read(["a prompt", "another"])
        logits = model(memory, answer_tokens(["check", "check"]))
        other = model(memory, answer_tokens(["cheap", "cheap"]))
    assert torch.allclose(logits[:, :4], other[:, :4], atol=1e-6)
    assert not torch.allclose(logits[:, 4], other[:, 4], atol=1e-3)
    assert not torch.allclose(logits[0], logits[1], atol=1e-3)


def test_rewards_are_minus_regrets_and_refusals_cost() -> None:
    tuned = tuner(refusal_cost=2.0)
    episodes = tuned._episodes
    for seed in range(5):
        episodes.reset(seed)
        regret = episodes.step("no idea").regret
        assert regret is not None
        check, nonsense, again = tuned._rewards(seed, ["check or call", "no idea", "no idea"])
        assert nonsense == again == pytest.approx(-regret - 2)
        assert check <= 0


def test_a_resumed_run_ends_as_one_that_never_stopped(tmp_path: Path) -> None:
    whole = tuner()
    while whole.steps < whole.total_steps:
        if whole.evaluation_is_due:
            whole.evaluate()
        whole.step()
    parts = tuner()
    for _ in range(4):
        parts.step()
    parts.save(tmp_path / "checkpoint.pt")
    resumed = tuner()
    resumed.restore(tmp_path / "checkpoint.pt")
    while resumed.steps < resumed.total_steps:
        resumed.step()
    assert resumed.rewards == whole.rewards
    for ours, theirs in zip(resumed.model.parameters(), whole.model.parameters(), strict=True):
        assert torch.equal(ours, theirs)


def test_the_command_prints_saves_and_resumes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [f"{key}={value}" for key, value in SMALL.items()]
    finetune(*words, folder=tmp_path / "whole", picture=tmp_path / "regret.svg")
    assert capsys.readouterr().out.count("milli-antes a decision") == 3
    assert b"regret" in (tmp_path / "regret.svg").read_bytes()
    step = FineTuner.step

    def stopped(self: FineTuner) -> float:
        if self.steps == 4:
            signal.raise_signal(signal.SIGTERM)
        return step(self)

    with monkeypatch.context() as patched:
        patched.setattr(FineTuner, "step", stopped)
        with pytest.raises(SystemExit):
            finetune(*words, folder=tmp_path / "parts")
    with pytest.raises(SabaccError, match="is there already"):
        finetune(*words, folder=tmp_path / "parts")
    with pytest.raises(SabaccError, match="made with another configuration"):
        finetune(*words, "seed=1", folder=tmp_path / "parts", resume=True)
    finetune(*words, folder=tmp_path / "parts", resume=True)
    whole, parts = ((tmp_path / name / "results.json").read_bytes() for name in ("whole", "parts"))
    assert whole == parts
    assert len(json.loads(whole)["rewards"]) == SMALL["updates"]


def test_episodes_that_are_no_single_decisions_are_refused_at_once() -> None:
    hands = text_task(rules="one_card", opponents=["random"])
    with pytest.raises(SabaccError, match="does not ask for single decisions"):
        FineTuner(FineTuning(), TextEpisodes(hands)).check_episodes()
    unlisted = text_task(rules="one_card", kind="decision", legal_moves=False)
    with pytest.raises(SabaccError, match="do not tell the hand and the moves"):
        FineTuner(FineTuning(), TextEpisodes(unlisted)).check_episodes()


def test_a_damaged_checkpoint_and_wrong_keys_are_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "checkpoint.pt").write_bytes(b"sabacc-env fine-tuning 1\nnothing")
    with pytest.raises(SabaccError, match="damaged"):
        finetune("rules=one_card", folder=tmp_path, resume=True)
    with pytest.raises(SabaccError, match="no checkpoint"):
        finetune("rules=one_card", folder=tmp_path / "none", resume=True)
    with pytest.raises(SabaccError, match="answers: 1 is not allowed"):
        finetune("answers=1", folder=tmp_path)
    with pytest.raises(SabaccError, match="the game 'casino' is not solved"):
        finetune("rules=casino", folder=tmp_path / "casino")


@pytest.mark.slow
def test_the_model_learns_to_regret_less() -> None:
    """Imitation of random moves, then rewards: broken gradients leave the regret where it was."""
    tuned = FineTuner(FineTuning(updates=100, evaluation_decisions=400), episodes_of("one_draw"))
    while tuned.steps < tuned.config.imitation_steps:
        tuned.step()
    before = tuned.evaluate()
    while tuned.steps < tuned.total_steps:
        tuned.step()
    after = tuned.evaluate()
    assert before.refused < 0.3
    assert after.refused < 0.1
    assert after.regret + after.half_width < 0.4 * (before.regret - before.half_width)
