"""What each card action is worth: exact expectations over the next card that a seat may draw."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sabacc_agents.expectation.hand_table import EMPTY, HandValues
from sabacc_agents.scripted.by_phase import NEVER
from sabacc_agents.scripted.decoding import Cards, Floats, Ints, Stakes
from sabacc_env.actions import (
    BUY_DISCARD,
    DISCARD_DRAW_SLOTS,
    DISCARD_DRAWN,
    DRAW,
    KEEP,
    REDRAW_SLOTS,
    REPLACE_SLOTS,
    REPLACE_SPIKE,
    STAND,
    SWAP_SLOTS,
)
from sabacc_env.engine.layout import MAX_HAND
from sabacc_env.observation import blocks
from sabacc_env.rules import RuleSet


@dataclass(frozen=True)
class Seats:
    """What the observing seats go by: (n,) where not said otherwise.

    Attributes:
        cards: the cards in sight.
        hand: the numbers of the own hands, Spike Card counted.
        chances: (n, 21) the chance of each value to be drawn next.
        table: where in all worths the table of the seat begins.
    """

    cards: Cards
    hand: Ints
    chances: Floats
    table: Ints


class CardSearch:
    """Scores card actions by the worth of the hands that they lead to.

    A card not seen by the seat comes with the same chance as any other: the enumeration is over the
    21 values, each weighted by how many of its cards are unseen. (Where a seat has seen every card,
    so that only a reshuffle can bring one, all values count alike.)

    Args:
        rules: decide what may follow a draw, and the fees.
        hands: the hands of these rules.
        worths: (stages, k, number of hands) float32: what a hand is worth after a stage against 1
            to k opponents, in pots.
    """

    def __init__(self, rules: RuleSet, hands: HandValues, worths: Floats) -> None:
        self._hands = hands
        self._worths = np.ascontiguousarray(worths).reshape(-1)
        self._opponents, self._width = worths.shape[1:]
        self._fees = rules.fees
        actions = set(rules.card_actions)
        self._may_replace = "replace" in actions
        self._may_replace_spike = "replace_spike" in actions
        self._may_keep = not (self._may_replace or self._may_replace_spike)
        self._may_leave = rules.look_then_discard or "discard_drawn" in actions

    def seats(self, observations: Floats, stakes: Stakes, stage: Ints) -> Seats:
        """Read what the search goes by from observations, (n, OBSERVATION_SIZE)."""
        cards = Cards(observations)
        hand = self._hands.plus(np.full(len(observations), EMPTY), cards.spike, cards.has_spike)
        for slot in range(MAX_HAND):
            hand = self._hands.plus(hand, cards.values[:, slot], cards.held[:, slot])
        unseen = self._hands.deck - np.rint(blocks(observations).seen_values * 3)
        unseen = np.maximum(unseen, 0).astype(np.float32)
        left = unseen.sum(axis=1, keepdims=True)
        return Seats(
            cards=cards,
            hand=hand,
            chances=np.divide(unseen, left, out=np.full_like(unseen, 1 / 21), where=left > 0),
            table=self._table(stage, stakes.opponents),
        )

    def scores(
        self, observations: Floats, action_masks: NDArray[np.int8], stakes: Stakes, stage: Ints
    ) -> Floats:
        """Return what each card action is worth, in pots and less its fee.

        Args:
            observations: (n, OBSERVATION_SIZE) of card turns and forced redraws.
            action_masks: (n, num_actions); an action legal nowhere is not looked at.
            stakes: of these observations.
            stage: (n,) the stage that they are in.

        Returns:
            (n, num_actions) float32.
        """
        seats = self.seats(observations, stakes, stage)
        cards = seats.cards
        scores = np.full(action_masks.shape, NEVER, dtype=np.float32)
        possible = np.asarray(action_masks.any(axis=0))

        def put(kind: str, action: int, hand: Ints, added: Ints | None) -> None:
            if added is None:
                worth = self.expected(seats, hand)
            else:
                worth = self.worth(seats, self._hands.plus(hand, added))
            scores[:, action] = worth - self._fee(kind, stakes)

        scores[:, STAND] = scores[:, DISCARD_DRAWN] = self.worth(seats, seats.hand)
        if possible[DRAW]:
            scores[:, DRAW] = self._drawing(seats) - self._fee("draw", stakes)
        if possible[BUY_DISCARD]:
            put("buy_discard", BUY_DISCARD, seats.hand, cards.top)
        if possible[KEEP]:
            put("keep", KEEP, seats.hand, cards.drawn)
        if possible[REPLACE_SPIKE]:
            without = self._hands.minus(seats.hand, cards.spike)
            put("replace_spike", REPLACE_SPIKE, without, cards.drawn)
        for kind, slots, added in (
            ("discard_draw", DISCARD_DRAW_SLOTS, None),
            ("redraw", REDRAW_SLOTS, None),
            ("swap", SWAP_SLOTS, cards.top),
            ("replace", REPLACE_SLOTS, cards.drawn),
        ):
            for slot, action in enumerate(slots):
                if possible[action]:
                    without = self._hands.minus(seats.hand, cards.values[:, slot])
                    put(kind, action, without, added)
        return scores

    def wins(self, hand: Ints, stage: Ints, opponents: Ints) -> tuple[Floats, Floats]:
        """Return what hands are worth after a stage against one opponent, and against these."""
        one, all_of_them = self._table(stage, np.ones_like(stage)), self._table(stage, opponents)
        return self._worths[one + hand], self._worths[all_of_them + hand]

    def worth(self, seats: Seats, hand: Ints) -> Floats:
        """Return what hands are worth in pots, (n,)."""
        worth: Floats = self._worths[seats.table + hand]
        return worth

    def expected(self, seats: Seats, hand: Ints) -> Floats:
        """Return what hands are worth on average after one card more, (n,)."""
        drawn: Floats = np.einsum("nv,nv->n", self._after(seats, hand), seats.chances)
        return drawn

    def _table(self, stage: Ints, opponents: Ints) -> Ints:
        """Return where in all worths the table for a stage and so many opponents begins."""
        others = np.clip(opponents, 1, self._opponents) - 1
        table: Ints = (stage * self._opponents + others) * self._width
        return table

    def _after(self, seats: Seats, hand: Ints) -> Floats:
        """Return what hands are worth after each card that may come, (n, 21)."""
        children = self._hands.children
        after: Floats = self._worths.take(
            children[np.minimum(hand, len(children) - 1)] + seats.table[:, None]
        )
        return after

    def _drawing(self, seats: Seats) -> Floats:
        """Return what a draw is worth: of each card that may come the best use is made."""
        if self._may_keep and not self._may_leave:
            return self.expected(seats, seats.hand)
        best = np.full_like(seats.chances, NEVER)
        if self._may_leave:
            best[:] = self.worth(seats, seats.hand)[:, None]
        ways = [seats.hand] if self._may_keep else []
        if self._may_replace:
            first = self._hands.minus(seats.hand, seats.cards.values[:, 0])
            ways += [
                np.where(held, self._hands.minus(seats.hand, values), first)
                for values, held in zip(seats.cards.values.T, seats.cards.held.T, strict=True)
            ]
        if self._may_replace_spike:
            ways.append(self._hands.minus(seats.hand, seats.cards.spike))
        for hand in ways:
            np.maximum(best, self._after(seats, hand), out=best)
        drawn: Floats = np.einsum("nv,nv->n", best, seats.chances)
        return drawn

    def _fee(self, kind: str, stakes: Stakes) -> Floats | float:
        fee = self._fees.get(kind, 0)
        return fee * stakes.unit if fee else 0.0
