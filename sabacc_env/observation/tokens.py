"""Reading the token form: what a sequence says, in words."""

from __future__ import annotations

import hashlib
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sabacc_env.engine.observation.vocabulary import (
    GROUPS,
    PAD,
    TRUNCATED,
    VOCABULARY_SIZE,
)
from sabacc_env.errors import SabaccError

__all__ = [
    "PAD",
    "VOCABULARY_SIZE",
    "decode_tokens",
    "is_truncated",
    "token_mask",
    "token_names",
    "vocabulary_version",
]


def token_names() -> list[str]:
    """Return a name for every token; seats are counted from the observer, who is 0.

    >>> names = token_names()
    >>> names[0], names[1], names[-1]
    ('pad', 'start', 'move 7 raise')
    """
    return list(_NAMES)


_NAMES: Final = [f"{group.name} {value}".rstrip() for group in GROUPS for value in group.values]


def decode_tokens(tokens: NDArray[np.int16]) -> list[str]:
    """Return one sequence as names, without its padding.

    Raises:
        SabaccError: for anything that is not one sequence of tokens.

    >>> from sabacc_env import Game
    >>> decode_tokens(Game("casino", 2, seed=7, dealer=0).tokens(0))
    ['start', 'dealer 0', 'own_card -6s', 'own_card -8s', 'face_up -5t']
    """
    sequence = _whole_numbers(tokens)
    if sequence.ndim != 1:
        raise SabaccError("tokens: give one sequence, whole numbers of shape (max_tokens,)")
    if not ((sequence >= 0) & (sequence < VOCABULARY_SIZE)).all():
        raise SabaccError(f"tokens: there are only tokens from 0 to {VOCABULARY_SIZE - 1}")
    return [_NAMES[token] for token in sequence.tolist() if token != PAD]


def token_mask(tokens: NDArray[np.int16]) -> NDArray[np.int8]:
    """Return 1 for each token and 0 for padding, in the shape of ``tokens``: an attention mask.

    Raises:
        SabaccError: for anything that is not an array of sequences.
    """
    return np.asarray(_sequences(tokens) != PAD, dtype=np.int8)


def is_truncated(tokens: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Say of each sequence, (..., max_tokens), whether its earliest tokens were left out, (...).

    Raises:
        SabaccError: for anything that is not an array of sequences.
    """
    return np.asarray(_sequences(tokens)[..., 0] == TRUNCATED)


def _sequences(tokens: object) -> NDArray[Any]:
    """Return sequences as an array, or say in one sentence that they are none."""
    sequences = _whole_numbers(tokens)
    if sequences.ndim == 0 or not sequences.shape[-1]:
        raise SabaccError("tokens: give sequences, whole numbers of shape (..., max_tokens)")
    return sequences


def _whole_numbers(values: object) -> NDArray[Any]:
    """Return whole numbers as an array; one of shape () for anything else."""
    try:
        array = np.asarray(values)
    except ValueError:  # rows of different lengths
        array = np.zeros(())
    return array if array.dtype.kind in "iu" else np.zeros(())


def vocabulary_version() -> str:
    """Return a hash of what every token means: a network trained on another cannot read these."""
    return hashlib.sha256("\n".join(_NAMES).encode()).hexdigest()[:16]
