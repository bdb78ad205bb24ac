"""A table at which seats answer in words, as people and language models do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sabacc_env import agent_calls
from sabacc_env.actions import DEFAULT_BET_SIZES, BetSize, default_actions
from sabacc_env.agent import Agent
from sabacc_env.arguments import check_bool, check_int
from sabacc_env.envs.aec import SabaccAEC
from sabacc_env.errors import IllegalMove, SabaccError, short_repr
from sabacc_env.game.game import Game
from sabacc_env.moves import Move
from sabacc_env.rules import RuleSet, load_rules
from sabacc_env.text import observation_text, parse_action

MOST_RETRIES: Final = 100


@dataclass(frozen=True)
class Answer:
    """What became of an answer.

    Attributes:
        seat: who gave it.
        move: the move that was played; None where the answer was refused and is asked for again.
        action: the action of that move; None likewise.
        refusal: what is wrong with the answer, in one sentence; None where it was played. With a
            move besides, the default was played.
    """

    seat: int
    move: Move | None
    action: int | None
    refusal: str | None


@dataclass
class AnswerCounts:
    """How the answers of a seat were since the last ``reset``.

    Attributes:
        answers: how many there were.
        refused: how many of them were not legal, or could not be read.
        defaults: how many moves were the default, in place of an answer.
    """

    answers: int = 0
    refused: int = 0
    defaults: int = 0


class TextEnv:
    """A table at which seats answer in words, hand after hand.

    Who is to act reads ``prompt``, and ``step`` takes what they answer, in any words that
    ``sabacc_env.text.parse_action`` reads. An answer that is refused is asked for again; after
    ``retries`` of these in a row ``sabacc_env.actions.default_actions`` says what is played.

    The same seed and actions lead to the same hands as in ``sabacc_v0``.

    Args:
        rules: a rule set by name, path, or as a ``RuleSet``.
        num_players: seats at the table, 2 to 8.
        agents: agents by their seats, as objects built for this game or by registered names. All
            other seats answer in words.
        hands: hands in an episode.
        bet_sizes: what bets there are.
        legal_moves: whether prompts list the legal moves.
        retries: how often an answer that is refused is asked for again.
        record_hands: a file to which hands are added as they end.

    Attributes:
        counts: for each seat how its answers were.
        actions: what was played since ``reset``, by agents, too.

    Raises:
        SabaccError: for arguments that make no table; one sentence that names the argument.

    >>> env = TextEnv("casino", 2, agents={1: "random"})
    >>> env.reset(seed=7)
    >>> answer = env.step("I would like to fly.")
    >>> answer.move is None, answer.refusal[:48]
    (True, "'I would like to fly.' does not name one move; l")
    >>> print(env.step("I draw a card, for +13 is far from 0.").move)
    draw
    >>> while env.seat_to_act is not None:
    ...     answer = env.step("no idea")
    >>> env.counts[0]
    AnswerCounts(answers=16, refused=15, defaults=7)
    """

    def __init__(
        self,
        rules: str | Path | RuleSet = "casino",
        num_players: int = 2,
        *,
        agents: Mapping[int, Agent | str] | None = None,
        hands: int = 1,
        bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
        legal_moves: bool = True,
        retries: int = 1,
        record_hands: str | Path | None = None,
    ) -> None:
        self._env = SabaccAEC(
            load_rules(rules), num_players, hands, bet_sizes, record_hands=record_hands
        )
        self.legal_moves = check_bool("legal_moves", legal_moves)
        self.retries = check_int("retries", retries, 0, MOST_RETRIES)
        game = self._env.rules, num_players, self._env.bet_sizes
        self._agents = {
            self._check_seat(seat): agent_calls.given("agents", agent, *game)
            for seat, agent in (agents or {}).items()
        }
        if len(self._agents) == num_players:
            raise SabaccError("agents: leave at least one seat to who answers in words")
        self._refused = 0
        self._returns = np.zeros(num_players)
        self.counts = [AnswerCounts() for _ in range(num_players)]
        self.actions: list[int] = []

    def _check_seat(self, seat: int) -> int:
        return check_int("agents: the seat", seat, 0, self._env.num_players - 1)

    @property
    def game(self) -> Game:
        """The hand in play, or the last one."""
        return self._env.game

    @property
    def rules(self) -> RuleSet:
        """The rules."""
        return self._env.rules

    @property
    def text_seats(self) -> tuple[int, ...]:
        """The seats that answer in words."""
        seats = range(self._env.num_players)
        return tuple(seat for seat in seats if seat not in self._agents)

    @property
    def seat_to_act(self) -> int | None:
        """Who is to answer; None where the episode is over."""
        over = all(self._env.terminations.values())
        return None if over else self._env.possible_agents.index(self._env.agent_selection)

    @property
    def returns(self) -> list[float]:
        """What each seat has won since ``reset``, in antes (hand ante + Sabacc ante)."""
        found: list[float] = self._returns.tolist()
        return found

    @property
    def prompt(self) -> str:
        """What the seat to act may know and is asked, in plain words.

        Raises:
            SabaccError: where the episode is over.
        """
        seat = self.seat_to_act
        if seat is None:
            raise SabaccError("the episode is over; call reset()")
        return self.text_for(seat)

    def text_for(self, seat: int) -> str:
        """Return what a seat may know now, in plain words; at the end how the last hand ended."""
        view = self.game.view(self._check_seat(seat), events=True)
        return observation_text(view, legal_moves=self.legal_moves, bet_sizes=self._env.bet_sizes)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start an episode, and let the agents play up to the first turn of somebody else.

        Args:
            seed: decides deck, dice, dealer and the random numbers of the agents.
            options: ``dealer``, ``credits``, ``sabacc_pot``, ``deck`` and ``dice``, as of
                ``sabacc_v0``.

        Raises:
            SabaccError: for a seed or options that make no game; nothing has changed.
        """
        self._env.reset(seed, options)
        streams = np.random.SeedSequence(seed).spawn(self._env.num_players)
        self._rngs = [np.random.default_rng(stream) for stream in streams]
        self._refused = 0
        self._returns[:] = 0
        self.counts = [AnswerCounts() for _ in self.counts]
        self.actions = []
        agent_calls.reset(self._agents.values(), 1)
        self._add_rewards()
        self._let_agents_play()

    def step(self, text: str) -> Answer:
        """Take the answer of the seat to act; then let the agents play up to the next turn.

        Raises:
            SabaccError: where the episode is over, and for what is no text.
        """
        seat = self.seat_to_act
        if seat is None:
            raise SabaccError("the episode is over; call reset()")
        if not isinstance(text, str):
            raise SabaccError(f"text: {short_repr(text)} is not text")
        counts, refusal, action = self.counts[seat], None, None
        view = self.game.view(seat)
        try:
            action = parse_action(text, view, self._env.bet_sizes)
        except IllegalMove as error:
            refusal = str(error)
            counts.refused += 1
            self._refused += 1
        counts.answers += 1
        if action is None:
            if self._refused <= self.retries:
                return Answer(seat, None, None, refusal)
            counts.defaults += 1
            action = int(default_actions(self._mask)[0])
        move = view.legal_actions(self._env.bet_sizes)[action]
        self._play(action)
        self._let_agents_play()
        return Answer(seat, move, action, refusal)

    @property
    def _mask(self) -> NDArray[np.int8]:
        """The legal actions as a row of its own, (1, num_actions)."""
        mask: NDArray[np.int8] = self._env.infos[self._env.agent_selection]["action_mask"]
        return mask[None].copy()

    def _play(self, action: int) -> None:
        self._refused = 0
        hands = self._env.hands_finished
        self._env.step(action)
        self.actions.append(action)
        self._add_rewards()
        if self._env.hands_finished > hands:
            agent_calls.restart(self._agents.values(), np.zeros(1, np.int64))

    def _add_rewards(self) -> None:
        self._returns += list(self._env.rewards.values())

    def _let_agents_play(self) -> None:
        while (seat := self.seat_to_act) in self._agents:
            agent = self._agents[seat]
            shown = agent_calls.agent_input(
                self.game, agent, self._env.observe(self._env.agent_selection)["observation"]
            )
            (action,) = agent_calls.actions(
                agent, shown, self._mask, self._rngs[seat], np.zeros(1, np.int64)
            )
            self._play(int(action))
