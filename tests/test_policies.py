"""Policies that users write: what they may read, how a wrong one is refused, Ctrl-C in the loop."""

import os
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from sabacc_env import Tables
from sabacc_env.errors import SabaccError
from sabacc_env.observation import blocks
from sabacc_env.policies import PolicyAgent, always_raise, policy, random_legal
from sabacc_env.tables.cpu import Cpu
from tests.support.modes import INTERPRETED


@policy
def reader(observation, legal, _word):
    """Choose the first or the last legal action, by features of every form."""
    first = observation.own_slots[3 * 1 + 2] > 0
    first ^= observation.opponents[1].features[6] > 0.3
    first ^= observation.log[2].features[1] < 0
    first ^= observation.log_seats[0] > 0.3
    if first:
        legal &= -legal
    action = -1
    while legal:
        legal >>= 1
        action += 1
    return action


def test_a_policy_reads_what_the_observation_shows() -> None:
    tables, twin = (Tables("casino", 64, 3, seed=1) for _ in range(2))
    firsts = 0
    for _ in range(60):
        seen, masks = blocks(twin.observations), twin.action_masks
        first = seen.own_slots[:, 1, 2] > 0
        first ^= seen.opponents[:, 1, 6] > 0.3
        first ^= seen.log[:, 2, 1] < 0
        first ^= seen.log_seats[:, 0] > 0.3
        last = masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)
        firsts += int(first.sum())
        twin.step(np.where(first, masks.argmax(axis=1), last))
        tables.play(reader, 1)
        assert (tables.observations == twin.observations).all()
        assert (tables.net_credits == twin.net_credits).all()
    assert 500 < firsts < 60 * 64 - 500


@pytest.mark.parametrize(
    "form", [{"packed": True}, {"observation": "planes"}, {"observation": "tokens"}]
)
def test_a_play_leaves_what_its_last_step_would(form) -> None:
    """Steps in between are not observed, and the last one is, in every form."""
    tables, twin = (Tables("yarith_bespin", 32, 3, seed=1, **form) for _ in range(2))
    agent, rng = PolicyAgent(reader), np.random.default_rng(0)
    for decisions in (1, 2, 30, 7):
        tables.play(reader, decisions)
        for _ in range(decisions):
            twin.step(agent.act(twin.flat_observations, twin.action_masks, rng))
        assert (tables.observations == twin.observations).all()


def two_arguments(observation, legal):
    return 0


def nothing(observation, legal, word):
    pass


def unknown_block(observation, legal, word):
    return int(observation.foo[0])


@pytest.mark.skipif(INTERPRETED, reason="interpreted functions take anything")
@pytest.mark.parametrize("function", [two_arguments, nothing, unknown_block])
def test_what_cannot_be_compiled_as_a_policy_is_one_sentence(function) -> None:
    with pytest.raises(SabaccError, match=f"policy: {function.__name__} cannot be comp") as refused:
        policy(function)
    assert "\n" not in str(refused.value)


def raising(observation, legal, word):
    if legal & 1:
        raise ValueError("boo")
    return 0


def asserting(observation, legal, word):
    assert legal & 1
    return 0


@pytest.mark.parametrize("function", [raising, asserting])
def test_a_policy_must_not_raise(function) -> None:
    with pytest.raises(SabaccError, match=f"{function.__name__} contains raise or assert"):
        policy(function)


@pytest.mark.parametrize("function", [None, 3, "random_legal", Tables])
def test_what_is_no_function_is_no_policy(function) -> None:
    with pytest.raises(SabaccError, match="is not a Python function"):
        policy(function)


PLAYING = """
import collections, signal, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
from sabacc_env import Tables
from sabacc_env.policies import random_legal
tables = Tables("casino", 16, 2, seed=0)
tables.play(random_legal, 1)
caught, end = collections.Counter(), time.monotonic() + 2
print("ready", flush=True)
while time.monotonic() < end:
    try:
        while time.monotonic() < end:
            tables.play(random_legal, 1)
    except BaseException as error:
        caught[type(error).__name__] += 1
print(dict(caught))
"""


@pytest.mark.skipif(INTERPRETED, reason="interpreted, there is no compiled loop")
@pytest.mark.skipif(os.name != "posix", reason="another process is sent SIGINT")
def test_ctrl_c_while_tables_play_is_a_keyboard_interrupt() -> None:
    command = [sys.executable, "-c", PLAYING]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as playing:
        assert playing.stdout is not None
        assert playing.stdout.readline() == "ready\n"
        end = time.monotonic() + 1.5
        while time.monotonic() < end:
            time.sleep(random.uniform(0.01, 0.03))
            playing.send_signal(signal.SIGINT)
        caught = playing.stdout.read()
    assert playing.returncode == 0
    assert caught.startswith("{'KeyboardInterrupt': ")
    assert "," not in caught  # nothing else


LONG = """
import signal, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
from sabacc_env import Tables
from sabacc_env.policies import random_legal
tables = Tables("casino", {tables}, 2, seed=0, threads=2)
tables.play(random_legal, 1)
print("ready", flush=True)
try:
    tables.play(random_legal, 10**15)
except KeyboardInterrupt:
    print("heard", time.monotonic(), flush=True)
assert Tables.from_bytes(tables.to_bytes()).to_bytes() == tables.to_bytes()
tables.play(random_legal, 5)
"""


@pytest.mark.skipif(os.name != "posix", reason="another process is sent SIGINT")
@pytest.mark.parametrize("tables", [1, 1000])
def test_a_long_play_hears_ctrl_c_within_a_second(tables: int) -> None:
    """The clock is the system's: what is measured is when it was heard, not when it was told."""
    command = [sys.executable, "-c", LONG.format(tables=tables)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as playing:
        assert playing.stdout is not None
        assert playing.stdout.readline() == "ready\n"
        time.sleep(0.3)
        sent = time.monotonic()
        playing.send_signal(signal.SIGINT)
        heard, at = playing.stdout.readline().split()
    assert playing.returncode == 0
    assert heard == "heard"
    assert float(at) - sent < 30  # without parts it would be years; how busy the machine is, varies


def test_after_ctrl_c_within_a_submit_no_thread_plays_on(monkeypatch: pytest.MonkeyPatch) -> None:
    played = []

    class InterruptedPool(ThreadPoolExecutor):
        def submit(self, *call: Any, **keywords: Any) -> Any:
            super().submit(*call, **keywords)
            time.sleep(0.1)  # the thread has begun
            raise KeyboardInterrupt

    def play(numbers: Any) -> None:
        time.sleep(0.5)
        played.extend(numbers)

    cpu = Cpu(threads=3)
    with InterruptedPool(2) as pool:
        monkeypatch.setattr(Cpu, "_pool", pool)
        with pytest.raises(KeyboardInterrupt):
            cpu.run(play, (), np.arange(6))
        assert played == [2, 3]  # of the thread that had begun; the other was never asked


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("chunk", [1, 7, 64])
def test_the_parts_of_a_play_make_no_difference(
    threads: int, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Tables("casino", 20, 3, seed=5, hands=4)
    whole.play([random_legal, always_raise, random_legal], 60)
    monkeypatch.setattr("sabacc_env.tables.cpu.DECISIONS_PER_CHUNK", chunk)
    parts = Tables("casino", 20, 3, seed=5, hands=4, threads=threads)
    parts.play([random_legal, always_raise, random_legal], 60)
    assert parts.to_bytes() == whole.to_bytes()
    np.testing.assert_array_equal(parts.observations, whole.observations)
