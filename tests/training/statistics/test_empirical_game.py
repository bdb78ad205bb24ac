"""Nash averaging and α-rank on games whose answer is known."""

import sys

import numpy as np
import pytest
from sabacc_training.statistics.empirical_game import (
    alpha_rank,
    margin_matrix,
    nash_average,
    nash_weights,
)

from sabacc_env.errors import SabaccError

for module in ("pyspiel", "cvxpy", "matplotlib"):
    pytest.importorskip(module)

ROCK_PAPER_SCISSORS = np.array([[0.0, -300, 300], [300, 0, -300], [-300, 300, 0]])
LADDER = np.array([[0.0, 10, 30], [-10, 0, 5], [-30, -5, 0]])


def with_loser(margins):
    """Add an agent that loses to all others."""
    agents = len(margins)
    grown = np.zeros((agents + 1, agents + 1))
    grown[:agents, :agents] = margins
    grown[:agents, agents], grown[agents, :agents] = 50, -50
    return grown


def with_copy(margins, agent):
    """Add a copy of an agent."""
    order = [*range(len(margins)), agent]
    return margins[np.ix_(order, order)]


def test_rock_paper_scissors_has_equal_weights():
    assert nash_weights(ROCK_PAPER_SCISSORS) == pytest.approx([1 / 3] * 3, abs=1e-5)
    assert alpha_rank(ROCK_PAPER_SCISSORS) == pytest.approx([1 / 3] * 3, abs=1e-5)


def test_unequal_cycles_have_the_known_equilibrium():
    cycle = np.array([[0.0, -1, 2], [1, 0, -3], [-2, 3, 0]])
    assert nash_weights(cycle) == pytest.approx([3 / 6, 2 / 6, 1 / 6], abs=1e-5)


def test_the_top_of_a_ladder_has_all_weight():
    assert nash_weights(LADDER) == pytest.approx([1, 0, 0], abs=1e-5)
    assert alpha_rank(LADDER).argmax() == 0
    assert alpha_rank(LADDER)[0] > 0.95


def test_agents_that_lose_to_all_change_nothing():
    weights = nash_weights(with_loser(ROCK_PAPER_SCISSORS))
    assert weights == pytest.approx([1 / 3] * 3 + [0], abs=1e-5)


@pytest.mark.parametrize("agent", [0, 2])
@pytest.mark.parametrize("margins", [ROCK_PAPER_SCISSORS, LADDER], ids=["cycle", "ladder"])
def test_a_copy_shares_the_weight_and_changes_no_skill(margins, agent):
    weights = nash_weights(margins)
    grown = with_copy(margins, agent)
    shared = nash_weights(grown)
    assert shared[agent] == pytest.approx(weights[agent] / 2, abs=1e-4)
    assert shared[-1] == pytest.approx(weights[agent] / 2, abs=1e-4)
    assert (grown @ shared)[:-1] == pytest.approx(margins @ weights, abs=0.1)


def test_names_and_units_do_not_matter():
    margins = with_loser(ROCK_PAPER_SCISSORS)
    order = [2, 3, 0, 1]
    assert nash_weights(margins[np.ix_(order, order)]) == pytest.approx(
        nash_weights(margins)[order], abs=1e-5
    )
    assert nash_weights(margins / 1e4) == pytest.approx(nash_weights(margins), abs=1e-5)


def test_equal_agents_have_equal_weights():
    assert nash_weights(np.zeros((4, 4))) == pytest.approx([0.25] * 4, abs=1e-5)


PAIRS = [(0, 1), (0, 2), (1, 2)]


def test_intervals_say_how_certain_weights_are(monkeypatch):
    monkeypatch.setattr("sabacc_training.statistics.empirical_game.NUM_RESAMPLES", 60)
    rng = np.random.default_rng(0)
    truth = np.array([400.0, 400, 100])
    certain = nash_average(truth + rng.normal(0, 100, size=(400, 3)), PAIRS)
    assert certain.weights.values == pytest.approx([1, 0, 0])
    assert certain.weights.low[0] == certain.weights.high[0] == pytest.approx(1)
    assert certain.skills.values == pytest.approx([0, -400, -400], abs=20)
    assert certain.skills.low[1] < certain.skills.values[1] < certain.skills.high[1]
    close = nash_average(truth / 100 + rng.normal(0, 100, size=(400, 3)), PAIRS)
    assert (close.weights.high - close.weights.low).max() > 0.5


def test_pairs_that_have_not_met_have_the_margin_0():
    assert margin_matrix(np.array([7.0]), [(2, 0)])[0].tolist() == [0, 0, -7]


@pytest.mark.parametrize(
    ("compute", "module"), [(nash_weights, "cvxpy"), (alpha_rank, "open_spiel.python.egt")]
)
def test_without_openspiel_one_sentence_says_what_to_install(monkeypatch, compute, module):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(
        SabaccError, match=r'needs OpenSpiel; install it .* `pip install "\.\[openspiel\]"`'
    ):
        compute(ROCK_PAPER_SCISSORS)


def test_a_narrow_winner_is_found_where_the_solver_has_doubts():
    above = np.triu([[0, 0.039, 322, 8298], [0, 0, 10_000, -8837], [0, 0, 0, 9204], [0] * 4])
    assert nash_weights(above - above.T)[0] == pytest.approx(1, abs=0.01)
