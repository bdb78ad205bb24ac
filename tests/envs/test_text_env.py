"""``TextEnv``: seats that answer in words; ``test_round_trip`` plays whole hands of it."""

from __future__ import annotations

from typing import Any

import pytest

from sabacc_env import SabaccError, TextEnv, sabacc_v0
from sabacc_env.actions import STAND
from sabacc_env.hand_histories import read_hand_histories
from tests.support.toys import Bully, FirstLegal


def played(env: TextEnv, word: str = "1") -> list[str]:
    """Answer with the same word to the end; return all prompts."""
    prompts = []
    while env.seat_to_act is not None:
        prompts.append(env.prompt)
        env.step(word)
    return prompts


def test_what_is_refused_is_asked_for_again_and_then_the_default_is_played() -> None:
    env = TextEnv("casino", 2, retries=2)
    env.reset(seed=7)
    prompt = env.prompt
    for refused, words in enumerate(("", "raise to 40", "stand or draw"), start=1):
        answer = env.step(words)
        assert answer.refusal is not None
        assert answer.refusal.count("legal: stand, draw") == 1
        assert (env.counts[0].answers, env.counts[0].refused) == (refused, refused)
        assert (answer.move is None) == (env.prompt == prompt) == (refused < 3)
    assert str(answer.move) == "stand"
    assert answer.action == STAND
    assert env.counts[0].defaults == 1
    assert env.seat_to_act == 1
    assert env.step("nothing").move is None  # every turn may be asked for again
    assert env.counts[1].refused == 1
    assert env.counts[0].refused == 3


def test_without_retries_the_default_is_played_at_once() -> None:
    env = TextEnv("casino", 2, retries=0)
    env.reset(seed=7)
    assert str(env.step("?").move) == "stand"


@pytest.mark.parametrize("hands", [1, 4])
def test_agents_play_their_seats_as_in_a_match_of_pettingzoo(hands: int) -> None:
    first, bully = FirstLegal(None, 3), Bully(None, 3)
    env = TextEnv("spacers", 3, agents={0: first, 2: bully}, hands=hands)
    aec = sabacc_v0.raw_env("spacers", 3, hands=hands)
    for seed in range(5):
        env.reset(seed=seed)
        played(env, "the lowest number: action 0")
        aec.reset(seed=seed)
        returns = dict.fromkeys(aec.possible_agents, 0.0)
        for agent in aec.agent_iter():
            observation, reward, over, _, _ = aec.last()
            returns[agent] += reward
            mask = observation["action_mask"]
            if over:
                aec.step(None)
            elif agent == "player_1":  # words that are not legal: the default
                order = [6, 0, 8, *range(len(mask))]
                aec.step(0 if mask[0] else next(action for action in order if mask[action]))
            else:
                player = first if agent == "player_0" else bully
                aec.step(int(player.act([None], mask[None].copy(), None, [0])[0]))
        assert env.returns == list(returns.values())
        assert env.game.to_dict() == aec.game.to_dict()
    assert env.text_seats == (1,)
    assert ("restart", [0]) in first.calls or hands == 1


def test_the_same_seed_deals_the_same_and_draws_the_same() -> None:
    env = TextEnv("orsl", 4, agents={1: "random", 2: "random", 3: "random"}, hands=2)
    courses = []
    for seed in (3, 3, 4):
        env.reset(seed=seed)
        courses.append(played(env, "call, or check"))
    assert courses[0] == courses[1] != courses[2]
    assert courses[0]


def test_legal_moves_may_be_withheld() -> None:
    env = TextEnv("casino", 2, legal_moves=False)
    env.reset(seed=7)
    assert "legal moves" not in env.prompt
    assert str(env.step("I stand.").move) == "stand"


def test_the_end_is_told_to_each_seat(tmp_path: Any) -> None:
    env = TextEnv("casino", 2, record_hands=tmp_path / "hands.jsonl")
    env.reset(seed=7)
    played(env)
    assert all("Won and lost in credits" in env.text_for(seat) for seat in range(2))
    (hand,) = read_hand_histories(tmp_path / "hands.jsonl")
    assert hand.replay().history == env.game.history
    with pytest.raises(SabaccError, match=r"the episode is over; call reset\(\)"):
        env.step("stand")
    with pytest.raises(SabaccError, match="the episode is over"):
        _ = env.prompt


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"agents": {0: "random", 1: "random"}}, "leave at least one seat to who answers in words"),
        ({"agents": {2: "random"}}, "agents: the seat: 2 is not from 0 to 1"),
        ({"agents": {1: "nobody"}}, "nobody"),
        ({"agents": {1: object()}}, "is not an agent"),
        ({"agents": {1: Bully}}, "is not an agent"),
        ({"retries": -1}, "retries: -1"),
        ({"legal_moves": 2}, "legal_moves"),
        ({"rules": "chess"}, "chess"),
    ],
)
def test_wrong_arguments_are_named(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(SabaccError, match=words):
        TextEnv(**wrong)


def test_before_the_first_reset_it_says_so() -> None:
    for ask in (lambda env: env.prompt, lambda env: env.step("stand"), lambda env: env.game.phase):
        with pytest.raises(SabaccError, match="reset"):
            ask(TextEnv())


def test_what_is_no_text_is_refused() -> None:
    env = TextEnv()
    env.reset(seed=1)
    wrong: Any = 3
    with pytest.raises(SabaccError, match="text"):
        env.step(wrong)
    assert env.counts[0].answers == 0
