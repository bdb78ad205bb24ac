"""The limits of every game, whatever its rules: the engine's records have no room for more."""

from typing import Final

MAX_SEATS: Final = 8

MAX_ROUNDS: Final = 8

MAX_HAND: Final = 5
"""The most cards that can count in one hand, a Spike Card included."""

MAX_CREDITS: Final = 2**31 - 1
"""The most credits in play in one game."""
