"""Odd arguments of public names: each call is refused with a sentence, or taken and sensible."""

from __future__ import annotations

import warnings

import pytest

from tests.support.bad_calls import wrong_outcomes

pytest.importorskip("safetensors")


@pytest.mark.parametrize(
    ("seed", "count"),
    [
        pytest.param(0, 0, marks=pytest.mark.slow),
        (1, 3000),
        pytest.param(2, 1_000_000, marks=pytest.mark.slow),
    ],
    ids=["one by one", "several at once", "many at once"],
)
def test_a_bad_call_is_refused_or_makes_sense(seed: int, count: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Gymnasium's and NumPy's about what is odd
        wrong, counted = wrong_outcomes(seed, count)
    assert wrong == []
    assert min(counted.values()) > 0.01 * sum(counted.values())
    assert set(counted) == {"refused", "taken"}
