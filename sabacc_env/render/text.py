"""Writes one table for a terminal of 80 columns: as plain text, or in colours by Rich."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final, TypeAlias

from sabacc_env.render import point_of_view
from sabacc_env.render.last_moves import last_moves

if TYPE_CHECKING:
    import rich.text

    from sabacc_env.cards import Card
    from sabacc_env.game.game import Game

Span: TypeAlias = tuple[str, str]
"""Some text, and its style in Rich's words."""
Line: TypeAlias = list[Span]

WIDTH: Final = 80
LONGEST_NAME: Final = 40
"""A longer name of a rule set is cut."""
INDENT: Final = "    "
"""Before a hand that has a line of its own."""
MUTED, TO_ACT, WINS, LATEST = "dim", "bold yellow", "bold green", "bold"


def render_text(game: Game, seat: int | None = None) -> str:
    """Return the table as plain text: everything, or only what one seat may know.

    No line is longer than 80 characters. ``>`` is the seat to act, ``*`` a winner, ``D`` the
    dealer.

    Args:
        game: the hand to show, in play or over.
        seat: the point of view: what this seat may not know is ``??``. None shows everything.

    Raises:
        SabaccError: if there is no such seat.

    >>> from sabacc_env import Game
    >>> game = Game("casino", 3, seed=3, dealer=0)
    >>> game.play("draw")
    >>> print(render_text(game, seat=1))
    casino · round 1 · cards · pot 6 · Sabacc pot 6
    dice: none rolled · draw pile 54 · discard -2s
                  credits  bet  last move  hand
      player_0 D      196    0             ?? ??
      player_1        196    0  drew       -6s -4t +7c = -3 (Nulrhek)
    > player_2        196    0             ?? ??
    """
    return "\n".join("".join(text for text, _ in line).rstrip() for line in _lines(game, seat))


def render_rich(game: Game, seat: int | None = None) -> rich.text.Text:
    """Return the same text for Rich to print, in colours where the terminal has them.

    Raises:
        SabaccError: if there is no such seat.

    >>> from sabacc_env import Game
    >>> text = render_rich(Game("black_spire", 2, seed=3, dealer=0), seat=1)
    >>> text.plain.splitlines()[-1]
    '> player_1               -6s -4t = -10 (Nulrhek)'
    """
    from rich.text import Text

    return Text("\n").join(Text.assemble(*line) for line in _lines(game, seat))


def _lines(game: Game, seat: int | None) -> Iterator[Line]:
    viewer = point_of_view.checked_seat(game, seat)
    for parts in _summary(game):
        yield from _wrapped(parts)
    columns = _columns(game)
    hands: list[Line] = [[("hand", MUTED)], *(_hand(game, owner, viewer) for owner in _seats(game))]
    for *cells, hand in zip(*columns, hands, strict=True):
        before = [(f"{text}  ", style) for text, style in cells]
        if _length(before) + _length(hand) <= WIDTH:
            yield [*before, *hand]
        else:
            yield before
            yield [(INDENT, ""), *hand]


def _seats(game: Game) -> range:
    return range(game.num_players)


def _summary(game: Game) -> Iterator[list[str]]:
    """Yield the parts of the lines about the whole table."""
    name = game.rules.name
    shown = name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
    pots = [f"pot {sum(amount for amount, _ in game.pots):,}"]
    if not game.rules.points:
        pots.append(f"Sabacc pot {game.sabacc_pot:,}")
    yield [shown, f"round {game.round}", game.phase, *pots]
    rolled = " ".join(f"{first}-{second}" for first, second in game.dice) or "none rolled"
    top = game.discard_pile[-1] if game.discard_pile else "empty"
    yield [f"dice: {rolled}", f"draw pile {game.draw_pile_size}", f"discard {top}"]


def _wrapped(parts: Iterable[str]) -> Iterator[Line]:
    """Put as many parts into each line as it holds."""
    line = ""
    for part in parts:
        longer = f"{line} · {part}" if line else part
        if len(longer) > WIDTH:
            yield [(line, "")]
            longer = part
        line = longer
    yield [(line, "")]


def _columns(game: Game) -> list[list[Span]]:
    """Return the columns before the hands: a heading and a cell for each seat, of one width."""
    moves = last_moves(game)
    latest = next(reversed(moves), None)
    columns = [_column("", [_name(game, seat) for seat in _seats(game)])]
    if not game.rules.points:
        columns.append(_column("credits", [(f"{c:,}", "") for c in game.credits], right=True))
    if game.net_credits is not None:
        net = [(f"{c:+,}" if c else "0", _sign_style(c)) for c in game.net_credits]
        columns.append(_column("net", net, right=True))
    elif not game.rules.points:
        columns.append(_column("bet", [(f"{bet:,}", "") for bet in game.bets], right=True))
    columns.append(
        _column(
            "last move",
            [(moves.get(seat, ""), LATEST if seat == latest else "") for seat in _seats(game)],
        )
    )
    return columns


def _column(heading: str, cells: Iterable[Span], *, right: bool = False) -> list[Span]:
    column = [(heading, MUTED), *cells]
    width = max(len(text) for text, _ in column)
    return [(text.rjust(width) if right else text.ljust(width), style) for text, style in column]


def _name(game: Game, seat: int) -> Span:
    acts, wins = seat == game.seat_to_act, seat in (game.winners or ())
    marker = ">" if acts else "*" if wins else " "
    dealer = "D" if seat == game.dealer else " "
    return f"{marker} player_{seat} {dealer}", TO_ACT if acts else WINS if wins else ""


def _hand(game: Game, owner: int, viewer: int | None) -> Line:
    hand, spike = game.hands[owner], game.spike_cards[owner]
    if not hand:
        return [("junked" if owner in game.seated else "out", MUTED)]
    beside: Line = [] if spike is None else [(" | ", ""), _card(spike)]
    if viewer not in (None, owner) and not (game.revealed and owner in game.remaining):
        # The known cards first: their slots in the sorted hand would reveal the others.
        known = game.known_cards(owner)
        return _cards([*known, *[None] * (len(hand) - len(known))]) + beside
    rank, drawn = game.rank(owner), game.drawn_card
    assert rank is not None
    worth: Line = [(f" = {rank.total:+d} ({rank.name})", "")]
    if drawn is not None and owner == game.seat_to_act:
        worth += [(" looking at ", ""), _card(drawn)]
    return _cards(hand) + beside + worth


def _cards(cards: Iterable[Card | None]) -> Line:
    spans = [span for card in cards for span in ((" ", ""), _card(card))]
    return spans[1:]


def _card(card: Card | None) -> Span:
    if card is None:
        return "??", MUTED
    return str(card), _sign_style(card.value) or "bold"


def _sign_style(number: int) -> str:
    return "green" if number > 0 else "red" if number < 0 else ""


def _length(line: Line) -> int:
    return sum(len(text) for text, _ in line)
