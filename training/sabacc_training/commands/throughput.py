"""``sabacc throughput``: the speed of the PPO trainer, and the environment's share of its time."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from sabacc_env.errors import SabaccError
from sabacc_training.bench.progress import BenchProgress
from sabacc_training.bench.run import machine_info
from sabacc_training.config.run import PoolConfig
from sabacc_training.experiments.throughput import PLAYED, measure_throughput
from sabacc_training.jobs.partial_results import open_partial_results
from sabacc_training.ppo.compute import Compute
from sabacc_training.ppo.config import LeagueConfig, PPOConfig
from sabacc_training.trainers import training_config


def throughput(
    config: str,
    *overrides: str,
    beside: tuple[str, ...] = (),
    rounds: int = 5,
    updates: int = 5,
    folder: Path | None = None,
    resume: bool = False,
) -> None:
    """Measure decisions per second, updates included, at played and at frozen tables.

    Frozen tables stay as they are, so that the difference is the time of the environment.

    Args:
        config: A configuration of the PPO trainer, whose opponents and exploiters are left out.
        overrides: Keys to change: threads=2 ppo.n_epochs=4.
        beside: Another configuration of the PPO trainer, measured in turn with the first at played
            tables, as it is. Decisions of its exploiters do not count, but their time does. May be
            given several times.
        rounds: Measurements of each, in turn.
        updates: Updates in each measurement.
        folder: The folder for finished rounds until all have ended; by default runs/throughput/
            and the configuration's name.
        resume: Continue after the rounds in that folder.
    """
    if rounds < 1 or updates < 1:
        raise SabaccError("rounds, updates: each must be at least 1")
    alone = {"pool": PoolConfig(snapshots=0, scripted={}), "league": LeagueConfig()}
    settings = _ppo_config(config, overrides).model_copy(update=alone)
    others = {f"with {other}": _ppo_config(other) for other in beside}
    folder = folder or Path("runs", "throughput", Path(config).stem)
    work = {
        "config": settings.model_dump(mode="json"),
        "beside": {name: other.model_dump(mode="json") for name, other in others.items()},
        "updates": updates,
        "machine": machine_info(),
    }
    try:
        with open_partial_results(folder, work, resume) as partial:
            with BenchProgress() as progress:
                speeds = measure_throughput(settings, others, rounds, updates, partial, progress)
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
    width = max(map(len, speeds)) + 2
    print(f"{'decisions':{width}}{'per second':29}per CPU-second")
    for name, speed in speeds.items():
        print(f"{name:{width}}{_spread(speed.per_second):29}{_spread(speed.per_cpu_second)}")
    played = speeds.pop(PLAYED)
    for name, speed in speeds.items():
        rates = zip(played.per_cpu_second, speed.per_cpu_second, strict=True)
        shares = [rate_played / rate for rate_played, rate in rates]
        print(
            f"{PLAYED}, a CPU-second has {median(shares):.0%} of the decisions {name} "
            f"({min(shares):.0%} to {max(shares):.0%} by round)"
        )
    print(f"time {PLAYED}: {played.profiler}")


def _ppo_config(config: str, overrides: Sequence[str] = ()) -> PPOConfig:
    settings = training_config(config, overrides)
    if not isinstance(settings, PPOConfig):
        raise SabaccError(f'{config}: is not for the PPO trainer; use one with trainer = "ppo"')
    return settings


def _spread(figures: list[float]) -> str:
    return f"{median(figures):,.0f} ({min(figures):,.0f} to {max(figures):,.0f})"
