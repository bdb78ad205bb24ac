"""Agents that fail: a guard plays the stated default for them, and counts."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from sabacc_agents import load
from sabacc_agents.external.failures import Failure, RowsFailedError
from sabacc_training.evaluation.guarded_agent import (
    GuardedAgent,
    load_guarded,
)

from sabacc_env import Game, RuleSet, SabaccError, Tables, agent_calls, load_rules, rule_sets
from sabacc_env.actions import action_names, default_actions
from sabacc_env.policies import PolicyAgent, calling_station, policy
from tests.support.agents import Answering, decision, random_tables
from tests.support.random_play import random_move

RNG = np.random.default_rng(0)
NAMES = action_names()
MASKS = np.zeros((3, len(NAMES)), dtype=np.int8)
MASKS[0, [NAMES.index("check"), NAMES.index("raise max")]] = 1
MASKS[1, [NAMES.index("call"), NAMES.index("junk")]] = 1
MASKS[2, [NAMES.index("stand"), NAMES.index("draw")]] = 1
DEFAULTS = [NAMES.index(name) for name in ("check", "junk", "stand")]
TABLES = np.array([4, 0, 7])


def guarded(agent: Any) -> GuardedAgent:
    guard = GuardedAgent(agent)
    guard.hand_failures = np.zeros((8, 4), dtype=np.int64)
    return guard


def asked(guard: GuardedAgent) -> list[int]:
    actions = agent_calls.actions(guard, np.zeros((3, 400), np.float32), MASKS, RNG, TABLES)
    return actions.tolist()


def distributions(guard: GuardedAgent) -> Any:
    return agent_calls.probabilities(guard, np.zeros((3, 400), np.float32), MASKS)


def default_name(game: Game) -> str:
    _, mask = decision(game)
    return NAMES[default_actions(mask)[0]]


def test_the_default_of_every_phase() -> None:
    """As the table of ``default_actions`` says."""
    found: dict[str, set[str]] = {}
    rng = random.Random(0)
    house = RuleSet(look_then_discard=True, junk_when="cards")
    for rules in (*map(load_rules, rule_sets()), house):
        for seed in range(12):
            game = Game(rules, 3, seed=seed)
            while game.seat_to_act is not None:
                facing = max(game.bets) > game.bets[game.seat_to_act]
                second = game.drawn_card is not None
                key = f"{game.phase}{' facing' * facing}{' second' * second}"
                found.setdefault(key, set()).add(default_name(game))
                game.play(random_move(game, rng))
    assert found == {
        "betting": {"check"},
        "betting facing": {"junk", "call"},
        "cards": {"stand"},
        "cards second": {"keep", "discard_drawn"},
        "dice": {"redraw slot 0"},
    }


def test_a_call_is_the_default_only_where_nobody_may_junk_there() -> None:
    cards = RuleSet(junk_when="cards")
    for rules, name in ((cards, "call"), (RuleSet(), "junk")):
        game = Game(rules, 2, seed=1)
        while game.phase != "betting":
            game.play("stand" if game.phase == "cards" else game.legal_moves()[0])
        game.play("raise 1")
        assert default_name(game) == name


def test_an_agent_that_works_plays_as_without_a_guard() -> None:
    for name in ("tight", "random", "heuristic"):
        tables = random_tables("casino", 2)
        bare, guard = (load(name, "casino", 2) for _ in range(2))
        inside = GuardedAgent(guard)
        agent_calls.begin([bare], tables)
        agent_calls.begin([inside], tables)
        seen = tables.flat_observations, tables.action_masks
        one, two = np.random.default_rng(5), np.random.default_rng(5)
        assert bare.act(*seen, one).tolist() == inside.act(*seen, two).tolist()
        told: Any = agent_calls.probabilities(bare, *seen)
        assert np.array_equal(told, np.asarray(agent_calls.probabilities(inside, *seen)))
        assert not inside.failures
        assert not inside.hand_failures.any()


def test_only_the_illegal_rows_play_the_default() -> None:
    raise_max, draw = NAMES.index("raise max"), NAMES.index("draw")
    guard = guarded(Answering(np.array([raise_max, 99, draw], np.uint64)))
    assert asked(guard) == [raise_max, DEFAULTS[1], draw]
    assert guard.failures == {"illegal": 1}
    assert guard.hand_failures.sum() == guard.hand_failures[0, 2] == 1
    assert (
        "chose action 99 at table 0, where it is not legal; legal: 7, 8"
        in (guard.messages["illegal"])
    )


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (ValueError("no\nidea"), "crash"),
        (SabaccError("no"), "crash"),
        (SystemExit(1), "crash"),
        (RecursionError(), "crash"),
        (None, "unreadable"),
        ([1, 2], "unreadable"),
        ([1.0, 2.0, 3.0], "unreadable"),
        ("stand", "unreadable"),
        ([-1, 2**70, 0], "unreadable"),
        ([-1, 2**62, 5], "illegal"),
    ],
)
def test_whatever_is_wrong_plays_the_default_and_counts(answer: Any, kind: str) -> None:
    guard = guarded(Answering(answer))
    for calls in (1, 2):
        assert asked(guard) == DEFAULTS
        assert guard.failures == {kind: 3 * calls}
    counts = guard.hand_failures.sum(axis=1)
    assert counts.tolist() == [2, 0, 0, 0, 2, 0, 0, 2]
    assert list(guard.messages) == [kind]
    assert "\n" not in guard.messages[kind]
    assert np.array_equal(distributions(guard), np.eye(len(NAMES))[DEFAULTS])


def test_only_the_first_message_of_a_kind_is_kept() -> None:
    agent = Answering(ValueError("first"))
    guard = guarded(agent)
    asked(guard)
    agent.answer = ValueError("second")
    asked(guard)
    agent.answer = None
    asked(guard)
    assert guard.failures == {"crash": 6, "unreadable": 3}
    assert "ValueError: first" in guard.messages["crash"]
    assert "must return whole numbers" in guard.messages["unreadable"]


def test_rows_that_an_agent_says_failed_leave_the_others() -> None:
    draw = NAMES.index("draw")
    late = Failure("timeout", "no answer within 1 s")
    guard = guarded(Answering(RowsFailedError(np.array([0, 0, draw]), {0: late})))
    assert asked(guard) == [DEFAULTS[0], DEFAULTS[1], draw]
    assert guard.failures == {"timeout": 1, "illegal": 1}
    assert guard.hand_failures[4].tolist() == [0, 1, 0, 0]
    assert guard.hand_failures[0].tolist() == [0, 0, 1, 0]
    assert guard.messages["timeout"].endswith("Answering': no answer within 1 s")


def test_only_the_rows_without_a_distribution_fall_back() -> None:
    given = np.zeros(MASKS.shape)
    given[0, [NAMES.index("check"), NAMES.index("raise max")]] = 0.5
    given[1, NAMES.index("stand")] = 1  # not legal
    given[2, NAMES.index("draw")] = 0.9  # does not add up to 1
    guard = guarded(Answering(given.copy()))
    found = distributions(guard)
    assert np.array_equal(found[0], given[0])
    assert np.array_equal(found[1:], np.eye(len(NAMES))[DEFAULTS[1:]])
    assert guard.failures == {"illegal": 2}
    assert "must return an array of shape (3, 33) from probabilities" in guard.messages["illegal"]


def test_an_agent_that_makes_everything_legal_fools_nobody() -> None:
    class Writer(Answering):
        def act(self, *arguments: Any) -> Any:
            _, masks, _, tables = arguments
            masks[:] = 1
            tables[:] = 99
            return np.zeros(len(masks), dtype=int)

    guard = guarded(Writer(None))
    masks, tables = MASKS.copy(), TABLES.copy()
    actions = guard.act(np.zeros((3, 400), np.float32), masks, RNG, tables)
    assert actions.tolist() == [DEFAULTS[0], DEFAULTS[1], 0]
    assert guard.hand_failures[[4, 0, 7], 2].tolist() == [1, 1, 0]
    assert tables.tolist() == TABLES.tolist()


def test_calls_beside_decisions_fail_without_harm() -> None:
    guard = GuardedAgent(Answering(ValueError("bad")))
    guard.reset(3)
    assert guard.hand_failures.tolist() == [[1, 0, 0, 0]] * 3
    guard.restart(np.array([1]))
    assert guard.hand_failures[:, 0].tolist() == [1, 1, 1]
    assert guard.memory() is None
    guard.restore_memory([1])
    assert guard.failures == {"crash": 4}
    assert "failed in reset: ValueError: bad" in guard.messages["crash"]
    guard.agent = Answering([5])
    guard.restart(np.array([1]))
    assert guard.hand_failures[:, 0].tolist() == [1, 0, 1]
    assert guard.memory() == [5]


def test_what_an_agent_lacks_its_guard_lacks() -> None:
    class Bare:
        def reset(self, num_tables: int) -> None: ...

        def act(self, *_: Any) -> Any: ...

    guard = guarded(Bare())
    assert agent_calls.memories([guard]) == [None]
    assert not agent_calls.wants_views(guard)
    assert agent_calls.compiled_policy(guard) is None
    assert distributions(guard) is None
    agent_calls.check_game(guard, load_rules("casino"), 2, ("min",))
    agent_calls.restart([guard], TABLES)
    assert not guard.failures


def test_a_game_that_the_agent_refuses_is_no_failure() -> None:
    class Picky(Answering):
        wants = "views"

        def check_game(self, *_: Any) -> None:
            raise SabaccError("not made for this")

    guard = GuardedAgent(Picky(None))
    assert agent_calls.wants_views(guard)
    with pytest.raises(SabaccError, match="not made for this"):
        agent_calls.check_game(guard, load_rules("casino"), 2, ("min",))


def test_interruptions_pass() -> None:
    guard = guarded(Answering(KeyboardInterrupt()))
    for call in (lambda: asked(guard), lambda: distributions(guard), lambda: guard.reset(1)):
        with pytest.raises(KeyboardInterrupt):
            call()
    assert not guard.failures


def test_a_compiled_policy_is_passed_on_unless_it_is_none() -> None:
    assert agent_calls.compiled_policy(GuardedAgent(PolicyAgent(calling_station))) is (
        calling_station
    )

    class Wrong(Answering):
        compiled_policy = 5  # type: ignore[assignment]

    assert GuardedAgent(Wrong(None)).compiled_policy is None


@policy
def always_junk(_observation: Any, legal: int, word: int) -> int:
    return 8


def test_an_illegal_policy_is_refused_in_the_loop_and_counted_outside() -> None:
    guard = GuardedAgent(PolicyAgent(always_junk))
    tables = Tables("casino", 16, 2, seed=1)
    agent_calls.begin([guard], tables)
    assert guard.compiled_policy is not None
    with pytest.raises(SabaccError, match="not legal"):
        tables.play(guard.compiled_policy, decisions=10)
    actions = guard.act(tables.observations, tables.action_masks, RNG)
    assert tables.action_masks[np.arange(16), actions].all()
    assert guard.failures == {"illegal": 16}


def test_hands_of_an_agent_that_always_fails_go_to_their_end() -> None:
    for rules in rule_sets():
        tables = Tables(rules, 8, 3, seed=2)
        guard = GuardedAgent(Answering(ZeroDivisionError()))
        agent_calls.begin([guard], tables)
        while tables.hand_counts.min() < 3:
            tables.step(agent_calls.actions_at(guard, tables, np.arange(8), RNG))
            agent_calls.restart([guard], np.flatnonzero(tables.finished))
        assert set(guard.failures) == {"crash"}


def test_a_process_that_does_not_start_fails_in_every_decision() -> None:
    spec = "process:false"
    guard = load_guarded(lambda: load(spec, "casino", 2))
    guard.reset(8)
    assert not guard.failures
    assert asked(guard) == DEFAULTS
    assert guard.failures == {"crash": 3}
    assert guard.messages["crash"] == f"agent: {spec!r}: it ended with exit code 1"
    with pytest.raises(SabaccError, match="unknown agent 'nobody'"):
        load_guarded(lambda: load("nobody", "casino", 2))
