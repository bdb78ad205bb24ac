"""Shows tables in a window, with pygame (the extra ``render``)."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Final

from sabacc_env.errors import SabaccError, how_to_install
from sabacc_env.render.drawing import HEIGHT, WIDTH, table_title

if TYPE_CHECKING:
    import pygame

    from sabacc_env.game.game import Game

SCREEN_PART: Final = 0.92
"""How much of the screen a new window may fill: bars and frames of windows need the rest."""

SCREENLESS: Final = ("offscreen", "dummy")
"""Where SDL draws what nobody sees. Where it finds no screen it may take one of them by itself."""

UNACCELERATED: Final = ("x11", "offscreen")
"""Where SDL draws without the graphics driver: Mesa's brings an LLVM with which Triton, that torch
imports, crashes the process later. Elsewhere SDL cannot do without, or takes another one."""


class Window:
    """The window of one environment; it opens when it first shows something.

    pygame has one window in a process, so environments that show themselves at once share it. An
    object of this class holds plain values only: it copies and pickles.

    Raises:
        SabaccError: without pygame or Pillow.
    """

    def __init__(self) -> None:
        os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # printed when it is imported
        try:
            import pygame  # noqa: F401

            from sabacc_env.render.image import render_rgb  # noqa: F401
        except ImportError:
            raise SabaccError(
                f'render_mode "human" needs pygame and Pillow; {how_to_install("render")}'
            ) from None
        self._is_open = False
        self._was_closed_by_user = False

    def show(self, game: Game, seat: int | None, fps: float) -> None:
        """Show a table for ``1 / fps`` seconds, and do meanwhile what the user asks of the window.

        The picture fills a window of any size, without changing its shape. Once the user has closed
        the window, nothing is shown until after ``close``, and no time passes.

        Args:
            game: the hand to show, in play or over.
            seat: the point of view, as in ``render_svg``.
            fps: pictures a second, at most.

        Raises:
            SabaccError: where no window can be opened, or if there is no such seat.
        """
        import pygame

        from sabacc_env.render.image import render_rgb

        if self._was_closed_by_user:
            return
        picture = pygame.image.frombytes(render_rgb(game, seat).tobytes(), (WIDTH, HEIGHT), "RGB")
        if pygame.display.get_surface() is None:
            _open_window()
        self._is_open = True
        pygame.display.set_caption(table_title(game))
        _fit(picture)
        self._wait(picture, time.monotonic() + 1 / fps)

    def _wait(self, picture: pygame.Surface, until: float) -> None:
        """Answer the events of the window until a time, and at least those that are there."""
        import pygame

        while True:
            left = round(1000 * (until - time.monotonic()))
            event = pygame.event.wait(left) if left > 0 else pygame.event.poll()
            if event.type == pygame.QUIT:
                self.close()
                self._was_closed_by_user = True
                return
            if event.type in (pygame.WINDOWSIZECHANGED, pygame.WINDOWEXPOSED):
                _fit(picture)
            if event.type == pygame.NOEVENT and left <= 0:
                return

    def close(self) -> None:
        """Close the window, if it is open; ``show`` opens it again."""
        self._was_closed_by_user = False
        if self._is_open:
            import pygame

            pygame.display.quit()
            self._is_open = False


def _open_window() -> None:
    import pygame

    try:
        pygame.display.init()
        chosen = os.environ.get("SDL_VIDEODRIVER")
        if not chosen and pygame.display.get_driver() in SCREENLESS:
            pygame.display.quit()
            raise pygame.error("SDL finds no screen")
        if pygame.display.get_driver() in UNACCELERATED:
            os.environ.setdefault("SDL_FRAMEBUFFER_ACCELERATION", "0")
        width, height = pygame.display.get_desktop_sizes()[0]
        fitting = min(1, SCREEN_PART * width / WIDTH, SCREEN_PART * height / HEIGHT)
        size = round(fitting * WIDTH), round(fitting * HEIGHT)
        pygame.display.set_mode(size, pygame.RESIZABLE)
    except pygame.error as error:
        raise SabaccError(
            f'render_mode "human" cannot open a window ({error}); use "rgb_array" or "ansi" where '
            "there is no screen"
        ) from None


def _fit(picture: pygame.Surface) -> None:
    """Fill the middle of the window with a picture, as large as fits."""
    import pygame

    screen = pygame.display.get_surface()
    assert screen is not None
    width, height = screen.get_size()
    scale = min(width / WIDTH, height / HEIGHT)
    size = max(1, round(scale * WIDTH)), max(1, round(scale * HEIGHT))
    screen.fill("black")
    corner = (width - size[0]) // 2, (height - size[1]) // 2
    screen.blit(pygame.transform.smoothscale(picture, size), corner)
    pygame.display.flip()
