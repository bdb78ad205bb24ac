"""The end of a hand: the showdown, blind draws, and who wins the pots (RULES.md section 5)."""

from sabacc_env.engine.bit_sets import lowest, next_seat
from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import OVER, Record
from sabacc_env.engine.piles import card_value, put_face_up, take_top
from sabacc_env.engine.pots import return_unmatched, split_pots
from sabacc_env.engine.ranking import hand_place, hand_strength, hand_total


@jit
def blind_draw(g: Record, r: Record, tied: int) -> int:
    """Return the winner of a blind draw (RULES.md, D9).

    The tied seats draw in turn until one is the best.
    """
    for _ in range(int(r.deck_size)):
        best = -1
        still_tied = 0
        waiting = tied
        seat = int(g.dealer)
        while waiting != 0:
            seat = next_seat(waiting, seat)
            waiting &= ~(1 << seat)
            card = take_top(g)
            put_face_up(g, card)
            value = card_value(card)
            closeness = 2 * (10 - abs(value)) + (1 if value > 0 else 0)
            if closeness > best:
                best = closeness
                still_tied = 0
            if closeness == best:
                still_tied |= 1 << seat
        tied = still_tied
        if tied & (tied - 1) == 0:
            break
    return next_seat(tied, int(g.dealer))


@jit
def best_hand(g: Record, r: Record, seats: int) -> int:
    """Return the seat of a set with the best hand, by a blind draw if need be."""
    if seats & (seats - 1) != 0:
        seats = best_seats(g, r, seats, False)
    if seats & (seats - 1) != 0:  # only now, because tie-breakers are slow to compute
        seats = best_seats(g, r, seats, True)
    if seats & (seats - 1) != 0:
        return blind_draw(g, r, seats)
    return lowest(seats)


@jit
def best_seats(g: Record, r: Record, seats: int, with_ties: bool) -> int:
    """Return the seats of a set that have the best hand, compared with or without tie-breakers."""
    best = -1
    tied = 0
    for seat in range(int(g.num_players)):
        if seats >> seat & 1:
            if with_ties:
                strength = hand_strength(int(r.ranking), g, seat)
            else:
                strength = hand_place(int(r.ranking), g, seat, hand_total(g, seat))
            if strength > best:
                best = strength
                tied = 0
            if strength == best:
                tied |= 1 << seat
    return tied


@jit
def finish_hand(g: Record, r: Record) -> None:
    """End the hand: reveal if several seats remain, and settle from the main pot outwards."""
    g.phase = OVER
    g.seat_to_act = -1
    g.yet_to_act = 0
    remaining = int(g.remaining)
    g.revealed = 1 if remaining & (remaining - 1) != 0 else 0
    return_unmatched(g)
    split_pots(g)
    for index in range(int(g.num_pots)):
        winner = best_hand(g, r, int(g.pot_seats[index]))
        g.pot_winners[index] = winner
        if r.points == 1:
            g.net_credits[winner] = int(g.staked)
        else:
            g.credits[winner] = int(g.credits[winner]) + int(g.pot_amounts[index])
    main_winner = int(g.pot_winners[0])
    total = hand_total(g, main_winner)
    if g.revealed == 1 and total == 0:
        g.credits[main_winner] = int(g.credits[main_winner]) + int(g.sabacc_pot)
        g.sabacc_pot = 0
    for seat in range(int(g.num_players)):
        if r.points == 1:
            g.net_credits[seat] = int(g.net_credits[seat]) - (int(g.seated) >> seat & 1)
        else:
            g.net_credits[seat] = int(g.credits[seat]) - int(g.credits_before[seat])
