"""The compiled entry points: what Python calls, for one game and for many.

Arrays of games and rules are of ``GAME_DTYPE`` and ``RULES_DTYPE``; ``which`` holds the indices of
the tables meant. Everything a user can get wrong is checked before, in ``Game`` and ``Tables``.
"""

from sabacc_env.engine.bets import raise_limits
from sabacc_env.engine.cards import pop_draw_pile
from sabacc_env.engine.chance import dealer_of, hand_key
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
from sabacc_env.engine.pots import strength_of
from sabacc_env.engine.ranking import hand_strength
from sabacc_env.engine.step import able_seats, deal, legal_actions, play_action, reset_hand

ILLEGAL = -1
DICE_MISSING = -2


# Starting hands.


@jit
def hand_keys(seed_low: int, seed_high: int, which: Array, counts: Array, keys: Array) -> None:
    """Write the keys (low, high) of these tables' hands, by hand count."""
    for i in range(len(which)):
        keys[i, 0], keys[i, 1] = hand_key(seed_low, seed_high, which[i], counts[i])


@jit
def reset_hands(games: Array, rules: Array, which: Array, keys: Array, dealers: Array) -> None:
    """Make tables ready for a deal; a dealer of -1 comes from the key."""
    for i in range(len(which)):
        g = games[which[i]]
        dealer = dealers[i]
        if dealer < 0:
            dealer = dealer_of(keys[i, 0], keys[i, 1], int(g.num_players))
        reset_hand(g, rules[0], keys[i, 0], keys[i, 1], dealer)


@jit
def deal_hands(games: Array, rules: Array, which: Array) -> None:
    """Deal at tables that are ready, and go on to the first decision."""
    for i in range(len(which)):
        deal(games[which[i]], rules[0])


@jit
def able_counts(games: Array, rules: Array, which: Array, counts: Array) -> None:
    """Write how many seats of these tables can pay the antes of a next hand."""
    for i in range(len(which)):
        g = games[which[i]]
        seats = able_seats(g, rules[0])
        counts[i] = 0
        for seat in range(int(g.num_players)):
            counts[i] += seats >> seat & 1


# One game.


@jit
def raise_grid(games: Array, rules: Array) -> tuple[int, int]:
    """Return the least and greatest total that the seat to act may raise to; (0, -1) if none."""
    g = games[0]
    return raise_limits(g, rules[0], int(g.seat_to_act))


@jit
def legal_bits(games: Array, rules: Array, bet_sizes: Array) -> int:
    """Return the legal actions as bits."""
    return legal_actions(games[0], rules[0], bet_sizes)


@jit
def write_mask(games: Array, rules: Array, bet_sizes: Array, mask: Array) -> None:
    """Write the legal actions as 0 and 1."""
    bits = legal_actions(games[0], rules[0], bet_sizes)
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
def is_legal(g: Record, r: Record, code: int, bet_sizes: Array) -> bool:
    """Say whether a code is legal: an action, or ``RAISE_TO`` + a total on the grid."""
    if code < RAISE_TO:
        return code >= 0 and legal_actions(g, r, bet_sizes) >> code & 1 == 1
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
    if g.phase == OVER or not is_legal(g, r, code, bet_sizes):
        return ILLEGAL
    played = describe(g, code)
    entry = int(g.log_length) % len(g.log_amounts)
    play_action(g, r, code, bet_sizes)
    if g.dice_missing == 1:
        return DICE_MISSING
    if code >= FIRST_BET_ACTION:
        played |= int(g.log_amounts[entry])
    return played


@jit
def pop_top(games: Array) -> int:
    """Take the top card off the draw pile: on a copy, to read the pile's order."""
    return pop_draw_pile(games[0])


@jit
def seat_strength(games: Array, rules: Array, seat: int) -> int:
    """Return what a seat's hand would rank now."""
    return strength_of(games[0], rules[0], seat)


@jit
def observe_seat(games: Array, rules: Array, seat: int, observation: Array) -> None:
    """Write the observation of one seat of one game."""
    observe(games[0], rules[0], seat, observation)


@jit
def ranked(ranking: int, cards: Array, spike: int) -> int:
    """Return the strength of a hand given as an array of card ids."""
    return hand_strength(ranking, cards, len(cards), spike)


# Many games.


@jit
def first_illegal(legal: Array, which: Array, actions: Array) -> int:
    """Return the index of the first action that is not legal, or -1."""
    for i in range(len(which)):
        action = actions[i]
        if action < 0 or action >= 63 or legal[which[i]] >> action & 1 == 0:
            return i
    return -1


@jit
def write_tables(
    games: Array,
    rules: Array,
    bet_sizes: Array,
    legal: Array,
    seats: Array,
    observations: Array,
    masks: Array,
    which: Array,
) -> None:
    """Write what the seat to act sees and may do, at each of these tables."""
    for i in range(len(which)):
        write_table(games, rules, bet_sizes, legal, seats, observations, masks, which[i])


@jit
def write_table(
    games: Array,
    rules: Array,
    bet_sizes: Array,
    legal: Array,
    seats: Array,
    observations: Array,
    masks: Array,
    table: int,
) -> None:
    """Write seat to act, legal bits, mask and observation of one table."""
    g = games[table]
    seat = int(g.seat_to_act)
    bits = legal_actions(g, rules[0], bet_sizes)
    seats[table] = seat
    legal[table] = bits
    for action in range(masks.shape[1]):
        masks[table, action] = bits >> action & 1
    observe(g, rules[0], seat, observations[table])


@jit
def step_tables(
    games: Array,
    rules: Array,
    bet_sizes: Array,
    legal: Array,
    seats: Array,
    observations: Array,
    masks: Array,
    finished: Array,
    net: Array,
    which: Array,
    actions: Array,
) -> None:
    """Play one legal action at each of these tables; hands that end are left for a restart."""
    for i in range(len(which)):
        table = which[i]
        g = games[table]
        play_action(g, rules[0], actions[i], bet_sizes)
        if g.phase == OVER:
            finished[table] = 1
            for seat in range(net.shape[1]):
                net[table, seat] = g.net_credits[seat]
        else:
            write_table(games, rules, bet_sizes, legal, seats, observations, masks, table)
