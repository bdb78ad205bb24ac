"""Writes a hand as an animated picture, with Pillow (the extra ``render``)."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from sabacc_env.arguments import check_number
from sabacc_env.errors import SabaccError, how_to_install, short_repr
from sabacc_env.render.modes import RENDER_FPS
from sabacc_env.storage.files import write_bytes

if TYPE_CHECKING:
    from PIL import Image

    from sabacc_env.game.game import Game

FORMATS: Final[dict[str, dict[str, Any]]] = {
    ".gif": {"format": "GIF", "optimize": False},
    ".png": {"format": "PNG"},
    ".webp": {"format": "WEBP", "quality": 85, "method": 2},
}
"""For each end of a file's name, what Pillow is told."""
SLOWEST, FASTEST = 0.1, 100
"""The limits of pictures a second, which the formats set."""
LAST_PICTURES: Final = 4
"""For how many pictures' time the last one stays, before the animation starts again."""
PALETTE_PICTURES: Final = 8
"""How many pictures the 256 colours of a GIF are chosen from, at most."""


def animate(
    games: Iterable[Game], path: str | Path, fps: float = RENDER_FPS, seat: int | None = None
) -> None:
    """Write a picture of each game, one after the other, as one animated file that repeats.

    ``sabacc_env.game.positions`` gives the states of any hand.

    Args:
        games: the states of a hand in order.
        path: where to; its end says how: ``.webp`` (small, all colours), ``.gif`` (256 colours),
            or ``.png`` (APNG, exact). A file that is there is replaced, in one step.
        fps: pictures a second, 0.1 to 100; the last one stays four times as long.
        seat: the point of view, as in ``render_svg``.

    Raises:
        SabaccError: for another end of the name, without games, for another ``fps``, if there is no
            such seat, if the file cannot be written, and without Pillow.

    >>> import tempfile
    >>> from sabacc_env import Game
    >>> from sabacc_env.game import positions
    >>> game = Game("casino", 2, seed=7)
    >>> game.play("draw")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     animate(positions(game), f"{folder}/hand.webp", seat=0)
    """
    path = Path(path)
    settings = FORMATS.get(path.suffix.lower())
    if settings is None:
        known = ", ".join(FORMATS)
        raise SabaccError(f"path: {short_repr(str(path))} does not end in one of {known}")
    if not SLOWEST <= check_number("fps", fps) <= FASTEST:
        raise SabaccError(f"fps: {fps} is not from {SLOWEST} to {FASTEST}")
    states = list(games)
    if not states:
        raise SabaccError("games: there is none to draw; give the states of a hand in order")
    pictures = _pictures(states, seat)
    if settings["format"] == "GIF":
        pictures = _with_one_palette(pictures, states, seat)
    duration = round(1000 / fps)
    data = io.BytesIO()
    next(pictures).save(
        data,
        save_all=True,
        append_images=list(pictures),  # Pillow goes through them twice
        duration=[duration] * (len(states) - 1) + [LAST_PICTURES * duration],
        loop=0,
        **settings,
    )
    write_bytes(path, data.getvalue())


def _pictures(states: Sequence[Game], seat: int | None) -> Iterator[Image.Image]:
    """Return the pictures, each painted when it is asked for."""
    try:
        from PIL import Image

        from sabacc_env.render.image import render_rgb
    except ImportError:
        raise SabaccError(f"an animation needs Pillow; {how_to_install('render')}") from None
    return (Image.fromarray(render_rgb(game, seat)) for game in states)


def _with_one_palette(
    pictures: Iterator[Image.Image], states: Sequence[Game], seat: int | None
) -> Iterator[Image.Image]:
    """Reduce pictures to the same 256 colours: with colours of their own the felt would flicker."""
    from PIL import Image

    sampled = states[:: -(-len(states) // PALETTE_PICTURES)]
    sample = Image.fromarray(
        np.concatenate([np.asarray(picture)[::2, ::2] for picture in _pictures(sampled, seat)])
    )
    palette = sample.quantize(256, kmeans=1)
    return (picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures)
