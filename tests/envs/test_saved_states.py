"""Saved states of all environments: copies, bytes, JSON and undo continue exactly."""

from __future__ import annotations

import copy
import json
import pickle
import random
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sabacc_env import Game, RuleSet, SabaccError, SavedState, load_rules, rule_sets, sabacc_v0
from tests.support.comparing import comparable
from tests.support.env_drivers import DRIVERS, Driver, anywhere
from tests.support.strategies import tables
from tests.support.toys import Counting

with_every_environment = pytest.mark.parametrize("kind", DRIVERS)


def assert_same_future(driver: Driver, twin: Driver, seed: int, steps: int = 15) -> None:
    assert twin.shown() == driver.shown()
    rngs = random.Random(seed), random.Random(seed)
    for _ in range(steps):
        driver.step(rngs[0])
        twin.step(rngs[1])
        assert twin.shown() == driver.shown()


WAYS: dict[str, Callable[[SavedState], SavedState]] = {
    "as it is": lambda state: state,
    "copy": copy.deepcopy,
    "pickle": lambda state: pickle.loads(pickle.dumps(state)),
    "bytes": lambda state: SavedState.from_bytes(state.to_bytes()),
    "JSON": lambda state: SavedState.from_json(state.to_json()),
    "JSON laid out anew": lambda state: SavedState.from_json(
        json.dumps(json.loads(state.to_json()), indent=2, sort_keys=True)
    ),
}


@with_every_environment
@pytest.mark.parametrize("rules", rule_sets())
def test_saved_states_have_the_same_future(rules: str, kind: str) -> None:
    rng = random.Random(f"{rules} {kind}")
    num_players = rng.randint(*load_rules(rules).seats)
    made = {"rules": rules, "num_players": num_players, "hands": rng.choice((1, 3))}
    driver, fresh = (DRIVERS[kind](**made) for _ in range(2))
    for _ in range(2):
        anywhere(driver, rng, most=40)
        state = driver.env.save_state()
        shown, written = driver.shown(), state.to_bytes()
        way = WAYS[rng.choice(list(WAYS))]
        copied = copy.deepcopy(driver.env)
        for twin in (
            fresh,
            driver.over(copied),
            driver.over(pickle.loads(pickle.dumps(copied))),
        ):
            if twin is fresh:
                twin.restore(way(state))
            for _ in range(rng.randrange(5)):  # what a copy plays leaves the state alone
                twin.step(rng)
            twin.restore(way(state))
            assert driver.shown() == shown
            assert state.to_bytes() == written
            assert twin.env.save_state() == state
            assert_same_future(driver, twin, seed=rng.getrandbits(32))
            driver.restore(state)
            assert driver.shown() == shown


@settings(max_examples=25, deadline=None)
@given(table=tables(), kind=st.sampled_from(list(DRIVERS)), seed=st.integers(0, 2**32 - 1))
def test_saved_states_of_any_rules(table: tuple[RuleSet, int], kind: str, seed: int) -> None:
    rules, num_players = table
    # Where the antes leave nobody a decision, environments refuse to play.
    assume(Game(rules, num_players, seed=seed).seat_to_act is not None)
    rng = random.Random(seed)
    driver, twin = (DRIVERS[kind](rules=rules, num_players=num_players, hands=2) for _ in range(2))
    anywhere(driver, rng, most=25)
    twin.restore(rng.choice(list(WAYS.values()))(driver.env.save_state()))
    assert_same_future(driver, twin, seed=rng.getrandbits(32), steps=15)


@with_every_environment
@pytest.mark.parametrize("rules", rule_sets())
def test_steps_are_taken_back(rules: str, kind: str) -> None:
    rng, play = random.Random(f"{rules} {kind}"), random.Random(1)
    for num_players in (2, load_rules(rules).seats[1]):
        driver = DRIVERS[kind](rules=rules, num_players=num_players, hands=3, undo_steps=20)
        driver.reset(rng.getrandbits(32))
        before: list[Any] = []
        taken_back = 0
        for _ in range(5):
            for _ in range(rng.randrange(20)):
                shown, chance = driver.shown(), play.getstate()
                match driver.step(play):
                    case "played":
                        before = [*before[-19:], (shown, chance, driver.shown())]
                    case "reset":
                        before = []
            for shown, chance, after in reversed(before[-rng.randrange(20) :]):
                driver.undo()
                assert driver.shown() == shown
                play.setstate(chance)
                driver.step(play)  # meets the same chance again
                assert driver.shown() == after
                driver.undo()
                before.pop()
                taken_back += 1
            if not before:
                with pytest.raises(SabaccError, match="undo: no earlier step since"):
                    driver.undo()
        assert taken_back > 3


# Wrappers.


def test_a_state_is_restored_within_a_loop_over_agents() -> None:
    env = sabacc_v0.env(num_players=3, undo_steps=1)
    env.reset(seed=1)
    state = env.save_state()
    acted: list[str] = []
    for agent in env.agent_iter():
        observation, _, terminated, _, _ = env.last()
        if len(acted) == 2:
            env.restore_state(state)
        elif len(acted) == 4:
            env.undo()
        else:
            env.step(None if terminated else int(observation["action_mask"].argmax()))
        acted.append(agent)
    assert acted[0] == acted[3]
    assert acted[3] == acted[5]
    assert str(env) == "sabacc_v0"


def test_an_environment_that_was_never_reset_is_as_good_as_one_that_was() -> None:
    env, fresh = (sabacc_v0.env(num_players=3) for _ in range(2))
    env.reset(seed=1)
    fresh.restore_state(env.save_state())
    assert fresh.agents == env.agents
    assert comparable(fresh.last()) == comparable(env.last())
    fresh.render()
    states = sabacc_v0.raw_env(num_players=3), sabacc_v0.parallel_env(num_players=3)
    for other in states:  # all three forms share their states
        other.restore_state(env.save_state())
        assert other.unwrapped.save_state() == env.save_state()


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_gymnasiums_wrappers_go_along_in_copies(copied: Callable[[Any], Any]) -> None:
    env: Any = gymnasium.make(
        "Sabacc-v0", num_players=3, hands=2, max_episode_steps=4, undo_steps=2
    )
    env.reset(seed=3)
    env.step(env.unwrapped.action_masks().argmax())
    twin = copied(env)
    ends = []
    for _ in range(20):
        action = env.unwrapped.action_masks().argmax()
        one, other = env.step(action), twin.step(action)
        assert comparable(one) == comparable(other)
        if one[2] or one[3]:
            ends.append(one[3])
            assert comparable(env.reset()) == comparable(twin.reset())
    assert True in ends
    env.step(0)
    twin.step(0)
    assert comparable(env.unwrapped.undo()) == comparable(twin.unwrapped.undo())


def test_an_opponent_that_refuses_its_memory_changes_nothing() -> None:
    class Forgetful(Counting):
        def restore_memory(self, memory: Any) -> None:
            if memory[0] == 77:
                raise ValueError("no such memory")
            super().restore_memory(memory)

    env: Any = gymnasium.make("Sabacc-v0", opponents=Forgetful("casino", 2)).unwrapped
    env.reset(seed=1)
    before = env.save_state()
    values = before.values | {"memories": [np.array([77])], "seat": 1 - env.seat}
    with pytest.raises(SabaccError, match="failed in restore_memory: ValueError: no such memory"):
        env.restore_state(SavedState(before.kind, before.made, values))
    assert env.save_state() == before


def test_what_an_opponent_remembers_must_be_plain_to_be_written() -> None:
    class Objecting(Counting):
        def memory(self) -> Any:
            return [object()]

    env: Any = gymnasium.make("Sabacc-v0", opponents=Objecting("casino", 2)).unwrapped
    env.reset(seed=1)
    for write in (SavedState.to_bytes, SavedState.to_json):
        with pytest.raises(
            SabaccError, match=r"^state: it cannot be written: object is neither plain data nor an"
        ):
            write(env.save_state())
