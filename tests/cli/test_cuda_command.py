"""``sabacc cuda``, as far as it goes without a GPU."""

from __future__ import annotations

import pytest
from numba import cuda

from tests.support.commands import run


def test_the_command_refuses_numbers_that_measure_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, error = run(capsys, "cuda", 0)
    assert (code, out) == (2, "")
    assert "give whole numbers from 1 up" in error


@pytest.mark.skipif(cuda.is_available(), reason="there is a CUDA GPU here")
def test_the_command_says_that_there_is_no_gpu(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, error = run(capsys, "cuda")
    assert (code, out) == (2, "")
    assert error.startswith("sabacc: device: no ")
    assert len(error.splitlines()) == 1
