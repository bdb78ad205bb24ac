"""The values of card actions: exact expectations over the next card that a seat may draw."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sabacc_agents.expectation.hand_table import NUM_VALUES, HandTable
from sabacc_agents.expectation.scores import MIN_SCORE
from sabacc_agents.scripted.betting import PotAmounts
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
from sabacc_env.array_types import Floats, Ints
from sabacc_env.observation import DecodedObservations, decode
from sabacc_env.rules import RuleSet


@dataclass(frozen=True)
class SeatStates:
    """The states of the observing seats, (n,) where not said otherwise.

    Attributes:
        decoded: what the seats observe.
        hands: the own hands as indices in the hand table, Spike Card included.
        draw_probs: (n, 21) the probability of each value for the next card.
        offsets: where the values of the seat's stage and number of opponents begin.
    """

    decoded: DecodedObservations
    hands: Ints
    draw_probs: Floats
    offsets: Ints


class CardActionValues:
    """Computes the values of card actions from the values of the hands that they lead to.

    Each card that the seat has not seen is equally likely to come next. So the enumeration is over
    the 21 values, each weighted by the number of its unseen cards. (If a seat has seen every card,
    only a reshuffle can bring one, and all values count alike.)

    Args:
        rules: the rules. They decide what may follow a draw, and the fees.
        table: the hand table of these rules.
        hand_values: (stages, k, number of hands) float32: the value of a hand after a stage against
            1 to k opponents, in pots.
    """

    def __init__(self, rules: RuleSet, table: HandTable, hand_values: Floats) -> None:
        self._table = table
        self._hand_values = np.ascontiguousarray(hand_values).reshape(-1)
        self._max_opponents, self._num_hands = hand_values.shape[1:]
        self._fees = rules.fees
        actions = set(rules.card_actions)
        self._may_replace = "replace" in actions
        self._may_replace_spike = "replace_spike" in actions
        self._may_keep = not (self._may_replace or self._may_replace_spike)
        self._may_discard_drawn = rules.look_then_discard or "discard_drawn" in actions

    def seat_states(self, observations: Floats, amounts: PotAmounts, stages: Ints) -> SeatStates:
        """Return the states of the seats that made observations, (n, OBSERVATION_SIZE)."""
        decoded = decode(observations)
        hands = self._table.hands_of(
            np.column_stack([decoded.own_spike_card, decoded.own_values]),
            np.column_stack([decoded.has_spike_card, decoded.own_held]),
        )
        unseen = self._table.deck_counts - decoded.seen_counts
        unseen = np.maximum(unseen, 0).astype(np.float32)
        total = unseen.sum(axis=1, keepdims=True)
        draw_probs = np.full_like(unseen, 1 / NUM_VALUES, dtype=np.float32)
        np.divide(unseen, total, out=draw_probs, where=total > 0)
        return SeatStates(decoded, hands, draw_probs, self._offsets(stages, amounts.opponents))

    def action_values(
        self,
        observations: Floats,
        action_masks: NDArray[np.int8],
        amounts: PotAmounts,
        stages: Ints,
    ) -> Floats:
        """Return the value of each card action in pots, its fee subtracted.

        Args:
            observations: (n, OBSERVATION_SIZE) of card turns and forced redraws.
            action_masks: (n, num_actions). An action that is legal nowhere is skipped.
            amounts: the amounts of these observations.
            stages: (n,) their stages.

        Returns:
            (n, num_actions) float32.
        """
        states = self.seat_states(observations, amounts, stages)
        decoded, hands = states.decoded, states.hands
        values = np.full(action_masks.shape, MIN_SCORE, dtype=np.float32)
        legal_somewhere = np.asarray(action_masks.any(axis=0))

        def set_value(kind: str, action: int, kept: Ints, added: Ints | None) -> None:
            if added is None:
                value = self.expected_values(states, kept)
            else:
                value = self.values(states, self._table.add_cards(kept, added))
            values[:, action] = value - self._fee(kind, amounts)

        values[:, STAND] = values[:, DISCARD_DRAWN] = self.values(states, hands)
        if legal_somewhere[DRAW]:
            values[:, DRAW] = self._draw_values(states) - self._fee("draw", amounts)
        if legal_somewhere[BUY_DISCARD]:
            set_value("buy_discard", BUY_DISCARD, hands, decoded.top_discard)
        if legal_somewhere[KEEP]:
            set_value("keep", KEEP, hands, decoded.drawn_card)
        if legal_somewhere[REPLACE_SPIKE]:
            kept = self._table.remove_cards(hands, decoded.own_spike_card)
            set_value("replace_spike", REPLACE_SPIKE, kept, decoded.drawn_card)
        for kind, slots, added in (
            ("discard_draw", DISCARD_DRAW_SLOTS, None),
            ("redraw", REDRAW_SLOTS, None),
            ("swap", SWAP_SLOTS, decoded.top_discard),
            ("replace", REPLACE_SLOTS, decoded.drawn_card),
        ):
            for slot, action in enumerate(slots):
                if legal_somewhere[action]:
                    kept = self._table.remove_cards(hands, decoded.own_values[:, slot])
                    set_value(kind, action, kept, added)
        return values

    def values_against(self, hands: Ints, stages: Ints, opponents: Ints) -> Floats:
        """Return the values of hands after a stage against so many opponents, all (n,)."""
        values: Floats = self._hand_values[self._offsets(stages, opponents) + hands]
        return values

    def values(self, states: SeatStates, hands: Ints) -> Floats:
        """Return the values of hands, (n,)."""
        values: Floats = self._hand_values[states.offsets + hands]
        return values

    def expected_values(self, states: SeatStates, hands: Ints) -> Floats:
        """Return the expected values of hands with one more card, (n,)."""
        by_card = self._values_by_next_card(states, hands)
        expected: Floats = np.einsum("nv,nv->n", by_card, states.draw_probs)
        return expected

    def _offsets(self, stages: Ints, opponents: Ints) -> Ints:
        """Return where the hand values of a stage and a number of opponents begin."""
        index = np.clip(opponents, 1, self._max_opponents) - 1
        offsets: Ints = (stages * self._max_opponents + index) * self._num_hands
        return offsets

    def _values_by_next_card(self, states: SeatStates, hands: Ints) -> Floats:
        """Return the values of hands with each card that may come next, (n, 21)."""
        children = self._table.children
        larger_hands = children[np.minimum(hands, len(children) - 1)]
        values: Floats = self._hand_values.take(larger_hands + states.offsets[:, None])
        return values

    def _draw_values(self, states: SeatStates) -> Floats:
        """Return the values of a draw when each card that may come is put to its best use, (n,)."""
        decoded, hands = states.decoded, states.hands
        if self._may_keep and not self._may_discard_drawn:
            return self.expected_values(states, hands)
        best = np.full_like(states.draw_probs, MIN_SCORE)
        if self._may_discard_drawn:
            best[:] = self.values(states, hands)[:, None]
        kept_hands = [hands] if self._may_keep else []
        if self._may_replace:
            first = self._table.remove_cards(hands, decoded.own_values[:, 0])
            kept_hands += [
                np.where(held, self._table.remove_cards(hands, values), first)
                for values, held in zip(decoded.own_values.T, decoded.own_held.T, strict=True)
            ]
        if self._may_replace_spike:
            kept_hands.append(self._table.remove_cards(hands, decoded.own_spike_card))
        for kept in kept_hands:
            np.maximum(best, self._values_by_next_card(states, kept), out=best)
        expected: Floats = np.einsum("nv,nv->n", best, states.draw_probs)
        return expected

    def _fee(self, kind: str, amounts: PotAmounts) -> Floats | float:
        fee = self._fees.get(kind, 0)
        return fee * amounts.unit if fee else 0.0
