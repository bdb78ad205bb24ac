"""Running a tournament: its tasks are played and saved one by one, its results follow from them.

A folder of a tournament holds ``config.json``; ``tasks/``, a file for each task (``tasks``); and
when all tasks are there ``results.json`` with ``pairs.csv``, ``ranking.csv`` and ``places.csv``,
and ``hands.jsonl`` where hands are recorded. Results are computed from the files of tasks alone, in
a fixed order, so the same configuration gives the same bytes, whoever played the tasks, and in
whatever order. How long they took stands beside the folder (``task_times``).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from sabacc_agents.language_models.agent import ModelAgent
from sabacc_agents.language_models.spec import is_model

from sabacc_env.errors import SabaccError
from sabacc_env.storage.files import (
    failure_reason,
    read_bytes,
    remove_partial_files,
    write_bytes,
    write_text,
)
from sabacc_training.config.base import load_config
from sabacc_training.jobs.executors import Executor, in_process
from sabacc_training.jobs.locking import created_folder, locked_folder
from sabacc_training.statistics.estimate import Estimate
from sabacc_training.statistics.sequential import SequentialPlan
from sabacc_training.tournaments.config import TournamentConfig
from sabacc_training.tournaments.formats import Lineup
from sabacc_training.tournaments.lineup_results import LineupResult, lineup_result
from sabacc_training.tournaments.progress import TournamentProgress
from sabacc_training.tournaments.results import results_of, write_results
from sabacc_training.tournaments.rows import Results
from sabacc_training.tournaments.task_times import TaskTimes, timed_task
from sabacc_training.tournaments.tasks import (
    Task,
    TaskResult,
    all_tasks,
    lineup_tasks,
    read_task,
    task_digest,
)

CONFIG = "config.json"
HANDS = "hands.jsonl"


class TaskFolder:
    """The files of a tournament's tasks.

    Args:
        config: the tournament.
        folder: its folder.
    """

    def __init__(self, config: TournamentConfig, folder: Path) -> None:
        self._config, self._folder = config, folder / "tasks"
        self._times = TaskTimes(folder)

    def path(self, task: Task) -> Path:
        """Return the path of a task's file."""
        return self._folder / f"{task_digest(self._config, task)}.task"

    def read(self, task: Task) -> TaskResult | None:
        """Return what was played in a task; None where it is absent or damaged."""
        data = read_bytes(self.path(task))
        return None if data is None else read_task(self._config, task, data)

    def write(self, task: Task, data: bytes, seconds: float) -> None:
        """Save what was played in a task, and how long that took."""
        path = self.path(task)
        write_bytes(path, data)
        self._times.add(path.stem, seconds)

    def copy(self, found: Mapping[Task, bytes], folders: Sequence[Path]) -> None:
        """Save tasks that other folders hold."""
        for task, data in found.items():
            write_bytes(self.path(task), data)
        for folder in folders:
            self._times.update(TaskTimes(folder).seconds)


def play_tournament(
    config: TournamentConfig,
    output: Path,
    *,
    resume: bool = False,
    deals: range | None = None,
    executor: Executor = in_process,
    progress: TournamentProgress | None = None,
) -> Results | None:
    """Play the tasks of a tournament, and write its results when all are there.

    Args:
        config: the tournament.
        output: its folder. Without ``resume`` it must not hold another tournament.
        resume: whether to keep tasks that are there already and have the same rules, deals, seed,
            agents (a saved one by its content) and version of this package. A damaged file counts
            as absent.
        deals: which deals to play, by default all; its ends are multiples of ``deals_per_task``, or
            the last deal. Other tasks that are there already count.
        executor: runs the tasks.
        progress: shows the hands.

    Returns:
        The results; None where tasks of other deals are still missing.

    Raises:
        SabaccError: for a spec that names no agent, a language model that does not answer, a
            folder of another tournament or that another process writes into, or deals that are no
            whole tasks.
    """
    for seats in {len(lineup) for lineup in config.all_lineups}:
        for entrant in config.entrants.values():
            config.load(entrant, seats)  # a wrong spec shows now and not after hours
    part = None if deals is None else checked_deals(config, deals)
    with _opened(config, output, resume) as files:
        total = 0
        for stage in [part] if part else _stages(config, files.read, progress):
            _play(config, list(all_tasks(config, stage)), files, resume, executor, progress)
            total = stage.stop
        if part:
            total = config.deals
            if not all(files.path(task).exists() for task in all_tasks(config, range(total))):
                return None
        return _write(config, files, total, output)


def merge_tournaments(folders: Sequence[Path], output: Path) -> Results:
    """Put the tasks of several folders of one tournament together, and write its results.

    Args:
        folders: where disjoint or overlapping parts of it were played.
        output: the folder for all tasks and the results.

    Raises:
        SabaccError: for folders of different tournaments, a task that is missing everywhere or
            differs between folders; nothing has been written then.
    """
    if not folders:
        raise SabaccError("merge: no folder is given; name those that have parts of a tournament")
    config = config_in(folders[0])
    for folder in [*folders[1:], *([output] if (output / CONFIG).exists() else [])]:
        if keys := _differing(config, config_in(folder)):
            raise SabaccError(
                f"{folder}: holds another tournament than {folders[0]}; these differ: {keys}"
            )
    found: dict[Task, bytes] = {}

    def read(task: Task) -> TaskResult | None:
        return read_task(config, task, found[task])

    total = 0
    for stage in _stages(config, read, None):
        tasks = list(all_tasks(config, stage))
        data = {task: _found(config, task, folders) for task in tasks}
        found |= {task: each for task, each in data.items() if each is not None}
        if missing := [task for task in tasks if task not in found]:
            raise SabaccError(
                f"{len(missing)} of {len(tasks)} tasks are in none of these folders, first "
                f"{missing[0]}; play them with --part, or again where a file is damaged, or was "
                "played with other agents, rules or another version than there are here"
            )
        total = stage.stop
    with _opened(config, output, resume=True) as files:
        files.copy(found, folders)
        return _write(config, files, total, output)


def checked_deals(config: TournamentConfig, deals: range) -> range:
    """Return a range of deals that is made of whole tasks.

    Raises:
        SabaccError: for any other.
    """
    if config.half_width is not None:
        raise SabaccError("--part: half_width decides how many deals there are; give deals instead")
    ends = [end for end in (deals.start, deals.stop) if end % config.deals_per_task]
    if not 0 <= deals.start < deals.stop <= config.deals or set(ends) - {config.deals}:
        raise SabaccError(
            f"--part: {deals.start}:{deals.stop} is not a range of whole tasks; both ends are "
            f"multiples of {config.deals_per_task} (deals_per_task) from 0 to {config.deals}, or "
            "the last deal"
        )
    return deals


# Folders.


@contextmanager
def _opened(config: TournamentConfig, output: Path, resume: bool) -> Iterator[TaskFolder]:
    """Lock the folder of a tournament, and write its configuration."""
    with locked_folder(output):
        settings = config.identity.encode()
        if not resume and _settings_in(output, settings) != settings:
            raise SabaccError(
                f"{output}: holds the results of another configuration; choose another folder "
                "(--output), or load the tasks that both have in common (--resume)"
            )
        write_bytes(output / CONFIG, settings)
        with created_folder(output / "tasks"):
            remove_partial_files(output / "tasks")
            yield TaskFolder(config, output)


def _settings_in(folder: Path, default: bytes) -> bytes:
    """Return the configuration of a folder as it is written there; a default in a new folder."""
    path = folder / CONFIG
    try:
        return path.read_bytes() if path.exists() else default
    except OSError as error:
        raise SabaccError(f"{path}: cannot be read ({failure_reason(error)})") from None


def config_in(folder: Path) -> TournamentConfig:
    """Return the configuration of a tournament's folder.

    Raises:
        SabaccError: for any other folder.
    """
    if not (folder / CONFIG).is_file():
        raise SabaccError(f"{folder}: is not the folder of a tournament; it has no {CONFIG}")
    return load_config(TournamentConfig, folder / CONFIG)


def _differing(first: TournamentConfig, second: TournamentConfig) -> str:
    """Return the keys in which two tournaments differ; "" for parts of the same one."""
    one, other = json.loads(first.identity), json.loads(second.identity)
    return ", ".join(key for key in one | other if one.get(key) != other.get(key))


def _found(config: TournamentConfig, task: Task, folders: Sequence[Path]) -> bytes | None:
    """Return the bytes of a task in the folders that have it whole."""
    paths = [TaskFolder(config, folder).path(task) for folder in folders]
    whole = {
        path: data
        for path in paths
        if (data := read_bytes(path)) is not None and read_task(config, task, data) is not None
    }
    if len(set(whole.values())) > 1:
        first, second, *_ = whole
        raise SabaccError(
            f"{first} and {second}: hold different hands of {task}; one of the machines plays "
            "otherwise, so remove the file that is wrong"
        )
    return next(iter(whole.values()), None)


# Tasks and results.


def _play(
    config: TournamentConfig,
    tasks: Sequence[Task],
    files: TaskFolder,
    resume: bool,
    executor: Executor,
    progress: TournamentProgress | None,
) -> None:
    """Play tasks, and save each when it ends."""
    absent = []
    for task in tasks:
        loaded = files.read(task) if resume else None
        if loaded is None:
            absent.append(task)
        elif progress is not None:
            progress.add(task, loaded, played=False)
    if absent:
        _check_models(config)
    for task, (data, seconds) in executor(partial(timed_task, config), absent):
        result = read_task(config, task, data)
        if result is None:
            raise SabaccError(
                f"{task}: was played elsewhere with other rules, agents or another version than "
                "this machine has; give all machines the same"
            )
        files.write(task, data, seconds)
        if progress is not None:
            progress.add(task, result)


def _check_models(config: TournamentConfig) -> None:
    """Ask each language model for a word: a wrong address, key or name shows before any deal."""
    for entrant in config.entrants.values():
        if is_model(entrant.spec):
            seats = config.formats[0].num_players
            ModelAgent(config.rule_set, seats, config.bet_sizes, spec=entrant.spec).check()


def _stages(
    config: TournamentConfig,
    read: Callable[[Task], TaskResult | None],
    progress: TournamentProgress | None,
) -> Iterator[range]:
    """Yield the deals to play: all; or with ``half_width`` more and more, until it is reached."""
    if config.half_width is None:
        yield range(config.deals)
        return
    plan = SequentialPlan(config.half_width, config.deals_per_task)
    deals, wanted = 0, plan.next_deals([])
    while wanted > deals:
        if progress is not None:
            progress.plan(wanted)
        yield range(deals, wanted)
        deals = wanted
        estimates = [
            found.reduced_margin(place) or found.margin(place)
            for lineup in config.all_lineups
            for found in [_lineup_result(config, read, deals, lineup)]
            for place in range(len(lineup))
        ]
        wanted = plan.next_deals(estimates)
        if progress is not None:
            progress.print_warning(_outlook(plan, estimates, progress))


def _outlook(
    plan: SequentialPlan, estimates: Sequence[Estimate], progress: TournamentProgress
) -> str:
    """Say how wide the intervals are, and what is planned."""
    deals, forecast = estimates[0].deals, plan.forecast(estimates)
    told = f"After {deals:,} deals the widest interval is ± {plan.widest(estimates):,.0f}"
    if forecast.deals == deals:
        return f"{told}: narrow enough."
    minutes = progress.minutes(forecast.deals - deals)
    time = "" if minutes is None else f", about {minutes:,.1f} minutes more"
    looks = "one more look" if forecast.looks == 1 else f"{forecast.looks} more looks"
    return f"{told}: some {forecast.deals:,} deals are expected, with {looks} on the way{time}."


def _write(config: TournamentConfig, files: TaskFolder, deals: int, output: Path) -> Results:
    results = results_of(config, deals, partial(_lineup_result, config, files.read, deals))
    write_results(results, output)
    _write_hands(config, files, deals, output / HANDS)
    return results


def _write_hands(config: TournamentConfig, files: TaskFolder, deals: int, path: Path) -> None:
    """Write the recorded hands of all tasks into one file, in the order of the tasks."""
    if not config.record_hands:
        path.unlink(missing_ok=True)
        return
    read = (files.read(task) for task in all_tasks(config, range(deals)))
    hands = (hand for result in read if result is not None for hand in result.hands)
    write_text(path, "".join(f"{hand}\n" for hand in hands))


def _lineup_result(
    config: TournamentConfig,
    read: Callable[[Task], TaskResult | None],
    deals: int,
    lineup: Lineup,
) -> LineupResult:
    """Return what was played at a lineup."""

    def results() -> Iterator[TaskResult]:
        for task in lineup_tasks(config, lineup, range(deals)):
            result = read(task)
            if result is None:
                raise SabaccError(
                    f"the file of {task} is missing or damaged; play it with --resume"
                )
            yield result

    return lineup_result(lineup, results(), config.rule_set.ante_unit)
