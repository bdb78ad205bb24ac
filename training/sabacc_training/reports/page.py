"""The page: one HTML file that needs nothing else, with its charts, tables and replays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from sabacc_env.render.drawing import signed
from sabacc_training.reports.charts import (
    CONFIG,
    count_moves,
    luck_chart,
    moves_chart,
    standings_chart,
    used_kinds,
)
from sabacc_training.reports.luck import NUMBERS_OF_HANDS, chance_ahead, luck_of
from sabacc_training.reports.model import (
    Figure,
    FormatResults,
    HandMoveCount,
    Interval,
    MoveCount,
    Report,
)
from sabacc_training.reports.replays import SharedPictures, costly_replay

PHASES: Final = {"cards": "card phases", "dice": "redraws after doubles", "betting": "betting"}
"""How the page calls the phases of the game."""

TOTALS: Final = {"0": 0, "1 or 2": 2, "3 to 5": 5, "6 to 10": 10, "over 10": math.inf}
"""Classes of the distance of a hand's total from zero, with the largest of each."""


def page(report: Report) -> str:
    """Return the whole report as the text of one HTML file; the same report, the same text.

    Raises:
        SabaccError: for a costly hand that cannot be played again.
    """
    pictures = SharedPictures()
    replays = [costly_replay(hand, pictures) for hand in report.costly_hands]
    phases = _phases_with_choices(report)
    charts = {f"moves-{phase}": moves_chart(report, phase) for phase in phases}
    for results in report.formats:
        charts[f"standings-{results.name}"] = standings_chart(results)
        charts[f"luck-{results.name}"] = luck_chart(results)
    template = environment().get_template("page.html")
    return template.render(
        report=report,
        matrices={results.name: _matrices(results) for results in report.formats},
        phases={phase: PHASES[phase] for phase in phases},
        move_tables=_move_tables(report, phases),
        hands_table=_hands_table(report),
        luck_of=luck_of,
        chance_ahead=chance_ahead,
        numbers_of_hands=NUMBERS_OF_HANDS,
        costly_hands=list(zip(report.costly_hands, replays, strict=True)),
        charts={name: figure.to_plotly_json() for name, figure in charts.items()},
        chart_config=CONFIG,
        drawings={
            "nodes": pictures.nodes,
            "replays": [replay.pictures for replay in replays],
        },
        plotly=Markup(get_plotlyjs()),
    )


def environment() -> Environment:
    """Return the templates of this package, with the filters of their numbers and names."""
    found = Environment(
        loader=PackageLoader("sabacc_training.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {
        "signed": signed,
        "interval": interval,
        "percent": percent,
        "needed": needed,
        "short": short,
        "breakable": breakable,
        "duration": duration,
    }
    return found


# Numbers as text.


def interval(value: Interval) -> str:
    """Return a mean with its ±.

    >>> interval(Interval(mean=-1200.0, half_width=85.2))
    '−1,200 ± 85'
    """
    return f"{signed(value.mean)} ± {value.half_width:,.0f}"


def percent(share: float, digits: int = 0) -> str:
    """Return a share as a percentage; one that would round to nothing says so.

    >>> percent(0.256), percent(0.0001), percent(0.0)
    ('26 %', '< 1 %', '0 %')
    """
    if 0 < share < 0.5 * 10 ** -(digits + 2):
        return f"< {10**-digits:.{digits}f} %"
    return f"{100 * share:.{digits}f} %".replace("-", "−")


def short(value: float) -> str:
    """Return a value to three digits, a large one to whole numbers.

    >>> short(0.04567), short(-1512.3), short(0.0)
    ('0.0457', '−1,512', '0')
    """
    return (f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}").replace("-", "−")


def duration(hours: float) -> str:
    """Return a time in the unit that shows it.

    >>> duration(2.25), duration(0.25), duration(0.0011)
    ('2.25 hours', '15.0 minutes', '4.0 seconds')
    """
    if hours >= 1:
        return f"{hours:,.2f} hours"
    return f"{60 * hours:.1f} minutes" if hours >= 1 / 60 else f"{3600 * hours:.1f} seconds"


def needed(hands: float | None, played: int) -> str:
    """Return a number of hands of which two digits are known; None is more than were played.

    >>> needed(1598.3, 20_000), needed(None, 20_000)
    ('1,600', '> 20,000')
    """
    return f"> {played:,}" if hands is None else f"{float(f'{hands:.2g}'):,.0f}"


def breakable(name: str) -> Markup:
    """Return a name as HTML that may go on in a new line after an underscore.

    >>> breakable("calling_station <1>")
    Markup('calling_<wbr>station &lt;1&gt;')
    """
    return Markup("_<wbr>").join(name.split("_"))


# Tables.


@dataclass(frozen=True)
class Cell:
    """A cell of the pair matrix.

    Attributes:
        margin: the row's agent over the column's.
        shade: how strong its colour is, -1 to 1; 0 where the interval does not exclude zero.
        met: whether the two met in training.
    """

    margin: Interval
    shade: float
    met: bool


def _matrices(results: FormatResults) -> dict[str, dict[tuple[str, str], Cell]]:
    """Return the pair matrix of a format, reduced where there is such a figure, then raw."""
    if not results.pairs:
        return {}
    kinds = ["raw"]
    if any(pair.margin.reduced for pair in results.pairs):
        kinds.insert(0, "reduced")
    return {kind: _matrix(results, kind) for kind in kinds}


def _matrix(results: FormatResults, kind: str) -> dict[tuple[str, str], Cell]:
    cells = {}
    shown = [(pair, _of_kind(pair.margin, kind)) for pair in results.pairs]
    largest = max((abs(margin.mean) for _, margin in shown if margin), default=0) or 1
    for pair, margin in shown:
        if margin is None:
            continue
        strength = (abs(margin.mean) / largest) ** 0.5 if margin.tells_from_zero else 0
        shade = round(strength if margin.mean > 0 else -strength, 3)
        cells[pair.agent, pair.opponent] = Cell(margin, shade, pair.met_in_training)
        if results.kind == "pairs":
            other_way = Interval(mean=-margin.mean, half_width=margin.half_width)
            cells[pair.opponent, pair.agent] = Cell(other_way, -shade, pair.met_in_training)
    return cells


def _of_kind(figure: Figure, kind: str) -> Interval | None:
    return figure.raw if kind == "raw" else figure.reduced


@dataclass(frozen=True)
class MoveTable:
    """How one agent plays one phase.

    Attributes:
        phase: the phase, as the page calls it.
        kinds: the columns: kinds of moves.
        groups: rows by their heading; each is its name, its decisions, and their shares.
    """

    phase: str
    kinds: list[str]
    groups: dict[str, list[tuple[str, int, list[float]]]]


def _phases_with_choices(report: Report) -> list[str]:
    """Return the phases in which the agents had more than one kind of move."""
    return [
        phase
        for phase in PHASES
        if len({row.move for row in report.moves if row.phase == phase}) > 1
    ]


def _move_tables(report: Report, phases: Sequence[str]) -> dict[str, list[MoveTable]]:
    """Return the tables of each agent, by its name."""
    played = {row.agent for row in report.moves}
    return {
        entry.name: [_move_table(report, entry.name, phase) for phase in phases]
        for entry in report.agents
        if entry.name in played
    }


def _move_table(report: Report, agent: str, phase: str) -> MoveTable:
    of_phase = [row for row in report.moves if row.phase == phase]
    own = [row for row in of_phase if row.agent == agent]
    by_hand = [row for row in report.moves_by_hand if (row.agent, row.phase) == (agent, phase)]
    kinds = used_kinds(count_moves(of_phase))
    classes = [(name, [row for row in own if _class_of(row.total) == name]) for name in TOTALS]
    groups: dict[str, list[tuple[str, Sequence[MoveCount | HandMoveCount]]]] = {
        "": [("all", own)],
        "By round": [
            (name, [row for row in own if row.round == name])
            for name in dict.fromkeys(row.round for row in own)
        ],
        "By the distance of its total from zero": [(name, rows) for name, rows in classes if rows],
        "By its hand": [
            (name, [row for row in by_hand if row.hand == name])
            for name in report.hand_names
            if any(row.hand == name for row in by_hand)
        ],
    }
    return MoveTable(
        PHASES[phase],
        kinds,
        {
            heading: [(name, *_shares(rows, kinds)) for name, rows in named]
            for heading, named in groups.items()
            if named
        },
    )


def _class_of(total: int) -> str:
    return next(name for name, largest in TOTALS.items() if total <= largest)


def _shares(
    rows: Sequence[MoveCount | HandMoveCount], kinds: Sequence[str]
) -> tuple[int, list[float]]:
    """Return the number of decisions, and the share of each kind of move."""
    counts = {kind: sum(row.count for row in rows if row.move == kind) for kind in kinds}
    total = sum(counts.values())
    return total, [count / (total or 1) for count in counts.values()]


@dataclass(frozen=True)
class HandsTable:
    """What each agent held at reveals.

    Attributes:
        rows: for each kind of hand that was shown, best first, each agent's share of its reveals.
        reveals: each agent's number of reveals.
        won: each agent's share of reveals that it won.
    """

    rows: list[tuple[str, list[float]]]
    reveals: list[int]
    won: list[float]

    @property
    def largest(self) -> float:
        """The largest share."""
        return max((share for _, shares in self.rows for share in shares), default=0) or 1


def _hands_table(report: Report) -> HandsTable:
    shown = {(row.agent, row.hand): row for row in report.shown_hands}
    agents = [entry.name for entry in report.agents]
    reveals = {
        agent: sum(row.shown for row in report.shown_hands if row.agent == agent)
        for agent in agents
    }

    def share(count: int, agent: str) -> float:
        return count / (reveals[agent] or 1)

    def of(agent: str, hand: str) -> int:
        row: Any = shown.get((agent, hand))
        return row.shown if row else 0

    occurring = {row.hand for row in report.shown_hands if row.shown}
    return HandsTable(
        [
            (hand, [share(of(agent, hand), agent) for agent in agents])
            for hand in report.hand_names
            if hand in occurring
        ],
        list(reveals.values()),
        [
            share(sum(row.won for row in report.shown_hands if row.agent == agent), agent)
            for agent in agents
        ],
    )
