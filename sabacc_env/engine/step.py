"""Playing a hand: its start and deal, whose turn it is, and moves (RULES.md sections 1 to 5)."""

from sabacc_env.engine.betting import (
    call,
    has_no_turn,
    pay,
    raise_limits,
    raise_to,
    total_of_size,
)
from sabacc_env.engine.bit_sets import next_seat
from sabacc_env.engine.chance import DECK
from sabacc_env.engine.dice import dice_phase, roll_dice
from sabacc_env.engine.jit import inlined, jit
from sabacc_env.engine.layout import (
    BETTING,
    BUY_DISCARD,
    CALL,
    CARDS,
    DICE,
    DISCARD_DRAW,
    DISCARD_DRAWN,
    DRAW,
    FIRST_BET_ACTION,
    FIRST_CARD_ACTION,
    JUNK,
    KEEP,
    LOG_FEATURES,
    LOG_LENGTH,
    MAX_HAND,
    OVER,
    RAISE,
    RAISE_TO,
    REPLACE,
    REPLACE_SPIKE,
    SWAP,
    Record,
)
from sabacc_env.engine.observation.public_features import (
    change_marker,
    log_action,
    update_acting_seat,
    update_public_seats,
    update_standings,
)
from sabacc_env.engine.piles import (
    add_card,
    clear_hand,
    deal_spike,
    hand_mask,
    mark_seen_by_all,
    put_all_face_up,
    put_face_up,
    remove_card,
    shuffle_draw_pile,
    take_discard,
    take_top,
    turn_up,
)
from sabacc_env.engine.showdown import finish_hand

# Starting a hand.


@jit
def seats_that_can_ante(g: Record, r: Record) -> int:
    """Return the set of seats that can pay their full antes (RULES.md, D2).

    In a points game, these are all seats.
    """
    seats = 0
    for seat in range(int(g.num_players)):
        if r.points == 1 or g.credits[seat] >= r.hand_ante + r.sabacc_ante:
            seats |= 1 << seat
    return seats


@jit
def reset_hand(g: Record, r: Record, key_low: int, key_high: int, dealer: int) -> None:
    """Make a record ready for the deal. Credits, Sabacc pot and hand counts stay as they are."""
    g.key_low = key_low
    g.key_high = key_high
    g.junked_cards = 0
    g.seen_by_all = 0
    g.seen_by[:] = 0
    g.known[:] = 0
    g.credits_before = g.credits
    g.net_credits[:] = 0
    g.bet_phase[:] = 0
    g.bet_hand[:] = 0
    g.pot_amounts[:] = 0
    g.pot_seats[:] = 0
    g.pot_winners[:] = -1
    g.cards[:] = -1
    g.num_cards[:] = 0
    g.spikes[:] = -1
    g.last_action[:] = -1
    g.card_action[:] = -1
    g.dice[:] = 0
    g.log_seats[:] = -1
    for entry in range(LOG_LENGTH):
        for feature in range(LOG_FEATURES):
            g.log[entry].features[feature] = 0.0
    g.public_dice[:] = 0
    g.staked = 0
    g.highest_bet = 0
    g.raises = 0
    g.rolls = 0
    g.log_first = 0
    g.paid = 0
    g.drawn = -1
    g.num_discards = 0
    g.reshuffles = 0
    g.dice_given = -1
    g.dice_missing = 0
    g.revealed = 0
    g.num_pots = 0
    g.seated = seats_that_can_ante(g, r)
    g.remaining = g.seated
    g.dealer = next_seat(int(g.seated), dealer - 1)
    g.deck = r.deck
    g.deck_next = 0
    g.deck_size = r.deck_size
    g.deck_given = 0
    shuffle_draw_pile(g, DECK, 0)


@jit
def deal(g: Record, r: Record) -> None:
    """Take the antes, deal, and go on to the first decision (RULES.md sections 1 and 2)."""
    deal_cards(g, r)
    begin_first_phase(g, r)
    advance(g, r)


@inlined
def deal_cards(g: Record, r: Record) -> None:
    """Take the antes and deal."""
    waiting = int(g.remaining)
    seat = int(g.dealer)
    while waiting != 0:
        seat = next_seat(waiting, seat)
        waiting &= ~(1 << seat)
        if r.points == 1:
            g.staked = int(g.staked) + 1
        else:
            pay(g, seat, int(r.hand_ante))
            g.credits[seat] = int(g.credits[seat]) - int(r.sabacc_ante)
            g.sabacc_pot = int(g.sabacc_pot) + int(r.sabacc_ante)
        for _ in range(int(r.cards_dealt)):
            add_card(g, seat, take_top(g))
    if r.turns_up == 1:
        turn_up(g)
    g.round_no = 0
    g.phase = CARDS  # of no meaning yet, but the record may hold the end of another hand
    g.yet_to_act = 0
    g.phase_index = int(r.num_phases) - 1
    update_public_seats(g, r)  # not last: to observe rows just written takes longer


@inlined
def begin_first_phase(g: Record, r: Record) -> None:
    """Start the first phase of a hand that has been dealt."""
    if r.opening_bet == 1:
        begin_phase(g, r, BETTING)
    else:
        end_phase(g, r)


# Whose turn it is.


@inlined
def begin_phase(g: Record, r: Record, phase: int) -> None:
    """Start a phase: every remaining seat is to act, from the dealer's left on."""
    g.phase = phase
    g.last_seat = g.dealer
    g.yet_to_act = g.remaining
    g.highest_bet = 0
    g.raises = 0
    for seat in range(int(g.num_players)):
        g.bet_phase[seat] = 0
    if phase == DICE:
        if roll_dice(g):
            dice_phase(g, r)
        else:
            g.dice_missing = 1


@inlined
def end_phase(g: Record, r: Record) -> None:
    """Go on as ``next_phase`` does, and rewrite the public rows if that changes them."""
    marker = change_marker(g)
    next_phase(g, r)
    if change_marker(g) != marker:
        update_public_seats(g, r)


@inlined
def next_phase(g: Record, r: Record) -> None:
    """Go to the next phase or the reveal, or end the round (RULES.md section 2).

    At the end of a round nobody is to act, so ``advance`` calls this again, for the first phase of
    the next one. What was dealt then lies open before the next phase's dice can change it.
    """
    g.phase_index = int(g.phase_index) + 1
    if g.phase_index < r.num_phases:
        begin_phase(g, r, int(r.phases[int(g.phase_index)]))
        return
    if g.round_no == 0 and r.spike_card == 1:
        deal_spikes(g)
    if g.round_no == r.rounds:
        finish_hand(g, r)
        return
    g.round_no = int(g.round_no) + 1
    g.phase_index = -1


@jit
def deal_spikes(g: Record) -> None:
    """Deal a Spike Card to each remaining seat, from the dealer's left on."""
    waiting = int(g.remaining)
    seat = int(g.dealer)
    while waiting != 0:
        seat = next_seat(waiting, seat)
        waiting &= ~(1 << seat)
        deal_spike(g, seat)


@inlined
def advance(g: Record, r: Record) -> None:
    """Play chance events and skip turns as the rules say, up to the next decision or the end."""
    while not advance_once(g, r):
        pass


@inlined
def advance_once(g: Record, r: Record) -> bool:
    """Go on by a phase or a skipped turn; return whether there is a decision, or no way on."""
    remaining = int(g.remaining)
    if g.phase != OVER and remaining & (remaining - 1) == 0:
        finish_hand(g, r)
    if g.phase == OVER:
        update_standings(g, r)
        return True
    seat = next_seat(int(g.yet_to_act), int(g.last_seat))
    if seat < 0:
        end_phase(g, r)
        return bool(g.dice_missing == 1)
    if g.phase == BETTING and has_no_turn(g, r, seat):
        end_turn(g, seat)
        return False
    g.seat_to_act = seat
    return True


@jit
def end_turn(g: Record, seat: int) -> None:
    """End the turn of a seat, or skip it."""
    g.yet_to_act = int(g.yet_to_act) & ~(1 << seat)
    g.last_seat = seat


# Playing a move.


@inlined
def play_action(g: Record, r: Record, code: int, sizes: Record) -> None:
    """Play a legal code: an action of the discrete layout, or ``RAISE_TO`` + a raise's total.

    Then go on to the next decision or the end.
    """
    play_code(g, r, code, sizes)
    advance(g, r)


@inlined
def play_code(g: Record, r: Record, code: int, sizes: Record) -> None:
    """Play the move that a legal code means, and nothing that follows from it."""
    kind = code
    slot = 0
    total = 0
    if code >= RAISE_TO:
        kind = RAISE
        total = code - RAISE_TO
    elif code >= FIRST_BET_ACTION:
        kind = RAISE
        total = raise_total(g, r, code - FIRST_BET_ACTION, sizes)
    elif code >= FIRST_CARD_ACTION:
        offset = code - FIRST_CARD_ACTION
        kind = FIRST_CARD_ACTION + offset // MAX_HAND
        slot = offset % MAX_HAND
    play_move(g, r, kind, slot, total)


@inlined
def raise_total(g: Record, r: Record, size: int, sizes: Record) -> int:
    """Return the total that a legal bet size means for the seat to act."""
    seat = int(g.seat_to_act)
    low, high = raise_limits(g, r, seat)
    return total_of_size(g, r, seat, low, high, sizes, size)


@jit
def pack_move(g: Record, code: int) -> int:
    """Return a legal code as a move, packed: seat << 40 | kind << 32 | taken << 8 | card.

    ``card`` is the card put down, 0 if the kind puts none down. ``taken`` is 1 + the card taken off
    the discard pile, 0 for none. For a raise the caller writes its total into the lowest 32 bits.
    """
    seat = int(g.seat_to_act)
    if code >= FIRST_BET_ACTION:
        return seat << 40 | RAISE << 32
    kind = code
    card = 0
    taken = 0
    if code >= FIRST_CARD_ACTION:
        offset = code - FIRST_CARD_ACTION
        kind = FIRST_CARD_ACTION + offset // MAX_HAND
        card = int(g.cards[seat, offset % MAX_HAND])
    if kind in (SWAP, BUY_DISCARD):
        taken = 1 + int(g.discards[int(g.num_discards) - 1])
    return seat << 40 | kind << 32 | taken << 8 | card


@inlined
def play(g: Record, r: Record, kind: int, slot: int, total: int) -> None:
    """Play a legal move, then go on to the next decision or the end; arguments as ``play_move``."""
    play_move(g, r, kind, slot, total)
    advance(g, r)


@inlined
def play_move(g: Record, r: Record, kind: int, slot: int, total: int) -> None:
    """Play a legal move of the seat to act: its kind, the slot of its card, a raise's total."""
    seat = int(g.seat_to_act)
    credits_before = int(g.credits[seat])
    pot_before = int(g.staked)
    phase = int(g.phase)
    if phase == CARDS:
        play_card_move(g, r, seat, kind, slot)
    elif phase == DICE:
        discard_and_draw(g, seat, slot)
    elif kind == CALL:
        call(g, seat)
    elif kind == RAISE:
        raise_to(g, seat, total)
    if kind == JUNK:
        junk(g, r, seat)
    amount = total if kind == RAISE else credits_before - int(g.credits[seat])
    log_action(g, seat, kind, amount, pot_before)
    if phase == CARDS:
        g.card_action[seat, int(g.round_no) - 1] = kind
    if g.drawn < 0:  # otherwise the seat must still decide on its drawn card
        end_turn(g, seat)
    update_acting_seat(g, r, seat, phase, kind)


@inlined
def play_card_move(g: Record, r: Record, seat: int, kind: int, slot: int) -> None:
    """Play a move of a card phase: first its fee, then its cards (RULES.md section 3)."""
    if r.points == 0:
        pay(g, seat, int(r.fees[kind]))
    if kind == DRAW:
        card = take_top(g)
        if r.second_choices != 0:
            g.drawn = card
            g.seen_by[seat] = int(g.seen_by[seat]) | 1 << card
        else:
            add_card(g, seat, card)
    elif kind == DISCARD_DRAW:
        discard_and_draw(g, seat, slot)
    elif kind == SWAP:
        card = remove_card(g, seat, slot)
        take_discard(g, seat)
        put_face_up(g, card)
    elif kind == BUY_DISCARD:
        take_discard(g, seat)
        if g.num_discards == 0:
            turn_up(g)  # D18
    elif kind == KEEP:
        add_card(g, seat, int(g.drawn))
        g.drawn = -1
    elif kind == DISCARD_DRAWN:
        put_face_up(g, int(g.drawn))
        g.drawn = -1
    elif kind == REPLACE:
        card = remove_card(g, seat, slot)
        add_card(g, seat, int(g.drawn))
        g.drawn = -1
        put_face_up(g, card)
    elif kind == REPLACE_SPIKE:
        card = int(g.spikes[seat])
        g.spikes[seat] = g.drawn
        mark_seen_by_all(g, 1 << int(g.drawn))
        g.drawn = -1
        put_face_up(g, card)


@inlined
def discard_and_draw(g: Record, seat: int, slot: int) -> None:
    """Put a card face up, then draw: the card is chosen before the draw (RULES.md section 3)."""
    put_face_up(g, remove_card(g, seat, slot))
    add_card(g, seat, take_top(g))


@jit
def junk(g: Record, r: Record, seat: int) -> None:
    """Junk a hand, with its Spike Card (D5), and pay the penalty, or what is left if less (D20)."""
    if r.points == 0:
        pay(g, seat, min(int(r.junk_penalty), int(g.credits[seat])))
    cards = hand_mask(g, seat)
    if g.spikes[seat] >= 0:
        cards |= 1 << int(g.spikes[seat])
        g.spikes[seat] = -1
    clear_hand(g, seat)
    g.remaining = int(g.remaining) & ~(1 << seat)
    if r.junk_face_up == 1:
        put_all_face_up(g, cards)
    else:
        g.junked_cards = int(g.junked_cards) | cards
