"""Records from outside: whether they are hands that the compiled engine can play on.

Compiled code trusts its records: a seat of 100 would read and write memory that is not its own.
Whoever takes records from bytes that somebody else may have written has them checked here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sabacc_env.engine.layout import (
    BETTING,
    BUY_DISCARD,
    CARDS,
    DICE,
    DRAW,
    FORCED,
    GAME_DTYPE,
    KEEP,
    LOG_LENGTH,
    MAX_HAND,
    MAX_ROUNDS,
    MAX_SEATS,
    NUM_CARDS,
    NUM_KINDS,
    OVER,
    UNLIMITED,
    kind_bits,
)

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Records = NDArray[Any]

COUNT: Final = (0, UNLIMITED)
CARD_SET: Final = (0, 2**NUM_CARDS - 1)
SEAT_SET: Final = (0, 2**MAX_SEATS - 1)
WORD: Final = (0, 2**32 - 1)
SEAT: Final = (0, MAX_SEATS - 1)
SEAT_OR_NONE: Final = (-1, MAX_SEATS - 1)
CARD_OR_NONE: Final = (-1, NUM_CARDS - 1)
KIND_OR_NONE: Final = (-1, NUM_KINDS - 1)
FEATURE: Final = (-1024, 1024)

RANGES: Final[dict[str, tuple[int, int]]] = {
    "key_low": WORD,
    "key_high": WORD,
    "deck_state": (-(2**63), 2**63 - 1),  # a stream's is a word, a number that tells chance is not
    "deck_increment": (-(2**63), 2**63 - 1),
    "junked_cards": CARD_SET,
    "seen_by_all": CARD_SET,
    "seen_by": CARD_SET,
    "known": CARD_SET,
    "credits": COUNT,
    "credits_before": COUNT,
    "net_credits": (-UNLIMITED, UNLIMITED),
    "bet_phase": COUNT,
    "bet_hand": COUNT,
    "staked": COUNT,
    "highest_bet": COUNT,
    "sabacc_pot": COUNT,
    "pot_amounts": COUNT,
    "paid": COUNT,
    "rolls": (0, MAX_ROUNDS),
    "raises": COUNT,
    "reshuffles": COUNT,
    "hand_number": COUNT,
    "hands": (1, UNLIMITED),
    "log": FEATURE,
    "public": FEATURE,
    "public_dice": FEATURE,
    "seated": SEAT_SET,
    "remaining": SEAT_SET,
    "to_go": SEAT_SET,
    "pot_seats": SEAT_SET,
    "cards": CARD_OR_NONE,
    "num_cards": (0, MAX_HAND),
    "spikes": CARD_OR_NONE,
    "drawn": CARD_OR_NONE,
    "deck": CARD_OR_NONE,
    "deck_next": (0, NUM_CARDS),
    "deck_size": (0, NUM_CARDS),
    "deck_given": (0, FORCED),
    "discards": CARD_OR_NONE,
    "num_discards": (0, NUM_CARDS),
    "dice": (0, 6),
    "dice_given": (-1, MAX_ROUNDS),
    "num_players": (2, MAX_SEATS),
    "dealer": SEAT,
    "seat_to_act": SEAT_OR_NONE,
    "last_seat": SEAT,
    "phase": (CARDS, OVER),
    "phase_index": (-1, 3),  # -1: an opening bet under rules without phases
    "round_no": (0, MAX_ROUNDS),
    "dice_missing": (0, 0),
    "revealed": (0, 1),
    "num_pots": (0, MAX_SEATS),
    "pot_winners": SEAT_OR_NONE,
    "last_action": KIND_OR_NONE,
    "card_action": KIND_OR_NONE,
    "log_first": (0, LOG_LENGTH - 1),
    "log_seats": SEAT_OR_NONE,
    "padding": (-128, 127),
}
"""The least and the most that each number of a field may be, whatever the rules."""


class _Numbers(NamedTuple):
    """Neighbouring numbers of one type in a record: compared at once."""

    offset: int
    kind: np.dtype[Any]
    names: list[str]  # the field of each
    least: NDArray[Any]
    most: NDArray[Any]


def _neighbours() -> list[_Numbers]:
    fields = GAME_DTYPE.fields
    assert fields is not None
    assert list(fields) == list(RANGES)
    found: list[_Numbers] = []
    for name, (field, offset, *_) in fields.items():
        kind = field.base.fields["features"][0].base if field.base.fields else field.base
        names = [name] * (field.itemsize // kind.itemsize)
        if found and found[-1].kind == kind:
            names = found[-1].names + names
            offset = found.pop().offset
        least, most = (np.array([RANGES[each][end] for each in names], kind) for end in (0, 1))
        found.append(_Numbers(offset, kind, names, least, most))
    return found


NEIGHBOURS: Final = _neighbours()


def first_invalid(games: Records, rules: Records, rule_of: Ints) -> str:
    """Say what is wrong with some hand of these; "" where they are all sound.

    What is reached by playing is sound. A sound hand can be played on to its end: all that it
    points to is there, each card is in one place, and no credit is made or lost. Whether it could
    have come about is not proved.

    Args:
        games: (n,) of ``GAME_DTYPE``.
        rules: (m,) of ``RULES_DTYPE``.
        rule_of: (n,) which of them each hand is played by.
    """
    if not len(games):
        return ""
    for numbers in NEIGHBOURS:
        shape = len(games), len(numbers.names)
        strides = GAME_DTYPE.itemsize, numbers.kind.itemsize
        values: NDArray[Any] = np.ndarray(shape, numbers.kind, games.data, numbers.offset, strides)
        inside = ((values >= numbers.least) & (values <= numbers.most)).all(axis=0)
        if not inside.all():
            return f"{numbers.names[inside.argmin()]} is out of range"
    hands = _Hands(games, rules, rule_of)
    return next((wrong for wrong, found in _contradictions(hands) if found.any()), "")


class _Hands:
    """Hands whose numbers are within their ranges, read as int64."""

    def __init__(self, games: Records, rules: Records, rule_of: Ints) -> None:
        self._games, self._rules, self._rule_of = games, rules, rule_of
        self.live = self("phase") != OVER
        self.each = np.arange(len(games))

    def __call__(self, field: str) -> Ints:
        """Return a field of the hands."""
        return self._games[field].astype(np.int64)

    def rule(self, field: str) -> Ints:
        """Return a field of their rules."""
        values: Ints = self._rules[field][self._rule_of]
        return values


def _contradictions(g: _Hands) -> Iterator[tuple[str, Bools]]:
    """Yield what may be wrong, and of which hands it is."""
    yield from _wrong_seats(g)
    yield from _wrong_time(g)
    yield from _wrong_cards(g)
    yield from _wrong_credits(g)


def _wrong_seats(g: _Hands) -> Iterator[tuple[str, Bools]]:
    players, seated, remaining, to_go = map(g, ("num_players", "seated", "remaining", "to_go"))
    absent = (g("dealer") >= players) | (g("last_seat") >= players) | (seated >> players != 0)
    yield "a seat does not exist at this table", absent
    yield "a seat remains that was not dealt in", (remaining & ~seated != 0) | (remaining == 0)
    yield "a seat is to act that does not remain", to_go & ~remaining != 0
    to_act = g("seat_to_act")
    awaited = (to_act >= 0) & (to_go >> np.maximum(to_act, 0) & 1 == 1)
    yield "seat_to_act is not a seat that still has to act", np.where(g.live, ~awaited, to_act >= 0)
    yield "pots are won before the end", g.live & (g("num_pots") != 0)


def _wrong_time(g: _Hands) -> Iterator[tuple[str, Bools]]:
    phase, round_no, index = g("phase"), g("round_no"), g("phase_index")
    phases, num_phases = g.rule("phases"), g.rule("num_phases")
    bets_first = (g.rule("opening_bet") == 1) & (phase == BETTING)
    opening = (round_no == 0) & bets_first & (index == num_phases - 1)
    numbered = (index >= 0) & (index < num_phases)
    usual = (round_no > 0) & numbered & (phase == phases[g.each, index % 3])
    yield "the rules have no such phase", g.live & ~(opening | usual)
    yield "the rules have no such round", round_no > g.rule("rounds")
    yield (
        "the dice of this phase are not rolled",
        g.live & (phase == DICE) & (g("rolls") < round_no),
    )
    deciding = g.live & (phase == CARDS) & (g.rule("second_choices") != 0)
    yield "a drawn card is kept where no decision about it is due", (g("drawn") >= 0) & ~deciding
    told, odd = g("deck_given") == FORCED, g("deck_increment") & 1 == 1
    streams = odd & ((g("deck_state") | g("deck_increment")) >> 32 == 0)
    yield "the random stream of the draw pile is invalid", ~(told | streams)


def _wrong_cards(g: _Hands) -> Iterator[tuple[str, Bools]]:
    first, last = g("deck_next"), g("deck_size")
    yield "the draw pile ends before it begins", first > last
    cards, counts, discards = g("cards"), g("num_cards"), g("num_discards")
    held = np.arange(MAX_HAND) < counts[:, :, None]
    yield "a hand has gaps", ((cards >= 0) != held).any(axis=(1, 2))
    place = np.arange(NUM_CARDS)
    in_pile = (place >= first[:, None]) & (place < last[:, None])
    face_up = place < discards[:, None]
    junked = np.where(g("junked_cards")[:, None] >> place & 1 == 1, place, -1)
    everywhere = [
        cards.reshape(len(cards), -1),
        g("spikes"),
        g("drawn")[:, None],
        np.where(in_pile, g("deck"), -1),
        np.where(face_up, g("discards"), -1),
        junked,
    ]
    gaps = (in_pile & (g("deck") < 0)) | (face_up & (g("discards") < 0))
    found = np.sort(np.concatenate(everywhere, axis=1), axis=1)
    deck = np.sort(g.rule("deck"), axis=1)
    same = (found[:, -NUM_CARDS:] == deck).all(axis=1) & (found[:, :-NUM_CARDS] < 0).all(axis=1)
    yield "the cards are not the deck of the rules", gaps.any(axis=1) | ~same
    yield (
        "a hand has more cards than the rules allow by now",
        np.any(counts > _most_cards(g), axis=1),
    )
    remain = g("remaining")[:, None] >> np.arange(MAX_SEATS) & 1 == 1
    empty: Bools = (remain & (counts == 0)).any(axis=1)
    yield "a hand is empty", g.live & empty
    dealt = (g.rule("spike_card") == 1) & (g("round_no") > 0)
    without = (remain & (g("spikes") < 0)).any(axis=1)
    yield "a Spike Card is missing", g.live & dealt & without
    no_top = (g.rule("turns_up") == 1) & (discards == 0)
    yield "the discard pile is empty", g.live & no_top


def _most_cards(g: _Hands) -> Ints:
    """Return how many cards each seat can hold by now: a card phase may add one."""
    first, second = g.rule("first_choices"), g.rule("second_choices")
    buys = first & kind_bits(BUY_DISCARD) != 0
    draws = (first & kind_bits(DRAW) != 0) & ((second == 0) | (second & kind_bits(KEEP) != 0))
    phases = g.rule("phases")
    is_cards = (phases == CARDS) & (np.arange(3) < g.rule("num_phases")[:, None])
    there = np.where(is_cards.any(axis=1), is_cards.argmax(axis=1), 3)
    index, waits = g("phase_index"), g("to_go")[:, None] >> np.arange(MAX_SEATS) & 1
    over = (index > there)[:, None] | ((index == there)[:, None] & (waits == 0))
    turns = np.maximum(g("round_no")[:, None] - 1, 0) + (over & (g("round_no") > 0)[:, None])
    most: Ints = g.rule("cards_dealt")[:, None] + turns * (buys | draws)[:, None]
    return most


def _wrong_credits(g: _Hands) -> Iterator[tuple[str, Bools]]:
    left, before, staked = g("credits").sum(axis=1), g("credits_before").sum(axis=1), g("staked")
    in_play = left + g("sabacc_pot") + np.where(g.live & (g.rule("points") == 0), staked, 0)
    yield f"more than {UNLIMITED} credits are in play", in_play > UNLIMITED
    seats = (g("seated")[:, None] >> np.arange(MAX_SEATS) & 1).sum(axis=1)
    spent = before - left - seats * g.rule("sabacc_ante")
    yield "the credits do not add up", g.live & (g.rule("points") == 0) & (spent != staked)
    bets = g("bet_hand")
    yield "the bets are more than the pot", g.live & (bets.sum(axis=1) > staked)
    over_highest = g("bet_phase") > g("highest_bet")[:, None]
    yield "a bet is above the highest bet", g.live & over_highest.any(axis=1)
