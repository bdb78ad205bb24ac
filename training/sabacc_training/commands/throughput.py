"""``sabacc throughput``: the speed of the PPO trainer, and the environment's share of its time."""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median

from sabacc_env.errors import SabaccError
from sabacc_training.bench.progress import BenchProgress
from sabacc_training.bench.run import machine_info
from sabacc_training.experiments.throughput import measure_throughput
from sabacc_training.jobs.partial_results import open_partial_results
from sabacc_training.ppo.compute import Compute
from sabacc_training.ppo.config import PPOConfig
from sabacc_training.trainers import training_config


def throughput(
    config: str,
    *overrides: str,
    rounds: int = 5,
    updates: int = 5,
    folder: Path | None = None,
    resume: bool = False,
) -> None:
    """Measure decisions per second, updates included, at played and at frozen tables.

    Frozen tables stay as they are, so that the difference is the time of the environment.

    Args:
        config: A configuration of the PPO trainer, whose opponents are left out.
        overrides: Keys to change: threads=2 ppo.n_epochs=4.
        rounds: Measurements of both, in turn.
        updates: Updates in each measurement.
        folder: The folder for finished rounds until all have ended; by default runs/throughput/
            and the configuration's name.
        resume: Continue after the rounds in that folder.
    """
    if rounds < 1 or updates < 1:
        raise SabaccError("rounds, updates: each must be at least 1")
    alone = "pool={snapshots = 0, scripted = {}}"
    settings = training_config(config, [*overrides, alone])
    if not isinstance(settings, PPOConfig):
        raise SabaccError(f'{config}: is not for the PPO trainer; use one with trainer = "ppo"')
    folder = folder or Path("runs", "throughput", Path(config).stem)
    work = {
        "config": settings.model_dump(mode="json"),
        "updates": updates,
        "machine": machine_info(),
    }
    try:
        with open_partial_results(folder, work, resume) as partial:
            with BenchProgress() as progress:
                played, frozen = measure_throughput(settings, rounds, updates, partial, progress)
            partial.finish()
    except KeyboardInterrupt:
        print(f"stopped; rounds are saved in {folder}: resume with --resume", file=sys.stderr)
        sys.exit(130)
    ppo = settings.ppo
    samples = ppo.n_epochs * ppo.rollout_steps
    precision = Compute.choose(settings.device, ppo.precision).precision
    print(
        f"{settings.rules}, {settings.num_players} seats; actor and critic of "
        f"{' x '.join(map(str, ppo.hidden_sizes))} each, matrices in {precision}; "
        f"{settings.threads} {'thread' if settings.threads == 1 else 'threads'}\n"
        f"an update: {ppo.rollout_steps:,} decisions, {ppo.n_epochs} times in "
        f"gradient steps of {ppo.minibatch_size:,}: {samples:,} samples"
    )
    print("decisions                    per second                   per CPU-second")
    for name, speed in (("at played tables", played), ("at frozen tables", frozen)):
        print(f"{name:25}{_spread(speed.per_second):29}{_spread(speed.per_cpu_second)}")
    rates = zip(played.per_cpu_second, frozen.per_cpu_second, strict=True)
    shares = [with_environment / without for with_environment, without in rates]
    print(
        f"by CPU time the first is {median(shares):.0%} of the second "
        f"({min(shares):.0%} to {max(shares):.0%} by round)"
    )
    print(f"time at played tables: {played.profiler}")


def _spread(figures: list[float]) -> str:
    return f"{median(figures):,.0f} ({min(figures):,.0f} to {max(figures):,.0f})"
