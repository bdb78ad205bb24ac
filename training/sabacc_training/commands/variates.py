"""``sabacc variates``: how much narrower control variates make an interval."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.table import Table

from sabacc_env.rules import load_rules
from sabacc_training.variance_reduction.measure import measure
from sabacc_training.variance_reduction.values import (
    ValueFunction,
    load_value_function,
    shipped_value_function,
)


def variates(
    rules: str,
    hero: str,
    *opponents: str,
    players: int = 2,
    deals: int = 2000,
    seed: int = 0,
    values: Path | None = None,
    baseline: bool = False,
) -> None:
    """Measure how much narrower control variates make the interval of an agent's margins.

    The table has the margins in mante/hand, raw and reduced, and variances raw over reduced: of
    hands, of deals with all rotations, and of as many hands dealt afresh over those of deals. Then
    hands a second of CPU time, without control variates and with them.

    Args:
        rules: A rule set by name or path.
        hero: An agent: a registered name, zoo:NAME or a file.
        opponents: Agents; the hero plays copies of each of them.
        players: Seats at a table.
        deals: Deals for each opponent; each is played in all rotations.
        seed: Seeds the deals, the agents and the samples of other chance.
        values: The file of a value function; by default the one that ships for these rules.
        baseline: Use no network: the value of a hand is what it won if it were revealed now.
    """
    import torch

    torch.set_num_threads(1)
    rule_set = load_rules(rules)
    function = shipped_value_function(rule_set)
    if values is not None:
        function = load_value_function(values, rule_set)
    if baseline:
        function = ValueFunction()
    table = Table()
    for heading in ("opponent", "raw\nreduced", "hands", "deals", "fresh\nhands", "hands/s"):
        table.add_column(heading, no_wrap=True)
    for opponent in opponents:
        found = measure(rule_set, hero, opponent, players, deals, function, seed)
        raw, reduced = found.estimates()
        factors = found.hand_factor, found.deal_factor, found.factor_over_fresh_deals
        margins = f"{raw}\n{reduced}"
        speeds = f"{found.raw_hands_a_second:,.0f}\n{found.hands_a_second:,.0f}"
        table.add_row(opponent, margins, *(f"{each:.2f}" for each in factors), speeds)
    Console(highlight=False).print(table)
