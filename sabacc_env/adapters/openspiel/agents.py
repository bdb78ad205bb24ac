"""Agents both ways: ours as bots and policies of OpenSpiel, OpenSpiel's players at our tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NoReturn

import numpy as np
import pyspiel
from numpy.typing import NDArray
from open_spiel.python import policy, rl_agent, rl_environment

from sabacc_env import agent_calls
from sabacc_env.actions import BetSize
from sabacc_env.adapters.openspiel.game import SabaccGame, SabaccState
from sabacc_env.adapters.openspiel.hands import Hand
from sabacc_env.adapters.openspiel.information import Sight, information_state
from sabacc_env.adapters.openspiel.settings import GameSettings
from sabacc_env.agent import Agent
from sabacc_env.errors import SabaccError, short_repr
from sabacc_env.game.view import GameView
from sabacc_env.moves import Turn
from sabacc_env.rules import RuleSet

ONE_TABLE: Final = np.zeros(1, np.int64)

# Ours in OpenSpiel.


class AgentBot(pyspiel.Bot):  # type: ignore[misc]
    """An agent as a bot, for whichever player is to act. Each player needs a bot of its own.

    Args:
        game: the game that it plays.
        agent: an agent made for the same rules, players and bet sizes.
        seed: seeds the agent's random numbers; None is random.

    Raises:
        SabaccError: for an agent that was made for another game.
    """

    def __init__(self, game: SabaccGame, agent: Agent, seed: int | None = None) -> None:
        super().__init__()
        _check_game(agent, game)
        self._agent = agent
        self._rng = np.random.default_rng(seed)
        agent_calls.reset([agent], 1)

    def restart(self) -> None:
        """Tell the agent that a new hand begins."""
        agent_calls.restart([self._agent], ONE_TABLE)

    def restart_at(self, state: SabaccState) -> None:
        """Do as ``restart``: an agent sees a hand from its first turn on."""
        self.restart()

    def step(self, state: SabaccState) -> int:
        """Return what the agent plays."""
        seen, mask = _input(self._agent, state)
        return int(agent_calls.actions(self._agent, seen, mask, self._rng, ONE_TABLE)[0])


class AgentPolicy(policy.Policy):  # type: ignore[misc]
    """An agent that tells its probabilities, as a policy for all players.

    Args:
        game: the game that it plays.
        agent: an agent made for the same rules, players and bet sizes.

    Raises:
        SabaccError: for an agent that was made for another game or does not tell its probabilities.
    """

    def __init__(self, game: SabaccGame, agent: Agent) -> None:
        super().__init__(game, list(range(game.num_players())))
        _check_game(agent, game)
        if not hasattr(agent, "probabilities"):
            raise SabaccError(
                f"agent: {type(agent).__name__} does not tell its probabilities; use AgentBot"
            )
        self._agent = agent

    def action_probabilities(
        self, state: SabaccState, player_id: int | None = None
    ) -> dict[int, float]:
        """Return the probability of each legal action."""
        seen, mask = _input(self._agent, state)
        probabilities = agent_calls.probabilities(self._agent, seen, mask)
        assert probabilities is not None
        return {action: float(probabilities[0, action]) for action in state.hand.legal}


def _check_game(agent: Agent, game: SabaccGame) -> None:
    settings = game.settings
    agent_calls.check_game(agent, settings.rules, settings.num_players, settings.bet_sizes)


def _input(
    agent: Agent, state: SabaccState
) -> tuple[NDArray[np.float32] | Sequence[GameView], NDArray[np.int8]]:
    """Return what an agent is shown where a player is to act, and the mask: one row each."""
    hand = state.hand
    assert hand.game is not None
    mask = np.zeros((1, hand.settings.num_actions), np.int8)
    mask[0, hand.legal] = 1
    observation = hand.observation(hand.player)
    return agent_calls.agent_input(hand.game, agent, observation), mask


# OpenSpiel's at our tables.


class SpielAgent:
    """A player of OpenSpiel as an agent: a policy, a bot or an RL agent.

    It is shown states in which it knows what its seat knows, and cannot play on. A policy that
    looks up information states by text is given views and remembers its turns. The dealer is the
    last player in OpenSpiel, so in the text seats are numbered from the dealer's left.

    Args:
        game: the game that it was made for.
        player: a ``policy.Policy``, a ``pyspiel.Policy``, a ``pyspiel.Bot`` or a
            ``rl_agent.AbstractAgent``, which is asked with ``is_evaluation=True``. One that
            remembers a hand is for one table only.
        tensors: whether the player reads observation tensors and no text: by default, an RL agent.
        player_id: for which player a bot was made. It is told that this one is to act, at every
            seat; others would crash it.

    Raises:
        SabaccError: for a player that is none of these.
    """

    def __init__(
        self, game: SabaccGame, player: Any, *, tensors: bool | None = None, player_id: int = 0
    ) -> None:
        kinds = policy.Policy, pyspiel.Policy, pyspiel.Bot, rl_agent.AbstractAgent
        if not isinstance(player, kinds):
            raise SabaccError(
                f"player: {short_repr(player)} is not a policy, a bot or an RL agent of OpenSpiel"
            )
        if tensors is None:
            tensors = isinstance(player, rl_agent.AbstractAgent)
        self.wants = "observations" if tensors else "views"
        self._game = game
        self._player = player
        own = getattr(player, "player_id", None)  # an RL agent has one
        self._player_id = player_id if own is None else own
        self._sights: dict[int, dict[int, list[Sight]]] = {}  # by table and seat

    def check_game(self, rules: RuleSet, num_players: int, bet_sizes: Sequence[BetSize]) -> None:
        """Refuse another game than the player was made for."""
        if GameSettings(rules, num_players, tuple(bet_sizes)) != self._game.settings:
            raise SabaccError(f"the player was made for {self._game}")

    def reset(self, num_tables: int) -> None:
        """Start that many tables and forget all others."""
        self._sights = {}

    def restart(self, tables: NDArray[np.int64]) -> None:
        """Forget what was seen at tables where a new hand begins."""
        for table in tables.tolist():
            self._sights.pop(table, None)
        if isinstance(self._player, pyspiel.Bot):
            self._player.restart()

    def act(
        self,
        observations: Any,
        action_masks: NDArray[np.int8],
        rng: np.random.Generator,
        tables: NDArray[np.int64] | None = None,
    ) -> NDArray[np.int64]:
        """Choose a legal action for each row; see ``Agent.act``."""
        places = range(len(action_masks)) if tables is None else tables.tolist()
        chosen = [
            self._choose(self._state(seen, mask, table), rng)
            for seen, mask, table in zip(observations, action_masks, places, strict=True)
        ]
        return np.array(chosen, np.int64)

    def _state(self, seen: Any, mask: NDArray[np.int8], table: int) -> SabaccState:
        """Return a state in which the player to act knows what it may know."""
        state = self._game.new_initial_state()
        legal = np.flatnonzero(mask).tolist()
        if self.wants == "observations":
            state.hand = SeenHand(self._game.settings, self._player_id, legal, observation=seen)
            return state
        sights = self._sights.setdefault(table, {}).setdefault(seen.seat, [])
        sight = Sight.of_view(seen)
        if sights and sights[-1].num_moves >= sight.num_moves:  # nobody told of a new hand
            sights.clear()
        sights.append(sight)
        # Seats are numbered from the dealer's left, as in OpenSpiel, where the last one deals.
        seats = [(seat - seen.dealer - 1) % seen.num_players for seat in range(seen.num_players)]
        seat = seats[seen.seat]
        history = [Turn(seats[turn.seat], turn.move) for turn in seen.history]
        text = information_state(seat, sights, history, seen.taken_discards)
        to_act = self._player_id if isinstance(self._player, pyspiel.Bot) else seat
        state.hand = SeenHand(self._game.settings, to_act, legal, text=text)
        return state

    def _choose(self, state: SabaccState, rng: np.random.Generator) -> int:
        player = self._player
        if isinstance(player, pyspiel.Bot):
            return int(player.step(state))
        if isinstance(player, rl_agent.AbstractAgent):
            return int(player.step(_time_step(state), is_evaluation=True).action)
        probabilities = self._probabilities(state)
        return int(rng.choice(list(probabilities), p=list(probabilities.values())))

    def _probabilities(self, state: SabaccState) -> dict[int, float]:
        try:
            found = self._player.action_probabilities(state)
        except KeyError:  # what OpenSpiel's own tabular policy raises
            found = {}
        if not found:
            raise SabaccError(
                f"the policy has nothing for {state.hand.information_text(state.hand.player)!r}"
            )
        return dict(found)


class SeenHand(Hand):
    """What one seat knows of a hand where it is to act: nothing can be played on.

    Args:
        settings: the game.
        seat: the player.
        legal: its legal actions.
        observation: what it observes, if that is known.
        text: its information state as text, if that is known.
    """

    def __init__(
        self,
        settings: GameSettings,
        seat: int,
        legal: list[int],
        *,
        observation: NDArray[np.float32] | None = None,
        text: str | None = None,
    ) -> None:
        super().__init__(settings)
        self.player, self.legal = seat, legal
        self._observation, self._text = observation, text

    def _apply_action(self, action: int) -> None:
        _refuse("play on from what one seat knows at a table: it does not see the other cards")

    def resampled(self, rng: Callable[[], float]) -> NoReturn:
        """Refuse: nothing can be played on."""
        _refuse("search from what one seat knows at a table: nothing can be played on")

    def observation(self, seat: int) -> NDArray[np.float32]:
        """Return what the seat observes, whichever is asked for."""
        if self._observation is None:
            _refuse("read tensors of views: give tensors=True")
        return self._observation

    def tokens(self, seat: int) -> NDArray[np.float32]:
        """Refuse: tables show no tokens."""
        _refuse("read tokens at a table: let it learn by the flat observation")

    def information_text(self, seat: int) -> str:
        """Return the information state of the seat, whichever is asked for."""
        if self._text is None:
            _refuse("read the text of an observation: give tensors=False")
        return self._text

    def observation_text(self, seat: int) -> str:
        """Return what ``information_text`` does: it has all that a view shows."""
        return self.information_text(seat)

    def _apply_outcome(self, outcome: int) -> None:
        self._apply_action(outcome)

    def outcome_text(self, outcome: int) -> str:
        """Refuse: there is no chance here."""
        _refuse("ask for chance outcomes where a seat is to act")


def _refuse(what: str) -> NoReturn:
    raise SabaccError(f"a player of OpenSpiel cannot {what}")


def _time_step(state: SabaccState) -> rl_environment.TimeStep:
    """Return what an RL agent is given; it finds what it sees at the place of any player."""
    hand = state.hand
    players = hand.settings.num_players
    observations = {
        "info_state": [hand.observation(hand.player)] * players,
        "legal_actions": [hand.legal] * players,
        "current_player": hand.player,
        "serialized_state": [],
    }
    return rl_environment.TimeStep(observations, None, None, rl_environment.StepType.MID)
