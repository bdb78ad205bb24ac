"""``sabacc zoo``: the trained agents of the zoo, their cards, and how they are published."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text
from sabacc_agents.zoo import PREFIX, members, read_card
from sabacc_agents.zoo.model_card import ModelCard, deal_counts

from sabacc_env.errors import SabaccError


def zoo(
    name: str | None = None,
    *,
    measure: bool = False,
    fold_rates: bool = False,
    publish: Path | None = None,
    deals: int | None = None,
    rollouts: int | None = None,
) -> None:
    """Show the trained agents of the zoo in a table, or the card of one.

    Args:
        name: A member of the zoo; by default all members are listed.
        measure: Measure all results of the member again over the same deals, and show them.
        fold_rates: Measure how often the member folds to bets at two seats, and write it to its
            card. Publishing does this, too.
        publish: The folder of a finished run of configs/zoo/NAME.toml, or a blueprint solved by it,
            or a resolving agent whose blueprint is a member. The agent becomes the member NAME and
            replaces an earlier one. After an interruption, the same command resumes.
        deals: Deals against each agent for a published card, each played from every seat; by
            default 10,000. A margin whose interval includes 0 is measured over ten times as many.
        rollouts: Deals against the agent rollouts, at the fewest seats; by default none, because
            this agent is slow.
    """
    console = Console(highlight=False)
    if publish is None and (deals is not None or rollouts is not None):
        raise SabaccError("deals, rollouts: give them only with --publish; a card has its own")
    if sum((measure, fold_rates, publish is not None)) > 1:
        raise SabaccError("measure, fold_rates, publish: give one of the three")
    if name is None:
        if measure or fold_rates or publish:
            raise SabaccError(
                "name: --measure, --fold-rates and --publish need the name of a member"
            )
        console.print(_overview() if members() else "The zoo is empty.")
    elif publish is not None:
        from sabacc_training.experiments import zoo_publishing

        deals = 10_000 if deals is None else deals
        rollouts = 0 if rollouts is None else rollouts
        if deals < 2 or rollouts == 1 or rollouts < 0:
            raise SabaccError("deals, rollouts: a confidence interval needs at least 2")
        _print_card(console, zoo_publishing.publish(name, publish, deals, rollouts))
    elif measure:
        from sabacc_training.experiments import zoo_publishing

        _print_card(console, zoo_publishing.remeasure(name))
    elif fold_rates:
        from sabacc_training.experiments import zoo_publishing

        _print_card(console, zoo_publishing.write_fold_rates(name))
    else:
        _print_card(console, read_card(name))


def _overview() -> Table:
    """Return the members in a table, a row each."""
    table = Table(box=None)
    table.add_column("name", no_wrap=True)
    table.add_column("plays")
    for heading in ("learnt from", "hours"):
        table.add_column(heading, justify="right")
    table.add_column("lowest margin, mante/hand", overflow="fold")
    for name in members():
        card = read_card(name)
        lowest = card.lowest_result
        table.add_row(
            name,
            card.games_text,
            card.learnt_from,
            f"{card.hours:.2f}",
            f"{lowest.margin} over {lowest.opponent}" if lowest else "-",
        )
    return table


def _print_card(console: Console, card: ModelCard) -> None:
    digests = "; ".join(f"{label} {digest[:16]}" for label, digest in card.rules.items())
    lines = {
        "plays": card.games_text,
        "trained on": f"{card.learnt_from} in {card.hours:.2f} hours, seed {card.seed}",
        "met in training": ", ".join(card.opponents) or card.sole_opponent,
        "teachers": ", ".join(card.teachers) or "none",
        "rules": digests,
        "observation": card.observation_version,
        "weights": card.weights[:16],
        "train it again": card.retrain,
    }
    console.print(Text(f"{PREFIX}{card.name}", "bold"))
    for heading, line in lines.items():
        console.print(Text(f"{heading:16}{line}"), soft_wrap=True)
    for rules in card.rules:
        if card.margins(rules):
            console.print()
            console.print(_results(card, rules))
        if card.folds(rules):
            console.print()
            console.print(_folds(card, rules))
    for bound in card.bounds:
        console.print(Text(f"\n{bound.sentence} {bound.command}"), soft_wrap=True)


def _results(card: ModelCard, rules: str) -> Table:
    """Return the results in one game, a row for each opponent."""
    margins = card.margins(rules)
    seats = sorted({n for of_seats in margins.values() for n in of_seats})
    table = Table(
        box=None, title=f"{rules}: its margin over copies, mante/hand", title_justify="left"
    )
    table.add_column("opponent", no_wrap=True)
    for count in seats:
        table.add_column(f"{count} seats", justify="right", no_wrap=True)
    table.add_column("deals", justify="right")
    for opponent, of_seats in margins.items():
        cells = [str(of_seats[n]) if n in of_seats else "" for n in seats]
        table.add_row(opponent, *cells, deal_counts(of_seats.values()))
    return table


def _folds(card: ModelCard, rules: str) -> Table:
    """Return the fold rates in one game, a row for each round."""
    folds = card.folds(rules)
    sizes = list(dict.fromkeys(size for of_sizes in folds.values() for size in of_sizes))
    title = f"{rules}, 2 seats: how often it folds, beside the break-even rate, %"
    table = Table(box=None, title=title, title_justify="left")
    table.add_column("round", no_wrap=True)
    for size in sizes:
        table.add_column(f"bet {size}", justify="right", no_wrap=True)
    for number, of_sizes in folds.items():
        cells = [str(of_sizes[size]) if size in of_sizes else "" for size in sizes]
        table.add_row(str(number), *cells)
    return table
