"""``sabacc tournament``: agents at the tables of several formats, over duplicate deals."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from signal import SIGTERM, default_int_handler, signal

from rich.console import Console
from rich.text import Text

from sabacc_env.errors import SabaccError, short_repr
from sabacc_training.config.base import load_config
from sabacc_training.jobs.ray_executor import executor_at
from sabacc_training.tournaments.config import TournamentConfig
from sabacc_training.tournaments.progress import TournamentProgress
from sabacc_training.tournaments.rows import Results
from sabacc_training.tournaments.run import checked_deals, play_tournament
from sabacc_training.tournaments.terminal import explanations, standings


def tournament(
    config: str,
    *overrides: str,
    output: Path | None = None,
    resume: bool = False,
    part: str | None = None,
    ray: str | None = None,
) -> None:
    """Let agents play over the same deals, each deal from every seat, and print their margins.

    Args:
        config: A configuration file, or the name of one in configs/.
        overrides: Keys to change: deals=1_000 agents='["tight", "random"]' rules=orsl.
        output: The folder for results; by default runs/tournaments/ and the configuration's name.
            Results of another configuration are not overwritten.
        resume: Take the tasks that are there already and play the rest; a damaged file counts as
            missing. Without it all tasks are played anew, to the same bytes.
        part: Play only these deals, such as 0:20000, for example to share the work between
            machines; then merge the folders with `sabacc merge`.
        ray: Play on a Ray cluster: HOST:PORT of its head, auto for the one of this machine, or
            local for a new one.
    """
    settings = load_config(TournamentConfig, config, overrides)
    folder = output or settings.output or Path("runs", "tournaments", Path(config).stem)
    deals = None if part is None else checked_deals(settings, _range(part))
    expected = settings.deals if deals is None else len(deals)
    with (
        _exit_when_stopped(folder),
        TournamentProgress(settings.all_lineups, expected, settings.rule_set.ante_unit) as progress,
        executor_at(ray, settings.processes, progress.print_warning) as executor,
    ):
        results = play_tournament(
            settings, folder, resume=resume, deals=deals, executor=executor, progress=progress
        )
    if results is None:
        print(
            f"Played deals {part} of {settings.deals:,}. {folder} still lacks others: play them "
            "elsewhere, then put the folders together with `sabacc merge`."
        )
    else:
        print_results(results, folder)


def print_results(results: Results, folder: Path) -> None:
    """Print the results of a tournament, and where they are."""
    console = Console(highlight=False, markup=False)
    console.print(standings(results, console))
    for line in [*explanations(results), f"Written to {folder}."]:
        console.print(Text(line))


def _range(text: str) -> range:
    """Return the range of deals that a text such as ``0:20000`` names."""
    try:
        first, stop = map(int, text.split(":"))
    except ValueError:
        raise SabaccError(
            f"--part: {short_repr(text)} is not a range of deals such as 0:20000"
        ) from None
    return range(first, stop)


@contextmanager
def _exit_when_stopped(folder: Path) -> Iterator[None]:
    """Exit at once when SIGINT (Ctrl-C) or SIGTERM comes inside, and say how to go on."""
    before = signal(SIGTERM, default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        print(
            f"stopped; finished tasks are saved in {folder}: resume with --resume", file=sys.stderr
        )
        sys.exit(130)
    finally:
        signal(SIGTERM, before)
