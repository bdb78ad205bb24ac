"""Opponents with a compiled policy: the engine plays them as if they had been asked."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from itertools import cycle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from sabacc_env import IllegalMove, SabaccError, Tables, load_rules, rule_sets
from sabacc_env.actions import DEFAULT_BET_SIZES, FIRST_BET, JUNK
from sabacc_env.agent import RandomAgent, agent_class
from sabacc_env.observation import COLUMNS
from sabacc_env.policies import PolicyAgent, always_raise, pick, policy, random_legal
from tests.support.agents import RULE_BASED
from tests.support.comparing import comparable
from tests.support.toys import AskedRandom, Counting, Historian

TOTAL = COLUMNS.own_total
JUNK_BIT = 1 << JUNK


@policy
def observant(observation, legal, _word):
    """Junk some hands, and else choose by what is observed, without chance."""
    seen = 7 * int(20 * observation.own_total[TOTAL.total]) + int(60 * observation.log_seats[0])
    if legal & JUNK_BIT and seen % 3 == 0:
        return JUNK
    return pick(legal, seen * 2654435761 & 0xFFFFFFFF)


@policy
def highest(_observation, legal, _word):
    """Choose the legal action of the highest number."""
    return pick(legal, 0xFFFFFFFF)


@policy
def lowest(_observation, legal, _word):
    """Choose the legal action of the lowest number."""
    return pick(legal, 0)


@policy
def wrong(_observation, legal, _word):
    """Choose an action that is not there."""
    return 62 if legal & 1 else pick(legal, 0)


class Quiet(PolicyAgent):
    """The agent of a policy that leaves the environment's random numbers alone where it is asked.

    So does the engine where it plays the policy.
    """

    def act(self, observations: Any, action_masks: Any, rng: Any, tables: Any = None) -> Any:
        return super().act(observations, action_masks, np.random.default_rng(0), tables)


class Asked(Quiet):
    """The same, but it does not tell of its policy, and so is asked."""

    def __init__(self, policy: Any) -> None:
        super().__init__(policy)
        self.compiled_policy = None  # type: ignore[assignment]


class Told(PolicyAgent):
    """The agent of a policy that is told where hands begin; it is never asked."""

    def __init__(self, policy: Any) -> None:
        super().__init__(policy)
        self.told: list[int] = []

    def restart(self, tables: Any) -> None:
        self.told += tables.tolist()

    def act(self, *arguments: Any) -> Any:
        raise AssertionError("asked")


PLAYING_ON = """
import json, pickle, sys
with open(sys.argv[1], "rb") as file:
    env = pickle.load(file)
steps = (env.step(env.action_masks().argmax(axis=1)) for _ in range(40))
print(json.dumps([step[1].tolist() for step in steps]))
"""


def make(num_envs: int = 16, **options: Any) -> Any:
    return gymnasium.make_vec("Sabacc-v0", num_envs, **options)


def course(env: Any, steps: int, *, illegal: bool = False, seed: int | None = 3) -> list[Any]:
    """Play random actions; return all that is returned, the learner's seats and all counts."""
    rng = np.random.default_rng(0)
    shown = [comparable(env.reset(seed=seed))]
    for _ in range(steps):
        masks = env.action_masks()
        actions = (rng.random(masks.shape) * masks).argmax(axis=1)
        if illegal:
            actions[rng.random(len(actions)) < 0.05] = FIRST_BET + 20
        shown.append(comparable(env.step(actions)))
        if env.metadata["autoreset_mode"] is AutoresetMode.DISABLED and env._waiting.any():
            options = {"reset_mask": env._waiting.copy()}
            shown.append(comparable(env.reset(options=options)))
        shown.append((env.learner.seats.tolist(), env.hand_results()))
    return [*shown, env.learner.margin_since()]


@pytest.mark.parametrize("mode", AutoresetMode, ids=lambda mode: mode.value)
@pytest.mark.parametrize("hands", [pytest.param(1, marks=pytest.mark.slow), 4])
@pytest.mark.parametrize("rules", rule_sets())
def test_it_is_as_if_they_had_been_asked(rules, hands, mode):
    players = 2, 3, load_rules(rules).seats[1]
    ended = 0
    for num_players in players:
        shown = [
            course(
                make(
                    8,
                    rules=rules,
                    num_players=num_players,
                    hands=hands,
                    autoreset_mode=mode,
                    opponents=kind(observant),
                    max_episode_steps=9,
                ),
                30,
                illegal=True,
            )
            for kind in (PolicyAgent, Asked)
        ]
        assert shown[0] == shown[1]
        ended += shown[0][-1][0]
    assert ended > 20 * len(players)


STARTS: dict[str, Any] = {"stacks": (2, 9), "equal_stacks": 0.5, "sabacc_pots": (0, 4)}


def test_among_agents_that_are_asked():
    """Each seat draws who plays it, and starts are drawn: at one table in the same order."""
    shown = []
    for kind in (PolicyAgent, Asked):
        opponents = [kind(observant), Counting(None, 4), kind(highest)]
        options: dict[str, Any] = {"weights": [2, 1, 1], "hands": 2, **STARTS}
        env = make(1, num_players=4, opponents=opponents, **options)
        shown.append(course(env, 800))
    assert shown[0] == shown[1]


def test_with_agents_that_want_views_all_are_asked():
    """Histories have every move, because no compiled policy plays one unseen."""
    historian = Historian(None, 3)
    env = make(num_players=3, opponents=[Quiet(observant), historian])
    other = make(num_players=3, opponents=[Asked(observant), historian])
    assert course(env, 60) == course(other, 60)


def test_an_agent_with_a_policy_is_told_of_hands_and_never_asked():
    agent = Told(random_legal)
    env = make(6, num_players=3, opponents=agent)
    env.reset(seed=0)
    agent.told.clear()
    counts = env.learner.tables.hand_counts.copy()
    while (env.learner.tables.hand_counts == counts).any():
        env.step(env.action_masks().argmax(axis=1))
    assert set(agent.told) == set(range(6))


class Lowest(RandomAgent):
    """Inherits a policy, and plays otherwise."""

    def act(self, observations: Any, action_masks: Any, rng: Any, tables: Any = None) -> Any:
        return action_masks.argmax(axis=1)


def test_a_subclass_with_an_act_of_its_own_is_asked():
    casino = load_rules("casino")
    env, other = (make(opponents=each) for each in (Lowest(casino, 2), Asked(lowest)))
    assert course(env, 40) == course(other, 40)


OPTIONS: list[dict[str, Any]] = [
    {"opponents": "random"},
    {"opponents": ["random", "tight", PolicyAgent(always_raise)], "hands": 3, **STARTS},
]


@pytest.mark.parametrize("options", OPTIONS, ids=["one", "several"])
def test_the_seed_decides_all_at_any_number_of_threads(options):
    env = make(num_players=3, **options)
    first = course(env, 60)
    assert course(env, 60) == first
    assert course(make(num_players=3, threads=3, **options), 60) == first
    assert course(env, 60, seed=4)[0] != first[0]


@pytest.mark.parametrize("options", OPTIONS, ids=["one", "several"])
def test_a_state_goes_on_as_before(options):
    adapter = pytest.importorskip("sabacc_env.adapters.stable_baselines3")

    def play(env: Any) -> list[Any]:
        masks = (env.action_masks() for _ in range(60))
        return [comparable(env.step(mask.argmax(axis=1))) for mask in masks]

    env = adapter.SabaccVecEnv("casino", 12, 3, seed=1, **options)
    env.reset()
    play(env)
    state = env.save_state()
    after = play(env)
    env.restore_state(state)
    assert play(env) == after
    other = adapter.SabaccVecEnv("casino", 12, 3, seed=2, threads=2, **options)
    other.restore_state(state)
    assert play(other) == after


def test_random_opponents_win_and_lose_as_when_asked():
    """Fair: against each other, and with the same spread."""
    rewards = []
    for agent in (RandomAgent(load_rules("casino"), 2), AskedRandom(load_rules("casino"), 2)):
        env = make(2048, opponents=agent, autoreset_mode=AutoresetMode.SAME_STEP)
        env.reset(seed=5)
        rng = np.random.default_rng(1)
        ends = []
        for _ in range(40):
            masks = env.action_masks()
            _, reward, ended, _, _ = env.step((rng.random(masks.shape) * masks).argmax(axis=1))
            ends.append(reward[ended])
        rewards.append(np.concatenate(ends))
    compiled, asked = rewards
    assert len(compiled) == pytest.approx(len(asked), rel=0.02)
    spread = np.hypot(*(np.std(each) / np.sqrt(len(each)) for each in rewards))
    assert abs(compiled.mean() - asked.mean()) < 4 * spread
    for most in (-5, -1, 0, 1, 5):
        shares = [(each <= most).mean() for each in rewards]
        assert shares[0] == pytest.approx(shares[1], abs=0.02)


RULES_AND_SIZES = [*zip(rule_sets(), cycle([DEFAULT_BET_SIZES, ("max", 2, "min")]), strict=False)]


@pytest.mark.parametrize("name", RULE_BASED)
@pytest.mark.parametrize(("rules", "bet_sizes"), RULES_AND_SIZES)
def test_a_registered_agents_policy_plays_as_the_agent(rules, name, bet_sizes):
    tables = Tables(rules, 64, 3, seed=1, hands=3, bet_sizes=bet_sizes)
    agent = agent_class(name)(tables.rules, 3, bet_sizes=bet_sizes)
    compiled, rng = PolicyAgent(agent.compiled_policy), np.random.default_rng(0)
    for step in range(60):
        seen = tables.observations, tables.action_masks
        actions = agent.act(*seen, rng)
        assert np.array_equal(compiled.act(*seen, rng), actions)
        tables.step(RandomAgent(tables.rules, 3).act(*seen, rng) if step % 2 else actions)


def test_a_pickled_environment_plays_on_in_another_process(tmp_path):
    """Where the compiled code is at other addresses."""
    env = make(6, opponents=["random", "calling_station"])
    env.reset(seed=1)
    path = tmp_path / "env"
    path.write_bytes(pickle.dumps(env))
    rewards = [env.step(env.action_masks().argmax(axis=1))[1].tolist() for _ in range(40)]
    command = [sys.executable, "-c", PLAYING_ON, str(path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert json.loads(done.stdout) == rewards


@pytest.mark.parametrize("opponents", [PolicyAgent(wrong), Asked(wrong)], ids=["compiled", "asked"])
def test_an_illegal_action_of_a_policy_is_one_sentence(opponents):
    env = make(opponents=opponents)
    with pytest.raises(IllegalMove, match=r"chose action 62 at table [0-9]+, where it") as raised:
        course(env, 30)
    assert "\n" not in str(raised.value)
    with pytest.raises(SabaccError, match="call reset first"):
        env.step(env.action_masks().argmax(axis=1))


class Mistaken(RandomAgent):
    compiled_policy = "random_legal"  # type: ignore[assignment]


def test_what_is_no_policy_is_refused():
    env = make(opponents=Mistaken(load_rules("casino"), 2))
    with pytest.raises(SabaccError, match="Mistaken' must have a policy as compiled_policy"):
        env.reset()
    for nothing in (None, "random_legal", 3):
        with pytest.raises(SabaccError, match=r"policy: .* is not one; make one with @policy"):
            PolicyAgent(nothing)
