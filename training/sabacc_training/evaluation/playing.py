"""Playing deals: each deal in every rotation of the agents, many tables side by side.

This is the one loop in which agents play each other for measurements: matches, margins and the
tasks of tournaments are made of it.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from sabacc_env import agent_calls
from sabacc_env.actions import DEFAULT_BET_SIZES, BetSize
from sabacc_env.agent import Agent, sample
from sabacc_env.array_types import Ints
from sabacc_env.engine.rules_record import starting_credits
from sabacc_env.game.keys import hand_key
from sabacc_env.rules import RuleSet
from sabacc_env.tables import Tables

NUM_TABLES: Final = 2048
"""Tables played side by side, unless fewer hands are wanted."""

N = TypeVar("N", bound=np.number[Any])

OnHands = Callable[[NDArray[np.int64]], None]
"""Called when episodes end, with (n, places) net credits of the agents."""


@dataclass(frozen=True, eq=False)
class PlayedDeals:
    """What the agents won over deals.

    In rotation r the agent at place p has seat (p + r) % places, with the same cards and dice.

    Attributes:
        net_credits: (deals, rotations, places) int64, of the whole episode.
        hands: (deals, rotations) int64, how many hands the episode had.
        ranks: (deals, rotations, places) float64: 1 for the best. Who went out later is better;
            of several who went out in one hand, or not at all, who has more credits. Equal ones
            share the mean.
    """

    net_credits: NDArray[np.int64]
    hands: NDArray[np.int64]
    ranks: NDArray[np.float64]

    @classmethod
    def unplayed(cls, deals: int, places: int) -> Self:
        """Return zeros for so many deals."""
        shape = deals, places, places
        return cls(
            np.zeros(shape, np.int64), np.zeros(shape[:2], np.int64), np.zeros(shape, np.float64)
        )


class DealTables:
    """Tables at which deals are played in all rotations, each table one deal after the other.

    Args:
        rules: the rule set.
        num_players: seats at each table.
        keys: (deals,), the key of each deal's first hand.
        bet_sizes: what the bet actions mean.
        hands: hands in an episode: a single one, or a match of at most so many. A match ends early
            when fewer than two seats can pay their antes.
        credits: credits before the antes: of each seat, or (deals, seats); by default the rules'.
        sabacc_pots: credits in the Sabacc pot before the antes: in all deals, or (deals,).
        num_tables: tables side by side, about. The random numbers of agents depend on it.

    Attributes:
        tables: the tables; those of each rotation stand one after the other.
        deals: (num_tables,) int64, the deal in play at each table.
        rotations: (num_tables,) int64.

    Raises:
        SabaccError: for credits or a Sabacc pot that these rules do not allow.
    """

    def __init__(
        self,
        rules: RuleSet,
        num_players: int,
        keys: NDArray[np.uint64],
        *,
        bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
        hands: int = 1,
        credits: int | Ints | None = None,
        sabacc_pots: int | Ints | None = None,
        num_tables: int = NUM_TABLES,
    ) -> None:
        self.num_deals, self.num_players = len(keys), num_players
        self._slots = max(1, min(self.num_deals, num_tables // num_players))
        self.rotations, self.deals = np.divmod(np.arange(num_players * self._slots), self._slots)
        self._keys = [int(key) for key in keys]
        self._begun = np.zeros(len(self.deals), dtype=np.int64)  # the hand count at its start
        self._credits = _per_deal(credits, starting_credits(rules, num_players), self.num_deals)
        self._pots = _per_deal(sabacc_pots, 0, self.num_deals)
        own = weakref.proxy(self)  # large tables go at once, not when cycles are collected
        self.tables = Tables(
            rules,
            len(self.deals),
            num_players,
            hands=hands,
            bet_sizes=bet_sizes,
            keys=lambda table, hand_count: own._key(table, hand_count),  # noqa: PLW0108 (no cycle)
            credits=None if credits is None else lambda table, _: own._credits[own.deals[table]],
            sabacc_pots=None
            if sabacc_pots is None
            else lambda table, _: own._pots[own.deals[table]],
        )
        self._stacks = self._credits[self.deals]
        self._gone = np.full_like(self._stacks, -1)  # the hand in which a seat went out
        self._least = least_stack(rules)

    def _key(self, table: int, hand_count: int) -> int:
        """Return the key of a hand: the deal's own, later in a match one that follows from it."""
        key = self._keys[self.deals[table]]
        hand = hand_count - int(self._begun[table])
        return hand_key(key, 0, hand) if hand else key

    def places(self, tables: Ints, seats: Ints) -> Ints:
        """Return which places sit on these seats, (n,), of these tables."""
        return (seats - self.rotations[tables]) % self.num_players

    def by_place(self, tables: Ints, by_seat: NDArray[N]) -> NDArray[N]:
        """Return rows by seat, (n, seats), as rows by place."""
        seats = self.rotations[tables, None] + np.arange(self.num_players)
        return np.take_along_axis(by_seat, seats % self.num_players, axis=1)

    def record(self, ended: Ints, played: PlayedDeals) -> Ints:
        """Record hands that ended at these tables; return the tables whose episode ended, too."""
        net = self.tables.net_credits[ended]
        self._stacks[ended] += net
        deals, rotations = self.deals[ended], self.rotations[ended]
        played.net_credits[deals, rotations] += self.by_place(ended, net)
        played.hands[deals, rotations] = self.tables.hand_counts[ended] - self._begun[ended]
        went = (self._gone[ended] < 0) & (self._stacks[ended] < self._least)
        self._gone[ended] = np.where(went, played.hands[deals, rotations, None], self._gone[ended])
        over = ended[self.tables.match_finished[ended]]
        ranks = match_ranks(self._gone[over], self._stacks[over])
        played.ranks[self.deals[over], self.rotations[over]] = self.by_place(over, ranks)
        return over

    def begin_next(self, over: Ints) -> Ints:
        """Begin the next deals of tables whose episodes ended; return those that have one."""
        going_on = over[self.deals[over] + self._slots < self.num_deals]
        if len(going_on):
            self.deals[going_on] += self._slots
            self._begun[going_on] = self.tables.hand_counts[going_on] + 1
            self._stacks[going_on] = self._credits[self.deals[going_on]]
            self._gone[going_on] = -1
            self.tables.restart(going_on)
        return going_on


class Observer(Protocol):
    """Sees every step of the loop at the tables that it was made for."""

    def before_step(
        self,
        playing: NDArray[np.int64],
        actions: NDArray[np.int64],
        probabilities: NDArray[np.float64],
    ) -> None:
        """See the actions about to be played at these tables, (n,).

        ``probabilities`` are (n, num_actions), rows of NaN for agents that do not tell theirs, or
        are not asked.
        """

    def after_step(self, playing: NDArray[np.int64]) -> object:
        """See these tables after the step, before any begins another deal."""


def play_deals(
    dealt: DealTables,
    agents: Sequence[Agent],
    rngs: Sequence[np.random.Generator],
    *,
    tell: bool = False,
    observers: Sequence[Observer] = (),
    on_hands: OnHands | None = None,
) -> PlayedDeals:
    """Play each deal once in every rotation of the agents.

    All episodes of a deal have the same key, and so the same deck, dice and dealer. A table begins
    its next deal as soon as its episode ends, so long hands delay no other table. The same
    arguments give the same result.

    Args:
        dealt: new tables.
        agents: one for each place, built for these rules, seats and bet sizes. One object may have
            several places: it is asked for all of them in one call.
        rngs: the random numbers of each place. An object draws from those of its first place.
        tell: whether to ask agents that tell their probabilities for these, and draw from them.
        observers: see every step.
        on_hands: called when episodes end.

    Raises:
        SabaccError: for an agent that fails or returns an illegal action.
    """
    tables, played = dealt.tables, PlayedDeals.unplayed(dealt.num_deals, len(agents))
    asked = list({id(agent): agent for agent in agents}.values())
    agent_of_place = np.array([[each is agent for each in asked].index(True) for agent in agents])
    own_rngs = [rngs[int((agent_of_place == index).argmax())] for index in range(len(asked))]
    agent_calls.begin(asked, tables)
    playing = np.arange(tables.num_tables)
    while len(playing):
        to_act = agent_of_place[dealt.places(playing, tables.seats_to_act[playing])]
        actions = np.empty(len(playing), dtype=np.int64)
        probabilities = np.full((len(playing), tables.action_masks.shape[1]), np.nan)
        for index, (agent, rng) in enumerate(zip(asked, own_rngs, strict=True)):
            rows = to_act == index
            at = playing[rows]
            if not len(at):
                continue
            told = agent_calls.probabilities_at(agent, tables, at) if tell else None
            if told is None:
                actions[rows] = agent_calls.actions_at(agent, tables, at, rng)
            else:
                actions[rows], probabilities[rows] = sample(told, rng), told
        for observer in observers:
            observer.before_step(playing, actions, probabilities)
        tables.step(actions, playing)
        for observer in observers:
            observer.after_step(playing)
        ended = playing[tables.finished[playing]]
        if not len(ended):
            continue
        over = dealt.record(ended, played)
        if on_hands is not None and len(over):
            on_hands(played.net_credits[dealt.deals[over], dealt.rotations[over]])
        going_on = dealt.begin_next(over)
        playing = np.setdiff1d(playing, np.setdiff1d(over, going_on), assume_unique=True)
        agent_calls.restart(asked, np.intersect1d(ended, playing, assume_unique=True))
    return played


def least_stack(rules: RuleSet) -> int:
    """Return the credits that keep a seat in a match; in a points game any number does."""
    return -(2**31) if rules.points else rules.ante_unit


def generator(seed: int, *path: int) -> np.random.Generator:
    """Return random numbers of their own for a seed and a path of numbers."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=path))


def deal_keys(seed: int, first: int, count: int) -> NDArray[np.uint64]:
    """Return the keys of consecutive deals of a seed, (count,).

    >>> np.array_equal(deal_keys(3, 0, 9)[4:], deal_keys(3, 4, 5))
    True
    """
    bits = np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(0,)))
    bits.advance(first)
    return np.random.Generator(bits).integers(2**64, size=count, dtype=np.uint64)


def _per_deal(given: int | Ints | None, default: object, deals: int) -> Ints:
    """Return what was given for all deals, or for each, as one row a deal; else the default."""
    row = np.asarray(default, dtype=np.int64)
    values = row if given is None else np.asarray(given, dtype=np.int64)
    return np.array(np.broadcast_to(values, (deals, *row.shape)))


def match_ranks(gone: Ints, stacks: Ints) -> NDArray[np.float64]:
    """Return the ranks of ``PlayedDeals`` in matches that are over.

    Args:
        gone: (n, seats), after how many hands each seat went out; negative for one that did not.
        stacks: (n, seats), the credits of each at the end.

    >>> match_ranks(np.array([[-1, 3, -1]]), np.array([[5, 0, 5]]))
    array([[1.5, 3. , 1.5]])
    """
    scores = (np.where(gone < 0, 2**30, gone) << 32) + stacks  # below 2**63
    other, own = scores[:, None, :], scores[:, :, None]
    return np.asarray(1 + (other > own).sum(axis=2) + ((other == own).sum(axis=2) - 1) / 2)
