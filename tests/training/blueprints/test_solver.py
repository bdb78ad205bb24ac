"""Blueprints come near an equilibrium, are the same on any machine, and resume."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sabacc_agents.blueprint.agent import BlueprintAgent
from sabacc_training.blueprints.checkpoint import FORMAT, load_checkpoint, save_checkpoint
from sabacc_training.blueprints.config import BlueprintConfig
from sabacc_training.blueprints.solver import BlueprintSolver
from sabacc_training.config.base import validated
from sabacc_training.solved_games.agent_policy import nash_conv
from sabacc_training.solved_games.game_tree import flatten
from sabacc_training.solved_games.rung import Rung

from sabacc_env import SabaccError
from sabacc_env.storage.checksums import pack_with_checksum, unpack_checked
from tests.support.one_card import ONE_CARD

STACKS = {"stacks": [12], "agent_sizes": ["min", 1]}


def solver_of(**keys: Any) -> BlueprintSolver:
    return BlueprintSolver(validated(BlueprintConfig, ONE_CARD | STACKS | keys))


def test_a_blueprint_comes_near_the_equilibrium() -> None:
    """Without learning NashConv is .46; hands that are drawn from a whole deck leave some .015."""
    solver = solver_of(walks=500)
    for _ in range(40):
        solver.run_epoch()
    agent = BlueprintAgent(bet_sizes=("min", 1), blueprint=solver.blueprint())
    assert nash_conv(flatten(validated(Rung, ONE_CARD)), agent) < 0.03


def learnt(solver: BlueprintSolver) -> list[np.ndarray[Any, Any]]:
    return [array for tables in solver.tables for array in tables]


def test_threads_learn_the_same_as_one() -> None:
    stacks = [4, 8, 12]
    one, several = (solver_of(threads=n, walks=50, stacks=stacks) for n in (1, 3))
    for _ in range(2):
        assert one.run_epoch() == several.run_epoch()
    for first, second in zip(learnt(one), learnt(several), strict=True):
        assert (first == second).all()


def test_a_solver_resumes_as_if_it_had_not_stopped(tmp_path: Path) -> None:
    whole, stopped, resumed = (solver_of(walks=20) for _ in range(3))
    for _ in range(4):
        whole.run_epoch()
    for _ in range(2):
        stopped.run_epoch()
    path = tmp_path / "agent.checkpoint"
    save_checkpoint(stopped, path)
    load_checkpoint(resumed, path)
    for _ in range(2):
        resumed.run_epoch()
    assert resumed.epochs == 4
    for one, other in zip(learnt(whole), learnt(resumed), strict=True):
        assert (one == other).all()


def test_checkpoints_of_other_runs_and_damaged_ones_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "agent.checkpoint"
    solver = solver_of(walks=20)
    save_checkpoint(solver, path)
    with pytest.raises(SabaccError, match="made with other values of walks; resume with the same"):
        load_checkpoint(solver_of(walks=21), path)
    data = path.read_bytes()
    path.write_bytes(data[:-1])
    with pytest.raises(SabaccError, match="cannot be resumed from"):
        load_checkpoint(solver, path)
    with pytest.raises(SabaccError, match="there is no checkpoint"):
        load_checkpoint(solver, tmp_path / "none")


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"stacks": [60, 50]}, "stacks: give one or more rising numbers"),
        ({"stacks": []}, "stacks: give one or more rising numbers"),
        ({"stacks": [0.5, 50]}, "stacks: give one or more rising numbers"),
        ({"more_rules": [{"rules": "spacers"}]}, "more_rules: name rules that differ from rules"),
        ({"adversary_rows": 5_000}, "adversary_rows: give a power of 2"),
        ({"agent_sizes": []}, "agent_sizes: give one or more"),
        (
            {
                "rules": "yarith_bespin",
                "more_rules": [
                    {"rules": "yarith_bespin", "rule_overrides": {"short_call": "all_in"}}
                ],
            },
            "more_rules: name rules that differ from rules",
        ),
        ({"rules": "yarith_bespin", "bet_sizes": [1, 2]}, 'with a Spike Card "max" must be one'),
        ({"rules": "black_spire"}, "no blueprint can be solved for rules with no betting"),
        ({"bet_sizes": [0.2, 0.3, 0.5, 1, 2]}, "bet_sizes: a blueprint can have at most 4"),
        ({"bet_sizes": [1, "min", "max"]}, "bet_sizes: give them from the smallest to the largest"),
        ({"epochs": 0}, "epochs"),
        ({"walks": [100, 100]}, "walks: give one number, or as many as there are stacks"),
        (
            {"tells_swaps": False, "coarse_epochs": 1},
            "coarse_epochs: give 0, or let the blueprint tell swaps apart",
        ),
        ({"walks": 0}, "walks"),
    ],
)
def test_impossible_configurations_are_refused(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(SabaccError, match=message):
        validated(BlueprintConfig, keys)


@pytest.mark.parametrize("change", [{"epochs": -1}, {"rows": [1]}, {"rows": None}])
def test_forged_checkpoints_are_refused(change: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "agent.checkpoint"
    solver = solver_of(walks=20)
    save_checkpoint(solver, path)
    header, state = unpack_checked(FORMAT, path.read_bytes())
    if change == {"rows": None}:
        change = {"rows": [*header["rows"][:-1], 10**9]}
    path.write_bytes(pack_with_checksum(FORMAT, header | change, state))
    with pytest.raises(SabaccError, match="cannot be resumed from; it is damaged"):
        load_checkpoint(solver, path)


@pytest.mark.parametrize("name", ["adversary_rows", "adversary_count"])
@pytest.mark.parametrize("number", [-9, 2**30])
def test_rows_that_do_not_exist_are_refused(name: str, number: int, tmp_path: Path) -> None:
    path = tmp_path / "agent.checkpoint"
    solver = solver_of(walks=20)
    getattr(solver.tables[0], name)[0] = number
    save_checkpoint(solver, path)
    with pytest.raises(SabaccError, match="its numbers are impossible"):
        load_checkpoint(solver_of(walks=20), path)


ONE_EPOCH = """
import sys
import numpy as np
from sabacc_agents.expectation import win_probabilities
from sabacc_training.blueprints import hands
from sabacc_training.blueprints.config import BlueprintConfig
from sabacc_training.blueprints.solver import BlueprintSolver

hands.NUM_SAMPLES = 100  # interpreted code is slow
win_probabilities.NUM_FINAL_HANDS = 10
solver = BlueprintSolver(
    BlueprintConfig(
        rules=sys.argv[2],
        rule_overrides={"rounds": 2, "short_call": "all_in"},
        walks=2,
        stacks=(3,),
    )
)
solver.run_epoch()
np.savez(sys.argv[1], **{
    name: table[table.reshape(len(table), -1).any(axis=1)]
    for name, table in solver.tables[0]._asdict().items()
})
"""


@pytest.mark.parametrize("rules", [pytest.param("casino", marks=pytest.mark.slow), "yarith_bespin"])
def test_interpreted_code_learns_the_same(rules: str, tmp_path: Path) -> None:
    found = {}
    for mode in ("0", "1"):
        path = tmp_path / f"{mode}.npz"
        subprocess.run(
            [sys.executable, "-c", ONE_EPOCH, path, rules],
            check=True,
            env=os.environ | {"NUMBA_DISABLE_JIT": mode},
        )
        found[mode] = np.load(path)
    for name in found["0"].files:
        assert found["0"][name].shape == found["1"][name].shape
        assert np.allclose(found["0"][name], found["1"][name], rtol=1e-4, atol=1e-5)
