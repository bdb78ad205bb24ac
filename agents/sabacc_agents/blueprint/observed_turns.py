"""What observations show of the public course of a hand, and so their public states."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sabacc_agents.blueprint.card_choices import without_fees
from sabacc_agents.blueprint.public_states import (
    CARD_KINDS,
    DISCARD_DRAW,
    NOBODY,
    NOTHING_KNOWN,
    REMEMBERED,
    STAND,
    add_to_history,
    card_pattern,
    facing_bucket,
    known_after,
    num_histories,
    price_of_card,
    public_state,
    seen_kind,
    stack_bucket,
)
from sabacc_agents.blueprint.spike_hands import NO_SPIKE, SPIKE_CLASSES, with_purchase
from sabacc_env.array_types import Bools, Ints
from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import KINDS, OBSERVED_ROUNDS, RAISE, Array, Record
from sabacc_env.engine.rules_record import starting_credits
from sabacc_env.observation import decode
from sabacc_env.rules import RuleSet
from sabacc_env.rules.choices import SECOND_CHOICES

TURN: Final = np.dtype(
    (
        np.record,
        [
            ("betting", "i8"),  # the number of the betting phase, at cards that of the next one
            ("history", "i8"),  # the phases before it that are remembered (``add_to_history``)
            ("position", "i8"),  # 0 for the seat that acts first, else 1
            ("raises", "i8"),  # the bets and raises of this betting phase
            ("kinds", "i8", (2,)),  # what both did in the last card phase, as seen; this seat first
            ("stood", "i8", (2,)),  # whether they stood in the one before, and no doubles followed
            ("redrawn", "i8"),  # whether doubles followed the last card phase
            ("known", "i8", (2,)),  # the last swaps whose cards lie in their hands
            ("spikes", "i8", (2,)),  # the classes of both Spike Cards; NO_SPIKE without them
        ],
    )
)
"""What an observation shows of the public course of a hand."""


def public_states_of(observations: Array, rules: RuleSet, stretched: Array, codes: Array) -> Ints:
    """Return the numbers of the public states in which observations were made, (n,).

    Args:
        observations: (n, OBSERVATION_SIZE) float32 of betting turns at tables of two.
        rules: the rules of the game.
        stretched: (n,) what stacks behind a call are multiplied by.
        codes: (NUM_PATTERNS,) of patterns, as ``pattern_codes`` has them.
    """
    decoded = decode(observations)
    found = np.zeros(len(observations), np.int64)
    number_states(
        turns_of(observations, rules),
        num_histories(rules),
        decoded.to_call_per_pot,
        decoded.credits_per_start,
        decoded.opponents.credits_per_start[:, 0],
        decoded.pot_per_start,
        stretched,
        codes,
        int(codes.max()) + 1,
        found,
    )
    return found


def turns_of(observations: Array, rules: RuleSet) -> NDArray[Any]:
    """Return the public courses of the hands in observations, (n,) TURN.

    Args:
        observations: (n, OBSERVATION_SIZE) float32 of turns at tables of two, bets or cards.
        rules: the rules of the game.
    """
    decoded = decode(observations)
    turns = np.zeros(len(observations), TURN)
    turns["betting"] = decoded.round - first_round(rules)
    turns["position"] = decoded.seats_after_dealer == 0
    turns["spikes"] = NO_SPIKE
    if rules.spike_card:  # those not dealt yet have the value 0
        turns["spikes"][:, 0] = SPIKE_CLASSES[decoded.own_spike_card + 10]
        turns["spikes"][:, 1] = SPIKE_CLASSES[decoded.opponents.spike_cards[:, 0] + 10]
    read_turns(
        card_kinds_of(rules),
        last_kinds_of(rules),
        decoded.round,
        ~decoded.is_betting,
        decoded.log_kinds,
        decoded.log_seats,
        decoded.opponents.card_actions[:, 0],
        known_cards_of(observations),
        doubles_of(observations),
        first_round(rules),
        num_histories(rules),
        price_of_card(rules) > 0,
        np.zeros((2, OBSERVED_ROUNDS), np.int64),
        turns,
    )
    return turns


def stacks_of(observations: Array, rules: RuleSet) -> Ints:
    """Return what the seat with less had after the antes, in credits, (n,).

    Args:
        observations: (n, OBSERVATION_SIZE) float32 of turns at tables of two.
        rules: the rules of the game. Both seats start with equal credits.
    """
    decoded = decode(observations)
    own = decoded.credits_per_start + decoded.hand_bets_per_start
    other = decoded.opponents.credits_per_start + decoded.opponents.hand_bets_per_start
    credits = starting_credits(rules, 2)[0]
    stacks: Ints = np.rint(np.minimum(own, other[:, 0]) * credits).astype(np.int64)
    return stacks


def first_round(rules: RuleSet) -> int:
    """Return the round of the first betting phase."""
    return 0 if rules.opening_bet else 1


def known_cards_of(observations: Array) -> Ints:
    """Return the card farthest from zero that everyone knows this seat and the other to hold.

    (n, 2) values as indices; that of a Sylop where there is none.
    """
    decoded = decode(observations)
    own = np.where(decoded.own_known, decoded.own_values, 0)
    other = np.where(decoded.opponents.known[:, 0], decoded.opponents.known_values[:, 0], 0)
    found: Ints = np.stack([np.abs(own).max(axis=1), np.abs(other).max(axis=1)], axis=1) + 10
    return found


def doubles_of(observations: Array) -> Bools:
    """Return whether doubles were rolled in each round, (n, rounds)."""
    dice = decode(observations).dice
    return np.asarray((dice[..., 0] == dice[..., 1]) & (dice[..., 0] > 0))


def card_kinds_of(rules: RuleSet) -> Ints:
    """Return the kind of card action (``CARD_KINDS``) of each kind of move, -1 for others.

    What a blueprint never does, an action that costs a fee, counts as a discard and a draw: the
    hand is no longer what it was, and probably better.
    """
    free = without_fees(rules).card_actions
    found = np.full(len(KINDS), -1)
    for kind, name in enumerate(KINDS):
        if name in rules.card_actions and name not in SECOND_CHOICES:
            found[kind] = CARD_KINDS.index(name) if name in free else DISCARD_DRAW
    return found


def last_kinds_of(rules: RuleSet) -> Ints:
    """Return what a seat did in a card phase by the kind of its last move there, -1 for others.

    A second choice follows a draw, which costs a fee.
    """
    found = card_kinds_of(rules)
    for name in set(SECOND_CHOICES) & set(rules.card_actions):
        found[KINDS.index(name)] = DISCARD_DRAW
    return found


IS_BET: Final = np.array([name in ("check", "call", "raise", "junk") for name in KINDS])


@jit
def number_states(
    turns: Array,
    histories: int,
    call_per_pot: Array,
    credits_per_start: Array,
    other_credits_per_start: Array,
    pot_per_start: Array,
    stretched: Array,
    codes: Array,
    num_codes: int,
    found: Array,
) -> None:
    """Write the number of each public state, (n,); all arrays but ``codes`` have n rows."""
    for i in range(len(found)):
        turn = turns[i]
        credits, pot = credits_per_start[i], pot_per_start[i]
        cost = call_per_pot[i] * pot
        # What a seat cannot pay comes back to the other, so it is as if that had never been bet.
        beyond = max(cost - credits, 0)
        cost -= beyond
        pot -= beyond
        call = cost / pot
        behind = min(credits - cost, other_credits_per_start[i])
        found[i] = public_state(
            turn.betting,
            turn.history,
            histories,
            turn.position,
            facing_bucket(turn.raises, call) if call > 0 else 0,
            stack_bucket(stretched[i] * behind / (pot * (1 + call))),
            codes[shown_pattern(turn, 0)],
            codes[shown_pattern(turn, 1)],
            num_codes,
        )


@jit
def shown_pattern(turn: Record, seat: int) -> int:
    """Return what this seat (0) or the other (1) did last with its cards, or shows of them."""
    if turn.spikes[seat] != NO_SPIKE:
        return int(turn.spikes[seat])
    return card_pattern(turn.kinds[seat], turn.stood[seat], turn.redrawn, turn.known[seat])


@jit
def read_turns(
    kind_of: Array,
    last_kind_of: Array,
    rounds: Array,
    at_cards: Array,
    log_kinds: Array,
    log_seats: Array,
    other_card_actions: Array,
    known_cards: Array,
    doubles: Array,
    first_round: int,
    histories: int,
    tells_purchases: bool,
    scratch: Array,
    turns: Array,
) -> None:
    """Complete turns, (n,), which have their positions.

    Arrays but ``kind_of`` (``card_kinds_of``), ``last_kind_of`` (``last_kinds_of``) and ``scratch``
    have n rows.
    """
    aggressors, own_kinds = scratch
    for i in range(len(turns)):
        turn = turns[i]
        now = int(rounds[i])
        aggressors[:] = NOBODY
        own_kinds[:] = STAND
        turn.raises = read_log(
            kind_of,
            log_kinds[i],
            log_seats[i],
            now,
            at_cards[i],
            first_round,
            turn.position,
            aggressors,
            own_kinds,
        )
        for number in range(max(first_round, now - REMEMBERED), now):
            turn.history = add_to_history(turn.history, aggressors[number & 3], histories)
            if turn.spikes[0] != NO_SPIKE and number > 0 and doubles[i, number - 1]:
                turn.history = 0
        if now > 0:
            own, other = own_kinds[now & 3], card_kind(last_kind_of, other_card_actions[i, now - 1])
            turn.kinds[0] = seen_kind(own, known_cards[i, 0])
            turn.kinds[1] = seen_kind(other, known_cards[i, 1])
            turn.redrawn = doubles[i, now - 1]
        if now > 1 and not doubles[i, now - 2]:
            turn.stood[0] = own_kinds[(now - 1) & 3] == STAND
            turn.stood[1] = card_kind(last_kind_of, other_card_actions[i, now - 2]) == STAND
        for number in range(1, now + 1):
            own = own_kinds[number & 3]
            other = card_kind(last_kind_of, other_card_actions[i, number - 1])
            turn.known[0] = known_after(turn.known[0], seen_kind(own, known_cards[i, 0]))
            turn.known[1] = known_after(turn.known[1], seen_kind(other, known_cards[i, 1]))
            if doubles[i, number - 1]:
                turn.known[:] = NOTHING_KNOWN
        if tells_purchases:
            for seat in range(2):
                turn.spikes[seat] = with_purchase(turn.spikes[seat], turn.kinds[seat], turn.redrawn)


@jit
def card_kind(kind_of: Array, kind: int) -> int:
    """Return what a seat did in a card phase, by the kind of its move; a stand for none."""
    return max(int(kind_of[kind]), STAND) if kind >= 0 else STAND


@jit
def read_log(
    kind_of: Array,
    kinds: Array,
    seats: Array,
    now: int,
    at_cards: bool,
    first_round: int,
    position: int,
    aggressors: Array,
    own_kinds: Array,
) -> int:
    """Read the log of public actions backwards; return the raises of this phase.

    Writes the last aggressor of each round (``NOBODY``), and what the seat did with its cards.
    """
    raises = 0
    number = now
    after_cards = at_cards
    # Who has no older card action of this round: at cards the seat itself, and the one after it.
    done_own, done_other = at_cards, at_cards and position == 0
    for j in range(len(kinds)):
        kind = int(kinds[j])
        if kind < 0:
            break
        if IS_BET[kind]:
            if after_cards:  # a betting phase before these cards
                number -= 1
                after_cards = done_own = done_other = False
                if number < first_round:
                    break
            if kind == RAISE:
                raises += number == now
                if aggressors[number & 3] == NOBODY:
                    aggressors[number & 3] = 1 + (position if seats[j] == 0 else 1 - position)
        elif kind_of[kind] >= 0:
            is_own = seats[j] == 0
            if done_own if is_own else done_other:  # nobody could bet between two card phases
                number -= 1
                done_own = done_other = False
            if is_own:
                done_own = True
                own_kinds[number & 3] = kind_of[kind]
            else:
                done_other = True
            after_cards = True
    return raises
