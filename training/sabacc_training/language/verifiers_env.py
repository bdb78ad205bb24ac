"""An environment of verifiers (its v1): a table whose seats are players that answer in words.

It needs the package ``verifiers``, which brings many others; docs/libraries/verifiers.md installs
it. The library finds what is here by the name of the package ``sabacc_verifiers``.
"""

from __future__ import annotations

import contextlib
import itertools
import ssl
from collections.abc import Iterator
from functools import cache
from types import GenericAlias
from typing import Any, Final, Self, get_args, get_origin

import verifiers.v1 as vf
from openai import AsyncOpenAI, DefaultAsyncHttpxClient
from pydantic import create_model, model_validator
from verifiers.v1.dialects.chat import message_to_wire

from sabacc_env.errors import SabaccError
from sabacc_training.language.episode import SeatResult, TextEpisodes, Turn
from sabacc_training.language.task import TextTask, text_task

PLAYER: Final = vf.AgentConfig(runtime=vf.SubprocessConfig())
"""Who has a seat, unless said otherwise: the model of the run. Its harness starts no program."""


class SabaccData(vf.TaskData):  # type: ignore[misc]
    """An episode: its seed, as of ``TextEpisodes``."""

    seed: int


class SabaccTask(vf.Task[SabaccData]):  # type: ignore[misc]
    """An episode. The environment rewards its players."""


def _keys() -> dict[str, Any]:
    """Return the keys of ``TextTask``: tuples as lists, for the library's command line has none."""
    keys = TextTask.model_fields.items()
    return {key: (_without_tuple(field.annotation), field) for key, field in keys}


def _without_tuple(annotation: Any) -> Any:
    is_tuple = get_origin(annotation) is tuple
    return GenericAlias(list, get_args(annotation)[:1]) if is_tuple else annotation


_TaskKeys: Any = create_model("_TaskKeys", __base__=vf.TasksetConfig, **_keys())


class SabaccTasksetConfig(_TaskKeys):
    """What is played: the keys of ``TextTask``, under ``--env.taskset``."""

    @model_validator(mode="after")
    def _check_task(self) -> Self:
        """Check the keys as everywhere, and put those of a rung in the place of its name."""
        given = self.model_dump(include=self.model_fields_set & TextTask.model_fields.keys())
        for key, value in text_task(**given).model_dump(mode="json").items():
            setattr(self, key, value)
        return self

    @property
    def text_task(self) -> TextTask:
        """What is played."""
        return text_task(**self.model_dump(include=set(TextTask.model_fields)))


class SabaccTaskset(vf.Taskset[SabaccTask, SabaccTasksetConfig]):  # type: ignore[misc]
    """Episodes without end, by their seeds 0, 1, 2, ..."""

    INFINITE = True

    def load(self) -> Iterator[SabaccTask]:
        """Yield the episodes."""
        for seed in itertools.count():
            data = SabaccData(name=f"{self.config.rules}#{seed}", seed=seed)
            yield SabaccTask(data, self.config.task)


class SabaccEnvConfig(vf.EnvConfig):  # type: ignore[misc]
    """Who has the seats that answer in words."""

    player_0: vf.AgentConfig = PLAYER
    player_1: vf.AgentConfig = PLAYER
    player_2: vf.AgentConfig = PLAYER
    player_3: vf.AgentConfig = PLAYER
    player_4: vf.AgentConfig = PLAYER
    player_5: vf.AgentConfig = PLAYER
    player_6: vf.AgentConfig = PLAYER
    player_7: vf.AgentConfig = PLAYER


class SabaccEnv(vf.Env[SabaccEnvConfig]):  # type: ignore[misc]
    """A table at which the seats that answer in words are players, each with a trace of its own.

    Args:
        config: the players, and in its ``taskset`` what is played.

    Raises:
        SabaccError: for another taskset, and as ``TextEpisodes``.
    """

    def __init__(self, config: SabaccEnvConfig) -> None:
        super().__init__(config)
        if not isinstance(self.taskset, SabaccTaskset):
            raise SabaccError(
                f"taskset.id: {config.taskset.id!r} is not for this table; give 'sabacc-verifiers'"
            )
        self._task = self.taskset.config.text_task
        self._idle = [TextEpisodes(self._task)]  # tables at which no episode is in play

    async def setup(self, agents: Any) -> None:
        """Train nobody but who plays by the model of the run."""
        for seat in range(self._task.num_players):
            player = _name(seat)
            if getattr(self.config, player).model is not None:
                getattr(agents, player).trainable = False

    async def run(self, task: Any, agents: Any) -> None:
        """Play an episode, and reward its players."""
        table = self._idle.pop() if self._idle else TextEpisodes(self._task)
        try:
            await self._play(table, task, agents)
        finally:
            self._idle.append(table)

    async def _play(self, table: TextEpisodes, task: Any, agents: Any) -> None:
        turn, asked = table.reset(task.data.seed), None
        players: dict[int, Any] = {}
        async with contextlib.AsyncExitStack() as seated:
            while not turn.done:
                message = _message(turn, asked)
                asked = turn.seat
                if asked not in players:
                    player = getattr(agents, _name(asked)).interaction(task)
                    players[asked] = await seated.enter_async_context(player)
                turn = table.step(await _answer(players[asked], message))
        for seat, player in players.items():
            self._record(player.trace, table.results[seat])

    def _record(self, trace: Any, result: SeatResult) -> None:
        trace.record_reward("reward", result.reward)
        trace.record_metrics(
            {"answers": result.answers, "refused": result.refused, "defaults": result.defaults}
        )
        if self._task.kind == "hands":
            trace.record_metric("net_antes", result.net_antes)
        if self._task.knows_regrets:
            trace.record_metric("regret", result.regret)


def _name(seat: int) -> str:
    return f"player_{seat}"


def _message(turn: Turn, answered: int | None) -> str:
    """Return what a seat is told: where its own answer was refused, that before what is asked."""
    if turn.refusal is None or turn.seat != answered:
        return turn.text
    return f"{turn.refusal}\n\n{turn.text}"


async def _answer(player: Any, message: str) -> str:
    """Return what a player answers; nothing, for which the default is played, after its limits.

    Raises:
        SabaccError: where its model failed, so that the episode does.
    """
    if player.trace.stop_condition is None:
        segment = await player.turn(message)
        if not segment.terminated:
            return str(segment.last_reply)
        if (error := player.trace.last_error) is not None:
            raise SabaccError(f"{player.trace.agent.name}: no answer came ({error.message})")
    return ""


class ChatHarness(vf.Harness[vf.HarnessConfig]):  # type: ignore[misc]
    """Asks the model for one message at each turn; it has no tools, and starts no program."""

    APPENDS_SYSTEM_PROMPT = True
    SUPPORTS_RESUME = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: Any,
        trace: Any,
        runtime: Any,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: Any,
    ) -> Any:
        """Send the conversation, to which the library adds the answer."""
        system_prompt, prompt = self.resolve_prompt(data)
        messages = [vf.UserMessage(content=prompt)] if isinstance(prompt, str) else list(prompt)
        if system_prompt is not None:
            messages.insert(0, vf.SystemMessage(content=system_prompt))
        http = DefaultAsyncHttpxClient(verify=_tls())
        async with AsyncOpenAI(base_url=endpoint, api_key=secret, http_client=http) as client:
            await client.chat.completions.create(
                model=ctx.model, messages=[message_to_wire(message) for message in messages]
            )
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")


@cache
def _tls() -> ssl.SSLContext:
    """Return how to trust servers: to read all certificates takes longer than a turn."""
    return ssl.create_default_context()
