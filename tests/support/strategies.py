"""Hypothesis strategies for rule sets that can be played."""

from __future__ import annotations

import itertools
from typing import Any

from hypothesis import strategies as st

from sabacc_env.rules import RuleSet

RANKINGS = ("casino", "spacers", "alta_orsl", "alta_three_en", "alta_yarith_bespin")
REDRAWS = ("none", "redraw_one", "redraw_all")
PHASE_ORDERS = [
    order
    for length in range(4)
    for order in itertools.permutations(("cards", "dice", "betting"), length)
]


@st.composite
def rule_sets(draw: st.DrawFn, *, points: bool | None = None) -> RuleSet:
    """Draw rules that can be played: decks, rounds, fees, limits, every option.

    ``points`` asks for games without credits (True) or with (False); None is either.
    """
    if points is None:
        points = draw(st.sampled_from((False, False, False, True)))
    hand_fields = draw(_hand_fields(points))
    card_fields = draw(_card_fields(hand_fields["phases"], hand_fields["spike_card"]))
    if points:
        return RuleSet(
            **hand_fields, **card_fields, starting_credits=None, hand_ante=1, sabacc_ante=0
        )
    credit_fields = draw(_credit_fields(card_fields["seats"][1]))
    fees = draw(_fees(card_fields["card_actions"], credit_fields["hand_ante"]))
    return RuleSet(**hand_fields, **card_fields, **credit_fields, **draw(_bet_fields()), fees=fees)


@st.composite
def tables(draw: st.DrawFn, *, points: bool | None = None) -> tuple[RuleSet, int]:
    """Draw rules and a number of players that they allow."""
    rules = draw(rule_sets(points=points))
    least, most = rules.seats
    return rules, draw(st.sampled_from(range(least, most + 1)))


@st.composite
def _hand_fields(draw: st.DrawFn, points: bool) -> dict[str, Any]:
    """Phases, dice, junking, Spike Card and ranking; some seat gets a turn."""
    opening_bet = not points and draw(st.booleans())
    hand_fields = {
        "opening_bet": opening_bet,
        "phases": draw(
            st.sampled_from(
                [
                    order
                    for order in PHASE_ORDERS
                    if (opening_bet or "cards" in order or "betting" in order)
                    and not (points and "betting" in order)
                ]
            )
        ),
    }
    return hand_fields | {
        "doubles": draw(st.sampled_from(REDRAWS)),
        "double_spike": draw(st.sampled_from(REDRAWS)),
        "junk_when": draw(st.sampled_from(("facing_bet", "betting", "cards"))),
        "junk_face_up": draw(st.booleans()),
        "short_call": draw(st.sampled_from(("all_in", "junk"))),
        "spike_card": draw(st.booleans()),
        "ranking": draw(st.sampled_from(RANKINGS)),
    }


@st.composite
def _card_fields(draw: st.DrawFn, phases: tuple[str, ...], spike_card: bool) -> dict[str, Any]:
    """Card actions, and a deck and hands that fit each other and the seats."""
    others = draw(st.sets(st.sampled_from(("draw", "buy_discard", "discard_draw", "swap"))))
    choices = ["replace", *["replace_spike"] * spike_card]
    second: set[str] = set()
    if "draw" in others and draw(st.booleans()):
        second = draw(st.sets(st.sampled_from(choices), min_size=1))
        second |= draw(st.sets(st.just("discard_drawn")))
    added = "cards" in phases and ("buy_discard" in others or ("draw" in others and not second))
    cards_dealt = draw(st.integers(1, 5 - spike_card - added))
    most_rounds = 5 - spike_card - cards_dealt if added else 8
    rounds = draw(st.integers(1, most_rounds))
    largest = cards_dealt + spike_card + (rounds if added else 0)
    small_decks = [
        (high, suits, sylops)
        for high, suits, sylops in itertools.product(range(1, 11), range(1, 4), range(3))
        if 2 * high * suits + sylops >= 2 * largest + 2
    ]
    high, suits, sylops = draw(st.sampled_from(small_decks) | st.just((10, 3, 2)))
    most = draw(st.sampled_from(range(2, 1 + min(8, (2 * high * suits + sylops - 2) // largest))))
    return {
        "card_actions": ("stand", *sorted(others | second)),
        "look_then_discard": "draw" in others and not second and draw(st.booleans()),
        "cards_dealt": cards_dealt,
        "rounds": rounds,
        "highest_value": high,
        "suits": suits,
        "sylops": sylops,
        "seats": (draw(st.sampled_from((2, most))), most),
    }


@st.composite
def _credit_fields(draw: st.DrawFn, most_seats: int) -> dict[str, Any]:
    """Antes, stacks from one ante unit up, and the junk penalty."""
    hand_ante, sabacc_ante = draw(st.integers(1, 30)), draw(st.integers(0, 15))
    unit = hand_ante + sabacc_ante
    stack = st.integers(unit, 60 * unit)
    each = st.lists(stack, min_size=most_seats, max_size=most_seats).map(tuple)
    return {
        "hand_ante": hand_ante,
        "sabacc_ante": sabacc_ante,
        "starting_credits": draw(stack | each),
        "junk_penalty": draw(st.sampled_from((0, 1, 10))),
    }


@st.composite
def _bet_fields(draw: st.DrawFn) -> dict[str, Any]:
    """Bet and raise limits on one step."""
    step = draw(st.integers(1, 10))
    bet_fields: dict[str, Any] = {
        "bet_step": step,
        "max_raises": draw(st.none() | st.integers(0, 4)),
    }
    for kind in ("bet", "raise"):
        least = step * draw(st.integers(1, 4))
        bet_fields[f"min_{kind}"] = least
        steps = draw(st.none() | st.integers(0, 8))
        bet_fields[f"max_{kind}"] = None if steps is None else least + steps * step
    return bet_fields


@st.composite
def _fees(draw: st.DrawFn, actions: tuple[str, ...], hand_ante: int) -> dict[str, int]:
    kinds = [kind for kind in actions if kind in {"draw", "buy_discard", "discard_draw", "swap"}]
    fee = st.sampled_from((0, 1, 10, hand_ante))
    return {kind: draw(fee) for kind in kinds}
