"""Tests of tables on a GPU that Numba simulates: test_cuda.py runs them in a process of its own.

To run them by hand: ``NUMBA_ENABLE_CUDASIM=1 python -m pytest -n0 tests/cuda/in_simulator.py``.
"""

from __future__ import annotations

import copy
import importlib
import pickle
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from numba import cuda
from numba.cuda.cudadrv.driver import CudaAPIError
from sabacc_training.bench import gpu_speed
from sabacc_training.bench.gpu_comparison import DevicePair, compare_devices
from sabacc_training.config.base import validated
from sabacc_training.ppo import input_readers, trainer
from sabacc_training.ppo.config import PPOConfig

from sabacc_env import RuleSpace, SabaccError, Tables
from sabacc_env.policies import policy, random_legal
from tests.support.commands import run
from tests.support.processors import PRECISIONS

TRAINED = {
    "trainer": "ppo",
    "num_players": 3,
    "start": {"stacks": [5, 9], "sabacc_pot": [0, 3]},
    "ppo": {"num_tables": 3, "rollout_steps": 9, "minibatch_size": 4, "hidden_sizes": [8]},
}


@pytest.mark.parametrize(
    ("tables", "decisions"), [(3, 4), pytest.param(10, 40, marks=pytest.mark.slow)]
)
def test_the_same_hands_are_played(tables, decisions):
    assert sum(compare_devices("cuda", tables, decisions)) > 40 * tables * decisions


def test_a_difference_is_noticed():
    pair = DevicePair("cuda", "casino", 3, 2, seed=1)
    pair.other.step(pair.legal_actions())
    with pytest.raises(SabaccError, match="observations: the tables on the GPU differ"):
        pair.compare()


@policy
def no_such_action(_observation, _legal, _word):
    return 32


@pytest.mark.parametrize(
    "wrong",
    [
        lambda tables: tables.step([0, 0, 31]),
        lambda tables: tables.step([0, 0, -1]),
        lambda tables: tables.step([0, 0]),
        lambda tables: tables.step([0.0, 0.0, 0.0]),
        lambda tables: tables.step([0, 0], [1, 1]),
        lambda tables: tables.step([0], [3]),
        lambda tables: tables.play(1, 1),
        lambda tables: tables.play(no_such_action, 1),
        lambda tables: tables.set_episode_starts([0], credits=[[1, 1]]),
        lambda tables: tables.step([[0], [1, 2], 0]),
        lambda tables: tables.step(np.array([0, 0, 2**64 - 1], dtype=np.uint64)),
        lambda tables: tables.final_observations([0], [2]),
        lambda tables: tables.final_observations([0], [1]),
        lambda tables: tables.final_outcomes([1]),
        lambda tables: tables.clone_from(tables, [5], [0]),
    ],
)
def test_what_is_wrong_is_said_as_on_the_cpu(wrong):
    pair = DevicePair("cuda", "casino", 3, 2, seed=1)
    said = []
    for tables in pair.both:
        with pytest.raises(SabaccError) as raised:
            wrong(tables)
        said.append((type(raised.value), str(raised.value)))
    assert said[0] == said[1]
    pair.compare()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"threads": 2}, "threads: tables on a GPU use no CPU threads; leave it at 1"),
        (
            {"rules": RuleSpace("small")},
            "rules: tables on a GPU keep their rules; give a rule set ",
        ),
        ({"keys": lambda table, hand: 7}, "device: tables on a GPU cannot call functions; give "),
    ],
)
def test_what_a_gpu_cannot_do_is_refused(settings, words):
    with pytest.raises(SabaccError, match=words):
        Tables(**{"rules": "casino", "num_tables": 2, "device": "cuda"} | settings)


def test_too_many_tables_for_the_memory(monkeypatch):
    def fails(array):
        raise CudaAPIError(2, "out of memory")

    monkeypatch.setattr(cuda, "to_device", fails)
    with pytest.raises(SabaccError, match="num_tables: 2000000 tables need more than"):
        Tables("casino", 2_000_000, device="cuda")


def test_tables_of_another_device_are_no_source_of_clones():
    pair = DevicePair("cuda", "casino", 2, 2, seed=1)
    with pytest.raises(SabaccError, match="other: its tables are on another device"):
        pair.other.clone_from(pair.cpu, [0], [1])


def test_starts_that_change_and_tables_that_are_saved():
    credits = [[50, 60, 70]] * 4
    pair = DevicePair("cuda", "casino", 4, 3, seed=1, hands=2, credits=credits)
    pair.call_both("play", random_legal, 10)
    pair.call_both(
        "set_episode_starts", [2, 0], credits=[[30, 31, 32], [90, 91, 92]], sabacc_pots=[5, 6]
    )
    pair.call_both("play", random_legal, 30)
    saved = pair.cpu.to_bytes(), pair.other.to_bytes()
    pair.cpu = Tables.from_bytes(saved[1], credits=credits)
    pair.other = Tables.from_bytes(saved[0], credits=credits, device="cuda")
    pair.step(10)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))])
def test_copies_stay_on_the_gpu_and_keep_their_starts(copied):
    pair = DevicePair("cuda", "casino", 4, 3, seed=1, hands=2, credits=[[50, 60, 70]] * 4)
    pair.call_both(
        "set_episode_starts", [2, 0], credits=[[30, 31, 32], [90, 91, 92]], sabacc_pots=[5, 6]
    )
    pair.other = copied(pair.other)
    pair.step(10)


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint8])
def test_actions_may_be_on_the_device(kind):
    pair = DevicePair("cuda", "orsl", 4, 2, seed=1)
    actions, which = pair.legal_actions(), np.array([3, 0])
    spread = np.repeat(actions.astype(kind), 2)
    pair.cpu.step(actions)
    pair.other.step(cuda.to_device(spread)[::2])
    pair.compare()
    actions = pair.legal_actions()[which]
    pair.cpu.step(actions, which)
    pair.other.step(cuda.to_device(actions.astype(kind)), cuda.to_device(which))
    pair.compare()


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("scripted", [{}, {"tight": 1.0}], ids=["alone", "among others"])
def test_the_trainer_gathers_the_same_at_tables_of_the_device(scripted, precision, monkeypatch):
    pool = {"snapshots": 0, "scripted": scripted}
    ppo = TRAINED["ppo"] | {"precision": precision}
    config = validated(PPOConfig, TRAINED | {"pool": pool, "ppo": ppo})
    on_cpu = trainer.PPOTrainer(config)
    in_host_memory = lambda array: torch.from_numpy(np.asarray(array._ary))  # noqa: E731
    monkeypatch.setattr(input_readers, "shared", in_host_memory)
    on_device = input_readers.GpuInputReader("cpu")
    monkeypatch.setattr(trainer, "make_input_reader", lambda *_: on_device)
    settings = {"seed": config.seed, "bet_sizes": config.bet_sizes, "device": "cuda"}
    on_gpu = trainer.PPOTrainer(config, lambda _: Tables("casino", 3, 3, **settings))
    for found in (on_cpu, on_gpu):
        found.collector.collect(found._buffer, 0.5)
    one, other = (vars(found._buffer.decisions) for found in (on_cpu, on_gpu))
    rounding = torch.finfo(getattr(torch, precision)).eps
    for name in one:
        torch.testing.assert_close(
            one[name], other[name], atol=1e-6, rtol=rounding, msg=f"{name}: {{}}".format
        )


@pytest.mark.slow
def test_the_command_compares_and_measures(monkeypatch, capsys):
    command = importlib.import_module("sabacc_training.commands.cuda")
    monkeypatch.setattr(command, "compare_devices", lambda *_: compare_devices("cuda", 2, 1))
    monkeypatch.setattr(command, "find_spec", lambda _: None)  # torch finds no GPU here
    monkeypatch.setattr(command, "rule_sets", lambda: ("casino",))
    monkeypatch.setattr(gpu_speed, "MIN_DECISIONS", 2)
    monkeypatch.setattr(cuda, "get_current_device", lambda: SimpleNamespace(name="none"))
    code, out, _ = run(capsys, "cuda", 2, "--repeats", 2)
    assert code == 0
    assert "decisions are equal to the byte on the GPU and the CPU" in out
    assert "play, 2 tables, casino: 0.0 M decisions a second (0.0 to 0.0)" in out
