"""Episodes for language models: seats, rewards, exact regrets, refusals."""

from __future__ import annotations

from dataclasses import astuple
from typing import Any

import numpy as np
import pytest
from sabacc_training.language.episode import TextEpisodes, Turn
from sabacc_training.language.task import text_task

from sabacc_env import SabaccError, TextEnv


def episodes_of(**keys: Any) -> TextEpisodes:
    return TextEpisodes(text_task(**keys))


def played(episodes: TextEpisodes, seed: int, words: str) -> list[Turn]:
    turns = [episodes.reset(seed)]
    while not turns[-1].done:
        turns.append(episodes.step(words))
    return turns


@pytest.mark.parametrize("hands", [1, 3])
def test_an_episode_is_that_of_the_text_env(hands: int) -> None:
    episodes = episodes_of(
        rules="orsl", num_players=3, opponents=["tight", "maximiser"], hands=hands
    )
    for seed in range(6):
        turns = played(episodes, seed, "stand, or else check")
        seat = seed % 3
        others = {(seat + 1) % 3: "tight", (seat + 2) % 3: "maximiser"}
        game = episodes.task
        agents = {other: game.load(spec) for other, spec in others.items()}
        env = TextEnv("orsl", 3, agents=agents, hands=hands)
        env.reset(seed)
        prompts = []
        while env.seat_to_act is not None:
            prompts.append(env.prompt)
            env.step("stand, or else check")
        assert [turn.text for turn in turns] == [*prompts, env.text_for(seat)]
        assert {turn.seat for turn in turns} == {seat}
        assert sum(turn.reward for turn in turns) == pytest.approx(env.returns[seat])
        assert turns[-1].regret is turns[-1].value is None
        result, counts = episodes.results[seat], env.counts[seat]
        assert (result.answers, result.refused, result.defaults) == astuple(counts)


def test_several_seats_may_answer_in_words() -> None:
    episodes = episodes_of(rules="casino", num_players=4, opponents=["text", "tight", "text"])
    env = TextEnv("casino", 4, agents={(1 + 2) % 4: episodes.task.load("tight")})
    env.reset(seed=1)
    turn, words = episodes.reset(1), "I check, or else I stand."
    while not turn.done:
        assert (turn.seat, turn.text) == (env.seat_to_act, env.prompt)
        env.step(words)
        turn = episodes.step(words)
    assert env.seat_to_act is None
    results = episodes.results
    assert list(results) == [0, 1, 2]
    assert [result.net_antes for result in results.values()] == env.returns[:3]
    assert [result.reward for result in results.values()] == env.returns[:3]
    assert [result.answers for result in results.values()] == [
        counts.answers for counts in env.counts[:3]
    ]


def test_regrets_are_told_of_each_decision_of_a_rung() -> None:
    episodes = episodes_of(rules="one_draw", opponents=["random"], regrets=True, retries=0)
    regrets = []
    for seed in range(300):
        turns = played(episodes, seed, "raise")
        assert all(turn.value is not None for turn in turns[:-1])
        assert all(turn.regret >= 0 for turn in turns[1:] if turn.regret is not None)
        assert all(turn.regret is not None for turn in turns[1:])
        regrets.append(sum(turn.regret or 0.0 for turn in turns))
    assert np.mean(regrets) > 0.1  # who always raises loses


def test_single_decisions_are_rewarded_by_their_regret() -> None:
    episodes = episodes_of(rules="one_draw", kind="decision")
    rewards, phases = [], set()
    for seed in range(200):
        asked = episodes.reset(seed)
        assert asked.text == episodes.reset(seed).text
        phases.add(asked.text.partition("Now: ")[2].partition(".")[0])
        refused = episodes.step("hm")
        assert (refused.done, refused.reward, refused.regret) == (False, 0.0, None)
        assert refused.refusal is not None
        assert refused.value == asked.value
        turn = episodes.step("1")
        assert turn.done
        assert turn.reward == -(turn.regret or 0.0) <= 0
        rewards.append(turn.reward)
    assert len(phases) == 2  # cards and betting
    assert np.mean(rewards) < -0.01
    with pytest.raises(SabaccError, match=r"no episode is in play; call reset\(\)"):
        episodes.step("stand")


def test_the_answers_of_an_episode_are_counted() -> None:
    episodes = episodes_of(rules="casino", opponents=["tight"], retries=2, seat=1)
    episodes.reset(1)
    for _ in range(3):
        turn = episodes.step("I do not know.")
    assert turn.refusal is not None
    result = episodes.results[1]
    assert (result.answers, result.refused, result.defaults) == (3, 3, 1)
    episodes.reset(2)
    assert episodes.results[1].answers == 0


def test_before_an_episode_and_for_a_wrong_seed_there_is_one_sentence() -> None:
    episodes = episodes_of(rules="casino", opponents=["tight"])
    with pytest.raises(SabaccError, match=r"no episode is in play; call reset\(\)"):
        _ = episodes.results
    first = episodes.reset(seed=2)
    for wrong in (-1, 2**64, "one"):
        with pytest.raises(SabaccError, match="seed"):
            episodes.reset(wrong)  # type: ignore[arg-type]
    assert (episodes.seed, episodes.step("no idea").text) == (2, first.text)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"rules": "casino", "regrets": True}, "the game 'casino' is not solved"),
        ({"rules": "casino", "kind": "decision"}, "the game 'casino' is not solved"),
        ({"rules": "one_card", "regrets": True, "hands": 2}, "single hands only, not of 2 hands"),
        ({"seat": 2}, "seat: 2 is not from 0 to 1"),
        ({"num_players": 4, "opponents": ["tight", "loose"]}, "2 given; give one for all"),
        ({"kind": "chess"}, "kind"),
        ({"rules": "one_draw", "kind": "decision", "opponents": ["text"]}, "opponents: .*one seat"),
        ({"opponents": ["nobody"]}, "nobody"),
    ],
)
def test_wrong_tasks_are_named(keys: dict[str, Any], words: str) -> None:
    with pytest.raises(SabaccError, match=words):
        episodes_of(**keys)
