"""The value of ten extra credits with short calls as in source 002, and with all-in.

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
EXTRA_CREDITS = 10


def overbet(rules: RuleSet, extra: int) -> tuple[float, float]:
    """Play ``always_raise`` with some extra credits against ``maximiser``.

    Returns:
        The share of hands that it wins, and its net antes a hand.
    """
    assert isinstance(rules.starting_credits, int)
    credits = np.full((NUM_TABLES, 2), rules.starting_credits)
    credits[:, 0] += extra
    tables = Tables(rules, NUM_TABLES, 2, seed=0, credits=credits)
    agents = [load(name, rules, 2) for name in ("always_raise", "maximiser")]
    rng = np.random.default_rng(0)
    nets: list[np.ndarray] = []
    while sum(map(len, nets)) < HANDS:
        inputs = tables.observations, tables.action_masks
        first, second = (agent.act(*inputs, rng) for agent in agents)
        tables.step(np.where(tables.seats_to_act == 0, first, second))
        nets.append(tables.net_credits[tables.finished, 0])
    net = np.concatenate(nets)
    return float((net > 0).mean()), float(net.mean()) / rules.ante_unit


def rows() -> Iterator[tuple[str, ...]]:
    """Yield the rows of the table."""
    for name in RULE_SETS:
        for call in ("junk", "all_in"):
            rules = load_rules(name, short_call=call)
            for extra in (0, EXTRA_CREDITS):
                won, net = overbet(rules, extra)
                yield f"`{name}`", f"`{call}`", str(extra), f"{won:.1%}", f"{net:+.2f}"
