"""The values of hands after every phase, by backward induction from the reveal to the deal.

Each seat is taken alone. At every card turn and redraw it takes the action of the highest value,
having seen only its own cards of the deck. The caller gives the values of hands at the end.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from sabacc_agents.expectation.hand_table import EMPTY, HandTable
from sabacc_agents.expectation.scores import MIN_SCORE
from sabacc_env.array_types import Bools, Floats, Ints
from sabacc_env.rules import RuleSet

DOUBLES_PROB: Final = 5 / 36
"""The probability of doubles other than two Spikes."""

DOUBLE_SPIKE_PROB: Final = 1 / 36

OPENING_BET: Final = (0, "betting")
"""The stage of the opening bet."""

Stage = tuple[int, str]
"""A round and a phase."""


def stages(rules: RuleSet) -> list[Stage]:
    """Return the stages of a hand in order.

    >>> from sabacc_env.rules import load_rules
    >>> stages(load_rules("spacers", rounds=1))
    [(0, 'betting'), (1, 'cards'), (1, 'betting'), (1, 'dice')]
    """
    rounds = range(1, rules.rounds + 1)
    found = [(number, str(phase)) for number in rounds for phase in rules.phases]
    return [OPENING_BET, *found] if rules.opening_bet else found


def backward_induction(
    rules: RuleSet, num_players: int, table: HandTable, final_values: Floats
) -> Floats:
    """Return the value of each hand after each stage, that is after the seat's action in it.

    Args:
        rules: the rules.
        num_players: seats at the table. A fee is weighed against the pot of their antes.
        table: the hand table of these rules, or one with larger hands beside.
        final_values: (number of hands,) the values of hands at the end, in pots.

    Returns:
        (number of stages, number of hands) float32.
    """
    order = stages(rules)
    values_by_stage = np.empty((len(order), len(final_values)), dtype=np.float32)
    values = final_values
    step = InductionStep(rules, num_players, table)
    for index in range(len(order) - 1, -1, -1):
        values_by_stage[index] = values
        number, phase = order[index]
        if phase == "cards":
            values = step.before_cards(values, number)
        elif phase == "dice":
            values = step.before_dice(values)
        if index == 1 and order[0] == OPENING_BET and rules.spike_card:
            values = step.before_spikes(values)
    return values_by_stage


class InductionStep:
    """Computes the values of hands before an event from their values after it.

    Throughout, ``values`` is (number of hands,); ``count`` means the first hands of the table.
    """

    def __init__(self, rules: RuleSet, num_players: int, table: HandTable) -> None:
        self._rules = rules
        self._table = table
        self._fees = {
            kind: fee / (num_players * rules.hand_ante) for kind, fee in rules.fees.items()
        }
        actions = set(rules.card_actions)
        self._may_replace = bool({"replace", "replace_spike"} & actions)
        self._may_discard_drawn = rules.look_then_discard or "discard_drawn" in actions
        self._cards_dealt = rules.cards_dealt + rules.spike_card
        self._hands_grow = table.max_cards > self._cards_dealt

    def before_spikes(self, values: Floats) -> Floats:
        """Return the values of hands before their Spike Cards are dealt."""
        before = values.copy()
        count = self._table.num_hands_up_to(self._rules.cards_dealt)
        before[:count] = self._after_draw(values, count)
        return before

    def before_cards(self, values: Floats, number: int) -> Floats:
        """Return the values of hands before the card phase of a round."""
        actions, table = self._rules.card_actions, self._table
        max_cards = self._cards_dealt + (number - 1 if self._hands_grow else 0)
        count = table.num_hands_up_to(max_cards)
        standing = values[:count]
        best = standing.copy()
        if "draw" in actions:
            if self._may_replace:
                by_card = self._after_exchange(values, count)
            else:
                by_card = values[table.children[:count]]
            if self._may_discard_drawn:
                by_card = np.maximum(by_card, standing[:, None])
            drawn = np.einsum("nv,nv->n", by_card, table.draw_probs[:count])
            best = np.maximum(best, drawn - self._fee("draw"))
        if "discard_draw" in actions:
            best = np.maximum(best, self._after_redraw(values, count) - self._fee("discard_draw"))
        if "swap" in actions or "buy_discard" in actions:
            # Each card is as likely to lie on top of the discard pile as to be drawn next.
            by_top = np.repeat(best[:, None], table.draw_probs.shape[1], axis=1)
            if "swap" in actions:
                swapped = self._after_exchange(values, count) - self._fee("swap")
                np.maximum(by_top, swapped, out=by_top)
            if "buy_discard" in actions:
                bought = values[table.children[:count]] - self._fee("buy_discard")
                np.maximum(by_top, bought, out=by_top)
            best = np.einsum("nv,nv->n", by_top, table.draw_probs[:count])
        before = values.copy()
        before[:count] = best
        return before

    def before_dice(self, values: Floats) -> Floats:
        """Return the values of hands before the dice are rolled."""
        before: Floats = np.float32(1 - DOUBLES_PROB - DOUBLE_SPIKE_PROB) * values
        for effect, probability in (
            (self._rules.doubles, DOUBLES_PROB),
            (self._rules.double_spike, DOUBLE_SPIKE_PROB),
        ):
            if effect == "none":
                after = values
            elif effect == "redraw_one":
                after = self._after_redraw(values, len(values))
            else:
                sizes, deal_probs = self._table.sizes, self._table.deal_probs
                after = np.bincount(sizes, deal_probs * values)[sizes].astype(np.float32)
            before += np.float32(probability) * after
        return before

    def _after_draw(self, values: Floats, count: int) -> Floats:
        """Return the expected values of hands with one more card, (count,)."""
        table = self._table
        by_card = values[table.children[:count]]
        expected: Floats = np.einsum("nv,nv->n", by_card, table.draw_probs[:count])
        return expected

    def _after_redraw(self, values: Floats, count: int) -> Floats:
        """Return the expected values of hands that redraw their worst card, (count,)."""
        expected = self._after_draw(values, min(count, len(self._table.children)))
        best = np.full(count, MIN_SCORE, dtype=np.float32)
        best[EMPTY] = values[EMPTY]
        for held, kept in self._without_each_slot(count):
            np.maximum(best, np.where(held, expected[kept], MIN_SCORE), out=best)
        return best

    def _after_exchange(self, values: Floats, count: int) -> Floats:
        """Return the values of hands that exchange their worst card for each value, (count, 21)."""
        table = self._table
        by_card = values[table.children[: min(count, len(table.children))]]
        best = np.full((count, table.draw_probs.shape[1]), MIN_SCORE, dtype=np.float32)
        for held, kept in self._without_each_slot(count):
            np.maximum(best, by_card[kept], out=best, where=held[:, None])
        return best

    def _without_each_slot(self, count: int) -> list[tuple[Bools, Ints]]:
        """Return for each slot which hands have a card in it, and the hands without that card."""
        table = self._table
        found = []
        for values in table.slots[:, :count]:
            held = values >= 0
            kept = np.where(held, table.parents[np.arange(count), values], 0)
            found.append((held, kept))
        return found

    def _fee(self, kind: str) -> np.float32:
        return np.float32(self._fees.get(kind, 0))
