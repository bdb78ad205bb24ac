"""What hands are worth before the end: backward through the phases, from the reveal to the deal.

Each seat is taken alone: at every card turn and redraw it does what is worth most, having seen of
the deck its own cards only. A hand at the end is worth what the caller says.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from sabacc_agents.expectation.hand_table import EMPTY, HandValues
from sabacc_agents.scripted.by_phase import NEVER
from sabacc_agents.scripted.decoding import Bools, Floats, Ints
from sabacc_env.rules import RuleSet

DOUBLES: Final = 5 / 36
"""The chance of doubles that are not Spikes."""

DOUBLE_SPIKE: Final = 1 / 36

OPENING: Final = (0, "betting")
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
    course = [(number, str(phase)) for number in rounds for phase in rules.phases]
    return [OPENING, *course] if rules.opening_bet else course


def foresee(rules: RuleSet, num_players: int, hands: HandValues, final: Floats) -> Floats:
    """Return what each hand is worth after each stage (after the seat's action in it).

    Args:
        rules: the rules.
        num_players: seats at the table: a fee is weighed against the pot that their antes make.
        hands: the hands of these rules.
        final: (number of hands,) what they are worth at the end, in pots.

    Returns:
        (number of stages, number of hands) float32.
    """
    course = stages(rules)
    worths = np.empty((len(course), len(final)), dtype=np.float32)
    worth = final
    backward = _Backward(rules, num_players, hands)
    for index in range(len(course) - 1, -1, -1):
        worths[index] = worth
        number, phase = course[index]
        if phase == "cards":
            worth = backward.before_cards(worth, number)
        elif phase == "dice":
            worth = backward.before_dice(worth)
        if index == 1 and course[0] == OPENING and rules.spike_card:
            worth = backward.before_spikes(worth)
    return worths


class _Backward:
    """One step back at a time."""

    def __init__(self, rules: RuleSet, num_players: int, hands: HandValues) -> None:
        self._rules = rules
        self._hands = hands
        self._fees = {
            kind: fee / (num_players * rules.hand_ante) for kind, fee in rules.fees.items()
        }
        actions = set(rules.card_actions)
        self._replaces = bool({"replace", "replace_spike"} & actions)
        self._leaves = rules.look_then_discard or "discard_drawn" in actions
        self._dealt = rules.cards_dealt + rules.spike_card
        self._grows = rules.largest_hand > self._dealt

    def before_spikes(self, worth: Floats) -> Floats:
        """Return what hands are worth before their Spike Cards are dealt."""
        before = worth.copy()
        count = self._hands.up_to(self._rules.cards_dealt)
        before[:count] = self._one_more(worth, count)
        return before

    def before_cards(self, worth: Floats, number: int) -> Floats:
        """Return what hands are worth before the card phase of a round."""
        actions, hands = self._rules.card_actions, self._hands
        count = hands.up_to(self._dealt + (number - 1 if self._grows else 0))
        kept = worth[:count]
        best = kept.copy()
        if "draw" in actions:
            if self._replaces:
                after = self._exchanged(worth, count)
            else:
                after = worth[hands.children[:count]]
            if self._leaves:
                after = np.maximum(after, kept[:, None])
            drawn = np.einsum("nv,nv->n", after, hands.draws[:count])
            best = np.maximum(best, drawn - self._fee("draw"))
        if "discard_draw" in actions:
            best = np.maximum(best, self._redrawn(worth, count) - self._fee("discard_draw"))
        if "swap" in actions or "buy_discard" in actions:
            # Any card may lie on top of the discard pile, as any may be drawn.
            by_top = np.repeat(best[:, None], hands.draws.shape[1], axis=1)
            if "swap" in actions:
                np.maximum(by_top, self._exchanged(worth, count) - self._fee("swap"), out=by_top)
            if "buy_discard" in actions:
                bought = worth[hands.children[:count]] - self._fee("buy_discard")
                np.maximum(by_top, bought, out=by_top)
            best = np.einsum("nv,nv->n", by_top, hands.draws[:count])
        before = worth.copy()
        before[:count] = best
        return before

    def before_dice(self, worth: Floats) -> Floats:
        """Return what hands are worth before the dice are rolled."""
        before: Floats = np.float32(1 - DOUBLES - DOUBLE_SPIKE) * worth
        for effect, chance in (
            (self._rules.doubles, DOUBLES),
            (self._rules.double_spike, DOUBLE_SPIKE),
        ):
            if effect == "none":
                after = worth
            elif effect == "redraw_one":
                after = self._redrawn(worth, len(worth))
            else:
                sizes = self._hands.sizes
                after = np.bincount(sizes, self._hands.dealt * worth)[sizes].astype(np.float32)
            before += np.float32(chance) * after
        return before

    def _one_more(self, worth: Floats, count: int) -> Floats:
        """Return what the first hands are worth with a card more."""
        hands = self._hands
        drawn: Floats = np.einsum("nv,nv->n", worth[hands.children[:count]], hands.draws[:count])
        return drawn

    def _redrawn(self, worth: Floats, count: int) -> Floats:
        """Return what the first hands are worth when the best card to put down is redrawn."""
        most = min(count, len(self._hands.children))
        more = self._one_more(worth, most)
        best = np.full(count, NEVER, dtype=np.float32)
        best[EMPTY] = worth[EMPTY]
        for held, without in self._without(count):
            np.maximum(best, np.where(held, more[without], NEVER), out=best)
        return best

    def _exchanged(self, worth: Floats, count: int) -> Floats:
        """Return what the first hands are worth with the best card changed for one of each value.

        The shape is (count, 21).
        """
        hands = self._hands
        after = worth[hands.children[: min(count, len(hands.children))]]
        best = np.full((count, hands.draws.shape[1]), NEVER, dtype=np.float32)
        for held, without in self._without(count):
            np.maximum(best, after[without], out=best, where=held[:, None])
        return best

    def _without(self, count: int) -> list[tuple[Bools, Ints]]:
        """Return for each slot which of the first hands have it, and the hand without its card."""
        hands = self._hands
        left = []
        for values in hands.slots[:, :count]:
            held = values >= 0
            without = np.where(held, hands.parents[np.arange(count), values], 0)
            left.append((held, without))
        return left

    def _fee(self, kind: str) -> np.float32:
        return np.float32(self._fees.get(kind, 0))
