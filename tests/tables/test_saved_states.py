"""Tables go back in place to where ``save_state`` left them."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from sabacc_env import SabaccError, Tables, rule_sets
from sabacc_env.policies import random_legal
from sabacc_env.storage.checksums import seal_text
from sabacc_env.tables.saving import TEXT_FORMAT

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


@pytest.mark.parametrize("rules", rule_sets())
def test_json_has_the_same_future_and_can_be_read(rules: str) -> None:
    tables = Tables(rules, **MADE)
    tables.play(random_legal, 25)
    text = tables.to_json()
    told = json.loads(text)
    assert told["format"] == "sabacc-tables-json 1"
    assert told["rules"][0]["name"] == rules
    assert told["state"][1] == tables.game(1).to_dict()["state"]
    twin = Tables.from_json(json.dumps(told, indent=1, sort_keys=True), threads=2)
    assert (twin.threads, shown(twin)) == (2, shown(tables))
    assert played(twin) == played(tables)


def test_text_of_something_else_is_refused() -> None:
    tables = Tables("casino", **MADE)
    text = tables.to_json()
    told = json.loads(text)
    for name in ("format", "checksum"):
        del told[name]
    for wrong, sentence in (
        ("", "not JSON of the format 'sabacc-tables-json 1', or cut short"),
        (text[:-5], "not JSON of the format 'sabacc-tables-json 1', or cut short"),
        (tables.game(0).to_json(), "does not have the format 'sabacc-tables-json 1'$"),
        (text.replace("json 1", "json 2", 1), "it has version 2 of it, which is not read here"),
        (text.replace('"seed": 3', '"seed": 4'), "was changed or is damaged"),
        (seal_text(TEXT_FORMAT, {}), "does not hold the bytes of tables"),
        (seal_text(TEXT_FORMAT, told | {"bytes": "*"}), "does not hold the bytes of tables"),
        (seal_text(TEXT_FORMAT, told | {"bytes": ""}), "these bytes do not have the format"),
        (seal_text(TEXT_FORMAT, told | {"state": []}), "describes other hands than its bytes"),
    ):
        with pytest.raises(SabaccError, match=sentence) as raised:
            Tables.from_json(wrong)
        assert "\n" not in str(raised.value)
