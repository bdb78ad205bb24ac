"""Saved states that are refused: one sentence, and nothing changes."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from sabacc_env import SabaccError, SavedState, load_rules
from sabacc_env.envs.saved_states import FORMAT, TEXT_FORMAT
from sabacc_env.storage.checksums import pack_with_checksum, seal_text
from tests.support.damage import flip_random_bit
from tests.support.env_drivers import DRIVERS, Driver, anywhere

with_every_environment = pytest.mark.parametrize("kind", DRIVERS)

OTHERS: list[tuple[dict[str, Any], str]] = [
    ({"rules": "orsl"}, "state: its rules, 'orsl', are not the rules of this environment"),
    (
        {"rules": load_rules("casino", name="casino", rounds=2)},
        "state: its rules, 'casino', are not the rules of this environment",
    ),
    ({"num_players": 4}, "state: it has num_players 4, and this environment has 3"),
    ({"hands": 3}, "state: it has hands 3, and this environment has 2"),
    ({"bet_sizes": ("max",)}, r"state: it has bet_sizes \['max'\], and this environment has"),
]
CASINO = {"rules": "casino", "num_players": 3, "hands": 2}


def refused(driver: Driver, state: Any, sentence: str) -> None:
    """Check that a state is refused by a sentence, and that nothing changes."""
    before, shown = driver.env.save_state(), driver.shown()
    with pytest.raises(SabaccError, match=sentence) as raised:
        driver.env.restore_state(state)
    assert "\n" not in str(raised.value)
    assert driver.shown() == shown
    assert driver.env.save_state() == before


@with_every_environment
def test_states_of_something_else_are_refused(kind: str) -> None:
    driver = DRIVERS[kind](**CASINO)
    anywhere(driver, random.Random(2))
    for changes, sentence in OTHERS:
        other = DRIVERS[kind](**(CASINO | changes))
        other.reset(1)
        state = other.env.save_state()
        refused(driver, state, f"^{sentence}")
        refused(driver, SavedState.from_json(state.to_json()), f"^{sentence}")
    for junk in (None, 5, "state", b"", driver.env.save_state().to_bytes()):
        refused(driver, junk, "^state: .* is not what save_state returned$")


def test_states_of_another_kind_are_refused() -> None:
    cycle, single = DRIVERS["AEC"](**CASINO), DRIVERS["Sabacc-v0"](**CASINO)
    cycle.reset(1)
    single.reset(1)
    refused(cycle, single.env.save_state(), "^state: it is of a 'SabaccEnv', and this is a 'Sab")
    refused(single, cycle.env.save_state(), "^state: it is of a 'SabaccAEC', and this is a 'Sab")


@with_every_environment
def test_there_is_no_state_before_the_first_reset(kind: str) -> None:
    driver = DRIVERS[kind](**CASINO)
    with pytest.raises(SabaccError, match=r"^no episode is in play; call reset first$"):
        driver.env.save_state()
    with pytest.raises(SabaccError, match=r"^undo: no steps are kept; make the environment with"):
        driver.env.undo()
    driver.reset(1)
    driver.step(random.Random(1))
    with pytest.raises(SabaccError, match=r"^undo: no steps are kept; make the environment with"):
        driver.env.undo()
    with pytest.raises(SabaccError, match=r"^undo_steps: -1 is not from 0"):
        DRIVERS[kind](**CASINO, undo_steps=-1)


@with_every_environment
def test_damaged_states_are_refused(kind: str) -> None:
    rng = random.Random(kind)
    driver = DRIVERS[kind](**CASINO)
    anywhere(driver, rng)
    data, text = driver.env.save_state().to_bytes(), driver.env.save_state().to_json()
    damaged = [data[: rng.randrange(len(data))] for _ in range(20)]
    damaged += [flip_random_bit(data, rng) for _ in range(60)]
    for wrong in [b"", *damaged, text, None]:
        with pytest.raises(SabaccError, match=r"^these bytes") as raised:
            SavedState.from_bytes(wrong)
        assert "\n" not in str(raised.value)
    place = text.index("hand")
    for wrong in ["", text[:-9], text[:place] + "H" + text[place + 1 :], "[]", data, None]:
        with pytest.raises(SabaccError, match=r"^this text") as raised:
            SavedState.from_json(wrong)
        assert "\n" not in str(raised.value)
    with pytest.raises(SabaccError, match=r"they have version 9 of it, which is not read here$"):
        SavedState.from_bytes(data.replace(b"state 1", b"state 9", 1))
    with pytest.raises(SabaccError, match=r"it has version 9 of it, which is not read here$"):
        SavedState.from_json(text.replace("state-json 1", "state-json 9", 1))


CONTENTS: list[tuple[dict[str, Any], str]] = [
    ({}, "an incomplete description of a state"),
    ({"kind": "SabaccAEC", "made": {}, "values": []}, "an incomplete description of a state"),
    (
        {"kind": "SabaccAEC", "made": {}, "values": {"tuple": [1, 2]}},
        "an incomplete description of a state",
    ),
    ({"kind": "SabaccAEC", "made": {}, "values": {"bytes": "*"}}, "an invalid bytes"),
    ({"kind": "SabaccAEC", "made": {}, "values": {"array": 5}}, "an invalid array"),
    ({"kind": "SabaccAEC", "made": {}, "values": {"a": {"array": ["O", [1], [1]]}}}, "an invalid"),
    ({"kind": "SabaccAEC", "made": {}, "values": {"a": {"array": ["<i8", [7], [1]]}}}, "an inva"),
    ({"kind": "SabaccAEC", "made": {}, "values": {"a": {"number": ["<i1", 400]}}}, "an invalid"),
    ({"kind": "SabaccAEC", "made": {}, "values": {"a": {"dict": [[[], 1]]}}}, "an invalid dict"),
    ({"kind": "SabaccAEC", "made": {}, "values": {}, "game": 5}, "does not have the format"),
]


@pytest.mark.parametrize(("content", "sentence"), CONTENTS)
def test_states_of_wrong_content_are_refused(content: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SabaccError, match=sentence):
        SavedState.from_bytes(pack_with_checksum(FORMAT, content, b""))
    with pytest.raises(SabaccError, match=sentence):
        SavedState.from_json(seal_text(TEXT_FORMAT, content))


def loaded_values(state: SavedState) -> dict[str, Any]:
    """Return the values that a state has once it comes from bytes."""
    return SavedState.from_bytes(state.to_bytes()).values


def refusal(driver: Driver, state: SavedState) -> str:
    try:
        driver.restore(state)
    except SabaccError as error:
        return str(error)
    return ""


JUNK_VALUES: list[Any] = [
    None,
    True,
    False,
    -1,
    0,
    1,
    2**70,
    1.5,
    "x",
    "player_0",
    "terminated",
    "in play",
    "by an illegal action",
    [],
    [1],
    ["player_2"],
    {},
    {"a": 1},
    b"bytes",
    np.zeros(3),
    np.full((1, 3), 7),
]


@with_every_environment
def test_forged_states_are_refused_or_can_be_played_on(kind: str) -> None:
    rng = random.Random(kind)
    driver, other = DRIVERS[kind](**CASINO), DRIVERS[kind](**CASINO)
    taken = 0
    for _ in range(3):
        anywhere(driver, rng)
        anywhere(other, rng)
        shown, state = driver.shown(), driver.env.save_state()
        own, others = loaded_values(state), loaded_values(other.env.save_state())
        for name in own:
            for value in [*JUNK_VALUES, others[name]]:
                values = own | {name: value}
                forged = SavedState(state.kind, state.made, values, is_loaded=True)
                if error := refusal(driver, forged):
                    assert "\n" not in error
                    assert driver.shown() == shown
                    continue
                taken += 1
                for _ in range(20):
                    driver.step(rng)
                driver.restore(state)
    assert taken > 0
