"""Finer public states that begin with what coarser ones have learnt (Brown and Sandholm 2015).

Where they are rare their strategies are pooled.
"""

from __future__ import annotations

from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sabacc_env.array_types import Ints
from sabacc_training.blueprints.workspace import LearntTables

RARE_SHARE: Final = 0.1
"""The share of all that is summed which lies in rare states. In orsl these are three in four of the
finer states, and files in which they play alike are a third smaller."""


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


def with_rare_states_pooled(
    sums: NDArray[np.float32], coarse: Ints, fine: Ints
) -> NDArray[np.float32]:
    """Return sums in which rare states have those of all states of the same coarse state together.

    Rare are as many states as together have ``RARE_SHARE`` of all sums: what they learn themselves
    is noise. So are states that were never met, if their coarse state was. Where nothing is told
    apart the sums are returned as they are.

    Args:
        sums: (public states, actions, buckets) sums of strategies.
        coarse: (NUM_PATTERNS,) what coarse public states call patterns.
        fine: (NUM_PATTERNS,) what these public states call them.
    """
    coarse_of, count = _coarse_codes(coarse, fine), int(coarse.max()) + 1
    if count == len(coarse_of):
        return sums
    by_patterns = sums.reshape(-1, len(coarse_of), len(coarse_of), *sums.shape[1:])
    together = np.zeros((len(by_patterns), count, count, *sums.shape[1:]), np.float32)
    for own, other in product(range(len(coarse_of)), repeat=2):
        together[:, coarse_of[own], coarse_of[other]] += by_patterns[:, own, other]
    found = _refined(together.reshape(-1, *sums.shape[1:]), coarse, fine)
    often = _often_met(sums)
    found[often] = sums[often]
    return found


def _often_met(sums: NDArray[np.float32]) -> Ints:
    """Return the states that are not rare, (m,)."""
    by_state = sums.sum(axis=(1, 2), dtype=np.float64)
    order = by_state.argsort(kind="stable")
    is_rare = by_state[order].cumsum() <= RARE_SHARE * by_state.sum()
    often: Ints = order[~is_rare]
    return often


def _refined(table: NDArray[np.float32], coarse: Ints, fine: Ints) -> NDArray[np.float32]:
    """Return sums by finer public states. Those of a coarse state have equal parts of its sums.

    So a state that is rarely met goes on as the coarse one was, and one that is often met forgets
    it.
    """
    coarse_of = _coarse_codes(coarse, fine)
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


def _coarse_codes(coarse: Ints, fine: Ints) -> Ints:
    """Return the coarse code of each fine one, (fine codes,)."""
    found = np.zeros(int(fine.max()) + 1, np.int64)
    found[fine] = coarse
    return found
