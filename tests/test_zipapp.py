"""The zipapp: the packages in one file, for a Python that has the dependencies."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools import build_zipapp

HAND = """
import random, sabacc_agents.zoo, sabacc_env
rng = random.Random(1)
game = sabacc_env.Game("orsl", 3, seed=4)
while game.seat_to_act is not None:
    game.play(rng.choice(game.legal_moves()))
print(sabacc_env.__file__, sum(game.net_credits) + game.sabacc_pot)
print(sabacc_agents.zoo.read_card("casino-2p").name, *sabacc_agents.zoo.members())
print(sabacc_agents.zoo.network_file("casino-2p").stat().st_size > 10_000)
"""


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("zipapp") / "sabacc.pyz"
    build_zipapp.build(path)
    return path


def run(
    *arguments: str | Path, folder: Path, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder without the packages, and without those installed as they are."""
    environment = os.environ | {"PYTHONPATH": "", "XDG_CACHE_HOME": str(folder)} | environment
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, check=True, capture_output=True, text=True
    )


def test_a_hand_is_watched_from_it(archive: Path, tmp_path: Path) -> None:
    watch = (archive, "watch", "draws_to_zero", "tight", "--seed", "3")
    shown = run(*watch, folder=tmp_path, NUMBA_DISABLE_JIT="1").stdout
    assert "player_0 draws_to_zero" in shown
    assert "net credits" in shown
    rung = (archive, "watch", "random", "random", "--rules", "one_card", "--seed", "3")
    assert "net credits" in run(*rung, folder=tmp_path, NUMBA_DISABLE_JIT="1").stdout


def test_the_packages_and_their_files_are_imported_from_it(archive: Path, tmp_path: Path) -> None:
    told = run("-c", HAND, folder=tmp_path, PYTHONPATH=str(archive), NUMBA_DISABLE_JIT="1").stdout
    hand, zoo, network = told.splitlines()
    assert hand == f"{archive}/sabacc_env/__init__.py 0"
    assert zoo.startswith("casino-2p black_spire-2-8p ")
    assert network == "True"


@pytest.mark.slow
def test_compiled_code_of_it_is_cached(archive: Path, tmp_path: Path) -> None:
    watch = (archive, "watch", "heuristic", "tight", "--seed", "3")
    first, second = (run(*watch, folder=tmp_path) for _ in range(2))
    assert "compiling" in first.stderr
    assert "compiling" not in second.stderr
    assert first.stdout == second.stdout
