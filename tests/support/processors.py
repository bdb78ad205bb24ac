"""What the code chooses by processor; tests ask for each choice by name."""

from __future__ import annotations

import os
from typing import Final

import pytest

PRECISIONS: Final = ("float32", "bfloat16")
"""Every processor can compute in both; bfloat16 is only slower where it has no instructions."""

TWO_PROCESSORS: Final = pytest.mark.skipif(
    os.cpu_count() == 1, reason="a run with more threads than processors is refused"
)
