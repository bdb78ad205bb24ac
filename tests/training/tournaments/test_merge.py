"""Parts of a tournament: played in any processes, in any order, merged to the bytes of one run."""

from __future__ import annotations

from pathlib import Path

import pytest
from sabacc_training.tournaments.task_times import TaskTimes, hours

from tests.support.commands import command, refusal, run
from tests.support.damage import flip_bit

CONFIG = """
agents = ["random", "tight", "tests.support.toys:Bully"]
formats = ["pairs", "copies-3", "mixed-3"]
deals = 50
deals_per_task = 20
record_hands = 20
"""


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("merge") / "three.toml"
    path.write_text(CONFIG)
    return path


@pytest.fixture(scope="module")
def whole(config: Path) -> dict[str, bytes]:
    """The files of the tournament, played by one process in one run."""
    folder = config.parent / "whole"
    assert command("tournament", config, "--output", folder) == 0
    return files(folder)


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_disjoint_parts_merge_to_the_bytes_of_one_run(config, whole, tmp_path, capsys):
    for part, folder in (("20:50", "b"), ("0:20", "a")):
        words = ("tournament", config, "--part", part, "--output", tmp_path / folder)
        code, output, _ = run(capsys, *words)
        assert code == 0
        assert f"Played deals {part} of 50" in output
        assert not (tmp_path / folder / "results.json").exists()
    folders = tmp_path / "a", tmp_path / "b"
    assert run(capsys, "merge", *folders, "--output", tmp_path / "merged")[0] == 0
    assert files(tmp_path / "merged") == whole
    assert len(whole) == 3 * 10 + 7
    assert run(capsys, "merge", *folders, "--output", tmp_path / "a")[0] == 0  # into one of them
    assert files(tmp_path / "a") == whole


def test_overlapping_parts_merge_to_the_same_bytes(config, whole, tmp_path, capsys):
    for part, folder in (("0:40", "a"), ("20:50", "b")):
        run(capsys, "tournament", config, "--part", part, "--output", tmp_path / folder)
    merged = ("merge", tmp_path / "a", tmp_path / "b", "--output", tmp_path / "merged")
    assert run(capsys, *merged)[0] == 0
    assert files(tmp_path / "merged") == whole


def test_parts_in_one_folder_become_a_whole(config, whole, tmp_path, capsys):
    for part in ("40:50", "0:40"):
        run(capsys, "tournament", config, "--part", part, "--output", tmp_path / "out")
    assert files(tmp_path / "out") == whole


def test_processes_give_the_bytes_of_one(config, whole, tmp_path, capsys):
    words = ("processes=2", "--output", tmp_path / "out")
    assert run(capsys, "tournament", config, *words)[0] == 0
    assert files(tmp_path / "out") == whole


@pytest.mark.slow
def test_deals_are_added_until_intervals_are_narrow_enough(config, tmp_path, capsys):
    words = ("half_width=1500", "deals_per_task=700", 'agents=["tight", "loose", "maximiser"]')
    words += ('formats=["pairs"]', "--output", tmp_path / "out")
    code, output, errors = run(capsys, "tournament", config, *words)
    assert code == 0
    assert "After 2,100 deals the widest interval is ± " in errors
    assert "narrow enough" in errors
    assert "over 2,100 deals" in " ".join(output.split())
    before = files(tmp_path / "out")
    assert run(capsys, "tournament", config, *words, "--resume")[0] == 0
    assert files(tmp_path / "out") == before
    assert run(capsys, "merge", tmp_path / "out", "--output", tmp_path / "merged")[0] == 0
    assert files(tmp_path / "merged") == before


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--part", "0:30"], "--part: 0:30 is not a range of whole tasks"),
        (["--part", "20:70"], "--part: 20:70 is not a range of whole tasks"),
        (["--part", "20:20"], "--part: 20:20 is not a range of whole tasks"),
        (["--part", "all"], "--part: 'all' is not a range of deals such as 0:20000"),
        (["--part", "_:20"], "--part: '_:20' is not a range of deals such as 0:20000"),
        (["--part", "0:20:40"], "--part: '0:20:40' is not a range of deals such as 0:20000"),
        (["--part=-20:20"], "--part: -20:20 is not a range of whole tasks"),
        (["--part", "0:20", "half_width=20"], "--part: half_width decides how many deals"),
        (["half_width=0"], "half_width: 0 is not allowed"),
        (["half_width=9", "deals=50"], "deals: half_width takes its place; give one of the two"),
        (["hands=0"], "hands: 0 is not allowed"),
        (["processes=0"], "processes: 0 is not allowed"),
    ],
)
def test_a_wrong_part_is_one_sentence(config, tmp_path, capsys, words, sentence):
    error = refusal(capsys, "tournament", config, *words, "--output", tmp_path / "out")
    assert error.startswith(f"sabacc: {sentence}")
    assert not (tmp_path / "out").exists()


def test_merging_refuses_what_does_not_fit(config, tmp_path, capsys):
    a, b, other = (tmp_path / name for name in ("a", "b", "other"))
    run(capsys, "tournament", config, "--part", "0:20", "--output", a)
    run(capsys, "tournament", config, "--part", "20:50", "--output", b)
    run(capsys, "tournament", config, "seed=4", "--part", "0:20", "--output", other)
    to = ("--output", tmp_path / "merged")
    error = refusal(capsys, "merge", a, other, *to)
    assert f"{other}: holds another tournament than {a}; these differ: seed\n" in error
    assert "is not the folder of a tournament" in refusal(capsys, "merge", tmp_path, *to)
    assert "merge: no folder is given" in refusal(capsys, "merge", *to)
    before = files(other)
    error = refusal(capsys, "merge", a, b, "--output", other)
    assert f"{other}: holds another tournament than {a}" in error
    assert files(other) == before
    error = refusal(capsys, "merge", a, *to)
    assert "20 of 30 tasks are in none of these folders, first deals 20 to 40 of random" in error
    path = min((b / "tasks").iterdir())
    data = path.read_bytes()
    path.write_bytes(flip_bit(data, len(data) - 9))
    assert "1 of 30 tasks are in none" in refusal(capsys, "merge", a, b, *to)
    assert not (tmp_path / "merged").exists()
    (a / "tasks" / path.name).write_bytes(data)  # another folder has it whole
    assert run(capsys, "merge", a, b, *to)[0] == 0


def test_failures_are_named(config, tmp_path, capsys):
    words = ('agents=["tight", "tests.support.toys:Illegal"]', 'formats=["pairs"]')
    code, output, _ = run(capsys, "tournament", config, *words, "--output", tmp_path / "out")
    assert code == 0
    assert "Illegal failed in " in output
    assert "(illegal), and a default was played" in " ".join(output.split())


def test_hours_are_known_of_all_tasks_that_were_timed(config, tmp_path, capsys):
    for part, name in (("0:20", "a"), ("20:50", "b")):
        run(capsys, "tournament", config, "--part", part, "--output", tmp_path / name)
    merged = tmp_path / "merged"
    assert run(capsys, "merge", tmp_path / "a", tmp_path / "b", "--output", merged)[0] == 0
    digests = [path.stem for path in (merged / "tasks").iterdir()]
    parts = [TaskTimes(tmp_path / name).seconds for name in ("a", "b")]
    total = hours(merged, digests)
    assert total == pytest.approx(sum(sum(part.values()) for part in parts) / 3600)
    assert total > 0

    times = tmp_path / "merged.times.jsonl"
    lines = times.read_text().splitlines()
    times.write_text("\n".join([*lines[:-1], lines[-1][:9]]))  # a killed run: the last is cut off
    assert hours(merged, digests) is None
    assert len(TaskTimes(merged).seconds) == len(digests) - 1
    for damage in ("NaN", "-5", "1e999", '"long"', "[]"):
        times.write_text("\n".join([*lines, f'["{digests[0]}", {damage}]']))
        assert hours(merged, digests) == pytest.approx(total)
    times.write_bytes(b"\xff\xfe")
    assert hours(merged, digests) is None


def test_times_that_cannot_be_written_stop_nothing(config, tmp_path, capsys):
    for name in ("out", "merged"):
        (tmp_path / f"{name}.times.jsonl").mkdir()
    assert run(capsys, "tournament", config, "--output", tmp_path / "out")[0] == 0
    assert run(capsys, "merge", tmp_path / "out", "--output", tmp_path / "merged")[0] == 0
    assert files(tmp_path / "merged") == files(tmp_path / "out")
    digests = [path.stem for path in (tmp_path / "out" / "tasks").iterdir()]
    assert hours(tmp_path / "out", digests) is None
