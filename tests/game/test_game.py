"""Game: every public name of it, text moves, errors that change nothing, copies, bytes, replay."""

from __future__ import annotations

import copy
import json
import math
import pickle
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sabacc_env import (
    Card,
    Game,
    IllegalMove,
    Move,
    RulesError,
    RuleSet,
    SabaccError,
    Tables,
    load_rules,
    rule_sets,
    sabacc_v0,
)
from sabacc_env.actions import DEFAULT_BET_SIZES, encode_bet_sizes
from sabacc_env.cards import deck as deck_of
from sabacc_env.game.replay import replay
from sabacc_env.game.saving import FORMAT, TEXT_FORMAT
from sabacc_env.game.turn_buffers import TurnBuffers
from sabacc_env.moves import Turn
from sabacc_env.storage.checksums import pack_with_checksum, seal_text, unpack_checked
from tests.support.damage import flip_random_bit
from tests.support.random_play import HOUSE_RULES, decisions, random_move, random_position
from tests.support.strategies import tables

every_rules = [load_rules(name) for name in rule_sets()] + list(HOUSE_RULES.values())
with_every_rules = pytest.mark.parametrize("rules", every_rules, ids=lambda rules: rules.name)
seeds = st.integers(0, 2**64 - 1)


def cards(text: str) -> list[Card]:
    return [Card.parse(word) for word in text.split()]


def full_deck(top: str) -> list[Card]:
    """Return a deck with these cards on top, the others following by id."""
    return cards(top) + [card for card in deck_of() if card not in cards(top)]


def most_players(rules: RuleSet) -> int:
    return min(5, rules.seats[1])


def told_hand() -> Game:
    """A casino hand for three: seat 1 opens each phase."""
    return Game(
        "casino",
        num_players=3,
        seed=0,
        dealer=0,
        #         seat 1    seat 2    seat 0   up  draws
        deck=full_deck("+3t -4t +10s -10s -1c +2c +5s 0a -7c +1t"),
        dice=[(1, 2), (3, 3), (6, 5)],
        credits=[200, 90, 40],
        sabacc_pot=12,
    )


# One hand, told from deal to end.


def test_the_deal() -> None:
    game = told_hand()
    assert game.rules == load_rules("casino")
    assert game.num_players == 3
    assert game.dealer == 0
    assert game.hands == [cards("-1c +2c"), cards("-4t +3t"), cards("-10s +10s")]
    assert game.spike_cards == [None, None, None]
    assert game.drawn_card is None
    assert game.discard_pile == cards("+5s")
    assert game.draw_pile[:3] == cards("0a -7c +1t")
    assert len(game.draw_pile) == game.draw_pile_size == 55
    assert game.junked_cards == []
    assert game.credits == [196, 86, 36]
    assert game.pots == [(6, (0, 1, 2))]
    assert game.sabacc_pot == 18
    assert (game.seat_to_act, game.phase, game.round) == (1, "cards", 1)
    assert game.remaining == game.seated == (0, 1, 2)
    assert (game.net_credits, game.winners, game.revealed) == (None, None, False)
    assert game.dice == []
    assert game.history == ()
    assert type(game.hands[0][0]) is Card
    assert repr(game) == "<Game casino, 3 players, round 1, seat 1 to act>"


def test_a_told_hand() -> None:
    game = told_hand()
    assert [str(move) for move in game.legal_moves()] == [
        "stand",
        "draw",
        "discard_draw -4t",
        "discard_draw +3t",
        "swap -4t",
        "swap +3t",
    ]
    game.play("swap +3t")  # takes the +5s
    assert game.hands[1] == cards("-4t +5s")
    assert game.known_cards(1) == cards("+5s")
    assert game.discard_pile == cards("+3t")
    game.play(Move("draw"))
    assert game.hands[2] == cards("-10s 0a +10s")
    rank = game.rank(2)
    assert rank is not None
    assert rank.name == "Yee-Haa"
    game.play(Move("discard_draw", card=Card.parse("-1c")))
    assert game.hands[0] == cards("-7c +2c")
    assert game.discard_pile == cards("+3t -1c")

    assert (game.dice, game.phase, game.seat_to_act) == ([(1, 2)], "betting", 1)
    low_high_step = [(m.low, m.high, m.step) for m in game.legal_moves() if m.kind == "raise"]
    assert low_high_step == [(1, 86, 1)]
    game.play("raise 40")
    assert game.credits == [196, 46, 36]
    assert game.bets == game.bets_of_hand == [0, 40, 0]
    assert game.pots == [(46, (0, 1, 2))]
    game.play("call")  # 36 of 40: all-in
    assert game.credits[2] == 0
    game.play("junk")
    assert game.remaining == (1, 2)
    assert game.hands[0] == []
    assert game.junked_cards == cards("+2c -7c")

    assert (game.phase, game.round, game.seat_to_act) == ("cards", 2, 1)
    game.play("stand")
    game.play("stand")
    assert (game.phase, game.dice[1]) == ("dice", (3, 3))  # doubles: redraw a card
    assert [str(move) for move in game.legal_moves()] == ["redraw -4t", "redraw +5s"]
    game.play("redraw -4t")
    assert game.hands[1] == cards("+1t +5s")
    assert game.seat_to_act == 2
    game.play("redraw 0")
    assert game.discard_pile[-1] == Card.parse("0a")
    assert game.hands[2] == cards("-10s +2t +10s")  # +2t is the lowest id left

    assert (game.phase, game.round, game.seat_to_act) == ("cards", 3, 1)  # no betting: all-in
    game.play("stand")
    game.play("stand")
    assert game.seat_to_act is None
    assert (game.phase, game.round) == ("over", 3)
    assert game.legal_moves() == []
    assert game.revealed
    assert game.winners == [2]  # +2 beats +6
    assert game.pots == [(78, (1, 2))]
    assert game.credits == [196, 50, 78]
    assert game.net_credits == [-4, -40, 38]
    assert game.sabacc_pot == 18  # the best hand is no zero
    assert str(game.history[3]) == str(Turn(1, Move("raise", amount=40)))
    assert len(game.history) == 12
    assert game.history[0] == (1, Move("swap", card=Card.parse("+3t")))


def test_views_of_the_told_hand() -> None:
    game = told_hand()
    game.play("swap +3t")
    mine, theirs = game.view(1), game.view(2)
    assert mine.hand == tuple(cards("-4t +5s"))
    assert theirs.known_cards[1] == tuple(cards("+5s"))
    assert theirs.hand_sizes == (2, 2, 2)
    assert mine.legal_moves == ()
    assert list(theirs.legal_moves) == game.legal_moves()
    assert mine.seen_cards == tuple(sorted(cards("-4t +5s +3t")))
    assert theirs.seen_cards == tuple(sorted(cards("-10s +10s +5s +3t")))
    assert mine.rank is not None
    assert mine.rank.total == 1
    assert mine.history == game.history
    for name in ("draw_pile", "hands", "key"):
        assert not hasattr(mine, name)


@pytest.mark.parametrize("seat", [-1, 3, 1.0, None, "0"])
def test_no_view_from_nowhere(seat: Any) -> None:
    with pytest.raises(SabaccError, match="seat: "):
        told_hand().view(seat)


def test_a_drawn_card_is_in_no_hand() -> None:
    game = Game("yarith_bespin", 2, seed=1, dealer=0)
    while "draw" not in {move.kind for move in game.legal_moves()}:
        game.play("check")
    seat = game.seat_to_act
    assert seat is not None
    top, spike, hand = game.draw_pile[0], game.spike_cards[seat], game.hands[seat]
    game.play("draw")
    assert game.drawn_card == top
    assert game.seat_to_act == seat
    assert game.hands[seat] == hand
    assert game.view(seat).drawn_card == top
    assert game.view(1 - seat).drawn_card is None
    game.play("replace_spike")
    assert game.drawn_card is None
    assert game.spike_cards[seat] == top
    assert game.discard_pile == [spike]


def test_points_have_no_credits() -> None:
    game = Game("black_spire", 3, seed=1)
    assert game.credits == [None, None, None]
    assert game.pots == [(3, (0, 1, 2))]
    while game.seat_to_act is not None:
        game.play("stand")
    assert game.credits == [None, None, None]
    assert sorted(game.net_credits or []) == [-1, -1, 2]
    with pytest.raises(SabaccError, match=r"credits: .* points"):
        Game("black_spire", 3, credits=[9, 9, 9])


# Moves.


def position(text: str, rules: str = "casino", hand: str = "+3c 0b -9t") -> Game:
    """A hand of one to three cards for seat 1, to act in the card phase or facing a redraw."""
    rest = [card for card in deck_of() if card not in cards(hand)]
    game = Game(rules, 2, dealer=0, deck=cards(hand)[:2] + rest[:3] + cards(hand)[2:] + rest[3:])
    game.play(text)
    return game


@pytest.mark.parametrize(
    ("text", "played"),
    [
        ("stand", "stand"),
        ("draw", "draw"),
        ("swap +3c", "swap +3c"),
        ("  swap   +3c ", "swap +3c"),
        ("discard_draw 0", "discard_draw 0b"),  # the lowest Sylop held
        ("discard_draw 0b", "discard_draw 0b"),
    ],
)
def test_text_moves(text: str, played: str) -> None:
    assert str(position(text).history[0].move) == played


def test_0_is_the_lowest_sylop_held() -> None:
    game = Game("casino", 2, dealer=0, deck=full_deck("0b 0a"))
    game.play("discard_draw 0")
    assert game.discard_pile[-1] == Card.parse("0a")


@pytest.mark.parametrize(
    ("move", "message"),
    [
        ("jump", "'jump' is not a move; the kinds of move are stand, "),
        ("", "'' is not a move"),
        ("STAND", "'STAND' is not a move"),
        ("stand +3c", "write only stand"),
        ("swap", "'swap' has no card; write, for example, swap"),
        ("swap 3", "'swap 3' is not a move: '3' is not a card"),
        ("swap +11t", "'swap \\+11t' is not a move"),
        ("swap +10s", "'swap \\+10s' is not legal for seat 1 now; legal: stand, draw, "),
        ("swap 0a", "'swap 0a' is not legal for seat 1 now"),
        ("raise", "'raise' has no total; write, for example, raise 40"),
        ("raise 4.5", "has no total"),
        ("raise -4", "has no total"),
        ("raise 40", "'raise 40' is not legal for seat 1 now"),
        ("raise " + "9" * 5000, "has no total"),
        ("check", "'check' is not legal"),
        ("redraw 0", "'redraw 0b' is not legal"),
        (None, "None is not legal for seat 1 now"),
        (7, "7 is not legal"),
        (("swap", 3), "is not legal"),
        (Move("jump"), "Move.kind='jump', .* is not legal"),
        (Move("swap"), "Move.kind='swap', card=None, .* is not legal"),
        (Move("swap", card=62), "Move.kind='swap', card=62, .* is not legal"),
        (Move("swap", card=-1), "is not legal"),
        (Move("swap", card="+3c"), "is not legal"),  # type: ignore[arg-type]
        (Move("swap", card=42.0), "is not legal"),  # type: ignore[arg-type]
        (Move("raise"), "is not legal"),
        (Move("raise", amount=0), "is not legal"),
        (Move("raise", amount=-3), "is not legal"),
        (Move("raise", amount=2**40), "is not legal"),
        (Move("raise", amount="40"), "is not legal"),  # type: ignore[arg-type]
        (Move("raise", amount=4.0), "is not legal"),  # type: ignore[arg-type]
        (Move("raise", amount=True), "is not legal"),
    ],
)
def test_moves_that_cannot_be_played(move: Any, message: str) -> None:
    game = Game("casino", 2, dealer=0, deck=full_deck("+3c 0b"))
    before = game.to_bytes()
    with pytest.raises(IllegalMove, match=message) as raised:
        game.play(move)
    assert "\n" not in str(raised.value)
    assert game.to_bytes() == before


@pytest.mark.parametrize("code", [-(2**63), -1, 7, 33, 63, 64, 64 + 1000, 2**63 - 1])
def test_codes_that_cannot_be_played(code: int) -> None:
    game = Game("casino", 2, dealer=1, dice=[(1, 2)])
    for stand in ("stand", "stand"):
        game.play(stand)
    assert "raise" in {move.kind for move in game.legal_moves()}
    before = game.to_bytes()
    with pytest.raises(IllegalMove, match=f"action {code} is not legal for seat 0 now; legal: "):
        game.play_action(TurnBuffers(game.rules, encode_bet_sizes(DEFAULT_BET_SIZES)), code)
    assert game.to_bytes() == before


def test_nothing_is_played_after_the_end() -> None:
    game = Game("casino", 2, seed=1)
    while game.seat_to_act is not None:
        game.play(game.legal_moves()[0])
    before = game.to_bytes()
    for move in ("stand", "jump", Move("check"), Move("raise", amount=4)):
        with pytest.raises(IllegalMove, match="the hand is over"):
            game.play(move)
    assert game.to_bytes() == before


def impossible_moves(game: Game) -> list[Move]:
    """Return moves of every kind that the rules do not allow now."""
    legal = game.legal_moves()
    plain = {(move.kind, move.card) for move in legal}
    kinds = "stand draw buy_discard keep discard_drawn replace_spike check call junk".split()
    named = "discard_draw swap redraw replace".split()
    moves = [Move(kind) for kind in kinds] + [Move(k, card=c) for k in named for c in range(62)]
    grid = next((move for move in legal if move.kind == "raise"), None)
    totals = [1, 2, 7, 10, 33, 10**6]
    if grid is not None:
        low, high, step = grid.low or 0, grid.high or 0, grid.step or 0
        totals = [low - 1, low - step, low + step - 1 if step > 1 else high + 1, high + step]
    raises = [Move("raise", amount=total) for total in totals]
    return [move for move in moves if (move.kind, move.card) not in plain] + raises


@settings(max_examples=60, deadline=None)
@given(table=tables(), seed=seeds, rng=st.randoms(use_true_random=False))
def test_illegal_moves_change_nothing(
    table: tuple[RuleSet, int], seed: int, rng: random.Random
) -> None:
    game = random_position(Game(*table, seed=seed), rng)
    before = game.to_bytes()
    for move in impossible_moves(game):
        with pytest.raises(IllegalMove):
            game.play(move)
    assert game.to_bytes() == before


@settings(max_examples=150, deadline=None)
@given(table=tables(), seed=seeds, rng=st.randoms(use_true_random=False))
def test_every_legal_move_is_playable_as_it_is(
    table: tuple[RuleSet, int], seed: int, rng: random.Random
) -> None:
    game = random_position(Game(*table, seed=seed), rng)
    legal = game.legal_moves()
    assert sum(move.kind == "raise" for move in legal) <= 1
    for move in legal:
        assert (move.amount, move.kind == "raise") == (move.low, move.amount is not None)
        seat = game.seat_to_act
        twins = game.clone(), game.clone()
        twins[0].play(move)
        twins[1].play(str(move))
        assert twins[0] == twins[1]
        plain = Move(move.kind, card=move.card, amount=move.amount)
        assert twins[0].history[-1] == (seat, plain)


@settings(max_examples=80, deadline=None)
@given(table=tables(points=False), seed=seeds, rng=st.randoms(use_true_random=False))
def test_any_total_on_the_grid_may_be_raised_to(
    table: tuple[RuleSet, int], seed: int, rng: random.Random
) -> None:
    game = Game(*table, seed=seed)
    for _ in decisions(game, rng, most=60):
        for move in game.legal_moves():
            if move.kind != "raise":
                continue
            assert move.low is not None
            assert move.high is not None
            assert move.step == game.rules.bet_step
            assert (move.high - move.low) % move.step == 0
            for total in {*range(move.low, move.low + 3 * move.step), move.high - 1, move.high}:
                twin = game.clone()
                if total in range(move.low, move.high + 1, move.step):
                    twin.play(f"raise {total}")
                    assert twin.history[-1].move.amount == total
                else:
                    with pytest.raises(IllegalMove, match=f"'raise {total}' is not legal"):
                        twin.play(f"raise {total}")


# What is given.


@with_every_rules
def test_a_given_deck_is_dealt_in_its_order(rules: RuleSet) -> None:
    order = random.Random(1).sample(rules.deck, len(rules.deck))
    num_players = most_players(rules)
    game = Game(rules, num_players, dealer=num_players - 1, deck=order)
    dealt = rules.cards_dealt
    for seat in range(num_players):
        assert set(game.hands[seat]) == set(order[dealt * seat : dealt * (seat + 1)])
    rest = order[dealt * num_players :]
    if rules.turns_up_card:
        assert game.discard_pile == rest[:1]
        rest = rest[1:]
    if rules.spike_card and game.round > 0:
        assert game.spike_cards == rest[:num_players]
        rest = rest[num_players:]
    assert game.draw_pile == rest


@with_every_rules
def test_given_deck_and_dice_determine_the_hand(rules: RuleSet) -> None:
    """Whatever the seed: as long as no reshuffle happens."""
    rng = random.Random(2)
    order = rng.sample(rules.deck, len(rules.deck))
    dice = [(rng.randint(1, 6), rng.randint(1, 6)) for _ in range(rules.rounds)]
    games = [Game(rules, 2, s, dealer=0, deck=order, dice=dice) for s in range(3)]
    while games[0].seat_to_act is not None:
        move = random_move(games[0], rng)
        for game in games:
            game.play(move)
        if games[0]._number("reshuffles"):
            break
        first, *others = ({**game.to_dict(), "start": None} for game in games)
        assert all(other == first for other in others)
    assert games[0].dice == dice[: len(games[0].dice)]


@pytest.mark.parametrize("given_dice", [0, 1, 2])
@pytest.mark.parametrize("rules", ["casino", "orsl", "spacers"])
def test_dice_running_out_changes_nothing(rules: str, given_dice: int) -> None:
    game = Game(rules, 2, seed=1, dice=[(1, 2), (3, 4)][:given_dice])
    refused = None
    while refused is None:
        before = game.to_bytes()
        kinds = [move.kind for move in game.legal_moves()]
        try:
            game.play("stand" if "stand" in kinds else "check")
        except SabaccError as error:
            refused = str(error)
    assert refused == "dice: the given dice have run out; nothing was played"
    assert game.to_bytes() == before
    assert game.round == given_dice + 1
    assert len(game.dice) == given_dice


def test_a_roll_at_the_deal_needs_dice() -> None:
    rules = RuleSet(phases=("dice", "cards"))
    with pytest.raises(SabaccError, match="dice: the list is empty; give a pair for each roll"):
        Game(rules, 2, dice=[])


def test_dice_of_rounds_to_come_are_not_shown() -> None:
    game = told_hand()
    assert game.dice == []
    assert game.view(0).dice == ()
    assert game.to_dict()["state"]["dice"] == []


def test_the_seed_decides_deck_dice_and_dealer() -> None:
    same = [Game("orsl", 4, seed=9) for _ in range(2)]
    assert same[0] == same[1]
    others = [Game("orsl", 4, seed=seed) for seed in range(200)]
    assert len({tuple(game.draw_pile) for game in others}) == 200
    assert all(sum(game.dealer == seat for game in others) > 25 for seat in range(4))
    assert Game("orsl", 4).key != Game("orsl", 4).key


def test_a_key_is_the_chance_itself() -> None:
    game = Game("orsl", 4, seed=9)
    twin = Game("orsl", 4, key=game.key)
    assert twin == game
    assert Game("orsl", 4, key=-1).key == 2**64 - 1


def test_a_seat_that_cannot_pay_its_antes_sits_out() -> None:
    game = Game("casino", 4, seed=1, dealer=1, credits=[100, 3, 4, 100])
    assert game.dealer == 2
    assert game.seated == (0, 2, 3)
    assert game.hands[1] == []
    assert game.credits == [96, 3, 0, 96]
    assert game.seat_to_act == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rules": "kasino"}, 'rules: "kasino" is not a rule set'),
        ({"rules": 3}, "rules: 3 is not a rule set"),
        ({"num_players": 1}, "num_players: 1 is not from 2 to 8"),
        ({"num_players": 9}, "num_players: 9 is not from 2 to 8"),
        ({"num_players": "2"}, "num_players: '2' is not a whole number"),
        ({"num_players": None}, "num_players: None is not a whole number"),
        ({"rules": RuleSet(seats=(3, 4))}, "num_players: 2 is not from 3 to 4"),
        ({"seed": -1}, "seed: -1 is not from 0 to"),
        ({"seed": 2**64}, "seed: .* is not from 0 to"),
        ({"seed": 0.5}, "seed: 0.5 is not a whole number"),
        ({"key": 2**64}, "key: .* is not from"),
        ({"key": 3, "seed": 1}, "key: give either a key or a seed"),
        ({"dealer": 2}, "dealer: 2 is not from 0 to 1"),
        ({"dealer": -1}, "dealer: -1 is not from 0 to 1"),
        ({"dealer": "0"}, "dealer: '0' is not a whole number"),
        ({"dealer": np.zeros(1, dtype=int)}, r"dealer: array\(\[0\]\) is not a whole number"),
        ({"credits": 100}, "credits: 100 is not a sequence"),
        ({"credits": [100]}, "credits: give one number for each of 2 seats"),
        ({"credits": [100, 100, 100]}, "credits: give one number for each of 2 seats"),
        ({"credits": [100, None]}, "credits: None is not a whole number"),
        ({"credits": [100, 1.5]}, "credits: 1.5 is not a whole number"),
        ({"credits": [100, -1]}, "credits: -1 is not from 0 to 2147483647"),
        ({"credits": [3, 100]}, "credits: fewer than two seats can pay the antes of 4 credits"),
        ({"credits": [2**31 - 1, 4]}, "credits: more than 2147483647 would be in play"),
        ({"sabacc_pot": -1}, "sabacc_pot: -1 is not from 0"),
        ({"sabacc_pot": 1.0}, "sabacc_pot: 1.0 is not a whole number"),
        ({"sabacc_pot": 2**31 - 1}, "credits: more than 2147483647 would be in play"),
        ({"rules": "spacers", "sabacc_pot": 1}, "sabacc_pot: .* no Sabacc pot"),
        ({"rules": "black_spire", "credits": [1, 1]}, "credits: .* played for points"),
        ({"deck": 5}, "deck: 5 is not a sequence"),
        ({"deck": []}, "deck: give each of the 62 cards of the rules once"),
        ({"deck": [0, *range(61)]}, "deck: give each of the 62 cards"),
        ({"deck": range(1, 63)}, "deck: 62 is not from 0 to 61"),
        ({"deck": ["+3c"] * 62}, r"deck: '\+3c' is not a whole number"),
        ({"rules": RuleSet(sylops=0), "deck": range(62)}, "deck: give each of the 60 cards"),
        ({"dice": 3}, "dice: 3 is not a sequence"),
        ({"dice": [1, 2]}, "dice: 1 is not a sequence"),
        ({"dice": [(1, 2, 3)]}, "dice: give pairs of faces"),
        ({"dice": [(0, 1)]}, "dice: 0 is not from 1 to 6"),
        ({"dice": [(7, 1)]}, "dice: 7 is not from 1 to 6"),
        ({"dice": [("1", 1)]}, "dice: '1' is not a whole number"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(SabaccError, match=message) as raised:
        Game(**{"rules": "casino", "num_players": 2, **arguments})
    assert "\n" not in str(raised.value)
    assert isinstance(raised.value, RulesError) == ("rule set" in message)


def test_narrow_numpy_numbers_do_not_overflow() -> None:
    given: dict[str, Any] = {"sabacc_pot": np.int8(100), "credits": [np.uint8(200)] * 2}
    game = Game("casino", seed=1, **given)
    assert game == Game("casino", seed=1, sabacc_pot=100, credits=[200, 200])
    env = sabacc_v0.raw_env("casino")
    env.reset(seed=1, options=given)
    assert env.game.start["credits"] == [200, 200]


def test_numpy_numbers_are_whole_numbers() -> None:
    given: dict[str, Any] = {
        "num_players": np.int64(3),
        "seed": np.uint64(2**63),
        "dealer": np.int8(1),
        "credits": np.array([100, 90, 80]),
        "sabacc_pot": np.int32(5),
        "deck": np.arange(62),
        "dice": np.array([[1, 2], [3, 4], [5, 5]]),
    }
    game = Game("casino", **given)
    assert game == Game("casino", 3, **{k: v.tolist() for k, v in given.items() if k[0] != "n"})
    assert Game.from_bytes(game.to_bytes()) == game
    json.dumps(game.to_dict())
    card: Any = np.int8(game.hands[game.seat_to_act or 0][0])
    game.play(Move("discard_draw", card=card))


# Copies, bytes, histories.

COPIES: dict[str, Callable[[Game], Game]] = {
    "clone": Game.clone,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda game: pickle.loads(pickle.dumps(game)),
    "bytes": lambda game: Game.from_bytes(game.to_bytes()),
    "JSON": lambda game: Game.from_json(game.to_json()),
}


@pytest.mark.parametrize("how", COPIES)
@with_every_rules
def test_copies_are_equal_and_independent(rules: RuleSet, how: str) -> None:
    rng = random.Random(how)
    game = Game(rules, most_players(rules), seed=1)
    for _ in decisions(game, rng, most=30):
        twin = COPIES[how](game)
        assert twin == game
        assert twin.to_bytes() == game.to_bytes()
        assert twin.history == game.history
        assert twin.legal_moves() == game.legal_moves()
        before = game.to_bytes()
        twin.play(random_move(twin, rng))
        assert game.to_bytes() == before
        assert twin != game
    last = COPIES[how](game)
    for move in decisions(game, rng):
        last.play(move)
        assert last == game
    assert last.to_dict() == game.to_dict()


@settings(max_examples=40, deadline=None)
@given(table=tables(), seed=seeds, rng=st.randoms(use_true_random=False))
def test_replay_plays_the_same_hand_again(
    table: tuple[RuleSet, int], seed: int, rng: random.Random
) -> None:
    game = random_position(Game(*table, seed=seed), rng)
    kept = json.loads(json.dumps(game.to_dict()))
    again = replay(kept)
    assert again == game
    assert again.to_dict() == game.to_dict() == kept
    assert Game.from_bytes(game.to_bytes()) == game


@settings(max_examples=40, deadline=None)
@given(table=tables(), seed=seeds, rng=st.randoms(use_true_random=False))
def test_moves_are_taken_back_one_by_one_and_chance_stays(
    table: tuple[RuleSet, int], seed: int, rng: random.Random
) -> None:
    game = Game(*table, seed=seed)
    before = [game.to_bytes() for _ in decisions(game, rng, most=12)]
    moves = [turn.move for turn in game.history]
    for move in reversed(moves):
        last = game.to_bytes()
        assert game.undo().move == move
        assert game.to_bytes() == before.pop()
        twin = game.clone()
        twin.play(move)
        assert twin.to_bytes() == last
    with pytest.raises(SabaccError, match="undo: no move of this hand has been played"):
        game.undo()
    for move in moves:
        game.play(move)


@with_every_rules
def test_a_hand_of_given_chance_and_credits_is_taken_back_from_its_end(rules: RuleSet) -> None:
    rng = random.Random(rules.name)
    deck = list(rules.deck)
    rng.shuffle(deck)
    dice = [(rng.randint(1, 6), rng.randint(1, 6)) for _ in range(rules.rounds)]
    game = Game(rules, most_players(rules), seed=4, deck=deck, dice=dice, dealer=1)
    game.set_episode_position(2, 9)
    before = [game.to_bytes() for _ in decisions(game, rng)]
    assert game.seat_to_act is None
    while before:
        game.undo()
        assert game.to_bytes() == before.pop()
    assert game.history == ()


def test_what_cannot_be_taken_back_says_so_and_changes_nothing() -> None:
    at_table = Tables("casino", 1).game(0)
    at_table.play("stand")
    header, record = unpack_checked(FORMAT, told_hand().to_bytes())
    played = told_hand()
    played.play("stand")
    (stand,) = unpack_checked(FORMAT, played.to_bytes())[0]["played"]
    foreign = Game.from_bytes(pack_with_checksum(FORMAT, header | {"played": [stand]}, record))
    wrong_seat = header | {"played": [stand, stand | 9 << 32]}
    illegal = Game.from_bytes(pack_with_checksum(FORMAT, wrong_seat, record))
    for game, sentence in (
        (Game(), "undo: no move of this hand has been played"),
        (at_table, "undo: this game was copied from tables, which do not keep its start"),
        (foreign, "undo: the moves of this game do not lead to its state"),
        (illegal, "undo: the moves of this game do not follow from its start: 'discard_draw"),
    ):
        before = game.to_bytes()
        with pytest.raises(SabaccError, match=f"^{sentence}"):
            game.undo()
        assert game.to_bytes() == before


def test_json_can_be_read_and_laid_out_anew() -> None:
    game = told_hand()
    game.play("swap +3t")
    told = json.loads(game.to_json())
    assert told["format"] == "sabacc-game-json 1"
    assert {name: told[name] for name in game.to_dict()} == game.to_dict()
    assert set(told) == {*game.to_dict(), "format", "checksum"}
    assert Game.from_json(json.dumps(told, indent=2, sort_keys=True)) == game


@with_every_rules
def test_json_of_a_game_copied_from_tables_has_the_same_future(rules: RuleSet) -> None:
    tables = Tables(rules, 3, most_players(rules), seed=3, hands=5)
    tables.keep_histories()
    for _ in range(30):
        tables.step(tables.action_masks.argmax(axis=1))
        for table in range(3):
            game = tables.game(table)
            assert Game.from_json(game.to_json()) == game


def test_text_of_something_else_is_refused() -> None:
    rng = random.Random(1)
    text = random_position(told_hand(), rng).to_json()
    of_table = Tables("casino", 1, seed=1).game(0).to_json()
    told = json.loads(of_table)
    del told["format"], told["checksum"]
    other = json.loads(text) | {"checksum": "0"}
    for wrong, sentence in (
        ("", "not JSON of the format 'sabacc-game-json 1', or cut short"),
        (text[:-1], "not JSON of the format 'sabacc-game-json 1', or cut short"),
        ("[" * 100_000, "not JSON of the format 'sabacc-game-json 1', or cut short"),
        (None, "does not have the format 'sabacc-game-json 1'$"),
        (told_hand().to_bytes(), "does not have the format 'sabacc-game-json 1'$"),
        ("5", "does not have the format 'sabacc-game-json 1'$"),
        ("{}", "does not have the format 'sabacc-game-json 1'$"),
        (text.replace("json 1", "json 7"), "it has version 7 of it, which is not read here$"),
        (json.dumps(other), "of the format 'sabacc-game-json 1' was changed or is damaged"),
        (seal_text(TEXT_FORMAT, told | {"bytes": 5}), "does not hold the bytes of a game"),
        (seal_text(TEXT_FORMAT, told | {"bytes": "*"}), "does not hold the bytes of a game"),
        (seal_text(TEXT_FORMAT, told | {"bytes": ""}), "these bytes do not have the format"),
        (seal_text(TEXT_FORMAT, told | {"moves": [1]}), "describes another game than its bytes"),
        (seal_text(TEXT_FORMAT, {}), "history: this is not what"),
    ):
        with pytest.raises(SabaccError, match=sentence) as raised:
            Game.from_json(wrong)  # type: ignore[arg-type]
        assert "\n" not in str(raised.value)


@with_every_rules
def test_damaged_text_is_refused(rules: RuleSet) -> None:
    rng = random.Random(1)
    game = random_position(Game(rules, 2, seed=1), rng)
    text = game.to_json()
    for _ in range(100):
        place = rng.randrange(len(text))
        damaged = text[:place] + chr(rng.randrange(32, 127)) + text[place + 1 :]
        if damaged != text:
            with pytest.raises(SabaccError, match="this text") as raised:
                Game.from_json(damaged)
            assert "\n" not in str(raised.value)


def test_replay_of_given_deck_and_dice() -> None:
    game = told_hand()
    for move in decisions(game, random.Random(1)):
        assert move
    assert replay(game.to_dict()) == game


def test_a_history_can_be_read() -> None:
    game = told_hand()
    game.play("swap +3t")
    game.play("draw")
    kept = game.to_dict()
    assert kept["moves"] == [[1, "swap +3t"], [2, "draw"]]
    assert kept["start"]["credits"] == [200, 90, 40]
    assert kept["rules"]["name"] == "casino"
    assert kept["state"]["hands"][1] == ["-4t", "+5s"]
    kept["start"]["credits"][0] = 0  # the data is a copy
    assert game.start["credits"] == [200, 90, 40]


def broken_histories() -> dict[str, Any]:
    kept = told_hand().to_dict()
    return {
        "nothing": {},
        "a number": 5,
        "none": None,
        "no rules": {**kept, "rules": None},
        "no moves": {**kept, "moves": None},
        "bad moves": {**kept, "moves": [1]},
        "bad start": {**kept, "start": {**kept["start"], "wind": 3}},
        "bad deck": {**kept, "start": {**kept["start"], "deck": [1]}},
        "unknown rule": {**kept, "rules": {**kept["rules"], "wind": 3}},
        "wrong seat": {**kept, "moves": [[0, "stand"]]},
        "illegal move": {**kept, "moves": [[1, "check"]]},
        "too many dice": {**kept, "start": {**kept["start"], "dice": [(9, 9)]}},
        "no state": {**kept, "state": None},
        "endless episode": {**kept, "episode": [0, math.inf]},
        "another state": {**kept, "state": {**kept["state"], "credits": [1, 2, 3]}},
        "of a batch": Tables("casino", 1).game(0).to_dict(),
    }


def test_broken_histories_are_refused() -> None:
    for name, history in broken_histories().items():
        with pytest.raises(SabaccError) as raised:
            replay(history)
        assert "\n" not in str(raised.value), name


@with_every_rules
def test_damaged_bytes_are_refused(rules: RuleSet) -> None:
    rng = random.Random(1)
    data = random_position(Game(rules, 2, seed=1), rng).to_bytes()
    damaged = [b"", b"sabacc-game 1\n", b"hello", data[:-1], data[:40], data + b"x"]
    damaged += [data[: rng.randrange(len(data))] for _ in range(50)]
    damaged += [flip_random_bit(data, rng) for _ in range(200)]
    for wrong in [*damaged, Tables(rules, 1).to_bytes(), "text", None]:
        with pytest.raises(SabaccError, match="these bytes") as raised:
            Game.from_bytes(wrong)  # type: ignore[arg-type]
        assert "\n" not in str(raised.value)


def test_copies_are_equal_to_the_last_byte() -> None:
    """Whatever lay in memory where the copy is: a record may end in padding."""
    game = Game("casino", 2, seed=1)
    tables = Tables("casino", 2, seed=1)
    data, table_data = game.to_bytes(), tables.game(1).to_bytes()
    for _ in range(200):
        garbage = [np.full(game._records.nbytes, 255, dtype=np.uint8) for _ in range(4)]
        del garbage
        assert game.clone().to_bytes() == data
        assert tables.game(1).to_bytes() == table_data


def test_equal_bytes_are_equal_games() -> None:
    game, twin = told_hand(), told_hand()
    assert game == twin
    assert game.to_bytes() == twin.to_bytes()
    game.play("stand")
    assert game != twin
    twin.play("stand")
    assert game == twin
    assert game != "a game"
    with pytest.raises(TypeError):
        hash(game)


def test_a_hand_of_an_episode_replays_to_the_last_byte() -> None:
    env = sabacc_v0.raw_env(rules="casino", num_players=3, hands=5)
    env.reset(seed=11)
    while env.unwrapped.game.start["dealer"] is None or len(env.unwrapped.game.history) < 3:
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    game = env.unwrapped.game
    assert replay(game.to_dict()) == game


@pytest.mark.parametrize(
    "move", [Move("stand", card=3), Move("draw", amount=2), Move("raise", card=3, amount=2)]
)
def test_a_move_with_more_than_its_kind_takes_is_illegal(move: Move) -> None:
    game = Game("casino", 2, seed=1)
    before = game.to_bytes()
    with pytest.raises(IllegalMove):
        game.play(move)
    assert game.to_bytes() == before


@pytest.mark.parametrize("rules", rule_sets())
def test_revealed_hands_are_named_as_they_rank(rules: str) -> None:
    for seed in range(20):
        game = Game(rules, 3, seed=seed)
        while game.seat_to_act is not None:
            assert game.revealed_hands == {}
            game.play(game.legal_moves()[0])
        ranks = {seat: game.rank(seat) for seat in game.remaining} if game.revealed else {}
        assert game.revealed_hands == {seat: rank.name for seat, rank in ranks.items() if rank}
        assert len(game.revealed_hands) == len(ranks)
