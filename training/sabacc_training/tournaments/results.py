"""The results of a tournament, from what was played at its tables."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sabacc_agents.external.failures import FAILURE_KINDS
from sabacc_agents.language_models.spec import ModelSpec
from sabacc_agents.language_models.usage import Usage
from sabacc_agents.loading import trained_against
from sabacc_agents.specs import outside_spec

from sabacc_env.hand_ranks import HAND_NAMES
from sabacc_env.storage.files import write_text
from sabacc_training.evaluation.rows import (
    PairRow,
    compared_fields,
    csv_text,
    estimate_fields,
    rounded,
)
from sabacc_training.statistics.bootstrap import block_means
from sabacc_training.statistics.estimate import Estimate
from sabacc_training.tournaments.agent_files import agent_digest, file_digest
from sabacc_training.tournaments.config import TournamentConfig
from sabacc_training.tournaments.formats import Lineup
from sabacc_training.tournaments.lineup_results import LineupResult
from sabacc_training.tournaments.ratings import (
    Rating,
    most_rated_deals,
    ratings_of_pairs,
    ratings_of_tables,
)
from sabacc_training.tournaments.rows import (
    AgentRow,
    CostlyHand,
    FailureRow,
    PlaceRow,
    Play,
    RatingRow,
    Results,
    StandingRow,
    UsageRow,
)
from sabacc_training.tournaments.tasks import version

FILE: Final = "results.json"

MOST_BLOCKS: Final = 10_000
"""Of more deals blocks are compared and rated, so that the deals of all tables need not fit."""


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
    ratings: list[RatingRow] = []
    places: list[PlaceRow] = []
    play: list[Play] = []
    hands: list[CostlyHand] = []
    failures, usage = _Failures(), _Usage(config)
    counted: set[Lineup] = set()
    for name, lineups in config.lineups.items():
        agents, tables = _Agents(config, name), _Tables(config, name, lineups)
        for table, lineup in enumerate(lineups):
            found = result(lineup)
            met = _met(config, lineup)
            tables.add(found, met)
            places += _place_rows(name, table, found)
            hands += _costly_hands(name, found)
            agents.add(found, met)
            if lineup not in counted:  # several formats may share it
                failures.add(found)
                usage.add(found)
                counted.add(lineup)
        pairs += tables.pairs()
        ratings += tables.ratings()
        ranking += agents.standings()
        play += agents.play()
    value_function = config.value_function_file
    return Results(
        config=config.model_dump(mode="json", exclude={"output", "processes"}),
        version=version(),
        rules_digest=config.rule_set.digest,
        agents=tuple(
            AgentRow(agent=agent.name, spec=agent.spec, sha256=agent_digest(agent.spec))
            for agent in config.agents
        ),
        value_function="" if value_function is None else file_digest(value_function),
        deals=deals,
        pairs=tuple(pairs),
        ranking=tuple(ranking),
        ratings=tuple(ratings),
        places=tuple(places),
        failures=tuple(failures.rows()),
        usage=tuple(usage.rows()),
        hand_names=tuple(hand for hand, _ in HAND_NAMES[config.rule_set.ranking]),
        play=tuple(play),
        costly_hands=tuple(hands),
    )


def write_results(results: Results, folder: Path) -> None:
    """Write the files of the results into a folder."""
    write_text(folder / "pairs.csv", csv_text(PairRow, results.pairs))
    write_text(folder / "ranking.csv", csv_text(StandingRow, results.ranking))
    write_text(folder / "ratings.csv", csv_text(RatingRow, results.ratings))
    write_text(folder / "places.csv", csv_text(PlaceRow, results.places))
    write_text(folder / FILE, results.model_dump_json() + "\n")


def _met(config: TournamentConfig, lineup: Lineup) -> bool:
    """Say whether any agents of a lineup met in training."""
    specs = [config.entrants[name].spec for name in dict.fromkeys(lineup)]
    return any(other in trained_against(spec) for spec, other in itertools.permutations(specs, 2))


def _place_rows(name: str, table: int, found: LineupResult) -> list[PlaceRow]:
    return [
        PlaceRow(
            format=name,
            table=table,
            place=place,
            agent=agent,
            **estimate_fields(found.margin(place), found.reduced_margin(place)),
            single_sd=round(float(found.hand_sd[place]), 3),
            saving=rounded(found.saving(place)),
            **_rank_fields(found.rank(place)),
            rank_counts=() if found.ranks is None else tuple(found.rank_counts[place].tolist()),
            hands=found.hands,
        )
        for place, agent in enumerate(found.lineup)
    ]


def _rank_fields(rank: Estimate | None) -> dict[str, Any]:
    if rank is None:
        return {"rank": None, "rank_half_width": None}
    return {"rank": round(rank.mean, 4), "rank_half_width": round(rank.half_width(), 4)}


def _costly_hands(name: str, found: LineupResult) -> list[CostlyHand]:
    return [CostlyHand(format=name, lineup=found.lineup, **hand) for hand in found.costliest]


class _Tables:
    """What the tables of a format are compared and rated by."""

    def __init__(self, config: TournamentConfig, name: str, lineups: Sequence[Lineup]) -> None:
        self._names = [agent.name for agent in config.agents]
        self._format, self._lineups = name, lineups
        self._pairs: list[dict[str, Any]] = []
        self._margins: list[Estimate] = []
        self._blocks: list[NDArray[np.float64]] = []  # of the first place's margins
        self._won: list[NDArray[np.int8]] = []  # by the first place
        self._scores: list[NDArray[np.float64]] = []

    def add(self, found: LineupResult, met: bool) -> None:
        """Add a table."""
        if self._format.startswith("mixed"):
            self._scores.append(found.scores[: most_rated_deals(len(self._lineups))])
            return
        margin = found.margin(0)
        self._margins.append(margin)
        self._blocks.append(block_means(found.margins[:, 0], MOST_BLOCKS))
        if self._format == "pairs":
            first, second = found.scores.T
            self._won.append(np.sign(first - second).astype(np.int8))
        self._pairs.append(
            {
                "format": self._format,
                "agent": found.lineup[0],
                "opponent": found.lineup[1],
                **estimate_fields(margin, found.reduced_margin(0)),
                "single_sd": round(float(found.hand_sd[0]), 3),
                "saving": rounded(found.saving(0)),
                "seen_in_training": met,
            }
        )

    def pairs(self) -> list[PairRow]:
        """Return a row for each two agents; none of mixed tables."""
        if not self._pairs:
            return []
        compared = compared_fields(self._margins, self._blocks)
        return [PairRow(**own, **of_all) for own, of_all in zip(self._pairs, compared, strict=True)]

    def ratings(self) -> list[RatingRow]:
        """Return the ratings of the agents; none where one sits against copies."""
        rated: Iterable[Rating] = ()
        if self._won:
            pairs = [(first, second) for first, second in self._lineups]
            won, margins = np.stack(self._won, axis=1), np.stack(self._blocks, axis=1)
            rated = ratings_of_pairs(self._names, pairs, won, margins)
        elif self._scores:
            rated = ratings_of_tables(self._names, self._lineups, np.stack(self._scores, axis=1))
        return [RatingRow(format=self._format, **rating._asdict()) for rating in rated]


class _Agents:
    """What each agent did in a format, added up over its tables.

    Where an agent sits at a table as copies, these places are the other's opponents: they count in
    how it plays, and not in its margin.
    """

    def __init__(self, config: TournamentConfig, name: str) -> None:
        self._format, self._copies = name, name.startswith("copies")
        names = [agent.name for agent in config.agents]
        self._margins: dict[str, NDArray[np.float64]] = {}  # sums over its tables
        self._reduced: dict[str, NDArray[np.float64]] = {}
        self._ranks: dict[str, NDArray[np.float64]] = {}
        self._tables, self._hands, self._failures = (dict.fromkeys(names, 0) for _ in range(3))
        self._met = dict.fromkeys(names, False)
        self._counts: dict[str, dict[str, Any]] = {each: {} for each in names}

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
            for sums, values in (
                (self._margins, found.margins),
                (self._reduced, found.reduced),
                (self._ranks, found.ranks),
            ):
                if values is not None:
                    sums[agent] = sums.get(agent, 0.0) + values[:, place]

    def standings(self) -> list[StandingRow]:
        """Return the standing of each agent that sat at a table, best first."""
        tables = {agent: number for agent, number in self._tables.items() if number}
        margins = {agent: self._margins[agent] / number for agent, number in tables.items()}
        estimates = {agent: Estimate.from_values(values) for agent, values in margins.items()}
        compared = compared_fields(
            list(estimates.values()),
            [block_means(values, MOST_BLOCKS) for values in margins.values()],
        )
        rows = [
            StandingRow(
                format=self._format,
                agent=agent,
                **estimate_fields(estimates[agent], self._mean(self._reduced, agent)),
                **of_all,
                hands=self._hands[agent],
                **_rank_fields(self._mean(self._ranks, agent)),
                failures=self._failures[agent],
                seen_in_training=self._met[agent],
            )
            for agent, of_all in zip(tables, compared, strict=True)
        ]
        return sorted(rows, key=lambda row: -row.margin)

    def _mean(self, sums: dict[str, Any], agent: str) -> Estimate | None:
        """Return the mean over an agent's tables; None of what the tables do not have."""
        if agent not in sums:
            return None
        return Estimate.from_values(sums[agent] / self._tables[agent])

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
        self._restarts: dict[str, int] = {}
        self._examples: dict[str, dict[str, str]] = {}

    def add(self, found: LineupResult) -> None:
        for place, agent in enumerate(found.lineup):
            self._counts[agent] = self._counts.get(agent, 0) + found.counts["failures"][place]
            moves = int(found.counts["moves"][place].sum())
            self._decisions[agent] = self._decisions.get(agent, 0) + moves
            restarts = int(found.counts["restarts"][place])
            self._restarts[agent] = self._restarts.get(agent, 0) + restarts
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
                        restarts=self._restarts[agent],
                        example=self._examples[agent].get(kind, ""),
                    )


class _Usage:
    """What each language model used up, added up over lineups."""

    def __init__(self, config: TournamentConfig) -> None:
        specs = {agent.name: outside_spec(agent.spec) for agent in config.agents}
        self._specs = {agent: spec for agent, spec in specs.items() if isinstance(spec, ModelSpec)}
        self._counts: dict[str, Any] = dict.fromkeys(self._specs, 0)
        self._decisions = dict.fromkeys(self._specs, 0)

    def add(self, found: LineupResult) -> None:
        for place, agent in enumerate(found.lineup):
            if agent in self._specs:
                self._counts[agent] = self._counts[agent] + found.counts["usage"][place]
                self._decisions[agent] += int(found.counts["moves"][place].sum())

    def rows(self) -> Iterable[UsageRow]:
        for agent, spec in self._specs.items():
            usage = Usage(*self._counts[agent].tolist())
            yield UsageRow(
                agent=agent,
                decisions=self._decisions[agent],
                **asdict(usage),
                cost=usage.cost(spec),
            )


def _tuples(array: NDArray[np.int64] | Sequence[Any]) -> Any:
    """Return an array as tuples in tuples."""
    if isinstance(array, np.ndarray):
        return _tuples(array.tolist())
    return tuple(map(_tuples, array)) if isinstance(array, list) else array
