"""The five rankings: each hand's strength is one integer, and the larger wins (RULES.md section 6).

From the highest bits down, the fields of a strength are:

- the place in the ranking's list
- the number of cards, where fewer win
- two keys; for a Nulrhek, how close to zero it is, and whether it is positive
- the number of cards, where more win
- the ranking's tie-breakers.

In each field the larger number wins. Two strengths are equal exactly when only a blind draw can
decide. They stay below 2**53.
"""

from sabacc_env.engine.bit_sets import highest, lowest
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
from sabacc_env.engine.piles import card_value

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

# Cards of one sign as counts: how many there are of each absolute value, a nibble for each value
# from 0 (not used) up.
TEN_OF_GEE_WHIZ = 1 << 40
FOUR_OF_GEE_WHIZ = 0x11110
STAVES_OUTER = 1 << 28 | 1 << 40
STAVES_INNER = 1 << 32 | 1 << 36
TRILL_LOW = 0x110
TRILL_HIGH = 0x1000
IDIOTS_ARRAY = 0x1100
ONE_OF_EACH = 0x11111111110
FIRST_SYLOP = 60


@jit
def hand_total(g: Record, seat: int) -> int:
    """Return the sum of a hand's values, the Spike Card included."""
    total = card_value(int(g.spikes[seat]))
    for slot in range(MAX_HAND):
        total += card_value(int(g.cards[seat, slot]))
    return total


@jit
def pack(place: int, fewer: int, key: int, second_key: int, more: int) -> int:
    """Return a strength with these fields, and zeros for the tie-breakers."""
    return (
        (LOWEST_PLACE - place) << PLACE_SHIFT
        | fewer << FEWER_SHIFT
        | key << KEY_SHIFT
        | second_key << SECOND_KEY_SHIFT
        | more << MORE_SHIFT
    )


@jit
def hand_strength(ranking: int, g: Record, seat: int) -> int:
    """Return the strength of a seat's hand, the Spike Card included (RULES.md, D13)."""
    positives, negatives, _ = counts_by_value(g, seat)
    if ranking == CASINO:
        ties = casino_ties(positives, negatives, suits_of(g, seat))
    else:
        ties = sum_of_values(positives) << 4 | highest_with(positives, 1)
    return hand_place(ranking, g, seat, hand_total(g, seat)) | ties


@jit
def hand_place(ranking: int, g: Record, seat: int, total: int) -> int:
    """Return the strength of a hand with this total, without the tie-breakers."""
    size = int(g.num_cards[seat]) + (1 if g.spikes[seat] >= 0 else 0)
    if total != 0:
        if ranking == ALTA_YARITH_BESPIN and total == 5 and size == 3:
            positives, _, sylops = counts_by_value(g, seat)
            if positives == IDIOTS_ARRAY and sylops == 1:
                return pack(A_IDIOTS, 0, 0, 0, size)
        nulrhek = A_NULRHEK
        if ranking == CASINO:
            nulrhek = C_NULRHEK
        elif ranking == SPACERS:
            nulrhek = S_NULRHEK
        return pack(nulrhek, 0, 63 - abs(total), 1 if total > 0 else 0, size)
    positives, negatives, sylops = counts_by_value(g, seat)
    if ranking == CASINO:
        return casino_zero(positives, negatives, sylops, size)
    if ranking == SPACERS:
        return spacers_zero(positives, negatives, sylops, size)
    return alta_zero(ranking, positives, negatives, sylops, size)


@jit
def counts_by_value(g: Record, seat: int) -> tuple[int, int, int]:
    """Return the counts of the positive and of the negative cards, and the number of Sylops."""
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
    """Return the set of suits in a hand; Sylops have none."""
    suits = 0
    for slot in range(MAX_HAND + 1):
        card = int(g.cards[seat, slot]) if slot < MAX_HAND else int(g.spikes[seat])
        suits |= 1 << (card // 20) if 0 <= card < FIRST_SYLOP else 0
    return suits


# Counts by absolute value: a nibble for each value.


@jit
def value_count(counts: int, value: int) -> int:
    """Return how many cards of one absolute value there are."""
    return counts >> (4 * value) & 15


@jit
def sum_of_values(counts: int) -> int:
    """Return the sum of the absolute values."""
    total = 0
    for value in range(1, 11):
        total += value * value_count(counts, value)
    return total


@jit
def values_with(counts: int, minimum: int) -> int:
    """Return the values with at least ``minimum`` cards: a nibble of 1 for each."""
    return (counts + (8 - minimum) * ONE_OF_EACH) >> 3 & ONE_OF_EACH


@jit
def lowest_with(counts: int, minimum: int) -> int:
    """Return the lowest absolute value with at least ``minimum`` cards, 0 if there is none."""
    found = values_with(counts, minimum)
    return lowest(found) >> 2 if found != 0 else 0


@jit
def highest_with(counts: int, minimum: int) -> int:
    """Return the highest absolute value with at least ``minimum`` cards, 0 if there is none."""
    return highest(values_with(counts, minimum) | 1) >> 2


@jit
def lowest_run(counts: int, length: int) -> int:
    """Return the lowest value of a run of at least this length, 0 if there is none."""
    rest = values_with(counts, 1)
    runs = rest
    for _ in range(length - 1):
        rest >>= 4
        runs &= rest
    return lowest(runs) >> 2 if runs != 0 else 0


@jit
def is_exactly(positives: int, negatives: int, one_sign: int, other_sign: int) -> bool:
    """Say whether a hand has exactly these cards of one sign and of the other, or the inverse."""
    return (positives == one_sign and negatives == other_sign) or (
        positives == other_sign and negatives == one_sign
    )


# The casino ranking (section 6.1): higher keys win.


@jit
def casino_ties(positives: int, negatives: int, suits: int) -> int:
    """Return tie-breakers 2 to 5: absolute sum, absolute values, positive cards, suited."""
    absolute_sum = sum_of_values(positives + negatives)
    absolutes = 0
    signs = 0
    num_digits = 0
    for value in range(10, 0, -1):
        for _ in range(value_count(positives, value)):
            absolutes = absolutes << 4 | value
            signs = signs << 1 | 1
        for _ in range(value_count(negatives, value)):
            absolutes = absolutes << 4 | value
            signs = signs << 1
        num_digits += value_count(positives + negatives, value)
    absolutes <<= 4 * (5 - num_digits)  # Sylops come last, as zeros
    suited = 1 if suits & (suits - 1) == 0 else 0
    return absolute_sum << 26 | absolutes << 6 | signs << 1 | suited


@jit
def casino_zero(positives: int, negatives: int, sylops: int, size: int) -> int:
    """Return the strength of a zero hand in the casino ranking (section 6.1)."""
    counts = positives + negatives
    pair = highest_with(counts, 2)
    low_pair = lowest_with(counts, 2)
    two_pairs = low_pair != pair
    triple = highest_with(counts, 3)
    quad = highest_with(counts, 4)
    run = highest_with(counts, 1) if lowest_run(counts, size - sylops) > 0 else 0

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
    elif is_exactly(positives, negatives, TEN_OF_GEE_WHIZ, FOUR_OF_GEE_WHIZ):
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


# The spacers' ranking (section 6.2): lower keys win, and in special sabacc fewer cards.


@jit
def spacers_zero(positives: int, negatives: int, sylops: int, size: int) -> int:
    """Return the strength of a zero hand in the spacers' ranking (section 6.2)."""
    counts = positives + negatives
    pair = lowest_with(counts, 2)
    two_pairs = highest_with(counts, 2) != pair
    triple = lowest_with(counts, 3)
    quad = lowest_with(counts, 4)
    run_of_four = lowest_run(counts, 4)
    run_of_five = lowest_run(counts, 5)

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
    elif pair > 0 and sylops == 1 and size <= 4:  # RULES.md, D10
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


# The three Alta rankings (section 6.3): lower keys win. Each ranking knows some of the hands.


@jit
def alta_zero(ranking: int, positives: int, negatives: int, sylops: int, size: int) -> int:
    """Return the strength of a zero hand in an Alta ranking (section 6.3)."""
    counts = positives + negatives
    pair = lowest_with(counts, 2)
    high_pair = highest_with(counts, 2)
    two_pairs = high_pair != pair
    triple = lowest_with(counts, 3)
    quad = lowest_with(counts, 4)
    of_one_sign = triple > 0 and (
        value_count(positives, triple) == 3 or value_count(negatives, triple) == 3
    )
    run = lowest_run(counts, size) if sylops == 0 else 0

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
        is_exactly(positives, negatives, STAVES_OUTER, STAVES_INNER)
        and size == 4
        and not yarith_bespin
    ):
        place = A_STAVES
    elif quad > 0 and not yarith_bespin:
        place, key = A_SQUADRON, quad
    elif is_exactly(positives, negatives, TEN_OF_GEE_WHIZ, FOUR_OF_GEE_WHIZ) and not yarith_bespin:
        place = A_GEE_WHIZ
    elif size == 4 and run > 0 and not yarith_bespin:
        place, key = A_KHYRON, run
    elif is_exactly(positives, negatives, TRILL_LOW, TRILL_HIGH) and size == 3 and not orsl:
        place = A_TRILL
    elif two_pairs and not yarith_bespin:
        place, key, second_key = A_RULE_OF_TWO, pair, high_pair
    elif pair > 0:
        place, key = A_PAIRED, pair
    lower_key = 11 - key if key > 0 else 0
    lower_second_key = 11 - second_key if second_key > 0 else 0
    return pack(place, 0, lower_key, lower_second_key, size)
