"""``sabacc throughput``: how fast the fast trainer is, and what the environment takes of it."""

from __future__ import annotations

from statistics import median

from sabacc_env.errors import SabaccError
from sabacc_training.config import load_config
from sabacc_training.fast.config import FastConfig
from sabacc_training.fast.throughput import throughput as measured


def throughput(config: str, *overrides: str, rounds: int = 5, updates: int = 5) -> None:
    """Measure decisions a second, updates included, beside tables where nothing happens.

    Args:
        config: A configuration of the fast trainer; its opponents are left out.
        overrides: Keys to change: threads=2 learning.epochs=4.
        rounds: How often both are measured, in turn.
        updates: Updates measured each time.
    """
    if rounds < 1 or updates < 1:
        raise SabaccError("rounds, updates: measure at least once")
    alone = "pool={snapshots = 0, scripted = {}}"
    settings = load_config(FastConfig, config, [*overrides, alone])
    (real, nothing), clock = measured(settings, rounds, updates)
    learning = settings.learning
    print(
        f"{settings.rules}, {settings.num_players} seats, networks of {learning.hidden}, "
        f"{settings.threads} threads: {learning.epochs} epochs over {learning.decisions:,} "
        f"decisions an update, {learning.minibatch:,} in a gradient step"
    )
    print(f"at the tables          {median(real):,.0f} decisions a second")
    print(f"where nothing happens  {median(nothing):,.0f}")
    print(f"the tables take {1 - median(real) / median(nothing):.0%} of it; {clock}")
