"""The table as a picture: one hand in play, drawn as a self-contained SVG."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

from sabacc_env.cards import Card

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sabacc_env.game import Game

WIDTH, HEIGHT = 900, 700
PLACES: Final[dict[int, tuple[float, tuple[tuple[int, int], ...]]]] = {
    2: (1.3, ((0, 216), (0, -216))),
    3: (1.2, ((0, 226), (-236, -190))),
    4: (1.1, ((0, 234), (-284, -16), (0, -234))),
    5: (1.0, ((0, 244), (-304, 36), (-186, -212))),
    6: (1.0, ((0, 246), (-290, 150), (-290, -150), (0, -246))),
    7: (1.0, ((0, 246), (-290, 196), (-308, 0), (-176, -226))),
    8: (1.0, ((0, 246), (-290, 196), (-308, 0), (-290, -196), (0, -246))),
}
"""By number of players: how large what lies before them is drawn, and where, as offsets from the
centre of the table: the near side, then up the left; the right mirrors it."""

CARD: Final = ((0, -39), (23, -27), (23, 27), (0, 39), (-23, 27), (-23, -27))
STEP, APART = 40, 54
"""From a card to the next one of the hand, and to a card that lies apart from it."""
FAN: Final = 2.5
"""Degrees from card to card."""
BET_Y, PLATE_Y = -56, 72
"""A seat's bet and plate, from the middle of its cards; on the far side the other way round."""
PLATE: Final = (236, 48)

FONT: Final = "'Segoe UI', 'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', sans-serif"
GOLD, IVORY, MUTED, INK = "#f2c14e", "#f6f1e3", "#a9bcc6", "#14212b"
WON, LOST = "#7fdc9f", "#ff9a8d"
FILLS: Final = {
    "room": ("#2a3947", "#151e27"),
    "rim": ("#80593a", "#3b2717"),
    "felt": ("#2b6a80", "#164052"),
    "plate": ("#223240", "#121c25"),
    "back": ("#3b4f80", "#1d294b"),
    "positive": ("#2fa463", "#136539"),
    "negative": ("#dd5443", "#962620"),
    "sylop": ("#707a89", "#3a4350"),
}
"""Gradients, from light to dark."""
TRIANGLE: Final = ((0, -7), (7.5, 6), (-7.5, 6))
SQUARE: Final = ((-6, -6), (6, -6), (6, 6), (-6, 6))
HOURGLASS: Final = ((-7, -7), (7, -7), (-7, 7), (7, 7))
SPIKE: Final = (
    (0, -8),
    (1.8, -1.8),
    (8, 0),
    (1.8, 1.8),
    (0, 8),
    (-1.8, 1.8),
    (-8, 0),
    (-1.8, -1.8),
)
PIPS: Final = {
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
}


def render_svg(game: Game, seat: int | None = None) -> str:
    """Return the table as an SVG picture: everything, or only what one seat may know.

    An eye marks the cards of a hand that everyone knows, a four-pointed star the Spike Card.

    Args:
        game: the hand to draw, in play or over.
        seat: the point of view: this seat is drawn on the near side, and what it may not know is
            nowhere in the text. None shows everything, with seat 0 on the near side.

    >>> from sabacc_env import Game
    >>> picture = render_svg(Game("casino", 3, seed=7), seat=1)
    >>> picture.startswith("<svg "), "player_2" in picture
    (True, True)
    """
    svg = ET.Element("svg", xmlns="http://www.w3.org/2000/svg", role="img")
    svg.attrib |= {"viewBox": f"0 0 {WIDTH} {HEIGHT}", "font-family": FONT}
    svg.attrib |= {"width": str(WIDTH), "height": str(HEIGHT)}
    _add(svg, "title").text = f"Sabacc, {_rules_name(game)}: {_moment(game)}"
    _gradients(svg)
    _add(svg, "rect", width=WIDTH, height=HEIGHT, rx=18, fill="url(#sabacc-room)")
    table = _group(svg, WIDTH / 2, HEIGHT / 2)
    _felt(table)
    scale, left = PLACES[game.num_players]
    places = [*left, *((-x, y) for x, y in reversed(left) if x)]
    _centre(_group(table, 0, -14, (1 + scale) / 2), game)
    for turn, (x, y) in enumerate(places):
        owner = ((seat or 0) + turn) % game.num_players
        _seat(_group(table, x, y, scale), game, owner, seat, far=-1 if y < -100 else 1)
    return ET.tostring(svg, encoding="unicode") + "\n"


# Who sees what: nothing below asks for a card of a hand but through these.


def _is_open(game: Game, owner: int, seat: int | None) -> bool:
    return (
        seat in (None, owner)
        or (game.revealed and owner in game.remaining)
        or set(game.hands[owner]) == set(game.known_cards(owner))
    )


def _faces(game: Game, owner: int, seat: int | None) -> list[Card | None]:
    """Return a hand as it is seen; the hidden cards, None, last: their places in it would tell."""
    hand = game.hands[owner]
    if _is_open(game, owner, seat):
        return list(hand)
    known = game.known_cards(owner)
    return [*known, *[None] * (len(hand) - len(known))]


def _drawn(game: Game, owner: int, seat: int | None) -> list[Card | None]:
    if game.drawn_card is None or owner != game.seat_to_act:
        return []
    return [game.drawn_card if seat in (None, owner) else None]


def _hand_name(game: Game, owner: int, seat: int | None) -> str:
    rank = game.rank(owner)
    if rank is None:
        return "junked" if owner in game.seated else "out"
    if not _is_open(game, owner, seat):
        return f"{len(game.hands[owner])} cards"
    return f"{rank.name} {_signed(rank.total)}" if rank.total else rank.name


# The table and what lies in the middle.


def _gradients(svg: ET.Element) -> None:
    defs = _add(svg, "defs")
    for name, (light, dark) in FILLS.items():
        if name in ("room", "felt"):
            gradient = _add(defs, "radialGradient", id=f"sabacc-{name}", r=0.65)
        else:
            gradient = _add(defs, "linearGradient", id=f"sabacc-{name}", x2=0, y2=1)
        _add(gradient, "stop", offset=0, stop_color=light)
        _add(gradient, "stop", offset=1, stop_color=dark)


def _felt(table: ET.Element) -> None:
    _add(table, "ellipse", cy=10, rx=428, ry=302, fill="#000", opacity=0.3)
    _add(table, "ellipse", rx=426, ry=300, fill="url(#sabacc-rim)")
    _add(
        table, "ellipse", rx=406, ry=280, fill="url(#sabacc-felt)", stroke="#0c2430", stroke_width=3
    )
    _add(table, "ellipse", rx=388, ry=262, fill="none", stroke=IVORY, opacity=0.18)


def _centre(centre: ET.Element, game: Game) -> None:
    _text(centre, 0, -76, _rules_name(game).upper(), 12, fill=MUTED, letter_spacing=2)
    _text(centre, 0, -57, _moment(game), 16, font_weight=600)
    pile = min(3, game.draw_pile_size)
    for height in range(pile):
        _card(_group(centre, -90 - 3 * height, 2 - 2 * height), None)
    discards = game.discard_pile
    for x, there in ((-92, pile), (-24, len(discards))):
        if not there:
            _empty(_group(centre, x))
    if discards:
        _card(_group(centre, -24), discards[-1])
    for x, face in zip((46, 94), game.dice[-1] if game.dice else (0, 0), strict=True):
        _die(_group(centre, x), face)
    _text(centre, -92, 56, f"draw {game.draw_pile_size}", 12, fill=MUTED)
    _text(centre, -24, 56, f"discard {len(discards)}", 12, fill=MUTED)
    _text(centre, 70, 56, "Spike Dice", 12, fill=MUTED)
    pots = {"hand pot": sum(amount for amount, _ in game.pots)}
    if not game.rules.points:
        pots["Sabacc pot"] = game.sabacc_pot
    for index, (name, amount) in enumerate(pots.items()):
        pot = _group(centre, 116 * index - 58 * (len(pots) - 1), 92)
        _add(pot, "rect", x=-54, y=-21, width=108, height=42, rx=10, fill=INK, opacity=0.45)
        _text(pot, 0, -7, name, 12, fill=MUTED)
        _text(pot, 0, 9, f"{amount:,}", 16, fill=GOLD, font_weight=700)


def _die(die: ET.Element, face: int) -> None:
    if not face:
        _add(die, "rect", x=-20, y=-20, width=40, height=40, rx=8, fill="none", **_DASHED)
        return
    _add(die, "rect", x=-20, y=-20, width=40, height=40, rx=8, fill=IVORY, stroke=INK)
    if face == 1:
        _polygon(_group(die, scale=1.9), SPIKE, fill=FILLS["negative"][1])
    for x, y in PIPS.get(face, ()):
        _add(die, "circle", cx=10 * x, cy=10 * y, r=3.6, fill=INK)


# A seat: its cards, its bet towards the middle, its plate on the outside.


def _seat(place: ET.Element, game: Game, owner: int, seat: int | None, far: int) -> None:
    _plate(_group(place, 0, far * PLATE_Y), game, owner, _hand_name(game, owner, seat))
    _hand(place, game, owner, seat)
    amount = _group(place, 0, far * BET_Y)
    if game.net_credits is not None:
        net = game.net_credits[owner]
        _add(amount, "rect", x=-40, y=-12, width=80, height=24, rx=12, fill=INK, opacity=0.8)
        color = WON if net > 0 else LOST if net < 0 else IVORY
        _text(amount, 0, 0, _signed(net), 15, fill=color, font_weight=700)
    elif game.phase == "betting" and game.bets[owner]:
        _add(amount, "rect", x=-40, y=-12, width=80, height=24, rx=12, fill=INK, opacity=0.6)
        _chip(_group(amount, -26), FILLS["negative"][0])
        _text(amount, 8, 0, f"{game.bets[owner]:,}", 14, font_weight=600)


def _plate(plate: ET.Element, game: Game, owner: int, hand_name: str) -> None:
    width, height = PLATE
    if not game.hands[owner]:
        plate.set("opacity", "0.5")
    acts, wins = owner == game.seat_to_act, owner in (game.winners or ())
    left, right = 14 - width / 2, width / 2 - 14
    box = {"x": -width / 2, "y": -height / 2, "width": width, "height": height, "rx": 12}
    if acts or wins:
        _add(plate, "rect", **box, fill=GOLD, stroke=GOLD, stroke_width=12, opacity=0.25)
    edge = {"stroke": GOLD, "stroke_width": 2.5} if acts or wins else {"stroke": "#41586a"}
    _add(plate, "rect", **box, fill="url(#sabacc-plate)", **edge)
    _text(plate, left, -10, f"player_{owner}", 15, "start", font_weight=600)
    if owner == game.dealer:
        dealer = _group(plate, left + 90, -10)
        _add(dealer, "circle", r=9, fill=IVORY)
        _text(dealer, 0, 0, "D", 12, fill=INK, font_weight=700)
    if (credits := game.credits[owner]) is not None:
        _chip(_group(plate, right - 7, -10), "#b98a1f")
        _text(plate, right - 20, -10, f"{credits:,}", 15, "end", fill=GOLD, font_weight=600)
    _text(plate, left, 11, hand_name, 13, "start")
    if acts or wins:
        _text(plate, right, 11, "to act" if acts else "wins", 13, "end", fill=GOLD, font_weight=600)


def _hand(place: ET.Element, game: Game, owner: int, seat: int | None) -> None:
    faces, drawn, spike = (
        _faces(game, owner, seat),
        _drawn(game, owner, seat),
        game.spike_cards[owner],
    )
    beside = [*([spike] if spike is not None else []), *drawn]
    x = -(STEP * (len(faces) - 1) + APART * len(beside)) / 2
    for index, face in enumerate(faces):
        bend = index - (len(faces) - 1) / 2
        card = _group(place, x + STEP * index, 0.8 * bend * bend, turned=FAN * bend)
        _card(card, face)
        if face in game.known_cards(owner):
            _eye(_group(card, 0, 27))
    x += STEP * (len(faces) - 1)
    for index, face in enumerate(beside, start=1):
        card = _group(place, x + APART * index, 0)
        _card(card, face, edge=GOLD)
        if face == spike is not None:
            _polygon(_group(card, 0, -26, 0.9), SPIKE, fill=GOLD)


# Things.


def _card(card: ET.Element, face: Card | None, edge: str = IVORY) -> None:
    _polygon(card, CARD, fill=edge, stroke=INK, stroke_width=1, stroke_linejoin="round")
    inner = _group(card, scale=0.89)
    if face is None:
        _polygon(inner, CARD, fill="url(#sabacc-back)")
        _polygon(_group(inner, scale=0.72), CARD, fill="none", stroke="#8fa3d6", opacity=0.7)
        _polygon(inner, SPIKE, fill="#8fa3d6")
        return
    look = "sylop" if face.suit is None else "positive" if face.value > 0 else "negative"
    _polygon(inner, CARD, fill=f"url(#sabacc-{look})")
    value = _signed(face.value)
    _text(card, -1, -8, value, 16.5 if len(value) > 2 else 22, fill="#fff", font_weight=700)
    pip = _group(card, -1, 13)
    if face.suit == 2:
        _add(pip, "circle", r=6.5, fill=IVORY)
    else:
        shape = HOURGLASS if face.suit is None else (TRIANGLE, SQUARE)[face.suit]
        _polygon(pip, shape, fill=IVORY)


def _empty(place: ET.Element) -> None:
    _polygon(place, CARD, fill="none", **_DASHED)


def _eye(eye: ET.Element) -> None:
    _add(eye, "path", d="M-6,0Q0,-7 6,0Q0,7 -6,0Z", fill=IVORY)
    _add(eye, "circle", r=2, fill=INK)


def _chip(chip: ET.Element, color: str) -> None:
    _add(chip, "circle", r=8, fill=color, stroke=INK)
    _add(
        chip, "circle", r=6, fill="none", stroke=IVORY, stroke_width=2, stroke_dasharray="3.14 3.14"
    )


def _rules_name(game: Game) -> str:
    return game.rules.name.replace("_", " ")


def _moment(game: Game) -> str:
    if game.phase == "over":
        return f"Round {game.round} · {'reveal' if game.revealed else 'over'}"
    return f"Round {game.round} · {game.phase}" if game.round else "Opening bet"


def _signed(amount: int) -> str:
    return f"{amount:+,}".replace("-", "−") if amount else "0"


# SVG.

_DASHED: Final = {"stroke": IVORY, "stroke_dasharray": "4 4", "opacity": 0.4}


def _add(parent: ET.Element, tag: str, **attributes: object) -> ET.Element:
    """Add an element; numbers in short form, underscores as the hyphens of attribute names."""
    texts = {
        name.replace("_", "-"): value if isinstance(value, str) else f"{value:g}"
        for name, value in attributes.items()
    }
    return ET.SubElement(parent, tag, texts)


def _group(
    parent: ET.Element, x: float = 0, y: float = 0, scale: float = 1, *, turned: float = 0
) -> ET.Element:
    transform = f"translate({x:g} {y:g})"
    transform += f" rotate({turned:g})" if turned else ""
    transform += f" scale({scale:g})" if scale != 1 else ""
    return _add(parent, "g", transform=transform)


def _polygon(
    parent: ET.Element, points: Iterable[tuple[float, float]], **look: str | float
) -> None:
    _add(parent, "polygon", points=" ".join(f"{x:g},{y:g}" for x, y in points), **look)


def _text(
    parent: ET.Element,
    x: float,
    y: float,
    text: str,
    size: float,
    anchor: str = "middle",
    **look: str | float,
) -> None:
    """Write a line of text, ivory if nothing else is said, its middle at a height."""
    where = {"x": x, "y": y + 0.36 * size, "font_size": size, "text_anchor": anchor}
    _add(parent, "text", **{"fill": IVORY, **where, **look}).text = text
