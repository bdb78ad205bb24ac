"""Many tables played from one seat each, a learner's, the others played inside.

Gymnasium's vector environment and the one for Stable-Baselines3 are forms of it.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from gymnasium import spaces
from numpy.typing import ArrayLike, NDArray

from sabacc_env import agent_calls
from sabacc_env.actions import num_actions
from sabacc_env.arguments import check_int, explain_memory_error
from sabacc_env.array_types import Bools, Ints
from sabacc_env.engine.drivers.learner_loop import (
    EPISODE_BEGAN,
    HAND_ENDED,
    ILLEGAL,
    Learners,
    LearnerStep,
    play_learners,
)
from sabacc_env.engine.drivers.move_log import MAX_MOVES, empty_move_log
from sabacc_env.engine.drivers.results import OUTCOME_DTYPE
from sabacc_env.engine.observation.blocks import OBSERVATION_DTYPE, OBSERVATION_SIZE
from sabacc_env.engine.observation.planes import PLANES_SHAPE
from sabacc_env.envs.before_reset import NO_EPISODE
from sabacc_env.envs.episode_rules import AnyRules, EpisodeRules
from sabacc_env.envs.episode_settings import EpisodeSettings
from sabacc_env.envs.saved_states import (
    Types,
    check_array,
    check_generator_state,
    check_types,
    made_from,
)
from sabacc_env.errors import SabaccError
from sabacc_env.rules import RuleSet
from sabacc_env.tables.arrays import BYTES_EACH
from sabacc_env.tables.saving import TablesState
from sabacc_env.tables.tables import Tables
from sabacc_env.text import MAX_TEXT_LENGTH

VALUES: Final[Types] = {
    "tables": (TablesState, bytes),
    "rng": dict,
    "seats": np.ndarray,
    "members": np.ndarray,
    "remembered": list,
    "next": dict,
    "outcome_rules": np.ndarray,
    "hands": np.ndarray,
    "margins": np.ndarray,
}
"""What a saved state of ``LearnerTables`` holds."""


class LearnerTables:
    """Many tables at which one seat is the learner's; it moves on by one at every episode.

    A step plays the learner's actions, then the opponents' until the learner is to act again at
    every table. Where an episode ends, the next one begins within the step. A hand that ends before
    the learner has acted in its episode is not reported: the learner had no decision in it.

    Args:
        rules: a rule set by name, path, or as a ``RuleSet``; or a ``RuleSpace``, of whose rule sets
            every episode draws one.
        num_envs: how many tables.
        num_players: seats at each.
        rng: decides the deals, the opponents' play and every draw.
        settings: the opponents, and what episodes start from.
        threads: how many threads step the tables; results do not depend on it.

    Attributes:
        rules: the rule set, or the space.
        tables: the ``Tables``, where the learner is to act everywhere between two steps.
        seats: (num_envs,) the learner's seat at each.
        rng: as given, or as the last ``begin`` was given; another one may be assigned.
        opponents: who plays the other seats.
        start_ranges: what episodes start from, where it is drawn.
        outcomes: (num_envs,) of ``OUTCOME_DTYPE``, how its last hand ended; rewritten in place.
        observation_space, action_space: of one table.
    """

    def __init__(
        self,
        rules: AnyRules,
        num_envs: int,
        num_players: int,
        rng: np.random.Generator,
        settings: EpisodeSettings,
        *,
        threads: int = 1,
    ) -> None:
        episode_rules = EpisodeRules(rules, num_players)
        self.rules, self.num_players = episode_rules.given, episode_rules.num_players
        self.num_envs = check_int("num_envs", num_envs, 1, 2**31)
        self.start_ranges = settings.make_start_ranges(self.rules, self.num_players)
        self._settings, self._threads = settings, threads
        self._recorder = settings.make_recorder()
        self.rng = rng
        self._form = settings.make_observation_form(self.num_players)
        with explain_memory_error("num_envs", self.num_envs, BYTES_EACH):
            self.tables = self._new_tables()  # refuses what makes none
        self.opponents = settings.make_opponents(self.rules, self.num_envs, self.num_players)
        self.observation_space = self._form.space
        self.action_space = spaces.Discrete(num_actions(settings.bet_sizes))
        self._all = np.arange(self.num_envs)
        self._allocate()
        self._ready = False

    def _allocate(self) -> None:
        n = self.num_envs
        forms = {"planes": (PLANES_SHAPE, np.int8), "tokens": ((self._form.max_tokens,), np.int16)}
        rows = {
            form: np.zeros((n if form == self._form.array_form else 0, *shape), dtype)
            for form, (shape, dtype) in forms.items()
        }
        self._learners = Learners(
            seats=self._all % self.num_players,
            members=self.opponents.members,
            acted=np.zeros(n, dtype=np.bool_),
            final_rows=np.zeros(n, OBSERVATION_DTYPE),
            final_planes=rows["planes"],
            final_tokens=rows["tokens"],
            outcomes=np.zeros(n, OUTCOME_DTYPE),
            outcome_rules=np.zeros(n, dtype=np.int64),
            hands=np.zeros(n, dtype=np.int64),
            margins=np.zeros(n),
            refused=np.zeros(n, dtype=np.int64),
            log=empty_move_log(0 if self._recorder is None else n),
        )
        self.seats, self.outcomes = self._learners.seats, self._learners.outcomes
        # As rows of ASCII codes, so that they are saved as the rows of other forms are.
        self._final_texts = {
            name: np.zeros((n, MAX_TEXT_LENGTH), np.uint8) for name in self._form.texts
        }

    def _new_tables(self) -> Tables:
        # What the next episode of each table starts from.
        self._next_starts = self.start_ranges.draw(self.num_envs, self.rng)
        tables = Tables(
            self.rules,
            self.num_envs,
            self.num_players,
            seed=int(self.rng.integers(2**63)),
            hands=self._settings.hands,
            bet_sizes=self._settings.bet_sizes,
            threads=self._threads,
            observation=self._form.array_form,
            max_tokens=self._form.max_tokens,
            credits=self._next_starts.get("credits"),
            sabacc_pots=self._next_starts.get("sabacc_pots"),
        )
        if self._form.texts:
            tables.keep_histories()
        return tables

    def begin(self, rng: np.random.Generator | None = None) -> None:
        """Start all tables again.

        Args:
            rng: decides all chance from now on, and the learner starts from its first seats; None
                goes on with the chance and the seats of before.
        """
        if rng is not None:
            self.rng = rng
            self.seats[:] = self._all % self.num_players
        self.tables = self._new_tables()
        self._learners.log.counts[:] = 0
        self.opponents.begin(self.tables)
        self._begin_episodes(self._all)

    def check_legal(self, actions: ArrayLike) -> Ints:
        """Return the learner's action at every table, (num_envs,), as int64, if all are legal.

        Raises:
            IllegalMove: for one that is not legal.
            SabaccError: before ``begin``, or for actions of a wrong shape or type.
        """
        self._check_ready()
        return self.tables.check_legal(actions)

    def step(self, actions: Ints) -> LearnerStep:
        """Play actions that ``check_legal`` returned, and then the opponents'.

        Returns:
            What happened, in new arrays.

        Raises:
            SabaccError: for an opponent that fails; ``begin`` again then.
        """
        step = self._new_step()
        self._play(step, actions, self._all)
        return step

    def step_or_end(self, actions: Ints, indices: Ints) -> LearnerStep:
        """Play as ``step`` does, but let an illegal action end the episode of its table alone.

        Args:
            actions: (n,), one for each of ``indices``.
            indices: the tables where the learner acts, distinct.

        Returns:
            What happened, in new arrays. The reward of an illegal action is -1.
        """
        self._check_ready()
        step = self._new_step(self.tables.illegal(actions, indices))
        if step.illegal.any():
            self.restart(step.illegal.nonzero()[0])
            step.rewards[step.illegal] = -1
            step.episode_over[step.illegal] = True
            legal = ~step.illegal[indices]
            actions, indices = actions[legal], indices[legal]
        self._play(step, actions, indices)
        return step

    def _new_step(self, illegal: Bools | None = None) -> LearnerStep:
        n = self.num_envs
        return LearnerStep(
            rewards=np.zeros(n),
            hand_finished=np.zeros(n, dtype=np.bool_),
            episode_over=np.zeros(n, dtype=np.bool_),
            illegal=np.zeros(n, dtype=np.bool_) if illegal is None else illegal,
            events=np.zeros(n, dtype=np.int8),
        )

    def restart(self, indices: Ints) -> None:
        """Abandon the learner's episodes at these tables, without a result, and begin new ones."""
        self._check_ready()
        for form, rows in self._rows.items():
            self.final_rows[form][indices] = rows[indices]
        self._keep_final_texts(indices, ended=False)
        self.tables.restart(indices)
        if self._recorder is not None:
            self._learners.log.counts[indices] = 0
        self.opponents.restart(indices)
        self._begin_episodes(indices)

    def _check_ready(self) -> None:
        if not self._ready:
            raise SabaccError(NO_EPISODE)

    # Observing.

    def observations(self, ended: Bools | None = None) -> Any:
        """Return what the learner observes at every table, in the form asked for, in new arrays.

        Args:
            ended: (num_envs,) where to return the end of the last episode; None is nowhere.
        """
        ended = np.zeros(self.num_envs, dtype=np.bool_) if ended is None else ended
        any_ended = ended.any()
        arrays: dict[str, Any] = {form: rows.copy() for form, rows in self._rows.items()}
        if any_ended:
            for form, rows in arrays.items():
                rows[ended] = self.final_rows[form][ended]
        if "action_mask" in self._form.names:
            arrays["action_mask"] = self.tables.action_masks.copy()
            arrays["action_mask"][ended] = 1
        if self._form.texts:
            texts = [
                self._final_texts_of(table) if over else self._texts_of(table, ended=False)
                for table, over in enumerate(ended.tolist())
            ]
            arrays |= {name: tuple(each[name] for each in texts) for name in self._form.texts}
        return self._form.build(arrays)

    def final_observation(self, table: int) -> Any:
        """Return what the learner observed at the end of its last episode at a table."""
        arrays: dict[str, Any] = {form: self.final_rows[form][table].copy() for form in self._rows}
        arrays["action_mask"] = np.ones_like(self.tables.action_masks[table])
        return self._form.build(arrays | self._final_texts_of(table))

    @property
    def final_rows(self) -> dict[str, NDArray[Any]]:
        """What the learner saw at the end of its last episode at each table, by form.

        The view is made each time, for one that is kept would be an array of its own in a copy.
        """
        learners = self._learners
        flat = learners.final_rows.view(np.float32).reshape(self.num_envs, OBSERVATION_SIZE)
        rows = {"flat": flat, "planes": learners.final_planes, "tokens": learners.final_tokens}
        return {form: rows[form] for form in self._rows} | self._final_texts

    def _texts_of(self, table: int, *, ended: bool) -> dict[str, str]:
        """Return what the learner observes at a table as text, by the name of the piece.

        With ``ended`` it is of the last hand there, which ended an episode.
        """
        game = self.tables.final_game(table) if ended else self.tables.game(table)
        seat = (int(self.seats[table]) - ended) % self.num_players  # it has moved on since
        return self._form.texts_of(game, seat)

    def _keep_final_texts(self, indices: Ints, *, ended: bool) -> None:
        """Keep what the learner saw at the end of its episodes at these tables."""
        if self._form.texts:
            for table in indices.tolist():
                for name, text in self._texts_of(table, ended=ended).items():
                    row = self._final_texts[name][table]
                    row[:] = 0
                    row[: len(text)] = np.frombuffer(text.encode("ascii"), np.uint8)

    def _final_texts_of(self, table: int) -> dict[str, str]:
        """Return what was kept of the last episode at a table."""
        return {
            name: rows[table].tobytes().rstrip(b"\0").decode("ascii")
            for name, rows in self._final_texts.items()
        }

    @property
    def _rows(self) -> dict[str, NDArray[Any]]:
        """What the seats to act observe, by form: flat, and the other form that is asked for."""
        rows = {self.tables.observation: self.tables.observations}
        if self._form.needs_flat:
            rows["flat"] = self.tables.flat_observations
        return rows

    # Playing.

    def _begin_episodes(self, indices: Ints) -> None:
        """Let the learner's episodes begin at these tables, with hands that are dealt already."""
        self.seats[indices] = (self.seats[indices] + 1) % self.num_players
        self._learners.acted[indices] = False
        self._draw(indices)
        self._play(self._new_step(), *self._next_actions())  # no result counts

    def _play(self, step: LearnerStep, actions: Ints, indices: Ints) -> None:
        """Play these actions, and the opponents' until the learner is to act at every table."""
        self._ready = False  # an opponent may fail
        tables = self.tables
        while len(indices):
            tables.calls += 1
            codes = self.opponents.codes(tables)
            settings = self._learners, step, codes, tables.calls, self._draws
            over_before = step.episode_over.copy() if self._form.texts else None
            tables.run_driver(play_learners, settings, indices, actions)
            if over_before is not None:  # the driver knows nothing of text
                (over,) = (step.episode_over & ~over_before).nonzero()
                self._keep_final_texts(over, ended=True)
            if step.events.any():
                self._record(step.events)
                self._heed(step.events)
            actions, indices = self._next_actions()
        self._ready = True

    def _next_actions(self) -> tuple[Ints, Ints]:
        """Return the opponents' actions, and the tables where they are to act."""
        (indices,) = (self.tables.seats_to_act != self.seats).nonzero()
        if not len(indices):
            return indices, indices
        return self.opponents.actions_beside_policies(self.tables, indices, self.rng), indices

    def _heed(self, events: NDArray[np.int8]) -> None:
        """Tell agents and draw what the events of a call of the engine ask for; clear them."""
        (refused,) = (events & ILLEGAL).nonzero()
        if len(refused):
            table = int(refused[0])
            seat = self.tables.seats_to_act[table]
            raise agent_calls.illegal_move(
                self.opponents.agents[self.opponents.members[table, seat]],
                int(self._learners.refused[table]),
                table,
                self.tables.action_masks[table],
            )
        self.opponents.restart(events.nonzero()[0])  # no event comes without the end of a hand
        self._draw((events & EPISODE_BEGAN).nonzero()[0])
        events[:] = 0

    def _record(self, events: NDArray[np.int8]) -> None:
        """Record hands that have ended in a call of the engine: of several at a table the last."""
        if self._recorder is None:
            return
        (ended,) = (events & HAND_ENDED).nonzero()
        for index in self._recorder.due(len(ended)):
            table = int(ended[index])
            count = self._learners.log.counts[table, 1]
            if count <= MAX_MOVES:
                moves = self._learners.log.moves[table, 1, :count].tolist()
                begins = self.tables.records["hand_number"][table] == 0  # the seats have moved on
                learner = (int(self.seats[table]) - int(begins)) % self.num_players
                names = self.opponents.names_at(table, learner)
                self._recorder.write(self.tables.final_game(table, moves), names, table=table)

    @property
    def _draws(self) -> bool:
        """Whether anything is drawn when an episode begins."""
        return len(self.opponents.agents) > 1 or self.start_ranges.are_given

    def _draw(self, indices: Ints) -> None:
        """Draw the opponents of episodes that begin, and the start of the episodes after them."""
        if not self._draws:
            return
        self.opponents.draw(indices, self.rng)
        drawn = self.start_ranges.draw(len(indices), self.rng)
        if drawn:
            for name, values in drawn.items():
                self._next_starts[name][indices] = values
            self.tables.set_episode_starts(indices, **drawn)

    def margin_since(self) -> tuple[int, float]:
        """Return the hands since the last call, and the learner's margin in them, in mante/hand.

        The margin is over the mean of the others at the table; with two seats it is half of that.
        """
        hands, antes = int(self._learners.hands.sum()), float(self._learners.margins.sum())
        self._learners.hands[:] = self._learners.margins[:] = 0
        others = self.num_players - 1 if self.num_players > 2 else 2
        return hands, 1000 * antes / (others * max(1, hands))

    def rules_of_outcomes(self) -> list[RuleSet]:
        """Return the rules of the hands of ``outcomes``, one for each table."""
        rule_sets = self.tables.rule_sets
        return [rule_sets[index] for index in self._learners.outcome_rules.tolist()]

    # Saved states.

    def made(self) -> dict[str, Any]:
        """Return the arguments that environments must share to go on from each other's states."""
        hands, bet_sizes = self._settings.hands, tuple(self._settings.bet_sizes)
        return made_from(self.rules, self.num_players, hands, bet_sizes) | {
            "num_envs": self.num_envs,
            "drawn": sorted(self._next_starts),
        }

    def save(self) -> dict[str, Any]:
        """Return everything but rules and opponents, for ``restore``.

        Raises:
            SabaccError: before ``begin``.
        """
        self._check_ready()
        return {
            "tables": self.tables.save_state(),
            "rng": self.rng.bit_generator.state,
            "seats": self.seats.copy(),
            "members": self.opponents.members.copy(),
            "remembered": self.opponents.memories(),
            "next": {name: values.copy() for name, values in self._next_starts.items()},
            "outcome_rules": self._learners.outcome_rules.copy(),
            "hands": self._learners.hands.copy(),
            "margins": self._learners.margins.copy(),
        }

    def restore(self, values: dict[str, Any]) -> None:
        """Go on from what ``save`` of tables made alike returned; its tables may be bytes by now.

        Raises:
            SabaccError: for anything else; the message says what differs, and nothing changes.
        """
        self.check_values(values)
        tables = values["tables"]
        if isinstance(tables, bytes):
            tables = self._loaded_tables(values)
        self.tables.check_alike(tables)
        self.opponents.restore_memories(values["remembered"])  # last, for an agent may refuse it
        self.tables.restore_state(tables)
        self.rng.bit_generator.state = values["rng"]
        self.seats[:] = values["seats"]
        self.opponents.members[:] = values["members"]
        self._next_starts = {name: array.copy() for name, array in values["next"].items()}
        self._learners.outcome_rules[:] = values["outcome_rules"]
        self._learners.hands[:] = values["hands"]
        self._learners.margins[:] = values["margins"]
        self._learners.log.counts[:] = MAX_MOVES + 1  # the moves of the hands in play are unknown
        self._ready = True

    def check_values(self, values: dict[str, Any]) -> None:
        """Refuse what ``restore`` refuses, but for what an agent may refuse."""
        check_types(values, VALUES)
        self.opponents.check_members(values["members"])
        check_generator_state(self.rng, values["rng"])
        for name in ("seats", "hands", "margins", "outcome_rules"):
            dtype = np.float64 if name == "margins" else np.int64
            check_array(name, values[name], dtype, (self.num_envs,))
        rules = values["outcome_rules"]
        if not 0 <= rules.min() <= rules.max() < len(self.tables.rule_sets):
            raise SabaccError("state: its outcomes are of rules that this environment has not")
        starts = values["next"]
        if set(starts) != set(self._next_starts):
            raise SabaccError(
                f"state: it draws {list(starts)} for each episode, and this environment draws "
                f"{list(self._next_starts)}"
            )
        for name, own in self._next_starts.items():
            check_array(f"next {name}", starts[name], own.dtype, own.shape)

    def _loaded_tables(self, values: dict[str, Any]) -> TablesState:
        """Return the tables of values that come from bytes, which are checked."""
        tables = Tables.from_bytes(values["tables"], **values["next"])
        self.tables.check_alike(state := tables.save_state())
        if not np.array_equal(values["seats"], tables.seats_to_act):
            raise SabaccError("state: there is a table at which the learner is not to act")
        return state
