"""The errors that a user of this package can cause; each message is one sentence."""

from __future__ import annotations

import reprlib

_REPR = reprlib.Repr()
_REPR.maxstring = _REPR.maxother = _REPR.maxlong = 100


def short_repr(value: object) -> str:
    """Write what a user gave as a message has it: on one line, and not too long.

    >>> named("casino"), named([[1, 2], [3]] * 100)
    ("'casino'", '[[1, 2], [3], [1, 2], [3], [1, 2], [3], ...]')
    """
    return " ".join(_REPR.repr(value).split())


class SabaccError(ValueError):
    """Anything wrong that a user gave: the base of every error this package raises on purpose."""


class IllegalMove(SabaccError):
    """A move that the rules do not allow now; the message names the move, and nothing changed."""


class RulesError(SabaccError):
    """A rule description that cannot be played; the message starts with the field at fault."""
