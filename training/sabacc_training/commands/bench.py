"""``sabacc bench``: the speed of this project and of the peers that are installed."""

from __future__ import annotations

import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

from sabacc_env.errors import how_to_install
from sabacc_env.storage.files import write_bytes, write_text
from sabacc_training.bench.config import bench_config
from sabacc_training.bench.plot import plot
from sabacc_training.bench.progress import BenchProgress
from sabacc_training.bench.report import describe_run, figures_table, ratios_table, shares_table
from sabacc_training.bench.results import Results
from sabacc_training.bench.run import machine_info, run
from sabacc_training.jobs.partial_results import open_partial_results


def bench(
    *parts: str,
    repeats: int | None = None,
    seconds: float | None = None,
    quick: bool = False,
    cold: bool = False,
    output: Path = Path("runs", "bench"),
    resume: bool = False,
) -> None:
    """Measure the speed of this project and of the installed peers in one run.

    Args:
        parts: Some of rules, peers, aec, game, vector, tables, players, threads, start, tournament;
            by default all.
        repeats: Rounds; each measures everything in turn; 7 by default.
        seconds: The minimum CPU time of each sample; 0.3 by default.
        quick: Few tables and short samples, to see in seconds that everything works.
        cold: Also measure the first start, with the engine not compiled yet: half a minute a round.
        output: The folder for bench.json, with every sample, and the picture bench.svg.
        resume: Continue after the rounds that a stopped run left in that folder.
    """
    config = bench_config(quick, parts=parts or None, repeats=repeats, seconds=seconds, cold=cold)
    work = {"config": config.model_dump(mode="json"), "machine": machine_info()}
    with open_partial_results(output, work, resume) as partial:
        with BenchProgress() as progress:
            results = run(config, partial, progress)
        if results is None:
            print("stopped before the first round had ended; nothing was written", file=sys.stderr)
            sys.exit(130)
        _report(results, output)
        if results.rounds < config.repeats:
            rounds = f"{results.rounds} of {config.repeats} rounds"
            print(
                f"stopped after {rounds}; their results were written: resume with --resume",
                file=sys.stderr,
            )
            sys.exit(130)
        partial.finish()


def _report(results: Results, output: Path) -> None:
    """Print the results, and write them."""
    console = Console(highlight=False)
    console.print(figures_table(results))
    for table in (ratios_table(results), shares_table(results)):
        if table.row_count:
            console.print(table)
    for line in [f"{describe_run(results)}.", *results.absent, *_write(results, output)]:
        console.print(Text(line))


def _write(results: Results, folder: Path) -> list[str]:
    """Write the results and their plot; return sentences that say what was written."""
    write_text(folder / "bench.json", results.to_json())
    lines = [f"Every sample is in {folder / 'bench.json'}."]
    try:
        drawn = plot(results)
    except ImportError:
        return [*lines, f"No picture was drawn: it needs matplotlib; {how_to_install('bench')}."]
    if drawn is not None:
        write_bytes(folder / "bench.svg", drawn)
        lines.append(f"The picture is {folder / 'bench.svg'}.")
    return lines
