"""What clients are told: no more than their seat may know."""

from __future__ import annotations

import json
import random
import re

import pytest
from sabacc_training.config.base import validated
from sabacc_training.play.config import PlayConfig
from sabacc_training.play.match import Match
from sabacc_training.play.table_message import table_message

from sabacc_env import rule_sets
from tests.support.determinizations import replay_with_deck, sample_determinizations
from tests.support.random_play import random_move


@pytest.mark.parametrize("num_players", [2, 5, 8])
@pytest.mark.parametrize("rules", rule_sets())
def test_hidden_cards_change_nothing(rules: str, num_players: int) -> None:
    people = ["person"] * num_players
    match = Match(validated(PlayConfig, {"rules": rules, "seats": people, "seed": 11}))
    rng = random.Random(num_players)
    compared = compared_by_seat = 0
    while (seat := match.game.seat_to_act) is not None:
        told = {viewer: table_message(match, viewer) for viewer in (seat, None)}
        true = match.game
        for other, deck in sample_determinizations(true.view(seat), 2, seed=compared):
            match.game = replay_with_deck(true.view(seat), deck)
            match.game.set_episode_position(*true.episode_position)
            compared += other.hands != true.hands
            assert table_message(match, None) == told[None]
            own = match.game.view(seat, events=True).events
            if own == true.view(seat, events=True).events:  # the same cards at the same time
                assert table_message(match, seat) == told[seat]
                compared_by_seat += other.hands != true.hands
        match.game = true
        match.play(seat, random_move(true, rng))
    assert compared > 3
    assert compared_by_seat > 0


@pytest.mark.parametrize("rules", rule_sets())
def test_a_seat_is_told_what_it_needs(rules: str) -> None:
    match = Match(validated(PlayConfig, {"rules": rules, "seats": ["person"] * 3, "seed": 5}))
    rng = random.Random(2)
    while (seat := match.game.seat_to_act) is not None:
        message = table_message(match, seat)
        view = match.game.view(seat)
        assert message["to_act"] == message["seat"] == seat
        assert [each["move"] for each in message["moves"]] == [str(m) for m in view.legal_moves]
        assert message["seats"][seat]["cards"] == [str(card) for card in view.hand]
        assert message["you_may"].startswith("You may ")
        assert not re.search(r"\{|\}|None", " ".join(each["label"] for each in message["moves"]))
        json.dumps(message)
        match.play(seat, random_move(match.game, rng))
    message = table_message(match, 0)
    assert message["result"]
    assert not any(re.match(r"You (is|\w+s)\b", each["text"]) for each in message["log"])
    assert not any("_" in each["text"] for each in message["log"])  # no names of actions
    assert sum(each["net"] for each in message["seats"]) <= 0


def test_who_watches_agents_sees_all_and_who_watches_people_does_not() -> None:
    def hidden(*seats: str) -> int:
        match = Match(validated(PlayConfig, {"seats": list(seats), "seed": 1}))
        message = table_message(match, None)
        return sum(card is None for each in message["seats"] for card in each["cards"])

    assert hidden("tight", "loose") == 0
    assert hidden("tight", "person") == 4


@pytest.mark.parametrize("rules", rule_sets())
def test_the_guide_speaks_at_every_turn_and_only_then(rules: str) -> None:
    match = Match(
        validated(PlayConfig, {"rules": rules, "seats": ["person"] * 2, "seed": 5, "guided": True})
    )
    rng = random.Random(4)
    while (seat := match.game.seat_to_act) is not None:
        said = table_message(match, seat)["guide"]
        first = all(turn.seat != seat for turn in match.game.history)
        assert said[0].startswith("Welcome") == first
        assert table_message(match, 1 - seat)["guide"] == []
        match.play(seat, random_move(match.game, rng))
    assert table_message(match, 0)["guide"][0].startswith("That was a hand")


def test_what_agents_tell_is_for_those_who_watch_agents_alone() -> None:
    def told(*seats: str) -> list[tuple[str, str]]:
        """Play a hand; return each move that clients are told of, and what is told with it."""
        match = Match(validated(PlayConfig, {"seats": list(seats), "seed": 1}))
        while (seat := match.game.seat_to_act) is not None:
            if match.agent_is_to_act:
                match.play_agent()
            else:
                match.play(seat, match.game.legal_moves()[0])
            again = Match.from_text(match.to_text())
            assert table_message(again, None) == table_message(match, None)
        logs = [table_message(match, viewer)["log"] for viewer in (None, *match.people)]
        movers = ("You", *match.names)
        entries = [entry for log in logs for entry in log if entry["text"].startswith(movers)]
        return [(entry["text"], entry["told"]) for entry in entries]

    watched = told("random", "tight")
    assert all(words.startswith("Plays: ") for _, words in watched)
    assert {text.split()[0] for text, words in watched if "100%" in words} == {"tight"}
    with_a_person = told("random", "person", "tight")
    assert with_a_person
    assert not any(words for _, words in with_a_person)
