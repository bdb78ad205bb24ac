"""``sabacc report``: what a tournament found, as one page to look at."""

from __future__ import annotations

from pathlib import Path

from sabacc_training.reports.files import PAGE, write_report
from sabacc_training.reports.from_tournament import tournament_report


def report(folder: Path, *, output: Path | None = None) -> None:
    """Write a report of a tournament: one page with charts, tables and replays, and its figures.

    The page is one file that needs no network. A tournament that is not finished is reported as far
    as it has been played.

    Args:
        folder: The folder of a tournament, as `sabacc tournament` writes it.
        output: The folder for report.html, report.json and CSV tables; by default FOLDER/report.
    """
    chosen = output or folder / "report"
    found = tournament_report(folder)
    write_report(found, chosen)
    for sentence in found.missing:
        print(sentence)
    print(f"Written to {chosen}; open {chosen / PAGE}.")
