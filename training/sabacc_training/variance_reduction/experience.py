"""Hands of a mixed population, from which the value functions learn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from sabacc_agents import zoo
from sabacc_agents.loading import load

from sabacc_env import agent_calls
from sabacc_env.agent import Agent
from sabacc_env.array_types import Ints
from sabacc_env.engine.drivers.batch import Games
from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import Array
from sabacc_env.rules import RuleSet
from sabacc_env.tables import Tables
from sabacc_training.variance_reduction.successors import Rows, empty_rows, write_row

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

SHORT_STACKS: Final = 0.2
"""The share of hands that start from less than the rules' own credits."""

SHORTEST: Final = 5
"""The shortest stacks of these, in antes."""


@dataclass(frozen=True)
class Experience:
    """Decisions of whole hands, hand after hand, each in the order of play.

    Attributes:
        seat_features: (seat rows, SEAT_FEATURES) float16, of the remaining seats.
        seats: (seat rows,) whose they are.
        first_seat_rows: (decisions + 1,) where the seat rows of each decision begin.
        table_features: (decisions, TABLE_FEATURES) float16.
        baselines: (seat rows,) float32, in antes.
        scales: (decisions, 2) float32, in antes.
        hands: (decisions,) the hand of each decision, ascending.
        net: (hands, MAX_SEATS) float32: net credits, in antes.
    """

    seat_features: NDArray[np.float16]
    seats: NDArray[np.int8]
    first_seat_rows: Ints
    table_features: NDArray[np.float16]
    baselines: NDArray[np.float32]
    scales: NDArray[np.float32]
    hands: Ints
    net: NDArray[np.float32]


@jit
def write_rows(games: Games, rows: Rows, tables: Array) -> None:
    """Write the hands in play at these tables as rows."""
    for index in range(len(tables)):
        table = int(tables[index])
        rows.tables[index] = table
        write_row(games.records[table], games.rules[games.rule_of[table]], rows, index)
    rows.counters[0] = len(tables)


def population(rules: RuleSet, num_players: int) -> tuple[list[Agent], NDArray[np.float64]]:
    """Return the agents that play a game, and how often each takes a seat."""
    members = [
        name
        for name in zoo.members()
        if rules.name in (card := zoo.read_card(name)).rules and num_players in card.num_players
    ]
    specs = [f"{zoo.PREFIX}{name}" for name in members] + list(POPULATION)
    scripted = np.array(list(POPULATION.values()))
    scripted *= (1 - ZOO_SHARE if members else 1.0) / scripted.sum()
    weights = np.concatenate([np.full(len(members), ZOO_SHARE / max(1, len(members))), scripted])
    return [load(spec, rules, num_players) for spec in specs], weights / weights.sum()


def collect(
    rules: RuleSet,
    num_players: int,
    agents: Sequence[Agent],
    weights: NDArray[np.float64],
    num_hands: int,
    rng: np.random.Generator,
) -> Experience:
    """Play hands, every seat by a random agent, and return all their decisions."""
    stacks = _stacks(rules, num_players, num_hands, rng)
    tables = Tables(
        rules,
        num_hands,
        num_players,
        keys=rng.integers(2**64, size=num_hands, dtype=np.uint64),
        credits=stacks,
    )
    agent_calls.begin(agents, tables)
    who = rng.choice(len(agents), size=(num_hands, num_players), p=weights)
    rows = empty_rows(num_hands)
    net = np.zeros((num_hands, num_players), np.float32)
    parts = []
    playing = np.arange(num_hands)
    while len(playing):
        write_rows(tables.games, rows, playing)
        parts.append(_copied(rows, rules.ante_unit))
        to_act = who[playing, tables.seats_to_act[playing]]
        actions = np.zeros(len(playing), np.int64)
        for index in np.unique(to_act):
            at = playing[to_act == index]
            actions[to_act == index] = agent_calls.actions_at(agents[index], tables, at, rng)
        tables.step(actions, playing)
        net[playing] += tables.net_credits[playing]
        playing = playing[~tables.finished[playing]]
    return _by_hand(parts, net / np.float32(rules.ante_unit))


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


def _copied(rows: Rows, ante: int) -> Experience:
    """Return copies of the rows, whose ``hands`` are the tables."""
    count = int(rows.counters[0])
    first = rows.first_seat_rows[: count + 1].copy()
    seat_rows = int(first[-1])
    row_of = np.repeat(np.arange(count), np.diff(first))
    seats = rows.seats[:seat_rows]
    return Experience(
        seat_features=rows.seat_features[:seat_rows].astype(np.float16),
        seats=seats.astype(np.int8),
        first_seat_rows=first,
        table_features=rows.table_features[:count].astype(np.float16),
        baselines=(rows.baselines[row_of, seats] / ante).astype(np.float32),
        scales=(rows.scales[:count] / ante).astype(np.float32),
        hands=rows.tables[:count].copy(),
        net=np.zeros((0, 0), np.float32),
    )


def _by_hand(parts: Sequence[Experience], net: NDArray[np.float32]) -> Experience:
    """Return the decisions of several steps hand by hand."""
    hands = np.concatenate([part.hands for part in parts])
    order = np.argsort(hands, kind="stable")
    sizes = np.concatenate([np.diff(part.first_seat_rows) for part in parts])
    starts = np.cumsum(sizes) - sizes
    sizes = sizes[order]
    first = np.concatenate([[0], np.cumsum(sizes)])
    gather = np.repeat(starts[order] - first[:-1], sizes) + np.arange(first[-1])
    return Experience(
        seat_features=np.concatenate([part.seat_features for part in parts])[gather],
        seats=np.concatenate([part.seats for part in parts])[gather],
        first_seat_rows=first,
        table_features=np.concatenate([part.table_features for part in parts])[order],
        baselines=np.concatenate([part.baselines for part in parts])[gather],
        scales=np.concatenate([part.scales for part in parts])[order],
        hands=hands[order],
        net=net.astype(np.float32),
    )


def concatenated(parts: Sequence[Experience]) -> Experience:
    """Return several parts as one; its ``net`` has as many seats as the largest table."""
    seats = max(part.net.shape[1] for part in parts)
    rows = np.cumsum([0] + [len(part.seats) for part in parts])
    hands = np.cumsum([0] + [len(part.net) for part in parts])
    firsts = [part.first_seat_rows[:-1] + at for part, at in zip(parts, rows, strict=False)]
    return Experience(
        seat_features=np.concatenate([part.seat_features for part in parts]),
        seats=np.concatenate([part.seats for part in parts]),
        first_seat_rows=np.concatenate([*firsts, rows[-1:]]),
        table_features=np.concatenate([part.table_features for part in parts]),
        baselines=np.concatenate([part.baselines for part in parts]),
        scales=np.concatenate([part.scales for part in parts]),
        hands=np.concatenate([part.hands + at for part, at in zip(parts, hands, strict=False)]),
        net=np.concatenate(
            [np.pad(part.net, ((0, 0), (0, seats - part.net.shape[1]))) for part in parts]
        ),
    )
