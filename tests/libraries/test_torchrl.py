"""TorchRL: masks reach its actors, its specs hold, and rewards are the results of hands."""

from __future__ import annotations

import gymnasium
import pytest

pytest.importorskip("torchrl")

import torch
from torchrl import envs

from sabacc_env import load_rules, sabacc_v0

ANTE = load_rules("casino").ante_unit

pytestmark = [
    pytest.mark.filterwarnings("ignore:PettingZoo in TorchRL is tested"),
    pytest.mark.filterwarnings("ignore:The given NumPy array is not writable"),
]


def batch(num_envs=32, **settings):
    tables = gymnasium.make_vec("Sabacc-v0", num_envs=num_envs, **settings)
    return envs.GymWrapper(tables, categorical_action_encoding=True)


def is_legal(masks, actions):
    return masks.gather(-1, actions[..., None]).bool()


@pytest.mark.parametrize(
    ("mode", "form"), [("Disabled", "dict"), ("Disabled", "flat"), ("SameStep", "flat")]
)
def test_specs_of_a_batch(mode, form):
    envs.check_env_specs(batch(4, autoreset_mode=mode, observation=form))


@pytest.mark.parametrize("form", ["dict", "flat"])
def test_specs_of_one_table(form):
    env = envs.GymEnv("Sabacc-v0", observation=form)
    envs.check_env_specs(env)
    env.close()


def test_masked_actions_of_a_batch_are_legal():
    env = envs.TransformedEnv(batch(observation="dict", autoreset_mode="Disabled"))
    env.append_transform(envs.ActionMask())
    rollout = env.rollout(60, break_when_any_done=False)
    assert rollout.shape == (32, 60)
    assert is_legal(rollout["action_mask"], rollout["action"]).all()
    ended = rollout["next", "done"]
    assert ended.sum() > 100
    assert (rollout["next", "reward"][~ended] == 0).all()
    assert rollout["next", "action_mask"][ended[..., 0]].all()  # all ones: no action counts
    first = rollout["observation"][:, 1:][ended[:, :-1, 0]]
    last = rollout["next", "observation"][:, :-1][ended[:, :-1, 0]]
    assert not torch.equal(first, last)  # tables were reset


@pytest.mark.parametrize("num_players", [2, 5])
@pytest.mark.parametrize("make", [sabacc_v0.env, sabacc_v0.parallel_env])
def test_every_seat_of_the_multi_agent_environments(make, num_players):
    turns = make is sabacc_v0.env
    table = make(num_players=num_players, mask_in_observation=False)
    env = envs.PettingZooWrapper(
        table,
        use_mask=turns,
        categorical_actions=True,
        group_map={"seats": table.possible_agents},
    )
    envs.check_env_specs(env)
    rollout = env.rollout(200, break_when_any_done=False)
    seats, later = rollout["seats"], rollout["next", "seats"]
    assert is_legal(seats["action_mask"], seats["action"]).all()
    assert (seats["action_mask"].all(dim=-1).sum(dim=-1) >= num_players - 1).all()
    if turns:
        assert (seats["mask"].sum(dim=-1) == 1).all()
        assert seats["mask"].any(dim=0).all()
    ended = later["info", "hand_finished"].bool().any(dim=-1)
    assert ended.sum() > 5
    net = later["info", "net_credits"][ended][:, 0]
    torch.testing.assert_close(later["reward"][ended][..., 0], net / ANTE)
    assert (later["reward"][~ended] == 0).all()
    env.close()
