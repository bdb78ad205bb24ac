"""What a seat saw happen: its hand, the piles and the dice follow from the events alone."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sabacc_env import Card, Game, RuleSet, Tables, load_rules, rule_sets
from sabacc_env.game.events import Event
from tests.support.random_play import HOUSE_RULES, decisions
from tests.support.strategies import tables

every_rules = [load_rules(name) for name in rule_sets()] + list(HOUSE_RULES.values())
TO_DISCARDS = ("discard_draw", "swap", "redraw", "replace")


def events_seen(game: Game, seat: int) -> tuple[Event, ...]:
    events = game.view(seat, events=True).events
    assert events is not None
    return events


class Told:
    """What follows from the events that a seat was told."""

    def __init__(self, seat: int, events: tuple[Event, ...]) -> None:
        self.seat = seat
        self.hand: set[Card] = set()  # with a card drawn and not yet decided on
        self.discards: list[Card] = []
        self.spikes: dict[int, Card] = {}
        self.dice: list[tuple[int, int]] = []
        self.moves: list[tuple[int | None, object]] = []
        self.reshuffles = 0
        for event in events:
            self.take(event)

    def take(self, event: Event) -> None:
        own = event.seat == self.seat
        assert own or not event.drawn
        match event.kind:
            case "deal":
                self.hand = set(event.drawn)
            case "turn_up":
                self.discards += event.face_up
            case "spike_card":
                assert event.seat is not None
                (self.spikes[event.seat],) = event.face_up
                self.hand -= set(event.face_up)
            case "dice":
                assert event.dice is not None
                self.dice.append(event.dice)
            case "redraw_hand":
                self.discards += event.face_up
                if own:
                    self.hand = set(event.drawn)
            case "reshuffle":
                self.reshuffles += 1
            case "move":
                self.moves.append((event.seat, event.move))
                self.play(event, own=own)

    def play(self, event: Event, *, own: bool) -> None:
        move = event.move
        assert move is not None
        if event.taken is not None:
            assert self.reshuffles or self.discards.pop() == event.taken
        if move.kind in TO_DISCARDS:
            assert move.card is not None
            self.discards.append(Card(move.card))
        self.discards += event.face_up
        if move.kind == "junk":
            self.spikes.pop(event.seat, None)  # type: ignore[arg-type]
        if own:
            self.hand = {*self.hand, *event.drawn, *([] if event.taken is None else [event.taken])}
            self.hand -= {move.card, *event.face_up}
            if move.kind == "junk":
                self.hand = set()


def check(game: Game) -> None:
    for seat in range(game.num_players):
        view = game.view(seat, events=True)
        assert view.events is not None
        told = Told(seat, view.events)
        drawn = set() if view.drawn_card is None else {view.drawn_card}
        assert told.hand == set(view.hand) | drawn
        assert told.moves == [(turn.seat, turn.move) for turn in view.history]
        assert told.dice == list(view.dice)
        spikes = {s: card for s, card in enumerate(view.spike_cards) if card is not None}
        assert told.spikes == spikes
        assert told.reshuffles == game._records["reshuffles"].item()
        if not told.reshuffles:  # a blind draw puts cards on top
            assert told.discards == list(view.discard_pile)[: len(told.discards)]
            assert game.revealed or len(told.discards) == len(view.discard_pile)


@pytest.mark.parametrize("rules", every_rules, ids=lambda rules: rules.name)
def test_the_events_tell_the_hand(rules: RuleSet) -> None:
    rng = random.Random(rules.name)
    for num_players in {2, rules.seats[1]}:
        for _ in range(6):
            game = Game(rules, num_players, seed=rng.getrandbits(64))
            check(game)
            for _ in decisions(game, rng, most=60):
                if rng.random() < 0.2:
                    check(game)
            check(game)


@settings(max_examples=60, deadline=None)
@given(table=tables(), seed=st.integers(0, 2**64 - 1), rng=st.randoms(use_true_random=False))
def test_the_events_tell_the_hand_under_any_rules(
    table: tuple[RuleSet, int], seed: int, rng: random.Random
) -> None:
    game = Game(*table, seed=seed)
    for _ in decisions(game, rng, most=rng.randint(0, 40)):
        pass
    check(game)


def test_a_move_tells_what_it_cost_and_drew() -> None:
    deck = load_rules("yarith_bespin").deck
    game = Game("yarith_bespin", 2, deck=deck, dice=[(1, 2), (1, 1), (2, 3)], dealer=0)
    for move in ("raise 5", "call", "draw", "replace_spike"):
        game.play(move)
    drawn, replaced, new = events_seen(game, 1)[-3:]
    assert (drawn.kind, drawn.paid, drawn.drawn) == ("move", 20, (deck[6],))
    assert (replaced.round, replaced.phase, replaced.face_up) == (1, "cards", (deck[4],))
    assert new == Event("spike_card", seat=1, face_up=(deck[6],))
    assert events_seen(game, 0)[-3].drawn == ()


def test_games_of_tables_with_histories_tell_their_events() -> None:
    at_tables = Tables("orsl", num_tables=8, num_players=3, seed=4)
    at_tables.keep_histories()
    rng = np.random.default_rng(1)
    told = 0
    for _ in range(30):
        for table in range(at_tables.num_tables):
            game = at_tables.game(table)
            stacks = [each or 0 for each in game.credits_before]
            direct = Game(game.rules, 3, key=game.key, dealer=game.dealer, credits=stacks)
            for turn in game.history:
                direct.play(turn.move)
            for seat in range(3):
                events = events_seen(game, seat)
                assert events == events_seen(direct, seat)
            told += len(events)
        masks = at_tables.action_masks
        at_tables.step(np.array([rng.choice(np.flatnonzero(mask)) for mask in masks]))
    assert told > 1000


def test_events_are_told_on_request_and_where_they_are_known() -> None:
    game = Game("casino", 2, seed=1)
    game.play("draw")
    assert game.view(0).events is None
    at_tables = Tables("casino", num_tables=1, num_players=2, seed=1)
    at_tables.step(np.array([1]))
    assert at_tables.game(0).view(0, events=True).events is None
