"""Where an answer stands in what a person or a language model writes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

_REASONING: Final = re.compile(
    r"[<\[](/?)(?:think|thinking|thought|reasoning|analysis|scratchpad)[>\]]", re.IGNORECASE
)
_JSON: Final = re.compile(r"\{[^{}]*\}")
_MOVE_KEYS: Final = ("move", "action", "action_id", "answer", "choice", "decision", "kind", "type")
_DETAILS: Final = {"card": "", "amount": "to ", "total": "to ", "to": "to "}
"""Keys of a card and of a seat's total bet in this phase, and the word before the value."""

_MARKS: Final = "action|move|answer|decision|choice"
_MARKED: Final = re.compile(
    rf"\b(?:{_MARKS})\W{{0,3}}(?:\bis\b|[:=])[\s*`]*+(.+)"
    rf"|<(?:{_MARKS})>([^<>]+)"
    r"|\\boxed\{([^{}]+)",
    re.IGNORECASE,
)
_HIGHLIGHTED: Final = re.compile(r"`([^`\n]+)`|\*\*([^*\n]+)\*\*")


def without_reasoning(text: str) -> str:
    """Return a text without its blocks of reasoning: nothing where it ends inside one.

    >>> without_reasoning("<think>Junk?</think>I call"), without_reasoning("<think>Junk")
    ('I call', '')
    """
    kept, *rest = _REASONING.split(text)
    is_inside = False
    for slash, piece in zip(rest[::2], rest[1::2], strict=True):
        if not slash:
            is_inside = True
        elif is_inside:
            kept, is_inside = f"{kept}{piece}", False
        else:  # it began before this text, in the prompt
            kept = piece
    return "" if is_inside else kept


def in_json(text: str) -> Iterator[str]:
    """Yield what JSON objects in a text say, in words."""
    for match in _JSON.finditer(text):
        try:
            said = json.loads(match[0])
        except (ValueError, RecursionError):
            continue
        named = {str(key).lower(): _written(value) for key, value in said.items()}
        moves = [move for key in _MOVE_KEYS if (move := named.get(key)) is not None]
        details = [f"{word}{named[key]}" for key, word in _DETAILS.items() if named.get(key)]
        yield from (" ".join([move, *details]) for move in moves)


def _written(value: Any) -> str | None:
    """Return text and numbers as text, 10.0 as 10; None for anything else."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value) if isinstance(value, str | int | float) else None


def marked(text: str) -> Iterator[str]:
    """Yield what follows a mark such as ``Answer:``, or stands between ``<answer>`` tags."""
    return (match[1] or match[2] or match[3] for match in _MARKED.finditer(text))


def highlighted(text: str) -> Iterator[str]:
    """Yield what is in bold or set as code."""
    return (match[1] or match[2] for match in _HIGHLIGHTED.finditer(text))
