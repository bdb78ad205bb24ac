"""The exceptions that a user of this package can cause; each message is one sentence."""

from __future__ import annotations

import reprlib

_REPR = reprlib.Repr()
_REPR.maxstring = _REPR.maxother = _REPR.maxlong = 100


def short_repr(value: object) -> str:
    """Return the ``repr`` of a value for a message: on one line and shortened.

    >>> short_repr("casino"), short_repr([[1, 2], [3]] * 100)
    ("'casino'", '[[1, 2], [3], [1, 2], [3], [1, 2], [3], ...]')
    """
    return " ".join(_REPR.repr(value).split())


def printable(text: str) -> str:
    r"""Return a text of unknown origin without what a terminal takes as commands, or a new line.

    >>> printable("hand \x1b[2J1\n")
    'hand [2J1'
    """
    return "".join(filter(str.isprintable, text))


def how_to_install(extra: str) -> str:
    """Say how an extra of this project is installed; no package index has the project.

    >>> how_to_install("train")
    'install it from a checkout of sabacc-env with `pip install ".[train]"`'
    """
    return f'install it from a checkout of sabacc-env with `pip install ".[{extra}]"`'


class SabaccError(ValueError):
    """The base of every exception that this package raises for a wrong argument."""


class IllegalMove(SabaccError):
    """The rules do not allow a move now; the message names the move, and nothing has changed."""


class RulesError(SabaccError):
    """A rule description cannot be played; the message starts with the field at fault."""
