"""Tasks: a tournament is a set of them, and each depends on nothing but itself."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass
from functools import cache, partial
from importlib import metadata
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sabacc_agents.external.failures import FAILURE_KINDS
from sabacc_agents.language_models import usage

from sabacc_env.engine.layout import KINDS
from sabacc_env.errors import IllegalMove, SabaccError
from sabacc_env.game import Game
from sabacc_env.hand_histories import HandHistory
from sabacc_env.hand_ranks import HAND_NAMES
from sabacc_env.storage.checksums import pack_with_checksum, unpack_checked
from sabacc_training.evaluation.guarded_agent import GuardedAgent, load_guarded
from sabacc_training.evaluation.playing import deal_keys, generator
from sabacc_training.evaluation.telling import with_told
from sabacc_training.tournaments.agent_files import file_digest, identity
from sabacc_training.tournaments.config import TournamentConfig
from sabacc_training.tournaments.formats import Lineup
from sabacc_training.tournaments.play import Play, play_by_asking, play_by_policies
from sabacc_training.tournaments.play_statistics import (
    MAX_TOTAL,
    ROUNDS,
    costliest,
)

FORMAT: Final = b"sabacc-env tournament task 3\n"
COSTLIEST: Final = 5
"""How many of the costliest hands a task keeps."""

ADDRESS: Final = re.compile("0x[0-9a-f]+")
"""An address in a message of an agent, which is another one in each process."""


@dataclass(frozen=True, order=True)
class Task:
    """Some deals of one lineup, each played in every rotation."""

    lineup: Lineup
    first_deal: int
    num_deals: int

    def __str__(self) -> str:
        last = self.first_deal + self.num_deals
        return f"deals {self.first_deal:,} to {last:,} of {' - '.join(self.lineup)}"

    @property
    def episodes(self) -> int:
        """How many episodes are played."""
        return self.num_deals * len(self.lineup)


@dataclass(frozen=True, eq=False)
class TaskResult:
    """What was played in a task.

    Attributes:
        arrays: ``net_credits`` (deals, rotations, places) int64; of matches also ``hands`` (deals,
            rotations) int64 and ``ranks`` (deals, rotations, places) float64, as in
            ``PlayedDeals``; with variance reduction ``corrections`` (deals, rotations, places)
            float64, so that net credits less corrections are the reduced ones; ``failures``
            (places, kinds) by ``FAILURE_KINDS``, ``restarts`` (places,) of processes, ``usage``
            (places, counts) of language models by ``usage.COUNTS``, and the counts of
            ``PlayStatistics``, int64.
        costliest: the hands that cost a place most, as ``costliest`` returns them.
        messages: of each place the first message of each kind of failure.
        hands: the hands that are recorded, as ``HandHistory.to_json`` writes them.
    """

    arrays: dict[str, NDArray[Any]]
    costliest: list[dict[str, Any]]
    messages: list[dict[str, str]]
    hands: list[str]


def all_tasks(config: TournamentConfig, deals: range) -> Iterator[Task]:
    """Yield the tasks of these deals, deal by deal, so that all lineups advance together.

    Lineups that several formats have in common are played once.
    """
    parts = [lineup_tasks(config, lineup, deals) for lineup in config.all_lineups]
    for tasks in zip(*parts, strict=True):
        yield from tasks


def lineup_tasks(config: TournamentConfig, lineup: Lineup, deals: range) -> Iterator[Task]:
    """Yield the tasks of these deals at one lineup, in order."""
    for first in range(deals.start, deals.stop, config.deals_per_task):
        yield Task(lineup, first, min(config.deals_per_task, deals.stop - first))


def play_task(config: TournamentConfig, task: Task) -> bytes:
    """Play a task and return its file's bytes, which depend on nothing else.

    A language model may answer otherwise each time, and so may a process.

    Raises:
        SabaccError: for an agent that cannot be loaded, or fails.
    """
    places = len(task.lineup)
    agents = [
        load_guarded(partial(config.load, config.entrants[name], places)) for name in task.lineup
    ]
    names = hashlib.sha256("\n".join(task.lineup).encode()).digest()
    stream = 1, int.from_bytes(names[:8]), task.first_deal
    keys = deal_keys(config.seed, task.first_deal, task.num_deals)
    rngs = [generator(config.seed, *stream, place) for place in range(places)]
    play = _played_by_policies(config, agents, keys, rngs) or play_by_asking(
        config, task.lineup, agents, keys, rngs
    )
    played = play.deals
    failures = [[agent.failures[kind] for kind in FAILURE_KINDS] for agent in agents]
    arrays: dict[str, NDArray[Any]] = {
        "net_credits": played.net_credits,
        "failures": np.array(failures, dtype=np.int64),
        "restarts": np.array([agent.restarts for agent in agents], dtype=np.int64),
        "usage": np.array([astuple(agent.usage) for agent in agents], dtype=np.int64),
        **play.counts,
    }
    if config.hands > 1:
        arrays |= {"hands": played.hands, "ranks": played.ranks}
    if play.corrections is not None:
        arrays["corrections"] = play.corrections
    header: dict[str, Any] = {
        "task": task_digest(config, task),
        "arrays": _layout(arrays),
        "costliest": costliest(played, task.first_deal, COSTLIEST, play.replay),
        "messages": [
            {kind: ADDRESS.sub("0x", text) for kind, text in sorted(agent.messages.items())}
            for agent in agents
        ],
    }
    if config.record_hands:
        header["hands"] = list(_recorded_hands(config, task, agents, play.replay))
    state = b"".join(np.ascontiguousarray(array).tobytes() for array in arrays.values())
    return pack_with_checksum(FORMAT, header, state)


def _recorded_hands(
    config: TournamentConfig,
    task: Task,
    agents: Sequence[GuardedAgent],
    replay: Callable[[int], list[Game]],
) -> Iterator[str]:
    """Yield the hands of a task that are recorded, deal by deal, in all rotations.

    The agents are asked again what they tell. What they have counted by now is written already.
    """
    places = len(task.lineup)
    for deal in range(task.num_deals):
        if (task.first_deal + deal) % config.record_hands:
            continue
        for rotation in range(places):
            seated = [(seat - rotation) % places for seat in range(places)]
            names = [task.lineup[place] for place in seated]
            origin = {"deal": task.first_deal + deal, "rotation": rotation}
            for game in replay(deal * places + rotation):
                hand = HandHistory.from_game(game, names, bet_sizes=config.bet_sizes, origin=origin)
                asked = [agents[place] for place in seated]
                yield with_told(hand, asked, config.bet_sizes).to_json()


def _played_by_policies(
    config: TournamentConfig,
    agents: Sequence[GuardedAgent],
    keys: NDArray[np.uint64],
    rngs: Sequence[np.random.Generator],
) -> Play | None:
    """Play deals in the compiled loop, if all agents have policies that never choose wrongly."""
    policies = [policy for agent in agents if (policy := agent.compiled_policy) is not None]
    if len(policies) < len(agents) or config.variance_reduction:
        return None
    try:
        return play_by_policies(config, policies, keys, rngs)
    except IllegalMove:  # the agents are asked, and the failure is counted
        return None


def read_task(config: TournamentConfig, task: Task, data: bytes) -> TaskResult | None:
    """Return what ``play_task`` wrote; None for bytes that are damaged or another task's."""
    try:
        header, state = unpack_checked(FORMAT, data)
    except SabaccError:
        return None
    digest, layout = task_digest(config, task), _expected_layout(config, task)
    hands = header.get("hands", [])
    match header:
        case {"task": d, "arrays": a, "costliest": list() as costliest, "messages": list() as told}:
            if d != digest or a != layout or len(told) != len(task.lineup):
                return None
            if not isinstance(hands, list):
                return None
        case _:
            return None
    arrays, at = {}, 0
    for name, kind, shape in layout:
        dtype, count = np.dtype(kind), math.prod(shape)
        if at + count * dtype.itemsize > len(state):
            return None
        arrays[name] = np.frombuffer(state, dtype, count, at).reshape(shape)
        at += count * dtype.itemsize
    return TaskResult(arrays, costliest, told, hands) if at == len(state) else None


def task_digest(config: TournamentConfig, task: Task) -> str:
    """Return a hash of everything that determines a task's bytes: the name of its file."""
    keys = "bet_sizes", "credits", "sabacc_pot", "hands", "seed", "num_tables"
    inputs: dict[str, Any] = {
        "version": version(),
        "rules": config.rule_set.digest,
        "lineup": [[name, identity(config.entrants[name].spec)] for name in task.lineup],
        "deals": [task.first_deal, task.num_deals],
        **{key: getattr(config, key) for key in keys},
        "variance_reduction": config.variance_reduction and _value_function_digest(config),
    }
    if config.record_hands:
        inputs["record_hands"] = config.record_hands
    return hashlib.sha256(json.dumps(inputs, sort_keys=True).encode()).hexdigest()[:32]


@cache
def version() -> str:
    """Return the version of this package; a task of another one is another task."""
    return metadata.version("sabacc-env")


def _value_function_digest(config: TournamentConfig) -> str:
    path = config.value_function_file
    return "baseline" if path is None else file_digest(path)


def _layout(arrays: dict[str, NDArray[Any]]) -> list[list[Any]]:
    """Return the name, the type and the shape of each array, as plain data."""
    return [[name, array.dtype.str, list(array.shape)] for name, array in arrays.items()]


def _expected_layout(config: TournamentConfig, task: Task) -> list[list[Any]]:
    """Return the layout of a task's arrays."""
    deals, places = task.num_deals, len(task.lineup)
    names, kinds = len(HAND_NAMES[config.rule_set.ranking]), len(KINDS)
    layout: list[list[Any]] = [
        ["net_credits", "<i8", [deals, places, places]],
        ["failures", "<i8", [places, len(FAILURE_KINDS)]],
        ["restarts", "<i8", [places]],
        ["usage", "<i8", [places, len(usage.COUNTS)]],
        ["moves", "<i8", [places, len(ROUNDS), MAX_TOTAL + 1, kinds]],
        ["moves_by_hand", "<i8", [places, names, kinds]],
        ["reveals", "<i8", [places, names, 2]],
    ]
    if config.hands > 1:
        layout += [
            ["hands", "<i8", [deals, places]],
            ["ranks", "<f8", [deals, places, places]],
        ]
    if config.variance_reduction:
        layout.append(["corrections", "<f8", [deals, places, places]])
    return layout
