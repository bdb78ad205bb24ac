"""``sabacc cuda``, as far as it goes without a GPU."""

from __future__ import annotations

import pytest
from numba import cuda

from tests.support.commands import refusal


def test_the_command_refuses_numbers_that_measure_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert "give whole numbers from 1 up" in refusal(capsys, "cuda", 0)


@pytest.mark.skipif(cuda.is_available(), reason="there is a CUDA GPU here")
def test_the_command_says_that_there_is_no_gpu(capsys: pytest.CaptureFixture[str]) -> None:
    assert refusal(capsys, "cuda").startswith("sabacc: device: no ")
