"""verifiers: hands of its players, by a model on this machine; runs in its own environment."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("verifiers")

import verifiers.v1 as vf
from aiohttp import web
from sabacc_training.language.episode import TextEpisodes
from sabacc_training.language.task import text_task

from sabacc_env import SabaccError
from sabacc_env.game import Game
from sabacc_env.game.keys import hand_key
from sabacc_env.text import observation_text, parse_action

NONSENSE = "I would like to fly."


def answer(model: str, prompt: str) -> str:
    """Return what a model says: a move that the prompt lists, which the prompt decides."""
    if model == "nonsense":
        return NONSENSE
    return random.Random(prompt).choice(re.findall(r"^\d+: (.+)$", prompt, re.MULTILINE))


async def complete(request: web.Request) -> web.Response:
    """Answer as the server of a model does."""
    body = await request.json()
    if body["model"] == "broken":
        return web.json_response({"error": {"message": "no model"}}, status=400)
    said = answer(body["model"], body["messages"][-1]["content"])
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant"}}
    choice["message"] |= {"content": said}  # type: ignore[operator]
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    found = {"id": "1", "object": "chat.completion", "created": 0, "model": body["model"]}
    return web.json_response(found | {"choices": [choice], "usage": usage})


@contextlib.asynccontextmanager
async def served() -> AsyncIterator[str]:
    """Run the server on this machine; yield its address."""
    app = web.Application()
    app.router.add_post("/v1/chat/completions", complete)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0]
    try:
        yield f"http://{host}:{port}/v1"
    finally:
        await runner.cleanup()


def environment(players: dict[str, Any] | None = None, **keys: Any) -> Any:
    """Return the environment as ``vf-eval`` makes it."""
    config = {"taskset": {"id": "sabacc-verifiers", **keys}, **(players or {})}
    return vf.load_environment(vf.resolve_env_config(config))


def played(env: Any, num_episodes: int, model: str = "random") -> list[Any]:
    """Return the first episodes, of which many are played at once."""

    async def play() -> list[Any]:
        at_once = asyncio.Semaphore(16)
        async with served() as address, env.serving():
            client = vf.EvalClientConfig(base_url=address, api_key_var="NO_KEY")
            context = vf.ModelContext(model=model, client=client)
            slots = [slot for task in env.taskset.take(num_episodes) for slot in env.slots(task)]
            return list(
                await asyncio.gather(*(env.run_slot(slot, context, at_once) for slot in slots))
            )

    return asyncio.run(play())


def traces(episode: Any) -> dict[str, Any]:
    """Return the trace of each player of an episode that went well."""
    assert episode.ok, episode.errors
    found = {name: trace for name, (trace,) in episode.by_agent.items()}
    assert all(len(trace.branches) == 1 for trace in found.values())
    return found


def said(trace: Any, role: str) -> list[str]:
    """Return the messages of a trace that have a role."""
    return [message.content for message in trace.branches[0].messages if message.role == role]


@pytest.mark.parametrize(
    ("rules", "num_players", "num_hands"),
    [("one_draw", 2, 400), ("casino", 2, 400), ("spacers", 3, 200)],
)
def test_a_thousand_hands_of_self_play_are_those_of_game(
    rules: str, num_players: int, num_hands: int
) -> None:
    task = text_task(rules=rules, num_players=num_players, opponents=["text"])
    env = environment(rules=rules, num_players=num_players, opponents=["text"])
    for seed, episode in enumerate(played(env, num_hands)):
        key = next(
            key
            for key in [seed, *(hand_key(seed, attempt, 0) for attempt in range(1, 9))]
            if Game(task.rule_set, num_players, key=hand_key(key, 0, 0)).seat_to_act is not None
        )
        game = Game(task.rule_set, num_players, key=hand_key(key, 0, 0))
        game.set_episode_position(0, 1)
        prompts: dict[int, list[str]] = {}
        while (seat := game.seat_to_act) is not None:
            view = game.view(seat, events=True)
            prompts.setdefault(seat, []).append(observation_text(view, bet_sizes=task.bet_sizes))
            action = parse_action(answer("random", prompts[seat][-1]), view, task.bet_sizes)
            game.play(view.legal_actions(task.bet_sizes)[action])
        found, net_credits = traces(episode), game.net_credits
        assert net_credits is not None
        assert found.keys() == {f"player_{seat}" for seat in prompts}
        for seat, asked in prompts.items():
            trace = found[f"player_{seat}"]
            assert said(trace, "user") == asked
            assert said(trace, "assistant") == [answer("random", prompt) for prompt in asked]
            won = net_credits[seat] / task.rule_set.ante_unit
            assert trace.reward == trace.metrics["net_antes"] == pytest.approx(won)
            assert (trace.metrics["answers"], trace.metrics["refused"]) == (len(asked), 0)
            assert trace.agent.trainable
    assert len(env._idle) > 1  # for episodes were played at once, each at a table of its own


def test_one_seat_may_play_against_agents_whole_matches() -> None:
    keys: dict[str, Any] = {
        "rules": "orsl",
        "num_players": 3,
        "opponents": ["tight", "random"],
        "hands": 3,
    }
    episodes = TextEpisodes(text_task(**keys))
    for seed, episode in enumerate(played(environment(**keys), 12)):
        turn, prompts = episodes.reset(seed), []
        while not turn.done:
            prompts.append(turn.text)
            turn = episodes.step(answer("random", turn.text))
        (trace,) = traces(episode).values()
        assert trace.agent.name == f"player_{seed % 3}"
        assert said(trace, "user") == prompts
        assert trace.reward == episodes.results[turn.seat].net_antes


def test_seats_may_have_models_of_their_own_and_some_seats_agents() -> None:
    env = environment(
        {"player_3": {"model": "nonsense"}}, num_players=4, opponents=["tight", "text", "text"]
    )
    by_model: dict[str, list[Any]] = {"random": [], "nonsense": []}
    for seed, episode in enumerate(played(env, 8)):
        found = traces(episode)
        assert f"player_{(seed + 1) % 4}" not in found
        for trace in found.values():
            by_model[trace.agent.config.model].append(trace)
            assert trace.agent.trainable == (trace.agent.config.model == "random")
    assert all(trace.metrics["refused"] == 0 for trace in by_model["random"])
    for trace in by_model["nonsense"]:
        asked, turns = said(trace, "user"), trace.metrics["defaults"]
        assert trace.metrics["answers"] == trace.metrics["refused"] == 2 * turns > 0
        assert all(f"{NONSENSE!r} does not name" not in prompt for prompt in asked[:1])
        assert asked[1].startswith(f"{NONSENSE!r} does not name one move; legal: ")
        assert asked[1].endswith(asked[0])


def test_single_decisions_are_rewarded_by_their_regret() -> None:
    rewards = []
    for episode in played(environment(rules="one_draw", kind="decision"), 30):
        (trace,) = traces(episode).values()
        assert trace.reward == -trace.metrics["regret"] <= 0
        assert (trace.metrics["answers"], "net_antes" in trace.metrics) == (1, False)
        rewards.append(trace.reward)
    assert min(rewards) < 0


def test_regrets_of_whole_hands_are_metrics() -> None:
    env = environment(rules="one_draw", opponents=["text"], regrets=True)
    found = [trace for episode in played(env, 20) for trace in traces(episode).values()]
    assert all(trace.metrics["regret"] >= 0 for trace in found)
    assert sum(trace.metrics["regret"] for trace in found) > 0
    assert sum(trace.reward for trace in found) == pytest.approx(0)  # all seats, all antes


def test_a_player_at_its_limit_plays_the_default() -> None:
    (episode,) = played(environment({"player_0": {"max_turns": 1}}, opponents=["tight"]), 1)
    (trace,) = traces(episode).values()
    assert (trace.stop_condition, trace.num_turns) == ("max_turns", 1)
    assert trace.metrics["defaults"] > 0
    assert trace.metrics["answers"] == 1 + 2 * trace.metrics["defaults"]


def test_an_episode_fails_with_its_model() -> None:
    env = environment({"player_1": {"model": "broken"}}, opponents=["text"])
    (episode,) = played(env, 1)
    assert not episode.ok
    assert "player_1: no answer came (" in episode.errors[0].message
    assert not any(trace.ok or trace.rewards for trace in episode.traces)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"rules": "nowhere"}, 'rules: "nowhere" is not a rule set or a rung of the ladder'),
        ({"seat": 5}, "seat: 5 is not from 0 to 1"),
        ({"hands": "many"}, "hands\n.*valid integer"),
        ({"rule": "casino"}, "rule\n.*not permitted"),
        ({"opponents": ["nobody"]}, "unknown agent 'nobody'"),
        ({"rules": "one_draw", "variance_reduction": True}, "no value function ships"),
    ],
)
def test_what_is_wrong_is_said(keys: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        environment(**keys)


def test_another_taskset_is_refused() -> None:
    config = {"id": "sabacc-verifiers", "taskset": {"id": "openenv", "env": "echo"}}
    with pytest.raises(
        SabaccError, match="'openenv' is not for this table; give 'sabacc-verifiers'"
    ):
        vf.load_environment(vf.resolve_env_config(config))


def test_vf_eval_finds_it(tmp_path: Path) -> None:
    words = "--env.taskset.num-players 3 --env.taskset.hands 2 -n 2 -m random"
    words += " --no-push --no-rich --client.api-key-var NO_KEY --run.name test"
    opponents = ["--env.taskset.opponents", '["text", "tight"]']

    async def evaluate() -> int:
        async with served() as address:
            process = await asyncio.create_subprocess_exec(
                Path(sys.executable).parent / "vf-eval",
                "sabacc-verifiers",
                *words.split(),
                *opponents,
                *("--client.base-url", address, "--output-dir", tmp_path),
                stdout=subprocess.DEVNULL,
            )
            return await process.wait()

    assert asyncio.run(evaluate()) == 0
    lines = (tmp_path / "test" / "traces.jsonl").read_text().splitlines()
    episodes = [json.loads(line) for line in lines]
    assert [len(episode["traces"]) for episode in episodes] == [2, 2]
    assert all(episode["ok"] for episode in episodes)
