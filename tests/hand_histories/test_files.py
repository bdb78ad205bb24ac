"""Files of recorded hands: damaged, cut short, of another version, or of other rules."""

from __future__ import annotations

import json
import pickle
import random
import re
import resource
import sys
from functools import cache

import pytest

from sabacc_env import SabaccError
from sabacc_env.hand_histories import (
    HandHistory,
    HandHistoryWriter,
    HandRecorder,
    read_hand_histories,
)
from sabacc_env.hand_histories.history import FORMAT
from sabacc_env.storage.checksums import seal_text
from tests.support.recorded_hands import assert_same_hand, random_hands


@cache
def games():
    """Return twelve random hands."""
    return list(random_hands(seed=7, count=12))


@cache
def hands():
    """Return their histories."""
    return [HandHistory.from_game(game) for game in games()]


@pytest.fixture
def path(tmp_path):
    """Return the path of a file of twelve hands."""
    writer = HandHistoryWriter(tmp_path / "hands.jsonl")
    for hand in hands():
        writer.write(hand)
    return writer.path


def refusal(path) -> str:
    with pytest.raises(SabaccError) as refused:
        list(read_hand_histories(path))
    return str(refused.value)


def test_a_file_has_a_line_for_each_hand(path):
    assert path.read_text().count("\n") == len(hands())
    assert list(read_hand_histories(path)) == hands()
    for hand, game in zip(read_hand_histories(str(path)), games(), strict=True):
        assert_same_hand(hand.replay(), game)


def test_hands_are_added_to_a_file_that_is_there(path):
    for _ in range(2):
        pickle.loads(pickle.dumps(HandHistoryWriter(path))).write(hands()[0])
    assert list(read_hand_histories(path)) == [*hands(), hands()[0], hands()[0]]


@pytest.mark.skipif(sys.platform != "linux", reason="has a file that even root cannot read")
def test_a_file_that_cannot_be_read_gets_no_hands(tmp_path):
    (tmp_path / "hands.jsonl").symlink_to("/proc/self/clear_refs")
    with pytest.raises(SabaccError, match=r"hands\.jsonl: cannot be read \("):
        HandHistoryWriter(tmp_path / "hands.jsonl")


def test_a_folder_is_made(tmp_path):
    HandHistoryWriter(tmp_path / "new" / "folder" / "hands.jsonl").write(hands()[0])
    assert list(read_hand_histories(tmp_path / "new" / "folder" / "hands.jsonl")) == hands()[:1]


def test_a_damaged_byte_names_its_line(path):
    rng, whole = random.Random(1), path.read_bytes()
    for _ in range(60):
        at = rng.randrange(len(whole))
        byte = rng.randrange(256)
        if byte == whole[at]:
            continue
        path.write_bytes(whole[:at] + bytes([byte]) + whole[at + 1 :])
        line = whole[:at].count(b"\n") + 1
        message = refusal(path)
        assert message.startswith(f"{path}, line {line}: "), message
        assert "\n" not in message


def test_the_hands_before_a_damaged_line_are_read(path):
    lines = path.read_bytes().splitlines(keepends=True)
    lines[4] = lines[4].replace(b"dealer", b"healer")
    path.write_bytes(b"".join(lines))
    found = read_hand_histories(path)
    assert [next(found) for _ in range(4)] == hands()[:4]
    with pytest.raises(SabaccError, match=rf"^{re.escape(str(path))}, line 5: .* was changed or"):
        next(found)


def test_a_file_that_was_cut_short_names_its_last_line(path):
    rng, whole = random.Random(2), path.read_bytes()
    for _ in range(40):
        path.write_bytes(cut := whole[: rng.randrange(1, len(whole))])
        if cut.endswith((b"\n", b"}}", b"]}}")):
            continue
        line = cut.count(b"\n") + 1
        expected = f"{path}, line {line}: is cut short, because its writer was stopped; remove"
        assert refusal(path).startswith(expected)
        with pytest.raises(SabaccError, match=f"line {line}: is cut short"):
            HandHistoryWriter(path)
        assert path.read_bytes() == cut


def test_a_last_line_without_its_end_is_read_and_written_on(path):
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    assert list(read_hand_histories(path)) == hands()
    HandHistoryWriter(path).write(hands()[0])
    assert list(read_hand_histories(path)) == [*hands(), hands()[0]]


@pytest.mark.parametrize("version", [0, 2, 17])
def test_another_version_is_refused(path, version):
    content = json.loads(hands()[0].to_json())
    del content["format"], content["checksum"]
    text = seal_text(f"sabacc-hand {version}", content)
    path.write_text(f"{hands()[0].to_json()}\n{text}\n")
    expected = f"{path}, line 2: this text does not have the format {FORMAT!r}; it has version "
    assert refusal(path) == f"{expected}{version} of it, which is not read here"


def test_unknown_rules_are_refused(path):
    content = json.loads(hands()[0].to_json())
    del content["format"], content["checksum"]
    content["rules"]["published"] = "imperial"
    path.write_text(f"{seal_text(FORMAT, content)}\n")
    assert refusal(path).startswith(f"{path}, line 1: rules: 'imperial' is not a rule set")


def test_rules_that_have_changed_since_are_refused(path):
    content = json.loads(hands()[0].to_json())
    del content["format"], content["checksum"]
    content["rules"]["sha256"] = "0" * 64
    path.write_text(f"{seal_text(FORMAT, content)}\n")
    assert refusal(path).startswith(f"{path}, line 1: rules: the hand was played by other rules")


@pytest.mark.parametrize("content", [b"# A page\n", b"\xff\xfe\n", b"{}\n", b"\n", b'{"a": 1'])
def test_nothing_is_added_to_a_file_of_something_else(tmp_path, content):
    path = tmp_path / "notes"
    path.write_bytes(content)
    with pytest.raises(SabaccError, match=r"notes, line 1: "):
        HandHistoryWriter(path)
    assert path.read_bytes() == content


def test_a_hand_for_which_there_is_no_room_leaves_the_file_as_it_was(path):
    whole, limits = path.read_bytes(), resource.getrlimit(resource.RLIMIT_FSIZE)
    writer = HandHistoryWriter(path)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole) + 10, limits[1]))
        with pytest.raises(SabaccError, match=r"hands.jsonl: cannot be written \(the disk is full"):
            writer.write(hands()[0])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_bytes() == whole
    writer.write(hands()[0])
    assert list(read_hand_histories(path)) == [*hands(), hands()[0]]


def test_files_that_cannot_be_opened_are_refused(tmp_path):
    absent = tmp_path / "absent"
    assert refusal(absent) == f"{absent}: cannot be read (No such file or directory)"
    assert refusal(tmp_path).startswith(f"{tmp_path}: cannot be read")
    with pytest.raises(SabaccError, match="cannot be written"):
        HandHistoryWriter(tmp_path)
    with pytest.raises(SabaccError, match=r"^record_hands: give the path of a file$"):
        HandHistoryWriter(7)


@pytest.mark.parametrize("every", [1, 2, 5])
def test_a_recorder_writes_the_first_hand_and_every_nth_after(tmp_path, every):
    recorder = HandRecorder(tmp_path / "hands", every=every)
    for number, game in enumerate(games()):
        recorder.hand_ended(game, number=number)
    numbers = [hand.origin["number"] for hand in read_hand_histories(tmp_path / "hands")]
    assert numbers == list(range(0, len(games()), every))


def test_many_hands_are_counted_as_if_they_came_one_by_one(tmp_path):
    one, many = (HandRecorder(tmp_path / name, every=7) for name in "ab")
    for count in (3, 0, 20, 1, 1, 50):
        first = many.hands
        due = [first + each for each in many.due(count)]
        assert due == [first + each for each in range(count) if len(one.due(1))]


@pytest.mark.parametrize("every", [0, -1, 1.5, "x"])
def test_a_recorder_needs_a_whole_number(tmp_path, every):
    with pytest.raises(SabaccError, match=r"^record_every: "):
        HandRecorder(tmp_path / "hands", every=every)
