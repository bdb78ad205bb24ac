"""Checks of game records from outside: can the compiled engine play on from them?

Compiled code trusts its records: with a seat of 100 it would read and write memory that is not its
own. So records from bytes that somebody else may have written are checked here first.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sabacc_env.array_types import Bools, Ints
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
    "deck_state": (-(2**63), 2**63 - 1),  # a word, unless chance is forced
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
    "yet_to_act": SEAT_SET,
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
"""The smallest and the largest number that a field may hold, whatever the rules."""


class _NumberBlock(NamedTuple):
    """Consecutive numbers of one type in a record, which are compared with their ranges at once."""

    offset: int
    dtype: np.dtype[Any]
    fields: list[str]  # the field that each number belongs to
    minima: NDArray[Any]
    maxima: NDArray[Any]


def _number_blocks() -> list[_NumberBlock]:
    fields = GAME_DTYPE.fields
    assert fields is not None
    assert list(fields) == list(RANGES)
    blocks: list[_NumberBlock] = []
    for name, (field, offset, *_) in fields.items():
        dtype = field.base.fields["features"][0].base if field.base.fields else field.base
        names = [name] * (field.itemsize // dtype.itemsize)
        if blocks and blocks[-1].dtype == dtype:
            names = blocks[-1].fields + names
            offset = blocks.pop().offset
        minima, maxima = (np.array([RANGES[each][end] for each in names], dtype) for end in (0, 1))
        blocks.append(_NumberBlock(offset, dtype, names, minima, maxima))
    return blocks


NUMBER_BLOCKS: Final = _number_blocks()


def find_error(games: Records, rules: Records, rule_of: Ints) -> str:
    """Return what is wrong with one of these hands, or "" if all are valid.

    Every hand that play reaches is valid. A valid hand can be played to its end: it refers only to
    seats, cards and phases that exist, each card is in one place, and no credit is made or lost. It
    need not be a hand that play can reach.

    Args:
        games: (n,) of ``GAME_DTYPE``.
        rules: (m,) of ``RULES_DTYPE``.
        rule_of: (n,) the index of each hand's rules.
    """
    if not len(games):
        return ""
    for block in NUMBER_BLOCKS:
        shape = len(games), len(block.fields)
        strides = GAME_DTYPE.itemsize, block.dtype.itemsize
        values: NDArray[Any] = np.ndarray(shape, block.dtype, games.data, block.offset, strides)
        in_range = ((values >= block.minima) & (values <= block.maxima)).all(axis=0)
        if not in_range.all():
            return f"{block.fields[in_range.argmin()]} is out of range"
    hands = _Hands(games, rules, rule_of)
    return next((problem for problem, applies in _problems(hands) if applies.any()), "")


class _Hands:
    """Hands whose numbers are in range, read as int64."""

    def __init__(self, games: Records, rules: Records, rule_of: Ints) -> None:
        self._games, self._rules, self._rule_of = games, rules, rule_of
        self.live = self("phase") != OVER
        self.indices = np.arange(len(games))

    def __call__(self, field: str) -> Ints:
        """Return a field of the hands."""
        return self._games[field].astype(np.int64)

    def rule(self, field: str) -> Ints:
        """Return a field of each hand's rules."""
        values: Ints = self._rules[field][self._rule_of]
        return values


def _problems(g: _Hands) -> Iterator[tuple[str, Bools]]:
    """Yield each possible problem and the hands that it applies to."""
    yield from _seat_problems(g)
    yield from _progress_problems(g)
    yield from _card_problems(g)
    yield from _credit_problems(g)


def _seat_problems(g: _Hands) -> Iterator[tuple[str, Bools]]:
    players, seated, remaining, yet_to_act = map(
        g, ("num_players", "seated", "remaining", "yet_to_act")
    )
    absent = (g("dealer") >= players) | (g("last_seat") >= players) | (seated >> players != 0)
    yield "a seat does not exist at this table", absent
    yield "a seat remains that was not dealt in", (remaining & ~seated != 0) | (remaining == 0)
    yield "a seat is to act that does not remain", yet_to_act & ~remaining != 0
    to_act = g("seat_to_act")
    has_to_act = (to_act >= 0) & (yet_to_act >> np.maximum(to_act, 0) & 1 == 1)
    wrong = np.where(g.live, ~has_to_act, to_act >= 0)
    yield "seat_to_act is not a seat that still has to act", wrong
    yield "pots are won before the end", g.live & (g("num_pots") != 0)


def _progress_problems(g: _Hands) -> Iterator[tuple[str, Bools]]:
    phase, round_no, index = g("phase"), g("round_no"), g("phase_index")
    phases, num_phases = g.rule("phases"), g.rule("num_phases")
    opens = (g.rule("opening_bet") == 1) & (phase == BETTING)
    in_opening = (round_no == 0) & opens & (index == num_phases - 1)
    in_range = (index >= 0) & (index < num_phases)
    in_round = (round_no > 0) & in_range & (phase == phases[g.indices, index % 3])
    yield "the rules have no such phase", g.live & ~(in_opening | in_round)
    yield "the rules have no such round", round_no > g.rule("rounds")
    yield (
        "the dice of this phase are not rolled",
        g.live & (phase == DICE) & (g("rolls") < round_no),
    )
    can_decide = g.live & (phase == CARDS) & (g.rule("second_choices") != 0)
    yield "a drawn card is kept where no decision about it is due", (g("drawn") >= 0) & ~can_decide
    forced, odd = g("deck_given") == FORCED, g("deck_increment") & 1 == 1
    is_stream = odd & ((g("deck_state") | g("deck_increment")) >> 32 == 0)
    yield "the random stream of the draw pile is invalid", ~(forced | is_stream)


def _card_problems(g: _Hands) -> Iterator[tuple[str, Bools]]:
    start, end = g("deck_next"), g("deck_size")
    yield "the draw pile ends before it begins", start > end
    cards, counts, discards = g("cards"), g("num_cards"), g("num_discards")
    held = np.arange(MAX_HAND) < counts[:, :, None]
    yield "a hand has gaps", ((cards >= 0) != held).any(axis=(1, 2))
    place = np.arange(NUM_CARDS)
    in_pile = (place >= start[:, None]) & (place < end[:, None])
    face_up = place < discards[:, None]
    junked = np.where(g("junked_cards")[:, None] >> place & 1 == 1, place, -1)
    places = [
        cards.reshape(len(cards), -1),
        g("spikes"),
        g("drawn")[:, None],
        np.where(in_pile, g("deck"), -1),
        np.where(face_up, g("discards"), -1),
        junked,
    ]
    gaps = (in_pile & (g("deck") < 0)) | (face_up & (g("discards") < 0))
    found = np.sort(np.concatenate(places, axis=1), axis=1)
    deck = np.sort(g.rule("deck"), axis=1)
    same = (found[:, -NUM_CARDS:] == deck).all(axis=1) & (found[:, :-NUM_CARDS] < 0).all(axis=1)
    yield "the cards are not the deck of the rules", gaps.any(axis=1) | ~same
    too_many = np.any(counts > _max_cards(g), axis=1)
    yield "a hand has more cards than the rules allow by now", too_many
    remain = g("remaining")[:, None] >> np.arange(MAX_SEATS) & 1 == 1
    empty: Bools = (remain & (counts == 0)).any(axis=1)
    yield "a hand is empty", g.live & empty
    spikes_dealt = (g.rule("spike_card") == 1) & (g("round_no") > 0)
    missing = (remain & (g("spikes") < 0)).any(axis=1)
    yield "a Spike Card is missing", g.live & spikes_dealt & missing
    no_top = (g.rule("turns_up") == 1) & (discards == 0)
    yield "the discard pile is empty", g.live & no_top


def _max_cards(g: _Hands) -> Ints:
    """Return how many cards each seat can hold by now: each card turn may add one."""
    first, second = g.rule("first_choices"), g.rule("second_choices")
    buys = first & kind_bits(BUY_DISCARD) != 0
    draws = (first & kind_bits(DRAW) != 0) & ((second == 0) | (second & kind_bits(KEEP) != 0))
    phases = g.rule("phases")
    is_cards = (phases == CARDS) & (np.arange(3) < g.rule("num_phases")[:, None])
    card_index = np.where(is_cards.any(axis=1), is_cards.argmax(axis=1), 3)
    index, yet_to_act = g("phase_index"), g("yet_to_act")[:, None] >> np.arange(MAX_SEATS) & 1
    had_turn = (index > card_index)[:, None] | ((index == card_index)[:, None] & (yet_to_act == 0))
    turns = np.maximum(g("round_no")[:, None] - 1, 0) + (had_turn & (g("round_no") > 0)[:, None])
    max_cards: Ints = g.rule("cards_dealt")[:, None] + turns * (buys | draws)[:, None]
    return max_cards


def _credit_problems(g: _Hands) -> Iterator[tuple[str, Bools]]:
    now, before, staked = g("credits").sum(axis=1), g("credits_before").sum(axis=1), g("staked")
    in_play = now + g("sabacc_pot") + np.where(g.live & (g.rule("points") == 0), staked, 0)
    yield f"more than {UNLIMITED} credits are in play", in_play > UNLIMITED
    seats = (g("seated")[:, None] >> np.arange(MAX_SEATS) & 1).sum(axis=1)
    spent = before - now - seats * g.rule("sabacc_ante")
    yield "the credits do not add up", g.live & (g.rule("points") == 0) & (spent != staked)
    bets = g("bet_hand")
    yield "the bets are more than the pot", g.live & (bets.sum(axis=1) > staked)
    above = (g("bet_phase") > g("highest_bet")[:, None]).any(axis=1)
    yield "a bet is above the highest bet", g.live & above
