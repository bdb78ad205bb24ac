"""The moves of a seat in a terminal: listed in columns, chosen by keyboard."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final

from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from sabacc_training.play.terminal_text import ACCENT, with_signs

CHOSEN: Final = f"bold reverse {ACCENT}"


class Moves(Static, can_focus=True):
    """The moves in columns; the arrow keys go through them, and Enter plays one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "go(-1, 0)", show=False),
        Binding("down", "go(1, 0)", show=False),
        Binding("left", "go(0, -1)", show=False),
        Binding("right", "go(0, 1)", show=False),
        Binding("enter", "choose", show=False),
    ]

    class Chosen(Message):
        """A move that is to be played."""

        def __init__(self, move: dict[str, Any]) -> None:
            super().__init__()
            self.move = move

    def __init__(self) -> None:
        super().__init__()
        self._moves: Sequence[dict[str, Any]] = ()
        self._at = 0

    def offer(self, moves: Sequence[dict[str, Any]]) -> None:
        """List these moves, a raise last; it has the key r and the others a number."""
        self._moves = sorted(moves, key=lambda move: bool(move["kind"] == "raise"))
        self._at = 0
        self._draw()

    def choose(self, place: int) -> None:
        """Choose the move of a number, from 0; nothing happens where there is none."""
        if place < len(self._moves) and self._key(place) == str(place + 1):
            self.post_message(self.Chosen(self._moves[place]))

    def action_choose(self) -> None:
        """Choose the move that the arrow keys have gone to."""
        if self._moves:
            self.post_message(self.Chosen(self._moves[self._at]))

    def action_go(self, down: int, right: int) -> None:
        """Go to a neighbour of the move, where there is one."""
        at = self._at + down + right * self._rows
        if 0 <= at < len(self._moves):
            self._at = at
            self._draw()
            self._show_chosen()

    def _show_chosen(self) -> None:
        """Scroll what is around the moves to the chosen one, in a terminal with too few lines."""
        line = self.virtual_region.y + self._at % self._rows
        assert isinstance(self.parent, Widget)
        self.parent.scroll_to_region(Region(0, line, 1, 1), animate=False)

    def on_resize(self, _: events.Resize) -> None:
        """List them in as many columns as there is room for."""
        self._draw()

    @property
    def _labels(self) -> list[Text]:
        return [
            Text.assemble(f" {self._key(place)} ", _label(move), " ")
            for place, move in enumerate(self._moves)
        ]

    def _key(self, place: int) -> str:
        if self._moves[place]["kind"] == "raise":
            return "r"
        return str(place + 1) if place < 9 else " "

    @property
    def _rows(self) -> int:
        widest = max((label.cell_len for label in self._labels), default=1)
        columns = max(1, self.size.width // widest)
        return -(-len(self._moves) // columns)

    def _draw(self) -> None:
        labels = self._labels
        widest = max((label.cell_len for label in labels), default=1)
        for label in labels:
            label.pad_right(widest - label.cell_len)
        if labels:
            labels[self._at].stylize(CHOSEN)
            labels[self._at].plain = "›" + labels[self._at].plain[1:]
        rows = self._rows
        lines = (Text.assemble(*labels[row::rows]) for row in range(rows))
        self.update(Text("\n").join(lines))


def _label(move: dict[str, Any]) -> Text:
    """Return the label of a move; of a raise with the most that it can go to."""
    most = f" … {move['high']:,}" if move["low"] != move["high"] else ""
    return with_signs(move["label"] + most)
