"""Plays one hand, from the antes to the pots (RULES.md sections 2 to 5).

``Hand.play`` is one generator that stops at each decision, so the order of play is the order of the
lines below. ``game.py`` sends it the moves and lists how it reads RULES.md.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Protocol

from sabacc_env.cards import Card

from .pots import Pot, excess, layers
from .ranking import Rank, rank
from .table import Table

Move = tuple[str, int | None, int | None]
Options = set[tuple[Any, ...]]
Play = Generator[None, Move, None]
Decision = Generator[None, Move, Move]
DRAWN_CARD_CHOICES = {"replace", "replace_spike", "discard_drawn"}
FROM_DISCARD_PILE = {"swap", "buy_discard"}


class Rules(Protocol):
    """The fields of a rule description that one hand needs (RULES.md section 8)."""

    seats: tuple[int, int]
    highest_value: int
    suits: int
    sylops: int
    rounds: int
    cards_dealt: int
    hand_ante: int
    sabacc_ante: int
    starting_credits: int | tuple[int, ...] | None
    phases: tuple[str, ...]
    opening_bet: bool
    card_actions: tuple[str, ...]
    fees: Mapping[str, int]
    look_then_discard: bool
    doubles: str
    double_spike: str
    junk_when: str
    junk_penalty: int
    junk_face_up: bool
    short_call: str
    min_bet: int
    max_bet: int | None
    min_raise: int
    max_raise: int | None
    bet_step: int
    max_raises: int | None
    spike_card: bool
    ranking: str


class _HandOver(Exception):
    """One seat remains (section 2: "The hand ends at once")."""


class Hand:
    """One hand; ``play`` stops at each decision, where ``options`` are the moves of a seat."""

    def __init__(
        self,
        rules: Rules,
        table: Table,
        dice: Sequence[tuple[int, int]],
        dealer: int,
        stacks: Sequence[int],
        sabacc_pot: int,
    ) -> None:
        self.rules = rules
        self.table = table
        self.dice = dice
        self.dealer = dealer
        self.stacks = list(stacks)
        self.sabacc_pot = sabacc_pot
        self.num_players = len(stacks)
        self.dead_money = 0  # antes, fees and penalties (D8)
        self.bets = [0] * self.num_players  # over the whole hand
        self.phase_bets = [0] * self.num_players
        self.remaining: list[int] = []
        self.round = 0
        self.phase = ""
        self.seat_to_act: int | None = None
        self.options: Options = set()
        self.won: list[Pot] = []
        self.winners: list[int] = []
        self.revealed = False

    def play(self) -> Play:
        """Play the hand (section 2)."""
        self._pay_antes()
        for seat in self._clockwise():
            self.table.draw_into_hand(seat, self.rules.cards_dealt)
        if FROM_DISCARD_PILE & set(self.rules.card_actions):
            self.table.turn_up()
        with suppress(_HandOver):
            yield from self._rounds()
        self._settle()
        self.phase, self.seat_to_act, self.options = "over", None, set()

    def _wait_for_move(self, seat: int, phase: str, options: Options) -> Decision:
        self.seat_to_act, self.phase, self.options = seat, phase, options
        return (yield)

    def _clockwise(self, after: int | None = None) -> list[int]:
        """Return the remaining seats, starting left of ``after``, by default the dealer."""
        start = self.dealer if after is None else after
        return sorted(self.remaining, key=lambda seat: (seat - start - 1) % self.num_players)

    def _pay_antes(self) -> None:
        hand, sabacc = self.rules.hand_ante, self.rules.sabacc_ante
        for seat, stack in enumerate(self.stacks):
            if stack >= hand + sabacc:  # D2
                self.remaining.append(seat)
                self._pay(seat, hand)
                self.stacks[seat] -= sabacc
                self.sabacc_pot += sabacc
        if len(self.remaining) < 2:
            raise ValueError("fewer than two seats can pay their antes")
        while self.dealer not in self.remaining:
            self.dealer = (self.dealer + 1) % self.num_players

    def _rounds(self) -> Play:
        phases = {"cards": self._card_phase, "dice": self._dice_phase, "betting": self._betting}
        if self.rules.opening_bet:
            yield from self._betting()
        if self.rules.spike_card:
            for seat in self._clockwise():
                self.table.place_spike_card(seat, self.table.draw())
        for number in range(1, self.rules.rounds + 1):
            self.round = number
            for phase in self.rules.phases:
                yield from phases[phase]()

    def _pay(self, seat: int, amount: int) -> None:
        """Pay dead money: an ante, a fee or a penalty (D8)."""
        self.stacks[seat] -= amount
        self.dead_money += amount

    def _fee_of(self, kind: str) -> int:
        return int(self.rules.fees.get(kind, 0))

    # --- Section 3: cards ------------------------------------------------------------------------

    def _card_phase(self) -> Play:
        for seat in self._clockwise():
            kind, card, _ = yield from self._wait_for_move(seat, "cards", self._card_options(seat))
            yield from self._play_card_action(seat, kind, card)

    def _card_options(self, seat: int) -> Options:
        options: Options = set()
        for kind in set(self.rules.card_actions) - DRAWN_CARD_CHOICES:
            if kind in FROM_DISCARD_PILE and not self.table.discard_pile:
                continue
            if self.stacks[seat] >= self._fee_of(kind):
                with_card = kind in ("discard_draw", "swap")
                options |= {(kind, c) for c in (self.table.hands[seat] if with_card else [None])}
        return options | ({("junk", None)} if self.rules.junk_when == "cards" else set())

    def _play_card_action(self, seat: int, kind: str, card: int | None) -> Play:
        table = self.table
        if kind == "junk":
            self._play_junk(seat)
            return
        self._pay(seat, self._fee_of(kind))
        if kind == "draw":
            yield from self._draw(seat)
        elif kind == "discard_draw" and card is not None:
            table.discard_from_hand(seat, [card])
            table.draw_into_hand(seat, 1)
        elif kind == "swap" and card is not None:
            table.take_discard(seat)
            table.discard_from_hand(seat, [card])
        elif kind == "buy_discard":
            table.take_discard(seat)
            if not table.discard_pile:
                table.turn_up()  # D18

    def _draw(self, seat: int) -> Play:
        drawn = self.table.draw()
        options = self._drawn_card_options(seat)
        if not options:
            self.table.take(seat, drawn)
            return
        self.table.drawn_card = drawn
        self.table.seen[seat].add(drawn)
        kind, card, _ = yield from self._wait_for_move(seat, "cards", options)
        self._play_drawn_card(seat, kind, card, drawn)

    def _drawn_card_options(self, seat: int) -> Options:
        """Return the choices after a draw: of ``yarith_bespin``, or look-then-discard (D19)."""
        kinds = DRAWN_CARD_CHOICES & set(self.rules.card_actions)
        if self.rules.look_then_discard:
            kinds |= {"keep", "discard_drawn"}
        if self.table.spike_cards[seat] is None:
            kinds -= {"replace_spike"}
        options: Options = set()
        for kind in kinds:
            if self.stacks[seat] >= self._fee_of(kind):
                cards = self.table.hands[seat] if kind == "replace" else [None]
                options |= {(kind, card) for card in cards}
        return options

    def _play_drawn_card(self, seat: int, kind: str, card: int | None, drawn: int) -> None:
        table = self.table
        table.drawn_card = None
        self._pay(seat, self._fee_of(kind))
        if kind == "keep":
            table.take(seat, drawn)
        elif kind == "discard_drawn":
            table.discard([drawn])
        elif kind == "replace" and card is not None:
            table.discard_from_hand(seat, [card])
            table.take(seat, drawn)
        elif kind == "replace_spike" and (old := table.spike_cards[seat]) is not None:
            table.discard([old])
            table.place_spike_card(seat, drawn)

    def _play_junk(self, seat: int) -> None:
        """Pay the penalty (D20) "before anything else happens", then lay the cards down (D5)."""
        self._pay(seat, min(self.rules.junk_penalty, self.stacks[seat]))
        cards = self.table.lay_down(seat)
        if self.rules.junk_face_up:
            self.table.discard(cards)
        else:
            self.table.junk_face_down(cards)
        self.remaining.remove(seat)
        if len(self.remaining) == 1:
            raise _HandOver

    # --- Section 4: dice -------------------------------------------------------------------------

    def _dice_phase(self) -> Play:
        if self.round > len(self.dice):
            raise ValueError(f"there are no dice for round {self.round}")
        one, other = self.dice[self.round - 1]
        if one != other:
            return
        effect = self.rules.double_spike if one == 1 else self.rules.doubles
        for seat in self._clockwise():  # D14: one seat discards and draws before the next
            if effect == "redraw_one":
                options = {("redraw", card) for card in self.table.hands[seat]}
                _, card, _ = yield from self._wait_for_move(seat, "dice", options)
                if card is not None:
                    self.table.discard_from_hand(seat, [card])
                    self.table.draw_into_hand(seat, 1)
            elif effect == "redraw_all":
                self._redraw_all(seat, with_spike_card=one == 1)

    def _redraw_all(self, seat: int, *, with_spike_card: bool) -> None:
        """Discard the hand, then draw as many cards.

        On a double Spike: "hand and Spike Card go down as one batch, then two cards, then the new
        Spike Card, then the next seat".
        """
        table, size = self.table, len(self.table.hands[seat])
        if with_spike_card and table.spike_cards[seat] is not None:
            table.discard(table.lay_down(seat))
            table.draw_into_hand(seat, size)
            table.place_spike_card(seat, table.draw())
        else:
            table.discard_from_hand(seat, table.hands[seat])
            table.draw_into_hand(seat, size)

    # --- Section 5: betting ----------------------------------------------------------------------

    def _betting(self) -> Play:
        self.phase_bets = [0] * self.num_players
        raises = 0
        waiting = self._clockwise()
        while waiting:
            seat = waiting.pop(0)
            if not self._has_betting_turn(seat):
                continue
            highest = max(self.phase_bets)
            options = self._betting_options(seat, raises)
            kind, _, amount = yield from self._wait_for_move(seat, "betting", options)
            if kind == "junk":
                self._play_junk(seat)
            elif kind == "call":
                self._bet(seat, min(highest - self.phase_bets[seat], self.stacks[seat]))
            elif kind == "raise" and amount is not None:
                raises += highest > 0  # from zero it is a bet and counts as no raise
                self._bet(seat, amount - self.phase_bets[seat])
                waiting = [other for other in self._clockwise(after=seat) if other != seat]

    def _bet(self, seat: int, amount: int) -> None:
        self.stacks[seat] -= amount
        self.phase_bets[seat] += amount
        self.bets[seat] += amount

    def _has_betting_turn(self, seat: int) -> bool:
        """Return whether a seat has a turn in a betting phase (D7)."""
        if self.rules.short_call != "all_in":
            return True
        if self.stacks[seat] == 0:
            return False
        facing = self.phase_bets[seat] < max(self.phase_bets)
        return facing or self._another_has_credits(seat)

    def _another_has_credits(self, seat: int) -> bool:
        return any(self.stacks[other] > 0 for other in self.remaining if other != seat)

    def _betting_options(self, seat: int, raises: int) -> Options:
        to_call = max(self.phase_bets) - self.phase_bets[seat]
        if to_call > self.stacks[seat] and self.rules.short_call == "junk":
            return {("junk", None)}  # "Cannot pay the call: … must junk"
        options: Options = {("call" if to_call else "check", None)}
        junk_when = self.rules.junk_when
        if junk_when == "betting" or (junk_when == "facing_bet" and to_call):
            options.add(("junk", None))
        return options | self._raise_option(seat, raises)

    def _raise_option(self, seat: int, raises: int) -> Options:
        rules, highest = self.rules, max(self.phase_bets)
        if rules.short_call == "all_in" and not self._another_has_credits(seat):
            return set()  # D7
        least, most = rules.min_raise, rules.max_raise
        if highest == 0:
            least, most = rules.min_bet, rules.max_bet
        elif rules.max_raises is not None and raises >= rules.max_raises:
            return set()
        affordable = self.phase_bets[seat] + self.stacks[seat] - highest
        most = affordable if most is None else min(most, affordable)
        step = rules.bet_step
        increments = range(-(-least // step) * step, most + 1, step)
        if not increments:
            return set()  # D15: never short
        return {("raise", highest + increments[0], highest + increments[-1], step)}

    # --- Section 5: pots -------------------------------------------------------------------------

    def _settle(self) -> None:
        seat, back = excess(self.bets)
        self.stacks[seat] += back
        self.bets[seat] -= back
        if len(self.remaining) == 1:  # no reveal, so never the Sabacc pot (D16)
            (last,) = self.remaining
            self._award((self.dead_money + sum(self.bets), (last,)), last)
            return
        self.revealed = True
        for pot in layers(self.bets, self.remaining, self.dead_money):
            self._award(pot, self._winner_of(pot))
        if self.rank_of(self.winners[0]).total == 0:
            self.stacks[self.winners[0]] += self.sabacc_pot
            self.sabacc_pot = 0

    def _award(self, pot: Pot, winner: int) -> None:
        self.won.append(pot)
        self.winners.append(winner)
        self.stacks[winner] += pot[0]

    def rank_of(self, seat: int) -> Rank:
        return rank(self.table.counted_cards(seat), self.rules.ranking)

    def _winner_of(self, pot: Pot) -> int:
        eligible = [seat for seat in self._clockwise() if seat in pot[1]]
        best = max(self.rank_of(seat).order for seat in eligible)
        return self._blind_draw([seat for seat in eligible if self.rank_of(seat).order == best])

    def _blind_draw(self, tied: list[int]) -> int:
        """Return the winner among the seats tied for one pot, clockwise from the first (D9)."""
        for _ in range(self.table.deck_size):
            if len(tied) == 1:
                break
            distance: dict[int, tuple[int, bool]] = {}
            for seat in tied:
                card = self.table.draw()
                self.table.discard([card])
                value = Card(card).value
                distance[seat] = (abs(value), value < 0)
            tied = [seat for seat in tied if distance[seat] == min(distance.values())]
        return tied[0]
