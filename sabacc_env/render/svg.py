"""Writes the drawing of one table as a self-contained SVG picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias
from xml.etree.ElementTree import Element, SubElement, tostring

from sabacc_env.render.drawing import BACKGROUND, HEIGHT, WIDTH, draw_table, table_title
from sabacc_env.render.shapes import (
    GRADIENT_RADIUS,
    GRADIENTS,
    IVORY,
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

AttributeValue: TypeAlias = str | float

FONT: Final = "'Segoe UI', 'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', sans-serif"
INHERITED: Final[dict[str, AttributeValue]] = {
    "fill": IVORY,
    "stroke": "none",
    "stroke_width": 1,
    "stroke_linejoin": "round",
    "opacity": 1,
    "text_anchor": "middle",
    "font_family": FONT,
}
"""The attributes of the whole picture; an element names only those of its own that differ."""


def render_svg(game: Game, seat: int | None = None) -> str:
    """Return the table as an SVG picture: everything, or only what one seat may know.

    An eye marks the cards of a hand that everyone knows, a four-pointed star the Spike Card.

    Args:
        game: the hand to draw, in play or over.
        seat: the point of view: this seat is drawn on the near side, and what it may not know is
            nowhere in the text. None shows everything, with seat 0 on the near side.

    Raises:
        SabaccError: if there is no such seat.

    >>> from sabacc_env import Game
    >>> picture = render_svg(Game("casino", 3, seed=7), seat=1)
    >>> picture.startswith("<svg "), "player_2" in picture
    (True, True)
    """
    table = draw_table(game, seat)
    svg = Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "role": "img"})
    svg.attrib |= {"viewBox": f"0 0 {WIDTH} {HEIGHT}", "width": str(WIDTH), "height": str(HEIGHT)}
    svg.attrib |= _attributes(INHERITED)
    _add(svg, "title").text = table_title(game)
    _add_gradients(svg)
    for group in (BACKGROUND, table):
        _add_group(svg, group)
    return tostring(svg, encoding="unicode") + "\n"


def _add_gradients(svg: Element) -> None:
    defs = _add(svg, "defs")
    for name, colours in GRADIENTS.items():
        if name in LINEAR_GRADIENTS:
            gradient = _add(defs, "linearGradient", id=f"sabacc-{name}", x2=0, y2=1)
        else:
            gradient = _add(defs, "radialGradient", id=f"sabacc-{name}", r=GRADIENT_RADIUS)
        for offset, colour in enumerate(colours):
            _add(gradient, "stop", offset=offset, stop_color=colour)


def _add_group(parent: Element, group: Group) -> None:
    steps = [f"translate({group.x:g} {group.y:g})"] if group.x or group.y else []
    steps += [f"rotate({group.rotation:g})"] if group.rotation else []
    steps += [f"scale({group.scale:g})"] if group.scale != 1 else []
    element = _add(parent, "g", **({"transform": " ".join(steps)} if steps else {}))
    element.attrib |= _attributes(_own(opacity=group.opacity))
    for member in group.members:
        match member:
            case Group():
                _add_group(element, member)
            case Text():
                _add_text(element, member)
            case Ellipse(x=x, y=y, rx=rx, ry=ry) if rx == ry:
                _add(element, "circle", cx=x, cy=y, r=rx, **_paint(member))
            case Ellipse(x=x, y=y, rx=rx, ry=ry):
                _add(element, "ellipse", cx=x, cy=y, rx=rx, ry=ry, **_paint(member))
            case Box(width=width, height=height, corner=corner):
                at = {"x": -width / 2, "y": -height / 2, "width": width, "height": height}
                _add(element, "rect", **at, rx=corner, **_paint(member))
            case Polygon(points=points):
                corners = " ".join(f"{x:g},{y:g}" for x, y in points)
                _add(element, "polygon", points=corners, **_paint(member))


def _add_text(parent: Element, text: Text) -> None:
    own = _own(fill=text.fill, text_anchor=text.anchor)
    if text.bold:
        own["font_weight"] = 600
    place = {"x": text.x, "y": text.baseline, "font_size": text.size}
    _add(parent, "text", **place, **own).text = text.text


def _paint(shape: Shape) -> dict[str, AttributeValue]:
    own = _own(
        fill=f"url(#sabacc-{shape.fill})" if shape.fill in GRADIENTS else shape.fill,
        stroke=shape.stroke,
        stroke_width=shape.stroke_width,
        opacity=shape.opacity,
    )
    return own | ({"stroke_dasharray": shape.dash} if shape.dash else {})


def _own(**attributes: AttributeValue) -> dict[str, AttributeValue]:
    """Keep the attributes that differ from the whole picture's."""
    return {name: value for name, value in attributes.items() if value != INHERITED[name]}


def _attributes(values: dict[str, AttributeValue]) -> dict[str, str]:
    """Return attributes as text: hyphens for the underscores of names, and short numbers."""
    return {
        name.replace("_", "-"): value if isinstance(value, str) else f"{value:g}"
        for name, value in values.items()
    }


def _add(parent: Element, tag: str, **attributes: AttributeValue) -> Element:
    return SubElement(parent, tag, _attributes(attributes))
