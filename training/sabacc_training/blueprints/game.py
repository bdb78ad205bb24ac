"""The abstract game that a blueprint is solved in: its public course and its bets.

Two seats begin with equal stacks. The agent is the seat whose blueprint is solved; it may use few
bet sizes. The adversary may use all. What a state leaves out, the hands, is in ``hands``. Bets and
phases follow RULES.md, sections 2 to 5; tests compare them with the engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sabacc_agents.blueprint.buckets import FIRST_ZERO_BUCKET
from sabacc_agents.blueprint.card_choices import without_fees
from sabacc_agents.blueprint.public_states import (
    CARD_KINDS,
    NOBODY,
    NOTHING_KNOWN,
    STAND,
    SWAP,
    add_to_history,
    card_pattern,
    facing_bucket,
    known_after,
    num_histories,
    pattern_codes,
    price_of_card,
    public_state,
    stack_bucket,
)
from sabacc_agents.blueprint.spike_hands import NO_SPIKE, first_spike_betting
from sabacc_agents.expectation.backward_induction import stages

from sabacc_env.actions import BetSize, encode_bet_sizes
from sabacc_env.array_types import Ints
from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import (
    BET_MAX,
    BET_MIN,
    DOUBLES,
    PHASES,
    REDRAW_ONE,
    UNLIMITED,
    Array,
    Record,
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

NO_KIND: Final = -1

# What happens to the cards of a seat: nothing yet (0), a kind of card action, or doubles.
FIRST_KIND: Final = 1
FIRST_REDRAW: Final = FIRST_KIND + len(CARD_KINDS)
NUM_EVENTS: Final = FIRST_REDRAW + 2
NUM_COURSES: Final = NUM_EVENTS**6
"""Three rounds have at most six events."""

STATE: Final = np.dtype(
    (
        np.record,
        [
            ("stage", "i8"),  # the index of the phase
            ("position", "i8"),  # who acts: 0 for the seat that acts first
            ("acted", "i8"),  # how many seats have acted since the last raise, or in the card phase
            ("raises", "i8"),  # the bets and raises of this phase
            (
                "aggressor",
                "i8",
            ),  # NOBODY, or 1 + the position that bet or raised last in this phase
            ("history", "i8"),  # the aggressors of phases before (``add_to_history``)
            ("bets", "i8", (2,)),  # the bets of the hand, by position
            ("phase_bets", "i8", (2,)),  # the bets of this phase, by position
            (
                "kinds",
                "i8",
                (2,),
            ),  # what each did in the last card phase, as seen; NO_KIND before the first
            (
                "stood",
                "i8",
                (2,),
            ),  # whether it stood in the card phase before, and no doubles followed
            ("redrawn", "i8"),  # whether doubles followed the last card phase
            ("known", "i8", (2,)),  # the last swaps whose cards lie in their hands
            ("courses", "i8", (2,)),  # the events of the cards of each, in order, as digits
            ("spikes", "i8", (2,)),  # the class of each Spike Card; NO_SPIKE without them
        ],
    )
)
"""The public state of a hand."""


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


def new_states(count: int) -> NDArray[Any]:
    """Return states at the start of a hand, (count,)."""
    states = np.zeros(count, STATE)
    states["kinds"] = NO_KIND
    states["spikes"] = NO_SPIKE
    return states


@jit
def is_followed_by_reveal(game: Game, s: Record) -> bool:
    """Say whether the reveal comes right after this stage."""
    return int(game.phases[s.stage + 1]) == REVEAL


@jit
def is_last_call(game: Game, s: Record) -> bool:
    """Say whether the reveal comes right after a check or call."""
    ends = s.phase_bets[0] != s.phase_bets[1] or s.acted >= 1
    return ends and is_followed_by_reveal(game, s)


@jit
def to_call(s: Record) -> int:
    """Return what the seat to act must add to match the highest bet."""
    p = int(s.position) & 1
    return int(s.phase_bets[1 - p]) - int(s.phase_bets[p])


@jit
def write_legal(
    game: Game, s: Record, stack: int, is_agent: bool, legal: Array, raises: Array
) -> None:
    """Write which bet actions are legal, and by how much each raise exceeds the call.

    ``stack`` is what each seat had after the antes. Of sizes that mean equal totals the first is
    legal, of those that the seat may use.
    """
    p = int(s.position) & 1
    call = to_call(s)
    left = stack - int(s.bets[p]) - call
    legal[:] = False
    legal[JUNK] = call > 0
    legal[CALL] = True
    low, high = game.raises if s.raises > 0 else game.bets
    high = min(high, left - left % game.bet_step)
    if high < low or stack == s.bets[1 - p] or s.raises > game.max_raises:  # D15 and D7
        return
    pot = 2 * game.hand_ante + int(s.bets[0]) + int(s.bets[1]) + call
    before = 0
    for k in range(len(game.numerators)):
        if is_agent and not game.agent_may[k]:
            continue
        amount = raise_amount(game, k, pot, low, high)
        legal[FIRST_RAISE + k] = amount != before
        raises[FIRST_RAISE + k] = amount
        before = amount


@jit
def raise_amount(game: Game, size: int, pot: int, low: int, high: int) -> int:
    """Return by how much a raise of a size exceeds the call, as ``engine.betting`` has it."""
    numerator = int(game.numerators[size])
    if numerator == BET_MIN:
        return low
    if numerator == BET_MAX:
        return high
    amount = pot * numerator // int(game.denominators[size])
    if amount <= low:
        return low
    return min(high, amount - (amount - low) % game.bet_step)


@jit
def apply_bet(game: Game, s: Record, stack: int, action: int, raises: Array) -> None:
    """Change a state by a check, a call or a raise. The phase ends where the rules end it."""
    p = int(s.position) & 1
    call = to_call(s)
    paid = min(call, stack - int(s.bets[p]))
    ends = call > 0 or s.acted >= 1
    if action != CALL:
        paid = call + int(raises[action])
        ends = False
        s.raises += 1
        s.aggressor = 1 + p
        s.acted = 0
    s.bets[p] += paid
    s.phase_bets[p] += paid
    s.acted += 1
    s.position = 1 - p
    if ends:
        end_betting(game, s)


@jit
def end_betting(game: Game, s: Record) -> None:
    """Remember who bet or raised last, and begin the next stage."""
    s.history = add_to_history(int(s.history), int(s.aggressor), game.histories)
    next_stage(s)


@jit
def next_stage(s: Record) -> None:
    """Begin the next stage."""
    s.stage += 1
    s.position = 0
    s.acted = 0
    s.raises = 0
    s.aggressor = NOBODY
    s.phase_bets[:] = 0


@jit
def redraw(s: Record, how: int) -> None:
    """Note doubles, by what they do to the cards of both seats."""
    s.redrawn = 1
    s.known[:] = NOTHING_KNOWN
    for p in range(2):
        add_event(s, p, FIRST_REDRAW + how - REDRAW_ONE)


@jit
def note_kind(s: Record, kind: int) -> None:
    """Note a kind of card action of the seat to act, as seen. The phase ends after the second."""
    s.kinds[s.position] = kind
    s.known[s.position] = known_after(int(s.known[s.position]), kind)
    add_event(s, int(s.position), FIRST_KIND + min(kind, SWAP))
    s.acted += 1
    s.position = 1 - s.position
    if s.acted == 2:
        next_stage(s)


@jit
def add_event(s: Record, position: int, event: int) -> None:
    """Note what happened to a seat's cards."""
    s.courses[position] = s.courses[position] * NUM_EVENTS + event


@jit
def begin_cards(s: Record) -> None:
    """Remember who stood, as a card phase begins."""
    for p in range(2):
        s.stood[p] = s.kinds[p] == STAND and s.redrawn == 0
    s.redrawn = 0


@jit
def last_pattern(s: Record, position: int) -> int:
    """Return the pattern of a seat's last card actions, or the class of its Spike Card."""
    if s.spikes[position] != NO_SPIKE:
        return int(s.spikes[position])
    kind = max(int(s.kinds[position]), STAND)
    return card_pattern(kind, s.stood[position], s.redrawn, int(s.known[position]))


@jit
def bet_public_state(game: Game, s: Record, stack: int) -> int:
    """Return the number of the public state in which the seat to act bets."""
    p = int(s.position) & 1
    call = to_call(s)
    pot = 2 * game.hand_ante + int(s.bets[0]) + int(s.bets[1])
    behind = min(max(stack - int(s.bets[p]) - call, 0), stack - int(s.bets[1 - p]))
    return public_state(
        game.bettings[s.stage],
        s.history,
        game.histories,
        p,
        facing_bucket(s.raises, call / pot) if call > 0 else 0,
        stack_bucket(behind / (pot + call)),
        game.codes[last_pattern(s, p)],
        game.codes[last_pattern(s, 1 - p)],
        game.num_codes,
    )
