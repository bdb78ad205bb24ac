"""Libraries with an environment of their own: there their page runs, and then their tests."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.libraries.environments import FOLDER, LIBRARIES, ROOT, run

BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


@pytest.mark.slow
@pytest.mark.parametrize("library", LIBRARIES)
def test_library(library: str, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "libraries" / f"{library}.md").read_text()
    script = tmp_path / "page.py"
    script.write_text("\n".join(BLOCK.findall(page)))
    run(library, script)
    plain = ("-o", "addopts=--import-mode=importlib", "-o", "filterwarnings=")
    run(library, "-m", "pytest", *plain, FOLDER / library)
