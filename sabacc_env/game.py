"""One table in plain terms: a hand of Sabacc from the deal to the end (DESIGN.md, public names)."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from operator import index
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from sabacc_env.cards import Card, cards_of_mask
from sabacc_env.engine import batch
from sabacc_env.engine.layout import (
    BET_MIN,
    FIRST_BET_ACTION,
    FIRST_CARD_ACTION,
    GAME_DTYPE,
    KINDS,
    MAX_HAND,
    MAX_ROUNDS,
    OVER,
    PHASES,
    RAISE,
    RAISE_TO,
    UNLIMITED,
)
from sabacc_env.engine.rulebook import rules_record, starting_credits
from sabacc_env.errors import IllegalMove, SabaccError
from sabacc_env.hands import HandRank, describe_strength
from sabacc_env.moves import CARD_KINDS, Move, Turn, parse_move
from sabacc_env.rules import RuleSet, load_rules
from sabacc_env.view import GameView

FORMAT: Final = b"sabacc-game 1\n"
"""Starts the bytes of a game; the number rises when the record's layout changes."""

_ALL: Final = np.zeros(1, dtype=np.int64)
_ONE_RAISE: Final = np.array([[BET_MIN, 1]], dtype=np.int64)


class Game:
    """One hand of Sabacc at one table; it sees everything, ``view`` what one seat may know.

    Args:
        rules: a rule set by name, path, or as a ``RuleSet``.
        num_players: seats at the table, 0 to num_players - 1 clockwise.
        seed: decides the hand's key, and through it deck, dice and dealer; None is random.
        dealer: the dealer's seat; the next seat still in, if that one cannot pay its antes.
        deck: the rules' cards in order, top first, instead of a shuffled deck.
        dice: the dice of each round, pairs of 1 to 6, instead of rolled ones; a move that would
            roll more than were given raises and changes nothing.
        credits: each seat's credits before the antes; the rules' starting credits by default.
        sabacc_pot: credits in the Sabacc pot before the antes.
        key: the hand's 64-bit key itself, instead of one made from ``seed``.

    Raises:
        SabaccError: for arguments that make no game; one sentence that names the argument.

    >>> game = Game("casino", num_players=2, seed=7)
    >>> game.phase, game.round, len(game.hands[0])
    ('cards', 1, 2)
    >>> game.play("stand")
    >>> game.history
    (Turn(seat=0, move=Move(kind='stand', card=None, amount=None, low=None, high=None, step=None)),)
    """

    __slots__ = ("_played", "_record", "_records", "_rules_record", "_start", "rules")

    def __init__(
        self,
        rules: str | Path | RuleSet = "casino",
        num_players: int = 2,
        seed: int | None = None,
        *,
        dealer: int | None = None,
        deck: Sequence[int] | None = None,
        dice: Sequence[tuple[int, int]] | None = None,
        credits: Sequence[int] | None = None,
        sabacc_pot: int = 0,
        key: int | None = None,
    ) -> None:
        self.rules = load_rules(rules)
        check_num_players(self.rules, num_players)
        stacks = checked_credits(self.rules, num_players, credits, sabacc_pot)
        if dealer is not None:
            dealer = whole("dealer", dealer, 0, num_players - 1)
        if key is None:
            seed = secrets.randbits(64) if seed is None else whole("seed", seed, 0, 2**64 - 1)
            key = hand_key(seed, 0, 0)
        self._start: dict[str, Any] = {
            "num_players": num_players,
            "dealer": dealer,
            "deck": None if deck is None else checked_deck(self.rules, deck),
            "dice": None if dice is None else checked_dice(dice),
            "credits": None if self.rules.points else stacks,
            "sabacc_pot": sabacc_pot,
            "key": whole("key", key, -(2**63), 2**64 - 1) & (2**64 - 1),
        }
        self._played: list[int] = []
        self._attach(np.zeros(1, GAME_DTYPE))
        self._deal(stacks)

    def _attach(self, records: NDArray[Any]) -> None:
        self._records = records
        self._record = records[0]
        self._rules_record = rules_record(self.rules)

    def _deal(self, stacks: list[int]) -> None:
        start, record = self._start, self._record
        record.num_players = start["num_players"]
        record.credits[: len(stacks)] = stacks
        record.sabacc_pot = start["sabacc_pot"]
        record.hands = 1
        keys = np.array([split_key(start["key"])], dtype=np.int64)
        dealers = np.array([-1 if start["dealer"] is None else start["dealer"]], dtype=np.int64)
        if not self.can_go_on():
            raise SabaccError(
                f"credits: fewer than two seats can pay the antes of {self.rules.ante_unit} credits"
            )
        batch.reset_hands(self._records, self._rules_record, _ALL, keys, dealers)
        if start["deck"] is not None:
            record.deck[: len(start["deck"])] = start["deck"]
            record.deck_given = 1
        if start["dice"] is not None:
            record.dice_given = min(len(start["dice"]), MAX_ROUNDS)
            for round_index, faces in enumerate(start["dice"][:MAX_ROUNDS]):
                record.dice[round_index] = faces
        batch.deal_hands(self._records, self._rules_record, _ALL)
        if record.dice_missing:
            raise SabaccError("dice: none were given for the first roll")

    # Playing.

    def play(self, move: Move | str) -> None:
        """Play a move of the seat to act, as a ``Move`` or as text (``"raise 40"``, ``"swap +3c"``).

        Raises:
            IllegalMove: if the rules do not allow it now; nothing has changed.
            SabaccError: if the move would roll dice and the given dice have run out; likewise.
        """
        seat = self.seat_to_act
        if seat is None:
            raise IllegalMove(f"{str(move)!r} cannot be played: the hand is over")
        if isinstance(move, str):
            move = parse_move(move, self._hand(seat))
        self.play_code(self._code(seat, move), _ONE_RAISE)

    def play_code(self, code: int, bet_sizes: NDArray[np.int64]) -> None:
        """Play an action of the discrete layout, with bet sizes as the engine encodes them."""
        backup = self._records.copy() if self._record.dice_given >= 0 else None
        played = batch.turn(self._records, self._rules_record, bet_sizes, code)
        if played == batch.ILLEGAL:
            raise IllegalMove(self._refusal(f"action {code}"))
        if played == batch.DICE_MISSING:
            assert backup is not None
            self._records[:] = backup
            raise SabaccError("dice: the given dice have run out; nothing was played")
        self._played.append(played)

    def _code(self, seat: int, move: Move) -> int:
        """Return the engine's code of a move; a move that could never be one is refused here."""
        if not isinstance(move, Move) or move.kind not in KINDS:
            raise IllegalMove(self._refusal(f"{move!r}"))
        kind = KINDS.index(move.kind)
        if kind == RAISE:
            amount = move.amount
            if amount is None or isinstance(amount, bool) or not 0 < amount <= UNLIMITED:
                raise IllegalMove(self._refusal(f"{str(move)!r}"))
            code = RAISE_TO + index(amount)
        elif kind < FIRST_CARD_ACTION:
            code = kind
        else:
            hand = self._hand(seat)
            if move.card not in hand:
                raise IllegalMove(self._refusal(f"{str(move)!r}"))
            code = FIRST_CARD_ACTION + (kind - FIRST_CARD_ACTION) * MAX_HAND
            code += hand.index(Card(index(move.card)))
        if not self._is_legal(code):
            raise IllegalMove(self._refusal(f"{str(move)!r}"))
        return code

    def _is_legal(self, code: int) -> bool:
        if code < RAISE_TO:
            return bool(self._legal_bits() >> code & 1)
        if self.phase != "betting":
            return False
        low, high = batch.raise_grid(self._records, self._rules_record)
        total = code - RAISE_TO
        return bool(low <= total <= high and (total - low) % self.rules.bet_step == 0)

    def _refusal(self, what: str) -> str:
        if self.seat_to_act is None:
            return f"{what} cannot be played: the hand is over"
        legal = ", ".join(_described(move) for move in self.legal_moves())
        return f"{what} is not legal for seat {self.seat_to_act} now; legal: {legal}"

    def _legal_bits(self) -> int:
        return int(batch.legal_bits(self._records, self._rules_record, _ONE_RAISE))

    def legal_moves(self) -> list[Move]:
        """Return the legal moves, every one playable as it is; [] when the hand is over.

        At most one is a raise: its ``low``, ``high`` and ``step`` say what other totals are legal.
        """
        bits = self._legal_bits()
        if not bits:
            return []
        moves = [Move(KINDS[code]) for code in range(FIRST_CARD_ACTION) if bits >> code & 1]
        if bits >> FIRST_CARD_ACTION:
            hand = self._hand(self._record.seat_to_act)
            for code in range(FIRST_CARD_ACTION, FIRST_BET_ACTION):
                if bits >> code & 1:
                    block, slot = divmod(code - FIRST_CARD_ACTION, MAX_HAND)
                    moves.append(Move(CARD_KINDS[block], card=hand[slot]))
            if bits >> FIRST_BET_ACTION & 1:
                low, high = map(int, batch.raise_grid(self._records, self._rules_record))
                step = self.rules.bet_step
                moves.append(Move("raise", amount=low, low=low, high=high, step=step))
        return moves

    def action_mask(self, bet_sizes: NDArray[np.int64]) -> NDArray[np.int8]:
        """Return the legal actions of the discrete layout, for encoded bet sizes, as 0 and 1."""
        mask = np.empty(FIRST_BET_ACTION + len(bet_sizes), dtype=np.int8)
        batch.write_mask(self._records, self._rules_record, bet_sizes, mask)
        return mask

    def observe(self, seat: int, observation: NDArray[np.float32]) -> None:
        """Write what a seat observes into an array of ``OBSERVATION_SIZE`` float32."""
        batch.observe_seat(self._records, self._rules_record, seat, observation)

    # What is on the table.

    @property
    def num_players(self) -> int:
        """Seats at the table, those that sit out included."""
        return int(self._record.num_players)

    @property
    def dealer(self) -> int:
        """The dealer's seat; every phase starts with the nearest remaining seat to its left."""
        return int(self._record.dealer)

    @property
    def key(self) -> int:
        """The hand's 64-bit key: deck, dice and reshuffles follow from it."""
        return int(self._record.key_low) | int(self._record.key_high) << 32

    @property
    def seat_to_act(self) -> int | None:
        """The seat whose decision is awaited; None when the hand is over."""
        seat = int(self._record.seat_to_act)
        return None if seat < 0 else seat

    @property
    def phase(self) -> str:
        """``cards``, ``dice`` (while a redraw is to be chosen), ``betting`` or ``over``."""
        return PHASES[self._record.phase]

    @property
    def round(self) -> int:
        """The round: 0 in an opening bet, then 1 and up."""
        return int(self._record.round_no)

    @property
    def remaining(self) -> tuple[int, ...]:
        """The seats still in the hand."""
        return _seats(self._record.remaining)

    @property
    def seated(self) -> tuple[int, ...]:
        """The seats dealt in: those that could pay their antes."""
        return _seats(self._record.seated)

    @property
    def hands(self) -> list[list[Card]]:
        """Each seat's cards in slot order, by value, then id; [] when junked or sat out."""
        return [self._hand(seat) for seat in range(self.num_players)]

    def _hand(self, seat: int) -> list[Card]:
        return [Card(card) for card in self._record.cards[seat] if card >= 0]

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
        records = self._records.copy()  # the engine shuffles card by card, as they are drawn
        return [Card(int(batch.pop_top(records))) for _ in range(self.draw_pile_size)]

    @property
    def draw_pile_size(self) -> int:
        """How many cards the draw pile holds."""
        return int(self._record.deck_size) - int(self._record.deck_next)

    @property
    def discard_pile(self) -> list[Card]:
        """The face-up discards, top last."""
        return [Card(card) for card in self._record.discards[: self._record.num_discards]]

    @property
    def junked_cards(self) -> list[Card]:
        """The cards face down under the discard pile, by id."""
        return list(cards_of_mask(int(self._record.junked_cards)))

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
    def bets(self) -> list[int]:
        """What each seat has put in during this betting phase, in credits."""
        return self._amounts("bet_phase")

    @property
    def bets_of_hand(self) -> list[int]:
        """What each seat has put in during betting phases of this hand, in credits."""
        return self._amounts("bet_hand")

    def _amounts(self, field: str) -> list[int]:
        return [int(amount) for amount in self._record[field][: self.num_players]]

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
            (int(record.pot_amounts[pot]), _seats(record.pot_seats[pot]))
            for pot in range(record.num_pots)
        ]

    @property
    def sabacc_pot(self) -> int:
        """Credits in the Sabacc pot; at the end, what is left for the next hand."""
        return int(self._record.sabacc_pot)

    @property
    def net_credits(self) -> list[int] | None:
        """Each seat's credits won or lost in this hand (or points); None while it is in play."""
        return self._amounts("net_credits") if self._record.phase == OVER else None

    @property
    def winners(self) -> list[int] | None:
        """The winner of each pot; None while the hand is in play."""
        if self._record.phase != OVER:
            return None
        return [int(seat) for seat in self._record.pot_winners[: self._record.num_pots]]

    @property
    def revealed(self) -> bool:
        """Whether the hand is over and ended with a reveal."""
        return bool(self._record.revealed)

    def rank(self, seat: int) -> HandRank | None:
        """Return what a seat's hand would rank now, its Spike Card counted; None without a hand."""
        hand, spike = self._hand(seat), _card(self._record.spikes[seat])
        if not hand:
            return None
        total = sum(card.value for card in hand) + (spike.value if spike is not None else 0)
        strength = batch.seat_strength(self._records, self._rules_record, seat)
        return describe_strength(self.rules.ranking, int(strength), total)

    def can_go_on(self) -> bool:
        """Say whether two seats or more can pay the antes of a next hand."""
        able = np.zeros(1, dtype=np.int64)
        batch.able_counts(self._records, self._rules_record, _ALL, able)
        return bool(able[0] >= 2)

    def place_in_episode(self, hand: int, hands: int) -> None:
        """Say which hand of how many in an episode this is: observations show how many are left."""
        self._record.hand_number = hand
        self._record.hands = hands

    # Looking, copying, keeping.

    def view(self, seat: int) -> GameView:
        """Return exactly what a seat may know, and nothing else."""
        seat = whole("seat", seat, 0, self.num_players - 1)
        return GameView.of(self, seat)

    @property
    def history(self) -> tuple[Turn, ...]:
        """The moves so far, every one public: no move names a card that others may not see."""
        return tuple(self._turns())

    def _turns(self) -> Iterator[Turn]:
        for played in self._played:
            seat, kind, named = played >> 40, KINDS[played >> 32 & 255], played & 0xFFFFFFFF
            if kind == "raise":
                yield Turn(seat, Move(kind, amount=named))
            elif kind in CARD_KINDS:
                yield Turn(seat, Move(kind, card=Card(named)))
            else:
                yield Turn(seat, Move(kind))

    @property
    def start(self) -> dict[str, Any]:
        """What the hand started from, as plain data: the arguments that deal it again."""
        return json.loads(json.dumps(self._start))  # type: ignore[no-any-return]

    def clone(self) -> Game:
        """Return an independent game in the same state, with the same future."""
        twin = object.__new__(Game)
        twin.rules = self.rules
        twin._start = self._start
        twin._played = self._played.copy()
        twin._attach(self._records.copy())
        return twin

    __copy__ = clone

    def __deepcopy__(self, memo: object) -> Game:
        return self.clone()

    def __reduce__(self) -> tuple[Any, ...]:
        return Game.from_bytes, (self.to_bytes(),)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Game) and self.to_bytes() == other.to_bytes()

    __hash__ = None  # type: ignore[assignment]

    def to_bytes(self) -> bytes:
        """Return everything: format version, rules, start, moves and record."""
        header = {
            "rules": self.rules.canonical(),
            "start": self._start,
            "played": self._played,
            "record": GAME_DTYPE.itemsize,
        }
        return FORMAT + json.dumps(header).encode() + b"\n" + self._records.tobytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Return the game whose ``to_bytes`` these are.

        Raises:
            SabaccError: for bytes of something else, of another version, or cut short.
        """
        if not data.startswith(FORMAT):
            raise SabaccError(f"these bytes are no game of the format {FORMAT.decode().strip()!r}")
        text, _, record = data[len(FORMAT) :].partition(b"\n")
        try:
            header = json.loads(text)
            rules = RuleSet.from_canonical(header["rules"])
            start, played = header["start"], list(header["played"])
        except (ValueError, KeyError, TypeError) as error:
            raise SabaccError(f"these bytes are a damaged game: {error}") from None
        if header["record"] != GAME_DTYPE.itemsize or len(record) != GAME_DTYPE.itemsize:
            raise SabaccError("these bytes are a game cut short, or of another engine version")
        game = object.__new__(cls)
        game.rules = rules
        game._start = start
        game._played = played
        game._attach(np.frombuffer(bytearray(record), dtype=GAME_DTYPE))
        return game

    def to_dict(self) -> dict[str, Any]:
        """Return the hand as plain data: rules, start, moves and the state now (see history.py)."""
        return {
            "rules": json.loads(self.rules.canonical()),
            "start": self.start,
            "moves": [[turn.seat, str(turn.move)] for turn in self._turns()],
            "state": {
                "seat_to_act": self.seat_to_act,
                "phase": self.phase,
                "round": self.round,
                "dealer": self.dealer,
                "hands": [[str(card) for card in hand] for hand in self.hands],
                "spike_cards": [card and str(card) for card in self.spike_cards],
                "discard_pile": [str(card) for card in self.discard_pile],
                "dice": [list(faces) for faces in self.dice],
                "credits": self.credits,
                "pots": [[amount, list(seats)] for amount, seats in self.pots],
                "sabacc_pot": self.sabacc_pot,
                "net_credits": self.net_credits,
                "winners": self.winners,
                "revealed": self.revealed,
            },
        }

    def __repr__(self) -> str:
        to_act = "over" if self.seat_to_act is None else f"seat {self.seat_to_act} to act"
        return f"<Game {self.rules.name}, {self.num_players} players, round {self.round}, {to_act}>"


# Checking what a game is made from.


def whole(name: str, value: object, least: int, most: int) -> int:
    """Return a whole number within limits, or say in one sentence what is wrong with it."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise SabaccError(f"{name}: {value!r} is no whole number")
    number = index(value)
    if not least <= number <= most:
        raise SabaccError(f"{name}: {number} is not from {least} to {most}")
    return number


def check_num_players(rules: RuleSet, num_players: int) -> None:
    """Refuse a number of players that the rules have no seats for."""
    whole("num_players", num_players, *rules.seats)


def checked_credits(
    rules: RuleSet, num_players: int, credits: Sequence[int] | None, sabacc_pot: int
) -> list[int]:
    """Return each seat's credits before the antes (zeros for points)."""
    whole("sabacc_pot", sabacc_pot, 0, UNLIMITED)
    if sabacc_pot and not rules.sabacc_ante:
        raise SabaccError(f"sabacc_pot: the rules {rules.name!r} have no Sabacc pot")
    if credits is None:
        stacks = starting_credits(rules, num_players)
    elif rules.points:
        raise SabaccError(f"credits: the rules {rules.name!r} are played for points")
    else:
        stacks = [whole("credits", amount, 0, UNLIMITED) for amount in credits]
        if len(stacks) != num_players:
            raise SabaccError(f"credits: give one number for each of {num_players} seats")
    if sum(stacks) + sabacc_pot > UNLIMITED:
        raise SabaccError(f"credits: more than {UNLIMITED} would be in play")
    return stacks


def checked_deck(rules: RuleSet, deck: Sequence[int]) -> list[int]:
    """Return a given deck, which must be the rules' cards in some order."""
    cards = [whole("deck", card, 0, 61) for card in deck]
    if sorted(cards) != list(rules.deck):
        raise SabaccError(f"deck: give each of the {len(rules.deck)} cards of the rules once")
    return cards


def checked_dice(dice: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Return given dice as pairs of faces."""
    pairs = [list(faces) for faces in dice]
    if any(len(faces) != 2 for faces in pairs):
        raise SabaccError("dice: give pairs of faces, one pair a round")
    return [[whole("dice", face, 1, 6) for face in faces] for faces in pairs]


def hand_key(seed: int, table: int, hand: int) -> int:
    """Return the key of a table's hand, by hand count: a hash of (seed, table, hand)."""
    keys = np.zeros((1, 2), dtype=np.int64)
    batch.hand_keys(*split_key(seed), np.array([table]), np.array([hand]), keys)
    return int(keys[0, 0]) | int(keys[0, 1]) << 32


def split_key(key: int) -> tuple[int, int]:
    """Return the low and high 32-bit words of a 64-bit key or seed."""
    return key & 0xFFFFFFFF, key >> 32


def from_start(rules: RuleSet, start: Mapping[str, Any]) -> Game:
    """Deal a game again from what ``Game.start`` returned."""
    arguments = dict(start)
    if arguments["dice"] is not None:
        arguments["dice"] = [tuple(faces) for faces in arguments["dice"]]
    return Game(rules, **arguments)


def game_of_record(rules: RuleSet, records: NDArray[Any]) -> Game:
    """Return a game that starts, as far as it knows, from the state in one record."""
    game = object.__new__(Game)
    game.rules = rules
    game._start = {}
    game._played = []
    game._attach(records)
    return game


def _card(card: int) -> Card | None:
    return None if card < 0 else Card(card)


def _seats(mask: int) -> tuple[int, ...]:
    return tuple(seat for seat in range(8) if int(mask) >> seat & 1)


def _described(move: Move) -> str:
    if move.kind != "raise":
        return str(move)
    return f"raise {move.low} to {move.high}" + (f" by {move.step}" if move.step != 1 else "")
