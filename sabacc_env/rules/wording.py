"""Turns pydantic's list of errors into one sentence, and formats values and choices for it."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal, get_args, get_origin

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from sabacc_env.errors import short_repr
from sabacc_env.rules.limits import MAX_CREDITS, MAX_SEATS

_COMPOUND_FIELDS: Final = {
    "seats": f"give two whole numbers from 2 to {MAX_SEATS}, the least and the most seats",
    "starting_credits": f"give a whole number of credits from 0 to {MAX_CREDITS}, a list of them, "
    'one for each seat, or "points" for a game without credits',
    "fees": f"give a table of card actions with whole numbers of credits from 0 to {MAX_CREDITS}",
}
"""For each field that is not one simple value, what a rule file must give."""

_VERDICTS: Final = {
    "bool_type": "is not true or false",
    "int_type": "is not a whole number",
    "string_type": "is not text",
    "tuple_type": "is not a list",
    "dict_type": "is not a table",
    "greater_than_equal": "is too small",
    "less_than_equal": "is too large",
}


def validation_message(error: ValidationError, fields: Mapping[str, FieldInfo]) -> str:
    """Return one sentence that starts with the field at fault; a misspelt field comes first."""
    errors = error.errors(include_url=False)
    unknown = [str(found["loc"][0]) for found in errors if found["type"] == "extra_forbidden"]
    if unknown:
        return f"{_label(unknown[0])}: there is no such field{did_you_mean(unknown[0], fields)}"
    field = str(errors[0]["loc"][0])
    first = max(
        (found for found in errors if found["loc"][0] == field), key=lambda found: len(found["loc"])
    )
    given, verdict = toml_repr(first["input"]), _VERDICTS.get(first["type"], "is not allowed here")
    if field in _COMPOUND_FIELDS:
        whose = f" for {first['loc'][1]}" if field == "fees" and len(first["loc"]) == 2 else ""
        return f"{field}: {given}{whose} {verdict}; {_COMPOUND_FIELDS[field]}"
    choices = _choices(fields[field].annotation)
    if choices and first["type"] == "tuple_type":
        return f"{field}: {given} {verdict}; give a list of {quoted_choices(choices)}"
    if choices:
        hint = did_you_mean(first["input"], choices)
        return f"{field}: {given} is not one of {quoted_choices(choices)}{hint}"
    return f"{field}: {given} {verdict}{_bounds(fields[field])}"


def toml_repr(value: object) -> str:
    """Write a value as a TOML file has it, on one line and shortened."""
    if isinstance(value, bool | str):
        return json.dumps(value if isinstance(value, bool) else _shortened(value))
    return short_repr(value)


def quoted_choices(choices: Iterable[str]) -> str:
    """Return choices as text: ``"a", "b" or "c"``.

    >>> print(quoted_choices(["cards", "dice", "betting"]))
    "cards", "dice" or "betting"
    """
    *others, last = [f'"{choice}"' for choice in choices]
    return f"{', '.join(others)} or {last}" if others else last


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Return "; did you mean NAME?" for the closest known name, or "" if none is close."""
    if not isinstance(name, str):
        return ""
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.61)  # 0.6 takes base for phases
    return f"; did you mean {close[0]}?" if close else ""


def _label(name: str) -> str:
    return name if name.isidentifier() else toml_repr(name)


def _shortened(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."


def _choices(annotation: Any) -> tuple[str, ...]:
    """Return the words of a ``Literal``, or of a tuple's ``Literal`` items."""
    if get_origin(annotation) is tuple:
        annotation = get_args(annotation)[0]
    return get_args(annotation) if get_origin(annotation) is Literal else ()


def _bounds(field: FieldInfo) -> str:
    """Return which whole numbers a field allows, or "" if it has no limits."""
    limits = {
        name: limit
        for found in field.metadata
        for name in ("ge", "le")
        if (limit := getattr(found, name, None)) is not None
    }
    if not limits:
        return ""
    optional = ", or leave it out for no limit" if field.default is None else ""
    return f"; use {limits['ge']} to {limits['le']}{optional}"
