"""A recorded hand: what it started from, its moves, what agents told of them, and how it ended."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, Final, Self

from pydantic import AfterValidator, Field, ValidationError, model_validator

from sabacc_env.actions import BetSize
from sabacc_env.cards import Card
from sabacc_env.engine.layout import MAX_SEATS, UNLIMITED
from sabacc_env.errors import SabaccError, printable, short_repr
from sabacc_env.game import Game
from sabacc_env.game.replay import deal_again, play_again, positions
from sabacc_env.game.starts import start_of
from sabacc_env.hand_histories.recorded_rules import RecordedRules
from sabacc_env.rules import RuleSet
from sabacc_env.storage.checksums import seal_text, unseal_text
from sabacc_env.storage.strict_model import StrictModel

FORMAT: Final = "sabacc-hand 1"
"""The name and the version of the format; the version rises when an old reader would misread it."""


def _visible(name: str) -> str:
    if not name.strip() or not name.isprintable():
        raise ValueError("a name needs visible characters, and has no others but spaces")
    return name


Name = Annotated[str, AfterValidator(_visible)]
Amount = Annotated[int, Field(ge=0, le=UNLIMITED)]
Share = Annotated[float, Field(ge=0, le=1)]
Face = Annotated[int, Field(ge=1, le=6)]


class Chance(StrictModel):
    """What decides the cards and the dice."""

    key: Annotated[str, Field(pattern="^0x[0-9a-f]{16}$")]
    """The hand's 64-bit key, in hexadecimal: what was not given follows from it."""

    deck: tuple[str, ...] | None = None
    """The deck, top first, where it was given."""

    dice: tuple[tuple[Face, Face], ...] | None = None
    """The dice of each round, where they were given."""


class Told(StrictModel):
    """What an agent told of one of its moves."""

    probabilities: dict[str, Share] | None = None
    """With what probability it played each move, by the move's text."""

    value: float | None = None
    """What it expected to win in this hand, in credits."""


class Results(StrictModel):
    """How a hand ended."""

    net_credits: tuple[int, ...]
    """Each seat's credits won or lost (or points)."""

    winners: tuple[int, ...]
    """The seat that won each pot, the main pot first."""

    revealed_hands: tuple[str | None, ...]
    """What each seat's hand is called; null where it was not revealed."""

    @classmethod
    def of(cls, game: Game) -> Self | None:
        """Return how a game ended; None while it is in play."""
        if game.net_credits is None or game.winners is None:
            return None
        names = game.revealed_hands
        return cls(
            net_credits=tuple(game.net_credits),
            winners=tuple(game.winners),
            revealed_hands=tuple(map(names.get, range(game.num_players))),
        )


class HandHistory(StrictModel):
    """One hand, as it is written into a file; ``replay`` plays it again, to the same state.

    >>> game = Game("casino", num_players=2, seed=7)
    >>> while game.seat_to_act is not None:
    ...     game.play(game.legal_moves()[0])
    >>> hand = HandHistory.from_game(game, ["Han", "Lando"])
    >>> again = HandHistory.from_json(hand.to_json())
    >>> again.replay().net_credits == game.net_credits
    True
    >>> again.positions()[1].history
    (Turn(seat=0, move=Move(kind='stand', card=None, amount=None, low=None, high=None, step=None)),)
    """

    rules: RecordedRules
    """The rules: ``published``, the nearest published rule set; ``changed``, the fields that
    differ from it; ``sha256``, the hash of all fields that decide play."""

    bet_sizes: tuple[str | int | float, ...] | None = None
    """What bets the players could choose from, as environments take it; left out where any total
    could be bet. Moves say totals, so nothing is needed to read them."""

    seats: tuple[Name, ...] = Field(min_length=2, max_length=MAX_SEATS)
    """The name of who sits at each seat, seat 0 first."""

    dealer: int
    """The dealer's seat."""

    credits: tuple[Amount, ...] | None
    """Each seat's credits before the antes; null where the rules are played for points."""

    sabacc_pot: Amount
    """Credits in the Sabacc pot before the antes."""

    chance: Chance
    """What decides cards and dice: ``key``, the hand's 64-bit key in hexadecimal; ``deck`` (cards,
    top first) and ``dice`` (a pair for each round) where they were given."""

    episode: tuple[Amount, Annotated[int, Field(ge=1, le=UNLIMITED)]]
    """Which hand of how many in an episode this is, from 0: agents see how many are left."""

    moves: tuple[tuple[int, str], ...]
    """The moves in order, each with its seat. A raise names the seat's total bet in its phase."""

    told: tuple[Told | None, ...] = ()
    """What agents told: for each move null, or ``probabilities``, by the text of the moves that it
    chose from, and ``value``, the credits that it expected to win. Left out where none told
    anything."""

    results: Results | None
    """How it ended: ``net_credits`` of each seat, ``winners`` of each pot, and
    ``revealed_hands``, a name or null for each seat. Null for a hand in play."""

    origin: dict[str, str | int | float | bool | None] = Field(default_factory=dict)
    """Where it was played: plain values by name, as its writer chose them."""

    @model_validator(mode="after")
    def _check_told(self) -> Self:
        if self.told and len(self.told) != len(self.moves):
            raise ValueError(f"told: {len(self.told)} entries for {len(self.moves)} moves")
        return self

    @classmethod
    def from_game(
        cls,
        game: Game,
        names: Sequence[str] | None = None,
        *,
        bet_sizes: Sequence[BetSize] | None = None,
        told: Sequence[Told | None] = (),
        origin: Mapping[str, Any] | None = None,
    ) -> Self:
        """Return what is recorded of a hand, over or in play.

        Args:
            game: the hand.
            names: the name of each seat; by default ``player_0`` and so on.
            bet_sizes: what the players could bet, where they chose from bet sizes.
            told: what agents told, one for each move, or nothing.
            origin: where it was played, for readers: numbers and texts by name.

        Raises:
            SabaccError: for what makes no record, and for a game copied from tables without
                histories, whose moves are not known.
        """
        if names is None:
            names = [f"player_{seat}" for seat in range(game.num_players)]
        if len(names) != game.num_players:
            raise SabaccError(f"names: {len(names)} given for {game.num_players} seats")
        start, told = start_of(game), tuple(told)
        with _refusing("this hand cannot be recorded"):
            recorded = cls(
                rules=RecordedRules.of(game.rules),
                bet_sizes=None if bet_sizes is None else tuple(bet_sizes),  # type: ignore[arg-type]
                seats=tuple(names),
                dealer=start["dealer"],
                credits=None if start["credits"] is None else tuple(start["credits"]),
                sabacc_pot=start["sabacc_pot"],
                chance=Chance(
                    key=f"{start['key']:#018x}",
                    deck=start["deck"] and tuple(str(Card(card)) for card in start["deck"]),
                    dice=start["dice"] and tuple((a, b) for a, b in start["dice"]),
                ),
                episode=game.episode_position,
                moves=tuple((turn.seat, str(turn.move)) for turn in game.history),
                told=told if any(told) else (),
                results=Results.of(game),
                origin=dict(origin or {}),
            )
        if not game.start and recorded._played().to_dict()["state"] != game.to_dict()["state"]:
            raise SabaccError(
                "this hand cannot be recorded: it was copied from tables that kept no histories"
            )
        return recorded

    @property
    def rule_set(self) -> RuleSet:
        """The rules.

        Raises:
            SabaccError: for rules that are not known here, or differ from those of this name.
        """
        return self.rules.rule_set

    @property
    def start(self) -> dict[str, Any]:
        """The arguments of ``Game`` that deal the hand again, beside the rules."""
        deck, dice = self.chance.deck, self.chance.dice
        return {
            "num_players": len(self.seats),
            "dealer": self.dealer,
            "deck": None if deck is None else [Card.parse(card) for card in deck],
            "dice": dice,
            "credits": self.credits,
            "sabacc_pot": self.sabacc_pot,
            "key": int(self.chance.key, 16),
        }

    def replay(self) -> Game:
        """Deal the hand and play its moves again.

        Raises:
            SabaccError: for rules that are not known here, a start that deals no hand, a move that
                is not legal, and where the hand ends otherwise than its results say.
        """
        game = self._played()
        found = Results.of(game)
        if found != self.results:
            raise SabaccError(
                f"this hand was recorded with {_ending(self.results)}, but its moves lead to "
                f"{_ending(found)}"
            )
        return game

    def _played(self) -> Game:
        return play_again(deal_again(self.rule_set, self.start, self.episode), self.moves)

    def positions(self) -> list[Game]:
        """Return the hand after each number of moves: ``positions()[0]`` is the deal.

        Raises:
            SabaccError: as ``replay``.
        """
        return positions(self.replay())

    def to_json(self) -> str:
        """Return the hand as one line of JSON, with a format version and a checksum."""
        return seal_text(FORMAT, self.model_dump(mode="json", exclude_defaults=True))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the hand whose ``to_json`` this is.

        Raises:
            SabaccError: for text of something else, of another version, damaged, or cut short.
        """
        content = unseal_text(FORMAT, text)
        with _refusing("this text does not describe a hand"):
            return cls.model_validate_json(json.dumps(content))


@contextmanager
def _refusing(what: str) -> Iterator[None]:
    """Turn pydantic's list of errors into one sentence that names the field."""
    try:
        yield
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = printable(".".join(map(str, first["loc"])))
        reason = first["msg"].removeprefix("Value error, ")
        where = f"{field}: " if field else ""
        raise SabaccError(f"{what}: {where}{reason[:1].lower()}{reason[1:]}") from None


def _ending(results: Results | None) -> str:
    """Say how a hand ended."""
    if results is None:
        return "no results"
    return short_repr(results.model_dump(mode="json"))
