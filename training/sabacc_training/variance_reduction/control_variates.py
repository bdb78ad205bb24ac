"""Control variates for hands at tables: corrections that take most of the luck out (AIVAT).

For each chance event, the correction is the value of what happened less the expected value of what
could have happened; for each action of an agent that tells its probabilities, likewise. Every
correction has mean zero whatever the value function is, so net credits less corrections have the
mean of net credits (Burch et al., "AIVAT", AAAI 2018). The better the value function, the narrower
their interval.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from sabacc_env.array_types import Ints
from sabacc_env.engine.layout import MAX_SEATS
from sabacc_env.errors import SabaccError
from sabacc_env.tables import Tables
from sabacc_training.variance_reduction.lookahead import Lookahead
from sabacc_training.variance_reduction.rows import empty_rows, write_rows
from sabacc_training.variance_reduction.successors import (
    KINDS,
    Frontier,
    Settings,
    add_values,
    empty_frontier,
    expand,
    expand_waiting,
)
from sabacc_training.variance_reduction.values import (
    ValueFunction,
    shipped_value_function,
)

DEALS: Final = 16
"""How many other deals are sampled for each hand."""
DRAWS: Final = 12
"""How many other draws are sampled for each action that draws."""
WAITING: Final = 4096
"""Hands that wait for the value function, at least."""


class ControlVariates:
    """Corrections for the hands of a batch of tables, made before anything is played there.

    Call ``before_step`` before each step of the tables with what is played, and ``after_step``
    after it. Then ``corrections`` has those of the hands that ended, until the next call.

    Args:
        tables: the tables, on the CPU, all with one rule set.
        seed: seeds the samples of alternative chance, which depend on nothing else but the hand's
            key: give a seed that neither deals nor agents have.
        value_function: gives the values; by default the one that ships for these rules, or the
            baseline.
        styles: (num_tables, num_players) the style of the agent in each seat, as
            ``ValueFunction.style_of`` returns it; by default nobody is known.
        deals: how many other deals are sampled for each hand; 0 leaves the deal uncorrected, which
            loses nothing where every deal is played in all rotations.
        draws: how many other draws are sampled for each action that draws.
        lookahead: asks the agents of these tables; by default nobody is asked.

    Attributes:
        corrections: (num_tables, num_players) float64, credits: for the last hand that ended at
            each table; its net credits less these are the reduced ones.
        by_kind: (num_tables, 4, num_players) float64: the same, by ``KINDS``.

    >>> tables = Tables("casino", num_tables=3, seed=0)
    >>> variates = ControlVariates(tables, seed=1)
    >>> playing, actions = np.arange(3), np.zeros(3, dtype=np.int64)
    >>> variates.before_step(playing, actions, np.full(tables.action_masks.shape, np.nan))
    >>> tables.step(actions)
    >>> variates.after_step(playing)
    array([], dtype=int64)
    """

    def __init__(
        self,
        tables: Tables,
        seed: int,
        value_function: ValueFunction | None = None,
        *,
        styles: Ints | None = None,
        deals: int = DEALS,
        draws: int = DRAWS,
        lookahead: Lookahead | None = None,
    ) -> None:
        self._tables = tables
        self._values = (
            shipped_value_function(tables.rules) if value_function is None else value_function
        )
        low, high = np.random.SeedSequence(seed).generate_state(2)
        self._settings = Settings(deals, draws, int(low), int(high))
        n, num_actions = tables.action_masks.shape
        self._room = 2 + deals + num_actions * 3 * draws
        self._lookahead = lookahead
        self._frontier, self._following = (empty_frontier(WAITING + self._room) for _ in range(2))
        self._rows = empty_rows(WAITING + self._room, n)
        if styles is not None:
            self._rows.styles[:, : tables.num_players] = styles
        self._streams = np.zeros((n, 2), np.int64)
        self._fresh = np.ones(n, np.bool_)
        self._sums = np.zeros((n, len(KINDS), MAX_SEATS))
        self.by_kind = np.zeros((n, len(KINDS), tables.num_players))
        self.corrections = np.zeros((n, tables.num_players))

    def before_step(self, playing: Ints, actions: Ints, probabilities: NDArray[np.float64]) -> None:
        """Correct for the actions that are about to be played, and for what follows them.

        Args:
            playing: distinct tables, (n,).
            actions: a legal action for each, (n,).
            probabilities: (n, num_actions) with which the agents chose; a row of NaN for an agent
                that does not tell.

        Raises:
            SabaccError: for probabilities of another shape.
        """
        shape = len(playing), self._tables.action_masks.shape[1]
        if probabilities.shape != shape:
            raise SabaccError(
                f"probabilities: give an array of shape {shape}, not {probabilities.shape}"
            )
        begin = 0
        while begin < len(playing):
            begin = expand(
                self._tables.games,
                self._frontier,
                self._settings,
                self._streams,
                self._fresh,
                self._sums,
                playing,
                actions,
                probabilities,
                begin,
                self._room,
            )
            self._add_frontier()

    def _add_frontier(self) -> None:
        """Add the values of all hands that wait to the corrections, and empty the frontier."""
        frontier = self._frontier
        ahead = np.zeros(int(frontier.counters[0]), np.bool_)
        if self._lookahead is not None:
            ahead = self._lookahead.chosen(frontier)
            chosen = np.flatnonzero(ahead)
            self._look_ahead(chosen, self._lookahead.probabilities(frontier, chosen))
        self._add(frontier, np.flatnonzero(~ahead))
        frontier.counters[0] = 0

    def _look_ahead(self, chosen: Ints, probabilities: NDArray[np.float64]) -> None:
        """Add the values of what may follow these hands that wait, by these probabilities."""
        following, begin = self._following, 0
        while begin < len(chosen):
            begin += expand_waiting(
                self._tables.games,
                self._frontier,
                chosen[begin:],
                probabilities[begin:],
                following,
                self._settings,
                self._streams,
                self._sums,
                self._room,
            )
            self._add(following, np.arange(int(following.counters[0])))
            following.counters[0] = 0

    def _add(self, frontier: Frontier, indices: Ints) -> None:
        """Add the value function's values of these hands to the corrections."""
        games, tables = self._tables.games, frontier.tables[indices]
        write_rows(frontier.games[indices], tables, games.rules, games.rule_of, self._rows)
        add_values(frontier, indices, self._values.values(self._rows), self._sums)

    def after_step(self, playing: Ints) -> NDArray[np.int64]:
        """Write the corrections of hands that ended, and return the tables where they did."""
        ended = playing[self._tables.finished[playing]]
        self.by_kind[ended] = self._sums[ended, :, : self._tables.num_players]
        self.corrections[ended] = self.by_kind[ended].sum(axis=1)
        self._sums[ended] = 0
        self._fresh[ended] = True
        return ended
