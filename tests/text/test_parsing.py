"""Reading moves: what the text lists reads back, what is clear is taken, what is not is refused."""

from __future__ import annotations

import contextlib
import json
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sabacc_env import Card, Game, IllegalMove, Move, RuleSet, load_rules, rule_sets
from sabacc_env.actions import DEFAULT_BET_SIZES, action_names, encode_bet_sizes
from sabacc_env.game.turn_buffers import TurnBuffers
from sabacc_env.game.view import GameView
from sabacc_env.text import observation_text, parse_action, parse_move
from tests.support.random_play import HOUSE_RULES, decisions
from tests.support.strategies import tables

every_rules = [load_rules(name) for name in rule_sets()] + list(HOUSE_RULES.values())
NUMBERS = "zero one two three four five six seven eight nine ten".split()
SUITS = ("triangles", "squares", "circles")


def acting_view(game: Game) -> GameView:
    assert game.seat_to_act is not None
    return game.view(game.seat_to_act)


# The round trip.


def card_words(card: int | None) -> str:
    card = Card(card)  # type: ignore[arg-type]
    if card.suit is None:
        return f"sylop {card}"
    sign = "plus" if card.value > 0 else "minus"
    return f"the {sign} {NUMBERS[abs(card.value)]} of {SUITS[card.suit]}"


def assert_moves_read_back(game: Game) -> None:
    view = acting_view(game)
    buffers = TurnBuffers(game.rules, encode_bet_sizes(DEFAULT_BET_SIZES))
    game.write_turn(buffers)
    legal = view.legal_actions()
    assert list(legal) == np.flatnonzero(buffers.mask).tolist()
    lines = observation_text(view).splitlines()
    lines = lines[lines.index("Your legal moves, each with its number:") + 1 : -1]
    assert len(lines) == len(legal)
    names = action_names()
    for line, (action, move) in zip(lines, legal.items(), strict=True):
        played = game.clone()
        played.play_action(buffers, action)
        assert played.history[-1].move == move
        number, listed = line.split(": ")
        said = [line, listed, number, f"Action: {listed}.", f"**{listed}**, I think."]
        if move.kind != "raise" or action in (29, 30, 32):
            said.append(names[action])
        if move.card is not None:
            said.append(f"{move.kind} {card_words(move.card)}")
        for text in said:
            assert parse_action(text, view) == action
            assert parse_move(text, view) == move
    for move in view.legal_moves:
        totals = {move.low, move.high} if move.kind == "raise" else {None}
        for total in totals:
            text = str(move) if total is None else f"raise to {total}"
            assert str(parse_move(text, view)) == text.replace("to ", "")


@pytest.mark.parametrize("rules", every_rules, ids=lambda rules: rules.name)
def test_legal_moves_read_back(rules: RuleSet) -> None:
    rng = random.Random(rules.name)
    for num_players in {2, rules.seats[1]}:
        game = Game(rules, num_players, seed=rng.getrandbits(64))
        for _ in decisions(game, rng, most=30):
            assert_moves_read_back(game)


TOTALS = [
    "raise {}",
    "I bet {} credits.",
    "**Raise to {}**",
    "Answer: raise {}.0",
    '{{"move": "raise", "amount": {}}}',
    '{{"action": "bet", "amount": "{}"}}',
    "<think>Raise to 3? No.</think>raise to {}",
    "I would junk a worse hand, so I raise to {}.",
]
INCREASES = ["raise by {}", "raise {} more", "I raise the bet by {} credits."]
UNCLEAR = ["raise {0}%", "raise {0}k", "raise {0} or {0}5", "raise {0},{0}", "raise about {0}"]


@settings(max_examples=50, deadline=None)
@given(
    rules=st.sampled_from(every_rules),
    seed=st.integers(0, 2**64 - 1),
    rng=st.randoms(use_true_random=False),
    number=st.integers(1, 300),
)
def test_no_amount_is_read_as_another(
    rules: RuleSet, seed: int, rng: random.Random, number: int
) -> None:
    """What is read of a statement of one amount is that amount, or else it is refused."""
    game = Game(rules, 2, seed=seed)
    for _ in decisions(game, rng, most=rng.randint(0, 12)):
        pass
    if game.seat_to_act is None:
        return
    view = acting_view(game)
    legal = {
        total
        for move in view.legal_moves
        if move.low is not None and move.high is not None
        for total in range(move.low, move.high + 1, move.step or 1)
    }
    for forms, total in ((TOTALS, number), (INCREASES, max(view.bets) + number)):
        for form in forms:
            text = form.format(number)
            if total in legal:
                assert parse_move(text, view) == Move("raise", amount=total), text
            else:
                with pytest.raises(IllegalMove):
                    parse_move(text, view)
    for form in UNCLEAR:
        with pytest.raises(IllegalMove):
            parse_move(form.format(number), view)


@settings(max_examples=30, deadline=None)
@given(table=tables(), seed=st.integers(0, 2**64 - 1), rng=st.randoms(use_true_random=False))
def test_legal_moves_read_back_under_any_rules(
    table: tuple[RuleSet, int], seed: int, rng: random.Random
) -> None:
    game = Game(*table, seed=seed)
    for _ in decisions(game, rng, most=rng.randint(0, 20)):
        pass
    if game.seat_to_act is not None:
        assert_moves_read_back(game)


def test_two_sylops_in_a_hand_are_told_apart() -> None:
    sylops = [Card(60), Card(61)]
    others = [card for card in load_rules("casino").deck if card not in sylops]
    game = Game("casino", 2, dealer=0, deck=[*sylops, *others])
    view = acting_view(game)
    assert list(view.hand) == sylops
    assert_moves_read_back(game)
    for sylop in sylops:
        for said in ("swap the Sylop {}", "swap the {} Sylop", "swap -{}"):
            assert parse_move(said.format(sylop), view) == Move("swap", card=sylop)
    assert parse_move("swap 0", view) == Move("swap", card=sylops[0])


# What people and models write.


@pytest.fixture(scope="module")
def in_cards() -> GameView:
    """Player 1 holds -6s and -4t; the top discard is -6c."""
    return acting_view(Game("casino", 2, seed=3, dealer=0))


def bets(*moves: str) -> GameView:
    game = Game("casino", 2, seed=3, dealer=0, dice=[(1, 2)])
    for move in ("stand", "stand", *moves):
        game.play(move)
    return acting_view(game)


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("`draw`", "draw"),
        ("I put the -6 of squares down and draw another.", "discard_draw -6s"),
        ("Put down the -6 square, draw", "discard_draw -6s"),
        ("I lay down -6s, then take the top discard.", "swap -6s"),
        ("DRAW!", "draw"),
        ("I'd like to draw a card.", "draw"),
        ("Draw. I think player_0 will fold.", "draw"),
        ("I will gain a card, because -10 is far from 0", "draw"),
        ("pass", "stand"),
        ("If I draw I may lose. Stand.", "stand"),
        ("I could draw, but I stand.", "stand"),
        ("Let me check my hand. I stand.", "stand"),
        ("My total is -10, so stand is bad and I should draw", None),
        ("**swap** the -6 of squares", "swap -6s"),
        ("swap −6s", "swap -6s"),
        ("swap -6s for the -6c", "swap -6s"),
        ("I trade the minus four of the triangles.", "swap -4t"),
        ("swap -4", "swap -4t"),
        ("swap slot 1", "swap -4t"),
        ("discard-draw -6s", "discard_draw -6s"),
        ("discard the minus four of triangles, then draw", "discard_draw -4t"),
        ("Discard -6s", "discard_draw -6s"),
        ("1", "draw"),
        ("#14", "swap -6s"),
        ("Option 15", "swap -4t"),
        ("15) swap -4t", "swap -4t"),
        ("My move is to swap -4t.", "swap -4t"),
        ("I could swap. Both draw and stand are good.\nFinal answer: **stand**", "stand"),
        ('{"move": "swap", "card": "-4t"}', "swap -4t"),
        ('```json\n{"thought": "draw or stand?", "action": "draw"}\n```', "draw"),
        ('{"action": 0}', "stand"),
        ('{"action": {"kind": "swap", "card": "-6s"}, "confidence": 3}', "swap -6s"),
    ],
)
def test_card_moves(in_cards: GameView, text: str, move: str | None) -> None:
    if move is None:
        with pytest.raises(IllegalMove):
            parse_move(text, in_cards)
    else:
        assert str(parse_move(text, in_cards)) == move


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("I raise to 40.", "raise 40"),
        ("Raise 40", "raise 40"),
        ("raise to 100 credits because he may call", "raise 100"),
        ("raise by 5", "raise 15"),
        ("raise min", "raise 11"),
        ("minimum raise", "raise 11"),
        ("raise to the max of 196", "raise 196"),
        ("raise 0.5", "raise 22"),
        ("raise half the pot", "raise 22"),
        ("raise 2 pot", "raise 58"),
        ("I go all-in", "raise 196"),
        ('{"move": "raise", "amount": 40}', "raise 40"),
        ("call", "call"),
        ("Call 10.", "call"),
        ("Not folding: call.", "call"),
        ("I won't fold. Call.", "call"),
        ("Call, as my hand is decent and I could raise later", "call"),
        ("I'm folding here, since my total is -10.", "junk"),
        ("I fold my hand", "junk"),
        ("8 junk", "junk"),
        ("raise 1", None),
        ("raise 40.0", "raise 40"),
        ("bet twenty-five credits", "raise 25"),
        ("Raise to one hundred and five.", "raise 105"),
        ("raise 10 more", "raise 20"),
        ("increase to 30", "raise 30"),
        ("bet 20 into the pot", "raise 20"),
        ('{"type": "raise", "total": 40.0}', "raise 40"),
        ('{"move": "raise", "amount": "forty"}', "raise 40"),
        ('{"action": 7.0}', "call"),
        ("match", "call"),
        ("see", "call"),
        ("I call the raise.", "call"),
        ("Let me see. Junk.", "junk"),
        ("shove", "raise 196"),
        ("<think>Should I junk? Maybe raise 50.</think>call", "call"),
        ("<think>I am weak. Junk.</think> Call", "call"),
        ("<thinking>Junk.</thinking>call", "call"),
        ("I am weak. Junk.</think>call", "call"),
        ("Junk? <answer>call</answer>", "call"),
        ("junk... actually call", "call"),
        ("Instead of junking I call", "call"),
    ]
    + [
        (f"{verb} {share}", f"raise {total}")
        for verb in ("raise", "bet")
        for total, shares in {
            16: (".25 of the pot", "a quarter of the pot", "25% of the pot"),
            18: ("1/3 of the pot", "one third of the pot"),
            22: ("50 % of the pot", ".5 pot", "half-pot", "a half of the pot", "\u00bd pot"),
            26: ("two thirds of the pot", "2/3 pot"),
            28: ("three quarters of the pot", "75% pot"),
            34: ("pot", "100% of the pot", "the size of the pot"),
            58: ("twice the pot", "2x pot"),
        }.items()
        for share in shares
    ]
    + [
        (text, None)
        for text in (
            "<think>junk|raise 50%|bet zero|raise 12,5 credits|raise 1,5 pot|raise 20k|draw?"
            "|raise two dozen|raise 2\u00b9|bet 1\u00bd pot|raise to around 40|all-in for 100"
        ).split("|")
    ],
)
def test_betting_moves(text: str, move: str | None) -> None:
    view = bets("raise 10")
    if move is None:
        with pytest.raises(IllegalMove):
            parse_move(text, view)
    else:
        assert str(parse_move(text, view)) == move


def test_the_name_of_a_move_and_its_json_are_that_move() -> None:
    view, sizes = bets(), (1, 2, "min")
    for move in view.legal_actions(sizes).values():
        said = json.dumps({"move": move.kind, "amount": move.amount})
        assert parse_move(str(move), view, sizes) == parse_move(said, view, sizes) == move


def test_long_texts_are_read() -> None:
    view = bets("raise 10")
    for piece in ("ten ", "1,", "[", '{"a":[', "<think>", ".", "call ", "a\u0301\u0316", "\n"):
        said = piece * 20_000 + "</think>\nAnswer: call"
        assert str(parse_move(said, view)) == "call"
        with contextlib.suppress(IllegalMove):
            parse_move(piece * 20_000 + "x", view)


def test_an_all_in_call_and_a_new_spike_card() -> None:
    game = Game("casino", 2, credits=[50, 200], seed=3, dealer=1, dice=[(1, 2)])
    for move in ("stand", "stand", "check", "raise 100"):
        game.play(move)
    assert parse_move("all in", acting_view(game)).kind == "call"
    game = Game("yarith_bespin", 2, seed=1)
    for move in ("check", "check", "draw"):
        game.play(move)
    view = acting_view(game)
    assert parse_move("Replace my Spike Card with it.", view).kind == "replace_spike"
    assert parse_move("discard it", view).kind == "discard_drawn"
    said = f"replace {view.hand[0]} with {view.drawn_card}"
    assert parse_move(said, view) == parse_move(f"replace {view.hand[0]}", view)


# What is refused.

CHOICES = r"; legal: stand, draw, discard_draw -6s, discard_draw -4t, swap -6s, swap -4t$"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"^'' does not name one move" + CHOICES),
        ("hello", r"^'hello' does not name one move" + CHOICES),
        ("draw or stand", r"^'draw or stand' does not name one move" + CHOICES),
        ("I do not draw.", "does not name one move" + CHOICES),
        ("A Sylop.", r"^'A Sylop\.' does not name one move" + CHOICES),
        ("player_0 draws", "does not name one move" + CHOICES),
        ("draw, stand", "^'draw, stand' may mean draw or stand; write one of them alone$"),
        ("Action: draw\nAction: stand", "may mean draw or stand; write one of them alone$"),
        ("swap", "^'swap' may mean swap -6s or swap -4t; write one of them alone$"),
        ("swap 6", "does not name one card of the hand" + CHOICES),
        ("swap +9s", "does not name one card of the hand" + CHOICES),
        ("swap slot 7", "does not name one card of the hand" + CHOICES),
        ("call", "^'call' is not legal now" + CHOICES),
        ("raise 40", "^'raise 40' is not legal now" + CHOICES),
        ("draw 2", "names a number that does not go with draw" + CHOICES),
        ("7", "^'7' names action 7, which is not legal now" + CHOICES),
        ("9" * 5000, "^'9{1,60}[.]{3}9{1,60}' names no action" + CHOICES),
        ('{"move": "junk", "why": "draw"}', "is not legal now" + CHOICES),
        (5, "^text: 5 is not text" + CHOICES),
        (None, "^text: None is not text" + CHOICES),
    ],
)
def test_what_is_unclear_or_illegal_is_refused(in_cards: GameView, text: str, message: str) -> None:
    with pytest.raises(IllegalMove, match=message) as error:
        parse_move(text, in_cards)
    assert "\n" not in str(error.value)
    with pytest.raises(IllegalMove):
        parse_action(text, in_cards)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("raise to 1 or 2", "does not name one move; legal: check, raise 1 to 196$"),
        ("raise", "names no total to raise to; legal: check, raise 1 to 196$"),
        ("raise to 500", "^'raise to 500' is not legal now; legal: check, raise 1 to 196$"),
        ("raise 2000 pot", "names too large a bet; legal: check, raise 1 to 196$"),
        (
            "raise 1/0 pot",
            "names a number that is no total to raise to; legal: check, raise",
        ),
        ("raise +5", "names a card to raise to; legal: check, raise 1 to 196$"),
    ],
)
def test_unclear_raises_are_refused(text: str, message: str) -> None:
    with pytest.raises(IllegalMove, match=message):
        parse_move(text, bets())


def test_a_total_between_the_bet_sizes_is_a_move_and_no_action() -> None:
    view = bets()
    assert str(parse_move("raise to 41", view)) == "raise 41"
    message = "'raise to 41' is not the total of a bet size here; legal: raise to 1, raise to 2, "
    with pytest.raises(IllegalMove, match=message):
        parse_action("raise to 41", view)
    assert parse_action("raise to 41", view, ("min", 10, 41 / 4)) == 31


def test_whose_turn_it_is_not_is_told() -> None:
    game = Game("casino", 2, seed=3, dealer=0)
    with pytest.raises(IllegalMove, match=r"'draw' .*: player_1 is to act, not player_0$"):
        parse_move("draw", game.view(0))
    for _ in decisions(game, random.Random(1)):
        pass
    with pytest.raises(IllegalMove, match=r"'draw' cannot be played: the hand is over$"):
        parse_move("draw", game.view(0))


@settings(max_examples=300, deadline=None)
@given(
    words=st.lists(
        st.sampled_from(
            "draw stand swap raise call the of 0 1 9 +3 0a -6s {} ` ** : . or not slot pot 1/0"
            " all-in discard ² ٣ action {[".split(" ")
        )
        | st.text(max_size=4),
        max_size=8,
    ),
)
def test_any_text_is_read_or_refused(words: list[str]) -> None:
    for view in (bets(), bets("raise 10"), acting_view(Game("casino", 2, seed=3, dealer=0))):
        try:
            move = parse_move(" ".join(words), view)
        except IllegalMove:
            continue
        game = Game("casino", 2, seed=3, dealer=0, dice=[(1, 2)])
        for turn in view.history:
            game.play(turn.move)
        game.play(move)
