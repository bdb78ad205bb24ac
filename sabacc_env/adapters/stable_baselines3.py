"""Stable-Baselines3: a batched ``VecEnv`` over ``Tables``, one learner's seat at each table.

The other seats are played inside, batched too, so that the learner sees a single-agent problem.
It is the environment that sb3-contrib's ``MaskablePPO`` wants: ``action_masks`` included.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, Literal, Unpack

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env.base_vec_env import (
    VecEnv,
    VecEnvIndices,
    VecEnvStepReturn,
)

from sabacc_env.arguments import check_int, check_int_array, check_number
from sabacc_env.envs.episode_rules import AnyRules
from sabacc_env.envs.episode_settings import EpisodeKeywords, episode_settings
from sabacc_env.envs.learner_tables import LearnerTables
from sabacc_env.envs.opponents import AnyOpponents
from sabacc_env.envs.saved_states import SavedState, StateKeeper
from sabacc_env.envs.start_ranges import Range
from sabacc_env.errors import IllegalMove, SabaccError, short_repr
from sabacc_env.tables.tables import Tables

Observations = NDArray[Any] | dict[str, NDArray[Any]]

HOW_TO_MASK: Final = (
    "use the masks, with MaskablePPO, evaluate_policy and MaskableEvalCallback of sb3_contrib, or "
    'make the environment with illegal="end"'
)
"""What to do about an illegal action."""


class SabaccVecEnv(VecEnv):
    """Many tables as one Stable-Baselines3 environment, the opponents stepped inside.

    At each table one seat is the learner's; it moves on by one at every episode. The others are
    drawn from ``opponents`` when an episode starts. A step plays the learner's actions, then the
    opponents' until the learner is to act again at every table.

    The reward is what the learner won or lost itself, in antes (``rules.ante_unit`` credits)
    divided by ``reward_scale``, on its last step of the hand. A hand that ends before the learner
    has acted in its episode is left out: the learner had no decision in it, so no step stands for
    it and no step gets its result.

    Tables restart at once; what the learner saw of the end is the ``terminal_observation`` in
    ``infos``. No episode is ever truncated, so nothing is bootstrapped from it.

    Args:
        rules: a rule set by name, path, or as a ``RuleSet``; or a ``RuleSpace``, of whose rule sets
            every episode draws one.
        num_envs: how many tables.
        num_players: seats at each table.
        seed: decides the deals, the opponents' play and every draw; None is random.
        illegal: what an illegal action does: "raise" an ``IllegalMove``, for learners that use the
            masks, or "end" the episode of its table with reward -1 and ``illegal_action`` in its
            info, as ``Sabacc-v0`` does, for learners that do not.
        reward_scale: antes that make a reward of 1.
        threads: how many threads step the tables; results do not depend on it.
        undo_steps: how many of the last steps ``undo`` can take back; each keeps a copy of all
            tables, about 4 kB a table.
        settings: the fields of ``EpisodeSettings`` by keyword: ``opponents``, ``weights``,
            ``hands``, ``bet_sizes``, ``stacks``, ``equal_stacks``, ``sabacc_pots``,
            ``observation``, ``max_tokens``, ``record_hands`` and ``record_every``.

    Raises:
        SabaccError: for arguments that make no environment; one sentence that names the argument.
        TypeError: for an unknown keyword.

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
        rules: AnyRules,
        num_envs: int,
        num_players: int = 2,
        *,
        seed: int | None = None,
        illegal: Literal["raise", "end"] = "raise",
        reward_scale: float = 1.0,
        threads: int = 1,
        undo_steps: int = 0,
        **settings: Unpack[EpisodeKeywords],
    ) -> None:
        if not 0 < check_number("reward_scale", reward_scale) < math.inf:
            raise SabaccError(f"reward_scale: {short_repr(reward_scale)} is not above 0")
        self._reward_scale = reward_scale
        if not isinstance(illegal, str) or illegal not in ("raise", "end"):
            raise SabaccError(f'illegal: {short_repr(illegal)} is unknown; use "raise" or "end"')
        self._ends_illegal = illegal == "end"
        if seed is not None:
            seed = check_int("seed", seed, 0, 2**64 - 1)
        self._learner = LearnerTables(
            rules,
            num_envs,
            num_players,
            np.random.default_rng(seed),
            episode_settings(SabaccVecEnv, **settings),
            threads=threads,
        )
        learner = self._learner
        self._states = StateKeeper("SabaccVecEnv", learner.made(), undo_steps)
        super().__init__(learner.num_envs, learner.observation_space, learner.action_space)
        self._infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        self._to_play = np.zeros(self.num_envs, dtype=np.int64)

    @property
    def tables(self) -> Tables:
        """The tables, where the learner is to act everywhere between two steps."""
        return self._learner.tables

    def set_opponents(
        self, opponents: AnyOpponents, weights: Sequence[float] | None = None
    ) -> None:
        """Play against these from the next episodes on.

        A running episode goes on with the agent at the same place of the new list.

        Raises:
            SabaccError: for an opponent that is not an agent, fewer opponents than are in use, or
                weights that are not proportions.
        """
        self._learner.opponents.set_agents(opponents, weights)

    def set_start_ranges(self, stacks: Range | None, sabacc_pots: Range | None) -> None:
        """Draw starts from these ranges, in antes, from the second next episodes on.

        What the next episodes start from is already drawn.

        Raises:
            SabaccError: for anything that is not a range, or a change between a range and None.
        """
        self._learner.start_ranges.change(stacks, sabacc_pots)

    def margin_since(self) -> tuple[int, float]:
        """Return the hands since the last call, and the learner's margin in them, in mante/hand.

        The margin is over the mean of the others at the table; with two seats it is half of that.
        """
        return self._learner.margin_since()

    # Saved states.

    def save_state(self) -> SavedState:
        """Return where the tables stand, for ``restore_state``: also their chance to come.

        What opponents remember is in it, if they have ``memory`` (``sabacc_env.agent.Agent``).

        Raises:
            SabaccError: before the first reset.
        """
        return self._states.save(self._state_values())

    def restore_state(self, state: SavedState) -> Observations:
        """Go on from a state that ``save_state`` returned, here or in an environment made alike.

        Alike are rules, players, hands, bet sizes, the number of tables, and whether starts are
        drawn; opponents are not in the state.

        Returns:
            The learner's observations.

        Raises:
            SabaccError: for any other state; says what differs, and nothing has changed.
        """
        self._go_to(self._states.values_of(state, self._check_values))
        self._states.forget_steps()
        return self._observations()

    def undo(self) -> Observations:
        """Go back to before the last step, at all tables; return the learner's observations.

        The generator goes back too, so the same actions meet the same answers again. Only the last
        ``undo_steps`` steps since the last reset are kept.

        Raises:
            SabaccError: where no step is kept, or an opponent refuses its memory.
        """
        self._go_to(self._states.before_last_step())
        self._states.forget_last_step()
        return self._observations()

    def _state_values(self) -> dict[str, Any]:
        return self._learner.save() | {"seed_given": self._seeds[0]}

    def _check_values(self, values: dict[str, Any]) -> None:
        if "seed_given" not in values:
            raise SabaccError("state: this is not what save_state returned")
        if values["seed_given"] is not None:
            check_int("state: its seed_given", values["seed_given"], 0, 2**64 - 1)

    def _go_to(self, values: dict[str, Any]) -> None:
        self._learner.restore({name: values[name] for name in values if name != "seed_given"})
        self._reset_seeds()
        if values["seed_given"] is not None:  # else it would be a random one
            self.seed(values["seed_given"])

    # What Stable-Baselines3 calls.

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Decide by a seed what the next ``reset`` starts from; None is random.

        Raises:
            SabaccError: for anything that is not a seed.
        """
        return super().seed(None if seed is None else check_int("seed", seed, 0, 2**64 - 1))

    def reset(self) -> Observations:
        """Start every table anew and return the learner's observations, a row for each."""
        seed = self._seeds[0]
        self._learner.begin(None if seed is None else np.random.default_rng(seed))
        self._reset_seeds()
        self._reset_options()
        self._states.forget_steps()
        return self._observations()

    def _observations(self) -> Observations:
        observations: Observations = self._learner.observations()
        return observations

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Take the learner's actions, (num_envs,)."""
        self._to_play = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Play them, and the opponents until the learner is to act again everywhere.

        Returns:
            Observations, a row for each table, rewards (num_envs,) float32, dones (num_envs,) bool,
            and infos, which are empty but for a ``terminal_observation`` where an episode ended,
            and ``illegal_action`` where it ended by one.

        Raises:
            IllegalMove: for an action that is not legal, unless that ends the episode; nothing
                moved.
            SabaccError: before the first ``reset``, for actions of a wrong shape or type, or an
                opponent that fails.
        """
        learner = self._learner
        before = self._state_values() if self._states.keeps_steps else None
        if self._ends_illegal:
            actions = check_int_array("actions", self._to_play, self.num_envs)
            step = learner.step_or_end(actions, np.arange(self.num_envs))
        else:
            step = learner.step(self._legal_actions())
        if before is not None:
            self._states.keep(before)
        dones, illegal = step.episode_over, step.illegal
        rewards = np.where(illegal, -1, step.rewards / self._reward_scale).astype(np.float32)
        infos = self._infos.copy()
        for table in np.flatnonzero(dones).tolist():
            infos[table] = {"terminal_observation": learner.final_observation(table)}
            if illegal[table]:
                infos[table]["illegal_action"] = True
        return self._observations(), rewards, dones, infos

    def _legal_actions(self) -> NDArray[np.int64]:
        """Return the learner's actions, checked; an illegal one most likely comes without masks."""
        try:
            return self._learner.check_legal(self._to_play)
        except IllegalMove as error:
            raise IllegalMove(f"{error}; {HOW_TO_MASK}") from None

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
        every = np.arange(self.num_envs)
        if indices is None:
            return every
        try:
            return np.atleast_1d(every[np.array(indices, dtype=np.int64)])
        except (IndexError, TypeError, ValueError, OverflowError):
            raise SabaccError(
                f"indices: {short_repr(indices)} are not tables from 0 to {self.num_envs - 1}"
            ) from None
