"""Betting patterns: opponents that bet blind in chosen rounds, whatever they hold.

They find agents that fold too much, or that pay too much. ``patterns`` lists all of a game. No
pattern is registered by name: measurements build them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, combinations, product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sabacc_agents.expectation.backward_induction import stages
from sabacc_agents.expectation.maximiser import Maximiser
from sabacc_agents.expectation.win_probabilities import OBSERVED_ROUNDS
from sabacc_agents.scripted.agents import ANY_DISTANCE, NO_DISTANCE
from sabacc_agents.scripted.betting import bet_fractions
from sabacc_env.actions import DEFAULT_BET_SIZES, BetSize
from sabacc_env.array_types import Floats, Ints
from sabacc_env.observation import decode
from sabacc_env.rules import RuleSet

CALLS: Final = {
    NO_DISTANCE: "never calls",
    0: "calls with zero",
    3: "calls with a total of 3 or nearer to zero",
    9: "calls with a total of 9 or nearer to zero",
    ANY_DISTANCE: "calls with any hand",
}
"""The largest distances of the total from zero with which patterns call, in words."""


@dataclass(frozen=True)
class Pattern:
    """How a ``BettingPattern`` bets.

    Attributes:
        rounds: the rounds in which it bets blind. 0 is the opening bet; 4 is the fourth round and
            all later ones, which observations do not tell apart.
        bet_size: how much it bets. Where the rules do not allow this it bets the nearest size that
            they allow.
        call_distance: the largest distance of its total from zero with which it calls a bet.

    >>> print(Pattern((1, 3), "max", 0))
    bets max in rounds 1, 3; calls with zero
    """

    rounds: tuple[int, ...]
    bet_size: BetSize
    call_distance: int

    def __str__(self) -> str:
        rounds = f"round{'s' * (len(self.rounds) > 1)} {', '.join(map(str, self.rounds))}"
        return f"bets {self.bet_size} in {rounds}; {CALLS[self.call_distance]}"


def betting_rounds(rules: RuleSet) -> tuple[int, ...]:
    """Return the rounds with a betting phase, as observations tell them apart.

    >>> from sabacc_env.rules import load_rules
    >>> betting_rounds(load_rules("spacers")), betting_rounds(load_rules("black_spire"))
    ((0, 1, 2, 3), ())
    """
    stage_numbers = (number for number, phase in stages(rules) if phase == "betting")
    return tuple(dict.fromkeys(min(number, OBSERVED_ROUNDS - 1) for number in stage_numbers))


def patterns(
    rules: RuleSet, bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES
) -> tuple[Pattern, ...]:
    """Return the patterns of a game: of every choice of rounds, bet size and distance for calls.

    Under rules without betting there are none.

    >>> from sabacc_env.rules import load_rules
    >>> len(patterns(load_rules("casino"))), len(patterns(load_rules("black_spire")))
    (140, 0)
    """
    rounds = betting_rounds(rules)
    chosen = chain.from_iterable(combinations(rounds, n + 1) for n in range(len(rounds)))
    return tuple(Pattern(*each) for each in product(chosen, bet_sizes, CALLS))


class BettingPattern(Maximiser):
    """Bets blind by a pattern, and plays its cards as the maximiser does.

    In the rounds of its pattern it bets wherever nobody has bet, with any hand; in the others it
    checks. To a bet or a raise it calls with a hand that is near enough to zero and junks any
    other. It never raises.

    Args:
        rules: the rules that it will play.
        num_players: seats at the table.
        bet_sizes: what the bet actions mean.
        pattern: one of ``patterns(rules, bet_sizes)``.
    """

    def __init__(
        self,
        rules: RuleSet,
        num_players: int,
        bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
        *,
        pattern: Pattern,
    ) -> None:
        super().__init__(rules, num_players, bet_sizes)
        self._pattern = pattern
        (self._bet,) = bet_fractions([pattern.bet_size])

    def _choose_bets(self, observations: Floats, action_masks: NDArray[np.int8]) -> Ints:
        decoded = decode(observations)
        blind = ~decoded.faces_bet & np.isin(decoded.round, self._pattern.rounds)
        calls = np.abs(decoded.own_total) <= self._pattern.call_distance
        return self._bets.choose(observations, action_masks, calls, blind, self._bet)
