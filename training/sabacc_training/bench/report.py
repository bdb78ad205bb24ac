"""The results of a benchmark as tables for the terminal and for the README."""

from __future__ import annotations

from collections.abc import Iterator

from rich.box import SIMPLE_HEAD
from rich.table import Table

from sabacc_training.bench.names import (
    CACHED,
    COLD,
    GAME,
    NOTHING_WRAPPED,
    OPENSPIEL,
    PGX,
    RAW,
    TEXAS_RAW,
    TEXAS_WRAPPED,
    WRAPPED,
    inside,
    stepped,
)
from sabacc_training.bench.results import Results, Spread


def shown(value: float) -> str:
    """Return a figure to three digits or so.

    >>> shown(8_213_456.0), shown(21_345.6), shown(45.12), shown(2.345)
    ('8.21 M', '21,346', '45.1', '2.35')
    """
    if value >= 1e6:
        return f"{value / 1e6:.2f} M"
    return f"{value:,.{0 if value >= 1000 else 1 if value >= 10 else 2}f}"


def figures_table(results: Results) -> Table:
    """Return a row for everything measured."""
    table = _table("measured", "unit")
    parts = [each.part for each in results.measured.values()]
    for each, following in zip(results.measured.values(), [*parts[1:], None], strict=True):
        last = following != each.part
        table.add_row(each.name, *_cells(each.spread), each.unit, end_section=last)
    return table


def ratios_table(results: Results) -> Table:
    """Return a row for every comparison."""
    table = _table("one over the other, round by round")
    for ratio in results.ratios():
        table.add_row(f"{ratio.of} / {ratio.over}", *_cells(ratio.spread))
    return table


def _table(what: str, *more: str) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column(what, overflow="fold")
    for heading in ("median", "least", "most"):
        table.add_column(heading, justify="right", no_wrap=True)
    for heading in more:
        table.add_column(heading)
    return table


def _cells(spread: Spread) -> list[str]:
    return [shown(spread.median), shown(spread.least), shown(spread.most)]


def about(results: Results) -> str:
    """Return how and on what this was measured."""
    machine, load = results.machine, results.load
    return (
        f"`{results.command}`: medians of {results.rounds} rounds; {machine['processor']}, "
        f"{machine['cores']} cores, load {load.least:.1f} to {load.most:.1f}; "
        f"Python {machine['python']}; {results.date[:10]}"
    )


def highlights(results: Results) -> list[tuple[str, str, str]]:
    """Return the rows of the README's table: what, the median, and from least to most."""
    figures: dict[tuple[str, str | None], tuple[Spread, str]] = {
        (each.name, None): (each.spread, each.unit) for each in results.measured.values()
    }
    for ratio in results.ratios():
        figures[ratio.of, ratio.over] = ratio.spread, "times"
    rows = []
    for what, name, over in _highlights(results):
        if (name, over) in figures:
            spread, unit = figures[name, over]
            median, least, most = _cells(spread)
            rows.append((what, f"{median} {unit}", f"{least} to {most}"))
    return rows


def _highlights(results: Results) -> Iterator[tuple[str, str, str | None]]:
    """Yield what the README says of which name, or of its rate over that of another."""
    if by_speed := results.by_speed():
        slowest, fastest = by_speed[0], by_speed[-1]
        yield f"the slowest rule set, `{slowest}`, inside the loop", inside(slowest), None
        yield f"the fastest, `{fastest}`", inside(fastest), None
        yield (
            "the slowest over OpenSpiel's universal_poker, from Python",
            inside(slowest),
            OPENSPIEL,
        )
        yield "the slowest over Pgx's leduc_holdem, JAX on the CPU", inside(slowest), PGX
        for rules in by_speed:
            yield f"`{rules}` stepped from Python over inside", stepped(rules), inside(rules)
    for part in ("tables", "players", "threads"):
        measured = results.part(part)
        for each in measured:
            if each.size == measured[-1].size:
                for over in each.over:
                    yield f"{each.name} over {over}", each.name, over
    yield "`Game.play` and `legal_moves`, 4 players", GAME, None
    yield "`sabacc_v0.raw_env` in PettingZoo's loop, 2 players", RAW, None
    yield "over `texas_holdem_no_limit_v6.raw_env`", RAW, TEXAS_RAW
    yield "over OpenSpiel's universal_poker", RAW, OPENSPIEL
    yield "`sabacc_v0.env` in PettingZoo's loop, 2 players", WRAPPED, None
    yield "over `texas_holdem_no_limit_v6.env`", WRAPPED, TEXAS_WRAPPED
    yield "over an environment that does nothing, wrapped alike", WRAPPED, NOTHING_WRAPPED
    yield "import and first step", CACHED, None
    yield "the same, the engine not compiled yet", COLD, None
