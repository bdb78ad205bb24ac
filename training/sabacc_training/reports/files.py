"""The files of a report: the page, the same as JSON, and each of its tables as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, get_args

from sabacc_env.storage.files import make_folder, write_text
from sabacc_training.reports.model import (
    Failure,
    HandCount,
    HandMoveCount,
    ModelUsage,
    MoveCount,
    Pair,
    Part,
    Rating,
    Report,
    Standing,
)
from sabacc_training.reports.page import page

PAGE: Final = "report.html"


def write_report(report: Report, folder: Path) -> None:
    """Write a report's files into a folder; the same report gives the same bytes.

    Files: ``report.html``; ``report.json``, which ``Report`` reads again; and ``standings.csv``,
    ``pairs.csv``, ``moves.csv``, ``moves_by_hand.csv``, ``shown_hands.csv``, ``ratings.csv``,
    ``failures.csv`` and ``usage.csv``.

    Raises:
        SabaccError: for a costly hand that cannot be played again, or a file that cannot be
            written.
    """
    text = page(report)
    make_folder(folder)
    write_text(folder / PAGE, text)
    write_text(folder / "report.json", report.model_dump_json(indent=2) + "\n")
    for name, table in _tables(report).items():
        write_text(folder / f"{name}.csv", table)


def _tables(report: Report) -> dict[str, str]:
    """Return each table as CSV, by its name."""
    formats = report.formats
    standings = [({"format": each.name}, row) for each in formats for row in each.standings]
    pairs = [({"format": each.name}, row) for each in formats for row in each.pairs]
    ratings = [({"view": view.name}, row) for view in report.views for row in view.ratings]
    return {
        "standings": _csv(Standing, standings, "format"),
        "pairs": _csv(Pair, pairs, "format"),
        "ratings": _csv(Rating, ratings, "view"),
        "moves": _csv(MoveCount, [({}, row) for row in report.moves]),
        "moves_by_hand": _csv(HandMoveCount, [({}, row) for row in report.moves_by_hand]),
        "shown_hands": _csv(HandCount, [({}, row) for row in report.shown_hands]),
        "failures": _csv(Failure, [({}, row) for row in report.failures]),
        "usage": _csv(ModelUsage, [({}, row) for row in report.usage]),
    }


def _csv(kind: type[Part], rows: Sequence[tuple[dict[str, str], Part]], *first: str) -> str:
    """Return rows of one kind as CSV, after columns of their own."""
    text = io.StringIO()
    columns = [*first, *_columns(kind)]
    writer = csv.DictWriter(text, columns, restval="", extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for own, row in rows:
        writer.writerow(own | dict(_flat(row.model_dump())))
    return text.getvalue()


def _columns(kind: type[Part], prefix: str = "") -> Iterator[str]:
    """Yield the columns of a kind of row: its fields, and those of its parts.

    >>> list(_columns(Pair))[:4]
    ['agent', 'opponent', 'margin_raw_mean', 'margin_raw_half_width']
    """
    for name, field in kind.model_fields.items():
        annotations = (field.annotation, *get_args(field.annotation))
        part = next((a for a in annotations if isinstance(a, type) and issubclass(a, Part)), None)
        if part is None:
            yield prefix + name
        else:
            yield from _columns(part, f"{prefix}{name}_")


def _flat(data: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the fields of a row, those of its parts under the names of ``_columns``."""
    for name, value in data.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}_")
        else:
            yield prefix + name, value
