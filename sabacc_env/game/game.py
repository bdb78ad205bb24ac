"""One table in plain terms: a hand of Sabacc from the deal to the end."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from operator import index
from pathlib import Path
from typing import Any, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from sabacc_env.arguments import (
    check_bool,
    check_credits,
    check_deck,
    check_dice,
    check_int,
    check_max_tokens,
    check_num_players,
)
from sabacc_env.cards import CARDS, Card, cards_of_mask
from sabacc_env.engine.drivers import single
from sabacc_env.engine.layout import (
    FIRST_BET_ACTION,
    FIRST_CARD_ACTION,
    MAX_SEATS,
    OVER,
    PHASES,
    UNLIMITED,
)
from sabacc_env.errors import IllegalMove, SabaccError, short_repr
from sabacc_env.game.forms import GameTokens, card_planes, hand_state
from sabacc_env.game.keys import hand_key
from sabacc_env.game.move_codes import (
    action_code,
    move_text,
    moves_without_raise,
    taken_discard,
    unpack_moves,
)
from sabacc_env.game.records import copy_record, empty_record, write_start
from sabacc_env.game.saving import (
    FORMAT,
    SavedGame,
    game_from_bytes,
    game_from_text,
    game_to_bytes,
    game_to_text,
)
from sabacc_env.game.turn_buffers import TurnBuffers, default_turn_buffers
from sabacc_env.game.view import GameView
from sabacc_env.hand_ranks import HandRank, describe_strength, hand_name
from sabacc_env.moves import Move, Turn, is_well_formed, parse_move
from sabacc_env.rules import RuleSet, load_rules
from sabacc_env.storage.checksums import content_error


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

    __slots__ = (
        "_buffers",
        "_packed_moves",
        "_records",
        "_rules_record",
        "_start",
        "_tokens",
        "rules",
    )

    rules: RuleSet

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

    def _attach(self, records: NDArray[Any]) -> None:
        self._records = records
        self._buffers = default_turn_buffers(self.rules)
        self._rules_record = self._buffers.rules
        self._tokens: GameTokens | None = None

    def _deal(self, stacks: list[int]) -> None:
        start, records = self._start, self._records
        write_start(records, self._rules_record, start, stacks)
        if not self.can_deal_next_hand():
            raise SabaccError(
                f"credits: fewer than two seats can pay the antes of {self.rules.ante_unit} credits"
            )
        single.deal_hand(records, self._rules_record)
        if start["dice"] is not None and self._number("dice_missing"):
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
        game._records, game._packed_moves, game._tokens = empty_record(), [], None
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
        if not is_well_formed(move):
            raise IllegalMove(self._illegal_message(short_repr(move)))
        code = action_code(move, [] if move.card is None else self._hand(seat))
        if code is None:
            raise IllegalMove(self._illegal_message(short_repr(str(move))))
        self.play_action(self._buffers, code, move)

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
        before = None if self._start.get("dice") is None else copy_record(self._records)
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

    def _illegal_message(self, what: str) -> str:
        if self.seat_to_act is None:
            return f"{what} cannot be played: the hand is over"
        legal = ", ".join(move_text(move) for move in self.legal_moves())
        return f"{what} is not legal for seat {self.seat_to_act} now; legal: {legal}"

    def legal_moves(self) -> list[Move]:
        """Return the legal moves, every one playable as it is; [] when the hand is over.

        At most one is a raise: its ``low``, ``high`` and ``step`` say what other totals are legal.
        """
        bits = int(single.legal_bits(self._records, self._buffers.records))
        cards = self._slots(self._number("seat_to_act")) if bits >> FIRST_CARD_ACTION else []
        moves = moves_without_raise(bits, cards)
        if bits >> FIRST_BET_ACTION:
            low, high = single.raise_grid(self._records, self._rules_record)
            step = self.rules.bet_step
            moves.append(Move("raise", amount=low, low=low, high=high, step=step))
        return moves

    def can_deal_next_hand(self) -> bool:
        """Say whether two seats or more can pay the antes of a next hand."""
        return bool(single.can_deal(self._records, self._rules_record))

    def set_episode_position(self, hand: int, hands: int) -> None:
        """Say which hand of how many in an episode this is: observations show how many are left.

        Raises:
            SabaccError: for numbers below 0 or above two billion; nothing has changed.
        """
        position = check_int("hand", hand, 0, UNLIMITED), check_int("hands", hands, 0, UNLIMITED)
        self._records["hand_number"], self._records["hands"] = position
        self._tokens = None

    @property
    def episode_position(self) -> tuple[int, int]:
        """Which hand of how many in an episode this is, from 0."""
        return self._number("hand_number"), self._number("hands")

    def undo(self) -> Turn:
        """Take back the last move and what followed from it; return the move.

        Chance is decided by the hand's key, or was given: the same move meets the same cards and
        dice again. The hand is dealt and played again up to here, so this takes as long as that.

        Raises:
            SabaccError: where no move was played, or for a game copied from tables, which do not
                keep its start; nothing has changed.

        >>> game = Game("casino", num_players=2, seed=7)
        >>> game.play("draw")
        >>> str(game.undo().move), game.history
        ('draw', ())
        """
        from sabacc_env.game.replay import before_last_move

        earlier, turn = before_last_move(self)
        self._records, self._packed_moves = earlier._records, earlier._packed_moves
        self._tokens = None
        return turn

    # The state of the hand.

    def _number(self, field: str) -> int:
        """Return one number of the record: this way takes a tenth of an attribute's time."""
        return self._records[field].item()  # type: ignore[no-any-return]

    def _numbers(self, field: str) -> list[Any]:
        """Return all numbers of a field of the record."""
        return self._records[field][0].tolist()  # type: ignore[no-any-return]

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
        return [_card(card) for card in self._numbers("spikes")[: self.num_players]]

    @property
    def drawn_card(self) -> Card | None:
        """A card bought or gained and not yet decided on; it is in no hand."""
        return _card(self._number("drawn"))

    @property
    def draw_pile(self) -> list[Card]:
        """The draw pile, top first."""
        records = copy_record(self._records)  # the engine shuffles card by card, as they are drawn
        return [Card(int(single.pop_top(records))) for _ in range(self.draw_pile_size)]

    @property
    def draw_pile_size(self) -> int:
        """How many cards the draw pile holds."""
        return self._number("deck_size") - self._number("deck_next")

    @property
    def discard_pile(self) -> list[Card]:
        """The face-up discards, top last."""
        return [CARDS[card] for card in self._numbers("discards")[: self._number("num_discards")]]

    @property
    def junked_cards(self) -> list[Card]:
        """The cards face down under the discard pile, by id."""
        return list(cards_of_mask(self._number("junked_cards")))

    @property
    def dice(self) -> list[tuple[int, int]]:
        """The dice rolled so far, a pair a round; 1 is the Spike."""
        return [(a, b) for a, b in self._numbers("dice")[: self._number("rolls")]]

    def known_cards(self, seat: int) -> list[Card]:
        """Return the cards that everyone knows to be in a hand: those taken face up."""
        return list(cards_of_mask(self._numbers("known")[seat]))

    def seen_cards(self, seat: int) -> list[Card]:
        """Return the cards that a seat has seen and that were not shuffled away since, by id."""
        return list(cards_of_mask(self._number("seen_by_all") | self._numbers("seen_by")[seat]))

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
        if self._number("phase") != OVER:
            return [(self._number("staked"), self.remaining)]
        layers = zip(self._numbers("pot_amounts"), self._numbers("pot_seats"), strict=True)
        return [(amount, _seats(seats)) for amount, seats in layers][: self._number("num_pots")]

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
        hand, spike = self._hand(seat), _card(self._numbers("spikes")[seat])
        if not hand:
            return None
        total = sum(card.value for card in hand) + (spike.value if spike is not None else 0)
        return describe_strength(self.rules.ranking, self._strength(seat), total)

    def view(self, seat: int, *, events: bool = False) -> GameView:
        """Return exactly what a seat may know, and nothing else.

        Args:
            seat: the seat.
            events: whether to tell ``GameView.events``, too. The hand is played again for that,
                which takes several times as long as the rest. They are not known of a game copied
                from tables without histories.
        """
        seat = check_int("seat", seat, 0, self.num_players - 1)
        return GameView.of(self, seat, events=check_bool("events", events))

    @property
    def history(self) -> tuple[Turn, ...]:
        """The moves so far, every one public: no move names a card that others may not see."""
        return tuple(unpack_moves(self._packed_moves))

    @property
    def taken_discards(self) -> tuple[Card | None, ...]:
        """The card that each move of the history took off the discard pile; None for most."""
        return tuple(map(taken_discard, self._packed_moves))

    # What the engine writes.

    def write_turn(self, buffers: TurnBuffers) -> int:
        """Write into buffers what the seat to act may know and do; return the seat.

        When the hand is over, write how it ended and return -1.
        """
        return int(single.write_turn(self._records, buffers.records))

    def write_observation(self, buffers: TurnBuffers, seat: int) -> None:
        """Write ``buffers.requested_observation``: what a seat observes."""
        single.write_observation(self._records, buffers.records, seat)

    def tokens(self, seat: int, max_tokens: int | None = None) -> NDArray[np.int16]:
        """Return all that a seat has been told of this hand, in order: perfect recall.

        Args:
            seat: whose sequence.
            max_tokens: its length; a longer hand keeps its latest tokens, and says so in the first.
                None is a length that nearly all hands fit into.

        Returns:
            (max_tokens,) int16, padded with 0; ``sabacc_env.observation.token_names`` says what
            each token means.

        Raises:
            SabaccError: for a game copied from tables, which do not keep its start.
        """
        seat = check_int("seat", seat, 0, self.num_players - 1)
        length = check_max_tokens(max_tokens, self.num_players)
        if not self._start:
            raise SabaccError(
                "tokens: this game was copied from tables, which do not keep its start"
            )
        if self._tokens is None or self._tokens.length != length:
            self._tokens = GameTokens(
                self._rules_record, self._start, self.rules, self.episode_position, length
            )
        return self._tokens.read(seat, self._buffers, self._packed_moves)

    def planes(self, seat: int) -> NDArray[np.int8]:
        """Return what a seat sees of the cards as (place, suit, value): ``PLANES_SHAPE`` int8."""
        return card_planes(self._records, check_int("seat", seat, 0, self.num_players - 1))

    def state(self) -> NDArray[np.float32]:
        """Return everything, hidden cards and the chance to come included, as one array.

        It is for centralised critics in training. ``sabacc_env.observation.state_blocks`` says what
        is where.
        """
        return hand_state(self._records, self._rules_record, self.num_players)

    # Copying and saving.

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
        twin._records = copy_record(self._records)
        twin._tokens = None
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
        return game_to_bytes(SavedGame(self.rules, self._start, self._packed_moves, self._records))

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Return the game whose ``to_bytes`` these are.

        Raises:
            SabaccError: for bytes of something else, of another version, damaged, or cut short, and
                for a state that no hand can be in.
        """
        saved = game_from_bytes(data)
        if saved.start:
            Game(saved.rules, **saved.start)  # refuses what deals no hand
        game = object.__new__(cls)
        game.rules, game._start, game._packed_moves = saved.rules, saved.start, saved.played
        game._attach(saved.records)
        if game.seat_to_act is not None and not game.legal_moves():
            raise content_error(FORMAT, "a seat to act without a legal move")
        return game

    def to_json(self) -> str:
        """Return everything as JSON text: ``to_dict``, with a format version and a checksum."""
        return game_to_text(self)

    @staticmethod
    def from_json(text: str) -> Game:
        """Return the game whose ``to_json`` this is: dealt and played again up to the same move.

        Raises:
            SabaccError: for text of something else, of another version, changed, or cut short.
        """
        return game_from_text(text)

    def to_dict(self) -> dict[str, Any]:
        """Return the hand as plain data: rules, start, moves, and the state now.

        ``sabacc_env.game.replay.replay`` plays it again from rules, start and moves.
        """
        return {
            "rules": json.loads(self.rules.canonical()),
            "start": self.start,
            "episode": list(self.episode_position),
            "moves": [[turn.seat, str(turn.move)] for turn in self.history],
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


def _card(card: int) -> Card | None:
    return None if card < 0 else CARDS[card]


def _seats(mask: int) -> tuple[int, ...]:
    return tuple(seat for seat in range(MAX_SEATS) if mask >> seat & 1)
