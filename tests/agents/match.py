"""Two agents over duplicate deals: each deal once for each seating.

``python -m tests.agents.match casino 20000`` prints the margins of all registered agents over each
other at two seats, in antes a hand with 95 % intervals over so many deals; names after that are
the agents meant: ``python -m tests.agents.match casino 2000 rollouts heuristic``.
"""

from __future__ import annotations

import itertools
import sys
from dataclasses import dataclass

import numpy as np
from sabacc_agents import load

from sabacc_env import Tables, agent_calls, load_rules
from sabacc_env.agent import registered_agents
from sabacc_env.rules import RuleSet


@dataclass(frozen=True)
class Margin:
    """The margin of the first agent in antes a hand, and half its 95 % interval over deals."""

    mean: float
    half_width: float

    @property
    def low(self) -> float:
        return self.mean - self.half_width

    def __str__(self) -> str:
        return f"{self.mean:+.3f} ± {self.half_width:.3f}"


def net_credits(rules, agents, keys, dealers, *, rng, **options):
    """Play one hand a key, ``agents[seat]`` at each seat; return net credits (hands, players)."""
    tables = Tables(
        rules, num_tables=len(keys), num_players=len(agents), keys=keys, dealers=dealers, **options
    )
    net = np.zeros((len(keys), len(agents)), dtype=np.int64)
    agent_calls.begin(list(set(agents)), tables)
    playing = np.arange(len(keys))
    while len(playing):
        seats = tables.seats_to_act[playing]
        actions = np.zeros(len(playing), dtype=np.int64)
        for seat, agent in enumerate(agents):
            mine = np.flatnonzero(seats == seat)
            if len(mine):
                actions[mine] = agent_calls.actions_at(agent, tables, playing[mine], rng)
        tables.step(actions, playing)
        net += tables.net_credits
        playing = playing[~tables.finished[playing]]
    return net


def margin(rules: RuleSet, one, other, *, deals: int, seed: int = 0, **options) -> Margin:
    """Return the margin of ``one`` over ``other`` at two seats, over both seatings of each deal."""
    rng = np.random.default_rng(seed)
    keys = rng.integers(0, 2**63, size=deals)
    dealers = np.arange(deals) % 2
    first = net_credits(rules, [one, other], keys, dealers, rng=rng, **options)
    second = net_credits(rules, [other, one], keys, dealers, rng=rng, **options)
    gained = (first[:, 0] - first[:, 1] + second[:, 1] - second[:, 0]) / 4 / rules.ante_unit
    return Margin(gained.mean(), 1.96 * gained.std(ddof=1) / np.sqrt(deals))


def main(rules: str, deals: str, *names: str) -> None:
    """Print the margins of agents over each other."""
    loaded = load_rules(rules)
    agents = {name: load(name, loaded, 2) for name in names or registered_agents()}
    for one, other in itertools.combinations(agents, 2):
        found = margin(loaded, agents[one], agents[other], deals=int(deals), seed=1)
        print(f"{one} over {other}: {found}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
