"""Draw the table that the README shows, docs/images/table.svg; a test holds it current."""

from __future__ import annotations

from pathlib import Path

from sabacc_env import Game
from sabacc_env.render.svg import render_svg

PICTURE = Path(__file__).parent.parent / "docs" / "images" / "table.svg"
MOVES = (
    *("swap -10c", "stand", "draw", "draw", "raise 7", "call", "call", "call"),
    *("stand", "stand", "swap -8s", "draw", "raise 5", "call", "raise 14", "junk"),
    *("raise 25", "call", "call"),
    *("stand", "swap -6t", "stand", "raise 9", "raise 20"),
)
"""A hand of the casino's rules, up to a raise in the last round that player_2 has to answer."""


def picture() -> str:
    """Return the table as player_2 sees it."""
    game = Game("casino", num_players=4, seed=3661, dealer=3)
    for move in MOVES:
        game.play(move)
    return render_svg(game, seat=2)


def main() -> None:
    """Write the picture."""
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(picture(), encoding="utf-8")


if __name__ == "__main__":
    main()
