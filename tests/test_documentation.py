"""What the documentation says is so: generated tables are current, README blocks run."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

spec = importlib.util.spec_from_file_location("tables", ROOT / "tools" / "generate_tables.py")
assert spec is not None
assert spec.loader is not None
tables = importlib.util.module_from_spec(spec)
spec.loader.exec_module(tables)


@pytest.mark.parametrize("name", tables.PAGES)
def test_generated_table_is_current(name: str) -> None:
    page = (ROOT / name).read_text()
    assert page == tables.PAGES[name](), "run `make tables`"
