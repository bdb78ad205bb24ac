"""Paints the drawing of one table as an image, with Pillow (the extra ``render``).

Each shape is painted once, four times as large, reduced to a tile with smooth edges, and kept: the
next picture mostly puts tiles together.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageColor, ImageDraw, ImageFont

from sabacc_env.render.drawing import BACKGROUND, HEIGHT, WIDTH, draw_table
from sabacc_env.render.shapes import (
    GRADIENT_RADIUS,
    GRADIENTS,
    LINEAR_GRADIENTS,
    Box,
    Ellipse,
    Group,
    Polygon,
    Shape,
    Text,
)

if TYPE_CHECKING:
    from sabacc_env.game.game import Game

SUBPIXELS: Final = 4
"""How many times larger shapes are painted before they are reduced."""
MAX_TILES: Final = 2048
MINUS: Final = "−"
"""Pillow's own font has no such glyph; it is painted as the bar of its plus."""
ANCHORS: Final = {"start": 0.0, "middle": 0.5, "end": 1.0}


class Tile(NamedTuple):
    """A painted shape: its colours, how much of each pixel it covers, and where it lies."""

    colours: Image.Image
    coverage: Image.Image
    left: int
    top: int


def render_rgb(game: Game, seat: int | None = None) -> NDArray[np.uint8]:
    """Return the table as an image: everything, or only what one seat may know.

    It shows what ``render_svg`` shows.

    Args:
        game: the hand to draw, in play or over.
        seat: the point of view, as in ``render_svg``.

    Returns:
        Red, green and blue, (700, 900, 3).

    Raises:
        SabaccError: if there is no such seat.

    >>> from sabacc_env import Game
    >>> render_rgb(Game("casino", 3, seed=7), seat=1).shape
    (700, 900, 3)
    """
    table = draw_table(game, seat)
    image = _background().copy()
    _paint(image, table, 0, 1, 1)
    return np.array(image)


@lru_cache(maxsize=1)
def _background() -> Image.Image:
    image = Image.new("RGB", (WIDTH, HEIGHT), GRADIENTS["room"][1])
    _paint(image, BACKGROUND, 0, 1, 1)
    return image


def _paint(
    image: Image.Image, group: Group, origin: complex, turn: complex, opacity: float
) -> None:
    """Paint a group in coordinates ``z`` that lie at ``origin + turn * z`` in the image."""
    origin += turn * complex(group.x, group.y)
    turn *= cmath.rect(group.scale, math.radians(group.rotation))
    opacity *= group.opacity
    for member in group.members:
        if isinstance(member, Group):
            _paint(image, member, origin, turn, opacity)
            continue
        x, x_part = divmod(round(origin.real * SUBPIXELS), SUBPIXELS)
        y, y_part = divmod(round(origin.imag * SUBPIXELS), SUBPIXELS)
        tile = _tile(member, turn * SUBPIXELS, complex(x_part, y_part), opacity)
        image.paste(tile.colours, (x + tile.left, y + tile.top), tile.coverage)


@lru_cache(maxsize=MAX_TILES)
def _tile(shape: Shape | Text, turn: complex, at: complex, opacity: float) -> Tile:
    """Paint one shape whose coordinates ``z`` lie at ``at + turn * z``, in subpixels."""
    outline = [at + turn * point for point in _outline(shape, abs(turn))]
    margin = abs(turn) * (1 if isinstance(shape, Text) else shape.stroke_width / 2) + SUBPIXELS
    left, right = _limits([point.real for point in outline], margin)
    top, bottom = _limits([point.imag for point in outline], margin)
    corner = complex(left, top) * SUBPIXELS
    outline = [point - corner for point in outline]
    mask = Image.new("L", ((right - left) * SUBPIXELS, (bottom - top) * SUBPIXELS))
    if isinstance(shape, Text):
        _write(mask, shape, at + turn * complex(shape.x, shape.baseline) - corner, turn)
        painted = _coloured(mask, shape.fill)
    else:
        opacity *= shape.opacity
        painted = Image.new("RGBA", (right - left, bottom - top))
        if shape.fill != "none":
            ImageDraw.Draw(mask).polygon([(z.real, z.imag) for z in outline], fill=255)
            painted.alpha_composite(_coloured(mask, shape.fill))
        if shape.stroke != "none":
            mask.paste(0, (0, 0, *mask.size))
            _trace(mask, outline, shape.stroke_width * abs(turn), shape.dash * abs(turn))
            painted.alpha_composite(_coloured(mask, shape.stroke))
    coverage = painted.getchannel("A").point(lambda value: round(value * opacity))
    return Tile(painted.convert("RGB"), coverage, left, top)


def _limits(values: list[float], margin: float) -> tuple[int, int]:
    """Return the whole pixels between which all subpixels lie."""
    low, high = min(values) - margin, max(values) + margin
    return math.floor(low / SUBPIXELS), math.ceil(high / SUBPIXELS)


def _outline(shape: Shape | Text, scale: float) -> list[complex]:
    """Return a shape's corners, close enough together to look round where they should."""
    match shape:
        case Polygon():
            return [complex(*point) for point in shape.points]
        case Ellipse(x=x, y=y, rx=rx, ry=ry):
            return _arc(complex(x, y), rx, ry, 0, 1, scale)
        case Box(width=width, height=height, corner=corner):
            x, y = width / 2 - corner, height / 2 - corner
            middles = (complex(x, y), complex(-x, y), complex(-x, -y), complex(x, -y))
            return [
                point
                for quarter, middle in enumerate(middles)
                for point in _arc(middle, corner, corner, quarter / 4, 1 / 4, scale)
            ]
        case Text():
            font = _font(round(shape.size * scale))
            width = _text_length(font, shape.text) / scale
            left, top = shape.x - width * ANCHORS[shape.anchor], shape.y - shape.size / 2
            low = complex(left, top)
            return [low, low + width, low + complex(width, shape.size), low + shape.size * 1j]


def _arc(
    middle: complex, rx: float, ry: float, start: float, turns: float, scale: float
) -> list[complex]:
    steps = 1 + math.ceil(turns * 3 * math.sqrt(max(rx, ry) * scale))
    angles = [math.tau * (start + turns * step / steps) for step in range(steps + 1)]
    return [middle + complex(rx * math.cos(angle), ry * math.sin(angle)) for angle in angles]


def _trace(mask: Image.Image, outline: list[complex], width: float, dash: float) -> None:
    draw = ImageDraw.Draw(mask)
    closed = [*outline, outline[0]]
    for line in _dashes(closed, dash) if dash else [[*closed, outline[1]]]:
        draw.line([(z.real, z.imag) for z in line], fill=255, width=round(width), joint="curve")


def _dashes(line: list[complex], length: float) -> Iterator[list[complex]]:
    """Cut a line into pieces of this length, and leave out every other piece."""
    piece, rest, painted = [line[0]], length, True
    for start, end in pairwise(line):
        while (distance := abs(end - start)) > rest:
            start += (end - start) * (rest / distance)
            if painted:
                yield [*piece, start]
            piece, rest, painted = [start], length, not painted
        rest -= distance
        piece.append(end)
    if painted:
        yield piece


def _coloured(mask: Image.Image, fill: str) -> Image.Image:
    """Reduce a mask and give it a colour or a gradient."""
    coverage = mask.reduce(SUBPIXELS)
    if fill in GRADIENTS:
        image = _gradient(fill, coverage.size)
    else:
        image = Image.new("RGB", coverage.size, fill)
    image.putalpha(coverage)
    return image


def _gradient(name: str, size: tuple[int, int]) -> Image.Image:
    first, second = (np.array(ImageColor.getrgb(colour)) for colour in GRADIENTS[name])
    x, y = ((np.arange(length) + 0.5) / length for length in size)
    if name in LINEAR_GRADIENTS:
        share = np.broadcast_to(y[:, None], (len(y), len(x)))
    else:
        share = np.hypot(x - 0.5, y[:, None] - 0.5) / GRADIENT_RADIUS
    colours = first + (second - first) * np.minimum(share, 1)[..., None]
    return Image.fromarray(np.rint(colours).astype(np.uint8))


def _write(mask: Image.Image, text: Text, at: complex, turn: complex) -> None:
    """Write a text whose anchor and baseline meet at a point of the mask."""
    draw = ImageDraw.Draw(mask)
    size = text.size * abs(turn)
    font = _font(round(size))
    bold = round(size / 36) if text.bold else 0
    x = at.real - _text_length(font, text.text) * ANCHORS[text.anchor]
    plus = font.getlength("+")
    for index, piece in enumerate(text.text.split(MINUS)):
        if index:
            middle, half = at.imag - 0.3 * size, 0.035 * size + bold
            draw.rectangle((x + 0.1 * plus, middle - half, x + 0.9 * plus, middle + half), fill=255)
            x += plus
        draw.text((x, at.imag), piece, 255, font, "ls", stroke_width=bold)
        x += font.getlength(piece)
    if turn.imag:
        degrees = -math.degrees(cmath.phase(turn))
        mask.paste(mask.rotate(degrees, Image.Resampling.BILINEAR, center=(at.real, at.imag)))


def _text_length(font: ImageFont.FreeTypeFont, text: str) -> float:
    return font.getlength(text.replace(MINUS, "+"))


@lru_cache(maxsize=64)
def _font(size: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(size)
    assert isinstance(font, ImageFont.FreeTypeFont)
    return font
