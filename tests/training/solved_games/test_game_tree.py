"""Game trees are the games that the engine plays, and merging chance outcomes changes nothing."""

from __future__ import annotations

import numpy as np
import pytest
from sabacc_training.config.game import rungs
from sabacc_training.solved_games.agent_policy import views_at
from sabacc_training.solved_games.best_response import policy_values
from sabacc_training.solved_games.cfr import CFRSolver
from sabacc_training.solved_games.game_tree import GameTree, flatten
from sabacc_training.solved_games.rung import Rung, load_rung

from sabacc_env import SabaccError
from sabacc_env.engine.search.game_tree import CHANCE, END
from tests.support.small_games import Walk, visible_facts_of

SIZES = {  # nodes, information states
    "one_card": (631, 42),
    "little_spire": (2_257, 135),
    "one_draw": (8_020, 983),
    "side_pots": (8_761, 305),
    "little_casino": (51_481, 8_775),
    "little_bespin": (66_241, 20_040),
    "with_dice": (68_701, 7_591),
    "little_spacers": (95_257, 17_841),
    "little_orsl": (192_481, 15_855),
    "three_seats": (168_529, 14_538),
    "great_casino": (10_958_221, 393_876),
}

TWO_SUITS = {  # nobody can tie, so no blind draws follow one another
    "name": "two_suits",
    "seats": [2, 2],
    "highest_value": 1,
    "suits": 2,
    "sylops": 2,
    "rounds": 1,
    "cards_dealt": 1,
    "hand_ante": 1,
    "sabacc_ante": 0,
    "starting_credits": 9,
    "phases": ["cards", "betting"],
    "card_actions": ["stand", "discard_draw"],
    "max_bet": 1,
    "max_raises": 0,
    "ranking": "spacers",
    "double_spike": "none",
    "doubles": "none",
}
DICE = {
    "name": "dice",
    "seats": [2, 2],
    "highest_value": 2,
    "suits": 1,
    "sylops": 1,
    "rounds": 1,
    "cards_dealt": 1,
    "hand_ante": 1,
    "sabacc_ante": 0,
    "starting_credits": 9,
    "phases": ["dice", "betting"],
    "card_actions": ["stand"],
    "ranking": "spacers",
    "max_bet": 1,
    "max_raise": 1,
    "max_raises": 1,
}


def uniform(tree: GameTree) -> np.ndarray:
    return CFRSolver(tree).current_policy


def test_the_ladder_is_in_order_of_size() -> None:
    assert rungs() == tuple(SIZES)
    assert len(SIZES) >= 5


@pytest.mark.parametrize("name", list(SIZES)[:-1])
def test_the_rungs_are_as_large_as_they_were(name: str) -> None:
    tree = flatten(load_rung(name))
    assert (len(tree.nodes.seats), len(tree.states.seats)) == SIZES[name]
    assert load_rung(name).rule_set.sabacc_ante == 0
    assert tree.nodes.returns.sum(axis=1) == pytest.approx(0)


@pytest.mark.slow
def test_the_largest_rung() -> None:
    tree = flatten(load_rung("great_casino"))
    assert (len(tree.nodes.seats), len(tree.states.seats)) == SIZES["great_casino"]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("one_card", marks=pytest.mark.slow),
        "little_spire",
        pytest.param("one_draw", marks=pytest.mark.slow),
        "side_pots",
    ],
)
def test_a_tree_is_the_game_that_is_played(name: str) -> None:
    rung = load_rung(name)
    tree, walk = flatten(rung), Walk(rung)
    assert policy_values(tree, uniform(tree)).on_policy == pytest.approx(
        tuple(walk.values), abs=1e-12
    )
    # An information state is all that its seat was shown, neither more nor less.
    assert set(walk.known) == set(tree.states.hashes.tolist())
    assert all(len(shown) == 1 for shown in walk.known.values())
    assert len(set.union(*walk.known.values())) == len(walk.known)
    # And what agents that want views are shown there is what they would see at a table.
    every = np.arange(len(tree.states.seats))
    for key, view in zip(tree.states.hashes.tolist(), views_at(tree, every), strict=True):
        (shown,) = walk.known[key]
        assert visible_facts_of(view) == shown[-1]


@pytest.mark.parametrize("rules", [DICE, TWO_SUITS], ids=["dice", "suits"])
def test_merged_chance_is_worth_the_same(rules: dict[str, object]) -> None:
    rung = Rung(rule_overrides=rules, bet_sizes=("min",))
    merged, whole = flatten(rung), flatten(rung, merge_isomorphic=False)
    assert 2 * len(merged.nodes.seats) < len(whole.nodes.seats)
    assert policy_values(merged, uniform(merged)).best_response == pytest.approx(
        policy_values(whole, uniform(whole)).best_response, abs=1e-12
    )
    solvers = [CFRSolver(tree) for tree in (merged, whole)]
    for solver in solvers:
        solver.iterate(300)
    few, many = (policy_values(each.tree, each.average_policy()) for each in solvers)
    assert few.on_policy == pytest.approx(many.on_policy, abs=few.nash_conv + many.nash_conv)


@pytest.mark.parametrize("name", ["with_dice", "side_pots", "little_bespin"])
def test_the_arrays_fit_together(name: str) -> None:
    tree = flatten(load_rung(name))
    nodes, states = tree.nodes, tree.states
    widths = np.diff(nodes.first_child)
    assert nodes.first_child[0] == 1
    assert nodes.first_child[-1] == len(nodes.seats)
    assert ((widths > 0) == (nodes.seats != END)).all()
    chance = np.flatnonzero(nodes.seats == CHANCE)
    for node in chance[:: max(1, len(chance) // 50)]:
        outcomes = tree.chance_probabilities[
            nodes.first_sequence[node] : nodes.first_sequence[node] + widths[node]
        ]
        assert outcomes.min() > 0
        assert outcomes.sum() == pytest.approx(1)
    assert (
        states.parent_sequence < states.first_sequence[:-1]
    ).all()  # a seat's earlier states come first
    assert (np.diff(states.levels) >= 0).all()
    assert len(np.unique(states.hashes)) == len(states.hashes)


def test_what_cannot_be_flattened_is_said() -> None:
    rules = TWO_SUITS | {"highest_value": 3, "name": "ties"}
    with pytest.raises(SabaccError, match="ties: cannot be flattened: one chance event has more"):
        flatten(Rung(rule_overrides=rules, bet_sizes=("min",)))


def test_what_is_no_rung_is_said(tmp_path) -> None:
    with pytest.raises(SabaccError, match=r"unknown rung 'one_crad'.*did you mean"):
        load_rung("one_crad")
    file = tmp_path / "mine.toml"
    file.write_text("num_players = 9")
    with pytest.raises(SabaccError, match="num_players: 9 is not allowed"):
        load_rung(file)
