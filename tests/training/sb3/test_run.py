"""Training by self-play: it learns, goes on from a checkpoint, says what is wrong."""

from __future__ import annotations

import io
import re

import numpy as np
import pytest

from tests.support.damage import flip_bit

pytest.importorskip("sb3_contrib")

import torch
from sabacc_agents.loading import load, trained_against
from sabacc_training.config.game import RuleSpaceConfig
from sabacc_training.config.run import EvaluationConfig, PoolConfig, StartConfig
from sabacc_training.jobs.stopping import StoppedBySignal
from sabacc_training.runs.callback import AGENT, CHECKPOINT
from sabacc_training.runs.checkpoint import load_checkpoint, save_checkpoint
from sabacc_training.sb3.config import MaskablePPOConfig, MaskablePPOHyperparameters
from sabacc_training.sb3.trainer import MaskablePPOTrainer
from sabacc_training.trainers import train

from sabacc_env import SabaccError
from tests.support.commands import command
from tests.support.comparing import comparable
from tests.support.training import Killed, beats_random, before_update, kill, terminate

SMALL = MaskablePPOConfig(
    rules="black_spire",
    steps=4096,
    pool=PoolConfig(snapshot_every=1000, max_snapshots=2),
    sb3=MaskablePPOHyperparameters(num_tables=64, n_steps=8, batch_size=256, hidden_sizes=(16,)),
    evaluation=EvaluationConfig(every=2048, deals=20),
    checkpoint_seconds=0,
)

COUNTING = "tests.support.toys:Counting"  # remembers what it did in the hand

DRAWN_STARTS = MaskablePPOConfig(
    rules="casino",
    steps=SMALL.steps,
    start=StartConfig(stacks=(2.0, 30.0), sabacc_pot=(0.0, 5.0), curriculum_fraction=0.9),
    pool=PoolConfig(scripted={COUNTING: 1, "loose": 1}, snapshot_every=1000, max_snapshots=2),
    sb3=SMALL.sb3,
    evaluation=SMALL.evaluation,
    checkpoint_seconds=0,
)


DRAWN_RULES = MaskablePPOConfig(
    rules="casino",
    rule_space=RuleSpaceConfig(space="house", num_rule_sets=20),
    steps=SMALL.steps,
    pool=SMALL.pool,
    sb3=SMALL.sb3,
    evaluation=SMALL.evaluation,
    checkpoint_seconds=0,
)


def test_it_learns_to_beat_random(tmp_path):
    config = SMALL.model_copy(
        update={
            "steps": 60_000,
            "polyak_tau": 1.0,
            "evaluation": EvaluationConfig(),
            "sb3": MaskablePPOHyperparameters(
                num_tables=256, n_steps=16, batch_size=256, hidden_sizes=(64,)
            ),
            "pool": PoolConfig(current=0, snapshots=0),
        }
    )
    assert beats_random(train(config, tmp_path))


def test_the_same_seed_gives_the_same_agent(tmp_path):
    first, second = (train(SMALL, tmp_path / name).read_bytes() for name in "ab")
    assert first == second
    other = train(SMALL.model_copy(update={"seed": 1}), tmp_path / "c").read_bytes()
    assert other != first


@pytest.mark.parametrize(
    "config",
    [SMALL, DRAWN_STARTS, DRAWN_RULES],
    ids=["points", "drawn_starts", "drawn_rules"],
)
@pytest.mark.parametrize(
    ("end", "error"),
    [(terminate, StoppedBySignal), pytest.param(kill, Killed, marks=pytest.mark.slow)],
)
def test_a_run_goes_on_as_if_never_stopped(tmp_path, config, end, error):
    whole = train(config, tmp_path / "whole")
    with before_update(config, 6, end), pytest.raises(error):
        train(config, tmp_path / "halved")
    assert not (tmp_path / "halved" / AGENT).exists()
    kept = load_checkpoint(tmp_path / "halved" / CHECKPOINT, config)
    assert kept["steps"] == (2560 if end is terminate else 2048)
    halved = train(config, tmp_path / "halved", resume=True)
    assert halved.read_bytes() == whole.read_bytes()
    states = [load_checkpoint(path.parent / CHECKPOINT, config) for path in (halved, whole)]
    assert len(states[0]["pool"]["snapshots"]) == 2
    assert all(state.pop("seconds") > 0 for state in states)
    assert comparable(states[0]) == comparable(states[1])


def test_a_checkpoint_gives_back_the_state(tmp_path):
    state = {"weights": torch.arange(9.0), "env": b"\x00\xff", "draws": np.arange(5), "steps": 7}
    save_checkpoint(tmp_path / CHECKPOINT, SMALL, state)
    assert comparable(load_checkpoint(tmp_path / CHECKPOINT, SMALL)) == comparable(state)


def flip(position: float):
    """Return what changes one bit, at this share of the bytes."""
    return lambda data: flip_bit(data, int(position * (len(data) - 1)))


def a_list(_: bytes) -> bytes:
    buffer = io.BytesIO()
    torch.save([1, 2, 3], buffer)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        *((flip(share), "damaged or cut short") for share in (0.05, 0.3, 0.5, 0.7, 1)),
        (flip(0), "do not have the format"),
        (lambda data: data[:-1], "damaged or cut short"),
        (lambda data: data[: len(data) // 2], "damaged or cut short"),
        (lambda data: data[:40], "damaged or cut short"),
        (lambda data: data + b"\n", "damaged or cut short"),
        (lambda _: b"", "do not have the format"),
        (lambda _: b"steps = 3\n", "do not have the format"),
        (a_list, "do not have the format"),
    ],
)
def test_a_checkpoint_that_is_damaged_or_none_is_refused(tmp_path, damage, words):
    path = tmp_path / CHECKPOINT
    save_checkpoint(path, SMALL, {"weights": torch.rand(500)})
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(SabaccError) as caught:
        load_checkpoint(path, SMALL)
    message = str(caught.value)
    assert message.startswith(f"{path}: cannot be resumed from; ")
    assert words in message
    assert "\n" not in message


def test_start_ranges_grow_to_their_full_width():
    start = StartConfig(stacks=(4.0, 100.0), sabacc_pot=(0.0, 20.0), curriculum_fraction=0.5)
    assert start.stacks_at(0) == (1, 1)
    assert start.stacks_at(0.25) == pytest.approx((2, 10))
    assert start.stacks_at(0.5) == start.stacks_at(1) == (4, 100)
    assert [start.sabacc_pot_at(share) for share in (0, 0.25, 1)] == [(0, 0), (0, 10), (0, 20)]
    assert StartConfig().stacks_at(0) is None
    assert StartConfig(stacks=(4.0, 100.0)).stacks_at(0) == (4, 100)


def test_the_saved_agent_plays_as_the_average_and_knows_whom_it_met(tmp_path):
    path = train(SMALL, tmp_path)
    learner = MaskablePPOTrainer(SMALL)
    learner.restore(load_checkpoint(tmp_path / CHECKPOINT, SMALL))
    agent = load(path, "black_spire", 2)
    observations, masks = learner.env.tables.observations, learner.env.tables.action_masks
    with torch.inference_mode():
        logits = learner.average.actor(torch.from_numpy(observations)).double()
    logits = logits.masked_fill(torch.from_numpy(masks) == 0, -torch.inf)
    expected = torch.softmax(logits, dim=1).numpy()
    assert agent.probabilities(observations, masks) == pytest.approx(expected, abs=1e-6)
    assert trained_against(path) == ("random",)


def test_a_folder_with_a_run_is_refused(tmp_path, capsys):
    config = tmp_path / "tiny.toml"
    config.write_text(f"rules = 'black_spire'\nsteps = 64\n{TINY}")
    arguments = ["train", str(config), "--folder", str(tmp_path / "run")]
    assert command(*arguments) == 0
    assert command(*arguments) == 2
    assert "holds a run already" in capsys.readouterr().err
    assert command(*arguments, "sb3.batch_size=16", "--resume") == 2
    assert "was made with other values of sb3;" in capsys.readouterr().err
    assert command(*arguments, "steps=96", "--resume") == 2
    assert (
        "schedules depend on the number of steps, so a run cannot be made longer"
        in capsys.readouterr().err
    )


def test_without_a_terminal_a_line_tells_how_it_stands(tmp_path, capsys):
    config = tmp_path / "tiny.toml"
    config.write_text(f"rules = 'black_spire'\nsteps = 96\n{TINY}")
    evaluation = ["evaluation={every = 32, deals = 20}", "checkpoint_seconds=1000"]
    assert command("train", str(config), *evaluation, "--folder", str(tmp_path / "run")) == 0
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(" steps, ")[0] for line in lines] == ["32 of 96", "64 of 96"]
    for line in lines:
        assert re.search(
            r", [\d,]+/s, [+-][\d,]+ ± [\d,]+ mante/hand over random, best [+-][\d,]+$", line
        )


TINY = """
[sb3]
num_tables = 8
n_steps = 4
batch_size = 32
hidden_sizes = [8]
"""


@pytest.mark.parametrize(
    ("override", "sentence"),
    [
        ("stepps=3", "stepps: there is no such key"),
        ("sb3.clip_range=-1", "sb3.clip_range: -1 is not allowed"),
        ("sb3.batch_size=1", "sb3: num_tables * n_steps = 32 decisions in minibatches of"),
        ("sb3.batch_size=31", "leave a minibatch of a single decision"),
        ("sb3={num_tables = 1, n_steps = 1}", "sb3: num_tables * n_steps = 1 decisions"),
        ("rules=kessel", 'rules: "kessel" is not a rule set'),
        ("pool.scripted={nobody = 1.0}", "unknown agent 'nobody'"),
        ("evaluation.opponent=nobody", "unknown agent 'nobody'"),
        (
            "pool={current = 0, snapshots = 0, scripted = {}}",
            "pool: give at least one opponent a weight",
        ),
        ("start.stacks=[9, 3]", "stacks: 9.0 to 3.0 is not a range of antes"),
        ("start.stacks=[0.5, 3]", "start: stacks must be at least one ante"),
        ("rules=one_drw", "is not a rule set or a rung of the ladder; use "),
        ("rules=one_drw", "; did you mean one_draw?"),
        ("trainer=ppo", 'sb3: is a key of trainer = "sb3", but this file has trainer = "ppo"'),
        ("ppo.rollout=4", 'ppo: is a key of trainer = "ppo", but this file has trainer = "sb3"'),
        ("trainer=fast", 'unknown trainer "fast"; use "sb3" or "ppo"'),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(tmp_path, capsys, override, sentence):
    config = tmp_path / "tiny.toml"
    config.write_text(f"steps = 64\n{TINY}")
    assert command("train", str(config), override, "--folder", str(tmp_path / "run")) == 2
    error = capsys.readouterr().err
    assert sentence in error
    assert error.count("\n") == 1
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("override", "sentence"),
    [
        (
            "start.sabacc_pot=[0, 5]",
            "start.sabacc_pot: the rules 'black_spire' have no Sabacc pot; leave it out",
        ),
        (
            "start.stacks=[2, 5]",
            "start.stacks: the rules 'black_spire' are played for points; leave it out",
        ),
    ],
)
@pytest.mark.parametrize("trainer", ["sb3", "ppo"])
def test_starts_that_the_rules_do_not_have_are_refused(
    tmp_path, capsys, override, sentence, trainer
):
    config = tmp_path / "points.toml"
    config.write_text(f'trainer = "{trainer}"\nrules = "black_spire"\n')
    assert command("train", str(config), override, "--folder", str(tmp_path / "run")) == 2
    assert capsys.readouterr().err == f"sabacc: {sentence}\n"
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("below", ["", "below"])
def test_a_folder_that_is_a_file_is_refused(tmp_path, capsys, below):
    config, file = tmp_path / "tiny.toml", tmp_path / "file"
    config.write_text(f"steps = 64\n{TINY}")
    file.touch()
    assert command("train", str(config), "--folder", str(file / below)) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"sabacc: {file / below}: cannot make this folder (")
    assert error.count("\n") == 1


def test_a_file_that_cannot_be_written_is_refused_and_leaves_nothing(tmp_path):
    (tmp_path / CHECKPOINT).mkdir()
    with pytest.raises(SabaccError, match=r"checkpoint.pt: cannot be written \(Is a directory"):
        save_checkpoint(tmp_path / CHECKPOINT, SMALL, {})
    assert [path.name for path in tmp_path.iterdir()] == [CHECKPOINT]


def test_resuming_from_nothing_is_refused(tmp_path, capsys):
    config = tmp_path / "tiny.toml"
    config.write_text(TINY)
    assert command("train", str(config), "--folder", str(tmp_path / "run"), "--resume") == 2
    assert "there is no checkpoint to resume from" in capsys.readouterr().err
