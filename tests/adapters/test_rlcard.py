"""RLCard: its agents and its tournament run, agents play both ways, and steps are taken back."""

from __future__ import annotations

import contextlib
import io

import numpy as np
import pytest

pytest.importorskip("rlcard")
import rlcard
from rlcard.utils import reorganize, set_seed, tournament
from sabacc_agents import load

from sabacc_env import IllegalMove, SabaccError, Tables, load_rules
from sabacc_env.actions import JUNK
from sabacc_env.adapters.rlcard import RLCardAgent, SabaccAgent
from tests.support.toys import Preferring

pytestmark = pytest.mark.filterwarnings("ignore:.*distutils:DeprecationWarning")


def make(**config):
    return rlcard.make("sabacc", config={"seed": 3} | config)


def ours(env, name="random", rules="casino"):
    return SabaccAgent(load(name, rules, env.num_players), env.num_actions, seed=0)


def play(env):
    """Play a hand by its first legal actions; return its states, each with the player to act."""
    state, player = env.reset()
    seen = [(state, player)]
    while not env.is_over():
        state, player = env.step(next(iter(state["legal_actions"])))
        seen.append((state, player))
    return seen


@pytest.mark.parametrize("num_players", [2, 5])
@pytest.mark.parametrize("rules", ["casino", "black_spire", "yarith_bespin"])
def test_states_are_those_of_the_hand(rules, num_players):
    env = make(game_rules=rules, game_num_players=num_players)
    assert env.state_shape == [[400]] * num_players
    for _ in range(10):
        state, player = env.reset()
        while not env.is_over():
            hand = env.game.hand
            assert player == hand.seat_to_act == env.get_player_id()
            assert state["obs"].shape == (400,)
            assert list(state["legal_actions"]) == list(env._get_legal_actions())
            assert len(state["raw_legal_actions"]) == len(state["legal_actions"])
            assert state["raw_obs"] == hand.view(player)
            assert env.get_perfect_information()["current_player"] == player
            other = env.get_state((player + 1) % num_players)
            assert len(other["legal_actions"]) == env.num_actions  # it is not to act
            assert not np.array_equal(other["obs"], state["obs"])
            chosen = env.np_random.choice(list(state["legal_actions"]))
            state, player = env.step(chosen)
        net = np.array(hand.net_credits) / load_rules(rules).ante_unit
        np.testing.assert_array_equal(env.get_payoffs(), net)
        assert len(env.action_recorder) == len(hand.history)


def test_a_seed_decides_the_hands():
    first, again, other = (
        np.array([env.reset()[0]["obs"] for _ in range(5)])
        for env in (make(), make(), make(seed=4))
    )
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_steps_are_taken_back():
    env = make(allow_step_back=True)
    seen = play(env)
    for state, player in reversed(seen[:-1]):
        before, acting = env.step_back()
        assert acting == player
        np.testing.assert_array_equal(before["obs"], state["obs"])
        assert before["legal_actions"] == state["legal_actions"]
    assert env.step_back() is False


def test_illegal_actions_change_nothing():
    env = make()
    state, _ = env.reset()
    before = env.game.hand.clone()
    illegal = next(a for a in range(env.num_actions) if a not in state["legal_actions"])
    for action, raw in ((illegal, False), (99, False), ("call", True), ("nonsense", True)):
        with pytest.raises(IllegalMove):
            env.step(action, raw)
    assert env.game.hand == before
    assert env.action_recorder == []
    env.step(state["raw_legal_actions"][0], raw_action=True)
    assert len(env.game.hand.history) == 1
    play(env)
    with pytest.raises(IllegalMove, match="the hand is over"):
        env.step(0)


def test_an_unknown_setting_is_refused():
    with pytest.raises(SabaccError, match="config: 'game_players' is unknown"):
        make(game_players=3)
    with pytest.raises(SabaccError):
        make(game_rules="nonsense")


def test_our_agents_win_as_at_our_tables():
    """Who always gives up loses its ante to whoever stays, in every hand."""
    env = make()
    quitter = SabaccAgent(Preferring(JUNK), env.num_actions)
    env.set_agents([quitter, ours(env, "calling_station")])
    quits, stays = tournament(env, 50)
    assert quits < 0
    assert quits <= stays
    _, info = ours(env).eval_step(env.reset()[0])
    assert sum(info["probs"].values()) == pytest.approx(1)


def test_an_agent_with_views_plays_and_hears_of_new_hands():
    views = Preferring(JUNK)
    views.wants = "views"
    env = make(game_num_players=3)
    env.set_agents([SabaccAgent(views, env.num_actions), ours(env), ours(env)])
    for _ in range(20):
        env.run()
    assert views.restarted


@pytest.mark.parametrize("name", ["DQNAgent", "NFSPAgent"])
def test_their_agents_learn_here_and_play_at_our_tables(name, monkeypatch):
    agents = pytest.importorskip("rlcard.agents")
    set_seed(0)
    env = make()
    layers = {
        "DQNAgent": {"mlp_layers": [32]},
        "NFSPAgent": {
            "hidden_layers_sizes": [32],
            "q_mlp_layers": [32],
            "min_buffer_size_to_learn": 32,
            "q_replay_memory_init_size": 32,
        },
    }
    learner = getattr(agents, name)(
        num_actions=env.num_actions, state_shape=env.state_shape[0], **layers[name]
    )
    env.set_agents([learner, agents.RandomAgent(env.num_actions)])
    with contextlib.redirect_stdout(io.StringIO()):  # it prints each loss
        for _ in range(25):
            for transition in reorganize(*env.run(is_training=True))[0]:
                learner.feed(transition)
    assert len(tournament(env, 10)) == 2
    tables = Tables("casino", num_tables=8, num_players=2, seed=0)
    agent = RLCardAgent(learner)
    agent.check_game(tables.rules, 2, ("min", 0.5, 1, "max"))
    with pytest.raises(SabaccError, match="bet sizes"):
        agent.check_game(tables.rules, 2, ("min",))
    for _ in range(30):
        tables.step(agent.act(tables.observations, tables.action_masks, np.random.default_rng()))
    assert tables.hand_counts.sum() > 8


def test_an_agent_of_raw_actions_is_refused():
    agent = ours(make())
    agent.use_raw = True
    with pytest.raises(SabaccError, match="raw actions"):
        RLCardAgent(agent)
