"""How fast it is: ``make benchmark`` prints the figures of the README, medians of several runs.

Nothing is asserted about time: machines differ and are shared. Peers are measured in the same
process and loop, if they are installed (``pip install "sabacc-env[bench]"``).
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from statistics import median
from typing import Any

import numpy as np
import pytest

from sabacc_env import Game, Tables, rule_sets, sabacc_v0
from sabacc_env.agent import RandomAgent
from sabacc_env.policies import random_legal

pytestmark = pytest.mark.benchmark

RUNS = 5


def report(what: str, rates: list[float], unit: str) -> float:
    """Print the median and the spread of some rates, and return the median."""
    print(f"\n{what}: {median(rates):,.0f} {unit} ({min(rates):,.0f} to {max(rates):,.0f})", end="")
    return median(rates)


def per_cpu_second(play: Callable[[], int]) -> float:
    """Return how many things a call did for each second of this process's CPU time."""
    start = time.process_time()
    done = play()
    return done / (time.process_time() - start)


def aec_turns(env: Any, turns: int) -> int:
    """Play random legal turns in PettingZoo's usual loop."""
    played = seed = 0
    while played < turns:
        env.reset(seed=seed)
        seed += 1
        for agent in env.agent_iter():
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation:
                env.step(None)
            else:
                env.step(env.action_space(agent).sample(observation["action_mask"]))
                played += 1
    return played


@pytest.mark.skipif(find_spec("rlcard") is None, reason="texas_holdem_no_limit needs rlcard")
def test_aec_turns_against_texas_holdem() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pettingzoo.classic import texas_holdem_no_limit_v6

        envs = {
            "sabacc_v0.env, 2 players": sabacc_v0.env(num_players=2),
            "texas_holdem_no_limit_v6.env, 2 players": texas_holdem_no_limit_v6.env(),
        }
        rates: dict[str, list[float]] = {name: [] for name in envs}
        for env in envs.values():
            aec_turns(env, 100)
        for _ in range(RUNS):
            for name, env in envs.items():
                rates[name].append(per_cpu_second(lambda env=env: aec_turns(env, 2000)))  # type: ignore[misc]
    ours, theirs = (report(name, found, "turns a CPU-second") for name, found in rates.items())
    print(f"\nratio: {ours / theirs:.1f}")


def test_random_hands_of_game() -> None:
    def play() -> int:
        rng = random.Random(1)
        for seed in range(300):
            game = Game("casino", 4, seed=seed)
            while game.seat_to_act is not None:
                game.play(rng.choice(game.legal_moves()))
        return 300

    play()
    report(
        "Game, 4-player casino, random moves",
        [per_cpu_second(play) for _ in range(RUNS)],
        "hands a CPU-second",
    )


@pytest.mark.parametrize("rules", rule_sets())
def test_decisions_of_tables(rules: str) -> None:
    tables = Tables(rules, num_tables=4096, num_players=4, seed=0)
    agent = RandomAgent(tables.rules, 4)
    rng = np.random.default_rng(0)
    tables.step(agent.act(tables.observations, tables.action_masks, rng))  # compiled by now
    rates = []
    for _ in range(RUNS):
        spent = 0.0
        for _ in range(50):
            actions = agent.act(tables.observations, tables.action_masks, rng)
            start = time.process_time()
            tables.step(actions)
            spent += time.process_time() - start
        rates.append(50 * 4096 / spent)
    report(f"Tables.step, 4096 tables, 4-player {rules}", rates, "decisions a CPU-second")


@pytest.mark.parametrize("rules", rule_sets())
def test_decisions_inside_the_loop(rules: str) -> None:
    tables = Tables(rules, num_tables=4096, num_players=4, seed=0)

    def play() -> int:
        tables.play(random_legal, 50)
        return 50 * 4096

    play()
    rates = [per_cpu_second(play) for _ in range(RUNS)]
    what = f"Tables.play(random_legal), 4096 tables, 4-player {rules}"
    report(what, rates, "decisions a CPU-second")


def test_import_and_first_step(tmp_path: Any) -> None:
    first_step = (
        "import time; start = time.perf_counter(); from sabacc_env import sabacc_v0; "
        "env = sabacc_v0.raw_env(); env.reset(seed=1); env.step(0); "
        "print(time.perf_counter() - start)"
    )
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path)}
    for state in ("cold", "cached"):
        done = subprocess.run(
            [sys.executable, "-c", first_step],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        print(f"\nimport and first step, {state}: {float(done.stdout):.1f} s", end="")
