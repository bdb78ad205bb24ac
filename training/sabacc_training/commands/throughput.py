"""``sabacc throughput``: how fast the PPO trainer is, and what the environment takes of it."""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median

from sabacc_env.errors import SabaccError
from sabacc_training.bench.progress import BenchProgress
from sabacc_training.bench.run import machine
from sabacc_training.experiments.throughput import throughput as measured
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
    """Measure decisions a second, updates included, beside tables where nothing happens.

    Args:
        config: A configuration of the PPO trainer; its opponents are left out.
        overrides: Keys to change: threads=2 ppo.n_epochs=4.
        rounds: How often both are measured, in turn.
        updates: Updates measured each time.
        folder: Where rounds are kept until all are measured; by default runs/throughput/ and the
            configuration's name.
        resume: Go on after the rounds that are kept there.
    """
    if rounds < 1 or updates < 1:
        raise SabaccError("rounds, updates: measure at least once")
    alone = "pool={snapshots = 0, scripted = {}}"
    settings = training_config(config, [*overrides, alone])
    if not isinstance(settings, PPOConfig):
        raise SabaccError(f'{config}: is not for the PPO trainer; use one with trainer = "ppo"')
    folder = folder or Path("runs", "throughput", Path(config).stem)
    work = {"config": settings.model_dump(mode="json"), "updates": updates, "machine": machine()}
    try:
        with open_partial_results(folder, work, resume) as partial:
            with BenchProgress() as progress:
                real, nothing = measured(settings, rounds, updates, partial, progress)
            partial.finish()
    except KeyboardInterrupt:
        print(f"stopped; rounds are kept in {folder}: go on with --resume", file=sys.stderr)
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
    print("decisions                    a second                     a CPU-second")
    for name, speeds in (("at the tables", real), ("where nothing happens", nothing)):
        print(f"{name:25}{_spread(speeds.by_second):29}{_spread(speeds.by_cpu)}")
    shares = [own / free for own, free in zip(real.by_cpu, nothing.by_cpu, strict=True)]
    print(
        f"by CPU time the first is {median(shares):.0%} of the second, round by round "
        f"{min(shares):.0%} to {max(shares):.0%}"
    )
    print(f"where the time went at the tables: {real.clock}")


def _spread(figures: list[float]) -> str:
    return f"{median(figures):,.0f} ({min(figures):,.0f} to {max(figures):,.0f})"
