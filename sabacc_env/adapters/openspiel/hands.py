"""One hand as OpenSpiel sees it: decisions and chance events, one action after another.

The kinds of hand differ in their chance events. Everything else is the engine's.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from functools import cache
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from sabacc_env.actions import action_names
from sabacc_env.adapters.openspiel.information import Sight, end_text, information_state
from sabacc_env.adapters.openspiel.settings import MAX_BITS, GameSettings
from sabacc_env.engine.drivers import single
from sabacc_env.engine.forced_play import DEAL
from sabacc_env.engine.observation.blocks import OBSERVATION_SIZE
from sabacc_env.engine.observation.vocabulary import VOCABULARY_SIZE
from sabacc_env.errors import IllegalMove, SabaccError
from sabacc_env.game.determinization import sample_deck
from sabacc_env.game.forms import forced_tokens
from sabacc_env.game.game import Game, game_from_record
from sabacc_env.game.records import copy_record, record_before_deal
from sabacc_env.render.text import render_text

CHANCE: Final = -1
TERMINAL: Final = -4
"""In place of a player, as in OpenSpiel."""

SEED_BYTES: Final = 4
"""The chance events of a seeded hand: each is one byte of its seed."""


class Hand(ABC):
    """A hand: ``apply`` plays the actions of players and the outcomes of chance events.

    Attributes:
        settings: the game.
        player: who is to act: a seat, ``CHANCE`` or ``TERMINAL``.
        legal: the legal actions of that player, or the outcomes; [] at the end.
        games: the hand at the first decision and after each action since: the last is now. Nobody
            changes them, so that copies of a hand share them.
        events: what was applied so far.
    """

    def __init__(self, settings: GameSettings) -> None:
        self.settings = settings
        self.games: list[Game] = []
        self.events: list[int] = []
        self.player = CHANCE
        self.legal: list[int] = []

    @property
    def game(self) -> Game | None:
        """The hand in plain terms after the last complete action; None before the deal."""
        return self.games[-1] if self.games else None

    def apply(self, event: int) -> None:
        """Play an action, or an outcome at a chance event.

        Raises:
            IllegalMove: if it is not legal; nothing has changed.
        """
        if event not in self.legal:
            raise IllegalMove(self._illegal_message(event))
        if self.player == CHANCE:
            self._apply_outcome(event)
        else:
            self._apply_action(event)
        self.events.append(event)

    def _illegal_message(self, event: int) -> str:
        if self.player == TERMINAL:
            return f"action {event} cannot be played: the hand is over"
        if self.player == CHANCE:
            return f"outcome {event} cannot happen; there are {len(self.legal)}"
        names = action_names(self.settings.bet_sizes)
        legal = ", ".join(f"{action} ({names[action]})" for action in self.legal)
        return f"action {event} is not legal for player {self.player} now; legal: {legal}"

    @abstractmethod
    def _apply_outcome(self, outcome: int) -> None: ...

    @abstractmethod
    def _apply_action(self, action: int) -> None: ...

    @abstractmethod
    def outcome_text(self, outcome: int) -> str:
        """Return what an outcome of the present chance event is called."""

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes of the present chance event and their probabilities, all equal."""
        return equal_chances(len(self.legal))

    def _go_on(self, game: Game) -> None:
        """Go on to the turn, or the end, where a game is."""
        buffers = self.settings.buffers
        seat = game.write_turn(buffers)
        self.games.append(game)
        self.player = TERMINAL if seat < 0 else seat
        self.legal = [] if seat < 0 else np.flatnonzero(buffers.mask).tolist()

    def observation(self, seat: int) -> NDArray[np.float32]:
        """Return what a seat observes, (OBSERVATION_SIZE,): zeros before the deal."""
        if self.game is None:
            return np.zeros(OBSERVATION_SIZE, np.float32)
        buffers = self.settings.buffers
        self.game.write_observation(buffers, seat)
        return buffers.requested_observation.copy()

    def tokens(self, seat: int) -> NDArray[np.float32]:
        """Return all that a seat was told, in order, (max_tokens,): zeros before the deal.

        Tokens are divided by ``VOCABULARY_SIZE``: networks take numbers of this size.
        """
        length = self.settings.max_tokens
        tokens = np.zeros(length, np.int16) if self.game is None else self._tokens(seat, length)
        return tokens.astype(np.float32) / np.float32(VOCABULARY_SIZE)

    def _tokens(self, seat: int, length: int) -> NDArray[np.int16]:
        return self.games[-1].tokens(seat, length)

    def information_text(self, seat: int) -> str:
        """Return all that a seat knows, with perfect recall."""
        if not self.games:
            return f"player {seat}"
        now = self.games[-1]
        own_turns = [game for game in self.games[:-1] if game.seat_to_act == seat]
        sights = [Sight.of_game(game, seat) for game in (*own_turns, now)]
        text = information_state(seat, sights, now.history, now.taken_discards)
        return f"{text}; {end_text(now)}" if self.player == TERMINAL else text

    def observation_text(self, seat: int) -> str:
        """Return the table as a seat sees it now."""
        return "before the deal" if self.game is None else render_text(self.game, seat)

    def resampled(self, rng: Callable[[], float]) -> Self:
        """Return a hand before its deal that leads, with the same moves, to what is seen here.

        What the seat to act has seen is the same, and the rest is drawn anew. After a reshuffle it
        need not lead there.

        Args:
            rng: returns random numbers from 0 to 1.

        Raises:
            SabaccError: where nothing but the deal decides what is drawn.
        """
        raise SabaccError('resample_from_infostate: make the game with chance="sampled"')

    def begun_again(self) -> Self:
        """Return this hand before its deal; what was drawn inside is drawn again."""
        return type(self)(*self._arguments())

    def _arguments(self) -> tuple[Any, ...]:
        """Return what this hand was made from."""
        return (self.settings,)

    def copy(self) -> Self:
        """Return an independent hand in the same state."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.games, twin.events = self.games.copy(), self.events.copy()
        return twin

    def __deepcopy__(self, memo: object) -> Self:
        return self.copy()

    def apply_all(self, events: Iterable[int]) -> Self:
        """Apply events one after another, and return the hand itself."""
        for event in events:
            self.apply(event)
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self._arguments(), self.events)


def _restore(kind: type[Hand], arguments: tuple[Any, ...], events: list[int]) -> Hand:
    return kind(*arguments).apply_all(events)


class SeededHand(Hand):
    """A hand whose chance follows from a seed, as of ``Game``: each byte is a chance event."""

    def __init__(self, settings: GameSettings) -> None:
        super().__init__(settings)
        self.legal = outcomes(256)

    def _apply_outcome(self, outcome: int) -> None:
        if len(self.events) == SEED_BYTES - 1:
            self._deal(seed=int.from_bytes([*self.events, outcome]))

    def _deal(self, **drawn: Any) -> None:
        """Deal with the arguments of ``Game`` that decide its chance."""
        rules, seats = self.settings.rules, self.settings.num_players
        self._go_on(Game(rules, seats, dealer=seats - 1, **drawn))

    def _apply_action(self, action: int) -> None:
        game = self.games[-1].clone()
        game.play_action(self.settings.buffers, action)
        self._go_on(game)

    def outcome_text(self, outcome: int) -> str:
        """Return the byte."""
        return f"byte {len(self.events)} of the seed is {outcome}"


class SampledHand(SeededHand):
    """A hand with one chance event of one outcome, which draws all chance inside.

    Copies draw from one generator, so two that are made before the deal are dealt differently.

    Args:
        settings: the game.
        rng: what draws the seed.
        drawn: the arguments of ``Game`` that decide the chance of a hand that was drawn before.
    """

    def __init__(
        self, settings: GameSettings, rng: random.Random, drawn: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(settings)
        self.legal = [0]
        self._rng = rng
        self._drawn = drawn

    @property
    def drawn(self) -> Mapping[str, Any]:
        """The arguments of ``Game`` that decide its chance; before the deal, the next drawn."""
        return _draw(copy(self._rng)) if self._drawn is None else self._drawn

    def _apply_outcome(self, outcome: int) -> None:
        if self._drawn is None:
            self._drawn = _draw(self._rng)
        self._deal(**self._drawn)

    def outcome_text(self, outcome: int) -> str:
        """Return that it is the deal."""
        return "deal"

    def resampled(self, rng: Callable[[], float]) -> Self:
        """See ``Hand.resampled``."""
        low, high, key = (int(rng() * 2**32) for _ in range(3))
        rules, seat = self.settings.rules, self.player
        views = [game.view(seat) for game in self.games if game.seat_to_act == seat]
        num_rolls = rules.rounds if "dice" in rules.phases else 0
        dice = [[1 + int(rng() * 6), 1 + int(rng() * 6)] for _ in range(num_rolls)]
        rolled = self.games[-1].dice
        dice[: len(rolled)] = map(list, rolled)
        return self.begun_with(deck=sample_deck(views, low, high), dice=dice or None, key=key)

    def begun_with(self, **drawn: Any) -> Self:
        """Return a hand before its deal whose chance these arguments of ``Game`` decide."""
        return type(self)(self.settings, self._rng, drawn)

    def _arguments(self) -> tuple[Any, ...]:
        return self.settings, self._rng, self._drawn


def _draw(rng: random.Random) -> Mapping[str, Any]:
    return {"seed": rng.getrandbits(8 * SEED_BYTES)}


class CardsHand(Hand):
    """A hand in which each card drawn, and each roll of the dice, is a chance event."""

    def __init__(self, settings: GameSettings) -> None:
        super().__init__(settings)
        self._records = record_before_deal(settings.rules, settings.num_players)
        self._moves: tuple[int, ...] = ()
        self._forced: tuple[tuple[int, int], ...] = ()  # the actions and the numbers so far
        self._pending = DEAL, 0, 1  # the action that chance events follow; number and product
        self._play(*self._pending)

    def _apply_outcome(self, outcome: int) -> None:
        action, number, product = self._pending
        if product.bit_length() > MAX_BITS - len(self.legal).bit_length():
            raise SabaccError("chance: too many tied blind draws in a row to enumerate")
        self._play(action, number + outcome * product, product * len(self.legal))

    def _apply_action(self, action: int) -> None:
        self._play(action, 0, 1)

    def _play(self, action: int, number: int, product: int) -> None:
        """Play an action if its chance events are complete, or wait for the next of them."""
        records = copy_record(self._records)
        played, limit = single.play_forced(
            records, self.settings.buffers.records, action, number, product
        )
        if limit:
            self.player, self.legal = CHANCE, outcomes(limit)
            self._pending = action, number, product
            return
        self._records = records
        self._forced = (*self._forced, (action, number))
        if action != DEAL:
            self._moves = (*self._moves, played)
        self._go_on(game_from_record(self.settings.rules, records, self._moves))

    def _tokens(self, seat: int, length: int) -> NDArray[np.int16]:
        settings = self.settings
        start = record_before_deal(settings.rules, settings.num_players)
        return forced_tokens(start, settings.buffers, self._forced, seat, length)

    def outcome_text(self, outcome: int) -> str:
        """Return its place among the outcomes."""
        return f"outcome {outcome} of {len(self.legal)}"


@cache
def outcomes(number: int) -> list[int]:
    """Return the outcomes of a chance event that has so many; nobody changes the list."""
    return list(range(number))


@cache
def equal_chances(number: int) -> list[tuple[int, float]]:
    """Return so many outcomes with their equal probabilities; nobody changes the list."""
    return [(outcome, 1 / number) for outcome in outcomes(number)]
