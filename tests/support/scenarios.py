"""Scripted hands as data: each is played by the oracle and by the engine, and must end as written.

The expected values were worked out from RULES.md by hand. ``moves`` is a text of lines, or parts of
a line separated by semicolons:

- ``0 raise 40``, ``1 swap +3c``, ``2 stand``: that seat is to act, and plays this.
- ``0 can check raise``: that seat is to act, and exactly these kinds of move are legal.
- ``0 may raise 2 40 1``: the raise offered has this low, high and step.
- ``0 cannot swap +3c``: that move is illegal, and trying it changes nothing.
- ``see hand 0 +3c -4t``: something holds now (the words are in ``_seen``).
- ``ordered: see …``: checked only where the reshuffles given can be injected.

With the last move the hand is over; ``see`` lines may follow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from sabacc_env.cards import Card, deck


@dataclass(frozen=True)
class Scenario:
    """One hand: what is given, what is played, and how it ends."""

    name: str
    rules: str
    num_players: int
    dealer: int
    deck: str  # the top cards; the others follow by id
    moves: str
    net: tuple[int, ...]
    winners: tuple[int, ...]
    pots: tuple[tuple[int, tuple[int, ...]], ...]
    sabacc_pot: int  # at the end
    revealed: bool = True
    dice: tuple[tuple[int, int], ...] = ((1, 2), (3, 4), (5, 6))
    credits: tuple[int, ...] | None = None
    sabacc_pot_before: int = 0
    overrides: Mapping[str, Any] = field(default_factory=dict)
    reshuffles: tuple[str, ...] = ()  # draw piles by count, top first; otherwise by id

    def full_deck(self, rules: Any) -> list[Card]:
        top = cards(self.deck)
        others = deck(rules.highest_value, rules.suits, rules.sylops)
        return top + [card for card in others if card not in top]

    def reshuffle(self, given: list[int], count: int) -> list[int]:
        return list(cards(self.reshuffles[count])) if count < len(self.reshuffles) else given


def cards(text: str) -> list[Card]:
    return [Card.parse(word) for word in text.split()]


@dataclass(frozen=True)
class Player:
    """How to ask and to move, in plain tuples, whatever game it is.

    ``legal`` returns (kind, card or None) for each move and ("raise", low, high, step);
    ``play`` takes kind, card and amount, and raises ``ValueError`` on an illegal move.
    """

    legal: Callable[[], set[tuple[Any, ...]]]
    play: Callable[[str, int | None, int | None], None]


STATE = (
    "seat_to_act hands spike_cards drawn_card draw_pile discard_pile junked_cards credits pots "
    "round phase sabacc_pot"
).split()


def run(
    scenario: Scenario,
    game: Any,
    player: Player,
    after_move: Callable[[], None] = lambda: None,
    *,
    ordered: bool,
) -> None:
    """Play a scenario to its end and compare; ``after_move`` may check more after each move."""
    after_move()
    for line in scenario.moves.replace(";", "\n").splitlines():
        words = line.split()
        if not words or (words[0] == "ordered:" and not ordered):
            continue
        if words[0] == "ordered:":
            words.pop(0)
        if words[0] == "see":
            assert _seen(game, words[1], words[2:]) == " ".join(words[2:]), line
            continue
        assert game.seat_to_act == int(words[0]), line
        if words[1] == "can":
            assert {move[0] for move in player.legal()} == set(words[2:]), line
        elif words[1] == "may":
            assert ("raise", *map(int, words[3:])) in player.legal(), line
        elif words[1] == "cannot":
            before = {name: _plain(getattr(game, name)) for name in STATE}
            with pytest.raises(ValueError):  # noqa: PT011
                player.play(*_move(words[2:]))
            assert before == {name: _plain(getattr(game, name)) for name in STATE}, line
        else:
            player.play(*_move(words[1:]))
            after_move()
    assert (game.seat_to_act, game.phase) == (None, "over")
    assert player.legal() == set()
    assert game.revealed is scenario.revealed
    pots = [(int(amount), tuple(map(int, seats))) for amount, seats in game.pots]
    assert pots == list(scenario.pots)
    assert list(game.winners) == list(scenario.winners)
    assert list(game.net_credits) == list(scenario.net)
    assert game.sabacc_pot == scenario.sabacc_pot
    assert sum(scenario.net) == scenario.sabacc_pot_before - scenario.sabacc_pot


def _move(words: Sequence[str]) -> tuple[str, int | None, int | None]:
    kind, *rest = words
    if kind == "raise":
        return kind, None, int(rest[0])
    return kind, Card.parse(rest[0]) if rest else None, None


def _plain(value: Any) -> str:
    return repr(value)


def _seen(game: Any, word: str, given: Sequence[str]) -> str:
    """Return what is seen now, written as a scenario writes it."""

    def text(shown: Sequence[int]) -> str:
        return " ".join(str(Card(card)) for card in shown) or "none"

    if word in ("hand", "spike"):
        seat = int(given[0])
        spike = game.spike_cards[seat]
        shown = game.hands[seat] if word == "hand" else [] if spike is None else [spike]
        return f"{seat} {text(shown)}"
    if word == "drawn":
        return text([] if game.drawn_card is None else [game.drawn_card])
    plain = {
        "discard": lambda: text(game.discard_pile),  # top last
        "junked": lambda: text(game.junked_cards),  # by id
        "draw": lambda: text(game.draw_pile[: len(given)]),  # the top cards
        "draw_by_id": lambda: text(sorted(game.draw_pile)),
        "draw_pile_size": lambda: str(len(game.draw_pile)),
        "credits": lambda: " ".join(map(str, game.credits)),
        "pot": lambda: str(sum(amount for amount, _ in game.pots)),
        "pot_of": lambda: " ".join(str(seat) for _, seats in game.pots for seat in seats),
        "sabacc": lambda: str(game.sabacc_pot),
        "round": lambda: str(game.round),
        "phase": lambda: str(game.phase),
    }
    return plain[word]()


ONE_ROUND: Mapping[str, Any] = {"rounds": 1}
TWO_ROUNDS: Mapping[str, Any] = {"rounds": 2}
EIGHT_CARDS: Mapping[str, Any] = {
    "seats": (2, 2),
    "rounds": 1,
    "highest_value": 3,
    "suits": 1,
    "sylops": 2,
}

CARDS_AND_DICE = (
    Scenario(
        name="casino: three rounds with every action, a forced redraw and a Sabacc pot",
        rules="casino",
        num_players=2,
        dealer=1,
        deck="+5t +6t  -3s -4s  +9c  -10c -7c +1c -9s",
        dice=((1, 2), (3, 3), (2, 5)),
        moves="""
            see credits 196 196; see pot 4; see pot_of 0 1; see sabacc 4; see round 1
            see hand 0 +5t +6t; see discard +9c; see draw -10c -7c +1c
            0 can stand draw discard_draw swap; 0 cannot junk; 0 cannot check
            0 cannot swap +9c; 0 cannot discard_draw -3s; 0 cannot swap; 0 draw
            see hand 0 -10c +5t +6t; see phase cards
            1 swap -3s; see hand 1 -4s +9c; see discard -3s
            see phase betting
            0 can check raise; 0 may raise 1 196 1; 0 cannot raise 197; 0 cannot call; 0 check
            1 raise 10; 0 can call raise junk; 0 may raise 11 196 1; 0 cannot raise 10; 0 call
            see round 2; see pot 24
            0 discard_draw +5t; see hand 0 -10c -7c +6t; see discard -3s +5t
            1 stand
            see phase dice; 0 can redraw; 0 cannot redraw -4s; 0 redraw -10c
            see hand 0 -7c +1c +6t
            1 can redraw; 1 redraw -4s; see hand 1 -9s +9c; see discard -3s +5t -10c -4s
            0 check; 1 check
            0 stand; 1 stand
            0 raise 20; 1 raise 50; 0 may raise 51 186 1; 0 call; see round 3
        """,  # Pair beats Sabacc: 124 and the Sabacc pot's 4
        net=(-64, 64),
        winners=(1,),
        pots=((124, (0, 1)),),
        sabacc_pot=0,
    ),
    Scenario(
        name="casino: double Spike discards whole hands seat by seat, by id (D4)",
        rules="casino",
        num_players=2,
        dealer=0,
        deck="+5t +2t  -3s -8s  +9c  +4c  +1s +1c  -1s +2s +3s",
        dice=((1, 1),),
        overrides=ONE_ROUND,
        moves="""
            1 stand; 0 draw
            see hand 1 +1s +1c; see hand 0 -1s +2s +3s
            see discard +9c +2t +5t -3s -8s +4c
            1 check; 0 check
        """,  # +2 beats +4 and is no zero
        net=(-4, 0),
        winners=(1,),
        pots=((4, (0, 1)),),
        sabacc_pot=4,
    ),
    Scenario(
        name="casino: a hand grows to five cards",
        rules="casino",
        num_players=2,
        dealer=1,
        deck="+10t -10s  +1t +2t  +9c  +10s -10t 0a",
        moves="""
            0 draw; 1 stand; 0 check; 1 check
            0 draw; 1 stand; 0 check; 1 check
            0 draw; 1 stand; see hand 0 -10t -10s 0a +10t +10s; 0 check; 1 check
        """,
        net=(4, -4),
        winners=(0,),
        pots=((4, (0, 1)),),
        sabacc_pot=0,
    ),
    Scenario(
        name="black_spire: points, junk in the trading phase, doubles redraw whole hands",
        rules="black_spire",
        num_players=3,
        dealer=2,
        deck="+1t +2t  +5t +6t  +7t +8t  +9c  -1s  +1c +2c -3c  +4c -4s",
        dice=((4, 4), (1, 2), (2, 3)),
        moves="""
            see credits None None None; see pot 3
            0 can stand draw swap junk; 0 cannot discard_draw +1t; 0 junk
            see hand 0 none; see discard +9c; see junked +1t +2t; see pot_of 1 2
            1 draw; 2 cannot swap +9c; 2 swap +7t
            see discard +7t +5t +6t -1s +8t +9c
            see hand 1 -3c +1c +2c; see hand 2 -4s +4c
            1 stand; 2 stand; 1 stand; 2 stand
        """,  # Paired Sabacc beats Sabacc
        net=(-1, -1, 2),
        winners=(2,),
        pots=((3, (1, 2)),),
        sabacc_pot=0,
    ),
    Scenario(
        name="black_spire: the last seat wins at once, without a turn",
        rules="black_spire",
        num_players=2,
        dealer=1,
        deck="",
        moves="0 junk; see round 1",
        net=(-1, 1),
        winners=(1,),
        pots=((2, (1,)),),
        sabacc_pot=0,
        revealed=False,
    ),
    Scenario(
        name="orsl: fees, the discard pile refilled (D18), doubles after the betting",
        rules="orsl",
        num_players=2,
        dealer=1,
        deck="+5t +6t  -3s -4s  +9c  +1c  -8c  +2c +3c -5c  +4c +6c -10c",
        dice=((4, 4), (1, 2), (3, 5)),
        moves="""
            see credits 1970 1970; see pot 40; see sabacc 20
            0 can stand draw buy_discard discard_draw swap
            0 buy_discard; see hand 0 +5t +6t +9c; see discard +1c; see pot 60
            1 draw; see hand 1 -8c -4s -3s; see pot 70; see phase betting
            0 can check raise junk; 0 check; 1 check
            see discard +1c +5t +6t +9c -3s -4s -8c
            see hand 0 -5c +2c +3c; see hand 1 -10c +4c +6c; see round 2
            0 stand; 1 stand; 0 check; 1 check
            0 stand; 1 stand; 0 check; 1 check
        """,  # two plain Sabaccs of three cards: the positive sum decides, 10 to 5
        net=(-50, 50),
        winners=(1,),
        pots=((70, (0, 1)),),
        sabacc_pot=0,
    ),
    Scenario(
        name="orsl: junked cards beneath do not keep the discard pile from being empty (D18)",
        rules="orsl",
        num_players=3,
        dealer=2,
        deck="+5t +6t  -3s -4s  +7t +8t  +9c  +1c",
        moves="""
            0 stand; 1 stand; 2 stand
            0 check; 1 check; 2 junk; see junked +7t +8t; see discard +9c
            0 buy_discard; see discard +1c; see junked +7t +8t; 1 stand
            0 check; 1 junk
        """,
        net=(50, -40, -40),
        winners=(0,),
        pots=((100, (0,)),),
        sabacc_pot=30,
        revealed=False,
    ),
    Scenario(
        name="three_en: dice before the betting, Prime Sabacc beats Yee-Haa",
        rules="three_en",
        num_players=2,
        dealer=0,
        deck="-3t +3s  +10t -10s  0a  +9c  0b",
        moves="""
            1 buy_discard; see hand 1 -3t 0a +3s; see discard +9c
            0 draw
            1 raise 100; 0 raise 300; 1 call
            1 stand; 0 stand; 1 check; 0 check
            1 stand; 0 stand; 1 check; 0 check
        """,
        net=(350, -350),
        winners=(0,),
        pots=((670, (0, 1)),),
        sabacc_pot=0,
    ),
    Scenario(
        name="yarith_bespin: Spike Cards, buying, doubles and a double Spike",
        rules="yarith_bespin",
        num_players=2,
        dealer=1,
        deck="""+5t +6t  -3s -4s  +2c +3c  -8t 0a  +1s +1c  +2s +3s  +9c
                +4s +4c -8c  +5s +5c -9c""",
        dice=((3, 3), (1, 1), (2, 4)),
        moves="""
            see round 0; see phase betting; see discard none; see spike 0 none
            0 can check raise junk; 0 raise 10; 1 call
            see round 1; see phase cards; see spike 0 +2c; see spike 1 +3c; see pot 60
            0 can stand draw; 0 draw; see drawn -8t; see pot 80; see hand 0 +5t +6t
            0 can replace replace_spike discard_drawn; 0 cannot replace +2c; 0 cannot stand
            0 replace +5t; see drawn none; see hand 0 -8t +6t; see discard +5t
            1 draw; 1 replace_spike; see spike 1 0a; see hand 1 -4s -3s; see discard +5t +3c
            0 check; 1 check
            see hand 0 +1s +1c; see spike 0 +2c; see hand 1 +2s +3s; see spike 1 0a
            see discard +5t +3c +6t -8t -3s -4s
            0 draw; 0 discard_drawn; see hand 0 +1s +1c; 1 stand
            0 check; 1 check
            see hand 0 +4s +4c; see spike 0 -8c; see hand 1 +5s +5c; see spike 1 -9c
            see discard +5t +3c +6t -8t -3s -4s +9c +1s +1c +2c +2s +3s 0a
            0 stand; 1 stand; 0 check; 1 check
        """,  # Paired Sabacc, Spike Card counted (D13)
        net=(60, -60),
        winners=(0,),
        pots=((120, (0, 1)),),
        sabacc_pot=0,
    ),
    Scenario(
        name="yarith_bespin: Idiots' Array wins the hand pot but never the Sabacc pot",
        rules="yarith_bespin",
        num_players=2,
        dealer=1,
        deck="+2t +3t  +4t -8s  0a +4s",
        sabacc_pot_before=50,
        overrides=ONE_ROUND,
        moves="0 check; 1 check; 0 stand; 1 stand; 0 check; 1 check",
        net=(10, -30),
        winners=(0,),
        pots=((40, (0, 1)),),
        sabacc_pot=70,
    ),
    Scenario(
        name="yarith_bespin: a junked Spike Card goes with its hand, without penalty (D5)",
        rules="yarith_bespin",
        num_players=3,
        dealer=2,
        deck="+1t +2t  +4t -4s  +5t -5s  +3t -1c +1c",
        overrides=ONE_ROUND,
        moves="""
            0 check; 1 check; 2 check; 0 stand; 1 stand; 2 stand
            0 can check raise junk; 0 junk
            see spike 0 none; see junked +1t +2t +3t; see discard none; see pot 60
            1 check; 2 check
        """,  # +1 beats -1
        net=(-30, -30, 30),
        winners=(2,),
        pots=((60, (1, 2)),),
        sabacc_pot=30,
    ),
    Scenario(
        name="spacers: an opening bet, junked cards face up, the next swap takes the top one (D4)",
        rules="spacers",
        num_players=3,
        dealer=2,
        deck="+5t +2t  -2c +8t  +7t +6t  +9c",
        overrides=ONE_ROUND,
        moves="""
            see round 0; see credits 99 99 99; see pot 3; see sabacc 0
            0 can check raise; 0 cannot junk; 0 raise 1; 1 can call raise junk; 1 junk
            see discard +9c +8t -2c; see junked none
            2 call
            0 can stand draw discard_draw swap; 0 swap +5t
            see hand 0 -2c +2t; see discard +9c +8t +5t
            2 stand; 0 check; 2 check
        """,  # an Ace; there is no Sabacc pot
        net=(3, -1, -2),
        winners=(0,),
        pots=((5, (0, 2)),),
        sabacc_pot=0,
    ),
    Scenario(
        name="spacers: everyone junks in the opening bet, so no round begins",
        rules="spacers",
        num_players=2,
        dealer=1,
        deck="",
        moves="0 raise 3; 1 junk; see round 0",
        net=(1, -1),
        winners=(0,),
        pots=((2, (0,)),),
        sabacc_pot=0,
        revealed=False,
    ),
    Scenario(
        name="spacers: the house's fees and look-then-discard after a plain gain only (D19)",
        rules="spacers",
        num_players=2,
        dealer=1,
        deck="+5t +2t  +7t +6t  +9c  -9c -7s -6c",
        overrides={
            "rounds": 2,
            "fees": {"draw": 1, "discard_draw": 1, "swap": 1},
            "look_then_discard": True,
        },
        moves="""
            0 check; 1 check
            0 draw; see drawn -9c; see hand 0 +2t +5t; see pot 3; 0 can keep discard_drawn
            0 discard_drawn; see discard +9c -9c; see drawn none; see hand 0 +2t +5t; see pot 3
            1 discard_draw +6t; see hand 1 -7s +7t; see pot 4
            0 check; 1 check
            0 draw; 0 keep; see hand 0 -6c +2t +5t; 1 stand; 0 check; 1 check
        """,
        net=(-3, 3),
        winners=(1,),
        pots=((5, (0, 1)),),
        sabacc_pot=0,
    ),
)

RESHUFFLES = (
    Scenario(
        name="D1: the draw that empties the pile; the top discard stays, the rest return",
        rules="casino",
        num_players=2,
        dealer=1,
        deck="+1t +2t  -1t -2t  +3t  -3t 0a 0b",
        dice=((2, 2),),
        overrides=EIGHT_CARDS,
        reshuffles=("-1t +1t +3t",),
        moves="""
            0 discard_draw +1t; 1 discard_draw -1t
            see discard +3t +1t -1t; see draw 0b; see draw_pile_size 1
            0 redraw +2t; see discard +2t; see draw_by_id +1t +3t -1t; see hand 0 -3t 0b
            1 redraw -2t; see discard +2t -2t; see draw_pile_size 2; ordered: see hand 1 -1t 0a
            0 check; 1 check
        """,  # seat 0 has -3; seat 1 has +1, +3 or -1, each of them better
        net=(-4, 0),
        winners=(1,),
        pots=((4, (0, 1)),),
        sabacc_pot=4,
    ),
    Scenario(
        name="D1: a wipe-out that reshuffles may redraw its own discards",
        rules="casino",
        num_players=2,
        dealer=1,
        deck="+1t +2t  -1t -2t  +3t  -3t 0a 0b",
        dice=((1, 1),),
        overrides=EIGHT_CARDS,
        reshuffles=("-1t +1t +2t +3t",),
        moves="""
            0 stand; 1 stand
            see hand 0 -3t 0a; see discard -2t; see draw_pile_size 3
            ordered: see hand 1 -1t 0b
            ordered: see draw +1t +2t +3t
            0 check; 1 check
        """,  # seat 0 has -3; seat 1 has a Sylop with +1, +2, +3 or -1
        net=(-4, 0),
        winners=(1,),
        pots=((4, (0, 1)),),
        sabacc_pot=4,
    ),
    Scenario(
        name="D1: single cards returning again and again",
        rules="casino",
        num_players=2,
        dealer=1,
        deck="+1t +2t  -1t -2t  +3t  -3t 0a 0b",
        dice=((2, 2),),
        overrides=EIGHT_CARDS,
        moves="""
            0 draw; 1 draw; see draw 0b; see draw_pile_size 1
            0 redraw +1t; see discard +1t; see draw +3t; see draw_pile_size 1
            1 redraw -1t; see discard -1t; see draw +1t; see draw_pile_size 1
            see hand 0 -3t 0b +2t; see hand 1 -2t 0a +3t
            0 check; 1 check
        """,  # +1 beats -1
        net=(-4, 0),
        winners=(1,),
        pots=((4, (0, 1)),),
        sabacc_pot=4,
    ),
    Scenario(
        name="D1: junked cards return; a seat's discard is on the pile before its draw",
        rules="casino",
        num_players=3,
        dealer=2,
        deck="+1t +2t  -1t -2t  +4t +5t  +3t  -3t -4t -5t 0a",
        dice=((5, 6), (2, 2)),
        # Two rounds would need 14 cards: the house lets nobody draw without discarding.
        overrides={
            "rounds": 2,
            "seats": (3, 3),
            "highest_value": 5,
            "suits": 1,
            "sylops": 1,
            "card_actions": ("stand", "discard_draw", "swap"),
        },
        moves="""
            0 discard_draw +1t; 1 discard_draw -1t; 2 stand; see draw -5t 0a
            0 raise 5; 1 call; 2 junk; see junked +4t +5t; see discard +3t +1t -1t
            0 discard_draw +2t; see hand 0 -5t -3t; see draw_pile_size 1
            1 discard_draw -2t; see hand 1 -4t 0a; see discard -2t; see junked none
            see phase dice; see draw_by_id +1t +2t +3t +4t +5t -1t; see draw_pile_size 6
            0 redraw -5t; 1 redraw 0a; see discard -2t -5t 0a; see draw_pile_size 4
            0 raise 10; 1 junk
        """,
        reshuffles=("+1t +2t +3t +4t +5t -1t",),
        net=(7, -9, -4),
        winners=(0,),
        pots=((16, (0,)),),
        sabacc_pot=6,
        revealed=False,
    ),
    Scenario(
        name="D9: a tie that no draw can break goes to the first tied seat",
        rules="orsl",
        num_players=2,
        dealer=1,
        deck="+1t +2t  +1s +2s  -1s  -1t  -2t -2s",
        overrides={"seats": (2, 2), "rounds": 1, "highest_value": 2, "suits": 2, "sylops": 0},
        moves="""
            0 draw; 1 buy_discard; see discard -2t; see draw -2s; see draw_pile_size 1
            0 check; 1 check
            see discard -2s -2t; see draw_pile_size 0
        """,  # each seat draws one -2 after the other: eight tied rounds
        net=(30, -50),
        winners=(0,),
        pots=((70, (0, 1)),),
        sabacc_pot=20,
    ),
)

BETTING_AND_POTS = (
    Scenario(
        name="casino: the others junk, so no Sabacc pot for a zero hand (D16), and no reveal",
        rules="casino",
        num_players=3,
        dealer=2,
        deck="+1t +2t  +5t -5s  +3t +4t  +9c",
        sabacc_pot_before=100,
        moves="""
            0 stand; 1 stand; 2 stand
            0 check; 1 raise 5; 2 can call raise junk; 2 junk
            see credits 196 191 196; see pot 11; see pot_of 0 1; see junked +3t +4t
            0 can call raise junk; 0 junk; see junked +1t +2t +3t +4t; see discard +9c
            see round 1; see hand 1 -5s +5t
        """,
        net=(-4, 2, -4),
        winners=(1,),
        pots=((6, (1,)),),
        sabacc_pot=106,
        revealed=False,
    ),
    Scenario(
        name="casino: side pots with three all-ins, an all-in winner takes the Sabacc pot",
        rules="casino",
        num_players=4,
        dealer=3,
        deck="+5t -5s  +2t -1s  +3t -1c  +4t +5s  +9c",
        credits=(14, 34, 64, 200),
        sabacc_pot_before=12,
        overrides=ONE_ROUND,
        moves="""
            0 stand; 1 stand; 2 stand; 3 stand
            0 may raise 1 10 1; 0 raise 10
            1 can call raise junk; 1 raise 30; 2 may raise 31 60 1; 2 raise 60
            3 can call junk; see pot 108; 3 call
        """,
        net=(54, 26, -4, -64),
        winners=(0, 1, 2),
        pots=((48, (0, 1, 2, 3)), (60, (1, 2, 3)), (60, (2, 3))),
        sabacc_pot=0,
    ),
    Scenario(
        name="casino: an uncalled excess returns; all-in seats skip betting, not cards (D7)",
        rules="casino",
        num_players=2,
        dealer=1,
        deck="+2t +1t  +5t -1s  +9c",
        credits=(14, 200),
        moves="""
            0 stand; 1 stand; 0 check
            1 can check raise; 1 may raise 1 196 1; 1 raise 50
            0 can call junk; 0 call; see credits 0 146; see pot 64
            see round 2; see phase cards
            0 can stand draw discard_draw swap; 0 stand; 1 stand
            see round 3; see phase cards; 0 stand; 1 stand
        """,  # +3 beats +4
        net=(10, -14),
        winners=(0,),
        pots=((24, (0, 1)),),
        sabacc_pot=4,
    ),
    Scenario(
        name="casino: a seat whose ante took its last credit plays on, and nobody bets (D7)",
        rules="casino",
        num_players=2,
        dealer=1,
        deck="+1t +1s  +1c +2t  +9c",
        credits=(4, 100),
        overrides=ONE_ROUND,
        moves="see credits 0 96; 0 stand; 1 stand",
        net=(0, -4),
        winners=(0,),
        pots=((4, (0, 1)),),
        sabacc_pot=4,
    ),
    Scenario(
        name="casino: a fee may take the last credit: all-in with what was bet so far",
        rules="casino",
        num_players=3,
        dealer=2,
        deck="+5t -2t  +3t -1s  +4t -1c  +9c  -3t",
        credits=(14, 100, 100),
        overrides={"rounds": 1, "fees": {"draw": 10}},
        moves="""
            0 draw; see credits 0 96 96; see pot 16; 1 stand; 2 stand
            1 can check raise; 1 raise 20; 2 can call raise junk; 2 call
        """,
        net=(8, 16, -24),
        winners=(0, 1),
        pots=((16, (0, 1, 2)), (40, (1, 2))),
        sabacc_pot=0,
    ),
    Scenario(
        name="casino: fees paid after an all-in are dead money in the main pot (D8)",
        rules="casino",
        num_players=3,
        dealer=2,
        deck="+1t -1s  +5t +4t  +6t -4s  -4c  -8t",
        credits=(14, 100, 100),
        overrides={"rounds": 2, "fees": {"draw": 3, "swap": 3}},
        moves="""
            0 stand; 1 stand; 2 stand; 0 raise 10; 1 raise 20; 2 call
            0 can stand discard_draw; 0 stand; 1 draw; 2 swap -4s
            1 check; 2 raise 5; 1 call
        """,
        net=(34, -2, -32),
        winners=(0, 1),
        pots=((42, (0, 1, 2)), (30, (1, 2))),
        sabacc_pot=0,
    ),
    Scenario(
        name="casino: two pots, each with its own blind draw, clockwise from the first seat (D9)",
        rules="casino",
        num_players=3,
        dealer=0,
        deck="+5s -3c  +5c -3t  +5t -3s  +9c  +4t +1t +1s  0b -2t  0a -1s",
        credits=(14, 100, 100),
        overrides=ONE_ROUND,
        moves="""
            1 stand; 2 stand; 0 stand; 1 raise 30; 2 call; 0 can call junk; 0 call
            see discard +9c +4t +1t +1s 0b -2t 0a -1s
        """,  # the main pot: +1 and +1 tie, then the Sylop; the side pot: the other Sylop
        net=(-14, 6, 2),
        winners=(2, 1),
        pots=((36, (0, 1, 2)), (40, (1, 2))),
        sabacc_pot=6,
    ),
    Scenario(
        name="spacers: a blind draw also decides the house's Sabacc pot; +1 beats -1",
        rules="spacers",
        num_players=2,
        dealer=1,
        deck="+5t -5s  +5s -5t  +9c  -1t +1s",
        sabacc_pot_before=7,
        overrides={"rounds": 1, "hand_ante": 2, "sabacc_ante": 1},
        moves="""
            see credits 197 197; 0 may raise 2 196 2; 0 check; 1 check
            0 stand; 1 stand; 0 check; 1 check
            see discard +9c -1t +1s
        """,
        net=(-3, 10),
        winners=(1,),
        pots=((4, (0, 1)),),
        sabacc_pot=0,
    ),
    Scenario(
        name="casino: a junked highest bettor's excess goes back to it",
        rules="casino",
        num_players=3,
        dealer=2,
        deck="+2t -1t  +4t +1t  +9t +9s  +9c",
        credits=(14, 24, 200),
        overrides={"rounds": 2, "junk_when": "cards"},
        moves="""
            0 can stand draw discard_draw swap junk; 0 stand; 1 stand; 2 stand
            0 check; 1 check; 2 raise 50; 0 can call; 0 call; 1 can call; 1 call
            see pot 86; 0 stand; 1 stand; 2 junk
        """,
        net=(22, -4, -24),
        winners=(0, 1),
        pots=((36, (0, 1)), (20, (1,))),
        sabacc_pot=6,
    ),
    Scenario(
        name="casino: a layer that lost all its seats joins the outermost pot that has one",
        rules="casino",
        num_players=4,
        dealer=3,
        deck="+2t -1t  +4t +1t  +9t +9s  +8t +8s  +9c",
        credits=(14, 24, 200, 200),
        overrides={"rounds": 2, "junk_when": "cards"},
        moves="""
            0 stand; 1 stand; 2 stand; 3 stand
            0 check; 1 check; 2 raise 40; 3 can call raise; 3 call; 0 call; 1 call
            0 stand; 1 stand; 2 junk; 3 junk
        """,
        net=(34, 46, -44, -44),
        winners=(0, 1),
        pots=((48, (0, 1)), (70, (1,))),
        sabacc_pot=8,
    ),
    Scenario(
        name="casino: a seat that cannot pay its antes sits out, and the dealer moves on (D2)",
        rules="casino",
        num_players=3,
        dealer=0,
        deck="+1t +2t  +3t +4t",
        credits=(3, 100, 100),
        overrides=ONE_ROUND,
        moves="""
            see hand 0 none; see hand 2 +1t +2t; see credits 3 96 96; see pot_of 1 2
            2 stand; 1 stand; 2 check; 1 check
        """,
        net=(0, -4, 0),
        winners=(2,),
        pots=((4, (1, 2)),),
        sabacc_pot=4,
    ),
    Scenario(
        name="casino: the house's bet and raise limits, step, and most raises",
        rules="casino",
        num_players=3,
        dealer=2,
        deck="+2t -1t  +9t +9s  +2s +1s  +9c",
        overrides={
            "rounds": 1,
            "min_bet": 5,
            "max_bet": 20,
            "min_raise": 10,
            "max_raise": 30,
            "bet_step": 5,
            "max_raises": 2,
        },
        moves="""
            0 stand; 1 stand; 2 stand
            0 may raise 5 20 5; 0 cannot raise 7; 0 cannot raise 25; 0 raise 10
            1 may raise 20 40 5; 1 cannot raise 15; 1 raise 20
            2 may raise 30 50 5; 2 raise 50
            0 can call junk; 0 cannot raise 60; 0 call; 1 junk
        """,
        net=(72, -24, -54),
        winners=(0,),
        pots=((126, (0, 2)),),
        sabacc_pot=6,
    ),
    Scenario(
        name="casino: a raise is never short, a call may still be paid (D15)",
        rules="casino",
        num_players=2,
        dealer=1,
        deck="+2t -1t  +1s +1c  +9c",
        credits=(100, 19),
        overrides={"rounds": 1, "min_raise": 10},
        moves="0 stand; 1 stand; 0 raise 10; 1 can call junk; 1 call; see sabacc 4",
        net=(10, -14),
        winners=(0,),
        pots=((24, (0, 1)),),
        sabacc_pot=4,
    ),
    Scenario(
        name="orsl: who cannot call must junk, and pays what is left of the penalty (D20)",
        rules="orsl",
        num_players=3,
        dealer=2,
        deck="",
        credits=(2000, 35, 2000),
        moves="""
            0 stand; 1 can stand discard_draw swap; 1 stand; 2 stand
            0 raise 50; 1 can junk; 1 cannot call; 1 junk
            see credits 1920 0 1970; see pot 115
            2 can call raise junk; 2 junk
        """,
        net=(45, -35, -40),
        winners=(0,),
        pots=((75, (0,)),),
        sabacc_pot=30,
        revealed=False,
    ),
    Scenario(
        name="orsl: nobody is all-in; a seat with no credits takes its turns",
        rules="orsl",
        num_players=2,
        dealer=1,
        deck="",
        credits=(30, 100),
        overrides=ONE_ROUND,
        moves="""
            0 can stand discard_draw swap; 0 stand; 1 stand
            0 can check junk; 0 check
            1 can check raise junk; 1 may raise 1 70 1; 1 raise 1
            0 can junk; 0 junk
        """,
        net=(-30, 10),
        winners=(1,),
        pots=((40, (1,)),),
        sabacc_pot=20,
        revealed=False,
    ),
    Scenario(
        name="orsl: junk without a bet; its penalty is paid although one seat remains (D20)",
        rules="orsl",
        num_players=2,
        dealer=0,
        deck="",
        moves="1 stand; 0 stand; 1 can check raise junk; 1 junk",
        net=(20, -40),
        winners=(0,),
        pots=((50, (0,)),),
        sabacc_pot=20,
        revealed=False,
    ),
    Scenario(
        name="orsl: the exact call is paid; a raise reopens the betting, a call does not",
        rules="orsl",
        num_players=3,
        dealer=1,
        deck="+5t -4t  +5s +4s  +6c -4c  +9c",
        credits=(50, 80, 2000),
        overrides=ONE_ROUND,
        moves="""
            2 stand; 0 stand; 1 stand
            2 check; 0 raise 10; 1 raise 20; 2 may raise 21 1970 1; 2 call
            0 can call junk; 0 call; see credits 0 30 2070
        """,  # seats 2, 0, 1 hold +1, +9, +2
        net=(-50, -50, 70),
        winners=(2,),
        pots=((120, (0, 1, 2)),),
        sabacc_pot=30,
    ),
    Scenario(
        name="spacers: whole antes (D21); an odd remainder only in a short call (D6)",
        rules="spacers",
        num_players=3,
        dealer=2,
        deck="+5t -4s  +6t -6s  +7t -4c  +9c",
        credits=(500, 17, 500),
        overrides={"rounds": 1, "hand_ante": 5},
        moves="""
            0 may raise 5 495 5; 0 cannot raise 7; 0 cannot raise 1; 0 raise 5
            1 may raise 10 10 5; 1 cannot raise 12; 1 raise 10
            2 may raise 15 495 5; 2 raise 20; 0 can call raise junk; 0 call
            1 can call junk; 1 call; see credits 475 0 475; see pot 67; see phase cards
            0 stand; 1 stand; 2 stand
            0 check; 2 check
        """,
        net=(-9, 34, -25),
        winners=(1, 0),
        pots=((51, (0, 1, 2)), (16, (0, 2))),
        sabacc_pot=0,
    ),
    Scenario(
        name="casino: check, then betting stops where only one seat still has credits (D7)",
        rules="casino",
        num_players=3,
        dealer=2,
        deck="+2t -1t  +4t +1t  +9t -1s  +9c",
        credits=(100, 14, 14),
        overrides=TWO_ROUNDS,
        moves="""
            0 stand; 1 stand; 2 stand
            0 check; 1 raise 4; 2 raise 10; 0 can call raise junk; 0 may raise 11 96 1; 0 call
            1 can call junk; 1 call
            see round 2; see phase cards; 0 stand; 1 stand; 2 stand
        """,  # after seat 1's call two seats have no credits, so round 2 has no betting
        net=(22, -14, -14),
        winners=(0,),
        pots=((36, (0, 1, 2)),),
        sabacc_pot=6,
    ),
)

HOUSE_RULES = (
    Scenario(
        name="casino: the excess is measured against a junked second-highest bettor",
        rules="casino",
        num_players=2,
        dealer=1,
        deck="",
        moves="0 stand; 1 stand; 0 raise 20; 1 raise 50; see pot 74; 0 junk",
        net=(-24, 20),
        winners=(1,),
        pots=((44, (1,)),),
        sabacc_pot=4,
        revealed=False,
    ),
    Scenario(
        name="the Sabacc pot is the main pot's: a zero hand that wins a side pot does not take it",
        rules="casino",
        num_players=3,
        dealer=2,
        deck="+2t +3t  +1t -1t  +9t +9s  +9c  0a",
        credits=(14, 100, 100),
        overrides={"rounds": 1, "ranking": "alta_yarith_bespin"},
        moves="0 draw; 1 stand; 2 stand; 0 raise 10; 1 raise 20; 2 call",
        net=(22, -4, -24),
        winners=(0, 1),
        pots=((36, (0, 1, 2)), (20, (1, 2))),
        sabacc_pot=6,
    ),
    Scenario(
        name="junk in the card phase only, yet it is the way out of a call that cannot be paid",
        rules="casino",
        num_players=3,
        dealer=2,
        deck="+2t -1t  +3t +4t  +9t +9s  +9c",
        credits=(100, 14, 100),
        overrides={"rounds": 1, "short_call": "junk", "junk_when": "cards"},
        moves="""
            0 can stand draw discard_draw swap junk; 0 stand; 1 stand; 2 stand
            0 can check raise; 0 raise 20; 1 can junk; 1 junk; 2 can call raise; 2 call
        """,
        net=(22, -4, -24),
        winners=(0,),
        pots=((46, (0, 2)),),
        sabacc_pot=6,
    ),
    Scenario(
        name="doubles without effect, and a double Spike that redraws one card",
        rules="casino",
        num_players=2,
        dealer=1,
        deck="+1t +2t  +3t +4t  +9c  -3t -5t",
        dice=((3, 3), (1, 1)),
        overrides={"rounds": 2, "doubles": "none", "double_spike": "redraw_one"},
        moves="""
            0 stand; 1 stand; 0 check; 1 check; see hand 0 +1t +2t; 0 stand; 1 stand
            0 can redraw; 0 redraw +1t; 1 redraw +3t; see discard +9c +1t +3t
            0 check; 1 check
        """,  # both have -1 with two cards; the sum of absolute values is 9 to 5
        net=(-4, 0),
        winners=(1,),
        pots=((4, (0, 1)),),
        sabacc_pot=4,
    ),
    Scenario(
        name="junk face up with a Spike Card: one batch by id; redraw_one leaves Spike Cards",
        rules="yarith_bespin",
        num_players=3,
        dealer=2,
        deck="+9t -1t  +4t -4s  +5s -5t  +5t -1c +1c  -7s -6s",
        dice=((1, 1),),
        overrides={"rounds": 1, "junk_face_up": True, "double_spike": "redraw_one"},
        moves="""
            0 check; 1 check; 2 check; 0 stand; 1 stand; 2 stand
            0 junk; see discard +5t +9t -1t; see junked none; 1 check; 2 check
            see phase dice; 1 can redraw; 1 cannot redraw -1c; 1 redraw +4t; 2 redraw -5t
            see discard +5t +9t -1t +4t -5t; see spike 2 +1c
        """,  # +5 -6 and the Spike Card +1
        net=(-30, -30, 60),
        winners=(2,),
        pots=((60, (1, 2)),),
        sabacc_pot=0,
    ),
    Scenario(
        name="starting credits by seat",
        rules="casino",
        num_players=2,
        dealer=1,
        deck="+1t +2t  +3t +4t",
        overrides={"rounds": 1, "starting_credits": (50, 60)},
        moves="see credits 46 56; 0 stand; 1 stand; 0 check; 1 check; see credits 50 56",
        net=(0, -4),
        winners=(0,),
        pots=((4, (0, 1)),),
        sabacc_pot=4,
    ),
    Scenario(
        name='"most raises a phase" does not count the bet',
        rules="casino",
        num_players=2,
        dealer=1,
        deck="",
        overrides={"rounds": 1, "max_raises": 0},
        moves="0 stand; 1 stand; 0 can check raise; 0 raise 5; 1 can call junk; 1 junk",
        net=(0, -4),
        winners=(0,),
        pots=((4, (0,)),),
        sabacc_pot=4,
        revealed=False,
    ),
)

SCENARIOS = CARDS_AND_DICE + RESHUFFLES + BETTING_AND_POTS + HOUSE_RULES
