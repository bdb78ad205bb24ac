"""Runs `sabacc` commands in this process."""

from __future__ import annotations

import pytest
from sabacc_training import cli


def command(*arguments: object) -> int:
    """Run ``sabacc`` with these arguments; return its exit code."""
    with pytest.raises(SystemExit) as ended:
        cli.main([str(each) for each in arguments])
    return int(ended.value.code or 0)


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Run ``sabacc`` with these arguments; return its exit code, output and errors."""
    return command(*arguments), *capsys.readouterr()


def refusal(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """Run ``sabacc`` with arguments that it refuses; return its one sentence."""
    code, output, error = run(capsys, *arguments)
    assert (code, output) == (2, "")
    assert error.count("\n") == 1
    return error
