"""``sabacc tournament``: files, the same bytes, resuming, what is printed, bad configurations."""

from __future__ import annotations

import csv
import itertools
import json
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from sabacc_training.config.base import load_config
from sabacc_training.evaluation.evaluate import PairResult, pair_rows
from sabacc_training.evaluation.match import MatchResult
from sabacc_training.evaluation.rows import estimate_fields
from sabacc_training.statistics.estimate import Estimate
from sabacc_training.tournaments import results as results_module
from sabacc_training.tournaments import run as run_module
from sabacc_training.tournaments.config import TournamentConfig
from sabacc_training.tournaments.rows import RatingRow, Results, StandingRow
from sabacc_training.tournaments.task_times import timed_task
from sabacc_training.tournaments.terminal import standings

from tests.support.commands import command
from tests.support.damage import flip_bit

TOYS = "tests.support.toys:"
CONFIG = f"""
agents = ["random", "{TOYS}Bully", {{ spec = "{TOYS}Coward", label = "soft" }}]
deals = 40
seed = 9
"""
RESULTS = ("results.json", "pairs.csv", "ranking.csv", "ratings.csv", "places.csv")


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "three.toml"
    path.write_text(CONFIG)
    return path


@pytest.fixture
def run(capsys, config):
    """Return a function that runs the command: (exit code, output, errors)."""

    def run(*arguments: object) -> tuple[int, str, str]:
        return command("tournament", config, *arguments), *capsys.readouterr()

    return run


def rows_of_pairs(folder: Path) -> list[dict[str, str]]:
    return list(csv.DictReader((folder / "pairs.csv").read_text().splitlines()))


def results(folder: Path) -> list[bytes]:
    return [(folder / name).read_bytes() for name in RESULTS]


def test_all_pairs_are_played_printed_and_written(run, tmp_path):
    code, output, _ = run("--output", tmp_path / "out")
    assert code == 0
    assert "3 pairs together with 95 %" in " ".join(output.split())
    assert "*" not in output
    rows = rows_of_pairs(tmp_path / "out")
    assert [(row["agent"], row["opponent"]) for row in rows] == list(
        itertools.combinations(["random", "Bully", "soft"], 2)
    )
    for row in rows:
        assert row["deals"] == "40"
        assert f"{float(row['margin']):+,.0f}" in output
    random_bully = rows[0]
    assert 0 < float(random_bully["half_width"]) == float(random_bully["half_width_all"])
    assert [float(row["p_value"]) for row in rows[1:]] == [0, 0]  # the other two are certain
    assert float(random_bully["saving"]) > 0
    bully_soft = rows[2]
    assert float(bully_soft["margin"]) - float(bully_soft["half_width"]) > 0
    written = json.loads((tmp_path / "out" / "results.json").read_text())
    assert written["config"]["deals"] == 40
    assert len(written["pairs"]) == 3
    assert {row["agent"] for row in written["ranking"]} == {"random", "Bully", "soft"}
    means = [row["margin"] for row in written["ranking"]]
    assert means == sorted(means, reverse=True)
    assert sum(means) == pytest.approx(0, abs=0.01)
    saved = load_config(TournamentConfig, tmp_path / "out" / "config.json")
    assert saved == load_config(TournamentConfig, tmp_path / "three.toml")


def test_pairs_are_compared_together_and_rated(run, tmp_path):
    words = ("deals=400", 'agents=["tight", "loose", "bluffer"]', "--output", tmp_path / "out")
    code, output, _ = run(*words)
    assert code == 0
    written = Results.model_validate_json((tmp_path / "out" / "results.json").read_bytes())
    for row in (*written.pairs, *written.ranking):
        assert 1.05 * row.half_width < row.half_width_all < 1.25 * row.half_width
        assert (row.p_value < 0.05) == (abs(row.margin) > row.half_width_all)
    of_pairs = [row for row in written.ratings if row.measure == "bradley_terry"]
    assert sum(row.value for row in of_pairs) == pytest.approx(4500, abs=0.2)
    shown = " ".join(output.split())
    for row in of_pairs:
        assert row.low is not None
        assert row.high is not None
        assert f"{row.agent} {row.value:.0f} " in shown
        assert f"{row.low:.0f} to {row.high:.0f}" in shown


def results_of_pairs(names: Sequence[str]) -> Results:
    """Return the results of random pairs."""
    rng = np.random.default_rng(0)
    pairs = pair_rows(
        PairResult(*two, MatchResult(rng.integers(-300, 300, (50, 2, 2)), 3), True)
        for two in itertools.combinations(names, 2)
    )
    estimate = estimate_fields(Estimate(10.0, 3.0, 50))
    ranking = [
        StandingRow(
            format="pairs",
            agent=name,
            **estimate,
            half_width_all=2.0,
            p_value=0.0,
            hands=100,
            rank=None,
            rank_half_width=None,
            failures=0,
            seen_in_training=True,
        )
        for name in names
    ]
    nothing: dict[str, Any] = {
        "config": {},
        "version": "0",
        "rules_digest": "",
        "agents": (),
        "value_function": "",
        "deals": 50,
        "places": (),
        "failures": (),
        "usage": (),
        "hand_names": (),
    }
    ratings = [
        RatingRow(
            format="pairs",
            measure="bradley_terry",
            agent=name,
            value=1500.0,
            low=1490.0,
            high=1510.0,
        )
        for name in names
    ]
    nothing["ratings"] = tuple(ratings)
    return Results(pairs=tuple(pairs), ranking=tuple(ranking), play=(), costly_hands=(), **nothing)


@pytest.mark.parametrize("num_agents", [3, 7, 8])
def test_names_and_margins_keep_to_one_line_in_80_columns(capsys, num_agents):
    names = [f"calling_station_{number}" for number in range(num_agents)]
    results = results_of_pairs(names)
    console = Console(width=80)
    console.print(standings(results, console))
    output = capsys.readouterr().out
    assert "…" not in output
    places = [line.split()[1] for line in output.splitlines() if line[:1].isdigit()]
    assert sorted(places) == names
    for pair in results.pairs:
        assert f"{abs(pair.margin):,.0f}" in output
        assert f"± {pair.half_width:,.0f}" in output


def test_names_that_are_too_long_are_cut_and_no_number_is(capsys):
    results = results_of_pairs(("a" * 60, "b" * 60))
    console = Console(width=80)
    console.print(standings(results, console))
    places, pairs, _ = capsys.readouterr().out.split("\n\n")
    assert str(results.pairs[0]) in pairs
    assert pairs.count("…") == 2  # both names
    assert places.count("± ") == 2
    assert "…" not in places


def test_on_a_terminal_a_bar_shows_the_speed_and_the_margin(run, tmp_path, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    _, _, errors = run("deals=400", "--output", tmp_path / "out")
    assert "random - Bully" in errors
    assert "hands/s" in errors
    assert "mante/hand" in errors


def test_without_a_terminal_every_pair_is_a_line(run, tmp_path):
    _, _, errors = run("--output", tmp_path / "out")
    rows = rows_of_pairs(tmp_path / "out")
    for line, row, share in zip(errors.splitlines(), rows, (33, 67, 100), strict=True):
        margin, half_width = float(row["margin"]), float(row["half_width"])
        assert line == (
            f"{row['agent']} - {row['opponent']}: {margin:+,.0f} ± {half_width:,.0f} mante/hand "
            f"({share} % of the hands planned)"
        )


def test_the_same_configuration_gives_the_same_bytes(run, tmp_path):
    for folder in ("one", "two"):
        run("--output", tmp_path / folder)
    run("seed=10", "--output", tmp_path / "other")
    assert results(tmp_path / "one") == results(tmp_path / "two")
    assert results(tmp_path / "one") != results(tmp_path / "other")


def test_results_go_under_runs_by_default(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run("deals=2")
    assert (tmp_path / "runs" / "tournaments" / "three" / "results.json").is_file()
    run("deals=2", "output=mine")
    assert (tmp_path / "mine" / "results.json").is_file()


def test_an_interrupted_tournament_keeps_its_tasks_and_goes_on(run, tmp_path, monkeypatch):
    played = []

    def interrupted(config, task):
        played.append(task.lineup)
        if len(played) == 3:
            raise KeyboardInterrupt
        return timed_task(config, task)

    monkeypatch.setattr(run_module, "timed_task", interrupted)
    code, _, errors = run("--output", tmp_path / "out")
    assert code == 130
    assert "--resume" in errors
    assert len(list((tmp_path / "out" / "tasks").iterdir())) == 2
    code, _, _ = run("--output", tmp_path / "out", "--resume")
    assert code == 0
    assert played[3:] == [("Bully", "soft")]
    monkeypatch.undo()
    run("--output", tmp_path / "whole")
    assert results(tmp_path / "out") == results(tmp_path / "whole")


def test_sigterm_ends_it_as_ctrl_c_does(run, tmp_path, monkeypatch):
    def terminated(config, task):
        signal.raise_signal(signal.SIGTERM)
        return timed_task(config, task)

    monkeypatch.setattr(run_module, "timed_task", terminated)
    before = signal.getsignal(signal.SIGTERM)
    code, output, errors = run("--output", tmp_path / "out")
    assert (code, output) == (130, "")
    assert errors.startswith("stopped; finished tasks are saved in ")
    assert signal.getsignal(signal.SIGTERM) == before


def test_names_that_look_like_markup_are_shown_as_they_are(run, tmp_path):
    words = """agents=[{spec = "tight", label = "[red]one[/red]"}, "random"]"""
    _, output, errors = run(words, "--output", tmp_path / "out")
    assert "[red]one[/red]" in output
    assert "[red]one[/red]" in errors


def test_results_of_another_configuration_are_not_written_over(run, tmp_path):
    run("--output", tmp_path / "out")
    before = results(tmp_path / "out")
    code, output, errors = run("seed=10", "--output", tmp_path / "out")
    assert (code, output) == (2, "")
    assert errors.startswith(
        f"sabacc: {tmp_path / 'out'}: holds the results of another configuration;"
    )
    assert errors.count("\n") == 1
    assert run(f"output={tmp_path / 'out'}")[0] == 0  # the same: the same bytes
    assert results(tmp_path / "out") == before
    assert run("seed=10", "--output", tmp_path / "out", "--resume")[0] == 0
    assert results(tmp_path / "out") != before


def test_resuming_plays_what_another_configuration_decided(run, tmp_path, monkeypatch):
    run("--output", tmp_path / "out")
    monkeypatch.setattr(run_module, "timed_task", lambda *_: pytest.fail("played again"))
    assert run("--output", tmp_path / "out", "--resume")[0] == 0
    monkeypatch.undo()
    run("--output", tmp_path / "out", "--resume", "rule_overrides.hand_ante=4")
    assert len(list((tmp_path / "out" / "tasks").iterdir())) == 6


@pytest.mark.parametrize(
    "damage",
    [
        lambda data, other: b"",
        lambda data, other: data[:-1],
        lambda data, other: flip_bit(data, 200),
        lambda data, other: flip_bit(data, len(data) // 2),
        lambda data, other: other,
    ],
    ids=["empty", "cut short", "a bit of the header", "a bit of an array", "another task's"],
)
def test_resuming_plays_a_task_whose_file_is_damaged(run, tmp_path, monkeypatch, damage):
    run("--output", tmp_path / "out")
    whole = results(tmp_path / "out")
    path, other, _ = sorted((tmp_path / "out" / "tasks").iterdir())
    data = path.read_bytes()
    path.write_bytes(damage(data, other.read_bytes()))
    played = []

    def play(*arguments):
        played.append(arguments)
        return timed_task(*arguments)

    monkeypatch.setattr(run_module, "timed_task", play)
    assert run("--output", tmp_path / "out", "--resume")[0] == 0
    assert len(played) == 1
    assert path.read_bytes() == data
    assert results(tmp_path / "out") == whole


def test_agents_that_met_in_training_are_marked(run, tmp_path, monkeypatch):
    met = {f"{TOYS}Coward": ("random",)}
    monkeypatch.setattr(results_module, "trained_against", lambda spec: met.get(spec, ()))
    _, output, _ = run("--output", tmp_path / "out")
    assert "* one of the two agents met the other in training" in output
    seen = [row["seen_in_training"] for row in rows_of_pairs(tmp_path / "out")]
    assert seen == ["False", "True", "False"]


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ('agents=["random"]', "agents: 1 given; a tournament needs at least 2"),
        ("agents=[]", "agents: 0 given; a tournament needs at least 2"),
        ('agents=["random", "random"]', 'agents: two have the label "random"'),
        ('agents=["random", "rondom"]', "unknown agent 'rondom'"),
        ('agents=["random", "none.safetensors"]', "none.safetensors"),
        ('agents=["random", "math:nothing"]', "agent: 'math:nothing' cannot be imported"),
        ('agents=["random", {lable = "x"}]', "agents.1.lable: there is no such key in the"),
        ("agents=random", 'agents: "random" is not allowed'),
        ('agents=["random", {spec = "tight", label = " "}]', "agents.1: label: ' ' cannot be"),
        (r'agents=["random", {spec = "tight", label = "a\nb"}]', r"agents.1: label: 'a\nb' cannot"),
        ('formats=["copies-x"]', 'formats.0: "copies-x" does not say how many seats'),
        ('formats=["mixed"]', 'formats.0: "mixed" does not say how many seats'),
        ('formats=["trios"]', 'formats.0: "trios" is not allowed'),
        ("variance_reduction=yes", "variance_reduction: yes: cannot be read ("),
        ("deals=1", "deals: 1 is not allowed: input should be greater than or equal to 2"),
        ("deal=100", "deal: there is no such key in the configuration of a tournament; did you"),
        ("seed=-1", "seed: -1 is not allowed"),
        ("rules=cassino", 'rules: "cassino" is not a rule set'),
        ("rule_overrides.hand_ant=4", "hand_ant: there is no such field; did you mean hand_ante?"),
        ('bet_sizes=["mid"]', "bet_sizes: 'mid' is not a bet size"),
        ("credits=0", "credits: 0 is not allowed"),
        ("credits=3", "credits: fewer than two seats"),
    ],
)
def test_a_mistake_is_one_sentence(run, tmp_path, word, sentence):
    code, output, errors = run(word, "--output", tmp_path / "out")
    assert (code, output) == (2, "")
    assert errors.startswith(f"sabacc: {sentence}")
    assert errors.count("\n") == 1
    assert not (tmp_path / "out" / "tasks").exists()


def test_a_folder_that_is_a_file_is_refused(run, tmp_path):
    (tmp_path / "file").touch()
    code, output, errors = run("--output", tmp_path / "file")
    assert (code, output) == (2, "")
    assert errors.startswith(f"sabacc: {tmp_path / 'file'}: cannot make this folder (")
    assert errors.count("\n") == 1


def test_a_configuration_that_cannot_be_read_is_not_written_over(run, tmp_path):
    path = tmp_path / "out" / "config.json"
    path.mkdir(parents=True)  # for root all files can be read, but no folder
    code, output, errors = run("--output", tmp_path / "out")
    assert (code, output) == (2, "")
    assert errors == f"sabacc: {path}: cannot be read (Is a directory)\n"


def test_the_configurations_that_ship_are_right():
    for path in sorted(Path(__file__).parents[3].glob("configs/tournament-*.toml")):
        assert load_config(TournamentConfig, path).deals >= 1000


@pytest.mark.parametrize("start", ["credits=1", "sabacc_pot=5"])
def test_a_start_without_a_hand_is_refused_before_anything_is_written(run, tmp_path, start):
    rules = "casino" if start.startswith("credits") else "black_spire"
    output = tmp_path / "out"
    code, _, errors = run(start, f"rules={rules}", "--output", output)
    assert code == 2
    assert errors.count("\n") == 1
    assert not output.exists()
