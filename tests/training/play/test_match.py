"""Matches between people and agents: turns, deals, files."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from sabacc_agents import zoo
from sabacc_training.config.base import validated
from sabacc_training.play.config import PlayConfig, strongest_agent
from sabacc_training.play.match import Match

from sabacc_env import IllegalMove, Move, SabaccError, load_rules, rule_sets
from sabacc_env.agent import RandomAgent
from tests.support.damage import flip_random_bit
from tests.support.random_play import random_move


def match_of(*seats: str, **keys: object) -> Match:
    return Match(validated(PlayConfig, {"seats": list(seats), "seed": 3, "hands": 3, **keys}))


class Failing(RandomAgent):
    """An agent with an error in it."""

    def act(self, *_args: object) -> NDArray[np.int64]:
        raise RuntimeError("a bug")


def play_on(match: Match, rng: random.Random) -> None:
    """Let the one move follow that is due: a person's, an agent's or a deal."""
    seat = match.game.seat_to_act
    if seat is None:
        match.deal()
    elif match.agent_is_to_act:
        match.play_agent()
    else:
        match.play(seat, random_move(match.game, rng))


@pytest.mark.parametrize("rules", rule_sets())
def test_a_match_goes_on_from_its_text_as_if_it_had_never_stopped(rules: str) -> None:
    seats = ("person", "tight", "person", "bluffer")
    straight, stopped = match_of(*seats, rules=rules), match_of(*seats, rules=rules)
    rngs = random.Random(7), random.Random(7)
    turns = 0
    while not straight.is_over:
        play_on(straight, rngs[0])
        stopped = Match.from_text(stopped.to_text())
        play_on(stopped, rngs[1])
        turns += 1
        assert stopped.game == straight.game
        assert stopped.turn == straight.turn == turns
    assert stopped.is_over
    assert straight.hand == 2


def test_who_may_do_what_when() -> None:
    match = match_of("person", "person", hands=2)
    first = match.game.seat_to_act
    assert first is not None
    before = match.to_text()
    with pytest.raises(IllegalMove, match="it is not the turn of"):
        match.play(1 - first, "stand")
    with pytest.raises(IllegalMove, match="is not legal for seat"):
        match.play(first, "raise 10")
    with pytest.raises(SabaccError, match="the hand is not over yet"):
        match.deal()
    assert match.to_text() == before
    rng = random.Random(1)
    while not match.is_over:
        play_on(match, rng)
    with pytest.raises(SabaccError, match="the match is over"):
        match.deal()


def test_an_agent_that_fails_plays_the_default_and_is_named() -> None:
    match = match_of(f"{__name__}:Failing", "person")
    while not match.agent_is_to_act:
        match.play(1, "stand")
    match.play_agent()
    assert match.game.history[-1].move == Move("stand")
    assert "a bug" in match.failures["Failing"]


def test_an_agent_whose_file_changes_plays_the_next_hand_as_what_it_is_now(
    tmp_path: Path,
) -> None:
    path = tmp_path / "latest.safetensors"
    shutil.copy(zoo.network_file("casino-2p"), path)
    match = match_of(str(path), "tight")
    agents = []
    for change in (None, "casino-2p", "generalist"):
        if change:
            match.deal()
        agents.append(match._agents[0].agent)
        while match.game.seat_to_act is not None:
            match.play_agent()
        if change == "casino-2p":
            shutil.copy(zoo.network_file("generalist"), path)
    first, second, third = agents
    assert first is second
    assert third is not second


def test_damaged_text_is_refused() -> None:
    text = match_of("person", "tight").to_text()
    rng = random.Random(0)
    for _ in range(60):
        damaged = flip_random_bit(text.encode(), rng)
        with pytest.raises(SabaccError):
            Match.from_text(damaged.decode("utf-8", "replace"))


@pytest.mark.parametrize("rules", rule_sets())
def test_the_strongest_agent_plays_every_rule_set_at_every_number_of_seats(rules: str) -> None:
    least, most = load_rules(rules).seats
    for num_players in range(least, most + 1):
        assert rules in strongest_agent(load_rules(rules), num_players)
    house = load_rules(rules, rounds=2)
    assert strongest_agent(house, 2) == "heuristic"
