"""Environments of their own, for libraries that cannot live with the versions of the lock.

A folder here with a ``requirements.txt`` is such a library. ``make lock`` writes that file from the
``requirements.in`` beside it. A command runs in its environment, which is made on first use, by

    python -m tests.libraries.environments rllib tools/library_speed.py rllib
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent
ROOT: Final = FOLDER.parents[1]
UV: Final = Path(sys.executable).parent / "uv"

BLOCK: Final = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)

LIBRARIES: Final = sorted(path.parent.name for path in FOLDER.glob("*/requirements.txt"))
"""The libraries that have an environment of their own."""


def page_script(library: str) -> str:
    """Return all Python blocks of a library's page as one script."""
    page = (ROOT / "docs" / "libraries" / f"{library}.md").read_text()
    return "\n".join(BLOCK.findall(page))


def make_environment(library: str) -> Path:
    """Let a library's environment hold what its file pins and this project; return its Python."""
    environment = str(ROOT / ".environments" / library)
    python = f"{environment}/bin/python"
    pins = str(FOLDER / library / "requirements.txt")
    for command in (
        ["venv", "--allow-existing", "--python", sys.executable, environment],
        ["pip", "sync", "--python", python, pins],
        ["pip", "install", "--python", python, "--no-deps", "--reinstall", str(ROOT)],
    ):
        subprocess.run([UV, "--quiet", *command], check=True)
    return Path(python)


def run(library: str, *arguments: str | Path) -> None:
    """Run Python with these arguments in a library's environment, in the root of the checkout.

    Raises:
        subprocess.CalledProcessError: if it fails; what it printed was printed.
    """
    own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    own["OMP_NUM_THREADS"] = "1"  # torch's small networks are faster so where cores are shared
    subprocess.run([make_environment(library), *arguments], cwd=ROOT, env=own, check=True)


if __name__ == "__main__":
    run(*sys.argv[1:])
