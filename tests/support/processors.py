"""Test parameters for choices that depend on the processor."""

from __future__ import annotations

import os
from typing import Final

import pytest

PRECISIONS: Final = ("float32", "bfloat16")
"""Every processor computes in both; without instructions for bfloat16 it is only slower."""

QUICK_PRECISIONS: Final = ("float32", pytest.param("bfloat16", marks=pytest.mark.slow))
"""For trainings that take seconds; without instructions for bfloat16 they take minutes."""

TWO_PROCESSORS: Final = pytest.mark.skipif(
    os.cpu_count() == 1, reason="a run with more threads than processors is refused"
)
