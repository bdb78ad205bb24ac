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


def layout(info: dict[str, Any]) -> dict[str, Any]:
    """Return the dtype and shape of each array of an info."""
    assert all(type(array) is np.ndarray for array in info.values())
    return {name: (array.dtype.str, array.shape) for name, array in info.items()}


def info_layout(num_players: int, num_actions: int = 33) -> dict[str, Any]:
    """Return the layout that infos of one table have at every step."""
    return {
        "action_mask": ("|i1", (num_actions,)),
        "hand_finished": ("|b1", ()),
        "net_credits": ("<i8", (num_players,)),
        "winners": ("<i8", (num_players,)),
        "revealed": ("|i1", (num_players,)),
        "sabacc_pot": ("<i8", ()),
        "illegal_action": ("|b1", ()),
    }
