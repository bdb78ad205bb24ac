"""Tasks: rotations, matches, failures, control variates, what is counted."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest
from sabacc_training.config.base import validated
from sabacc_training.evaluation.playing import DealTables, deal_keys, generator, play_deals
from sabacc_training.tournaments.config import TournamentConfig
from sabacc_training.tournaments.lineup_results import lineup_result
from sabacc_training.tournaments.tasks import Task, TaskResult, play_task, read_task

from sabacc_env import load_rules
from sabacc_env.game.replay import replay
from tests.support import toys

TOYS = "tests.support.toys:"


def played(lineup: list[str], first: int = 0, deals: int = 30, **keys: Any) -> TaskResult:
    names = dict.fromkeys([*lineup, "random"])  # a tournament has at least two agents
    agents = [{"spec": f"{TOYS}{n}" if n[0].isupper() else n, "label": n} for n in names]
    seats = len(lineup)
    formats = ["pairs"] if seats == 2 else [f"copies-{seats}"]
    config = validated(TournamentConfig, {"agents": agents, "formats": formats, **keys})
    task = Task(tuple(lineup), first, deals)
    result = read_task(config, task, play_task(config, task))
    assert result is not None
    return result


class Seats:
    """Records which place sits where, and the key and the dealer of each hand."""

    def __init__(self, dealt: DealTables) -> None:
        self.dealt = dealt
        self.seen: set[tuple[int, int, int, int]] = set()
        self.starts: set[tuple[int, int, int]] = set()

    def before_step(self, playing, actions, probabilities):
        tables = self.dealt.tables
        places = self.dealt.places(playing, tables.seats_to_act[playing])
        for table, place in zip(playing.tolist(), places.tolist(), strict=True):
            game = tables.game(table)
            deal, rotation = int(self.dealt.deals[table]), int(self.dealt.rotations[table])
            self.seen.add((deal, rotation, place, int(tables.seats_to_act[table])))
            self.starts.add((deal, game.key, game.dealer))

    def after_step(self, playing):
        pass


def test_each_place_has_each_seat_once_with_the_same_cards():
    rules = load_rules("casino")
    keys = deal_keys(5, 0, 20)
    dealt = DealTables(rules, 3, keys, num_tables=12)
    seats = Seats(dealt)
    agents = [toys.FirstLegal(rules, 3) for _ in range(3)]
    play_deals(dealt, agents, [generator(1)] * 3, observers=[seats])
    assert seats.seen == {
        (deal, rotation, place, (place + rotation) % 3)
        for deal in range(20)
        for rotation in range(3)
        for place in range(3)
    }
    assert len(seats.starts) == 20
    assert {(deal, key) for deal, key, _ in seats.starts} == set(enumerate(map(int, keys)))


def test_tables_are_freed_without_a_search_for_cycles():
    dealt = DealTables(load_rules("casino"), 2, deal_keys(5, 0, 4), credits=50, sabacc_pots=3)
    tables = weakref.ref(dealt.tables)
    gc.disable()
    try:
        del dealt
        assert tables() is None
    finally:
        gc.enable()


def test_equal_agents_have_the_same_results_on_each_seat():
    net = played(["Bully", "Bully", "Bully"]).arrays["net_credits"]
    by_seat = [np.roll(net[:, rotation], rotation, axis=1) for rotation in range(3)]
    assert np.array_equal(by_seat[0], by_seat[1])
    assert np.array_equal(by_seat[0], by_seat[2])


def test_tasks_together_are_one_long_task_for_agents_without_chance():
    whole = played(["Bully", "Coward"], deals=30).arrays["net_credits"]
    parts = [played(["Bully", "Coward"], first, 10).arrays["net_credits"] for first in (0, 10, 20)]
    assert np.array_equal(np.concatenate(parts), whole)


@pytest.mark.parametrize("seats", [2, 4])
def test_matches_end_and_no_credit_is_lost(seats):
    rules = {"rule_overrides": {"sabacc_ante": 0}, "credits": 60, "hands": 25}
    arrays = played(["random", *["Bully"] * (seats - 1)], deals=20, **rules).arrays
    net, hands, ranks = arrays["net_credits"], arrays["hands"], arrays["ranks"]
    assert not net.sum(axis=2).any()
    assert net.min() >= -60
    assert hands.min() >= 1
    assert hands.max() <= 25
    assert len(np.unique(hands)) > 2
    assert np.array_equal(ranks.sum(axis=2), np.full(hands.shape, seats * (seats + 1) / 2))
    winners, losers = ranks.argmin(axis=2), ranks.argmax(axis=2)
    best = np.take_along_axis(net, winners[..., None], axis=2)
    worst = np.take_along_axis(net, losers[..., None], axis=2)
    assert (best >= worst).all()


def test_the_costliest_hands_can_be_played_again():
    result = played(["random", "tight"], deals=50)
    net = result.arrays["net_credits"]
    rules = {"rules": load_rules("casino").model_dump()}
    costs = [hand["cost"] for hand in result.costliest]
    assert costs == sorted(costs, reverse=True)
    assert costs[0] > 0
    for hand in result.costliest:
        game = replay(rules | hand["hand"])
        rotation, place = hand["rotation"], hand["place"]
        by_place = [game.net_credits[(each + rotation) % 2] for each in range(2)]
        assert by_place == net[hand["deal"], rotation].tolist()
        seat = (place + rotation) % 2
        other = net[hand["deal"], 1 - rotation, 1 - place]  # on the same seat
        assert hand["cost"] == (other - game.net_credits[seat]) / 2


@pytest.mark.parametrize("lineup", [["random", "tight"], ["FirstLegal", "random"]])
def test_the_costliest_matches_have_their_worst_hand(lineup):
    keys = {"rule_overrides": {"sabacc_ante": 0}, "credits": 40, "hands": 12}
    result = played(lineup, deals=30, **keys)
    net = result.arrays["net_credits"]
    rules = {"rules": load_rules("casino", sabacc_ante=0).model_dump()}
    assert len({tuple(hand["hand"]["episode"]) for hand in result.costliest}) > 1
    for hand in result.costliest:
        deal, rotation, place = hand["deal"], hand["rotation"], hand["place"]
        other = net[deal, 1 - rotation, 1 - place]  # on the same seat
        assert hand["cost"] == (other - net[deal, rotation, place]) / 2
        assert replay(rules | hand["hand"]).net_credits[(place + rotation) % 2] < 0


def test_moves_and_reveals_are_counted():
    arrays = played(["Coward", "Bully"], deals=40).arrays
    junk = 8
    assert arrays["moves"][0, ..., junk].sum() > 0
    assert arrays["moves"][1, ..., junk].sum() == 0
    assert np.array_equal(arrays["moves"].sum(axis=(1, 2)), arrays["moves_by_hand"].sum(axis=1))
    assert (arrays["reveals"][..., 1] <= arrays["reveals"][..., 0]).all()


def test_failures_are_counted_and_a_default_is_played():
    result = played(["Illegal", "Bully"], deals=10)
    failures = result.arrays["failures"]
    assert failures[0].sum() == result.arrays["moves"][0].sum()
    assert not failures[1].any()
    assert "chose action" in result.messages[0]["illegal"]
    assert result.messages[1] == {}


def test_control_variates_stand_beside_the_raw_figures():
    raw = played(["tight", "loose"], deals=200)
    reduced = played(["tight", "loose"], deals=200, variance_reduction=True)
    assert "corrections" not in raw.arrays
    assert reduced.arrays["corrections"].any()
    assert np.array_equal(reduced.arrays["net_credits"], raw.arrays["net_credits"])
    found = lineup_result(("tight", "loose"), [reduced], 4)
    margin, with_variates = found.margin(0), found.reduced_margin(0)
    assert with_variates is not None
    assert with_variates.mean != margin.mean
    assert with_variates.sd < margin.sd
    assert abs(with_variates.mean - margin.mean) < margin.half_width()


def test_a_match_counts_a_hand_as_a_hand():
    found = lineup_result(("tight", "loose"), [played(["tight", "loose"], hands=5)], 4)
    singles = lineup_result(("tight", "loose"), [played(["tight", "loose"], deals=60)], 4)
    assert found.ranks is not None
    assert found.ranks.sum(axis=1).tolist() == [3] * 30
    assert found.rank_counts.sum() == 2 * 60
    assert 60 < found.hands <= 5 * 60
    assert abs(found.margin(0).mean - singles.margin(0).mean) < 3 * singles.margin(0).half_width()
