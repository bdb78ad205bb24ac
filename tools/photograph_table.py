"""Play a hand in a browser, and photograph the page that ``sabacc play`` serves.

``python -m tools.photograph_table`` writes docs/images/play.webp. It needs Chromium, and the
development packages.
"""

from __future__ import annotations

import io
import shutil
import tempfile
from pathlib import Path
from typing import Final

from PIL import Image
from playwright.sync_api import sync_playwright

from tests.support.play_server import new_table, serving

PICTURE: Final = Path(__file__).parent.parent / "docs" / "images" / "play.webp"
SEATS: Final = ("person", "maximiser", "zoo:casino-2-8p", "tight")


def photograph() -> bytes:
    """Return a PNG of a hand in its second round, with hints."""
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder)) as (tables, address),
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(
            viewport={"width": 1200, "height": 860}, color_scheme="dark", device_scale_factor=1.5
        )
        page.goto(f"http://{address}/table/{new_table(tables, *SEATS, rules='casino', seed=12)}")
        page.click("#actions [data-shortcut='2']")
        page.wait_for_selector("#amount")  # the betting has begun
        page.wait_for_timeout(500)  # cards have come to rest
        picture = page.screenshot()
        browser.close()
        return picture


if __name__ == "__main__":
    Image.open(io.BytesIO(photograph())).save(PICTURE, quality=80)
