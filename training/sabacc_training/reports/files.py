"""The files of a report: the page, the same as JSON, and each of its tables as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from sabacc_env.storage.files import make_folder, write_text
from sabacc_training.reports.model import Part, Report
from sabacc_training.reports.page import page

PAGE: Final = "report.html"


def write_report(report: Report, folder: Path) -> None:
    """Write a report's files into a folder; the same report gives the same bytes.

    Files: ``report.html``; ``report.json``, which ``Report`` reads again; and ``standings.csv``,
    ``pairs.csv``, ``moves.csv``, ``moves_by_hand.csv``, ``shown_hands.csv``, ``ratings.csv`` and
    ``failures.csv``.

    Raises:
        SabaccError: for a costly hand that cannot be played again, or a file that cannot be
            written.
    """
    text = page(report)
    make_folder(folder)
    write_text(folder / PAGE, text)
    write_text(folder / "report.json", report.model_dump_json(indent=2) + "\n")
    for name, rows in _tables(report).items():
        write_text(folder / f"{name}.csv", _csv(rows))


def _tables(report: Report) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of each table by its name."""
    return {
        "standings": [
            {"format": each.name, **row} for each in report.formats for row in _rows(each.standings)
        ],
        "pairs": [
            {"format": each.name, **row} for each in report.formats for row in _rows(each.pairs)
        ],
        "moves": _rows(report.moves),
        "moves_by_hand": _rows(report.moves_by_hand),
        "shown_hands": _rows(report.shown_hands),
        "ratings": [
            {"view": view.name, **row} for view in report.views for row in _rows(view.ratings)
        ],
        "failures": _rows(report.failures),
    }


def _rows(parts: Iterable[Part]) -> list[dict[str, Any]]:
    return [dict(_flat(part.model_dump())) for part in parts]


def _flat(data: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, Any]]:
    """Yield the fields of a part, those of its own parts under names such as ``raw_mean``.

    >>> dict(_flat({"agent": "tight", "margin": {"raw": {"mean": 1.5}, "reduced": None}}))
    {'agent': 'tight', 'margin_raw_mean': 1.5, 'margin_reduced': None}
    """
    for name, value in data.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}_")
        else:
            yield prefix + name, " ".join(map(str, value)) if isinstance(value, tuple) else value


def _csv(rows: list[dict[str, Any]]) -> str:
    """Return rows as CSV; one that has fewer fields than others has empty ones."""
    text = io.StringIO()
    fields = dict.fromkeys(name for row in rows for name in row)
    writer = csv.DictWriter(text, fieldnames=list(fields), lineterminator="\n")
    if fields:
        writer.writeheader()
        writer.writerows(rows)
    return text.getvalue()
