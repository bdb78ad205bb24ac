"""Rules with Spike Cards, as the abstract game takes them."""

from __future__ import annotations

from typing import Final

from sabacc_agents.blueprint.card_choices import without_fees

from sabacc_env.rules import RuleSet

FIRST_ZERO_WITH_SPIKES: Final = 32
"""The lowest bucket of zero hands at the reveal under rules with Spike Cards. In yarith_bespin one
in 28 hands of three cards is a zero hand."""


def unlike_with_spikes(rules: RuleSet) -> dict[str, bool]:
    """Return what the abstract game with Spike Cards does not have, and whether rules have it.

    In it nobody has a choice of cards. For that any other card action must cost a fee that never
    pays: the other seat then bets all it has, and who paid the fee must junk.
    """
    doubles = {rules.doubles, rules.double_spike}
    limits = rules.max_bet, rules.max_raise, rules.max_raises
    return {
        "a Spike Card and all-in": rules.short_call != "junk",
        "a Spike Card and limits of bets": limits != (None, None, None),
        "a Spike Card and free card actions": without_fees(rules).card_actions != ("stand",),
        "a Spike Card and another order of phases": rules.phases != ("cards", "betting", "dice"),
        "a Spike Card and other doubles": doubles != {"redraw_all"},
    }
