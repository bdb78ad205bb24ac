"""Episodes of an OpenEnv server, as ``TextEpisodes`` plays them in process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from openenv.core.generic_client import GenericEnvClient

from sabacc_env.errors import SabaccError
from sabacc_training.language.episode import Turn


class OpenEnvEpisodes:
    """Plays the episodes of a server, one after another; ``open_episodes`` makes one."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def reset(self, seed: int) -> Turn:
        """Begin the episode of a seed."""
        return _turn(self._client.reset(seed=seed))

    def step(self, text: str) -> Turn:
        """Take an answer."""
        return _turn(self._client.step({"text": text}))


def _turn(result: Any) -> Turn:
    seen = result.observation
    return Turn(
        text=seen["text"],
        done=result.done,
        seat=seen["seat"],
        refusal=seen["refusal"],
        reward=result.reward,
        net_antes=seen["net_antes"],
        regret=seen["regret"],
        value=seen["value"],
    )


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
        yield OpenEnvEpisodes(client)
