"""What ten credits more are worth: the short call as source 002 has it, and as all-in.

``make tables`` writes the table of docs/reference/short-calls.md.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sabacc_agents import load

from sabacc_env import RuleSet, Tables, load_rules

RULE_SETS = ("orsl", "three_en", "yarith_bespin")
NUM_TABLES = 2_000
HANDS = 10_000
RICHER = 10


def overbet(rules: RuleSet, richer: int) -> tuple[float, float]:
    """Play ``always_raise`` against ``maximiser``, the first with some credits more.

    Returns:
        The share of hands that it wins, and what it nets a hand, in antes.
    """
    assert isinstance(rules.starting_credits, int)
    credits = np.full((NUM_TABLES, 2), rules.starting_credits)
    credits[:, 0] += richer
    tables = Tables(rules, NUM_TABLES, 2, seed=0, credits=credits)
    agents = [load(name, rules, 2) for name in ("always_raise", "maximiser")]
    rng = np.random.default_rng(0)
    nets: list[np.ndarray] = []
    while sum(map(len, nets)) < HANDS:
        seen = tables.observations, tables.action_masks
        first, second = (agent.act(*seen, rng) for agent in agents)
        tables.step(np.where(tables.seats_to_act == 0, first, second))
        nets.append(tables.net_credits[tables.finished, 0])
    net = np.concatenate(nets)
    return float((net > 0).mean()), float(net.mean()) / rules.ante_unit


def rows() -> Iterator[tuple[str, ...]]:
    """Yield the lines of the table."""
    for name in RULE_SETS:
        for call in ("junk", "all_in"):
            rules = load_rules(name, short_call=call)
            for richer in (0, RICHER):
                won, net = overbet(rules, richer)
                yield f"`{name}`", f"`{call}`", str(richer), f"{won:.1%}", f"{net:+.2f}"
