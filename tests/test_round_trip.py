"""One hand in every form: the same chance and moves give the same turns and the same returns.

``Game`` plays a hand with random moves and records it. Each form then deals the hand in its own way
and plays the recorded moves. At every turn it must let the same seat act and show it the same legal
actions, and at the end it must tell the same returns.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import gymnasium
import numpy as np
import pytest
from numpy.typing import NDArray

from sabacc_env import Game, RuleSet, TextEnv, load_rules, rule_sets, sabacc_v0
from sabacc_env.actions import DEFAULT_BET_SIZES, BetSize, encode_bet_sizes
from sabacc_env.game.keys import hand_key
from sabacc_env.game.turn_buffers import TurnBuffers
from sabacc_env.text import observation_text, parse_action, parse_move
from tests.support.env_drivers import choose
from tests.support.random_play import HOUSE_RULES

BET_SIZES: tuple[tuple[BetSize, ...], ...] = (
    DEFAULT_BET_SIZES,
    ("max",),
    (2, Fraction(1, 3), "min"),
)


@dataclass(frozen=True)
class Table:
    """What every form is made from."""

    rules: RuleSet
    num_players: int
    bet_sizes: tuple[BetSize, ...]

    @property
    def arguments(self) -> dict[str, Any]:
        return {
            "rules": self.rules,
            "num_players": self.num_players,
            "bet_sizes": self.bet_sizes,
        }


SEATINGS = [
    (rules, num_players)
    for rules in (*map(load_rules, rule_sets()), *HOUSE_RULES.values())
    for num_players in range(rules.seats[0], rules.seats[1] + 1)
]
TABLES = [
    Table(rules, num_players, BET_SIZES[place % len(BET_SIZES)])
    for place, (rules, num_players) in enumerate(SEATINGS)
]


@dataclass(frozen=True)
class Turn:
    """One turn of a hand: who acted, what was legal, and what was played."""

    seat: int
    legal: list[int]
    action: int


@dataclass(frozen=True)
class Hand:
    """A hand as ``Game`` played it.

    Attributes:
        seed: the hand's key is that of the first hand at the first table of this seed.
        learner: a seat that acts, for the forms in which one seat learns.
        returns: what each seat won or lost, in antes.
    """

    table: Table
    seed: int
    dealer: int
    turns: list[Turn]
    learner: int
    returns: list[float]


def play_hand(table: Table, seed: int, rng: random.Random, place: int = 0) -> Hand:
    """Play a hand with random moves: the first hand at this place of a seed's tables."""
    game = Game(table.rules, table.num_players, key=hand_key(seed, place, 0))
    buffers = TurnBuffers(table.rules, encode_bet_sizes(table.bet_sizes))
    turns = []
    seat = game.write_turn(buffers)
    while seat >= 0:
        action = choose(buffers.mask, rng)
        turns.append(Turn(seat, np.flatnonzero(buffers.mask).tolist(), action))
        seat = game.play_action(buffers, action)
    learner = rng.choice(turns).seat
    return Hand(table, seed, game.dealer, turns, learner, in_antes(table, game.net_credits))


def in_antes(table: Table, net_credits: Any) -> list[float]:
    return [float(credits / table.rules.ante_unit) for credits in net_credits]


@cache
def hands_of(table: Table, count: int) -> list[Hand]:
    rng = random.Random(str(table))
    # The seed of a hand in OpenSpiel has 32 bits.
    return [play_hand(table, rng.getrandbits(32), rng) for _ in range(count)]


class Replay:
    """The recorded moves of a hand, for a form that must have the same turns."""

    def __init__(self, hand: Hand) -> None:
        self.hand = hand
        self.played = 0

    def action(self, seat: int, legal: Sequence[int]) -> int:
        """Return what was played at the next turn, which must be this one."""
        assert self.played < len(self.hand.turns), f"{self} should be over"
        turn = self.hand.turns[self.played]
        assert (seat, list(legal)) == (turn.seat, turn.legal), self
        self.played += 1
        return turn.action

    def end(self, returns: Sequence[float]) -> None:
        """Compare what every seat won or lost, in antes, when the hand is over."""
        assert self.played == len(self.hand.turns), f"{self} should go on"
        assert list(returns) == self.hand.returns, self

    def __str__(self) -> str:
        return f"seed {self.hand.seed} at {self.hand.table}, turn {self.played}"


def legal_of(mask: NDArray[np.int8]) -> list[int]:
    actions: list[int] = np.flatnonzero(mask).tolist()
    return actions


Replayer = Callable[[Hand], None]
"""Deals a hand in one form, plays its recorded moves, and compares turns and returns."""


# PettingZoo.


def aec(table: Table) -> Replayer:
    env = sabacc_v0.env(**table.arguments)

    def replay(hand: Hand) -> None:
        moves = Replay(hand)
        returns = dict.fromkeys(env.possible_agents, 0.0)
        env.reset(seed=hand.seed)
        for agent in env.agent_iter():
            observation, reward, terminated, _, _ = env.last()
            returns[agent] += reward
            if terminated:
                env.step(None)
                continue
            seat = env.possible_agents.index(agent)
            env.step(moves.action(seat, legal_of(observation["action_mask"])))
        moves.end(list(returns.values()))

    return replay


def parallel(table: Table) -> Replayer:
    env = sabacc_v0.parallel_env(**table.arguments)

    def replay(hand: Hand) -> None:
        moves = Replay(hand)
        returns = dict.fromkeys(env.possible_agents, 0.0)
        observations, _ = env.reset(seed=hand.seed)
        while env.agents:
            masks = [observations[agent]["action_mask"] for agent in env.possible_agents]
            (seat,) = (seat for seat, mask in enumerate(masks) if not mask.all())
            action = moves.action(seat, legal_of(masks[seat]))
            observations, rewards, _, _, _ = env.step(dict.fromkeys(env.agents, action))
            for agent, reward in rewards.items():
                returns[agent] += reward
        moves.end(list(returns.values()))

    return replay


# Gymnasium: opponents inside the environment play the other seats' moves.


class Recorded:
    """An agent that plays recorded moves: ``replays`` has a hand for each table, or None.

    Without one it takes the first legal action. ``seat_to_act`` says who is to act at a table.
    """

    def __init__(self) -> None:
        self.replays: list[Replay | None] = []
        self.seat_to_act: Callable[[int], int]

    def reset(self, num_tables: int) -> None:
        """Remember nothing of before."""

    def act(
        self,
        observations: Any,
        action_masks: NDArray[np.int8],
        rng: np.random.Generator,
        tables: Any,
    ) -> NDArray[np.int64]:
        return np.array(
            [self._action(table, mask) for table, mask in zip(tables, action_masks, strict=True)]
        )

    def _action(self, table: int, mask: NDArray[np.int8]) -> int:
        replay, legal = self.replays[table], legal_of(mask)
        return legal[0] if replay is None else replay.action(self.seat_to_act(table), legal)


class RecordedOnce(Recorded):
    """The same in an environment that goes on with other hands by itself."""

    def restart(self, tables: NDArray[np.int64]) -> None:
        """Forget the recorded hands of tables where another begins."""
        for table in tables:
            self.replays[table] = None


def state_that_draws(number: int) -> Any:
    """Return the state of a PCG64 generator whose next ``integers(2**63)`` is this number.

    Environments draw the seed of their tables so. PCG64 multiplies, adds, and then makes its output
    of both halves of its state; here the upper one is 0, which leaves the lower one as it is.
    """
    multiplier, state = 0x2360ED051FC65DA44385DF649FCCF645, np.random.PCG64(0).state
    after = number << 1  # the lowest bit of the output is not used
    before = (after - state["state"]["inc"]) * pow(multiplier, -1, 2**128) % 2**128
    return state | {"state": state["state"] | {"state": before}}


def single_seat(table: Table) -> Replayer:
    opponent = Recorded()
    made = gymnasium.make("Sabacc-v0", opponents=opponent, **table.arguments)
    env: Any = made.unwrapped
    opponent.seat_to_act = lambda _: env.game.seat_to_act

    def replay(hand: Hand) -> None:
        moves = Replay(hand)
        opponent.replays = [moves]
        env.np_random.bit_generator.state = state_that_draws(hand.seed)
        _, info = made.reset(options={"seat": hand.learner})
        total, over = 0.0, False
        while not over:
            action = moves.action(env.game.seat_to_act, legal_of(info["action_mask"]))
            _, reward, over, _, info = made.step(action)
            total += float(reward)
        assert total == hand.returns[hand.learner]
        moves.end(in_antes(table, info["net_credits"]))

    return replay


def vector(table: Table) -> Replayer:
    """The hand is at the first of three tables, all of which are played and compared."""
    opponent = RecordedOnce()
    env: Any = gymnasium.make_vec("Sabacc-v0", 3, opponents=opponent, **table.arguments)
    tables = env.learner
    opponent.seat_to_act = lambda place: int(tables.tables.seats_to_act[place])

    def replay(hand: Hand) -> None:
        rng = random.Random(hand.seed)
        hands = [hand, *(play_hand(table, hand.seed, rng, place) for place in (1, 2))]
        moves = [Replay(each) for each in hands]
        opponent.replays = list(moves)
        tables.seats[:] = [each.learner - 1 for each in hands]  # a reset moves them on by one
        env.np_random.bit_generator.state = state_that_draws(hand.seed)
        _, info = env.reset()
        playing = np.ones(3, np.bool_)
        totals = np.zeros(3)
        while playing.any():
            actions = info["action_mask"].argmax(axis=1)
            for place in np.flatnonzero(playing).tolist():
                seat = opponent.seat_to_act(place)
                actions[place] = moves[place].action(seat, legal_of(info["action_mask"][place]))
            _, rewards, over, _, info = env.step(actions)
            totals[playing] += rewards[playing]
            for place in np.flatnonzero(playing & over).tolist():
                moves[place].end(in_antes(table, info["net_credits"][place]))
            playing &= ~over
        assert totals.tolist() == [each.returns[each.learner] for each in hands]

    return replay


# OpenSpiel and text.


def openspiel(table: Table) -> Replayer:
    """The last player deals there: seats are numbered from the dealer's left."""
    pytest.importorskip("pyspiel")
    from sabacc_env.adapters.openspiel import load_game

    @cache
    def game_of(dealer: int) -> Any:
        """Return the game in which each player begins with the credits of its seat."""
        rules, credits = table.rules, table.rules.starting_credits
        if isinstance(credits, tuple):
            seats = [(dealer + 1 + player) % table.num_players for player in range(len(credits))]
            rules = rules.replace(starting_credits=tuple(credits[seat] for seat in seats))
        return load_game(rules, table.num_players, bet_sizes=table.bet_sizes, chance="seed")

    def replay(hand: Hand) -> None:
        moves = Replay(hand)
        seats = [
            (hand.dealer + 1 + player) % table.num_players for player in range(table.num_players)
        ]
        state = game_of(hand.dealer).new_initial_state()
        for byte in hand.seed.to_bytes(4):
            state.apply_action(byte)
        while not state.is_terminal():
            seat = seats[state.current_player()]
            state.apply_action(moves.action(seat, state.legal_actions()))
        returns = dict(zip(seats, state.returns(), strict=True))
        moves.end([returns[seat] for seat in range(table.num_players)])

    return replay


def listed(text: str) -> dict[int, str]:
    """Return the legal moves that a text lists, by their numbers."""
    lines = text.splitlines()
    moves = lines[lines.index("Your legal moves, each with its number:") + 1 : -1]
    return {int(number): words for number, words in (line.split(": ") for line in moves)}


def text(table: Table) -> Replayer:
    """Moves and returns are those that the text of the seat to act names."""
    sizes = table.bet_sizes

    def replay(hand: Hand) -> None:
        moves = Replay(hand)
        game = Game(table.rules, table.num_players, seed=hand.seed)
        while (seat := game.seat_to_act) is not None:
            view = game.view(seat)
            words = listed(observation_text(view, bet_sizes=sizes))
            assert [parse_action(each, view, sizes) for each in words.values()] == list(words)
            action = moves.action(seat, list(words))
            game.play(parse_move(words[action], view, sizes))
        won = re.findall(r"player_\d ([+-]\d+)", observation_text(game.view(0)).splitlines()[-1])
        moves.end(in_antes(table, map(int, won)))

    return replay


def text_env(table: Table) -> Replayer:
    """All seats answer in words, with some reasoning before."""
    env = TextEnv(**table.arguments)

    def replay(hand: Hand) -> None:
        moves = Replay(hand)
        env.reset(seed=hand.seed)
        while (seat := env.seat_to_act) is not None:
            words = listed(env.prompt)
            answer = words[moves.action(seat, list(words))]
            env.step(f"<think>{words}</think>I have thought about it.\nAnswer: {answer}")
        moves.end(env.returns)

    return replay


FORMS = {
    "AEC": aec,
    "parallel": parallel,
    "Gymnasium": single_seat,
    "vector": vector,
    "OpenSpiel": openspiel,
    "text": text,
    "TextEnv": text_env,
}


TEN_THOUSAND = math.ceil(10_000 / len(TABLES))


IN_WORDS = ("text", "TextEnv")  # slower; TextEnv reads the text, too


@pytest.mark.parametrize(
    ("form", "hands"),
    [
        *((form, 2) for form in FORMS if form not in IN_WORDS),
        ("TextEnv", 1),
        *(pytest.param(form, TEN_THOUSAND, marks=pytest.mark.slow) for form in FORMS),
    ],
)
def test_same_turns_and_returns(form: str, hands: int) -> None:
    """So many hands at each table; in all of them, the slow test has 10,000."""
    for table in TABLES:
        replay = FORMS[form](table)
        for hand in hands_of(table, hands):
            replay(hand)
