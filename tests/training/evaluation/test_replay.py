"""``sabacc watch --record`` and ``sabacc replay``: a hand told again as it was told first."""

from __future__ import annotations

import os
import random
import subprocess
import sys

import pytest

from sabacc_env import Game, rule_sets
from sabacc_env.hand_histories import HandHistory, HandHistoryWriter, Told, read_hand_histories
from tests.support.commands import command, refusal, run
from tests.support.random_play import decisions
from tests.support.recorded_hands import random_hands

BULLY = "tests.support.toys:Bully"


@pytest.fixture(autouse=True)
def wide(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    command("watch", "random", "random", "--seed", "0")  # where the engine is compiled, it says so
    capsys.readouterr()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "hands.jsonl"


@pytest.mark.parametrize("rules", [*rule_sets(), "one_draw"])
def test_a_watched_hand_is_told_again(capsys, path, rules):
    agents = ["random", BULLY] + ["random"] * (rules != "one_draw")
    for seed in (3, 4):
        watched = run(capsys, "watch", *agents, "--rules", rules, "--seed", seed, "--record", path)
        number = seed - 2
        code, output, errors = run(capsys, "replay", path, number)
        assert (watched[0], watched[2], code, errors) == (0, "", 0, "")
        first, *told = output.splitlines()
        assert told == watched[1].splitlines()[1:]
        assert first.startswith(f"hand {number}: ")
        assert first.endswith(f", seed {seed}")
    first, second = read_hand_histories(path)
    assert first.seats == ("random", "Bully", "random")[: len(agents)]
    assert all((told is not None) == (seat != 1) for (seat, _), told in zip(
        second.moves, second.told, strict=True
    ))  # fmt: skip


def test_all_hands_are_told_in_order(capsys, path):
    writer = HandHistoryWriter(path)
    games = list(random_hands(seed=4, count=11))
    for game in games:
        writer.write(HandHistory.from_game(game))
    code, output, errors = run(capsys, "replay", path)
    assert (code, errors) == (0, "")
    for number, game in enumerate(games, start=1):
        assert f"hand {number}: {game.rules.title or game.rules.name}\n" in output
        assert run(capsys, "replay", path, number)[1] in output


def test_what_an_agent_expects_is_told(capsys, path):
    game = Game("casino", 2, seed=3)
    said = Told(value=2.25, probabilities={"stand": 0.25, "draw": 0.75})
    told = [said for _ in decisions(game, random.Random(1))]
    HandHistoryWriter(path).write(HandHistory.from_game(game, told=told))
    output = run(capsys, "replay", path)[1]
    assert output.count("expects to win +2.2") == len(told)
    assert "75% draw" in output


def test_nothing_in_a_file_reaches_the_terminal_as_a_command(capsys, path):
    game = Game("casino", 2, seed=3)
    told = [Told(probabilities={"\x1b[2Jdraw": 1.0}) for _ in decisions(game, random.Random(1))]
    origin = {"\x1b]0;where\x07": "\x9b31mhere\n"}
    hand = HandHistory.from_game(game, told=told, origin=origin)
    HandHistoryWriter(path).write(hand)
    output = run(capsys, "replay", path)[1]
    assert output.splitlines()[0].endswith("]0;where 31mhere")
    assert "100% [2Jdraw" in output
    assert output.replace("\n", "").isprintable()


def test_a_terminal_is_stepped_through_by_keys(path):
    assert command("watch", "random", BULLY, "--seed", 3, "--record", path) == 0
    assert command("watch", "random", BULLY, "--seed", 4, "--record", path) == 0
    pty = pytest.importorskip("pty")  # not on Windows
    master, slave = pty.openpty()
    words = [sys.executable, "-m", "sabacc_training", "replay", str(path)]
    process = subprocess.Popen(words, stdin=slave, stdout=slave, stderr=slave)
    os.close(slave)
    shown = ""
    for key in ["\n", "\n", "b\n", "n\n", "q\n"]:
        shown += read_until(master, "q: quit")
        os.write(master, key.encode())
    shown += read_until(master, "\0")
    assert process.wait(timeout=60) == 0
    os.close(master)
    (hand, _) = read_hand_histories(path)
    seat, move = hand.moves[0]
    assert shown.count("hand 1: ") == shown.count("hand 2: ") == 1
    assert shown.count(f"player_{seat} {hand.seats[seat]} ") >= 2  # shown again after b
    assert shown.count("q: quit") == 5
    assert move in shown


def read_until(terminal: int, words: str) -> str:
    """Return what a terminal shows up to these words, or to the end."""
    shown = ""
    while words not in shown:
        try:
            shown += os.read(terminal, 4096).decode()
        except OSError:  # nobody writes any more
            break
    return shown


def test_a_hand_that_was_stopped_is_not_recorded(path, monkeypatch):
    def stop(seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("sabacc_training.evaluation.watch.time.sleep", stop)
    assert command("watch", "random", "random", "--record", path, "--speed", 5) == 0
    assert not path.exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["3"], "hands.jsonl: has 1 hand, and no hand 3"),
        (["0"], "HAND: 0 is not the number of a hand"),
        (["--speed", "0"], "--speed: 0.0 is out of range"),
    ],
)
def test_a_mistake_is_one_sentence(capsys, path, words, sentence):
    command("watch", "random", "random", "--record", path)
    capsys.readouterr()
    assert sentence in refusal(capsys, "replay", path, *words)


def test_a_hand_that_cannot_be_replayed_names_its_line(capsys, path):
    writer = HandHistoryWriter(path)
    for game in random_hands(seed=1, count=2):
        hand = HandHistory.from_game(game)
        writer.write(hand.model_copy(update={"dealer": 8}))
    assert "line 1: dealer: 8" in refusal(capsys, "replay", path)
    assert "line 2: dealer: 8" in refusal(capsys, "replay", path, 2)


def test_files_of_something_else_are_refused(capsys, path):
    path.write_text("{}\n")
    assert "line 1: this text does not have the format" in refusal(capsys, "replay", path)
    assert "line 1: this text" in refusal(capsys, "watch", "random", "random", "--record", path)
    path.write_text("")
    assert "has 0 hands" in refusal(capsys, "replay", path)
    path.unlink()
    assert "cannot be read" in refusal(capsys, "replay", path)
