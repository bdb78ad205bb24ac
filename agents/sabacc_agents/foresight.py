"""What hands are worth before the end: backward through the phases of a hand, from the reveal.

Each seat is taken alone, choosing at every card turn and redraw what is worth most, drawing from a
deck of which it has seen its own cards only. What it holds at the end is worth its chance to win.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sabacc_agents.hand_values import HandValues
from sabacc_agents.reading import Floats
from sabacc_env.rules import RuleSet

DOUBLES: Final = 5 / 36
DOUBLE_SPIKE: Final = 1 / 36
"""The chances of the dice (RULES.md section 1)."""


def backward(rules: RuleSet, num_players: int, hands: HandValues, final: Floats) -> dict[tuple[int, str], Floats]:
    worth = final
    after = {}
    course = [(0, "betting")] * rules.opening_bet + [(r, p) for r in range(1, rules.rounds + 1) for p in rules.phases]
    step = Steps(rules, num_players, hands)
    for round_no, phase in reversed(course):
        after[round_no, phase] = worth
        if phase == "cards":
            worth = step.cards(worth)
        elif phase == "dice":
            worth = step.dice(worth)
    return after


class Steps:
    def __init__(self, rules, num_players, hands):
        self.rules, self.hands = rules, hands
        self.m = len(hands.children)
        left = np.maximum(hands.deck - hands.counts, 0).astype(np.float32)
        self.chances = left / np.maximum(left.sum(axis=1, keepdims=True), 1)
        self.pot = num_players * rules.hand_ante
        largest = int(hands.sizes.max())
        # slots
        n = len(hands.sizes)
        self.slots = np.full((largest, n), -1)
        size = np.zeros(n, dtype=np.int64)
        for v in range(21):
            for copy in range(3):
                has = np.flatnonzero(hands.counts[:, v] > copy)
                self.slots[size[has], has] = v
                size[has] += 1
        ways = np.array([[1, 0, 0, 0], [1, 1, 0, 0], [1, 2, 1, 0], [1, 3, 3, 1]], dtype=np.float64)
        w = ways[hands.deck, hands.counts].prod(axis=1)
        self.ways = w / np.bincount(hands.sizes, w)[hands.sizes]

    def without(self, slot):
        v = self.slots[slot]
        held = v >= 0
        return held, self.hands.parents[np.arange(len(v)), v]

    def drawn(self, worth):
        m = self.m
        return np.einsum("nv,nv->n", worth[self.hands.children], self.chances[:m])

    def one_more(self, worth):
        """U of draw for hands of fewer than largest; NEVER otherwise"""

    def cards(self, worth):
        r, h = self.rules, self.hands
        a = set(r.card_actions)
        fee = lambda k: r.fees.get(k, 0) / self.pot
        base = worth.copy()
        d = self.drawn(worth)
        second = r.look_then_discard or a & {"replace", "replace_spike", "discard_drawn"}
        if "draw" in a and not second:
            np.maximum(base[: self.m], d - fee("draw"), out=base[: self.m])
        if "discard_draw" in a:
            for s in range(len(self.slots)):
                held, wo = self.without(s)
                base = np.where(held, np.maximum(base, d[np.minimum(wo, self.m - 1)] - fee("discard_draw")), base)
        if second and "draw" in a:
            best = np.full((len(worth), 21), -9, dtype=np.float32)
            if r.look_then_discard or "discard_drawn" in a: best[:] = worth[:, None]
            if not a & {"replace", "replace_spike"}:
                best[: self.m] = np.maximum(best[: self.m], worth[h.children])
            else:
                for s in range(len(self.slots)):
                    held, wo = self.without(s)
                    best = np.where(held[:, None], np.maximum(best, worth[h.children[np.minimum(wo, self.m - 1)]]), best)
            base = np.maximum(base, np.einsum("nv,nv->n", best, self.chances) - fee("draw"))
        if a & {"swap", "buy_discard"}:
            best = np.repeat(base[:, None], 21, axis=1)
            if "buy_discard" in a:
                best[: self.m] = np.maximum(best[: self.m], worth[h.children] - fee("buy_discard"))
            if "swap" in a:
                for s in range(len(self.slots)):
                    held, wo = self.without(s)
                    best = np.where(held[:, None], np.maximum(best, worth[h.children[np.minimum(wo, self.m - 1)]] - fee("swap")), best)
            base = np.einsum("nv,nv->n", best, self.chances)
        return base.astype(np.float32)

    def dice(self, worth):
        h = self.hands
        total = (1 - DOUBLES - DOUBLE_SPIKE) * worth
        for what, p in ((self.rules.doubles, DOUBLES), (self.rules.double_spike, DOUBLE_SPIKE)):
            if what == "none":
                total = total + p * worth
            elif what == "redraw_all":
                total = total + p * np.bincount(h.sizes, self.ways * worth)[h.sizes]
            else:
                d = self.drawn(worth)
                best = np.full(len(worth), -9.0)
                for s in range(len(self.slots)):
                    held, wo = self.without(s)
                    best = np.where(held, np.maximum(best, d[np.minimum(wo, self.m - 1)]), best)
                total = total + p * best
        return total.astype(np.float32)
