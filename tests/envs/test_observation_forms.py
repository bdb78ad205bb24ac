"""The forms of observation, in every environment."""

import re

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from pettingzoo.test import api_test, parallel_api_test

from sabacc_env import SavedState, sabacc_v0
from sabacc_env.errors import SabaccError
from sabacc_env.observation import BLOCKS, blocks
from sabacc_env.text import observation_text, parse_action
from tests.support.comparing import comparable

RENAMED = {"observations": "flat", "mask": "action_mask", "dice": "dice"}
WHOLE = {"observations": "flat", "action_mask": "action_mask"}
TWO_FORMS = {"history": "tokens", "features": "flat", "mask": "action_mask"}
FORMS = [
    "flat",
    "dict",
    "planes",
    "tokens",
    "log",
    RENAMED,
    WHOLE,
    TWO_FORMS,
    "text",
    {"prompt": "text_without_actions", "mask": "action_mask"},
    {"one": "own_slots"},
]


def make_vec(**settings):
    return gymnasium.make_vec("Sabacc-v0", num_envs=4, **settings)


@pytest.mark.filterwarnings("ignore:.*bservation")  # PettingZoo expects positive Boxes
@pytest.mark.parametrize("form", FORMS, ids=str)
def test_the_libraries_own_checks_pass(form):
    check_env(gymnasium.make("Sabacc-v0", observation=form).unwrapped, skip_render_check=True)
    if "text" in str(form):
        return  # PettingZoo's tests ask every observation for its dtype
    api_test(sabacc_v0.env(hands=2, observation=form), num_cycles=50)
    parallel_api_test(sabacc_v0.parallel_env(observation=form), num_cycles=50)


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_all_environments_hold_the_same_pieces(form):
    """A learner at one table observes in every form what it observes flat."""
    flat_env = gymnasium.make("Sabacc-v0", num_players=3)
    env = gymnasium.make("Sabacc-v0", num_players=3, observation=form)
    (flat, info), (seen, _) = flat_env.reset(seed=5), env.reset(seed=5)
    over = False
    while not over:
        assert env.observation_space.contains(seen)
        assert_pieces(form, seen, env.unwrapped, flat, info["action_mask"])
        action = int(info["action_mask"].argmax())
        flat, _, over, _, info = flat_env.step(action)
        seen, *_ = env.step(action)
    assert_pieces(form, seen, env.unwrapped, flat, np.ones_like(info["action_mask"]))


def assert_pieces(form, seen, table, flat, mask):
    pieces = {"observation": "flat", "action_mask": "action_mask"} if form == "dict" else form
    if isinstance(pieces, str):
        pieces, seen = {"": pieces}, {"": seen}
    assert set(seen) == set(pieces)
    for name, piece in pieces.items():
        game, seat = table.game, table.seat
        whole = {"flat": flat, "action_mask": mask, "planes": game.planes(seat)}
        whole["tokens"] = game.tokens(seat)
        view = game.view(seat, events=True)
        whole |= {"text": observation_text(view)}
        whole |= {"text_without_actions": observation_text(view, legal_moves=False)}
        expected = whole[piece] if piece in whole else getattr(blocks(flat), piece)
        np.testing.assert_array_equal(seen[name], expected)


@pytest.mark.parametrize("mode", AutoresetMode)
def test_the_vector_environment_has_dicts_of_batches(mode):
    """Each form is told with the ends of episodes as the flat one is."""
    plain, envs = make_vec(autoreset_mode=mode), make_vec(autoreset_mode=mode, observation="dict")
    (flat, info), (seen, _) = plain.reset(seed=3), envs.reset(seed=3)
    endings = 0
    for _ in range(60):
        assert envs.observation_space.contains(seen)
        np.testing.assert_array_equal(seen["observation"], flat)
        np.testing.assert_array_equal(seen["action_mask"], info["action_mask"])
        actions = info["action_mask"].argmax(axis=1)
        flat, _, ended, _, info = plain.step(actions)
        seen, _, _, _, told = envs.step(actions)
        for table in np.flatnonzero(info.get("_final_obs", np.zeros(4))):
            final = told["final_obs"][table]
            np.testing.assert_array_equal(final["observation"], info["final_obs"][table])
            assert final["action_mask"].all()
        endings += ended.sum()
        if mode is AutoresetMode.DISABLED and ended.any():
            flat, info = plain.reset(options={"reset_mask": ended})
            seen, _ = envs.reset(options={"reset_mask": ended})
    assert endings > 4


@pytest.mark.parametrize("form", ["tokens", "planes"])
@pytest.mark.parametrize("opponents", ["always_raise", "tight"])
def test_the_vector_environment_writes_array_forms(form, opponents):
    """Rows are those of the tables; where an episode ends, those of its end."""
    envs = make_vec(observation=form, opponents=opponents, autoreset_mode="SameStep", num_players=3)
    learner = envs.unwrapped.learner
    seen, info = envs.reset(seed=8)
    compared = 0
    for _ in range(80):
        np.testing.assert_array_equal(seen, learner.tables.observations)
        seats, counts = learner.seats.copy(), learner.tables.hand_counts.copy()
        seen, _, ended, _, info = envs.step(info["action_mask"].argmax(axis=1))
        # Elsewhere another hand has ended since, without a decision of the learner's.
        for table in np.flatnonzero(ended & (learner.tables.hand_counts == counts + 1)):
            last = learner.tables.final_observations([table], seats[table], form)[0]
            np.testing.assert_array_equal(info["final_obs"][table], last)
            compared += 1
    assert compared > 10


@pytest.mark.parametrize("mode", AutoresetMode)
def test_the_vector_environment_writes_text(mode):
    """A line for each table, and where an episode ends the text of its end; answers are read."""
    envs = make_vec(observation="text", opponents="tight", autoreset_mode=mode, num_players=3)
    learner = envs.unwrapped.learner
    seen, info = envs.reset(seed=8)
    endings = 0
    for _ in range(25):
        assert envs.observation_space.contains(seen)
        views = [
            learner.tables.game(table).view(int(seat), events=True)
            for table, seat in enumerate(learner.seats)
        ]
        actions = info["action_mask"].argmax(axis=1)
        for table, view in enumerate(views):
            if not info["action_mask"][table].all():
                assert seen[table] == observation_text(view)
                assert parse_action(str(actions[table]), view) == actions[table]
        seen, _, ended, _, info = envs.step(actions)
        for table in np.flatnonzero(ended):
            text = info["final_obs"][table] if mode is AutoresetMode.SAME_STEP else seen[table]
            assert "Won and lost in credits" in text
            endings += 1
        if mode is AutoresetMode.DISABLED and ended.any():
            seen, info = envs.reset(options={"reset_mask": ended})
    assert endings > 4


def test_many_tables_write_one_array_form():
    with pytest.raises(SabaccError, match="observation: many tables write planes or tokens, not"):
        make_vec(observation={"a": "planes", "b": "tokens"})


def test_pettingzoo_has_the_blocks_by_name():
    env, flat_env = sabacc_v0.env(observation="dict"), sabacc_v0.env()
    env.reset(seed=1), flat_env.reset(seed=1)
    for agent in env.possible_agents:
        seen, flat = env.observe(agent)["observation"], flat_env.observe(agent)["observation"]
        assert set(seen) == {block.name for block in BLOCKS}
        for name, values in seen.items():
            np.testing.assert_array_equal(values, getattr(blocks(flat), name))


def test_pettingzoo_observes_a_mapping_with_a_mask_and_nothing_beside_it():
    env, flat_env = sabacc_v0.env(observation=WHOLE), sabacc_v0.env()
    env.reset(seed=1), flat_env.reset(seed=1)
    for agent in env.possible_agents:
        seen = env.observe(agent)
        assert env.observation_space(agent).contains(seen)
        assert seen.keys() == WHOLE.keys()
        flat = flat_env.observe(agent)
        np.testing.assert_array_equal(seen["observations"], flat["observation"])
        np.testing.assert_array_equal(seen["action_mask"], flat["action_mask"])
    actor = env.agent_selection
    env.step(int(env.observe(actor)["action_mask"].argmin()))  # an illegal action
    assert env.rewards[actor] == -1


def test_stable_baselines3_trains_on_a_dict():
    sb3 = pytest.importorskip("stable_baselines3")
    adapter = pytest.importorskip("sabacc_env.adapters.stable_baselines3")
    form = {"hand": "own_values", "money": "betting"}
    env = adapter.SabaccVecEnv("casino", 4, illegal="end", observation=form, seed=0)
    model = sb3.PPO("MultiInputPolicy", env, n_steps=8, batch_size=16, seed=0, device="cpu")
    model.learn(64)
    assert model.predict(env.reset())[0].shape == (4,)


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ("flatt", "'flatt' is unknown; did you mean flat?; use one of dict, flat, planes,"),
        (3, "3 is unknown; use one of dict, flat,"),
        ({}, "give a form, or a mapping from names to pieces such as"),
        ({1: "flat"}, "give a form, or a mapping from names to pieces such as"),
        ({"a": "dicts"}, "'dicts' is unknown; did you mean dice?; use one of flat,"),
    ],
)
def test_an_unknown_form_is_refused(form, sentence):
    for make in (
        lambda: gymnasium.make("Sabacc-v0", observation=form),
        lambda: make_vec(observation=form),
        lambda: sabacc_v0.env(observation=form),
    ):
        with pytest.raises(SabaccError, match=re.escape(f"observation: {sentence}")):
            make()


@pytest.mark.filterwarnings("ignore:.*bservation")  # PettingZoo expects positive Boxes
def test_without_the_mask_pettingzoo_observes_a_box():
    env = sabacc_v0.env(hands=2, mask_in_observation=False)
    api_test(env, num_cycles=50)
    parallel_api_test(sabacc_v0.parallel_env(mask_in_observation=False), num_cycles=50)
    with_mask = sabacc_v0.env(hands=2)
    env.reset(seed=5)
    with_mask.reset(seed=5)
    observation, *_, info = env.last()
    np.testing.assert_array_equal(observation, with_mask.last()[0]["observation"])
    agent = env.agent_selection
    env.step(int(info["action_mask"].argmin()))  # an illegal one
    assert env.rewards[agent] == -1


@pytest.mark.parametrize("form", ["dict", WHOLE], ids=str)
def test_a_dict_without_the_mask_is_refused(form):
    with pytest.raises(SabaccError, match="mask_in_observation: False is for"):
        sabacc_v0.env(observation=form, mask_in_observation=False)
    with pytest.raises(SabaccError, match="mask_in_observation"):
        sabacc_v0.env(mask_in_observation="no")


@pytest.mark.parametrize("form", ["tokens", "planes", "text"])
def test_saved_states_hold_every_form(form):
    """A restored vector environment observes what the saved one does, ends of episodes included."""
    envs, other = (make_vec(observation=form, opponents="tight", num_players=3) for _ in range(2))
    _, info = envs.reset(seed=8)
    ended = np.zeros(4, dtype=np.bool_)
    while not ended.any():
        seen, _, ended, _, info = envs.step(info["action_mask"].argmax(axis=1))
    state = envs.unwrapped.save_state()
    restored, _ = other.unwrapped.restore_state(SavedState.from_json(state.to_json()))
    for _ in range(10):
        assert comparable(restored) == comparable(seen)
        actions = info["action_mask"].argmax(axis=1)
        seen, _, _, _, info = envs.step(actions)
        restored, *_ = other.step(actions)
