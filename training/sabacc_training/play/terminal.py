"""The table in a terminal: for one person, or to watch agents, by keyboard alone.

It is one more client of a ``Room``, as a page is. So it is told what its seat may know and no more,
and its moves are checked, and saved, as all are.
"""

from __future__ import annotations

import json
from typing import Any, ClassVar, Final

from rich.console import RenderableType
from rich.text import Text
from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Footer, Input, Static

from sabacc_env.rules.text import page as rules_page
from sabacc_env.rules.text import paragraph
from sabacc_training.play import terminal_text as text
from sabacc_training.play.room import Room
from sabacc_training.play.terminal_moves import Moves

KEYS: Final = """\
arrow keys, Enter   choose a move and play it
1 to 9              play a move at once
r                   enter the amount of a raise (Up, Down, Enter)
h                   hints
c                   the coach, after a hand
n                   the next hand
p                   pause the agents, and go on
+ and -             agents move faster, and slower
g                   the guide, at a table that has one (--guide)
Page Up, Page Down  what has happened before
q, Ctrl-C           leave; the table is kept"""

PACES: Final = (0.0, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0)
"""The seconds that agents can wait before they move."""


class Told(Message):
    """What the table tells its client."""

    def __init__(self, content: dict[str, Any]) -> None:
        super().__init__()
        self.content = content


class Page(ModalScreen[None]):
    """Something to read, over the table."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter,space", "dismiss", "Close", show=False),
    ]

    def __init__(self, title: str, content: RenderableType) -> None:
        super().__init__()
        self._title, self._content = title, content

    def compose(self) -> ComposeResult:
        """Show the text, with how to leave it."""
        with VerticalScroll() as scroll:
            scroll.border_title = self._title
            scroll.border_subtitle = "Esc closes"
            yield Static(self._content)


class Amount(Input):
    """The total of a raise."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "change(1)", "More", show=False),
        Binding("down", "change(-1)", "Less", show=False),
        Binding("escape", "close", "Back", show=False),
    ]

    def ask(self, move: dict[str, Any]) -> None:
        """Ask for the total of a raise."""
        self._low, self._high, self._step = move["low"], move["high"], move["step"] or 1
        steps = f", in steps of {self._step}" if self._step > 1 else ""
        self.border_title = f"Raise to: {self._low:,} to {self._high:,}{steps}"
        self.border_subtitle = "Enter plays, Esc goes back"
        self.value = str(self._low)
        self.display = True
        self.focus()

    def action_change(self, steps: int) -> None:
        """Change the total by steps of its grid."""
        now = int(self.value) if self.value.isdecimal() else self._low
        self.value = str(max(self._low, min(self._high, now + steps * self._step)))

    def action_close(self) -> None:
        """Go back to the moves."""
        self.display = False
        self.screen.query_one(Moves).focus()


class TerminalTable(App[None]):
    """A table on the screen.

    Args:
        room: the table.

    Attributes:
        table: what it was told last of the table; empty before that.
    """

    TITLE = "Sabacc"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("h", "advise('hints')", "Hints"),
        Binding("r", "raise", "Raise"),
        Binding("n", "deal", "Next hand"),
        Binding("c", "advise('coach')", "Coach"),
        Binding("p", "pause", "Pause"),
        Binding("plus,equals_sign", "pace(-1)", "Faster", key_display="+"),
        Binding("minus", "pace(1)", "Slower", key_display="-"),
        Binding("g", "guide", "Guide"),
        Binding("question_mark", "rules", "Help", key_display="?"),
        Binding("q", "quit", "Quit"),
        Binding("ctrl+c", "quit", "Quit", show=False, priority=True),
        Binding("pageup", "scroll_story(-1)", show=False),
        Binding("pagedown", "scroll_story(1)", show=False),
        *(Binding(str(number), f"play({number})", show=False) for number in range(1, 10)),
    ]
    CSS = """
    Screen { background: #10181f; color: #f0ede2; }
    Page { align: center middle; background: #10181f 60%; }
    Page > VerticalScroll {
        width: 96%; max-width: 110; height: auto; max-height: 90%; padding: 1 2;
        background: #1b2730; border: round #7cc4f0; border-title-style: bold;
    }
    #heading { background: #16404e; color: #f0ede2; text-style: bold; padding: 0 1; }
    #others { padding: 0 1; }
    #middle { background: #16404e; padding: 0 1; }
    #status { padding: 0 1; }
    Static { height: auto; }
    #heading, #middle { height: 1; }
    #body { height: 1fr; }
    #mine { width: 1fr; padding: 0 1; overflow-y: auto; }
    #middle.airy { margin: 1 0; }
    #may { color: #b3c1c8; padding: 1 0; }
    VerticalScroll { scrollbar-size-vertical: 1; scrollbar-color: #40525e; }
    #course { width: 36%; min-width: 30; border-left: vkey #40525e; padding: 0 1; }
    #course.alone { width: 1fr; border-left: none; }
    Amount { height: 3; border: round #7cc4f0; background: #1b2730; display: none; }
    Footer { background: #1b2730; }
    """

    def __init__(self, room: Room) -> None:
        super().__init__()
        self._room, self._client = room, room.open(self)
        self.table: dict[str, Any] = {}
        self._seconds, self._paused = 1.0, False
        self._is_advised, self._room_for = False, self.size
        self._failed: set[str] = set()
        self._heading, self._others = Static(id="heading"), Static(id="others")
        self._middle, self._status = Static(id="middle"), Static(id="status")
        self._own, self._may, self._story = Static(id="own"), Static(id="may"), Static()
        self._moves, self._amount = Moves(), Amount(type="integer")
        self._mine, self._course = Vertical(id="mine"), VerticalScroll(id="course", can_focus=False)

    def compose(self) -> ComposeResult:
        """Lay the table out: the others, the middle, the own seat beside what has happened."""
        yield self._heading
        yield self._others
        yield self._middle
        yield self._status
        with Horizontal(id="body"):
            with self._mine:
                yield self._own
                yield self._may
                yield self._moves
                yield self._amount
            with self._course:
                yield self._story
        yield Footer()

    # The client.

    async def on_mount(self) -> None:
        """Sit down, or watch."""
        self._ask(type="join", watch=not self._room.match.people)

    def on_unmount(self) -> None:
        """Leave the table."""
        self._room.close(self._client)

    async def send_text(self, data: str) -> None:
        """Take a message of the table."""
        self.post_message(Told(json.loads(data)))

    def _ask(self, **request: Any) -> None:
        """Send a request; the keyboard goes on while it is answered."""
        self.run_worker(self._room.receive(self._client, json.dumps(request)))

    def on_told(self, told: Told) -> None:
        """Show what the table tells."""
        match told.content:
            case {"type": "table"} as table:
                is_new = table["turn"] != self.table.get("turn")
                self.table = table
                self._seconds, self._paused = table["pace"]["seconds"], table["pace"]["paused"]
                self._is_advised &= not is_new
                self._show(is_new)
            case {"type": "advice", "title": title} as advice:
                self._is_advised = False
                self._show_status()
                self.push_screen(Page(title, text.advice(advice)))
            case {"type": "refused", "sentence": sentence}:
                self._is_advised = False
                self._show_status()
                self.notify(sentence, severity="warning", markup=False)

    # What is shown.

    def on_resize(self, resized: events.Resize) -> None:
        """Lay out anew for another size."""
        self._room_for = resized.size  # App.size may still be the size before
        if self.table:
            self._show(is_new=False)

    def _show(self, is_new: bool) -> None:
        table = self.table
        others = len(table["seats"]) - (table["seat"] is not None)
        room = text.layout(others, *self._room_for)
        self._middle.set_class(room.airy, "airy")
        self._heading.update(text.heading(table))
        self._others.update(text.others(table, room))
        self._middle.update(text.middle(table))
        self._story.update(text.story(table))
        self._course.set_class(table["seat"] is None, "alone")
        self._course.scroll_end(animate=False)
        self._mine.display = table["seat"] is not None
        self._show_status()
        if table["seat"] is not None:
            self._own.update(text.own(table, room))
            self._may.update(table["you_may"])
            self._may.display = room.large
        if is_new:
            self._moves.offer(table["moves"])
            self._amount.action_close()
            self._tell_failures()
            if table["guide"]:
                self.action_guide()
        self.refresh_bindings()

    def _show_status(self) -> None:
        if not self.table:
            return
        notes = [f"{self._seconds:g} s a move"]
        notes += ["paused"] if self._paused else []
        notes += ["the adviser is thinking …"] if self._is_advised else []
        self._status.update(text.status(self.table, *notes))

    def _tell_failures(self) -> None:
        for name, reason in self.table["failures"].items():
            if name not in self._failed:
                self._failed.add(name)
                self.notify(f"{name} failed, and a default was played: {reason}", markup=False)

    # Keys.

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Say which keys do something now; only those stand in the last line."""
        table = self.table
        if not table:
            return action == "quit"
        plays = table["seat"] is not None
        is_over = bool(table["result"])
        match action, parameters:
            case "advise", ("hints",):
                return bool(table["moves"])
            case "advise", ("coach",):
                return plays and is_over
            case "raise", _:
                return any(move["kind"] == "raise" for move in table["moves"])
            case "deal", _:
                return plays and is_over and not table["match_over"]
            case "guide", _:
                return bool(table["guide"])
            case "pause" | "pace", _:
                return not table["match_over"] and not self._amount.display
        return True

    def action_play(self, number: int) -> None:
        """Play the move of a number."""
        self._moves.choose(number - 1)

    def on_moves_chosen(self, chosen: Moves.Chosen) -> None:
        """Play a move, or ask for the amount of a raise."""
        if chosen.move["kind"] == "raise":
            self._amount.ask(chosen.move)
        else:
            self._play(chosen.move["move"])

    def on_input_submitted(self, submitted: Input.Submitted) -> None:
        """Raise."""
        self._play(f"raise {submitted.value}")

    def _play(self, move: str) -> None:
        self._ask(type="move", turn=self.table["turn"], move=move)

    def action_raise(self) -> None:
        """Ask for the amount of a raise."""
        (move,) = (move for move in self.table["moves"] if move["kind"] == "raise")
        self._amount.ask(move)

    def action_deal(self) -> None:
        """Deal the next hand."""
        self._ask(type="deal", turn=self.table["turn"])

    def action_advise(self, kind: str) -> None:
        """Ask for hints, or for the coach."""
        if not self._is_advised:
            self._is_advised = True
            self._show_status()
            self._ask(type=kind, turn=self.table["turn"])

    def action_pause(self) -> None:
        """Let the agents wait, or go on."""
        self._paused = not self._paused
        self._set_pace()

    def action_pace(self, steps: int) -> None:
        """Let the agents move faster or slower."""
        nearest = min(range(len(PACES)), key=lambda place: abs(PACES[place] - self._seconds))
        self._seconds = PACES[max(0, min(len(PACES) - 1, nearest + steps))]
        self._set_pace()

    def _set_pace(self) -> None:
        self._ask(type="pace", seconds=self._seconds, paused=self._paused)
        self._show_status()

    def action_guide(self) -> None:
        """Say what this phase is about."""
        if len(self.screen_stack) == 1:
            self.push_screen(Page("The guide", Text("\n\n".join(self.table["guide"]))))

    def action_rules(self) -> None:
        """Show the keys, and the rules of this table."""
        sections = rules_page(self._room.match.game.rules)
        rules = {section.title: paragraph(section.sentences) for section in sections}
        self.push_screen(Page("The rules", text.paragraphs({"Keys": KEYS} | rules)))

    def action_scroll_story(self, pages: int) -> None:
        """Scroll what has happened."""
        self._course.scroll_relative(y=pages * (self._course.size.height - 1), animate=False)
