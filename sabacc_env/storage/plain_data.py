"""Plain data and NumPy arrays in the form of JSON, and back."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import numpy as np

TAGS = ("array", "bytes", "dict", "number", "tuple")
"""The one key of an object that stands for something that JSON has not."""


def to_json_data(value: Any) -> Any:
    """Return a value in a form that JSON can hold and ``from_json_data`` reads.

    Args:
        value: None, bools, numbers, text, bytes, arrays and NumPy's numbers, and lists, tuples and
            dicts of these.

    Raises:
        TypeError: for anything else; names its type.
    """
    match value:
        case None | bool() | str():
            return value
        case np.generic() if value.dtype.kind in "biuf":
            return {"number": [value.dtype.str, value.item()]}
        case int() | float():
            return value
        case bytes():
            return {"bytes": base64.b64encode(value).decode()}
        case np.ndarray() if value.dtype.kind in "biuf":
            return {"array": [value.dtype.str, list(value.shape), value.ravel().tolist()]}
        case list():
            return list(map(to_json_data, value))
        case tuple():
            return {"tuple": list(map(to_json_data, value))}
        case dict():
            if all(isinstance(key, str) for key in value) and not _is_tagged(value):
                return {key: to_json_data(item) for key, item in value.items()}
            pairs = [[to_json_data(key), to_json_data(item)] for key, item in value.items()]
            return {"dict": pairs}
    raise TypeError(f"{type(value).__name__} is neither plain data nor an array of numbers")


def from_json_data(data: Any) -> Any:
    """Return the value that ``to_json_data`` put into this form.

    Raises:
        ValueError: for what it does not return.
    """
    if isinstance(data, list):
        return list(map(from_json_data, data))
    if not isinstance(data, dict):
        return data
    if not _is_tagged(data):
        return {key: from_json_data(item) for key, item in data.items()}
    ((tag, content),) = data.items()
    try:
        return READERS[tag](content)
    except (TypeError, ValueError, OverflowError, LookupError):
        raise ValueError(f"an invalid {tag}") from None


def _is_tagged(data: dict[Any, Any]) -> bool:
    return len(data) == 1 and next(iter(data)) in TAGS


def _read_array(content: Any) -> Any:
    kind, shape, values = content
    dtype = np.dtype(kind)
    if dtype.kind not in "biuf":
        raise ValueError("not numbers")
    return np.array(values, dtype).reshape(shape)


def _read_number(content: Any) -> Any:
    kind, value = content
    return _read_array([kind, [], [value]])[()]


READERS: dict[str, Callable[[Any], Any]] = {
    "array": _read_array,
    "bytes": lambda text: base64.b64decode(text, validate=True),
    "dict": lambda pairs: {from_json_data(key): from_json_data(item) for key, item in pairs},
    "number": _read_number,
    "tuple": lambda items: tuple(map(from_json_data, items)),
}
