"""Draw docs/images/layers.svg: the parts of the packages in layers, from pyproject.toml.

Its import contracts name every part. ``python -m tools.draw_layers`` writes the picture, and a test
holds it current.
"""

from __future__ import annotations

import tomllib
from math import ceil
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent
PICTURE: Final = ROOT / "docs" / "images" / "layers.svg"

NOTES: Final = {
    "sabacc_training": "trains, plays, measures",
    "sabacc_agents": "choose actions",
    "sabacc_env": "the environment",
    "sabacc_env.engine": "compiled; nothing else decides a rule",
}
"""The packages that are drawn, and what each is for."""
WIDEST: Final = 5  # parts side by side; more go into several lines
PART, GAP, HEAD, MARGIN = 26, 6, 54, 12  # heights and distances, in pixels
LEFT, RIGHT = 320, 416  # widths of the two columns
STYLE: Final = """
  text { font-family: system-ui, sans-serif; fill: #1f2933; }
  .ground { fill: #ffffff; }
  .package { fill: #eef2f6; stroke: #b6c0ca; }
  .part { fill: #ffffff; stroke: #8a97a5; }
  .arrow { stroke: #52606d; stroke-width: 2; fill: none; }
  .title { font-size: 15px; font-weight: 600; }
  .note { font-size: 13px; fill: #52606d; }
  .name { font-size: 12px; text-anchor: middle; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e4e7eb; }
    .ground { fill: #131416; }
    .package { fill: #1e2328; stroke: #4a545e; }
    .part { fill: #2b323a; stroke: #6b7783; }
    .note { fill: #b3bdc7; }
    .arrow { stroke: #b3bdc7; }
  }
"""


def layers(package: str) -> list[list[str]]:
    """Return the parts of a package, layer by layer, the uppermost first."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    for contract in contracts["contracts"]:
        if contract.get("containers") == [package]:
            return [layer.split(" : ") for layer in contract["layers"]]
    raise LookupError(f"pyproject.toml has no contract for {package}")


def draw_package(package: str, left: int, top: int, width: int) -> tuple[str, int]:
    """Return a package with its parts, and how many pixels high it is."""
    inside = width - 2 * MARGIN
    drawn = ""
    y = top + HEAD
    for layer in layers(package):
        if f"{package}.{layer[0]}" in NOTES:
            parts, height = draw_package(f"{package}.{layer[0]}", left + MARGIN, y, inside)
        else:
            parts, height = draw_layer(layer, left + MARGIN, y, inside)
        drawn += parts
        y += height + GAP
    height = y - GAP + MARGIN - top
    frame = (
        f'<rect class="package" x="{left}" y="{top}" width="{width}" height="{height}" rx="8"/>\n'
        f'<text class="title" x="{left + MARGIN}" y="{top + 23}">{package}</text>\n'
        f'<text class="note" x="{left + MARGIN}" y="{top + 43}">{NOTES[package]}</text>\n'
    )
    return frame + drawn, height


def draw_layer(parts: list[str], left: int, top: int, width: int) -> tuple[str, int]:
    """Return parts side by side, in lines that touch, and how many pixels high they are."""
    longest = ceil(len(parts) / ceil(len(parts) / WIDEST))
    drawn = ""
    for place, part in enumerate(parts):
        line, column = divmod(place, longest)
        count = min(longest, len(parts) - line * longest)
        each = (width - GAP * (count - 1)) // count
        x, y = left + column * (each + GAP), top + line * PART
        drawn += (
            f'<rect class="part" x="{x}" y="{y}" width="{each}" height="{PART}" rx="4"/>\n'
            f'<text class="name" x="{x + each // 2}" y="{y + 18}">{part}</text>\n'
        )
    return drawn, (line + 1) * PART


def picture() -> str:
    """Return the picture: training over agents, and the environment beside them."""
    training, above = draw_package("sabacc_training", MARGIN, MARGIN, LEFT)
    below = MARGIN + above + 3 * MARGIN
    agents, last = draw_package("sabacc_agents", MARGIN, below, LEFT)
    environment, tall = draw_package("sabacc_env", LEFT + 3 * MARGIN, MARGIN, RIGHT)
    middle, side = MARGIN + LEFT // 2, below + last // 2
    arrows = (
        f'<path class="arrow" d="M{middle} {MARGIN + above + 4}V{below - 6}m-5 -6l5 6l5 -6"/>\n'
        f'<path class="arrow" d="M{MARGIN + LEFT + 3} {side}h16m-6 -5l6 5l-6 5"/>\n'
    )
    width, height = LEFT + RIGHT + 4 * MARGIN, max(below + last, MARGIN + tall) + MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        'aria-label="The parts of the three packages, layer by layer">\n'
        f"<style>{STYLE}</style>\n"
        f'<rect class="ground" width="{width}" height="{height}" rx="8"/>\n'
        f"{training}{agents}{environment}{arrows}</svg>\n"
    )


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
