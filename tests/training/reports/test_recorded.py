"""Recorded hands as a page, in a real browser and by the command that writes it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sabacc_training.reports.recorded import MAX_HANDS, recorded_page

from sabacc_env import SabaccError
from sabacc_env.hand_histories import HandHistory, HandHistoryWriter, Told
from tests.support.chromium import PROGRAM, browser
from tests.support.commands import refusal, run
from tests.support.recorded_hands import random_hands


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "hands.jsonl"
    writer = HandHistoryWriter(found)
    for game in random_hands(seed=4, count=3):
        writer.write(HandHistory.from_game(game, [f"<b>{s}" for s in range(game.num_players)]))
    return found


@pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium")
def test_each_hand_is_stepped_through_from_every_seat(
    capsys: Any, path: Path, tmp_path: Path
) -> None:
    page = tmp_path / "page" / "hands.html"
    assert run(capsys, "replay", path, "--html", page)[0] == 0
    with browser(tmp_path / "profile") as opened:
        opened.open(page)
        assert opened.run("document.querySelectorAll('.replay').length") == 3
        assert opened.run("document.querySelectorAll('main b').length") == 0
        opened.run("document.querySelectorAll('details').forEach(each => { each.open = true; })")
        opened.run("document.querySelectorAll('[data-go=last]').forEach(button => button.click())")
        views = opened.run(
            "replays.map(views => new Set(views.map(steps => drawing(steps.at(-1)))).size)"
        )
        assert all(count > 1 for count in views)
        steps = opened.run("[...document.querySelectorAll('.now')].map(e => e.textContent)")
        assert [int(text.split()[1]) for text in steps] == [
            len(hand.moves) for hand in map(HandHistory.from_json, path.read_text().splitlines())
        ]
        assert opened.problems == []
        assert opened.requests == [page.as_uri()]


def test_one_hand_of_a_file(capsys: Any, path: Path, tmp_path: Path) -> None:
    page = tmp_path / "hand.html"
    assert run(capsys, "replay", path, 2, "--html", page)[0] == 0
    assert page.read_text().count('<details class="replay"') == 1
    assert "no hand 4" in refusal(capsys, "replay", path, 4, "--html", page)


def test_what_agents_tell_stands_at_each_step() -> None:
    game = next(iter(random_hands(seed=4, count=1)))
    said = [
        Told(probabilities={str(turn.move): 0.625, "junk <b>": 0.375}, value=-1.25)
        for turn in game.history
    ]
    page = recorded_page("told", [("hand", HandHistory.from_game(game, told=said))])
    for turn in game.history:
        assert f"Plays: 62% {turn.move}, 38% junk &lt;b&gt;. Expects -1.2." in page
    assert page.count("Expects") == len(said)
    assert "Expects" not in recorded_page("silent", [("hand", HandHistory.from_game(game))])


def test_too_many_hands_are_refused(path: Path) -> None:
    hand = HandHistory.from_json(path.read_text().splitlines()[0])
    with pytest.raises(SabaccError, match=f"at most {MAX_HANDS} hands, not {MAX_HANDS + 1}"):
        recorded_page("many", [("hand", hand)] * (MAX_HANDS + 1))
