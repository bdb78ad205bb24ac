"""The feature extractor: adds the totals that card actions leave to the inputs of a network.

The value of a hand depends on whether its total is zero. This is hard to learn from card values:
the total after a swap of slot 2, say, is a sum of three features, and only its exact value 0
matters. So these totals are inputs too. They add no information, because each is a sum of features
of the observation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Self

import numpy as np

from sabacc_env.array_types import Floats, Ints
from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import Array
from sabacc_env.errors import SabaccError
from sabacc_env.observation import OBSERVATION_SIZE, Blocks, blocks
from sabacc_env.rules import RuleSet

NEAR: Final = 4.0
"""The third function of a total distinguishes the totals that are nearer to zero than this."""

TERMS: Final = 3
"""The largest number of features that a total is the sum of."""

Sum = tuple[tuple[int, float], ...]
"""A sum of features: the features in rising order, each with its factor."""


@dataclass(frozen=True, eq=False)
class FeatureExtractor:
    """Computes a network's inputs: some features unchanged, and three functions of each total.

    The inputs are first the columns, then |t| / 5 of every total t, then max(0, 1 - |t|) of every
    total, then max(0, 1 - |t| / 4) of every total.

    Attributes:
        columns: (c,) the features that are inputs unchanged.
        terms: (t, 3) the features that each total is the sum of.
        factors: (t, 3) the factor of each term; 0 where a total has fewer terms.
    """

    columns: Ints
    terms: Ints
    factors: Floats

    @classmethod
    def for_games(cls, rule_sets: Sequence[RuleSet], num_players: int) -> Self:
        """Return the extractor of all features that vary in some games, and of all their totals.

        The features of absent opponents never vary, nor does the description of a single rule set.
        They are almost half of all features, so leaving them out saves computation.

        Args:
            rule_sets: the rule sets that are played.
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
        """The number of inputs."""
        return len(self.columns) + 3 * len(self.terms)

    def positions_of(self, other: FeatureExtractor) -> Ints:
        """Return the position of each input of another extractor among the inputs of this one.

        Args:
            other: an extractor for some of the same games.

        Raises:
            SabaccError: if this one lacks an input of the other.
        """
        columns = {column: place for place, column in enumerate(self.columns.tolist())}
        totals = {total: place for place, total in enumerate(self._totals())}
        begins = [len(self.columns) + view * len(self.terms) for view in range(3)]
        try:
            own_columns = [columns[column] for column in other.columns.tolist()]
            own_totals = [totals[total] for total in other._totals()]
        except KeyError:
            raise SabaccError(
                "the other feature extractor has inputs that this one lacks"
            ) from None
        places = own_columns + [begin + place for begin in begins for place in own_totals]
        return np.array(places, np.int64)

    def with_totals_of(self, other: FeatureExtractor) -> FeatureExtractor:
        """Return this extractor with the totals of another one that it lacks, after its own."""
        own = set(self._totals())
        more = np.array([total not in own for total in other._totals()], bool)
        terms = np.concatenate([self.terms, other.terms[more]])
        factors = np.concatenate([self.factors, other.factors[more]])
        return FeatureExtractor(self.columns, terms, factors)

    def _totals(self) -> Iterator[Sum]:
        for terms, factors in zip(self.terms.tolist(), self.factors.tolist(), strict=True):
            yield tuple(zip(terms, factors, strict=True))

    def write(self, observations: Floats, rows: Ints, out: Floats) -> None:
        """Write the inputs of some rows of observations to ``out``, (n, at least ``size``)."""
        _write_inputs(observations, rows, self.columns, self.terms, self.factors, out)

    def extract(self, observations: Floats) -> Floats:
        """Return the inputs of a batch of observations, (n, size).

        >>> from sabacc_env.rules import load_rules
        >>> extractor = FeatureExtractor.for_games([load_rules("black_spire")], 2)
        >>> inputs = extractor.extract(np.zeros((8, OBSERVATION_SIZE), np.float32))
        >>> inputs.shape == (8, extractor.size)
        True
        """
        out = np.empty((len(observations), self.size), np.float32)
        self.write(np.ascontiguousarray(observations), np.arange(len(observations)), out)
        return out


def totals_after(rules: RuleSet) -> Iterator[Sum]:
    """Yield the totals that the card actions leave, as sums of features.

    They are integers, except that a Sylop which is put down or taken counts as a half. A card that
    will be drawn from the pile counts as zero.
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
        yield tuple((feature, 10.0 * sign) for feature, sign in sorted(terms.items()))  # in tenths


def _varying(num_players: int, several_rules: bool) -> Ints:
    """Return the features that can vary."""
    index = _indices()
    constant = [index.opponents[num_players - 1 :], index.opponent_bets[num_players - 1 :]]
    if not several_rules:
        constant.append(index.rules)
    constant_features = np.concatenate([part.ravel() for part in constant]).astype(np.int64)
    return np.setdiff1d(np.arange(OBSERVATION_SIZE), constant_features)


def _indices() -> Blocks:
    """Return the blocks of an observation whose features are their own indices."""
    return blocks(np.arange(OBSERVATION_SIZE, dtype=np.float32))


@jit
def _write_inputs(
    observations: Array, rows: Array, columns: Array, terms: Array, factors: Array, out: Array
) -> None:
    """Write the inputs of some rows of observations (see ``FeatureExtractor``)."""
    num_columns, num_totals = len(columns), len(terms)
    for i in range(len(rows)):
        row = observations[rows[i]]
        for column in range(num_columns):
            out[i, column] = row[columns[column]]
        for k in range(num_totals):
            total = np.float32(0.0)
            for term in range(TERMS):
                total += row[terms[k, term]] * factors[k, term]
            distance = abs(total)
            out[i, num_columns + k] = distance / np.float32(5.0)
            out[i, num_columns + num_totals + k] = max(np.float32(0.0), np.float32(1.0) - distance)
            out[i, num_columns + 2 * num_totals + k] = max(
                np.float32(0.0), np.float32(1.0) - distance / np.float32(NEAR)
            )
