"""The oracle plays every scenario, and random hands that conserve cards and credits."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from sabacc_env.cards import Card, deck
from tests.support.scenarios import SCENARIOS
from tests.support.scenarios.scenario import Player, Scenario, cards, run

from .game import OracleGame
from .pots import excess, layers

CASINO = {
    "seats": (2, 8),
    "highest_value": 10,
    "suits": 3,
    "sylops": 2,
    "rounds": 3,
    "cards_dealt": 2,
    "hand_ante": 2,
    "sabacc_ante": 2,
    "phases": ("cards", "dice", "betting"),
    "opening_bet": False,
    "card_actions": ("stand", "draw", "discard_draw", "swap"),
    "fees": {},
    "look_then_discard": False,
    "doubles": "redraw_one",
    "double_spike": "redraw_all",
    "junk_when": "facing_bet",
    "junk_penalty": 0,
    "junk_face_up": False,
    "short_call": "all_in",
    "min_bet": 1,
    "max_bet": None,
    "min_raise": 1,
    "max_raise": None,
    "bet_step": 1,
    "max_raises": None,
    "spike_card": False,
    "ranking": "casino",
}
ORSL = CASINO | {
    "hand_ante": 20,
    "sabacc_ante": 10,
    "phases": ("cards", "betting", "dice"),
    "card_actions": ("stand", "draw", "buy_discard", "discard_draw", "swap"),
    "fees": {"draw": 10, "buy_discard": 20},
    "doubles": "redraw_all",
    "junk_when": "betting",
    "junk_penalty": 10,
    "short_call": "junk",
    "ranking": "alta_orsl",
}
RULES: dict[str, dict[str, Any]] = {
    "casino": CASINO,
    "black_spire": CASINO
    | {
        "hand_ante": 1,
        "sabacc_ante": 0,
        "starting_credits": None,
        "phases": ("cards", "dice"),
        "card_actions": ("stand", "draw", "swap"),
        "doubles": "redraw_all",
        "junk_when": "cards",
        "short_call": "junk",
        "ranking": "alta_orsl",
    },
    "orsl": ORSL,
    "three_en": ORSL | {"phases": ("cards", "dice", "betting"), "ranking": "alta_three_en"},
    "yarith_bespin": ORSL
    | {
        "opening_bet": True,
        "spike_card": True,
        "card_actions": ("stand", "draw", "replace", "replace_spike", "discard_drawn"),
        "fees": {"draw": 20},
        "junk_penalty": 0,
        "ranking": "alta_yarith_bespin",
    },
    "spacers": CASINO
    | {
        "hand_ante": 1,
        "sabacc_ante": 0,
        "phases": ("cards", "betting", "dice"),
        "opening_bet": True,
        "doubles": "redraw_all",
        "junk_face_up": True,
        "ranking": "spacers",
    },
}


def resolved(name: str, **overrides: Any) -> SimpleNamespace:
    """Return a rule set; what RULES.md gives in hand antes follows the ante unless set itself."""
    rules = RULES[name] | overrides
    ante = rules["hand_ante"]
    in_antes = {"starting_credits": 100 * ante}
    if name == "spacers":
        in_antes |= {"min_bet": ante, "min_raise": ante, "bet_step": ante}
    set_itself = RULES[name].keys() & {"starting_credits"} | overrides.keys()
    rules |= {field: value for field, value in in_antes.items() if field not in set_itself}
    return SimpleNamespace(**rules)


def start(scenario: Scenario, reshuffle: Callable[[list[int], int], list[int]]) -> OracleGame:
    rules = resolved(scenario.rules, **scenario.overrides)
    return OracleGame(
        rules,
        scenario.num_players,
        scenario.dealer,
        scenario.full_deck(rules),
        scenario.dice,
        scenario.credits,
        scenario.sabacc_pot_before,
        reshuffle,
    )


def check_conservation(game: OracleGame) -> None:
    """Every card is in one place; every credit is accounted for; nobody knows too much."""
    rules = game.rules
    spikes = [card for card in game.spike_cards if card is not None]
    drawn = [] if game.drawn_card is None else [game.drawn_card]
    hands = [card for hand in game.hands for card in hand]
    piles = game.draw_pile + game.discard_pile + game.junked_cards
    everything = sorted([*hands, *spikes, *drawn, *piles])
    assert everything == deck(rules.highest_value, rules.suits, rules.sylops)
    assert game.junked_cards == sorted(game.junked_cards)

    stacks = [stack for stack in game.credits if stack is not None]
    staked = sum(amount for amount, _ in game.pots)
    if game.points:
        assert not stacks
        assert staked == game.num_players
    else:
        _, before, sabacc_pot = game._start
        in_pots = 0 if game.phase == "over" else staked  # the winners have been paid
        assert min(stacks) >= 0
        assert sum(stacks) + in_pots + game.sabacc_pot == sum(before) + sabacc_pot
    public = {*game.discard_pile, *spikes}
    for seat, hand in enumerate(game.hands):
        assert game.known[seat] <= set(hand) <= game.seen[seat]
        assert public <= game.seen[seat]
        assert not game.seen[seat] & set(game.draw_pile)


def player(game: OracleGame) -> Player:
    return Player(game.legal_moves, game.play)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_a_scenario_ends_as_written(scenario: Scenario) -> None:
    game = start(scenario, scenario.reshuffle)
    run(scenario, game, player(game), lambda: check_conservation(game), ordered=True)


@pytest.mark.parametrize("scenario", [s for s in SCENARIOS if s.reshuffles], ids=lambda s: s.name)
def test_a_scenario_ends_so_whatever_the_reshuffles(scenario: Scenario) -> None:
    for seed in range(30):
        rng = random.Random(seed)
        game = start(scenario, lambda given, count: rng.sample(given, len(given)))  # noqa: B023
        run(scenario, game, player(game), lambda: check_conservation(game), ordered=False)  # noqa: B023


def new(name: str, top: str, num_players: int = 2, **given: Any) -> OracleGame:
    """Start a hand with the last seat as dealer and these cards on top."""
    overrides = given.pop("overrides", {})
    rules = resolved(name, **overrides)
    first = cards(top)
    rest = [card for card in deck(rules.highest_value, rules.suits) if card not in first]
    dice = given.pop("dice", [(1, 2)] * 3)
    return OracleGame(rules, num_players, num_players - 1, [*first, *rest], dice, **given)


def texts(found: set[int]) -> str:
    return " ".join(map(str, sorted(Card(card) for card in found)))


def test_known_holds_what_was_taken_face_up_and_is_still_there() -> None:
    game = new("orsl", "+5t +6t -3s -4s +9c +1c", dice=[(1, 2), (2, 2)])
    game.play("buy_discard")
    assert texts(game.known[0]) == "+9c"
    game.play("swap", Card.parse("-3s"))
    assert [texts(found) for found in game.known] == ["+9c", "+1c"]
    game.play("check")
    game.play("check")
    game.play("discard_draw", Card.parse("+9c"))
    assert [texts(found) for found in game.known] == ["", "+1c"]
    game.play("stand")
    game.play("check")
    game.play("check")  # doubles: both hands go
    assert [texts(found) for found in game.known] == ["", ""]


def test_seen_holds_ones_own_cards_and_what_was_public() -> None:
    game = new("orsl", "+5t +6t -3s -4s +9c +1c -7c")
    assert [texts(found) for found in game.seen] == ["+5t +6t +9c", "-3s -4s +9c"]
    game.play("discard_draw", Card.parse("+6t"))
    game.play("stand")
    assert [texts(found) for found in game.seen] == ["+5t +6t +1c +9c", "+6t -3s -4s +9c"]


def test_seen_does_not_hold_cards_junked_face_down_by_others() -> None:
    game = new("orsl", "+5t +6t -3s -4s +7t +8t +9c", num_players=3)
    for _ in range(3):
        game.play("stand")
    game.play("junk")
    assert not game.seen[1] & set(cards("+5t +6t"))
    assert set(cards("+5t +6t")) <= game.seen[0]


def test_a_bought_card_is_seen_by_its_buyer_and_a_new_spike_card_by_all() -> None:
    game = new("yarith_bespin", "+5t +6t -3s -4s +2c +3c -8t 0a")
    game.play("check")
    game.play("check")
    game.play("draw")
    bought = Card.parse("-8t")
    assert (bought in game.seen[0], bought in game.seen[1]) == (True, False)
    game.play("replace_spike")
    assert bought in game.seen[1]
    assert not game.known[0]


def test_a_reshuffle_is_forgotten_and_called_by_count() -> None:
    calls: list[tuple[list[int], int]] = []

    def reshuffle(given: list[int], count: int) -> list[int]:
        calls.append((given, count))
        return given[::-1]

    small = {"rounds": 1, "highest_value": 3, "suits": 1}
    top = "+1t +2t -1t -2t +3t -3t 0a 0b"
    game = new("casino", top, overrides=small, dice=[(1, 1)], reshuffle=reshuffle)
    game.play("stand")
    game.play("stand")
    # Seat 0 drew -3t 0a; seat 1 drew 0b, and then -1t from the reshuffle.
    assert calls == [(cards("+1t +2t +3t -1t"), 0)]
    assert game.draw_pile == cards("+3t +2t +1t")
    assert [texts(found) for found in game.seen] == ["-2t -3t 0a", "-1t -2t 0b"]


def test_a_move_that_fails_changes_nothing() -> None:
    small = {"rounds": 1, "highest_value": 3, "suits": 1}
    top = "+1t +2t -1t -2t +3t -3t 0a 0b"
    for dice, message in [([(1, 1)], "reshuffle 0"), ([], "no dice for round 1")]:
        game = new("casino", top, overrides=small, dice=dice)
        game.play("draw")
        before = (game.hands, game.draw_pile, game.discard_pile, game.seen, game.legal_moves())
        with pytest.raises(ValueError, match=message):
            game.play("stand")
        after = (game.hands, game.draw_pile, game.discard_pile, game.seen, game.legal_moves())
        assert before == after
        assert game.seat_to_act == 1


def test_an_impossible_start_is_refused() -> None:
    with pytest.raises(ValueError, match="fewer than two"):
        new("casino", "", credits=[3, 100])
    with pytest.raises(ValueError, match="points game"):
        new("black_spire", "", credits=[3, 100])
    with pytest.raises(ValueError, match="no Sabacc pot"):
        new("spacers", "", sabacc_pot=5)
    with pytest.raises(ValueError, match="permutation"):
        OracleGame(resolved("casino"), 2, 0, list(range(61)), [])


def test_excess_and_layers() -> None:
    assert excess([10, 50, 30]) == (1, 20)
    assert excess([50, 50, 30])[1] == 0
    assert layers([0, 40, 40], [0, 1, 2], 6) == [(6, (0, 1, 2)), (80, (1, 2))]
    assert layers([10, 10, 40, 40], [0, 1], 8) == [(108, (0, 1))]
    # A junked seat between two levels is in both layers, and cuts none of its own.
    assert layers([10, 25, 40, 40], [0, 2, 3], 0) == [(40, (0, 2, 3)), (75, (2, 3))]


@pytest.mark.parametrize("name", RULES)
def test_random_hands_conserve_cards_and_credits(name: str) -> None:
    kinds: Counter[str] = Counter()
    for seed in range(24):
        rng = random.Random(f"{name} {seed}")
        rules = resolved(name)
        num_players = rng.randint(2, 8)
        cards_in_order = rng.sample(deck(), 62)
        dice = [(rng.randint(1, 2), rng.randint(1, 2)) for _ in range(3)]
        ante = rules.hand_ante + rules.sabacc_ante
        stacks = [rng.randint(ante, 8 * ante) for _ in range(num_players)]
        game = OracleGame(
            rules,
            num_players,
            rng.randrange(num_players),
            cards_in_order,
            dice,
            None if rules.starting_credits is None else stacks,
            reshuffle=lambda given, count: rng.sample(given, len(given)),  # noqa: B023
        )
        check_conservation(game)
        while game.seat_to_act is not None:
            kind, *rest = rng.choice(sorted(game.legal_moves(), key=str))
            if kind == "raise":
                low, high, step = rest
                game.play("raise", None, rng.choice(range(low, high + 1, step)))
            else:
                game.play(kind, rest[0])
            kinds[kind] += 1
            check_conservation(game)
        assert game.net_credits is not None
        assert sum(game.net_credits) == -game.sabacc_pot
        if name != "yarith_bespin":
            assert all(len(hand) <= 5 for hand in game.hands)
        else:
            assert all(len(hand) in (0, 2) for hand in game.hands)
    assert kinds["stand"]
    assert kinds["junk"]
