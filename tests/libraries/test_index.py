"""The table of libraries says what their pages, the locks and the tests say."""

from __future__ import annotations

import re

import pytest

from tests.libraries.environments import FOLDER, ROOT

PAGES = ROOT / "docs" / "libraries"
ROW = re.compile(
    r"^\| \[.+\]\((\w+)\.md\) \| `(.+)` \| (\d+) \| (.+) \| (.+) \| `(.+)` \|$", re.MULTILINE
)
ROWS = ROW.findall((PAGES / "index.md").read_text())


def test_every_page_has_a_row() -> None:
    assert {row[0] for row in ROWS} == {path.stem for path in PAGES.glob("*.md")} - {"index"}


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_row(row: tuple[str, ...]) -> None:
    library, version, num_lines, speed, example_speed, test = row
    page = (PAGES / f"{library}.md").read_text()
    block = re.search(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    assert block is not None
    lines = [line for line in block[1].splitlines() if line]
    assert len(lines) == int(num_lines) <= 10
    assert f"| {speed} |" in page
    assert f"| {example_speed} |" in page
    assert (ROOT / test).exists()
    own = FOLDER / library / "requirements.txt"
    lock = own if own.exists() else ROOT / "requirements.lock"
    assert re.search(rf"^{re.escape(version)}\b", lock.read_text(), re.MULTILINE)
