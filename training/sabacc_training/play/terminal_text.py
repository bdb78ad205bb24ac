"""A table as text for a terminal: cards, seats, the middle, the course, advice.

All of it is drawn from the messages of ``table_message``. Colours help; nothing needs them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rich import box
from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from sabacc_env.render.drawing import signed

Message = Mapping[str, Any]

SUITS: Final = {"triangle": "▲", "square": "■", "circle": "●"}
SUIT_NAMES: Final = {name[0]: name for name in SUITS}
SYLOP: Final = "0◆"

CARD: Final = re.compile(r"(?P<value>[+-](?:10|[1-9]))(?P<suit>[tsc])\b|\b0[ab]\b")
"""A card as the environment writes it, as ``-3t``."""
SIGNED_CARD: Final = re.compile(r"[+−]\d+[▲■●]|0◆")
"""A card as this module writes it."""

POSITIVE: Final = "bold #ffffff on #136539"
NEGATIVE: Final = "bold #ffffff on #a3261a"
NEUTRAL: Final = "bold #ffffff on #4b5563"
BACK: Final = "#9db2e8 on #33467a"
DIE: Final = "bold #14212b on #f6f1e3"
INK, GOLD, ACCENT, GOOD, BAD = "#f0ede2", "#f2c14e", "#7cc4f0", "#7fdc9f", "#ff9a8d"
MUTED: Final = "#b3c1c8"

EDGE: Final = "#40525e"

PANEL_WIDTH, PANEL_HEIGHT = 38, 7


@dataclass(frozen=True)
class Layout:
    """What there is room for.

    Attributes:
        panels: the other seats as panels; they are lines otherwise.
        large: large cards of one's own, and sentences about the moves.
        airy: empty lines between the parts.
    """

    panels: bool
    large: bool
    airy: bool


def layout(num_others: int, width: int, height: int) -> Layout:
    """Return what there is room for in a terminal."""
    rows = -(-num_others // max(1, (width - 1) // (PANEL_WIDTH + 1)))
    large = width >= 110 and height >= 30
    left = height - rows * PANEL_HEIGHT - (19 if large else 17)
    return Layout(panels=left >= 0, large=large, airy=large and left >= 4)


def with_signs(text: str) -> Text:
    """Return a sentence with its cards as signs, coloured.

    >>> str(with_signs("You: swap -3t, takes 0a.")), str(with_signs("Swap −3 triangle"))
    ('You: swap −3▲, takes 0◆.', 'Swap −3▲')
    """
    for suit, sign in SUITS.items():
        text = text.replace(f" {suit}", sign)
    found = Text(CARD.sub(lambda match: signs(match[0]), text))
    for match in SIGNED_CARD.finditer(found.plain):
        found.stylize(card_style(match[0]), *match.span())
    return found


def signs(card: str) -> str:
    """Return a card as its value and the sign of its suit.

    >>> signs("-10s"), signs("+3t"), signs("0b")
    ('−10■', '+3▲', '0◆')
    """
    if card[0] == "0":
        return SYLOP
    return card[:-1].replace("-", "−") + SUITS[SUIT_NAMES[card[-1]]]


def card_style(card: str) -> str:
    """Return the colours of a card."""
    return {"+": POSITIVE, "0": NEUTRAL}.get(card[0], NEGATIVE)


def chip(card: str | None) -> Text:
    """Return a card in one line, four columns wide."""
    return Text("▒▒▒▒", BACK) if card is None else Text(f"{signs(card):>4}", card_style(card))


def card_boxes(seat: Message, drawn: str | None = None, *, large: bool = False) -> Text:
    """Return a seat's cards, its Spike Card and the one just drawn: three lines, large five."""
    titles = [(card, "") for card in seat["cards"]]
    titles += [(seat["spike"], "Spike")] if seat["spike"] else []
    titles += [(drawn, "drawn")] if drawn else []
    boxes = [_box(card, title, large=large) for card, title in titles]
    gap = Text(" " if large else "")
    return Text("\n").join(gap.join(line) for line in zip(*boxes, strict=True))


def _box(card: str | None, title: str, *, large: bool) -> list[Text]:
    """Return a card that is face up or, where it is None, face down."""
    width = 9 if large else 5
    if card is None:
        faces = ["▒" * width] * (3 if large else 1)
    elif large:
        value, suit = signs(card)[:-1], "sylop" if card[0] == "0" else SUIT_NAMES[card[-1]]
        faces = [f" {value}".ljust(width), signs(card)[-1].center(width), suit.center(width)]
    else:
        faces = [signs(card).center(width)]
    lines = [f"╭{title:─^{width}}╮", *(f"│{face}│" for face in faces), f"╰{'─' * width}╯"]
    return [Text(line, BACK if card is None else card_style(card)) for line in lines]


# Seats.


def others(table: Message, room: Layout) -> RenderableType:
    """Return the seats of the others, the next one first."""
    count, own = len(table["seats"]), table["seat"]
    first = 0 if own is None else own + 1
    seats = [place % count for place in range(first, first + count) if place % count != own]
    if room.panels:
        return Columns([_panel(table, place) for place in seats], padding=(0, 1, 0, 0))
    lines = Table.grid(padding=(0, 1))
    for place in seats:
        lines.add_row(*_line(table, place))
    return lines


def _panel(table: Message, place: int) -> Panel:
    seat = table["seats"][place]
    mark, style = _mark(table, place)
    cards = card_boxes(seat) if seat["cards"] or seat["spike"] else "\n\n"
    return Panel(
        Group(cards, _state(seat), _money(table, seat)),
        box=box.HEAVY if table["to_act"] == place else box.ROUNDED,
        padding=0,
        title=_name(table, place),
        title_align="left",
        border_style=style if mark else EDGE,
        width=PANEL_WIDTH,
        height=PANEL_HEIGHT,
    )


def _line(table: Message, place: int) -> list[Text]:
    seat = table["seats"][place]
    cards = [chip(card) for card in seat["cards"]]
    cards += [Text.assemble(("Spike ", GOLD), chip(seat["spike"]))] if seat["spike"] else []
    indent = "" if _mark(table, place)[0] else "  "
    name = Text.assemble(indent, _name(table, place))
    return [name, Text(" ").join(cards), _money(table, seat), _state(seat)]


def own(table: Message, room: Layout) -> RenderableType:
    """Return the client's own seat."""
    place = table["seat"]
    seat = table["seats"][place]
    first = Text("  ").join(each for each in (_name(table, place), _money(table, seat)) if each)
    cards = card_boxes(seat, table["drawn"], large=room.large) if seat["cards"] else "\n\n"
    return Group(first, cards, _state(seat))


def _name(table: Message, place: int) -> Text:
    mark, style = _mark(table, place)
    seat = table["seats"][place]
    name = Text(mark + ("You" if place == table["seat"] else seat["name"]), f"bold {style}")
    name.truncate(20, overflow="ellipsis")
    return name.append(" dealer", f"not bold {MUTED}") if place == table["dealer"] else name


def _mark(table: Message, place: int) -> tuple[str, str]:
    """Return the mark of a seat that is to act, or wins, and its colour."""
    if table["to_act"] == place:
        return "▶ ", ACCENT
    return ("★ ", GOLD) if table["seats"][place]["wins"] else ("", INK)


def _state(seat: Message) -> Text:
    """Return what a hand ranks where it is known, or else what its seat did last."""
    if seat["rank"]:
        return Text(f"{seat['rank']['name']}, total {signed(seat['rank']['total'])}", GOLD)
    if not seat["cards"]:
        return Text("junked" if seat["last"] == "junk" else "out", MUTED)
    return Text(seat["last"], MUTED)


def _money(table: Message, seat: Message) -> Text:
    parts = [] if seat["credits"] is None else [Text(f"{seat['credits']:,} credits")]
    if seat["net"] is not None:
        unit = " points" if table["rules"]["points"] else ""
        style = GOOD if seat["net"] > 0 else BAD if seat["net"] < 0 else MUTED
        parts.append(Text(signed(seat["net"]) + unit, f"bold {style}"))
    elif seat["bet"] and table["phase"] == "betting":
        parts.append(Text(f"bet {seat['bet']:,}", f"bold {GOLD}"))
    return Text(" ").join(parts)


# The middle and what happens.


def middle(table: Message) -> Text:
    """Return the piles, the last roll and the pots in one line."""
    top = chip(table["discards"][-1]) if table["discards"] else Text("none")
    roll = table["dice"][-1] if table["dice"] else ()
    faces = [Text(" ✦ " if face == 1 else f" {face} ", DIE) for face in roll] or [Text("–")]
    parts = [
        Text(f"Draw pile {table['draw_pile']}"),
        Text.assemble(f"Discards {len(table['discards'])} ", top),
        Text.assemble("Dice ", Text(" ").join(faces)),
        Text.assemble("Pot ", (f"{table['pot']:,}", f"bold {GOLD}")),
    ]
    if not table["rules"]["points"]:
        parts.append(Text.assemble("Sabacc pot ", (f"{table['sabacc_pot']:,}", f"bold {GOLD}")))
    return Text("    ").join(parts)


def heading(table: Message) -> Text:
    """Return which match this is, and where it is."""
    where = f"hand {table['hand']} of {table['hands']} · {table['now']}"
    return Text(f"{table['rules']['title']} · {where}")


def status(table: Message, *notes: str) -> Text:
    """Return whose turn it is, or how the hand ended, and notes beside it."""
    if table["result"]:
        end = " The match is over." if table["match_over"] else ""
        found = Text(table["result"] + end, f"bold {GOLD}")
    elif table["to_act"] == table["seat"]:
        found = Text("It is your turn.", f"bold {ACCENT}")
    else:
        found = Text(f"{table['seats'][table['to_act']]['name']} is to act.")
    return Text(" · ").join([found, *(Text(note, MUTED) for note in notes)])


def story(table: Message) -> Text:
    """Return what has happened, a line each, under the phases."""
    return Text("\n").join(_story(table["log"]))


def _story(log: Sequence[Message]) -> Iterator[Text]:
    phase = ""
    for entry in log:
        if entry["phase"] and entry["phase"] != phase:
            phase = entry["phase"]
            yield Text(phase, f"bold {ACCENT}")
        yield with_signs(entry["text"])
        if entry["told"]:
            yield Text("  ", MUTED).append_text(with_signs(entry["told"]))


def advice(message: Message) -> RenderableType:
    """Return hints, or what the coach says."""
    parts: list[RenderableType] = [Text(sentence) for sentence in message["sentences"]]
    for each in message["tables"]:
        grid = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style=f"bold {ACCENT}")
        for column in each["columns"]:
            grid.add_column(column)
        for row in each["rows"]:
            grid.add_row(*map(with_signs, row))
        parts.append(grid)
    return Group(*parts)


def paragraphs(sections: Mapping[str, str]) -> RenderableType:
    """Return paragraphs, each under its title."""
    return Text("\n\n").join(
        Text.assemble((title, f"bold {ACCENT}"), "\n" if title else "", text)
        for title, text in sections.items()
    )
