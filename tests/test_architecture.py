"""Who may import whom, and what importing the packages may never load.

The directions stand in pyproject.toml as contracts of import-linter and are checked by it, rather
than by a walk over syntax trees of our own: it is maintained and typed, follows chains of imports,
sees those inside functions, and says which line breaks which contract.
"""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
OF_EXTRAS = (
    "torch",
    "stable_baselines3",
    "sb3_contrib",
    "tensorboard",
    "matplotlib",
    "PIL",
    "pygame",
    "ray",
    "numba.cuda",
)


def output_of(*command: str) -> str:
    """Run a command in the repository and return what it prints; fail with that if it fails."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.fail(done.stdout + done.stderr)
    return done.stdout


def test_imports_go_one_way():
    lint = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    assert " 0 broken" in output_of(sys.executable, "-c", lint, "--no-logo", "--no-cache")


@pytest.mark.parametrize(
    "modules",
    [
        "sabacc_env",
        "sabacc_env.adapters, sabacc_env.envs, sabacc_env.render",
        "sabacc_agents",
        "sabacc_training",
        "sabacc_training.commands.rules, sabacc_training.commands.watch",
    ],
)
def test_importing_loads_nothing_of_an_extra(modules):
    loaded = output_of(
        sys.executable,
        "-c",
        f"import sys, {modules}; print(*sorted(set({OF_EXTRAS}) & set(sys.modules)))",
    )
    assert loaded.split() == []
