"""A match between people and agents, hand after hand: who is to act, what is dealt, what is kept.

Whatever happens follows from the seed and from the moves. Each decision of an agent has random
numbers of its own, so a match that is read from a file goes on as if it had never stopped.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from sabacc_env import agent_calls
from sabacc_env.actions import encode_bet_sizes
from sabacc_env.errors import IllegalMove, SabaccError
from sabacc_env.game import Game
from sabacc_env.game.keys import hand_key, split_key
from sabacc_env.game.turn_buffers import TurnBuffers
from sabacc_env.hand_histories import HandHistory, Told
from sabacc_env.moves import Move
from sabacc_env.storage.checksums import seal_text, unseal_text
from sabacc_env.storage.plain_data import from_json_data, to_json_data
from sabacc_training.config.base import validated
from sabacc_training.evaluation.evaluate import Entrant
from sabacc_training.evaluation.guarded_agent import GuardedAgent
from sabacc_training.evaluation.telling import told_at, with_told
from sabacc_training.play.advice import Adviser
from sabacc_training.play.config import PERSON, PlayConfig, strongest_agent
from sabacc_training.tournaments.agent_files import agent_digest

FORMAT: Final = "sabacc-match 1"


@dataclass(frozen=True)
class Choice:
    """What an agent chose.

    Attributes:
        action: its action.
        told: what it told of it; None where a person plays, or for an agent that does not tell.
    """

    action: int
    told: Told | None


class Match:
    """A match in play.

    Args:
        config: who sits where, and what is played.

    Attributes:
        config: the same.
        game: the hand in play, or the last one.
        hand: its number, from 0.
        turn: rises with every move and every deal, so a message can say which state it is about.
        names: what each seat is called.
        told: what agents told of the moves of this hand, by the number of the move, from 0. It is
            empty where a person plays, who could learn from it what they hold.

    Raises:
        SabaccError: for an agent that cannot be loaded, or that does not play this game.
    """

    def __init__(self, config: PlayConfig) -> None:
        self.config = config
        self.game = Game(config.rule_set, config.num_players, key=hand_key(config.seed, 0, 0))
        self.game.set_episode_position(0, config.hands)
        self.hand = 0
        self.turn = 0
        self.names = seat_names(config.seats)
        self.told: dict[int, Told] = {}
        self._files = {spec: agent_digest(spec) for spec in config.seats if spec != PERSON}
        self._agents = {
            seat: self._loaded(spec) for seat, spec in enumerate(config.seats) if spec != PERSON
        }
        self._buffers = TurnBuffers(config.rule_set, encode_bet_sizes(config.bet_sizes))
        self._adviser: Adviser | None = None
        agent_calls.reset(self._agents.values(), 1)

    @property
    def is_over(self) -> bool:
        """Whether the last hand has ended."""
        return self.game.seat_to_act is None and not self._can_go_on()

    @property
    def people(self) -> tuple[int, ...]:
        """The seats that people take."""
        return tuple(seat for seat, spec in enumerate(self.config.seats) if spec == PERSON)

    @property
    def agent_is_to_act(self) -> bool:
        """Whether the next move is an agent's."""
        return self.game.seat_to_act in self._agents

    @property
    def failures(self) -> dict[str, str]:
        """What went wrong in agents, by the name of their seat; a default was played for them."""
        return {
            self.names[seat]: next(iter(agent.messages.values()))
            for seat, agent in self._agents.items()
            if agent.messages
        }

    def play(self, seat: int, move: Move | str) -> None:
        """Play a person's move.

        Raises:
            IllegalMove: if it is not this seat's turn, or the rules do not allow it; nothing has
                changed.
        """
        if self.game.seat_to_act != seat:
            raise IllegalMove(f"it is not the turn of {self.names[seat]}")
        self.game.play(move)
        self.turn += 1

    def agent_choice(self) -> Choice:
        """Return what the agent that is to act chooses; the match stays as it is meanwhile."""
        seat = self.game.seat_to_act
        assert seat is not None
        agent = self._agents[seat]
        self.game.write_turn(self._buffers)
        shown = agent_calls.agent_input(self.game, agent, self._buffers.observation.copy())
        mask = self._buffers.mask[None].copy()
        told = None
        if not self.people:
            told = told_at(self.game, agent, self.config.bet_sizes, self._buffers)
        moment = (self.config.seed, self.hand, len(self.game.history), seat)
        rng = np.random.default_rng(moment)
        (action,) = agent.act(shown, mask, rng, np.zeros(1, np.int64))
        return Choice(int(action), told)

    def play_agent(self, choice: Choice | None = None) -> None:
        """Play the move of the agent that is to act: ``choice``, or what it chooses now."""
        chosen = choice or self.agent_choice()
        if chosen.told is not None:
            self.told[len(self.game.history)] = chosen.told
        self.game.play_action(self._buffers, chosen.action)
        self.turn += 1

    def deal(self) -> None:
        """Deal the next hand.

        Raises:
            SabaccError: where a hand is in play, or the match is over; nothing has changed.
        """
        if self.game.seat_to_act is not None:
            raise SabaccError("the hand is not over yet")
        if not self._can_go_on():
            raise SabaccError("the match is over")
        self.hand += 1
        self.turn += 1
        self.told = {}
        seed = split_key(self.config.seed)
        self.game, _ = self.game.deal_another(self._buffers, seed, 0, self.hand)
        self._load_changed_agents()
        agent_calls.restart(self._agents.values(), np.zeros(1, np.int64))

    def hand_history(self) -> HandHistory:
        """Return the hand as it is recorded, with what its agents tell of their moves."""
        origin = {"hand": self.hand + 1}
        hand = HandHistory.from_game(self.game, self.names, origin=origin)
        agents = [self._agents.get(seat) for seat in range(self.config.num_players)]
        return with_told(hand, agents, self.config.bet_sizes)

    def _loaded(self, spec: str) -> GuardedAgent:
        return GuardedAgent(self.config.load(spec))

    def _load_changed_agents(self) -> None:
        """Load agents anew whose file has changed: that of a training run does as it learns."""
        for seat, spec in enumerate(self.config.seats):
            if spec != PERSON and agent_digest(spec) != self._files[spec]:
                self._agents[seat] = self._loaded(spec)
                self._agents[seat].reset(1)
        self._files = {spec: agent_digest(spec) for spec in self._files}

    # Advice.

    def hints(self, seat: int) -> Callable[[], dict[str, Any]]:
        """Return what computes the worth of a person's moves now, as a message.

        It takes a while and looks at a copy of the hand, so the match may go on in another thread;
        advice itself is computed in one thread.

        Raises:
            SabaccError: if it is not this seat's turn.
        """
        if self.game.seat_to_act != seat:
            raise SabaccError("hints are for your own turn")
        game = self.game.clone()
        return lambda: self._advice(game).hints(game)

    def review(self, seat: int) -> Callable[[], dict[str, Any]]:
        """Return what computes the cost of a person's moves of the last hand, as ``hints`` does.

        Raises:
            SabaccError: while the hand is in play.
        """
        if self.game.seat_to_act is not None:
            raise SabaccError("the coach speaks after the hand")
        game = self.game.clone()
        return lambda: self._advice(game).review(game, seat)

    def _advice(self, game: Game) -> Adviser:
        if self._adviser is None:
            config = self.config
            name = strongest_agent(config.rule_set, config.num_players)
            self._adviser = Adviser(config.load(name), name, game, config.bet_sizes)
        return self._adviser

    def _can_go_on(self) -> bool:
        return self.hand + 1 < self.config.hands and self.game.can_deal_next_hand()

    # Files.

    def to_text(self) -> str:
        """Return everything as JSON text, with a format version and a checksum."""
        memories = agent_calls.memories(self._agents.values())
        return seal_text(
            FORMAT,
            {
                "config": self.config.model_dump(mode="json"),
                "game": self.game.to_json(),
                "hand": self.hand,
                "turn": self.turn,
                "memories": to_json_data(memories),
            },
        )

    @classmethod
    def from_text(cls, text: str) -> Match:
        """Return the match whose ``to_text`` this is.

        Raises:
            SabaccError: for text of something else, of another version, changed or cut short.
        """
        content = unseal_text(FORMAT, text)
        try:
            match = cls(validated(PlayConfig, json.loads(json.dumps(content["config"]))))
            match.game = Game.from_json(content["game"])
            match.hand, match.turn = int(content["hand"]), int(content["turn"])
            agent_calls.restore_memories(
                match._agents.values(), from_json_data(content["memories"])
            )
            if not match.people:
                told = match.hand_history().told
                match.told = {move: each for move, each in enumerate(told) if each is not None}
        except (KeyError, TypeError, ValueError) as error:
            raise SabaccError(
                f"this text of the format {FORMAT!r} cannot be read: {error}"
            ) from None
        return match


def seat_names(seats: Sequence[str]) -> tuple[str, ...]:
    """Return what seats are called; names that occur more than once are numbered.

    >>> seat_names(["person", "zoo:casino-2p", "tight", "tight"])
    ('person', 'zoo:casino-2p', 'tight 1', 'tight 2')
    """
    names = [spec if spec == PERSON else Entrant(spec=spec).name for spec in seats]
    return tuple(
        name if names.count(name) == 1 else f"{name} {names[: seat + 1].count(name)}"
        for seat, name in enumerate(names)
    )
