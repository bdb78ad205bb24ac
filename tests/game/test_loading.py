"""Bytes that somebody made on purpose: their seal is whole, and what they hold is checked."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sabacc_env import Game, SabaccError, rule_sets
from sabacc_env.engine.layout import GAME_DTYPE
from sabacc_env.engine.validation import RANGES
from sabacc_env.game import saving as game_saving
from sabacc_env.policies import random_legal
from sabacc_env.rules import RuleSet, load_rules
from sabacc_env.storage.checksums import pack_with_checksum, unpack_checked
from sabacc_env.tables import Tables, saving
from tests.support.random_play import HOUSE_RULES, random_move, random_position
from tests.support.strategies import tables as table_settings

seeds = st.integers(0, 2**32 - 1)
RULES = [*map(load_rules, rule_sets()), *HOUSE_RULES.values()]


@cache
def playing() -> Game:
    return Game("casino", 3, seed=1)


@cache
def at_tables() -> Tables:
    found = Tables("casino", 4, 3, seed=1, hands=3)
    found.play(random_legal, 20)
    return found


Change = Callable[[dict[str, Any]], Any]


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.name)
def test_whatever_play_comes_to_is_taken(rules: RuleSet) -> None:
    rng = random.Random(rules.name)
    for _ in range(30):
        played = random_position(Game(rules, rng.randint(*rules.seats), rng.getrandbits(32)), rng)
        assert Game.from_bytes(played.to_bytes()) == played
    low, high = rules.seats
    for players in {low, (low + high) // 2, high}:
        many = Tables(rules, 32, players, seed=players, hands=3)
        for _ in range(12):
            assert Tables.from_bytes(many.to_bytes()).to_bytes() == many.to_bytes()
            many.play(random_legal, 5)


def come_through_their_bytes(table: tuple[RuleSet, int], seed: int) -> None:
    """Play a hand and a match at tables; check that each position's bytes are taken."""
    rng = random.Random(seed)
    played = Game(*table, seed=seed)
    assert Game.from_bytes(played.to_bytes()) == played
    while played.seat_to_act is not None:
        played.play(random_move(played, rng))
        assert Game.from_bytes(played.to_bytes()) == played
    rules, players = table
    try:
        many = Tables(rules, 8, players, seed=seed, hands=3)
    except SabaccError as error:
        if "the antes leave no seat a decision" not in str(error):
            raise
        return
    for _ in range(6):
        assert Tables.from_bytes(many.to_bytes()).to_bytes() == many.to_bytes()
        many.play(random_legal, 7)


@settings(max_examples=60, deadline=None)
@given(table=table_settings(), seed=seeds)
def test_whatever_play_comes_to_under_any_rules_is_taken(
    table: tuple[RuleSet, int], seed: int
) -> None:
    come_through_their_bytes(table, seed)


@pytest.mark.slow
@settings(max_examples=5_000, deadline=None)
@given(table=table_settings(), seed=seeds)
def test_whatever_play_comes_to_under_many_rules_is_taken(
    table: tuple[RuleSet, int], seed: int
) -> None:
    come_through_their_bytes(table, seed)


@pytest.mark.parametrize("spike_card", [False, True])
def test_an_opening_bet_may_be_all_of_a_hand(spike_card: bool) -> None:
    rules = load_rules("orsl", opening_bet=True, phases=(), spike_card=spike_card)
    come_through_their_bytes((rules, 3), seed=1)


def test_a_game_with_given_dice_is_taken() -> None:
    played = Game("casino", 2, seed=1, dice=[(1, 2)] * 3)
    assert Game.from_bytes(played.to_bytes()) == played


@pytest.mark.parametrize(
    ("mode", "count"),
    [("interpreted", 60), pytest.param("interpreted", 5000, marks=pytest.mark.slow)],
)
def test_a_forged_record_is_refused_or_can_be_played_on(mode: str, count: int) -> None:
    """Interpreted, every index beyond an array is an error."""
    result = subprocess.run(
        [sys.executable, "-m", "tests.support.forged_records", "1", str(count)],
        cwd=Path(__file__).parents[2],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, f"{mode}: {result.stderr}"
    played, refused = map(int, result.stdout.split())
    assert min(played, refused) > count / 5


def changed(format_line: bytes, data: bytes, change: Change) -> bytes:
    header, state = unpack_checked(format_line, data)
    change(header)
    return pack_with_checksum(format_line, header, state)


def put(**values: Any) -> Change:
    return lambda header: header.update(values)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (dict.clear, "of another engine version"),
        (lambda header: header.pop("rules"), "hold an incomplete description of a game"),
        (put(rules=5), "hold an incomplete description of a game"),
        (put(rules="{"), "canonical rules: not JSON"),
        (put(rules="[]"), "canonical rules: not a JSON object"),
        (put(rules='{"name": 5}'), "name"),
        (put(start=[]), "hold an incomplete description of a game"),
        (put(start={"seed": 1}), "hold a start that no hand can have"),
        (lambda header: header["start"].update(dealer="x"), "dealer"),
        (lambda header: header["start"].update(deck=[1]), "deck"),
        (lambda header: header["start"].update(num_players=None), "num_players"),
        (
            lambda header: header["start"].update(dice=[[1, 2]]),
            "hold rolled dice that were not given",
        ),
        (put(played=None), "hold invalid moves"),
        (put(played=["x"]), "hold invalid moves"),
        (put(played=[True]), "hold invalid moves"),
        (put(played=[99 << 32]), "hold invalid moves"),
        (put(played=[9 << 32 | 62]), "hold invalid moves"),
    ],
)
def test_a_game_of_wrong_content_is_refused(change: Change, sentence: str) -> None:
    with pytest.raises(SabaccError, match=sentence):
        Game.from_bytes(changed(game_saving.FORMAT, playing().to_bytes(), change))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (dict.clear, "of another engine version"),
        (lambda header: header.pop("seed"), "hold an incomplete description of tables"),
        (put(seed=None), "hold an incomplete description of tables"),
        (put(seed="x"), "hold an incomplete description of tables"),
        (put(rules=None), "rules"),
        (put(rules=[]), "hold an incomplete description of tables"),
        (put(rules=[5]), "canonical rules"),
        (put(num_tables=3), "num_players|bytes of records instead of"),
        (put(num_tables=5), "hold an incomplete description of tables"),
        (put(num_tables=10**12), "num_tables"),
        (put(num_tables=2.5), "num_tables"),
        (put(bet_sizes=[[]]), "bet_sizes"),
        (put(bet_sizes=5), "bet_sizes"),
        (put(packed="x"), "packed"),
        (put(hands=0), "hands"),
        (put(hands=4), "hold tables that do not fit their description"),
        (put(calls=-1), "calls"),
        (put(calls=None), "calls"),
        (put(histories=5), "histories"),
        (put(histories=[[]]), "hold another number of histories than of tables"),
        (put(histories=[["x"]] * 4), "hold invalid moves"),
        (put(more=5), "hold an incomplete description of tables"),
    ],
)
def test_tables_of_wrong_content_are_refused(change: Change, sentence: str) -> None:
    with pytest.raises(SabaccError, match=sentence):
        Tables.from_bytes(changed(saving.FORMAT, at_tables().to_bytes(), change))


@pytest.mark.parametrize("header", [b"", b"[]", b"{", b"\xff", b"[" * 100_000])
def test_a_header_that_is_none_is_refused(header: bytes) -> None:
    import hashlib

    body = header + b"\n" + b"x"
    data = game_saving.FORMAT + hashlib.sha256(body).hexdigest().encode() + b"\n" + body
    with pytest.raises(SabaccError, match="hold no header"):
        Game.from_bytes(data)


@pytest.mark.parametrize("cut", [slice(0, 0), slice(0, -1), slice(0, 16)])
def test_a_state_of_another_length_is_refused(cut: slice) -> None:
    for kind, format_line, data in (
        (Game, game_saving.FORMAT, playing().to_bytes()),
        (Tables, saving.FORMAT, at_tables().to_bytes()),
    ):
        header, state = unpack_checked(format_line, data)
        for other in (state[cut], state + b"x"):
            with pytest.raises(
                SabaccError, match=r"bytes of records instead of|fit their description|num_tables"
            ):
                kind.from_bytes(pack_with_checksum(format_line, header, other))


def test_another_version_is_named() -> None:
    older = playing().to_bytes().replace(game_saving.FORMAT, b"sabacc-game 2\n", 1)
    with pytest.raises(
        SabaccError,
        match=r"^these bytes do not have the format 'sabacc-game 3'; they have version 2 of it, "
        "which is not read here$",
    ):
        Game.from_bytes(older)
    for unrelated in (b"", b"sabacc-game x\n", b"sabacc-tables 2\n"):
        with pytest.raises(SabaccError, match=r"^these bytes do not have the format '[^;]*'$"):
            Game.from_bytes(unrelated)


ANY = ("padding", "deck_state", "deck_increment")
"""Fields whose every number is in range."""


@pytest.mark.parametrize(
    ("name", "last"),
    [
        (name, last)
        for name, (_, most) in RANGES.items()
        for last in (False, True)
        if name not in ANY and not (last and most == 2**31 - 1)
    ],
)
def test_a_number_out_of_range_is_refused_by_its_name(name: str, last: bool) -> None:
    """In a game, at a table, and in the last hand that ended there."""
    least, most = RANGES[name]

    def spoil(records: Any) -> None:
        field = records[name].view(np.float32) if name in ("log", "public") else records[name]
        field.reshape(len(records), -1)[-1, -1] = most + 1 if last else least - 1

    header, state = unpack_checked(game_saving.FORMAT, playing().to_bytes())
    records = np.frombuffer(bytearray(state), GAME_DTYPE)
    spoil(records)
    with pytest.raises(SabaccError, match=f"{name} is out of range|number of seats"):
        Game.from_bytes(pack_with_checksum(game_saving.FORMAT, header, records.tobytes()))
    header, state = unpack_checked(saving.FORMAT, at_tables().to_bytes())
    for first in (16 * 4, len(state) - 16 * 4 - 4 * GAME_DTYPE.itemsize):
        whole = bytearray(state)
        records = np.frombuffer(whole, GAME_DTYPE, 4, first)
        spoil(records)
        with pytest.raises(SabaccError, match=f"{name} is out of range|number of seats"):
            Tables.from_bytes(pack_with_checksum(saving.FORMAT, header, bytes(whole)))
