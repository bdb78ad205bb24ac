"""The limits that every game keeps, whatever its rules: the engine has no room for more."""

from typing import Final

MOST_SEATS: Final = 8

MOST_CREDITS: Final = 2**31 - 1
"""The most credits in play in one game."""

LARGEST_HAND: Final = 5
"""The most cards that can count in one hand, a Spike Card included."""
