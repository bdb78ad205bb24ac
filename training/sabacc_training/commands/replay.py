"""``sabacc replay``: recorded hands, move by move."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from rich.console import Console, RenderableType
from rich.text import Text

from sabacc_env.errors import SabaccError, printable
from sabacc_env.hand_histories import HandHistory, read_hand_histories
from sabacc_env.storage.files import make_folder, write_text
from sabacc_training.evaluation.watch import check_speed, narrate, recorded_steps, show

KEYS: Final = "Enter: next · b: back · n: next hand · q: quit "


def replay(
    file: Path, hand: int | None = None, *, speed: float | None = None, html: Path | None = None
) -> None:
    """Replay recorded hands move by move, with all cards visible.

    In a terminal, Enter shows the next move, b the one before, n the next hand, and q quits.
    Elsewhere, and with --speed, everything is shown without questions.

    Args:
        file: A file of recorded hands, such as `sabacc watch` writes with its option --record.
        hand: The number of one hand, 1 for the first; by default all hands.
        speed: Moves a second.
        html: Write a page with the hands in place of that: a file that a browser opens without a
            server, with the view of each seat.
    """
    check_speed(speed)
    if html is not None:
        _write_page(file, hand, html)
        return
    asks = speed is None and sys.stdin.isatty() and sys.stdout.isatty()
    console = Console(highlight=False)
    try:
        for number, recorded in _chosen(file, hand):
            console.print(Text(_title(number, recorded), "bold"))
            pieces = narrate(recorded.positions()[0], recorded_steps(recorded), recorded.seats)
            if not asks:
                show(console, pieces, speed)
            elif not _step_through(console, list(pieces)):
                break
    except KeyboardInterrupt:
        console.print("stopped")


def _write_page(file: Path, hand: int | None, html: Path) -> None:
    from sabacc_training.reports.recorded import recorded_page  # needs the extra train

    hands = [(_title(number, recorded), recorded) for number, recorded in _chosen(file, hand)]
    make_folder(html.parent)
    write_text(html, recorded_page(f"Hands of {file.name}", hands))
    Console(highlight=False).print(Text(f"Written to {html}."))


def _chosen(file: Path, hand: int | None) -> Iterator[tuple[int, HandHistory]]:
    """Yield the hands to show, with their numbers; refuse one that does not replay."""
    if hand is not None and hand < 1:
        raise SabaccError(f"HAND: {hand} is not the number of a hand; the first is 1")
    number = 0
    for number, recorded in enumerate(read_hand_histories(file), start=1):
        if hand in (None, number):
            try:
                recorded.replay()
            except SabaccError as error:
                raise SabaccError(f"{file}, line {number}: {error}") from None
            yield number, recorded
        if number == hand:
            return
    if hand is not None or not number:
        hands = "1 hand" if number == 1 else f"{number:,} hands"
        raise SabaccError(f"{file}: has {hands}" + (f", and no hand {hand}" if hand else ""))


def _title(number: int, hand: HandHistory) -> str:
    rules = hand.rule_set
    origin = [f"{name} {value}" for name, value in hand.origin.items()]
    return printable(", ".join([f"hand {number}: {rules.title or rules.name}", *origin]))


def _step_through(console: Console, pieces: Sequence[RenderableType]) -> bool:
    """Show a hand as the keys ask for it; return whether to go on with the next hand."""
    at = 0
    while at < len(pieces):
        console.print(pieces[at])
        try:
            key = console.input(f"[dim]{KEYS}[/dim]").strip().lower()
        except EOFError:
            return False
        if key in ("q", "n"):
            return key == "n"
        at = max(0, at - 1) if key == "b" else at + 1
    return True
