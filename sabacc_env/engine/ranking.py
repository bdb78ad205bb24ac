"""The five rankings as one evaluator: a hand's strength is one integer (RULES.md section 6).

From the highest bits down, a strength holds: the place in the ranking's list; the number of cards
where fewer win; two keys (for a Nulrhek, how close to zero, and positive before negative); the
number of cards where more win; and the ranking's tie-breakers. Each field is stored so that larger
wins. Two strengths are equal exactly when only a blind draw can decide. They stay below 2**53.
"""

from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import (
    ALTA_ORSL,
    ALTA_THREE_EN,
    ALTA_YARITH_BESPIN,
    CASINO,
    MAX_HAND,
    SPACERS,
    Record,
)
from sabacc_env.engine.piles import card_value, highest, lowest

# Widths of the fields below the place; see ``pack``.
PLACE_SHIFT = 48
FEWER_SHIFT = 45
KEY_SHIFT = 39
SECOND_KEY_SHIFT = 35
MORE_SHIFT = 32
LOWEST_PLACE = 31

# Places in the lists of section 6; ``hand_ranks.py`` holds their names.
C_FULL, C_FLEET, C_RHYLET, C_WILD_RHYLET, C_GEE_WHIZ, C_FULL_STRAIGHT = 1, 2, 3, 4, 5, 6
C_SYLOP_KHYRON, C_FIVE_CARD_SQUAD, C_SQUADRON, C_SYLOP_RULE_OF_TWO = 7, 8, 9, 10
C_BANTHAS_WILD, C_PURE, C_KHYRON, C_IDIOTS_RULE, C_RULE_OF_TWO = 11, 12, 13, 14, 15
C_YEE_HAA, C_PAIR, C_SABACC, C_NULRHEK = 16, 17, 18, 19

S_PURE, S_SYLOP_FLEET, S_SYLOP_KHYRON, S_SYLOP_WINGS, S_SYLOP_ACE = 1, 2, 3, 4, 5
S_FLEET, S_RHYLET, S_FULL_KHYRON, S_KHYRON, S_SQUADRON, S_WINGS, S_ACE = 6, 7, 8, 9, 10, 11, 12
S_SABACC, S_NULRHEK = 13, 14

A_PURE, A_FULL, A_FLEET, A_COUPLING, A_IDIOTS, A_PRIME, A_YEE_HAA = 1, 2, 3, 4, 5, 6, 7
A_RHYLET, A_RHOON, A_STAVES, A_SQUADRON, A_GEE_WHIZ, A_KHYRON, A_TRILL = 8, 9, 10, 11, 12, 13, 14
A_RULE_OF_TWO, A_PAIRED, A_SABACC, A_NULRHEK = 15, 16, 17, 18

# Hands given card by card: how many positive and negative cards of each absolute value, a nibble
# for each value from 0 (the Sylops) up.
TEN_OF_GEE_WHIZ = 1 << 40
FOUR_OF_GEE_WHIZ = 0x11110
STAVES_OUTER = 1 << 28 | 1 << 40
STAVES_INNER = 1 << 32 | 1 << 36
TRILL_LOW = 0x110
TRILL_HIGH = 0x1000
IDIOTS_ARRAY = 0x1100
A_NIBBLE_EACH = 0x11111111110  # for the values from 1 to 10
FIRST_SYLOP = 60


@jit
def hand_total(g: Record, seat: int) -> int:
    """Return the sum of a hand's values, its Spike Card counted with it."""
    total = card_value(int(g.spikes[seat]))
    for slot in range(MAX_HAND):
        total += card_value(int(g.cards[seat, slot]))
    return total


@jit
def pack(place: int, fewer: int, key: int, second_key: int, more: int) -> int:
    """Put the fields of a strength together, all but the tie-breakers."""
    return (
        (LOWEST_PLACE - place) << PLACE_SHIFT
        | fewer << FEWER_SHIFT
        | key << KEY_SHIFT
        | second_key << SECOND_KEY_SHIFT
        | more << MORE_SHIFT
    )


@jit
def hand_strength(ranking: int, g: Record, seat: int) -> int:
    """Return the strength of a seat's hand, its Spike Card counted with it (D13)."""
    positives, negatives, _ = by_value(g, seat)
    if ranking == CASINO:
        ties = casino_ties(positives, negatives, suits_of(g, seat))
    else:
        ties = positive_sum(positives) << 4 | highest_with(positives, 1)
    return hand_place(ranking, g, seat, hand_total(g, seat)) | ties


@jit
def hand_place(ranking: int, g: Record, seat: int, total: int) -> int:
    """Return the strength of a hand of this total, without the ranking's tie-breakers."""
    size = int(g.num_cards[seat]) + (1 if g.spikes[seat] >= 0 else 0)
    if total != 0:
        if ranking == ALTA_YARITH_BESPIN and total == 5 and size == 3:
            positives, _, sylops = by_value(g, seat)
            if positives == IDIOTS_ARRAY and sylops == 1:
                return pack(A_IDIOTS, 0, 0, 0, size)
        nulrhek = A_NULRHEK
        if ranking == CASINO:
            nulrhek = C_NULRHEK
        elif ranking == SPACERS:
            nulrhek = S_NULRHEK
        return pack(nulrhek, 0, 63 - abs(total), 1 if total > 0 else 0, size)
    positives, negatives, sylops = by_value(g, seat)
    if ranking == CASINO:
        return casino_zero(positives, negatives, sylops, size)
    if ranking == SPACERS:
        return spacers_zero(positives, negatives, sylops, size)
    return alta_zero(ranking, positives, negatives, sylops, size)


@jit
def by_value(g: Record, seat: int) -> tuple[int, int, int]:
    """Return how many positive and negative cards of each absolute value, and how many Sylops."""
    positives = 0
    negatives = 0
    sylops = 0
    for slot in range(MAX_HAND + 1):
        card = int(g.cards[seat, slot]) if slot < MAX_HAND else int(g.spikes[seat])
        value = card_value(card)
        positives += 1 << (4 * value) if value > 0 else 0
        negatives += 1 << (-4 * value) if value < 0 else 0
        sylops += 1 if card >= FIRST_SYLOP else 0
    return positives, negatives, sylops


@jit
def suits_of(g: Record, seat: int) -> int:
    """Return the suits in a hand as bits; Sylops have none."""
    suits = 0
    for slot in range(MAX_HAND + 1):
        card = int(g.cards[seat, slot]) if slot < MAX_HAND else int(g.spikes[seat])
        suits |= 1 << (card // 20) if 0 <= card < FIRST_SYLOP else 0
    return suits


# Counts by absolute value.


@jit
def value_count(values: int, value: int) -> int:
    """Read one nibble of a count by absolute value."""
    return values >> (4 * value) & 15


@jit
def positive_sum(positives: int) -> int:
    """Return the sum of the positive values."""
    total = 0
    for value in range(1, 11):
        total += value * value_count(positives, value)
    return total


@jit
def at_least(values: int, count: int) -> int:
    """Return the values held at least ``count`` times: a nibble of 1 for each."""
    return (values + (8 - count) * A_NIBBLE_EACH) >> 3 & A_NIBBLE_EACH


@jit
def lowest_with(values: int, count: int) -> int:
    """Return the lowest absolute value held at least ``count`` times, 0 if there is none."""
    held = at_least(values, count)
    return lowest(held) >> 2 if held != 0 else 0


@jit
def highest_with(values: int, count: int) -> int:
    """Return the highest absolute value held at least ``count`` times, 0 if there is none."""
    return highest(at_least(values, count) | 1) >> 2


@jit
def lowest_run(values: int, length: int) -> int:
    """Return the lowest value of a run of at least so many values, 0 if there is none."""
    held = at_least(values, 1)
    runs = held
    for _ in range(length - 1):
        held >>= 4
        runs &= held
    return lowest(runs) >> 2 if runs != 0 else 0


@jit
def either_way(positives: int, negatives: int, some: int, others: int) -> bool:
    """Say whether the hand is exactly these cards on one side and those on the other."""
    return (positives == some and negatives == others) or (
        positives == others and negatives == some
    )


# The casino ranking: higher keys win.


@jit
def casino_ties(positives: int, negatives: int, suits: int) -> int:
    """Return tie-breakers 2 to 5: absolute sum, absolute values, positive ones, suited."""
    absolute_sum = positive_sum(positives + negatives)
    absolutes = 0
    signs = 0
    digits = 0
    for value in range(10, 0, -1):
        for _ in range(value_count(positives, value)):
            absolutes = absolutes << 4 | value
            signs = signs << 1 | 1
        for _ in range(value_count(negatives, value)):
            absolutes = absolutes << 4 | value
            signs = signs << 1
        digits += value_count(positives + negatives, value)
    absolutes <<= 4 * (5 - digits)  # Sylops come last, as zeros
    suited = 1 if suits & (suits - 1) == 0 else 0
    return absolute_sum << 26 | absolutes << 6 | signs << 1 | suited


@jit
def casino_zero(positives: int, negatives: int, sylops: int, size: int) -> int:
    """Return the strength of a zero hand in the casino ranking (section 6.1)."""
    values = positives + negatives
    pair = highest_with(values, 2)
    low_pair = lowest_with(values, 2)
    two_pairs = low_pair != pair
    triple = highest_with(values, 3)
    quad = highest_with(values, 4)
    run = highest_with(values, 1) if lowest_run(values, size - sylops) > 0 else 0

    place = C_SABACC
    key = 0
    second_key = 0
    if quad == 10 and sylops == 1:
        place, key = C_FULL, quad
    elif quad > 0 and sylops == 1:
        place, key = C_FLEET, quad
    elif triple > 0 and two_pairs:
        of_one_sign = value_count(positives, triple) == 3 or value_count(negatives, triple) == 3
        place, key = C_RHYLET if of_one_sign else C_WILD_RHYLET, triple
    elif either_way(positives, negatives, TEN_OF_GEE_WHIZ, FOUR_OF_GEE_WHIZ):
        place, key = C_GEE_WHIZ, 10
    elif size == 5 and sylops == 0 and run > 0:
        place, key = C_FULL_STRAIGHT, run
    elif size == 5 and sylops == 1 and run > 0:
        place, key = C_SYLOP_KHYRON, run
    elif quad > 0:
        place, key = C_FIVE_CARD_SQUAD if size == 5 else C_SQUADRON, quad
    elif two_pairs and sylops == 1:
        place, key, second_key = C_SYLOP_RULE_OF_TWO, pair, low_pair
    elif triple > 0:
        place, key = C_BANTHAS_WILD, triple
    elif sylops == 2 and size == 2:
        place = C_PURE
    elif size == 4 and sylops == 0 and run > 0:
        place, key = C_KHYRON, run
    elif pair > 0 and sylops == 2 and size == 4:
        place, key = C_IDIOTS_RULE, pair
    elif two_pairs:
        place, key, second_key = C_RULE_OF_TWO, pair, low_pair
    elif pair > 0 and sylops == 1 and size == 3:
        place, key = C_YEE_HAA, pair
    elif pair > 0:
        place, key = C_PAIR, pair
    return pack(place, 0, key, second_key, size)


# The spacers' ranking: lower keys win, and in special sabacc fewer cards.


@jit
def spacers_zero(positives: int, negatives: int, sylops: int, size: int) -> int:
    """Return the strength of a zero hand in the spacers' ranking (section 6.2)."""
    values = positives + negatives
    pair = lowest_with(values, 2)
    two_pairs = highest_with(values, 2) != pair
    triple = lowest_with(values, 3)
    quad = lowest_with(values, 4)
    run_of_four = lowest_run(values, 4)
    run_of_five = lowest_run(values, 5)

    place = S_SABACC
    key = 0
    if sylops == 2 and size == 2:
        place = S_PURE
    elif quad > 0 and sylops == 1:
        place, key = S_SYLOP_FLEET, quad
    elif run_of_four > 0 and sylops == 1:
        place, key = S_SYLOP_KHYRON, run_of_four
    elif two_pairs and sylops == 1:
        place, key = S_SYLOP_WINGS, pair
    elif pair > 0 and sylops == 1 and size <= 4:  # D10
        place, key = S_SYLOP_ACE, pair
    elif quad > 0:
        place, key = S_FLEET, quad
    elif triple > 0 and two_pairs:
        place, key = S_RHYLET, pair
    elif run_of_five > 0:
        place, key = S_FULL_KHYRON, run_of_five
    elif run_of_four > 0:
        place, key = S_KHYRON, run_of_four
    elif triple > 0:
        place, key = S_SQUADRON, triple
    elif two_pairs:
        place, key = S_WINGS, pair
    elif pair > 0:
        place, key = S_ACE, pair

    lower_key = 11 - key if key > 0 else 0
    if place <= S_SYLOP_ACE:
        return pack(place, 0, lower_key, 0, 0)
    if place <= S_ACE:
        return pack(place, 7 - size, lower_key, 0, 0)
    return pack(place, 0, 0, 0, size)


# The three rankings of Alta: lower keys win; each knows some of the hands.


@jit
def alta_zero(ranking: int, positives: int, negatives: int, sylops: int, size: int) -> int:
    """Return the strength of a zero hand in an Alta ranking (section 6.3)."""
    values = positives + negatives
    pair = lowest_with(values, 2)
    high_pair = highest_with(values, 2)
    two_pairs = high_pair != pair
    triple = lowest_with(values, 3)
    quad = lowest_with(values, 4)
    of_one_sign = triple > 0 and (
        value_count(positives, triple) == 3 or value_count(negatives, triple) == 3
    )
    run = lowest_run(values, size) if sylops == 0 else 0

    orsl = ranking == ALTA_ORSL
    three_en = ranking == ALTA_THREE_EN
    yarith_bespin = ranking == ALTA_YARITH_BESPIN

    place = A_SABACC
    key = 0
    second_key = 0
    if sylops == 2 and size == 2 and not yarith_bespin:
        place = A_PURE
    elif quad == 10 and sylops == 1 and not yarith_bespin:
        place = A_FULL
    elif quad > 0 and sylops == 1 and three_en:
        place, key = A_FLEET, quad
    elif two_pairs and sylops == 1 and three_en:
        place, key, second_key = A_COUPLING, pair, high_pair
    elif pair == 10 and sylops == 1 and size == 3 and not orsl:
        place = A_PRIME
    elif pair > 0 and sylops > 0:
        place, key = A_YEE_HAA, pair
    elif of_one_sign and two_pairs and not yarith_bespin:
        place, key = A_RHYLET, triple
    elif size == 5 and run > 0 and three_en:
        place, key = A_RHOON, run
    elif (
        either_way(positives, negatives, STAVES_OUTER, STAVES_INNER)
        and size == 4
        and not yarith_bespin
    ):
        place = A_STAVES
    elif quad > 0 and not yarith_bespin:
        place, key = A_SQUADRON, quad
    elif either_way(positives, negatives, TEN_OF_GEE_WHIZ, FOUR_OF_GEE_WHIZ) and not yarith_bespin:
        place = A_GEE_WHIZ
    elif size == 4 and run > 0 and not yarith_bespin:
        place, key = A_KHYRON, run
    elif either_way(positives, negatives, TRILL_LOW, TRILL_HIGH) and size == 3 and not orsl:
        place = A_TRILL
    elif two_pairs and not yarith_bespin:
        place, key, second_key = A_RULE_OF_TWO, pair, high_pair
    elif pair > 0:
        place, key = A_PAIRED, pair
    lower_key = 11 - key if key > 0 else 0
    lower_second_key = 11 - second_key if second_key > 0 else 0
    return pack(place, 0, lower_key, lower_second_key, size)
