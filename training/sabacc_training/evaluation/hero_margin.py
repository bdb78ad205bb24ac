"""The margin of an agent, the hero, over copies of another, each deal played from every seat."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sabacc_env.actions import DEFAULT_BET_SIZES, BetSize
from sabacc_env.agent import Agent
from sabacc_env.array_types import Ints
from sabacc_env.envs.start_ranges import StartRanges
from sabacc_env.rules import RuleSet
from sabacc_env.tables import Tables
from sabacc_training.evaluation.margins import place_margins, seat_margins
from sabacc_training.evaluation.playing import DealTables, Observer, play_deals
from sabacc_training.statistics.estimate import MILLI, Estimate

MAX_TABLES: Final = 32_768
"""The largest number of hands played side by side."""

HandPlayer = Callable[[Tables, Ints, np.random.Generator], NDArray[np.float64]]
"""Plays a hand at each table, where the hero has one seat (num_tables,); returns net credits,
(..., num_tables, num_players): one or more estimates of them."""


def hero_margin(
    rules: RuleSet,
    hero: Agent,
    opponent: Agent,
    num_players: int,
    deals: int,
    seed: int,
    bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
    start_ranges: StartRanges | None = None,
    on_hands: Callable[[int], None] | None = None,
    observe: Callable[[DealTables], Observer] | None = None,
) -> Estimate:
    """Return the hero's margin over the mean of the others (at two seats half of it), mante/hand.

    Args:
        rules: the rule set.
        hero: takes each seat once in every deal.
        opponent: takes all other seats.
        num_players: seats at a table.
        deals: the number of deals, at least two.
        seed: seeds the deals and the agents' random numbers.
        bet_sizes: what the bet actions mean.
        start_ranges: credits and Sabacc pots are drawn from these for each deal; by default each
            deal starts from the rules' own.
        on_hands: called with the number of hands when hands have been played.
        observe: returns what sees every step at these tables.

    Raises:
        SabaccError: for an agent that fails or returns an illegal action.
    """
    rng = np.random.default_rng(seed)
    keys = rng.integers(2**64, size=deals, dtype=np.uint64)
    drawn = {} if start_ranges is None else start_ranges.draw(deals, rng)
    dealt = DealTables(
        rules,
        num_players,
        keys,
        bet_sizes=bet_sizes,
        credits=drawn.get("credits"),
        sabacc_pots=drawn.get("sabacc_pots"),
        num_tables=MAX_TABLES,
    )
    played = play_deals(
        dealt,
        (hero, *[opponent] * (num_players - 1)),
        [rng] * num_players,
        observers=[] if observe is None else [observe(dealt)],
        on_hands=None if on_hands is None else lambda net_credits: on_hands(len(net_credits)),
    )
    return Estimate.from_values(place_margins(played.net_credits, rules.ante_unit)[:, 0])


def deal_margins(
    rules: RuleSet,
    play: HandPlayer,
    num_players: int,
    deals: int,
    seed: int | np.random.SeedSequence,
    bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
    start_ranges: StartRanges | None = None,
    on_hands: Callable[[int], None] | None = None,
) -> NDArray[np.float64]:
    """Return the hero's margin in each deal, (..., deals), in mante/hand.

    Args:
        rules: as of ``hero_margin``, as are all others but two.
        play: plays the hands.
        num_players: seats at a table.
        deals: the number of deals.
        seed: seeds the deals and the random numbers of ``play``.
        bet_sizes: what the bet actions mean.
        start_ranges: what deals start from.
        on_hands: called with the number of hands when hands have been played.
    """
    rng = np.random.default_rng(seed)
    max_deals = MAX_TABLES // num_players
    parts = []
    for begin in range(0, deals, max_deals):
        count = min(max_deals, deals - begin)
        keys = rng.integers(2**64, size=count, dtype=np.uint64)
        drawn = {} if start_ranges is None else start_ranges.draw(count, rng)
        tables = Tables(
            rules,
            count * num_players,
            num_players,
            bet_sizes=bet_sizes,
            keys=np.tile(keys, num_players),
            credits=_for_each_seat(drawn.get("credits"), num_players),
            sabacc_pots=_for_each_seat(drawn.get("sabacc_pots"), num_players),
        )
        net = play(tables, np.arange(tables.num_tables) // count, rng)
        every = np.arange(tables.num_tables)
        margins = seat_margins(net, num_players)[..., every, every // count]
        parts.append(margins.reshape(*margins.shape[:-1], num_players, count).mean(axis=-2))
        if on_hands is not None:
            on_hands(tables.num_tables)
    return np.asarray(np.concatenate(parts, axis=-1) * MILLI / rules.ante_unit)


def _for_each_seat(drawn: Ints | None, num_players: int) -> Ints | None:
    """Return the draw of each deal once for each seat of the hero."""
    return None if drawn is None else np.concatenate([drawn] * num_players)
