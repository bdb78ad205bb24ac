"""What everyone sees of the seats, kept as the features that their opponents observe.

A seat's row is rewritten where what it shows has changed: once a move, where each opponent would
else write it at each of its turns. The rows are held twice, so that those after any seat are one
run to be copied; the log of public actions likewise.
"""

from sabacc_env.engine.codes import CARD_CODES, FIFTHS, KIND_CODES, ratio
from sabacc_env.engine.jit import inlined, jit
from sabacc_env.engine.layout import (
    LOG_FEATURES,
    LOG_LENGTH,
    MAX_HAND,
    SEAT_FEATURES,
    SHOWN_ROUNDS,
    Record,
)

BETS_OF_POT = 5
"""The column of a seat's bets as a share of the pot, which are written when they are observed."""
LAST_ACTION = 14
CARD_ACTIONS = 17
"""Where the other blocks of a row begin; ``features.py`` names its columns one by one."""


@jit
def show_seats(g: Record, r: Record) -> None:
    """Rewrite the rows of all seats."""
    for seat in range(int(g.num_players)):
        show_stakes(g, r, seat)
        show_cards(g, seat)
        show_card_actions(g, seat)


@jit
def show_stakes(g: Record, r: Record, seat: int) -> None:
    """Rewrite what a seat's last action and its credits are, but not its share of the pot."""
    seat &= 7
    i = SEAT_FEATURES * seat
    again = SEAT_FEATURES * (int(g.num_players) & 15)
    seated = int(g.seated) >> seat & 1
    remains = int(g.remaining) >> seat & 1
    start = int(r.starting_credits[seat])
    credits_left = int(g.credits[seat])
    all_in = remains & int(credits_left == 0) & int(r.all_in) & ~int(r.points)
    last = int(g.last_action[seat]) & 15
    show(g, i, again, remains)
    show(g, i + 1, again, seated - remains)
    show(g, i + 2, again, 1 - seated)
    show(g, i + 3, again, all_in)
    show(g, i + 4, again, ratio(credits_left, start, 4))
    show(g, i + 6, again, ratio(int(g.bet_hand[seat]), start, 4))
    for part in range(3):
        show(g, i + LAST_ACTION + part, again, KIND_CODES[last, part])


@jit
def show_cards(g: Record, seat: int) -> None:
    """Rewrite what is known of a seat's cards."""
    seat &= 7
    i = SEAT_FEATURES * seat
    again = SEAT_FEATURES * (int(g.num_players) & 15)
    show(g, i + 7, again, FIFTHS[int(g.num_cards[seat]) & 7])
    for index in range(MAX_HAND):
        show(g, i + 8 + index, again, 0)
    known = int(g.known[seat])
    if known != 0:
        shown = i + 8
        for slot in range(int(g.num_cards[seat])):
            card = int(g.cards[seat, slot]) & 63
            if known >> card & 1:
                show(g, shown, again, CARD_CODES[card])
                shown += 1
    show(g, i + 13, again, CARD_CODES[int(g.spikes[seat]) & 63])


@jit
def show_card_actions(g: Record, seat: int) -> None:
    """Rewrite what a seat did in the card phases of the rounds shown."""
    first = max(0, int(g.round_no) - SHOWN_ROUNDS) & 7
    for index in range(SHOWN_ROUNDS):
        show_card_action(g, seat, index, int(g.card_action[seat, first + index]))


@inlined
def show_card_action(g: Record, seat: int, index: int, kind: int) -> None:
    """Rewrite what a seat did in the card phase of one of the rounds shown."""
    i = SEAT_FEATURES * (seat & 7) + CARD_ACTIONS + 2 * (index & 3)
    again = SEAT_FEATURES * (int(g.num_players) & 15)
    show(g, i, again, KIND_CODES[kind & 15, 0])
    show(g, i + 1, again, KIND_CODES[kind & 15, 1])


@inlined
def show(g: Record, feature: int, again: int, value: float) -> None:
    """Write a feature of a row, and of its other copy."""
    g.public[feature] = value
    g.public[feature + again] = value


@jit
def log_action(g: Record, seat: int, kind: int, amount: int, pot: int) -> None:
    """Remember a public action: its seat, its kind, and what it paid (a raise: its total)."""
    first = (int(g.log_first) - 1) & (LOG_LENGTH - 1)
    share = ratio(amount, pot, 4)
    for entry in (first, first + LOG_LENGTH):
        g.log_seats[entry] = seat
        for part in range(LOG_FEATURES - 1):
            g.log[LOG_FEATURES * entry + part] = KIND_CODES[kind & 15, part]
        g.log[LOG_FEATURES * entry + LOG_FEATURES - 1] = share
    g.log_first = first
    g.last_action[seat] = kind
    g.paid = amount
