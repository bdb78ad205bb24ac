"""Compiling: said in one line, cached, never stale, and possible where nothing can be written."""

from __future__ import annotations

import ast
import os
import pickle
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba.core.caching import NullCache

from sabacc_env.engine.cache import folder_name
from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import Array, Record
from tests.support.damage import flip_bit
from tests.support.modes import INTERPRETED

ROOT = Path(__file__).parents[2]
COMPILES_ONE = "from sabacc_env.engine.chance import mix; print(mix(3))"
JIT = "from sabacc_env.engine.jit import jit\n"
CALLED = "@jit\ndef doubled(x): return 2 * x\n"
CALLS = "from {} import doubled\n@jit\ndef twice(x): return 2 * doubled(x)\n"
NOTICE = "sabacc-env: compiling the engine"

pytestmark = pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")


def run(root: Path, cache: Path, code: str = COMPILES_ONE, **settings: str) -> tuple[str, str]:
    """Return what a new process that compiles one function prints, on both its streams."""
    environment = os.environ | {"PYTHONPATH": str(root), "XDG_CACHE_HOME": str(cache)} | settings
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout, done.stderr


def test_one_line_says_that_it_compiles_and_none_that_it_is_cached(tmp_path: Path) -> None:
    first, notice = run(ROOT, tmp_path)
    assert notice.count("\n") == 1
    assert notice.startswith(NOTICE)
    assert run(ROOT, tmp_path) == (first, "")


IMPORTS = """
from numba.core import event

with event.install_recorder("numba:compile") as recorder:
    import sabacc_agents.search
    import sabacc_agents.zoo
    from sabacc_agents.loading import load
functions = [each.data["dispatcher"].py_func for _, each in recorder.buffer if each.is_start]
print(sorted({function.__module__ for function in functions}))
"""


def test_no_import_compiles_more_than_policies(tmp_path: Path) -> None:
    """To compile all that agents call takes a minute. Policies are passed, so they must be."""
    modules = ["numba.cpython.", "sabacc_agents.search.heuristic", "sabacc_env.engine.bit_sets"]
    modules += ["sabacc_env.engine.drivers.simple_policies", "sabacc_env.engine.chance"]
    imported, _ = run(ROOT, tmp_path, IMPORTS)
    assert "simple_policies" in imported
    assert [
        name for name in ast.literal_eval(imported) if not name.startswith(tuple(modules))
    ] == []


def test_changed_source_is_compiled_anew(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "sabacc_env", tmp_path / "sabacc_env")
    before, _ = run(tmp_path, tmp_path / "cache")
    source = tmp_path / "sabacc_env" / "engine" / "chance.py"
    source.write_text(source.read_text().replace("0x21F0AAAD", "0x21F0AAAF"))
    after, notice = run(tmp_path, tmp_path / "cache")
    assert after != before
    assert notice.startswith(NOTICE)


@jit
def _first_field(record: Record) -> float:
    return record.a


@jit
def _first_fields(records: Array) -> float:
    return _first_field(records[0])


def test_records_of_more_and_of_fewer_fields_are_compiled_without_a_warning() -> None:
    """Numba warns where one can be converted to the other, so in an order of calls only."""
    compiled: Any
    for compiled in (_first_field, _first_fields):
        compiled._cache = NullCache()
    for fields in ("a", "ab", "abc"):
        records = np.ones(1, np.dtype([(name, np.float32) for name in fields]))
        assert _first_fields(records) == 1
    assert len(compiled.signatures) == 3


@pytest.mark.parametrize(
    ("caller", "called"),
    [
        ("users/in_front", "sabacc_env/engine/inside/behind"),
        *(
            pytest.param(*folders, marks=pytest.mark.slow)
            for folders in (
                ("users/in_front", "sabacc_agents/inside/behind"),
                ("in_front", "behind"),
                ("sabacc_env/engine/in_front", "sabacc_env/engine/inside/deeper/behind"),
                ("sabacc_env/engine/inside/in_front", "sabacc_env/engine/behind"),
                ("users/inside/in_front", "users/other/behind"),
            )
        ),
    ],
)
def test_changed_source_of_a_called_function_in_any_folder_is_compiled_anew(
    tmp_path: Path, caller: str, called: str
) -> None:
    """Numba itself looks at the file of the caller alone."""
    shutil.copytree(ROOT / "sabacc_env", tmp_path / "sabacc_env")
    for name, function in ((called, CALLED), (caller, CALLS.format(called.replace("/", ".")))):
        file = tmp_path / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        for folder in file.relative_to(tmp_path).parents[:-1]:
            (tmp_path / folder / "__init__.py").touch()
        file.write_text(JIT + function)
    code = f"from {caller.replace('/', '.')} import twice; print(twice(3))"
    assert run(tmp_path, tmp_path / "cache", code)[0] == "12\n"
    assert run(tmp_path, tmp_path / "cache", code) == ("12\n", "")
    changed_file = tmp_path / f"{called}.py"
    changed_file.write_text(changed_file.read_text().replace("2 *", "5 *"))
    assert run(tmp_path, tmp_path / "cache", code)[0] == "30\n"


@pytest.fixture
def nowhere(tmp_path: Path) -> Path:
    """A file where a cache of the user's would be."""
    file = tmp_path / "file"
    file.touch()
    return file


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    """A folder for temporary files that all users share."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    folder.chmod(0o1777)
    return folder


NO_CACHE = "no cache folder can be written"


def emptied(data: bytes) -> bytes:
    return b""


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def changed_at_the_start(data: bytes) -> bytes:
    return flip_bit(data, 0)


def changed_in_the_code(data: bytes) -> bytes:
    return flip_bit(data, len(data) // 2)


def something_else(data: bytes) -> bytes:
    return pickle.dumps("something else")


@pytest.mark.parametrize(
    "damaged",
    [
        cut,
        *(
            pytest.param(damage, marks=pytest.mark.slow)
            for damage in (changed_in_the_code, emptied, changed_at_the_start, something_else)
        ),
    ],
)
def test_what_is_damaged_is_compiled_anew_and_replaced(
    damaged: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    first, _ = run(ROOT, tmp_path)
    whole = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    for path, data in whole.items():
        path.write_bytes(damaged(data))
    again, notice = run(ROOT, tmp_path)
    assert again == first
    assert notice.startswith(NOTICE)
    assert notice.count("\n") == 1
    assert run(ROOT, tmp_path) == (first, "")
    assert {path for path in tmp_path.rglob("*") if path.is_file()} == set(whole)


FULL_DISK = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)); "


def test_on_a_full_disk_it_is_compiled_and_not_cached(tmp_path: Path, temporary: Path) -> None:
    first, notice = run(ROOT, tmp_path, FULL_DISK + COMPILES_ONE, TMPDIR=str(temporary))
    assert NO_CACHE in notice
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
    cached, _ = run(ROOT, tmp_path)
    assert cached == first
    assert run(ROOT, tmp_path, FULL_DISK + COMPILES_ONE) == (first, "")


def test_where_the_users_cache_cannot_be_written_it_is_cached_in_a_folder_of_the_users_own(
    nowhere: Path, temporary: Path
) -> None:
    first, notice = run(ROOT, nowhere, TMPDIR=str(temporary))
    assert notice.startswith(NOTICE)
    assert run(ROOT, nowhere, TMPDIR=str(temporary)) == (first, "")
    (folder,) = temporary.iterdir()
    assert folder.name == f"sabacc-env-{os.getuid()}"
    assert [stat.S_IMODE(each.stat().st_mode) for each in (folder, *folder.iterdir())] == [
        0o700
    ] * 2


def is_anothers(folder: Path, elsewhere: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can give a folder to somebody else")
    folder.mkdir(mode=0o700)
    os.chown(folder, 12345, 12345)


def is_a_link(folder: Path, elsewhere: Path) -> None:
    elsewhere.mkdir(mode=0o700)
    folder.symlink_to(elsewhere)


def holds_a_folder_that_others_can_write_into(folder: Path, elsewhere: Path) -> None:
    (folder / folder_name()).mkdir(parents=True)
    (folder / folder_name()).chmod(0o777)


def is_renamed_by_others(folder: Path, elsewhere: Path) -> None:
    folder.parent.chmod(0o777)


@pytest.mark.parametrize(
    "spoil",
    [
        is_anothers,
        is_a_link,
        holds_a_folder_that_others_can_write_into,
        is_renamed_by_others,
    ],
)
def test_code_is_never_taken_from_where_others_could_have_put_it(
    spoil: Callable[[Path, Path], None], nowhere: Path, temporary: Path, tmp_path: Path
) -> None:
    spoil(temporary / f"sabacc-env-{os.getuid()}", tmp_path / "elsewhere")
    _, notice = run(ROOT, nowhere, TMPDIR=str(temporary))
    assert NO_CACHE in notice
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and path != nowhere]


@pytest.mark.parametrize("folders", ["file", "absent"])
def test_where_nothing_can_be_written_it_is_compiled_and_not_cached(
    nowhere: Path, folders: str
) -> None:
    candidates = [str(nowhere.with_name(folders))]
    unwritable = f"import tempfile; tempfile._candidate_tempdir_list = lambda: {candidates}"
    _, notice = run(ROOT, nowhere, code=f"{unwritable}; {COMPILES_ONE}")
    assert NO_CACHE in notice
