"""Games and states of OpenSpiel over the engine: any rules, any number of players."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any, Final, NoReturn

import numpy as np
import pyspiel

from sabacc_env.actions import action_names
from sabacc_env.adapters.openspiel.hands import (
    CHANCE,
    SEED_BYTES,
    TERMINAL,
    CardsHand,
    Hand,
    SampledHand,
    SeededHand,
)
from sabacc_env.adapters.openspiel.saving import (
    state_from_bytes,
    state_from_text,
    state_to_bytes,
    state_to_text,
)
from sabacc_env.adapters.openspiel.settings import MAX_BITS, NAME, PARAMETERS, GameSettings
from sabacc_env.arguments import check_int
from sabacc_env.engine.observation.blocks import OBSERVATION_SIZE
from sabacc_env.errors import SabaccError, short_repr
from sabacc_env.game.move_codes import action_code
from sabacc_env.render.text import render_text

CHANCES: Final = ("auto", "cards", "seed", "sampled")
"""How chance is told to OpenSpiel; docs/libraries/openspiel.md explains them."""


def game_type(settings: GameSettings | None, name: str, **different: Any) -> Any:
    """Return the ``pyspiel.GameType`` of a game, or of all games of a name (None).

    Args:
        settings: the game.
        name: its short name.
        different: fields that differ from those of a game with explicit chance and all tensors.
    """
    kind = pyspiel.GameType
    zero_sum = settings is not None and settings.is_zero_sum
    fields: dict[str, Any] = {
        "short_name": name,
        "long_name": "Corellian Spike Sabacc",
        "dynamics": kind.Dynamics.SEQUENTIAL,
        "chance_mode": kind.ChanceMode.EXPLICIT_STOCHASTIC,
        "information": kind.Information.IMPERFECT_INFORMATION,
        "utility": kind.Utility.ZERO_SUM if zero_sum else kind.Utility.GENERAL_SUM,
        "reward_model": kind.RewardModel.TERMINAL,
        "max_num_players": 8 if settings is None else settings.num_players,
        "min_num_players": 2 if settings is None else settings.num_players,
        "provides_information_state_string": True,
        "provides_information_state_tensor": True,
        "provides_observation_string": True,
        "provides_observation_tensor": True,
        "parameter_specification": PARAMETERS,
    }
    return kind(**fields | different)


def game_info(settings: GameSettings, **different: Any) -> Any:
    """Return the ``pyspiel.GameInfo`` of a game; ``different`` are fields to change."""
    least, most = settings.utility_range
    fields: dict[str, Any] = {
        "num_distinct_actions": settings.num_actions,
        "max_chance_outcomes": settings.max_chance_outcomes,
        "num_players": settings.num_players,
        "min_utility": least,
        "max_utility": most,
        "utility_sum": 0.0 if settings.is_zero_sum else None,
        "max_game_length": settings.max_decisions,
    }
    return pyspiel.GameInfo(**fields | different)


MAX_ATTEMPTS: Final = 64
"""Resampling gives up after this many deals that do not lead to the same information state."""


class SabaccGame(pyspiel.Game):  # type: ignore[misc]
    """One hand of Sabacc as a game of OpenSpiel; ``load_game`` makes it.

    Attributes:
        settings: rules, players and bet sizes.
        chance: how chance is told: "cards", "seed" or "sampled".
    """

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        given = PARAMETERS | dict(params or {})
        self.settings = GameSettings.from_parameters(given)
        self.chance = _chance(given["chance"], self.settings)
        seed = check_int("rng_seed", given["rng_seed"], -1, 2**31 - 1)
        self._rng = random.Random(None if seed < 0 else seed)
        super().__init__(self._game_type(), self._game_info(), self._parameters(given))

    def _game_type(self) -> Any:
        if self.chance != "sampled":
            return game_type(self.settings, NAME)
        sampled = pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC
        return game_type(self.settings, NAME, chance_mode=sampled)

    def _game_info(self) -> Any:
        outcomes = {"cards": self.settings.max_chance_outcomes, "seed": 256, "sampled": 1}
        return game_info(self.settings, max_chance_outcomes=outcomes[self.chance])

    def _parameters(self, given: Mapping[str, Any]) -> dict[str, Any]:
        own = {key: given[key] for key in ("chance", "rng_seed") if given[key] != PARAMETERS[key]}
        return self.settings.parameters() | own

    def max_chance_nodes_in_history(self) -> int:
        """Return a number of chance events that no hand exceeds."""
        if self.chance == "cards":
            return MAX_BITS * (1 + self.settings.max_decisions)
        return SEED_BYTES if self.chance == "seed" else 1

    def __reduce__(self) -> tuple[Any, ...]:
        return pyspiel.load_game, (NAME, self.get_parameters())

    def new_initial_state(self) -> SabaccState:
        """Return a hand before the deal."""
        return SabaccState(self)

    def new_hand(self) -> Hand:
        """Return a hand before the deal, as states hold it."""
        if self.chance == "sampled":
            return SampledHand(self.settings, self._rng)
        return (CardsHand if self.chance == "cards" else SeededHand)(self.settings)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer:
        """Return an observer of what one player knows, with or without perfect recall.

        Raises:
            SabaccError: for an observer that leaves out what is public, or has what is private to
                others.
        """
        wanted = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if not wanted.public_info or wanted.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            raise SabaccError(
                "observer: there is only what one player knows: public_info=True and "
                "private_info=SINGLE_PLAYER"
            )
        return Observer(self.settings, perfect_recall=wanted.perfect_recall)


def _chance(chance: str, settings: GameSettings) -> str:
    """Return how chance is told; raise if it cannot be."""
    if chance not in CHANCES:
        raise SabaccError(f"chance: {short_repr(chance)} is unknown; use one of {CHANCES}")
    if chance == "auto":
        return "cards" if settings.cards_can_be_chance_nodes else "seed"
    if chance == "cards" and not settings.cards_can_be_chance_nodes:
        raise SabaccError(
            f"chance: one move of {settings.rules.name} with {settings.num_players} players may "
            'draw too many cards to be a chance node each; use chance="seed"'
        )
    return chance


class SabaccState(pyspiel.State):  # type: ignore[misc]
    """A hand of Sabacc as a state of OpenSpiel.

    Attributes:
        hand: all there is to it; ``hand.game`` is the ``Game``.
    """

    def __init__(self, game: SabaccGame) -> None:
        super().__init__(game)
        self.hand = game.new_hand()

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore_state, (self.get_game(), self.serialize())

    def to_bytes(self) -> bytes:
        """Return the state with its game as bytes: rules in full, history, what was drawn."""
        return state_to_bytes(self)

    @staticmethod
    def from_bytes(data: bytes) -> SabaccState:
        """Return the state whose ``to_bytes`` these are, of a game of its own.

        Raises:
            SabaccError: for bytes of something else, of another version, damaged, or cut short,
                and for a state that its history does not lead to.
        """
        return state_from_bytes(data)

    def to_json(self) -> str:
        """Return the state with its game as JSON text, with a format version and a checksum."""
        return state_to_text(self)

    @staticmethod
    def from_json(text: str) -> SabaccState:
        """Return the state whose ``to_json`` this is, of a game of its own.

        Raises:
            SabaccError: as ``from_bytes``.
        """
        return state_from_text(text)

    def undo_action(self, player: int, action: int) -> NoReturn:
        """Refuse: OpenSpiel keeps the history, and lets no game in Python shorten it.

        Raises:
            SabaccError: always; it names ``parent``.
        """
        raise SabaccError(
            "undo_action: OpenSpiel takes no action back in a game in Python; state.parent() is "
            "the state before the last action"
        )

    def parent(self) -> SabaccState:
        """Return the state before the last action; this one stays as it is.

        Raises:
            SabaccError: if nothing was applied yet.
        """
        history = self.history()
        if not history:
            raise SabaccError("parent: nothing was applied yet")
        state: SabaccState = self.get_game().new_initial_state()
        state.hand = self.hand.begun_again()
        for event in history[:-1]:
            state.apply_action(event)
        return state

    def resample_from_infostate(self, player: int, rng: Callable[[], float]) -> SabaccState:
        """Return a state with the same information state and the rest drawn anew, as ISMCTS asks.

        The moves of the others are no evidence: deals are as likely as the deck has them. Only
        games with ``chance="sampled"`` can do this.

        Args:
            player: the player to act.
            rng: returns random numbers from 0 to 1.

        Raises:
            SabaccError: for another game or player, and where no deal was found, because cards were
                shuffled again.
        """
        if not 0 <= player == self.current_player():
            raise SabaccError(f"player: {player} is not to act, and only that player's state is")
        known = self.information_state_string(player)
        for _ in range(MAX_ATTEMPTS):
            state = self._replayed(self.hand.resampled(rng))
            if state is not None and state.information_state_string(player) == known:
                return state
        raise SabaccError(
            "resample_from_infostate: no deal was found, because cards were shuffled again"
        )

    def _replayed(self, hand: Hand) -> SabaccState | None:
        """Return another hand after the same moves; None if they are not legal there.

        Cards are sorted in a hand, so those that the others put down may be in other slots.
        """
        state: SabaccState = self.get_game().new_initial_state()
        state.hand = hand
        deal, *actions = self.history()
        state.apply_action(deal)
        for action, turn in zip(actions, self.hand.games[-1].history, strict=True):
            game = state.hand.games[-1]
            if turn.move.card is not None and game.seat_to_act is not None:
                action = action_code(turn.move, game.hands[game.seat_to_act])
            if action not in state.hand.legal:
                return None
            state.apply_action(action)
        return state

    def current_player(self) -> int:
        """Return who is to act."""
        return self.hand.player

    def _legal_actions(self, player: int) -> list[int]:
        return self.hand.legal

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes and their probabilities."""
        return self.hand.chance_outcomes()

    def _apply_action(self, action: int) -> None:
        self.hand.apply(action)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == CHANCE:
            return self.hand.outcome_text(action)
        names = action_names(self.hand.settings.bet_sizes)
        # OpenSpiel asks for the names of illegal actions too, to refuse them.
        return names[action] if 0 <= action < len(names) else f"no action {action}"

    def is_terminal(self) -> bool:
        """Return whether the hand is over."""
        return self.hand.player == TERMINAL

    def returns(self) -> list[float]:
        """Return what each player won or lost, in antes; zeros while the hand is in play."""
        settings = self.hand.settings
        if not self.is_terminal():
            return [0.0] * settings.num_players
        net = self.hand.games[-1].net_credits
        assert net is not None
        return [credits / settings.rules.ante_unit for credits in net]

    # OpenSpiel's own way to tensors, which its C++ goes, makes another state for each, to learn the
    # size.

    def observation_tensor(self, player: int | None = None) -> list[float]:
        """Return the flat observation of a player, by default the one to act."""
        return self.hand.observation(self._checked(player)).tolist()  # type: ignore[no-any-return]

    def information_state_tensor(self, player: int | None = None) -> list[float]:
        """Return a player's flat observation, then its tokens; by default of the one to act."""
        player = self._checked(player)
        observation: list[float] = self.hand.observation(player).tolist()
        return observation + self.hand.tokens(player).tolist()  # type: ignore[no-any-return]

    def _checked(self, player: int | None) -> int:
        """Return a player; OpenSpiel refuses one that there is not."""
        player = self.hand.player if player is None else player
        if not 0 <= player < self.hand.settings.num_players:
            super().observation_tensor(player)
        return player

    def __str__(self) -> str:
        game = self.hand.game
        table = "before the deal" if game is None else render_text(game)
        return f"{table}\nhistory: {' '.join(map(str, self.history()))}"


def _restore_state(game: SabaccGame, text: str) -> SabaccState:
    state: SabaccState = game.deserialize_state(text)
    return state


class Observer:
    """Writes what one player knows: the flat observation, and its tokens for perfect recall."""

    def __init__(self, settings: GameSettings, *, perfect_recall: bool) -> None:
        self._perfect_recall = perfect_recall
        tokens = settings.max_tokens if perfect_recall else 0
        self.tensor = np.zeros(OBSERVATION_SIZE + tokens, np.float32)
        self.dict = {"observation": self.tensor[:OBSERVATION_SIZE]}
        if perfect_recall:
            self.dict["tokens"] = self.tensor[OBSERVATION_SIZE:]

    def set_from(self, state: SabaccState, player: int) -> None:
        """Write the tensor."""
        self.dict["observation"][:] = state.hand.observation(player)
        if self._perfect_recall:
            self.dict["tokens"][:] = state.hand.tokens(player)

    def string_from(self, state: SabaccState, player: int) -> str:
        """Return the text."""
        hand = state.hand
        if self._perfect_recall:
            return hand.information_text(player)
        return hand.observation_text(player)
