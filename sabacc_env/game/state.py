"""What is on the table: the state of one hand, read from the engine's record."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabacc_env.cards import CARDS, Card, cards_of_mask
from sabacc_env.engine.drivers import single
from sabacc_env.engine.layout import GAME_DTYPE, MAX_SEATS, OVER, PHASES
from sabacc_env.game.turn_buffers import TurnBuffers, default_turn_buffers
from sabacc_env.hand_ranks import HandRank, describe_strength, hand_name
from sabacc_env.rules import RuleSet


class TableState:
    """One hand in play, as it stands; ``Game`` adds playing and keeping it."""

    __slots__ = ("_buffers", "_records", "_rules_record", "rules")

    rules: RuleSet

    def _attach(self, records: NDArray[Any]) -> None:
        self._records = records
        self._buffers = default_turn_buffers(self.rules)
        self._rules_record = self._buffers.rules

    @property
    def _record(self) -> Any:
        return self._records[0]

    def _number(self, field: str) -> int:
        """Return one number of the record: this way takes a tenth of an attribute's time."""
        return self._records[field].item()  # type: ignore[no-any-return]

    @property
    def num_players(self) -> int:
        """Seats at the table, those that sit out included."""
        return self._number("num_players")

    @property
    def dealer(self) -> int:
        """The dealer's seat; every phase starts with the nearest remaining seat to its left."""
        return self._number("dealer")

    @property
    def key(self) -> int:
        """The hand's 64-bit key: deck, dice and reshuffles follow from it."""
        return self._number("key_low") | self._number("key_high") << 32

    @property
    def seat_to_act(self) -> int | None:
        """The seat whose decision is awaited; None when the hand is over."""
        seat = self._number("seat_to_act")
        return None if seat < 0 else seat

    @property
    def phase(self) -> str:
        """``cards``, ``dice`` (while a redraw is to be chosen), ``betting`` or ``over``."""
        return PHASES[self._number("phase")]

    @property
    def round(self) -> int:
        """The round: 0 in an opening bet, then 1 and up."""
        return self._number("round_no")

    @property
    def remaining(self) -> tuple[int, ...]:
        """The seats still in the hand."""
        return _seats(self._number("remaining"))

    @property
    def seated(self) -> tuple[int, ...]:
        """The seats dealt in: those that could pay their antes."""
        return _seats(self._number("seated"))

    @property
    def hands(self) -> list[list[Card]]:
        """Each seat's cards in slot order, by value, then id; [] when junked or sat out."""
        return [self._hand(seat) for seat in range(self.num_players)]

    def _hand(self, seat: int) -> list[Card]:
        return [CARDS[card] for card in self._slots(seat) if card >= 0]

    def _slots(self, seat: int) -> list[int]:
        """Return the ids of a seat's cards by slot; -1 where there is none."""
        return self._records["cards"][0, seat].tolist()  # type: ignore[no-any-return]

    @property
    def spike_cards(self) -> list[Card | None]:
        """Each seat's Spike Card, or None."""
        return [_card(card) for card in self._record.spikes[: self.num_players]]

    @property
    def drawn_card(self) -> Card | None:
        """A card bought or gained and not yet decided on; it is in no hand."""
        return _card(self._record.drawn)

    @property
    def draw_pile(self) -> list[Card]:
        """The draw pile, top first."""
        records = copied(self._records)  # the engine shuffles card by card, as they are drawn
        return [Card(int(single.pop_top(records))) for _ in range(self.draw_pile_size)]

    @property
    def draw_pile_size(self) -> int:
        """How many cards the draw pile holds."""
        return self._number("deck_size") - self._number("deck_next")

    @property
    def discard_pile(self) -> list[Card]:
        """The face-up discards, top last."""
        return [Card(card) for card in self._record.discards[: self._record.num_discards]]

    @property
    def junked_cards(self) -> list[Card]:
        """The cards face down under the discard pile, by id."""
        return list(cards_of_mask(self._number("junked_cards")))

    @property
    def dice(self) -> list[tuple[int, int]]:
        """The dice rolled so far, a pair a round; 1 is the Spike."""
        return [(int(a), int(b)) for a, b in self._record.dice[: self._record.rolls]]

    def known_cards(self, seat: int) -> list[Card]:
        """Return the cards that everyone knows to be in a hand: those taken face up."""
        return list(cards_of_mask(int(self._record.known[seat])))

    def seen_cards(self, seat: int) -> list[Card]:
        """Return the cards that a seat has seen and that were not shuffled away since, by id."""
        return list(cards_of_mask(int(self._record.seen_by_all | self._record.seen_by[seat])))

    # Credits.

    @property
    def credits(self) -> list[int] | list[None]:
        """Each seat's credits, bets taken off and, at the end, winnings paid; None for points."""
        if self.rules.points:
            return [None] * self.num_players
        return self._amounts("credits")

    @property
    def credits_before(self) -> list[int] | list[None]:
        """Each seat's credits before the antes; None for points."""
        if self.rules.points:
            return [None] * self.num_players
        return self._amounts("credits_before")

    @property
    def bets(self) -> list[int]:
        """What each seat has put in during this betting phase, in credits."""
        return self._amounts("bet_phase")

    @property
    def bets_of_hand(self) -> list[int]:
        """What each seat has put in during betting phases of this hand, in credits."""
        return self._amounts("bet_hand")

    def _amounts(self, field: str) -> list[int]:
        return self._records[field][0, : self.num_players].tolist()  # type: ignore[no-any-return]

    @property
    def pots(self) -> list[tuple[int, tuple[int, ...]]]:
        """(amount, seats that can win it), main pot first.

        In play it is one pot with everything staked in this hand; then credits, pots and Sabacc
        pot add up to a constant. At the end it is the layers as they were won and paid out.
        """
        record = self._record
        if record.phase != OVER:
            return [(int(record.staked), self.remaining)]
        return [
            (int(record.pot_amounts[pot]), _seats(int(record.pot_seats[pot])))
            for pot in range(record.num_pots)
        ]

    @property
    def sabacc_pot(self) -> int:
        """Credits in the Sabacc pot; at the end, what is left for the next hand."""
        return self._number("sabacc_pot")

    @property
    def net_credits(self) -> list[int] | None:
        """Each seat's credits won or lost in this hand (or points); None while it is in play."""
        return self._amounts("net_credits") if self._number("phase") == OVER else None

    @property
    def winners(self) -> list[int] | None:
        """The winner of each pot; None while the hand is in play."""
        if self._number("phase") != OVER:
            return None
        winners = self._records["pot_winners"][0, : self._number("num_pots")]
        return winners.tolist()  # type: ignore[no-any-return]

    @property
    def revealed(self) -> bool:
        """Whether the hand is over and ended with a reveal."""
        return bool(self._number("revealed"))

    @property
    def revealed_hands(self) -> dict[int, str]:
        """What each hand is called that was revealed, by seat; {} while none is."""
        if not self.revealed:
            return {}
        return {
            seat: hand_name(self.rules.ranking, self._strength(seat)) for seat in self.remaining
        }

    def _strength(self, seat: int) -> int:
        return int(single.seat_strength(self._records, self._rules_record, seat))

    def rank(self, seat: int) -> HandRank | None:
        """Return what a seat's hand would rank now, its Spike Card counted; None without a hand."""
        hand, spike = self._hand(seat), _card(self._record.spikes[seat])
        if not hand:
            return None
        total = sum(card.value for card in hand) + (spike.value if spike is not None else 0)
        return describe_strength(self.rules.ranking, self._strength(seat), total)

    # What the engine writes.

    def write_turn(self, buffers: TurnBuffers) -> int:
        """Write into buffers what the seat to act may know and do; return the seat.

        When the hand is over, write how it ended and return -1.
        """
        return int(single.write_turn(self._records, buffers.records))

    def write_observation(self, buffers: TurnBuffers, seat: int) -> None:
        """Write ``buffers.requested_observation``: what a seat observes."""
        single.write_observation(self._records, buffers.records, seat)


def empty_record() -> NDArray[Any]:
    """Return an array of one game's record, all zeros, in a tenth of the time of ``np.zeros``."""
    return np.ndarray(1, GAME_DTYPE, bytearray(GAME_DTYPE.itemsize))


def copied(records: NDArray[Any]) -> NDArray[Any]:
    """Return a copy of one game's record; NumPy's own goes field by field and takes long."""
    return np.ndarray(1, GAME_DTYPE, bytearray(records.tobytes()))


def _card(card: int) -> Card | None:
    return None if card < 0 else Card(card)


def _seats(mask: int) -> tuple[int, ...]:
    return tuple(seat for seat in range(MAX_SEATS) if mask >> seat & 1)
