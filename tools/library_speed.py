"""Measure how fast libraries step Sabacc, each beside the example of its own documentation.

    python tools/library_speed.py gymnasium stable_baselines3

Every figure is the median of several rollouts in one process, with one thread for torch, by the
clock on the wall. [The pages of the libraries](../docs/libraries/index.md) have the results.
"""

from __future__ import annotations

import asyncio
import random
import socket
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, Final

import gymnasium
import numpy as np
from gymnasium.spaces import Discrete

from sabacc_env import sabacc_v0

Rollout = Callable[[], int]
"""Plays on, and returns how many steps that were."""

REPEATS: Final = 5
NUM_ENVS: Final = 1024


def steps_per_second(rollout: Rollout) -> float:
    """Return the steps a second of a rollout, the first one left out: it compiles and allocates."""
    rollout()
    rates = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        steps = rollout()
        rates.append(steps / (time.perf_counter() - started))
    return statistics.median(rates)


def agilerl_rollouts() -> Iterator[tuple[str, Rollout]]:
    """A DQN that acts for all seats, in turns, without learning."""
    from agilerl.algorithms import DQN
    from pettingzoo.classic import connect_four_v3

    def dqn_plays(env: Any) -> Rollout:
        env.reset()
        agent = env.possible_agents[0]
        space = gymnasium.spaces.flatten_space(env.observation_space(agent)["observation"])
        dqn = DQN(space, env.action_space(agent))

        def choose(seen: Any) -> int:
            return int(dqn.get_action(seen["observation"].ravel(), 0.1, seen["action_mask"])[0])

        return _turns(env, 50, choose)

    yield "`sabacc_v0.env()`", dqn_plays(sabacc_v0.env())
    yield "`connect_four_v3.env()`", dqn_plays(connect_four_v3.env())


def gymnasium_rollouts() -> Iterator[tuple[str, Rollout]]:
    """Random actions in Gymnasium's own loops, masked where there is a mask."""
    yield '`make("Sabacc-v0")`', _single(gymnasium.make("Sabacc-v0"))
    yield '`make("CartPole-v1")`', _single(gymnasium.make("CartPole-v1"))
    for name in ("Sabacc-v0", "CartPole-v1"):
        envs = gymnasium.make_vec(name, num_envs=NUM_ENVS)
        yield f'`make_vec("{name}", {NUM_ENVS})`', _vector(envs)


def _single(env: gymnasium.Env[Any, Any], steps: int = 2000) -> Rollout:
    def rollout() -> int:
        _, info = env.reset(seed=0)
        for _ in range(steps):
            *_, terminated, truncated, info = env.step(
                env.action_space.sample(info.get("action_mask"))
            )
            if terminated or truncated:
                _, info = env.reset()
        return steps

    return rollout


def _vector(envs: gymnasium.vector.VectorEnv[Any, Any, Any], steps: int = 50) -> Rollout:
    rng = np.random.default_rng(0)
    assert isinstance(envs.single_action_space, Discrete)
    every = np.ones((envs.num_envs, int(envs.single_action_space.n)), dtype=np.int8)

    def rollout() -> int:
        _, info = envs.reset(seed=0)
        for _ in range(steps):
            masks = info.get("action_mask", every)
            actions = (rng.random(masks.shape, np.float32) * masks).argmax(axis=1)
            *_, info = envs.step(actions)
        return steps * envs.num_envs

    return rollout


def pettingzoo_rollouts() -> Iterator[tuple[str, Rollout]]:
    """Random legal turns in PettingZoo's loop."""
    from pettingzoo.classic import connect_four_v3, texas_holdem_no_limit_v6

    yield "`sabacc_v0.env()`", _turns(sabacc_v0.env())
    yield "`texas_holdem_no_limit_v6.env()`", _turns(texas_holdem_no_limit_v6.env())
    yield "`connect_four_v3.env()`", _turns(connect_four_v3.env())


def _turns(env: Any, hands: int = 300, choose: Callable[[Any], int] | None = None) -> Rollout:
    rng = np.random.default_rng(0)

    def rollout() -> int:
        turns = 0
        for _ in range(hands):
            env.reset()
            for _ in env.agent_iter():
                observation, _, termination, truncation, _ = env.last()
                if termination or truncation:
                    env.step(None)
                else:
                    legal = observation["action_mask"].nonzero()[0]
                    env.step(choose(observation) if choose else int(rng.choice(legal)))
                    turns += 1
        return turns

    return rollout


def rllib_rollouts() -> Iterator[tuple[str, Rollout]]:
    """PPO as ``train`` runs it, its updates included, on RLlib's new API stack."""
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
    from ray.rllib.examples.envs.classes.multi_agent.tic_tac_toe import TicTacToe
    from ray.rllib.examples.rl_modules.classes.action_masking_rlm import (
        ActionMaskingTorchRLModule,
    )
    from ray.tune.registry import register_env

    names = {"observations": "flat", "action_mask": "action_mask"}
    masked = RLModuleSpec(module_class=ActionMaskingTorchRLModule)
    register_env("sabacc", lambda config: PettingZooEnv(sabacc_v0.env(**config)))

    def training(environment: Any, module: Any = None, **env_config: Any) -> Rollout:
        config = (
            PPOConfig()
            .environment(environment, env_config=env_config)
            .env_runners(num_env_runners=0, num_envs_per_env_runner=16)
            .training(minibatch_size=500, num_epochs=6)
        )
        if module is not None:
            config.rl_module(rl_module_spec=module)
        if environment in ("sabacc", TicTacToe):
            config.multi_agent(policies={"all"}, policy_mapping_fn=lambda *_, **__: "all")
        algorithm = config.build_algo()
        return lambda: int(algorithm.train()["env_runners"]["num_env_steps_sampled"])

    yield "one seat of `Sabacc-v0`", training("Sabacc-v0", masked, observation=names)
    yield "`CartPole-v1`", training("CartPole-v1")
    yield "self-play through `PettingZooEnv`", training("sabacc", masked, observation=names)
    yield "self-play of RLlib's `TicTacToe`, without masks", training(TicTacToe)


def stable_baselines3_rollouts() -> Iterator[tuple[str, Rollout]]:
    """PPO as ``learn`` runs it, its updates included."""
    from sb3_contrib import MaskablePPO
    from stable_baselines3 import PPO
    from stable_baselines3.common.env_util import make_vec_env

    from sabacc_env.adapters.stable_baselines3 import SabaccVecEnv

    settings: dict[str, Any] = {"n_steps": 32, "batch_size": 1024, "device": "cpu"}

    def learning(model: Any) -> Rollout:
        def rollout() -> int:
            model.learn(20_000)
            return int(model.num_timesteps)

        return rollout

    yield (
        "MaskablePPO on `SabaccVecEnv`, 128 tables",
        learning(MaskablePPO("MlpPolicy", SabaccVecEnv("casino", num_envs=128), **settings)),
    )
    yield (
        'PPO on `make_vec_env("CartPole-v1", 128)`',
        learning(PPO("MlpPolicy", make_vec_env("CartPole-v1", 128), **settings)),
    )


def openspiel_rollouts() -> Iterator[tuple[str, Rollout]]:
    """Random decisions in a loop in Python, with what a learner reads at each of them."""
    import pyspiel
    from sabacc_training.bench.peers import HOLDEM

    from sabacc_env.adapters.openspiel import load_game

    yield '`load_game("casino")`', _decisions(load_game("casino"))
    yield (
        '`load_game("casino", chance="sampled")`',
        _decisions(load_game("casino", chance="sampled")),
    )
    yield "`universal_poker`, no-limit hold'em", _decisions(pyspiel.load_game(HOLDEM))
    yield "`leduc_poker`", _decisions(pyspiel.load_game("leduc_poker"))


def _decisions(game: Any, hands: int = 300) -> Rollout:
    uniform = random.Random(0).random

    def rollout() -> int:
        decisions = 0
        for _ in range(hands):
            state = game.new_initial_state()
            while not state.is_terminal():
                legal = state.legal_actions()
                if not state.is_chance_node():
                    state.observation_tensor()
                    decisions += 1
                state.apply_action(legal[int(uniform() * len(legal))])  # chances are equal
        return decisions

    return rollout


def openenv_rollouts() -> Iterator[tuple[str, Rollout]]:
    """One client of a server on this machine: the first legal moves, beside an echo."""
    from openenv.core.env_server.http_server import create_app
    from openenv.core.env_server.interfaces import Environment
    from openenv.core.env_server.types import Observation, State
    from openenv.core.generic_client import GenericEnvClient
    from sabacc_training.language.openenv import SabaccAction, make_app
    from sabacc_training.language.task import text_task

    class Echo(Environment[SabaccAction, Observation, State]):  # type: ignore[misc]
        def reset(self, *args: Any, **kwargs: Any) -> Observation:
            return Observation()

        def step(self, action: SabaccAction, *args: Any, **kwargs: Any) -> Observation:
            return Observation(metadata={"said": action.text})

        @property
        def state(self) -> State:
            return State()

    def stepping(app: Any, steps: int = 500) -> Rollout:
        client = GenericEnvClient(base_url=_serve(app)).sync().connect()

        def rollout() -> int:
            over = True
            for _ in range(steps):
                over = client.reset().done if over else client.step({"text": "action 0"}).done
            return steps

        return rollout

    yield "`sabacc openenv`", stepping(make_app(text_task(opponents=["tight"])))
    yield "an echo", stepping(create_app(Echo, SabaccAction, Observation))


def verifiers_rollouts() -> Iterator[tuple[str, Rollout]]:
    """Self-play of a model on this machine that says one thing, beside players at no table."""
    import verifiers.v1 as vf
    from sabacc_training.language.verifiers_env import SabaccEnv, SabaccEnvConfig
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    async def complete(_: Request) -> JSONResponse:
        choice = {"index": 0, "finish_reason": "stop"}
        message = {"message": {"role": "assistant", "content": "action 0"}}
        found = {"id": "1", "object": "chat.completion", "created": 0, "model": "mine"}
        return JSONResponse(found | {"choices": [choice | message]})

    class Echo(SabaccEnv):
        async def run(self, task: Any, agents: Any) -> None:
            async with agents.player_0.interaction(task) as player:
                for _ in range(10):
                    await player.turn("Hello!")

    def playing(environment: type[SabaccEnv], episodes: int = 40) -> Rollout:
        address = _serve(Starlette(routes=[Route("/{path:path}", complete, methods=["POST"])]))
        client = vf.EvalClientConfig(base_url=address, api_key_var="NO_KEY")
        model = vf.ModelContext(model="mine", client=client)
        taskset = {"id": "sabacc-verifiers", "opponents": ["text"]}
        env = environment(SabaccEnvConfig(taskset=taskset))

        async def play() -> int:
            at_once = asyncio.Semaphore(16)
            async with env.serving():
                slots = [slot for task in env.taskset.take(episodes) for slot in env.slots(task)]
                runs = (env.run_slot(slot, model, at_once) for slot in slots)
                return sum(episode.num_turns for episode in await asyncio.gather(*runs))

        return lambda: asyncio.run(play())

    yield "`sabacc-verifiers`, 16 episodes at once", playing(SabaccEnv)
    yield "an echo, likewise", playing(Echo)


def _serve(app: Any) -> str:
    """Serve an application from a thread on this machine; return its address."""
    import uvicorn

    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
    arguments = {"sockets": [listening]}
    threading.Thread(target=server.run, kwargs=arguments, daemon=True).start()
    while not server.started:
        time.sleep(0.01)
    return f"http://127.0.0.1:{listening.getsockname()[1]}"


def rlcard_rollouts() -> Iterator[tuple[str, Rollout]]:
    """Random agents in RLCard's ``run``."""
    import rlcard
    from rlcard.agents import RandomAgent

    import sabacc_env.adapters.rlcard  # noqa: F401  registers "sabacc"

    def playing(name: str, hands: int = 300) -> Rollout:
        env = rlcard.make(name)
        env.set_agents([RandomAgent(env.num_actions) for _ in range(env.num_players)])

        def rollout() -> int:
            before: int = env.timestep
            for _ in range(hands):
                env.run()
            return int(env.timestep) - before

        return rollout

    yield '`make("sabacc")`', playing("sabacc")
    yield '`make("no-limit-holdem")`', playing("no-limit-holdem")


def torchrl_rollouts() -> Iterator[tuple[str, Rollout]]:
    """Random actions of ``env.rollout``, masked where there is a mask."""
    from torchrl.envs import ActionMask, GymWrapper, TransformedEnv

    def rollouts(env: Any, steps: int) -> Rollout:
        return lambda: int(env.rollout(steps, break_when_any_done=False).numel())

    def sabacc(num_envs: int) -> Any:
        tables = gymnasium.make_vec(
            "Sabacc-v0", num_envs=num_envs, observation="dict", autoreset_mode="Disabled"
        )
        return TransformedEnv(GymWrapper(tables, categorical_action_encoding=True), ActionMask())

    yield f'`make_vec("Sabacc-v0", {NUM_ENVS})`', rollouts(sabacc(NUM_ENVS), 50)
    cartpoles = gymnasium.make_vec(
        "CartPole-v1",
        num_envs=64,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": "Disabled"},
    )
    yield '`make_vec("Sabacc-v0", 64)`', rollouts(sabacc(64), 100)
    yield '`make_vec("CartPole-v1", 64)`', rollouts(GymWrapper(cartpoles), 100)


def tianshou_rollouts() -> Iterator[tuple[str, Rollout]]:
    """Collecting with an untrained DQN policy in eight environments."""
    from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
    from tianshou.data import Collector
    from tianshou.env import DummyVectorEnv
    from tianshou.utils.net.common import Net

    def collecting(name: str, num_features: int, **settings: Any) -> Rollout:
        envs = DummyVectorEnv([lambda: gymnasium.make(name, **settings)] * 8)
        actions = envs.action_space[0]
        net = Net(state_shape=num_features, action_shape=actions.n, hidden_sizes=[64, 64])
        policy = DiscreteQLearningPolicy(model=net, action_space=actions)
        collector = Collector(policy, envs)
        collector.reset()
        return lambda: int(collector.collect(n_step=4000).n_collected_steps)

    names = {"obs": "flat", "mask": "action_mask"}
    yield '`make("Sabacc-v0")`, 8 of them', collecting("Sabacc-v0", 400, observation=names)
    yield '`make("CartPole-v1")`, 8 of them', collecting("CartPole-v1", 4)


LIBRARIES: Final[dict[str, Callable[[], Iterator[tuple[str, Rollout]]]]] = {
    "agilerl": agilerl_rollouts,
    "gymnasium": gymnasium_rollouts,
    "openenv": openenv_rollouts,
    "openspiel": openspiel_rollouts,
    "pettingzoo": pettingzoo_rollouts,
    "rlcard": rlcard_rollouts,
    "rllib": rllib_rollouts,
    "stable_baselines3": stable_baselines3_rollouts,
    "tianshou": tianshou_rollouts,
    "torchrl": torchrl_rollouts,
    "verifiers": verifiers_rollouts,
}


def main(*libraries: str) -> None:
    """Print a table for each library named."""
    if not libraries or not set(libraries) <= set(LIBRARIES):
        sys.exit(f"usage: library_speed.py [{'|'.join(LIBRARIES)}]...")
    with suppress(ImportError):
        import torch

        torch.set_num_threads(1)
    for library in libraries:
        print(f"\n| {library} | steps a second |\n| --- | --- |")
        for name, rollout in LIBRARIES[library]():
            print(f"| {name} | {steps_per_second(rollout):,.0f} |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
