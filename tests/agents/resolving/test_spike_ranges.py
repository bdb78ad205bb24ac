"""Ranges under rules with Spike Cards, beside an enumeration of all deals, card by card."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sabacc_agents.blueprint.buckets import NUM_TOPS
from sabacc_agents.blueprint.card_choices import card_choices, free_win_probabilities
from sabacc_agents.blueprint.spike_hands import values_and_gains
from sabacc_agents.expectation.hand_table import EMPTY, hand_table
from sabacc_agents.resolving.course import MOVE
from sabacc_agents.resolving.hand_ranges import Bets, hands_of, new_scratch
from sabacc_agents.resolving.spike_ranges import SpikeHands, spike_hands_of, write_spike_range

from sabacc_env import load_rules
from sabacc_env.cards import deck
from sabacc_env.engine.layout import KINDS

RULES = load_rules("yarith_bespin", short_call="all_in")
TABLE = hand_table(RULES)
VALUES, GAINS = values_and_gains(RULES)
PRICE, POT = 20, 200
EPSILON = 0.1
NUM_BUCKETS = 3
BUCKETS = np.random.default_rng(0).integers(NUM_BUCKETS, size=(2, 4, len(TABLE.sizes), NUM_TOPS))
CHANCES = np.array([0.2, 0.5, 0.9])

FIRST_CARDS, SECOND_CARDS = 1, 4
"""The stages of the card phases of the first two rounds."""

VALUE_OF = {int(card): card.value for card in deck()}
SPIKE, NEW_SPIKE, OTHER, DOWN = (
    next(card for card, value in VALUE_OF.items() if value == wanted) for wanted in (3, -1, -7, 6)
)


def hand_of(*cards: int) -> int:
    found = EMPTY
    for card in cards:
        found = int(TABLE.children[found, VALUE_OF[card] + 10])
    return found


@pytest.fixture(scope="module")
def hands() -> SpikeHands:
    return spike_hands_of(
        RULES,
        hands_of(
            free_win_probabilities(RULES), card_choices(RULES), BUCKETS.astype(np.int8), RULES
        ),
    )


def moves_of(*moves: dict[str, Any], spike: int = SPIKE, last_spike: int = SPIKE) -> NDArray[Any]:
    """Return public moves after the first, with which Spike Cards come; the last may change one."""
    found = np.zeros(len(moves), MOVE)
    for number, (row, move) in enumerate(zip(found, moves, strict=True)):
        own = last_spike if number == len(moves) - 1 else spike
        row["spikes"] = VALUE_OF[own] + 10, VALUE_OF[OTHER] + 10
        row["pot"], row["credits"] = POT, PRICE
        for name, value in move.items():
            row[name] = KINDS.index(value) if name == "kind" else value
    return found


def masses_of(
    hands: SpikeHands, moves: NDArray[Any], face_up: list[int], chances: NDArray[Any]
) -> dict[int, float]:
    unseen = TABLE.deck_counts.astype(np.int64)
    for card in face_up:
        unseen[VALUE_OF[card] + 10] -= 1
    zeros = np.zeros(len(moves), np.int64)
    masses = np.full(len(TABLE.sizes), np.nan)
    bets = Bets(chances, zeros, np.arange(len(moves)).clip(max=1))
    scratch = new_scratch(TABLE)
    size = write_spike_range(hands, moves, bets, 0, EPSILON, unseen, scratch, masses)
    assert size == 3
    found = dict(enumerate(masses[TABLE.sizes == 3], int(hands.table.first[3])))
    assert sum(found.values()) == pytest.approx(1)
    return found


def mixed(plays: bool, choices: int) -> float:
    return (1 - EPSILON) * plays + EPSILON / choices


def buys(*cards: int) -> bool:
    return bool(GAINS[SECOND_CARDS, hand_of(*cards, SPIKE)] > PRICE / POT)


def puts_down(cards: tuple[int, int], drawn: int) -> int:
    """Return the best card to put down; the drawn one where none is better."""
    options = [drawn, SPIKE, *sorted(cards, key=VALUE_OF.get)]  # type: ignore[arg-type]
    whole = [*cards, SPIKE, drawn]
    values = [
        VALUES[SECOND_CARDS, hand_of(*(card for card in whole if card != down))] for down in options
    ]
    return options[int(np.argmax(values))]


def check(found: dict[int, float], expected: dict[int, float]) -> None:
    total = sum(expected.values())
    assert total > 0
    for hand, mass in found.items():
        assert mass == pytest.approx(expected.get(hand, 0) / total, abs=1e-12)


CHECKED = {"kind": "check", "is_bet": 1}
STOOD = {"kind": "stand", "stage": FIRST_CARDS}
BOUGHT = {"kind": "draw", "stage": SECOND_CARDS}


def test_a_card_of_the_hand_is_put_down_for_one_that_is_bought(hands: SpikeHands) -> None:
    """A seat checks, stands, checks, buys a card, and puts a +6 down."""
    replaced = {"kind": "replace", "stage": SECOND_CARDS, "down": VALUE_OF[DOWN] + 10}
    moves = moves_of(CHECKED, CHECKED, STOOD, BOUGHT, replaced)
    chances = np.ones((len(moves), NUM_BUCKETS))
    chances[0], chances[1] = CHANCES, CHANCES[::-1]
    found = masses_of(hands, moves, [SPIKE, OTHER, DOWN], chances)
    expected: dict[int, float] = defaultdict(float)
    hidden = [card for card in VALUE_OF if card not in (SPIKE, OTHER)]
    for kept in hidden:
        if kept == DOWN:
            continue
        dealt = hand_of(kept, DOWN, SPIKE)
        weight = (
            CHANCES[BUCKETS[0, 0, hand_of(kept, DOWN), NUM_TOPS - 1]]
            * CHANCES[::-1][BUCKETS[0, 1, dealt, VALUE_OF[OTHER] + 10]]
            * mixed(not GAINS[FIRST_CARDS, dealt] > PRICE / POT, 2)
            * mixed(buys(kept, DOWN), 2)
        )
        same = 2 if VALUE_OF[kept] == VALUE_OF[DOWN] else 1
        for drawn in hidden:
            if drawn not in (kept, DOWN):
                best = puts_down((kept, DOWN), drawn)
                plays = VALUE_OF[best] == VALUE_OF[DOWN] and best in (kept, DOWN)
                chance = (1 - EPSILON) * plays / same + EPSILON / 4
                expected[hand_of(kept, drawn, SPIKE)] += weight * chance
    check(found, expected)


@pytest.mark.parametrize("kind", ["replace_spike", "discard_drawn"])
def test_the_hand_stays_where_the_spike_card_or_the_drawn_card_is_put_down(
    hands: SpikeHands, kind: str
) -> None:
    chosen = {"kind": kind, "stage": SECOND_CARDS, "drawn": VALUE_OF[NEW_SPIKE] + 10}
    after = NEW_SPIKE if kind == "replace_spike" else SPIKE
    moves = moves_of(CHECKED, BOUGHT, chosen, last_spike=after)
    face_up = [SPIKE, OTHER, NEW_SPIKE]
    found = masses_of(hands, moves, face_up, np.ones((len(moves), NUM_BUCKETS)))
    expected: dict[int, float] = defaultdict(float)
    for first, second in combinations([card for card in VALUE_OF if card not in face_up], 2):
        best = puts_down((first, second), NEW_SPIKE)
        plays = best == (SPIKE if kind == "replace_spike" else NEW_SPIKE)
        weight = mixed(buys(first, second), 2) * mixed(plays, 4)
        expected[hand_of(first, second, after)] += weight
    check(found, expected)


def test_doubles_and_moves_that_rule_out_all_hands_leave_dealt_hands(hands: SpikeHands) -> None:
    expected: dict[int, float] = defaultdict(float)
    for pair in combinations([card for card in VALUE_OF if card not in (SPIKE, OTHER)], 2):
        expected[hand_of(*pair, SPIKE)] += 1
    redealt = CHECKED | {"redealt": 1}
    for move, chance in ((redealt, 0.3), (CHECKED, 0.0)):
        chances = np.full((1, NUM_BUCKETS), chance)
        check(masses_of(hands, moves_of(move), [SPIKE, OTHER], chances), expected)
