"""Draws one table as a self-contained SVG picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias
from xml.etree.ElementTree import Element, SubElement, tostring

from sabacc_env.render import point_of_view

if TYPE_CHECKING:
    from sabacc_env.cards import Card
    from sabacc_env.game.game import Game

AttributeValue: TypeAlias = str | float

WIDTH, HEIGHT = 900, 700
SEAT_LAYOUTS: Final[dict[int, tuple[float, tuple[tuple[int, int], ...]]]] = {
    2: (1.3, ((0, 216), (0, -216))),
    3: (1.3, ((0, 216), (-236, -188))),
    4: (1.2, ((0, 228), (-288, -16), (0, -228))),
    5: (1.0, ((0, 244), (-304, 36), (-186, -212))),
    6: (1.0, ((0, 246), (-290, 150), (-290, -150), (0, -246))),
    7: (1.0, ((0, 246), (-290, 196), (-308, 0), (-176, -226))),
    8: (1.0, ((0, 246), (-290, 196), (-308, 0), (-290, -196), (0, -246))),
}
"""For each number of players, the scale of the seats' areas and the offsets of their middles from
the middle of the table: the near side first, then up the left. The right side mirrors the left."""

CARD_STEP = 40
"""The distance from one card of a hand to the next; a card is 46 wide."""
SIDE_CARD_STEP = 54
"""The distance from a hand to a card that lies beside it."""
FAN_DEGREES = 2.5
"""The rotation from one card of a hand to the next."""
BET_Y, PLATE_Y = -56, 72
"""The offsets of a seat's bet and name plate from the middle of its cards. On the far side of the
table their signs are reversed."""
PLATE_WIDTH, PLATE_HEIGHT = 236, 48
DRAW_PILE_X, DISCARD_PILE_X, DICE_X = -92, -24, (46, 94)
"""The offsets of what lies in the middle of the table."""

CARD_PATH = "M0,-39L23,-27V27L0,39L-23,27V-27Z"
SPIKE_PATH = "M0,-8L1.8,-1.8L8,0L1.8,1.8L0,8L-1.8,1.8L-8,0L-1.8,-1.8Z"
EYE_PATH = "M-6,0Q0,-7 6,0Q0,7 -6,0Z"
SUIT_PATHS: Final = {
    0: "M0,-7L7.5,6H-7.5Z",
    1: "M-6,-6H6V6H-6Z",
    2: "M-6.5,0A6.5,6.5 0 1 1 6.5,0A6.5,6.5 0 1 1 -6.5,0Z",
    None: "M-7,-7H7L-7,7H7Z",
}
"""Triangle, square, circle; an hourglass for the Sylops."""
PIP_CELLS: Final = {
    2: (0, 8),
    3: (0, 4, 8),
    4: (0, 2, 6, 8),
    5: (0, 2, 4, 6, 8),
    6: (0, 2, 3, 5, 6, 8),
}
"""For each face of a die, the cells of a three-by-three grid that hold a pip. The 1 shows a
Spike."""

FONT = "'Segoe UI', 'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', sans-serif"
GOLD, IVORY, MUTED, INK = "#f2c14e", "#f6f1e3", "#a9bcc6", "#14212b"
SIGN_COLOURS: Final = {"+": "#7fdc9f", "−": "#ff9a8d"}
SPIKE_RED, BET_CHIP, COIN = "#a32a22", "#d9503f", "#b98a1f"
BACK_LINE, PLATE_EDGE, ROOM_EDGE = "#8fa3d6", "#41586a", "#31424f"
LINEAR_GRADIENTS: Final = {
    "plate": ("#223240", "#121c25"),
    "rim": ("#80593a", "#3b2717"),
    "back": ("#3b4f80", "#1d294b"),
    "positive": ("#2fa463", "#136539"),
    "negative": ("#dd5443", "#962620"),
    "sylop": ("#707a89", "#3a4350"),
}
"""Two colours each, from top to bottom."""
RADIAL_GRADIENTS: Final = {"room": ("#2a3947", "#151e27"), "felt": ("#2b6a80", "#164052")}
"""Two colours each, from the middle outwards."""
DASHED_OUTLINE: dict[str, AttributeValue] = {
    "fill": "none",
    "stroke": IVORY,
    "stroke_dasharray": 4,
    "opacity": 0.4,
}


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
    viewer = point_of_view.checked_seat(game, seat)
    svg = Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "role": "img", "fill": IVORY})
    svg.attrib |= {"viewBox": f"0 0 {WIDTH} {HEIGHT}", "width": str(WIDTH), "height": str(HEIGHT)}
    svg.attrib |= {"font-family": FONT, "text-anchor": "middle"}
    _add(svg, "title").text = f"Sabacc, {game.rules.name}: {_phase_text(game)}"
    _add_gradients(svg)
    table = _group(svg, WIDTH / 2, HEIGHT / 2)
    _box(table, WIDTH - 1, HEIGHT - 1, 18, fill="url(#sabacc-room)", stroke=ROOM_EDGE)
    _draw_felt(table)
    scale, left = SEAT_LAYOUTS[game.num_players]
    _draw_centre(_group(table, 0, -14, (1 + scale) / 2), game)
    for place, (x, y) in enumerate([*left, *((-x, y) for x, y in reversed(left) if x)]):
        owner = ((viewer or 0) + place) % game.num_players
        _draw_seat(_group(table, x, y, scale), game, owner, viewer, side=-1 if y < -100 else 1)
    return tostring(svg, encoding="unicode") + "\n"


# Only the next four functions read the cards of a hand: they decide what the viewer sees.


def _is_visible(game: Game, owner: int, viewer: int | None) -> bool:
    revealed = game.revealed and owner in game.remaining
    return (
        viewer in (None, owner)
        or revealed
        or set(game.hands[owner]) == set(game.known_cards(owner))
    )


def _visible_hand(game: Game, owner: int, viewer: int | None) -> list[Card | None]:
    """Return a hand as the viewer sees it: its visible cards, then None for each hidden card.

    The hidden cards come last because their slots in the sorted hand would reveal their values.
    """
    hand, known = game.hands[owner], game.known_cards(owner)
    if _is_visible(game, owner, viewer):
        return list(hand)
    faces = [card for card in hand if card in known]
    return [*faces, *[None] * (len(hand) - len(faces))]


def _side_cards(game: Game, owner: int, viewer: int | None) -> list[Card | None]:
    """Return the cards beside a hand: its Spike Card, and a drawn card to be decided on."""
    spike, drawn = game.spike_cards[owner], game.drawn_card
    beside: list[Card | None] = [] if spike is None else [spike]
    if drawn is not None and owner == game.seat_to_act:
        beside.append(drawn if viewer in (None, owner) else None)
    return beside


def _hand_name(game: Game, owner: int, viewer: int | None) -> str:
    rank = game.rank(owner)
    if rank is None:
        return "junked" if owner in game.seated else "out"
    if not _is_visible(game, owner, viewer):
        return f"{len(game.hands[owner])} cards"
    return f"{rank.name} {_signed(rank.total)}" if rank.total else rank.name


def _add_gradients(svg: Element) -> None:
    defs = _add(svg, "defs")
    for name, colours in (LINEAR_GRADIENTS | RADIAL_GRADIENTS).items():
        if name in RADIAL_GRADIENTS:
            gradient = _add(defs, "radialGradient", id=f"sabacc-{name}", r=0.65)
        else:
            gradient = _add(defs, "linearGradient", id=f"sabacc-{name}", x2=0, y2=1)
        for offset, colour in enumerate(colours):
            _add(gradient, "stop", offset=offset, stop_color=colour)


def _draw_felt(table: Element) -> None:
    _add(table, "ellipse", cy=10, rx=428, ry=302, fill="#000", opacity=0.3)
    _add(table, "ellipse", rx=426, ry=300, fill="url(#sabacc-rim)")
    _add(table, "ellipse", rx=406, ry=280, fill="url(#sabacc-felt)", stroke=INK, stroke_width=3)
    _add(table, "ellipse", rx=388, ry=262, fill="none", stroke=IVORY, opacity=0.18)


def _draw_centre(centre: Element, game: Game) -> None:
    _text(centre, 0, -76, game.rules.name.replace("_", " ").upper(), 12, fill=MUTED)
    _text(centre, 0, -57, _phase_text(game), 16, font_weight=600)
    draw: list[Card | None] = [None] * game.draw_pile_size
    for name, x, pile in (
        ("draw", DRAW_PILE_X, draw),
        ("discard", DISCARD_PILE_X, [*game.discard_pile]),
    ):
        _add(_group(centre, x), "path", d=CARD_PATH, **DASHED_OUTLINE)
        for depth, card in reversed([*enumerate(pile[:-4:-1])]):
            _draw_card(_group(centre, x + 3 * depth, 2 * depth), card)
        _text(centre, x, 56, f"{name} {len(pile)}", 12, fill=MUTED)
    for x, face in zip(DICE_X, game.dice[-1] if game.dice else (0, 0), strict=True):
        _draw_die(_group(centre, x), face)
    _text(centre, sum(DICE_X) / 2, 56, "Spike Dice", 12, fill=MUTED)
    pots = {"hand pot": sum(amount for amount, _ in game.pots)}
    if not game.rules.points:
        pots["Sabacc pot"] = game.sabacc_pot
    for index, (name, amount) in enumerate(pots.items()):
        pot = _group(centre, 116 * index - 58 * (len(pots) - 1), 92)
        _box(pot, 108, 42, 10, fill=INK, opacity=0.45)
        _text(pot, 0, -8, name, 12, fill=MUTED)
        _text(pot, 0, 9, f"{amount:,}", 16, fill=GOLD, font_weight=700)


def _draw_die(die: Element, face: int) -> None:
    if not face:
        _box(die, 40, 40, 8, **DASHED_OUTLINE)
        return
    _box(die, 40, 40, 8, stroke=INK)
    if face == 1:
        _add(_group(die, scale=1.9), "path", d=SPIKE_PATH, fill=SPIKE_RED)
    for cell in PIP_CELLS.get(face, ()):
        _add(die, "circle", cx=10 * (cell % 3 - 1), cy=10 * (cell // 3 - 1), r=3.6, fill=INK)


def _draw_seat(place: Element, game: Game, owner: int, viewer: int | None, side: int) -> None:
    _draw_name_plate(_group(place, 0, side * PLATE_Y), game, owner, _hand_name(game, owner, viewer))
    _draw_hand(place, game, owner, viewer)
    amount = _group(place, 0, side * BET_Y)
    if game.net_credits is not None:
        net = _signed(game.net_credits[owner])
        _box(amount, 40 + 8 * len(net), 24, 12, fill=INK, opacity=0.8)
        _text(amount, 0, 0, net, 15, fill=SIGN_COLOURS.get(net[0], IVORY), font_weight=700)
    elif game.phase == "betting" and game.bets[owner]:
        bet = f"{game.bets[owner]:,}"
        _box(amount, 52 + 8 * len(bet), 24, 12, fill=INK, opacity=0.6)
        _draw_chip(_group(amount, -12 - 4 * len(bet)), BET_CHIP)
        _text(amount, 8, 0, bet, 14, font_weight=600)


def _draw_name_plate(plate: Element, game: Game, owner: int, hand_name: str) -> None:
    acts, wins = owner == game.seat_to_act, owner in (game.winners or ())
    if acts or wins:
        _box(plate, PLATE_WIDTH + 14, PLATE_HEIGHT + 14, 19, fill=GOLD, opacity=0.3)
        _box(plate, PLATE_WIDTH + 5, PLATE_HEIGHT + 5, 14.5, fill=GOLD)
    _box(plate, PLATE_WIDTH, PLATE_HEIGHT, 12, fill="url(#sabacc-plate)", stroke=PLATE_EDGE)
    left, right = (_group(plate, side * (PLATE_WIDTH / 2 - 14)) for side in (-1, 1))
    left.set("text-anchor", "start")
    right.set("text-anchor", "end")
    _text(left, 0, -10, f"player_{owner}", 15, font_weight=600)
    _text(left, 0, 11, hand_name, 13)
    if owner == game.dealer:
        _add(left, "circle", cx=90, cy=-10, r=9)
        _text(left, 90, -10, "D", 12, fill=INK, font_weight=700, text_anchor="middle")
    if (credits := game.credits[owner]) is not None:
        _draw_chip(_group(right, -7, -10), COIN)
        _text(right, -20, -10, f"{credits:,}", 15, fill=GOLD, font_weight=600)
    if acts or wins:
        _text(right, 0, 11, "to act" if acts else "wins", 13, fill=GOLD, font_weight=600)
    if not game.hands[owner]:
        plate.set("opacity", "0.6")


def _draw_hand(place: Element, game: Game, owner: int, viewer: int | None) -> None:
    faces, beside = _visible_hand(game, owner, viewer), _side_cards(game, owner, viewer)
    middle = (len(faces) - 1) / 2
    start = -CARD_STEP * middle - SIDE_CARD_STEP * len(beside) / 2
    for index, face in enumerate(faces):
        bend = index - middle
        card = _group(
            place, start + CARD_STEP * index, 0.8 * bend * bend, rotation=FAN_DEGREES * bend
        )
        _draw_card(card, face)
        if face in game.known_cards(owner):
            _add(_group(card, -1, 27), "path", d=EYE_PATH)
            _add(_group(card, -1, 27), "circle", r=2, fill=INK)
    for index, face in enumerate(beside, start=1):
        card = _group(place, start + CARD_STEP * (len(faces) - 1) + SIDE_CARD_STEP * index)
        _draw_card(card, face, edge=GOLD)
        if face is not None and face == game.spike_cards[owner]:
            _add(_group(card, 0, -26, 0.9), "path", d=SPIKE_PATH, fill=GOLD)


def _draw_card(card: Element, face: Card | None, edge: str = IVORY) -> None:
    _add(card, "path", d=CARD_PATH, fill=edge, stroke=INK, stroke_linejoin="round")
    inner = _group(card, scale=0.89)
    if face is None:
        _add(inner, "path", d=CARD_PATH, fill="url(#sabacc-back)")
        _add(
            _group(inner, scale=0.72),
            "path",
            d=CARD_PATH,
            fill="none",
            stroke=BACK_LINE,
            opacity=0.7,
        )
        _add(inner, "path", d=SPIKE_PATH, fill=BACK_LINE)
        return
    kind = "sylop" if face.suit is None else "positive" if face.value > 0 else "negative"
    _add(inner, "path", d=CARD_PATH, fill=f"url(#sabacc-{kind})")
    value = _signed(face.value)
    _text(card, -1, -8, value, 16.5 if len(value) > 2 else 22, font_weight=700)
    _add(_group(card, -1, 13), "path", d=SUIT_PATHS[face.suit])


def _draw_chip(chip: Element, colour: str) -> None:
    _add(chip, "circle", r=8, fill=colour, stroke=INK)
    _add(chip, "circle", r=6, fill="none", stroke=IVORY, stroke_width=2, stroke_dasharray=3.14)


def _phase_text(game: Game) -> str:
    if game.phase == "over":
        return f"Round {game.round} · {'reveal' if game.revealed else 'over'}"
    return f"Round {game.round} · {game.phase}" if game.round else "Opening bet"


def _signed(amount: int) -> str:
    return f"{amount:+,}".replace("-", "−") if amount else "0"


def _add(parent: Element, tag: str, **attributes: AttributeValue) -> Element:
    """Add an element. Underscores in attribute names become hyphens; numbers are written short."""
    texts = {
        n.replace("_", "-"): v if isinstance(v, str) else f"{v:g}" for n, v in attributes.items()
    }
    return SubElement(parent, tag, texts)


def _group(
    parent: Element, x: float = 0, y: float = 0, scale: float = 1, rotation: float = 0
) -> Element:
    steps = [f"translate({x:g} {y:g})"]
    steps += [f"rotate({rotation:g})"] if rotation else []
    steps += [f"scale({scale:g})"] if scale != 1 else []
    return _add(parent, "g", transform=" ".join(steps))


def _box(
    parent: Element, width: float, height: float, corner: float, **attributes: AttributeValue
) -> None:
    """Add a box with round corners whose middle is at the origin."""
    at = {"x": -width / 2, "y": -height / 2, "width": width, "height": height, "rx": corner}
    _add(parent, "rect", **at, **attributes)


def _text(
    parent: Element, x: float, y: float, text: str, size: float, **attributes: AttributeValue
) -> None:
    """Add a line of text whose middle is at the height ``y``."""
    _add(parent, "text", x=x, y=y + 0.36 * size, font_size=size, **attributes).text = text
