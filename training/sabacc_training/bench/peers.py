"""Benchmarks of peers, each in the fastest way we found to step it with an observation and a mask.

Peers are imported only when their benchmarks are made. Peers that are not installed are left out.
"""

from __future__ import annotations

import os
import random
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, Final

from sabacc_env.errors import how_to_install
from sabacc_training.bench.config import BenchConfig
from sabacc_training.bench.names import OPENSPIEL, PGX, TEXAS_RAW, TEXAS_WRAPPED
from sabacc_training.bench.pettingzoo_loop import turns_benchmark
from sabacc_training.bench.sampling import Benchmark, Play
from sabacc_training.jobs.stopwatch import Stopwatch

HOLDEM: Final = (
    "universal_poker(betting=nolimit,bettingAbstraction=fchpa,numPlayers=2,numRounds=4,"
    "blind=100 50,firstPlayer=2 1 1 1,stack=20000 20000,numSuits=4,numRanks=13,numHoleCards=2,"
    "numBoardCards=0 3 1 1)"
)
"""No-limit hold'em of two players: fold, call, half the pot, the pot, or all-in."""

HANDS: Final = 50
"""Hands of OpenSpiel in one call."""

STEPS: Final = 20
"""Steps of Pgx in one call."""


def peer_benchmarks(config: BenchConfig) -> Iterator[Benchmark | str]:
    """Yield benchmarks of the installed peers, and a sentence for each peer that is missing."""
    for peer, (modules, make) in PEERS.items():
        missing = [module for module in modules if find_spec(module) is None]
        if missing:
            yield f"{peer} was not measured: it needs {missing[0]}; {how_to_install('bench')}."
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                yield from list(make(config))
        except Exception as error:  # noqa: BLE001  a broken installation raises anything
            reason = f"{type(error).__name__}: {error}".splitlines()[0]
            yield f"{peer} was not measured: it is installed and does not work ({reason})."


def _openspiel(_: BenchConfig) -> Iterator[Benchmark]:
    """OpenSpiel's C++ no-limit hold'em, stepped from Python."""
    import pyspiel

    game, uniform = pyspiel.load_game(HOLDEM), random.Random(0).random
    terminal = int(pyspiel.PlayerId.TERMINAL)

    def play(clock: Stopwatch) -> int:
        decisions = 0
        with clock:
            for _ in range(HANDS):
                state = game.new_initial_state()
                while (player := state.current_player()) != terminal:
                    if player >= 0:
                        state.observation_tensor(player)
                        mask = state.legal_actions_mask()
                        legal = [action for action, allowed in enumerate(mask) if allowed]
                        decisions += 1
                    else:  # a card is dealt; all cards are equally likely
                        legal = state.legal_actions()
                    state.apply_action(legal[int(uniform() * len(legal))])
        return decisions

    yield Benchmark(OPENSPIEL, "peers", "decisions a CPU-second", play)


def _pgx(config: BenchConfig) -> Iterator[Benchmark]:
    """Pgx's Leduc hold'em, compiled by JAX for the CPU: one call a step, hands restarted."""
    with _one_core():
        import jax
        from pgx import make

        jax.config.update("jax_platforms", "cpu")
        play = _pgx_play(jax, make("leduc_holdem"), config.peer_tables)
    yield Benchmark(PGX, "peers", "decisions a CPU-second", play)


def _pgx_play(jax: Any, env: Any, num_tables: int) -> Play:
    from pgx.experimental.wrappers import auto_reset

    step = jax.vmap(auto_reset(env.step, env.init))

    def turn(state: Any, key: Any) -> Any:
        """Play a random legal action at every table."""
        key, choosing, dealing = jax.random.split(key, 3)
        legal = jax.numpy.cumsum(state.legal_action_mask, axis=1, dtype="uint32")
        nth = jax.random.bits(choosing, (num_tables,), "uint32") % legal[:, -1]
        actions = (legal > nth[:, None]).argmax(axis=1)
        return step(state, actions, jax.random.split(dealing, num_tables)), key

    compiled, key = jax.jit(turn), jax.random.key(0)
    state = jax.jit(jax.vmap(env.init))(jax.random.split(key, num_tables))

    def play(clock: Stopwatch) -> int:
        nonlocal state, key
        with clock:
            for _ in range(STEPS):
                state, key = compiled(state, key)
            jax.block_until_ready((state, key))
        return STEPS * num_tables

    return play


@contextmanager
def _one_core() -> Iterator[None]:
    """Make JAX see a single core, because it starts a thread for each core that it sees.

    More threads would do the same work at a higher cost in CPU-seconds, and JAX's own settings for
    one thread do not keep it from starting more.
    """
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def _texas_holdem(_: BenchConfig) -> Iterator[Benchmark]:
    """PettingZoo's no-limit hold'em, raw and wrapped, through the same loop as ours."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    from pettingzoo.classic import texas_holdem_no_limit_v6 as holdem

    yield turns_benchmark(TEXAS_RAW, "peers", holdem.raw_env())
    yield turns_benchmark(TEXAS_WRAPPED, "peers", holdem.env())


PEERS: Final[dict[str, tuple[tuple[str, ...], Callable[[BenchConfig], Iterator[Benchmark]]]]] = {
    "OpenSpiel": (("pyspiel",), _openspiel),
    "Pgx": (("jax", "pgx"), _pgx),
    "PettingZoo's texas_holdem_no_limit": (("rlcard", "pygame"), _texas_holdem),
}
"""The modules that each peer needs, and the function that yields its benchmarks."""
