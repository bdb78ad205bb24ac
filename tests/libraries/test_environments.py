"""Libraries with an environment of their own: there their page runs, and then their tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.libraries.environments import FOLDER, LIBRARIES, page_script, run


@pytest.mark.slow
@pytest.mark.parametrize("library", LIBRARIES)
def test_library(library: str, tmp_path: Path) -> None:
    script = tmp_path / "page.py"
    script.write_text(page_script(library))
    run(library, script)
    plain = ("-o", "addopts=--import-mode=importlib", "-o", "filterwarnings=")
    run(library, "-m", "pytest", *plain, FOLDER / library)
