"""An OpenEnv environment: one seat that answers in words, served over HTTP and websockets.

It needs the package ``openenv``, which brings many others; docs/libraries/openenv.md installs it.
"""

from __future__ import annotations

import uuid
from importlib import metadata
from typing import Any

from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, EnvironmentMetadata, Observation, State
from pydantic import Field

from sabacc_env.errors import SabaccError
from sabacc_training.language.episode import TextEpisodes, Turn
from sabacc_training.language.task import TEXT, TextTask


class SabaccAction(Action):  # type: ignore[misc]
    """An answer, in words."""

    text: str = Field(description="What the seat plays, in any words that name one legal move")


class SabaccObservation(Observation):  # type: ignore[misc]
    """What the seat may know and is asked; ``reward`` and ``done`` are as everywhere."""

    text: str = Field(description="What the seat may know and is asked, in plain words")
    seat: int = Field(description="The seat that answers")
    refusal: str | None = Field(
        default=None, description="What is wrong with the last answer, which is asked for again"
    )
    net_antes: float = Field(
        default=0.0, description="Antes won since the answer before, whatever the reward is"
    )
    regret: float | None = Field(
        default=None, description="Antes that the last move wins less than the best one, if known"
    )
    value: float | None = Field(
        default=None, description="Antes that the seat wins from here in the equilibrium, if known"
    )


class SabaccState(State):  # type: ignore[misc]
    """How the episode stands."""

    seed: int | None = Field(default=None, description="The seed of the episode")
    answers: int = Field(default=0, description="How many answers there were")
    refused: int = Field(default=0, description="How many were not legal, or could not be read")
    defaults: int = Field(default=0, description="How many moves were the default")


class SabaccEnvironment(Environment[SabaccAction, SabaccObservation, SabaccState]):  # type: ignore[misc]
    """One seat at a table of agents, in words.

    Args:
        task: what is played.

    Raises:
        SabaccError: for a task with several seats that answer in words.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, task: TextTask) -> None:
        super().__init__()
        if TEXT in task.opponents:
            raise SabaccError(
                f'opponents: "{TEXT}" is not for OpenEnv, where one seat answers; give agents'
            )
        self._episodes = TextEpisodes(task)
        self._episode_id: str | None = None
        self._steps = 0

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, **kwargs: Any
    ) -> SabaccObservation:
        """Begin an episode.

        Args:
            seed: decides the hands, the opponents' random numbers and the seat; None is random.
            episode_id: what the episode is called; by default a name of its own.
            kwargs: none are known.

        Raises:
            SabaccError: for another argument, and for a seed that is none.
        """
        if kwargs:
            raise SabaccError(
                f"reset: {next(iter(kwargs))!r} is not known; give seed or episode_id"
            )
        turn = self._episodes.reset(seed)
        self._episode_id, self._steps = episode_id or str(uuid.uuid4()), 0
        return _observation(turn)

    def step(
        self, action: SabaccAction, timeout_s: float | None = None, **kwargs: Any
    ) -> SabaccObservation:
        """Take an answer.

        Raises:
            SabaccError: where no episode is in play.
        """
        turn = self._episodes.step(action.text)
        self._steps += 1
        return _observation(turn)

    @property
    def state(self) -> SabaccState:
        """How the episode stands."""
        if self._episode_id is None:
            return SabaccState()
        (counts,) = self._episodes.results.values()
        return SabaccState(
            episode_id=self._episode_id,
            step_count=self._steps,
            seed=self._episodes.seed,
            answers=counts.answers,
            refused=counts.refused,
            defaults=counts.defaults,
        )

    def get_metadata(self) -> EnvironmentMetadata:
        """Return what the environment is."""
        return EnvironmentMetadata(
            name="sabacc-env",
            description="Corellian Spike Sabacc from one seat, in words",
            version=metadata.version("sabacc-env"),
        )


def _observation(turn: Turn) -> SabaccObservation:
    return SabaccObservation(
        text=turn.text,
        seat=turn.seat,
        refusal=turn.refusal,
        net_antes=turn.net_antes,
        regret=turn.regret,
        value=turn.value,
        reward=turn.reward,
        done=turn.done,
    )


def make_app(task: TextTask, max_concurrent_envs: int = 64) -> Any:
    """Return the FastAPI application that serves a task.

    Args:
        task: what is played.
        max_concurrent_envs: how many episodes are played at once, each in a session of its own.
    """
    SabaccEnvironment(task)  # so that agents that cannot be loaded are refused at once
    return create_app(
        lambda: SabaccEnvironment(task),
        SabaccAction,
        SabaccObservation,
        env_name="sabacc-env",
        max_concurrent_envs=max_concurrent_envs,
        state_cls=SabaccState,
    )
