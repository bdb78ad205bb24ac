"""Environments whose episodes draw their rules from a space."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test

from sabacc_env import RuleSpace, SabaccError, SavedState, Tables, sabacc_v0
from sabacc_env.adapters.stable_baselines3 import SabaccVecEnv
from sabacc_env.agent import RandomAgent
from sabacc_env.engine.rules_record import rule_features
from sabacc_env.game.keys import hand_key
from sabacc_env.hand_ranks import HAND_NAMES
from sabacc_env.observation import blocks

SPACE = RuleSpace("house", num_rule_sets=40).split("train")
SMALL = RuleSpace("small", num_rule_sets=40)


def rules_seen(observation: Any) -> list[float]:
    return blocks(observation).rules.tolist()


def expected(rules: Any) -> list[float]:
    return [float(np.float32(value)) for value in rule_features(rules).values()]


def play_episode(env: Any) -> None:
    while env.agents:
        _, _, termination, truncation, info = env.last()
        legal = np.flatnonzero(info["action_mask"])
        env.step(None if termination or truncation else int(legal[len(legal) // 2]))


def test_every_reset_draws_rules_as_tables_do() -> None:
    env = sabacc_v0.env(rules=SPACE, num_players=3)
    played = []
    for episode in range(12):
        env.reset(seed=7 if episode == 0 else None)
        rules = env.unwrapped.rules
        assert SPACE.contains(rules)
        assert rules_seen(env.last()[0]["observation"]) == expected(rules)
        tables = Tables(SPACE, 1, 3, keys=[hand_key(7, episode, 0) % 2**64])
        assert tables.game(0).rules == rules
        played.append(rules.name)
        play_episode(env)
    assert len(set(played)) > 6


def test_a_seed_draws_the_same_rules_again() -> None:
    first, second = (sabacc_v0.parallel_env(rules=SPACE, hands=2) for _ in range(2))
    for seed in range(5):
        one, other = first.reset(seed=seed), second.reset(seed=seed)
        assert str(one) == str(other)
        assert first.unwrapped.rules == second.unwrapped.rules


def test_pettingzoos_own_tests_pass(recwarn: pytest.WarningsRecorder) -> None:
    api_test(sabacc_v0.env(rules=SMALL), num_cycles=300)
    parallel_api_test(sabacc_v0.parallel_env(rules=SMALL), num_cycles=300)


def test_one_seat() -> None:
    env: Any = gymnasium.make("Sabacc-v0", rules=SPACE, num_players=4, hands=2).unwrapped
    observation, info = env.reset(seed=3)
    played = set()
    for _ in range(150):
        assert rules_seen(observation) == expected(env.rules)
        played.add(env.rules.name)
        legal = np.flatnonzero(info["action_mask"])
        observation, _, over, _, info = env.step(legal[0])
        if over:
            observation, info = env.reset()
    assert len(played) > 8


def test_states_of_environments_go_on_with_their_rules() -> None:
    env: Any = gymnasium.make("Sabacc-v0", rules=SPACE, undo_steps=1).unwrapped
    env.reset(seed=1)
    state, rules = env.save_state(), env.rules
    for seed in range(2, 20):
        env.reset(seed=seed)
        if env.rules != rules:
            break
    for each in (state, SavedState.from_bytes(state.to_bytes())):
        env.reset(seed=seed)
        observation, _ = env.restore_state(each)
        assert env.rules == rules
        assert rules_seen(observation) == expected(rules)
        assert copy.deepcopy(env).rules == pickle.loads(pickle.dumps(env)).rules == rules
    other: Any = gymnasium.make("Sabacc-v0", rules=SMALL).unwrapped
    with pytest.raises(SabaccError, match="state: its rules, 'house/train', are not the rules"):
        other.restore_state(state)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_many_tables(mode: str) -> None:
    envs: Any = gymnasium.make_vec(
        "Sabacc-v0", num_envs=20, rules=SPACE, num_players=3, hands=2, autoreset_mode=mode
    )
    observations, info = envs.reset(seed=5)
    rng = np.random.default_rng(5)
    played: set[int] = set()
    named = 0
    for _ in range(120):
        tables = envs.learner.tables
        for table in range(20):
            if not envs._waiting[table]:
                rules = tables.rule_sets[tables.rule_of[table]]
                assert rules_seen(observations[table]) == expected(rules)
        played.update(tables.rule_of.tolist())
        masks = info["action_mask"]
        observations, _, over, _, info = envs.step((masks * rng.random(masks.shape)).argmax(1))
        rules_of_ends = envs.learner.rules_of_outcomes()
        for table, result in enumerate(envs.hand_results()):
            for name in (result or {"revealed_hands": {}})["revealed_hands"].values():
                assert name in dict(HAND_NAMES[rules_of_ends[table].ranking])
                named += 1
        for table in np.flatnonzero(over).tolist() if mode == "SameStep" else ():
            final = info["final_obs"][table]
            assert rules_seen(final) == expected(rules_of_ends[table])
    assert len(played) > 20
    assert named > 20
    states = envs.save_state(), SavedState.from_bytes(envs.save_state().to_bytes())
    futures = []
    for state in states:
        seen, told = envs.restore_state(state)
        for _ in range(20):
            seen, *_, told = envs.step(told["action_mask"].argmax(axis=1))
        futures.append((seen.tobytes(), envs.learner.tables.rule_of.tolist()))
    assert futures[0] == futures[1]


def test_the_margin_is_in_antes_of_each_hand() -> None:
    """A learner that plays as the others wins what they win, whatever the stakes are."""
    env = SabaccVecEnv(SPACE, num_envs=64, seed=1, reward_scale=1.0)
    env.reset()
    rng = np.random.default_rng(1)
    total, hands = 0.0, 0
    for _ in range(300):
        masks = env.action_masks()
        env.step_async((masks * rng.random(masks.shape)).argmax(axis=1))
        _, rewards, dones, _ = env.step_wait()
        total, hands = total + float(rewards.sum()), hands + int(dones.sum())
    counted, margin = env.margin_since()
    assert counted == hands > 1000
    assert abs(margin) < 5000
    assert abs(total / hands) < 20


# Refusals.


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"opponents": "heuristic"}, "opponents: 'heuristic' is made for one rule set; where ever"),
        ({"stacks": (5, 50)}, "stacks: episodes that draw their rules start with what the rules"),
        ({"sabacc_pots": (0, 5)}, "sabacc_pots: episodes that draw their rules start with what"),
        ({"num_players": 3}, "space: 1,000 draws from small gave no rules for 3 seats"),
        ({"num_players": "x"}, "num_players: 'x' is not a whole number"),
    ],
)
def test_what_does_not_fit_a_space_is_refused(settings: dict[str, Any], message: str) -> None:
    for make in (gymnasium.make, lambda name, **given: gymnasium.make_vec(name, 2, **given)):
        with pytest.raises(SabaccError) as refused:
            make("Sabacc-v0", rules=SMALL, **settings)
        assert str(refused.value).startswith(message)


def test_agent_objects_play_all_rules() -> None:
    rules = SMALL.episode_rules(0, 2)
    envs: Any = gymnasium.make_vec("Sabacc-v0", 2, rules=SMALL, opponents=RandomAgent(rules, 2))
    envs.reset(seed=1)

    class Particular(RandomAgent):
        def check_game(self, rules: Any, num_players: int, bet_sizes: Any) -> None:
            if rules.max_raises == 0:
                raise SabaccError("particular: it raises")

    with pytest.raises(SabaccError, match="particular: it raises"):
        gymnasium.make_vec("Sabacc-v0", 2, rules=SMALL, opponents=Particular(rules, 2))
