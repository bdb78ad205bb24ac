"""One table in plain terms: a hand of Sabacc from the deal to the end."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Sequence
from operator import index
from pathlib import Path
from typing import Any, Final, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from sabacc_env.arguments import (
    check_credits,
    check_deck,
    check_dice,
    check_int,
    check_num_players,
)
from sabacc_env.cards import CARDS, Card
from sabacc_env.engine.drivers import single
from sabacc_env.engine.layout import (
    FIRST_BET_ACTION,
    FIRST_CARD_ACTION,
    GAME_DTYPE,
    KINDS,
    MAX_HAND,
    MAX_ROUNDS,
    RAISE,
    RAISE_TO,
)
from sabacc_env.errors import IllegalMove, SabaccError, short_repr
from sabacc_env.game.keys import hand_key, split_key
from sabacc_env.game.loading import check_moves, check_records, records_from_bytes
from sabacc_env.game.state import TableState, copied, empty_record
from sabacc_env.game.turn_buffers import TurnBuffers
from sabacc_env.game.view import GameView
from sabacc_env.moves import (
    CARD_KINDS,
    CARD_MOVES,
    PLAIN_MOVES,
    Move,
    Turn,
    is_well_formed,
    parse_move,
)
from sabacc_env.rules import RuleSet, load_rules
from sabacc_env.storage.checksums import content_error, pack_with_checksum, unpack_checked

FORMAT: Final = b"sabacc-game 3\n"
"""Starts the bytes of a game; the number rises when the record's layout changes."""


START_KEYS: Final = {"num_players", "dealer", "deck", "dice", "credits", "sabacc_pot", "key"}
"""What the start of a hand says."""

DISCARD_TAKING_KINDS: Final = (KINDS.index("swap"), KINDS.index("buy_discard"))
"""The kinds of move that take the top discard."""


class Game(TableState):
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
        key: the hand's 64-bit key itself; give it or a seed, not both.

    Raises:
        SabaccError: for arguments that make no game; one sentence that names the argument.

    >>> game = Game("casino", num_players=2, seed=7)
    >>> game.phase, game.round, len(game.hands[0])
    ('cards', 1, 2)
    >>> game.play("stand")
    >>> game.history
    (Turn(seat=0, move=Move(kind='stand', card=None, amount=None, low=None, high=None, step=None)),)
    """

    __slots__ = ("_packed_moves", "_start")

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
        num_players = check_num_players(self.rules, num_players)
        stacks = check_credits(self.rules, num_players, credits, sabacc_pot)
        if dealer is not None:
            dealer = check_int("dealer", dealer, 0, num_players - 1)
        if key is not None and seed is not None:
            raise SabaccError("key: give either a key or a seed, not both")
        if key is None:
            seed = secrets.randbits(64) if seed is None else check_int("seed", seed, 0, 2**64 - 1)
            key = hand_key(seed, 0, 0)
        self._start: dict[str, Any] = {
            "num_players": num_players,
            "dealer": dealer,
            "deck": None if deck is None else check_deck(self.rules, deck),
            "dice": None if dice is None else check_dice(dice),
            "credits": None if self.rules.points else stacks,
            "sabacc_pot": index(sabacc_pot),
            "key": check_int("key", key, -(2**63), 2**64 - 1) & (2**64 - 1),
        }
        self._packed_moves: list[int] = []
        self._attach(empty_record())
        self._deal(stacks)

    def _deal(self, stacks: list[int]) -> None:
        start, records = self._start, self._records
        records["num_players"] = start["num_players"]
        records["credits"][0, : len(stacks)] = stacks
        records["sabacc_pot"] = start["sabacc_pot"]
        records["hands"] = 1
        if not self.can_deal_next_hand():
            raise SabaccError(
                f"credits: fewer than two seats can pay the antes of {self.rules.ante_unit} credits"
            )
        dealer = -1 if start["dealer"] is None else start["dealer"]
        single.reset(records, self._rules_record, *split_key(start["key"]), dealer)
        if start["deck"] is not None:
            records["deck"][0, : len(start["deck"])] = start["deck"]
            records["deck_given"] = 1
        if start["dice"] is not None:
            dice = start["dice"][:MAX_ROUNDS]
            records["dice_given"] = len(dice)
            records["dice"][0, : len(dice)] = np.reshape(dice, (-1, 2))
        single.deal_hand(records, self._rules_record)
        if start["dice"] is not None and self._record.dice_missing:
            raise SabaccError("dice: the list is empty; give a pair for each roll")

    def deal_another(
        self, buffers: TurnBuffers, seed: tuple[int, int], episode: int, hand: int
    ) -> tuple[Game, int]:
        """Deal another hand at this table, unchecked; return it, and what ``write_turn`` would.

        Hand 0 of an episode starts from what this one started from, whose dealer, deck and dice
        were not given; a later one from what this one left, with which two seats can go on. The
        key follows from the seed's low and high word, the episode and the hand.
        """
        game: Game = object.__new__(Game)
        game.rules, game._buffers, game._rules_record = (
            self.rules,
            self._buffers,
            self._rules_record,
        )
        game._records, game._packed_moves = empty_record(), []
        low, high, seat = single.deal_another_hand(
            game._records, self._records, buffers.records, *seed, episode, hand
        )
        game._start = self._start | {"key": low | high << 32}
        if hand > 0:
            dealer = (self.dealer + 1) % self.num_players
            game._start |= {"dealer": dealer, "deck": None, "dice": None}
            if not self.rules.points:
                game._start |= {"credits": self.credits, "sabacc_pot": self.sabacc_pot}
        return game, seat

    # Playing.

    def play(self, move: Move | str) -> None:
        """Play a move of the seat to act: a ``Move``, or text (``"raise 40"``, ``"swap +3c"``).

        Raises:
            IllegalMove: if the rules do not allow it now; nothing has changed.
            SabaccError: if the move would roll dice and the given dice have run out; likewise.
        """
        seat = self.seat_to_act
        if seat is None:
            raise IllegalMove(f"{short_repr(str(move))} cannot be played: the hand is over")
        if isinstance(move, str):
            move = parse_move(move, self._hand(seat))
        self.play_action(self._buffers, self._action_code(seat, move), move)

    def play_action(self, buffers: TurnBuffers, code: int, move: Move | None = None) -> int:
        """Play an action by the bet sizes of some buffers, then do as ``write_turn``, in one call.

        Args:
            buffers: what ``write_turn`` writes to.
            code: an action of the discrete layout (docs/reference/actions.md), or ``RAISE_TO`` +
                the total of a raise.
            move: what a refusal names in place of the action.

        Raises:
            IllegalMove: if the rules do not allow it now; nothing has changed.
            SabaccError: as ``play``; likewise.
        """
        before = None if self._start.get("dice") is None else copied(self._records)
        played, seat = single.play_turn(self._records, buffers.records, code)
        if played < 0:
            self._raise_refusal(
                played, f"action {code}" if move is None else short_repr(str(move)), before
            )
        self._packed_moves.append(played)
        return seat

    def _raise_refusal(self, played: int, what: str, before: NDArray[Any] | None) -> NoReturn:
        if played == single.ILLEGAL:
            raise IllegalMove(self._illegal_message(what))
        assert before is not None
        self._records = before
        raise SabaccError("dice: the given dice have run out; nothing was played")

    def _action_code(self, seat: int, move: Move) -> int:
        """Return the engine's code of a move; one that could never be played is refused."""
        if not is_well_formed(move):
            raise IllegalMove(self._illegal_message(short_repr(move)))
        kind = KINDS.index(move.kind)
        if kind == RAISE:
            assert move.amount is not None
            code = RAISE_TO + index(move.amount)
        elif kind < FIRST_CARD_ACTION:
            code = kind
        else:
            hand = self._hand(seat)
            assert move.card is not None
            card = CARDS[index(move.card)]
            if card not in hand:
                raise IllegalMove(self._illegal_message(short_repr(str(move))))
            code = FIRST_CARD_ACTION + (kind - FIRST_CARD_ACTION) * MAX_HAND + hand.index(card)
        return code

    def _illegal_message(self, what: str) -> str:
        if self.seat_to_act is None:
            return f"{what} cannot be played: the hand is over"
        legal = ", ".join(_move_text(move) for move in self.legal_moves())
        return f"{what} is not legal for seat {self.seat_to_act} now; legal: {legal}"

    def legal_moves(self) -> list[Move]:
        """Return the legal moves, every one playable as it is; [] when the hand is over.

        At most one is a raise: its ``low``, ``high`` and ``step`` say what other totals are legal.
        """
        bits = int(single.legal_bits(self._records, self._buffers.records))
        cards = self._slots(self._number("seat_to_act")) if bits >> FIRST_CARD_ACTION else []
        moves = []
        while bits:
            code = (bits & -bits).bit_length() - 1  # the lowest bit
            bits &= bits - 1  # without it
            if code < FIRST_CARD_ACTION:
                moves.append(PLAIN_MOVES[code])
            elif code < FIRST_BET_ACTION:
                block, slot = divmod(code - FIRST_CARD_ACTION, MAX_HAND)
                moves.append(CARD_MOVES[block][cards[slot]])
            else:
                low, high = single.raise_grid(self._records, self._rules_record)
                step = self.rules.bet_step
                moves.append(Move("raise", amount=low, low=low, high=high, step=step))
        return moves

    def can_deal_next_hand(self) -> bool:
        """Say whether two seats or more can pay the antes of a next hand."""
        return bool(single.can_deal(self._records, self._rules_record))

    def set_episode_position(self, hand: int, hands: int) -> None:
        """Say which hand of how many in an episode this is: observations show how many are left."""
        self._records["hand_number"] = hand
        self._records["hands"] = hands

    # Looking, copying, keeping.

    def view(self, seat: int) -> GameView:
        """Return exactly what a seat may know, and nothing else."""
        seat = check_int("seat", seat, 0, self.num_players - 1)
        return GameView.of(self, seat)

    @property
    def history(self) -> tuple[Turn, ...]:
        """The moves so far, every one public: no move names a card that others may not see."""
        return tuple(self._turns())

    @property
    def taken_discards(self) -> tuple[Card | None, ...]:
        """The card that each move of the history took off the discard pile; None for most."""
        taken = (
            (played >> 8 & 255) - 1 if played >> 32 & 255 in DISCARD_TAKING_KINDS else -1
            for played in self._packed_moves
        )
        return tuple(None if card < 0 else CARDS[card] for card in taken)

    def _turns(self) -> Iterator[Turn]:
        for played in self._packed_moves:
            seat, kind, argument = played >> 40, KINDS[played >> 32 & 255], played & 0xFFFFFFFF
            if kind == "raise":
                yield Turn(seat, Move(kind, amount=argument))
            elif kind in CARD_KINDS:
                yield Turn(seat, Move(kind, card=Card(argument & 255)))
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
        twin._packed_moves = self._packed_moves.copy()
        twin._buffers, twin._rules_record = self._buffers, self._rules_record
        twin._records = copied(self._records)
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
            "played": self._packed_moves,
            "record": GAME_DTYPE.itemsize,
        }
        return pack_with_checksum(FORMAT, header, self._records.tobytes())

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Return the game whose ``to_bytes`` these are.

        Raises:
            SabaccError: for bytes of something else, of another version, damaged, or cut short, and
                for a state that no hand can be in.
        """
        header, record = unpack_checked(FORMAT, data)
        if header.get("record") != GAME_DTYPE.itemsize:
            raise SabaccError("these bytes hold a game of another engine version")
        match header:
            case {"rules": str() as rules, "start": dict() as start, "played": played}:
                pass
            case _:
                raise content_error(FORMAT, "an incomplete description of a game")
        game = object.__new__(cls)
        game.rules = RuleSet.from_canonical(rules)
        game._start = _check_start(game.rules, start)
        game._packed_moves = check_moves(FORMAT, played)
        game._attach(records_from_bytes(FORMAT, record, GAME_DTYPE, 1))
        check_records(FORMAT, game._records, [game.rules], np.zeros(1, dtype=np.int64))
        if (start.get("dice") is None) != (game._number("dice_given") < 0):
            raise content_error(FORMAT, "rolled dice that were not given")
        if game.seat_to_act is not None and not game.legal_moves():
            raise content_error(FORMAT, "a seat to act without a legal move")
        return game

    def to_dict(self) -> dict[str, Any]:
        """Return the hand as plain data: rules, start, moves, and the state now.

        ``sabacc_env.game.replay.replay`` plays it again from rules, start and moves.
        """
        return {
            "rules": json.loads(self.rules.canonical()),
            "start": self.start,
            "episode": [self._number("hand_number"), self._number("hands")],
            "moves": [[turn.seat, str(turn.move)] for turn in self._turns()],
            "state": {
                "seat_to_act": self.seat_to_act,
                "phase": self.phase,
                "round": self.round,
                "dealer": self.dealer,
                "hands": [[str(card) for card in hand] for hand in self.hands],
                "spike_cards": [None if c is None else str(c) for c in self.spike_cards],
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


def _check_start(rules: RuleSet, start: dict[str, Any]) -> dict[str, Any]:
    """Return what a hand started from, {} where it is not known; the rules can deal from it."""
    if start:
        if set(start) != START_KEYS:
            raise content_error(FORMAT, "a start that no hand can have")
        Game(rules, **start)
    return start


def game_from_record(rules: RuleSet, records: NDArray[Any], played: Sequence[int] = ()) -> Game:
    """Return a game that starts, as far as it knows, from the state in one record.

    ``played`` are the moves that led there, packed as ``engine.step.pack_move`` does.
    """
    game = object.__new__(Game)
    game.rules = rules
    game._start = {}
    game._packed_moves = list(played)
    game._attach(records)
    return game


def _move_text(move: Move) -> str:
    if move.kind != "raise":
        return str(move)
    return f"raise {move.low} to {move.high}" + (f" by {move.step}" if move.step != 1 else "")
