"""Episodes of an OpenEnv server, as ``TextEpisodes`` plays them in process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from openenv.core.generic_client import GenericEnvClient

from sabacc_env.errors import SabaccError
from sabacc_training.language.episode import Turn

KEYS: Final = {"text", "seat", "refusal", "net_antes", "regret", "value"}
"""What an observation has of a ``Turn``."""


class OpenEnvEpisodes:
    """Plays the episodes of a server, one after another; ``open_episodes`` makes one."""

    def __init__(self, client: Any, url: str) -> None:
        self._client, self._url = client, url

    def reset(self, seed: int) -> Turn:
        """Begin the episode of a seed."""
        return self._turn(lambda: self._client.reset(seed=seed))

    def step(self, text: str) -> Turn:
        """Take an answer."""
        return self._turn(lambda: self._client.step({"text": text}))

    def _turn(self, ask: Callable[[], Any]) -> Turn:
        """Return what the server says.

        Raises:
            SabaccError: where the connection is lost, or the server is one of another environment.
        """
        try:
            result = ask()
        except Exception as error:  # of the library, of websockets, of the system
            raise SabaccError(
                f"url: the server at {self._url} gave no answer ({error or type(error).__name__})"
            ) from error
        seen = result.observation
        if not isinstance(seen, dict) or not seen.keys() >= KEYS:
            raise SabaccError(
                f"url: the server at {self._url} is not `sabacc openenv`; its observations have no "
                "text and regret"
            )
        told = {key: seen[key] for key in KEYS}
        return Turn(done=result.done, reward=result.reward or 0.0, **told)


@contextmanager
def open_episodes(url: str) -> Iterator[OpenEnvEpisodes]:
    """Connect to an OpenEnv server of this package, such as ``sabacc openenv``.

    Args:
        url: its address, such as ``http://127.0.0.1:8000``.

    Raises:
        SabaccError: where no such server answers.
    """
    client = GenericEnvClient(base_url=url).sync()
    try:
        client.connect()
    except (OSError, TimeoutError, ValueError) as error:
        raise SabaccError(f"url: no OpenEnv server answers at {url} ({error})") from None
    with client:
        yield OpenEnvEpisodes(client, url)
