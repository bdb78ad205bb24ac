"""Play a hand in a browser and in a terminal, and photograph both tables of ``sabacc play``.

``python -m tools.photograph_table`` writes docs/images/play.webp and terminal.webp. It needs
Chromium, and the development packages.
"""

from __future__ import annotations

import asyncio
import io
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from PIL import Image
from playwright.sync_api import Browser, sync_playwright
from sabacc_training.play.table_folder import TableFolder

from tests.support import terminal_table
from tests.support.play_server import new_table, serving

IMAGES: Final = Path(__file__).parent.parent / "docs" / "images"
SEATS: Final = ("person", "maximiser", "zoo:casino-2-8p", "tight")


@contextmanager
def chromium() -> Iterator[Browser]:
    """Yield Debian's Chromium."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        yield browser
        browser.close()


def photograph_page() -> bytes:
    """Return a PNG of a hand whose betting begins."""
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder)) as (tables, address),
        chromium() as browser,
    ):
        page = browser.new_page(
            viewport={"width": 1200, "height": 920}, color_scheme="dark", device_scale_factor=1.5
        )
        page.goto(f"http://{address}/table/{new_table(tables, *SEATS, rules='casino', seed=12)}")
        page.click("#actions [data-shortcut='2']")
        page.wait_for_selector("#amount")  # the betting has begun
        page.wait_for_timeout(500)  # cards have come to rest
        return page.screenshot()


def photograph_terminal() -> bytes:
    """Return a PNG of a hand in a terminal of 120 columns and 34 lines."""
    with tempfile.TemporaryDirectory() as folder:
        tables, name = terminal_table.new_table(
            Path(folder), *SEATS, seconds=1, rules="casino", seed=12
        )
        drawn = asyncio.run(_played_in_terminal(tables, name))
    with chromium() as browser:
        page = browser.new_page(device_scale_factor=1.5)
        page.set_content(re.sub(r"@font-face \{.*?\}", "", drawn, flags=re.DOTALL))
        # This font has all signs of cards in one width; the next best one may not.
        font = "font-family: 'DejaVu Sans Mono', monospace !important;"
        page.add_style_tag(content=f"svg {{ width: 1000px; }} text {{ {font} }}")
        return page.locator("svg").screenshot()


async def _played_in_terminal(tables: TableFolder, name: str) -> str:
    async with terminal_table.seated(tables, name, size=(120, 34)) as person:
        for key in "21":
            await person.wait_for_turn()
            await person.play(key)
        await person.wait_for_turn()
        return person.app.export_screenshot()


if __name__ == "__main__":
    for name, picture in {"play": photograph_page(), "terminal": photograph_terminal()}.items():
        Image.open(io.BytesIO(picture)).save(IMAGES / f"{name}.webp", quality=80)
