"""What each card action is worth: exact expectations over the next card that a seat may draw."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sabacc_agents.hand_values import EMPTY, HandValues
from sabacc_agents.reading import Bools, Cards, Floats, Ints, Stakes, slots_of
from sabacc_env.engine.layout import (
    BUY_DISCARD,
    DISCARD_DRAW,
    DISCARD_DRAWN,
    DRAW,
    KEEP,
    MAX_HAND,
    REDRAW,
    REPLACE,
    REPLACE_SPIKE,
    STAND,
    SWAP,
)
from sabacc_env.observation import blocks
from sabacc_env.rules import RuleSet

NEVER = np.float32(-1e6)
"""The score of what is chosen only where nothing else is legal."""


class CardSearch:
    """Scores the card actions of many rows by the worth of the hands that they lead to.

    A card not yet seen by the seat comes with the same chance as any other: the enumeration is over
    the 21 values, each weighted by how many of its cards are unseen. Redraws by later dice, and
    what the seats do afterwards, are not looked at.

    Args:
        rules: decide what may follow a draw, and the fees.
        hands: the hands of these rules.
        worths: (k, number of hands) float32: what a hand is worth against 1 to k opponents.
    """

    def __init__(self, rules: RuleSet, hands: HandValues, worths: Floats) -> None:
        self._rules = rules
        self._hands = hands
        self._worths = worths
        self._after_draw = worths[:, hands.children]
        actions = set(rules.card_actions)
        self._may_replace = "replace" in actions
        self._may_replace_spike = "replace_spike" in actions
        self._may_leave = rules.look_then_discard or "discard_drawn" in actions
        self._may_keep = not (self._may_replace or self._may_replace_spike)

    def scores(
        self, observations: Floats, action_masks: NDArray[np.int8], stakes: Stakes
    ) -> Floats:
        """Return the expected worth after each card action, in pots and less its fee.

        Args:
            observations: (n, OBSERVATION_SIZE) of card turns and forced redraws.
            action_masks: (n, num_actions): an action legal nowhere is not looked at.
            stakes: of these observations.

        Returns:
            (n, num_actions) float32.
        """
        position = Position(observations, self._hands, stakes)
        scores = np.full(action_masks.shape, NEVER, dtype=np.float32)
        possible = action_masks.any(axis=0)
        fee = self._rules.fees.get
        unit = stakes.unit
        now = self._worth(position, position.hand)
        scores[:, STAND] = scores[:, DISCARD_DRAWN] = now
        if possible[DRAW]:
            scores[:, DRAW] = self._draw(position, now) - fee("draw", 0) * unit
        if possible[BUY_DISCARD]:
            bought = self._plus(position, position.hand, position.cards.top)
            scores[:, BUY_DISCARD] = bought - fee("buy_discard", 0) * unit
        if possible[KEEP]:
            scores[:, KEEP] = self._plus(position, position.hand, position.cards.drawn)
        if possible[REPLACE_SPIKE]:
            without = position.without_spike
            scores[:, REPLACE_SPIKE] = self._plus(position, without, position.cards.drawn)
        for slot in range(MAX_HAND):
            for kind, cost in (
                (DISCARD_DRAW, fee("discard_draw", 0)),
                (REDRAW, 0),
                (SWAP, fee("swap", 0)),
                (REPLACE, 0),
            ):
                action = slots_of(kind).start + slot
                if not possible[action]:
                    continue
                without = position.without(slot)
                if kind == SWAP:
                    worth = self._plus(position, without, position.cards.top)
                elif kind == REPLACE:
                    worth = self._plus(position, without, position.cards.drawn)
                else:
                    worth = position.expected(self._after_draw, without)
                scores[:, action] = worth - cost * unit if cost else worth
        return scores
