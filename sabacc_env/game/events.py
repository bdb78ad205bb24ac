"""What happens in a hand, event by event, as one seat sees it.

A game keeps its moves and not what followed from them, so the hand is played again for this.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from numpy.typing import NDArray

from sabacc_env.cards import CARDS, Card
from sabacc_env.engine.drivers import single
from sabacc_env.engine.layout import DICE, MAX_ROUNDS, PHASES
from sabacc_env.game.keys import split_key
from sabacc_env.game.move_codes import action_code, taken_discard, unpack_moves
from sabacc_env.game.records import copy_record, empty_record
from sabacc_env.game.starts import chance_of, sabacc_pot_before
from sabacc_env.game.turn_buffers import default_turn_buffers
from sabacc_env.moves import Move
from sabacc_env.rules import RuleSet

if TYPE_CHECKING:
    from sabacc_env.game.game import Game


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that a seat saw happen in a hand.

    Attributes:
        kind: ``deal`` (of the seat's own cards), ``turn_up`` (the draw pile's top card goes to the
            discard pile), ``spike_card`` (a seat gets one), ``move``, ``dice``, ``redraw_hand`` (by
            the dice a seat discards its hand and draws as many cards), ``reshuffle``.
        round, phase: when, for a move and for dice.
        seat: whose cards or move; None where it is nobody's.
        move: the move.
        taken: the card that the move took off the discard pile.
        face_up: the cards that everyone saw then, besides those that the move names: in a hand or
            Spike Card put down, turned up, or dealt as a Spike Card.
        drawn: the cards that this seat was dealt or drew; empty for the cards of others.
        paid: what the move cost, in credits; for a raise its total.
        dice: the two faces rolled.
    """

    kind: str
    round: int = 0
    phase: str = ""
    seat: int | None = None
    move: Move | None = None
    taken: Card | None = None
    face_up: tuple[Card, ...] = ()
    drawn: tuple[Card, ...] = ()
    paid: int = 0
    dice: tuple[int, int] | None = None


class _Step(NamedTuple):
    """The deal (``packed`` is -1), a move, or a roll of dice (None), with what followed from it."""

    packed: int | None
    before: NDArray[Any]
    after: NDArray[Any]


def events_of(game: Game, seat: int) -> tuple[Event, ...] | None:
    """Return what a seat saw happen in the hand so far.

    It is None where the course of the hand is not known: for a game copied from tables without
    histories, and for one whose chance was forced.
    """
    chance = chance_of(game)
    if chance is None:
        return None
    events: list[Event] = []
    last = None
    for step in _steps(game, *chance):
        events += _events_of_step(step, game.rules, seat)
        last = step.after
    if last is None or not (game.start or _same(last, game._records)):
        return None
    return tuple(events)


# Playing the hand again.


def _steps(game: Game, key: int, deck: Sequence[int] | None) -> Iterator[_Step]:
    """Yield the steps of a hand; nothing once its moves prove not to be those of this hand.

    A hand whose given dice have run out stops before the next roll. So each move is played once for
    every roll that follows from it, with one more roll allowed each time.
    """
    buffers = default_turn_buffers(game.rules)
    before = _undealt(game, key, deck)
    turns = unpack_moves(game._packed_moves)
    for packed in (-1, *game._packed_moves):
        code: int | None = None
        if packed >= 0:
            move = next(turns).move
            seat = before["seat_to_act"].item()
            code = action_code(move, _hand(before, seat))
            if code is None:
                return
        cause: int | None = packed
        previous = before
        for rolls in range(before["rolls"].item(), MAX_ROUNDS + 1):
            after = copy_record(before)
            after["dice_given"] = rolls
            if code is None:
                single.deal_hand(after, buffers.rules)
            elif single.play_turn(after, buffers.records, code)[0] == single.ILLEGAL:
                return
            yield _Step(cause, previous, after)
            cause, previous = None, after
            if not after["dice_missing"].item():
                break
        before = previous


def _undealt(game: Game, key: int, deck: Sequence[int] | None) -> NDArray[Any]:
    """Return the record of a hand before its deal, with the dice that were rolled."""
    played, records = game._records, empty_record()
    for field in ("num_players", "hand_number", "hands"):
        records[field] = played[field]
    records["credits"] = played["credits_before"]
    records["sabacc_pot"] = sabacc_pot_before(game)
    rules = default_turn_buffers(game.rules).rules
    single.reset(records, rules, *split_key(key), played["dealer"].item())
    if deck is not None:
        records["deck"][0, : len(deck)] = deck
        records["deck_given"] = 1
    records["dice"] = played["dice"]
    return records


def _same(replayed: NDArray[Any], records: NDArray[Any]) -> bool:
    """Say whether a hand played again is the same; its dice count as given.

    Above the discard pile there may be cards of a hand before, which nobody reads.
    """
    replayed, records = copy_record(replayed), copy_record(records)
    replayed["dice_given"] = records["dice_given"]
    for each in (replayed, records):
        each["discards"][0, _number(each, "num_discards") :] = 0
    return replayed.tobytes() == records.tobytes()


# What happened between two records.


def _events_of_step(step: _Step, rules: RuleSet, observer: int) -> Iterator[Event]:
    if step.packed is None:
        yield from _roll(step.before, step.after, observer)
    elif step.packed < 0:
        yield from _deal(step.before, step.after, observer)
    else:
        yield from _move(step.packed, step.before, step.after, rules, observer)
    for _ in range(_number(step.before, "reshuffles"), _number(step.after, "reshuffles")):
        yield Event("reshuffle")


def _deal(before: NDArray[Any], after: NDArray[Any], observer: int) -> Iterator[Event]:
    if hand := _hand(after, observer):
        yield Event("deal", seat=observer, drawn=hand)
    if _number(after, "num_discards"):
        yield Event("turn_up", face_up=(_lowest_discard(after),))
    yield from _new_spike_cards(before, after)


def _move(
    packed: int, before: NDArray[Any], after: NDArray[Any], rules: RuleSet, observer: int
) -> Iterator[Event]:
    ((seat, move),) = unpack_moves([packed])
    taken = taken_discard(packed)
    face_up: tuple[Card, ...] = ()
    if move.kind == "discard_drawn":
        face_up = _drawn_card(before)
    elif move.kind == "replace_spike":
        face_up = _spike_card(before, seat)
    elif move.kind == "junk" and rules.junk_face_up:
        face_up = _by_id(_hand(before, seat) + _spike_card(before, seat))
    drawn: tuple[Card, ...] = ()
    if seat == observer:
        known = {*_hand(before, seat), *_drawn_card(before), taken}
        drawn = tuple(c for c in _hand(after, seat) + _drawn_card(after) if c not in known)
    yield Event(
        "move",
        round=_number(before, "round_no"),
        phase=PHASES[_number(before, "phase")],
        seat=seat,
        move=move,
        taken=taken,
        face_up=face_up,
        drawn=drawn,
        paid=_number(after, "paid"),
    )
    if move.kind == "buy_discard" and _number(before, "num_discards") == 1:
        yield Event("turn_up", face_up=(_lowest_discard(after),))
    yield from _new_spike_cards(before, after)


def _roll(before: NDArray[Any], after: NDArray[Any], observer: int) -> Iterator[Event]:
    """Yield the dice and what they made redraw: a hand after that always differs from before."""
    rolls = _number(after, "rolls")
    first, second = after["dice"][0, rolls - 1].tolist()
    yield Event("dice", round=rolls, phase=PHASES[DICE], dice=(first, second))
    spike_too = _spikes_changed(before, after)
    for seat in _clockwise(after):
        old, new = _hand(before, seat), _hand(after, seat)
        if old == new:
            continue
        face_up = _by_id(old + _spike_card(before, seat) if spike_too else old)
        drawn = new if seat == observer else ()
        yield Event("redraw_hand", seat=seat, face_up=face_up, drawn=drawn)
        if spike_too:
            yield Event("spike_card", seat=seat, face_up=_spike_card(after, seat))


def _new_spike_cards(before: NDArray[Any], after: NDArray[Any]) -> Iterator[Event]:
    if not _spikes_changed(before, after):
        return
    for seat in _clockwise(after):
        spike = _spike_card(after, seat)
        if spike and spike != _spike_card(before, seat):
            yield Event("spike_card", seat=seat, face_up=spike)


# Reading a record.


def _number(records: NDArray[Any], field: str) -> int:
    return records[field].item()  # type: ignore[no-any-return]


def _cards(ids: Iterable[int]) -> tuple[Card, ...]:
    return tuple(CARDS[card] for card in ids if card >= 0)


def _hand(records: NDArray[Any], seat: int) -> tuple[Card, ...]:
    return _cards(records["cards"][0, seat].tolist())


def _spike_card(records: NDArray[Any], seat: int) -> tuple[Card, ...]:
    return _cards([records["spikes"][0, seat].item()])


def _spikes_changed(before: NDArray[Any], after: NDArray[Any]) -> bool:
    return bool((before["spikes"] != after["spikes"]).any())


def _drawn_card(records: NDArray[Any]) -> tuple[Card, ...]:
    return _cards([_number(records, "drawn")])


def _lowest_discard(records: NDArray[Any]) -> Card:
    return _cards(records["discards"][0, :1].tolist())[0]


def _by_id(cards: Iterable[Card]) -> tuple[Card, ...]:
    """Return cards as they go down together (RULES.md, D4)."""
    return tuple(sorted(cards))


def _clockwise(records: NDArray[Any]) -> Iterator[int]:
    """Yield the seats from the dealer's left on."""
    num_players, dealer = _number(records, "num_players"), _number(records, "dealer")
    return ((dealer + 1 + after) % num_players for after in range(num_players))
