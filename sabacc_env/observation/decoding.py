"""Reading observations back as facts: whole numbers where they were whole, ratios elsewhere.

This is the exact inverse of what the engine encodes, for packed observations too. Each fact is
computed when it is asked for, and then kept.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sabacc_env.array_types import Bools, Floats, Ints
from sabacc_env.engine.layout import KINDS, MAX_HAND, NUM_CARDS, OBSERVED_ROUNDS
from sabacc_env.engine.observation.encoding import ENCODING_TO_VALUE, KIND_ENCODING
from sabacc_env.errors import SabaccError
from sabacc_env.observation.named_blocks import COLUMNS, PACKED_SCALES, Blocks, blocks

SEAT: Final = COLUMNS.opponents
KNOWN_CARDS: Final = slice(SEAT.known_card_1, SEAT.known_card_1 + MAX_HAND)
LAST_ACTION: Final = slice(SEAT.last_source, SEAT.last_money + 1)
CARD_ACTIONS: Final = slice(SEAT.round_1_source, len(SEAT))


def decode(observations: NDArray[Any]) -> DecodedObservations:
    """Return what one observation, or a batch of them, says: as facts with names.

    Args:
        observations: (..., OBSERVATION_SIZE), float32 or packed (int8).

    Raises:
        SabaccError: for anything that is not a NumPy array of observations.

    >>> from sabacc_env import Tables
    >>> tables = Tables("black_spire", num_tables=2, num_players=3, seed=1)
    >>> decoded = decode(tables.observations)
    >>> decoded.own_values[0], decoded.own_total, decoded.opponents.hand_sizes[0]
    (array([-7, -7,  0,  0,  0]), array([-14,   7]), array([2, 2, 0, 0, 0, 0, 0]))
    """
    seen = blocks(observations)
    if not isinstance(observations, np.ndarray):
        raise SabaccError(
            f"observations: give a NumPy array, not an object of type {type(observations).__name__}"
        )
    packed = observations.dtype == np.int8
    if not packed and not np.issubdtype(observations.dtype, np.floating):
        raise SabaccError(
            "observations: give an array of float32, or of int8 for packed observations, "
            f"not of {observations.dtype}"
        )
    if packed:
        seen = blocks((observations / PACKED_SCALES).astype(np.float32))
    return DecodedObservations(seen)


class DecodedObservations:
    """The facts of observations; ``decode`` makes it.

    Every array begins with the dimensions of the observations, here ``...``. Cards are values from
    -10 to +10: 0 for a Sylop and for no card, which the array beside it tells apart. Amounts of
    credits are ratios: ``_per_pot`` in pots, everything staked in this hand being 1, and
    ``_per_start`` in what the rules let that seat start with. No ratio is above 4; packed
    observations have them rounded.
    """

    def __init__(self, seen: Blocks) -> None:
        self._seen = seen

    # The own hand.

    @cached_property
    def own_values(self) -> Ints:
        """The own cards by slot, (..., 5)."""
        return _values(self._seen.own_slots[..., COLUMNS.own_slots.card])

    @cached_property
    def own_held(self) -> Bools:
        """Whether an own slot holds a card, (..., 5)."""
        return _is_card(self._seen.own_slots[..., COLUMNS.own_slots.card])

    @cached_property
    def own_suits(self) -> Ints:
        """The suits of the own cards by slot, 1 to 3, 0 for a Sylop or no card, (..., 5)."""
        return _whole(self._seen.own_slots[..., COLUMNS.own_slots.suit], 3)

    @cached_property
    def own_known(self) -> Bools:
        """Whether everyone knows the own card of a slot, (..., 5)."""
        return _flag(self._seen.own_slots[..., COLUMNS.own_slots.known])

    @cached_property
    def own_counts(self) -> Ints:
        """How many own cards there are of each value from -10 to +10, (..., 21)."""
        return _whole(self._seen.own_values, 3)

    @cached_property
    def own_total(self) -> Ints:
        """The total of the own hand, Spike Card counted, 0 without a hand, (...)."""
        return _whole(self._seen.own_total[..., COLUMNS.own_total.total], 10)

    @cached_property
    def own_rank_place(self) -> Ints:
        """The place in the ranking's list that the own hand has, 1 the best, 31 without one."""
        return 31 - _whole(self._seen.own_rank[..., COLUMNS.own_rank.place], 31)

    @cached_property
    def own_rank_key(self) -> Ints:
        """How good the first key of that rank is, 0 to 63, (...).

        For a Nulrhek it is 63 less the distance of the total from zero.
        """
        return _whole(self._seen.own_rank[..., COLUMNS.own_rank.first_key], 63)

    @cached_property
    def own_spike_card(self) -> Ints:
        """The own Spike Card, (...)."""
        return _values(self._seen.own_spike[..., COLUMNS.own_spike.card])

    @cached_property
    def has_spike_card(self) -> Bools:
        """Whether there is an own Spike Card, (...)."""
        return _is_card(self._seen.own_spike[..., COLUMNS.own_spike.card])

    # The piles.

    @cached_property
    def drawn_card(self) -> Ints:
        """The card that this seat is deciding on, (...)."""
        return _values(self._seen.drawn[..., COLUMNS.drawn.card])

    @cached_property
    def has_drawn_card(self) -> Bools:
        """Whether this seat is deciding on a card that it drew, (...)."""
        return _is_card(self._seen.drawn[..., COLUMNS.drawn.card])

    @cached_property
    def top_discard(self) -> Ints:
        """The top of the discard pile, (...)."""
        return _values(self._seen.discard_top[..., COLUMNS.discard_top.card])

    @cached_property
    def has_top_discard(self) -> Bools:
        """Whether a card lies face up on the discard pile, (...)."""
        return _is_card(self._seen.discard_top[..., COLUMNS.discard_top.card])

    @cached_property
    def seen_counts(self) -> Ints:
        """Cards of each value from -10 to +10 seen and not shuffled away since, (..., 21)."""
        return _whole(self._seen.seen_values, 3)

    @cached_property
    def draw_pile_size(self) -> Ints:
        """How many cards the draw pile holds, (...)."""
        return _whole(self._seen.draw_pile[..., COLUMNS.draw_pile.size], NUM_CARDS)

    # The course of the hand.

    @cached_property
    def round(self) -> Ints:
        """The round: 0 in an opening bet, then 1 and up; 4 is the fourth or a later one, (...)."""
        return np.asarray(self._seen.round_no.argmax(axis=-1), dtype=np.int64)

    @cached_property
    def phase(self) -> Ints:
        """The phase, as an index into ``PHASES``: cards, dice, betting, over, (...)."""
        first, second, dice, betting = np.moveaxis(_flag(self._seen.phase), -1, 0)
        return np.select([first | second, dice, betting], [0, 1, 2], default=3)

    @cached_property
    def is_betting(self) -> Bools:
        """Whether it is a betting phase, (...)."""
        return _flag(self._seen.phase[..., COLUMNS.phase.betting])

    @cached_property
    def is_second_choice(self) -> Bools:
        """Whether someone is deciding on a card just drawn, (...)."""
        return _flag(self._seen.phase[..., COLUMNS.phase.second_choice])

    @cached_property
    def dice(self) -> Ints:
        """Both dice of four rounds, of more the last four, 0 if not rolled, (..., 4, 2)."""
        return _whole(self._seen.dice, 6)

    @cached_property
    def seats_after_dealer(self) -> Ints:
        """How many seats to the left of the dealer this seat is, 0 for the dealer, (...)."""
        return _whole(self._seen.table[..., COLUMNS.table.seats_after_dealer], 8)

    @cached_property
    def num_players(self) -> Ints:
        """The seats at the table, (...)."""
        return _whole(self._seen.table[..., COLUMNS.table.players], 8)

    @cached_property
    def num_remaining(self) -> Ints:
        """The seats that remain in the hand, (...)."""
        return _whole(self._seen.table[..., COLUMNS.table.remaining], 8)

    @cached_property
    def hands_left(self) -> Ints:
        """The hands left in the episode, this one included, 10 for more than ten, (...)."""
        return _whole(self._seen.table[..., COLUMNS.table.hands_left], 10)

    # Credits and bets.

    @cached_property
    def faces_bet(self) -> Bools:
        """Whether this seat has a bet to call, (...)."""
        return _flag(self._seen.betting[..., COLUMNS.betting.faces_bet])

    @cached_property
    def cannot_cover_call(self) -> Bools:
        """Whether the call is more than this seat's credits, (...)."""
        return _flag(self._seen.betting[..., COLUMNS.betting.cannot_cover_call])

    @cached_property
    def raises_left(self) -> Ints:
        """The raises left in this betting phase, 5 for five, more or any number, (...)."""
        return _whole(self._seen.betting[..., COLUMNS.betting.raises_left], 5)

    @property
    def credits_per_pot(self) -> Floats:
        """This seat's credits, in pots, (...)."""
        return self._seen.own_stakes[..., COLUMNS.own_stakes.credits_per_pot]

    @property
    def credits_per_start(self) -> Floats:
        """This seat's credits, in starting credits, (...)."""
        return self._seen.own_stakes[..., COLUMNS.own_stakes.credits_per_start]

    @property
    def phase_bets_per_pot(self) -> Floats:
        """This seat's bets of this phase, in pots, (...)."""
        return self._seen.own_stakes[..., COLUMNS.own_stakes.phase_bets_per_pot]

    @property
    def hand_bets_per_start(self) -> Floats:
        """This seat's bets of this hand, in starting credits, (...)."""
        return self._seen.own_stakes[..., COLUMNS.own_stakes.hand_bets_per_start]

    @property
    def to_call_per_pot(self) -> Floats:
        """What there is to call, in pots, (...)."""
        return self._seen.betting[..., COLUMNS.betting.to_call_per_pot]

    @property
    def to_call_per_start(self) -> Floats:
        """What there is to call, in starting credits, (...)."""
        return self._seen.betting[..., COLUMNS.betting.to_call_per_start]

    @property
    def pot_per_start(self) -> Floats:
        """The pot, in starting credits, (...)."""
        return self._seen.betting[..., COLUMNS.betting.pot_per_start]

    @property
    def sabacc_pot_per_pot(self) -> Floats:
        """The Sabacc pot, in pots, (...)."""
        return self._seen.betting[..., COLUMNS.betting.sabacc_pot_per_pot]

    @property
    def sabacc_pot_per_start(self) -> Floats:
        """The Sabacc pot, in starting credits, (...)."""
        return self._seen.betting[..., COLUMNS.betting.sabacc_pot_per_start]

    # What happened.

    @cached_property
    def log_kinds(self) -> Ints:
        """The kinds of the last 16 public actions, the newest first, (..., 16).

        An index into ``KINDS``; -1 where there were fewer actions.
        """
        return _kinds(self._seen.log[..., : COLUMNS.log.paid])

    @cached_property
    def log_seats(self) -> Ints:
        """Whose these actions were, in seats to the left of the observer; -1 for none."""
        return _whole(self._seen.log_seats, 8) - 1

    @property
    def log_paid_per_pot(self) -> Floats:
        """What these actions paid, in pots as they were before; a raise has its total."""
        return self._seen.log[..., COLUMNS.log.paid]

    @cached_property
    def opponents(self) -> DecodedOpponents:
        """What is seen of the opponents."""
        return DecodedOpponents(self._seen)


class DecodedOpponents:
    """What is seen of each opponent, (..., 7): the first sits to the left of the observer.

    Seats that the table does not have are all zeros: they neither remain, nor have they junked, nor
    are they out. Values and ratios are as of ``DecodedObservations``.
    """

    def __init__(self, seen: Blocks) -> None:
        self._seats = seen.opponents
        self._bets = seen.opponent_bets

    @cached_property
    def remain(self) -> Bools:
        """Whether each remains in the hand."""
        return _flag(self._seats[..., SEAT.remains])

    @cached_property
    def junked(self) -> Bools:
        """Whether each has junked."""
        return _flag(self._seats[..., SEAT.has_junked])

    @cached_property
    def out(self) -> Bools:
        """Whether each was not dealt in."""
        return _flag(self._seats[..., SEAT.is_out])

    @cached_property
    def all_in(self) -> Bools:
        """Whether each is all-in."""
        return _flag(self._seats[..., SEAT.is_all_in])

    @property
    def credits_per_start(self) -> Floats:
        """The credits of each, in its starting credits."""
        return self._seats[..., SEAT.credits_per_start]

    @property
    def hand_bets_per_start(self) -> Floats:
        """The bets of this hand of each, in its starting credits."""
        return self._seats[..., SEAT.hand_bets_per_start]

    @property
    def phase_bets_per_pot(self) -> Floats:
        """The bets of this phase of each, in pots."""
        return self._bets

    @cached_property
    def hand_sizes(self) -> Ints:
        """How many cards each holds."""
        return _whole(self._seats[..., SEAT.hand_size], 5)

    @cached_property
    def known_values(self) -> Ints:
        """The cards that everyone knows each to hold, in slot order, (..., 7, 5)."""
        return _values(self._seats[..., KNOWN_CARDS])

    @cached_property
    def known(self) -> Bools:
        """Where ``known_values`` has a card, (..., 7, 5)."""
        return _is_card(self._seats[..., KNOWN_CARDS])

    @cached_property
    def spike_cards(self) -> Ints:
        """The Spike Card of each."""
        return _values(self._seats[..., SEAT.spike_card])

    @cached_property
    def have_spike_card(self) -> Bools:
        """Whether each has a Spike Card."""
        return _is_card(self._seats[..., SEAT.spike_card])

    @cached_property
    def last_actions(self) -> Ints:
        """The kind of the last action of each, an index into ``KINDS``; -1 for none."""
        return _kinds(self._seats[..., LAST_ACTION])

    @cached_property
    def card_actions(self) -> Ints:
        """What each did in the card phases of four rounds, of more the last four, (..., 7, 4).

        An index into ``KINDS``; -1 for nothing, and for junk.
        """
        encoded = self._seats[..., CARD_ACTIONS]
        sources_and_hands = encoded.reshape(*encoded.shape[:-1], OBSERVED_ROUNDS, 2)
        no_money = np.zeros((*sources_and_hands.shape[:-1], 1), dtype=np.float32)
        return _kinds(np.concatenate([sources_and_hands, no_money], axis=-1))


def _whole(features: Floats, scale: int) -> Ints:
    """Return the whole numbers of which features are so many-th parts."""
    return np.asarray(np.rint(features * np.float32(scale)), dtype=np.int64)


def _flag(features: Floats) -> Bools:
    return np.asarray(features > 0)


def _values(encoded: Floats) -> Ints:
    return np.asarray(encoded * ENCODING_TO_VALUE, dtype=np.int64)


def _is_card(encoded: Floats) -> Bools:
    return np.asarray(encoded != 0)


_KIND_DIGITS: Final = np.array([81, 9, 1])
_KINDS: Final = np.full(9**3, -1)
"""The kind of move for the three numbers that encode it, each a digit: 4 * number + 4."""
_KINDS[(4 * KIND_ENCODING[: len(KINDS)] + 4).astype(np.int64) @ _KIND_DIGITS] = range(len(KINDS))


def _kinds(encoded: Floats) -> Ints:
    """Return the kinds of moves as indices into ``KINDS``, encoded as (..., 3)."""
    return np.asarray(_KINDS[(_whole(encoded, 4) + 4) @ _KIND_DIGITS], dtype=np.int64)
