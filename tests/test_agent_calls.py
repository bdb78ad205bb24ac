"""Agents that anyone may write: what is wrong with one is a sentence that names it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sabacc_env import IllegalMove, SabaccError, Tables, agent_calls
from sabacc_env.agent import Agent, RandomAgent
from sabacc_env.envs.opponents import Opponents
from sabacc_env.rules import load_rules
from tests.support.agents import Answering

RNG = np.random.default_rng(0)


MASKS = np.array([[1, 0, 1], [1, 1, 0]], dtype=np.int8)


def ask(agent: Agent) -> Any:
    return agent_calls.actions(agent, np.zeros((2, 400), np.float32), MASKS, RNG, np.array([4, 7]))


@pytest.mark.parametrize("answer", [[2, 1], (0, 0), np.array([2, 0], np.uint8)])
def test_legal_actions_of_any_whole_type(answer: Any) -> None:
    actions = ask(Answering(answer))
    assert actions.dtype == np.int64
    assert actions.tolist() == list(answer)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (None, r"must return whole numbers of shape \(2,\) from act, not None"),
        (0, "not 0"),
        ([0], r"not int64 of shape \(1,\)"),
        ([[0, 0]], r"not int64 of shape \(1, 2\)"),
        ([0.0, 0.0], r"not float64 of shape \(2,\)"),
        ([np.nan, 0], "not float64"),
        ([True, False], "not bool"),
        (["stand", "draw"], "not <U5"),
        ([[0], [0, 1]], "failed in act: ValueError: "),
        (
            ValueError("so\nbad"),
            r"failed in act: ValueError: so bad \(agents.py, line \d+\)",
        ),
        (KeyError(), r"failed in act: KeyError \("),
        (SabaccError("no such thing"), "no such thing"),
    ],
)
def test_what_is_no_action(answer: Any, words: str) -> None:
    with pytest.raises(
        SabaccError, match=rf"agent: '.*support.agents:Answering'.* {words}"
    ) as raised:
        ask(Answering(answer))
    assert "\n" not in str(raised.value)
    if isinstance(answer, Exception):
        assert raised.value.__cause__ is answer


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ([0, 2], "chose action 2 at table 7, where it is not legal; legal: 0, 1"),
        ([1, 0], "chose action 1 at table 4, where it is not legal; legal: 0, 2"),
        ([0, 3], "chose action 3 at table 7"),
        ([0, 64], "chose action 64 at table 7"),
        ([-1, 0], "chose action -1 at table 4"),
        (np.array([0, 2**63], np.uint64), f"chose action {2**63} at table 7"),
    ],
)
def test_what_is_not_legal(answer: Any, words: str) -> None:
    with pytest.raises(IllegalMove, match=rf"agent: '.*support.agents:Answering' {words}"):
        ask(Answering(answer))


def test_other_methods_that_fail_are_named_too() -> None:
    agent = Answering(ValueError("bad"))
    for call, method, arguments in (
        (agent_calls.reset, "reset", [2]),
        (agent_calls.restart, "restart", [np.zeros(1, np.int64)]),
        (agent_calls.memories, "memory", []),
        (agent_calls.restore_memories, "restore_memory", [[7]]),
    ):
        with pytest.raises(SabaccError, match=rf"Answering' failed in {method}: ValueError: bad"):
            call([agent], *arguments)
    with pytest.raises(SabaccError, match="failed in probabilities: ValueError: bad"):
        agent_calls.probabilities(agent, np.zeros((2, 400), np.float32), MASKS)


def test_a_game_check_that_fails_is_named() -> None:
    class Picky(RandomAgent):
        def check_game(self, *_: Any) -> None:
            raise KeyError("bug")

    rules = load_rules("casino")
    with pytest.raises(SabaccError, match=r"^agent: '.*Picky' failed in check_game: KeyError"):
        Opponents(rules, 1, 2, ("min",), Picky(rules, 2), None)


def test_only_agents_that_remember_are_asked_to() -> None:
    rules = load_rules("casino")
    without, mine = RandomAgent(rules, 2), Answering([3, 1])
    memories = agent_calls.memories([without, mine])
    assert memories == [None, [3, 1]]
    agent_calls.restore_memories([mine, without], memories)  # what nobody told goes to nobody


@pytest.mark.parametrize(
    "answer",
    [
        [1, 0, 0],
        [[1, 0, 0]],
        [[0, 1, 0], [1, 0, 0]],
        [[2, 0, -1], [1, 0, 0]],
        [[np.nan] * 3] * 2,
        [[1, 0, 0], [1, 1, 0]],
        [[0, 0, 0], [1, 0, 0]],
    ],
)
def test_what_is_no_distribution(answer: Any) -> None:
    with pytest.raises(SabaccError, match=r"must return an array of shape"):
        agent_calls.probabilities(Answering(answer), np.zeros((2, 400), np.float32), MASKS)


@pytest.mark.parametrize("told", [False, True])
def test_views_go_to_those_that_want_them_at_the_tables_asked_for(told: bool) -> None:
    class Viewer(RandomAgent):
        wants = "views with events" if told else "views"

        def act(self, observations: Any, *arguments: Any) -> Any:
            assert [view.seat for view in observations] == tables.seats_to_act[which].tolist()
            assert all((view.events is not None) == told for view in observations)
            return super().act(observations, *arguments)

    tables, which = Tables("casino", 5, 3, seed=1), np.array([3, 1])
    agent_calls.actions_at(Viewer(load_rules("casino"), 3), tables, which, RNG)
