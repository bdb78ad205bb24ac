"""``sabacc solve``."""

from __future__ import annotations

from pathlib import Path

import pytest
from sabacc_agents import load
from sabacc_training.solved_games import load_rung

from tests.support.commands import refusal, run


def test_without_a_name_the_rungs_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    code, output, errors = run(capsys, "solve")
    assert (code, errors) == (0, "")
    assert output.splitlines()[0].startswith("one_card")


def test_a_rung_is_solved_and_kept(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "kept" / "one_card.safetensors"
    code, output, errors = run(capsys, "solve", "one_card", "--output", str(path))
    assert code == 0
    assert "631 nodes" in output
    assert "-0.06" in output
    assert "iterations, NashConv 0.00" in errors
    rung = load_rung("one_card")
    load(path, rung.rule_set, 2, rung.bet_sizes)
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_game_of_ones_own_is_kept_under_its_files_name(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    game = tmp_path / "mine.toml"
    game.write_text('rules = "one_card"\nbet_sizes = ["max"]\n')
    assert run(capsys, "solve", str(game), "--target", "0.1")[0] == 0
    assert Path("runs", "solved", "mine.safetensors").exists()
    game.write_text('rules = "one_card"\nnum_players = 5\n')
    code, output, errors = run(capsys, "solve", str(game))
    assert (code, output) == (2, "")
    assert "num_players: 5 is not from 2 to 2" in errors


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["one_crad"], "unknown rung 'one_crad'"),
        (["one_card", "--variant", "cfr"], "unknown variant 'cfr'; use one of cfr+, dcfr"),
        (["one_card", "--target", "0"], "target, iterations: both must be above 0"),
        (["one_card", "--iterations", "0"], "target, iterations: both must be above 0"),
        (["one_card", "--resume"], "there is no checkpoint to resume from"),
        (["no_such_file.toml"], "no_such_file.toml: cannot be read"),
    ],
)
def test_a_mistake_is_one_sentence(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    sentence: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert sentence in refusal(capsys, "solve", *arguments)
    assert not list(tmp_path.iterdir())


def test_what_a_stopped_run_left_is_not_written_over(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    left = tmp_path / "one_card.checkpoint"
    left.write_bytes(b"something")
    code, _, errors = run(
        capsys, "solve", "one_card", "--output", str(left.with_suffix(".safetensors"))
    )
    assert code == 2
    assert "was left by a run that stopped" in errors
    assert left.read_bytes() == b"something"


@pytest.mark.parametrize(
    ("output", "sentence"),
    [
        ("folder.safetensors", "cannot be written (Is a directory)"),
        ("file/one.safetensors", "cannot be written (Not a directory)"),
        ("one.npz", "needs a file name that ends in .safetensors"),
    ],
)
def test_a_policy_that_could_not_be_kept_is_refused_before_the_work(
    tmp_path, capsys: pytest.CaptureFixture[str], monkeypatch, output: str, sentence: str
) -> None:
    (tmp_path / "folder.safetensors").mkdir()
    (tmp_path / "file").write_text("")
    monkeypatch.setattr("sabacc_training.commands.solve.flatten", pytest.fail)
    code, out, error = run(capsys, "solve", "one_card", "--output", tmp_path / output)
    assert (code, out) == (2, "")
    assert sentence in error
    assert len(error.splitlines()) == 1
