"""A kind of card action is sampled as everyone sees it, and all hands of a walk play it."""

from __future__ import annotations

from itertools import product

import numpy as np
from sabacc_agents.blueprint.public_states import (
    DISCARD_DRAW,
    DRAW,
    NOTHING_KNOWN,
    NUM_PATTERNS,
    NUM_SEEN_KINDS,
    NUM_SWAPS,
    STAND,
    SWAP,
    card_pattern,
    known_after,
    seen_kind,
)
from sabacc_training.blueprints.game import abstract_game
from sabacc_training.blueprints.hands import cards_of, start_stream
from sabacc_training.blueprints.kind_turns import learn_kinds, sample_kind
from sabacc_training.blueprints.solver import begin_walk
from sabacc_training.blueprints.workspace import new_tables, new_workspace

from sabacc_env import load_rules
from sabacc_env.actions import DEFAULT_BET_SIZES

RULES = load_rules("orsl")
GAME = abstract_game(RULES, DEFAULT_BET_SIZES, (1,))


def test_a_swap_counts_by_the_card_that_is_taken() -> None:
    classes = {value: seen_kind(SWAP, value + 10) - SWAP for value in range(-10, 11)}
    assert all(classes[value] == classes[-value] for value in classes)
    assert [classes[value] for value in (0, 2, 3, 6, 7, 10)] == [0, 0, 1, 1, 2, 2]
    assert {seen_kind(kind, 0) for kind in (STAND, DRAW, DISCARD_DRAW)} == {0, 1, 2}


def test_patterns_tell_apart_what_they_should() -> None:
    stands = {
        card_pattern(STAND, stood, 0, known)
        for stood, known in product((0, 1), range(NUM_SWAPS + 1))
    }
    moves = {card_pattern(kind, 0, 0, 0) for kind in range(STAND + 1, NUM_SEEN_KINDS)}
    redrawn = {card_pattern(kind, 1, 1, 1) for kind in range(NUM_SEEN_KINDS)}
    assert (len(stands), len(moves), len(redrawn)) == (8, 5, 1)
    assert stands | moves | redrawn == set(range(NUM_PATTERNS))


def test_the_card_of_a_swap_is_known_until_the_seat_discards_one() -> None:
    known = known_after(NOTHING_KNOWN, seen_kind(SWAP, 19))
    assert known == NUM_SWAPS
    assert known_after(known, STAND) == known_after(known, DRAW) == known
    assert known_after(known, seen_kind(SWAP, 10)) == 1
    assert known_after(known, DISCARD_DRAW) == NOTHING_KNOWN


def test_hands_that_cannot_make_a_swap_give_way_and_learn_nothing_of_it() -> None:
    cards, courses, _ = cards_of(RULES, GAME)
    workspace, found = new_workspace(GAME), set()
    for number in range(200):
        tables = new_tables(RULES, GAME, 2**10)
        start_stream(workspace.rng, 3, number)
        workspace.epoch[0] = 1
        workspace.hand[:] = 1_950, 1, 0  # the adversary acts first, and learns
        begin_walk(GAME, cards, workspace, courses)
        kind = sample_kind(GAME, cards, tables, workspace, 0)
        if kind < SWAP:
            continue
        found.add(kind)
        before, after = workspace.adversary_hands[:2]
        could = np.array([seen_kind(SWAP, int(top)) == kind for top in workspace.tops[0]])
        took = np.argmax(cards.counts[after] - cards.counts[before], axis=1)
        assert 0 < could.sum() < len(could)
        swapped = could & (after != before)  # a pair of the top discard cannot be swapped
        assert swapped.any()
        assert (took[swapped] == workspace.tops[0][swapped]).all()
        assert set(after[~could]) <= set(after[could])
        workspace.hand_values[1] = np.where(could, 5, -99)
        learn_kinds(tables, workspace, 0, kind)
        assert (workspace.hand_values[0][could] > 0).all()
        assert (workspace.hand_values[0][~could] == 0).all()
    assert found == {SWAP, SWAP + 1, SWAP + 2}
