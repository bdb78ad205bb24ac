"""The render modes of the environments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sabacc_env.arguments import check_int
from sabacc_env.errors import SabaccError, how_to_install, short_repr
from sabacc_env.render.text import render_text
from sabacc_env.render.window import Window

if TYPE_CHECKING:
    from sabacc_env.game.game import Game

RenderFrame: TypeAlias = str | NDArray[np.uint8]

RENDER_MODES: Final = ("ansi", "human", "rgb_array")
RENDER_FPS: Final = 2
"""How many pictures a second a window or a video shows, unless somebody asks for another number."""


def check_render_mode(render_mode: Any) -> str | None:
    """Return a render mode, which must be a known one or None."""
    if render_mode is None:
        return None
    if not isinstance(render_mode, str) or render_mode not in RENDER_MODES:
        known = ", ".join(RENDER_MODES[:-1])
        raise SabaccError(
            f"unknown render_mode {short_repr(render_mode)}; use {known} or {RENDER_MODES[-1]}"
        )
    return render_mode


def check_render_seat(render_seat: Any, num_players: int) -> int | None:
    """Return a point of view: one of the seats, or None, which sees all hands."""
    if render_seat is None:
        return None
    return check_int("render_seat", render_seat, 0, num_players - 1)


class Renderer:
    """Shows the table of one environment in its render mode.

    Args:
        render_mode: how; None shows nothing.

    Raises:
        SabaccError: for an unknown mode, and for ``human`` without pygame or Pillow.
    """

    def __init__(self, render_mode: str | None) -> None:
        self.mode = check_render_mode(render_mode)
        self._window = Window() if self.mode == "human" else None

    def render(self, game: Game, seat: int | None, fps: float) -> RenderFrame | None:
        """Show the table: everything, or only what one seat may know.

        Returns:
            The text for ``ansi``; the image for ``rgb_array``, uint8 of shape (height, width, 3);
            None for ``human``, which shows the image in a window for ``1 / fps`` seconds.

        Raises:
            SabaccError: for ``rgb_array`` without Pillow, and for ``human`` without a screen.
        """
        if self._window is not None:
            self._window.show(game, seat, fps)
        elif self.mode == "ansi":
            return render_text(game, seat)
        elif self.mode == "rgb_array":
            return _image(game, seat)
        return None

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()


def _image(game: Game, seat: int | None) -> NDArray[np.uint8]:
    try:
        from sabacc_env.render.image import render_rgb
    except ImportError:
        raise SabaccError(
            f'render_mode "rgb_array" needs Pillow; {how_to_install("render")}'
        ) from None
    return render_rgb(game, seat)
