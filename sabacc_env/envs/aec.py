"""The PettingZoo environment: an agent-environment cycle over one table."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from sabacc_env.actions import (
    DEFAULT_BET_SIZES,
    BetSize,
    action_names,
    encode_bet_sizes,
    num_actions,
)
from sabacc_env.arguments import check_bool, check_int, check_max_tokens
from sabacc_env.cards import as_int
from sabacc_env.engine.layout import UNLIMITED
from sabacc_env.engine.observation.blocks import LARGEST_FEATURE
from sabacc_env.engine.observation.state import state_size
from sabacc_env.envs.before_reset import NO_EPISODE, BeforeReset
from sabacc_env.envs.episode_rules import AnyRules, EpisodeRules
from sabacc_env.envs.hand_results import named_result
from sabacc_env.envs.observation_forms import (
    BLOCK_PIECES,
    Observation,
    ObservationForm,
)
from sabacc_env.envs.reset_options import TABLE_OPTIONS, select_options
from sabacc_env.envs.saved_states import SavedState, StateKeeper, made_from
from sabacc_env.envs.table_values import (
    ILLEGAL,
    IN_PLAY,
    TERMINATED,
    check_table_values,
    outcome_numbers,
    write_outcome,
)
from sabacc_env.errors import IllegalMove, SabaccError, short_repr
from sabacc_env.game.game import Game
from sabacc_env.game.keys import hand_key, split_key
from sabacc_env.game.turn_buffers import TurnBuffers
from sabacc_env.hand_histories import HandRecorder
from sabacc_env.render import modes
from sabacc_env.rules import RuleSet

_BEFORE_RESET: Final[Any] = BeforeReset()


class SabaccAEC(AECEnv):  # type: ignore[misc]
    """Corellian Spike Sabacc as a PettingZoo environment.

    ## Observation Space
    A dict: ``observation``, what the agent may know, by default float32 of shape (400,)
    (docs/reference/observation.md says what each index means); ``action_mask``, int8 of shape
    (num_actions,), 1 for each legal action. All ones for an agent that is not to act, and at the
    end: its action does not count, and no distribution can be masked by zeros alone.

    ## Action Space
    ``Discrete(29 + len(bet_sizes))``: stand, draw, buy_discard, keep, discard_drawn,
    replace_spike, check, call, junk; then five card slots each for discard_draw, swap, redraw and
    replace; then the bet sizes (docs/reference/actions.md).

    ## Rewards
    Net credits of a hand in antes (hand ante + Sabacc ante), to every agent, on the step that ends
    the hand; zero on every other step.

    ## Starting State
    ``reset(seed=…, options=…)``: the seed decides every hand's key and the first dealer. Options,
    all optional: ``dealer``, ``credits`` and ``sabacc_pot`` before the antes, and for the first
    hand ``deck`` and ``dice`` (see ``sabacc_env.Game``). Without a seed, the next reset goes on
    from the last one's seed.

    ## Episode End
    After ``hands`` hands, or when fewer than two seats can pay their antes; all agents end on the
    same step. Credits, Sabacc pot and dealer carry over from hand to hand.

    ## Infos
    ``action_mask``, as in the observation, and nothing else. Agents share the mask of all ones,
    which is read-only. How a hand ended is what ``hand_result()`` says, and ``hands_finished``
    counts those of the episode. Where an illegal action ended the episode, its agent's info has
    ``illegal_action`` besides, which is True.

    ## Arguments
    ``rules``: a rule set by name, path, or as a ``RuleSet``; or a ``RuleSpace``, of whose
    ``num_rule_sets`` every episode draws one: ``env.rules`` is it. ``num_players``: 2 to 8.
    ``hands``: hands in an episode. ``bet_sizes``: what the bet actions mean. ``render_mode``:
    ``"ansi"`` returns the table as text, ``"rgb_array"`` returns it as an image, ``"human"`` shows
    this image in a window after every step and reset (both need the extra ``render``).
    ``render_seat``: the seat that looks at the table; what it may not know is face down. None, the
    default, sees all hands. ``observation``: the form of what is observed: ``"flat"``; ``"dict"``,
    its blocks by name; the name of one block; ``"planes"``, the cards by place, suit and value;
    ``"tokens"``, all that the agent has been told of the hand, in order; ``"text"``, what it may
    know in plain words, its legal actions listed, or ``"text_without_actions"``; or a mapping from
    names of your own to such pieces. A mapping that has its own ``action_mask`` is the whole dict,
    so that ``{"observations": "flat", "action_mask": "action_mask"}`` renames ``observation``.
    ``max_tokens``: the length of ``"tokens"``; by default one that nearly all hands fit into.
    ``mask_in_observation``: False leaves the mask to the infos, and an observation is a ``Box``.
    ``undo_steps``: how many of the last actions ``undo`` can take back; for each a copy of the
    state is kept, so none are by default. ``record_hands``: a file to which hands are added as they
    end (``sabacc_env.hand_histories``); ``record_every``: 1 for all of them, 2 for every second.

    Illegal actions raise ``IllegalMove`` here and change nothing; ``sabacc_v0.env`` wraps this so
    that they end the episode with reward -1.

    ## Version History
    v0: first version.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "sabacc_v0",
        "render_modes": list(modes.RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": modes.RENDER_FPS,
    }

    def __init__(
        self,
        rules: AnyRules = "casino",
        num_players: int = 2,
        hands: int = 1,
        bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
        render_mode: str | None = None,
        *,
        render_seat: int | None = None,
        observation: Observation = "flat",
        max_tokens: int | None = None,
        undo_steps: int = 0,
        mask_in_observation: bool = True,
        record_hands: str | Path | None = None,
        record_every: int = 1,
    ) -> None:
        super().__init__()
        self._episode_rules = EpisodeRules(rules, num_players)
        self.rules = self._episode_rules.first
        self.num_players = num_players = self._episode_rules.num_players
        self.hands = check_int("hands", hands, 1, UNLIMITED)
        self._sizes = encode_bet_sizes(bet_sizes)
        self._buffers = TurnBuffers(self.rules, self._sizes)
        self.bet_sizes = tuple(bet_sizes)
        self._renderer = modes.Renderer(render_mode)
        self.render_mode = self._renderer.mode
        self.render_seat = modes.check_render_seat(render_seat, num_players)
        self._first_game: Game | None = None  # the first one dealt without options, by fixed rules
        self._seed: int | None = None
        self._episode = 0
        self._hand = 0
        self._hand_finished = False  # in the last step
        given_rules = self._episode_rules.given
        made = made_from(given_rules, num_players, self.hands, self.bet_sizes)
        self._states = StateKeeper("SabaccAEC", made, undo_steps)
        self._recorder = HandRecorder.of(record_hands, record_every, self.bet_sizes)
        self._no_choice = np.ones(num_actions(bet_sizes), dtype=np.int8)
        self._no_choice.flags.writeable = False
        self._form = ObservationForm(
            observation,
            self.bet_sizes,
            check_max_tokens(max_tokens, num_players),
            BLOCK_PIECES,
        )

        self.game: Game = _BEFORE_RESET
        self.agents: list[str] = _BEFORE_RESET
        self.rewards = self._cumulative_rewards = _BEFORE_RESET
        self.terminations = self.truncations = _BEFORE_RESET
        self.infos: dict[str, dict[str, Any]] = _BEFORE_RESET
        self.possible_agents = [f"player_{seat}" for seat in range(num_players)]
        self.agent_selection = self.possible_agents[0]
        self._names: Sequence[str] = self.possible_agents  # who sits there, in recorded hands
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._no_rewards = dict.fromkeys(self.possible_agents, 0.0)  # a copy takes less than this
        self._none_ended = dict.fromkeys(self.possible_agents, False)
        if not check_bool("mask_in_observation", mask_in_observation) and self._form.pieces:
            raise SabaccError(
                "mask_in_observation: False is for an observation of one piece, such as 'flat'; "
                "PettingZoo looks for the mask in one that is a dict"
            )
        has_own_mask = (self._form.pieces or {}).get("action_mask") == "action_mask"
        self._adds_mask = mask_in_observation and not has_own_mask
        mask = spaces.Box(0, 1, self._no_choice.shape, np.int8)
        self.observation_spaces = {
            agent: spaces.Dict({"observation": self._form.space, "action_mask": mask})
            if self._adds_mask
            else self._form.space
            for agent in self.possible_agents
        }
        self.action_spaces = {
            agent: spaces.Discrete(len(self._no_choice)) for agent in self.possible_agents
        }
        self.state_space = spaces.Box(
            -LARGEST_FEATURE, LARGEST_FEATURE, (state_size(num_players),), np.float32
        )

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the state of another, for a copy: NumPy's copy of what is read-only is not."""
        self.__dict__.update(state)
        self._no_choice.flags.writeable = False

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the agent's observation space, the same object at every call."""
        return self.observation_spaces[self.possible_agents[self._seat_of(agent)]]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the agent's action space, the same object at every call."""
        return self.action_spaces[self.possible_agents[self._seat_of(agent)]]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start an episode; see the class for what ``options`` may hold.

        Raises:
            SabaccError: for a seed or options that make no game; nothing has changed.
        """
        given = select_options(options, TABLE_OPTIONS)
        episode = 0
        if seed is not None:
            seed = check_int("seed", seed, 0, 2**64 - 1)
        elif self._seed is None:
            seed = secrets.randbits(64)
        else:
            seed, episode = self._seed, self._episode + 1
        self.game, seat = self._first_hand(seed, episode, given)
        self._seed, self._episode, self._hand = seed, episode, 0
        self.agents = self.possible_agents.copy()
        self._cumulative_rewards = self._no_rewards.copy()
        self.terminations, self.truncations = self._none_ended.copy(), self._none_ended.copy()
        self._states.forget_steps()
        self._advance(seat)
        self._show()

    def _first_hand(self, seed: int, episode: int, given: dict[str, Any]) -> tuple[Game, int]:
        """Deal an episode's first hand; return it and the seat to act, -1 when it is over."""
        if self._first_game is not None and not given:
            return self._first_game.deal_another(self._buffers, split_key(seed), episode, 0)
        key = hand_key(seed, episode, 0)
        game = Game(self._episode_rules.of_key(key), self.num_players, key=key, **given)
        game.set_episode_position(0, self.hands)
        if not given and not self._episode_rules.are_drawn:
            self._first_game = game
        self._set_rules(game.rules)
        return game, game.write_turn(self._buffers)

    def _set_rules(self, rules: RuleSet) -> None:
        """Play by these rules from now on."""
        if rules != self.rules:
            self.rules, self._buffers = rules, TurnBuffers(rules, self._sizes)

    def _deal_next(self) -> int:
        """Deal the episode's next hand; return the seat to act, -1 when it is over."""
        assert self._seed is not None
        seed = split_key(self._seed)
        self.game, seat = self.game.deal_another(self._buffers, seed, self._episode, self._hand)
        return seat

    def step(self, action: int | None) -> None:
        """Play the action of ``agent_selection``.

        Raises:
            IllegalMove: if it is not legal; nothing has changed.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if type(action) is not int:  # as it nearly always is, and this is the quickest to see
            action = check_action(action)
        if not 0 <= action < len(self._no_choice):
            raise self._illegal_message(action)
        if keeps := self._states.keeps_steps:
            before = self._state_values()
        try:
            seat = self.game.play_action(self._buffers, action)
        except IllegalMove:
            raise self._illegal_message(action) from None
        if keeps:
            self._states.keep(before)
        self._cumulative_rewards[agent] = 0.0
        self._advance(seat)
        self._show()

    def _illegal_message(self, action: int) -> IllegalMove:
        names = action_names(self.bet_sizes)
        legal = ", ".join(f"{i} ({names[i]})" for i in np.flatnonzero(self._buffers.mask))
        return IllegalMove(
            f"action {action} is not legal for {self.agent_selection}; legal: {legal}"
        )

    def _advance(self, seat: int) -> None:
        """Go to a seat's decision; without one end the hand, deal the next or end the episode."""
        self.rewards = self._no_rewards.copy()
        self._hand_finished = seat < 0
        while seat < 0:  # again and again: a hand may end at its deal, by the antes
            self._pay_out()
            self._record_hand()
            self._hand += 1
            if self._hand == self.hands or not self.game.can_deal_next_hand():
                self.terminations = dict.fromkeys(self.agents, True)
                self.agent_selection = self.agents[0]
                self._set_infos()
                return
            self._show()
            seat = self._deal_next()
        self.agent_selection = self.possible_agents[seat]
        self._set_infos()
        self.infos[self.agent_selection]["action_mask"] = self._buffers.mask.copy()

    def _set_infos(self) -> None:
        """Give every agent the info of one whose action does not count."""
        self.infos = {agent: {"action_mask": self._no_choice} for agent in self.agents}

    def _pay_out(self) -> None:
        """Pay the rewards of a hand that is over."""
        net_credits = self._buffers.outcome["net_credits"][0, : self.num_players].tolist()
        for agent, credits in zip(self.possible_agents, net_credits, strict=True):
            reward = credits / self.rules.ante_unit
            self.rewards[agent] += reward
            self._cumulative_rewards[agent] += reward

    def _record_hand(self) -> None:
        """Record a hand that is over, if it is to be."""
        if self._recorder is not None:
            self._recorder.hand_ended(
                self.game, self._names, seed=self._seed, episode=self._episode
            )

    # Saved states.

    def save_state(self) -> SavedState:
        """Return where the environment stands, for ``restore_state``; in memory, so it is quick.

        Raises:
            SabaccError: before the first reset.
        """
        return self._states.save(self._state_values())

    def _state_values(self) -> dict[str, Any]:
        """Return what a saved state of this table holds."""
        if self._seed is None:
            raise SabaccError(NO_EPISODE)
        illegal = next((name for name in self.infos if "illegal_action" in self.infos[name]), None)
        ended = IN_PLAY
        if any(self.truncations.values()):
            ended = ILLEGAL
        elif any(self.terminations.values()) or not self.agents:
            ended = TERMINATED
        return {
            "game": self.game.clone(),
            "seed": self._seed,
            "episode": self._episode,
            "hand": self._hand,
            "agents": self.agents.copy(),
            "agent_selection": self.agent_selection,
            "selected_before_the_end": getattr(self, "_skip_agent_selection", None),
            "rewards": list(self.rewards.values()),
            "cumulative_rewards": list(self._cumulative_rewards.values()),
            "ended": ended,
            "acted_illegally": illegal,
            "hand_finished": self._hand_finished,
            "outcome": outcome_numbers(self._buffers.outcome),
        }

    def restore_state(self, state: SavedState) -> None:
        """Go on from a state that ``save_state`` returned, here or in an environment made alike.

        Alike are rules, players, hands and bet sizes. The steps that ``undo`` could take back are
        forgotten.

        Raises:
            SabaccError: for any other state; says what differs, and nothing has changed.
        """
        self._go_to(self._states.values_of(state, self._check_values))
        self._states.forget_steps()

    def undo(self) -> None:
        """Go back to before the last action, and the deal of a next hand that it led to.

        Chance stays as it is: the same actions meet the same cards and dice again. Only the last
        ``undo_steps`` actions since the reset are kept. Steps of agents that had ended do not
        count.

        Raises:
            SabaccError: where no step is kept.
        """
        self._go_to(self._states.before_last_step())
        self._states.forget_last_step()

    def _note_illegal_action(self, agent: str, before: dict[str, Any] | None) -> None:
        """Say in the infos whose illegal action ended the episode; keep what was before."""
        if before is not None:
            self._states.keep(before)
        self._hand_finished = False
        self._set_infos()
        self.infos[agent]["illegal_action"] = True

    def _check_values(self, values: dict[str, Any]) -> None:
        """Refuse values that this table cannot have."""
        rules = self._episode_rules.of_game(values.get("game"))
        check_table_values(values, rules, self.possible_agents, self.hands)

    def _go_to(self, values: dict[str, Any]) -> None:
        """Stand where a table stood whose ``_state_values`` these are, unchecked."""
        self.game = values["game"].clone()
        self._set_rules(self.game.rules)
        self._seed, self._episode = values["seed"], values["episode"]
        self._hand = values["hand"]
        self.agents = values["agents"].copy()
        self.agent_selection = values["agent_selection"]
        self._skip_agent_selection = values["selected_before_the_end"]
        self.rewards = dict(zip(self.agents, values["rewards"], strict=True))
        self._cumulative_rewards = dict(zip(self.agents, values["cumulative_rewards"], strict=True))
        in_play = values["ended"] == IN_PLAY
        self.terminations = dict.fromkeys(self.agents, not in_play)
        self.truncations = dict.fromkeys(self.agents, values["ended"] == ILLEGAL)
        self.game.write_turn(self._buffers)
        write_outcome(values["outcome"], self._buffers.outcome)
        self._hand_finished = values["hand_finished"]
        self._set_infos()
        if in_play:
            self.infos[self.agent_selection]["action_mask"] = self._buffers.mask.copy()
        if (agent := values["acted_illegally"]) is not None:
            self.infos[agent]["illegal_action"] = True

    @property
    def hands_finished(self) -> int:
        """How many hands of this episode have ended."""
        return self._hand

    def hand_result(self) -> dict[str, Any] | None:
        """Return how the last hand of this episode ended, by names; None before one has ended.

        Returns:
            ``net_credits``, a number for each seat; ``revealed_hands``, what they are called, by
            agent, {} when nothing was revealed; ``winners``, an agent for each pot; and
            ``sabacc_pot``, the credits left in it.
        """
        if self._hand == 0:
            return None
        return named_result(self._buffers.outcome[0], self.rules.ranking, self.possible_agents)

    def observe(self, agent: str) -> Any:
        """Return the agent's observation and mask; any possible agent may ask at any time.

        Raises:
            SabaccError: for anything that is not an agent of this environment.
        """
        buffers, seat = self._buffers, self._seat_of(agent)
        if agent == self.agent_selection and not self.terminations.get(agent, True):
            flat, mask = buffers.observation.copy(), buffers.mask.copy()
        else:
            self.game.write_observation(buffers, seat)
            flat, mask = buffers.requested_observation.copy(), self._no_choice
        observation = self._form.of_game(self.game, seat, flat, mask)
        return {"observation": observation, "action_mask": mask} if self._adds_mask else observation

    def _seat_of(self, agent: str) -> int:
        """Return the seat of an agent; refuse what is none."""
        seat = self._seats.get(agent) if isinstance(agent, str) else None
        if seat is None:
            known = ", ".join(self.possible_agents)
            raise SabaccError(f"unknown agent {short_repr(agent)}; the agents are {known}")
        return seat

    def state(self) -> NDArray[np.float32]:
        """Return everything, hidden cards and the chance to come included: ``Game.state``."""
        return self.game.state()

    def render(self) -> modes.RenderFrame | None:
        """Return the table as text or an image, or show it in a window, by the render mode.

        A window shows it for ``1 / metadata["render_fps"]`` seconds.
        """
        if self.render_mode is None:
            return None
        if self._seed is None:
            raise SabaccError(NO_EPISODE)
        return self._renderer.render(self.game, self.render_seat, self.metadata["render_fps"])

    def _show(self) -> None:
        """Show the table in the window, if there is one."""
        if self.render_mode == "human":
            self.render()

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()


def check_action(action: Any) -> int:
    """Return an action that is a whole number, but no bool, as an int."""
    number = as_int(action)
    if number is None:
        raise not_an_action(action)
    return number


def not_an_action(action: object) -> IllegalMove:
    """Return the refusal of what is not a whole number."""
    return IllegalMove(
        f"{short_repr(action)} is not an action; give a whole number below n of the space"
    )
