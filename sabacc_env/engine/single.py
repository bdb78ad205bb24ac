"""The compiled entry points for one game, each given as arrays of one record.

From Python an array is handed over six times faster than a record. Everything a user can get wrong
is checked before, in ``Game``.
"""

from sabacc_env.engine.bets import raise_limits
from sabacc_env.engine.cards import pop_draw_pile
from sabacc_env.engine.chance import dealer_of
from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import (
    BETTING,
    FIRST_BET_ACTION,
    FIRST_CARD_ACTION,
    MAX_HAND,
    OVER,
    RAISE,
    RAISE_TO,
    Array,
    Record,
)
from sabacc_env.engine.observe import observe
from sabacc_env.engine.ranking import hand_strength
from sabacc_env.engine.step import able_seats, deal, legal_actions, play_action, reset_hand

ILLEGAL = -1
DICE_MISSING = -2


@jit
def prepare(games: Array, rules: Array, key_low: int, key_high: int, dealer: int) -> None:
    """Make a game ready for its deal; a dealer of -1 comes from the key."""
    if dealer < 0:
        dealer = dealer_of(key_low, key_high, int(games[0].num_players))
    reset_hand(games[0], rules[0], key_low, key_high, dealer)


@jit
def deal_hand(games: Array, rules: Array) -> None:
    """Deal a game that is ready, and go on to the first decision."""
    deal(games[0], rules[0])


@jit
def can_deal(games: Array, rules: Array) -> bool:
    """Say whether two seats or more can pay the antes of a next hand."""
    seats = able_seats(games[0], rules[0])
    return seats & (seats - 1) != 0


@jit
def raise_grid(games: Array, rules: Array) -> tuple[int, int]:
    """Return the least and greatest total that the seat to act may raise to; (0, -1) if none."""
    g = games[0]
    return raise_limits(g, rules[0], int(g.seat_to_act))


@jit
def legal_bits(games: Array, rules: Array, bet_sizes: Array) -> int:
    """Return the legal actions as bits."""
    return legal_actions(games[0], rules[0], bet_sizes[0])


@jit
def write_mask(games: Array, rules: Array, bet_sizes: Array, mask: Array) -> None:
    """Write the legal actions as 0 and 1."""
    bits = legal_actions(games[0], rules[0], bet_sizes[0])
    for action in range(len(mask)):
        mask[action] = bits >> action & 1


@jit
def describe(g: Record, code: int) -> int:
    """Return a move as seat << 40 | kind << 32 | the card that it names (a raise: see ``turn``)."""
    seat = int(g.seat_to_act)
    if code < FIRST_CARD_ACTION:
        return seat << 40 | code << 32
    if code >= FIRST_BET_ACTION:
        return seat << 40 | RAISE << 32
    offset = code - FIRST_CARD_ACTION
    kind = FIRST_CARD_ACTION + offset // MAX_HAND
    return seat << 40 | kind << 32 | int(g.cards[seat, offset % MAX_HAND])


@jit
def is_legal(g: Record, r: Record, code: int, sizes: Record) -> bool:
    """Say whether a code is legal: an action, or ``RAISE_TO`` + a total on the grid."""
    if code < RAISE_TO:
        return code >= 0 and legal_actions(g, r, sizes) >> code & 1 == 1
    if g.phase != BETTING:
        return False
    low, high = raise_limits(g, r, int(g.seat_to_act))
    total = code - RAISE_TO
    return low <= total <= high and (total - low) % int(r.bet_step) == 0


@jit
def turn(games: Array, rules: Array, bet_sizes: Array, code: int) -> int:
    """Play a code if it is legal; return what was played, or what is wrong.

    What was played is as ``describe`` packs it, a raise with its total in the lowest bits.
    """
    g = games[0]
    r = rules[0]
    if g.phase == OVER or not is_legal(g, r, code, bet_sizes[0]):
        return ILLEGAL
    played = describe(g, code)
    play_action(g, r, code, bet_sizes[0])
    if g.dice_missing == 1:
        return DICE_MISSING
    if code >= FIRST_BET_ACTION:
        played |= int(g.paid)
    return played


@jit
def pop_top(games: Array) -> int:
    """Take the top card off the draw pile: on a copy, to read the pile's order."""
    return pop_draw_pile(games[0])


@jit
def seat_strength(games: Array, rules: Array, seat: int) -> int:
    """Return what a seat's hand would rank now."""
    return hand_strength(int(rules[0].ranking), games[0], seat)


@jit
def observe_seat(games: Array, rules: Array, seat: int, observations: Array) -> None:
    """Write the observation of one seat of one game."""
    observe(games[0], rules[0], seat, observations[0])


@jit
def rank_hands(games: Array, ranking: int, hands: Array, strengths: Array) -> None:
    """Write the strengths of hands, (n, MAX_HAND) card ids with -1 for none last.

    They are held one after the other by seat 0 of a game, which is only a place to put them.
    """
    g = games[0]
    g.spikes[0] = -1
    for i in range(len(hands)):
        count = 0
        for slot in range(MAX_HAND):
            g.cards[0, slot] = hands[i, slot]
            count += 1 if hands[i, slot] >= 0 else 0
        g.num_cards[0] = count
        strengths[i] = hand_strength(ranking, g, 0)
