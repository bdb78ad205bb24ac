"""tools/setup_environment.py with a uv that only notes what it is asked."""

import importlib.util
import shutil
import sys
from collections import namedtuple
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
UV = """#!/bin/sh
echo "$*" >> {folder}/asked
case "$*" in
    "cache dir") echo {folder}/cache ;;
    *--dry-run*) cat > /dev/null; cat {folder}/dry-run >&2 ;;
    *--require-hashes*) cat > {folder}/installed; test ! -e {folder}/fail ;;
esac
"""
DRY_RUN = """Would download 1 package
Would install 2 packages
 + torch==2.13.0
 + rich==15.0.0
"""


@pytest.fixture
def setup(tmp_path, monkeypatch):
    """The script as a module, in a project of its own, with that uv on the PATH."""
    project = tmp_path / "project"
    (project / "tools").mkdir(parents=True)
    for name in ("requirements.lock", "pyproject.toml", "tools/setup_environment.py"):
        shutil.copy(ROOT / name, project / name)
    uv = tmp_path / "bin" / "uv"
    uv.parent.mkdir()
    uv.write_text(UV.format(folder=tmp_path))
    uv.chmod(0o755)
    (tmp_path / "dry-run").write_text(DRY_RUN)
    monkeypatch.setenv("PATH", f"{uv.parent}:/usr/bin:/bin")
    script = project / "tools" / "setup_environment.py"
    spec = importlib.util.spec_from_file_location("setup_environment", script)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.folder = tmp_path
    return module


def asked(setup):
    return (setup.folder / "asked").read_text().splitlines()


def package(setup, name, *files):
    info = setup.SITE_PACKAGES / f"{name}.dist-info"
    info.mkdir(parents=True)
    (info / "RECORD").write_text("".join(f"{file},,0\n" for file in files))
    return info


def test_it_says_what_and_how_large_then_installs_once(setup, capfd):
    setup.main()
    said = capfd.readouterr().out
    assert "Installing 2 packages" in said
    assert " GB on disk" in said
    assert " GB to download" in said
    assert [entry for entry in asked(setup) if "--compile-bytecode" in entry] == asked(setup)[-2:-1]
    assert asked(setup)[-1].endswith(f"--editable {setup.ROOT}")
    before = asked(setup)
    setup.main()
    assert asked(setup) == before
    assert capfd.readouterr().out == ""


def test_a_changed_lock_is_installed(setup):
    setup.main()
    before = asked(setup)
    with (setup.ROOT / "requirements.lock").open("a") as lock:
        lock.write("# changed\n")
    setup.main()
    assert len(asked(setup)) > len(before)


def test_a_set_up_that_failed_is_taken_up_again(setup):
    fail = setup.folder / "fail"
    fail.touch()
    with pytest.raises(SystemExit, match="uv failed"):
        setup.main()
    whole = package(setup, "whole-1", "whole.py")
    partial = package(setup, "partial-1", "partial.py")
    (setup.SITE_PACKAGES / "whole.py").touch()
    fail.unlink()
    setup.main()
    assert whole.exists()
    assert not partial.exists()
    assert setup.FINISHED.exists()


def test_too_little_space_is_one_sentence(setup, monkeypatch):
    usage = namedtuple("usage", "total used free")(9 * 10**9, 8 * 10**9, 2 * 10**8)
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: usage)
    with pytest.raises(SystemExit, match=r"has 0\.2 GB free, but the packages need up to .* GB\.$"):
        setup.main()
    assert not (setup.folder / "installed").exists()


@pytest.mark.parametrize(
    ("build", "kept"), [("+cpu", True), ("", False)], ids=["without CUDA", "from the index"]
)
def test_another_build_of_the_pinned_torch_is_kept(setup, build, kept):
    setup.make_venv(with_pip=False)
    version = setup.requirements()["torch"].split()[0].removeprefix("torch==")
    package(setup, f"torch-{version}{build}", "torch.py")
    (setup.SITE_PACKAGES / "torch.py").touch()
    setup.main()
    installed = (setup.folder / "installed").read_text()
    assert ("\ntorch==" not in installed) == kept
    for name in ("nvidia-", "cuda-bindings", "numba-cuda"):
        assert (f"\n{name}" not in installed) == kept
    assert "\nnumpy==" in installed


def test_a_venv_of_another_python_is_replaced(setup, capfd):
    other = setup.VENV / "lib" / "python3.1"
    other.mkdir(parents=True)
    setup.main()
    assert "Replacing .venv" in capfd.readouterr().out
    assert not other.exists()


def test_a_python_without_venv_is_one_sentence(setup, monkeypatch):
    monkeypatch.setitem(sys.modules, "venv", None)
    with pytest.raises(SystemExit, match="lacks the module venv; install it"):
        setup.main()


def test_uv_gets_the_index_that_pip_has(setup, monkeypatch):
    monkeypatch.delenv("UV_DEFAULT_INDEX", raising=False)
    monkeypatch.setenv("SSL_CERT_FILE", "mine")
    setup.PYTHON = setup.folder / "python"
    setup.PYTHON.write_text(
        "#!/bin/sh\n"
        """echo ":env:.index-url='of-env'\nglobal.cert='pips'\nglobal.index-url='of-file'"\n"""
    )
    setup.PYTHON.chmod(0o755)
    assert setup.pip_settings() == {"UV_DEFAULT_INDEX": "of-env"}
