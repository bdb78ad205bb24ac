"""The maximiser: cards by exact expectation over the next draw, bets by win probability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sabacc_agents.expectation.action_values import CardActionValues
from sabacc_agents.expectation.scores import best_legal
from sabacc_agents.expectation.win_probabilities import WinProbabilities, win_probabilities
from sabacc_agents.scripted.betting import Bets, PotAmounts
from sabacc_agents.scripted.deterministic_agent import DeterministicAgent
from sabacc_env.actions import DEFAULT_BET_SIZES, BetSize
from sabacc_env.array_types import Floats, Ints
from sabacc_env.observation import decode
from sabacc_env.rules import RuleSet


@dataclass(frozen=True)
class BettingParameters:
    """The parameters of the maximiser's betting.

    They were tuned in play against the scripted agents at two-seat ``casino``. A win probability is
    that against all seats that remain.

    Attributes:
        bet_threshold: the lowest win probability with which it bets where nobody has.
        raise_threshold: the lowest win probability with which it raises a bet, once a phase.
        caution: the fraction of hands, the weakest, that a seat which bet the pot is assumed not to
            hold. It is proportionally less for smaller bets.
        overbet: a bet is an overbet if the call costs more than this fraction of the pot.
        overbet_caution: the caution after an overbet. It is low because few who overbet wait for a
            hand that deserves it.
        raise_size: the size of a bet or raise to aim for, in pots after the call.
    """

    bet_threshold: float = 0.45
    raise_threshold: float = 0.75
    caution: float = 0.5
    overbet: float = 0.6
    overbet_caution: float = 0.05
    raise_size: float = 1.0


MAXIMISER_BETTING: Final = BettingParameters()

MIN_DIVISOR: Final = 1e-6


class Maximiser(DeterministicAgent):
    """Maximises the expected value of its hand over the next draw, and bets by win probability.

    The value of a hand is the probability that it beats the remaining opponents at the end, given
    the phases still to come (``win_probabilities``, ``backward_induction``). At a card turn it
    computes the value of each action by enumerating the next card exactly, over the cards that the
    seat has not seen (``action_values``). It is deterministic, and junks only to a bet.

    It ignores suits, the cards that opponents are known to hold (their Spike Cards included) and,
    at card turns, the Sabacc pot. Of the opponents' actions it uses only that a seat which bets
    holds one of its better hands. Two things are approximate: the pot that a fee is weighed
    against, if seats start with unequal credits; and the rounds from the fourth on, which
    observations do not tell apart and which all count as the last.

    Args:
        rules: the rules that it will play.
        num_players: seats at the table.
        bet_sizes: what the bet actions mean.
        betting: the parameters of its betting.
        win_probs: what hands are worth; by default what they are in these rules.
    """

    def __init__(
        self,
        rules: RuleSet,
        num_players: int,
        bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
        betting: BettingParameters = MAXIMISER_BETTING,
        win_probs: WinProbabilities | None = None,
    ) -> None:
        if win_probs is None:
            win_probs = win_probabilities(rules, num_players)
        self._rules = rules
        self._bets = Bets(rules, bet_sizes)
        self._betting = betting
        self._win_probs = win_probs
        self._cards = CardActionValues(rules, win_probs.table, win_probs.hand_values)
        self._is_zero = win_probs.table.is_zero

    def act(
        self,
        observations: Floats,
        action_masks: NDArray[np.int8],
        rng: np.random.Generator,
        tables: Ints | None = None,
    ) -> Ints:
        """Choose a legal action for each row, by that row alone."""
        actions = np.zeros(len(observations), dtype=np.int64)
        betting = decode(observations).is_betting
        for rows, choose in (
            (np.flatnonzero(~betting), self._choose_card_actions),
            (np.flatnonzero(betting), self._choose_bets),
        ):
            if len(rows):
                actions[rows] = choose(observations[rows], action_masks[rows])
        return actions

    def _choose_card_actions(self, observations: Floats, action_masks: NDArray[np.int8]) -> Ints:
        amounts = PotAmounts(observations, self._rules)
        stages = self._win_probs.stages_of(observations)
        values = self._cards.action_values(observations, action_masks, amounts, stages)
        return best_legal(values, action_masks)

    def _choose_bets(self, observations: Floats, action_masks: NDArray[np.int8]) -> Ints:
        """Compare the win probability with the pot odds of a call."""
        parameters = self._betting
        amounts = PotAmounts(observations, self._rules)
        stages = self._win_probs.stages_of(observations)
        hands = self._cards.seat_states(observations, amounts, stages).hands
        beats_one = self._cards.values_against(hands, stages, np.ones_like(stages))
        wins = self._cards.values_against(hands, stages, amounts.opponents)
        relative_cost = amounts.cost / np.maximum(amounts.prize, MIN_DIVISOR)
        caution = np.where(
            relative_cost > parameters.overbet,
            parameters.overbet_caution,
            parameters.caution * np.minimum(1, 2 * relative_cost),
        )
        # The opponent that bet is assumed to hold one of its better hands, the others any hand.
        beats_bettor = np.maximum(beats_one - caution, 0) / (1 - caution)
        wins_after_bet = wins * beats_bettor / np.maximum(beats_one, MIN_DIVISOR)
        prize = amounts.prize + amounts.sabacc_pot * self._is_zero[hands]
        calls = wins_after_bet * (prize + amounts.cost) >= amounts.cost
        threshold = np.where(amounts.facing, parameters.raise_threshold, parameters.bet_threshold)
        raises = amounts.first & (wins >= threshold)
        return self._bets.choose(observations, action_masks, calls, raises, parameters.raise_size)


POT_ODDS_BETTING: Final = BettingParameters(
    bet_threshold=0.5, raise_threshold=0.6, caution=0.0, overbet_caution=0.0, raise_size=0.5
)


class PotOdds(Maximiser):
    """Plays its cards as the maximiser does and bets by pot odds alone, without caution.

    It calls whenever its win probability against any hand pays for the call. It bets or raises half
    the pot with a hand that is ahead.
    """

    def __init__(
        self,
        rules: RuleSet,
        num_players: int,
        bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
    ) -> None:
        super().__init__(rules, num_players, bet_sizes, POT_ODDS_BETTING)
