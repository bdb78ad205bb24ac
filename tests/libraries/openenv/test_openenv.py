"""OpenEnv: hands in process and over its server; runs in its own environment."""

from __future__ import annotations

import contextlib
import random
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

pytest.importorskip("openenv")

from openenv.core.generic_client import GenericEnvClient
from sabacc_training.language.episode import TextEpisodes
from sabacc_training.language.openenv import SabaccAction, SabaccEnvironment
from sabacc_training.language.openenv_client import open_episodes
from sabacc_training.language.task import text_task

from sabacc_env import SabaccError, sabacc_v0
from sabacc_env.text import parse_action


def listed(text: str) -> list[str]:
    """Return the legal moves that a prompt lists."""
    return re.findall(r"^\d+: (.+)$", text, re.MULTILINE)


@contextlib.contextmanager
def served(*words: str) -> Iterator[str]:
    """Run ``sabacc openenv`` on this machine; yield its address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "sabacc_training", "openenv", *words, "--port", str(port)]
    with subprocess.Popen(command) as process:
        try:
            address = f"http://127.0.0.1:{port}"
            for _ in range(600):
                with contextlib.suppress(OSError):
                    urllib.request.urlopen(f"{address}/health").read()
                    break
                assert process.poll() is None
                time.sleep(0.1)
            yield address
        finally:
            process.terminate()


def play(client: GenericEnvClient, seed: int) -> tuple[list[str], float]:
    """Play an episode over the server with random moves; return its prompts and rewards."""
    rng = random.Random(seed)
    result = client.reset(seed=seed)
    prompts, won = [result.observation["text"]], 0.0
    while not result.done:
        result = client.step({"text": rng.choice(listed(prompts[-1]))})
        prompts.append(result.observation["text"])
        won += result.reward
    return prompts, won


def test_the_server_plays_the_same_episodes_at_once() -> None:
    episodes = TextEpisodes(text_task(rules="casino", opponents=["tight"], hands=2))
    with served("casino", 'opponents=["tight"]', "hands=2") as address:

        def played(seed: int) -> tuple[list[str], float]:
            with GenericEnvClient(base_url=address).sync() as client:
                found = play(client, seed)
                assert client.state()["seed"] == seed
                return found

        with ThreadPoolExecutor(8) as pool:
            over_the_server = list(pool.map(played, range(16)))
    for seed, found in enumerate(over_the_server):
        rng, turn = random.Random(seed), episodes.reset(seed)
        prompts, won = [turn.text], 0.0
        while not turn.done:
            turn = episodes.step(rng.choice(listed(turn.text)))
            prompts.append(turn.text)
            won += turn.reward
        assert found[0] == prompts
        assert found[1] == pytest.approx(won)


def test_decisions_over_the_server_are_those_in_process() -> None:
    """So a model is fine-tuned over a server as in process: it sees nothing but these turns."""
    task = text_task(rules="one_draw", kind="decision", retries=0)
    episodes, rng = TextEpisodes(task), random.Random(1)
    with (
        served("one_draw", "kind=decision", "retries=0") as address,
        open_episodes(address) as over_the_server,
    ):
        with pytest.raises(SabaccError, match=r"the server at .* gave no answer"):
            over_the_server.step("stand")
        for seed in range(2**32, 2**32 + 60):
            asked = episodes.reset(seed)
            assert over_the_server.reset(seed) == asked
            answer = rng.choice([*listed(asked.text), "Sugar, please."])
            assert over_the_server.step(answer) == episodes.step(answer)
    with pytest.raises(SabaccError, match="no OpenEnv server answers at"), open_episodes(address):
        pass


@pytest.mark.parametrize("num_players", [2, 4])
def test_a_thousand_hands_are_those_of_game_and_pettingzoo(num_players: int) -> None:
    """Opponents that draw no random numbers: the seat's own moves are all that there is."""
    env = SabaccEnvironment(
        text_task(rules="spacers", num_players=num_players, opponents=["tight"])
    )
    aec = sabacc_v0.raw_env("spacers", num_players)
    task = env._episodes.task
    tight = task.load("tight")
    rng, no_chance = random.Random(num_players), np.random.default_rng(0)
    for seed in range(500):
        observation, said = env.reset(seed=seed), []
        while not observation.done:
            said.append(rng.choice(listed(observation.text)))
            observation = env.step(SabaccAction(text=said[-1]))
        aec.reset(seed=seed)
        tight.reset(1)
        seat, won, answers = seed % num_players, 0.0, iter(said)
        for agent in aec.agent_iter():
            seen, reward, over, _, _ = aec.last()
            won += reward if agent == f"player_{seat}" else 0.0
            if over:
                aec.step(None)
            elif agent == f"player_{seat}":
                aec.step(parse_action(next(answers), aec.game.view(seat)))
            else:
                mask = seen["action_mask"][None].copy()
                (action,) = tight.act(seen["observation"][None], mask, no_chance)
                aec.step(int(action))
        assert won == pytest.approx(observation.reward)
        assert observation.net_antes == observation.reward
        assert next(answers, None) is None


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(SabaccError, match=r'opponents: "text" is not for OpenEnv'):
        SabaccEnvironment(text_task(opponents=["text"]))
    env = SabaccEnvironment(text_task(rules="one_draw", kind="decision"))
    with pytest.raises(SabaccError, match="no episode is in play"):
        env.step(SabaccAction(text="stand"))
    with pytest.raises(SabaccError, match="reset: 'rules' is not known"):
        env.reset(seed=1, rules="casino")
    first = env.reset(seed=1, episode_id="mine")
    refused = env.step(SabaccAction(text="Sugar, please."))
    assert (refused.done, refused.text) == (False, first.text)
    assert refused.refusal is not None
    over = env.step(SabaccAction(text=listed(first.text)[0]))
    assert over.done
    assert over.reward == -(over.regret or 0.0) <= 0
    state = env.state
    assert (state.episode_id, state.step_count, state.refused, state.defaults) == ("mine", 2, 1, 0)
