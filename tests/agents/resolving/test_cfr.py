"""The tree of bets, and its solution."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sabacc_agents.expectation.hand_table import hand_table
from sabacc_agents.resolving.bet_tree import (
    DEPTHS,
    FOLD,
    MAX_OVERBET,
    SHOWDOWN,
    BetTree,
    child_by_code,
    considered_raises,
    grow_tree,
    new_tree,
)
from sabacc_agents.resolving.cfr import new_solution, solve
from sabacc_agents.resolving.hand_classes import NUM_CLASSES
from sabacc_agents.resolving.showdown import NewHands, Showdown, redealt_probability

from sabacc_env import Game, SabaccError, load_rules
from sabacc_env.actions import DEFAULT_BET_SIZES, FIRST_BET, encode_bet_sizes
from sabacc_env.cards import deck
from sabacc_env.engine.layout import RAISE_TO
from sabacc_env.engine.rules_record import rules_record
from sabacc_env.moves import PLAIN_MOVES, Move
from tests.agents.resolving.best_response import best_response_value

RULES = load_rules("casino")
SIZES = encode_bet_sizes(DEFAULT_BET_SIZES)
EVERY = np.full(DEPTHS, 15 << FIRST_BET)
CONSIDERED = considered_raises(SIZES)
CLASSES = np.arange(NUM_CLASSES)


def at_the_last_bets(credits: int, rules: Any = RULES, seed: int = 0) -> Game:
    game = Game(rules, num_players=2, seed=seed, credits=[credits, credits])
    while (game.phase, game.round) != ("betting", rules.rounds):
        assert game.seat_to_act is not None
        names = {move.kind: move for move in game.legal_moves()}
        game.play(names.get("stand") or names.get("check") or game.legal_moves()[0])
    return game


def tree_of(game: Game, considered: Any = EVERY, path: tuple[int, ...] = ()) -> BetTree:
    tree = new_tree()
    root = game._records.copy()[0]
    rules = rules_record(game.rules)
    assert grow_tree(tree, root, rules, SIZES, considered, np.array(path, np.int64))
    return tree


@pytest.mark.parametrize("short_call", ["all_in", "junk"])
@pytest.mark.parametrize("credits", [12, 20])
def test_every_path_of_a_tree_ends_as_the_hand_does(credits: int, short_call: str) -> None:
    game = at_the_last_bets(credits, load_rules("casino", short_call=short_call))
    tree = tree_of(game)
    ends = 0

    def follow(node: int, game: Game) -> None:
        nonlocal ends
        if tree.seats[node] >= 0:
            assert game.seat_to_act is not None
            assert tree.seats[node] == game.seat_to_act
            legal = game.view(game.seat_to_act).legal_actions()
            actions = tree.actions[node, : tree.counts[node]].tolist()
            wanted = {
                action
                for action, move in legal.items()
                if move.kind != "raise" or not is_overbet(game, move)
            }
            assert set(actions) == wanted
            for action in actions:
                place = actions.index(action)
                after = copy(game)
                after.play(legal[action])
                follow(int(tree.children[node, place]), after)
            return
        ends += 1
        assert game.seat_to_act is None
        net = game.net_credits
        assert net is not None
        taken = game.sabacc_pot == 0
        won = (net[0] - net[1]) / 2
        if tree.seats[node] == FOLD:
            assert not game.revealed
            assert tree.stakes[node].tolist() == [won, won]
        else:
            assert tree.seats[node] == SHOWDOWN
            assert game.revealed
            half = 4 / 2 if taken else 0
            lost, gained = tree.stakes[node]
            assert won in (lost - half, gained + half, (lost + gained) / 2)

    follow(0, game)
    assert ends > 20


def is_overbet(game: Game, move: Move) -> bool:
    seat = game.seat_to_act
    assert seat is not None
    assert move.amount is not None
    highest = max(game.bets)
    pot = sum(amount for amount, _ in game.pots) + highest - game.bets[seat]
    return move.amount - highest > MAX_OVERBET * pot


def test_a_path_is_in_the_tree_even_if_its_raises_are_not_considered() -> None:
    game = at_the_last_bets(200)
    nothing = np.zeros(DEPTHS, np.int64)
    assert not (tree_of(game, nothing).codes >= RAISE_TO).any()
    path = (6, RAISE_TO + 7, RAISE_TO + 30, RAISE_TO + 196)  # 6 is a check, 7 no bet size
    tree = tree_of(game, nothing, path)
    node = 0
    for code in path:
        node = child_by_code(tree, node, code)
        assert node > 0
    assert tree.actions[tree.codes == RAISE_TO + 7].tolist() == [-1]
    assert tree.seats[node] in (0, 1)


def random_ranges(seed: int) -> NDArray[np.float32]:
    rng = np.random.default_rng(seed)
    ranges = rng.dirichlet(np.full(NUM_CLASSES, 0.3), 2)
    return ranges.astype(np.float32)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("credits", "redealt"), [(40, 0.0), (200, 0.0), (200, 1 / 6)])
def test_a_solution_is_near_equilibrium(seed: int, credits: int, redealt: float) -> None:
    game = at_the_last_bets(credits)
    tree, found = tree_of(game, CONSIDERED), new_solution()
    ranges = random_ranges(seed)
    is_zero = (CLASSES >= 40).astype(np.float32)
    showdown = Showdown(is_zero, 4.0, redealt, 0.7, -0.1)
    pot = sum(amount for amount, _ in game.pots)

    def nash_conv(iterations: int) -> float:
        solve(tree, found, ranges, showdown, iterations)
        seats = [best_response_value(tree, found.sums, ranges, showdown, seat) for seat in (0, 1)]
        return sum(seats) / pot

    assert -1e-3 < nash_conv(1_000) < 0.01
    assert nash_conv(100) < 0.1
    assert nash_conv(1) > 0.3


def test_who_knows_that_it_wins_is_not_called_and_does_not_bluff_too_much() -> None:
    """A known game: the bettor has the best or the worst hand, the other one beats the worst.

    With a bet of the pot the bettor bluffs with one hand for two that win, and the other seat
    calls half of the time.
    """
    game = at_the_last_bets(200)
    only_pot = np.array([1 << FIRST_BET + DEFAULT_BET_SIZES.index(1), 0, 0, 0])
    tree, found = tree_of(game, only_pot), new_solution()
    ranges = np.zeros((2, NUM_CLASSES), np.float32)
    first = int(tree.seats[0])
    ranges[first, [0, 60]] = 0.5
    ranges[1 - first, 30] = 1
    solve(
        tree, found, ranges, Showdown(np.zeros(NUM_CLASSES, np.float32), 0.0, 0.0, 0.0, 0.0), 3_000
    )
    actions = tree.actions[0, : tree.counts[0]].tolist()
    bet = actions.index(FIRST_BET + DEFAULT_BET_SIZES.index(1))
    answer = int(tree.children[0, bet])
    assert found.sums[answer, 60] == pytest.approx(1, abs=0.02)
    assert found.sums[answer, 0] == pytest.approx(0.5, abs=0.02)
    answers = tree.actions[answer, : tree.counts[answer]].tolist()
    call = int(tree.children[answer, answers.index(7)])
    assert found.sums[call, 30] == pytest.approx(0.5, abs=0.05)


def test_plain_moves_have_the_codes_of_their_kinds() -> None:
    assert [PLAIN_MOVES[code].kind for code in (6, 7, 8)] == ["check", "call", "junk"]


def test_what_new_hands_win_is_what_dealt_hands_win() -> None:
    table = hand_table(RULES)
    found = NewHands(RULES, table, np.unique(table.strengths, return_inverse=True)[1])
    assert found.wins[1:, 1:] + found.wins.T[1:, 1:] == pytest.approx(1)
    assert found.takes == pytest.approx(-found.takes.T)
    rng = np.random.default_rng(0)
    deals = 20_000
    cards = rng.permuted(np.tile(np.arange(62), (deals, 1)), axis=1)
    values = np.array([card.value for card in deck()])[cards]
    for first, second in [(2, 2), (2, 3), (4, 2), (5, 3)]:
        hands = [np.zeros(deals, np.int64) for _ in range(2)]
        for seat, (begin, size) in enumerate([(0, first), (first, second)]):
            for place in range(begin, begin + size):
                hands[seat] = table.add_cards(hands[seat], values[:, place])
        strengths, zeros = table.strengths[np.array(hands)], table.is_zero[np.array(hands)]
        difference = np.sign(strengths[0] - strengths[1])
        assert found.wins[first, second] == pytest.approx((1 + difference.mean()) / 2, abs=0.015)
        takes = np.where(difference > 0, zeros[0], 0) - np.where(difference < 0, zeros[1], 0)
        assert found.takes[first, second] == pytest.approx(takes.mean(), abs=0.015)


def test_what_new_hands_win_beside_spike_cards() -> None:
    """Doubles leave the Spike Cards. One time in six they are a double Spike, and all is new."""
    rules = load_rules("yarith_bespin")
    table = hand_table(rules)
    found = NewHands(rules, table, np.unique(table.strengths, return_inverse=True)[1])
    assert found.wins + found.wins.T == pytest.approx(1)
    assert found.takes == pytest.approx(-found.takes.T)
    rng = np.random.default_rng(0)
    deals = 20_000
    numbers = np.array([card.value for card in deck()])
    for spikes in [(0, 10), (3, -1), (-10, 10)]:
        left = numbers.tolist()
        for spike in spikes:
            left.remove(spike)
        hidden = rng.permuted(np.tile(left, (deals, 1)), axis=1)[:, :4]
        hands = np.zeros((2, deals), np.int64)
        for seat, spike in enumerate(spikes):
            for card in (np.full(deals, spike), *hidden[:, 2 * seat : 2 * seat + 2].T):
                hands[seat] = table.add_cards(hands[seat], card)
        strengths, zeros = table.strengths[hands], table.is_zero[hands]
        difference = np.sign(strengths[0] - strengths[1])
        place = spikes[0] + 10, spikes[1] + 10
        wins = (1 + difference.mean()) / 2
        assert found.wins[place] == pytest.approx(5 / 6 * wins + 1 / 12, abs=0.02)
        takes = np.where(difference > 0, zeros[0], 0) - np.where(difference < 0, zeros[1], 0)
        assert found.takes[place] == pytest.approx(5 / 6 * takes.mean(), abs=0.02)


def test_rules_after_whose_last_bets_hands_change_in_part_are_refused() -> None:
    assert redealt_probability(load_rules("casino")) == 0
    assert redealt_probability(load_rules("spacers")) == pytest.approx(1 / 6)
    with pytest.raises(SabaccError, match="casino: a resolving agent needs rules in which all"):
        redealt_probability(load_rules("casino", phases=("cards", "betting", "dice")))
