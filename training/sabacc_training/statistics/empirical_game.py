"""Views of the empirical game, in which agents are the strategies: Nash averaging and α-rank.

Both come from OpenSpiel (extra ``openspiel``). A mean margin depends on who else takes part; these
depend on it less: agents that all others beat, and copies of agents, add nothing.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sabacc_env.errors import SabaccError, how_to_install
from sabacc_training.statistics.bootstrap import Intervals, block_means, bootstrap

NUM_RESAMPLES: Final = 500
"""Resamples for intervals of Nash averaging; a solution takes some milliseconds."""

SMALLEST_WEIGHT: Final = 1e-6
"""Weights below it are the solver's error and count as 0."""

ATTEMPTS: Final = 10
"""How often the solver is asked, each time with margins that differ in the sixth digit."""

WITHOUT_EMPIRICAL_GAME: Final = (
    "Nash averaging and α-rank are left out: OpenSpiel is not installed, or found no solution; "
    f"{how_to_install('openspiel')}."
)
"""Said where results have neither."""

Pairs = Sequence[tuple[int, int]]
"""The two agents, by index, of each pair; a margin is the first's over the second."""


@dataclass(frozen=True, eq=False)
class NashAverage:
    """Weights and skills of agents.

    Attributes:
        weights: (agents,): the equilibrium of maximum entropy, probabilities.
        skills: (agents,): each agent's margin over that mixture: 0 for those in it, below for
            others, in the margins' unit.
    """

    weights: Intervals
    skills: Intervals


def margin_matrix(margins: NDArray[np.float64], pairs: Pairs) -> NDArray[np.float64]:
    """Return the antisymmetric matrix, (agents, agents), of margins, (pairs,).

    Pairs that have not met have the margin 0.

    >>> margin_matrix(np.array([5.0, -2.0]), [(0, 1), (1, 2)])
    array([[ 0.,  5.,  0.],
           [-5.,  0., -2.],
           [ 0.,  2.,  0.]])
    """
    first, second = np.array(pairs).T
    agents = 1 + max(first.max(), second.max())
    matrix = np.zeros((agents, agents))
    matrix[first, second] = margins
    matrix[second, first] = -margins
    return matrix


def nash_weights(margins: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weights of Nash averaging, (agents,), of an antisymmetric matrix of margins.

    The symmetric equilibrium of maximum entropy of the game whose players each choose an agent
    (Balduzzi et al. 2018, "Re-evaluating Evaluation", https://arxiv.org/abs/1806.02643).

    Raises:
        SabaccError: without OpenSpiel and cvxpy, or where the solver finds none.
    """
    try:
        import cvxpy  # OpenSpiel does not say that it needs it
        import pyspiel
        from open_spiel.python.algorithms.nash_averaging import nash_averaging
    except ImportError as error:
        raise _absent("Nash averaging") from error
    scaled = margins / max(np.abs(margins).max(), np.finfo(float).tiny)
    rng = np.random.default_rng(0)
    for _ in range(ATTEMPTS):
        game = pyspiel.create_matrix_game(scaled, -scaled)
        try:
            with warnings.catch_warnings():
                warnings.filterwarnings("error", "Solution may be inaccurate")
                weights, _ = nash_averaging(game)
        except (cvxpy.error.SolverError, UserWarning):  # the set of equilibria has no inside
            above = np.triu(scaled + rng.normal(0, SMALLEST_WEIGHT, scaled.shape), 1)
            scaled = above - above.T
            continue
        positive = np.where(weights[:, 0] > SMALLEST_WEIGHT, weights[:, 0], 0.0)
        return np.asarray(positive / positive.sum())
    raise SabaccError("Nash averaging: the solver finds no equilibrium of these margins")


def nash_average(margins: NDArray[np.float64], pairs: Pairs, seed: int = 0) -> NashAverage:
    """Return Nash averaging with 95 % intervals by a percentile bootstrap over deals.

    Weights jump where a small change of margins changes who beats whom, so their intervals are wide
    where margins are uncertain: read them before the weights.

    Args:
        margins: (deals, pairs); all pairs play the same deals.
        pairs: the agents of each pair.
        seed: seeds the resamples.

    Raises:
        SabaccError: without OpenSpiel and cvxpy, or where the solver finds no equilibrium.
    """

    def weights_and_skills(margins: NDArray[np.float64]) -> NDArray[np.float64]:
        matrix = margin_matrix(margins.mean(axis=0), pairs)
        weights = nash_weights(matrix)
        return np.concatenate([weights, matrix @ weights])

    both = bootstrap(
        [block_means(margins)],
        weights_and_skills,
        method="percentile",
        num_resamples=NUM_RESAMPLES,
        seed=seed,
    )
    weights, skills = (
        Intervals(*parts)
        for parts in zip(
            *(np.split(array, 2) for array in (both.values, both.low, both.high)), strict=True
        )
    )
    return NashAverage(weights, skills)


def alpha_rank(margins: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the masses of α-rank, (agents,), of an antisymmetric matrix of margins.

    The share of time that a population spends with each agent, when agents are replaced by those
    that beat them and, rarely, by others (Omidshafiei et al. 2019, https://arxiv.org/abs/1903.01373;
    the limit of strong selection, so that only the signs of the margins matter).

    Raises:
        SabaccError: without OpenSpiel and matplotlib.
    """
    try:
        from open_spiel.python.egt import alpharank
    except ImportError as error:
        raise _absent("α-rank") from error
    _, _, masses, _, _ = alpharank.compute([margins], use_inf_alpha=True)
    return np.asarray(masses)


def _absent(what: str) -> SabaccError:
    return SabaccError(f"{what} needs OpenSpiel; {how_to_install('openspiel')}")
