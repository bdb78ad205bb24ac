"""MoveHistories of many tables: what was stepped in each hand, as a game of its own keeps it."""

from __future__ import annotations

import numpy as np
import pytest

from sabacc_env import Game, SabaccError, Tables, load_rules
from sabacc_env.actions import DEFAULT_BET_SIZES, encode_bet_sizes
from sabacc_env.agent import sample
from sabacc_env.game.turn_buffers import TurnBuffers
from sabacc_env.policies import random_legal

KEYS = np.arange(1, 9)


def stepped(rules, steps, seed=0, **options):
    """Yield tables and the actions played at each in the hand in play, step by step."""
    tables = Tables(rules, 8, 3, keys=KEYS, dealers=np.arange(8) % 3, seed=1, **options)
    tables.keep_histories()
    rng = np.random.default_rng(seed)
    played: list[list[int]] = [[] for _ in range(8)]
    for _ in range(steps):
        actions = sample(tables.action_masks.astype(float), rng)
        tables.step(actions)
        for table in range(8):
            played[table] = [] if tables.finished[table] else [*played[table], int(actions[table])]
        yield tables, played


@pytest.mark.parametrize("rules", ["casino", "orsl", "spacers", "yarith_bespin"])
def test_tables_keep_what_games_do(rules):
    buffers = TurnBuffers(load_rules(rules), encode_bet_sizes(DEFAULT_BET_SIZES))
    for tables, played in stepped(rules, 60):
        for table, actions in enumerate(played):
            game = Game(rules, 3, key=int(KEYS[table]), dealer=table % 3)
            for action in actions:
                game.play_action(buffers, action)
            kept = tables.game(table)
            assert (kept.history, kept.taken_discards) == (game.history, game.taken_discards)
            assert kept.view(0) == game.view(0)


def test_a_move_that_takes_a_discard_says_which():
    game = Game("orsl", 2, seed=3, dealer=1)
    top = game.discard_pile[-1]
    game.play(f"swap {game.hands[0][0]}")
    given = game.discard_pile[-1]
    game.play("buy_discard")
    assert game.taken_discards == (top, given)
    game.play("check")
    assert game.taken_discards[-1] is None


def test_only_where_they_are_asked_for():
    tables = Tables("casino", 2, 2, seed=1)
    tables.step([0, 0])
    assert tables.game(0).history == ()


def test_histories_are_kept_with_the_tables_and_cloned():
    *_, (tables, played) = stepped("casino", 5)
    assert max(map(len, played)) > 1
    again = Tables.from_bytes(tables.to_bytes(), keys=KEYS, dealers=np.arange(8) % 3)
    clones = Tables("casino", 8, 3, seed=2)
    clones.keep_histories()
    clones.clone_from(tables, np.arange(8)[::-1], np.arange(8))
    for table in range(8):
        assert again.game(table).history == tables.game(table).history
        assert clones.game(7 - table).history == tables.game(table).history
    tables.restart([1])
    assert tables.game(1).history == ()
    assert clones.game(6).history == again.game(1).history != ()


def test_compiled_play_keeps_none_and_says_so():
    tables = Tables("casino", 2, 2, seed=1)
    tables.keep_histories()
    with pytest.raises(SabaccError, match="keep histories"):
        tables.play(random_legal, 3)
