"""What a drawing is made of: shapes, texts and groups of them, as plain data for any writer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

Point: TypeAlias = tuple[float, float]
Shape: TypeAlias = "Ellipse | Box | Polygon"
Member: TypeAlias = "Shape | Text | Group"

IVORY: Final = "#f6f1e3"
"""The colour of a shape or text that names no other."""
LINEAR_GRADIENTS: Final = {
    "plate": ("#223240", "#121c25"),
    "rim": ("#80593a", "#3b2717"),
    "back": ("#3b4f80", "#1d294b"),
    "positive": ("#2fa463", "#136539"),
    "negative": ("#dd5443", "#962620"),
    "sylop": ("#707a89", "#3a4350"),
}
"""Two colours each, from top to bottom of the shape."""
RADIAL_GRADIENTS: Final = {"room": ("#2a3947", "#151e27"), "felt": ("#2b6a80", "#164052")}
"""Two colours each, from the middle of the shape outwards."""
GRADIENTS: Final = LINEAR_GRADIENTS | RADIAL_GRADIENTS
GRADIENT_RADIUS: Final = 0.65
"""How far a radial gradient goes, in widths and heights of the shape."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paint:
    """How a shape is painted.

    Attributes:
        fill: a colour, the name of a gradient, or "none".
        stroke: the colour of the outline, or "none".
        stroke_width: the width of the outline.
        dash: the length of the outline's dashes and of the gaps between them; 0 for no gaps.
        opacity: of fill and outline, 0 to 1.
    """

    fill: str = IVORY
    stroke: str = "none"
    stroke_width: float = 1
    dash: float = 0
    opacity: float = 1


@dataclass(frozen=True, slots=True)
class Ellipse(Paint):
    """An ellipse by its middle and its radii."""

    x: float
    y: float
    rx: float
    ry: float


@dataclass(frozen=True, slots=True)
class Box(Paint):
    """A box with round corners whose middle is at the origin."""

    width: float
    height: float
    corner: float


@dataclass(frozen=True, slots=True)
class Polygon(Paint):
    """A closed line through points."""

    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text; ``y`` is the height of its middle, and ``anchor`` says what is at ``x``."""

    x: float
    y: float
    text: str
    size: float
    fill: str = IVORY
    bold: bool = False
    anchor: Literal["start", "middle", "end"] = "middle"

    @property
    def baseline(self) -> float:
        """The height of the baseline."""
        return self.y + 0.36 * self.size


@dataclass(slots=True)
class Group:
    """Members in the order in which they are painted, moved, then rotated, then scaled.

    Attributes:
        x: where the members' origin lies in the coordinates around the group.
        y: likewise; downwards.
        scale: the size of the members' unit.
        rotation: in degrees, clockwise.
        opacity: of all members together, 0 to 1.
        members: what is in the group.
    """

    x: float = 0
    y: float = 0
    scale: float = 1
    rotation: float = 0
    opacity: float = 1
    members: list[Member] = field(default_factory=list)

    def add(self, *members: Member) -> None:
        """Paint these over what is in the group."""
        self.members.extend(members)

    def group(
        self, x: float = 0, y: float = 0, scale: float = 1, rotation: float = 0, opacity: float = 1
    ) -> Group:
        """Add an empty group and return it."""
        group = Group(x, y, scale, rotation, opacity)
        self.members.append(group)
        return group


def circle(x: float, y: float, radius: float, **paint: Any) -> Ellipse:
    """Return a circle by its middle and radius; ``paint`` as in ``Paint``."""
    return Ellipse(x, y, radius, radius, **paint)
