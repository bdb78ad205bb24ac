"""The results of a benchmark run as tables for the terminal and for the pages."""

from __future__ import annotations

from collections.abc import Iterator

from rich.box import SIMPLE_HEAD
from rich.table import Table

from sabacc_training.bench.names import (
    CACHED,
    COLD,
    GAME,
    NOOP_WRAPPED,
    OPENSPIEL,
    PGX,
    RAW,
    TEXAS_RAW,
    TEXAS_WRAPPED,
    WRAPPED,
    compiled_loop_name,
    stepped_name,
)
from sabacc_training.bench.results import Results, Spread


def format_figure(value: float) -> str:
    """Return a figure with about three digits.

    >>> [format_figure(value) for value in (8_213_456.0, 21_345.6, 45.12, 2.345)]
    ['8.21 M', '21,346', '45.1', '2.35']
    """
    if value >= 1e6:
        return f"{value / 1e6:.2f} M"
    return f"{value:,.{0 if value >= 1000 else 1 if value >= 10 else 2}f}"


def figures_table(results: Results) -> Table:
    """Return a row for each benchmark."""
    table = _table("measured", "unit")
    parts = [each.part for each in results.measured.values()]
    for each, following in zip(results.measured.values(), [*parts[1:], None], strict=True):
        last = following != each.part
        table.add_row(each.name, *_cells(each.spread), each.unit, end_section=last)
    return table


def ratios_table(results: Results) -> Table:
    """Return a row for each comparison with a baseline."""
    table = _table("ratio of rates, round by round")
    for ratio in results.ratios():
        table.add_row(f"{ratio.name} / {ratio.baseline}", *_cells(ratio.spread))
    return table


def shares_table(results: Results) -> Table:
    """Return a row for each part of the time of benchmarks that tell it, from half a percent."""
    table = _table("share of the profiled time, %")
    for each in results.measured.values():
        for part, share in each.shares.items():
            percent = (f"{100 * value:.0f}" for value in (share.median, share.min, share.max))
            if share.median >= 0.005:
                table.add_row(f"{each.name}: {part}", *percent)
    return table


def _table(what: str, *more: str) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column(what, overflow="fold")
    for heading in ("median", "min", "max"):
        table.add_column(heading, justify="right", no_wrap=True)
    for heading in more:
        table.add_column(heading)
    return table


def _cells(spread: Spread) -> list[str]:
    return [format_figure(spread.median), format_figure(spread.min), format_figure(spread.max)]


def describe_run(results: Results) -> str:
    """Return the command, the machine and the date of a run."""
    machine, load = results.machine, results.load
    return (
        f"`{results.command}`: medians of {results.rounds} rounds; {machine['processor']}, "
        f"{machine['cores']} cores, load {load.min:.1f} to {load.max:.1f}; "
        f"Python {machine['python']}; {results.date[:10]}"
    )


def highlight_rows(results: Results) -> list[tuple[str, str, str]]:
    """Return the rows of the page's table: figure, median, minimum to maximum."""
    figures: dict[tuple[str, str | None], tuple[Spread, str]] = {
        (each.name, None): (each.spread, each.unit) for each in results.measured.values()
    }
    for ratio in results.ratios():
        figures[ratio.name, ratio.baseline] = ratio.spread, "times"
    rows = []
    for what, name, baseline in _highlights(results):
        if (name, baseline) in figures:
            spread, unit = figures[name, baseline]
            median, lowest, highest = _cells(spread)
            rows.append((what, f"{median} {unit}", f"{lowest} to {highest}"))
    return rows


def _highlights(results: Results) -> Iterator[tuple[str, str, str | None]]:
    """Yield the figures on the page: what, the benchmark's name, and its baseline for a ratio."""
    if by_speed := results.by_speed():
        slowest, fastest = by_speed[0], by_speed[-1]
        yield (
            f"the slowest rule set, `{slowest}`, in the compiled loop",
            compiled_loop_name(slowest),
            None,
        )
        yield f"the fastest, `{fastest}`", compiled_loop_name(fastest), None
        yield (
            "the slowest over OpenSpiel's universal_poker, from Python",
            compiled_loop_name(slowest),
            OPENSPIEL,
        )
        yield (
            "the slowest over Pgx's leduc_holdem, JAX on the CPU",
            compiled_loop_name(slowest),
            PGX,
        )
        for rules in by_speed:
            yield (
                f"`{rules}` stepped from Python over the compiled loop",
                stepped_name(rules),
                compiled_loop_name(rules),
            )
    for part in ("tables", "players", "threads"):
        measured = results.part(part)
        for each in measured:
            if each.size == measured[-1].size:
                for baseline in each.baselines:
                    yield f"{each.name} over {baseline}", each.name, baseline
    for each in results.part("vector"):
        yield each.name, each.name, None
        for baseline in each.baselines:
            yield f"over {baseline}, a step over a decision", each.name, baseline
    for each in results.part("tournament"):
        yield f"hands of a tournament, {each.name}", each.name, None
    yield "`Game.play` and `legal_moves`, 4 players", GAME, None
    yield "`sabacc_v0.raw_env` in PettingZoo's loop, 2 players", RAW, None
    yield "over `texas_holdem_no_limit_v6.raw_env`", RAW, TEXAS_RAW
    yield "over OpenSpiel's universal_poker", RAW, OPENSPIEL
    yield "`sabacc_v0.env` in PettingZoo's loop, 2 players", WRAPPED, None
    yield "over `texas_holdem_no_limit_v6.env`", WRAPPED, TEXAS_WRAPPED
    yield "over an environment that does nothing, in the same wrappers", WRAPPED, NOOP_WRAPPED
    yield "import and first step", CACHED, None
    yield "the same, the engine not compiled yet", COLD, None
