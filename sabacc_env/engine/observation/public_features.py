"""What everyone sees of the seats, kept as the features that their opponents observe.

A seat's row is rewritten where what it shows has changed: once a move, where each opponent would
else write it at each of its turns.
"""

from sabacc_env.engine.jit import inlined, jit
from sabacc_env.engine.layout import (
    LOG_LENGTH,
    MAX_HAND,
    OBSERVED_ROUNDS,
    Record,
)
from sabacc_env.engine.observation.encoding import (
    CARD_ENCODING,
    FIFTHS,
    KIND_ENCODING,
    inverse,
    share,
)

LAST_ACTION = 13
CARD_ACTIONS = 16
"""Where blocks of a row begin; ``blocks.py`` names its columns one by one."""


@jit
def show_seats(g: Record, r: Record) -> None:
    """Rewrite the rows of all seats."""
    for seat in range(int(g.num_players)):
        show_stakes(g, r, seat)
        show_cards(g, seat)
        show_card_actions(g, seat)


@jit
def show_stakes(g: Record, r: Record, seat: int) -> None:
    """Rewrite what a seat's last action and its credits are."""
    seat &= 7
    seated = int(g.seated) >> seat & 1
    remains = int(g.remaining) >> seat & 1
    per_start = r.per_start[seat]
    credits_left = int(g.credits[seat])
    all_in = remains & int(credits_left == 0) & int(r.all_in) & ~int(r.points)
    last = int(g.last_action[seat]) & 15
    show(g, seat, 0, remains)
    show(g, seat, 1, seated - remains)
    show(g, seat, 2, 1 - seated)
    show(g, seat, 3, all_in)
    show(g, seat, 4, share(credits_left, per_start, 4))
    show(g, seat, 5, share(int(g.bet_hand[seat]), per_start, 4))
    for part in range(3):
        show(g, seat, LAST_ACTION + part, KIND_ENCODING[last, part])


@inlined
def show_cards(g: Record, seat: int) -> None:
    """Rewrite what is known of a seat's cards."""
    seat &= 7
    show(g, seat, 6, FIFTHS[int(g.num_cards[seat]) & 7])
    for index in range(MAX_HAND):
        show(g, seat, 7 + index, 0)
    known = int(g.known[seat])
    if known != 0:
        shown = 7
        for slot in range(int(g.num_cards[seat])):
            card = int(g.cards[seat, slot]) & 63
            if known >> card & 1:
                show(g, seat, shown, CARD_ENCODING[card])
                shown += 1
    show(g, seat, 12, CARD_ENCODING[int(g.spikes[seat]) & 63])


@jit
def show_card_actions(g: Record, seat: int) -> None:
    """Rewrite what a seat did in the card phases of the rounds shown."""
    first = max(0, int(g.round_no) - OBSERVED_ROUNDS) & 7
    for index in range(OBSERVED_ROUNDS):
        show_card_action(g, seat, index, int(g.card_action[seat, first + index]))


@inlined
def show_card_action(g: Record, seat: int, index: int, kind: int) -> None:
    """Rewrite what a seat did in the card phase of one of the rounds shown."""
    column = CARD_ACTIONS + 2 * (index & 3)
    show(g, seat & 7, column, KIND_ENCODING[kind & 15, 0])
    show(g, seat & 7, column + 1, KIND_ENCODING[kind & 15, 1])


@inlined
def show(g: Record, seat: int, column: int, value: float) -> None:
    """Write a feature of a seat's row."""
    g.public[seat].features[column] = value


@jit
def log_action(g: Record, seat: int, kind: int, amount: int, pot: int) -> None:
    """Remember a public action: its seat, its kind, and what it paid (a raise: its total)."""
    first = (int(g.log_first) - 1) & (LOG_LENGTH - 1)
    for part in range(3):
        g.log[first].features[part] = KIND_ENCODING[kind & 15, part]
    g.log[first].features[3] = share(amount, inverse(pot), 4)
    g.log_seats[first] = seat
    g.log_first = first
    g.last_action[seat] = kind
    g.paid = amount
