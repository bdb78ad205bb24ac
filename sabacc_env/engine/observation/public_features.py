"""The public features of a hand, which its record holds ready to be copied into observations.

All opponents observe the same features of a seat, so the record holds one row for each seat
(``public``). It also holds the features of the dice (``public_dice``) and of the last actions
(``log``).

The invariant: whenever a seat is to act, and when the hand is over, every row is what
``update_public_seats`` would write. ``engine.step`` alone maintains it, so that no rule has to:

- ``deal_cards`` writes all rows.
- ``play_move`` rewrites what a move can change of the acting seat's row (``update_acting_seat``).
- ``end_phase`` rewrites all rows if ``change_marker`` has changed.
- ``advance_once`` rewrites what the end of a hand can change of all rows (``update_standings``).

A new rule needs care in three cases only:

- A move changes the row of another seat, or a column of the acting seat's row that
  ``update_acting_seat`` does not rewrite: rewrite it there.
- Something public changes between two phases although no card is drawn: add it to
  ``change_marker``.
- The end of a hand changes more than credits, bets and who remains: rewrite it in
  ``update_standings``.

``search.determinization`` changes hands by itself and calls ``update_public_seats`` afterwards.
``tests/test_information.py`` guards the invariant after every move of random hands.
"""

from typing import Final

from sabacc_env.engine.jit import inlined, jit
from sabacc_env.engine.layout import (
    BETTING,
    CARDS,
    JUNK,
    LOG_LENGTH,
    MAX_HAND,
    OBSERVED_ROUNDS,
    Record,
)
from sabacc_env.engine.observation.blocks import COLUMNS
from sabacc_env.engine.observation.encoding import (
    CARD_ENCODING,
    FIFTHS,
    HAND,
    KIND_ENCODING,
    MONEY,
    SIXTHS,
    SOURCE,
    inverse,
    share,
)

SEAT: Final = COLUMNS.opponents
ROUND_STRIDE: Final = SEAT.round_2_source - SEAT.round_1_source
DICE: Final = COLUMNS.dice
LOG: Final = COLUMNS.log


@jit
def update_public_seats(g: Record, r: Record) -> None:
    """Rewrite the rows of all seats."""
    for seat in range(int(g.num_players)):
        update_public_seat(g, r, seat)


@jit
def update_standings(g: Record, r: Record) -> None:
    """Rewrite what the end of a hand can change of the rows of all seats."""
    for seat in range(int(g.num_players)):
        write_standing(g, r, seat)


@inlined
def change_marker(g: Record) -> int:
    """Return a number that changes when cards are drawn or the observed rounds shift."""
    rounds = max(int(g.round_no), OBSERVED_ROUNDS)
    return int(g.reshuffles) << 10 | int(g.deck_next) << 4 | rounds


@jit
def update_public_dice(g: Record, index: int) -> None:
    """Write the dice of a round, counted from 0."""
    g.public_dice[len(DICE) * index + DICE.first] = SIXTHS[int(g.dice[index, 0]) & 7]
    g.public_dice[len(DICE) * index + DICE.second] = SIXTHS[int(g.dice[index, 1]) & 7]


@inlined
def update_acting_seat(g: Record, r: Record, seat: int, phase: int, kind: int) -> None:
    """Rewrite what a move of this kind in this phase can change of the acting seat's row."""
    write_standing(g, r, seat)
    if phase != BETTING or kind == JUNK:
        write_known_cards(g, seat)
    if phase == CARDS:
        write_card_action(g, seat, min(int(g.round_no), OBSERVED_ROUNDS) - 1, kind)


@jit
def update_public_seat(g: Record, r: Record, seat: int) -> None:
    """Rewrite the row of a seat."""
    write_standing(g, r, seat)
    write_known_cards(g, seat)
    first = max(0, int(g.round_no) - OBSERVED_ROUNDS) & 7
    for index in range(OBSERVED_ROUNDS):
        write_card_action(g, seat, index, int(g.card_action[seat, first + index]))


@inlined
def write_card_action(g: Record, seat: int, index: int, kind: int) -> None:
    """Write what a seat did in the card phase of one of the observed rounds."""
    column = ROUND_STRIDE * (index & 3)
    write(g, seat & 7, SEAT.round_1_source + column, KIND_ENCODING[kind & 15, SOURCE])
    write(g, seat & 7, SEAT.round_1_hand + column, KIND_ENCODING[kind & 15, HAND])


@jit
def write_standing(g: Record, r: Record, seat: int) -> None:
    """Write whether a seat is in the hand, and its credits and its last action."""
    seat &= 7
    seated = int(g.seated) >> seat & 1
    remains = int(g.remaining) >> seat & 1
    per_start = r.per_start[seat]
    credits_left = int(g.credits[seat])
    all_in = remains & int(credits_left == 0) & int(r.all_in) & ~int(r.points)
    write(g, seat, SEAT.remains, remains)
    write(g, seat, SEAT.has_junked, seated - remains)
    write(g, seat, SEAT.is_out, 1 - seated)
    write(g, seat, SEAT.is_all_in, all_in)
    write(g, seat, SEAT.credits_per_start, share(credits_left, per_start, 4))
    write(g, seat, SEAT.hand_bets_per_start, share(int(g.bet_hand[seat]), per_start, 4))
    last = int(g.last_action[seat]) & 15
    write(g, seat, SEAT.last_source, KIND_ENCODING[last, SOURCE])
    write(g, seat, SEAT.last_hand, KIND_ENCODING[last, HAND])
    write(g, seat, SEAT.last_money, KIND_ENCODING[last, MONEY])


@inlined
def write_known_cards(g: Record, seat: int) -> None:
    """Write the number of a seat's cards and those that everyone knows."""
    seat &= 7
    write(g, seat, SEAT.hand_size, FIFTHS[int(g.num_cards[seat]) & 7])
    for index in range(MAX_HAND):
        write(g, seat, SEAT.known_card_1 + index, 0)
    known = int(g.known[seat])
    if known != 0:
        column = SEAT.known_card_1
        for slot in range(int(g.num_cards[seat])):
            card = int(g.cards[seat, slot]) & 63
            if known >> card & 1:
                write(g, seat, column, CARD_ENCODING[card])
                column += 1
    write(g, seat, SEAT.spike_card, CARD_ENCODING[int(g.spikes[seat]) & 63])


@inlined
def write(g: Record, seat: int, column: int, value: float) -> None:
    """Write a feature of a seat's row."""
    g.public[seat].features[column] = value


@jit
def log_action(g: Record, seat: int, kind: int, amount: int, pot: int) -> None:
    """Log a public action: its seat, its kind and its amount, for a raise the total."""
    first = (int(g.log_first) - 1) & (LOG_LENGTH - 1)
    entry = g.log[first]
    entry.features[LOG.source] = KIND_ENCODING[kind & 15, SOURCE]
    entry.features[LOG.hand] = KIND_ENCODING[kind & 15, HAND]
    entry.features[LOG.money] = KIND_ENCODING[kind & 15, MONEY]
    entry.features[LOG.paid] = share(amount, inverse(pot), 4)
    g.log_seats[first] = seat
    g.log_first = first
    g.last_action[seat] = kind
    g.paid = amount
