"""The maximiser: cards by exact expectation over the next draw, bets by hand percentile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sabacc_agents.expectation.action_values import CardSearch
from sabacc_agents.expectation.win_chances import percentiles
from sabacc_agents.scripted.by_phase import ByPhase, best_legal, chosen_bets
from sabacc_agents.scripted.decoding import Floats, Ints, Raises, Stakes
from sabacc_env.actions import DEFAULT_BET_SIZES, BetSize
from sabacc_env.rules import RuleSet


@dataclass(frozen=True)
class Betting:
    """How the maximiser bets, given its chance to win against the seats that remain.

    The numbers were chosen by play against the scripted agents at two-seat ``casino``.

    Attributes:
        bet_from: bets where nobody has, with at least this chance.
        raise_from: raises a bet with at least this chance, once a phase.
        caution: who bets is taken to hold one of its better hands: of all that it could hold this
            fraction is left out from below before pot odds are compared. So for a bet of the size
            of the pot; for a smaller one proportionally less.
        overbet: a call of more than this fraction of the pot that it faces answers an overbet.
        caution_overbet: the caution there: who bets several pots at once seldom waits for a hand
            that is worth them.
        size: the bet or raise wished for, in pots after the call.
    """

    bet_from: float = 0.45
    raise_from: float = 0.75
    caution: float = 0.5
    caution_overbet: float = 0.05
    overbet: float = 0.6
    size: float = 1.0


DEFAULT: Final = Betting()

SMALLEST: Final = 1e-6
"""What a divisor is at least."""


class Maximiser(ByPhase):
    """Maximises the expected strength of its hand over the next draw; bets by its percentile.

    The strength of a hand is its chance to beat, at the end, the opponents that remain, given the
    phases still to come (``win_chances``, ``backward_induction``). Each action of a card turn is
    scored by enumerating the next card exactly, over the cards that the seat has not seen
    (``action_values``). It uses no chance and never junks but at a bet.

    It leaves out suits; what opponents are known to hold, their Spike Cards among it; what their
    actions tell, but that who bets holds one of the better hands; and at card turns the Sabacc pot.
    Two things are rounded: the pot, where seats start with unequal credits and an action costs a
    fee; and every round from the fourth on, which observations do not tell apart, is taken for the
    last.

    Args:
        rules: the rules that it will play.
        num_players: seats at the table.
        bet_sizes: what the bet actions mean.
        betting: the numbers that it bets by.
    """

    def __init__(
        self,
        rules: RuleSet,
        num_players: int,
        bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
        betting: Betting = DEFAULT,
    ) -> None:
        known = percentiles(rules, num_players)
        self._rules = rules
        self._raises = Raises(rules, bet_sizes)
        self._betting = betting
        self._known = known
        self._search = CardSearch(rules, known.hands, known.worths)
        self._zeros = known.hands.zeros

    def _play_cards(self, observations: Floats, action_masks: NDArray[np.int8]) -> Ints:
        stakes = Stakes(observations, self._rules)
        stage = self._known.stage(observations)
        scores = self._search.scores(observations, action_masks, stakes, stage)
        return best_legal(scores, action_masks)

    def _bet(self, observations: Floats, action_masks: NDArray[np.int8]) -> Ints:
        """Compare the chance to win with what a call costs and what the pot pays."""
        how = self._betting
        stakes = Stakes(observations, self._rules)
        stage = self._known.stage(observations)
        hand = self._search.seats(observations, stakes, stage).hand
        one, wins = self._search.wins(hand, stage, stakes.opponents)
        relative = stakes.cost / np.maximum(stakes.prize, SMALLEST)
        caution = np.where(
            relative > how.overbet, how.caution_overbet, how.caution * np.minimum(1, 2 * relative)
        )
        # One of the opponents, the one that bet, is taken to hold one of the better hands.
        better = np.maximum(one - caution, 0) / (1 - caution)
        against = wins * better / np.maximum(one, SMALLEST)
        pays = stakes.prize + stakes.sabacc_pot * self._zeros[hand]
        calls = against * (pays + stakes.cost) >= stakes.cost
        enough = np.where(stakes.facing, how.raise_from, how.bet_from)
        wanted = stakes.first & (wins >= enough)
        to = self._raises.nearest(action_masks, stakes, how.size)
        return chosen_bets(action_masks, calls, wanted & self._raises.legal(action_masks), to)


PURE: Final = Betting(bet_from=0.5, raise_from=0.6, caution=0.0, caution_overbet=0.0, size=0.5)
"""Betting by the odds alone: ahead or not, and what a call costs against what the pot pays."""


class PotOdds(Maximiser):
    """Its cards are the maximiser's; it believes no bet.

    It calls whenever its chance to win against any hand pays for the call, and bets or raises half
    the pot with a hand that is ahead.
    """

    def __init__(
        self,
        rules: RuleSet,
        num_players: int,
        bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
    ) -> None:
        super().__init__(rules, num_players, bet_sizes, PURE)
