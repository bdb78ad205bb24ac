"""Compiling: said in one line, kept, never stale, and possible where nothing can be written."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engine.twins import INTERPRETED

ROOT = Path(__file__).parents[2]
COMPILES_ONE = "from sabacc_env.engine.chance import mix; print(mix(3))"
NOTICE = "sabacc-env: compiling what is new"

pytestmark = pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")


def run(root: Path, cache: Path, **settings: str) -> tuple[str, str]:
    """Return what a new process that compiles one function prints, on both its streams."""
    environment = os.environ | {"PYTHONPATH": str(root), "XDG_CACHE_HOME": str(cache)} | settings
    done = subprocess.run(
        [sys.executable, "-c", COMPILES_ONE],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout, done.stderr


def test_one_line_says_that_it_compiles_and_none_that_it_is_kept(tmp_path: Path) -> None:
    first, notice = run(ROOT, tmp_path)
    assert notice.count("\n") == 1
    assert notice.startswith(NOTICE)
    assert run(ROOT, tmp_path) == (first, "")


def test_changed_source_is_compiled_anew(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "sabacc_env", tmp_path / "sabacc_env")
    before, _ = run(tmp_path, tmp_path / "cache")
    source = tmp_path / "sabacc_env" / "engine" / "chance.py"
    source.write_text(source.read_text().replace("0x21F0AAAD", "0x21F0AAAF"))
    after, notice = run(tmp_path, tmp_path / "cache")
    assert after != before
    assert notice.startswith(NOTICE)


def test_folders_that_cannot_be_written(tmp_path: Path) -> None:
    no_folder = tmp_path / "file"
    no_folder.touch()
    expected = run(ROOT, tmp_path)[0]
    assert run(ROOT, no_folder)[0] == expected  # kept in the folder for temporary files instead
    unwritable = f"import tempfile; tempfile.tempdir = {str(no_folder)!r}; {COMPILES_ONE}"
    done = subprocess.run(
        [sys.executable, "-c", unwritable],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(no_folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == expected
    assert "no folder can be written" in done.stderr
