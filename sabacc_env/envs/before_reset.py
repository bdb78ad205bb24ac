"""What stands for an episode's values before the first reset: any use of it says what to do."""

from __future__ import annotations

from typing import Any, Final, NoReturn

from sabacc_env.errors import SabaccError

NO_EPISODE: Final = "no episode is in play; call reset first"
"""What every environment says that has to be reset first."""


class NoEpisode(SabaccError, AttributeError):
    """There is no episode yet; an ``AttributeError`` too, so that ``hasattr`` and copies work."""


class BeforeReset:
    """An episode's value that is not there yet: it costs the steps of an episode nothing."""

    def __getattr__(self, name: str) -> NoReturn:
        raise NoEpisode(NO_EPISODE)

    def __getitem__(self, key: Any) -> NoReturn:
        raise NoEpisode(NO_EPISODE)

    def __iter__(self) -> NoReturn:
        raise NoEpisode(NO_EPISODE)

    def __len__(self) -> NoReturn:
        raise NoEpisode(NO_EPISODE)
