"""Random numbers, each derived from the key of a hand.

The key is a 64-bit number in two 32-bit words. Each use of chance in the hand (the order of the
deck, the dice of a round, a reshuffle and so on) has a stream of its own, which starts from a hash
of (key, use, number). So chance is the same at two tables with one key, whatever the seats play.
A stream is PCG-RXS-M-XS-32 (O'Neill 2014) with its own increment. All arithmetic is on signed
64-bit integers with factors below 2**31, so that Python, CPU and GPU give the same bits.
"""

from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import Record

WORD = 0xFFFFFFFF

# What a stream is for.
DECK = 1
DICE = 2
RESHUFFLE = 3
DEALER = 4
HAND_KEY = 5
POLICY = 6
DETERMINIZATION = 7
ALTERNATIVE = 8
RULES = 9


@jit
def mix(x: int) -> int:
    """Return a 32-bit word scrambled one-to-one, by the "lowbias32" finaliser of Wellons."""
    x = x ^ (x >> 16)
    x = (x * 0x21F0AAAD) & WORD
    x = x ^ (x >> 15)
    x = (x * 0x735A2D97) & WORD
    return x ^ (x >> 15)


@jit
def stream(key_low: int, key_high: int, use: int, number: int) -> tuple[int, int]:
    """Return (state, increment) of the stream for this use of this key."""
    first = mix((key_low + use * 0x3C6EF372) & WORD)
    state = mix((key_high ^ mix((first + number * 0x61C88647) & WORD)) & WORD)
    increment = mix((first + state) & WORD) | 1
    return state, increment


@jit
def next_word(state: int, increment: int) -> tuple[int, int]:
    """Return (new state, a uniform 32-bit word)."""
    word = (((state >> ((state >> 28) + 4)) ^ state) * 277803737) & WORD
    return (state * 747796405 + increment) & WORD, (word >> 22) ^ word


@jit
def below(state: int, increment: int, limit: int) -> tuple[int, int]:
    """Return (new state, an exactly uniform integer in 0..limit-1), by Lemire's method."""
    state, word = next_word(state, increment)
    product = word * limit
    if (product & WORD) < limit:
        threshold = (WORD + 1 - limit) % limit
        while (product & WORD) < threshold:
            state, word = next_word(state, increment)
            product = word * limit
    return state, product >> 32


@jit
def hand_key(seed_low: int, seed_high: int, table: int, hand: int) -> tuple[int, int]:
    """Return the key (low, high) of a table's hand: a hash of (seed, table, hand count)."""
    state, increment = stream(seed_low, seed_high, HAND_KEY, table & WORD)
    state, increment = stream(state, increment, HAND_KEY, hand & WORD)
    state, low = next_word(state, increment)
    state, high = next_word(state, increment)
    return low, high


@jit
def dealer_of(key_low: int, key_high: int, num_players: int) -> int:
    """Return the first dealer, which the key decides."""
    state, increment = stream(key_low, key_high, DEALER, 0)
    return below(state, increment, num_players)[1]


@jit
def drawn_rules(key_low: int, key_high: int, num_rule_sets: int) -> int:
    """Return which of so many rule sets an episode is played by: its first key decides."""
    state, increment = stream(key_low, key_high, RULES, 0)
    return below(state, increment, num_rule_sets)[1]


@jit
def roll(key_low: int, key_high: int, round_no: int) -> tuple[int, int]:
    """Return the two Spike Dice of a round, faces 1 to 6 (1 is the Spike)."""
    state, increment = stream(key_low, key_high, DICE, round_no)
    state, first = below(state, increment, 6)
    state, second = below(state, increment, 6)
    return first + 1, second + 1


# Forced chance outcomes, for the enumeration of a whole game tree (``search.game_tree``).


@jit
def force_chance(g: Record, number: int, product: int) -> None:
    """Force the next chance outcomes, which are the digits of ``number`` in a mixed radix.

    The first outcome is the lowest digit. The radix of a digit is the number of outcomes of its
    chance event, and ``product`` is the product of these radices. The outcome of each further event
    is 0, and ``num_unforced_outcomes`` returns how many outcomes the first of them has.
    """
    g.deck_state = number
    g.deck_increment = product
    g.key_low = 0
    g.key_high = 0


@jit
def num_unforced_outcomes(g: Record) -> int:
    """Return how many outcomes the first unforced event has, or 0 if all events were forced."""
    return int(g.key_low)


@jit
def has_used_chance(g: Record) -> bool:
    """Say whether a chance event has happened, even one with a single outcome."""
    return int(g.key_high) == 1


@jit
def forced_outcome(g: Record, limit: int) -> int:
    """Return the next forced outcome, from 0 to limit - 1."""
    g.key_high = 1
    if limit == 1 or g.key_low != 0:
        return 0
    if g.deck_increment == 1:
        g.key_low = limit
        return 0
    number = int(g.deck_state)
    g.deck_state = number // limit
    g.deck_increment = int(g.deck_increment) // limit
    return number % limit
