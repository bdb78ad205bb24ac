"""Rule-based agents, each with one rule for its cards and one for its bets.

They ignore named hands, the cards seen and the opponents. Most follow the same card rule: they move
the total of the hand towards zero, and keep zero. These differ in their betting. Two bet as the
tight agent does and differ in their cards: one only draws, one only takes the top discard.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from sabacc_agents.scripted.bet_rule import BetRule, RaiseLimits
from sabacc_agents.scripted.betting import bet_fractions, read_only
from sabacc_agents.scripted.card_rule import CardRule
from sabacc_agents.scripted.compiled import ScriptedRule, choose_actions, scripted_policy
from sabacc_agents.scripted.deterministic_agent import DeterministicAgent
from sabacc_env import actions
from sabacc_env.actions import DEFAULT_BET_SIZES, BetSize
from sabacc_env.array_types import Floats, Ints
from sabacc_env.policies import Policy, legal_bits, observation_rows
from sabacc_env.rules import RuleSet

DRAW_OPTIMISM: Final = 4.0
"""By how much they expect an unseen card to leave the hand nearer to zero than on average."""

ANY_DISTANCE: Final = 60
"""A distance that no hand exceeds."""
NO_DISTANCE: Final = -1
"""A distance that no hand comes down to."""
ALL_IN: Final = 1e9
"""A raise, in pots, that exceeds every stack."""

TIGHT: Final = BetRule(
    bet_distance=0,
    raise_distance=0,
    call_distance=3,
    large_call_distance=1,
    large_call=np.float32(0.35),
    raise_size=1.0,
    raises_again=False,
)
LOOSE: Final = TIGHT._replace(
    bet_distance=3,
    raise_distance=3,
    call_distance=9,
    large_call_distance=4,
    raise_size=0.5,
)
BLUFFING: Final = TIGHT._replace(bet_distance=ANY_DISTANCE, raise_distance=NO_DISTANCE)
TRAPPING: Final = TIGHT._replace(bet_distance=NO_DISTANCE)
SHOVING: Final = TIGHT._replace(call_distance=0, large_call_distance=0, raise_size=ALL_IN)
CALLING: Final = TIGHT._replace(
    bet_distance=NO_DISTANCE,
    raise_distance=NO_DISTANCE,
    call_distance=ANY_DISTANCE,
    large_call_distance=ANY_DISTANCE,
)
JUNKING: Final = CALLING._replace(call_distance=NO_DISTANCE, large_call_distance=NO_DISTANCE)
RAISING: Final = CALLING._replace(
    bet_distance=ANY_DISTANCE, raise_distance=ANY_DISTANCE, raise_size=np.inf, raises_again=True
)

STANDING: Final = 1 << actions.STAND
TAKING: Final = 1 << actions.BUY_DISCARD | sum(1 << action for action in actions.SWAP_SLOTS)
DRAWING: Final = 1 << actions.DRAW | sum(1 << action for action in actions.DISCARD_DRAW_SLOTS)
"""Actions as bits."""


class ScriptedAgent(DeterministicAgent):
    """A rule-based agent. Subclasses set its bet rule, or the card actions that it avoids."""

    bet_rule: ClassVar[BetRule] = TIGHT
    avoided: ClassVar[int] = 0
    avoided_until_zero: ClassVar[int] = 0

    def __init__(
        self,
        rules: RuleSet,
        num_players: int,
        bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
    ) -> None:
        cards = CardRule.of(rules, DRAW_OPTIMISM, self.avoided, self.avoided_until_zero)
        self._rule = ScriptedRule(cards, self.bet_rule, RaiseLimits.of(rules))
        self._fractions = bet_fractions(bet_sizes)

    @property
    def compiled_policy(self) -> Policy:
        """The same player, for compiled loops."""
        return scripted_policy(self._rule, self._fractions)

    def act(
        self,
        observations: Floats,
        action_masks: NDArray[np.int8],
        rng: np.random.Generator,
        tables: Ints | None = None,
    ) -> Ints:
        """Choose a legal action for each row, by that row alone."""
        chosen = np.zeros(len(action_masks), dtype=np.int64)
        rows, legal = observation_rows(observations), legal_bits(action_masks)
        choose_actions(self._rule, read_only(self._fractions), rows, legal, chosen)
        return chosen


class TightAgent(ScriptedAgent):
    """Bets with zero, calls with hands near zero, and junks the rest to a bet."""

    bet_rule = TIGHT


class LooseAgent(ScriptedAgent):
    """Plays its cards as the tight agent does, bets with more hands and calls with most."""

    bet_rule = LOOSE


class Bluffer(ScriptedAgent):
    """Bets the pot with any hand where nobody has bet, and never raises.

    In all else it plays as the tight agent does.
    """

    bet_rule = BLUFFING


class Trapper(ScriptedAgent):
    """Never bets, and raises by the pot with a zero hand when another seat has bet.

    In all else it plays as the tight agent does.
    """

    bet_rule = TRAPPING


class Shover(ScriptedAgent):
    """Bets and raises as much as it may with a zero hand, and junks all others to any bet.

    It plays its cards as the tight agent does.
    """

    bet_rule = SHOVING


class DrawsToZero(ScriptedAgent):
    """Draws at every card turn until its total is zero. It bets as the tight agent does.

    It never takes the top discard.
    """

    avoided = TAKING
    avoided_until_zero = STANDING


class SwapsToZero(ScriptedAgent):
    """Takes the top discard if that leaves it nearer to zero, and stands otherwise.

    Under rules that let nobody take discards it always stands. It bets as the tight agent does.
    """

    avoided = DRAWING


class CallingStation(ScriptedAgent):
    """Checks and calls, whatever it holds. It junks only where nothing else is legal."""

    bet_rule = CALLING


class AlwaysRaise(ScriptedAgent):
    """Raises to the highest total that it may, whatever it holds, and calls otherwise."""

    bet_rule = RAISING


class AlwaysJunk(ScriptedAgent):
    """Junks to any bet, and checks otherwise: the mark that a stronger agent stays under.

    It plays its cards as the tight agent does.
    """

    bet_rule = JUNKING
