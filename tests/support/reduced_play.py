"""Plays hands at tables with control variates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sabacc_training.variance_reduction.control_variates import ControlVariates
from sabacc_training.variance_reduction.network import ValueNetwork
from sabacc_training.variance_reduction.values import ValueFunction

from sabacc_env import agent_calls
from sabacc_env.agent import Agent, sample
from sabacc_env.tables import Tables


class ReducedHands(NamedTuple):
    """Hands and their corrections, in credits."""

    net: NDArray[np.int64]  # (hands, num_players)
    by_kind: NDArray[np.float64]  # (hands, kinds, num_players)

    @property
    def reduced(self) -> NDArray[np.float64]:
        """(hands, num_players): net credits less corrections."""
        return self.net - self.by_kind.sum(axis=1)


def arbitrary_values(seed: int = 0) -> ValueFunction:
    """Return a value function with random weights, which is as wrong as any."""
    rng = np.random.default_rng(seed)
    arrays = ValueNetwork().arrays()
    return ValueFunction(
        ValueNetwork.from_arrays(
            {name: rng.normal(0, 0.1, array.shape) for name, array in arrays.items()}
        )
    )


def play_reduced(
    tables: Tables,
    agents: Sequence[Agent],
    seed: int,
    variates: ControlVariates | None = None,
    **options: Any,
) -> ReducedHands:
    """Play one hand at each table, seat s by agent s, and return the hands.

    Agents that have no ``probabilities`` do not tell them.
    """
    rng = np.random.default_rng(seed)
    if variates is None:
        variates = ControlVariates(tables, seed + 1, **options)
    agent_calls.begin(agents, tables)
    n = tables.num_tables
    net = np.zeros((n, tables.num_players), np.int64)
    by_kind = np.zeros_like(variates.by_kind)
    playing = np.arange(n)
    while len(playing):
        actions = np.zeros(len(playing), np.int64)
        told = np.full((len(playing), tables.action_masks.shape[1]), np.nan)
        for seat, agent in enumerate(agents):
            rows = tables.seats_to_act[playing] == seat
            at = playing[rows]
            if not len(at):
                continue
            seen, masks = tables.flat_observations[at], tables.action_masks[at]
            probabilities = agent_calls.probabilities(agent, seen, masks)
            if probabilities is None:
                actions[rows] = agent_calls.actions_at(agent, tables, at, rng)
            else:
                told[rows] = probabilities
                actions[rows] = sample(probabilities, rng)
        variates.before_step(playing, actions, told)
        tables.step(actions, playing)
        ended = variates.after_step(playing)
        net[ended] = tables.net_credits[ended]
        by_kind[ended] = variates.by_kind[ended]
        playing = playing[~tables.finished[playing]]
    return ReducedHands(net, by_kind)
