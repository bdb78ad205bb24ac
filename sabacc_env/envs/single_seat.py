"""The Gymnasium environment: one table from a learner's seat, ``gymnasium.make("Sabacc-v0")``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, Unpack

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from sabacc_env import agent_calls
from sabacc_env.actions import num_actions
from sabacc_env.arguments import check_int
from sabacc_env.array_types import Floats
from sabacc_env.envs.aec import SabaccAEC, check_action
from sabacc_env.envs.before_reset import NO_EPISODE
from sabacc_env.envs.episode_rules import AnyRules
from sabacc_env.envs.episode_settings import EpisodeKeywords, episode_settings
from sabacc_env.envs.hand_results import no_result_info, result_info
from sabacc_env.envs.reset_options import TABLE_OPTIONS, select_options
from sabacc_env.envs.saved_states import (
    SavedState,
    StateKeeper,
    Types,
    check_generator_state,
    check_types,
    made_from,
)
from sabacc_env.envs.table_values import IN_PLAY
from sabacc_env.errors import SabaccError
from sabacc_env.game.game import Game
from sabacc_env.render import modes
from sabacc_env.rules import RuleSet

MAX_EPISODES: Final = 1000
"""After so many episodes in a row without a decision, the learner never gets one."""

ONLY_TABLE: Final = np.zeros(1, dtype=np.int64)

OWN_VALUES: Final[Types] = {
    "seat": int,
    "over": bool,
    "illegal": bool,
    "step_ended_hand": bool,
    "episode_ended_hand": bool,
    "opponents": np.ndarray,
    "memories": list,
    "rng": dict,
    "rng_seed": (int, type(None)),
}
"""What a saved state holds besides the values of the table."""


class SabaccEnv(gymnasium.Env[Any, Any]):
    """Corellian Spike Sabacc as a Gymnasium environment: one seat is yours, agents play the others.

    ## Observation Space
    By default ``Box``, float32 of shape (400,): what the learner's seat may know
    (docs/reference/observation.md says what each index means). The argument ``observation`` chooses
    another form, such as a dict with the action mask in it.

    ## Action Space
    ``Discrete(29 + len(bet_sizes))`` (docs/reference/actions.md). The legal actions are in
    ``info["action_mask"]``, int8, and what ``action_masks()`` returns, bool. Both are all ones when
    the episode is over, because no action counts then.

    ## Rewards
    What the learner won or lost in hands that ended in this step, in antes
    (hand ante + Sabacc ante); zero on every other step. -1 for an illegal action.

    ## Starting State
    ``reset(seed=…, options=…)``: the seed decides the deals, the draws and the opponents' play.
    The learner's seat moves on by one at every reset, and each other seat draws its agent. Options,
    all optional: ``seat``, the learner's; ``dealer``, ``credits`` and ``sabacc_pot`` before the
    antes, and for the first hand ``deck`` and ``dice`` (see ``sabacc_env.Game``). An episode that
    ends before the learner is to act holds no decision: the next one is dealt in its place, with
    the same options except for ``deck`` and ``dice``.

    ## Episode End
    After ``hands`` hands, or when fewer than two seats can pay their antes; credits, Sabacc pot and
    dealer carry over from hand to hand. An illegal action ends the episode too, with
    ``info["illegal_action"]``. No episode is truncated.

    ## Infos
    Arrays, with the same keys, shapes and types at every step and reset:

    - ``action_mask``: as above.
    - ``hand_finished``: bool of shape (), whether the last step ended a hand. The next four are
      about this hand, or the last of them if several ended.
    - ``net_credits``: int64 of shape (num_players,), what each seat won or lost; else zeros.
    - ``winners``: int64 of shape (num_players,), the seat that won each pot, then -1.
    - ``revealed``: int8 of shape (num_players,), 1 for each seat whose hand was revealed.
    - ``sabacc_pot``: int64 of shape (), credits left in it; 0 when no hand ended.
    - ``illegal_action``: bool of shape (), whether an illegal action ended the episode.

    The arrays are yours. Hands that ended before the learner's first decision of the episode are
    left out. ``hand_result()`` says the same with the names of agents and revealed hands.

    ## Arguments
    ``rules``: a rule set by name, path, or as a ``RuleSet``; or a ``RuleSpace``, of whose
    ``num_rule_sets`` every episode draws one: ``env.rules`` is it. ``num_players``: 2 to 8.
    ``render_mode``: ``"ansi"`` returns the table as text, ``"rgb_array"`` returns it as an image,
    ``"human"`` shows this image in a window after every move, the opponents' too (both need the
    extra ``render``). ``render_seat``: who looks at the table: ``"learner"``, a seat, or None, who
    sees all hands; what a seat may not know is face down. ``undo_steps``:
    how many of the last steps ``undo`` can take back; for each a copy of the state is kept, so none
    are by default. Then the fields of ``EpisodeSettings`` by keyword. ``opponents``: a registered
    name or an agent, or several that each seat draws from; ``weights``: how often each of them is
    drawn. ``hands``: hands in an episode. ``bet_sizes``: what the bet actions mean. ``stacks``,
    ``equal_stacks``, ``sabacc_pots``: what episodes start from, drawn. ``observation``: the form of
    observations: ``"flat"``; ``"dict"`` of ``observation`` and ``action_mask``; or a mapping from
    names of your own to pieces. ``record_hands``: a file to which hands are added as they end;
    ``record_every``: 1 for all of them, 2 for every second.

    ## Version History
    v0: first version.

    >>> env = SabaccEnv("orsl", num_players=4)
    >>> observation, info = env.reset(seed=1)
    >>> observation.shape, info["action_mask"].shape
    ((400,), (33,))
    """

    metadata = SabaccAEC.metadata  # the same object: the table shows itself by it
    action_space: spaces.Discrete

    def __init__(
        self,
        rules: AnyRules = "casino",
        num_players: int = 2,
        *,
        render_mode: str | None = None,
        render_seat: int | Literal["learner"] | None = "learner",
        undo_steps: int = 0,
        **settings: Unpack[EpisodeKeywords],
    ) -> None:
        episode = episode_settings(SabaccEnv, **settings)
        self._table = SabaccAEC(
            rules,
            num_players,
            episode.hands,
            episode.bet_sizes,
            render_mode=render_mode,
            record_hands=episode.record_hands,
            record_every=episode.record_every,
        )
        self.num_players = self._table.num_players
        given_rules = self._table._episode_rules.given
        self.render_mode = self._table.render_mode
        self.render_seat = render_seat
        if render_seat != "learner":
            self.render_seat = modes.check_render_seat(render_seat, self.num_players)
        self._start_ranges = episode.make_start_ranges(given_rules, self.num_players)
        self._opponents = episode.make_opponents(given_rules, len(ONLY_TABLE), self.num_players)
        self._form = episode.make_observation_form(self.num_players)
        self.observation_space = self._form.space
        self.action_space = spaces.Discrete(num_actions(episode.bet_sizes))
        made = made_from(given_rules, self.num_players, episode.hands, tuple(episode.bet_sizes))
        made["opponents"] = len(self._opponents.agents)
        self._states = StateKeeper("SabaccEnv", made, undo_steps)
        self.seat = -1  # the learner's; the first reset moves it on
        self._over = True
        self._illegal = False  # whether an illegal action ended the episode
        self._reward = 0.0
        self._hand_info = self._no_hand = no_result_info(self.num_players)
        self._hand_ended = False  # since the learner's first decision

    @property
    def rules(self) -> RuleSet:
        """The rules of the episode in play, or of the last one."""
        return self._table.rules

    @property
    def game(self) -> Game:
        """The hand in play, or the last one: it sees everything."""
        return self._table.game

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start an episode; see the class for what ``options`` may hold.

        Raises:
            SabaccError: for a seed or options that make no game; nothing has changed. Likewise
                where the learner never gets a decision; no episode is in play then.
        """
        given = select_options(options, (*TABLE_OPTIONS, "seat"))
        self._deal_first(seed, given)
        given = {name: given[name] for name in given if name not in ("deck", "dice")}
        for _ in range(MAX_EPISODES):
            self._advance_to_learner()
            if not self._over:
                self._hand_info, self._hand_ended = self._no_hand, False
                self._illegal = False
                self._states.forget_steps()
                return self._observe(), self._info()
            self._deal(self.seat + 1, given)
        raise SabaccError(
            f"reset: {MAX_EPISODES} episodes ended before the learner had a decision; with these "
            "options, rules and opponents it never has one"
        )

    def _deal_first(self, seed: int | None, given: dict[str, Any]) -> None:
        """Deal an episode, by a seed if there is one; one that is refused changes no generator."""
        rng, rng_seed = self.np_random, self._np_random_seed
        before = rng.bit_generator.state
        seat, shown_to = self.seat + 1, self._table.render_seat
        try:
            if seed is not None:
                super().reset(seed=check_int("seed", seed, 0, 2**64 - 1))
                seat = 0
            self._deal(seat, given)
        except SabaccError:
            rng.bit_generator.state = before
            self._np_random, self._np_random_seed = rng, rng_seed
            self._table.render_seat = shown_to
            raise

    def _deal(self, seat: int, given: dict[str, Any]) -> None:
        """Deal an episode, with the learner at this seat unless another is given."""
        options = {"seat": seat % self.num_players} | given
        seat = check_int("seat", options.pop("seat"), 0, self.num_players - 1)
        drawn = self._start_ranges.draw(1, self.np_random)
        if "credits" in drawn:
            options = {"credits": drawn["credits"][0]} | options
        if "sabacc_pots" in drawn:
            options = {"sabacc_pot": drawn["sabacc_pots"][0]} | options
        self._table._names = self._table.possible_agents  # a hand may end before anyone acts
        self._show_to(seat)
        self._table.reset(seed=int(self.np_random.integers(2**63)), options=options)
        self.seat, self._over = seat, True

    def _show_to(self, learner: int) -> None:
        """Show the table from now on as ``render_seat`` asks, where this is the learner's seat."""
        self._table.render_seat = learner if self.render_seat == "learner" else self.render_seat

    def _advance_to_learner(self) -> None:
        """Draw the opponents, and let them play until the learner is to act."""
        self._opponents.draw(ONLY_TABLE, self.np_random)
        self._table._names = self._opponents.names_at(0, self.seat)
        self._opponents.restart(ONLY_TABLE)
        self._play_opponents()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play an action, and then the opponents' until the learner is to act again.

        Args:
            action: a whole number; one that is not legal ends the episode.

        Raises:
            IllegalMove: for what is not a whole number; nothing has changed.
            SabaccError: without an episode in play, or for an opponent that fails.
        """
        if self._over:
            raise SabaccError(NO_EPISODE)
        chosen = check_action(action)
        mask = self._mask()
        legal = 0 <= chosen < len(mask) and mask[chosen]
        if self._states.keeps_steps:
            self._states.keep(self._state_values())
        self._over = True  # until the learner is to act again: an opponent may fail before
        self._reward, self._hand_info = 0.0 if legal else -1.0, self._no_hand
        self._illegal = not legal
        if legal:
            self._play(chosen)
            self._play_opponents()
        info = self._info()
        return self._observe(), self._reward, self._over, False, info

    def _info(self) -> dict[str, Any]:
        """Return an info in new arrays, of the last step and of the mask of the next."""
        hand = {name: array.copy() for name, array in self._hand_info.items()}
        return {"action_mask": self._mask(), **hand, "illegal_action": np.array(self._illegal)}

    # Saved states.

    def save_state(self) -> SavedState:
        """Return where the environment stands, for ``restore_state``: also its chance to come.

        What opponents remember is in it, if they have ``memory`` (``sabacc_env.agent.Agent``).
        Wrappers keep nothing in it: call it as ``env.unwrapped.save_state()``.

        Raises:
            SabaccError: before the first reset.
        """
        return self._states.save(self._state_values())

    def restore_state(self, state: SavedState) -> tuple[Any, dict[str, Any]]:
        """Go on from a state that ``save_state`` returned, here or in an environment made alike.

        Alike are rules, players, hands, bet sizes and opponents; opponents are not in the state.

        Returns:
            The observation and info of there, as the step or reset that led there returned them.

        Raises:
            SabaccError: for any other state; says what differs, and nothing has changed.
        """
        self._go_to(self._states.values_of(state, self._check_values))
        self._states.forget_steps()
        return self._observe(), self._info()

    def undo(self) -> tuple[Any, dict[str, Any]]:
        """Go back to before the last step: the learner's action and the opponents' after it.

        The generator goes back too, so the same action meets the same answers again. Only the last
        ``undo_steps`` steps since the reset are kept.

        Returns:
            The observation and info of there, as the step or reset that led there returned them.

        Raises:
            SabaccError: where no step is kept, or an opponent refuses its memory.
        """
        self._go_to(self._states.before_last_step())
        self._states.forget_last_step()
        return self._observe(), self._info()

    def _state_values(self) -> dict[str, Any]:
        return self._table._state_values() | {
            "seat": self.seat,
            "over": self._over,
            "illegal": self._illegal,
            "step_ended_hand": bool(self._hand_info["hand_finished"]),
            "episode_ended_hand": self._hand_ended,
            "opponents": self._opponents.members.copy(),
            "memories": self._opponents.memories(),
            "rng": self.np_random.bit_generator.state,
            "rng_seed": self._np_random_seed,
        }

    def _check_values(self, values: dict[str, Any]) -> None:
        """Refuse values that this environment cannot have."""
        own = {name: values[name] for name in OWN_VALUES if name in values}
        check_types(own, OWN_VALUES)
        self._table._check_values({name: values[name] for name in values if name not in own})
        check_int("state: its seat", own["seat"], 0, self.num_players - 1)
        to_act = values["game"].seat_to_act if values["ended"] == IN_PLAY else None
        if not own["over"] and to_act != own["seat"]:
            raise SabaccError("state: the learner is not to act")
        self._opponents.check_members(own["opponents"])

    def _go_to(self, values: dict[str, Any]) -> None:
        """Stand where an environment stood whose ``_state_values`` these are, unchecked."""
        check_generator_state(self.np_random, values["rng"])
        self._opponents.restore_memories(values["memories"])  # first, for an agent may refuse it
        self._opponents.members[:] = values["opponents"]
        self.np_random.bit_generator.state = values["rng"]
        self._np_random_seed = values["rng_seed"]
        self._table._go_to(values)
        self.seat, self._over = values["seat"], values["over"]
        self._table._names = self._opponents.names_at(0, self.seat)
        self._show_to(self.seat)
        self._illegal = values["illegal"]
        self._hand_ended = values["episode_ended_hand"]
        self._hand_info = self._no_hand
        if values["step_ended_hand"]:
            self._hand_info = self._last_hand_info()

    def hand_result(self) -> dict[str, Any] | None:
        """Return how the last hand of this episode ended, by names; None before one has ended.

        Hands that ended before the learner's first decision are left out, as in infos.

        Returns:
            The dict of ``SabaccAEC.hand_result``.
        """
        return self._table.hand_result() if self._hand_ended else None

    def state(self) -> NDArray[np.float32]:
        """Return everything, hidden cards and the chance to come included: ``Game.state``."""
        return self.game.state()

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the learner's legal actions, (num_actions,); all ones when the episode is over."""
        return self._mask().astype(np.bool_)

    def _mask(self) -> NDArray[np.int8]:
        if self._over:
            return np.ones(self.action_space.n, dtype=np.int8)
        mask: NDArray[np.int8] = self._table.infos[self._agent]["action_mask"]
        return mask.copy()

    def _observe(self) -> Any:
        """Return what the learner sees."""
        flat: Floats = self._table.observe(self._agent)["observation"]
        return self._form.of_game(self.game, self.seat, flat, self._mask())

    @property
    def _agent(self) -> str:
        """The learner, as the table calls it."""
        return f"player_{self.seat}"

    def _play_opponents(self) -> None:
        """Play the other seats until the learner is to act or the episode is over."""
        table = self._table
        while not table.terminations[self._agent] and (seat := self.game.seat_to_act) != self.seat:
            agent = self._opponents.agents[self._opponents.members[0, seat]]
            shown = table.observe(table.agent_selection)
            seen = agent_calls.agent_input(self.game, agent, shown["observation"])
            mask = shown["action_mask"][None]
            (action,) = agent_calls.actions(agent, seen, mask, self.np_random, ONLY_TABLE)
            self._play(int(action))
        self._over = table.terminations[self._agent]

    def _play(self, action: int) -> None:
        """Play one action; note what the learner won or lost with a hand that it ended."""
        self._table.step(action)
        if self._table._hand_finished:
            self._reward += self._table.rewards[self._agent]
            self._hand_info = self._last_hand_info()
            self._hand_ended = True
            self._opponents.restart(ONLY_TABLE)

    def _last_hand_info(self) -> dict[str, Any]:
        """Return what an info says of the last hand that ended."""
        return result_info(self._table._buffers.outcome, self.num_players)

    def render(self) -> modes.RenderFrame | None:
        """Return the table as text or an image, or show it in a window.

        The render mode decides: ``ansi`` returns text, ``rgb_array`` an image, uint8 of shape
        (height, width, 3), and ``human`` shows the image for ``1 / metadata["render_fps"]``
        seconds.
        """
        return self._table.render()

    def close(self) -> None:
        """Close the window, if there is one."""
        self._table.close()
