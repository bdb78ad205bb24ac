"""Compiles the engine before tests are collected: each process begins with another half of it.

What one process has compiled, the others find in the cache on disk. Without this all would compile
the same functions at the same time, because all collect all tests.
"""

from __future__ import annotations

import importlib
import os

import gymnasium
import numpy as np
from sabacc_training.solved_games.game_tree import flatten
from sabacc_training.solved_games.rung import load_rung

from sabacc_env import Game, Tables, load_rules
from sabacc_env.policies import PolicyAgent, calling_station, random_legal


def compile_single_games() -> None:
    """Compile what plays one game, walks a game tree and searches."""
    game = Game(load_rules("casino"), 2, seed=1)
    game.play(game.legal_moves()[0])
    importlib.import_module("sabacc_agents.search.heuristic")
    flatten(load_rung("one_draw"))


def compile_batches() -> None:
    """Compile what plays many games."""
    tables = Tables("casino", 2, 2, seed=1)
    tables.step(tables.action_masks.argmax(axis=1))
    tables.play(random_legal, 10)
    envs = gymnasium.make_vec("Sabacc-v0", num_envs=2, opponents=PolicyAgent(calling_station))
    _, infos = envs.reset(seed=1)
    envs.step(np.asarray(infos["action_mask"]).argmax(axis=1))


def pytest_configure() -> None:
    """Compile both halves in a process of pytest-xdist, which "gw0" and the like name."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    if not worker:
        return
    halves = [compile_single_games, compile_batches]
    for half in halves if int(worker[2:]) % 2 == 0 else reversed(halves):
        half()
