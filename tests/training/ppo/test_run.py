"""Runs of the PPO trainer: they learn, go on after a kill, say what is wrong."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from sabacc_agents.equilibrium import save_policy
from sabacc_agents.loading import load, trained_against
from sabacc_training.config.base import dump, validated
from sabacc_training.jobs.stopping import StoppedBySignal
from sabacc_training.ppo.compute import denormals_are_zero
from sabacc_training.ppo.config import PPOConfig
from sabacc_training.ppo.trainer import PPOTrainer
from sabacc_training.runs.callback import AGENT, BEST, CHECKPOINT, EVENTS
from sabacc_training.runs.checkpoint import load_checkpoint, save_checkpoint
from sabacc_training.solved_games.game_tree import flatten
from sabacc_training.solved_games.rung import load_rung
from sabacc_training.solved_games.solver import solve
from sabacc_training.trainers import train

from sabacc_env import SabaccError, Tables
from tests.support.commands import command
from tests.support.processors import PRECISIONS, QUICK_PRECISIONS, TWO_PROCESSORS
from tests.support.training import Killed, beats_random, before_update, kill, terminate

TINY: dict[str, Any] = {
    "trainer": "ppo",
    "rules": "black_spire",
    "steps": 6000,
    "pool": {"snapshots": 0, "scripted": {}},
    "ppo": {"num_tables": 32, "rollout_steps": 500, "minibatch_size": 128, "hidden_sizes": [16]},
    "evaluation": {"every": 2000, "deals": 20},
    "checkpoint_seconds": 0,
}


def tiny(precision: str = "float32", **changes) -> PPOConfig:
    ppo = TINY["ppo"] | {"precision": precision} | changes.pop("ppo", {})
    return validated(PPOConfig, TINY | changes | {"ppo": ppo})


COUNTING = "tests.support.toys:Counting"  # remembers what it did in the hand
POOL = {
    "snapshots": 1,
    "scripted": {COUNTING: 1, "loose": 1},
    "snapshot_every": 1500,
    "max_snapshots": 2,
}
RUNS: dict[str, dict[str, Any]] = {
    "alone": {},
    "own_hand": {"ppo": {"critic_input": "own_hand", "magnet": "none"}},
    "two_threads": {"threads": 2},
    "periodic": {"ppo": {"magnet": "periodic", "magnet_update_interval": 2}},
    "magnet_of_its_own": {"polyak_tau": 0.02, "ppo": {"magnet_tau": 0.5}},
    "taught": {"ppo": {"magnet": "teachers", "teachers": ["zoo:black_spire-2p"]}},
    "begun_as_a_network": {
        "rules": "casino",
        "ppo": {"initial": "zoo:casino-2-8p", "critic_warmup": 0.5},
    },
    "pool_and_starts": {
        "rules": "casino",
        "pool": POOL,
        "start": {"stacks": [2, 30], "sabacc_pot": [0, 5], "curriculum_fraction": 0.9},
        "ppo": {"trembles": [0.5, 0.2]},
    },
    "league": {
        "rules": "casino",
        "pool": POOL,
        "league": {"cold": 1, "warm": 1, "warm_steps": 1500, "ppo": TINY["ppo"]},
        "ppo": {"recalled_decisions": 2},
    },
    "rule_space": {
        "rules": "casino",
        "rule_space": {"space": "house", "num_rule_sets": 20},
        "pool": POOL | {"scripted": {"random": 1}},
    },
    "many_games": {
        "rules": "casino",
        "more_rules": [{"rules": "orsl"}, {"rules": "black_spire"}],
        "max_players": 4,
        "pool": POOL,
        "start": {"stacks": [2, 30], "sabacc_pot": [0, 5]},
    },
}


@pytest.mark.parametrize("precision", QUICK_PRECISIONS)
def test_it_learns_to_beat_random(tmp_path, precision) -> None:
    ppo = {
        "num_tables": 256,
        "rollout_steps": 4096,
        "minibatch_size": 512,
        "hidden_sizes": [64],
    }
    config = tiny(precision, steps=100_000, polyak_tau=0.2, ppo=ppo, evaluation={})
    assert beats_random(train(config, tmp_path))


def test_a_magnet_can_be_a_faster_average_than_the_one_that_is_saved() -> None:
    """The policy follows the magnet alone, whatever is saved."""

    def weights(**changes: Any) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        trainer = PPOTrainer(tiny(**changes))
        for _ in range(4):
            trainer.update()
        policy, saved = (trainer.saved_network(p) for p in (trainer.agent, trainer.average))
        return policy.weights["layers.0.weight"], saved.weights["layers.0.weight"]

    together = weights(polyak_tau=0.5)
    apart = weights(polyak_tau=0.3, ppo={"magnet_tau": 0.5})
    slower = weights(polyak_tau=0.3)
    np.testing.assert_array_equal(apart[0], together[0])
    assert (apart[1] != together[1]).any()
    assert (slower[0] != together[0]).any()
    with pytest.raises(SabaccError, match='magnet_tau: the magnet is "periodic"'):
        tiny(ppo={"magnet": "periodic", "magnet_tau": 0.5})


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("precision", QUICK_PRECISIONS)
@pytest.mark.parametrize(
    "name",
    [
        *("alone", "begun_as_a_network", "pool_and_starts", "league"),
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("own_hand", "periodic", "magnet_of_its_own", "taught", "rule_space")
        ),
        pytest.param("two_threads", marks=TWO_PROCESSORS),
        "many_games",
    ],
)
@pytest.mark.parametrize(
    ("end", "error"),
    [(terminate, StoppedBySignal), pytest.param(kill, Killed, marks=pytest.mark.slow)],
)
def test_a_run_goes_on_as_if_never_stopped(tmp_path, name, precision, end, error) -> None:
    config = tiny(precision, **RUNS[name])
    goes_on_as_if_never_stopped(config, tmp_path, end, error)


def test_a_run_against_a_solved_policy_goes_on_as_if_never_stopped(tmp_path) -> None:
    """It knows where it is by all that it saw in the hand, and refuses what it cannot place."""
    policy = tmp_path / "one_draw.safetensors"
    save_policy(policy, solve(flatten(load_rung("one_draw")), target=0.1).to_policy())
    config = tiny(rules="one_draw", pool=POOL | {"scripted": {str(policy): 1}})
    goes_on_as_if_never_stopped(config, tmp_path, kill, Killed)


def goes_on_as_if_never_stopped(config: PPOConfig, tmp_path, end, error) -> None:
    whole = train(config, tmp_path / "whole")
    with before_update(config, 7, end), pytest.raises(error):
        train(config, tmp_path / "halved")
    assert not (tmp_path / "halved" / AGENT).exists()
    halved = train(config, tmp_path / "halved", resume=True)
    for file in (AGENT, BEST):
        assert digest(halved.parent / file) == digest(whole.parent / file)


def test_a_run_stays_in_its_precision_on_another_processor(tmp_path, monkeypatch) -> None:
    config = tiny("auto")
    monkeypatch.setattr(numba.config, "CPU_FEATURES", "+avx512bf16")

    def move() -> None:
        monkeypatch.setattr(numba.config, "CPU_FEATURES", "")
        kill()

    goes_on_as_if_never_stopped(config, tmp_path, move, Killed)


@pytest.mark.slow
def test_a_run_killed_at_any_moment_ends_in_the_same_bytes(tmp_path) -> None:
    config = tiny(steps=20_000, evaluation={**TINY["evaluation"], "every": 10_000})
    whole = train(config, tmp_path / "whole")
    (tmp_path / "run.json").write_text(dump(config))
    folder = tmp_path / "killed"
    command = [sys.executable, "-m", "sabacc_training", "train", str(tmp_path / "run.json")]
    process = subprocess.Popen(
        [*command, "--folder", str(folder)], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    while not (folder / CHECKPOINT).exists():
        assert process.poll() is None
        time.sleep(0.01)
    time.sleep(0.3)
    process.kill()
    process.wait()
    assert not (folder / AGENT).exists()
    assert 0 < load_checkpoint(folder / CHECKPOINT, config)["steps"] < config.steps
    assert digest(train(config, folder, resume=True)) == digest(whole)


def test_a_run_whose_weights_are_no_longer_finite_says_so(tmp_path) -> None:
    config = tiny(ppo={"learning_rate": [1e30, 1e30]})
    with pytest.raises(SabaccError, match="weights are not finite after update"):
        train(config, tmp_path)
    assert not (tmp_path / AGENT).exists()


def test_a_run_remembers_how_long_it_took(tmp_path, monkeypatch) -> None:
    config = tiny()
    with monkeypatch.context() as during:
        during.setattr(PPOTrainer, "_update_followers", lambda learner: terminate())
        with pytest.raises(StoppedBySignal):
            train(config, tmp_path)
    state = load_checkpoint(tmp_path / CHECKPOINT, config)
    assert 0 < state["seconds"] < 1000
    save_checkpoint(tmp_path / CHECKPOINT, config, state | {"seconds": 5000.0})
    train(config, tmp_path, resume=True)
    assert 5000 < load_checkpoint(tmp_path / CHECKPOINT, config)["seconds"] < 6000


@pytest.mark.parametrize(("precision", "rounding"), [("float32", 1e-5), ("bfloat16", 0.02)])
def test_one_agent_is_saved_for_every_game_of_the_run(tmp_path, precision, rounding) -> None:
    config = tiny(precision, **RUNS["many_games"])
    path = train(config, tmp_path)
    learner = PPOTrainer(config)
    learner.restore(load_checkpoint(tmp_path / CHECKPOINT, config))
    for rules in ("casino", "orsl"):
        for players in (2, 3, 4):
            saved: Any = load(path, rules, players)
            tables = Tables(rules, 64, players, seed=1)
            found = saved.probabilities(tables.observations, tables.action_masks)
            wanted = learner.average.probabilities(tables.observations, tables.action_masks)
            np.testing.assert_allclose(found, wanted, atol=rounding)
    with pytest.raises(SabaccError, match="was made for 2, 3, 4 players, not 5"):
        load(path, "orsl", 5)
    with pytest.raises(
        SabaccError, match="the rules 'casino', 'orsl', 'black_spire', not 'spacers'"
    ):
        load(path, "spacers", 2)


@TWO_PROCESSORS
@pytest.mark.parametrize("precision", PRECISIONS)
def test_threads_change_no_byte_and_seeds_do(tmp_path, precision) -> None:
    wide = {"num_tables": 2100, "rollout_steps": 5000, "minibatch_size": 1500}
    averages = []
    for number, changes in enumerate([{}, {"threads": 2}, {"seed": 1}]):
        config = tiny(precision, ppo=wide, steps=10_000, evaluation={}, **changes)
        folder = tmp_path / str(number)
        train(config, folder)
        averages.append(load_checkpoint(folder / CHECKPOINT, config)["average"])
    plain, threaded, other = averages
    assert all(torch.equal(plain[name], threaded[name]) for name in plain)
    assert not any(torch.equal(plain[name], other[name]) for name in plain if "weight" in name)


class SeesDenormals(PPOTrainer):
    """Notes in ``flushed`` for each gradient step, by its thread, whether denormals are 0 there."""

    def __init__(self, config: PPOConfig) -> None:
        super().__init__(config)
        self.flushed: dict[int, set[bool]] = {}

    def _gradient_step(self, *arguments: Any) -> None:
        super()._gradient_step(*arguments)
        self.flushed.setdefault(threading.get_ident(), set()).add(denormals_are_zero())


@pytest.mark.parametrize("threads", [1, pytest.param(2, marks=TWO_PROCESSORS)])
def test_denormals_are_flushed_in_gradient_steps_alone(threads) -> None:
    trainer = SeesDenormals(tiny(threads=threads))
    trainer.update()
    assert list(trainer.flushed.values()) == threads * [{True}]
    after: list[bool] = []
    both = threading.Barrier(threads, timeout=20)  # each thread of the trainer takes one job

    def note() -> None:
        both.wait()
        after.append(denormals_are_zero())

    trainer._workers.run(*threads * [note])
    assert after == threads * [False]


def test_the_saved_agent_plays_as_the_average_and_knows_whom_it_met(tmp_path) -> None:
    config = tiny(pool=POOL)
    path = train(config, tmp_path)
    learner = PPOTrainer(config)
    learner.restore(load_checkpoint(tmp_path / CHECKPOINT, config))
    tables = learner.collector.tables
    seen = tables.observations, tables.action_masks
    saved: Any = load(path, "black_spire", 2)
    found = saved.probabilities(*seen)
    np.testing.assert_allclose(found, learner.average.probabilities(*seen), atol=1e-5)
    assert trained_against(path) == (COUNTING, "loose")


def test_it_tells_how_it_stands_and_draws_curves(tmp_path, capsys) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    train(tiny(), tmp_path)
    error = capsys.readouterr().err
    assert "mante/hand over random, best" in error
    assert "where the time went: " in error
    train(tiny(), tmp_path, resume=True)
    assert "where the time went: " not in capsys.readouterr().err
    curves = EventAccumulator(str(tmp_path / EVENTS))
    curves.Reload()
    names = curves.Tags()["scalars"]
    assert {
        *("eval/margin_random", "rollout/dropped_fraction", "time/fps", "time/tables_seconds"),
        *("train/loss", "train/policy_gradient_loss", "train/value_loss", "train/entropy_loss"),
        *("train/approx_kl", "train/clip_fraction", "train/explained_variance"),
        *("train/kl_to_magnet", "train/learning_rate", "train/ent_coef", "train/log_barrier"),
        "train/log_barrier_coef",
    } <= set(names)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"num_players": 3, "rules": "casino"},
            "space: 1,000 draws from small/train gave no",
        ),
        (
            {"start": {"stacks": [5, 9]}},
            "start.stacks: hands that draw their rules start with",
        ),
        ({"more_rules": [{"rules": "orsl"}]}, "more_rules: leave it out with rule_space"),
        ({"device": "cuda"}, "device: leave it out with rule_space"),
        ({"ppo": {"advantage_unit": "stake"}}, "ppo.advantage_unit: leave it out with rule_space"),
        (
            {
                "league": {
                    "cold": 1,
                    "ppo": {"magnet": "teachers", "teachers": ["zoo:casino-2p"]},
                }
            },
            "league.ppo.teachers: leave it out with rule_space",
        ),
        ({"pool": {"scripted": {"tight": 1}}}, "pool.scripted: 'tight' is made for one rule set"),
    ],
)
def test_what_does_not_go_with_a_rule_space_is_said(tmp_path, changes, sentence) -> None:
    with pytest.raises(SabaccError) as refused:
        train(tiny(rule_space={"space": "small", "num_rule_sets": 3}, **changes), tmp_path / "run")
    assert str(refused.value).startswith(sentence)


@pytest.mark.parametrize(
    ("override", "sentence"),
    [
        ("trainer=sb3", 'is a key of trainer = "ppo", but this file has trainer = "sb3"'),
        ("trainer=fast", 'unknown trainer "fast"; use "sb3" or "ppo"'),
        (
            "sb3.clip_range=0.1",
            'sb3: is a key of trainer = "sb3", but this file has trainer = "ppo"',
        ),
        ("learning.decisions=9", "learning: there is no such section"),
        ("ppo.decisions=9", "ppo.decisions: there is no such key"),
        ("ppo.entropy=[0.1, 0]", "ppo.entropy: there is no such key"),
        ("averaging=0.1", "averaging: there is no such key"),
        ("ppo.minibatch_size=1000", "ppo: minibatch_size: 1000 is more than the 500 decisions"),
        ("ppo.magnet=strong", 'ppo.magnet: "strong" is not allowed'),
        ("threads=1000", "threads: 1000 is more than the "),
        ("ppo.num_tables=100_000_000_000", "ppo.num_tables: 100000000000 is not allowed"),
        ("max_players=1", "max_players: 1 is not allowed"),
        ("more_rules=[{rules='black_spire'}]", "more_rules: names a rule set twice"),
        ("more_rules=[{rules='kessel'}]", 'rules: "kessel" is not a rule set'),
        ("pool.scripted={nobody = 1.0}", "unknown agent 'nobody'"),
        ("evaluation.opponent=nobody", "unknown agent 'nobody'"),
        ("start.stacks=[5, 50]", "start.stacks: the rules 'black_spire' are played for points"),
        (
            "rule_space.space=houses",
            'rule_space: space: "houses" is not a rule space; use "house" or "small", or a path',
        ),
        ("rule_space={split = 'test'}", 'rule_space.split: "test" is not allowed'),
        ("rule_space={space = 'small', num_rule_sets = 0}", "rule_space.num_rule_sets: 0 is not"),
        *(
            []
            if torch.cuda.is_available()
            else [("device=cuda", "device: PyTorch finds no CUDA GPU")]
        ),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(tmp_path, capsys, override, sentence) -> None:
    (tmp_path / "run.json").write_text(dump(tiny()))
    arguments = ["train", str(tmp_path / "run.json"), override, "--folder", str(tmp_path / "run")]
    assert command(*arguments) == 2
    error = capsys.readouterr().err
    assert sentence in error
    assert error.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_the_command_trains_with_either(tmp_path, capsys) -> None:
    (tmp_path / "run.json").write_text(dump(tiny(steps=600)))
    assert command("train", str(tmp_path / "run.json"), "--folder", str(tmp_path / "run")) == 0
    assert (tmp_path / "run" / AGENT).exists()
    assert "The agent is" in capsys.readouterr().out
