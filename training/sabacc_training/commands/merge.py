"""``sabacc merge``: parts of a tournament from several folders, and their results."""

from __future__ import annotations

from pathlib import Path

from sabacc_training.commands.tournament import print_results
from sabacc_training.tournaments.run import merge_tournaments


def merge(*folders: Path, output: Path) -> None:
    """Put the parts of a tournament that were played in several folders together.

    The files are byte for byte those of one run.

    Args:
        folders: Folders of the same tournament, each of which has some of its deals.
        output: The folder for all tasks and the results; one of the folders, or another.
    """
    print_results(merge_tournaments(folders, output), output)
