"""The oracle's rankings against every example of RULES.md section 7 and of the sources."""

from __future__ import annotations

from itertools import combinations, product

import pytest

from sabacc_env.cards import Card, deck

from .ranking import RANKINGS, Rank, rank

ALTA = ("alta_orsl", "alta_three_en", "alta_yarith_bespin")


def cards(text: str) -> list[Card]:
    """Read "+4 -3s 0": a value without a suit takes the next free one."""
    words = text.split()
    hand = [Card.parse(word) for word in words if word[-1] in "tscab"]
    for word in words:
        if word[-1] in "tscab":
            continue
        value = int(word)
        free = [card for card in deck() if card.value == value and card not in hand]
        hand.append(free[0])
    return hand


def rank_of(text: str, ranking: str) -> Rank:
    return rank(cards(text), ranking)


# Source 001's table with its examples, then the examples of its running text.
CASINO = [
    ("+10 +10 -10 -10 0", "Full Sabacc", (10,)),
    ("+4 +4 -4 -4 0", "Fleet", (4,)),
    ("+6 +6 +6 -9 -9", "Rhylet", (6,)),
    ("+10 +10 -10 -5 -5", "Wild Rhylet", (10,)),
    ("+10 -1 -2 -3 -4", "Gee Whiz", (10,)),
    ("-10 +1 +2 +3 +4", "Gee Whiz", (10,)),
    ("+4 +5 +6 -7 -8", "Full Straight", (8,)),
    ("+7 -8 -9 +10 0", "Sylop Straight Khyron", (10,)),
    ("-6 +3 +3 +3 -3", "Five Card Squad", (3,)),
    ("+5 +5 -5 -5", "Squadron", (5,)),
    ("+5 -5 +3 -3 0", "Sylop Rule of Two", (5, 3)),
    ("+4 -3 +1 -1 -1", "Banthas Wild", (1,)),
    ("0 0", "Pure Sabacc", ()),
    ("+4 -5 -6 +7", "Straight Khyron", (7,)),
    ("-10 +9 +8 -7", "Straight Khyron", (10,)),
    ("+7 -7 0 0", "Idiot's Rule", (7,)),
    ("+8 -4 -4 +1 -1", "Rule of Two", (4, 1)),
    ("+7 -7 0", "Yee-Haa", (7,)),
    ("+6 -5 -5 +4", "Pair", (5,)),
    ("+8 -7 -7 +6", "Pair", (7,)),
]
CASINO_MORE = [
    ("-6 -6 -6 +9 +9", "Rhylet", (6,)),  # "or vice versa"
    ("+3 +3 +3 -9", "Banthas Wild", (3,)),
    ("+3 +3 +3 -9 0", "Banthas Wild", (3,)),  # D24
    ("+2 -2 +9 -9", "Rule of Two", (9, 2)),
    ("+4 +4 -8 0", "Pair", (4,)),  # no Yee-Haa: another card
    ("+4 +4 -8 0 0", "Pair", (4,)),  # no Idiot's Rule: another card
    ("+1 -2 -3 +4 0", "Sylop Straight Khyron", (4,)),
    ("+1 +2 -3 -4 +4", "Pair", (4,)),  # a run of four and another card is no Khyron here
    ("+1 -3 +2 0", "Sabacc", ()),  # no run contains 0
    ("+1 +2", "Nulrhek", ()),
]
# Source 004's lists.
SPACERS = [
    ("0 0", "Pure Sabacc", ()),
    ("+5 +5 -5 -5 0", "Sylop Fleet", (5,)),
    ("+9 +9 -9 -9 0", "Sylop Fleet", (9,)),
    ("+1 -2 -3 +4 0", "Sylop Khyron", (1,)),
    ("-5 +6 +7 -8 0", "Sylop Khyron", (5,)),
    ("+3 -3 +7 -7 0", "Sylop Wings", (3,)),
    ("+5 -5 +6 -6 0", "Sylop Wings", (5,)),
    ("+3 -3 0", "Sylop Ace", (3,)),
    ("+7 -7 0", "Sylop Ace", (7,)),
    ("+4 +4 0 -8", "Sylop Ace", (4,)),  # D10
    ("+7 +7 -7 -7", "Fleet", (7,)),
    ("+8 +8 -8 -8", "Fleet", (8,)),
    ("+3 +3 +3 -3 -6", "Fleet", (3,)),
    ("+2 +2 +2 -2 -4", "Fleet", (2,)),
    ("+2 +2 +2 -3 -3", "Rhylet", (2,)),
    ("+6 +6 -4 -4 -4", "Rhylet", (4,)),
    ("+2 +3 -4 +5 -6", "Full Khyron", (2,)),
    ("+2 -3 -4 +5", "Khyron", (2,)),
    ("+7 -8 -9 +10", "Khyron", (7,)),
    ("+4 +4 +4 -3 -9", "Squadron", (4,)),
    ("+5 +5 -5 -3 -2", "Squadron", (5,)),
    ("+2 -2 +8 -8", "Wings", (2,)),
    ("+9 -9 +10 -10", "Wings", (9,)),
    ("+3 +3 +4 -4 -6", "Wings", (3,)),
    ("+6 -6", "Ace", (6,)),
    ("+1 -1", "Ace", (1,)),
    ("+5 +5 -10", "Ace", (5,)),
    ("-6 -6 +1 +2 +9", "Ace", (6,)),
    ("+9 -2 -7", "Sabacc", ()),
    ("+4 -5", "Nulrhek", ()),
]
SPACERS_MORE = [
    ("+7 -7 0 0", "Ace", (7,)),  # D10: exactly one Sylop
    ("+3 +3 +3 -9 0", "Squadron", (3,)),  # D11
    ("+4 +4 -4 -2 -2", "Rhylet", (2,)),  # "whichever is the three"
    ("+1 +2 -3 -4 +4", "Khyron", (1,)),  # run of four + rest
    ("+3 -3 +1 -1 0", "Sylop Wings", (1,)),
    ("+1 +2 -3 0 0", "Sabacc", ()),  # Sylops are no pair, 0 is in no run
    ("+4 -3 -2 +1 0", "Sylop Khyron", (1,)),
    ("+5 +1 -6 0 0", "Sabacc", ()),
    ("+5 +5 -10 0 0", "Ace", (5,)),
    ("+1 +9 -3 -6", "Nulrhek", ()),  # source 004 prints this as a zero hand: it totals +1
]
ORSL = [
    ("0 0", "Pure Sabacc", ()),
    ("-10 -10 0 +10 +10", "Full Sabacc", ()),
    ("+10 0 -10", "Yee-Haa", (10,)),
    ("+3 -3 +5 -5 0", "Yee-Haa", (3,)),  # D12
    ("-2 -2 0 +2 +2", "Yee-Haa", (2,)),
    ("+7 -7 0 0", "Yee-Haa", (7,)),
    ("+6 +6 +6 -9 -9", "Rhylet", (6,)),
    ("+10 +10 -10 -5 -5", "Rule of Two", (5, 10)),  # D12
    ("+2 +3 -4 +5 -6", "Sabacc", ()),
    ("+7 -8 -9 +10", "Straight Staves", ()),
    ("-7 +8 +9 -10", "Straight Staves", ()),
    ("+7 +8 -9 -6", "Straight Khyron", (6,)),
    ("+5 +5 -5 -5", "Squadron", (5,)),
    ("-6 +3 +3 +3 -3", "Squadron", (3,)),
    ("+1 +2 +3 +4 -10", "Gee Whiz", ()),
    ("-1 -2 -3 -4 +10", "Gee Whiz", ()),
    ("+2 -3 -4 +5", "Straight Khyron", (2,)),
    ("+1 +2 -3", "Sabacc", ()),
    ("+8 -4 -4 +1 -1", "Rule of Two", (1, 4)),
    ("+3 +3 +3 -9", "Paired Sabacc", (3,)),  # D12: three of a kind contains a pair
    ("+6 -6", "Paired Sabacc", (6,)),
    ("+9 -2 -7", "Sabacc", ()),
    ("0 +2 +3", "Nulrhek", ()),
]
THREE_EN = [
    ("0 0", "Pure Sabacc", ()),
    ("-10 -10 0 +10 +10", "Full Sabacc", ()),
    ("-2 -2 0 +2 +2", "Fleet", (2,)),
    ("+3 -3 +5 -5 0", "Dual Power Coupling", (3, 5)),
    ("+10 0 -10", "Prime Sabacc", ()),
    ("+7 -7 0", "Yee-Haa", (7,)),
    ("+4 +4 -8 0", "Yee-Haa", (4,)),
    ("-4 -4 -4 +6 +6", "Rhylet", (4,)),
    ("+2 +3 -4 +5 -6", "Straight Rhoon", (2,)),
    ("+7 -8 -9 +10", "Straight Staves", ()),
    ("+7 +7 -7 -7", "Squadron", (7,)),
    ("-1 -2 -3 -4 +10", "Gee Whiz", ()),
    ("+1 -2 -3 +4", "Straight Khyron", (1,)),
    ("+1 +2 -3 -4 +4", "Paired Sabacc", (4,)),  # without "+ rest" exactly four cards
    ("+1 +2 -3", "Straight Trill", ()),
    ("-1 -2 +3", "Straight Trill", ()),
    ("+10 +10 -10 -5 -5", "Rule of Two", (5, 10)),
    ("+6 -6", "Paired Sabacc", (6,)),
    ("+9 -2 -7", "Sabacc", ()),
    ("+1", "Nulrhek", ()),
]
BESPIN = [
    ("0 +2 +3", "Idiots' Array", ()),
    ("0 -2 -3", "Nulrhek", ()),
    ("+10 0 -10", "Prime Sabacc", ()),
    ("+9 0 -9", "Yee-Haa", (9,)),
    ("+1 +2 -3", "Straight Trill", ()),
    ("+3 -2 -1", "Straight Trill", ()),
    ("+5 +5 -10", "Paired Sabacc", (5,)),
    ("+9 -2 -7", "Sabacc", ()),
    ("0 0", "Sabacc", ()),
    ("+3 -3 +5 -5", "Paired Sabacc", (3,)),
    ("+10 +10 -10 -10 0", "Yee-Haa", (10,)),
    ("+4 -3 -2", "Nulrhek", ()),
]
NAMED = [
    (ranking, *row)
    for ranking, rows in [
        ("casino", CASINO + CASINO_MORE),
        ("spacers", SPACERS + SPACERS_MORE),
        ("alta_orsl", ORSL),
        ("alta_three_en", THREE_EN),
        ("alta_yarith_bespin", BESPIN),
    ]
    for row in rows
]


@pytest.mark.parametrize(("ranking", "hand", "name", "keys"), NAMED)
def test_a_hand_has_its_name_key_and_total(
    ranking: str, hand: str, name: str, keys: tuple[int, ...]
) -> None:
    found = rank_of(hand, ranking)
    assert (found.name, found.keys) == (name, keys)
    assert found.total == sum(card.value for card in cards(hand))


BEATS = [
    # 001: Nulrhek and its tie-breakers 1 to 5, in order.
    ("casino", "+2", "-2"),
    ("casino", "-1", "+2"),
    ("casino", "+9 -10 +2 +1", "+9 -7"),
    ("casino", "+7 -6 -6", "-10 +3 +2"),
    ("casino", "-9 +7 +5 -3", "+8 -7 -5 +4"),
    ("casino", "+8 -7 -6 +5", "-8 +7 +6 -5"),
    ("casino", "+9s -2s -7s", "+9t -2c -7t"),
    ("casino", "+9s -2s -7s 0", "+9t -2c -7t 0"),  # a Sylop does not break a suited hand
    ("casino", "+9 -9", "+8 -8"),  # higher keys win
    ("casino", "+9 -9 +2 -2", "+8 -8 +7 -7"),  # the higher key first
    ("casino", "+9 -9 +3 -3", "+9 -9 +2 -2"),
    ("casino", "+5 -5 +1 -1", "+5 -5 +3 -2 -1"),  # rank before the number of cards
    ("casino", "+5 -5 +3 -2 -1", "+5 -5"),
    # 004: special sabacc, fewer cards first; then the key.
    ("spacers", "+6 -6", "+1 -1 +5 -3 -2"),
    ("spacers", "+5 +5 -10", "-2 -2 +1 +3"),
    ("spacers", "+2 +2 -4", "+3 +3 -6"),
    ("spacers", "+2 -2 +8 -8", "+2 -2 +5 -5"),
    ("spacers", "+4 +4 -4 -2 -2", "+2 +2 +2 -3 -3"),
    ("spacers", "+1 -2 -3 +4", "+2 -3 -4 +5"),
    ("spacers", "+3 -3 0", "+7 -7 0"),
    ("spacers", "+4 -4 0", "+5 +5 -10 0"),
    ("spacers", "+4 +4 0 -8", "+4 -4 0"),  # equal keys, then the positive sum; cards do not count
    ("spacers", "+7 -7 0", "+4 +4 -4 -4"),
    # 004: sabacc, more cards first.
    ("spacers", "+1 +4 +5 -3 -7", "+1 +4 -5"),
    ("spacers", "+2 +5 -7", "+1 +2 -3"),
    ("spacers", "+1 +8 -2 -7", "+9 -2 -7"),
    ("spacers", "+4 +6 -10", "+4 +5 -9"),
    ("spacers", "+1 +8 -9", "+4 +5 -9"),
    ("spacers", "+3 +6 -2 -7", "+1 +9 -3 -6"),  # the printed example is a misprint: +1
    # 004: nulrhek.
    ("spacers", "+4 -5", "+3 +5 -1 -5"),
    ("spacers", "+3 -2", "+2 -3"),
    ("spacers", "+4 +9 -1 -3 -8", "+5 +10 -7 -7"),
    ("spacers", "+4 +9 -6 -6", "+5 +7 -4 -7"),
    ("spacers", "+2 +10 -4 -7", "+3 +9 -5 -6"),
    # Alta: lower keys, then more cards, positive sum, highest positive card (D26).
    ("alta_orsl", "+1 -1", "+2 -2 +4 -3 -1"),
    ("alta_orsl", "+2 +2 -3 -1", "+2 -2"),
    ("alta_orsl", "+2 -2 +9 -9", "+3 -3 +4 -4"),
    ("alta_orsl", "+2 -2 +8 -8", "+2 -2 +9 -9"),
    ("alta_orsl", "+10 -1 -2 -3 -4", "-10 +1 +2 +3 +4"),
    ("alta_orsl", "+5 +5 -5 -5", "+6 +6 -6 -6"),
    ("alta_three_en", "+3 -3 +5 -5 0", "+4 -4 +5 -5 0"),
    ("alta_three_en", "+10 -10 0", "+1 -1 0"),
    ("alta_three_en", "+3 -2 -1", "+8 -8"),
    ("alta_yarith_bespin", "0 +2 +3", "+10 0 -10"),
    ("alta_yarith_bespin", "+2 -1", "+1 -2"),
]


@pytest.mark.parametrize(("ranking", "winner", "loser"), BEATS)
def test_a_hand_beats_another(ranking: str, winner: str, loser: str) -> None:
    assert rank_of(winner, ranking).order > rank_of(loser, ranking).order


@pytest.mark.parametrize(
    ("ranking", "one", "other"),
    [
        ("casino", "+5s +4t -9s", "+5c +4s -9t"),
        ("casino", "+2s +3s -1s", "+2t +3t -1t"),
        ("spacers", "+5t", "+5s"),
        ("spacers", "+2s +2t -2c -2t", "+2c -2s +2t -2t"),
        # Equal fewest cards, key 1, positive sum 9 and highest card 8: the negatives never count.
        ("spacers", "+1 -1 +8 -3 -5", "+1 -1 +8 -2 -6"),
        ("alta_orsl", "+9s -2s -7s", "+9t -1c -8t"),
        ("alta_three_en", "+3t -2t -1t", "+3s -2c -1s"),
        ("alta_yarith_bespin", "+10t -10t 0a", "+10s -10c 0b"),
    ],
)
def test_what_needs_a_blind_draw(ranking: str, one: str, other: str) -> None:
    assert rank_of(one, ranking).order == rank_of(other, ranking).order


@pytest.mark.parametrize(
    ("ranking", "order"),
    [
        ("casino", [hand for hand, *_ in CASINO if hand != "-10 +1 +2 +3 +4"]),
        ("spacers", [hand for hand, *_ in SPACERS if hand != "+2 +2 +2 -2 -4"]),
    ],
)
def test_the_lists_of_a_source_stand_in_order_of_rank(ranking: str, order: list[str]) -> None:
    names = [place.name for place in RANKINGS[ranking]]
    places = [names.index(rank_of(hand, ranking).name) for hand in order]
    assert places == sorted(places)
    ranks = [rank_of(hand, ranking).order for hand in order]
    for (i, better), (j, worse) in combinations(enumerate(ranks), 2):
        assert places[i] == places[j] or better > worse


def test_idiots_array_beats_every_other_three_card_hand() -> None:
    array = rank_of("0 +2 +3", "alta_yarith_bespin").order
    small = [Card.of(v, s) for v, s in product((-10, -3, -2, -1, 1, 2, 3, 10), (0, 1))]
    others = [rank(hand, "alta_yarith_bespin") for hand in combinations([*small, 60, 61], 3)]
    assert all(other.order < array for other in others if other.name != "Idiots' Array")


@pytest.mark.parametrize("ranking", RANKINGS)
def test_every_named_hand_totals_zero_but_idiots_array(ranking: str) -> None:
    some = [Card.of(v, s) for v, s in product((-3, -2, -1, 1, 2, 3), (0, 1))]
    for size in (1, 2, 3, 4):
        for hand in combinations([*some, 60, 61], size):
            found = rank(hand, ranking)
            if found.name == "Idiots' Array":
                assert found.total == 5
            else:
                assert (found.total == 0) == (found.name != "Nulrhek")
