"""The files of a report: the same bytes, JSON that reads back, tables, and what is refused."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from markupsafe import escape
from pydantic import ValidationError
from sabacc_training.reports.files import write_report
from sabacc_training.reports.model import Report

from sabacc_env.errors import SabaccError
from sabacc_env.rules import rule_sets
from tests.training.reports.played_report import HOSTILE, played_report


@pytest.fixture(scope="module")
def report() -> Report:
    return played_report({HOSTILE: "tight", "loud": "always_raise"}, deals=2, costly=2)


def rows(folder: Path, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader((folder / f"{name}.csv").read_text().splitlines()))


def test_the_same_report_gives_the_same_bytes_and_reads_back(report, tmp_path):
    write_report(report, tmp_path / "one")
    again = Report.model_validate_json((tmp_path / "one" / "report.json").read_bytes())
    assert again == report
    write_report(again, tmp_path / "two")
    files = {path.name: path.read_bytes() for path in (tmp_path / "one").iterdir()}
    assert files == {path.name: path.read_bytes() for path in (tmp_path / "two").iterdir()}


def test_tables_hold_what_the_report_does(report, tmp_path):
    write_report(report, tmp_path)
    (pair,) = rows(tmp_path, "pairs")
    assert pair["agent"] == HOSTILE
    assert float(pair["margin_raw_mean"]) == report.formats[0].pairs[0].margin.raw.mean
    assert len(rows(tmp_path, "standings")) == 2
    assert sum(int(row["count"]) for row in rows(tmp_path, "moves")) == sum(
        int(row["count"]) for row in rows(tmp_path, "moves_by_hand")
    )
    shown = rows(tmp_path, "shown_hands")
    assert sum(int(row["won"]) for row in shown) <= sum(int(row["shown"]) for row in shown)
    assert rows(tmp_path, "failures")[0]["kind"] == "illegal action"


def test_the_page_needs_no_network_and_no_name_becomes_markup(report, tmp_path):
    write_report(report, tmp_path)
    text = (tmp_path / "report.html").read_text()
    assert HOSTILE not in text
    assert "&lt;script&gt;" in text
    for attribute in ('src="http', 'href="http', "@import", 'src="//'):
        assert attribute not in text.partition("<main")[0]


@pytest.mark.parametrize("rules_name", rule_sets())
def test_every_rule_set_has_its_moves_and_hands_on_the_page(rules_name, tmp_path):
    report = played_report({"a": "random", "b": "tight"}, 2, costly=1, rules_name=rules_name)
    write_report(report, tmp_path)
    text = (tmp_path / "report.html").read_text()
    for move in {row.move for row in report.moves} - {"redraw"}:
        assert f">{move.replace('_', ' ')}</th>" in text
    for hand in {row.hand for row in report.shown_hands}:
        assert escape(hand) in text


def test_an_empty_tournament_says_what_it_lacks(report, tmp_path):
    empty = Report(
        title="nothing yet",
        game=report.game,
        agents=report.agents,
        origin=report.origin,
        missing=("no deal has been played at every table yet",),
    )
    write_report(empty, tmp_path)
    text = (tmp_path / "report.html").read_text()
    assert "no deal has been played at every table yet" in text
    assert text.count("There are no results yet.") == 1
    assert "This tournament kept no hands to replay." in text


def test_a_hand_with_another_history_is_refused(report, tmp_path):
    hand = report.costly_hands[0].model_copy(update={"net_credits": (7, 7)})
    wrong = report.model_copy(update={"costly_hands": (hand,)})
    with pytest.raises(SabaccError, match="history is not that of this costly hand"):
        write_report(wrong, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"agents": [{"name": "loud", "spec": "random"}]}, "not among the agents"),
        ({"version": 2}, "version"),
        ({"colour": "red"}, "colour"),
        ({"title": 5}, "title"),
    ],
)
def test_a_report_is_checked(report, change, words):
    data = json.loads(report.model_dump_json()) | change
    with pytest.raises(ValidationError, match=words):
        Report.model_validate_json(json.dumps(data))
