"""Matches: two agents over duplicate deals, all tables in one batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sabacc_env import agent_calls
from sabacc_env.actions import DEFAULT_BET_SIZES, BetSize
from sabacc_env.agent import Agent
from sabacc_env.errors import SabaccError
from sabacc_env.rules import RuleSet
from sabacc_env.tables import Tables
from sabacc_training.evaluation.margins import Match

NUM_TABLES: Final = 2048
"""Tables played side by side, unless fewer hands are wanted."""

OnHands = Callable[[NDArray[np.int64]], None]
"""Told of hands as they end: (n, 2) net credits of the first and the second agent."""


def play_match(
    rules: RuleSet,
    agents: tuple[Agent, Agent],
    deals: int,
    seed: int,
    *,
    bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
    credits: int | None = None,
    sabacc_pot: int = 0,
    chance: int = 0,
    num_tables: int = NUM_TABLES,
    on_hands: OnHands | None = None,
) -> Match:
    """Play every deal twice, with seats exchanged, and return what each agent netted.

    Both hands of a deal have one key, so one deck, one set of dice and one dealer's seat. Every
    hand starts from the same stacks and Sabacc pot. A table whose hand ends takes its next deal
    at once, so long hands hold nobody up. The same arguments give the same result.

    Args:
        rules: what is played.
        agents: the two, as separate objects, built for these rules, two seats and bet sizes.
        deals: how many deals, at least two; twice as many hands.
        seed: decides the deals: deal d of a seed is the same whoever plays it, and however many
            there are. It decides the agents' chance too.
        bet_sizes: what the bet actions mean.
        credits: each seat's credits before the antes; by default the rules' own.
        sabacc_pot: credits in the Sabacc pot before the antes.
        chance: which of 2**32 independent sets of random numbers the agents draw from, so that
            pairs that share deals need not share those.
        num_tables: tables played side by side, at least two; it decides which of an agent's
            random numbers goes where, so a result depends on it.
        on_hands: told of hands as they end.

    Raises:
        SabaccError: for fewer than two deals, stakes that these rules do not know, or an agent that
            fails or gives what is no legal action.
    """
    if deals < 2:
        raise SabaccError(f"deals: {deals} are too few; an interval needs at least 2")
    slots = min(deals, num_tables // 2)
    keys = _stream(seed, 0).integers(2**64, size=deals, dtype=np.uint64)
    tables = Tables(
        rules,
        num_tables=2 * slots,  # first every slot's seating 0, then every slot's seating 1
        bet_sizes=bet_sizes,
        keys=lambda table, count: keys[(table % slots + count * slots) % deals],
        credits=credits,
        sabacc_pots=sabacc_pot or None,
    )
    agent_calls.begin(agents, tables)
    rngs = [_stream(seed, 1, chance, index) for index in (0, 1)]
    net = np.zeros((deals, 2, 2), dtype=np.int64)
    playing = np.arange(tables.num_tables)
    while len(playing):
        tables.step(_actions(tables, playing, playing // slots, agents, rngs), playing)
        ended = playing[tables.finished[playing]]
        if not len(ended):
            continue
        seating, slot = np.divmod(ended, slots)
        seats = np.stack([seating, 1 - seating], axis=1)  # of the first and the second agent
        by_agent = np.take_along_axis(tables.net_credits[ended], seats, axis=1)
        net[slot + (tables.hand_counts[ended] - 1) * slots, seating] = by_agent
        done = slot + tables.hand_counts[ended] * slots >= deals
        if not done.all():
            agent_calls.restart(agents, ended[~done])
        playing = np.setdiff1d(playing, ended[done], assume_unique=True)
        if on_hands is not None:
            on_hands(by_agent)
    return Match(net, rules.ante_unit)


def _stream(seed: int, *path: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=path))


def _actions(
    tables: Tables,
    playing: NDArray[np.int64],
    seating: NDArray[np.int64],
    agents: Sequence[Agent],
    rngs: Sequence[np.random.Generator],
) -> NDArray[np.int64]:
    """Ask each agent, in one call, for the actions where it is to act."""
    to_act = tables.seats_to_act[playing] ^ seating  # which agent, from which seat
    actions = np.empty(len(playing), dtype=np.int64)
    for index, agent in enumerate(agents):
        rows = to_act == index
        where = playing[rows]
        if len(where):
            actions[rows] = agent_calls.actions_at(agent, tables, where, rngs[index])
    return actions
