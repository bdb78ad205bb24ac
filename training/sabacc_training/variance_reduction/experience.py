"""Decisions of a mixed population, from which the value functions learn.

Each decision comes with what could follow it: successors, weighted with the probabilities of the
agent that is to act and of chance. So a value is learnt from expected values, without the noise of
what happened. Agents sometimes play at random, to come to hands that they avoid; the weights are
those of their own probabilities all the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Final

import numpy as np
from numpy.typing import NDArray
from sabacc_agents import zoo
from sabacc_agents.loading import load

from sabacc_env import agent_calls
from sabacc_env.agent import Agent, sample
from sabacc_env.array_types import Ints
from sabacc_env.engine.drivers.batch import Games
from sabacc_env.engine.layout import MAX_SEATS
from sabacc_env.rules import RuleSet
from sabacc_env.tables import Tables
from sabacc_training.variance_reduction.rows import Rows, empty_rows, write_rows
from sabacc_training.variance_reduction.successors import (
    ACTIONS,
    DRAWS,
    KINDS,
    Frontier,
    Settings,
    empty_frontier,
    expand_waiting,
)

POPULATION: Final[Mapping[str, float]] = {
    "tight": 1.0,
    "heuristic": 1.0,
    "maximiser": 1.0,
    "loose": 0.5,
    "pot_odds": 0.5,
    "bluffer": 0.25,
    "trapper": 0.25,
    "shover": 0.25,
    "calling_station": 0.25,
    "random": 0.25,
    "always_raise": 0.1,
}
"""How often each scripted agent takes a seat, relative to the others."""

ZOO_SHARE: Final = 0.6
"""The share of seats that members of the zoo take."""

UNKNOWN_SHARE: Final = 0.15
"""The share of seats whose agent is not told."""

EXPLORATION: Final = (0.02, 0.1, 0.3)
"""The share of actions that are played at random, in a third of the hands each."""

NET_OF_ALL: Final = 12
"""Of hands that are won by this or more, in antes, all decisions are kept; of others the share that
theirs is of it. Few hands are that large, and most of the variance is theirs."""

LEAST_SHARE: Final = 0.1
"""The least such share."""

SHORT_STACKS: Final = 0.2
"""The share of hands that start from less than the rules' own credits."""

SHORTEST: Final = 5
"""The shortest stacks of these, in antes."""

DRAW_SAMPLES: Final = 4
"""How many draws are sampled for each action that draws."""


@dataclass(frozen=True)
class Hands:
    """Hands in play, as the value function sees them.

    Attributes:
        seat_features: (seat rows, SEAT_FEATURES) float16, of the remaining seats.
        seats: (seat rows,) whose they are.
        sizes: (hands,) how many seat rows each has.
        table_features: (hands, TABLE_FEATURES) float16.
        baselines: (hands, MAX_SEATS) float32, in antes.
        bounds: (hands, MAX_SEATS, 2) float32, in antes.
        scales: (hands, 2) float32, in antes.
    """

    seat_features: NDArray[np.float16]
    seats: NDArray[np.int8]
    sizes: Ints
    table_features: NDArray[np.float16]
    baselines: NDArray[np.float32]
    bounds: NDArray[np.float32]
    scales: NDArray[np.float32]

    @property
    def first_seat_rows(self) -> Ints:
        """(hands + 1,) where the seat rows of each hand begin, then their end."""
        return np.concatenate([[0], np.cumsum(self.sizes)])


@dataclass(frozen=True)
class Experience:
    """Decisions, and what could follow them.

    Attributes:
        decisions: the hands where a seat is to act.
        successors: what could follow, where the hand is not over.
        weights: (successors,) float32, the probability of each.
        decision_of: (successors,) the decision that each follows.
        known: (decisions, MAX_SEATS) float32: net credits of what could follow where the hand is
            over, times its probability, in antes.
        outcomes: (decisions, MAX_SEATS) float32: the net credits of the hand, in antes.
        importance: (decisions,) float32: for how much of the population's variance one stands.
    """

    decisions: Hands
    successors: Hands
    weights: NDArray[np.float32]
    decision_of: Ints
    known: NDArray[np.float32]
    outcomes: NDArray[np.float32]
    importance: NDArray[np.float32]


def specs_of(rules: RuleSet) -> list[str]:
    """Return the specs of the agents of which a value function of these rules learns."""
    members = [name for name in zoo.members() if rules.name in zoo.read_card(name).rules]
    return [f"{zoo.PREFIX}{name}" for name in members] + list(POPULATION)


class Population:
    """The agents that play a game, and how often each takes a seat.

    Args:
        rules: the rules.
        num_players: the number of seats.
        specs: the agents by spec; those of the zoo that were not made for so many seats are left
            out.
    """

    def __init__(self, rules: RuleSet, num_players: int, specs: Sequence[str]) -> None:
        self.agents: dict[int, Agent] = {}
        weights = []
        for style, spec in enumerate(specs, start=1):
            if zoo.is_member(spec):
                if num_players not in zoo.read_card(spec.removeprefix(zoo.PREFIX)).num_players:
                    continue
                weights.append(-1.0)
            else:
                weights.append(POPULATION.get(spec, 1.0))
            self.agents[style] = load(spec, rules, num_players)
        shares = np.array(weights)
        members = shares < 0
        shares[members] = ZOO_SHARE / max(1, members.sum())
        if not members.all():
            rest = 1 - ZOO_SHARE if members.any() else 1.0
            shares[~members] *= rest / shares[~members].sum()
        self.shares = shares / shares.sum()

    def draw(self, num_hands: int, num_players: int, rng: np.random.Generator) -> Ints:
        """Return the style of a random agent for each seat, (num_hands, num_players)."""
        styles = np.array(list(self.agents))
        return rng.choice(styles, size=(num_hands, num_players), p=self.shares)


def collect(
    rules: RuleSet,
    num_players: int,
    population: Population,
    num_hands: int,
    rng: np.random.Generator,
) -> Experience:
    """Play hands, every seat by a random agent, and return all their decisions."""
    tables = Tables(
        rules,
        num_hands,
        num_players,
        keys=rng.integers(2**64, size=num_hands, dtype=np.uint64),
        credits=_stacks(rules, num_players, num_hands, rng),
    )
    agents = population.agents
    agent_calls.begin(list(agents.values()), tables)
    styles = population.draw(num_hands, num_players, rng)
    told = np.where(rng.random(styles.shape) < UNKNOWN_SHARE, 0, styles)
    outcomes = np.zeros((num_hands, MAX_SEATS), np.float32)
    exploration = rng.choice(EXPLORATION, size=num_hands)
    playing = np.arange(num_hands)
    records, probabilities, hands = [], [], []
    while len(playing):
        actions, told_probabilities = _choose(tables, playing, styles, agents, exploration, rng)
        records.append(tables.records[playing])
        probabilities.append(told_probabilities)
        hands.append(playing)
        tables.step(actions, playing)
        outcomes[playing, :num_players] += tables.net_credits[playing] / np.float32(rules.ante_unit)
        playing = playing[~tables.finished[playing]]
    at = np.concatenate(hands)
    largest = np.abs(outcomes).max(axis=1)
    share = np.clip(largest / NET_OF_ALL, LEAST_SHARE, 1)[at]
    chosen = np.flatnonzero(rng.random(len(at)) < share)
    importance = 1 / share[chosen] / _spread(styles, outcomes)[at[chosen]]
    expanded = _expanded(
        tables.games._replace(
            records=np.concatenate(records)[chosen],
            rule_of=np.zeros(len(chosen), tables.games.rule_of.dtype),
        ),
        told[at[chosen]],
        np.concatenate(probabilities)[chosen],
        rules.ante_unit,
        rng,
    )
    return Experience(*expanded, outcomes[at[chosen]], importance.astype(np.float32))


def _spread(styles: Ints, outcomes: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the mean square of what is won in hands of the agents of each hand, (hands,)."""
    squares = np.square(outcomes[:, : styles.shape[1]]).mean(axis=1)
    logs = np.zeros(len(styles))
    for style in np.unique(styles):
        seats = (styles == style).sum(axis=1)
        logs += seats * np.log(np.average(squares, weights=seats) + 1)
    return np.asarray(np.exp(logs / styles.shape[1]))


def _expanded(
    games: Games,
    styles: Ints,
    probabilities: NDArray[np.float64],
    ante: int,
    rng: np.random.Generator,
) -> tuple[Hands, Hands, NDArray[np.float32], Ints, NDArray[np.float32]]:
    """Return the first five attributes of ``Experience`` for these hands in play."""
    count, num_players = styles.shape
    room = probabilities.shape[1] * 3 * DRAW_SAMPLES
    rows, following = empty_rows(count, count), empty_rows(8192 + room, count)
    rows.styles[:, :num_players] = following.styles[:, :num_players] = styles
    frontier = empty_frontier(8192 + room)
    tables = np.arange(count)
    write_rows(games.records, tables, games.rules, games.rule_of, rows)
    waiting = Frontier(
        games=games.records,
        tables=tables,
        kinds=np.full(count, DRAWS),
        weights=np.tile([0.0, 1.0], (count, 1)),
        counters=np.full(1, count),
        scratch=frontier.scratch,
    )
    streams = rng.integers(2**32, size=(count, 2)) | 1
    sums = np.zeros((count, len(KINDS), MAX_SEATS))
    successors: list[Hands] = []
    weights, decision_of = [], []
    begin = 0
    while not successors or begin < count:  # no decision may have been kept
        begin += expand_waiting(
            games,
            waiting,
            tables[begin:],
            probabilities[begin:],
            frontier,
            Settings(0, DRAW_SAMPLES, 0, 0),
            streams,
            sums,
            room,
        )
        used = slice(int(frontier.counters[0]))
        of = frontier.tables[used]
        write_rows(frontier.games[used], of, games.rules, games.rule_of, following)
        successors.append(_copied(following, ante))
        weights.append(frontier.weights[used, 1].astype(np.float32))
        decision_of.append(of.copy())
        frontier.counters[0] = 0
    known = (sums[:, ACTIONS] / ante).astype(np.float32)
    return (
        _copied(rows, ante),
        _joined(successors),
        np.concatenate(weights),
        np.concatenate(decision_of),
        known,
    )


def _choose(
    tables: Tables,
    playing: Ints,
    styles: Ints,
    agents: Mapping[int, Agent],
    exploration: NDArray[np.float64],
    rng: np.random.Generator,
) -> tuple[Ints, NDArray[np.float64]]:
    """Return what is played at these tables, and the agents' own probabilities.

    An agent that does not tell them is asked for an action, which then has all the probability.
    """
    to_act = styles[playing, tables.seats_to_act[playing]]
    probabilities = np.zeros((len(playing), tables.action_masks.shape[1]))
    for style in np.unique(to_act):
        rows = to_act == style
        at = playing[rows]
        told = agent_calls.probabilities_at(agents[int(style)], tables, at)
        if told is None:
            actions = agent_calls.actions_at(agents[int(style)], tables, at, rng)
            told = np.eye(probabilities.shape[1])[actions]
        probabilities[rows] = told
    legal = tables.action_masks[playing].astype(np.float64)
    explored = rng.random(len(playing)) < exploration[playing]
    return sample(np.where(explored[:, None], legal, probabilities), rng), probabilities


def _stacks(
    rules: RuleSet, num_players: int, num_hands: int, rng: np.random.Generator
) -> Ints | None:
    """Return credits to start from: mostly the rules' own, else less, by a log-uniform factor."""
    if rules.starting_credits is None:
        return None
    usual = np.resize(np.array(rules.starting_credits), num_players)
    least = SHORTEST * rules.ante_unit / usual.max()
    factors = np.exp(rng.uniform(np.log(least), 0, size=(num_hands, num_players)))
    factors[rng.random(num_hands) >= SHORT_STACKS] = 1
    stacks: Ints = np.maximum(rules.ante_unit + 1, factors * usual).astype(np.int64)
    return stacks


def _copied(rows: Rows, ante: int) -> Hands:
    """Return copies of the rows."""
    count = int(rows.counters[0])
    seat_rows = int(rows.first_seat_rows[count]) if count else 0
    return Hands(
        seat_features=rows.seat_features[:seat_rows].astype(np.float16),
        seats=rows.seats[:seat_rows].astype(np.int8),
        sizes=np.diff(rows.first_seat_rows[: count + 1]),
        table_features=rows.table_features[:count].astype(np.float16),
        baselines=(rows.baselines[:count] / ante).astype(np.float32),
        bounds=(rows.bounds[:count] / ante).astype(np.float32),
        scales=(rows.scales[:count] / ante).astype(np.float32),
    )


def _joined(parts: Sequence[Hands]) -> Hands:
    """Return several parts as one."""
    return Hands(
        *(np.concatenate([getattr(part, each.name) for part in parts]) for each in fields(Hands))
    )


def joined(parts: Sequence[Experience]) -> Experience:
    """Return several parts as one."""
    counts = np.cumsum([0, *(len(part.known) for part in parts)])
    return Experience(
        _joined([part.decisions for part in parts]),
        _joined([part.successors for part in parts]),
        np.concatenate([part.weights for part in parts]),
        np.concatenate([part.decision_of + at for part, at in zip(parts, counts, strict=False)]),
        np.concatenate([part.known for part in parts]),
        np.concatenate([part.outcomes for part in parts]),
        np.concatenate([part.importance for part in parts]),
    )
