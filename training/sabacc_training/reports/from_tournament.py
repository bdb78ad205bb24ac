"""A report of the folder that ``sabacc tournament`` writes."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
from pydantic import ValidationError

from sabacc_env.engine.layout import KINDS
from sabacc_env.errors import SabaccError
from sabacc_env.rules import RuleSet
from sabacc_env.storage.files import read_bytes
from sabacc_training.evaluation.report import all_pairs_factor
from sabacc_training.evaluation.rows import MarginRow
from sabacc_training.reports.model import (
    CostlyHand,
    Entry,
    Failure,
    Figure,
    FormatResults,
    Game,
    HandCount,
    HandMoveCount,
    InputFile,
    Interval,
    ModelUsage,
    MoveCount,
    Origin,
    Pair,
    Phase,
    Report,
    Standing,
)
from sabacc_training.reports.second_views import second_views
from sabacc_training.tournaments import results as tournament
from sabacc_training.tournaments.agent_files import agent_digest
from sabacc_training.tournaments.config import TournamentConfig
from sabacc_training.tournaments.formats import Lineup
from sabacc_training.tournaments.lineup_results import LineupResult, lineup_result
from sabacc_training.tournaments.results import results_of
from sabacc_training.tournaments.rows import Results, StandingRow
from sabacc_training.tournaments.run import CONFIG, TaskFolder, config_in
from sabacc_training.tournaments.task_times import hours
from sabacc_training.tournaments.tasks import Task, all_tasks

COSTLY_HANDS: Final = 20
"""How many hands a report shows."""

BETTING: Final = ("check", "call", "raise")
FAILURE_WORDS: Final = {
    "crash": "an error, or the end of its process",
    "timeout": "no answer in time",
    "illegal": "an action that is not legal",
    "unreadable": "an answer of another form",
}


def tournament_report(folder: Path) -> Report:
    """Return the report of a tournament's folder, finished or not; the same one for the same files.

    Raises:
        SabaccError: for a folder that is none of a tournament, or results that are damaged or of
            another version; one sentence that names the file.
    """
    config = config_in(folder)
    results = _finished(config, folder)
    if results is not None:
        try:
            return _report(config, folder, results, tuple(_doubts(config, folder, results)))
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise _damaged(folder) from error  # it has all keys, but not what belongs there
    played = PlayedTasks(config, folder, config.deals if config.half_width is None else None)
    return _report(config, folder, played.results(), played.missing())


def _report(
    config: TournamentConfig, folder: Path, results: Results | None, missing: tuple[str, ...]
) -> Report:
    """Return the report of results; of None the report of a tournament that has none yet."""
    rules = config.rule_set
    names = [agent.name for agent in config.agents]
    return Report(
        title=f"{rules.name}: {' and '.join(names) if len(names) == 2 else f'{len(names)} agents'}",
        game=Game(
            rules=rules.name,
            rules_digest=rules.digest if results is None else results.rules_digest,
            hands_of_episode=config.hands,
            bet_sizes=tuple(map(str, config.bet_sizes)),
            ante_unit=rules.ante_unit,
        ),
        agents=tuple(_entries(config, results)),
        **({} if results is None else _results_of(config, results)),
        origin=_origin(config, folder, results),
        missing=missing,
    )


# Reading a folder.


class PlayedTasks:
    """The tasks in a folder of a tournament, as far as all tables have played the same deals.

    Attributes:
        config: the tournament.
        planned: the deals of the whole tournament; None where that is not known yet.
        deals: how many of them all tables have played.
        damaged: the files of tasks that are there and cannot be read.
    """

    def __init__(self, config: TournamentConfig, folder: Path, planned: int | None) -> None:
        self.config = config
        self.planned = planned
        self.deals = 0
        self.damaged: list[Path] = []
        self._files = TaskFolder(config, folder)
        self._tasks: dict[Lineup, list[Task]] = {}
        step = config.deals_per_task
        for first in itertools.count(0, step):
            stop = first + step if planned is None else min(first + step, planned)
            tasks = list(all_tasks(config, range(first, stop)))
            if planned is None and not any(self._files.path(task).exists() for task in tasks):
                break
            self._add(tasks)
            if stop == planned:
                break

    def _add(self, tasks: list[Task]) -> None:
        """Add the tasks of the same deals, if all are there."""
        absent = [task for task in tasks if self._files.read(task) is None]
        self.damaged += filter(Path.exists, map(self._files.path, absent))
        if not absent:
            self.deals += tasks[0].num_deals
            for task in tasks:
                self._tasks.setdefault(task.lineup, []).append(task)

    def lineup_result(self, lineup: Lineup) -> LineupResult:
        """Return what was played at a table."""
        read = filter(None, map(self._files.read, self._tasks[lineup]))
        return lineup_result(lineup, read, self.config.rule_set.ante_unit)

    def results(self) -> Results | None:
        """Return the results of these deals; None where they are too few."""
        if self.deals < 2:
            return None
        return results_of(self.config, self.deals, self.lineup_result)

    def missing(self) -> tuple[str, ...]:
        """Return sentences about what is missing."""
        if self.deals == self.planned:
            return ("All deals are played: sabacc tournament with --resume writes the results.",)
        of_all = "" if self.planned is None else f" of {self.planned:,}"
        played = f"{self.deals:,}{of_all} deals have been played at every table"
        sentences = [f"The tournament is not finished: {played}, and the figures are of these."]
        if self.damaged:
            name = self.damaged[0].name
            sentences.append(f"Damaged files in tasks/: {len(self.damaged)}, the first is {name}.")
        return *sentences, "sabacc tournament with --resume plays what is missing."


def _finished(config: TournamentConfig, folder: Path) -> Results | None:
    """Return the results of a finished tournament; None where there are none yet."""
    path = folder / tournament.FILE
    data = read_bytes(path)
    if data is None:
        return None
    try:
        results = Results.model_validate_json(data)
    except ValidationError:
        raise _damaged(folder) from None
    if results.config != config.model_dump(mode="json", exclude={"output", "processes"}):
        raise SabaccError(f"{path}: has results of another configuration than {CONFIG}")
    return results


def _damaged(folder: Path) -> SabaccError:
    return SabaccError(
        f"{folder / tournament.FILE}: is damaged, or of another version of this package; sabacc "
        "tournament with --resume writes it anew"
    )


def _doubts(config: TournamentConfig, folder: Path, results: Results) -> Iterator[str]:
    """Yield sentences about tasks that do not bear results out, because something has changed."""
    files = TaskFolder(config, folder)
    tasks = list(all_tasks(config, range(results.deals)))
    try:
        wrong = [task for task in tasks if files.read(task) is None]
    except SabaccError as error:
        yield f"These results could not be compared with the files in tasks/: {error}."
        return
    if wrong:
        yield (
            f"These results do not follow from the folder any more: of {len(tasks):,} files in "
            f"tasks/, {len(wrong):,} are missing or damaged, or agents, rules or the version of "
            f"this package have changed since. The first has {wrong[0]}."
        )
        yield "sabacc tournament with --resume plays them again."


def _entries(config: TournamentConfig, results: Results | None) -> Iterator[Entry]:
    """Yield the agents, with the hashes of the files that they were made of."""
    if results is None:
        for agent in config.agents:
            yield Entry(name=agent.name, spec=agent.spec, digest=agent_digest(agent.spec))
    else:
        for row in results.agents:
            yield Entry(name=row.agent, spec=row.spec, digest=row.sha256)


def _origin(config: TournamentConfig, folder: Path, results: Results | None) -> Origin:
    tasks = sorted((folder / "tasks").glob("*.task"))
    hashes = {path.name: hashlib.sha256(read_bytes(path) or b"").hexdigest() for path in tasks}
    of_tasks = "".join(f"{digest}  {name}\n" for name, digest in hashes.items())
    files = [
        InputFile(name=name, sha256=hashlib.sha256(data).hexdigest())
        for name in (CONFIG, tournament.FILE)
        if (data := read_bytes(folder / name)) is not None
    ]
    if results is not None and results.value_function:
        files.append(InputFile(name="the value function", sha256=results.value_function))
    together = InputFile(
        name=f"the list of {len(tasks)} files in tasks/ that sha256sum prints",
        sha256=hashlib.sha256(of_tasks.encode()).hexdigest(),
    )
    return Origin(
        command=f"sabacc tournament {CONFIG} --output again",
        config=config.identity,
        seed=config.seed,
        versions={} if results is None else {"sabacc-env": results.version},
        files=(*files, together),
        hours=hours(folder, [path.stem for path in tasks]),
    )


# From results to the parts of a report.


def _results_of(config: TournamentConfig, results: Results) -> dict[str, Any]:
    """Return the parts of a report that results fill."""
    return {
        "formats": tuple(
            _format_results(config, results, index) for index in range(len(config.formats))
        ),
        "views": tuple(second_views(config, results)),
        "moves": tuple(_moves(config.rule_set, results)),
        "moves_by_hand": tuple(_moves_by_hand(config.rule_set, results)),
        "shown_hands": tuple(_shown_hands(results)),
        "hand_names": results.hand_names,
        "failures": tuple(
            Failure(
                agent=row.agent,
                kind=FAILURE_WORDS[row.kind],
                count=row.count,
                decisions=row.decisions,
                restarts=row.restarts,
                example=row.example,
            )
            for row in results.failures
        ),
        "usage": tuple(ModelUsage(**row.model_dump()) for row in results.usage),
        "costly_hands": tuple(_costly_hands(config.rule_set, results)),
    }


def _format_results(config: TournamentConfig, results: Results, index: int) -> FormatResults:
    chosen = config.formats[index]
    pairs = [row for row in results.pairs if row.format == chosen.name]
    places = [row for row in results.places if row.format == chosen.name]
    return FormatResults(
        name=chosen.name,
        kind=chosen.kind,
        seats=chosen.num_players,
        deals=results.deals,
        hands=sum(row.hands for row in places if row.place == 0),
        standings=tuple(
            Standing(
                agent=row.agent,
                margin=_figure(row),
                luck_taken_out=_share_taken_out(row),
                hands=row.hands,
                hand_sd=_root_mean_square(
                    # A match's deviation is given per hand; its hands add up like single ones.
                    place.single_sd * math.sqrt(place.hands / (place.deals * chosen.num_players))
                    for place in places
                    if place.agent == row.agent and not (chosen.kind == "copies" and place.place)
                ),
                met_in_training=row.seen_in_training,
                mean_place=row.rank,
            )
            for row in results.ranking
            if row.format == chosen.name
        ),
        pairs=tuple(
            Pair(
                agent=row.agent,
                opponent=row.opponent,
                margin=_figure(row),
                met_in_training=row.seen_in_training,
            )
            for row in pairs
        ),
        all_pairs_factor=all_pairs_factor(pairs) if len(pairs) > 1 else None,
    )


def _figure(row: MarginRow) -> Figure:
    reduced = None
    if row.reduced_margin is not None and row.reduced_half_width is not None:
        reduced = Interval(mean=row.reduced_margin, half_width=row.reduced_half_width)
    return Figure(raw=Interval(mean=row.margin, half_width=row.half_width), reduced=reduced)


def _share_taken_out(row: StandingRow) -> float | None:
    """Return the share of a deal's variance that control variates take out."""
    if row.reduced_sd is None or not row.sd:
        return None
    return 1 - (row.reduced_sd / row.sd) ** 2


def _root_mean_square(values: Iterator[float]) -> float:
    squares = [value**2 for value in values]
    return math.sqrt(sum(squares) / len(squares))


def _phase_of(kind: str, rules: RuleSet) -> Phase:
    """Return the phase in which a kind of move is made."""
    if kind == "junk":
        return "cards" if rules.junk_when == "cards" else "betting"
    if kind == "redraw":
        return "dice"
    return "betting" if kind in BETTING else "cards"


def _moves(rules: RuleSet, results: Results) -> Iterator[MoveCount]:
    for agent, of_agent in _added(results, "moves").items():
        for name, of_round in zip(results.rounds, of_agent, strict=True):
            for total, of_total in zip(results.totals, of_round, strict=True):
                for kind, count in zip(KINDS, of_total, strict=True):
                    if count:
                        yield MoveCount(
                            agent=agent,
                            phase=_phase_of(kind, rules),
                            round=name,
                            total=total,
                            move=kind,
                            count=count,
                        )


def _moves_by_hand(rules: RuleSet, results: Results) -> Iterator[HandMoveCount]:
    for agent, of_agent in _added(results, "moves_by_hand").items():
        for hand, of_hand in zip(results.hand_names, of_agent, strict=True):
            for kind, count in zip(KINDS, of_hand, strict=True):
                if count:
                    yield HandMoveCount(
                        agent=agent,
                        phase=_phase_of(kind, rules),
                        hand=hand,
                        move=kind,
                        count=count,
                    )


def _shown_hands(results: Results) -> Iterator[HandCount]:
    for agent, of_agent in _added(results, "reveals").items():
        for hand, (shown, won) in zip(results.hand_names, of_agent, strict=True):
            if shown:
                yield HandCount(agent=agent, hand=hand, shown=shown, won=won)


def _added(results: Results, counts: str) -> dict[str, Any]:
    """Return some counts of each agent, added up over formats, as nested lists."""
    added: dict[str, Any] = {}
    for row in results.play:
        added[row.agent] = added.get(row.agent, 0) + np.array(getattr(row, counts))
    return {agent: array.tolist() for agent, array in added.items()}


def _costly_hands(rules: RuleSet, results: Results) -> Iterator[CostlyHand]:
    described = json.loads(rules.canonical())
    ranked = sorted(results.costly_hands, key=lambda hand: -hand.cost)
    for hand in ranked[:COSTLY_HANDS]:
        seats = len(hand.lineup)
        yield CostlyHand(
            agents=tuple(hand.lineup[(seat - hand.rotation) % seats] for seat in range(seats)),
            seat=(hand.place + hand.rotation) % seats,
            cost=hand.cost,
            deal=hand.deal,
            net_credits=tuple(hand.hand["state"]["net_credits"]),
            history={"rules": described, **hand.hand},
        )
