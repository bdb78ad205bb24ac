"""How long a move takes where fifty people play at fifty tables at once."""

from __future__ import annotations

import random
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import numpy as np
import pytest
from sabacc_training.config.base import validated
from sabacc_training.play.config import PlayConfig
from sabacc_training.play.match import Match

from tests.support.play_server import Player, new_table, playing, serving

TABLES: Final = 50
MOVES: Final = 10
"""How many moves each person plays."""

AGENT: Final = "zoo:casino-2p"


def move_times(address: str, name: str, seed: int) -> list[float]:
    """Play at a table, a move about once a second; return the seconds until each was shown."""
    pauses = random.Random(seed)
    with playing(address, name) as player:
        return [move_time(player, pauses.uniform(0.5, 1.5)) for _ in range(MOVES)]


def move_time(player: Player, pause: float) -> float:
    while not player.wait_for_turn():
        player.send(type="deal", turn=player.table["turn"])
        next_state(player)
    time.sleep(pause)
    started = time.perf_counter()
    player.play(player.table["moves"][0]["move"])
    next_state(player)
    return time.perf_counter() - started


def next_state(player: Player) -> None:
    """Receive until something has happened at the table."""
    turn = player.table["turn"]
    while player.table["turn"] == turn:
        player.receive()


def agent_times() -> list[float]:
    """Return the seconds of each decision of an agent, with nothing else to do."""
    match = Match(validated(PlayConfig, {"seats": [AGENT, AGENT], "seed": 1}))
    times = []
    while not match.is_over:
        if not match.agent_is_to_act:
            match.deal()
            continue
        started = time.perf_counter()
        match.play_agent()
        times.append(time.perf_counter() - started)
    return times


@pytest.mark.slow
def test_a_move_is_shown_at_once_at_fifty_tables(tmp_path: Path) -> None:
    alone = np.median(agent_times())
    with serving(tmp_path) as (tables, address), ThreadPoolExecutor(TABLES) as people:
        names = [new_table(tables, "person", AGENT, seed=seed, hands=100) for seed in range(TABLES)]
        times = np.concatenate(
            list(people.map(move_times, [address] * TABLES, names, range(TABLES)))
        )
    median, most = np.quantile(times, (0.5, 0.95))
    print(
        f"{TABLES} tables: a move is shown after {1e3 * median:.0f} ms (median), "
        f"{1e3 * most:.0f} ms (95th percentile); an agent decides in {1e3 * alone:.1f} ms"
    )
    assert median < 1, "a person waits for a second, and the machine is no excuse"
