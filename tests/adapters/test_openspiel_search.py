"""OpenSpiel's search bots in Python play our games; ISMCTS sees what one player knows."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from sabacc_training.solved_games import load_rung

from sabacc_env import Game, SabaccError, rule_sets

pyspiel = pytest.importorskip("pyspiel")

from open_spiel.python.algorithms import ismcts, mcts  # noqa: E402

from sabacc_env.adapters.openspiel import (  # noqa: E402
    SabaccGame,
    SabaccState,
    load_game,
)

ONE_CARD = load_rung("one_card").rule_set
TABLES = [(rules, seats) for rules in rule_sets() for seats in (2, 4)]


def random_turns(game: SabaccGame, hands: int, rng: random.Random):
    """Yield one state at each turn of random hands."""
    for _ in range(hands):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_player_node():
                yield state
            state.apply_action(rng.choice(state.legal_actions()))


def game_of(state: SabaccState) -> Game:
    assert state.hand.game is not None
    return state.hand.game


def rollouts(seed: int) -> mcts.RandomRolloutEvaluator:
    return mcts.RandomRolloutEvaluator(1, np.random.RandomState(seed))


def ismcts_bot(game: SabaccGame, simulations: int, seed: int = 0) -> ismcts.ISMCTSBot:
    """Return a bot of which all chance is seeded."""
    numbers = np.random.RandomState(seed)
    kind = ismcts.ISMCTSFinalPolicyType.NORMALIZED_VISITED_COUNT
    bot = ismcts.ISMCTSBot(
        game, rollouts(seed), 2.0, simulations, random_state=numbers, final_policy_type=kind
    )
    bot.set_resampler(lambda state, player: state.resample_from_infostate(player, numbers.uniform))
    return bot


# What a player cannot see, drawn anew.


@pytest.mark.parametrize(("rules", "seats"), TABLES)
def test_a_resampled_state_is_the_same_to_the_player_to_act(rules: str, seats: int) -> None:
    rng = random.Random(0)
    game = load_game(rules, seats, chance="sampled", rng_seed=5)
    different = 0
    for state in random_turns(game, 3, rng):
        player, before = state.current_player(), str(state)
        other = state.resample_from_infostate(player, rng.random)
        assert other.legal_actions() == state.legal_actions()
        assert other.information_state_string() == state.information_state_string()
        assert other.information_state_tensor() == state.information_state_tensor()
        assert other.observation_string() == state.observation_string()
        assert str(SabaccState.from_bytes(other.to_bytes())) == str(other)
        different += game_of(other).hands != game_of(state).hands
        while not other.is_terminal():
            other.apply_action(rng.choice(other.legal_actions()))
        assert str(state) == before
    assert different > 0


def test_every_card_that_the_other_may_hold_is_as_likely() -> None:
    game = load_game(ONE_CARD, 2, bet_sizes=("min",), chance="sampled", rng_seed=1)
    state = game.new_initial_state()
    state.apply_action(0)
    rng = random.Random(0)
    own, _ = game_of(state).hands
    found = Counter(
        game_of(state.resample_from_infostate(0, rng.random)).hands[1][0] for _ in range(500)
    )
    others = set(ONE_CARD.deck) - set(own)
    assert set(found) == others
    expected = 500 / len(others)
    chi_square = sum((found[card] - expected) ** 2 / expected for card in others)
    assert chi_square < 3 * len(others)


def test_what_is_to_come_is_drawn_anew() -> None:
    rng = random.Random(0)
    state = load_game("casino", 2, chance="sampled", rng_seed=5).new_initial_state()
    state.apply_action(0)
    dice = set()
    for _ in range(40):
        other = state.resample_from_infostate(0, rng.random)
        while not other.is_terminal() and not game_of(other).dice:
            other.apply_action(other.legal_actions()[0])
        dice.add(tuple(map(tuple, game_of(other).dice)))
    assert len(dice) > 15


def test_resampling_is_refused_in_a_sentence() -> None:
    state = load_game("casino").new_initial_state()
    for byte in range(4):
        state.apply_action(byte)
    with pytest.raises(SabaccError, match=r'^resample_.*: make the game with chance="sampled"$'):
        state.resample_from_infostate(0, random.random)
    fresh = load_game("casino", chance="sampled").new_initial_state()
    with pytest.raises(SabaccError, match=r"^player: 0 is not to act"):
        fresh.resample_from_infostate(0, random.random)
    fresh.apply_action(0)
    with pytest.raises(SabaccError, match=r"^player: 1 is not to act"):
        fresh.resample_from_infostate(1, random.random)


# The bots.


@pytest.mark.parametrize("rules", ["casino", "spacers"])
def test_ismcts_plays_whole_hands(rules: str) -> None:
    game = load_game(rules, 3, chance="sampled", rng_seed=2)
    bots = [
        ismcts.ISMCTSBot(game, rollouts(seed), 2.0, 8, random_state=np.random.RandomState(seed))
        for seed in range(3)
    ]
    state = game.new_initial_state()
    state.apply_action(0)
    while not state.is_terminal():
        state.apply_action(int(bots[state.current_player()].step(state)))
    assert any(state.returns())


def test_ismcts_does_not_see_hidden_cards() -> None:
    """It has the same policy in two states that the player cannot tell apart."""
    rng = random.Random(4)
    game = load_game("casino", 2, chance="sampled", rng_seed=3)
    for state in random_turns(game, 1, rng):
        twin = state.resample_from_infostate(state.current_player(), rng.random)
        assert ismcts_bot(game, 15).get_policy(state) == ismcts_bot(game, 15).get_policy(twin)


@pytest.mark.parametrize(
    "game",
    [load_game(ONE_CARD, bet_sizes=("min",)), load_game("casino"), load_game("orsl", 3)],
    ids=lambda game: game.settings.rules.name,
)
def test_mcts_with_the_cards_in_sight_beats_random_play(game: SabaccGame) -> None:
    """It looks into the cards of all players, and chance nodes come as OpenSpiel has them."""
    numbers = np.random.RandomState(0)
    bot = mcts.MCTSBot(game, 2.0, 20, rollouts(0), random_state=numbers)
    won = 0.0
    for _ in range(12):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.current_player() == 0:
                action = int(bot.step(state))
            else:
                action = int(numbers.choice(state.legal_actions()))
            state.apply_action(action)
        won += state.returns()[0]
    assert won > 0
