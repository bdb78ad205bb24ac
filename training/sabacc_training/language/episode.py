"""Episodes for language models: prompts, answers, rewards and exact regrets."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

import numpy as np

from sabacc_env.actions import BetSize
from sabacc_env.arguments import check_int
from sabacc_env.envs.text_env import AnswerCounts, TextEnv
from sabacc_env.errors import SabaccError
from sabacc_env.game import Game
from sabacc_env.game.keys import hand_key
from sabacc_env.rules import RuleSet
from sabacc_training.language.episode_corrections import EpisodeCorrections
from sabacc_training.language.task import TextTask
from sabacc_training.solved_games.decision_values import Decision, DecisionValues, HandFollower
from sabacc_training.solved_games.game_tree import flatten
from sabacc_training.solved_games.rung import rung_of
from sabacc_training.solved_games.solver import solve
from sabacc_training.variance_reduction.values import shipped_value_function

TARGET: Final = 0.001
"""The NashConv, in antes, to which games are solved."""


NO_EPISODE: Final = "no episode is in play; call reset()"


@dataclass(frozen=True)
class Turn:
    """What is asked, and what came of the last answer.

    Attributes:
        text: what the seat may know and is asked; at the end how the hand ended.
        done: whether the episode is over.
        seat: the seat that answers; at the end the one that answered last.
        refusal: what is wrong with the last answer, in one sentence; None where nothing is.
        reward: for the last answer: what its seat won since the one before, in antes, less the
            corrections of ``variance_reduction``; or minus the regret.
        net_antes: what that seat won since then, in antes, uncorrected.
        regret: how much less the move that was played wins than the best one, in antes, against the
            equilibrium; None where that is not known, and where an answer is asked for again.
        value: what the seat wins from here on in the equilibrium, in antes; None likewise.
    """

    text: str
    done: bool
    seat: int
    refusal: str | None = None
    reward: float = 0.0
    net_antes: float = 0.0
    regret: float | None = None
    value: float | None = None


@dataclass
class SeatResult(AnswerCounts):
    """How an episode has gone for a seat that answers in words.

    Attributes:
        reward: all its rewards.
        net_antes: what it has won, in antes.
        regret: the sum of the regrets that are known of its decisions, in antes.
    """

    reward: float = 0.0
    net_antes: float = 0.0
    regret: float = 0.0


class TextEpisodes:
    """Plays episodes of a task, one after another.

    Args:
        task: what is played.

    Attributes:
        task: the same.
        seed: of the episode.

    Raises:
        SabaccError: for agents that cannot be loaded, or do not play the game.

    >>> from sabacc_training.language.task import text_task
    >>> episodes = TextEpisodes(text_task(rules="casino", opponents=["tight"]))
    >>> turn = episodes.reset(seed=4)
    >>> while not turn.done:
    ...     turn = episodes.step("I check, or else I stand.")
    >>> turn.reward, episodes.results[turn.seat].answers
    (-1.0, 6)
    """

    def __init__(self, task: TextTask) -> None:
        self.task = task
        self.seed: int | None = None
        game = task.rule_set, task.num_players, task.bet_sizes
        self._values = _decision_values(*game) if task.knows_regrets else None
        seats = range(task.num_players) if task.seat is None else [task.seat]
        self._envs = {seat: self._env(seat) for seat in seats}
        self._corrections = self._all_corrections() if task.variance_reduction else {}
        self._turn: Turn | None = None

    def _env(self, seat: int) -> TextEnv:
        task = self.task
        specs = {} if task.kind == "decision" else task.agents_of(seat)
        return TextEnv(
            task.rule_set,
            task.num_players,
            agents={other: task.load(spec) for other, spec in specs.items()},
            hands=task.hands,
            bet_sizes=task.bet_sizes,
            legal_moves=task.legal_moves,
            retries=task.retries,
        )

    def _all_corrections(self) -> dict[int, EpisodeCorrections]:
        task, values = self.task, shipped_value_function(self.task.rule_set)
        return {
            seat: EpisodeCorrections(env, task, values, task.agents_of(seat))
            for seat, env in self._envs.items()
        }

    @property
    def results(self) -> dict[int, SeatResult]:
        """How this episode has gone, for each seat that answers in words.

        Raises:
            SabaccError: before the first ``reset``.
        """
        if self._turn is None:
            raise SabaccError(NO_EPISODE)
        return self._results

    @property
    def game(self) -> Game:
        """The hand in play, or the last one.

        Raises:
            SabaccError: before the first ``reset``.
        """
        if self._turn is None:
            raise SabaccError(NO_EPISODE)
        return self._episode.game

    @property
    def decision(self) -> Decision | None:
        """What the decision that is asked about is worth; None where that is not known.

        Raises:
            SabaccError: where no episode is in play.
        """
        if self._turn is None or self._turn.done:
            raise SabaccError(NO_EPISODE)
        return self._decision

    def reset(self, seed: int | None = None) -> Turn:
        """Begin an episode, and return the first thing that is asked.

        A hand in which nobody who answers in words has a decision is not asked about: the next one
        is dealt.

        Args:
            seed: decides the hands, the opponents' random numbers and the seat; None is random.

        Raises:
            SabaccError: for a seed that is none.
        """
        task = self.task
        if seed is not None:
            seed = check_int("seed", seed, 0, 2**64 - 1)
        self.seed = secrets.randbits(63) if seed is None else seed
        self._seat = self.seed % task.num_players if task.seat is None else task.seat
        self._episode = self._envs[self._seat]
        if task.variance_reduction:
            self._corrections[self._seat].clear()
        for attempt in range(1000):
            key = self.seed if attempt == 0 else hand_key(self.seed, attempt, 0)
            if self._begins(key):
                break
        else:
            raise SabaccError(f"seat: seat {self._seat} never has a decision in this game")
        seats = [self._seat] if task.kind == "decision" else self._episode.text_seats
        self._results = {seat: SeatResult() for seat in seats}
        self._told = dict.fromkeys(seats, (0.0, 0.0))
        self._pay()
        self._turn = self._asked()
        return self._turn

    def _begins(self, key: int) -> bool:
        """Deal hands, and go to the first decision; return False where there is none."""
        if self.task.kind == "hands":
            self._episode.reset(key)
            self._follower = None if self._values is None else HandFollower(self._values)
            if self.task.variance_reduction:
                self._corrections[self._seat].begin(key)
                self._corrections[self._seat].follow()
            return self._episode.seat_to_act is not None
        rng = np.random.default_rng(key)
        turns = self._play_equilibrium(key, rng, None)
        own = [place for place, seat in enumerate(turns) if seat == self._seat]
        if not own:
            return False
        chosen = own[int(rng.integers(len(own)))]
        self._play_equilibrium(key, np.random.default_rng(key), chosen)
        return True

    def _play_equilibrium(self, key: int, rng: np.random.Generator, last: int | None) -> list[int]:
        """Let all seats play the equilibrium from the deal, up to a turn; return who had turns."""
        assert self._values is not None
        env, seats = self._episode, list[int]()
        env.reset(key)
        self._follower = HandFollower(self._values)
        while (seat := env.seat_to_act) is not None and len(seats) != last:
            seats.append(seat)
            decision = self._follower.decision(env.game)
            assert decision is not None  # it is on a path that the equilibrium takes
            actions = list(decision.probabilities)
            shares = np.array([decision.probabilities[action] for action in actions])
            env.step(str(rng.choice(actions, p=shares / shares.sum())))
        return seats

    def _asked(self) -> Turn:
        """Look at the decision that is asked about."""
        seat = self._episode.seat_to_act
        assert seat is not None
        self._decision = self._decision_now()
        value = None if self._decision is None else self._decision.value
        return Turn(self._episode.prompt, False, seat, value=value)

    def _decision_now(self) -> Decision | None:
        return None if self._follower is None else self._follower.decision(self._episode.game)

    def step(self, text: str) -> Turn:
        """Take an answer, and return the next thing that is asked.

        Raises:
            SabaccError: where no episode is in play, and for what is no text.
        """
        if self._turn is None or self._turn.done:
            raise SabaccError(NO_EPISODE)
        seat = self._turn.seat
        answer = self._episode.step(text)
        result = self._results[seat]
        result.answers += 1
        result.refused += answer.refusal is not None
        if answer.action is None:
            asked = self._turn
            self._turn = Turn(asked.text, False, seat, answer.refusal, value=asked.value)
            return self._turn
        result.defaults += answer.refusal is not None
        regret = None if self._decision is None else self._decision.regret(answer.action)
        result.regret += regret or 0.0
        if self.task.variance_reduction:
            self._corrections[self._seat].follow()
        self._pay()
        over = self._episode.seat_to_act is None or self.task.kind == "decision"
        after = Turn(self._episode.text_for(seat), True, seat) if over else self._asked()
        rewarded, won = self._told[seat]
        self._told[seat] = result.reward, result.net_antes
        self._turn = replace(
            after,
            refusal=answer.refusal,
            reward=result.reward - rewarded,
            net_antes=result.net_antes - won,
            regret=regret,
        )
        return self._turn

    def _pay(self) -> None:
        """Bring the results of all seats up to date."""
        for seat, result in self._results.items():
            if self.task.kind == "decision":
                result.reward = -result.regret
                continue
            result.net_antes = result.reward = self._episode.returns[seat]
            if self.task.variance_reduction:
                result.reward -= float(self._corrections[self._seat].antes[seat])


@cache
def _decision_values(
    rules: RuleSet, num_players: int, bet_sizes: tuple[BetSize, ...]
) -> DecisionValues:
    """Return the values of a game: they are computed once in a process."""
    return DecisionValues(solve(flatten(rung_of(rules, num_players, bet_sizes)), target=TARGET))
