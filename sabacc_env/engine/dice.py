"""The dice phase: the roll, and the redraws that doubles cause (RULES.md section 4)."""

from sabacc_env.engine.bit_sets import next_seat
from sabacc_env.engine.chance import forced_outcome, roll
from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import FORCED, NO_REDRAW, REDRAW_ALL, REDRAW_ONE, Record
from sabacc_env.engine.observation.public_features import update_public_dice
from sabacc_env.engine.piles import (
    add_card,
    clear_hand,
    deal_spike,
    hand_mask,
    put_all_face_up,
    take_top,
)


@jit
def roll_dice(g: Record) -> bool:
    """Roll the dice of this round. Return False if its dice were to be given and are missing."""
    index = int(g.round_no) - 1
    if g.dice_given < 0:
        if g.deck_given == FORCED:
            outcome = forced_outcome(g, 36)
            first, second = outcome // 6 + 1, outcome % 6 + 1
        else:
            first, second = roll(int(g.key_low), int(g.key_high), index + 1)
        g.dice[index, 0] = first
        g.dice[index, 1] = second
    elif index >= g.dice_given:
        return False
    g.rolls = index + 1
    update_public_dice(g, index)
    return True


@jit
def doubles_effect(g: Record, r: Record) -> int:
    """Return what the dice of this round cause: NO_REDRAW, REDRAW_ONE or REDRAW_ALL."""
    index = int(g.round_no) - 1
    first = int(g.dice[index, 0])
    if first != int(g.dice[index, 1]):
        return NO_REDRAW
    return int(r.double_spike) if first == 1 else int(r.doubles)


@jit
def dice_phase(g: Record, r: Record) -> None:
    """Apply the dice just rolled. Seats that must choose a card to redraw are ``yet_to_act``."""
    effect = doubles_effect(g, r)
    g.yet_to_act = int(g.remaining) if effect == REDRAW_ONE else 0
    if effect == REDRAW_ALL:
        spike_too = int(r.spike_card) == 1 and int(g.dice[int(g.round_no) - 1, 0]) == 1
        redraw_all(g, spike_too)


@jit
def redraw_all(g: Record, spike_too: int) -> None:
    """Let each seat in turn discard its whole hand at once and draw as many (RULES.md, D4, D14)."""
    remaining = int(g.remaining)
    seat = int(g.dealer)
    for _ in range(int(g.num_players)):
        seat = next_seat(remaining, seat)
        remaining &= ~(1 << seat)
        cards = hand_mask(g, seat)
        count = int(g.num_cards[seat])
        if spike_too:
            cards |= 1 << int(g.spikes[seat])
            g.spikes[seat] = -1
        clear_hand(g, seat)
        put_all_face_up(g, cards)
        for _ in range(count):
            add_card(g, seat, take_top(g))
        if spike_too:
            deal_spike(g, seat)
        if remaining == 0:
            return
