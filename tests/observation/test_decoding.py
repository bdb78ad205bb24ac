"""Observations read back as facts: what ``decode`` says is what the game's view says."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

from sabacc_env import Game, RuleSet, SabaccError, load_rules, rule_sets
from sabacc_env.actions import DEFAULT_BET_SIZES, encode_bet_sizes
from sabacc_env.cards import Card
from sabacc_env.engine.layout import KINDS, PHASES
from sabacc_env.engine.rules_record import starting_credits
from sabacc_env.game.turn_buffers import TurnBuffers
from sabacc_env.game.view import GameView
from sabacc_env.hand_ranks import HAND_NAMES
from sabacc_env.observation import (
    OBSERVATION_SIZE,
    PACKED_SCALES,
    DecodedObservations,
    DecodedOpponents,
    decode,
)
from tests.support.random_play import HOUSE_RULES, decisions

VALUES = range(-10, 11)
RULES = {**{name: load_rules(name) for name in rule_sets()}, **HOUSE_RULES}

Position = tuple[Game, dict[tuple[int, int], int]]
"""A game in play, and what each seat did in the card phase of each round, as a kind of move."""


def positions(rules: RuleSet, num_players: int, seed: int) -> Iterator[Position]:
    """Yield a random hand at each turn and at its end."""
    game = Game(rules, num_players, seed=seed)
    card_actions: dict[tuple[int, int], int] = {}
    for move in decisions(game, random.Random(seed), most=60):
        yield game, card_actions
        if game.phase == "cards":
            assert game.seat_to_act is not None
            card_actions[game.seat_to_act, game.round] = KINDS.index(move.kind)
    yield game, card_actions


def observed(game: Game, seat: int) -> np.ndarray:
    """Return what a seat observes, as an environment of one hand shows it."""
    buffers = TurnBuffers(game.rules, encode_bet_sizes(DEFAULT_BET_SIZES))
    game.write_observation(buffers, seat)
    return buffers.requested_observation.copy()


def padded(values: list[int], size: int) -> list[int]:
    return values + [0] * (size - len(values))


def values(cards: tuple[Card, ...] | list[Card]) -> list[int]:
    return [card.value for card in cards]


def counts(cards: tuple[Card, ...]) -> list[int]:
    return [values(cards).count(value) for value in VALUES]


def of_card(card: Card | None) -> tuple[int, bool]:
    return (0, False) if card is None else (card.value, True)


def own_facts(view: GameView) -> dict[str, object]:
    """Return what the own hand and the piles should be decoded as."""
    hand, seat = view.hand, view.seat
    held = [slot < len(hand) for slot in range(5)]
    suits = [0 if card.suit is None else card.suit + 1 for card in hand]
    spike, has_spike = of_card(view.spike_cards[seat])
    drawn, has_drawn = of_card(view.drawn_card)
    top, has_top = of_card(view.discard_pile[-1] if view.discard_pile else None)
    place = 31
    if view.rank is not None:
        names = [name for name, _ in HAND_NAMES[view.rules.ranking]]
        place = names.index(view.rank.name) + 1
    return {
        "own_values": padded(values(hand), 5),
        "own_held": held,
        "own_suits": padded(suits, 5),
        "own_known": padded([card in view.known_cards[seat] for card in hand], 5),
        "own_counts": counts(hand),
        "own_total": sum(values(hand)) + spike if hand else 0,
        "own_rank_place": place,
        "own_spike_card": spike,
        "has_spike_card": has_spike,
        "drawn_card": drawn,
        "has_drawn_card": has_drawn,
        "top_discard": top,
        "has_top_discard": has_top,
        "seen_counts": counts(view.seen_cards),
        "draw_pile_size": view.draw_pile_size,
    }


def shown_rounds(view: GameView) -> range:
    """Return the rounds whose dice and card actions are observed: the last four."""
    first = max(0, view.round - 4)
    return range(first + 1, first + 5)


def table_facts(game: Game, view: GameView) -> dict[str, object]:
    """Return what round, phase, bets and the like should be decoded as."""
    seat, pot = view.seat, sum(amount for amount, _ in view.pots)
    betting = view.phase == "betting" and seat in view.remaining
    call = max(view.bets) - view.bets[seat] if betting else 0
    start = max(starting_credits(view.rules, 8)[seat], 1)
    stack = view.credits[seat] or 0
    dice = [view.dice[i - 1] if i <= len(view.dice) else (0, 0) for i in shown_rounds(view)]
    recent = view.history[::-1][:16]
    num_players = view.num_players
    most_raises = view.rules.max_raises
    raises = int(game._records["raises"][0])
    return {
        "round": min(view.round, 4),
        "phase": PHASES.index(view.phase),
        "is_betting": view.phase == "betting",
        "is_second_choice": game.drawn_card is not None,
        "dice": [list(pair) for pair in dice],
        "seats_after_dealer": (seat - view.dealer) % num_players,
        "num_players": num_players,
        "num_remaining": len(view.remaining),
        "hands_left": 1,
        "faces_bet": call > 0,
        "cannot_cover_call": call > stack,
        "raises_left": 5 if most_raises is None else min(5, most_raises - raises),
        "credits_per_pot": min(4, stack / max(pot, 1)),
        "credits_per_start": min(4, stack / start),
        "phase_bets_per_pot": min(1, view.bets[seat] / max(pot, 1)),
        "hand_bets_per_start": min(4, view.bets_of_hand[seat] / start),
        "to_call_per_pot": min(4, call / max(pot, 1)),
        "to_call_per_start": min(4, call / start),
        "pot_per_start": min(4, pot / start),
        "sabacc_pot_per_pot": min(4, view.sabacc_pot / max(pot, 1)),
        "sabacc_pot_per_start": min(4, view.sabacc_pot / start),
        "log_kinds": [KINDS.index(move.kind) for _, move in recent] + [-1] * (16 - len(recent)),
        "log_seats": [(by - seat) % num_players for by, _ in recent] + [-1] * (16 - len(recent)),
    }


def opponent_facts(game: Game, view: GameView, other: int) -> dict[str, object]:
    """Return what is seen of an opponent."""
    spike, has_spike = of_card(view.spike_cards[other])
    known = values(sorted(view.known_cards[other], key=lambda card: (card.value, card)))
    remains, seated = other in view.remaining, other in game.seated
    start = max(starting_credits(view.rules, 8)[other], 1)
    pot = sum(amount for amount, _ in view.pots)
    kinds = [move.kind for by, move in view.history if by == other]
    stack = view.credits[other]
    return {
        "remain": remains,
        "junked": seated and not remains,
        "out": not seated,
        "all_in": remains and stack == 0 and view.rules.short_call == "all_in",
        "credits_per_start": min(4, (stack or 0) / start),
        "hand_bets_per_start": min(4, view.bets_of_hand[other] / start),
        "phase_bets_per_pot": min(1, view.bets[other] / max(pot, 1)),
        "hand_sizes": view.hand_sizes[other],
        "known_values": padded(known, 5),
        "known": padded([True] * len(known), 5),
        "spike_cards": spike,
        "have_spike_card": has_spike,
        "last_actions": KINDS.index(kinds[-1]) if kinds else -1,
    }


def card_actions_of(view: GameView, other: int, done: dict[tuple[int, int], int]) -> list[int]:
    """Return what an opponent did in the card phases shown; -1 for nothing, and for junk."""
    kinds = [done.get((other, round_no), -1) for round_no in shown_rounds(view)]
    return [-1 if kind == KINDS.index("junk") else kind for kind in kinds]


def assert_same(found: np.ndarray, wanted: object, fact: str) -> None:
    expected = np.asarray(wanted, found.dtype)
    assert np.array_equal(found, expected), f"{fact}: {found}, not {expected}"


@pytest.mark.parametrize("name", RULES)
def test_facts_are_those_of_the_view(name):
    rules = RULES[name]
    for num_players in range(rules.seats[0], rules.seats[1] + 1):
        for game, card_actions in positions(rules, num_players, seed=num_players):
            for seat in range(num_players):
                view, decoded = game.view(seat), decode(observed(game, seat))
                for fact, wanted in (own_facts(view) | table_facts(game, view)).items():
                    assert_same(getattr(decoded, fact), wanted, fact)
                for after in range(1, num_players):
                    other = (seat + after) % num_players
                    facts = opponent_facts(game, view, other)
                    facts["card_actions"] = card_actions_of(view, other, card_actions)
                    for fact, wanted in facts.items():
                        assert_same(getattr(decoded.opponents, fact)[after - 1], wanted, fact)
                seats = decoded.opponents
                assert not (seats.remain | seats.junked | seats.out)[num_players - 1 :].any()


def names(of: type) -> list[str]:
    return [name for name in dir(of) if not name.startswith("_")]


def test_packed_observations_have_the_same_facts():
    observations = np.stack(
        [
            observed(game, 0)
            for rules in RULES.values()
            for game, _ in positions(rules, rules.seats[1], seed=1)
        ]
    )
    packed = np.rint(observations * PACKED_SCALES).astype(np.int8)
    plain, unpacked = decode(observations), decode(packed)
    for of, one, other in (
        (DecodedObservations, plain, unpacked),
        (DecodedOpponents, plain.opponents, unpacked.opponents),
    ):
        for name in names(of):
            fact = getattr(one, name)
            if isinstance(fact, np.ndarray):
                assert len(fact) == len(observations)
                if not name.endswith(("_per_pot", "_per_start")):
                    np.testing.assert_array_equal(fact, getattr(other, name), name)


def test_any_number_of_dimensions():
    observations = np.zeros((2, 3, OBSERVATION_SIZE), np.float32)
    decoded = decode(observations)
    assert decoded.own_total.shape == (2, 3)
    assert decoded.own_values.shape == (2, 3, 5)
    assert decoded.opponents.card_actions.shape == (2, 3, 7, 4)
    assert (decoded.log_kinds == -1).all()


@pytest.mark.parametrize("wrong", [None, np.zeros(3), np.zeros((2, 3), np.int8)])
def test_what_is_no_observation_is_refused(wrong):
    with pytest.raises(SabaccError, match=r"^observations: "):
        decode(wrong)


@pytest.mark.parametrize("dtype", [object, np.int64, np.uint8, np.bool_, "U1"])
def test_an_array_of_another_type_is_refused(dtype):
    sentence = (
        "observations: give an array of float32, or of int8 for packed observations, "
        f"not of {np.dtype(dtype)}"
    )
    with pytest.raises(SabaccError) as raised:
        decode(np.zeros(OBSERVATION_SIZE, dtype))
    assert str(raised.value) == sentence


def test_an_array_that_is_not_of_numpy_is_refused():
    torch = pytest.importorskip("torch")
    with pytest.raises(SabaccError, match=r"^observations: give a NumPy array, not an object of"):
        decode(torch.zeros(OBSERVATION_SIZE))
