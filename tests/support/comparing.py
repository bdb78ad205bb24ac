"""Compares nested values of arrays and tensors."""

from __future__ import annotations

from typing import Any

import numpy as np


def comparable(value: Any) -> Any:
    """Return a value that == compares: arrays and tensors as their dtype, shape and content."""
    if isinstance(value, dict):
        return {key: comparable(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [comparable(item) for item in value]
    if hasattr(value, "numpy"):  # a tensor, of torch that not every test needs
        value = value.numpy()
    if isinstance(value, np.ndarray):
        content = [comparable(item) for item in value] if value.dtype == object else value.tobytes()
        return value.dtype.str, value.shape, content
    return value
