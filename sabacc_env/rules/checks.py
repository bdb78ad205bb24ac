"""Refuses rules that nobody could play, although each field is valid (RULES.md section 8)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from sabacc_env.errors import RulesError
from sabacc_env.rules.choices import FEE_ACTIONS, SECOND_CHOICES
from sabacc_env.rules.limits import MAX_CREDITS, MAX_HAND, MAX_SEATS
from sabacc_env.rules.wording import did_you_mean, quoted_choices, toml_repr

if TYPE_CHECKING:
    from sabacc_env.rules.model import RuleSet

SPARE_CARDS: Final = 2
"""Cards that the deck must hold beyond the largest hands of all seats."""


def refuse_impossible(rules: RuleSet) -> None:
    """Raise a ``RulesError`` that names the field, if nobody could play by these rules."""
    _check_words(rules)
    _check_card_actions(rules)
    _check_points(rules)
    _check_starting_credits(rules)
    _check_fees(rules)
    _check_bets(rules)
    _check_hand_and_deck(rules)
    _check_choices(rules)


def _check_words(rules: RuleSet) -> None:
    if not rules.name.strip() or not rules.name.isprintable():
        raise RulesError(f"name: {toml_repr(rules.name)} is not a line of printable text")
    _refuse_repeats("phases", rules.phases)
    _refuse_repeats("card_actions", rules.card_actions)
    least, most = rules.seats
    if least > most:
        raise RulesError(f"seats: the least number, {least}, is more than the greatest, {most}")


def _refuse_repeats(field: str, words: Sequence[str]) -> None:
    for word in words:
        if words.count(word) > 1:
            raise RulesError(f'{field}: "{word}" is given more than once')


def _check_card_actions(rules: RuleSet) -> None:
    actions = rules.card_actions
    second = [action for action in SECOND_CHOICES if action in actions]
    if "stand" not in actions:
        raise RulesError(
            'card_actions: "stand" is missing; add it, because a seat may always stand'
        )
    if second and "draw" not in actions:
        raise RulesError(f'card_actions: "{second[0]}" decides on a drawn card and needs "draw"')
    if second == ["discard_drawn"]:
        raise RulesError(
            'card_actions: "discard_drawn" needs "replace" or "replace_spike" beside it; '
            "a card that joins the hand may be discarded with look_then_discard"
        )
    if "replace_spike" in actions and not rules.spike_card:
        raise RulesError('card_actions: "replace_spike" needs spike_card = true')
    if rules.look_then_discard and "draw" not in actions:
        raise RulesError('look_then_discard: it needs "draw" in card_actions')
    if rules.look_then_discard and second:
        raise RulesError(
            f'look_then_discard: it cannot be combined with "{second[0]}" in card_actions, '
            "which decides on a drawn card too"
        )


def _check_points(rules: RuleSet) -> None:
    if not rules.points:
        return
    without = 'in a game without credits (starting_credits = "points")'
    if rules.hand_ante != 1:
        raise RulesError(f"hand_ante: {rules.hand_ante} is not possible {without}; use 1, a point")
    if rules.sabacc_ante:
        raise RulesError(f"sabacc_ante: {rules.sabacc_ante} is not possible {without}; use 0")
    if "betting" in rules.phases:
        raise RulesError(f'phases: "betting" is not possible {without}')
    if rules.opening_bet:
        raise RulesError(f"opening_bet: true is not possible {without}")
    if rules.fees:
        raise RulesError(f'fees: a fee for "{next(iter(rules.fees))}" is not possible {without}')
    if rules.junk_penalty:
        raise RulesError(f"junk_penalty: {rules.junk_penalty} is not possible {without}; use 0")


def _check_starting_credits(rules: RuleSet) -> None:
    given, (least, most) = rules.starting_credits, rules.seats
    if given is None:
        return
    stacks = (given,) * most if isinstance(given, int) else given
    if not least <= len(stacks) <= MAX_SEATS:
        raise RulesError(
            f"starting_credits: a list of {len(stacks)} does not fit {least} to {most} seats; give "
            "one number for each seat, or one number for all"
        )
    if sum(stacks) > MAX_CREDITS:
        raise RulesError(
            f"starting_credits: {sum(stacks)} for all seats together is more than the "
            f"{MAX_CREDITS} credits that can be in play"
        )
    if sum(stack >= rules.ante_unit for stack in stacks) < 2:
        raise RulesError(
            f"starting_credits: {toml_repr(given)} lets fewer than two seats pay the antes of "
            f"{rules.ante_unit}; give at least two seats that much"
        )


def _check_fees(rules: RuleSet) -> None:
    for kind in rules.fees:
        if kind not in FEE_ACTIONS:
            raise RulesError(
                f"fees: {toml_repr(kind)} is not one of {quoted_choices(FEE_ACTIONS)}"
                f"{did_you_mean(kind, FEE_ACTIONS)}"
            )
        if kind not in rules.card_actions:
            raise RulesError(f'fees: "{kind}" is not in card_actions, so it cannot cost a fee')


def _check_bets(rules: RuleSet) -> None:
    step = rules.bet_step
    for field in ("min_bet", "max_bet", "min_raise", "max_raise"):
        limit = getattr(rules, field)
        if limit is not None and limit % step:
            raise RulesError(f"{field}: {limit} is not a multiple of bet_step, {step}")
    for least, most in (("min_bet", "max_bet"), ("min_raise", "max_raise")):
        low, high = getattr(rules, least), getattr(rules, most)
        if high is not None and low > high:
            raise RulesError(f"{least}: {low} is more than {most}, {high}")


def _check_hand_and_deck(rules: RuleSet) -> None:
    largest, most, deck = rules.largest_hand, rules.seats[1], len(rules.deck)
    if largest > MAX_HAND:
        parts = [f"cards_dealt {rules.cards_dealt}"]
        if largest > rules.cards_dealt + rules.spike_card:
            parts.append(f"one in each of rounds {rules.rounds}")
        if rules.spike_card:
            parts.append("the Spike Card of spike_card")
        raise RulesError(
            f"cards_dealt: the largest hand would be {largest} cards ({' + '.join(parts)}), "
            f"and it may not exceed {MAX_HAND}"
        )
    needed = most * largest + SPARE_CARDS
    if deck < needed:
        raise RulesError(
            f"seats: {most} seats with hands of up to {largest} cards need a deck of {needed}, and "
            f"highest_value {rules.highest_value}, suits {rules.suits} and sylops {rules.sylops} "
            f"make {deck}"
        )


def _check_choices(rules: RuleSet) -> None:
    """Refuse rules by which no seat ever has a turn."""
    turns = {"cards", "betting"}.intersection(rules.phases) or rules.opening_bet
    redraws = "redraw_one" in (rules.doubles, rules.double_spike) and "dice" in rules.phases
    if not turns and not redraws:
        raise RulesError(
            'phases: no seat ever has a turn; add "cards" or "betting", or an opening_bet'
        )
