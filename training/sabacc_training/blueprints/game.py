"""The abstract game that a blueprint is solved in: its rules.

Two seats begin with equal stacks. The agent is the seat whose blueprint is solved; it may use few
bet sizes. The adversary may use all. The public course of a hand is in ``states``, the hands are in
``hands``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from sabacc_agents.blueprint.buckets import FIRST_ZERO_BUCKET
from sabacc_agents.blueprint.card_choices import without_fees
from sabacc_agents.blueprint.public_states import (
    CARD_KINDS,
    num_histories,
    pattern_codes,
    price_of_card,
)
from sabacc_agents.blueprint.spike_hands import NO_SPIKE, first_spike_betting
from sabacc_agents.expectation.backward_induction import stages

from sabacc_env.actions import BetSize, encode_bet_sizes
from sabacc_env.array_types import Ints
from sabacc_env.engine.layout import (
    DOUBLES,
    PHASES,
    UNLIMITED,
    Array,
)
from sabacc_env.engine.rules_record import starting_credits
from sabacc_env.errors import SabaccError
from sabacc_env.rules import RuleSet
from sabacc_env.rules.choices import SECOND_CHOICES
from sabacc_training.blueprints.spike_rules import first_zero_with_spikes, unlike_with_spikes

JUNK: Final = 0
CALL: Final = 1
"""A check where there is nothing to call."""
FIRST_RAISE: Final = 2
MAX_RAISES: Final = 4
NUM_BETS: Final = FIRST_RAISE + MAX_RAISES
"""The bet actions: junk, check or call, and a raise of each size."""

CARDS: Final = PHASES.index("cards")
DICE: Final = PHASES.index("dice")
BETTING: Final = PHASES.index("betting")
REVEAL: Final = PHASES.index("over")


class Game(NamedTuple):
    """The rules of an abstract game, as compiled code takes them.

    Attributes:
        phases: (stages,) the phase of each stage, an index of ``PHASES``; at the end the reveal.
        bettings: (stages,) the number of the betting phase of a stage, from 0.
        histories: how many histories there are in the last betting phase.
        hand_ante: the ante of a seat for the hand pot, in credits.
        sabacc_ante: the ante of a seat for the Sabacc pot.
        bets: (2,) the smallest and the largest bet.
        raises: (2,) the smallest and the largest raise.
        max_raises: the most raises of a phase, the bet not counted.
        bet_step: the step between legal totals.
        numerators: (sizes,) the bet sizes, as ``BET_SIZES_DTYPE`` has them.
        denominators: (sizes,) likewise.
        agent_may: (sizes,) whether the agent may bet a size.
        junk_penalty: what a seat that junks pays into the pot, in credits.
        redraws: (3,) what no doubles, doubles and two Spikes do (``DOUBLES``).
        codes: (NUM_PATTERNS,) what the agent's public states call patterns (``pattern_codes``).
        num_codes: how many codes there are.
        first_zero: the lowest bucket of zero hands at the reveal.
        spikes_from: the number of the first betting phase with Spike Cards; NO_SPIKE without them.
        price: what a card costs that seats with Spike Cards buy; 0 if nobody buys.
        cards_dealt: the cards of a hand at first.
        stretch: what stacks behind a call are multiplied by in the agent's states; 1 where the
            agent was solved for the stack.
    """

    phases: Array
    bettings: Array
    histories: int
    hand_ante: int
    sabacc_ante: int
    bets: Array
    raises: Array
    max_raises: int
    bet_step: int
    numerators: Array
    denominators: Array
    agent_may: Array
    junk_penalty: int
    redraws: Array
    codes: Array
    num_codes: int
    first_zero: int
    spikes_from: int
    price: int
    cards_dealt: int
    stretch: float


def abstract_game(
    rules: RuleSet,
    bet_sizes: Sequence[BetSize],
    agent_sizes: Sequence[BetSize],
    codes: Ints | None = None,
) -> Game:
    """Return the abstract game of a rule set.

    Args:
        rules: the rules.
        bet_sizes: what the adversary may bet, at most four sizes.
        agent_sizes: what the agent may bet, some of these.
        codes: (NUM_PATTERNS,) what the agent calls patterns; by default it tells all apart.

    Raises:
        SabaccError: for rules or bet sizes that no blueprint can be solved for.
    """
    check_rules(rules)
    sizes = encode_bet_sizes(bet_sizes)
    if len(bet_sizes) > MAX_RAISES:
        raise SabaccError(f"bet_sizes: a blueprint can have at most {MAX_RAISES}")
    if sizes["by_rank"][0][: len(bet_sizes)].tolist() != list(range(len(bet_sizes))):
        raise SabaccError("bet_sizes: give them from the smallest to the largest, for a blueprint")
    if not agent_sizes or not set(agent_sizes) <= set(bet_sizes):
        raise SabaccError("agent_sizes: give one or more of the bet sizes")
    if rules.spike_card and rules.short_call == "junk" and "max" not in bet_sizes:
        raise SabaccError('bet_sizes: with a Spike Card "max" must be one, to bet out who buys')
    if codes is None:
        codes = pattern_codes(rules)
    order = stages(rules)
    phases = [PHASES.index(phase) for _, phase in order]
    count = len(bet_sizes)
    bettings = np.cumsum([0, *(phase == BETTING for phase in phases)])
    return Game(
        phases=np.array([*phases, REVEAL]),
        bettings=bettings,
        histories=num_histories(rules),
        hand_ante=rules.hand_ante,
        sabacc_ante=rules.sabacc_ante,
        bets=np.array([rules.min_bet, rules.max_bet or UNLIMITED]),
        raises=np.array([rules.min_raise, rules.max_raise or UNLIMITED]),
        max_raises=UNLIMITED if rules.max_raises is None else rules.max_raises,
        bet_step=rules.bet_step,
        numerators=sizes["numerators"][0, :count].copy(),
        denominators=sizes["denominators"][0, :count].copy(),
        agent_may=np.array([size in agent_sizes for size in bet_sizes]),
        junk_penalty=rules.junk_penalty,
        redraws=np.array([0, DOUBLES.index(rules.doubles), DOUBLES.index(rules.double_spike)]),
        codes=codes,
        num_codes=int(codes.max()) + 1,
        first_zero=first_zero_with_spikes(rules) if rules.spike_card else FIRST_ZERO_BUCKET,
        spikes_from=first_spike_betting(rules) if rules.spike_card else NO_SPIKE,
        price=price_of_card(rules),
        cards_dealt=rules.cards_dealt,
        stretch=1.0,
    )


def check_rules(rules: RuleSet) -> None:
    """Check that a blueprint can be solved for these rules.

    Raises:
        SabaccError: for rules with what the abstract game does not have.
    """
    free = {kind for kind in rules.card_actions if not rules.fees.get(kind)}
    if rules.fees.get("draw"):
        free -= set(SECOND_CHOICES)
    unlike = {
        "no tables of two": not rules.seats[0] <= 2 <= rules.seats[1],
        "more than three rounds": rules.rounds > 3,
        "no betting": "betting" not in rules.phases,
        "points": rules.starting_credits is None,
        "starting credits that differ": len(set(starting_credits(rules, 2))) > 1,
        "look_then_discard": rules.look_then_discard,
        "other card actions": not free <= set(CARD_KINDS),
    }
    if rules.spike_card:
        unlike |= unlike_with_spikes(rules)
    found = [name for name, is_so in unlike.items() if is_so]
    if found:
        raise SabaccError(f"{rules.name}: no blueprint can be solved for rules with {found[0]}")


def alike_in_abstract(rules: RuleSet) -> RuleSet:
    """Return rules that are the same for all that have the same abstract game.

    Where seats with Spike Cards buy cards, these are the rules themselves.
    """
    if price_of_card(rules):
        return rules
    return without_fees(rules).replace(short_call="all_in")
