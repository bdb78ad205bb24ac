"""What is shipped, and what requirements.lock pins."""

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LOCK = (ROOT / "requirements.lock").read_text()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The names of the files in the wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (path,) = folder.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        return archive.namelist()


def test_wheel_holds_the_packages_and_nothing_else(wheel):
    tops = {name.split("/")[0] for name in wheel}
    assert {top for top in tops if not top.endswith(".dist-info")} == {
        "sabacc_env",
        "sabacc_agents",
        "sabacc_training",
        "sabacc_verifiers",
    }


def test_wheel_holds_types_rules_and_licenses(wheel):
    for package in ("sabacc_env", "sabacc_agents", "sabacc_training", "sabacc_verifiers"):
        assert f"{package}/py.typed" in wheel
    data = {path.name for path in (ROOT / "sabacc_env/rules/data").glob("*.toml")}
    assert len(data) >= 6
    assert {f"sabacc_env/rules/data/{name}" for name in data} <= set(wheel)
    assert {"LICENSE", "NOTICE"} <= {name.split("/")[-1] for name in wheel}


def test_lock_holds_hashes_and_no_addresses():
    assert "://" not in LOCK
    assert all("--hash=sha256:" in entry for entry in re.split(r"\n(?=\w)", LOCK)[1:])


def test_lock_answers_pyproject():
    groups = PROJECT["dependency-groups"]
    asked = [
        *PROJECT["build-system"]["requires"],
        *PROJECT["project"]["dependencies"],
        *PROJECT["project"]["optional-dependencies"]["train"],
        *(text for group in groups.values() for text in group if isinstance(text, str)),
    ]
    pinned = dict(re.findall(r"^([\w.-]+)==(\S+)", LOCK, re.MULTILINE))
    for requirement in map(Requirement, asked):
        if requirement.name != PROJECT["project"]["name"]:
            assert requirement.name in pinned, f"{requirement} is not in the lock: make lock"
            assert requirement.specifier.contains(pinned[requirement.name])
