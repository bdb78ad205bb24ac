"""An OpenAI-compatible endpoint: asks for chat completions, and again after errors that may pass.

It needs ``httpx2``, ``anyio`` and ``tenacity``, which the extra ``train`` installs.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Annotated, Final, TypeAlias, TypeVar

import httpx2
from anyio.from_thread import start_blocking_portal
from pydantic import BaseModel, Field, ValidationError
from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception,
    stop_after_attempt,
    stop_before_delay,
    wait_random_exponential,
)

from sabacc_agents.external.failures import Failure
from sabacc_agents.language_models.spec import EXAMPLE_URL, KEY_VARIABLE, ModelSpec, address
from sabacc_agents.language_models.usage import Usage
from sabacc_agents.saved_files import MODEL_PREFIX
from sabacc_env.errors import SabaccError, printable

Thing = TypeVar("Thing")
Said = TypeVar("Said")

Messages: TypeAlias = Sequence[Mapping[str, str]]
"""A conversation so far: messages with a ``role`` and a ``content``."""

Complete: TypeAlias = Callable[[Messages], Awaitable[str]]
"""Returns what the model says next; raises an ``EndpointError`` where there is no answer."""

Ask: TypeAlias = Callable[[Complete, Thing], Awaitable[Said]]
"""Holds a conversation about something, and returns what came of it."""

URL_VARIABLE: Final = "OPENAI_BASE_URL"

TRIES: Final = 5
"""How often one request is sent at most."""

_BACKOFF: Final = wait_random_exponential(multiplier=0.5, max=30)
_MAY_PASS: Final = (408, 409, 425, 429)
"""States that may pass, beside all from 500: timeout, conflict, too early, too many requests."""

_MAX_QUOTED: Final = 200
"""Characters quoted of what an endpoint says of an error."""


class EndpointError(SabaccError):
    """There is no answer; the message says what the endpoint did.

    Attributes:
        kind: one of ``failures.FAILURE_KINDS``.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


# What is read of a completion; endpoints send more.


class _Message(BaseModel):
    content: str | None = None


class _Choice(BaseModel):
    message: _Message


class _Tokens(BaseModel):
    prompt_tokens: Annotated[int, Field(ge=0)]
    completion_tokens: Annotated[int, Field(ge=0)] = 0


class _Completion(BaseModel):
    choices: Annotated[list[_Choice], Field(min_length=1)]
    usage: _Tokens | None = None


class Endpoint:
    """Where a model is asked.

    Args:
        spec: which model, and how.

    Attributes:
        usage: what was asked so far.

    Raises:
        SabaccError: where neither the spec nor the environment says where the endpoint is, and for
            a key that cannot be sent.
    """

    def __init__(self, spec: ModelSpec) -> None:
        url = spec.base_url or os.environ.get(URL_VARIABLE)
        if not url:
            raise SabaccError(
                f"agent: base_url: nothing says where the model {spec.name!r} is; write, for "
                f'example, "{MODEL_PREFIX}base_url={EXAMPLE_URL} {spec.name}", or set the '
                f"environment variable {URL_VARIABLE}"
            )
        self.usage = Usage()
        self._url = url if spec.base_url else address(URL_VARIABLE, url)
        self._key = os.environ.get(KEY_VARIABLE, "").strip()
        if not (self._key.isascii() and self._key.isprintable()):
            raise SabaccError(  # and not the key: it is a secret
                f"agent: the environment variable {KEY_VARIABLE} has a character that no key has"
            )
        self._spec = spec
        self._certificates = httpx2.create_ssl_context()

    def ask_each(self, ask: Ask[Thing, Said], things: Iterable[Thing]) -> list[Said | Failure]:
        """Hold a conversation about each of several things, many at the same time.

        Args:
            ask: holds one: it is given what completes messages, and the thing.
            things: what they are about.

        Returns:
            What each conversation returned, or why it did not end well.
        """
        # In a thread of its own: in this one a loop may run already, as in a notebook.
        with start_blocking_portal() as portal:
            return portal.call(self._ask_each, ask, things)

    async def _ask_each(
        self, ask: Ask[Thing, Said], things: Iterable[Thing]
    ) -> list[Said | Failure]:
        turns = asyncio.Semaphore(self._spec.max_concurrency)
        async with self._client() as client:
            complete = partial(self._complete, client)

            async def answer(thing: Thing) -> Said | Failure:
                try:
                    async with turns, asyncio.timeout(self._spec.timeout_s):
                        return await ask(complete, thing)
                except TimeoutError:
                    return Failure("timeout", f"no answer within {self._spec.timeout_s:g} s")
                except EndpointError as error:
                    return Failure(error.kind, str(error))

            return await asyncio.gather(*map(answer, things))

    def _client(self) -> httpx2.AsyncClient:
        return httpx2.AsyncClient(
            base_url=self._url,
            headers={"Authorization": f"Bearer {self._key}"} if self._key else {},
            timeout=None,  # a conversation as a whole has a limit
            limits=httpx2.Limits(max_connections=None),
            verify=self._certificates,
        )

    async def _complete(self, client: httpx2.AsyncClient, messages: Messages) -> str:
        """Return what the model says next.

        Raises:
            EndpointError: where there is no answer.
        """
        retrying = AsyncRetrying(
            retry=retry_if_exception(_may_pass),
            wait=_wait,
            stop=stop_after_attempt(TRIES) | stop_before_delay(self._spec.timeout_s),
            reraise=True,
        )
        try:
            completion: _Completion = await retrying(self._request, client, messages)
        except httpx2.HTTPStatusError as error:
            raise EndpointError("crash", self._refusal(error.response)) from error
        except httpx2.HTTPError as error:
            reason = f"{type(error).__name__}: {error}".rstrip(": ")
            raise EndpointError("crash", f"the endpoint cannot be asked ({reason})") from error
        except ValidationError as error:
            raise EndpointError(
                "unreadable", "the endpoint answered with something other than a chat completion"
            ) from error
        if completion.usage is None:
            self.usage.uncounted += 1
        else:
            self.usage.prompt_tokens += completion.usage.prompt_tokens
            self.usage.completion_tokens += completion.usage.completion_tokens
        return completion.choices[0].message.content or ""

    async def _request(self, client: httpx2.AsyncClient, messages: Messages) -> _Completion:
        self.usage.requests += 1
        body = {
            "model": self._spec.name,
            "messages": messages,
            "max_tokens": self._spec.max_tokens,
            "temperature": self._spec.temperature,
        }
        given = {key: value for key, value in body.items() if value is not None}
        response = await client.post("chat/completions", json=given)
        response.raise_for_status()
        return _Completion.model_validate_json(response.content)

    def _refusal(self, response: httpx2.Response) -> str:
        """Say how a request was refused, without the key, which some endpoints repeat."""
        text = " ".join(response.text.split())
        if self._key:
            text = text.replace(self._key, "[the key]")
        quoted = printable(text)[:_MAX_QUOTED]
        state = f"the endpoint answered {response.status_code} {response.reason_phrase}".rstrip()
        return f"{state}: {quoted}" if quoted else state


def _may_pass(error: BaseException) -> bool:
    """Say whether the same request may succeed later."""
    if isinstance(error, httpx2.HTTPStatusError):
        state = error.response.status_code
        return state >= 500 or state in _MAY_PASS
    return isinstance(error, httpx2.TransportError | ValidationError)


def _wait(state: RetryCallState) -> float:
    """Return the seconds to wait: as many as the endpoint asks for, else more each time."""
    error = None if state.outcome is None else state.outcome.exception()
    if isinstance(error, httpx2.HTTPStatusError):
        asked = error.response.headers.get("retry-after", "")
        if asked.isascii() and asked.isdecimal():
            return float(asked)
    return _BACKOFF(state)
