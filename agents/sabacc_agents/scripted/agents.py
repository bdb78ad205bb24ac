"""Rule-based players, each with one way to play its cards and one way to bet.

They know nothing of named hands, of cards seen or of opponents. Most play their cards alike: they
move the total of the hand towards zero, and keep zero. These differ in how they bet. Two bet as
the tight one does and differ in their cards: one only draws, one only takes what lies face up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from sabacc_agents.scripted.by_phase import NEVER, ByPhase, best_legal, chosen_bets
from sabacc_agents.scripted.decoding import Cards, Floats, Ints, Raises, Stakes
from sabacc_env import actions
from sabacc_env.actions import DEFAULT_BET_SIZES, BetSize
from sabacc_env.rules import RuleSet

ANY: Final = 60
"""A distance that no hand exceeds."""
EVERYTHING: Final = 1e9
"""A wish, in pots, that no stack exceeds."""


@dataclass(frozen=True)
class Style:
    """What tells one rule-based player from another. A distance is |total of the hand|.

    Attributes:
        chase: how much nearer to zero than on average a card not yet seen is hoped to bring the
            hand; the more, the more often the player draws.
        bet_within: bets where nobody has with a distance up to this; -1 is never.
        raise_within: raises a bet, once a phase, with a distance up to this; -1 is never.
        call_within: calls a small bet with a distance up to this.
        call_large_within: calls a large one with a distance up to this.
        large: a bet is large when the call is more than this fraction of the pot that it faces.
        raise_size: the bet or raise wished for, in pots after the call.
    """

    chase: float = 4.0
    bet_within: int = 0
    raise_within: int = 0
    call_within: int = 3
    call_large_within: int = 1
    large: float = 0.35
    raise_size: float = 1.0


TIGHT: Final = Style()
LOOSE: Final = replace(
    TIGHT, bet_within=3, raise_within=3, call_within=9, call_large_within=4, raise_size=0.5
)
BLUFFING: Final = replace(TIGHT, bet_within=ANY, raise_within=-1)
TRAPPING: Final = replace(TIGHT, bet_within=-1)
SHOVING: Final = replace(TIGHT, call_within=0, call_large_within=0, raise_size=EVERYTHING)


class CardPlay:
    """The card rule: of all actions the one that leaves the total nearest to zero.

    A card not yet seen is taken as any value but zero from -10 to +10, each as likely: |total + it|
    is then (total**2 + 110) / 20 on average. A fee counts as two points of distance for each ante.
    """

    def __init__(self, rules: RuleSet, chase: float) -> None:
        self._chase = np.float32(chase)
        self._seconds = rules.look_then_discard or bool(
            {"replace", "replace_spike", "discard_drawn"} & set(rules.card_actions)
        )
        self._fees = {kind: 2 * fee / rules.hand_ante for kind, fee in rules.fees.items()}

    def scores(self, observations: Floats, num_actions: int) -> Floats:
        """Return how good each action is, (n, num_actions): minus the distance it leaves."""
        cards = Cards(observations)
        total = cards.total
        without = total[:, None] - cards.values
        away = np.full((len(total), num_actions), -NEVER, dtype=np.float32)
        away[:, actions.STAND] = np.abs(total)
        away[:, actions.DISCARD_DRAWN] = np.abs(total)
        away[:, actions.KEEP] = np.abs(total + cards.drawn)
        away[:, actions.REPLACE_SPIKE] = np.abs(total - cards.spike + cards.drawn)
        away[:, actions.REPLACE_SLOTS] = np.abs(without + cards.drawn[:, None])
        away[:, actions.SWAP_SLOTS] = self._fee("swap") + np.abs(without + cards.top[:, None])
        away[:, actions.BUY_DISCARD] = self._fee("buy_discard") + np.abs(total + cards.top)
        away[:, actions.REDRAW_SLOTS] = self._blind(without)
        away[:, actions.DISCARD_DRAW_SLOTS] = self._fee("discard_draw") + self._blind(without)
        # With a second choice a bad card need not be taken into the hand.
        drawn = np.abs(total) - 2 if self._seconds else self._blind(total)
        away[:, actions.DRAW] = self._fee("draw") + np.maximum(drawn, 0.25)
        scores: Floats = -away
        return scores

    def _blind(self, totals: Ints) -> Floats:
        """Return the distance hoped for after adding a card not yet seen to such totals."""
        squares = np.square(totals.astype(np.float32))
        return np.asarray((squares + 110) / 20 - self._chase, dtype=np.float32)

    def _fee(self, kind: str) -> np.float32:
        """Return the fee as distance; a little more than nothing, so that standing wins a tie."""
        return np.float32(0.25 + self._fees.get(kind, 0))


class ScriptedAgent(ByPhase):
    """A rule-based player; subclasses say how it bets."""

    style: ClassVar[Style] = TIGHT

    def __init__(
        self,
        rules: RuleSet,
        num_players: int,
        bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
    ) -> None:
        self._rules = rules
        self._raises = Raises(rules, bet_sizes)
        self._card_play = CardPlay(rules, self.style.chase)

    def _play_cards(self, observations: Floats, action_masks: NDArray[np.int8]) -> Ints:
        scores = self._card_play.scores(observations, action_masks.shape[1])
        return best_legal(scores, action_masks)

    def _bet(self, observations: Floats, action_masks: NDArray[np.int8]) -> Ints:
        """Raise, call or junk by the distance of the total from zero."""
        style = self.style
        stakes = Stakes(observations, self._rules)
        distance = np.abs(Cards(observations).total)
        large = stakes.cost > style.large * stakes.prize
        calls = distance <= np.where(large, style.call_large_within, style.call_within)
        within = np.where(stakes.facing, style.raise_within, style.bet_within)
        raises = stakes.first & (distance <= within)
        wished = self._raises.nearest(action_masks, stakes, style.raise_size)
        return chosen_bets(action_masks, calls, raises & self._raises.legal(action_masks), wished)


class TightAgent(ScriptedAgent):
    """Bets with zero hands, calls with near ones, junks the rest to a bet."""

    style = TIGHT


class LooseAgent(ScriptedAgent):
    """Plays its cards as the tight one does, bets with more hands and calls with most."""

    style = LOOSE


class Bluffer(ScriptedAgent):
    """Bets the pot with any hand where nobody has bet, never raises, else plays as the tight one.

    Its cards are the tight one's: nearest to zero.
    """

    style = BLUFFING


class Trapper(ScriptedAgent):
    """Never bets, and raises the pot with a zero hand when another has bet; calls as the tight one.

    Its cards are the tight one's: nearest to zero.
    """

    style = TRAPPING


class Shover(ScriptedAgent):
    """Bets and raises the most it may with a zero hand, and junks all others to any bet.

    Its cards are the tight one's: nearest to zero.
    """

    style = SHOVING


class DrawsToZero(ScriptedAgent):
    """Draws at every card turn until its total is zero, never from the discards; bets as tight."""

    def _play_cards(self, observations: Floats, action_masks: NDArray[np.int8]) -> Ints:
        scores = self._card_play.scores(observations, action_masks.shape[1])
        scores[:, actions.BUY_DISCARD] = scores[:, actions.SWAP_SLOTS] = NEVER
        scores[Cards(observations).total != 0, actions.STAND] = NEVER / 2
        return best_legal(scores, action_masks)


class SwapsToZero(ScriptedAgent):
    """Takes only the top discard, where that leaves it nearer to zero, else stands; bets as tight.

    Under rules that let nobody take discards it always stands.
    """

    def _play_cards(self, observations: Floats, action_masks: NDArray[np.int8]) -> Ints:
        scores = self._card_play.scores(observations, action_masks.shape[1])
        scores[:, actions.DRAW] = scores[:, actions.DISCARD_DRAW_SLOTS] = NEVER
        return best_legal(scores, action_masks)


class CallingStation(ScriptedAgent):
    """Checks and calls, whatever it holds; junks only where nothing else is legal."""

    def _bet(self, observations: Floats, action_masks: NDArray[np.int8]) -> Ints:
        always = np.ones(len(action_masks), dtype=np.bool_)
        return chosen_bets(action_masks, always, ~always, np.zeros(len(always), dtype=np.int64))


class AlwaysRaise(ScriptedAgent):
    """Raises to the highest total on offer whenever it may, whatever it holds; else calls."""

    def _bet(self, observations: Floats, action_masks: NDArray[np.int8]) -> Ints:
        always = np.ones(len(action_masks), dtype=np.bool_)
        raises = self._raises.legal(action_masks)
        return chosen_bets(action_masks, always, raises, self._raises.most(action_masks))
