"""The text of a seat: nothing hidden is in it, and everything else is."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sabacc_env import Game, RuleSet, load_rules, rule_sets
from sabacc_env.engine.layout import MAX_BET_SIZES
from sabacc_env.game.view import GameView
from sabacc_env.text import MAX_TEXT_LENGTH, TEXT_CHARACTERS, observation_text
from tests.support.random_play import HOUSE_RULES, decisions, random_move
from tests.support.strategies import tables
from tests.test_information import Knowledge

seeds = st.integers(0, 2**64 - 1)
every_rules = [load_rules(name) for name in rule_sets()] + list(HOUSE_RULES.values())
at_every_rules = pytest.mark.parametrize("rules", every_rules, ids=lambda rules: rules.name)


def text_of(game: Game, seat: int) -> str:
    return observation_text(game.view(seat, events=True))


class Hand:
    """A hand from a known deck, and what each seat has seen of it."""

    def __init__(self, rules: RuleSet, num_players: int, seed: int) -> None:
        rng = random.Random(seed)
        self.deck = rng.sample(rules.deck, len(rules.deck))
        self.start: dict[str, Any] = {"key": seed, "dealer": rng.randrange(num_players)}
        self.game = Game(rules, num_players, deck=self.deck, **self.start)
        self.knowledge = Knowledge(self.game)
        self.seen = [self.knowledge.seen_by(seat) for seat in range(num_players)]

    def play_on(self, rng: random.Random, most: int) -> None:
        for _ in range(most):
            if self.game.seat_to_act is None:
                break
            self.knowledge.play(random_move(self.game, rng))
            for seat, seen in enumerate(self.seen):
                seen |= self.knowledge.seen_by(seat)
        if self.game.revealed:
            shown = {card for seat in self.game.remaining for card in self.game.hands[seat]}
            for seen in self.seen:
                seen |= shown

    def twin(self, seat: int, rng: random.Random) -> Game:
        """Return the hand with the cards that a seat never saw in each other's places."""
        hidden = [card for card in self.deck if card not in self.seen[seat]]
        other = dict(zip(hidden, rng.sample(hidden, len(hidden)), strict=True))
        game = Game(
            self.game.rules,
            self.game.num_players,
            deck=[other.get(card, card) for card in self.deck],
            **self.start,
        )
        for turn in self.game.history:
            game.play(turn.move)
        return game

    @property
    def reshuffled(self) -> bool:
        """Whether cards that a seat has seen were shuffled among others."""
        return bool(self.game._records["reshuffles"].item())


def assert_nothing_leaks(hand: Hand, rng: random.Random) -> int:
    different = 0
    for seat in range(hand.game.num_players):
        twin = hand.twin(seat, rng)
        assert text_of(twin, seat) == text_of(hand.game, seat)
        assert twin.view(seat, events=True) == hand.game.view(seat, events=True)
        different += twin.hands != hand.game.hands
    return different


@at_every_rules
def test_no_text_says_what_is_hidden(rules: RuleSet) -> None:
    rng, different = random.Random(rules.name), 0
    for _ in range(15):
        hand = Hand(rules, rng.choice(sorted({2, rules.seats[1]})), rng.getrandbits(32))
        hand.play_on(rng, rng.randrange(30))
        if not hand.reshuffled:
            different += assert_nothing_leaks(hand, rng)
    assert different > 0


@settings(max_examples=60, deadline=None)
@given(table=tables(), seed=seeds, rng=st.randoms(use_true_random=False))
def test_no_text_says_what_is_hidden_under_any_rules(
    table: tuple[RuleSet, int], seed: int, rng: random.Random
) -> None:
    hand = Hand(*table, seed)
    hand.play_on(rng, rng.randint(0, 40))
    if not hand.reshuffled:
        assert_nothing_leaks(hand, rng)


def test_the_twins_would_show_a_leak() -> None:
    rng = random.Random(1)
    hand = Hand(load_rules("casino"), 3, 1)
    hand.play_on(rng, 3)
    assert text_of(hand.twin(0, rng), 1) != text_of(hand.game, 1)


# Everything else is told.


def recalled(view: GameView) -> tuple[object, ...]:
    """Return what a seat sees now, but for what its text has from before."""
    return (
        view.hand,
        view.drawn_card,
        view.discard_pile,
        view.spike_cards,
        view.dice,
        view.history,
        view.bets,
        view.credits,
        view.known_cards,
        view.draw_pile_size,
        view.seat_to_act,
    )


@pytest.mark.parametrize("rules", ["casino", "yarith_bespin", "reshuffles", "points with dice"])
def test_texts_differ_where_a_seat_has_seen_something_else(rules: str) -> None:
    """They tell apart all that the seat saw in the hand, and nothing beyond that."""
    small = HOUSE_RULES.get(rules) or load_rules(rules)
    rng = random.Random(rules)
    small = small.replace(highest_value=3, suits=1, sylops=2, seats=(2, 2), rounds=2, cards_dealt=1)
    told: dict[str, object] = {}
    texts: dict[object, str] = {}
    for _ in range(300):
        game, seen = Game(small, 2, seed=rng.getrandbits(64), dealer=0), []
        for _ in range(6):
            view = game.view(1, events=True)
            seen.append(recalled(view))
            text, memory = observation_text(view), tuple(seen)
            assert told.setdefault(text, memory) == memory
            assert texts.setdefault(memory, text) == text
            if game.seat_to_act is None:
                break
            moves = game.legal_moves()
            game.play(moves[rng.randrange(min(2, len(moves)))])
    assert 300 < len(texts) < 1700


def test_a_view_without_events_tells_its_moves() -> None:
    game = Game("casino", 2, seed=3, dealer=0)
    game.play("draw")
    text = observation_text(game.view(0))
    assert "\nThe moves so far (cards dealt, drawn and turned up are not recorded):\n" in text
    assert "\nplayer_1: draw\n" in text


def test_legal_moves_are_listed_or_withheld() -> None:
    game = Game("casino", 2, seed=3, dealer=0)
    for move in ("stand", "stand"):
        game.play(move)
    seat = game.seat_to_act
    assert seat is not None
    view = game.view(seat, events=True)
    withheld = observation_text(view, legal_moves=False)
    listed = observation_text(view)
    assert listed.startswith(withheld + "\n")
    assert listed.splitlines()[-7:-1] == [
        "Your legal moves, each with its number:",
        "6: check",
        "29: raise to 1",
        "30: raise to 2",
        "31: raise to 4",
        "32: raise to 196",
    ]
    by_total = observation_text(view, bet_sizes=None)
    assert by_total.splitlines()[-3:-1] == ["check", "raise 1 to 196"]
    other = 1 - seat
    assert observation_text(game.view(other)) == observation_text(
        game.view(other), legal_moves=False
    )


@pytest.mark.parametrize("rules", ["casino", "black_spire"])
def test_the_end_is_told(rules: str) -> None:
    game = Game(rules, 2, seed=3)
    for _ in decisions(game, random.Random(2)):
        pass
    text = text_of(game, 0)
    assert "Now: the hand is over." in text
    assert game.net_credits is not None
    assert f"player_0 {game.net_credits[0]:+d}, player_1 {game.net_credits[1]:+d}." in text


# How long it is.


SIZES = [number / 7 for number in range(1, MAX_BET_SIZES + 1)]


@settings(max_examples=80, deadline=None)
@given(table=tables(), seed=seeds, rng=st.randoms(use_true_random=False))
def test_texts_are_short_and_plain_under_any_rules(
    table: tuple[RuleSet, int], seed: int, rng: random.Random
) -> None:
    game = Game(*table, seed=seed)
    for _ in decisions(game, rng, most=rng.randint(0, 60)):
        pass
    for seat in range(game.num_players):
        text = text_of(game, seat)
        assert len(text) <= MAX_TEXT_LENGTH
        assert set(text) <= set(TEXT_CHARACTERS)
        without = observation_text(game.view(seat), bet_sizes=SIZES)
        course = sum(len(f"player_0 (you): {turn.move}\n") + 5 for turn in game.history)
        assert len(without) - course < MAX_TEXT_LENGTH // 2


def test_the_greatest_table_leaves_room_for_its_course() -> None:
    """Eight stacks of nine digits, every rule that adds a sentence, and all bet sizes."""
    rules = load_rules(
        "casino",
        starting_credits=tuple(range(10**8, 10**8 + 8)),
        hand_ante=1000,
        fees=dict.fromkeys(("draw", "buy_discard", "discard_draw", "swap"), 1000),
        card_actions=("stand", "draw", "buy_discard", "discard_draw", "swap"),
        look_then_discard=True,
        opening_bet=True,
        max_bet=10**7,
        max_raise=10**7,
        max_raises=10**6,
        junk_penalty=1000,
        cards_dealt=2,
        rounds=2,
        spike_card=True,
    )
    game = Game(rules, 8, seed=2, sabacc_pot=10**8)
    game.set_episode_position(10**6, 10**7)
    view = game.view(game.seat_to_act or 0)
    text = observation_text(view, bet_sizes=SIZES)
    assert text.count("raise to") > 20
    assert len(text) < MAX_TEXT_LENGTH // 2


def test_the_text_of_a_long_hand_keeps_what_happened_last() -> None:
    rules = load_rules("casino", name="long", rounds=3, starting_credits=2**27 - 1)
    game = Game(rules, 8, seed=1, dealer=7, dice=[(1, 2)])
    for _ in range(8):
        game.play("stand")
    raises = 0
    while raises < 700:
        move = game.legal_moves()[-1]
        assert move.kind == "raise"
        game.play(f"raise {move.low}")
        raises += 1
    seat = game.seat_to_act
    assert seat is not None
    text = text_of(game, seat)
    assert MAX_TEXT_LENGTH - 60 < len(text) <= MAX_TEXT_LENGTH
    assert "\nWhat happened (the earliest part is left out):\n" in text
    assert "\nplayer_3: raise to 700.\n" in text
    assert "You are dealt" not in text
