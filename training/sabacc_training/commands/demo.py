"""``sabacc demo``: train an agent by self-play, then play it against the scripted agents."""

from __future__ import annotations

import time
from pathlib import Path

from rich.console import Console
from rich.text import Text

from sabacc_training.evaluation.evaluate import pair_rows
from sabacc_training.evaluation.progress import MatchProgress
from sabacc_training.evaluation.report import legend, margins_table
from sabacc_training.experiments.demo import (
    DEALS,
    OPPONENTS,
    demo_config,
    demo_match_config,
    play_demo,
)
from sabacc_training.jobs.stopping import exit_when_stopped
from sabacc_training.trainers import train_on

NEXT = """\
Try next:
  sabacc watch {agent} maximiser --rules casino --seed 1
  sabacc tournament configs/tournament-casino-2p.toml --output {folder}/tournament \\
    agents='["{agent}", "maximiser", "tight"]'
  sabacc train configs/orsl-2p.toml
  tensorboard --logdir {folder}"""


def demo(
    *, seed: int = 0, folder: Path | None = None, steps: int | None = None, deals: int = DEALS
) -> None:
    """Train an agent on two-seat casino by self-play, then play it against the scripted agents.

    Args:
        seed: The seed of the training and of the deals.
        folder: The folder for the agent and its curves; by default runs/demo-seed0 for seed 0.
        steps: Decisions in the training; by default as many as the demonstration has.
        deals: Deals against each opponent; each is played from both seats.
    """
    began = time.monotonic()
    console = Console(highlight=False)
    config = demo_config(seed, steps)
    match_config = demo_match_config(seed, deals)
    folder = folder or Path("runs", f"demo-seed{seed}")
    console.print(
        f"Training on {config.rules}, {config.num_players} seats, {config.steps:,} decisions, "
        f"against itself, its earlier selves, {', '.join(config.pool.scripted)}."
    )
    with exit_when_stopped(folder, "run the same command again to resume"):
        agent = train_on(config, folder)
    console.print(
        f"Trained in {time.monotonic() - began:.0f} s; playing {len(OPPONENTS)} other agents."
    )
    hands = len(OPPONENTS) * 2 * match_config.deals
    with MatchProgress(hands, match_config.rule_set.ante_unit) as progress:
        pairs = pair_rows(play_demo(match_config, agent, progress))
    console.print(margins_table(pairs))
    for line in legend(pairs):
        console.print(Text(line))
    console.print(
        f"\nThe agent is {agent}. The demonstration took {time.monotonic() - began:.0f} s."
    )
    console.print(Text(NEXT.format(agent=agent, folder=folder)), soft_wrap=True)
