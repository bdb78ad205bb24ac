"""The render modes of the environments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sabacc_env.errors import SabaccError, how_to_install, short_repr
from sabacc_env.render.text import render_text

if TYPE_CHECKING:
    from sabacc_env.game.game import Game

RenderFrame: TypeAlias = str | NDArray[np.uint8]

RENDER_MODES: Final = ("ansi", "human", "rgb_array")


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


def render(game: Game, seat: int | None, render_mode: str) -> RenderFrame | None:
    """Show the table in a mode: everything, or only what one seat may know.

    Returns:
        The text for ``ansi``; the image for ``rgb_array``, uint8 of shape (height, width, 3); None
        for ``human``, which prints the text.

    Raises:
        SabaccError: for ``rgb_array`` without Pillow.
    """
    if render_mode == "rgb_array":
        try:
            from sabacc_env.render.image import render_rgb
        except ImportError:
            raise SabaccError(
                f'render_mode "rgb_array" needs Pillow; {how_to_install("render")}'
            ) from None
        return render_rgb(game, seat)
    text = render_text(game, seat)
    if render_mode == "ansi":
        return text
    print(text)
    return None
