"""The example that trains in one file: its advantages, its loss, and that it learns."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from sabacc_agents import load
from sabacc_training.evaluation.match import play_match

from sabacc_env import load_rules
from tests.support.examples import FOLDER, load_example

ppo = load_example("ppo")


def margin(path: Path, opponent: str, deals: int) -> float:
    """Return what the saved agent wins from another, in milli-antes a hand."""
    rules = load_rules("casino")
    agents = load(str(path), rules, 2), load(opponent, rules, 2)
    return play_match(rules, agents, deals=deals, seed=7).margin.mean


def test_advantages_are_those_of_the_definition() -> None:
    """Seat 0 of one table acts three times, seat 1 once between; gamma is 1."""
    tables = [np.array([0])] * 4
    seats = [np.array([seat]) for seat in (0, 1, 0, 0)]
    values = [torch.tensor([value]) for value in (0.5, -0.25, 1.0, 2.0)]
    rewards = np.array([[3.0, -3.0]])
    advantages = ppo.compute_advantages(tables, seats, values, rewards, gae_lambda=0.5)
    last, middle = 3.0 - 2.0, 2.0 - 1.0
    first = 1.0 - 0.5 + 0.5 * (middle + 0.5 * last)
    expected = [first, -3.0 + 0.25, middle + 0.5 * last, last]
    np.testing.assert_allclose(torch.cat(advantages).numpy(), expected)


def test_a_loss_of_one_decision_worked_by_hand() -> None:
    """Half and half, an action once played with 0.4: the ratio 1.25 is clipped to 1.2."""
    log_probs = torch.tensor([[0.5, 0.5, 0.0]]).log().nan_to_num(neginf=-1e8)
    masks = torch.tensor([[True, True, False]])
    magnet = torch.tensor([[0.8, 0.2, 0.0]]).log().nan_to_num(neginf=-1e8)
    loss = ppo.policy_loss(
        log_probs,
        masks,
        torch.tensor([0]),
        torch.tensor([0.4]).log(),
        torch.tensor([2.0]),
        magnet,
        clip_range=0.2,
        ent_coef=0.1,
        kl_coef=0.3,
    )
    entropy = np.log(2)
    kl = 0.5 * np.log(0.5 / 0.8) + 0.5 * np.log(0.5 / 0.2)
    assert loss.item() == pytest.approx(-1.2 * 2 - 0.1 * entropy + 0.3 * kl)


@pytest.mark.slow
def test_it_learns(tmp_path: Path) -> None:
    """A fifth of its decisions are enough to beat what it meets in training, and what it never met.

    The least that seeds 1 to 8 won was 2107, 3500, 4424 and 1010 each, as measured here. About 70 %
    of each is asked for, because another processor rounds otherwise, and so draws another run.
    """
    path = tmp_path / "ppo.safetensors"
    args = ppo.Args(total_decisions=300_000, output=path)
    ppo.save(ppo.train(args, *ppo.make(args)), path, args)
    wanted = {"tight": 1500, "loose": 2500, "random": 3000, "maximiser": 700}
    for opponent, least in wanted.items():
        assert margin(path, opponent, 4000) > least, opponent


@pytest.mark.slow
def test_it_reaches_the_margin_of_the_configuration(tmp_path: Path) -> None:
    """Run as a script at its defaults, it beats the maximiser, whom it never met, clearly."""
    path = tmp_path / "ppo.safetensors"
    command = [sys.executable, str(FOLDER / "ppo.py"), "--output", str(path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert "mante/hand against the maximiser" in done.stdout
    assert margin(path, "maximiser", 20_000) > 2000
