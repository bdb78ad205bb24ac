"""Trains the value functions that ship: ``python -m sabacc_training.variance_reduction.train``.

One network for each rule set, from hands of a mixed population at 2 to 8 seats (``experience``), by
fitted value iteration (``learning``). Everything derives from the seed. A rule set whose file is
there is not trained again with ``--resume``, so a stopped run continues with the next one.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Final

import numpy as np
import torch
from cyclopts import App, Parameter
from pydantic import Field
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn

from sabacc_env.errors import SabaccError
from sabacc_env.rules import RuleSet, load_rules, rule_sets
from sabacc_env.storage.files import make_folder
from sabacc_training.config.base import Config, overridden, validated
from sabacc_training.jobs.progress_bar import ProgressBar
from sabacc_training.jobs.stopping import stop_signals
from sabacc_training.variance_reduction.experience import (
    Experience,
    Population,
    collect,
    joined,
    specs_of,
)
from sabacc_training.variance_reduction.learning import Learner, expected_values
from sabacc_training.variance_reduction.network import ValueNetwork
from sabacc_training.variance_reduction.values import save_value_function

HANDS_AT_ONCE: Final = 4096
LOWEST_RATE: Final = 1e-4


class ValueTraining(Config):
    """How a value function is trained."""

    hands: int = Field(64_000, ge=1)
    """Hands at two seats."""

    hands_of_many: int = Field(5_000, ge=0)
    """Hands at 3 to 8 seats together."""

    outcome_steps: int = Field(3_000, ge=1)
    """Steps in which the network is fitted to what hands ended with."""

    iterations: int = Field(12, ge=1)
    """How often it is then fitted to the expected values of what follows."""

    steps: int = Field(900, ge=1)
    """Steps of each iteration."""

    learning_rate: float = Field(2e-3, gt=0)
    """At the start; it falls linearly."""

    seed: int = Field(0, ge=0)
    """Decides everything."""


def gather(rules: RuleSet, specs: list[str], config: ValueTraining) -> Iterator[Experience]:
    """Yield the experience that a value function of these rules learns from, in parts."""
    rng = np.random.default_rng(config.seed)
    hands = {2: config.hands}
    many = [seats for seats in range(3, 9) if rules.seats[0] <= seats <= rules.seats[1]]
    hands |= {seats: config.hands_of_many // len(many) for seats in many}
    for seats, count in hands.items():
        population = Population(rules, seats, specs)
        for begin in range(0, count, HANDS_AT_ONCE):
            now = min(HANDS_AT_ONCE, count - begin)
            yield collect(rules, seats, population, now, rng)


def train(
    rules: RuleSet, specs: list[str], config: ValueTraining, progress: ProgressBar | None = None
) -> tuple[ValueNetwork, dict[str, Any]] | None:
    """Return a trained network and facts about its training; None after SIGINT or SIGTERM."""
    begin = time.process_time()
    torch.manual_seed(config.seed)
    with stop_signals() as stops:
        parts = []
        for part in gather(rules, specs, config):
            if stops:
                return None
            parts.append(part)
        experience = joined(parts)
        network = ValueNetwork()
        weights = np.sqrt(experience.importance)
        rng = np.random.default_rng(config.seed + 1)
        learner = Learner(network, experience.decisions, weights / weights.mean(), rng)
        loss = learner.fit(experience.outcomes, config.outcome_steps, config.learning_rate)
        for iteration in range(config.iterations):
            if stops:
                return None
            left = 1 - iteration / config.iterations
            rate = LOWEST_RATE + (config.learning_rate - LOWEST_RATE) * left
            loss = learner.fit(expected_values(network, experience), config.steps, rate)
            if progress is not None:
                seconds = time.process_time() - begin
                progress.print_line(
                    f"{rules.name}: iteration {iteration + 1} of {config.iterations}, "
                    f"loss {loss:.3f}, {seconds:,.0f} CPU-seconds"
                )
    facts = {
        "config": config.model_dump(mode="json"),
        "decisions": len(experience.known),
        "loss": loss,
        "cpu_seconds": round(time.process_time() - begin, 1),
    }
    return network, facts


app = App(name="train", help="Train the value functions of control variates.")


@app.default
def main(
    *rules: str,
    output: Path = Path("runs", "values"),
    agents: tuple[str, ...] = (),
    settings: Annotated[tuple[str, ...], Parameter(name="--set")] = (),
    resume: bool = False,
) -> None:
    """Train a value function for each of these rule sets, by default all six.

    Args:
        rules: Rule sets by name or path.
        output: The folder for NAME.safetensors.
        agents: The agents that play, by spec; by default the zoo and the scripted agents.
        settings: Keys of the training, as in ``hands=20_000``.
        resume: Leave out rule sets whose file is there.
    """
    config = validated(ValueTraining, overridden({}, settings))
    make_folder(output)
    torch.set_num_threads(1)
    columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    with ProgressBar(*columns, transient=True) as progress:
        for name in rules or rule_sets():
            rule_set = load_rules(name)
            path = output / f"{rule_set.name}.safetensors"
            if path.exists():
                if resume:
                    continue
                raise SabaccError(f"{path}: is there already; continue with --resume or remove it")
            specs = list(agents) or specs_of(rule_set)
            trained = train(rule_set, specs, config, progress)
            if trained is None:
                print("stopped; continue with --resume", file=sys.stderr)
                sys.exit(130)
            save_value_function(path, trained[0], rule_set, specs, trained[1])
            progress.print_line(f"{path}: {trained[1]['cpu_seconds']:,.0f} CPU-seconds")


if __name__ == "__main__":
    try:
        app()
    except SabaccError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
