"""Draw docs/images/ablations.svg: what opponents win from agents made in several ways.

A panel for networks and one for blueprints, from docs/results/ablations.json.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sabacc_training.bench.plot import OURS, PEERS, STEPPED, svg_figure

from sabacc_env.storage.files import write_bytes
from tools import forest_plot
from tools.ablations import METHODS, SEEDS, Row, read_rows
from tools.markdown import ROOT

PICTURE: Final = ROOT / "docs" / "images" / "ablations.svg"

PANELS: Final = {"networks": ("network",), "blueprints": ("blueprint", "resolving")}

COLOURS: Final = {"lbr": OURS, "trained": STEPPED, "patterns": PEERS}
"""Those of the probes that make the rows."""

TICKS: Final = (-200, 0, 200, 400, 600, 800, 1_000)

LINEAR_TO: Final = 2_000
"""All margins lie below it, so the axis is linear."""


def picture(rows: Sequence[Row]) -> bytes:
    """Return a forest plot as SVG: each probe of each seed, with 95 % intervals."""
    with svg_figure(8.6, 4.6, {"font.size": 8, "svg.hashsalt": "ablations"}) as (figure, file):
        for axes, (title, kinds) in zip(figure.subplots(1, 2), PANELS.items(), strict=True):
            own = [row for row in rows if METHODS[row.method].kind in kinds]
            methods = list(dict.fromkeys(row.method for row in own))
            for probe, colour in COLOURS.items():
                shown = [row for row in own if probe in row.found]
                axes.errorbar(
                    [row.found[probe][0] for row in shown],
                    [methods.index(row.method) + 0.2 * (row.seed - SEEDS // 2) for row in shown],
                    xerr=[row.found[probe][1] for row in shown],
                    fmt="o",
                    markersize=2.5,
                    linewidth=0.8,
                    color=colour,
                    label=probe,
                )
            forest_plot.set_up(axes, title, methods, TICKS, linear_to=LINEAR_TO)
        handles, labels = figure.axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper right", ncols=3, frameon=False)
        figure.supxlabel("what each probe wins, mante/hand; a line for each seed, 95 % intervals")
    return file.getvalue()


if __name__ == "__main__":
    write_bytes(PICTURE, picture(list(read_rows())))
