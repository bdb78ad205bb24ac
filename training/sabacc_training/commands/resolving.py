"""``sabacc resolving``: an agent that plays a blueprint and solves last betting phases again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from sabacc_agents.resolving.agent import ITERATIONS
from sabacc_agents.resolving.last_phase import DEFAULT_RANGES, RangeSettings
from sabacc_agents.resolving.saved import Resolving, save_resolving
from sabacc_agents.saved_files import SUFFIX

from sabacc_env.storage.files import check_new, check_writable
from sabacc_training.jobs.locking import created_folder


def resolving(
    blueprint: str,
    *,
    iterations: int = ITERATIONS,
    ranges: Annotated[RangeSettings, Parameter(name="*")] = DEFAULT_RANGES,
    output: Path | None = None,
) -> None:
    """Make an agent that plays a blueprint, and solves the last betting phase of hands again.

    Args:
        blueprint: A member of the zoo (zoo:NAME), or the name of a file in the folder of the agent.
        iterations: The iterations of CFR for a betting phase; 100 take some milliseconds.
        ranges: How ranges are drawn.
        output: The file for the agent; by default runs/resolving/NAME-resolving.safetensors.
    """
    name = Path(blueprint.rpartition(":")[2]).stem
    path = output or Path("runs", "resolving", f"{name}-resolving{SUFFIX}")
    check_writable(path)
    check_new(path)
    with created_folder(path.parent):
        save_resolving(path, Resolving(blueprint, iterations, ranges))
    print(f"The agent is {path}")
