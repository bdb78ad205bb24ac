"""The plot of a benchmark run: rates as bars, rates by size, and tournaments."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sabacc_env.errors import SabaccError, how_to_install
from sabacc_env.storage.files import check_writable, make_folder
from sabacc_training.bench.names import (
    NOOP_RAW,
    NOOP_WRAPPED,
    OPENSPIEL,
    PGX,
    RAW,
    TEXAS_RAW,
    TEXAS_WRAPPED,
    WRAPPED,
    compiled_loop_name,
    is_stepped,
    stepped_name,
)
from sabacc_training.bench.report import describe_run, format_figure
from sabacc_training.bench.results import BenchmarkResult, Results
from sabacc_training.bench.tournament_plot import draw_tournaments

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

OURS, STEPPED, PEERS, CEILING = "#1f5fa8", "#f2c14e", "#9a6a8f", "#c3c8ce"
INK, FAINT = "#24292f", "#6e7781"

BY_STEP: Final = "stepped from Python"

PANELS: Final = {"tables": "tables", "players": "players", "threads": "threads (not CPU-seconds)"}
"""The parts that vary a size, with their axis labels."""

SETTINGS: Final[dict[str, Any]] = {
    "font.size": 9,
    "text.color": INK,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": FAINT,
    "grid.alpha": 0.25,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "svg.fonttype": "none",  # text stays text: searchable, and a third of the size
    "svg.hashsalt": "sabacc bench",  # the same results, the same file
}

Row = tuple[str, str, str]
"""The name of a benchmark, its label and its colour; the name of a heading is empty."""


def plot(results: Results) -> bytes | None:
    """Return a plot of the results as SVG; None where no result belongs in it.

    Raises:
        ImportError: where matplotlib is not installed.
    """
    rows = _rows(results)
    panels = [part for part in PANELS if results.part(part)]
    tournaments = results.part("tournament")
    heights = [0.23 * len(rows) + 0.6] * bool(rows) + [2.1] * bool(panels)
    heights += [1.9] * bool(tournaments)
    if not heights:
        return None
    with svg_figure(8.6, sum(heights)) as (figure, file):
        places = figure.add_gridspec(len(heights), 1, height_ratios=heights)
        figure.supxlabel(describe_run(results).replace("`", ""), fontsize=6.5, color=FAINT)
        if rows:
            _draw_rates(figure.add_subplot(places[0]), results, rows)
        if panels:
            across = places[bool(rows)].subgridspec(1, len(panels), wspace=0.08)
            for place, part in enumerate(panels):
                _draw_rates_by_size(
                    figure.add_subplot(across[place]), results.part(part), PANELS[part]
                )
        if tournaments:
            beside = places[-1].subgridspec(1, 2, wspace=0.08)
            rates, times = figure.add_subplot(beside[0]), figure.add_subplot(beside[1])
            draw_tournaments(rates, times, tournaments, OURS, INK)
    return file.getvalue()


def check_picture(path: Path) -> None:
    """Check, before long work, that a picture can be drawn and written; make its folder.

    Raises:
        SabaccError: where matplotlib is not installed, or the file cannot be written.
    """
    if find_spec("matplotlib") is None:
        raise SabaccError(f"picture: needs matplotlib; {how_to_install('bench')}")
    check_writable(path)
    make_folder(path.parent)


@contextmanager
def svg_figure(
    width: float, height: float, settings: Mapping[str, Any] = {}
) -> Iterator[tuple[Figure, io.BytesIO]]:
    """Yield a figure to draw on, and a file that has it as SVG afterwards.

    Args:
        width: in inches.
        height: likewise.
        settings: of matplotlib, beside ``SETTINGS``.

    Raises:
        ImportError: where matplotlib is not installed.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    file, drawn = io.BytesIO(), io.BytesIO()
    with rc_context({**SETTINGS, **settings}):
        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure, file
        figure.savefig(drawn, format="svg", metadata={"Date": None})
    file.write(strip_lines(drawn.getvalue()))


def strip_lines(svg: bytes) -> bytes:
    r"""Return SVG without the white space at the ends of lines, which matplotlib writes.

    >>> strip_lines(b'<path d="M 0 0 \nL 1 1 \n"/>\n')
    b'<path d="M 0 0\nL 1 1\n"/>\n'
    """
    return re.sub(rb"[ \t]+$", b"", svg, flags=re.MULTILINE)


def _rows(results: Results) -> list[Row]:
    """Return the bars from the top, the fastest first, in groups with headings."""
    groups = {
        "many tables; Sabacc's six rule sets with 4 players": [
            *((compiled_loop_name(rules), rules, OURS) for rules in results.by_speed()),
            (PGX, PGX, PEERS),
        ],
        "one table, stepped from Python": [
            (NOOP_RAW, NOOP_RAW, CEILING),
            (RAW, RAW, OURS),
            (OPENSPIEL, OPENSPIEL, PEERS),
            (TEXAS_RAW, TEXAS_RAW, PEERS),
        ],
        "one table in PettingZoo's wrappers": [
            (NOOP_WRAPPED, NOOP_RAW, CEILING),
            (WRAPPED, WRAPPED, OURS),
            (TEXAS_WRAPPED, TEXAS_WRAPPED, PEERS),
        ],
    }
    rows: list[Row] = []
    for heading, group in groups.items():
        known = [row for row in group if row[0] in results.measured]
        known.sort(key=lambda row: -results.measured[row[0]].spread.median)
        rows += [("", heading, INK)] * bool(known) + known
    return rows


def _draw_rates(axes: Axes, results: Results, rows: Sequence[Row]) -> None:
    """Draw medians as bars on a logarithmic axis, with lines from the minimum to the maximum."""
    beside = axes.get_yaxis_transform()  # x in fractions of the axis, y in rows
    for y, (name, label, colour) in enumerate(rows):
        if not name:
            axes.text(0.006, y + 0.1, label, weight="bold", va="center", transform=beside)
            continue
        axes.text(-0.01, y, label, ha="right", va="center", transform=beside)
        spread = results.measured[name].spread
        axes.barh(y, spread.median, height=0.72, color=colour)
        axes.plot([spread.min, spread.max], [y, y], color=INK, linewidth=0.9)
        axes.text(spread.max * 1.1, y, format_figure(spread.median), va="center")
        if by_step := results.measured.get(stepped_name(label)):
            axes.plot(by_step.spread.median, y, "o", color=STEPPED, label=BY_STEP, markersize=4.5)
    spreads = [results.measured[name].spread for name, *_ in rows if name]
    axes.set_xscale("log")
    axes.set_xlim(min(each.min for each in spreads) / 2, max(each.max for each in spreads) * 3)
    handles, labels = axes.get_legend_handles_labels()
    axes.legend(handles[:1], labels[:1], loc="lower right", frameon=False, handletextpad=0)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_yticks([])
    axes.set_xlabel("decisions in a CPU-second, observation and mask of each written or returned")
    axes.grid(axis="x")


def _draw_rates_by_size(axes: Axes, measured: Sequence[BenchmarkResult], label: str) -> None:
    """Draw rates by size: in the compiled loop, and stepped from Python where that was measured."""
    for by_step, colour in ((False, OURS), (True, STEPPED)):
        line = [each for each in measured if is_stepped(each.name) == by_step]
        if not line:
            continue
        spreads = [each.spread for each in line]
        medians = [spread.median / 1e6 for spread in spreads]
        errors = [
            [(spread.median - spread.min) / 1e6 for spread in spreads],
            [(spread.max - spread.median) / 1e6 for spread in spreads],
        ]
        sizes = [each.size or 0 for each in line]
        axes.errorbar(sizes, medians, errors, color=colour, marker="o", markersize=4, capsize=2)
    ticks = sorted({each.size for each in measured if each.size is not None})
    if ticks[-1] > 8:
        axes.set_xscale("log", base=2)
    axes.set_xticks(ticks, [f"{size // 1024}k" if size >= 1024 else f"{size}" for size in ticks])
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    axes.set_xlabel(label)
    axes.set_ylabel("million a second")
    axes.grid(axis="y")
