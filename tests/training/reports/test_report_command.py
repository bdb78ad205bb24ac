"""``sabacc report``: from the folder of a tournament to its page, and what is refused."""

from __future__ import annotations

import hashlib
import json
import math
import os
import shlex
import shutil
import sys
from pathlib import Path

import pytest
from sabacc_agents.zoo import network_file
from sabacc_training.reports.from_tournament import FAILURE_WORDS, tournament_report
from sabacc_training.reports.model import Report
from sabacc_training.variance_reduction.values import shipped_file

from sabacc_env.rules import load_rules
from tests.support.commands import command, refusal, run
from tests.support.damage import flip_bit

CONFIG = """
agents = ["tight", { spec = "tests.support.toys:Illegal", label = "wrong <i>one</i>" }]
formats = ["pairs", "copies-3"]
deals = 20
deals_per_task = 10
"""
THREE = """
agents = ["tight", "random", "always_raise"]
deals = 4
variance_reduction = true
"""
FAILING = """
import json, sys, time
print(json.dumps({"type": "hello", "protocol": 1, "name": "failing"}), flush=True)
for number, line in enumerate(sys.stdin):
    message = json.loads(line)
    if message["type"] != "act":
        continue
    if sys.argv[1] == "crashes" and number % 20 == 0:
        sys.exit(3)
    if sys.argv[1] == "hangs" and number % 20 == 0:
        time.sleep(99)
    errs = sys.argv[1] == "errs" and number % 20 == 0
    answer = {"id": message["id"], "action": 6 if errs else message["legal"][0]}
    print(json.dumps(answer), flush=True)
"""
RATED = """
agents = ["tight", "loose", "always_raise"]
formats = ["pairs", "mixed-3"]
deals = 100
"""
DECIDED = """
agents = ["tight", "always_raise"]
half_width = 100_000
deals_per_task = 1_000
"""


def played_tournament(folder: Path, text: str) -> Path:
    """Play a tournament; return the folder of its results."""
    (folder / "tournament.toml").write_text(text)
    assert command("tournament", folder / "tournament.toml", "--output", folder / "out") == 0
    return folder / "out"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tournament."""
    return played_tournament(tmp_path_factory.mktemp("tournament"), CONFIG)


@pytest.fixture
def folder(played: Path, tmp_path: Path) -> Path:
    """A copy of it, to be damaged."""
    return Path(shutil.copytree(played, tmp_path / "copy"))


def test_a_report_is_written(played, capsys, tmp_path):
    code, output, errors = run(capsys, "report", played, "--output", tmp_path)
    assert (code, errors) == (0, "")
    assert str(tmp_path / "report.html") in output
    report = Report.model_validate_json((tmp_path / "report.json").read_bytes())
    results = json.loads((played / "results.json").read_text())
    assert [each.name for each in report.formats] == ["pairs", "copies-3"]
    standing = report.formats[0].standings[0]
    first = results["ranking"][0]
    assert (standing.agent, standing.margin.raw.mean) == (first["agent"], first["margin"])
    assert report.formats[0].hands == 20 * 2
    assert report.formats[1].hands == 2 * 20 * 3
    assert {failure.agent for failure in report.failures} == {"wrong <i>one</i>"}
    assert sum(row.count for row in report.moves) == sum(row.count for row in report.moves_by_hand)
    costs = [hand.cost for hand in report.costly_hands]
    assert costs == sorted(costs, reverse=True)
    worst = max(results["costly_hands"], key=lambda hand: hand["cost"])
    hand = report.costly_hands[0]
    assert hand.agents[hand.seat] == worst["lineup"][worst["place"]]
    assert "<i>" not in (tmp_path / "report.html").read_text().partition("<script")[0]


@pytest.mark.slow
def test_three_agents_have_reduced_figures(tmp_path):
    report = tournament_report(played_tournament(tmp_path, THREE))
    for row in (*report.formats[0].standings, *report.formats[0].pairs):
        assert row.margin.reduced is not None
    value_function = Path(shipped_file(load_rules("casino")) or "")
    digest = hashlib.sha256(value_function.read_bytes()).hexdigest()
    assert ("the value function", digest) in [(f.name, f.sha256) for f in report.origin.files]
    assert report.views == ()  # too few deals


@pytest.mark.slow
def test_pairs_and_mixed_tables_have_second_views(tmp_path):
    report = tournament_report(played_tournament(tmp_path, RATED))
    names = [view.name for view in report.views]
    assert (names[0], names[-1]) == (
        "Bradley-Terry ratings, pairs",
        "Plackett-Luce ratings, mixed-3",
    )
    for view in report.views:
        assert {each.agent for each in view.ratings} == {"tight", "loose", "always_raise"}
    for view in report.views:
        values = [rating.value for rating in view.ratings]
        assert values == sorted(values, reverse=True)
        if view.name in ("Nash averaging: weights, pairs", "α-rank, pairs"):
            assert sum(values) == pytest.approx(1, abs=0.002)
        if "ratings" in view.name:
            assert sum(values) == pytest.approx(4500, abs=0.2)
            assert all(each.low < each.value < each.high for each in view.ratings)


def test_the_report_goes_into_the_folder_and_is_the_same_again(folder):
    assert command("report", folder) == 0
    page = (folder / "report" / "report.html").read_bytes()
    shutil.rmtree(folder / "report")
    moved = folder.rename(folder.parent / "elsewhere")
    assert command("report", moved) == 0
    assert (moved / "report" / "report.html").read_bytes() == page


@pytest.mark.skipif(os.name != "posix", reason="process groups")
def test_processes_that_fail_are_counted_and_named_everywhere(tmp_path, capsys):
    """They play the default, within the tournament's limits, and all its tasks are added up."""
    (tmp_path / "failing.py").write_text(FAILING)
    program = f"process:restarts=1 {shlex.quote(sys.executable)} -S {tmp_path / 'failing.py'}"
    ways = {"crashes": "crash", "hangs": "timeout", "errs": "illegal"}
    agents = [{"spec": f"{program} {how}", "label": how} for how in ways]
    text = f"agents = {json.dumps(['tight', *agents]).replace(': ', ' = ')}\n"
    settings = "deals = 8\ndeals_per_task = 4\ntimeout_s = 1\n"
    settings += 'formats = [{ kind = "mixed", num_players = 4 }]\n'
    folder = played_tournament(tmp_path, text + settings)
    shown = " ".join(capsys.readouterr().out.split())
    results = json.loads((folder / "results.json").read_text())
    report = tournament_report(folder)
    for how, kind in ways.items():
        (row,) = (row for row in results["failures"] if (row["agent"], row["kind"]) == (how, kind))
        restarts = 0 if how == "errs" else 2  # one in each of two tasks
        assert row["restarts"] == restarts
        assert (f"The process of {how} was started again 2 times" in shown) == bool(restarts)
        assert f"{how} failed in {row['count']} of {row['decisions']} decisions ({kind})" in shown
        (failure,) = (
            each
            for each in report.failures
            if (each.agent, each.kind) == (how, FAILURE_WORDS[kind])
        )
        assert (failure.count, failure.restarts) == (row["count"], restarts)
    assert "within 1 s" in shown
    assert {row["agent"] for row in results["failures"]} == set(ways)


def test_an_unfinished_tournament_is_reported_as_far_as_it_was_played(folder, capsys, tmp_path):
    whole = tournament_report(folder)
    (folder / "results.json").unlink()
    assert tournament_report(folder).formats == whole.formats  # from the files of tasks alone
    last = max((folder / "tasks").iterdir(), key=lambda path: path.stat().st_mtime_ns)
    last.write_bytes(flip_bit(last.read_bytes(), 700))
    code, output, _ = run(capsys, "report", folder, "--output", tmp_path / "half")
    assert code == 0
    assert "10 of 20 deals have been played at every table" in output
    assert last.name in output
    report = Report.model_validate_json((tmp_path / "half" / "report.json").read_bytes())
    assert [each.deals for each in report.formats] == [10, 10]
    for path in (folder / "tasks").iterdir():
        path.unlink()
    assert tournament_report(folder).formats == ()
    assert "not finished: 0 of 20 deals" in tournament_report(folder).missing[0]


def test_a_report_says_where_results_do_not_follow_from_the_files_of_tasks(folder, capsys):
    assert tournament_report(folder).missing == ()
    first = min((folder / "tasks").iterdir())
    data = first.read_bytes()
    first.write_bytes(flip_bit(data, 700))
    code, output, _ = run(capsys, "report", folder)
    assert code == 0
    assert "of 6 files in tasks/, 1 are missing or damaged" in output
    assert "Before you cite" in (folder / "report" / "report.html").read_text()
    first.write_bytes(data)
    assert tournament_report(folder).missing == ()


def test_all_deals_without_results_are_told_so(folder):
    (folder / "results.json").unlink()
    assert "All deals are played" in tournament_report(folder).missing[0]


@pytest.mark.slow
def test_without_openspiel_terminal_and_report_say_what_is_left_out(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "cvxpy", None)
    report = tournament_report(played_tournament(tmp_path, RATED))
    shown = " ".join(capsys.readouterr().out.split())
    assert "Nash averaging and α-rank are left out" in shown
    assert '`pip install ".[openspiel]"`' in shown
    assert [view.name for view in report.views] == [
        "Bradley-Terry ratings, pairs",
        "Plackett-Luce ratings, mixed-3",
        "Nash averaging and α-rank",
    ]


def test_deals_that_an_interval_decides_are_counted_as_they_are(tmp_path):
    whole = played_tournament(tmp_path, DECIDED)
    deals = json.loads((whole / "results.json").read_text())["deals"]
    report = tournament_report(whole)
    assert [each.deals for each in report.formats] == [deals]
    (whole / "results.json").unlink()
    again = tournament_report(whole)
    assert again.formats == report.formats
    assert f"{deals:,} deals have been played" in again.missing[0]


@pytest.mark.parametrize(
    ("file", "change", "words"),
    [
        ("config.json", None, "is not the folder of a tournament; it has no config.json"),
        ("config.json", b"{", "is not a configuration file"),
        ("config.json", b'{"colour": "red"}', "colour: there is no such key"),
        ("results.json", b"{}", "is damaged, or of another version"),
        ("results.json", b'{"unit": "mante/hand"', "is damaged, or of another version"),
    ],
)
def test_what_is_no_tournament_is_refused(folder, capsys, tmp_path, file, change, words):
    (folder / file).unlink()
    if change is not None:
        (folder / file).write_bytes(change)
    assert words in refusal(capsys, "report", folder, "--output", tmp_path / "report")
    assert not (tmp_path / "report").exists()


@pytest.mark.parametrize(
    "change",
    [
        lambda found: found["pairs"][0].update(margin=math.inf),
        lambda found: found["agents"].pop(),
        lambda found: found["places"].clear(),
        lambda found: found["play"][0]["reveals"].pop(),
        lambda found: found["costly_hands"][0].update(hand={}),
        lambda found: found["costly_hands"][0]["hand"].update(state=[]),
    ],
    ids=["no number", "no agent", "no places", "a row less", "no hand", "no state"],
)
def test_results_that_no_tournament_has_are_refused(folder, capsys, change):
    found = json.loads((folder / "results.json").read_text())
    change(found)
    (folder / "results.json").write_text(json.dumps(found))
    error = refusal(capsys, "report", folder)
    assert error.startswith(f"sabacc: {folder / 'results.json'}: is damaged, or of another version")
    assert not (folder / "report").exists()


def test_results_of_another_configuration_are_refused(folder, capsys):
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"seed": 5}))
    assert "has results of another configuration than config.json" in refusal(
        capsys, "report", folder
    )


def test_a_tournament_is_reported_without_the_file_of_an_agent(tmp_path, capsys):
    network = tmp_path / "net.safetensors"
    shutil.copy(network_file("casino-2p"), network)
    text = f'agents = ["tight", "{network}"]\ndeals = 4\n'
    folder = played_tournament(tmp_path, text)
    before = tournament_report(folder)
    assert before.agents[1].digest
    network.unlink()
    after = tournament_report(folder)
    assert after.formats == before.formats
    assert after.agents == before.agents  # as they were when the results were written
    assert before.missing == ()
    assert f"{network}: cannot be read (" in after.missing[0]
    capsys.readouterr()
    (folder / "results.json").unlink()  # its tasks are named by the content of the file
    assert f"{network}: cannot be read (" in refusal(capsys, "report", folder)
    assert f"{network}: cannot be read (" in refusal(
        capsys, "merge", folder, "--output", tmp_path / "merged"
    )


def test_a_report_that_cannot_be_written_is_refused(folder, capsys):
    error = refusal(capsys, "report", folder, "--output", folder / "config.json")
    assert f"{folder / 'config.json'}: cannot make this folder (" in error


def test_a_folder_that_is_not_there_is_refused(capsys, tmp_path):
    assert "is not the folder of a tournament" in refusal(capsys, "report", tmp_path / "none")
