"""The generated pages of results."""

from __future__ import annotations

import json

from sabacc_training.bench.report import describe_run, highlight_rows
from sabacc_training.bench.results import Results
from sabacc_training.experiments import generalisation
from sabacc_training.exploitability.table import read_table, table_lines
from sabacc_training.language import scores

from tools import ablations, calibration, leaderboard
from tools.markdown import ROOT, filled_page, table


def speed_page() -> str:
    """Return the page of speed with the benchmarks' figures as docs/bench has them."""
    figures = "\n".join(
        _figures(Results.from_json((ROOT / file).read_text()))
        for file in ("docs/bench/bench.json", "docs/bench/tournament/bench.json")
    )
    return filled_page("docs/results/speed.md", figures)


def _figures(results: Results) -> str:
    """Return the figures of a benchmark run, and where the time goes of benchmarks that tell it."""
    rows = table(("what", "median", "minimum to maximum"), highlight_rows(results))
    tables = [f"{describe_run(results)}.\n\n{rows}"]
    shares = {name: each.shares for name, each in results.measured.items() if each.shares}
    if shares:
        parts = list(next(iter(shares.values())))
        percent = (
            [name, *(f"{100 * each[part].median:.0f} %" for part in parts)]
            for name, each in shares.items()
        )
        tables.append(table(("profiled time", *parts), percent))
    return "\n".join(tables)


def exploitability_page() -> str:
    """Return the page of exploitability with the table that docs/results/exploitability.json has.

    That file is a copy of the ``table.json`` of ``sabacc exploit-table``.
    """
    entries = read_table(ROOT / "docs/results/exploitability.json")
    tables = []
    for rules in dict.fromkeys(entry.rules for entry in entries):
        titles, lines = table_lines(entries, rules)
        names = [[f"`{agent}`", *texts] for agent, *texts in lines]
        tables.append(f"### `{rules}`\n\n{table(titles, names)}")
    return filled_page("docs/results/exploitability.md", "\n".join(tables))


def calibration_page() -> str:
    """Return the page of calibration with the figures of ``python -m tools.calibration``."""
    return filled_page("docs/results/calibration.md", table(*calibration.table_lines()))


def ablations_page() -> str:
    """Return the page of ablations with the figures of ``python -m tools.ablations``."""
    networks = table(*ablations.table_lines(["network"]))
    blueprints = table(*ablations.table_lines(["blueprint", "resolving"]))
    tables = f"## Networks\n\n{networks}\n## Blueprints\n\n{blueprints}"
    return filled_page("docs/results/ablations.md", tables)


def generalisation_page() -> str:
    """Return the page of generalisation with the figures of ``sabacc generalise``."""
    tables = []
    for name, figure in (
        ("house", "margins over `pot_odds`, mante/hand"),
        ("small", "NashConv, milli-antes"),
    ):
        path = ROOT / f"docs/results/generalisation-{name}.json"
        found = json.loads(path.read_text())
        groups = [generalisation.GroupResult(**group) for group in found["groups"]]
        work = found["work"]
        trained = f"{work['seeds']} networks of {work['config']['steps']:,} decisions"
        title = (
            f"### `{name}`: {figure}\n\n{trained}; specialists of {work['specialist_steps']:,}.\n\n"
        )
        tables.append(title + table(generalisation.HEAD, generalisation.table_rows(groups)))
    return filled_page("docs/results/generalisation.md", "\n".join(tables))


def language_models_page() -> str:
    """Return the page of language models with the rows of ``sabacc score``."""
    rows = json.loads((ROOT / "docs/results/language-models.json").read_text())
    texts = (scores.texts(scores.Score(**row)) for row in rows)
    names = ((f"`{agent}`", *figures) for agent, *figures in texts)
    return filled_page("docs/language-models.md", table(scores.HEAD, names))


RESULT_PAGES = {
    "docs/results/speed.md": speed_page,
    "docs/results/exploitability.md": exploitability_page,
    "docs/results/calibration.md": calibration_page,
    "docs/results/ablations.md": ablations_page,
    "docs/results/generalisation.md": generalisation_page,
    "docs/results/leaderboard.md": leaderboard.page,
    "docs/language-models.md": language_models_page,
}
"""What makes each page, by its path."""
