"""One hand of Corellian Spike in plain Python, with the interface of ``Game``.

``hand.py`` plays the hand. If a move fails half-way, because dice or reshuffles run out, the hand
is replayed from the deal up to that move, which restores the state before it.

How this implementation reads RULES.md where it is open:

- Spike Cards are dealt after the opening bet; without an opening bet right after the deal.
- A seat that sat out or junked still sees what is public. Hands shown at the reveal are public
  through ``revealed``; they are not added to ``seen``. ``known`` never holds a Spike Card.
- A reshuffle of a single card counts as one; finding nothing to shuffle does not.
- Junking in the card phase is a first choice; the choices after a draw are the list of section 3.
- With ``replace`` or ``replace_spike`` among the card actions, ``look_then_discard`` adds choices.
- "As many tied rounds as the deck has cards" (D9) counts every round that leaves more than one
  seat, also when fewer than before; the deck is that of the rules, 62 cards or fewer.
- The excess of the highest bettor also goes back when everyone else junked.
- Without ante and bets there is still a main pot, of 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from sabacc_env.cards import Card, deck, slot_order

from .hand import Hand, Move, Options, Rules
from .pots import Pot
from .ranking import Rank
from .table import Reshuffle, Shuffles, Table


class OracleGame:
    """One hand, with the attributes of the real ``Game``."""

    def __init__(
        self,
        rules: Rules | Any,
        num_players: int,
        dealer: int,
        deck: Sequence[int],
        dice: Sequence[tuple[int, int]],
        credits: Sequence[int] | None = None,
        sabacc_pot: int = 0,
        reshuffle: Reshuffle | None = None,
    ) -> None:
        self.rules = rules
        self.num_players = num_players
        self.points = rules.starting_credits is None
        self._deck, self._dice = list(deck), list(dice)
        self._start = (dealer, self._initial_stacks(credits), sabacc_pot)
        self._shuffles = Shuffles(reshuffle)
        self._moves: list[Move] = []
        self._check()
        self._replay()

    # --- The state -------------------------------------------------------------------------------

    @property
    def seat_to_act(self) -> int | None:
        return self._hand.seat_to_act

    @property
    def hands(self) -> list[list[Card]]:
        return [slot_order(hand) for hand in self._hand.table.hands]

    @property
    def spike_cards(self) -> list[int | None]:
        return list(self._hand.table.spike_cards)

    @property
    def drawn_card(self) -> int | None:
        return self._hand.table.drawn_card

    @property
    def draw_pile(self) -> list[int]:
        return list(self._hand.table.draw_pile)

    @property
    def discard_pile(self) -> list[int]:
        return list(self._hand.table.discard_pile)

    @property
    def junked_cards(self) -> list[int]:
        return list(self._hand.table.junked_cards)

    @property
    def known(self) -> list[set[int]]:
        """The cards publicly known to be in each hand, because they were taken face up."""
        return [set(cards) for cards in self._hand.table.known]

    @property
    def seen(self) -> list[set[int]]:
        """The cards that each seat has seen since a reshuffle last hid them."""
        return [set(cards) for cards in self._hand.table.seen]

    @property
    def credits(self) -> list[int | None]:
        return [None if self.points else stack for stack in self._hand.stacks]

    @property
    def pots(self) -> list[Pot]:
        hand = self._hand
        if hand.phase == "over":
            return list(hand.won)
        return [(hand.dead_money + sum(hand.bets), tuple(sorted(hand.remaining)))]

    @property
    def sabacc_pot(self) -> int:
        return self._hand.sabacc_pot

    @property
    def dealer(self) -> int:
        """The dealer given, or the next seat that is in (D2)."""
        return self._hand.dealer

    @property
    def round(self) -> int:
        return self._hand.round

    @property
    def phase(self) -> str:
        return self._hand.phase

    @property
    def net_credits(self) -> list[int] | None:
        """The credits that each seat gained in the hand; None before its end."""
        if self.phase != "over":
            return None
        return [now - before for now, before in zip(self._hand.stacks, self._start[1], strict=True)]

    @property
    def winners(self) -> list[int]:
        return list(self._hand.winners)

    @property
    def revealed(self) -> bool:
        return self._hand.revealed

    def rank_of(self, seat: int) -> Rank:
        """Return the rank of a remaining seat's cards now."""
        return self._hand.rank_of(seat)

    def legal_moves(self) -> Options:
        """Return (kind, card or None) for each move, and ("raise", low, high, step)."""
        return set(self._hand.options)

    def play(self, kind: str, card: int | None = None, amount: int | None = None) -> None:
        """Play a move; an illegal one raises ``ValueError`` and changes nothing."""
        if not self._is_legal(kind, card, amount):
            raise ValueError(f"{kind} {card} {amount} is not one of {self._hand.options}")
        shuffles = len(self._shuffles)
        try:
            self._advance((kind, card, amount))
        except Exception:
            self._shuffles.forget_after(shuffles)
            self._replay()
            raise
        self._moves.append((kind, card, amount))

    def _is_legal(self, kind: str, card: int | None, amount: int | None) -> bool:
        options = self._hand.options
        if kind != "raise":
            return amount is None and (kind, card) in options
        grids = [
            range(option[1], option[2] + 1, option[3]) for option in options if len(option) == 4
        ]
        return card is None and any(amount in grid for grid in grids)

    # --- Playing the hand ------------------------------------------------------------------------

    def _initial_stacks(self, given: Sequence[int] | None) -> list[int]:
        starting = self.rules.starting_credits
        if starting is None:
            if given is not None:
                raise ValueError("a points game has no credits")
            return [1] * self.num_players  # D3: the point that each seat stakes
        if given is not None:
            return list(given)
        return [starting] * self.num_players if isinstance(starting, int) else list(starting)

    def _check(self) -> None:
        rules, (dealer, stacks, sabacc_pot) = self.rules, self._start
        if not rules.seats[0] <= self.num_players <= rules.seats[1]:
            raise ValueError(f"{self.num_players} seats are not allowed")
        if len(stacks) != self.num_players or min(stacks) < 0:
            raise ValueError(f"credits {stacks} do not fit the seats")
        if dealer not in range(self.num_players):
            raise ValueError(f"dealer {dealer} is not a seat")
        if sorted(self._deck) != deck(rules.highest_value, rules.suits, rules.sylops):
            raise ValueError("the deck is not a permutation of the cards of the rules")
        if sabacc_pot and not rules.sabacc_ante:
            raise ValueError("a rule set without a Sabacc ante has no Sabacc pot")

    def _replay(self) -> None:
        """Play the hand again from its deal through the moves so far."""
        dealer, stacks, sabacc_pot = self._start
        table = Table(self.num_players, self._deck, self._shuffles)
        self._hand = Hand(self.rules, table, self._dice, dealer, stacks, sabacc_pot)
        self._play = self._hand.play()
        next(self._play, None)
        for move in self._moves:
            self._advance(move)

    def _advance(self, move: Move) -> None:
        with suppress(StopIteration):
            self._play.send(move)
