"""Draws one table: what stands where, in plain shapes that the writers turn into pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sabacc_env.render import point_of_view
from sabacc_env.render.last_moves import last_moves
from sabacc_env.render.shapes import IVORY, Box, Ellipse, Group, Polygon, Shape, Text, circle

if TYPE_CHECKING:
    from sabacc_env.cards import Card
    from sabacc_env.game.game import Game

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
PILL_Y, PLATE_Y = -56, 72
"""The offsets of a seat's pill (its bet and what it did last) and of its name plate from the middle
of its cards. On the far side of the table their signs are reversed."""
AMOUNT_LETTER, WORDS_LETTER = 8.4, 6.5
"""How wide a letter of either text of a pill is, about: fonts differ."""
PLATE_WIDTH, PLATE_HEIGHT = 236, 48
DRAW_PILE_X, DISCARD_PILE_X, DICE_X = -92, -24, (46, 94)
"""The offsets of what lies in the middle of the table."""

CARD_OUTLINE = ((0, -39), (23, -27), (23, 27), (0, 39), (-23, 27), (-23, -27))
SPIKE_OUTLINE = (
    *((0, -8), (1.8, -1.8), (8, 0), (1.8, 1.8)),
    *((0, 8), (-1.8, 1.8), (-8, 0), (-1.8, -1.8)),
)
EYE_OUTLINE = (
    *((-6, 0), (-4.5, -1.5), (-3, -2.6), (-1.5, -3.3), (0, -3.5)),
    *((1.5, -3.3), (3, -2.6), (4.5, -1.5), (6, 0), (4.5, 1.5), (3, 2.6)),
    *((1.5, 3.3), (0, 3.5), (-1.5, 3.3), (-3, 2.6), (-4.5, 1.5)),
)
SUITS: Final[dict[int | None, Shape]] = {
    0: Polygon(((0, -7), (7.5, 6), (-7.5, 6))),
    1: Box(12, 12, 0),
    2: circle(0, 0, 6.5),
    None: Polygon(((-7, -7), (7, -7), (-7, 7), (7, 7))),
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

GOLD, MUTED, INK = "#f2c14e", "#a9bcc6", "#14212b"
SIGN_COLOURS: Final = {"+": "#7fdc9f", "−": "#ff9a8d"}
SPIKE_RED, BET_CHIP, COIN = "#a32a22", "#d9503f", "#b98a1f"
BACK_LINE, PLATE_EDGE, ROOM_EDGE = "#8fa3d6", "#41586a", "#31424f"
DASHED_OUTLINE: Final[dict[str, Any]] = {
    "fill": "none",
    "stroke": IVORY,
    "dash": 4,
    "opacity": 0.4,
}

BACKGROUND: Final = Group(
    WIDTH / 2,
    HEIGHT / 2,
    members=[
        Box(WIDTH - 1, HEIGHT - 1, 18, fill="room", stroke=ROOM_EDGE),
        Ellipse(0, 10, 428, 302, fill="#000000", opacity=0.3),
        Ellipse(0, 0, 426, 300, fill="rim"),
        Ellipse(0, 0, 406, 280, fill="felt", stroke=INK, stroke_width=3),
        Ellipse(0, 0, 388, 262, fill="none", stroke=IVORY, opacity=0.18),
    ],
)
"""The room and the felt: what every picture shows under its table."""


def draw_table(game: Game, seat: int | None) -> Group:
    """Return what lies on the table: everything, or only what one seat may know.

    An eye marks the cards of a hand that everyone knows, a four-pointed star the Spike Card. Each
    seat shows what it did last, and the latest move is gold.

    Args:
        game: the hand to draw, in play or over.
        seat: the point of view: this seat is drawn on the near side, and what it may not know is
            nowhere in the drawing. None shows everything, with seat 0 on the near side.

    Raises:
        SabaccError: if there is no such seat.
    """
    viewer = point_of_view.checked_seat(game, seat)
    table = Group(WIDTH / 2, HEIGHT / 2)
    scale, left = SEAT_LAYOUTS[game.num_players]
    _draw_centre(table.group(0, -14, (1 + scale) / 2), game)
    moves = last_moves(game)
    latest = next(reversed(moves), None)
    for offset, (x, y) in enumerate([*left, *((-x, y) for x, y in reversed(left) if x)]):
        owner = ((viewer or 0) + offset) % game.num_players
        place, side = table.group(x, y, scale), -1 if y < -100 else 1
        _draw_seat(place, game, owner, viewer, side)
        words, colour = moves.get(owner, ""), GOLD if owner == latest else MUTED
        _draw_pill(place.group(0, side * PILL_Y), game, owner, words.replace("-", "−"), colour)
    return table


def table_title(game: Game) -> str:
    """Return the rules and the phase in one line."""
    return f"Sabacc, {game.rules.name}: {_phase_text(game)}"


def signed(number: float, digits: int = 0) -> str:
    """Return a number with its sign and a true minus; nothing but zeros is 0.

    >>> signed(1234), signed(-7.64, 1), signed(-0.04, 1)
    ('+1,234', '−7.6', '0')
    """
    text = f"{number:+,.{digits}f}".replace("-", "−")
    return text if text.strip("+−0.") else "0"


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
    return f"{rank.name} {signed(rank.total)}" if rank.total else rank.name


def _draw_centre(centre: Group, game: Game) -> None:
    name = game.rules.name.replace("_", " ").upper()
    centre.add(Text(0, -76, name, 12, fill=MUTED), Text(0, -57, _phase_text(game), 16, bold=True))
    draw: list[Card | None] = [None] * game.draw_pile_size
    for name, x, pile in (
        ("draw", DRAW_PILE_X, draw),
        ("discard", DISCARD_PILE_X, [*game.discard_pile]),
    ):
        centre.group(x).add(Polygon(CARD_OUTLINE, **DASHED_OUTLINE))
        for depth, card in reversed([*enumerate(pile[:-4:-1])]):
            _draw_card(centre.group(x + 3 * depth, 2 * depth), card)
        centre.add(Text(x, 56, f"{name} {len(pile)}", 12, fill=MUTED))
    for x, face in zip(DICE_X, game.dice[-1] if game.dice else (0, 0), strict=True):
        _draw_die(centre.group(x), face)
    centre.add(Text(sum(DICE_X) / 2, 56, "Spike Dice", 12, fill=MUTED))
    pots = {"hand pot": sum(amount for amount, _ in game.pots)}
    if not game.rules.points:
        pots["Sabacc pot"] = game.sabacc_pot
    for index, (name, amount) in enumerate(pots.items()):
        centre.group(116 * index - 58 * (len(pots) - 1), 92).add(
            Box(108, 42, 10, fill=INK, opacity=0.45),
            Text(0, -8, name, 12, fill=MUTED),
            Text(0, 9, f"{amount:,}", 16, fill=GOLD, bold=True),
        )


def _draw_die(die: Group, face: int) -> None:
    if not face:
        die.add(Box(40, 40, 8, **DASHED_OUTLINE))
        return
    die.add(Box(40, 40, 8, stroke=INK))
    if face == 1:
        die.group(scale=1.9).add(Polygon(SPIKE_OUTLINE, fill=SPIKE_RED))
    for cell in PIP_CELLS.get(face, ()):
        die.add(circle(10 * (cell % 3 - 1), 10 * (cell // 3 - 1), 3.6, fill=INK))


def _draw_seat(place: Group, game: Game, owner: int, viewer: int | None, side: int) -> None:
    opacity = 1 if game.hands[owner] else 0.6
    plate = place.group(0, side * PLATE_Y, opacity=opacity)
    _draw_name_plate(plate, game, owner, _hand_name(game, owner, viewer))
    _draw_hand(place, game, owner, viewer)


def _draw_pill(pill: Group, game: Game, owner: int, words: str, words_colour: str) -> None:
    """Draw a seat's bet, or at the end what it won, and beside it what the seat did last."""
    amount, amount_colour, chip = "", IVORY, 0
    if game.net_credits is not None:
        amount = signed(game.net_credits[owner])
        amount_colour = SIGN_COLOURS.get(amount[0], IVORY)
    elif game.phase == "betting" and game.bets[owner]:
        amount, chip = f"{game.bets[owner]:,}", 24
    if not (amount or words):
        return
    first, second = chip + AMOUNT_LETTER * len(amount), WORDS_LETTER * len(words)
    width = first + second + (10 if amount and words else 0)
    pill.add(Box(width + 26, 24, 12, fill=INK, opacity=0.7))
    if chip:
        _draw_chip(pill.group(-width / 2 + 6), BET_CHIP)
    if amount:
        x = (first + chip - width) / 2
        pill.add(Text(x, 0, amount, 15, fill=amount_colour, bold=True))
    if words:
        pill.add(Text((width - second) / 2, 0, words, 13, fill=words_colour))


def _draw_name_plate(plate: Group, game: Game, owner: int, hand_name: str) -> None:
    acts, wins = owner == game.seat_to_act, owner in (game.winners or ())
    if acts or wins:
        plate.add(Box(PLATE_WIDTH + 14, PLATE_HEIGHT + 14, 19, fill=GOLD, opacity=0.3))
        plate.add(Box(PLATE_WIDTH + 5, PLATE_HEIGHT + 5, 14.5, fill=GOLD))
    plate.add(Box(PLATE_WIDTH, PLATE_HEIGHT, 12, fill="plate", stroke=PLATE_EDGE))
    left, right = (plate.group(side * (PLATE_WIDTH / 2 - 14)) for side in (-1, 1))
    left.add(Text(0, -10, f"player_{owner}", 15, bold=True, anchor="start"))
    left.add(Text(0, 11, hand_name, 13, anchor="start"))
    if owner == game.dealer:
        left.add(circle(90, -10, 9), Text(90, -10, "D", 12, fill=INK, bold=True))
    if (credits := game.credits[owner]) is not None:
        _draw_chip(right.group(-7, -10), COIN)
        right.add(Text(-20, -10, f"{credits:,}", 15, fill=GOLD, bold=True, anchor="end"))
    if acts or wins:
        note = "to act" if acts else "wins"
        right.add(Text(0, 11, note, 13, fill=GOLD, bold=True, anchor="end"))


def _draw_hand(place: Group, game: Game, owner: int, viewer: int | None) -> None:
    faces, beside = _visible_hand(game, owner, viewer), _side_cards(game, owner, viewer)
    middle = (len(faces) - 1) / 2
    start = -CARD_STEP * middle - SIDE_CARD_STEP * len(beside) / 2
    for index, face in enumerate(faces):
        bend = index - middle
        card = place.group(
            start + CARD_STEP * index, 0.8 * bend * bend, rotation=FAN_DEGREES * bend
        )
        _draw_card(card, face)
        if face in game.known_cards(owner):
            card.group(-1, 27).add(Polygon(EYE_OUTLINE), circle(0, 0, 2, fill=INK))
    for index, face in enumerate(beside, start=1):
        card = place.group(start + CARD_STEP * (len(faces) - 1) + SIDE_CARD_STEP * index)
        _draw_card(card, face, edge=GOLD)
        if face is not None and face == game.spike_cards[owner]:
            card.group(0, -26, 0.9).add(Polygon(SPIKE_OUTLINE, fill=GOLD))


def _draw_card(card: Group, face: Card | None, edge: str = IVORY) -> None:
    card.add(Polygon(CARD_OUTLINE, fill=edge, stroke=INK))
    inner = card.group(scale=0.89)
    if face is None:
        inner.add(Polygon(CARD_OUTLINE, fill="back"))
        line = Polygon(CARD_OUTLINE, fill="none", stroke=BACK_LINE, opacity=0.7)
        inner.group(scale=0.72).add(line)
        inner.add(Polygon(SPIKE_OUTLINE, fill=BACK_LINE))
        return
    kind = "sylop" if face.suit is None else "positive" if face.value > 0 else "negative"
    inner.add(Polygon(CARD_OUTLINE, fill=kind))
    value = signed(face.value)
    card.add(Text(-1, -8, value, 16.5 if len(value) > 2 else 22, bold=True))
    card.group(-1, 13).add(SUITS[face.suit])


def _draw_chip(chip: Group, colour: str) -> None:
    chip.add(circle(0, 0, 8, fill=colour, stroke=INK))
    chip.add(circle(0, 0, 6, fill="none", stroke=IVORY, stroke_width=2, dash=3.14))


def _phase_text(game: Game) -> str:
    if game.phase == "over":
        return f"Round {game.round} · {'reveal' if game.revealed else 'over'}"
    return f"Round {game.round} · {game.phase}" if game.round else "Opening bet"
