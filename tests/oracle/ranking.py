"""The five rankings of RULES.md section 6, as tables that are searched by brute force.

Each place of a ranking names the parts that a hand must contain. Every partition of a hand into
those parts is tried, so nothing here relies on knowing which hands exist.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

from sabacc_env.cards import Card

Values = tuple[int, ...]
Keys = tuple[int, ...]


@dataclass(frozen=True)
class Rank:
    """The rank of a hand. The larger ``order`` wins; equal orders need a blind draw."""

    name: str
    keys: Keys
    total: int
    order: tuple[object, ...]


# --- Parts: a number of cards and a condition on them --------------------------------------------


@dataclass(frozen=True)
class Part:
    """A number of cards whose values together satisfy ``fits``."""

    size: int
    fits: Callable[[Values], bool]


def sylops(number: int) -> Part:
    return Part(number, lambda values: all(value == 0 for value in values))


def of_a_kind(number: int) -> Part:
    """Cards of one absolute value; "Sylops are never a pair" (section 6, D22)."""
    return Part(number, lambda values: 0 not in values and len({abs(v) for v in values}) == 1)


def same_sign(number: int) -> Part:
    """Cards of one signed value."""
    return Part(number, lambda values: 0 not in values and len(set(values)) == 1)


def balanced(number: int) -> Part:
    """[-x, +x], or [-x, -x, +x, +x]."""
    kind = of_a_kind(number)
    return Part(number, lambda values: kind.fits(values) and sum(values) == 0)


def run_of(number: int) -> Part:
    """Consecutive absolute values; "no run contains 0" (section 6, D22)."""

    def fits(values: Values) -> bool:
        lowest = min(abs(value) for value in values)
        wanted = list(range(lowest, lowest + number))
        return lowest > 0 and sorted(abs(value) for value in values) == wanted

    return Part(number, fits)


def exactly(*wanted: int, or_inverse: bool = False) -> Part:
    accepted = [sorted(wanted)]
    if or_inverse:
        accepted.append(sorted(-value for value in wanted))
    return Part(len(wanted), lambda values: sorted(values) in accepted)


# --- Keys, from the values of each part --------------------------------------------------------

Parts = tuple[Values, ...]


def no_key(parts: Parts) -> Keys:
    return ()


def ten(parts: Parts) -> Keys:
    return (10,)


def first_value(parts: Parts) -> Keys:
    return (abs(parts[0][0]),)


def highest_of_run(parts: Parts) -> Keys:
    return (max(abs(value) for value in parts[0]),)


def lowest_of_run(parts: Parts) -> Keys:
    return (min(abs(value) for value in parts[0]),)


def higher_then_lower(parts: Parts) -> Keys:
    return tuple(sorted((abs(part[0]) for part in parts[:2]), reverse=True))


def lower_then_higher(parts: Parts) -> Keys:
    return tuple(sorted(abs(part[0]) for part in parts[:2]))


def lower_of_two(parts: Parts) -> Keys:
    return (min(abs(part[0]) for part in parts[:2]),)


# --- The cards beyond the parts ------------------------------------------------------------------


def no_cards(rest: Values) -> bool:
    return rest == ()


def any_cards(rest: Values) -> bool:
    return True


def other_cards(least: int, most: int, *, sylops_too: bool = True) -> Callable[[Values], bool]:
    return lambda rest: least <= len(rest) <= most and (sylops_too or 0 not in rest)


@dataclass(frozen=True)
class Place:
    """One line of a ranking. ``total`` None is any total; ``group`` chooses the tie-breakers."""

    name: str
    parts: tuple[Part, ...] = ()
    keys: Callable[[Parts], Keys] = no_key
    rest: Callable[[Values], bool] = no_cards
    total: int | None = 0
    group: str = ""

    def matches(self, values: Values) -> Iterator[Keys]:
        """Yield the keys of every way in which these cards fill this place."""
        if self.total is not None and sum(values) != self.total:
            return
        for parts, rest in _partitions(self.parts, values):
            distinct = len({abs(part[0]) for part in parts}) == len(parts)
            if distinct and self.rest(rest):
                yield self.keys(parts)


def _partitions(parts: tuple[Part, ...], values: Values) -> Iterator[tuple[Parts, Values]]:
    if not parts:
        yield (), values
        return
    for chosen in combinations(range(len(values)), parts[0].size):
        part = tuple(values[i] for i in chosen)
        left = tuple(value for i, value in enumerate(values) if i not in chosen)
        if parts[0].fits(part):
            for others, rest in _partitions(parts[1:], left):
                yield (part, *others), rest


SYLOP, BOTH_SYLOPS = sylops(1), sylops(2)
PAIR, THREE, FOUR = of_a_kind(2), of_a_kind(3), of_a_kind(4)
TWO_PAIRS = (PAIR, PAIR)
SIGNED_FULL_HOUSE = (same_sign(3), same_sign(2))  # a total of zero makes the signs opposite
PURE = exactly(0, 0)
FULL = exactly(+10, +10, -10, -10, 0)
GEE_WHIZ = exactly(+1, +2, +3, +4, -10, or_inverse=True)
SABACC = Place("Sabacc", rest=any_cards, group="plain")
NULRHEK = Place("Nulrhek", rest=any_cards, total=None, group="plain")

# Section 6.1.
CASINO = (
    Place("Full Sabacc", (FULL,), ten),
    Place("Fleet", (FOUR, SYLOP), first_value),
    Place("Rhylet", SIGNED_FULL_HOUSE, first_value),
    Place("Wild Rhylet", (THREE, PAIR), first_value),
    Place("Gee Whiz", (GEE_WHIZ,), ten),
    Place("Full Straight", (run_of(5),), highest_of_run),
    Place("Sylop Straight Khyron", (run_of(4), SYLOP), highest_of_run),
    Place("Five Card Squad", (FOUR,), first_value, other_cards(1, 1, sylops_too=False)),
    Place("Squadron", (FOUR,), first_value),
    Place("Sylop Rule of Two", (*TWO_PAIRS, SYLOP), higher_then_lower),
    Place("Banthas Wild", (THREE,), first_value, other_cards(1, 2)),  # D24
    Place("Pure Sabacc", (PURE,)),
    Place("Straight Khyron", (run_of(4),), highest_of_run),
    Place("Idiot's Rule", (PAIR, BOTH_SYLOPS), first_value),
    Place("Rule of Two", TWO_PAIRS, higher_then_lower, other_cards(0, 1, sylops_too=False)),
    Place("Yee-Haa", (PAIR, SYLOP), first_value),
    Place("Pair", (PAIR,), first_value, other_cards(0, 3)),
    SABACC,
    NULRHEK,
)

# Section 6.2. "The single card that balances" a pair of Sylop Ace is no Sylop (D10).
SPACERS = (
    Place("Pure Sabacc", (PURE,), group="sylop"),
    Place("Sylop Fleet", (FOUR, SYLOP), first_value, group="sylop"),
    Place("Sylop Khyron", (run_of(4), SYLOP), lowest_of_run, group="sylop"),
    Place("Sylop Wings", (*TWO_PAIRS, SYLOP), lower_of_two, group="sylop"),
    Place(
        "Sylop Ace",
        (PAIR, SYLOP),
        first_value,
        other_cards(0, 1, sylops_too=False),
        group="sylop",
    ),
    Place("Fleet", (FOUR,), first_value, any_cards, group="special"),
    Place("Rhylet", (THREE, PAIR), lower_of_two, group="special"),
    Place("Full Khyron", (run_of(5),), lowest_of_run, group="special"),
    Place("Khyron", (run_of(4),), lowest_of_run, any_cards, group="special"),
    Place("Squadron", (THREE,), first_value, any_cards, group="special"),
    Place("Wings", TWO_PAIRS, lower_of_two, any_cards, group="special"),
    Place("Ace", (PAIR,), first_value, any_cards, group="special"),
    SABACC,
    NULRHEK,
)

# Section 6.3: the booklet's table, and for each place which of the three rankings know it.
ORSL, THREE_EN, BESPIN = "alta_orsl", "alta_three_en", "alta_yarith_bespin"
ALL_THREE = (ORSL, THREE_EN, BESPIN)
STAVES = exactly(+7, -8, -9, +10, or_inverse=True)
TRILL = exactly(+1, +2, -3, or_inverse=True)
COUPLING = (balanced(2), balanced(2), SYLOP)
ALTA: tuple[tuple[Place, tuple[str, ...]], ...] = (
    (Place("Pure Sabacc", (PURE,)), (ORSL, THREE_EN)),
    (Place("Full Sabacc", (FULL,)), (ORSL, THREE_EN)),
    (Place("Fleet", (balanced(4), SYLOP), first_value), (THREE_EN,)),
    (Place("Dual Power Coupling", COUPLING, lower_then_higher), (THREE_EN,)),
    (Place("Idiots' Array", (exactly(0, +2, +3),), total=5), (BESPIN,)),
    (Place("Prime Sabacc", (exactly(-10, 0, +10),)), (THREE_EN, BESPIN)),
    (Place("Yee-Haa", (PAIR, SYLOP), first_value, any_cards), ALL_THREE),
    (Place("Rhylet", SIGNED_FULL_HOUSE, first_value), (ORSL, THREE_EN)),
    (Place("Straight Rhoon", (run_of(5),), lowest_of_run), (THREE_EN,)),
    (Place("Straight Staves", (STAVES,)), (ORSL, THREE_EN)),
    (Place("Squadron", (FOUR,), first_value, any_cards), (ORSL, THREE_EN)),  # D25
    (Place("Gee Whiz", (GEE_WHIZ,)), (ORSL, THREE_EN)),
    (Place("Straight Khyron", (run_of(4),), lowest_of_run), (ORSL, THREE_EN)),
    (Place("Straight Trill", (TRILL,)), (THREE_EN, BESPIN)),
    (Place("Rule of Two", TWO_PAIRS, lower_then_higher, any_cards), (ORSL, THREE_EN)),
    (Place("Paired Sabacc", (PAIR,), first_value, any_cards), ALL_THREE),
    (SABACC, ALL_THREE),
    (NULRHEK, ALL_THREE),
)

RANKINGS: dict[str, tuple[Place, ...]] = {
    "casino": CASINO,
    "spacers": SPACERS,
    **{name: tuple(place for place, known in ALTA if name in known) for name in ALL_THREE},
}


def rank(cards: Sequence[int], ranking: str) -> Rank:
    """Return the rank of these cards (section 6); ``cards`` are ids in any order."""
    return _rank(tuple(sorted(cards)), ranking)


@cache
def _rank(cards: tuple[int, ...], ranking: str) -> Rank:
    values = tuple(Card(card).value for card in cards)
    total = sum(values)
    higher_key_wins = ranking == "casino"
    for number, place in enumerate(RANKINGS[ranking]):
        found = list(place.matches(values))
        if not found:
            continue
        keys = max(found) if higher_key_wins else min(found)  # the best reading (D12)
        key_order = keys if higher_key_wins else tuple(-key for key in keys)
        closeness = (-abs(total), total > 0)  # equal for all hands of a place, Nulrhek aside
        ties = _tie_breakers(ranking, place.group, key_order, cards)
        return Rank(place.name, keys, total, (-number, closeness, *ties))
    raise AssertionError("every hand is at least a Nulrhek")


def _tie_breakers(
    ranking: str, group: str, key: Keys, cards: tuple[int, ...]
) -> tuple[object, ...]:
    """Return the key and the tie-breakers after it, in the order that the ranking compares them."""
    values = [Card(card).value for card in cards]
    positive = sorted((value for value in values if value > 0), reverse=True)
    positives = (sum(positive), max(positive, default=0))
    if ranking == "casino":
        absolute = tuple(sorted((abs(value) for value in values), reverse=True))
        suits = {Card(card).suit for card in cards} - {None}
        suited = len(suits) <= 1
        return (key, len(cards), sum(absolute), absolute, tuple(positive), suited)
    if ranking == "spacers" and group == "sylop":
        return (key, *positives)
    if ranking == "spacers" and group == "special":
        return (-len(cards), key, *positives)
    return (key, len(cards), *positives)  # spacers' plain hands, and 6.3 throughout (D26)
