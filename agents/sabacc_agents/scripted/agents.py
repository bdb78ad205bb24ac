"""Rule-based agents, each with one rule for its cards and one for its bets.

They ignore named hands, the cards seen and the opponents. Most follow the same card rule: they move
the total of the hand towards zero, and keep zero. These differ in their betting. Two bet as the
tight agent does and differ in their cards: one only draws, one only takes the top discard.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from sabacc_agents.scripted.betting import PotAmounts, Raises
from sabacc_agents.scripted.card_rule import CardRule
from sabacc_agents.scripted.compiled import calling_policy, raising_policy
from sabacc_agents.scripted.phase_agent import PhaseAgent, choose_bets
from sabacc_env import actions
from sabacc_env.actions import DEFAULT_BET_SIZES, BetSize
from sabacc_env.array_types import Floats, Ints
from sabacc_env.observation import decode
from sabacc_env.policies import Policy
from sabacc_env.rules import RuleSet

ANY_DISTANCE: Final = 60
"""A distance that no hand exceeds."""
NO_DISTANCE: Final = -1
"""A distance that no hand comes down to."""
ALL_IN: Final = 1e9
"""A raise, in pots, that exceeds every stack."""


@dataclass(frozen=True)
class Style:
    """The parameters of a rule-based agent. The distance of a hand is its |total|.

    Attributes:
        draw_optimism: by how much an unseen card is expected to leave the hand nearer to zero than
            on average. The agent draws more often if it is larger.
        bet_distance: the largest distance with which it bets where nobody has.
        raise_distance: the largest distance with which it raises a bet, once a phase.
        call_distance: the largest distance with which it calls a small bet.
        large_call_distance: the largest distance with which it calls a large bet.
        large_call: a bet is large if the call costs more than this fraction of the pot.
        raise_size: the size of a bet or raise to aim for, in pots after the call.
    """

    draw_optimism: float = 4.0
    bet_distance: int = 0
    raise_distance: int = 0
    call_distance: int = 3
    large_call_distance: int = 1
    large_call: float = 0.35
    raise_size: float = 1.0


TIGHT: Final = Style()
LOOSE: Final = replace(
    TIGHT,
    bet_distance=3,
    raise_distance=3,
    call_distance=9,
    large_call_distance=4,
    raise_size=0.5,
)
BLUFFING: Final = replace(TIGHT, bet_distance=ANY_DISTANCE, raise_distance=NO_DISTANCE)
TRAPPING: Final = replace(TIGHT, bet_distance=NO_DISTANCE)
SHOVING: Final = replace(TIGHT, call_distance=0, large_call_distance=0, raise_size=ALL_IN)


STANDING: Final = 1 << actions.STAND
TAKING: Final = 1 << actions.BUY_DISCARD | sum(1 << action for action in actions.SWAP_SLOTS)
DRAWING: Final = 1 << actions.DRAW | sum(1 << action for action in actions.DISCARD_DRAW_SLOTS)
"""Actions as bits."""


class ScriptedAgent(PhaseAgent):
    """A rule-based agent. Subclasses set its style or replace one of its two rules."""

    style: ClassVar[Style] = TIGHT

    def __init__(
        self,
        rules: RuleSet,
        num_players: int,
        bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
    ) -> None:
        self._rules = rules
        self._raises = Raises(rules, bet_sizes)
        self._card_rule = CardRule.of(rules, self.style.draw_optimism)

    def _choose_card_actions(self, observations: Floats, action_masks: NDArray[np.int8]) -> Ints:
        return self._card_rule.choose(observations, action_masks)

    def _choose_bets(self, observations: Floats, action_masks: NDArray[np.int8]) -> Ints:
        """Raise, call or junk by the distance of the total from zero."""
        style = self.style
        amounts = PotAmounts(observations, self._rules)
        distance = np.abs(decode(observations).own_total)
        is_large = amounts.cost > style.large_call * amounts.prize
        calls = distance <= np.where(is_large, style.large_call_distance, style.call_distance)
        max_distance = np.where(amounts.facing, style.raise_distance, style.bet_distance)
        raises = amounts.first & (distance <= max_distance) & self._raises.legal(action_masks)
        raise_actions = self._raises.nearest(action_masks, amounts, style.raise_size)
        return choose_bets(action_masks, calls, raises, raise_actions)


class TightAgent(ScriptedAgent):
    """Bets with zero, calls with hands near zero, and junks the rest to a bet."""

    style = TIGHT


class LooseAgent(ScriptedAgent):
    """Plays its cards as the tight agent does, bets with more hands and calls with most."""

    style = LOOSE


class Bluffer(ScriptedAgent):
    """Bets the pot with any hand where nobody has bet, and never raises.

    In all else it plays as the tight agent does.
    """

    style = BLUFFING


class Trapper(ScriptedAgent):
    """Never bets, and raises by the pot with a zero hand when another seat has bet.

    In all else it plays as the tight agent does.
    """

    style = TRAPPING


class Shover(ScriptedAgent):
    """Bets and raises as much as it may with a zero hand, and junks all others to any bet.

    It plays its cards as the tight agent does.
    """

    style = SHOVING


class DrawsToZero(ScriptedAgent):
    """Draws at every card turn until its total is zero. It bets as the tight agent does.

    It never takes the top discard.
    """

    def _choose_card_actions(self, observations: Floats, action_masks: NDArray[np.int8]) -> Ints:
        draws = self._card_rule.choose(observations, action_masks, TAKING | STANDING)
        stands = self._card_rule.choose(observations, action_masks, TAKING)
        return np.where(decode(observations).own_total == 0, stands, draws)


class SwapsToZero(ScriptedAgent):
    """Takes the top discard if that leaves it nearer to zero, and stands otherwise.

    Under rules that let nobody take discards it always stands. It bets as the tight agent does.
    """

    def _choose_card_actions(self, observations: Floats, action_masks: NDArray[np.int8]) -> Ints:
        return self._card_rule.choose(observations, action_masks, DRAWING)


class CallingStation(ScriptedAgent):
    """Checks and calls, whatever it holds. It junks only where nothing else is legal."""

    @property
    def compiled_policy(self) -> Policy:
        """The same player, for compiled loops."""
        return calling_policy(self._card_rule)

    def _choose_bets(self, observations: Floats, action_masks: NDArray[np.int8]) -> Ints:
        always = np.ones(len(action_masks), dtype=np.bool_)
        return choose_bets(action_masks, always, ~always, np.zeros(len(always), dtype=np.int64))


class AlwaysRaise(ScriptedAgent):
    """Raises to the highest total that it may, whatever it holds, and calls otherwise."""

    @property
    def compiled_policy(self) -> Policy:
        """The same player, for compiled loops."""
        return raising_policy(self._card_rule, self._raises.from_largest)

    def _choose_bets(self, observations: Floats, action_masks: NDArray[np.int8]) -> Ints:
        always = np.ones(len(action_masks), dtype=np.bool_)
        raises = self._raises.legal(action_masks)
        return choose_bets(action_masks, always, raises, self._raises.largest(action_masks))
