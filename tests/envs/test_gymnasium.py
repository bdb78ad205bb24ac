"""Gymnasium's single-seat environment: the checkers, and what those do not look at."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from sabacc_env import IllegalMove, RuleSet, SabaccError, load_rules, rule_sets, sabacc_v0
from sabacc_env.actions import CALL, CHECK, JUNK
from sabacc_env.agent import RandomAgent
from sabacc_env.envs.single_seat import SabaccEnv
from sabacc_env.game.view import GameView
from sabacc_env.render.text import render_text
from tests.support.comparing import comparable, info_layout, layout
from tests.support.toys import Preferring

every_rules = pytest.mark.parametrize("rules", rule_sets())


def make(rules: str | RuleSet = "casino", num_players: int = 2, **options: Any) -> Any:
    """Make the environment itself, without wrappers; warnings are errors."""
    env = gymnasium.make("Sabacc-v0", rules=rules, num_players=num_players, **options)
    return env.unwrapped


def random_action(env: Any, rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(env.action_masks())))


def steps(env: Any, rng: np.random.Generator) -> list[Any]:
    """Play random actions to the end of the episode; return what the steps returned."""
    done, returned = False, []
    while not done:
        returned.append(env.step(random_action(env, rng)))
        done = returned[-1][2]
    return returned


# The checkers.


@every_rules
@pytest.mark.parametrize("num_players", [2, 5, 8])
def test_gymnasiums_checker(rules, num_players, monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")  # the human mode opens a window
    monkeypatch.setitem(SabaccEnv.metadata, "render_fps", 1000)
    check_env(make(rules, num_players, hands=2))


@every_rules
def test_stable_baselines3s_checker(rules):
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(make(rules, 4))
    checker.check_env(gymnasium.make("Sabacc-v0", rules=rules))


def test_maskable_ppo_takes_it_as_it_is():
    sb3_contrib = pytest.importorskip("sb3_contrib")
    env = gymnasium.make("Sabacc-v0", rules="orsl", num_players=3)
    model = sb3_contrib.MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=32, device="cpu")
    model.learn(64)
    observation, _ = env.reset(seed=1)
    action, _ = model.predict(observation, action_masks=env.unwrapped.action_masks())
    assert isinstance(action, np.ndarray)  # of no dimensions, and an action all the same
    *_, info = env.step(action)
    assert not info["illegal_action"]


def test_importing_the_package_registers_it_and_loads_nothing_for_it():
    source = (
        "import gymnasium, sys; import sabacc_env; "
        "assert not {'sabacc_env.envs.single_seat', 'sabacc_env.envs.vector'} & set(sys.modules); "
        "print(gymnasium.spec('Sabacc-v0').vector_entry_point)"
    )
    by_name = (
        "import gymnasium; env = gymnasium.make('sabacc_env:Sabacc-v0'); "
        "print(env.reset(seed=1)[0].shape)"
    )
    for command, printed in (
        (source, "sabacc_env.envs.vector:SabaccVectorEnv"),
        (by_name, "(400,)"),
    ):
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", command],
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == printed


# The course of a game: as the PettingZoo environment's, seen from one seat.


@every_rules
def test_it_is_the_game_that_pettingzoos_environment_plays(rules):
    opponent = Preferring(CHECK, CALL)
    env = make(rules, 3, opponents=opponent)
    table: Any = sabacc_v0.raw_env(rules=rules, num_players=3)
    deck = np.random.default_rng(5).permutation(load_rules(rules).deck).tolist()
    options: dict[str, Any] = {"dealer": 1, "deck": deck, "dice": [(2, 5), (3, 6), (4, 1)]}
    if rules != "black_spire":
        options["credits"] = [300, 200, 100]
    for seat in range(3):
        learner = f"player_{seat}"
        env.reset(seed=1, options={"seat": seat, **options})
        table.reset(seed=1, options=options)
        seen = None
        while not all(table.terminations.values()):
            agent = table.agent_selection
            if agent == learner and seen is not None:
                assert comparable(seen[0]) == comparable(table.observe(agent)["observation"])
                assert np.array_equal(seen[4]["action_mask"], table.infos[agent]["action_mask"])
                assert not seen[4]["hand_finished"]
                assert seen[1:4] == (0.0, False, False)
            mask = table.observe(agent)["action_mask"]
            action = int(opponent.act(None, mask[None], None, np.zeros(1))[0])
            table.step(action)
            if agent == learner:
                seen = env.step(action)
        observation, reward, terminated, truncated, info = seen
        assert (terminated, truncated) == (True, False)
        assert reward == table.rewards[learner]
        assert comparable(observation) == comparable(table.observe(learner)["observation"])
        assert info["action_mask"].all()
        assert info["hand_finished"]
        assert not info["illegal_action"]
        assert env.hand_result() == table.hand_result()
        assert info["net_credits"].tolist() == env.game.net_credits == table.game.net_credits


@every_rules
@pytest.mark.parametrize("hands", [1, 4])
def test_rewards_are_the_learners_own_results(rules, hands):
    env = make(rules, 4, hands=hands)
    rng = np.random.default_rng(3)
    ended = 0
    for seed in range(12):
        env.reset(seed=seed, options={"seat": seed % 4})
        returned = steps(env, rng)
        for _, reward, _, truncated, info in returned:
            assert truncated is False
            assert type(reward) is float
            if not info["hand_finished"]:
                assert reward == 0
            ended += info["hand_finished"]
        *_, (_, reward, _, _, info) = returned
        assert info["action_mask"].all()
        assert env.action_masks().all()
        if hands == 1:
            assert reward == info["net_credits"][env.seat] / env.rules.ante_unit
    assert ended > 12 if hands > 1 else ended == 12


def test_credits_of_an_episode_add_up_to_its_rewards():
    """The antes and bets of hands before the learner's first decision aside: there is none here."""
    env = make("casino", 3, hands=5, opponents=Preferring(CHECK, CALL))
    rng = np.random.default_rng(0)
    for seed in range(8):
        env.reset(seed=seed, options={"credits": [50, 60, 70]})
        start = [50, 60, 70][env.seat]
        total = sum(reward for _, reward, *_ in steps(env, rng))
        assert total * env.rules.ante_unit == pytest.approx(env.game.credits[env.seat] - start)


@every_rules
def test_masks_observations_and_types(rules):
    env = make(rules, 5)
    rng = np.random.default_rng(1)
    kept = []
    for seed in range(5):
        observation, info = env.reset(seed=seed)
        terminated = False
        while not terminated:
            assert env.game.seat_to_act == env.seat
            assert env.observation_space.contains(observation)
            assert (info["action_mask"].dtype, env.action_masks().dtype) == (np.int8, np.bool_)
            assert comparable(info["action_mask"].astype(bool)) == comparable(env.action_masks())
            assert info["action_mask"].any()
            kept.append((observation, observation.copy()))
            observation, _, terminated, _, info = env.step(random_action(env, rng))
    assert all(comparable(then) == comparable(now) for then, now in kept)  # never written to again


@every_rules
@pytest.mark.parametrize("num_players", [2, 5, 8])
def test_infos_have_the_same_layout_at_every_step(rules, num_players):
    env = make(rules, num_players, hands=3, opponents=["random", "calling_station"])
    told = info_layout(num_players)
    rng = np.random.default_rng(2)
    kept, finished = [], 0
    for seed in range(8):
        _, info = env.reset(seed=seed)
        infos, terminated, result = [info], False, None
        while not terminated:
            assert env.hand_result() == result
            wrong = seed == 7 and len(infos) > 2
            action = int(env.action_masks().argmin()) if wrong else random_action(env, rng)
            _, _, terminated, _, info = env.step(action)
            infos.append(info)
            if info["hand_finished"]:
                finished += 1
                result = env.hand_result()
                assert result["net_credits"] == info["net_credits"].tolist()
                assert result["sabacc_pot"] == info["sabacc_pot"]
                seats = [int(agent.removeprefix("player_")) for agent in result["winners"]]
                assert seats == [seat for seat in info["winners"].tolist() if seat >= 0]
                seats = [int(agent.removeprefix("player_")) for agent in result["revealed_hands"]]
                assert seats == np.flatnonzero(info["revealed"]).tolist()
            else:
                assert not info["net_credits"].any()
                assert (info["winners"] == -1).all()
                assert not info["revealed"].any()
                assert info["sabacc_pot"] == 0
        assert all(layout(info) == told for info in infos)
        kept += [(info, comparable(info)) for info in infos]
    assert finished > 8
    assert all(comparable(info) == then for info, then in kept)  # never written to again
    for info, _ in kept:  # what is handed out is the caller's
        for array in info.values():
            array[...] = 9
    assert not env.reset(seed=1)[1]["net_credits"].any()


def test_infos_become_tensors():
    pytest.importorskip("torch")
    pytest.importorskip("array_api_compat")
    env = gymnasium.wrappers.NumpyToTorch(gymnasium.make("Sabacc-v0", num_players=3, hands=2))
    _, info = env.reset(seed=1)
    terminated = False
    while not terminated:
        _, _, terminated, _, info = env.step(info["action_mask"].argmax())
        assert info["net_credits"].shape == (3,)
    assert info["hand_finished"]


# Illegal actions.


@every_rules
def test_an_illegal_action_ends_the_episode(rules):
    env = make(rules, 3)
    for wrong in (None, -1, env.action_space.n, 2**63, 10**30, -(10**30), np.array(99)):
        before, _ = env.reset(seed=4)
        action = int(env.action_masks().argmin()) if wrong is None else wrong
        observation, reward, terminated, truncated, info = env.step(action)
        assert (reward, terminated, truncated) == (-1.0, True, False)
        assert info["illegal_action"]
        assert info["action_mask"].all()
        assert env.action_masks().all()
        assert comparable(observation) == comparable(before)
        with pytest.raises(SabaccError, match=r"^no episode is in play; call reset first$"):
            env.step(0)
    _, info = env.reset()
    assert not info["illegal_action"]


@pytest.mark.parametrize("action", [None, True, 1.0, "stand", [0], np.zeros(1, dtype=int)])
def test_what_is_no_whole_number_changes_nothing(action):
    env = make()
    env.reset(seed=1)
    before = env.game.to_bytes()
    with pytest.raises(IllegalMove, match="is not an action; give a whole number"):
        env.step(action)
    assert env.game.to_bytes() == before
    assert env.action_masks().any()


def test_a_step_needs_an_episode():
    env = make()
    assert env.action_masks().all()
    with pytest.raises(SabaccError, match=r"^no episode is in play; call reset first$"):
        env.step(0)
    env.reset(seed=1)
    steps(env, np.random.default_rng(0))
    with pytest.raises(SabaccError, match=r"^no episode is in play; call reset first$"):
        env.step(0)


# Seeds, seats, copies.


def course(env: Any, seed: int, episodes: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    shown = [comparable(env.reset(seed=seed))]
    for _ in range(episodes):
        shown += [comparable(steps(env, rng)), env.seat, comparable(env.reset())]
    return shown


@every_rules
def test_same_seed_same_everything(rules):
    env, other = (make(rules, 3, opponents=["random", "tight"], hands=2) for _ in range(2))
    first = course(env, 7, 10)
    assert course(other, 7, 10) == first
    assert course(env, 7, 10) == first  # whatever was played before
    assert course(env, 8, 10) != first


def test_no_seed_is_a_random_one():
    keys = set()
    for _ in range(3):
        env = make()
        env.reset()
        keys.add(env.game.key)
    assert len(keys) == 3


def test_the_seat_moves_on_unless_it_is_given():
    env = make("casino", 3)
    env.reset(seed=9)
    seats = [env.seat]
    for _ in range(5):
        env.reset()
        seats.append(env.seat)
    assert seats == [0, 1, 2, 0, 1, 2]
    env.reset(options={"seat": 1})
    assert env.seat == 1


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_have_the_same_future(copied):
    env = make("orsl", 3, opponents=["random", "tight"], hands=3)
    env.reset(seed=11)
    env.step(random_action(env, np.random.default_rng(2)))
    twin = copied(env)
    before = env.game.to_bytes()
    steps(copied(env), np.random.default_rng(3))  # a copy's play leaves its original alone
    assert env.game.to_bytes() == before
    played = [steps(each, np.random.default_rng(4)) for each in (env, twin)]
    assert comparable(played[0]) == comparable(played[1])
    assert comparable(env.reset()) == comparable(twin.reset())


# Options.


def test_options_for_the_first_hand():
    env = make("casino", 4, stacks=(5, 9), sabacc_pots=(1, 2))
    deck = np.random.default_rng(1).permutation(62).tolist()
    options = {"dealer": 3, "credits": [40, 41, 42, 43], "sabacc_pot": 33, "deck": deck, "seat": 2}
    env.reset(seed=1, options=options)
    game = env.game
    assert (game.dealer, env.seat) == (3, 2)
    assert game.start["credits"] == [40, 41, 42, 43]
    assert game.start["sabacc_pot"] == 33
    assert game.start["deck"] == deck
    env.reset()
    assert env.game.start["deck"] is None
    assert all(20 <= stack <= 36 for stack in env.game.start["credits"])
    assert 4 <= env.game.start["sabacc_pot"] <= 8


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seats": 0}, "unknown option 'seats'; did you mean 'seat'?"),
        ({"credit": [9, 9]}, "unknown option 'credit'; did you mean 'credits'?"),
        ({"seat": 2}, "seat: 2 is not from 0 to 1"),
        ({"seat": "first"}, "seat: 'first' is not a whole number"),
        ({"dealer": 2}, "dealer: 2 is not from 0 to 1"),
        ({"credits": [100]}, "credits: give one number for each of 2 seats"),
        ({"deck": [1, 2]}, "deck: give each of the 62 cards of the rules once"),
        (["dealer"], r"options: \['dealer'\] is not a dict"),
    ],
)
def test_options_that_make_no_game_lose_nothing(options, message):
    env = make()
    env.reset(seed=1)
    before = env.game.to_bytes(), env.seat
    with pytest.raises(SabaccError, match=message):
        env.reset(options=options)
    with pytest.raises(SabaccError, match=message):
        env.reset(seed=3, options=options)
    assert (env.game.to_bytes(), env.seat) == before
    env.step(random_action(env, np.random.default_rng(0)))


@pytest.mark.parametrize("seed", [None, 5])
@pytest.mark.parametrize(
    "refused",
    [{"seat": 9}, {"credits": [1]}, {"dealer": 9}, {"deck": [0]}, {"sabacc_pot": 2**31 - 1}],
)
def test_a_refused_reset_draws_no_chance(refused, seed):
    env, twin = (make(opponents=["random", "tight"], hands=3, stacks=(5, 50)) for _ in range(2))
    for each in (env, twin):
        each.reset(seed=2)
        each.step(random_action(each, np.random.default_rng(1)))
    with pytest.raises(SabaccError):
        env.reset(seed=seed, options=refused)
    assert env.unwrapped.np_random_seed == twin.unwrapped.np_random_seed
    for _ in range(3):
        played = [comparable(steps(each, np.random.default_rng(3))) for each in (env, twin)]
        assert played[0] == played[1]
        assert comparable(env.reset()) == comparable(twin.reset())
        assert env.seat == twin.seat


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "7", True])
def test_bad_seeds(seed):
    with pytest.raises(SabaccError, match="seed: "):
        make().reset(seed=seed)


# Episodes without a decision of the learner's.


def test_episodes_that_end_before_the_learners_turn_are_not_its():
    env = make("yarith_bespin", 2, opponents=Preferring(JUNK))  # who begins may junk at once
    dealers = set()
    for seed in range(20):
        env.reset(seed=seed)
        dealers.add(env.game.dealer == env.seat)
        assert env.game.seat_to_act == env.seat
    assert dealers == {False}  # with the learner dealing the other begins, junks, and it is over


@pytest.mark.parametrize(
    "options",
    [
        {"seat": 1, "dealer": 1},  # the opponent begins, and junks
        {"seat": 0, "dealer": 0, "deck": list(range(62))},
    ],
)
def test_a_learner_that_never_has_a_decision_is_told(options):
    env = make("yarith_bespin", 2, opponents=Preferring(JUNK))
    with pytest.raises(SabaccError, match="reset: 1000 episodes ended before the learner"):
        env.reset(seed=1, options=options)


def test_a_learner_that_cannot_pay_its_antes_is_told():
    env = make("casino", 3, opponents=Preferring(CHECK, CALL))
    with pytest.raises(SabaccError, match="it never has one"):
        env.reset(seed=1, options={"seat": 2, "credits": [100, 100, 0]})
    env.reset(seed=1, options={"credits": [0, 100, 100]})
    assert env.seat == 1


# Opponents.


def test_every_seat_draws_its_opponent_anew():
    first, second = Preferring(CHECK, CALL), Preferring(CHECK, CALL)
    env = make("casino", 3, opponents=[first, second])
    rng = np.random.default_rng(0)
    env.reset(seed=0)
    for _ in range(20):
        steps(env, rng)
        env.reset()
    assert first.acted == second.acted == {0}
    assert first.restarted == {0}
    only = Preferring(CHECK, CALL)
    env = make("casino", 3, opponents=[only, first], weights=[1, 0])
    first.acted.clear()
    for _ in range(20):
        env.reset()
    assert not first.acted
    assert only.acted


def test_an_opponent_may_want_views():
    class Viewer(Preferring):
        wants = "views"

        def act(self, observations, action_masks, rng, tables=None):
            (view,) = observations
            assert isinstance(view, GameView)
            assert view.seat == view.seat_to_act
            moves.append(len(view.history))
            return super().act(None, action_masks, rng, tables)

    moves: list[int] = []
    env = make("orsl", 3, opponents=Viewer(CHECK, CALL))
    env.reset(seed=1)
    steps(env, np.random.default_rng(1))
    assert max(moves) > 2  # with the moves so far, as at any single table


def test_an_opponent_that_fails_is_named():
    class Wild(Preferring):
        wild = False

        def act(self, observations, action_masks, rng, tables=None):
            if self.wild:
                return action_masks.argmin(axis=1)
            return super().act(observations, action_masks, rng, tables)

    opponent = Wild(CHECK, CALL)
    env = make(opponents=opponent)
    env.reset(seed=1)
    opponent.wild = True
    with pytest.raises(IllegalMove, match="Wild' chose action"):
        env.step(random_action(env, np.random.default_rng(0)))
    with pytest.raises(SabaccError, match="call reset"):
        env.step(0)
    opponent.wild = False
    env.reset()
    assert env.action_masks().any()


# Rendering and making.


def test_rendering_shows_what_the_learner_may_see():
    env = make("casino", 3, render_mode="ansi")
    env.reset(seed=1)
    text = env.render()
    lines = text.splitlines()
    assert sum("?? ??" in line for line in lines) == 2
    assert "??" not in next(line for line in lines if f"player_{env.seat}" in line)
    assert make().render() is None


@pytest.mark.parametrize("render_seat", [None, 0, 2])
def test_rendering_shows_what_another_point_of_view_may_see(render_seat):
    env = make("casino", 3, render_mode="ansi", render_seat=render_seat)
    for _ in range(2):  # the learner sits at another seat in the next episode
        env.reset(seed=1)
        assert env.render() == render_text(env.game, render_seat)


def test_a_refused_reset_changes_no_point_of_view():
    env = make("casino", 3, render_mode="ansi")
    env.reset(seed=1)
    text = env.render()
    with pytest.raises(SabaccError, match="dealer"):
        env.reset(options={"dealer": 9})
    assert env.render() == text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rules": "sabaccc"}, 'rules: "sabaccc" is not a rule set'),
        ({"num_players": 9}, "num_players: 9 is not from 2 to 8"),
        ({"hands": 0}, "hands: 0 is not from 1 to"),
        ({"bet_sizes": "min"}, "bet_sizes: give a sequence"),
        ({"opponents": "nobody"}, "unknown agent 'nobody'"),
        ({"opponents": 5}, "opponents: 5 is not an agent"),
        ({"opponents": RandomAgent}, "opponents: <class .*RandomAgent'> is not an agent"),
        ({"opponents": []}, "opponents: give at least 1"),
        (
            {"opponents": "zoo:casino-2p"},
            "unknown agent 'zoo:casino-2p'; .*; load any other, .*, with sabacc_agents.load",
        ),
        ({"weights": [1, 2]}, "weights: give one for each opponent"),
        ({"stacks": (9, 3)}, "stacks: 9.0 to 3.0 is not a range of antes"),
        ({"rules": "black_spire", "stacks": (3, 9)}, "stacks: .* played for points"),
        ({"rules": "spacers", "sabacc_pots": (3, 9)}, "sabacc_pots: .* no Sabacc pot"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(SabaccError, match=message) as raised:
        make(**arguments)
    assert "\n" not in str(raised.value)


def test_an_unknown_render_mode_is_refused():
    message = "unknown render_mode 'rgb'; use ansi, human or rgb_array"
    with pytest.raises(SabaccError, match=message):
        SabaccEnv(render_mode="rgb")


def test_an_unknown_keyword_is_named():
    unknown = r"SabaccEnv\(\) got an unexpected keyword argument 'stack'; did you mean stacks\?"
    with pytest.raises(TypeError, match=unknown):
        gymnasium.make("Sabacc-v0", stack=(5, 5))


@pytest.mark.parametrize(
    "call", [lambda env: env.state(), lambda env: env.game.clone(), lambda env: env.render()]
)
def test_nothing_is_in_play_before_the_first_reset(call: Any) -> None:
    env = gymnasium.make("Sabacc-v0", render_mode="ansi").unwrapped
    with pytest.raises(SabaccError, match=r"^no episode is in play; call reset first$"):
        call(env)
