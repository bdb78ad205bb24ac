"""The settings of an agent outside this process: they stand in its spec, before what it is."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from typing import Any

from sabacc_env.errors import SabaccError, short_repr
from sabacc_env.rules.wording import did_you_mean

Reader = Callable[[str, str], Any]
"""Returns the value of a setting from its name and its text; raises a ``SabaccError``."""


def split_spec(
    spec: str, prefix: str, readers: Mapping[str, Reader]
) -> tuple[list[str], dict[str, Any]]:
    """Return the words of a spec after its prefix and its settings, and the settings.

    The words are split as a shell does it. The last of equal settings counts.

    Args:
        spec: the spec.
        prefix: how it starts.
        readers: what reads each setting there is.

    Raises:
        SabaccError: for a quotation that does not end, and for a wrong setting.

    >>> split_spec("process:timeout_s=2 perl 'my agent.pl'", "process:", {"timeout_s": seconds})
    (['perl', 'my agent.pl'], {'timeout_s': 2.0})
    """
    try:
        words = shlex.split(spec.removeprefix(prefix))
    except ValueError as error:
        raise SabaccError(f"agent: {short_repr(spec)}: {str(error).lower()}") from None
    settings: dict[str, Any] = {}
    while words and "=" in words[0]:
        name, _, text = words.pop(0).partition("=")
        if name not in readers:
            raise SabaccError(
                f"agent: {short_repr(spec)}: unknown setting {short_repr(name)}"
                f"{did_you_mean(name, readers)}; use {', '.join(readers)}"
            )
        settings[name] = readers[name](name, text)
    return words, settings


def seconds(name: str, text: str) -> float:
    """Read a number of seconds above 0, of a day at most."""
    value = _float(text)
    if not 0 < value <= 86_400:
        raise SabaccError(f"agent: {name}: {short_repr(text)} is not a number of seconds above 0")
    return value


def number(name: str, text: str) -> float:
    """Read a number from 0."""
    value = _float(text)
    if not 0 <= value < 1e9:
        raise SabaccError(f"agent: {name}: {short_repr(text)} is not a number from 0")
    return value


def whole_number(name: str, text: str) -> int:
    """Read a whole number from 0."""
    if not (text.isascii() and text.isdecimal() and len(text) < 7):
        raise SabaccError(f"agent: {name}: {short_repr(text)} is not a whole number from 0")
    return int(text)


def positive_number(name: str, text: str) -> int:
    """Read a whole number from 1."""
    if not (value := whole_number(name, text)):
        raise SabaccError(f"agent: {name}: {short_repr(text)} is not a whole number from 1")
    return value


def _float(text: str) -> float:
    """Return a number; -1 for a text that is none."""
    try:
        return float(text)
    except ValueError:
        return -1.0
