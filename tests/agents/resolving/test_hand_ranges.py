"""Ranges of hands by public moves, beside an enumeration of all deals, card by card."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sabacc_agents.blueprint.buckets import NO_TOP
from sabacc_agents.blueprint.card_choices import card_choices, free_win_probabilities
from sabacc_agents.blueprint.public_states import DISCARD_DRAW, STAND, SWAP
from sabacc_agents.expectation.hand_table import hand_table
from sabacc_agents.resolving.course import MOVE
from sabacc_agents.resolving.hand_classes import NUM_CLASSES, write_classes
from sabacc_agents.resolving.hand_ranges import Bets, Hands, hands_of, new_scratch, write_range

from sabacc_env import load_rules
from sabacc_env.cards import deck
from sabacc_env.engine.layout import KINDS

RULES = load_rules("casino")
TABLE = hand_table(RULES)
NUM_BUCKETS = 3
BUCKETS = (np.arange(len(TABLE.sizes)) % NUM_BUCKETS)[None, None, :, None] + np.zeros(
    (1, 1, 1, NO_TOP + 1), np.int8
).astype(np.int8)
VALUE_OF = {int(card): card.value for card in deck()}


@cache
def all_hands() -> Hands:
    return hands_of(
        free_win_probabilities(RULES), card_choices(RULES), BUCKETS.astype(np.int8), RULES
    )


def hand_of(cards: Any) -> int:
    found = 0
    for card in sorted(cards):
        found = int(TABLE.children[found, VALUE_OF[card] + 10])
    return found


def moves_of(*moves: dict[str, Any]) -> NDArray[Any]:
    found = np.zeros(len(moves), MOVE)
    for row, move in zip(found, moves, strict=True):
        row["top"] = NO_TOP
        for name, value in move.items():
            row[name] = KINDS.index(value) if name == "kind" else value
    return found


def masses_of(
    moves: NDArray[Any],
    face_up: list[int],
    chances: NDArray[Any],
    epsilon: float,
    hands: Hands | None = None,
) -> tuple[NDArray[Any], int]:
    hands = hands or all_hands()
    unseen = TABLE.deck_counts.astype(np.int64)
    for card in face_up:
        unseen[VALUE_OF[card] + 10] -= 1
    zeros = np.zeros(len(moves), np.int64)
    masses = np.zeros(len(TABLE.sizes))
    size = write_range(
        hands,
        moves,
        Bets(chances, zeros, zeros),
        0,
        epsilon,
        unseen,
        new_scratch(TABLE),
        masses,
    )
    first, last = hands.first[size : size + 2]
    assert masses[first:last].sum() == pytest.approx(1)
    return masses, size


@pytest.mark.parametrize("epsilon", [0.01, 0.3])
def test_a_swap_a_bet_a_discard_and_a_stand(epsilon: float) -> None:
    """A seat swaps +8 for +5, bets, discards +2 before a draw, and stands."""
    choices = card_choices(RULES)
    five, eight, two = (
        next(card for card, value in VALUE_OF.items() if value == wanted) for wanted in (5, 8, 2)
    )
    moves = moves_of(
        {"kind": "swap", "stage": 0, "down": 8 + 10, "top": 5 + 10},
        {"kind": "check", "is_bet": 1, "stage": 2, "top": 8 + 10},
        {"kind": "discard_draw", "stage": 3, "down": 2 + 10, "top": 8 + 10},
        {"kind": "stand", "stage": 6, "top": 2 + 10},
    )
    chances = np.ones((4, NUM_BUCKETS))
    chances[1] = 0.2, 0.5, 0.9
    masses, size = masses_of(moves, [five, eight, two], chances, epsilon)

    def mixed(plays: bool, choices: int) -> float:
        return (1 - epsilon) * plays + epsilon / choices

    # The five stays. So the seat was dealt the eight and the two, and has drawn one card since.
    expected: dict[int, float] = defaultdict(float)
    for drawn in VALUE_OF:
        if drawn in (five, eight, two):
            continue
        dealt, swapped, final = hand_of([eight, two]), hand_of([five, two]), hand_of([five, drawn])
        swaps = choices.kinds[0, dealt, 15] == SWAP and choices.swaps[0, dealt, 15] == 18
        redraws = choices.kinds[3, swapped, 18] == DISCARD_DRAW
        redraws = redraws and choices.discards[3, swapped] == 12
        stands = choices.kinds[6, final, 12] == STAND
        expected[final] += (
            mixed(bool(swaps), 8)
            * chances[1, swapped % NUM_BUCKETS]
            * mixed(bool(redraws), 8)
            * mixed(bool(stands), 4)
        )
    check(masses, size, expected)


def test_unseen_hands_after_a_stand_and_a_redraw() -> None:
    """A seat stands, and doubles make it put a -4 down and draw."""
    choices = card_choices(RULES)
    epsilon = 0.1
    four, top = (
        next(card for card, value in VALUE_OF.items() if value == wanted) for wanted in (-4, 9)
    )
    moves = moves_of(
        {"kind": "stand", "stage": 0, "top": 9 + 10},
        {"kind": "redraw", "stage": 1, "down": -4 + 10, "top": 9 + 10},
    )
    masses, size = masses_of(moves, [four, top], np.ones((2, NUM_BUCKETS)), epsilon)
    hidden = [card for card in VALUE_OF if card not in (four, top)]
    expected: dict[int, float] = defaultdict(float)
    for kept in hidden:
        dealt = hand_of([kept, four])
        same = 2 if VALUE_OF[kept] == -4 else 1
        stands = choices.kinds[0, dealt, 19] == STAND
        redraws = choices.discards[1, dealt] == 6
        weight = (0.9 * stands + 0.1 / 4) * (0.9 * redraws / same + 0.1 / 2)
        for drawn in hidden:
            if drawn != kept:
                expected[hand_of([kept, drawn])] += weight
    check(masses, size, expected)


def test_a_card_that_is_bought_from_the_discard_pile_is_known() -> None:
    choices = card_choices(RULES)
    top = next(card for card, value in VALUE_OF.items() if value == 4)
    bought = {"kind": "buy_discard", "stage": 0, "top": 4 + 10}
    stood = {"kind": "stand", "stage": 3, "top": 9 + 10}
    masses, size = masses_of(moves_of(bought, stood), [top], np.ones((2, 3)), 0.2)
    expected: dict[int, float] = defaultdict(float)
    for cards in combinations([card for card in VALUE_OF if card != top], 2):
        hand = hand_of([*cards, top])
        expected[hand] += 0.8 * bool(choices.kinds[3, hand, 19] == STAND) + 0.2 / 4
    check(masses, size, expected)


@pytest.mark.parametrize("kind", ["draw", "buy_discard", "stand"])
@pytest.mark.parametrize(("pot", "credits"), [(60, 500), (600, 500), (600, 9)])
def test_fees_are_paid_where_they_are_worth_their_share_of_the_pot(
    kind: str, pot: int, credits: int
) -> None:
    """The hand tells how likely a seat has paid, if it can pay. One free action stands for all."""
    rules = load_rules("orsl", short_call="all_in")
    win_probs, choices = free_win_probabilities(rules), card_choices(rules)
    stage, values = max(choices.values), win_probs.hand_values[:, 0]
    assert (win_probs.table.children == TABLE.children).all()
    hands = hands_of(win_probs, choices, BUCKETS.astype(np.int8), rules)
    top = next(card for card, value in VALUE_OF.items() if value == 4)
    move = {"kind": kind, "stage": stage, "top": 4 + 10, "pot": pot, "credits": credits}
    masses, size = masses_of(moves_of(move), [top], np.ones((1, NUM_BUCKETS)), 0.1, hands)
    assert len(rules.card_actions) == 5
    hidden = [card for card in VALUE_OF if card != top]
    expected: dict[int, float] = defaultdict(float)
    payers = 0
    for pair in combinations(hidden, 2):
        free = choices.values[stage][hand_of(pair), 14]
        drawn = [values[stage, hand_of([*pair, card])] for card in VALUE_OF if card not in pair]
        worth = {
            "stand": free,
            "draw": np.mean(drawn) - rules.fees["draw"] / pot,
            "buy_discard": values[stage, hand_of([*pair, top])] - rules.fees["buy_discard"] / pot,
        }
        paid = [name for name in worth if rules.fees.get(name, 0) <= credits]
        best = max(paid, key=lambda name: float(worth[name]))
        payers += best != "stand"
        stands = best == "stand" and choices.kinds[stage, hand_of(pair), 14] == STAND
        weight = 0.9 * (stands if kind == "stand" else best == kind) + 0.1 / 5
        if kind == "draw":
            for card in hidden:
                if card not in pair:
                    expected[hand_of([*pair, card])] += weight
        else:
            expected[hand_of([*pair, top] if kind == "buy_discard" else pair)] += weight
    check(masses, size, expected)
    assert payers == {(60, 500): 87, (600, 500): 267, (600, 9): 0}[pot, credits]


def test_a_draw_and_new_hands_for_all() -> None:
    top = next(iter(VALUE_OF))
    drew = {"kind": "draw", "stage": 0, "top": VALUE_OF[top] + 10}
    masses, size = masses_of(moves_of(drew | {"redealt": 1}), [top], np.ones((1, 3)), 0.1)
    expected: dict[int, float] = defaultdict(float)
    for cards in combinations([card for card in VALUE_OF if card != top], 3):
        expected[hand_of(cards)] += 1
    check(masses, size, expected)


def check(masses: NDArray[Any], size: int, expected: Mapping[int, float]) -> None:
    first, last = all_hands().first[size : size + 2]
    total = sum(expected.values())
    assert total > 0
    for hand in range(first, last):
        assert masses[hand] == pytest.approx(expected.get(hand, 0) / total, abs=1e-12)


def test_moves_that_rule_out_all_hands_leave_dealt_hands() -> None:
    moves = moves_of({"kind": "check", "is_bet": 1, "top": 0})
    top = next(iter(VALUE_OF))
    masses, size = masses_of(moves, [top], np.zeros((1, NUM_BUCKETS)), 0.1)
    hidden = [card for card in VALUE_OF if card != top]
    check(masses, size, Counter(hand_of(pair) for pair in combinations(hidden, 2)))


@pytest.mark.parametrize(("spread", "filled"), [(0.1, 0.7), (0.01, 0.5), (0.001, 0.1)])
def test_classes_rise_with_the_rank_and_part_zero_hands(spread: float, filled: float) -> None:
    rng = np.random.default_rng(0)
    ranks = np.unique(TABLE.strengths, return_inverse=True)[1]
    zero_ranks = np.zeros(ranks.max() + 1)
    zero_ranks[ranks[TABLE.is_zero & (TABLE.sizes > 0)]] = 1
    masses = np.zeros((2, len(ranks)))
    sizes = np.array([2, 3])
    for seat, size in enumerate(sizes):
        part = slice(*all_hands().first[size : size + 2])
        masses[seat, part] = rng.dirichlet(np.full(part.stop - part.start, spread))
    class_of = np.zeros(len(zero_ranks), np.int64)
    ranges = np.zeros((2, NUM_CLASSES), np.float32)
    is_zero = np.zeros(NUM_CLASSES, np.float32)
    by_rank = np.zeros((2, len(zero_ranks)))
    write_classes(
        masses, all_hands().first, sizes, ranks, zero_ranks, by_rank, class_of, ranges, is_zero
    )
    assert (np.diff(class_of) >= 0).all()
    assert ranges.sum(axis=1) == pytest.approx([1, 1], abs=1e-5)
    held = (masses > 0).any(axis=0)
    assert (is_zero[class_of[ranks[held]]] == zero_ranks[ranks[held]]).all()
    assert NUM_CLASSES * filled < len(np.unique(class_of[ranks[held]])) <= NUM_CLASSES
    for seat in range(2):
        by_class = np.bincount(class_of[ranks], masses[seat], NUM_CLASSES)
        assert ranges[seat] == pytest.approx(by_class, abs=1e-5)
