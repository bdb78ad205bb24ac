"""Stable-Baselines3: a batched ``VecEnv`` over ``Tables``, one learner's seat at each table.

The other seats are played inside, batched too, so that the learner sees a single-agent problem.
It is the environment that sb3-contrib's ``MaskablePPO`` wants: ``action_masks`` included.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env.base_vec_env import VecEnv, VecEnvIndices, VecEnvStepReturn

from sabacc_env import asking
from sabacc_env.agent import Agent, agent_class
from sabacc_env.checks import check_num_players, items, whole
from sabacc_env.engine.actions import DEFAULT_BET_SIZES, BetSize, encode_bet_sizes, num_actions
from sabacc_env.errors import SabaccError
from sabacc_env.observation import OBSERVATION_SIZE
from sabacc_env.rules import RuleSet, load_rules
from sabacc_env.tables import Tables

LARGEST_FEATURE = 8.0
"""No feature of an observation is larger than this, or smaller than minus this."""


class SabaccVecEnv(VecEnv):
    """Many tables as one Stable-Baselines3 environment, the opponents stepped inside.

    At each table one seat is the learner's; it moves on by one at every episode. The others are
    drawn from ``opponents`` when an episode starts. A step plays the learner's actions, then the
    opponents' until the learner is to act again at every table.

    The reward is what the learner won or lost itself, in antes (``rules.ante_unit`` credits)
    divided by ``reward_scale``, on its last step of the hand. A hand that ends before the learner
    has acted in its episode holds no decision of its, so it is left out: no step stands for it
    and no step gets its result.

    Tables restart at once, so there is no observation of a finished hand: the
    ``terminal_observation`` in ``infos`` is the last one that the learner acted on. No episode is
    ever truncated, so nothing is bootstrapped from it.

    Args:
        rules: a rule set by name, path, or as a ``RuleSet``.
        num_envs: how many tables.
        num_players: seats at each table.
        opponents: the agents that play the other seats, as objects or by the names that they are
            registered under; a seat keeps its own for an episode.
        weights: how often each of them is drawn, in proportion; None is equally often.
        seed: decides the deals, the opponents' play and every draw; None is random.
        hands: hands in an episode (see ``Tables``).
        bet_sizes: what the bet actions mean.
        stacks: least and most credits of a seat at the start of an episode, in antes, drawn
            evenly; None is what the rules say.
        equal_stacks: whether the seats of a table start with the same credits.
        sabacc_pots: least and most credits in the Sabacc pot then, in antes; None is none.
        reward_scale: antes that make a reward of 1.

    Raises:
        SabaccError: for arguments that make no environment; one sentence that names the argument.

    >>> env = SabaccVecEnv("casino", num_envs=4, opponents=["random"], seed=0)
    >>> env.reset().shape, env.action_masks().shape
    ((4, 400), (4, 33))
    >>> observations, rewards, dones, infos = env.step(env.action_masks().argmax(axis=1))
    >>> rewards.shape, dones.shape, len(infos)
    ((4,), (4,), 4)
    """

    render_mode = None

    def __init__(
        self,
        rules: str | Path | RuleSet,
        num_envs: int,
        num_players: int = 2,
        *,
        opponents: Sequence[Agent | str],
        weights: Sequence[float] | None = None,
        seed: int | None = None,
        hands: int = 1,
        bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
        stacks: tuple[float, float] | None = None,
        equal_stacks: bool = False,
        sabacc_pots: tuple[float, float] | None = None,
        reward_scale: float = 1.0,
    ) -> None:
        self.rules = load_rules(rules)
        self.num_players = num_players = check_num_players(self.rules, num_players)
        num_envs = whole("num_envs", num_envs, 1, 2**31)
        encode_bet_sizes(bet_sizes)  # refuses what is no bet size
        self._all = np.arange(num_envs)
        super().__init__(
            num_envs,
            spaces.Box(-LARGEST_FEATURE, LARGEST_FEATURE, (OBSERVATION_SIZE,), np.float32),
            spaces.Discrete(num_actions(bet_sizes)),
        )
        if seed is not None:
            seed = whole("seed", seed, 0, 2**64 - 1)
        self._rng = np.random.default_rng(seed)
        self._equal_stacks = equal_stacks
        self.set_stakes(stacks, sabacc_pots)
        if not 0 < _number("reward_scale", reward_scale) < math.inf:
            raise SabaccError(f"reward_scale: {reward_scale!r} is not above 0")
        self._reward_per_credit = 1 / (self.rules.ante_unit * reward_scale)
        self._seats = self._all % num_players
        self._members = np.zeros((num_envs, num_players), dtype=np.int64)
        # What the next episode of each table starts from.
        self._next_credits = np.zeros((num_envs, num_players), dtype=np.int64)
        self._next_pots = np.zeros(num_envs, dtype=np.int64)
        self._given: dict[str, Any] = {
            "credits": None if stacks is None else self._next_credits,
            "sabacc_pots": None if sabacc_pots is None else self._next_pots,
        }
        self._infos: list[dict[str, Any]] = [{} for _ in range(num_envs)]
        self._to_play = np.zeros(num_envs, dtype=np.int64)
        self._hands_counted = self._credits_counted = 0
        self._hands, self._bet_sizes = hands, bet_sizes
        self.set_opponents(opponents, weights)
        self.tables = self._new_tables()
        self._started = False
        self._observations = self.tables.observations.copy()

    def _new_tables(self) -> Tables:
        self._draw_stakes(self._all)
        return Tables(
            self.rules,
            self.num_envs,
            self.num_players,
            seed=int(self._rng.integers(2**63)),
            hands=self._hands,
            bet_sizes=self._bet_sizes,
            **self._given,
        )

    def set_stakes(
        self, stacks: tuple[float, float] | None, sabacc_pots: tuple[float, float] | None
    ) -> None:
        """Draw stakes from these ranges, in antes, for the episodes after those that come next.

        None stays None: what the rules say cannot become a range, nor a range what they say.
        """
        self._stacks = _credits_range("stacks", stacks, self.rules)
        self._pots = _credits_range("sabacc_pots", sabacc_pots, self.rules)

    def set_opponents(
        self, opponents: Sequence[Agent | str], weights: Sequence[float] | None = None
    ) -> None:
        """Play against these from the next episodes on; one in play stays at its place's agent.

        Raises:
            SabaccError: for what is no agent, none at all, fewer than before, or weights that are
                no proportions.
        """
        agents = [self._agent(opponent) for opponent in items("opponents", opponents)]
        if len(agents) <= self._members.max():
            raise SabaccError(f"opponents: give at least {self._members.max() + 1}")
        shares = np.ones(len(agents))
        if weights is not None:
            shares = np.array([_number("weights", share) for share in items("weights", weights)])
        if shares.shape != (len(agents),) or not shares.min() >= 0 or not 0 < shares.sum() < np.inf:
            raise SabaccError("weights: give one for each opponent, none negative, not all 0")
        self.opponents = agents
        self.weights = shares / shares.sum()
        asking.reset(agents, self.num_envs)

    def _agent(self, opponent: Agent | str) -> Agent:
        if isinstance(opponent, str):
            found = agent_class(opponent)
            return asking.build(opponent, found, self.rules, self.num_players, self._bet_sizes)
        if isinstance(opponent, type) or not isinstance(opponent, Agent):
            raise SabaccError(
                f"opponents: {opponent!r} is no agent; give agents built for this game, or "
                "registered names"
            )
        return opponent

    # What Stable-Baselines3 calls.

    def reset(self) -> NDArray[np.float32]:
        """Start every table anew and return the learner's observations, (num_envs, size)."""
        if self._seeds[0] is not None:
            self._rng = np.random.default_rng(self._seeds[0])
        self._reset_seeds()
        self._reset_options()
        self.tables = self._new_tables()
        self._begin_episodes(self._all)
        self._play_opponents(np.zeros(self.num_envs), np.ones(self.num_envs, dtype=np.bool_))
        self._observations = self.tables.observations.copy()
        self._started = True
        return self._observations

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Take the learner's actions, (num_envs,)."""
        self._to_play = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Play them, and the opponents until the learner is to act again everywhere.

        Returns:
            Observations (num_envs, size), rewards (num_envs,) float32, dones (num_envs,) bool,
            and infos, which are empty but for a ``terminal_observation`` where an episode ended.

        Raises:
            IllegalMove: for an action that is not legal; nothing moved.
            SabaccError: before the first ``reset``, for actions of a wrong shape or type, or an
                opponent that fails.
        """
        if not self._started:
            raise SabaccError("step: call reset first")
        rewards = np.zeros(self.num_envs)
        dones = np.zeros(self.num_envs, dtype=np.bool_)
        self._play(self._to_play, self._all, rewards, dones)
        self._play_opponents(rewards, dones)
        infos = self._infos.copy()
        for table in np.flatnonzero(dones):
            infos[table] = {"terminal_observation": self._observations[table]}
        self._observations = self.tables.observations.copy()
        return self._observations, rewards.astype(np.float32), dones, infos

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the learner's legal actions, (num_envs, num_actions)."""
        return self.tables.action_masks.astype(np.bool_)

    def close(self) -> None:
        """Do nothing: there is nothing to close."""

    def env_method(
        self,
        method_name: str,
        *method_args: Any,
        indices: VecEnvIndices = None,
        **method_kwargs: Any,
    ) -> list[Any]:
        """Return the rows of ``action_masks``: the only method that each table has."""
        if method_name != "action_masks":
            raise AttributeError(f"a table of SabaccVecEnv has no method {method_name!r}")
        return list(self.action_masks()[self._indices(indices)])

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return an attribute, once for each table: they share all of them."""
        value = getattr(self, attr_name)
        return [value for _ in self._indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute, for all tables together."""
        setattr(self, attr_name, value)

    def env_is_wrapped(self, wrapper_class: Any, indices: VecEnvIndices = None) -> list[bool]:
        """Say for each table that no Gymnasium wrapper is around it."""
        return [False for _ in self._indices(indices)]

    def _indices(self, indices: VecEnvIndices) -> NDArray[np.int64]:
        return self._all if indices is None else np.atleast_1d(np.array(indices, dtype=np.int64))

    # Playing.

    def _play_opponents(self, rewards: NDArray[np.float64], dones: NDArray[np.bool_]) -> None:
        """Step the opponents until the learner is to act at every table."""
        while len(which := np.flatnonzero(self.tables.seats_to_act != self._seats)):
            self._play(self._opponents_actions(which), which, rewards, dones)

    def _opponents_actions(self, which: NDArray[np.int64]) -> NDArray[np.int64]:
        """Ask each opponent once for all the tables at which it is to act."""
        tables = self.tables
        members = self._members[which, tables.seats_to_act[which]]
        actions = np.zeros(len(which), dtype=np.int64)
        for member in np.flatnonzero(np.bincount(members)):
            rows = np.flatnonzero(members == member)
            at = which[rows]
            actions[rows] = asking.actions_at(self.opponents[member], tables, at, self._rng)
        return actions

    def _play(
        self,
        actions: NDArray[np.int64],
        which: NDArray[np.int64],
        rewards: NDArray[np.float64],
        dones: NDArray[np.bool_],
    ) -> None:
        """Play actions at some tables; add up the results of hands, and note ended episodes.

        Once a table is done, later hands of the same step hold no decision of the learner's.
        """
        tables = self.tables
        tables.step(actions, which)
        ended = np.flatnonzero(tables.finished)
        if not len(ended):
            return
        own = ended[~dones[ended]]
        net = tables.net_credits[own, self._seats[own]]
        rewards[own] += net * self._reward_per_credit
        self._hands_counted += len(own)
        self._credits_counted += int((self.num_players * net).sum() - tables.net_credits[own].sum())
        dones |= tables.match_finished
        asking.restart(self.opponents, ended)
        self._begin_episodes(np.flatnonzero(tables.match_finished))

    def _begin_episodes(self, which: NDArray[np.int64]) -> None:
        """Move the learner's seat on, draw the opponents, and the stakes of the episode after."""
        self._seats[which] = (self._seats[which] + 1) % self.num_players
        size = (len(which), self.num_players)
        self._members[which] = self._rng.choice(len(self.opponents), size=size, p=self.weights)
        self._draw_stakes(which)
        given = {name: drawn[which] for name, drawn in self._given.items() if drawn is not None}
        if given:
            self.tables.set_stakes(which, **given)

    def _draw_stakes(self, which: NDArray[np.int64]) -> None:
        if self._stacks is not None:
            size = (len(which), 1 if self._equal_stacks else self.num_players)
            self._next_credits[which] = self._rng.integers(*self._stacks, size, endpoint=True)
        if self._pots is not None:
            self._next_pots[which] = self._rng.integers(*self._pots, len(which), endpoint=True)

    def margin_since(self) -> tuple[int, float]:
        """Return the hands since the last call, and the learner's margin in them, in mA/h.

        The margin is over the mean of the others at the table; with two seats it is half of that.
        """
        hands, ahead = self._hands_counted, self._credits_counted
        self._hands_counted = self._credits_counted = 0
        others = self.num_players - 1 if self.num_players > 2 else 2
        return hands, 1000 * ahead / (others * self.rules.ante_unit * max(1, hands))

    # Keeping.

    def state(self) -> dict[str, Any]:
        """Return everything but rules, opponents and their memory, for ``restore``."""
        return {
            "tables": self.tables.to_bytes(),
            "rng": self._rng.bit_generator.state,
            "observations": self._observations.copy(),
            **{name: getattr(self, name).copy() for name in self._KEPT},
        }

    _KEPT = ("_seats", "_members", "_next_credits", "_next_pots")

    def restore(self, state: dict[str, Any]) -> NDArray[np.float32]:
        """Go on from a ``state`` of an environment built alike; return the observations."""
        for name in self._KEPT:
            getattr(self, name)[:] = state[name]
        self.tables = Tables.from_bytes(state["tables"], **self._given)
        self._rng.bit_generator.state = state["rng"]
        self._observations = state["observations"].copy()
        self._started = True
        return self._observations


def _credits_range(
    name: str, antes: tuple[float, float] | None, rules: RuleSet
) -> tuple[int, int] | None:
    """Return the least and most whole credits of a range in antes."""
    if antes is None:
        return None
    ends = items(name, antes)
    if len(ends) != 2:
        raise SabaccError(f"{name}: give two numbers of antes, the least and the most")
    least, most = (_number(name, end) for end in ends)
    if not 0 <= least <= most < math.inf:
        raise SabaccError(f"{name}: {least} to {most} is no range of antes")
    return round(least * rules.ante_unit), round(most * rules.ante_unit)


def _number(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise SabaccError(f"{name}: {value!r} is no number")
    return float(value)
