"""The state form: everything about a hand, for centralised critics."""

import random

import gymnasium
import numpy as np
import pytest

from sabacc_env import Game, Tables, load_rules, rule_sets, sabacc_v0
from sabacc_env.actions import DEFAULT_BET_SIZES, encode_bet_sizes
from sabacc_env.engine.observation.state import STATE_BLOCKS
from sabacc_env.errors import SabaccError
from sabacc_env.game.turn_buffers import TurnBuffers
from sabacc_env.observation import state_blocks, state_size
from tests.support.random_play import HOUSE_RULES, random_move

EVERY_RULES = [load_rules(name) for name in rule_sets()] + list(HOUSE_RULES.values())
PLACES = {column.name: number for number, column in enumerate(STATE_BLOCKS[0].columns)}


def observation_of(game, seat):
    buffers = TurnBuffers(game.rules, encode_bet_sizes(DEFAULT_BET_SIZES))
    game.write_observation(buffers, seat)
    return buffers.requested_observation


def cards_at(places, name):
    """Return the ids of the cards at a place, and what stands there of each."""
    column = places[:, PLACES[name]]
    return {int(card): column[card] for card in np.flatnonzero(column)}


@pytest.mark.parametrize("rules", EVERY_RULES, ids=lambda rules: rules.name)
def test_the_state_says_where_every_card_lies(rules):
    rng = random.Random(rules.name)
    for num_players in {rules.seats[0], rules.seats[1]}:
        game = Game(rules, num_players, seed=rng.getrandbits(64))
        while True:
            check_state(game)
            if game.seat_to_act is None:
                break
            game.play(random_move(game, rng))


def check_state(game):
    parts = state_blocks(game.state(), game.num_players)
    for seat in range(game.num_players):
        np.testing.assert_array_equal(parts.observations[seat], observation_of(game, seat))
    places = parts.card_places
    for seat in range(game.num_players):
        assert set(cards_at(places, f"hand_{seat}")) == {int(card) for card in game.hands[seat]}
        spike = game.spike_cards[seat]
        assert set(cards_at(places, f"spike_{seat}")) == ({int(spike)} if spike else set())
    assert in_order(places, "draw_pile") == [int(card) for card in game.draw_pile]
    assert in_order(places, "discards") == [int(card) for card in game.discard_pile][::-1]
    assert set(cards_at(places, "junked")) == {int(card) for card in game.junked_cards}
    drawn = game.drawn_card
    assert set(cards_at(places, "drawn")) == (set() if drawn is None else {int(drawn)})
    # No card lies in two places or in none.
    assert (np.count_nonzero(places, axis=1) == np.isin(range(62), game.rules.deck)).all()
    rolled = parts.all_dice[:, 2] > 0
    faces = np.rint(parts.all_dice[:, :2] * 6).astype(int)
    assert [tuple(pair) for pair in faces[rolled].tolist()] == game.dice


def in_order(places, name):
    """Return the cards of a pile, the top card first."""
    heights = cards_at(places, name)
    order = sorted(heights, key=heights.get, reverse=True)
    np.testing.assert_allclose([62 * heights[card] for card in order], range(len(order), 0, -1))
    return order


def test_dice_to_come_are_those_that_come():
    rng = random.Random(3)
    for seed in range(20):
        game = Game("casino", 2, seed=seed)
        foretold = np.rint(state_blocks(game.state(), 2).all_dice[:, :2] * 6).astype(int).tolist()
        while game.seat_to_act is not None:
            game.play(random_move(game, rng))
        assert [list(pair) for pair in game.dice] == foretold[: len(game.dice)]


def test_environments_and_tables_return_the_same():
    tables = Tables("spacers", 3, [2, 3, 4], seed=1)
    states = tables.states([0, 1, 2])
    assert states.shape == (3, state_size(4))
    for table, players in enumerate([2, 3, 4]):
        own, parts = state_blocks(tables.game(table).state(), players), state_blocks(states, 4)
        np.testing.assert_array_equal(parts.observations[table, :players], own.observations)
        assert not parts.observations[table, players:].any()
        np.testing.assert_array_equal(parts.card_places[table], own.card_places)
        np.testing.assert_array_equal(parts.all_dice[table], own.all_dice)
    env = sabacc_v0.env(num_players=3)
    env.reset(seed=1)
    np.testing.assert_array_equal(env.state(), env.unwrapped.game.state())
    single = gymnasium.make("Sabacc-v0", num_players=3).unwrapped
    single.reset(seed=1)
    np.testing.assert_array_equal(single.state(), single.game.state())
    envs = gymnasium.make_vec("Sabacc-v0", num_envs=3, num_players=2)
    envs.reset(seed=1)
    assert envs.unwrapped.states().shape == (3, state_size(2))


def test_what_is_no_state_is_refused():
    with pytest.raises(SabaccError, match="states: give an array of shape"):
        state_blocks(np.zeros(7, np.float32), 2)
    for players in ("2", 1, 9, None):
        with pytest.raises(SabaccError, match=r"num_players: .* is not from 2 to 8"):
            state_blocks(np.zeros(state_size(2), np.float32), players)
