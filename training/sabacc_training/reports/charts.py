"""The charts of a report, as Plotly figures.

The page's style sheet colours axes, grid and text, so that they follow light, dark and print. The
colours of data are Okabe and Ito's, which readers with colour-blindness tell apart, in shades that
stand out on white and on black.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

import plotly.graph_objects as go

from sabacc_env.engine.layout import KINDS
from sabacc_training.reports.luck import NUMBERS_OF_HANDS, chance_ahead
from sabacc_training.reports.model import FormatResults, HandMoveCount, Interval, MoveCount, Report

BLUE, SKY, ORANGE, GREEN = "#2b8cc4", "#56b4e9", "#e69f00", "#009e73"
VERMILION, PINK, OLIVE, GREY = "#d55e00", "#cc79a7", "#b8a800", "#8b93a1"
LINE_COLOURS: Final = (BLUE, ORANGE, GREEN, VERMILION, PINK, SKY, OLIVE, GREY)
KIND_COLOURS: Final = {
    "stand": GREY,
    "draw": BLUE,
    "discard_draw": SKY,
    "swap": ORANGE,
    "buy_discard": VERMILION,
    "keep": GREEN,
    "discard_drawn": PINK,
    "replace": OLIVE,
    "replace_spike": VERMILION,
    "redraw": GREEN,
    "check": GREY,
    "call": BLUE,
    "raise": ORANGE,
    "junk": PINK,
}
"""The colour of each kind of move: those of one phase of one rule set differ."""
DASHES: Final = ("solid", "dash", "dot", "dashdot")
"""Lines of the same colour differ in these."""
LONGEST_NAME: Final = 22
ROW_HEIGHT, LEGEND_HEIGHT, EDGES_HEIGHT = 34, 32, 78
"""Heights in pixels: of an agent's row, of a legend above all rows, and of the rest around them."""
CONFIG: Final = {"displaylogo": False, "displayModeBar": False, "responsive": True}
"""How the page shows every figure."""


def standings_chart(results: FormatResults) -> go.Figure:
    """Return a point with its interval for each agent, raw and reduced beside each other."""
    rows = {row.agent: row.margin for row in reversed(results.standings)}
    reduced = any(margin.reduced for margin in rows.values())
    figure = _figure(len(rows), "mante/hand, ± 95 %", legend=reduced)
    series: list[tuple[str, str, str, float, list[Interval | None]]] = [
        ("raw", GREY, "circle-open", 0.16 * reduced, [margin.raw for margin in rows.values()])
    ]
    if reduced:
        values = [margin.reduced for margin in rows.values()]
        series.append(("reduced", BLUE, "circle", -0.16, values))
    for name, colour, symbol, shift, intervals in series:
        shown = [(place + shift, each) for place, each in enumerate(intervals) if each]
        figure.add_scatter(
            name=name,
            x=[interval.mean for _, interval in shown],
            y=[place for place, _ in shown],
            error_x={
                "type": "data",
                "array": [interval.half_width for _, interval in shown],
                "thickness": 2,
                "width": 4,
            },
            mode="markers",
            marker={
                "color": colour,
                "symbol": symbol,
                "size": 10,
                "line": {"width": 2, "color": colour},
            },
            hovertemplate="%{x:+,.0f} ± %{error_x.array:,.0f}<extra>" + name + "</extra>",
        )
    _name_rows(figure, rows)
    figure.update_xaxes(zeroline=True, tickformat="~s", nticks=6, tickangle=0)
    return figure


def moves_chart(report: Report, phase: str) -> go.Figure:
    """Return a bar for each agent: how its decisions of one phase divide into kinds of moves."""
    counts = count_moves(row for row in report.moves if row.phase == phase)
    agents = [entry.name for entry in reversed(report.agents)]
    totals = {agent: sum(counts[agent, kind] for kind in KINDS) for agent in agents}
    figure = _figure(len(agents), "share of decisions")
    for kind in used_kinds(counts):
        shares = [counts[agent, kind] / (totals[agent] or 1) for agent in agents]
        figure.add_bar(
            name=kind.replace("_", " "),
            x=shares,
            y=list(range(len(agents))),
            orientation="h",
            marker={"color": KIND_COLOURS[kind]},
            texttemplate="%{x:.0%}",
            textposition="inside",
            insidetextanchor="middle",
            textangle=0,
            textfont={"color": "#101418"},
            hovertemplate="%{x:.1%}<extra>" + kind.replace("_", " ") + "</extra>",
        )
    figure.update_layout(
        barmode="stack",
        bargap=0.35,
        uniformtext={"minsize": 10, "mode": "hide"},
        legend_traceorder="normal",
    )
    _name_rows(figure, agents)
    figure.update_xaxes(range=[0, 1], tickformat=".0%", dtick=0.25)
    return figure


def luck_chart(results: FormatResults) -> go.Figure:
    """Return a line for each agent: how likely it is ahead after how many hands."""
    figure = _figure(11, "hands played (logarithmic)")
    exponents = [step / 10 for step in range(10 * (len(NUMBERS_OF_HANDS) - 1) + 1)]
    hands = [round(10**exponent, 1) for exponent in exponents]
    for number, row in enumerate(results.standings):
        margin = row.margin.best.mean
        figure.add_scatter(
            name=short_name(row.agent),
            x=hands,
            y=[round(chance_ahead(margin, row.hand_sd, count), 4) for count in hands],
            mode="lines",
            line={
                "color": LINE_COLOURS[number % len(LINE_COLOURS)],
                "dash": DASHES[number // len(LINE_COLOURS) % len(DASHES)],
                "width": 2.5,
            },
            hovertemplate="%{y:.0%} after %{x:,.0f} hands<extra>%{fullData.name}</extra>",
        )
    figure.update_layout(legend_entrywidth=110)
    figure.update_xaxes(type="log", dtick=1, tickformat=",d", range=[0, len(NUMBERS_OF_HANDS) - 1])
    figure.update_xaxes(ticklabeloverflow="allow")  # the last label is wider than the margin
    figure.update_yaxes(range=[-0.02, 1.02], tickformat=".0%", title_text="likely to be ahead")
    return figure


def count_moves(rows: Iterable[MoveCount | HandMoveCount]) -> Counter[tuple[str, str]]:
    """Return how often each agent made each kind of move."""
    counts: Counter[tuple[str, str]] = Counter()
    for row in rows:
        counts[row.agent, row.move] += row.count
    return counts


def used_kinds(counts: Counter[tuple[str, str]]) -> list[str]:
    """Return the kinds of moves that somebody made, in the order of the engine."""
    used = {kind for _, kind in counts}
    return [kind for kind in KINDS if kind in used]


def short_name(name: str) -> str:
    """Return a name for a chart: cut where it is long, and with no sign that Plotly would read.

    >>> short_name("<b>tight</b>"), short_name("a" * 30)
    ('&lt;b&gt;tight&lt;/b&gt;', 'aaaaaaaaaaaaaaaaaaaaa…')
    """
    cut = name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"
    return escape(cut)


def _figure(rows: int, x_title: str, *, legend: bool = True) -> go.Figure:
    """Return an empty figure high enough for so many rows, and for a legend where there is one."""
    above = LEGEND_HEIGHT * legend
    return go.Figure(
        layout={
            "template": "none",
            "height": ROW_HEIGHT * rows + above + EDGES_HEIGHT,
            "margin": {"l": 8, "r": 24, "t": 8 + above, "b": 8},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "font": {"family": "inherit", "size": 13},
            "legend": {"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom", "xanchor": "left"},
            "showlegend": legend,
            "hovermode": "closest",
            "dragmode": False,
            "xaxis": {
                "title": {"text": x_title, "font": {"size": 13}},
                "automargin": True,
                "fixedrange": True,
            },
            "yaxis": {
                "title": {"font": {"size": 13}},
                "automargin": True,
                "fixedrange": True,
                "zeroline": False,
            },
        }
    )


def _name_rows(figure: go.Figure, names: Iterable[str]) -> None:
    labels: Sequence[str] = [short_name(name) for name in names]
    figure.update_yaxes(
        tickvals=list(range(len(labels))),
        ticktext=labels,
        range=[-0.6, len(labels) - 0.4],
        showgrid=False,
    )
