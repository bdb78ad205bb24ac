"""What holds for every registered agent: legal anywhere, batched, without chance of its own."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st
from sabacc_agents import load

from sabacc_env import Game, SabaccError, Tables, load_rules, rule_sets
from sabacc_env.actions import JUNK, action_names
from sabacc_env.agent import Agent, registered_agents
from sabacc_env.cards import Card, deck
from tests.support import strategies
from tests.support.agents import AGENT_NAMES, CLOSEST_TO_ZERO, DETERMINISTIC, decision, decisions

SIZES = (("min", 0.5, 1, "max"), ("max",), ("min",), (3, "max", 0, 0.25), (1 / 3,))


pytestmark = pytest.mark.usefixtures("rough_win_probabilities")


def test_the_registered_names():
    assert set(AGENT_NAMES) <= set(registered_agents())
    for name in AGENT_NAMES:
        assert isinstance(load(name, "casino", 2), Agent)


@pytest.mark.parametrize("name", AGENT_NAMES)
@pytest.mark.parametrize("rules", rule_sets())
def test_legal_in_every_rule_set(name, rules):
    for num_players, sizes in zip((2, 5, 8), SIZES[:3], strict=True):
        agent = load(name, rules, num_players, bet_sizes=sizes)
        for _ in decisions(rules, num_players, agent, bet_sizes=sizes, num_tables=24, steps=25):
            pass  # Tables.step refuses what is illegal


@settings(deadline=None, max_examples=8, suppress_health_check=[HealthCheck.too_slow])
@given(strategies.tables(), st.sampled_from(SIZES))
def test_legal_under_any_house_rules(table, sizes):
    rules, num_players = table
    try:
        Tables(rules, 8, num_players)
    except SabaccError:  # the antes take all credits, and nobody has a decision
        reject()
    for name in AGENT_NAMES:
        agent = load(name, rules, num_players, bet_sizes=sizes)
        for _ in decisions(rules, num_players, agent, bet_sizes=sizes, num_tables=8, steps=25):
            pass


@pytest.mark.parametrize("name", AGENT_NAMES)
@pytest.mark.parametrize("rules", ["casino", "orsl", "yarith_bespin"])
def test_the_same_rng_gives_the_same_actions_and_rows_do_not_matter_to_each_other(name, rules):
    agent = load(name, rules, 3)
    for observations, masks in decisions(rules, 3, load("random", rules, 3), steps=12):
        chosen = [agent.act(observations, masks, np.random.default_rng(5)) for _ in range(2)]
        assert (chosen[0] == chosen[1]).all()
        if name not in DETERMINISTIC:
            continue
        rng = np.random.default_rng(6)
        alone = [
            int(agent.act(observations[[row]], masks[[row]], rng)[0]) for row in range(len(masks))
        ]
        assert chosen[0].tolist() == alone


@pytest.mark.parametrize("name", AGENT_NAMES)
def test_cards_out_of_sight_change_nothing(name):
    agent = load(name, "casino", 2)
    shuffler = random.Random(3)
    for _ in range(30):
        order = [int(card) for card in deck()]
        shuffler.shuffle(order)
        own, top, rest = order[:2], order[4], order[2:4] + order[5:]
        chosen = set()
        for _ in range(5):
            shuffler.shuffle(rest)
            game = Game("casino", num_players=2, dealer=1, deck=[*own, *rest[:2], top, *rest[2:]])
            chosen.add(int(agent.act(*decision(game), np.random.default_rng(0))[0]))
        assert len(chosen) == 1


def bets_of(name, rules, num_players=3, sizes=("min", 0.5, 1, "max")):
    """Yield (legal, chosen) names of actions at betting turns of tables that agent plays alone."""
    agent = load(name, rules, num_players, bet_sizes=sizes)
    names = np.array(action_names(sizes))
    tables = Tables(rules, 64, num_players, seed=1, bet_sizes=sizes, hands=5)
    for _ in range(60):
        masks = tables.action_masks.copy()
        actions = agent.act(tables.observations, masks, np.random.default_rng(0))
        for row in range(len(masks)):
            legal = set(names[masks[row] > 0])
            if legal & {"check", "call"}:
                yield legal, str(names[actions[row]])
        tables.step(actions)


@pytest.mark.parametrize("rules", ["casino", "orsl", "spacers"])
def test_the_calling_station_never_raises_and_never_junks_but_where_it_must(rules):
    assert {chosen for _, chosen in bets_of("calling_station", rules)} <= {"check", "call"}


@pytest.mark.parametrize(
    ("sizes", "order"),
    [
        (("min", 0.5, 1, "max"), ["raise max", "raise 1", "raise 0.5", "raise min"]),
        ((2, "min", 0.5), ["raise 2", "raise 0.5", "raise min"]),
        (("max", 1, "min"), ["raise max", "raise 1", "raise min"]),
    ],
)
def test_always_raise_raises_the_most(sizes, order):
    seen = set()
    for rules in ("casino", "orsl"):
        for legal, chosen in bets_of("always_raise", rules, sizes=sizes):
            raises = [name for name in order if name in legal]
            assert chosen == (raises[0] if raises else chosen)
            assert raises or chosen in {"check", "call"}
            seen.add(chosen)
    assert order[0] in seen


@pytest.mark.parametrize("name", ["tight", "loose", "shover", "pot_odds", "maximiser", "heuristic"])
def test_nobody_junks_for_free(name):
    for rules in ("casino", "orsl"):
        chosen = list(bets_of(name, rules))
        assert any("junk" in legal and "check" in legal for legal, _ in chosen) == (rules == "orsl")
        assert all(action != "junk" for legal, action in chosen if "check" in legal)


def test_nobody_junks_in_a_game_for_points():
    for name in AGENT_NAMES[1:]:
        agent = load(name, "black_spire", 4)
        for observations, masks in decisions("black_spire", 4, agent, steps=10):
            assert masks[:, JUNK].any()
            assert (agent.act(observations, masks, np.random.default_rng(0)) != JUNK).all()


ALWAYS_JUNK = "sabacc_agents.scripted.agents:AlwaysJunk"
HANDS = {"zero": "+4t -4s", "near": "+4t -3s", "far": "+9t +8s"}


@pytest.mark.parametrize(
    ("name", "hand", "unbet", "small", "large"),
    [
        ("tight", "zero", "raise", "raise", "raise"),
        ("tight", "near", "check", "call", "call"),
        ("tight", "far", "check", "junk", "junk"),
        ("loose", "zero", "raise", "raise", "raise"),
        ("loose", "near", "raise", "raise", "raise"),
        ("loose", "far", "check", "junk", "junk"),
        ("calling_station", "far", "check", "call", "call"),
        (ALWAYS_JUNK, "zero", "check", "junk", "junk"),
        ("bluffer", "zero", "raise", "call", "call"),
        ("bluffer", "far", "raise", "junk", "junk"),
        ("trapper", "zero", "check", "raise", "raise"),
        ("trapper", "near", "check", "call", "call"),
        ("shover", "zero", "raise", "raise", "raise"),
        ("shover", "near", "check", "junk", "junk"),
        ("draws_to_zero", "near", "check", "call", "call"),
        ("swaps_to_zero", "far", "check", "junk", "junk"),
        ("pot_odds", "zero", "raise", "raise", "raise"),
        ("pot_odds", "far", "check", "junk", "junk"),
        ("maximiser", "zero", "raise", "raise", "raise"),
        ("maximiser", "far", "check", "junk", "junk"),
    ],
)
def test_styles_of_betting(name, hand, unbet, small, large):
    rules = load_rules("casino", rounds=1)
    agent = load(name, rules, 2)
    cards = [int(card) for card in deck_from(HANDS[hand])]
    found = []
    for bet in (None, 2, 150):
        own = 0 if bet is None else 1  # seat 0 acts first
        order = cards if own == 0 else [*cards[2:4], *cards[:2], *cards[4:]]
        game = Game(rules, num_players=2, dealer=1, deck=order, dice=[(2, 3)])
        game.play("stand")
        game.play("stand")
        if bet is not None:
            game.play(f"raise {bet}")
        assert game.seat_to_act == own
        action = agent.act(*decision(game), np.random.default_rng(0))[0]
        found.append(action_names()[action].split()[0])
    assert found == [unbet, small, large]


def deck_from(text):
    """Return a full deck that begins with the cards of a text."""
    first = [Card.parse(card) for card in text.split()]
    return first + [card for card in deck() if card not in first]


@pytest.mark.parametrize(
    ("hand", "top", "wanted"),
    [
        ("+4t -4s", "+1t", "stand"),
        ("+9t -3s", "+3t", "swap slot 1"),  # slots by value: -3 then +9
        ("+9t +8s", "-9c", "swap slot 0"),
    ],
)
def test_cards_are_moved_towards_zero(hand, top, wanted):
    cards = [int(card) for card in deck_from(f"{hand} {top}")]
    order = [*cards[:2], *cards[3:5], cards[2], *cards[5:]]
    game = Game("casino", num_players=2, dealer=1, deck=order)
    for name in CLOSEST_TO_ZERO:
        agent = load(name, "casino", 2)
        action = agent.act(*decision(game), np.random.default_rng(0))[0]
        assert action_names()[action] == wanted


@pytest.mark.parametrize(
    ("name", "hand", "top", "wanted"),
    [
        ("draws_to_zero", "+4t -4s", "+1t", "stand"),
        ("draws_to_zero", "+4t -3s", "-1t", "draw"),
        ("draws_to_zero", "+9t +8s", "-9c", "discard_draw"),
        ("swaps_to_zero", "+4t -4s", "+1t", "stand"),
        ("swaps_to_zero", "+9t -3s", "+3t", "swap"),
        ("swaps_to_zero", "+2t -3s", "+9c", "stand"),
    ],
)
def test_from_one_pile_only(name, hand, top, wanted):
    cards = [int(card) for card in deck_from(f"{hand} {top}")]
    game = Game("casino", 2, dealer=1, deck=[*cards[:2], *cards[3:5], cards[2], *cards[5:]])
    action = load(name, "casino", 2).act(*decision(game), np.random.default_rng(0))[0]
    assert action_names()[action].split()[0] == wanted


def test_the_shover_raises_everything():
    raises = [action for legal, action in bets_of("shover", "casino") if "raise max" in legal]
    assert {"raise max", "check", "junk"} <= set(raises) <= {"raise max", "check", "junk", "call"}
