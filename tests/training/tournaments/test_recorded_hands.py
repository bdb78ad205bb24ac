"""``record_hands`` of a tournament: the hands of every n-th deal, in a file beside the results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sabacc_training.config.base import dump, validated
from sabacc_training.tournaments.config import TournamentConfig
from sabacc_training.tournaments.tasks import Task, play_task, read_task

from sabacc_env.hand_histories import HandHistory, read_hand_histories
from tests.support.commands import run
from tests.support.damage import flip_bit

CONFIG = """
agents = ["random", "tight", "tests.support.toys:Bully"]
formats = ["pairs", "copies-3"]
deals = 25
deals_per_task = 10
record_hands = 7
"""
TABLES = 3 * 2 + 6 * 3
"""The hands of a deal: three pairs from two seats, six ordered pairs from three."""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "three.toml"
    path.write_text(CONFIG)
    return path


def hands_of(folder: Path) -> bytes:
    return (folder / "hands.jsonl").read_bytes()


def test_the_hands_of_every_seventh_deal_are_in_one_file(config, tmp_path, capsys):
    assert run(capsys, "tournament", config, "--output", tmp_path / "out")[0] == 0
    hands = list(read_hand_histories(tmp_path / "out" / "hands.jsonl"))
    assert {hand.origin["deal"] for hand in hands} == {0, 7, 14, 21}
    assert len(hands) == 4 * TABLES
    for hand in hands:
        game = hand.replay()
        assert game.num_players == len(hand.seats)
        assert set(hand.seats) <= {"random", "tight", "Bully"}
    chance = {(hand.origin["deal"], hand.chance.key) for hand in hands}
    assert len(chance) == 4  # a deal has the same cards everywhere
    code, output, _ = run(capsys, "replay", tmp_path / "out" / "hands.jsonl", 1)
    assert code == 0
    assert "deal 0, rotation 0" in output


def test_agents_tell_what_they_draw_from(config, tmp_path, capsys):
    run(capsys, "tournament", config, "--output", tmp_path)
    for hand in read_hand_histories(tmp_path / "hands.jsonl"):
        told = hand.told or [None] * len(hand.moves)
        for position, (seat, move), said in zip(hand.positions(), hand.moves, told, strict=False):
            if hand.seats[seat] == "Bully":  # it has no probabilities
                assert said is None
                continue
            legal = position.view(seat).legal_actions(hand.bet_sizes).values()
            shares = said.probabilities
            assert sum(shares.values()) == pytest.approx(1)
            if hand.seats[seat] == "random":
                assert set(shares) == set(map(str, legal))
                assert len(set(shares.values())) == 1
            else:
                assert shares == {move: 1.0}


def test_hands_that_were_lost_are_there_again(config, tmp_path, capsys):
    """``test_merge`` compares the bytes of parts, of several processes, and of one run."""
    words = ("tournament", config, "--output", tmp_path)
    run(capsys, *words)
    lost, *_, damaged = sorted((tmp_path / "tasks").iterdir())
    before = hands_of(tmp_path)
    lost.unlink()
    damaged.write_bytes(flip_bit(damaged.read_bytes(), 500))
    (tmp_path / "hands.jsonl").unlink()
    run(capsys, *words, "--resume")
    assert hands_of(tmp_path) == before


@pytest.mark.parametrize("lineup", [("random", "tight"), ("random", "maximiser")])
@pytest.mark.parametrize("hands", [1, 4])
def test_recorded_hands_are_those_that_were_played(lineup, hands):
    """The first lineup plays in the compiled loop; of the second the agents are asked."""
    config = validated(
        TournamentConfig,
        {"agents": list(lineup), "record_hands": 3, "hands": hands, "deals_per_task": 10},
    )
    task = Task(lineup, 10, 10)
    result = read_task(config, task, play_task(config, task))
    assert result is not None
    won: dict[tuple[int, int], Any] = {}
    for text in result.hands:
        hand = HandHistory.from_json(text)
        at = int(hand.origin["deal"]) - 10, int(hand.origin["rotation"])
        net = hand.replay().net_credits
        by_place = [net[hand.seats.index(name)] for name in lineup]
        won[at] = [a + b for a, b in zip(by_place, won.get(at, [0, 0]), strict=True)]
    assert {deal for deal, _ in won} == {2, 5, 8}  # deals 12, 15 and 18
    for (deal, rotation), net_credits in won.items():
        assert result.arrays["net_credits"][deal, rotation].tolist() == net_credits


def test_without_it_nothing_is_written_of_it(config, tmp_path, capsys):
    keys = {"agents": ["random", "tight"]}
    assert "record_hands" not in dump(validated(TournamentConfig, keys))
    assert '"record_hands": 2' in dump(validated(TournamentConfig, keys | {"record_hands": 2}))
    words = ("tournament", config, "--output", tmp_path / "out")
    run(capsys, *words)
    assert hands_of(tmp_path / "out")
    assert run(capsys, *words, "record_hands=0", "--resume")[0] == 0
    assert not (tmp_path / "out" / "hands.jsonl").exists()
