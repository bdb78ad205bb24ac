"""Reduced results are unbiased: their means are the exact values of solved games."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from sabacc_agents.loading import load
from sabacc_training.solved_games import flatten, load_rung
from sabacc_training.solved_games.agent_policy import tabular_policy_of
from sabacc_training.solved_games.best_response import policy_values
from sabacc_training.variance_reduction.control_variates import ControlVariates
from sabacc_training.variance_reduction.lookahead import Lookahead
from sabacc_training.variance_reduction.successors import Frontier
from sabacc_training.variance_reduction.values import ValueFunction
from scipy import stats

from sabacc_env.agent import Agent
from sabacc_env.array_types import Ints
from sabacc_env.tables import Tables
from tests.support.reduced_play import ReducedHands, arbitrary_values, play_reduced

HANDS = 100
"""Hands of one small evaluation."""

ERRORS = 4.0
"""How many standard errors from the truth a mean may be: more by chance once in 16,000 times."""


def evaluations(
    name: str,
    specs: tuple[str, str],
    repeats: int,
    values: ValueFunction,
    variates: type[ControlVariates] = ControlVariates,
) -> tuple[NDArray[np.float64], float, ReducedHands]:
    """Return reduced results of seat 0, (repeats, HANDS) in antes, their true mean, and the hands.

    The agents play a rung of the ladder, each its seat. At all bets they are asked ahead.
    """
    rung = load_rung(name)
    agents: list[Agent] = [
        load(spec, rung.rule_set, rung.num_players, rung.bet_sizes) for spec in specs
    ]
    tree = flatten(rung)
    policies = [tabular_policy_of(tree, agent) for agent in agents]
    policy = policies[0].copy()
    of_second = tree.states.seats[tree.states.of_sequence] == 1
    policy[: tree.num_sequences][of_second] = policies[1][: tree.num_sequences][of_second]
    hands = repeats * HANDS
    parts = []
    for seed in range(-(-hands // 20_000)):
        tables = Tables(
            rung.rule_set,
            min(hands, 20_000),
            rung.num_players,
            bet_sizes=rung.bet_sizes,
            seed=seed,
            dealers=np.full(min(hands, 20_000), rung.num_players - 1),
        )
        seats = np.tile(np.arange(rung.num_players), (tables.num_tables, 1))
        lookahead = Lookahead(tables, agents, seats, least_pot=0)
        made = variates(tables, seed + 1, values, lookahead=lookahead)
        parts.append(play_reduced(tables, agents, seed, made))
    played = ReducedHands(*map(np.concatenate, zip(*parts, strict=True)))
    reduced = played.reduced[:hands, 0].reshape(repeats, HANDS) / rung.rule_set.ante_unit
    return reduced, policy_values(tree, policy).on_policy[0], played


def errors_from(truth: float, values: NDArray[np.float64]) -> float:
    """Return how many standard errors the mean of values is from the truth."""
    return float((values.mean() - truth) / (values.std(ddof=1) / np.sqrt(values.size)))


@pytest.mark.parametrize(
    ("name", "specs"),
    [
        ("one_draw", ("random", "tight")),
        ("with_dice", ("random", "loose")),
        pytest.param("little_casino", ("random", "random"), marks=pytest.mark.slow),
        pytest.param("little_bespin", ("maximiser", "random"), marks=pytest.mark.slow),
        pytest.param("little_orsl", ("tight", "random"), marks=pytest.mark.slow),
    ],
)
def test_reduced_results_have_the_true_mean(name: str, specs: tuple[str, str]) -> None:
    reduced, truth, played = evaluations(name, specs, 40, arbitrary_values())
    assert abs(errors_from(truth, reduced)) < ERRORS
    for kind in range(played.by_kind.shape[1]):
        corrections = played.by_kind[:, kind, 0]
        if corrections.any():
            assert abs(errors_from(0, corrections)) < ERRORS


def test_good_values_narrow_the_interval() -> None:
    reduced, _, played = evaluations("little_casino", ("random", "tight"), 20, ValueFunction())
    raw = played.net[:, 0] / load_rung("little_casino").rule_set.ante_unit
    assert reduced.var() < 0.8 * raw.var()


class FavoursWhatHappened(ControlVariates):
    """Gives what happened one credit more than what could have happened, as no variate may."""

    def _add(self, frontier: Frontier, indices: Ints) -> None:
        super()._add(frontier, indices)
        weights = frontier.weights[indices, 0]
        happened = weights > 0
        at = frontier.tables[indices][happened], frontier.kinds[indices][happened], 0
        np.add.at(self._sums, at, weights[happened])


def test_a_wrong_variate_is_noticed() -> None:
    reduced, truth, _ = evaluations(
        "little_casino", ("random", "random"), 20, ValueFunction(), FavoursWhatHappened
    )
    assert abs(errors_from(truth, reduced)) > 2 * ERRORS


@pytest.mark.slow
@pytest.mark.parametrize("name", ["one_draw", "little_casino", "with_dice"])
def test_intervals_of_small_evaluations_cover_the_truth(name: str) -> None:
    repeats = 10_000
    reduced, truth, _ = evaluations(name, ("random", "tight"), repeats, ValueFunction())
    means = reduced.mean(axis=1)
    assert abs(errors_from(truth, means)) < ERRORS
    half_widths = stats.t.ppf(0.975, HANDS - 1) * reduced.std(axis=1, ddof=1) / np.sqrt(HANDS)
    covered = (np.abs(means - truth) <= half_widths).mean()
    assert 0.93 <= covered <= 0.97
