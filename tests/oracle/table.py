"""The cards on the table: hands, piles and the cards each seat has seen (sections 1, D1, D4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

Reshuffle = Callable[[list[int], int], list[int]]


class Shuffles:
    """The reshuffles of one hand by count; a replay of the hand gets the same ones."""

    def __init__(self, reshuffle: Reshuffle | None) -> None:
        self._reshuffle = reshuffle
        self._done: list[list[int]] = []

    def __len__(self) -> int:
        return len(self._done)

    def forget_after(self, count: int) -> None:
        del self._done[count:]

    def pile(self, cards: list[int], count: int) -> list[int]:
        if count == len(self._done):
            if self._reshuffle is None:
                raise ValueError(f"reshuffle {count} of {len(cards)} cards: none was supplied")
            pile = list(self._reshuffle(list(cards), count))
            if sorted(pile) != cards:
                raise ValueError(f"reshuffle {count} did not return the cards that it was given")
            self._done.append(pile)
        return list(self._done[count])


class Table:
    """Where every card is. ``draw_pile`` has its top first, ``discard_pile`` its top last."""

    def __init__(self, num_players: int, deck: Sequence[int], shuffles: Shuffles) -> None:
        seats = range(num_players)
        self.deck_size = len(deck)
        self.draw_pile = list(deck)
        self.discard_pile: list[int] = []
        self.junked_cards: list[int] = []
        self.hands: list[set[int]] = [set() for _ in seats]
        self.known: list[set[int]] = [set() for _ in seats]
        self.seen: list[set[int]] = [set() for _ in seats]
        self.spike_cards: list[int | None] = [None for _ in seats]
        self.drawn_card: int | None = None
        self._shuffles = shuffles
        self._renewals = 0

    # --- The draw pile (D1) ----------------------------------------------------------------------

    def draw(self) -> int:
        """Take the top card; until the caller places it, it is in no pile."""
        card = self._top()
        if not self.draw_pile:
            self._renew()
        return card

    def turn_up(self) -> None:
        """Turn up the top card; it "lies on the discard pile before this rule looks at it"."""
        self.discard([self._top()])
        if not self.draw_pile:
            self._renew()

    def _top(self) -> int:
        if not self.draw_pile:  # "A small deck may find nothing to shuffle: try again"
            self._renew()
        return self.draw_pile.pop(0)

    def _renew(self) -> None:
        """Shuffle all but the top discard, with the junked cards, into a new draw pile."""
        cards = sorted(self.discard_pile[:-1] + self.junked_cards)
        if not cards:
            return
        self.draw_pile = self._shuffles.pile(cards, self._renewals)
        self._renewals += 1
        self.discard_pile = self.discard_pile[-1:]
        self.junked_cards = []
        for seen in self.seen:
            seen.difference_update(cards)

    # --- Cards changing places -------------------------------------------------------------------

    def take(self, seat: int, card: int) -> None:
        """Add a card that only this seat sees to its hand."""
        self.hands[seat].add(card)
        self.seen[seat].add(card)

    def take_discard(self, seat: int) -> None:
        """Add the top discard to the hand; every seat sees it."""
        card = self.discard_pile.pop()
        self.take(seat, card)
        self.known[seat].add(card)

    def discard(self, cards: Iterable[int]) -> None:
        """Discard cards "in ascending card id, the last one on top"; they are public (D4)."""
        for card in sorted(cards):
            self.discard_pile.append(card)
            self._show(card)

    def discard_from_hand(self, seat: int, cards: Iterable[int]) -> None:
        cards = list(cards)
        self._leave_hand(seat, cards)
        self.discard(cards)

    def draw_into_hand(self, seat: int, number: int) -> None:
        for _ in range(number):
            self.take(seat, self.draw())

    def place_spike_card(self, seat: int, card: int) -> None:
        self.spike_cards[seat] = card
        self._show(card)

    def lay_down(self, seat: int) -> list[int]:
        """Take away all cards of a seat: hand, Spike Card, and a drawn card to be decided on."""
        beside = (self.spike_cards[seat], self.drawn_card)
        cards = [*self.hands[seat], *(card for card in beside if card is not None)]
        self._leave_hand(seat, cards)
        self.spike_cards[seat] = self.drawn_card = None
        return cards

    def junk_face_down(self, cards: Iterable[int]) -> None:
        self.junked_cards = sorted([*self.junked_cards, *cards])

    def counted_cards(self, seat: int) -> list[int]:
        """The hand, and the Spike Card beside it (D13)."""
        spike = self.spike_cards[seat]
        return [*self.hands[seat], *([] if spike is None else [spike])]

    def _leave_hand(self, seat: int, cards: Iterable[int]) -> None:
        self.hands[seat].difference_update(cards)
        self.known[seat].difference_update(cards)

    def _show(self, card: int) -> None:
        for seen in self.seen:
            seen.add(card)
