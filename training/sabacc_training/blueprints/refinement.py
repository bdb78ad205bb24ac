"""Finer public states that begin with what coarser ones have learnt (Brown and Sandholm 2015)."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from sabacc_env.array_types import Ints
from sabacc_training.blueprints.workspace import LearntTables


def refined_tables(tables: LearntTables, coarse: Ints, fine: Ints) -> LearntTables:
    """Return tables in which the agent tells more patterns apart, with what it has learnt so far.

    Args:
        tables: what has been learnt.
        coarse: (NUM_PATTERNS,) what its public states call patterns (``pattern_codes``).
        fine: (NUM_PATTERNS,) what those of the result call them. Patterns with equal codes have
            equal coarse codes.
    """
    return tables._replace(
        agent_regrets=_refined(tables.agent_regrets, coarse, fine),
        agent_sums=_refined(tables.agent_sums, coarse, fine),
    )


def _refined(table: NDArray[np.float32], coarse: Ints, fine: Ints) -> NDArray[np.float32]:
    """Return sums by finer public states. Those of a coarse state have equal parts of its sums.

    So a state that is rarely met goes on as the coarse one was, and one that is often met forgets
    it.
    """
    coarse_of = np.zeros(fine.max() + 1, np.int64)
    coarse_of[fine] = coarse
    parts = np.float32(1) / np.bincount(coarse_of).astype(np.float32)
    count, finer = len(parts), len(coarse_of)
    by_patterns = table.reshape(-1, count, count, *table.shape[1:])
    met = np.asarray(by_patterns.any(axis=(3, 4)))
    found = np.zeros((len(by_patterns), finer, finer, *table.shape[1:]), np.float32)
    for own, other in product(range(finer), repeat=2):
        pair = coarse_of[own], coarse_of[other]
        states = np.flatnonzero(met[:, *pair])
        found[states, own, other] = by_patterns[states, *pair] * (parts[pair[0]] * parts[pair[1]])
    return found.reshape(-1, *table.shape[1:])
