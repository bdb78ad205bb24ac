"""The engine against the independent oracle: scripted hands, random hands, any house rules."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sabacc_env import Game, Move, load_rules, rule_sets
from sabacc_env.rules import RuleSet
from tests.support.oracle_twins import deal_twins, legal_tuples, play_twins
from tests.support.scenarios import SCENARIOS
from tests.support.scenarios.scenario import Player, Scenario, run
from tests.support.strategies import tables


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_scripted_hand(scenario: Scenario) -> None:
    rules = load_rules(scenario.rules, **scenario.overrides)
    game = Game(
        rules,
        scenario.num_players,
        dealer=scenario.dealer,
        deck=scenario.full_deck(rules),
        dice=scenario.dice,
        credits=scenario.credits,
        sabacc_pot=scenario.sabacc_pot_before,
    )

    def play(kind: str, card: int | None, amount: int | None) -> None:
        game.play(Move(kind, card=card, amount=amount))

    def conserved() -> None:
        cards = [card for hand in game.hands for card in hand] + game.draw_pile
        cards += game.discard_pile + game.junked_cards
        cards += [c for c in (*game.spike_cards, game.drawn_card) if c is not None]
        assert sorted(cards) == list(rules.deck)

    run(scenario, game, Player(lambda: legal_tuples(game), play), conserved, ordered=False)


@pytest.mark.parametrize("num_players", range(2, 9))
@pytest.mark.parametrize("name", rule_sets())
def test_random_hands_of_the_published_rules(name: str, num_players: int) -> None:
    rng = random.Random(f"{name} {num_players}")
    for _ in range(12):
        game, oracle = deal_twins(
            name, num_players, rng.getrandbits(64), rng.randrange(num_players)
        )
        play_twins(game, oracle, rng)


@pytest.mark.parametrize("name", [name for name in rule_sets() if name != "black_spire"])
def test_short_stacks_and_a_sabacc_pot(name: str) -> None:
    rules = load_rules(name)
    rng = random.Random(name)
    for _ in range(60):
        num_players = rng.randint(2, 8)
        stacks = [rng.randint(0, 12 * rules.ante_unit) for _ in range(num_players)]
        stacks[:2] = [rules.ante_unit, rules.ante_unit + 1]
        rng.shuffle(stacks)
        pot = rng.randint(0, 500) if rules.sabacc_ante else 0
        dealer = rng.randrange(num_players)
        key = rng.getrandbits(64)
        game, oracle = deal_twins(rules, num_players, key, dealer, credits=stacks, sabacc_pot=pot)
        play_twins(game, oracle, rng)


@settings(max_examples=250, deadline=None)
@given(table=tables(), key=st.integers(0, 2**64 - 1), choices=st.randoms(use_true_random=False))
def test_any_house_rules(table: tuple[RuleSet, int], key: int, choices: random.Random) -> None:
    rules, num_players = table
    game, oracle = deal_twins(rules, num_players, key, choices.randrange(num_players))
    play_twins(game, oracle, choices, most_moves=150)
