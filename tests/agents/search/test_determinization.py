"""Worlds fit what a seat has seen, all of it, and are as likely as the deck has them."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from sabacc_env import Card, Game, RuleSet, SabaccError, load_rules, rule_sets
from sabacc_env.engine.layout import GAME_DTYPE
from sabacc_env.engine.search.determinization import sample_determinization
from sabacc_env.game.determinization import (
    information_state_of,
    make_workspace,
    sample_deck,
)
from tests.support.determinizations import (
    SIZES,
    deal_with_deck,
    replay_with_deck,
    sample_determinizations,
    with_history,
)
from tests.support.random_play import HOUSE_RULES, random_position
from tests.support.strategies import tables

EVERY_RULES = [load_rules(name) for name in rule_sets()] + list(HOUSE_RULES.values())
TINY = load_rules(
    "casino",
    highest_value=2,
    suits=1,
    sylops=2,
    cards_dealt=1,
    rounds=1,
    seats=(2, 2),
    phases=("cards", "betting"),
)
TWO_CARDS = TINY.replace(
    highest_value=3,
    sylops=1,
    cards_dealt=2,
    rounds=2,
    card_actions=("stand", "discard_draw", "swap"),
)


def assert_determinizations_fit(game: Game, seed: int) -> bool:
    """Assert that determinizations show the seat what it sees; say if there was a reshuffle.

    Without one, replaying the public moves from a determinization's deck leads to it.
    """
    seat = game.seat_to_act
    assert seat is not None
    view = game.view(seat)
    shuffled = bool(game._number("reshuffles"))
    for determinization, order in sample_determinizations(view, 4, seed):
        assert with_history(determinization, game).view(seat) == view
        assert sorted(order) == sorted(view.rules.deck)
        if not shuffled:
            again = replay_with_deck(view, order)
            assert again.view(seat) == view
            assert again.hands == determinization.hands
            assert sorted(again.draw_pile) == sorted(determinization.draw_pile)
            assert again.junked_cards == determinization.junked_cards
    return shuffled


@pytest.mark.parametrize("rules", EVERY_RULES, ids=lambda rules: rules.name)
def test_worlds_fit_what_was_seen(rules: RuleSet) -> None:
    rng = random.Random(rules.name)
    tried = []
    for attempt in range(120):
        num_players = rng.choice([n for n in (2, 3, 5, 8) if n <= rules.seats[1]])
        game = random_position(Game(rules, num_players, seed=attempt), rng)
        if game.seat_to_act is not None:
            tried.append(assert_determinizations_fit(game, attempt))
    assert tried.count(False) > 10
    if rules.name == "reshuffles":
        assert any(tried)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(tables(), st.integers(0, 2**32), st.randoms(use_true_random=False))
def test_worlds_fit_under_any_rules(table, seed, rng):
    try:
        game = random_position(Game(table[0], table[1], seed), rng)
    except SabaccError:  # fewer than two seats can pay their antes
        assume(False)
    assume(game.seat_to_act is not None)
    assert_determinizations_fit(game, seed)


def expected(view) -> Counter:
    """Return how many decks lead to each pair of (the others' hands, the next card), of all."""
    found: Counter = Counter()
    for order in itertools.permutations(view.rules.deck):
        try:
            again = replay_with_deck(view, [Card(card) for card in order])
        except SabaccError:
            continue
        if again.view(view.seat) == view:
            found[str(again.hands), again.draw_pile[0]] += 1
    return found


@pytest.mark.parametrize(
    ("rules", "moves"),
    [
        (TINY, ()),
        (TINY, ("draw",)),
        (TINY, ("discard_draw {first}",)),
        (TINY, ("swap {first}",)),
        (TINY, ("draw", "stand", "check")),
        (TINY, ("discard_draw {first}", "swap {last}", "check")),
        (TWO_CARDS, ("stand",)),
        (TWO_CARDS, ("swap {first}",)),
        (TWO_CARDS, ("discard_draw {first}", "stand", "check", "check", "swap {last}")),
        (TWO_CARDS, ("swap {last}", "swap {first}", "check", "check", "stand")),
    ],
)
def test_every_deck_that_fits_is_as_likely(rules, moves):
    """All decks of six or seven cards are played; chi squared, 5 standard deviations at most."""
    game = Game(rules, 2, dealer=1, deck=rules.deck)
    for move in moves:
        hand = game.hands[game.seat_to_act]
        game.play(move.format(first=hand[0], last=hand[-1]))
    view = game.view(game.seat_to_act)
    chances = expected(view)
    count = 3000
    found = Counter(
        (str(w.hands), w.draw_pile[0]) for w, _ in sample_determinizations(view, count, seed=7)
    )
    assert set(found) <= set(chances)
    assert len(chances) > 1
    total = sum(chances.values())
    wanted = {determinization: count * decks / total for determinization, decks in chances.items()}
    distance = sum(
        (found[determinization] - each) ** 2 / each for determinization, each in wanted.items()
    )
    freedom = len(chances) - 1
    assert distance < freedom + 5 * (2 * freedom) ** 0.5


def test_a_history_that_leads_elsewhere_has_no_worlds() -> None:
    game = Game("casino", 2, seed=3, dealer=1)
    game.play("stand")
    view = game.view(1)
    info_state = information_state_of(view, SIZES)._replace(
        moves=information_state_of(game.view(1), SIZES).moves[:0]
    )
    assert not sample_determinization(
        info_state, make_workspace(), 1, 1, np.zeros(1, GAME_DTYPE), 0
    )


@pytest.mark.parametrize("rules", EVERY_RULES, ids=lambda rules: rules.name)
def test_a_deck_leads_to_what_a_seat_saw_at_all_its_turns(rules: RuleSet) -> None:
    """A card that it saw and that lies face down now is where it was, too."""
    rng = random.Random(3)
    for attempt in range(12):
        game = random_position(Game(rules, 4 if rules.seats[1] >= 4 else 2, seed=attempt), rng)
        seat = game.seat_to_act
        if seat is None or game._number("reshuffles"):
            continue
        before = game.clone()
        views = [game.view(seat)]
        while before.history:
            before.undo()
            if before.seat_to_act == seat:
                views.insert(0, before.view(seat))
        twin = deal_with_deck(views[-1], sample_deck(views, attempt, 1))
        for turn in game.history:
            if twin.seat_to_act == seat:
                assert twin.view(seat) == views.pop(0)
            twin.play(turn.move)
        assert [twin.view(seat)] == views
