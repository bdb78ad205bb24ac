"""Gymnasium's vector environment on ``Tables``: ``gymnasium.make_vec("Sabacc-v0", num_envs=…)``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Unpack

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from sabacc_env.arguments import check_int, check_int_array, explain_memory_error
from sabacc_env.array_types import Bools, Ints
from sabacc_env.engine.drivers.results import OUTCOME_DTYPE
from sabacc_env.envs.episode_rules import AnyRules
from sabacc_env.envs.episode_settings import EpisodeKeywords, episode_settings
from sabacc_env.envs.hand_results import named_result, result_infos
from sabacc_env.envs.learner_tables import LearnerTables
from sabacc_env.envs.reset_options import select_options
from sabacc_env.envs.saved_states import (
    SavedState,
    StateKeeper,
    Types,
    check_array,
    check_types,
)
from sabacc_env.envs.table_values import are_outcomes
from sabacc_env.errors import SabaccError, short_repr

OWN_VALUES: Final[Types] = {
    "told_finished": np.ndarray,
    "told_illegal": np.ndarray,
    "finished": np.ndarray,
    "outcomes": np.ndarray,
    "waiting": np.ndarray,
    "final_observations": dict,
    "episode_steps": np.ndarray,
    "rng_seed": (int, type(None)),
}
"""What a saved state holds besides the values of the learner's tables."""

Step = tuple[Any, NDArray[np.float64], Bools, Bools, dict[str, Any]]


class SabaccVectorEnv(VectorEnv[Any, Ints, NDArray[Any]]):
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
    actions, or all ones where no action counts: it is ignored, or the table has to be reset.
    An illegal action ends the episode of its table alone, with reward -1.

    The other infos are those of ``Sabacc-v0`` too, a row or entry a table, with the same keys,
    shapes and types at every step and reset, and beside each an array ``_name`` that says where it
    is told: everywhere. ``hand_finished`` is (num_envs,) bool, ``net_credits`` and ``winners``
    (num_envs, num_players) int64, ``revealed`` (num_envs, num_players) int8, ``sabacc_pot``
    (num_envs,) int64 and ``illegal_action`` (num_envs,) bool. Under ``SAME_STEP``, ``final_info``
    has the same keys for the tables whose episode ended, and there ``info`` is of the next episode.
    ``hand_results()`` says the same with the names of agents and revealed hands.

    Args:
        num_envs: how many tables.
        rules: a rule set by name, path, or as a ``RuleSet``; or a ``RuleSpace``, of whose rule sets
            every episode draws one: ``learner.tables.rule_of`` says which.
        num_players: seats at each table.
        threads: how many threads step the tables; results do not depend on it.
        max_episode_steps: an episode is truncated after so many decisions of the learner; None is
            never.
        render_mode: None; ``Sabacc-v0`` renders one table.
        autoreset_mode: an ``AutoresetMode``, its name or its value, in capitals or not.
        undo_steps: how many of the last steps ``undo`` can take back; each keeps a copy of all
            tables, about 4 kB a table.
        settings: the fields of ``EpisodeSettings`` by keyword: ``opponents``, ``weights``,
            ``hands``, ``bet_sizes``, ``stacks``, ``equal_stacks``, ``sabacc_pots``,
            ``observation``, ``max_tokens``, ``record_hands`` and ``record_every``.

    Raises:
        SabaccError: for arguments that make no environment; one sentence that names the argument.
        TypeError: for an unknown keyword.

    Attributes:
        learner: the ``LearnerTables``; ``learner.tables`` are the ``Tables``.
        autoreset_mode: as given.

    >>> envs = SabaccVectorEnv(num_envs=8, rules="orsl", num_players=4)
    >>> observations, info = envs.reset(seed=0)
    >>> observations.shape, info["action_mask"].shape
    ((8, 400), (8, 33))
    >>> _, rewards, *_ = envs.step(envs.action_masks().argmax(axis=1))
    """

    def __init__(
        self,
        num_envs: int = 1,
        rules: AnyRules = "casino",
        num_players: int = 2,
        *,
        threads: int = 1,
        max_episode_steps: int | None = None,
        render_mode: None = None,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        undo_steps: int = 0,
        **settings: Unpack[EpisodeKeywords],
    ) -> None:
        self.autoreset_mode = _check_autoreset_mode(autoreset_mode)
        self.metadata = {"render_modes": [], "autoreset_mode": self.autoreset_mode}
        if render_mode is not None:
            raise SabaccError(
                f"render_mode: {short_repr(render_mode)} is for one table; use gymnasium.make"
            )
        self._max_episode_steps = (
            None
            if max_episode_steps is None
            else check_int("max_episode_steps", max_episode_steps, 1, 2**62)
        )
        self.num_envs = check_int("num_envs", num_envs, 1, 2**31)
        with explain_memory_error("num_envs", self.num_envs, OUTCOME_DTYPE.itemsize):
            self._finished = np.zeros(self.num_envs, dtype=np.bool_)  # a hand, in the last step
            self._episode_steps = np.zeros(self.num_envs, dtype=np.int64)
        self.learner = LearnerTables(
            rules,
            self.num_envs,
            num_players,
            self.np_random,
            episode_settings(SabaccVectorEnv, **settings),
            threads=threads,
        )
        self.single_observation_space = self.learner.observation_space
        self.single_action_space = self.learner.action_space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._waiting = np.zeros(self.num_envs, dtype=np.bool_)
        nowhere = np.zeros(self.num_envs, dtype=np.bool_)
        self._told = nowhere, nowhere  # the tables of whose ends and illegal actions infos told
        made = self.learner.made() | {
            "opponents": len(self.learner.opponents.agents),
            "autoreset_mode": self.autoreset_mode.value,
            "max_episode_steps": self._max_episode_steps,
        }
        self._states = StateKeeper("SabaccVectorEnv", made, undo_steps)
        self._agents = [f"player_{seat}" for seat in range(self.learner.num_players)]

    @property
    def np_random(self) -> np.random.Generator:
        """The generator that decides the opponents' play and every draw, and deals at a reset.

        Another one may be assigned: it decides from then on. The hands of an episode in play and
        those after it follow from the seed that the last reset of all tables drew.
        """
        return super().np_random

    @np_random.setter
    def np_random(self, value: np.random.Generator) -> None:
        if not isinstance(value, np.random.Generator):
            raise SabaccError(f"np_random: {short_repr(value)} is not a numpy.random.Generator")
        self._np_random, self._np_random_seed = value, -1  # unknown, as Gymnasium has it
        self.learner.rng = value

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start all tables anew, or those of ``options["reset_mask"]``, (num_envs,) bool.

        Args:
            seed: decides the deals, the opponents' play and every draw; None goes on from before.
            options: may hold ``reset_mask``.

        Raises:
            SabaccError: for a wrong seed or mask, or both: a seed starts all tables anew.
        """
        mask = select_options(options, ("reset_mask",)).get("reset_mask")
        if mask is None:
            rng = None
            if seed is not None:
                super().reset(seed=check_int("seed", seed, 0, 2**64 - 1))
                rng = self.np_random
            self.learner.begin(rng)
            self._waiting[:] = False
            self._episode_steps[:] = 0
        else:
            if seed is not None:
                raise SabaccError(
                    "seed: a seed restarts all tables; give either a seed or reset_mask"
                )
            chosen = self._checked_mask(mask)
            self.learner.restart(np.flatnonzero(chosen & ~self._waiting))
            self._waiting[chosen] = False
            self._episode_steps[chosen] = 0
        self._finished = np.zeros(self.num_envs, dtype=np.bool_)
        self._states.forget_steps()
        nowhere = np.zeros(self.num_envs, dtype=np.bool_)
        return self.learner.observations(self._waiting), self._info(nowhere, nowhere)

    def step(self, actions: ArrayLike) -> Step:
        """Play the learner's actions, (num_envs,), and the opponents' until it is to act again.

        Returns:
            Observations (num_envs, size) float32, rewards (num_envs,) float64, terminations and
            truncations (num_envs,) bool, and infos.

        Raises:
            SabaccError: before the first reset, for actions of a wrong shape or type, for a table
                that has to be reset first, or for an opponent that fails.
        """
        chosen = check_int_array("actions", actions, self.num_envs)
        if self.autoreset_mode is AutoresetMode.DISABLED and self._waiting.any():
            raise SabaccError(
                f"step: the episode at table {self._waiting.argmax()} is over; reset it first, "
                "with options={'reset_mask': ...}"
            )
        if self._states.keeps_steps:
            self._states.keep(self._state_values())
        playing = np.flatnonzero(~self._waiting)
        step = self.learner.step_or_end(chosen[playing], playing)
        rewards, terminated, illegal = step.rewards, step.episode_over, step.illegal
        self._finished = step.hand_finished
        truncated = self._truncate(playing, terminated)
        ended = terminated | truncated
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            info = self._info(self._finished & ~ended, illegal & ~ended)
            info |= self._final_info(ended, illegal)
        else:
            self._waiting = ended
            info = self._info(self._finished, illegal)
        return self.learner.observations(self._waiting), rewards, terminated, truncated, info

    def _truncate(self, playing: Ints, terminated: Bools) -> Bools:
        """Abandon episodes that have had all their steps; return at which tables, (num_envs,)."""
        truncated = np.zeros_like(terminated)
        if self._max_episode_steps is not None:
            self._episode_steps[playing] += 1
            truncated = ~terminated & (self._episode_steps == self._max_episode_steps)
            if truncated.any():
                self.learner.restart(np.flatnonzero(truncated))
            self._episode_steps[terminated | truncated] = 0
        return truncated

    def states(self) -> NDArray[np.float32]:
        """Return everything about the hands in play, a row for each table: ``Tables.states``."""
        return self.learner.tables.states(np.arange(self.num_envs))

    def action_masks(self) -> Bools:
        """Return what the next step takes, (num_envs, num_actions); as ``info["action_mask"]``."""
        return self._masks().astype(np.bool_)

    def _masks(self) -> NDArray[np.int8]:
        masks = self.learner.tables.action_masks.copy()
        masks[self._waiting] = 1
        return masks

    def _info(self, finished: Bools, illegal: Bools) -> dict[str, Any]:
        """Return infos of all tables, as Gymnasium lays them out.

        Args:
            finished: the tables to tell of a hand that ended there, (num_envs,).
            illegal: those to tell of an illegal action.
        """
        self._told = finished, illegal
        everywhere = np.ones(self.num_envs, dtype=np.bool_)
        return _with_presence(self._values(self._masks(), finished, illegal), everywhere)

    def _values(self, masks: NDArray[np.int8], finished: Bools, illegal: Bools) -> dict[str, Any]:
        results = result_infos(self.learner.outcomes, finished, self.learner.num_players)
        return {"action_mask": masks, **results, "illegal_action": illegal.copy()}

    def hand_results(self) -> list[dict[str, Any] | None]:
        """Return how the hands of the last step ended, by names: for each table, None if none did.

        After a reset, of whichever tables, there is None everywhere.

        Returns:
            For each table the dict of ``SabaccAEC.hand_result``, of the last hand that ended there.
        """
        rules = self.learner.rules_of_outcomes()
        return [
            named_result(outcome, rules[table].ranking, self._agents) if finished else None
            for table, (outcome, finished) in enumerate(
                zip(self.learner.outcomes, self._finished, strict=True)
            )
        ]

    def _final_info(self, ended: Bools, illegal: Bools) -> dict[str, Any]:
        """Return what ``SAME_STEP`` tells of episodes, where they ended."""
        if not ended.any():
            return {}
        final_observations = [
            self.learner.final_observation(table) for table in np.flatnonzero(ended).tolist()
        ]
        masks = np.ones_like(self.learner.tables.action_masks)
        values = self._values(masks, self._finished & ended, illegal & ended)
        final_info = _with_presence(values, ended)
        final = {"final_obs": _object_array(final_observations, ended), "final_info": final_info}
        return _with_presence(final, ended)

    # Saved states.

    def save_state(self) -> SavedState:
        """Return where the tables stand, for ``restore_state``: also their chance to come.

        What opponents remember is in it, if they have ``memory`` (``sabacc_env.agent.Agent``).

        Raises:
            SabaccError: before the first reset.
        """
        return self._states.save(self._state_values())

    def restore_state(self, state: SavedState) -> tuple[Any, dict[str, Any]]:
        """Go on from a state that ``save_state`` returned, here or in an environment made alike.

        Alike are all arguments but ``threads`` and ``undo_steps``; opponents are not in the state.

        Returns:
            Observations and infos, as the step or reset that led there returned them, but for the
            ``final_obs`` and ``final_info`` of ``SAME_STEP``, which are told once.

        Raises:
            SabaccError: for any other state; says what differs, and nothing has changed.
        """
        self._go_to(self._states.values_of(state, self._check_values))
        self._states.forget_steps()
        return self.learner.observations(self._waiting), self._info(*self._told)

    def undo(self) -> tuple[Any, dict[str, Any]]:
        """Go back to before the last step, at all tables.

        The generator goes back too, so the same actions meet the same answers again. Only the last
        ``undo_steps`` steps since the last reset, of whichever tables, are kept.

        Returns:
            Observations and infos, as of ``restore_state``.

        Raises:
            SabaccError: where no step is kept, or an opponent refuses its memory.
        """
        self._go_to(self._states.before_last_step())
        self._states.forget_last_step()
        return self.learner.observations(self._waiting), self._info(*self._told)

    def _state_values(self) -> dict[str, Any]:
        return self.learner.save() | {
            "told_finished": self._told[0].copy(),
            "told_illegal": self._told[1].copy(),
            "finished": self._finished.copy(),
            "outcomes": _as_numbers(self.learner.outcomes[self._finished]),
            "waiting": self._waiting.copy(),
            "final_observations": {
                form: rows[self._waiting] for form, rows in self.learner.final_rows.items()
            },
            "episode_steps": self._episode_steps.copy(),
            "rng_seed": self._np_random_seed,
        }

    def _check_values(self, values: dict[str, Any]) -> None:
        """Refuse values that are not of such tables."""
        self.learner.check_values({name: values[name] for name in values if name not in OWN_VALUES})
        check_types({name: values[name] for name in OWN_VALUES if name in values}, OWN_VALUES)
        for name in ("told_finished", "told_illegal", "finished", "waiting", "episode_steps"):
            dtype = np.int64 if name == "episode_steps" else np.bool_
            check_array(name, values[name], dtype, (self.num_envs,))
        waiting, steps = int(values["waiting"].sum()), values["episode_steps"]
        final = values["final_observations"]
        if final.keys() != self.learner.final_rows.keys():
            raise SabaccError("state: its final_observations are of another form")
        for form, rows in self.learner.final_rows.items():
            check_array("final_observations", final[form], rows.dtype, (waiting, *rows.shape[1:]))
        if waiting and self.autoreset_mode is AutoresetMode.SAME_STEP:
            raise SabaccError("state: a table waits, which none does under SAME_STEP")
        if steps.min() < 0 or steps.max() >= (self._max_episode_steps or np.inf):
            raise SabaccError("state: its episode_steps are out of range")
        finished = int(values["finished"].sum())
        width = OUTCOME_DTYPE.itemsize // 8
        check_array("outcomes", values["outcomes"], np.int64, (finished, width))
        outcomes = _as_outcomes(values["outcomes"])
        rules = self.learner.tables.rule_sets
        rankings = [rules[i].ranking for i in values["outcome_rules"][values["finished"]].tolist()]
        if not are_outcomes(outcomes, rankings, self._agents):
            raise SabaccError("state: its outcomes are none that hands can have")

    def _go_to(self, values: dict[str, Any]) -> None:
        """Stand where an environment stood whose ``_state_values`` these are."""
        self.learner.restore({name: values[name] for name in values if name not in OWN_VALUES})
        self._np_random_seed = values["rng_seed"]
        self._told = values["told_finished"].copy(), values["told_illegal"].copy()
        self._finished = values["finished"].copy()
        self.learner.outcomes[self._finished] = _as_outcomes(values["outcomes"])
        self._waiting = values["waiting"].copy()
        for form, rows in self.learner.final_rows.items():
            rows[self._waiting] = values["final_observations"][form]
        self._episode_steps[:] = values["episode_steps"]

    def _checked_mask(self, mask: Any) -> Bools:
        chosen = np.asarray(mask)
        if chosen.shape != (self.num_envs,) or chosen.dtype != np.bool_ or not chosen.any():
            raise SabaccError(
                f"reset_mask: give an array of {self.num_envs} bool, at least one of them True"
            )
        return chosen


def _as_numbers(outcomes: NDArray[Any]) -> Ints:
    """Return outcomes as (n, numbers) int64, all of them in a row."""
    width = OUTCOME_DTYPE.itemsize // 8
    return np.frombuffer(outcomes.tobytes(), np.int64).reshape(len(outcomes), width)


def _as_outcomes(numbers: Ints) -> NDArray[Any]:
    """Return the outcomes that ``_as_numbers`` returned."""
    return np.frombuffer(numbers.tobytes(), OUTCOME_DTYPE)


def _object_array(values: list[Any], where: Bools) -> NDArray[Any]:
    """Return an array of objects, those given where they belong, and None elsewhere."""
    spread = np.full(len(where), None, dtype=object)
    for table, value in zip(np.flatnonzero(where).tolist(), values, strict=True):
        spread[table] = value
    return spread


def _with_presence(info: dict[str, Any], where: Bools) -> dict[str, Any]:
    """Return infos with an array beside each that says where they are, as Gymnasium has it."""
    return info | {f"_{name}": where.copy() for name in info}


def _check_autoreset_mode(autoreset_mode: str | AutoresetMode) -> AutoresetMode:
    if isinstance(autoreset_mode, AutoresetMode):
        return autoreset_mode
    if isinstance(autoreset_mode, str):
        spelled = autoreset_mode.replace("_", "").lower()  # both "SAME_STEP" and "SameStep"
        for mode in AutoresetMode:
            if mode.value.lower() == spelled:
                return mode
    raise SabaccError(
        f"unknown autoreset_mode {short_repr(autoreset_mode)}; use an AutoresetMode or one of "
        f"{', '.join(mode.value for mode in AutoresetMode)}"
    )
