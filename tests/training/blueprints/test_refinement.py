"""Finer public states begin as the coarse ones that they are a part of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sabacc_agents.blueprint.public_states import (
    NUM_PATTERNS,
    STAND,
    STOOD_SWAPPED,
    SWAP,
    pattern_codes,
)
from sabacc_training.blueprints.checkpoint import load_checkpoint, save_checkpoint
from sabacc_training.blueprints.config import BlueprintConfig
from sabacc_training.blueprints.refinement import refined_tables, with_rare_states_pooled
from sabacc_training.blueprints.solver import BlueprintSolver
from sabacc_training.blueprints.workspace import LearntTables
from sabacc_training.config.base import validated

from sabacc_env.rules import load_rules

RULES = load_rules("orsl")
COARSE, FINE = pattern_codes(RULES, tells_swaps=False), pattern_codes(RULES)
NUM_COARSE, NUM_FINE = COARSE.max() + 1, FINE.max() + 1


def solver_of(**keys: Any) -> BlueprintSolver:
    config = {"rule_overrides": {"rounds": 1}, "stacks": [3], "walks": 20, "coarse_epochs": 2}
    return BlueprintSolver(validated(BlueprintConfig, config | keys))


def by_patterns(table: np.ndarray[Any, Any], count: int) -> np.ndarray[Any, Any]:
    return table.reshape(-1, count, count, *table.shape[1:])


def test_finer_states_have_equal_parts_of_what_was_learnt() -> None:
    rng = np.random.default_rng(0)
    coarse = rng.normal(size=(5 * NUM_COARSE**2, 3, 4)).astype(np.float32)
    coarse[:NUM_COARSE] = 0  # never met
    learnt = solver_of().tables[0]._replace(agent_regrets=coarse, agent_sums=2 * coarse)
    found = refined_tables(learnt, COARSE, FINE)
    assert (found.agent_sums == 2 * found.agent_regrets).all()
    fine = by_patterns(found.agent_regrets, NUM_FINE)
    sums = np.zeros((5, NUM_COARSE, NUM_COARSE, 3, 4))
    for own in range(NUM_PATTERNS):
        for other in range(NUM_PATTERNS):
            sums[:, COARSE[own], COARSE[other]] += fine[:, FINE[own], FINE[other]]
    assert np.allclose(sums, by_patterns(coarse, NUM_COARSE), atol=1e-5)
    # A swap has three classes, and to stand four by what an earlier swap took.
    stood = by_patterns(coarse, NUM_COARSE)[:, COARSE[SWAP], COARSE[STAND]]
    assert np.allclose(fine[:, FINE[SWAP + 1], FINE[STOOD_SWAPPED]], stood / 12, atol=1e-6)


def test_rare_states_are_pooled() -> None:
    rng = np.random.default_rng(0)
    sums = rng.random((5 * NUM_FINE**2, 3, 4)).astype(np.float32)
    sums /= sums.sum(axis=(1, 2), keepdims=True)
    rarity = 0.443  # a fifth of all states, with .0997 of all sums: one more would be too many
    by_patterns(sums, NUM_FINE)[2] *= rarity
    found = by_patterns(with_rare_states_pooled(sums, COARSE, FINE), NUM_FINE)
    own, other = [STAND, *range(STOOD_SWAPPED, STOOD_SWAPPED + 3)], list(range(SWAP, SWAP + 3))
    expected = by_patterns(sums, NUM_FINE)[:, FINE[own]][:, :, FINE[other]]
    mean = np.broadcast_to(expected[2].mean(axis=(0, 1)), expected[2].shape)
    found = found[:, FINE[own]][:, :, FINE[other]]
    assert (found[[0, 1, 3, 4]] == expected[[0, 1, 3, 4]]).all()
    assert found[2] == pytest.approx(mean, rel=1e-5)
    assert with_rare_states_pooled(sums, FINE, FINE) is sums


def test_a_blueprint_knows_all_states_of_a_coarse_one_that_was_met() -> None:
    solver = solver_of(coarse_epochs=0)
    solver.run_epoch()
    met = np.flatnonzero(solver.tables[0].agent_sums.any(axis=(1, 2)))
    known = np.zeros((len(solver.tables[0].agent_sums), 1))
    known[solver.blueprint().states] = 1
    pairs = by_patterns(known, NUM_FINE)[..., 0][:, FINE[STAND], FINE[[SWAP, SWAP + 1, SWAP + 2]]]
    assert known[met].all()
    assert known.sum() > len(met)
    assert (pairs == pairs[:, :1]).all()


def test_a_blueprint_plays_finer_states_as_the_coarse_ones() -> None:
    solver = solver_of()
    solver.run_epoch()
    assert len(set(solver.blueprint().codes)) == NUM_COARSE
    solver.run_epoch()
    found, coarse = solver.blueprint(), solver_of(tells_swaps=False, coarse_epochs=0)
    for _ in range(2):
        coarse.run_epoch()
    expected = coarse.blueprint()
    assert len(set(found.codes)) == NUM_FINE
    rest, own, other = np.unravel_index(
        found.states, (found.num_states // NUM_FINE**2, NUM_FINE, NUM_FINE)
    )
    coarse_of = np.zeros(NUM_FINE, np.int64)
    coarse_of[found.codes] = expected.codes
    states = (rest * NUM_COARSE + coarse_of[own]) * NUM_COARSE + coarse_of[other]
    assert (np.unique(states) == expected.states).all()
    played = expected.policy[np.searchsorted(expected.states, states)]
    # Numbers may be rounded otherwise where they lie between two levels.
    assert np.abs(found.policy.astype(int) - played).max() <= 1


def test_a_solver_resumes_before_and_after_it_tells_swaps_apart(tmp_path: Path) -> None:
    path = tmp_path / "agent.checkpoint"
    whole = solver_of()
    for _ in range(3):
        save_checkpoint(whole, path)
        resumed = solver_of()
        load_checkpoint(resumed, path)
        assert whole.run_epoch() == resumed.run_epoch()
        for name in LearntTables._fields:
            learnt = (getattr(solver.tables[0], name) for solver in (whole, resumed))
            assert np.array_equal(*learnt)


def test_stacks_may_have_walks_of_their_own() -> None:
    config = {"stacks": [3, 5], "walks": [10, 30], "coarse_epochs": 0}
    solver = solver_of(**config)
    solver.run_epoch()
    alone = solver_of(stacks=[3], walks=10, coarse_epochs=0)
    alone.run_epoch()
    assert (solver.tables[0].agent_regrets == alone.tables[0].agent_regrets).all()
    weights = [tables.agent_sums.sum() for tables in solver.tables]
    assert weights[1] > 2 * weights[0]
