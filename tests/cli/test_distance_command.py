"""``sabacc distance``."""

from __future__ import annotations

import pytest

from tests.support.commands import refusal, run


def test_the_command_says_how_far_agents_are(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "distance", "one_card", "random", "maximiser")
    assert code == 0
    assert "random    │ 1.250000" in out
    assert "maximiser │ 0.571429" in out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("one_cart", "random"), "unknown rung 'one_cart'"),
        (("one_card",), "agents: give at least one"),
        (("one_card", "nobody"), "nobody"),
        (
            ("one_card", "tests.support.toys:Undecided"),
            "toys:Undecided' must return an array of shape",
        ),
        (("one_card", "tests.support.toys:Illegal"), "toys:Illegal' chose action"),
        (("one_card", "zoo:casino-2p"), "was made for the rules 'casino'"),
        (("one_card", "random", "--samples", 0), "samples: 0 is too few"),
    ],
)
def test_the_command_refuses_what_cannot_be_measured(
    capsys: pytest.CaptureFixture[str], words: tuple[object, ...], sentence: str
) -> None:
    assert sentence in refusal(capsys, "distance", *words)
