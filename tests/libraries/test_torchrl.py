"""TorchRL: masks reach its actors, its specs hold, and rewards are the results of hands."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

pytest.importorskip("torchrl")

import torch
from torchrl import envs

from sabacc_env import load_rules, sabacc_v0
from tests.libraries.environments import page_script
from tests.support.strategies import tables

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


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Creating .*WeightUpdater:DeprecationWarning")
def test_the_training_of_its_page_learns():
    """Random play loses more than ten antes a hand to opponents that call every bet."""
    page = {"__name__": "page"}
    exec(page_script("torchrl"), page)
    first, last = (torch.cat(returns) for returns in (page["returns"][:2], page["returns"][-2:]))
    error = (first.var() / len(first) + last.var() / len(last)).sqrt()
    assert last.mean() - first.mean() > 4 * error


# The multi-agent environments, made as a user makes them.


def wrapped(form, settings, **keywords):
    """Return TorchRL's form of a multi-agent environment."""
    if form == "env":
        keywords["use_mask"] = True  # TorchRL insists
    return envs.PettingZooWrapper(getattr(sabacc_v0, form)(**settings), **keywords)


in_both_forms = pytest.mark.parametrize("form", ["env", "parallel_env"])


@in_both_forms
@pytest.mark.parametrize("return_state", [True, False])
@pytest.mark.parametrize("categorical_actions", [True, False])
@pytest.mark.parametrize("num_players", [2, 3, 8])
def test_specs_of_the_multi_agent_environments(
    form, num_players, categorical_actions, return_state
):
    keywords = {"categorical_actions": categorical_actions, "return_state": return_state}
    env = wrapped(form, {"num_players": num_players}, **keywords)
    envs.check_env_specs(env)
    rollout = env.rollout(30, break_when_any_done=False)
    assert len(rollout) == 30
    assert ("state" in rollout) == return_state
    env.close()


@in_both_forms
@settings(max_examples=8, deadline=None)
@given(table=tables(), hands=st.integers(1, 4), seed=st.integers(0, 2**32 - 1))
def test_specs_under_any_rules(form, table, hands, seed):
    rules, num_players = table
    stacks = rules.starting_credits
    # TorchRL gives an action in an episode that is over at its reset, by the antes.
    assume(stacks is None or np.min(stacks) > rules.ante_unit)
    env = wrapped(form, {"rules": rules, "num_players": num_players, "hands": hands}, seed=seed)
    envs.check_env_specs(env)
    env.close()


@in_both_forms
@pytest.mark.parametrize("num_players", [2, 5])
def test_every_seat_plays_legally_and_gets_what_its_hands_brought(form, num_players):
    chosen = {"num_players": num_players, "hands": 3}
    agents = [f"player_{seat}" for seat in range(num_players)]
    torch.manual_seed(0)
    env = wrapped(form, chosen, group_map={"seats": agents}, seed=0)
    table = env._env
    acted, finished, results, step = set(), 0, 0, env.reset()
    for _ in range(250):
        step = env.step(env.rand_action(step))
        seats = step["seats"]
        assert is_legal(seats["action_mask"], seats["action"]).all()
        (actor,) = (~seats["action_mask"].all(dim=-1)).nonzero()[:, 0].tolist()
        acted.add(actor)
        if form == "env":
            assert seats["mask"].nonzero()[:, 0].tolist() == [actor]
        expected = [0.0] * num_players
        if table.hands_finished > finished:
            results += 1
            expected = [credits / ANTE for credits in table.hand_result()["net_credits"]]
        assert step["next", "seats", "reward"][:, 0].tolist() == pytest.approx(expected)
        over = bool(step["next", "done"])
        step = env.reset() if over else envs.step_mdp(step)
        finished = table.hands_finished
    assert acted == set(range(num_players))
    assert results > 5
    env.close()
