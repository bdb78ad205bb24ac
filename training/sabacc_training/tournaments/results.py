"""The results of a tournament: what ``results.json`` and the CSV files hold."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sabacc_agents.external.failures import FAILURE_KINDS
from sabacc_agents.loading import trained_against

from sabacc_env.engine.layout import KINDS
from sabacc_env.hand_ranks import HAND_NAMES
from sabacc_env.storage.files import write_text
from sabacc_training.evaluation.rows import PairRow, Row, csv_text, estimate_fields, rounded
from sabacc_training.statistics.estimate import Estimate
from sabacc_training.tournaments.config import TournamentConfig
from sabacc_training.tournaments.formats import Lineup
from sabacc_training.tournaments.lineup_results import LineupResult
from sabacc_training.tournaments.play_statistics import MAX_TOTAL, ROUNDS

UNIT: Final = "mante/hand: thousandths of hand ante + Sabacc ante, a hand"
FILE: Final = "results.json"


class StandingRow(Row):
    """The standing of an agent in a format, in mante/hand."""

    format: str
    agent: str
    deals: int

    margin: float
    """Over its opponents, averaged over all its tables deal by deal. All tables play the same
    deals, so the interval over deals accounts for what they have in common."""

    half_width: float
    """Half the width of the 95 % interval."""

    half_width_all: float
    """The same for an interval that holds together with those of all other agents."""

    sd: float
    """Standard deviation of one deal."""

    reduced_margin: float | None = None
    """The margin with control variates taken off; None where there are none."""

    reduced_half_width: float | None = None
    reduced_sd: float | None = None

    reduction: float | None = None
    """How many times as many hands an equally narrow interval needs without control variates."""

    hands: int
    """How many hands it played."""

    rank: float | None
    """Of matches, its mean place, 1 for the first; None for single hands."""

    rank_half_width: float | None

    failures: int
    """How often a default was played in its place."""

    seen_in_training: bool
    """Whether it met an opponent, or an opponent met it, in training."""


class PlaceRow(Row):
    """The margin of one place of a table over the mean of the others, in mante/hand."""

    format: str
    table: int
    """The number of the table in its format."""

    place: int
    agent: str
    deals: int
    margin: float
    half_width: float
    half_width_all: float
    sd: float
    reduced_margin: float | None = None
    reduced_half_width: float | None = None
    reduced_sd: float | None = None
    reduction: float | None = None
    single_sd: float
    saving: float | None
    rank: float | None
    rank_half_width: float | None

    rank_counts: tuple[int, ...]
    """Of matches, how often it came first, second, ...; a shared rank counts as the better."""

    hands: int
    """The hands of this table, in all rotations."""


class FailureRow(Row):
    """How often an agent failed in one way; the default was played in its place."""

    agent: str
    kind: str
    count: int
    decisions: int
    """All its decisions."""

    example: str
    """The first message of this kind."""


class Play(Row):
    """How an agent played, at all its tables of one format."""

    format: str
    agent: str

    moves: tuple[tuple[tuple[int, ...], ...], ...]
    """Counts by round, by the total of its hand without the sign, by kind of move."""

    moves_by_hand: tuple[tuple[int, ...], ...]
    """Counts by what its hand would have ranked, by kind of move."""

    reveals: tuple[tuple[int, int], ...]
    """Of each kind of hand: how often it was revealed, how often it won the main pot."""


class CostlyHand(Row):
    """A single hand in which an agent won less than all did with the same cards."""

    format: str
    lineup: tuple[str, ...]
    deal: int
    rotation: int

    place: int
    """The place in the lineup that lost."""

    cost: float
    """What it won less than the mean of all places on the same seat of this deal, in credits."""

    hand: dict[str, Any]
    """What ``Game.to_dict`` describes, without the rules."""


class Results(Row):
    """The results of a tournament."""

    unit: str = UNIT
    config: dict[str, Any]

    deals: int
    """The deals of every table."""

    pairs: tuple[PairRow, ...]
    ranking: tuple[StandingRow, ...]
    """By format, best first."""

    places: tuple[PlaceRow, ...]
    failures: tuple[FailureRow, ...]

    rounds: tuple[str, ...] = ROUNDS
    totals: tuple[int, ...] = tuple(range(MAX_TOTAL + 1))
    kinds: tuple[str, ...] = KINDS
    hand_names: tuple[str, ...]
    """The names of the axes of counts in ``play``."""

    play: tuple[Play, ...]
    costly_hands: tuple[CostlyHand, ...]
    """Of each table, the worst first."""


def results_of(
    config: TournamentConfig, deals: int, result: Callable[[Lineup], LineupResult]
) -> Results:
    """Return the results of a tournament.

    Args:
        config: the tournament.
        deals: the deals of each lineup.
        result: returns what was played at a lineup.
    """
    pairs: list[PairRow] = []
    ranking: list[StandingRow] = []
    places: list[PlaceRow] = []
    play: list[Play] = []
    hands: list[CostlyHand] = []
    failures = _Failures()
    counted: set[Lineup] = set()
    for name, lineups in config.lineups.items():
        agents = _Agents(config, name)
        for table, lineup in enumerate(lineups):
            found = result(lineup)
            met = _met(config, lineup)
            if not name.startswith("mixed"):
                pairs.append(_pair_row(name, found, len(lineups), met))
            places += _place_rows(name, table, found, len(lineups) * len(lineup))
            hands += _costly_hands(name, found)
            agents.add(found, met)
            if lineup not in counted:  # several formats may share it
                failures.add(found)
                counted.add(lineup)
        ranking += agents.standings()
        play += agents.play()
    return Results(
        config=config.model_dump(mode="json", exclude={"output", "processes"}),
        deals=deals,
        pairs=tuple(pairs),
        ranking=tuple(ranking),
        places=tuple(places),
        failures=tuple(failures.rows()),
        hand_names=tuple(hand for hand, _ in HAND_NAMES[config.rule_set.ranking]),
        play=tuple(play),
        costly_hands=tuple(hands),
    )


def write_results(results: Results, folder: Path) -> None:
    """Write the files of the results into a folder."""
    write_text(folder / "pairs.csv", csv_text(PairRow, results.pairs))
    write_text(folder / "ranking.csv", csv_text(StandingRow, results.ranking))
    write_text(folder / "places.csv", csv_text(PlaceRow, results.places))
    write_text(folder / FILE, results.model_dump_json() + "\n")


def _met(config: TournamentConfig, lineup: Lineup) -> bool:
    """Say whether any agents of a lineup met in training."""
    specs = [config.entrants[name].spec for name in dict.fromkeys(lineup)]
    return any(other in trained_against(spec) for spec, other in itertools.permutations(specs, 2))


def _pair_row(name: str, found: LineupResult, comparisons: int, met: bool) -> PairRow:
    return PairRow(
        format=name,
        first=found.lineup[0],
        second=found.lineup[1],
        **estimate_fields(found.margin(0), comparisons, found.reduced_margin(0)),
        single_sd=round(float(found.hand_sd[0]), 3),
        saving=rounded(found.saving(0)),
        seen_in_training=met,
    )


def _place_rows(name: str, table: int, found: LineupResult, comparisons: int) -> list[PlaceRow]:
    return [
        PlaceRow(
            format=name,
            table=table,
            place=place,
            agent=agent,
            **estimate_fields(found.margin(place), comparisons, found.reduced_margin(place)),
            single_sd=round(float(found.hand_sd[place]), 3),
            saving=rounded(found.saving(place)),
            **_rank_fields(None if found.ranks is None else found.ranks[:, place]),
            rank_counts=() if found.ranks is None else tuple(found.rank_counts[place].tolist()),
            hands=found.hands,
        )
        for place, agent in enumerate(found.lineup)
    ]


def _rank_fields(ranks: NDArray[np.float64] | None) -> dict[str, Any]:
    if ranks is None:
        return {"rank": None, "rank_half_width": None}
    mean = Estimate.from_values(ranks)
    return {"rank": round(mean.mean, 4), "rank_half_width": round(mean.half_width(), 4)}


def _costly_hands(name: str, found: LineupResult) -> list[CostlyHand]:
    return [CostlyHand(format=name, lineup=found.lineup, **hand) for hand in found.costliest]


class _Agents:
    """What each agent did in a format, added up over its tables.

    Where an agent sits at a table as copies, these places are the other's opponents: they count in
    how it plays, and not in its margin.
    """

    def __init__(self, config: TournamentConfig, name: str) -> None:
        self._format, self._copies = name, name.startswith("copies")
        names = [agent.name for agent in config.agents]
        self._margins: dict[str, Any] = dict.fromkeys(names, 0.0)
        self._reduced: dict[str, Any] = dict.fromkeys(names, 0.0)
        self._ranks: dict[str, Any] = dict.fromkeys(names, 0.0)
        self._tables, self._hands, self._failures = (dict.fromkeys(names, 0) for _ in range(3))
        self._met = dict.fromkeys(names, False)
        self._counts: dict[str, dict[str, Any]] = {each: {} for each in names}
        self._have_ranks = self._have_reduced = False

    def add(self, found: LineupResult, met: bool) -> None:
        """Add a table."""
        for place, agent in enumerate(found.lineup):
            self._failures[agent] += int(found.counts["failures"][place].sum())
            for kind, counts in found.counts.items():
                self._counts[agent][kind] = self._counts[agent].get(kind, 0) + counts[place]
            if self._copies and place:
                continue
            self._tables[agent] += 1
            self._hands[agent] += found.hands
            self._met[agent] |= met
            self._margins[agent] = self._margins[agent] + found.margins[:, place]
            if found.reduced is not None:
                self._have_reduced = True
                self._reduced[agent] = self._reduced[agent] + found.reduced[:, place]
            if found.ranks is not None:
                self._have_ranks = True
                self._ranks[agent] = self._ranks[agent] + found.ranks[:, place]

    def standings(self) -> list[StandingRow]:
        """Return the standing of each agent that sat at a table, best first."""
        seated = [agent for agent, tables in self._tables.items() if tables]
        rows = [
            StandingRow(
                format=self._format,
                agent=agent,
                **self._estimate_fields(agent, len(seated)),
                hands=self._hands[agent],
                **_rank_fields(
                    self._ranks[agent] / self._tables[agent] if self._have_ranks else None
                ),
                failures=self._failures[agent],
                seen_in_training=self._met[agent],
            )
            for agent in seated
        ]
        return sorted(rows, key=lambda row: -row.margin)

    def _estimate_fields(self, agent: str, comparisons: int) -> dict[str, Any]:
        tables = self._tables[agent]
        raw = Estimate.from_values(self._margins[agent] / tables)
        if not self._have_reduced:
            return estimate_fields(raw, comparisons)
        reduced = Estimate.from_values(self._reduced[agent] / tables)
        return estimate_fields(raw, comparisons, reduced)

    def play(self) -> list[Play]:
        """Return how each agent played."""
        names = "moves", "moves_by_hand", "reveals"
        return [
            Play(
                format=self._format,
                agent=agent,
                **{name: _tuples(counts[name]) for name in names},
            )
            for agent, counts in self._counts.items()
            if counts
        ]


class _Failures:
    """The failures of each agent, added up over lineups."""

    def __init__(self) -> None:
        self._counts: dict[str, Any] = {}
        self._decisions: dict[str, int] = {}
        self._examples: dict[str, dict[str, str]] = {}

    def add(self, found: LineupResult) -> None:
        for place, agent in enumerate(found.lineup):
            self._counts[agent] = self._counts.get(agent, 0) + found.counts["failures"][place]
            moves = int(found.counts["moves"][place].sum())
            self._decisions[agent] = self._decisions.get(agent, 0) + moves
            self._examples[agent] = found.messages[place] | self._examples.get(agent, {})

    def rows(self) -> Iterable[FailureRow]:
        for agent, counts in self._counts.items():
            for kind, count in zip(FAILURE_KINDS, counts.tolist(), strict=True):
                if count:
                    yield FailureRow(
                        agent=agent,
                        kind=kind,
                        count=count,
                        decisions=self._decisions[agent],
                        example=self._examples[agent].get(kind, ""),
                    )


def _tuples(array: NDArray[np.int64] | Sequence[Any]) -> Any:
    """Return an array as tuples in tuples."""
    if isinstance(array, np.ndarray):
        return _tuples(array.tolist())
    return tuple(map(_tuples, array)) if isinstance(array, list) else array
