"""``sabacc rules``: the published rule sets, the page of one, and what differs between two."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sabacc_env.errors import SabaccError
from sabacc_env.rules import RuleSet, load_rules, rule_sets
from sabacc_env.rules.text import differences, page, value_text


def rules(name: str | None = None, *, diff: str | None = None) -> None:
    """Show the rule sets: all six in a table, the page of one, or what differs between two.

    Args:
        name: A rule set's name, or the path of a rules file; by default all six are listed.
        diff: Another name or path. Only the fields in which the two differ are shown.
    """
    console = Console(highlight=False)
    if name is None:
        if diff is not None:
            raise SabaccError(
                f"--diff: name the rule set to compare {diff!r} with first, as in "
                f"sabacc rules casino --diff {diff}"
            )
        console.print(_overview())
    elif diff is None:
        _print_page(console, load_rules(name))
    else:
        _print_differences(console, load_rules(name), load_rules(diff))


def _overview() -> Table:
    """Return the six rule sets in a table, a row each."""
    table = Table(box=None)
    table.add_column("name", no_wrap=True)
    for heading in ("title", "seats", "antes", "each round"):
        table.add_column(heading)
    table.add_column("ranking", no_wrap=True)
    for name in rule_sets():
        rules = load_rules(name)
        phases = value_text("phases", rules.phases)
        table.add_row(
            name,
            rules.title,
            value_text("seats", rules.seats),
            "points" if rules.points else f"{rules.hand_ante} / {rules.sabacc_ante}",
            f"betting; {phases}" if rules.opening_bet else phases,
            rules.ranking,
        )
    return table


def _print_page(console: Console, rules: RuleSet) -> None:
    console.print(Text(rules.title or rules.name, style="bold"))
    if rules.source:
        console.print(Text(rules.source, style="dim"))
    for section in page(rules):
        console.print()
        console.print(Text(section.title, style="bold"))
        for sentence in section.sentences:
            console.print(Text(sentence))


def _print_differences(console: Console, first: RuleSet, second: RuleSet) -> None:
    found = differences(first, second)
    if not found:
        console.print(Text(f"{first.name} and {second.name} have the same rules."))
        return
    table = Table("field", box=None)
    table.add_column(Text(first.name))
    table.add_column(Text(second.name))
    for field, one, other in found:
        table.add_row(field, Text(value_text(field, one)), Text(value_text(field, other)))
    console.print(table)
