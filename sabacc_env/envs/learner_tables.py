"""Many tables played from one seat each, a learner's, the others played inside.

Gymnasium's vector environment and the one for Stable-Baselines3 are forms of it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from sabacc_env.actions import encode_bet_sizes, num_actions
from sabacc_env.arguments import check_int, check_num_players, explain_memory_error, is_legal
from sabacc_env.array_types import Bools, Ints
from sabacc_env.engine.observation.blocks import OBSERVATION_SIZE
from sabacc_env.envs.episode_settings import EpisodeSettings
from sabacc_env.envs.observation_forms import get_piece
from sabacc_env.envs.saved_states import check_generator_state
from sabacc_env.errors import SabaccError
from sabacc_env.rules import RuleSet, load_rules
from sabacc_env.tables.arrays import BYTES_EACH
from sabacc_env.tables.tables import Tables

STATE_TYPES: Final = {
    "tables": bytes,
    "rng": dict,
    "seats": np.ndarray,
    "members": np.ndarray,
    "remembered": list,
    "next": dict,
}
"""What a state of ``LearnerTables`` holds."""

COMPARED_SETTINGS: Final[dict[str, Callable[[Any], Any]]] = {
    "num_tables": int,
    "num_players": int,
    "hands": int,
    "bet_sizes": lambda sizes: encode_bet_sizes(sizes).tobytes(),  # fractions become floats in it
}
"""What tables and a state of theirs have in common besides the rules, in forms that compare."""


class LearnerTables:
    """Many tables at which one seat is the learner's; it moves on by one at every episode.

    A step plays the learner's actions, then the opponents' until the learner is to act again at
    every table. Where an episode ends, the next one begins within the step. A hand that ends before
    the learner has acted in its episode is not reported: the learner had no decision in it.

    Args:
        rules: a rule set by name, path, or as a ``RuleSet``.
        num_envs: how many tables.
        num_players: seats at each.
        rng: decides the deals, the opponents' play and every draw.
        settings: the opponents, and what episodes start from.
        threads: how many threads step the tables; results do not depend on it.
        on_hand_end: is called with ``tables`` and those of them, (n,), at which a hand of the
            learner's has just ended, while it is the last one that they keep.

    Attributes:
        tables: the ``Tables``, where the learner is to act everywhere between two steps.
        seats: (num_envs,) the learner's seat at each.
        opponents: who plays the other seats.
        start_ranges: what episodes start from, where it is drawn.
        final_observations: (num_envs, OBSERVATION_SIZE) float32, what the learner saw at the end of
            its last episode at each table; rewritten in place.
        observation_space, action_space: of one table.
    """

    def __init__(
        self,
        rules: str | Path | RuleSet,
        num_envs: int,
        num_players: int,
        rng: np.random.Generator,
        settings: EpisodeSettings,
        *,
        threads: int = 1,
        on_hand_end: Callable[[Tables, Ints], None] | None = None,
    ) -> None:
        self.rules = load_rules(rules)
        self.num_players = check_num_players(self.rules, num_players)
        self.num_envs = check_int("num_envs", num_envs, 1, 2**31)
        self.start_ranges = settings.make_start_ranges(self.rules, self.num_players)
        self._settings, self._threads = settings, threads
        self._rng = rng
        self._on_hand_end = on_hand_end
        with explain_memory_error("num_envs", self.num_envs, BYTES_EACH):
            self.tables = self._new_tables()  # refuses what makes none
        self.opponents = settings.make_opponents(self.rules, self.num_envs, self.num_players)
        self._form = settings.make_observation_form()
        self.observation_space = self._form.space
        self.action_space = spaces.Discrete(num_actions(settings.bet_sizes))
        self._all = np.arange(self.num_envs)
        self.seats = self._all % self.num_players
        self.final_observations = np.zeros((self.num_envs, OBSERVATION_SIZE), dtype=np.float32)
        self._hands_counted = self._credits_counted = 0
        self._ready = False

    def _new_tables(self) -> Tables:
        # What the next episode of each table starts from.
        self._next_starts = self.start_ranges.draw(self.num_envs, self._rng)
        return Tables(
            self.rules,
            self.num_envs,
            self.num_players,
            seed=int(self._rng.integers(2**63)),
            hands=self._settings.hands,
            bet_sizes=self._settings.bet_sizes,
            threads=self._threads,
            credits=self._next_starts.get("credits"),
            sabacc_pots=self._next_starts.get("sabacc_pots"),
        )

    def begin(self, rng: np.random.Generator | None = None) -> None:
        """Start all tables again.

        Args:
            rng: decides all chance from now on, and the learner starts from its first seats; None
                goes on with the chance and the seats of before.
        """
        if rng is not None:
            self._rng = rng
            self.seats = self._all % self.num_players
        self.tables = self._new_tables()
        self.opponents.begin(self.tables)
        self._begin_episodes(self._all)
        self._advance_to_learner()

    def step(
        self, actions: Ints, indices: Ints | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Play the learner's actions at these tables (None: at all), and then the opponents'.

        Returns:
            For every table the net credits that the learner won or lost, in antes
            (``rules.ante_unit`` credits), and whether its episode ended.

        Raises:
            IllegalMove: for an action that is not legal; nothing moved.
            SabaccError: before ``begin``, for actions of a wrong shape or type, or an opponent
                that fails; ``begin`` again then.
        """
        self._check_ready()
        indices = self._all if indices is None else indices
        rewards = np.zeros(self.num_envs)
        playing = np.zeros(self.num_envs, dtype=np.bool_)
        playing[indices] = True
        counting = playing.copy()
        self._play(actions, indices, rewards, counting)
        self._play_opponents(rewards, counting)
        return rewards, playing & ~counting

    def step_or_end(
        self, actions: Ints, indices: Ints
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]:
        """Play as ``step`` does, but let an illegal action end the episode of its table alone.

        Returns:
            For every table the reward, -1 for an illegal action, whether its episode ended, and
            whether its action was illegal.
        """
        illegal = np.zeros(self.num_envs, dtype=np.bool_)
        illegal[indices] = ~is_legal(self.tables.action_masks[indices], actions)
        if illegal.any():
            self.restart(np.flatnonzero(illegal))
        legal = ~illegal[indices]
        rewards, ended = self.step(actions[legal], indices[legal])
        rewards[illegal] = -1
        return rewards, ended | illegal, illegal

    def restart(self, indices: Ints) -> None:
        """Abandon the learner's episodes at these tables, without a result, and begin new ones."""
        self._check_ready()
        self.final_observations[indices] = self.tables.observations[indices]
        self.tables.restart(indices)
        self.opponents.restart(indices)
        self._begin_episodes(indices)
        self._advance_to_learner()

    def _check_ready(self) -> None:
        if not self._ready:
            raise SabaccError("no episode is in play; call reset first")

    # Observing.

    def observations(self, ended: Bools | None = None) -> Any:
        """Return what the learner observes at every table, in the form asked for, in new arrays.

        Args:
            ended: (num_envs,) where to return the end of the last episode; None is nowhere.
        """
        flat, masks = self.tables.observations.copy(), self.tables.action_masks.copy()
        if ended is not None:
            flat[ended] = self.final_observations[ended]
            masks[ended] = 1
        return self._form.build(partial(get_piece, flat=flat, action_mask=masks))

    def final_observation(self, table: int) -> Any:
        """Return what the learner observed at the end of its last episode at a table."""
        flat = self.final_observations[table].copy()
        no_choice = np.ones_like(self.tables.action_masks[table])
        return self._form.build(partial(get_piece, flat=flat, action_mask=no_choice))

    # Playing.

    def _advance_to_learner(self) -> None:
        """Step the opponents until the learner is to act at every table; no result counts."""
        self._play_opponents(np.zeros(self.num_envs), np.zeros(self.num_envs, dtype=np.bool_))

    def _play_opponents(self, rewards: NDArray[np.float64], counting: NDArray[np.bool_]) -> None:
        """Step the opponents until the learner is to act at every table."""
        self._ready = False  # an opponent may fail
        while len(indices := np.flatnonzero(self.tables.seats_to_act != self.seats)):
            actions = self.opponents.actions(self.tables, indices, self._rng)
            self._play(actions, indices, rewards, counting)
        self._ready = True

    def _play(
        self,
        actions: Ints,
        indices: Ints,
        rewards: NDArray[np.float64],
        counting: NDArray[np.bool_],
    ) -> None:
        """Play actions at some tables; add up the results of hands, and note ended episodes.

        Results count where ``counting``: in episodes in which the learner has acted.
        """
        tables = self.tables
        tables.step(actions, indices)
        ended = np.flatnonzero(tables.finished)
        if not len(ended):
            return
        own = ended[counting[ended]]
        if self._on_hand_end is not None and len(own):
            self._on_hand_end(tables, own)
        net = tables.net_credits[own, self.seats[own]]
        rewards[own] += net / self.rules.ante_unit
        self._hands_counted += len(own)
        self._credits_counted += int((self.num_players * net).sum() - tables.net_credits[own].sum())
        over = np.flatnonzero(tables.match_finished)
        done = over[counting[over]]
        self.final_observations[done] = tables.final_observations(done, self.seats[done])
        counting[done] = False
        self.opponents.restart(ended)
        self._begin_episodes(over)

    def _begin_episodes(self, indices: Ints) -> None:
        """Move the learner's seat on; draw the opponents and the start of the episode after."""
        self.seats[indices] = (self.seats[indices] + 1) % self.num_players
        self.opponents.draw(indices, self._rng)
        drawn = self.start_ranges.draw(len(indices), self._rng)
        if drawn:
            for name, values in drawn.items():
                self._next_starts[name][indices] = values
            self.tables.set_episode_starts(indices, **drawn)

    def margin_since(self) -> tuple[int, float]:
        """Return the hands since the last call, and the learner's margin in them, in mante/hand.

        The margin is over the mean of the others at the table; with two seats it is half of that.
        """
        hands, credits = self._hands_counted, self._credits_counted
        self._hands_counted = self._credits_counted = 0
        others = self.num_players - 1 if self.num_players > 2 else 2
        return hands, 1000 * credits / (others * self.rules.ante_unit * max(1, hands))

    # Keeping.

    def state(self) -> dict[str, Any]:
        """Return everything but rules and opponents, for ``restore``."""
        return {
            "tables": self.tables.to_bytes(),
            "rng": self._rng.bit_generator.state,
            "seats": self.seats.copy(),
            "members": self.opponents.members.copy(),
            "remembered": self.opponents.memories(),
            "next": {name: values.copy() for name, values in self._next_starts.items()},
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a ``state`` of tables made alike.

        Raises:
            SabaccError: for any other state; the message says what differs, and nothing changes.
        """
        tables, starts = self._check_state(state)
        self.opponents.restore_memories(state["remembered"])  # first, for an agent may refuse it
        self._rng.bit_generator.state = state["rng"]
        self.seats[:] = state["seats"]
        self.opponents.members[:] = state["members"]
        self.tables, self._next_starts = tables, starts
        self._ready = True

    def _check_state(self, state: dict[str, Any]) -> tuple[Tables, dict[str, Ints]]:
        """Return a state's tables and what their next episodes start from, or refuse the state."""
        if not isinstance(state, dict) or any(
            not isinstance(state.get(name), kind) for name, kind in STATE_TYPES.items()
        ):
            raise SabaccError("state: this is not what an environment's state() returned")
        starts: dict[str, Any] = {name: np.array(each) for name, each in state["next"].items()}
        if set(starts) != set(self._next_starts):
            raise SabaccError(
                f"state: it draws {list(starts)} for each episode, and this environment draws "
                f"{list(self._next_starts)}"
            )
        tables = Tables.from_bytes(state["tables"], threads=self._threads, **starts)
        if tables.rules != self.rules:
            raise SabaccError(
                f"state: its rules, {tables.rules.name!r}, are not the rules of this environment"
            )
        for name, form in COMPARED_SETTINGS.items():
            its, own = getattr(tables, name), getattr(self.tables, name)
            if form(its) != form(own):
                raise SabaccError(f"state: it has {name} {its}, and this environment has {own}")
        for name, own in self._next_starts.items():
            if starts[name].shape != own.shape:
                raise SabaccError(f"state: its {name} must be whole numbers of shape {own.shape}")
        if not np.array_equal(state["seats"], tables.seats_to_act):
            raise SabaccError("state: there is a table at which the learner is not to act")
        self.opponents.check_members(state["members"])
        check_generator_state(self._rng, state["rng"])
        return tables, starts
