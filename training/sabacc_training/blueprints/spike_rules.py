"""Rules with Spike Cards, as the abstract game takes them."""

from __future__ import annotations

from sabacc_agents.blueprint.buckets import FIRST_ZERO_BUCKET
from sabacc_agents.blueprint.card_choices import without_fees
from sabacc_agents.blueprint.public_states import price_of_card

from sabacc_env.rules import RuleSet
from sabacc_env.rules.choices import SECOND_CHOICES


def first_zero_with_spikes(rules: RuleSet) -> int:
    """Return the lowest bucket of zero hands at the reveal under rules with Spike Cards.

    In yarith_bespin one in 28 hands of three cards is a zero hand. Of those that bought cards have
    improved more are.
    """
    return FIRST_ZERO_BUCKET if price_of_card(rules) else 32


def unlike_with_spikes(rules: RuleSet) -> dict[str, bool]:
    """Return what the abstract game with Spike Cards does not have, and whether rules have it.

    In it nobody has a choice of cards but to buy one, with all-in.
    """
    doubles = {rules.doubles, rules.double_spike}
    limits = rules.max_bet, rules.max_raise, rules.max_raises
    bought = {"stand", "draw", *SECOND_CHOICES}
    return {
        "a Spike Card and limits of bets": limits != (None, None, None),
        "a Spike Card and free card actions": without_fees(rules).card_actions != ("stand",),
        "a Spike Card, all-in and other card actions": rules.short_call == "all_in"
        and set(rules.card_actions) != bought,
        "a Spike Card and another order of phases": rules.phases != ("cards", "betting", "dice"),
        "a Spike Card and other doubles": doubles != {"redraw_all"},
    }
