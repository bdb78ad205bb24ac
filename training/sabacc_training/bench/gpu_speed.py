"""How many decisions a second tables on a GPU play and step."""

from __future__ import annotations

import time
from typing import Any, Final

from numba import cuda

from sabacc_env.policies import random_legal
from sabacc_env.tables import Tables

NUM_PLAYERS: Final = 4

MIN_DECISIONS: Final = 2**25
"""The decisions of all tables that one sample of ``play`` lasts, at least."""

STEPS: Final = 50
"""The steps that one sample of ``step`` lasts."""


def gpu_tables(rules: str, num_tables: int) -> Tables:
    """Return tables on the GPU to measure."""
    return Tables(rules, num_tables, NUM_PLAYERS, seed=0, device="cuda")


def play_rate(tables: Tables) -> float:
    """Return the decisions a second of ``Tables.play`` with a random policy."""
    decisions = max(10, MIN_DECISIONS // tables.num_tables)
    cuda.synchronize()
    start = time.perf_counter()
    tables.play(random_legal, decisions)
    cuda.synchronize()
    return decisions * tables.num_tables / (time.perf_counter() - start)


def step_rate(tables: Tables) -> float:
    """Return the decisions a second of ``Tables.step``, with actions that are on the GPU.

    torch chooses them, which is not counted.
    """
    import torch

    masks: Any = torch.as_tensor(tables.action_masks, device="cuda")
    seconds = 0.0
    for _ in range(STEPS):
        scores = torch.rand(masks.shape, device="cuda") + 1  # of torch.rand some are 0
        actions = (scores * masks).argmax(dim=1)
        cuda.synchronize()
        start = time.perf_counter()
        tables.step(actions)
        cuda.synchronize()
        seconds += time.perf_counter() - start
    return STEPS * tables.num_tables / seconds
