"""Where the time of a call goes: the shares of its parts."""

from __future__ import annotations

import cProfile
import pstats
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Final

ROUNDS: Final = 50
"""How far up the calls the time of other packages is carried."""


def time_shares(call: Callable[[], object], parts: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """Return the share of each part in the time of a call; together they are 1.

    Args:
        call: what is profiled.
        parts: each part by its name, with pieces of the paths of its source files; a file belongs
            to the first part that fits. The time of other files, as of NumPy's and PyTorch's,
            counts for those who call them.
    """
    profile = cProfile.Profile()
    profile.runcall(call)
    found = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    seconds = dict.fromkeys(parts, 0.0)
    left: Mapping[tuple[str, int, str], float] = {name: each[2] for name, each in found.items()}
    for _ in range(ROUNDS):
        passed_on: defaultdict[tuple[str, int, str], float] = defaultdict(float)
        for name, time in left.items():
            path = name[0].replace("\\", "/")
            fitting = (part for part, pieces in parts.items() if any(p in path for p in pieces))
            if part := next(fitting, None):
                seconds[part] += time
                continue
            callers = {caller: each[3] for caller, each in found[name][4].items()}
            total = sum(callers.values()) or 1.0
            for caller, cumulative in callers.items():
                passed_on[caller] += time * cumulative / total
        left = passed_on
    total = sum(seconds.values())
    return {part: time / total for part, time in seconds.items()}
