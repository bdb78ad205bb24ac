"""The card rule of rule-based agents, compiled: it serves batches and compiled policies."""

from __future__ import annotations

from typing import Final, NamedTuple, Self

import numpy as np

from sabacc_env import actions
from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import Record
from sabacc_env.observation import COLUMNS
from sabacc_env.policies import card_value
from sabacc_env.rules import RuleSet

SLOT: Final = COLUMNS.own_slots
FIRST_REPLACE: Final = actions.REPLACE_SLOTS[0]
FIRST_SWAP: Final = actions.SWAP_SLOTS[0]
FIRST_REDRAW: Final = actions.REDRAW_SLOTS[0]
FIRST_DISCARD_DRAW: Final = actions.DISCARD_DRAW_SLOTS[0]
SLOTS: Final = len(actions.REPLACE_SLOTS)
FAR: Final = np.float32(1e6)
"""The distance of an action that is chosen only where nothing else is legal."""


class CardRule(NamedTuple):
    """Chooses card actions: the one that leaves the total of the hand nearest to zero.

    An unseen card is taken to have any value but zero from -10 to +10, each equally likely. The
    mean of |total + value| is then (total**2 + 110) / 20. A fee costs two points an ante.
    """

    draw_optimism: np.float32
    """By how much an unseen card is expected to leave the hand nearer to zero than on average."""
    has_second_choice: bool
    """Whether a bad card that was drawn can be left out of the hand."""
    avoided: int
    """Actions, as bits, that are chosen only where nothing else is legal."""
    avoided_until_zero: int
    """The same, for hands whose total is not zero."""
    # What fees cost as distances. None is zero, so that standing wins a tie.
    draw_fee: np.float32
    buy_fee: np.float32
    swap_fee: np.float32
    discard_draw_fee: np.float32

    @classmethod
    def of(
        cls, rules: RuleSet, draw_optimism: float, avoided: int = 0, avoided_until_zero: int = 0
    ) -> Self:
        """Return the card rule under these rules."""
        second = {"replace", "replace_spike", "discard_drawn"} & set(rules.card_actions)
        fees = [
            np.float32(0.25 + 2 * rules.fees.get(kind, 0) / rules.hand_ante)
            for kind in ("draw", "buy_discard", "swap", "discard_draw")
        ]
        has_second_choice = rules.look_then_discard or bool(second)
        optimism = np.float32(draw_optimism)
        return cls(optimism, has_second_choice, avoided, avoided_until_zero, *fees)


@jit
def card_action(rule: CardRule, observation: Record, legal: int) -> int:
    """Return the legal action that leaves the total nearest to zero; of equal ones the first."""
    avoided = rule.avoided
    if total_of(observation) != 0:
        avoided |= rule.avoided_until_zero
    if legal & ~avoided != 0:
        legal &= ~avoided
    best = -1
    least = np.float32(np.inf)
    action = 0
    while legal >> action != 0:
        if legal >> action & 1:
            distance = distance_after(rule, observation, action)
            if distance < least:
                best, least = action, distance
        action += 1
    return best


@jit
def distance_after(rule: CardRule, observation: Record, action: int) -> np.float32:
    """Return the distance of the total from zero after an action, fees counted."""
    total = total_of(observation)
    drawn = card_value(observation.drawn[0])
    top = card_value(observation.discard_top[0])
    if action in (actions.STAND, actions.DISCARD_DRAWN):
        return np.float32(abs(total))
    if action == actions.KEEP:
        return np.float32(abs(total + drawn))
    if action == actions.REPLACE_SPIKE:
        return np.float32(abs(total - card_value(observation.own_spike[0]) + drawn))
    if action == actions.BUY_DISCARD:
        return rule.buy_fee + np.float32(abs(total + top))
    if action == actions.DRAW:
        if rule.has_second_choice:
            after = np.float32(abs(total) - 2)
        else:
            after = expected_distance(rule, total)
        return rule.draw_fee + max(after, np.float32(0.25))
    if FIRST_REPLACE <= action < FIRST_REPLACE + SLOTS:
        return np.float32(abs(without(observation, total, action - FIRST_REPLACE) + drawn))
    if FIRST_SWAP <= action < FIRST_SWAP + SLOTS:
        left = without(observation, total, action - FIRST_SWAP)
        return rule.swap_fee + np.float32(abs(left + top))
    if FIRST_REDRAW <= action < FIRST_REDRAW + SLOTS:
        return expected_distance(rule, without(observation, total, action - FIRST_REDRAW))
    if FIRST_DISCARD_DRAW <= action < FIRST_DISCARD_DRAW + SLOTS:
        left = without(observation, total, action - FIRST_DISCARD_DRAW)
        return rule.discard_draw_fee + expected_distance(rule, left)
    return FAR


@jit
def total_of(observation: Record) -> int:
    """Return the total of the own hand."""
    return int(np.rint(observation.own_total[COLUMNS.own_total.total] * np.float32(10)))


@jit
def without(observation: Record, total: int, slot: int) -> int:
    """Return the total without the card of a slot."""
    return total - card_value(observation.own_slots[len(SLOT) * slot + SLOT.card])


@jit
def expected_distance(rule: CardRule, total: int) -> np.float32:
    """Return the distance expected after adding an unseen card to a total."""
    square = np.float32(total * total)
    return (square + np.float32(110)) / np.float32(20) - rule.draw_optimism
