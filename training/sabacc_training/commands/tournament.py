"""``sabacc tournament``: all pairs of agents over duplicate deals."""

from __future__ import annotations

import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

from sabacc_training.config.base import load_config
from sabacc_training.evaluation.progress import MatchProgress
from sabacc_training.evaluation.report import legend, standings
from sabacc_training.evaluation.tournament import TournamentConfig, play_tournament


def tournament(
    config: str, *overrides: str, output: Path | None = None, resume: bool = False
) -> None:
    """Play every pair of agents over the same deals and print their margins.

    Args:
        config: A configuration file, or the name of one in configs/.
        overrides: Keys to change: deals=1_000 agents='["tight", "random"]' rules=orsl.
        output: The folder for results; by default runs/tournaments/ and the configuration's name.
            Results of another configuration are not overwritten.
        resume: Load the pairs that an earlier run finished; a damaged file counts as missing.
    """
    settings = load_config(TournamentConfig, config, overrides)
    folder = output or settings.output or Path("runs", "tournaments", Path(config).stem)
    try:
        with MatchProgress(settings.hands, settings.rule_set.ante_unit) as progress:
            pairs = play_tournament(settings, folder, resume=resume, progress=progress)
    except KeyboardInterrupt:
        print(
            f"stopped; finished pairs are saved in {folder}: resume with --resume", file=sys.stderr
        )
        sys.exit(130)
    console = Console(highlight=False)
    console.print(standings(pairs, console))
    for line in [*legend(pairs), f"Written to {folder}."]:
        console.print(Text(line))
