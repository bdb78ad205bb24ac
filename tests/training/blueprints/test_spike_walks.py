"""Abstract games with Spike Cards: their states, and the cards of their walks."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from sabacc_agents import load
from sabacc_agents.blueprint.agent import BlueprintAgent
from sabacc_agents.blueprint.buckets import HAND_BUCKETS, NO_TOP
from sabacc_agents.blueprint.card_choices import free_win_probabilities
from sabacc_agents.blueprint.observed_hands import own_hands, tops_of
from sabacc_agents.blueprint.observed_turns import public_states_of, stacks_of, turns_of
from sabacc_agents.blueprint.public_states import NUM_SPIKE_CLASSES
from sabacc_agents.blueprint.public_states import STAND as STAND_KIND
from sabacc_agents.blueprint.spike_hands import NO_SPIKE, SPIKE_CLASSES, with_spike
from sabacc_agents.expectation.action_values import CardActionValues
from sabacc_agents.expectation.backward_induction import stages
from sabacc_agents.expectation.hand_table import hand_table
from sabacc_agents.scripted.betting import PotAmounts
from sabacc_training.blueprints.adversary_states import adversary_state
from sabacc_training.blueprints.config import BlueprintConfig
from sabacc_training.blueprints.game import CALL, FIRST_RAISE, JUNK, Game, abstract_game
from sabacc_training.blueprints.hands import Cards, start_stream
from sabacc_training.blueprints.observed_states import states_of
from sabacc_training.blueprints.solver import BlueprintSolver
from sabacc_training.blueprints.spike_cards import cards_of, final_buckets
from sabacc_training.blueprints.spike_rules import first_zero_with_spikes
from sabacc_training.blueprints.spike_walks import (
    BOUGHT,
    begin_choice,
    count_buyers,
    deal_with_spikes,
    is_at_bet,
    keep_values,
    meet_buyers,
    other_card,
    pass_stage,
    play_to_choice,
    show_spikes,
    shown_spike,
)
from sabacc_training.blueprints.states import (
    FIRST_KIND,
    FIRST_REDRAW,
    NUM_EVENTS,
    apply_bet,
    begin_cards,
    bet_public_state,
    new_states,
    note_kind,
    write_legal,
)
from sabacc_training.blueprints.workspace import Workspace, new_workspace
from sabacc_training.config.base import validated
from sabacc_training.evaluation.playing import DealTables, deal_keys, generator, play_deals

from sabacc_env import RuleSet, Tables, load_rules
from sabacc_env.actions import CALL as CALL_ACTION
from sabacc_env.actions import CHECK, DEFAULT_BET_SIZES, DRAW, FIRST_BET, STAND
from sabacc_env.actions import JUNK as JUNK_ACTION
from sabacc_env.engine.layout import PHASES, REDRAW_ONE
from sabacc_env.engine.rules_record import starting_credits
from sabacc_env.observation import decode

RULES = load_rules("yarith_bespin")
GAME = abstract_game(RULES, DEFAULT_BET_SIZES, DEFAULT_BET_SIZES)
TABLE = hand_table(RULES)
SHOWN = GAME.spikes_from
GAMES: dict[str, dict[str, Any]] = {
    "as written": {},
    "all-in": {"short_call": "all_in"},
    "short stacks": {"starting_credits": 200},
    "no opening bet": {"opening_bet": False},
    "two rounds": {"rounds": 2},
}


@pytest.mark.parametrize("name", GAMES)
def test_bets_and_public_states_are_those_of_the_engine(name: str) -> None:
    rules = load_rules("yarith_bespin", **GAMES[name])
    hands = Hands(rules, 200)
    tables = Tables(rules, 200, 2, seed=3)
    rng = np.random.default_rng(5)
    playing = np.arange(200)
    while len(playing):
        observations, masks = tables.flat_observations[playing], tables.action_masks[playing]
        actions = np.full(len(playing), STAND)
        betting = np.flatnonzero(decode(observations).is_betting)
        chosen = rng.random(masks.shape) * masks
        chosen[:, JUNK_ACTION] *= 0.2 * (masks[:, CALL_ACTION] > 0)
        actions[betting] = chosen[betting].argmax(axis=1)
        hands.bet(playing[betting], observations[betting], masks[betting], actions[betting])
        tables.step(actions, playing)
        playing = playing[~tables.finished[playing]]
    assert hands.compared > 500
    assert hands.forgotten > 20


class Hands:
    """The abstract states of hands that the engine plays, one at each table."""

    def __init__(self, rules: Any, count: int) -> None:
        self.rules = rules
        self.game = abstract_game(rules, DEFAULT_BET_SIZES, DEFAULT_BET_SIZES)
        self.states = new_states(count)
        self.stack = rules.starting_credits - rules.ante_unit
        self.compared = self.forgotten = 0

    def bet(self, tables: Any, rows: Any, masks: Any, actions: Any) -> None:
        """Play bets of the engine, and compare the states before them."""
        if not len(tables):
            return
        decoded = decode(rows)
        known = public_states_of(rows, self.rules, np.ones(len(rows)), self.game.codes)
        known_to_adversary = states_of(rows, self.game, self.rules)
        assert (stacks_of(rows, self.rules) == self.stack).all()
        for row, table in enumerate(tables):
            s = self.states[table]
            if s["bets"].min() == self.stack:
                assert actions[row] == CHECK  # the abstract game has no such turn
                continue
            self.reach(s, decoded, row)
            legal, raises = np.zeros(6, np.bool_), np.zeros(6, np.int64)
            write_legal(self.game, s, self.stack, False, legal, raises)
            assert legal[JUNK] == (masks[row, CALL_ACTION] > 0)
            assert legal[FIRST_RAISE:].tolist() == masks[row, FIRST_BET:].astype(bool).tolist()
            if decoded.log_kinds[row, -1] < 0:
                assert known[row] == bet_public_state(self.game, s, self.stack)
                found = known_to_adversary[row]
                assert found["stage"] == s["stage"]
                assert adversary_state(self.game, found) == adversary_state(self.game, s)
                self.compared += 1
                self.forgotten += s["history"] == 0 and self.game.bettings[s["stage"]] > 0
            action = int(actions[row])
            if action != JUNK_ACTION:
                bet = FIRST_RAISE + action - FIRST_BET if action >= FIRST_BET else CALL
                apply_bet(self.game, s, self.stack, bet, raises)

    def reach(self, s: Any, decoded: Any, row: int) -> None:
        """Play on to the turn, and show the Spike Cards that lie there now."""
        order = stages(self.rules)
        while not is_at_bet(self.game, s, self.stack):
            number, phase = order[s["stage"]]
            if phase == "cards" and self.game.price:
                begin_cards(s)
                for _ in range(2):
                    note_kind(s, STAND_KIND)
                continue
            dice = 0
            if phase == "dice":
                first, second = decoded.dice[row, number - 1]
                dice = 0 if first != second else 2 if first == 1 else 1
            pass_stage(self.game, s, dice)
        own, other = decoded.own_spike_card[row], decoded.opponents.spike_cards[row, 0]
        shown = np.array([own, other]) + 10
        if not decoded.has_spike_card[row]:
            shown[:] = NO_TOP
        show_spikes(self.game, s, int(s["position"]), *shown.tolist())


ALL_IN = load_rules("yarith_bespin", short_call="all_in")
STACK = starting_credits(RULES, 2)[0] - RULES.ante_unit
BUYING = abstract_game(ALL_IN, DEFAULT_BET_SIZES, DEFAULT_BET_SIZES)


@pytest.fixture(scope="module")
def cards() -> Cards:
    return cards_of(RULES, GAME)[0]


@pytest.fixture(scope="module")
def cards_to_buy() -> Cards:
    return cards_of(ALL_IN, BUYING)[0]


def checked_down(game: Game, cards: Cards, seed: int) -> tuple[Workspace, Any, Any]:
    """Play a walk in which everyone checks. Return it, the adversary's hands and the Spike Cards.

    Both by betting phase, at last those of the reveal.
    """
    w = new_workspace(game)
    start_stream(w.rng, seed, 0)
    w.hand[:2] = STACK, seed & 1
    deal_with_spikes(game, cards, w)
    hands, tops = [], []
    for betting in range(int(game.bettings[-1]) + 1):
        play_to_choice(game, cards, w, 0)
        hands.append(w.adversary_hands[0].copy())
        spikes = [shown_spike(game, cards, w, betting, p) for p in range(2)]
        assert (w.tops[0] == spikes[seed & 1]).all()
        tops.append(spikes)
        if betting < game.bettings[-1]:
            for _ in range(2):
                apply_bet(game, w.states[0], int(w.hand[0]), CALL, w.raises[0])
    return w, np.array(hands), np.array(tops)


def test_cards_stay_until_doubles_bring_new_ones(cards: Cards) -> None:
    stages_with_dice = np.flatnonzero(GAME.phases == 1)
    met = set()
    for seed in range(150):
        w, hands, spikes = checked_down(GAME, cards, seed)
        agent = seed & 1
        assert (spikes[:SHOWN] == NO_TOP).all()
        for betting in range(SHOWN, len(hands)):
            counts = TABLE.counts[hands[betting]]
            own, other = spikes[betting, 1 - agent], spikes[betting, agent]
            assert (counts[:, own] > 0).all()
            assert (counts.sum(axis=1) == 3).all()
            assert (counts[:, other] + 1 <= TABLE.deck_counts[other] + (own == other)).all()
        assert (TABLE.children[hands[0], spikes[1, 1 - agent]] == hands[1]).all()
        for number, stage in enumerate(stages_with_dice):
            dice = int(w.events[stage])
            before, after = SHOWN + number, SHOWN + number + 1
            same = (hands[before] == hands[after]).mean()
            assert same == 1 if dice == 0 else same < 0.2
            assert dice == 2 or (spikes[before] == spikes[after]).all()
            met.add(dice)
    assert met == {0, 1, 2}


def before_cards(cards: Cards, seed: int, traverser: int) -> Workspace:
    """Begin a walk in which the opening phase has brought four antes of each seat into the pot."""
    w = new_workspace(BUYING)
    start_stream(w.rng, seed, 0)
    w.hand[:] = STACK, seed & 1, traverser
    w.weights[0] = np.random.default_rng(seed).random(w.weights.shape[1])
    deal_with_spikes(BUYING, cards, w)
    play_to_choice(BUYING, cards, w, 0)
    w.raises[0, FIRST_RAISE] = 4 * RULES.hand_ante
    for action in (FIRST_RAISE, CALL):
        apply_bet(BUYING, w.states[0], STACK, action, w.raises[0])
    return w


def whole_hands(cards: Cards, w: Workspace, depth: int, position: int) -> Any:
    """Return the hands of a seat, Spike Cards counted."""
    spike = shown_spike(BUYING, cards, w, SHOWN, position)
    hands = w.hidden[depth, 0 if position == w.hand[1] else 1].tolist()
    return np.array([with_spike(cards.children, hand, spike) for hand in hands])


def test_nobody_buys_in_a_small_pot(cards_to_buy: Cards) -> None:
    for seed in range(20):
        _, hands, spikes = checked_down(BUYING, cards_to_buy, seed)
        dealt = TABLE.children[hands[0], spikes[1, 1 - (seed & 1)]]
        assert (hands[1] == dealt).all()


def test_hands_of_the_traverser_buy_where_the_pot_is_worth_it(cards_to_buy: Cards) -> None:
    """They go both ways. In each, others stand in for those that go the other way."""
    first = int(np.flatnonzero(BUYING.phases == PHASES.index("cards"))[0])
    bought = 0
    for seed in range(20):
        w = before_cards(cards_to_buy, seed, traverser=0)
        dealt = whole_hands(cards_to_buy, w, 0, 0)
        play_to_choice(BUYING, cards_to_buy, w, 0)
        assert BUYING.phases[w.states[0]["stage"]] == PHASES.index("cards")
        buys = cards_to_buy.gains[first, dealt] > 0.1  # a card costs a tenth of ten antes
        assert ((w.kind_rows[0] == BOUGHT) == buys).all()
        w.hand_values[1] = 1
        for kind in (STAND_KIND, BOUGHT):
            assert begin_choice(cards_to_buy, w, 0, kind)
            assert w.states[1]["kinds"][0] == kind
            after = whole_hands(cards_to_buy, w, 1, 0)
            if kind == STAND_KIND:
                assert (after == dealt)[~buys].all()
                assert set(after.tolist()) <= set(dealt[~buys].tolist())
            else:
                values = cards_to_buy.values[first]
                assert (values[after] >= values[dealt])[buys].all()
                kept = TABLE.counts[after].clip(max=TABLE.counts[dealt]).sum(axis=1)[buys]
                assert set(kept.tolist()) == {2, 3}
            keep_values(w, 0, kind)
            assert w.hand_values[0].sum() == (len(buys) if kind == BOUGHT else (~buys).sum())
        bought += int(buys.sum())
    assert 600 < bought < 2_200


def test_of_the_opponent_one_choice_is_sampled_without_bias(cards_to_buy: Cards) -> None:
    """On average hands have their weights, and each of them does what it would do."""
    first = int(np.flatnonzero(BUYING.phases == PHASES.index("cards"))[0])
    w = before_cards(cards_to_buy, 4, traverser=1)
    dealt, weights = whole_hands(cards_to_buy, w, 0, 0), w.weights[0].copy()
    buys = cards_to_buy.gains[first, dealt] > 0.1
    saved = w.states[0].copy(), w.hidden[0].copy()
    stood: dict[int, float] = defaultdict(float)
    purchases, count = 0, 4_000
    for _ in range(count):
        w.states[0], w.hidden[0] = saved
        w.weights[0] = weights
        assert count_buyers(BUYING, cards_to_buy, w, 0) == buys.sum()
        meet_buyers(cards_to_buy, w, 0)
        assert w.weights[0].sum() == pytest.approx(weights.sum(), rel=1e-4)
        if w.states[0]["kinds"][0] == BOUGHT:
            purchases += 1
            continue
        for hand in whole_hands(cards_to_buy, w, 0, 0).tolist():
            stood[hand] += w.weights[0, 0] / count
    share = weights[buys].sum() / weights.sum()
    assert purchases / count == pytest.approx(share, abs=0.03)
    for hand in set(dealt.tolist()):
        expected = weights[(dealt == hand) & ~buys].sum()
        assert stood[hand] == pytest.approx(expected, abs=0.03 * float(weights.sum()))


def test_purchases_are_seen_as_in_the_abstract_game() -> None:
    """At each bet the Spike Cards' classes tell who has just bought, and courses tell all of it."""
    count = 100
    tables, rng = Tables(ALL_IN, count, 2, seed=2), np.random.default_rng(2)
    bought = np.zeros((count, 2), np.int64)
    courses = np.zeros((count, 2), np.int64)
    playing, seen = np.arange(count), 0
    while len(playing):
        rows, masks = tables.flat_observations[playing], tables.action_masks[playing]
        decoded = decode(rows)
        own = (decoded.seats_after_dealer == 0).astype(np.int64)
        shown = np.stack([decoded.own_spike_card, decoded.opponents.spike_cards[:, 0]], axis=1)
        turns, states = turns_of(rows, ALL_IN), states_of(rows, BUYING, ALL_IN)
        numbers = decoded.round.tolist()
        known = np.where(decoded.log_kinds[:, -1] < 0)[0]
        for row in known[decoded.is_betting[known]].tolist():
            table, seats = playing[row], [own[row], 1 - own[row]]
            classes = SPIKE_CLASSES[shown[row] + 10] + NUM_SPIKE_CLASSES * bought[table, seats]
            assert (turns["spikes"][row] == classes).all()
            assert states["courses"][row, seats[1]] == courses[table, seats[1]]
            seen += int(bought[table, seats[1]])
        actions = (
            rng.random(masks.shape) * masks * (np.arange(masks.shape[1]) != JUNK_ACTION)
        ).argmax(axis=1)
        for row in np.flatnonzero(~decoded.is_betting & (actions != DRAW)).tolist():
            table, seat = playing[row], own[row]
            bought[table, seat] = actions[row] != STAND
            kind = BOUGHT if actions[row] != STAND else STAND_KIND
            courses[table, seat] = courses[table, seat] * NUM_EVENTS + FIRST_KIND + kind
        tables.step(actions, playing)
        going = ~tables.finished[playing]
        dice = decode(tables.flat_observations[playing]).dice
        for row in np.flatnonzero(going).tolist():
            number = max(numbers[row] - 1, 0)
            first, second = dice[row, number]
            now = decode(tables.flat_observations[playing[row : row + 1]]).round[0]
            if now > numbers[row] > 0 and first == second:
                redrawn = FIRST_REDRAW + int(BUYING.redraws[1]) - REDRAW_ONE
                courses[playing[row]] = courses[playing[row]] * NUM_EVENTS + redrawn
        playing = playing[going]
    assert seen > 100


def test_gains_are_those_that_the_maximiser_counts_on(cards_to_buy: Cards) -> None:
    """It knows the cards that lie face up, which the table does not."""
    tables = Tables(ALL_IN, 200, 2, seed=4)
    for _ in range(2):  # the opening phase
        tables.step(np.full(200, CHECK))
    rows, masks = tables.flat_observations, tables.action_masks
    win_probs = free_win_probabilities(ALL_IN)
    values = CardActionValues(ALL_IN, win_probs.table, win_probs.hand_values).action_values(
        rows, masks, PotAmounts(rows, ALL_IN), win_probs.stages_of(rows)
    )
    hands, stage = own_hands(rows, TABLE), int(win_probs.stages_of(rows)[0])
    assert np.allclose(values[:, STAND], cards_to_buy.values[stage, hands], atol=1e-6)
    gained = values[:, DRAW] - values[:, STAND] + RULES.fees["draw"] / (2 * RULES.hand_ante)
    assert np.abs(gained - cards_to_buy.gains[stage, hands]).max() < 0.03


def test_a_card_that_is_bought_is_one_that_the_hand_does_not_hold(cards_to_buy: Cards) -> None:
    w = new_workspace(BUYING)
    start_stream(w.rng, 1, 0)
    hand = int(TABLE.hands_of(np.array([[0, 0, 5]]), np.ones((1, 3), np.bool_))[0])
    found = np.bincount([other_card(cards_to_buy, w, hand) for _ in range(20_000)], minlength=21)
    left = TABLE.deck_counts - TABLE.counts[hand]
    assert found[10] == 0
    assert np.allclose(found / 20_000, left / left.sum(), atol=0.01)


def test_buckets_of_walks_are_those_of_observations(cards: Cards) -> None:
    """The agent's buckets by its hand and the other's Spike Card, as in play."""
    tables = Tables(RULES, 50, 2, seed=1)
    for _ in range(4):  # the opening phase, and cards
        tables.step(np.where(tables.action_masks[:, CHECK] > 0, CHECK, STAND))
    rows = tables.flat_observations
    decoded = decode(rows)
    hands, tops = own_hands(rows, TABLE), tops_of(rows, RULES)
    assert decoded.is_betting.all()
    assert (TABLE.sizes[hands] == 3).all()
    assert (tops - 10 == decoded.opponents.spike_cards[:, 0]).all()
    totals = TABLE.counts[hands].astype(int) @ np.arange(-10, 11)
    assert (totals == decoded.own_total).all()
    better = cards.buckets[0, 1, hands, tops]
    assert 0 <= better.min() < 10 < 25 < better.max() < HAND_BUCKETS


@pytest.mark.parametrize("rules", [RULES, ALL_IN])
def test_final_buckets_follow_the_strengths(rules: RuleSet) -> None:
    found, first_zero = final_buckets(rules, TABLE), first_zero_with_spikes(rules)
    whole = np.flatnonzero(TABLE.sizes == 3)
    ordered = whole[np.argsort(TABLE.strengths[whole], kind="stable")]
    assert (np.diff(found[ordered]) >= 0).all()
    assert (found[whole[TABLE.is_zero[whole]]] >= first_zero).all()
    idiots_array = TABLE.hands_of(np.array([[0, 2, 3]]), np.ones((1, 3), np.bool_))
    others = whole[~TABLE.is_zero[whole] & (whole != idiots_array)]
    assert found[others].max() < first_zero
    assert found[idiots_array] == HAND_BUCKETS - 1


def test_games_without_spike_cards_show_none() -> None:
    game: Game = abstract_game(load_rules("casino"), DEFAULT_BET_SIZES, (1,))
    assert game.spikes_from == NO_SPIKE
    assert (new_states(1)["spikes"] == NO_SPIKE).all()


def test_a_blueprint_beats_simple_agents() -> None:
    """After some seconds of solving. Who bets all before the Spike Cards are dealt loses little."""
    config = {"rules": "yarith_bespin", "stacks": [10], "agent_sizes": [1, "max"], "walks": 300}
    solver = BlueprintSolver(validated(BlueprintConfig, config))
    for _ in range(6):
        solver.run_epoch()
    agent = BlueprintAgent(blueprint=solver.blueprint())
    for name in ("shover", "random"):
        dealt = DealTables(RULES, 2, deal_keys(1, 0, 2_000), credits=10 * RULES.ante_unit)
        rngs = [generator(2, place) for place in range(2)]
        margins = (
            play_deals(dealt, (agent, load(name, RULES, 2)), rngs).net_credits[:, :, 0].mean(1)
        )
        assert margins.mean() > 3 * margins.std() / len(margins) ** 0.5
