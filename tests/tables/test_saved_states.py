"""Tables go back in place to where ``save_state`` left them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from sabacc_env import SabaccError, Tables, rule_sets
from sabacc_env.policies import random_legal

MADE: dict[str, Any] = {"num_tables": 4, "num_players": 3, "seed": 3, "hands": 2}


def shown(tables: Tables) -> list[bytes]:
    """Return all that tables tell, and the moves of their hands where those are kept."""
    arrays = (
        tables.observations,
        tables.action_masks,
        tables.seats_to_act,
        tables.finished,
        tables.match_finished,
        tables.net_credits,
        tables.hand_counts,
    )
    return [*(array.tobytes() for array in arrays), tables.to_bytes()]


def played(tables: Tables, count: int = 30) -> list[list[bytes]]:
    """Play on; return what was shown on the way."""
    course = []
    for step in range(count):
        legal = [np.flatnonzero(mask) for mask in tables.action_masks]
        tables.step([choices[step % len(choices)] for choices in legal])
        course.append(shown(tables))
    return course


@pytest.mark.parametrize("rules", rule_sets())
@pytest.mark.parametrize("options", [{}, {"packed": True}, {"bet_sizes": ("min", Fraction(1, 3))}])
def test_tables_go_back_in_place(rules: str, options: dict[str, Any]) -> None:
    tables, other = Tables(rules, **MADE, **options), Tables(rules, **MADE | {"seed": 9}, **options)
    tables.play(random_legal, 25)
    arrays = tables.observations, tables.action_masks, tables.seats_to_act, tables.net_credits
    state, told = tables.save_state(), shown(tables)
    course = played(tables)
    for again in (tables, other, other):
        again.restore_state(state)
        assert shown(again) == told
        assert again.seed == 3
        assert played(again) == course
    assert tables.observations is arrays[0]
    assert tables.net_credits is arrays[3]
    other.restore_state(Tables.from_bytes(state.to_bytes()).save_state())
    assert played(other) == course


def test_histories_calls_and_starts_go_back_too() -> None:
    tables = Tables("orsl", **MADE, credits=[[90, 90, 90]] * 4)
    tables.play(random_legal, 5)
    tables.keep_histories()
    played(tables, 3)
    state, histories = tables.save_state(), [tables.game(table).history for table in range(4)]
    assert any(histories)
    tables.set_episode_starts([0, 1], credits=[[50, 60, 70]] * 2)
    course = played(tables)
    tables.restore_state(state)
    assert [tables.game(table).history for table in range(4)] == histories
    assert tables.calls == 1
    assert played(tables) != course  # the starts are those of before
    tables.restore_state(state)
    tables.set_episode_starts([0, 1], credits=[[50, 60, 70]] * 2)
    assert played(tables) == course


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"rules": "orsl"}, "its tables have other rules"),
        ({"rules": ["casino", "orsl"] * 2}, "its tables have other rules"),
        ({"num_players": 2}, "its tables have other numbers of players"),
        ({"num_players": [3, 3, 3, 2]}, "its tables have other numbers of players"),
        ({"num_tables": 5}, "it has 5 tables, not 4"),
        ({"hands": 1}, "its tables have hands 1, not 2"),
        ({"packed": True}, "its tables have packed True, not False"),
        ({"bet_sizes": ("max",)}, r"its tables have bet_sizes \('max',\), not"),
    ],
)
def test_states_of_other_tables_are_refused(changes: dict[str, Any], sentence: str) -> None:
    tables = Tables("casino", **MADE)
    before = shown(tables)
    state = Tables(**{"rules": "casino"} | MADE | changes).save_state()
    with pytest.raises(SabaccError, match=f"^state: {sentence}"):
        tables.restore_state(state)
    for junk in (None, b"", tables.to_bytes()):
        with pytest.raises(SabaccError, match=r"^state: .* is not what save_state returned$"):
            tables.restore_state(junk)  # type: ignore[arg-type]
    assert shown(tables) == before
