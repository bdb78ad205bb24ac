"""Recorded hands: what is written of a hand plays it again, to the same bytes."""

from __future__ import annotations

import copy
import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from sabacc_env import Game, RuleSet, SabaccError, Tables, load_rules, rule_sets
from sabacc_env.game import positions
from sabacc_env.hand_histories import HandHistory, Told
from sabacc_env.hand_histories.history import FORMAT, Results
from sabacc_env.hand_histories.recorded_rules import RecordedRules
from sabacc_env.storage.checksums import seal_text
from tests.support.random_play import HOUSE_RULES, decisions, random_position
from tests.support.recorded_hands import ALL_RULES, assert_same_hand, random_deal, random_hands


def check_round_trips(seed: int, count: int) -> None:
    for game in random_hands(seed, count):
        hand = HandHistory.from_game(game)
        text = hand.to_json()
        assert "\n" not in text
        read = HandHistory.from_json(text)
        assert read == hand
        assert read.to_json() == text
        assert read.rule_set == game.rules
        again = read.replay()
        assert_same_hand(again, game)
        assert HandHistory.from_game(again) == hand


def test_recorded_hands_play_again_to_the_same_bytes():
    check_round_trips(seed=1, count=330)


@pytest.mark.slow
def test_ten_thousand_recorded_hands_play_again_to_the_same_bytes():
    check_round_trips(seed=2, count=10_000)


@pytest.mark.parametrize("rules", ALL_RULES, ids=lambda rules: rules.name)
def test_positions_go_forwards_and_backwards(rules):
    rng = random.Random(rules.digest)
    game = random_deal(rules, rng)
    states = [game.clone() for _ in decisions(game, rng, most=60)] + [game]
    found = HandHistory.from_game(game).positions()
    assert len(found) == len(states)
    for position, state in zip(found, states, strict=True):
        assert_same_hand(position, state)
    back = found[-1].clone()
    for position in reversed(found[:-1]):
        back.undo()
        assert back == position
    for position, state in zip(positions(game), states, strict=True):
        assert_same_hand(position, state)


def test_a_hand_in_play_is_recorded_without_results():
    rng = random.Random(5)
    for seed in range(40):
        game = random_position(Game("orsl", 4, seed=seed), rng)
        hand = HandHistory.from_json(HandHistory.from_game(game).to_json())
        assert (hand.results is None) == (game.seat_to_act is not None)
        assert_same_hand(hand.replay(), game)


def test_what_was_told_is_kept_move_by_move():
    game = Game("casino", 2, seed=3)
    game.play("stand")
    game.play("draw")
    told = [Told(probabilities={"stand": 0.75, "draw": 0.25}, value=-1.5), None]
    hand = HandHistory.from_game(
        game, ["Han", "Lando"], bet_sizes=["min", 0.5, 2], told=told, origin={"deal": 3}
    )
    read = HandHistory.from_json(hand.to_json())
    assert list(read.told) == told
    assert read.seats == ("Han", "Lando")
    assert read.bet_sizes == ("min", 0.5, 2)
    assert read.origin == {"deal": 3}


@pytest.mark.parametrize("rules", ALL_RULES, ids=lambda rules: rules.name)
def test_rules_are_a_published_rule_set_and_what_differs(rules):
    recorded = RecordedRules.of(rules)
    assert recorded.rule_set == rules
    if rules.name in rule_sets():
        assert (recorded.published, recorded.changed) == (rules.name, {})
    else:
        nearest = load_rules(recorded.published)
        assert recorded.changed
        assert all(getattr(rules, name) != getattr(nearest, name) for name in recorded.changed)


def test_a_hand_of_tables_with_histories_is_recorded():
    tables = Tables("spacers", 3, 3, seed=4, hands=3)
    tables.keep_histories()
    rng, found = random.Random(1), 0
    for _ in range(300):
        tables.step([rng.choice(row.nonzero()[0]) for row in tables.action_masks])
        for table in tables.finished.nonzero()[0]:
            game = tables.final_game(int(table))
            hand = HandHistory.from_json(HandHistory.from_game(game).to_json())
            assert_same_hand(hand.replay(), game)
            found += 1
    assert found > 20


def test_what_cannot_be_recorded_says_so():
    game = Game("casino", 2, seed=1)
    with pytest.raises(SabaccError, match=r"^names: 1 given for 2 seats$"):
        HandHistory.from_game(game, ["Han"])
    with pytest.raises(SabaccError, match=r"^this hand cannot be recorded: seats.1: a name needs"):
        HandHistory.from_game(game, ["Han", "\x1b[2J"])
    with pytest.raises(SabaccError, match=r"told: 1 entries for 0 moves$"):
        HandHistory.from_game(game, told=[Told(value=1.0)])
    with pytest.raises(SabaccError, match=r"^this hand cannot be recorded: origin.x"):
        HandHistory.from_game(game, origin={"x": [1]})
    tables = Tables("casino", 1, seed=1)
    tables.step([0])
    with pytest.raises(SabaccError, match=r"copied from tables that kept no histories$"):
        HandHistory.from_game(tables.game(0))


def changed(**fields) -> str:
    """Return a recorded hand with some fields changed, and a checksum that fits."""
    game = Game("casino", 2, seed=1, dealer=0)
    for move in ("draw", "stand"):
        game.play(move)
    content = json.loads(HandHistory.from_game(game).to_json()) | fields
    del content["format"], content["checksum"]
    return seal_text(FORMAT, content)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"moves": [[0, "draw"]]}, "history: seat 0 plays 'draw', but seat 1 is to act"),
        ({"moves": [[1, "call"]]}, "'call' is not legal for seat 1 now"),
        ({"moves": [[1, "dance"]]}, "'dance' is not a move"),
        ({"dealer": 2}, "dealer: 2 is not from 0 to 1"),
        ({"credits": [200, 1]}, "credits: fewer than two seats can pay the antes of 4"),
        ({"credits": [200]}, "credits: "),
        ({"chance": {"key": "0x" + "0" * 16, "deck": ["+1t"]}}, "deck: "),
        ({"chance": {"key": "0x" + "0" * 16, "deck": ["+1x"]}}, "'\\+1x' is not a card"),
        (
            {"results": {"net_credits": [1, -1], "winners": [0], "revealed_hands": [None, None]}},
            "this hand was recorded with {.*}, but its moves lead to no results",
        ),
        (
            {"rules": {"published": "cassino", "changed": {}, "sha256": ""}},
            "rules: 'cassino' is not a rule set that this version publishes",
        ),
        (
            {"rules": {"published": "casino", "changed": {}, "sha256": load_rules("orsl").digest}},
            "rules: the hand was played by other rules than 'casino'",
        ),
        (
            {"rules": {"published": "casino", "changed": {"rounds": 99}, "sha256": ""}},
            "rounds: 99 is too large",
        ),
    ],
)
def test_a_hand_that_cannot_be_played_says_why(fields, sentence):
    hand = HandHistory.from_json(changed(**fields))
    with pytest.raises(SabaccError, match=f"^{sentence}"):
        hand.replay()


@pytest.mark.parametrize(
    "fields",
    [
        {"seats": ["Han"]},
        {"seats": "Han"},
        {"moves": [["0", "draw"]]},
        {"moves": None},
        {"chance": {"key": 7}},
        {"episode": [-1, 2]},
        {"told": [None]},
        {"told": [{"probabilities": {"draw": 1.5}}, None]},
        {"rules": "casino"},
        {"extra": 1},
        {"sabacc_pot": -1},
    ],
)
def test_text_that_describes_no_hand_names_the_field(fields):
    (name,) = fields
    with pytest.raises(SabaccError, match=f"^this text does not describe a hand: {name}"):
        HandHistory.from_json(changed(**fields))


ODD: tuple[Any, ...] = (
    *(None, True, -1, 0, 3, 9, 2**31, 2**63, 2**64, -(2**70), 0.5, 1e308),
    *("", "x", "raise 5", "0a", "+3c", "0x" + "f" * 16, "orsl", "\0", "\x1b[1m"),
    *([], [0], [None], [[0, "draw"]], {}, {"a": 1}),
)


def places(data, path=()):
    """Yield the path of every value inside plain data."""
    for key, value in data.items() if isinstance(data, dict) else enumerate(data):
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from places(value, (*path, key))


def check_forged(seed: int, count: int) -> None:
    """Change one or two values of recorded hands, and seal them: refused, or a hand that plays."""
    rng = random.Random(seed)
    games, refused = list(random_hands(seed, 33)), 0
    for _ in range(count):
        content = json.loads(HandHistory.from_game(rng.choice(games)).to_json())
        del content["format"], content["checksum"]
        for _ in range(rng.choice((1, 1, 2))):
            *parents, last = rng.choice(list(places(content)))
            inside = content
            for key in parents:
                inside = inside[key]
            inside[last] = copy.deepcopy(rng.choice(ODD))
        try:
            hand = HandHistory.from_json(seal_text(FORMAT, content))
            game = hand.replay()
        except SabaccError as error:
            refused += "\n" not in str(error)
        else:
            assert Game.from_bytes(game.to_bytes()) == game
    assert 0.5 * count < refused < count


def test_forged_hands_are_refused_with_a_sentence():
    check_forged(seed=11, count=800)


@pytest.mark.slow
def test_many_forged_hands_are_refused_with_a_sentence():
    check_forged(seed=12, count=20_000)


def test_house_rules_of_every_kind_are_among_the_hands():
    assert {game.rules.name for game in random_hands(3, 22)} == {
        *rule_sets(),
        *(rules.name for rules in HOUSE_RULES.values()),
    }
    assert all(isinstance(rules, RuleSet) for rules in ALL_RULES)


def test_the_page_has_every_field_and_a_line_that_plays():
    page = (Path(__file__).parents[2] / "docs/reference/hand-histories.md").read_text()
    (line,) = (line for line in page.splitlines() if line.startswith('{"format"'))
    hand = HandHistory.from_json(line)
    assert hand.replay().net_credits == list(hand.results.net_credits)
    described = set(re.findall(r"^\| `([\w.]+)` \|", page, re.MULTILINE))
    expected = {"format", "checksum"}
    for name, field in HandHistory.model_fields.items():
        parts = getattr(field.annotation, "model_fields", None) or (
            Results.model_fields if name == "results" else None
        )
        expected |= {f"{name}.{part}" for part in parts} if parts else {name}
    assert described == expected
