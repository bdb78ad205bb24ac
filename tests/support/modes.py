"""The mode in which the engine runs in this process: compiled, or interpreted as plain Python."""

from __future__ import annotations

import os

INTERPRETED = os.environ.get("NUMBA_DISABLE_JIT", "0") == "1"
