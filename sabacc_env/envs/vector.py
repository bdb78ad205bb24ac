"""Gymnasium's vector environment on ``Tables``: ``gymnasium.make_vec("Sabacc-v0", num_envs=…)``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from sabacc_env.checks import allowed, whole, whole_numbers
from sabacc_env.engine.actions import DEFAULT_BET_SIZES, BetSize
from sabacc_env.envs.learner_seat import AnyOpponents, Floats, Ints, LearnerTables, Range
from sabacc_env.envs.options import known_options
from sabacc_env.errors import SabaccError
from sabacc_env.rules import RuleSet

Bools = NDArray[np.bool_]
Step = tuple[Floats, NDArray[np.float64], Bools, Bools, dict[str, Any]]


class SabaccVectorEnv(VectorEnv[Floats, Ints, NDArray[Any]]):
    """Many tables as one Gymnasium vector environment, stepped together by the compiled engine.

    At each table one seat is the learner's; it moves on by one at every episode, and the others
    draw their agents then. Observations, actions, rewards and the ends of episodes are those of
    ``Sabacc-v0`` (``envs.single_seat.SabaccEnv``), one row or entry a table.

    What happens where an episode ends is for the mode to say (Gymnasium's ``AutoresetMode``):

    - ``NEXT_STEP``: the step that ends it returns the final observation; the next step ignores the
      action for that table and returns the first observation of the next episode, with reward 0.
    - ``SAME_STEP``: the step that ends it returns that first observation at once;
      ``info["final_obs"]`` and ``info["final_info"]`` hold what the episode ended with.
    - ``DISABLED``: the table waits for ``reset(options={"reset_mask": …})``, and no step is
      played before. Any table may be reset, in the other modes too.

    ``info["action_mask"]``, (num_envs, num_actions) int8, holds what the next step takes: the legal
    actions; where it ignores the action, all ones; where the table has to be reset, all zeros.
    An illegal action ends the episode of its table alone, with reward -1 and
    ``info["illegal_action"]``; under ``SAME_STEP`` that is in ``final_info``.

    Args:
        num_envs: how many tables.
        rules: a rule set by name, path, or as a ``RuleSet``.
        num_players: seats at each table.
        opponents: a registered name or an agent, or several that each seat draws from.
        weights: how often each of them is drawn, in proportion; None is equally often.
        hands: hands in an episode (see ``Tables``).
        bet_sizes: what the bet actions mean.
        stacks, equal_stacks, sabacc_pots: what episodes start from, where it is drawn
            (``envs.learner_seat.StakeRanges``).
        threads: how many threads step the tables; results do not depend on it.
        autoreset_mode: an ``AutoresetMode`` or its value.

    Raises:
        SabaccError: for arguments that make no environment; one sentence that names the argument.

    Attributes:
        learner: the ``LearnerTables``; ``learner.tables`` are the ``Tables``.

    >>> envs = SabaccVectorEnv(num_envs=8, rules="orsl", num_players=4)
    >>> observations, info = envs.reset(seed=0)
    >>> observations.shape, info["action_mask"].shape
    ((8, 400), (8, 33))
    >>> _, rewards, *_ = envs.step(envs.action_masks().argmax(axis=1))
    """

    def __init__(
        self,
        num_envs: int = 1,
        rules: str | Path | RuleSet = "casino",
        num_players: int = 2,
        *,
        opponents: AnyOpponents = "random",
        weights: Sequence[float] | None = None,
        hands: int = 1,
        bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
        stacks: Range | None = None,
        equal_stacks: bool = False,
        sabacc_pots: Range | None = None,
        threads: int = 1,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
    ) -> None:
        self._mode = _mode(autoreset_mode)
        self.metadata = {"render_modes": [], "autoreset_mode": self._mode}
        self.learner = LearnerTables(
            rules,
            num_envs,
            num_players,
            self.np_random,
            opponents=opponents,
            weights=weights,
            hands=hands,
            bet_sizes=bet_sizes,
            stacks=stacks,
            equal_stacks=equal_stacks,
            sabacc_pots=sabacc_pots,
            threads=threads,
        )
        self.num_envs = self.learner.num_envs
        self.single_observation_space = self.learner.observation_space
        self.single_action_space = self.learner.action_space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._waiting = np.zeros(self.num_envs, dtype=np.bool_)

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Floats, dict[str, Any]]:
        """Start all tables anew, or those of ``options["reset_mask"]``, (num_envs,) bool.

        Args:
            seed: decides the deals, the opponents' play and every draw; None goes on from before.
            options: may hold ``reset_mask``.

        Raises:
            SabaccError: for a wrong seed or mask, or both: a seed starts all tables anew.
        """
        mask = known_options(options, ("reset_mask",)).get("reset_mask")
        if mask is None:
            rng = None
            if seed is not None:
                super().reset(seed=whole("seed", seed, 0, 2**64 - 1))
                rng = self.np_random
            self.learner.begin(rng)
            self._waiting[:] = False
        else:
            if seed is not None:
                raise SabaccError("seed: it starts all tables anew; leave out reset_mask, or it")
            chosen = self._checked_mask(mask)
            self.learner.restart(np.flatnonzero(chosen & ~self._waiting))
            self._waiting[chosen] = False
        return self._observations(), self._info()

    def step(self, actions: ArrayLike) -> Step:
        """Play the learner's actions, (num_envs,), and the opponents' until it is to act again.

        Returns:
            Observations (num_envs, size) float32, rewards (num_envs,) float64, terminations and
            truncations (num_envs,) bool, and infos.

        Raises:
            SabaccError: before the first reset, for actions of a wrong shape or type, for a table
                that has to be reset first, or for an opponent that fails.
        """
        chosen = whole_numbers("actions", actions, self.num_envs)
        ignored = self._waiting.copy()
        if self._mode is AutoresetMode.DISABLED and ignored.any():
            raise SabaccError(
                f"step: the episode at table {ignored.argmax()} is over; reset it before, with "
                "options={'reset_mask': ...}"
            )
        illegal = ~ignored & ~allowed(self.learner.tables.action_masks, chosen)
        if illegal.any():
            self.learner.restart(np.flatnonzero(illegal))
        playing = np.flatnonzero(~ignored & ~illegal)
        rewards, ended = self.learner.step(chosen[playing], playing)
        rewards[illegal] = -1
        ended |= illegal
        told = {}
        if illegal.any():
            told = {"illegal_action": illegal, "_illegal_action": illegal.copy()}
        if self._mode is not AutoresetMode.SAME_STEP:
            self._waiting = ended.copy()
        elif ended.any():
            told = self._final_info(ended, told)
        return self._observations(), rewards, ended, np.zeros_like(ended), self._info() | told

    def action_masks(self) -> Bools:
        """Return what the next step takes, (num_envs, num_actions); as ``info["action_mask"]``."""
        return self._masks().astype(np.bool_)

    def _masks(self) -> NDArray[np.int8]:
        masks = self.learner.tables.action_masks.copy()
        masks[self._waiting] = self._mode is AutoresetMode.NEXT_STEP
        return masks

    def _observations(self) -> Floats:
        observations: Floats = self.learner.tables.observations.copy()
        observations[self._waiting] = self.learner.finals[self._waiting]
        return observations

    def _info(self) -> dict[str, Any]:
        everywhere = np.ones(self.num_envs, dtype=np.bool_)
        return {"action_mask": self._masks(), "_action_mask": everywhere}

    def _final_info(self, ended: Bools, told: dict[str, Any]) -> dict[str, Any]:
        """Return what ``SAME_STEP`` tells of the episodes that ended, as Gymnasium lays it out."""
        final_obs = np.full(self.num_envs, None, dtype=object)
        for table in np.flatnonzero(ended):
            final_obs[table] = self.learner.finals[table].copy()
        masks = np.zeros_like(self.learner.tables.action_masks)
        final_info = {"action_mask": masks, "_action_mask": ended.copy(), **told}
        return {
            "final_obs": final_obs,
            "_final_obs": ended.copy(),
            "final_info": final_info,
            "_final_info": ended.copy(),
        }

    def _checked_mask(self, mask: Any) -> Bools:
        chosen = np.asarray(mask)
        if chosen.shape != (self.num_envs,) or chosen.dtype != np.bool_ or not chosen.any():
            raise SabaccError(
                f"reset_mask: give an array of {self.num_envs} bool, at least one of them True"
            )
        return chosen


def _mode(autoreset_mode: str | AutoresetMode) -> AutoresetMode:
    try:
        return AutoresetMode(autoreset_mode)
    except ValueError:
        known = ", ".join(mode.value for mode in AutoresetMode)
        raise SabaccError(
            f"autoreset_mode: {autoreset_mode!r} is unknown; use an AutoresetMode or one of {known}"
        ) from None
