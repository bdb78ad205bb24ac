"""One table in plain terms: a hand from the deal to the end, and what each seat may know of it."""

from sabacc_env.game.game import Game
from sabacc_env.game.replay import positions, replay
from sabacc_env.game.view import GameView

__all__ = ["Game", "GameView", "positions", "replay"]
