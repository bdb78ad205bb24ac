"""The leaderboard: all agents that ship, in the standard formats, under every rule set.

``python -m tools.leaderboard`` plays what is missing of its tournaments in runs/leaderboard/, and
writes docs/results/leaderboard.json with their figures, a picture, and the page.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from sabacc_agents.loading import zoo_members
from sabacc_training.bench.plot import FAINT, OURS, PEERS, svg_figure
from sabacc_training.config.base import validated
from sabacc_training.exploitability.fixed_opponents import scripted_agents
from sabacc_training.jobs.executors import local_processes
from sabacc_training.tournaments.config import TournamentConfig
from sabacc_training.tournaments.progress import TournamentProgress
from sabacc_training.tournaments.rows import Results
from sabacc_training.tournaments.run import play_tournament
from sabacc_training.tournaments.task_times import hours

from sabacc_env import load_rules, rule_sets
from sabacc_env.storage.files import write_bytes, write_text
from tools import forest_plot
from tools.markdown import NOTE, ROOT, table

FIGURES: Final = ROOT / "docs/results/leaderboard.json"
PICTURE: Final = ROOT / "docs/images/leaderboard.svg"
PAGE: Final = ROOT / "docs/results/leaderboard.md"
RUNS: Final = Path("runs", "leaderboard")


class Format(NamedTuple):
    """A standard format: its name, its seats, and the keys of its tournaments."""

    name: str
    seats: int
    keys: dict[str, Any]


FORMATS: Final = (
    Format("pairs", 2, {"formats": ["pairs"], "deals": 5_000}),
    Format("copies", 4, {"formats": ["copies-4"], "deals": 500}),
    Format(
        "mixed",
        6,
        {"formats": [{"kind": "mixed", "num_players": 6, "lineups": 80}], "deals": 500},
    ),
    Format(
        "matches",
        4,
        {
            "formats": [{"kind": "mixed", "num_players": 4, "lineups": 24}],
            "hands": 50,
            "deals": 100,
        },
    ),
)


# Playing.


def config_of(rules: str, played: Format) -> TournamentConfig:
    """Return the tournament of a rule set in a format."""
    agents = [*scripted_agents(), *zoo_members(load_rules(rules), played.seats)]
    return validated(
        TournamentConfig, {"rules": rules, "agents": agents, "seed": 22, **played.keys}
    )


def play(rules: str, played: Format) -> dict[str, Any]:
    """Play what is missing of a tournament, and return its figures."""
    config, folder = config_of(rules, played), RUNS / f"{rules}-{played.name}"
    ante_unit = config.rule_set.ante_unit
    with (
        TournamentProgress(config.all_lineups, config.deals, ante_unit) as progress,
        local_processes(os.cpu_count() or 1, progress.print_warning) as executor,
    ):
        results = play_tournament(config, folder, resume=True, executor=executor, progress=progress)
    assert results is not None
    return {
        "rules": rules,
        "format": played.name,
        "deals": results.deals,
        "tables": len(config.all_lineups),
        "hands": sum(row.hands for row in results.places if row.place == 0),
        "hours": hours(folder, [path.stem for path in (folder / "tasks").glob("*.task")]),
        "config_sha256": hashlib.sha256(config.identity.encode()).hexdigest(),
        "version": results.version,
        "failures": sum(row.count for row in results.failures),
        "agents": agent_figures(results),
    }


def agent_figures(results: Results) -> dict[str, dict[str, Any]]:
    """Return the figures of each agent, best first; ± hold for all agents together."""
    ratings = {
        row.agent: [row.value, row.low, row.high]
        for row in results.ratings
        if row.measure in ("bradley_terry", "plackett_luce")
    }
    figures: dict[str, dict[str, Any]] = {}
    for row in results.ranking:
        figures[row.agent] = {"margin": [round(row.margin, 1), round(row.half_width_all, 1)]}
        if row.agent in ratings:
            figures[row.agent]["rating"] = ratings[row.agent]
        if row.rank is not None:
            figures[row.agent]["place"] = [row.rank, row.rank_half_width]
    return figures


# The page.


def page() -> str:
    """Return the page of the figures in docs/results/leaderboard.json."""
    records = json.loads(FIGURES.read_text())
    minutes = sum(60 * record["hours"] for record in records)
    played = sum(record["hands"] for record in records)
    versions = dict.fromkeys(record["version"] for record in records)
    text = (
        f"# Leaderboard\n\n{NOTE}{INTRODUCTION}\n"
        f"These {played:,} hands took {minutes:,.0f} processor minutes, with "
        f"sabacc-env {', '.join(versions)}. Agents failed in "
        f"{sum(record['failures'] for record in records):,} decisions.\n\n"
        "![The margins of all agents, a panel for each rule set](../images/leaderboard.svg)\n"
    )
    for rules in dict.fromkeys(record["rules"] for record in records):
        own = {record["format"]: record for record in records if record["rules"] == rules}
        text += f"\n## `{rules}`\n\n{table(HEAD, _rows(own))}"
    return text + f"\n## The tournaments\n\n{table(TOURNAMENT_HEAD, map(_tournament, records))}"


INTRODUCTION: Final = """\
All scripted agents, and the networks of [the zoo](../reference/zoo.md) that play the rules at so
many seats, in four formats. The agents that search (`rollouts`) are too slow for so many hands;
[their page](agents.md#search) has their margins. This command plays what is missing of the
tournaments in `runs/leaderboard/`, and writes this page, its picture and its figures
(`leaderboard.json`):

```bash
python -m tools.leaderboard
```

- **pairs**: every two agents at two seats. The margin is over all others;
- **against 3 copies**: one agent against three copies of another, for every ordered pair;
- **mixed tables**: tables of six different agents, each agent at equally many, as near as can be;
- **matches**: tables of four different agents for at most 50 hands, with eliminations. The place is
  the mean one, 1 for the first.

Every deal is played in every rotation of the seats. Margins are in
[mante/hand](../compare.md#what-a-margin-is). Their 95 % intervals (max-t) hold for all agents of a
column together, those of ratings and places for one agent. [Ratings](statistics.md#ratings) say how
often an agent comes out ahead and not by how much: Bradley-Terry for pairs, Plackett-Luce for mixed
tables and matches; 400 points are odds of ten to one. A margin depends on who takes part: much of
it is won from the weakest agents.
"""
HEAD: Final = (
    "agent",
    "pairs",
    "rating",
    "against 3 copies",
    "mixed tables",
    "rating",
    "matches: place",
    "rating",
)
TOURNAMENT_HEAD: Final = (
    *("rules", "format", "tables", "deals of each", "hands", "processor minutes", "failures"),
    "SHA-256 of the configuration",
)


def _rows(records: dict[str, dict[str, Any]]) -> Iterable[Sequence[str]]:
    """Yield a row for each agent, in the order of the pairs."""
    for agent in records["pairs"]["agents"]:
        own = {name: record["agents"].get(agent, {}) for name, record in records.items()}
        yield (
            f"`{agent}`",
            _margin(own["pairs"]),
            _rating(own["pairs"]),
            _margin(own["copies"]),
            _margin(own["mixed"]),
            _rating(own["mixed"]),
            _place(own["matches"]),
            _rating(own["matches"]),
        )


def _margin(figures: dict[str, Any]) -> str:
    if "margin" not in figures:
        return "-"
    mean, half_width = figures["margin"]
    return f"{mean:+z,.0f} ±\u00a0{half_width:,.0f}"


def _rating(figures: dict[str, Any]) -> str:
    """Return a rating with half the width of its interval, which is hardly lopsided."""
    if "rating" not in figures:
        return "-"
    value, low, high = figures["rating"]
    return f"{value:.0f} ±\u00a0{(high - low) / 2:.0f}"


def _place(figures: dict[str, Any]) -> str:
    if "place" not in figures:
        return "-"
    mean, half_width = figures["place"]
    return f"{mean:.2f} ±\u00a0{half_width:.2f}"


def _tournament(record: dict[str, Any]) -> Sequence[str]:
    return (
        f"`{record['rules']}`",
        record["format"],
        *(f"{record[key]:,}" for key in ("tables", "deals", "hands")),
        f"{60 * record['hours']:.1f}",
        f"{record['failures']}",
        f"`{record['config_sha256'][:16]}`",
    )


# The picture.

TICKS: Final = (-10_000, -1_000, -100, 0, 100, 1_000, 10_000)


def picture(records: Sequence[dict[str, Any]]) -> bytes:
    """Return a forest plot as SVG: the margins of all agents, a panel for each rule set."""
    names = list(dict.fromkeys(record["rules"] for record in records))
    settings = {"font.size": 8, "svg.hashsalt": "leaderboard"}
    with svg_figure(8.6, 3.9 * (len(names) + 1) // 2, settings) as (figure, file):
        for axes, rules in zip(figure.subplots(-(-len(names) // 2), 2).flat, names, strict=False):
            own = {record["format"]: record for record in records if record["rules"] == rules}
            order = list(own["pairs"]["agents"])
            for name, shift, colour, label in (
                ("pairs", -0.14, OURS, "all pairs, 2 seats"),
                ("mixed", 0.14, PEERS, "mixed tables, 6 seats"),
            ):
                shown = own[name]["agents"]
                at = [order.index(agent) + shift for agent in shown]
                means, errors = zip(*(each["margin"] for each in shown.values()), strict=True)
                axes.errorbar(
                    means, at, xerr=errors, fmt="o", markersize=3, color=colour, label=label
                )
            axes.axvline(0, color=FAINT, linewidth=0.8)
            forest_plot.set_up(axes, rules, order, TICKS, linear_to=100)
        figure.axes[0].legend(loc="upper left", frameon=False)
        figure.supxlabel(
            "margin in mante/hand, linear to 100, logarithmic beyond; 95 % intervals for all agents"
        )
    return file.getvalue()


def main() -> None:
    """Play, and write the figures, the picture and the page."""
    records = [play(rules, played) for rules in rule_sets() for played in FORMATS]
    write_text(FIGURES, json.dumps(records, indent=1) + "\n")
    write_bytes(PICTURE, picture(records))
    write_text(PAGE, page())


if __name__ == "__main__":
    main()
