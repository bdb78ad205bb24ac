"""``sabacc generalise``: networks of a rule space under rules that they never met."""

from __future__ import annotations

import json
from pathlib import Path

from rich.console import Console
from rich.table import Table
from sabacc_agents.loading import load

from sabacc_env.errors import SabaccError
from sabacc_env.storage.files import check_writable, make_folder, write_bytes
from sabacc_training.bench.progress import BenchProgress
from sabacc_training.experiments.generalisation import (
    HEAD,
    Plan,
    measure_all,
    number_of_parts,
    summarise,
    table_rows,
)
from sabacc_training.jobs.partial_results import open_partial_results
from sabacc_training.jobs.stopping import exit_when_stopped
from sabacc_training.jobs.torch_threads import one_torch_thread
from sabacc_training.ppo.config import PPOConfig
from sabacc_training.trainers import training_config


def generalise(
    config: str,
    *overrides: str,
    seeds: int = 3,
    rule_sets: int = 16,
    specialists: int = 3,
    specialist_steps: int = 1_000_000,
    nash_conv: bool = False,
    opponent: str = "pot_odds",
    deals: int = 1000,
    folder: Path | None = None,
    resume: bool = False,
    output: Path | None = None,
) -> None:
    """Train networks on a split of a rule space, and measure them under rules of all its splits.

    Figures are margins over an opponent in mante/hand, or NashConv in milli-antes, with 95 %
    intervals over training seeds.

    Args:
        config: A training file, or a name in configs/, with trainer = "ppo" and a [rule_space].
        overrides: Keys of it to change: steps=2_000_000 rule_space.split=train.
        seeds: Networks, one for each seed, at least two.
        rule_sets: Rule sets of each split, always the same ones.
        specialists: How many of these get a network of their own, trained on them alone.
        specialist_steps: Decisions in the training of one.
        nash_conv: Compute NashConv, for spaces of small games.
        opponent: Whom margins are over: an agent that plays any rules.
        deals: Deals of a margin; each is played from both seats.
        folder: The folder for the training runs; by default runs/generalise/ and the config's name.
        resume: Go on from what is in that folder, as if the work had never stopped.
        output: A JSON file for the figures.
    """
    training = training_config(config, overrides)
    if not isinstance(training, PPOConfig) or training.rule_space is None:
        raise SabaccError(
            f'config: {config} does not train on a rule space; it needs trainer = "ppo" and a '
            "section [rule_space]"
        )
    if seeds < 2 or min(rule_sets, specialist_steps) < 1 or deals < 2 or specialists < 0:
        raise SabaccError(
            "seeds, rule_sets, specialists, specialist_steps, deals: give at least 2, 1, 0, 1 and 2"
        )
    plan = Plan(
        training, seeds, rule_sets, specialists, specialist_steps, nash_conv, opponent, deals
    )
    if not nash_conv:  # refuse a wrong opponent before the training, not after it
        players = training.num_players
        load(opponent, plan.space.sample(0, players), players, training.bet_sizes)
    if output is not None:
        check_writable(output)
        make_folder(output.parent)
    folder = folder or Path("runs", "generalise", Path(config).stem)
    with (
        exit_when_stopped(folder),
        open_partial_results(folder, plan.work, resume) as partial,
        one_torch_thread(),
        BenchProgress() as progress,
    ):
        progress.start(number_of_parts(plan))
        results = measure_all(plan, folder, partial, progress.next)
        groups = summarise(results)
        table = Table(*HEAD, title="NashConv, milli-antes" if nash_conv else f"over {opponent}")
        for row in table_rows(groups):
            table.add_row(*row)
        Console(highlight=False).print(table)
        if output is not None:
            found = {
                "work": plan.work,
                "groups": [group.model_dump() for group in groups],
                "rules": [result.model_dump() for result in results],
            }
            write_bytes(output, f"{json.dumps(found, indent=1)}\n".encode())
