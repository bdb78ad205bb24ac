"""The maximiser's tables and expectations against plain enumeration."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from sabacc_agents.expectation.backward_induction import backward_induction, stages
from sabacc_agents.expectation.hand_table import hand_table
from sabacc_agents.expectation.maximiser import Maximiser
from sabacc_agents.expectation.win_probabilities import win_probabilities
from sabacc_agents.scripted.betting import PotAmounts

from sabacc_env import Game, load_rules, rank_hand
from sabacc_env.actions import action_names
from sabacc_env.cards import Card
from tests.support.agents import decision

SMALL = load_rules("casino", highest_value=2, suits=2, rounds=1, seats=(2, 2))


def index_of(table, values):
    """Return the index of a hand by comparing it with all."""
    counts = np.bincount(np.array(values, dtype=int) + 10, minlength=21)
    (found,) = np.flatnonzero((table.counts == counts).all(axis=1))
    return int(found)


# Every hand of a deck.


def test_small_deck_holds_every_hand_once():
    table = hand_table(SMALL)
    cards = [card.value for card in SMALL.deck]
    wanted = {
        tuple(sorted(hand)) for size in range(4) for hand in itertools.combinations(cards, size)
    }
    held = [tuple(np.repeat(np.arange(-10, 11), counts).tolist()) for counts in table.counts]
    assert set(held) == wanted
    assert len(held) == len(wanted)
    for number, values in enumerate(held):
        assert table.is_zero[number] == (sum(values) == 0)
        assert tuple(table.slots[: len(values), number] - 10) == values
        for value in set(values):
            rest = list(values)
            rest.remove(value)
            fewer = int(table.remove_cards(np.array([number]), np.array([value]))[0])
            assert fewer == index_of(table, rest)
            assert int(table.add_cards(np.array([fewer]), np.array([value]))[0]) == number


@pytest.mark.parametrize("rules", [load_rules("spacers"), load_rules("yarith_bespin"), SMALL])
def test_strengths_order_hands_as_the_rules_do(rules):
    table = hand_table(rules)
    rng = np.random.default_rng(2)
    some = min(200, len(table.sizes) - 1)
    for number in rng.choice(np.arange(1, len(table.sizes)), size=some, replace=False):
        values = np.repeat(np.arange(-10, 11), table.counts[number]).tolist()
        assert table.strengths[number] == rank_hand(values, ranking=rules.ranking).strength


def test_probabilities_of_a_blind_deal():
    table = hand_table(SMALL)
    cards = [card.value for card in SMALL.deck]
    pairs = [tuple(sorted(pair)) for pair in itertools.combinations(cards, 2)]
    for number in np.flatnonzero(table.sizes == 2):
        values = tuple(np.repeat(np.arange(-10, 11), table.counts[number]).tolist())
        assert table.deal_probs[number] == pytest.approx(pairs.count(values) / len(pairs))


# Win probabilities.


@pytest.mark.parametrize("rules", ["casino", "yarith_bespin"])
def test_win_probabilities_follow_strength_and_are_always_the_same(rules):
    rules = load_rules(rules)
    known = win_probabilities(rules, 2)
    order = np.argsort(known.table.strengths[1:])
    assert (np.diff(known.final[1:][order]) >= 0).all()
    assert known.hand_values.shape == (len(stages(rules)), 1, len(known.table.sizes))
    assert known.hand_values.min() >= 0
    assert known.hand_values.max() <= 1.0001
    again = win_probabilities.__wrapped__(rules, 2)
    assert again.hand_values.tobytes() == known.hand_values.tobytes()


def test_more_opponents_are_harder_to_beat():
    values = win_probabilities(load_rules("casino"), 5).hand_values
    assert (np.diff(values, axis=1) <= 1e-6).all()


# Backward induction.


@pytest.mark.parametrize("actions", [("draw",), ("discard_draw",), ("swap",), ("draw", "swap")])
def test_backward_induction_takes_the_best_action_of_a_card_phase(actions):
    rules = SMALL.replace(card_actions=("stand", *actions), phases=("betting", "cards"))
    table = hand_table(rules)
    final = np.random.default_rng(0).random(len(table.sizes)).astype(np.float32)
    before, after = backward_induction(rules, 2, table, final)
    assert (after == final).all()
    deck = [card.value for card in rules.deck]

    def after_draw(values, seen):
        left = list(deck)
        for value in seen:
            left.remove(value)
        return np.mean([final[index_of(table, [*values, value])] for value in left])

    for number in np.flatnonzero(table.sizes == 2):
        values = np.repeat(np.arange(-10, 11), table.counts[number]).tolist()
        best = final[number]
        if "draw" in actions:
            best = max(best, after_draw(values, values))
        if "discard_draw" in actions:
            best = max(best, *(after_draw([value], [value]) for value in values))
        if "swap" in actions:
            left = list(deck)
            for value in values:
                left.remove(value)
            best = np.mean(
                [
                    max(best, *(final[index_of(table, [other, top])] for other in values))
                    for top in left
                ]
            )
        assert before[number] == pytest.approx(best, rel=1e-5)


def test_a_round_of_dice_mixes_what_they_may_do():
    rules = load_rules("casino", rounds=1, phases=("cards", "dice"))
    table = hand_table(rules)
    final = table.is_zero.astype(np.float32)  # worth something only when it totals zero
    before, _ = backward_induction(rules, 2, table, final)
    pair = index_of(table, [4, -4])
    fresh = (table.deal_probs * final)[table.sizes == 2].sum()
    # A zero hand stays with 30 of 36; doubles redraw a card: 3 of 60 others make zero again, the
    # one put down is not told apart; a double Spike deals two new ones.
    assert before[pair] == pytest.approx(30 / 36 + 5 / 36 * 3 / 61 + fresh / 36, rel=1e-4)


# Expectations over the next card.


def evaluated(rules, order, moves=(), **options):
    """Return (game, action values by name, value of a hand after this stage)."""
    rules = load_rules(rules) if isinstance(rules, str) else rules
    game = Game(rules, num_players=2, dealer=1, deck=order, **options)
    for move in moves:
        game.play(move)
    agent = Maximiser(rules, 2)
    observation, mask = decision(game)
    stages = agent._win_probs.stages_of(observation)
    amounts = PotAmounts(observation, rules)
    values = agent._cards.action_values(observation, mask, amounts, stages)[0]
    action_values = {name: values[i] for i, name in enumerate(action_names()) if mask[0, i]}
    hand_values = agent._win_probs.hand_values[stages[0], 0]
    return game, action_values, lambda hand: hand_values[index_of(agent._win_probs.table, hand)]


def deck_from(text):
    first = [Card.parse(card) for card in text.split()]
    return [int(card) for card in first + [c for c in load_rules("casino").deck if c not in first]]


def unseen(game):
    seen = game.seen_cards(game.seat_to_act)
    return [card.value for card in game.rules.deck if card not in seen]


@pytest.mark.parametrize(
    ("hand", "top"), [("+4t -4s", "+4s"), ("+10t +9s", "-9c"), ("0a -1t", "0b"), ("-7t -7s", "+7c")]
)
def test_expectation_over_the_next_draw_is_exact(hand, top):
    game, action_values, value_of = evaluated("casino", deck_from(f"{hand} +1t +2t {top}"))
    values = [card.value for card in game.hands[0]]
    left = unseen(game)
    assert len(left) == 59
    assert action_values["stand"] == pytest.approx(value_of(values))
    wanted = np.mean([value_of([*values, value]) for value in left])
    assert action_values["draw"] == pytest.approx(wanted, rel=1e-5)
    for slot, value in enumerate(values):
        rest = values[:slot] + values[slot + 1 :]
        wanted = np.mean([value_of([*rest, drawn]) for drawn in left])
        assert action_values[f"discard_draw slot {slot}"] == pytest.approx(wanted, rel=1e-5)
        swapped = value_of([*rest, game.discard_pile[-1].value])
        assert action_values[f"swap slot {slot}"] == pytest.approx(swapped)
        assert value == values[slot]


def test_expectation_of_a_forced_redraw():
    order = deck_from("+6t -1t  +2t +3t  +9c")
    game, action_values, value_of = evaluated("casino", order, ["stand", "stand"], dice=[(2, 2)])
    assert game.phase == "dice"
    left = unseen(game)
    assert action_values["redraw slot 0"] == pytest.approx(
        np.mean([value_of([6, v]) for v in left]), rel=1e-5
    )
    assert action_values["redraw slot 1"] == pytest.approx(
        np.mean([value_of([-1, v]) for v in left]), rel=1e-5
    )


def test_a_fee_counts_against_the_pot():
    game, action_values, value_of = evaluated("orsl", deck_from("+6t -1t  +2t +3t  +9c"))
    values = [card.value for card in game.hands[0]]
    drawn = np.mean([value_of([*values, value]) for value in unseen(game)])
    # Two antes of 20 are in the pot.
    assert action_values["draw"] == pytest.approx(drawn - 10 / 40, rel=1e-4)
    assert action_values["buy_discard"] == pytest.approx(value_of([*values, 9]) - 20 / 40, rel=1e-4)


def test_a_bought_card_is_put_to_its_best_use():
    order = deck_from("+6t -1t  +2t +3t  +5c +1c  -6s")  # hands, Spike Cards, the card to buy
    game, action_values, value_of = evaluated("yarith_bespin", order, ["check", "check"])
    hand, spike = [card.value for card in game.hands[0]], game.spike_cards[0].value
    assert (hand, spike) == ([-1, 6], 5)
    best = [
        max(value_of([-1, 6, 5]), value_of([v, 6, 5]), value_of([-1, v, 5]), value_of([-1, 6, v]))
        for v in unseen(game)
    ]
    assert action_values["draw"] == pytest.approx(np.mean(best) - 20 / 40, rel=1e-4)
    _, action_values, value_of = evaluated("yarith_bespin", order, ["check", "check", "draw"])
    assert action_values["discard_drawn"] == pytest.approx(value_of([-1, 6, 5]))
    assert action_values["replace slot 0"] == pytest.approx(value_of([-6, 6, 5]))
    assert action_values["replace slot 1"] == pytest.approx(value_of([-1, -6, 5]))
    assert action_values["replace_spike"] == pytest.approx(value_of([-1, 6, -6]))


def test_a_card_looked_at_is_kept_if_it_helps():
    rules = load_rules("spacers", look_then_discard=True, opening_bet=False)
    order = deck_from("+6t -1t  +2t +3t  +9c  -5s")
    game, action_values, value_of = evaluated(rules, order)
    best = [max(value_of([-1, 6]), value_of([-1, 6, v])) for v in unseen(game)]
    assert action_values["draw"] == pytest.approx(np.mean(best), rel=1e-5)
    _, action_values, value_of = evaluated(rules, order, ["draw"])
    assert action_values["keep"] == pytest.approx(value_of([-1, 6, -5]))
    assert action_values["discard_drawn"] == pytest.approx(value_of([-1, 6]))
