"""PettingZoo's wrappers and its parallel form, as the environment needs them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pettingzoo.utils import wrappers
from pettingzoo.utils.conversions import turn_based_aec_to_parallel_wrapper

from sabacc_env.envs.aec import not_an_action
from sabacc_env.envs.before_reset import BeforeReset
from sabacc_env.envs.saved_states import SavedState
from sabacc_env.errors import SabaccError, short_repr


class EndOnIllegalAction(wrappers.TerminateIllegalWrapper):  # type: ignore[misc]
    """PettingZoo's ``TerminateIllegalWrapper``, which also says so in the infos."""

    def step(self, action: int | None) -> None:
        """Play an action; an illegal one ends the episode with the illegal reward."""
        if isinstance(action, bool):  # which a ``Discrete`` contains, and indexes the mask
            raise not_an_action(action)
        agent, ended_before = self.env.agent_selection, self._terminated
        table = self.env.unwrapped
        before = table._state_values() if table._states.keeps_steps else None
        super().step(action)
        if self._terminated and not ended_before:
            table._note_illegal_action(agent, before)

    def restore_state(self, state: SavedState) -> None:
        """Go on from a state; see ``SabaccAEC``."""
        self.env.restore_state(state)
        self._go_on()

    def undo(self) -> None:
        """Go back to before the last action; see ``SabaccAEC``."""
        self.env.undo()
        self._go_on()

    def _go_on(self) -> None:
        self._terminated = any(self.env.truncations.values())
        self._prev_obs = self._prev_info = None


class EnforceOrder(wrappers.OrderEnforcingWrapper):  # type: ignore[misc]
    """PettingZoo's ``OrderEnforcingWrapper``, to which a restored state is as good as a reset."""

    def restore_state(self, state: SavedState) -> None:
        """Go on from a state; see ``SabaccAEC``."""
        self.env.restore_state(state)
        self._has_reset = self._has_updated = True

    def undo(self) -> None:
        """Go back to before the last action; see ``SabaccAEC``."""
        self.env.undo()
        self._has_updated = True

    def __str__(self) -> str:
        return str(self.env)


class SabaccParallel(turn_based_aec_to_parallel_wrapper):  # type: ignore[misc]
    """PettingZoo's parallel form, with infos of the same keys at every step and reset.

    Where the antes leave nobody a decision, an episode is over at its reset: there are no
    ``agents``, and ``hand_result()`` says how its last hand ended.
    """

    def __init__(self, table: Any) -> None:
        super().__init__(table)
        self.agents: Any = BeforeReset()

    @property
    def hands_finished(self) -> int:
        """How many hands of this episode have ended."""
        finished: int = self.aec_env.hands_finished
        return finished

    def hand_result(self) -> dict[str, Any] | None:
        """Return how the last hand of this episode ended; see ``SabaccAEC``."""
        result: dict[str, Any] | None = self.aec_env.hand_result()
        return result

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """Start an episode; return observations and infos by agent."""
        self.aec_env.reset(seed=seed, options=options)
        return self._observe()

    def step(self, actions: dict[str, Any]) -> Any:
        """Play the action of the agent that is to act.

        Raises:
            SabaccError: where it is missing, or before the first reset; nothing has changed.
        """
        if not self.agents:
            return {}, {}, {}, {}, {}  # PettingZoo leaves one out
        agent = self.aec_env.agent_selection
        if not isinstance(actions, Mapping) or agent not in actions:
            raise SabaccError(
                f"actions: {short_repr(actions)} has no action of {agent}, who is to act; give a "
                "dict with one of every agent"
            )
        returned = super().step(actions)
        for info in returned[-1].values():  # which PettingZoo has noted there, by name
            info.pop("active_agent", None)
        return returned

    def save_state(self) -> SavedState:
        """Return where the environment stands; see ``SabaccAEC``."""
        state: SavedState = self.aec_env.save_state()
        return state

    def restore_state(self, state: SavedState) -> Any:
        """Go on from a state; return observations and infos by agent. See ``SabaccAEC``."""
        self.aec_env.restore_state(state)
        return self._observe()

    def undo(self) -> Any:
        """Go back to before the last step; return observations and infos by agent."""
        self.aec_env.undo()
        return self._observe()

    def _observe(self) -> Any:
        infos = {**self.aec_env.infos}
        while self.aec_env.agents and self.aec_env.terminations[self.aec_env.agent_selection]:
            self.aec_env.step(None)  # as PettingZoo does after a step: all end together
        self.agents = self.aec_env.agents[:]
        observations = {agent: self.aec_env.observe(agent) for agent in self.agents}
        return observations, infos
