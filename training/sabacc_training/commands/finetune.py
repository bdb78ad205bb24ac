"""``sabacc finetune``: a small language model learns from exact regrets (``fine_tuning``)."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from sabacc_env.errors import SabaccError
from sabacc_env.storage.files import write_bytes
from sabacc_training.bench.plot import check_picture
from sabacc_training.bench.progress import BenchProgress
from sabacc_training.config.base import overridden, validated
from sabacc_training.jobs.locking import locked_folder
from sabacc_training.jobs.stopping import StoppedBySignal, exit_when_stopped, stop_signals
from sabacc_training.jobs.torch_threads import one_torch_thread
from sabacc_training.language.episode import TextEpisodes
from sabacc_training.language.fine_tuning import Episodes, Evaluation, FineTuner, FineTuning
from sabacc_training.language.task import text_task

SAVE_EVERY_S: Final = 30


def finetune(
    *overrides: str,
    folder: Path = Path("runs", "finetune"),
    resume: bool = False,
    picture: Path | None = None,
) -> None:
    """Fine-tune a small language model by the exact regrets of its answers.

    A character-level transformer first imitates random legal moves, then learns by policy
    gradients. The regret of a decision is printed before, during and after that.

    Args:
        overrides: Keys of the fine-tuning: rules=one_draw url=http://127.0.0.1:8000 seed=1
            updates=400 learning_rate=5e-4.
        folder: The folder for the checkpoint and results.json.
        resume: Go on from the checkpoint in that folder, as if the run had never stopped.
        picture: A file for an SVG plot of the regret; by default none is drawn.
    """
    config = validated(FineTuning, overridden({}, overrides))
    if picture is not None:
        check_picture(picture)
    checkpoint = folder / "checkpoint.pt"
    with (
        exit_when_stopped(folder),
        locked_folder(folder),
        one_torch_thread(),
        _episodes(config) as episodes,
    ):
        tuner = FineTuner(config, episodes)
        tuner.check_episodes()
        if resume:
            tuner.restore(checkpoint)
        elif checkpoint.exists():
            raise SabaccError(f"{checkpoint}: is there already; resume it (--resume) or remove it")
        _run(tuner, checkpoint)
        results = {
            "config": config.model_dump(mode="json"),
            "evaluations": [each.model_dump() for each in tuner.evaluations],
            "rewards": tuner.rewards,
        }
        write_bytes(folder / "results.json", json.dumps(results, indent=1).encode() + b"\n")
        if picture is not None:
            from sabacc_training.language.regret_plot import plot

            write_bytes(picture, plot(tuner.evaluations))


@contextmanager
def _episodes(config: FineTuning) -> Iterator[Episodes]:
    if config.url is not None:
        from sabacc_training.language.openenv_client import open_episodes

        with open_episodes(config.url) as episodes:
            yield episodes
        return
    yield TextEpisodes(text_task(rules=config.rules, kind="decision", retries=0))


def _run(tuner: FineTuner, checkpoint: Path) -> None:
    """Do all steps that are left; save now and then, at a signal, and at the end."""
    saved, what = time.monotonic(), ""
    with stop_signals() as stops, BenchProgress() as progress:
        progress.start(tuner.total_steps - tuner.steps)
        while True:
            if tuner.evaluation_is_due:
                print(_line(tuner.evaluate()), flush=True)
            if tuner.steps == tuner.total_steps:
                break
            progress.next(what)
            found = tuner.step()
            what = f"reward {found:+.3f}" if tuner.updates else f"imitation, loss {found:.2f}"
            if stops or time.monotonic() - saved > SAVE_EVERY_S:
                tuner.save(checkpoint)
                saved = time.monotonic()
            if stops:
                raise StoppedBySignal
    tuner.save(checkpoint)


def _line(found: Evaluation) -> str:
    return (
        f"update {found.update:5}: regret {found.regret:4.0f} ± {found.half_width:.0f} milli-antes "
        f"a decision, {100 * found.refused:.1f} % refused"
    )
