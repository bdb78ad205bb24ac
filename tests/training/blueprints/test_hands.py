"""Courses of the agent's hand: both seats play their cards by expectation."""

from __future__ import annotations

import numpy as np
import pytest
from sabacc_agents.blueprint.buckets import TOP_STAYS
from sabacc_agents.blueprint.public_states import DISCARD_DRAW, STAND, SWAP
from sabacc_agents.expectation.hand_table import hand_table
from sabacc_training.blueprints.game import Game, abstract_game
from sabacc_training.blueprints.hands import AgentHands, cards_of, decode_course

from sabacc_env import load_rules
from sabacc_env.actions import DEFAULT_BET_SIZES
from sabacc_env.array_types import Ints

RULES = load_rules("spacers")
COUNTS = hand_table(RULES).counts
FIRST_CARDS = 1
"""The stage of the first card phase; a betting phase lies before and after it."""


@pytest.fixture(scope="module")
def courses() -> AgentHands:
    return cards_of(RULES, game())[1]


def game() -> Game:
    return abstract_game(RULES, DEFAULT_BET_SIZES, (1,))


def kinds_of(courses: AgentHands) -> Ints:
    """Return the agent's kind of action in the first card phase of each course."""
    groups, numbers = np.unique(courses.codes, return_inverse=True)
    events = np.zeros(len(game().phases), np.int64)
    found = []
    for code in groups:
        decode_course(game(), int(code), events)
        found.append(int(events[FIRST_CARDS]))
    return np.array(found)[numbers]


def test_half_of_the_courses_are_those_of_each_position(courses: AgentHands) -> None:
    half = len(courses.codes) // 2
    groups = (len(courses.first) - 1) // 2
    assert (courses.codes[:half] < groups).all()
    assert (courses.codes[half:] >= groups).all()
    for code in (0, groups - 1, groups, 2 * groups - 1):
        first, end = courses.first[code : code + 2]
        assert (courses.codes[first:end] == code).all()


def test_the_agent_leaves_a_card_of_its_hand_or_what_was_there(courses: AgentHands) -> None:
    kinds, left, half = kinds_of(courses), courses.left[:, FIRST_CARDS], len(courses.codes) // 2
    before, after = courses.hands[:, 0], courses.hands[:, 1]
    for kind in (DISCARD_DRAW, SWAP):
        rows = np.flatnonzero(kinds == kind)
        assert len(rows) > 10_000
        assert (COUNTS[before[rows], left[rows]] > 0).all()
        assert (COUNTS[before[rows]].sum(axis=1) == COUNTS[after[rows]].sum(axis=1)).all()
    first = np.flatnonzero(kinds[:half] == STAND)
    assert (left[first] == courses.tops[first, 0]).all()
    assert (before[first] == after[first]).all()


def test_the_second_seat_finds_the_top_discard_again_as_often_as_values_say(
    courses: AgentHands,
) -> None:
    half = len(courses.codes) // 2
    as_second = courses.left[half:, FIRST_CARDS] == courses.tops[half:, 1]
    assert as_second.all()  # nobody acts between its cards and the bets
    as_first = courses.left[:half, FIRST_CARDS] == courses.tops[:half, 1]
    assert abs(as_first.mean() - TOP_STAYS[1]) < 0.05
