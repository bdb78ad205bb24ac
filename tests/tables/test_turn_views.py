"""Views of many tables are made when somebody looks at them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sabacc_env import Tables
from sabacc_env.game.game import Game
from sabacc_env.tables.turn_views import TurnViews


def made_views(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list to which the seat of each view that is made is added."""
    seats: list[int] = []
    view = Game.view

    def noted(game: Game, seat: int, **options: Any) -> Any:
        seats.append(seat)
        return view(game, seat, **options)

    monkeypatch.setattr(Game, "view", noted)
    return seats


def test_a_view_is_made_once_it_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = Tables("casino", 5, 3, seed=0)
    tables.keep_histories()
    made = made_views(monkeypatch)
    some = np.array([4, 1, 2])
    views = TurnViews(tables, some)
    assert len(views) == 3
    assert (views.rows == tables.flat_observations[some]).all()
    assert made == []
    assert views[1] is views[-2]
    assert made == [tables.seats_to_act[1]]
    expected = [tables.game(i).view(int(tables.seats_to_act[i])) for i in some.tolist()]
    assert list(views) == expected
    assert views[1:] == expected[1:]
    with pytest.raises(IndexError):
        views[3]


def test_they_show_what_the_seat_that_was_to_act_sees_only() -> None:
    tables = Tables("casino", 1, 2, seed=0)
    tables.keep_histories()
    views, seat = TurnViews(tables, np.array([0])), int(tables.seats_to_act[0])
    tables.step(np.array([0]))
    assert tables.seats_to_act[0] != seat
    assert views[0].seat == seat


def test_events_come_where_they_are_asked_for() -> None:
    tables = Tables("casino", 1, 2, seed=0)
    tables.keep_histories()
    assert TurnViews(tables, np.array([0]))[0].events is None
    assert TurnViews(tables, np.array([0]), events=True)[0].events is not None
