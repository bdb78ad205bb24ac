"""What a network looks at: an observation, and how near zero each card action leaves the hand.

A hand's worth turns on its total being zero, which is hard to learn from card values: the total
after swapping slot 2, say, is a sum of three features of which only the exact value 0 matters.
So a network is shown these totals, as it would be shown the board of another game. They say nothing
that the observation does not: each is a sum of its features.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Self

import numpy as np

from sabacc_agents.scripted.decoding import Floats, Ints
from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import Array
from sabacc_env.errors import SabaccError
from sabacc_env.observation import OBSERVATION_SIZE, Blocks, blocks
from sabacc_env.rules import RuleSet

NEAR: Final = 4.0
"""Totals less than this far from zero are told from others."""

TERMS: Final = 3
"""A total is the sum of at most so many features."""

Sum = tuple[tuple[int, float], ...]
"""Features, each with what it is multiplied by, the lowest feature first."""


@dataclass(frozen=True, eq=False)
class Outlook:
    """Which features are shown, and of which sums of features three views: the totals.

    Attributes:
        columns: (c,) the features that are shown as they are.
        terms: (t, 3) the features that each total is the sum of.
        factors: (t, 3) what each is multiplied by; 0 where a total has fewer.
    """

    columns: Ints
    terms: Ints
    factors: Floats

    @classmethod
    def on(cls, rule_sets: Sequence[RuleSet], num_players: int) -> Self:
        """Return the outlook on some games: what can vary in them, and every total they have.

        The rule description, where there is one rule set, and the opponents that are not there
        stay the same throughout, and are almost half of what would have to be multiplied.

        Args:
            rule_sets: all that are played.
            num_players: seats at the largest table.
        """
        totals = dict.fromkeys(total for rules in rule_sets for total in totals_after(rules))
        terms = np.zeros((len(totals), TERMS), np.int64)
        factors = np.zeros((len(totals), TERMS), np.float32)
        for row, total in enumerate(totals):
            for place, (feature, factor) in enumerate(total):
                terms[row, place], factors[row, place] = feature, factor
        return cls(_varying(num_players, len(rule_sets) > 1), terms, factors)

    @property
    def size(self) -> int:
        """How many numbers are shown: the columns, then for all totals in turn each of the views.

        These are, of a total t, |t| / 5, max(0, 1 - |t|) and max(0, 1 - |t| / 4).
        """
        return len(self.columns) + 3 * len(self.terms)

    def places_of(self, other: Outlook) -> Ints:
        """Return where each number that another outlook shows stands in what this one shows.

        Args:
            other: an outlook on some of the same games.

        Raises:
            SabaccError: where this one does not show all of it.
        """
        columns = {column: place for place, column in enumerate(self.columns.tolist())}
        totals = {total: place for place, total in enumerate(self._totals())}
        begins = [len(self.columns) + view * len(self.terms) for view in range(3)]
        try:
            shown = [columns[column] for column in other.columns.tolist()]
            there = [totals[total] for total in other._totals()]
        except KeyError:
            raise SabaccError("an outlook shows what another one does not") from None
        return np.array(shown + [begin + place for begin in begins for place in there], np.int64)

    def _totals(self) -> Iterator[Sum]:
        for terms, factors in zip(self.terms.tolist(), self.factors.tolist(), strict=True):
            yield tuple(zip(terms, factors, strict=True))

    def write(self, observations: Floats, which: Ints, out: Floats) -> None:
        """Write what is shown of some rows of observations, (n, at least ``size``)."""
        _show(observations, which, self.columns, self.terms, self.factors, out)

    def shown(self, observations: Floats) -> Floats:
        """Return what is shown of observations, (n, size).

        >>> from sabacc_env.rules import load_rules
        >>> outlook = Outlook.on([load_rules("black_spire")], 2)
        >>> outlook.shown(np.zeros((8, OBSERVATION_SIZE), np.float32)).shape == (8, outlook.size)
        True
        """
        out = np.empty((len(observations), self.size), np.float32)
        self.write(np.ascontiguousarray(observations), np.arange(len(observations)), out)
        return out


def totals_after(rules: RuleSet) -> Iterator[Sum]:
    """Yield the totals that the card actions leave, as sums of features.

    They are whole numbers, but for a Sylop put down or taken, which counts as a half. What is drawn
    from the pile is not known and counts as nothing.
    """
    index = _indices()
    ones = index.own_total, index.discard_top, index.drawn, index.own_spike
    total, top, drawn, spike = (int(block[0]) for block in ones)
    slots = [int(slot) for slot in index.own_slots[:, 0]]
    sums = [{total: 1}, *({total: 1, slot: -1} for slot in slots)]
    if "buy_discard" in rules.card_actions:
        sums.append({total: 1, top: 1})
    if "swap" in rules.card_actions:
        sums += [{total: 1, slot: -1, top: 1} for slot in slots]
    if rules.look_then_discard:
        sums.append({total: 1, drawn: 1})
    if "replace" in rules.card_actions:
        sums += [{total: 1, slot: -1, drawn: 1} for slot in slots]
    if "replace_spike" in rules.card_actions:
        sums.append({total: 1, spike: -1, drawn: 1})
    for terms in sums:
        yield tuple((feature, 10.0 * sign) for feature, sign in sorted(terms.items()))  # shown / 10


def _varying(num_players: int, several_rules: bool) -> Ints:
    """Return the features that can vary."""
    index = _indices()
    constant = [index.opponents[num_players - 1 :], index.opponent_bets[num_players - 1 :]]
    if not several_rules:
        constant.append(index.rules)
    gone = np.concatenate([part.ravel() for part in constant]).astype(np.int64)
    return np.setdiff1d(np.arange(OBSERVATION_SIZE), gone)


def _indices() -> Blocks:
    """Return the observation's blocks with the index of each feature in its place."""
    return blocks(np.arange(OBSERVATION_SIZE, dtype=np.float32))


@jit
def _show(
    observations: Array, which: Array, columns: Array, terms: Array, factors: Array, out: Array
) -> None:
    """Write the outlook on some observations, row by row: columns, then views of the totals."""
    shown, totals = len(columns), len(terms)
    for i in range(len(which)):
        row = observations[which[i]]
        for column in range(shown):
            out[i, column] = row[columns[column]]
        for k in range(totals):
            total = np.float32(0.0)
            for term in range(TERMS):
                total += row[terms[k, term]] * factors[k, term]
            away = abs(total)
            out[i, shown + k] = away / np.float32(5.0)
            out[i, shown + totals + k] = max(np.float32(0.0), np.float32(1.0) - away)
            out[i, shown + 2 * totals + k] = max(
                np.float32(0.0), np.float32(1.0) - away / np.float32(NEAR)
            )
