"""What a seat may know: nothing hidden leaks, and all that it may know is there and as documented.

``hidden_elsewhere`` and ``Knowledge`` are written from RULES.md and the public names alone, and
``meaning`` from docs/reference/observation.md: they share no code with the encoder.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from sabacc_env import Card, Game, Move, RuleSet, load_rules, rule_sets, sabacc_v0
from sabacc_env.actions import DEFAULT_BET_SIZES, encode_bet_sizes
from sabacc_env.cards import slot_order
from sabacc_env.engine.observation.public_features import update_public_seats
from sabacc_env.game.turn_buffers import TurnBuffers
from sabacc_env.observation import BLOCKS, OBSERVATION_SIZE, blocks, feature_names
from sabacc_env.render.text import render_text
from tests.support.random_play import HOUSE_RULES, random_move
from tests.support.strategies import tables

SIZES = encode_bet_sizes(DEFAULT_BET_SIZES)
JUNK = 8
seeds = st.integers(0, 2**64 - 1)
every_rules = [load_rules(name) for name in rule_sets()] + list(HOUSE_RULES.values())
every_table = [
    pytest.param(rules, num_players, id=f"{rules.name}-{num_players}")
    for rules in every_rules
    for num_players in (2, 3, 5, 8)
    if num_players <= rules.seats[1]
]
at_every_table = pytest.mark.parametrize(("rules", "num_players"), every_table)


class Knowledge:
    """What the course of a hand has shown, kept beside a game that is played through ``play``."""

    def __init__(self, game: Game) -> None:
        seats = range(game.num_players)
        self.game = game
        self.log: list[tuple[int, str, float]] = []  # seat, kind, credits paid / pot before
        self.card_actions: dict[tuple[int, int], str] = {}  # by seat and round
        self.raises: dict[int, int] = defaultdict(int)  # by round, the first bet not counted
        self.junked_known: list[set[int]] = [set() for _ in seats]

    def play(self, move: Move) -> None:
        game, rules = self.game, self.game.rules
        seat = game.seat_to_act
        assert seat is not None
        paid = 0 if rules.points else rules.fees.get(move.kind, 0)
        if move.kind == "call":
            paid = min(max(game.bets) - game.bets[seat], game.credits[seat] or 0)
        elif move.kind == "raise":
            assert move.amount is not None
            paid = move.amount
            self.raises[game.round] += max(game.bets) > 0
        elif move.kind == "junk":
            if not rules.points:
                paid = min(rules.junk_penalty, game.credits[seat] or 0)
            spike = game.spike_cards[seat]
            public = {*game.known_cards(seat), *([] if spike is None else [spike])}
            for other, known in enumerate(self.junked_known):
                known |= public | set(game.hands[seat] if other == seat else ())
        if game.phase == "cards":
            self.card_actions[seat, game.round] = move.kind
        pot = sum(amount for amount, _ in game.pots)
        self.log.append((seat, move.kind, ratio(paid, pot)))
        game.play(move)
        for known in self.junked_known:  # a reshuffle takes junked cards along
            known &= set(game.junked_cards)

    def seen_by(self, seat: int) -> set[int]:
        """Return the cards whose place the seat knows."""
        game = self.game
        seen = {*game.hands[seat], *game.discard_pile, *self.junked_known[seat]}
        seen |= {spike for spike in game.spike_cards if spike is not None}
        seen |= {card for other in range(game.num_players) for card in game.known_cards(other)}
        if game.drawn_card is not None and game.seat_to_act == seat:
            seen.add(game.drawn_card)
        return seen


def positions(
    rules: RuleSet, num_players: int, seed: int, rng: random.Random, most: int = 80
) -> Iterator[Knowledge]:
    """Play a random hand; yield it at every decision and at its end."""
    knowledge = Knowledge(Game(rules, num_players, seed=seed))
    for _ in range(most):
        yield knowledge
        if knowledge.game.seat_to_act is None:
            return
        knowledge.play(random_move(knowledge.game, rng))


def observation(game: Game, seat: int) -> NDArray[np.float32]:
    buffers = TurnBuffers(game.rules, SIZES)
    buffers.requested_observation.fill(np.nan)
    game.write_observation(buffers, seat)
    return buffers.requested_observation.copy()


# Nothing leaks.


def rearranged(game: Game, shown: set[int], rng: random.Random) -> Game:
    """Return the game with the cards that are not shown permuted, and with another chance."""
    hidden = [int(card) for card in game.rules.deck if card not in shown]
    other = dict(zip(hidden, rng.sample(hidden, len(hidden)), strict=True))

    def moved(mask: int) -> int:
        return sum(1 << other.get(card, card) for card in range(62) if mask >> card & 1)

    twin = game.clone()
    record = twin._records[0]
    for seat in range(game.num_players):
        cards = slot_order(other.get(int(card), int(card)) for card in game.hands[seat])
        record.cards[seat, : len(cards)] = cards
        record.seen_by[seat] = moved(int(record.seen_by[seat]))
        record.known[seat] = moved(int(record.known[seat]))
    if record.drawn >= 0:
        record.drawn = other.get(int(record.drawn), int(record.drawn))
    record.junked_cards = moved(int(record.junked_cards))
    record.seen_by_all = moved(int(record.seen_by_all))
    for place in range(len(record.deck)):
        record.deck[place] = other.get(int(record.deck[place]), int(record.deck[place]))
    pile = record.deck[record.deck_next : record.deck_size].tolist()
    record.deck[record.deck_next : record.deck_size] = rng.sample(pile, len(pile))
    for field in ("key_low", "key_high", "deck_state"):
        record[field] = rng.getrandbits(32)
    record.dice[record.rolls :] = rng.randint(1, 6)
    update_public_seats(record, game._rules_record[0])  # nothing public differs: changes nothing
    assert sorted(_all_cards(twin)) == sorted(_all_cards(game)) == list(game.rules.deck)
    return twin


def _all_cards(game: Game) -> list[Card]:
    beside = (*game.spike_cards, game.drawn_card)
    held = [card for hand in game.hands for card in hand]
    piles = game.draw_pile + game.discard_pile + game.junked_cards
    return held + piles + [card for card in beside if card is not None]


def assert_nothing_leaks(knowledge: Knowledge, rng: random.Random) -> int:
    """Compare each seat's sight of a game with one where what it cannot know is different."""
    game = knowledge.game
    different = 0
    for seat in range(game.num_players):
        shown = knowledge.seen_by(seat)
        if game.revealed:
            shown |= {card for other in game.remaining for card in game.hands[other]}
        twin = rearranged(game, shown, rng)
        assert observation(twin, seat).tobytes() == observation(game, seat).tobytes()
        assert twin.view(seat) == game.view(seat)
        assert render_text(twin, seat) == render_text(game, seat)
        different += twin.hands != game.hands
    return different


@at_every_table
def test_no_seat_sees_what_is_hidden(rules: RuleSet, num_players: int) -> None:
    rng = random.Random(f"{rules.name} {num_players}")
    different = 0
    for knowledge in positions(rules, num_players, rng.getrandbits(64), rng):
        if rng.random() < 0.4 or knowledge.game.seat_to_act is None:
            different += assert_nothing_leaks(knowledge, rng)
    assert different > 0


@settings(max_examples=60, deadline=None)
@given(table=tables(), seed=seeds, rng=st.randoms(use_true_random=False))
def test_no_seat_sees_what_is_hidden_under_any_rules(
    table: tuple[RuleSet, int], seed: int, rng: random.Random
) -> None:
    *_, last = positions(*table, seed, rng, most=rng.randint(1, 40))
    assert_nothing_leaks(last, rng)


def assert_public_features_are_up_to_date(game: Game) -> None:
    """Check the invariant that ``engine.observation.public_features`` states."""
    twin = game.clone()
    update_public_seats(twin._records[0], twin._rules_record[0])
    assert twin == game


@at_every_table
def test_public_features_are_kept_up_to_date(rules: RuleSet, num_players: int) -> None:
    rng = random.Random(f"{rules.name} {num_players}")
    for _ in range(3):
        for knowledge in positions(rules, num_players, rng.getrandbits(64), rng):
            assert_public_features_are_up_to_date(knowledge.game)


@settings(max_examples=60, deadline=None)
@given(table=tables(), seed=seeds, rng=st.randoms(use_true_random=False))
def test_public_features_are_kept_up_to_date_under_any_rules(
    table: tuple[RuleSet, int], seed: int, rng: random.Random
) -> None:
    for knowledge in positions(*table, seed, rng):
        assert_public_features_are_up_to_date(knowledge.game)


def test_the_rearrangement_would_show_a_leak() -> None:
    """What everyone sees of the whole game does differ: the tests above can fail."""
    rng = random.Random(1)
    *_, last = positions(load_rules("casino"), 3, 1, rng, most=3)
    twin = rearranged(last.game, last.seen_by(0), rng)
    assert render_text(twin) != render_text(last.game)
    assert observation(twin, 1).tobytes() != observation(last.game, 1).tobytes()
    assert twin.view(1) != last.game.view(1)


@pytest.mark.parametrize("rules", rule_sets())
def test_the_result_of_an_unrevealed_hand_shows_no_hand(rules: str) -> None:
    """Nor would they if the winner had held other cards."""
    env = sabacc_v0.raw_env(rules=rules, num_players=2)
    rng = random.Random(rules)
    unrevealed = 0
    for seed in range(60):
        env.reset(seed=seed)
        before = env.game
        while not env.terminations["player_0"]:
            before = env.game.clone()
            legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"]).tolist()
            env.step(JUNK if JUNK in legal and rng.random() < 0.5 else rng.choice(legal))
        if env.game.revealed:
            continue
        unrevealed += 1
        result = env.hand_result()
        assert result is not None
        assert result["revealed_hands"] == {}
        assert all(env.game.view(seat).revealed_hands == {} for seat in range(2))
        loser = before.seat_to_act
        assert loser is not None
        env.reset(seed=seed)
        env.game = rearranged(before, Knowledge(before).seen_by(loser), rng)
        env.agent_selection = f"player_{loser}"
        env.step(JUNK)
        assert env.hand_result() == result
    assert unrevealed > 5


def test_a_view_is_plain_data_without_the_game() -> None:
    view = Game("casino", 3, seed=1).view(0)
    assert not any(isinstance(getattr(view, name), Game | np.ndarray) for name in view.__slots__)
    assert not hasattr(view, "__dict__")


# Everything that a seat may know is there.

SUITS = {None: 0, 0: 1, 1: 2, 2: 3}
KINDS = {  # source, hand, money: docs/reference/observation.md, "Kinds of moves"
    "none": (0, 0, 0),
    "stand": (0, 0.5, 0),
    "draw": (1, 1, 0),
    "buy_discard": (-1, 1, 0),
    "keep": (1, 0.75, 0),
    "discard_drawn": (1, 0.25, 0),
    "replace": (1, -0.5, 0),
    "replace_spike": (1, -0.75, 0),
    "discard_draw": (1, -1, 0),
    "swap": (-1, -1, 0),
    "redraw": (0.5, -1, 0),
    "check": (0, 0, 0.25),
    "call": (0, 0, 0.5),
    "raise": (0, 0, 1),
    "junk": (0, 0, -1),
}
PARTS = ("source", "hand", "money")
PLACES = {  # the hands of each list of RULES.md section 6, best first
    "casino": (
        "Full Sabacc|Fleet|Rhylet|Wild Rhylet|Gee Whiz|Full Straight|Sylop Straight Khyron|"
        "Five Card Squad|Squadron|Sylop Rule of Two|Banthas Wild|Pure Sabacc|Straight Khyron|"
        "Idiot's Rule|Rule of Two|Yee-Haa|Pair|Sabacc|Nulrhek"
    ),
    "spacers": (
        "Pure Sabacc|Sylop Fleet|Sylop Khyron|Sylop Wings|Sylop Ace|Fleet|Rhylet|Full Khyron|"
        "Khyron|Squadron|Wings|Ace|Sabacc|Nulrhek"
    ),
    "alta": (
        "Pure Sabacc|Full Sabacc|Fleet|Dual Power Coupling|Idiots' Array|Prime Sabacc|Yee-Haa|"
        "Rhylet|Straight Rhoon|Straight Staves|Squadron|Gee Whiz|Straight Khyron|Straight Trill|"
        "Rule of Two|Paired Sabacc|Sabacc|Nulrhek"
    ),
}
RAISES_LEFT = "raises left / 5, at most 1; 1 without a limit"
CODE = "as value / 10, a Sylop 0.05, 0 for none"


def code(card: Card | None) -> float:
    if card is None:
        return 0
    return card.value / 10 if card.value else 0.05


def ratio(part: int, whole: int, most: float = 4) -> float:
    return min(most, part / max(whole, 1))


def counted(cards: set[Card] | list[Card], value: int) -> float:
    return sum(card.value == value for card in cards) / 3


def starting_credits(rules: RuleSet, seat: int) -> int:
    stacks = rules.starting_credits
    return stacks[seat] if isinstance(stacks, tuple) else stacks or 0


def meaning(knowledge: Knowledge, seat: int) -> dict[str, float]:
    """Return what each named feature of a seat's observation should be, from public names."""
    game = knowledge.game
    rounds = [max(0, game.round - 4) + shown for shown in range(4)]  # the last four, from 0
    facts = own_cards(knowledge, seat) | course(game, seat, rounds) | stakes(knowledge, seat)
    facts |= rule_facts(game.rules)
    for after in range(1, 8):
        name = f"opponent {after} to the left: "
        if after < game.num_players:
            other = (seat + after) % game.num_players
            shown = opponent(knowledge, other, rounds)
        else:
            shown = dict.fromkeys(opponent(knowledge, seat, rounds), 0.0)
        facts |= {name + feature: value for feature, value in shown.items()}
    return facts | log(knowledge, seat)


def own_cards(knowledge: Knowledge, seat: int) -> dict[str, float]:
    game = knowledge.game
    hand, spike = game.hands[seat], game.spike_cards[seat]
    seen = {Card(card) for card in knowledge.seen_by(seat)}
    facts: dict[str, float] = {}
    for value in range(-10, 11):
        facts[f"own cards of value {value:+d}, / 3"] = counted(hand, value)
        name = f"cards of value {value:+d} seen and not shuffled away since, / 3"
        facts[name] = counted(seen, value)
    for slot in range(5):
        card = hand[slot] if slot < len(hand) else None
        name = f"own slot {slot}: "
        facts[f"{name}card {CODE}"] = code(card)
        suit = 0 if card is None else SUITS[card.suit]
        facts[f"{name}its suit (1 to 3) / 3, 0 for a Sylop or none"] = suit / 3
        facts[f"{name}everyone knows it"] = card in game.known_cards(seat)
    total = sum(card.value for card in hand) + (spike.value if spike is not None else 0)
    facts["own total / 10, Spike Card counted"] = total / 10 if hand else 0
    facts["own total is 0"] = bool(hand) and total == 0
    facts["own total is positive"] = bool(hand) and total > 0
    place, key = 0.0, 0.0
    rank = game.rank(seat)
    if rank is not None:
        ranking = game.rules.ranking
        names = PLACES[ranking.partition("_")[0]].split("|")
        place = (31 - (names.index(rank.name) + 1)) / 31
        if rank.name == "Nulrhek":
            key = (63 - abs(total)) / 63
        elif rank.keys:  # in all lists but the casino's the lower key wins
            key = (rank.keys[0] if ranking == "casino" else 11 - rank.keys[0]) / 63
    facts["what the hand would rank: (31 - place in the ranking's list) / 31"] = place
    facts["how good its first key is (0 to 63) / 63; for a Nulrhek, (63 - |total|) / 63"] = key
    facts[f"own Spike Card {CODE}"] = code(spike)
    drawn = game.drawn_card if game.seat_to_act == seat else None
    facts[f"the card being decided on {CODE}"] = code(drawn)
    facts[f"the top discard {CODE}"] = code(game.discard_pile[-1] if game.discard_pile else None)
    facts["cards in the draw pile / 62"] = len(game.draw_pile) / 62
    return facts


def course(game: Game, seat: int, rounds: list[int]) -> dict[str, float]:
    facts: dict[str, float] = {
        "round 0, the opening bet": game.round == 0,
        "round 1": game.round == 1,
        "round 2": game.round == 2,
        "round 3": game.round == 3,
        "round 4 or later": game.round >= 4,
        "card phase, first choice": game.phase == "cards" and game.drawn_card is None,
        "card phase, second choice": game.phase == "cards" and game.drawn_card is not None,
        "dice phase, a redraw to choose": game.phase == "dice",
        "betting phase": game.phase == "betting",
        "seats after the dealer / 8": (seat - game.dealer) % game.num_players / 8,
        "is the dealer": seat == game.dealer,
        "players / 8": game.num_players / 8,
        "remaining seats / 8": len(game.remaining) / 8,
        "hands left in the episode, this one included, / 10, at most 1": 0.1,
    }
    for shown, index in enumerate(rounds):
        first, second = game.dice[index] if index < len(game.dice) else (0, 0)
        name = f"round {shown + 1} (or of the last four): "
        facts[f"{name}first die / 6, 0 if not rolled"] = first / 6
        facts[f"{name}second die / 6"] = second / 6
    return facts


def stakes(knowledge: Knowledge, seat: int) -> dict[str, float]:
    game = knowledge.game
    rules, start = game.rules, starting_credits(game.rules, seat)
    pot = sum(amount for amount, _ in game.pots)
    credits = game.credits[seat] or 0
    betting = game.phase == "betting" and seat in game.remaining
    call = max(game.bets) - game.bets[seat] if betting else 0
    raises_left = 1.0
    if rules.max_raises is not None:
        raised = knowledge.raises[game.round] if game.phase == "betting" else 0
        raises_left = ratio(rules.max_raises - raised, 5, 1)
    facts: dict[str, float] = {
        "own credits / starting credits, at most 4": ratio(credits, start),
        "own credits / pot, at most 4": ratio(credits, pot),
        "own bets of this phase / pot": ratio(game.bets[seat], pot, 1),
        "own bets of this hand / starting credits, at most 4": ratio(
            game.bets_of_hand[seat], start
        ),
        "to call / pot, at most 4": ratio(call, pot),
        "to call / starting credits, at most 4": ratio(call, start),
        "faces a bet": call > 0,
        "cannot cover the call": call > credits,
        "pot / starting credits, at most 4": ratio(pot, start),
        "Sabacc pot / pot, at most 4": ratio(game.sabacc_pot, pot),
        "Sabacc pot / starting credits, at most 4": ratio(game.sabacc_pot, start),
        "to call is above a quarter of the pot": call > pot / 4,
        "to call is above half of the pot": call > pot / 2,
        "own credits are below the pot": credits < pot,
        "own credits are below four pots": credits < 4 * pot,
        "Sabacc pot is above the pot": game.sabacc_pot > pot,
    }
    if game.phase != "over":
        facts[RAISES_LEFT] = raises_left
    return facts


def opponent(knowledge: Knowledge, other: int, rounds: list[int]) -> dict[str, float]:
    game = knowledge.game
    pot, start = sum(amount for amount, _ in game.pots), starting_credits(game.rules, other)
    remains = other in game.remaining
    credits = game.credits[other]
    known = slot_order(game.known_cards(other))
    kinds = [kind for seat, kind, _ in knowledge.log if seat == other]
    last = KINDS[kinds[-1] if kinds else "none"]
    facts: dict[str, float] = {
        "remains in the hand": remains,
        "has junked": other in game.seated and not remains,
        "is out (not dealt in)": other not in game.seated,
        "is all-in": remains and credits == 0 and game.rules.short_call == "all_in",
        "credits / starting credits, at most 4": ratio(credits or 0, start),
        "bets of this phase / pot": ratio(game.bets[other], pot, 1),
        "bets of this hand / starting credits, at most 4": ratio(game.bets_of_hand[other], start),
        "cards in hand / 5": len(game.hands[other]) / 5,
        f"Spike Card {CODE}": code(game.spike_cards[other]),
    }
    for number in range(5):
        card = known[number] if number < len(known) else None
        facts[f"card {number + 1} that everyone knows, {CODE}"] = code(card)
    for part in range(3):
        facts[f"last action: {PARTS[part]}"] = last[part]
    for shown, index in enumerate(rounds):
        kind = knowledge.card_actions.get((other, index + 1), "none")
        for part in range(2):
            name = f"card action of round {shown + 1} (or of the last four): {PARTS[part]}"
            facts[name] = KINDS[kind][part]
    return facts


def log(knowledge: Knowledge, seat: int) -> dict[str, float]:
    facts: dict[str, float] = {}
    for back in range(1, 17):
        name = f"public action {back} back"
        place, values = 0.0, [0.0] * 4
        if back <= len(knowledge.log):
            actor, kind, share = knowledge.log[-back]
            place = (1 + (actor - seat) % knowledge.game.num_players) / 8
            values = [*KINDS[kind], share]
        facts[f"seat of {name}: (1 + seats after the observer) / 8, 0 for none"] = place
        for part in range(3):
            facts[f"{name}: {PARTS[part]}"] = values[part]
        facts[f"{name}: credits paid (a raise: its total) / the pot before, at most 4"] = values[3]
    return facts


def rule_facts(rules: RuleSet) -> dict[str, float]:
    ante = rules.hand_ante
    facts: dict[str, float] = {
        f"ranking is {name}": rules.ranking == name
        for name in ("casino", "spacers", "alta_orsl", "alta_three_en", "alta_yarith_bespin")
    }
    kinds = "draw buy_discard discard_draw swap".split()
    for kind in [*kinds, "replace", "replace_spike", "discard_drawn"]:
        facts[f"may {kind}"] = kind in rules.card_actions
    for kind in kinds:
        facts[f"fee of {kind} / ante, at most 8"] = ratio(rules.fees.get(kind, 0), ante, 8)
    for phase in ("cards", "dice", "betting"):
        place = rules.phases.index(phase) + 1 if phase in rules.phases else 0
        facts[f"place of {phase} in a round / 3"] = place / 3
    for limit, most in (("bet", rules.max_bet), ("raise", rules.max_raise)):
        name = f"ante / largest {limit}, at most 8, 0 if unlimited"
        facts[name] = 0 if most is None else ratio(ante, most, 8)
    most_raises = rules.max_raises
    return facts | {
        "may look, then discard": rules.look_then_discard,
        "doubles redraw one": rules.doubles == "redraw_one",
        "doubles redraw all": rules.doubles == "redraw_all",
        "a double Spike redraws one": rules.double_spike == "redraw_one",
        "a double Spike redraws all": rules.double_spike == "redraw_all",
        "junk at any betting turn": rules.junk_when == "betting",
        "junk in the card phase": rules.junk_when == "cards",
        "junk penalty / ante, at most 8": ratio(rules.junk_penalty, ante, 8),
        "junked cards are face up": rules.junk_face_up,
        "a short call is all-in": rules.short_call == "all_in",
        "points instead of credits": rules.starting_credits is None,
        "opening bet": rules.opening_bet,
        "Spike Card": rules.spike_card,
        "rounds / 8": rules.rounds / 8,
        "cards dealt / 5": rules.cards_dealt / 5,
        "cards in the deck / 62": len(rules.deck) / 62,
        "Sabacc ante / ante, at most 8": ratio(rules.sabacc_ante, ante, 8),
        "bet step / ante, at most 8": ratio(rules.bet_step, ante, 8),
        "1 / (1 + most raises), 0 if unlimited": 0
        if most_raises is None
        else 1 / (1 + most_raises),
    }


def assert_observed_as_documented(knowledge: Knowledge) -> None:
    game = knowledge.game
    names = feature_names()
    for seat in range(game.num_players):
        observed = observation(game, seat)
        assert np.isfinite(observed).all()
        assert abs(observed).max() <= 8
        expected = meaning(knowledge, seat)
        left_out = set() if game.seat_to_act is not None else {RAISES_LEFT}
        assert set(expected) == set(names) - left_out
        wrong = {
            name: (float(feature), expected[name])
            for name, feature in zip(names, observed, strict=True)
            if name in expected and feature != np.float32(expected[name])
        }
        assert not wrong, f"seat {seat}: (observed, expected) {wrong}"


@at_every_table
def test_observations_are_as_documented(rules: RuleSet, num_players: int) -> None:
    rng = random.Random(f"{rules.name} {num_players}")
    for _ in range(2):
        for knowledge in positions(rules, num_players, rng.getrandbits(64), rng):
            if rng.random() < 0.3 or knowledge.game.seat_to_act is None:
                assert_observed_as_documented(knowledge)


@settings(max_examples=100, deadline=None)
@given(table=tables(), seed=seeds, rng=st.randoms(use_true_random=False))
def test_observations_are_as_documented_under_any_rules(
    table: tuple[RuleSet, int], seed: int, rng: random.Random
) -> None:
    *_, last = positions(*table, seed, rng, most=rng.randint(1, 60))
    assert_observed_as_documented(last)


def test_seats_that_are_out_and_big_stacks_are_observed_as_documented() -> None:
    game = Game("casino", 4, seed=1, credits=[3, 5000, 40, 200], sabacc_pot=900)
    assert_observed_as_documented(Knowledge(game))
    assert game.seated == (1, 2, 3)
    assert blocks(observation(game, 1)).own_stakes[0] == 4


@at_every_table
def test_seen_cards_are_those_whose_place_is_known(rules: RuleSet, num_players: int) -> None:
    rng = random.Random(f"{rules.name} {num_players}")
    for knowledge in positions(rules, num_players, rng.getrandbits(64), rng):
        for seat in range(num_players):
            assert set(knowledge.game.seen_cards(seat)) == knowledge.seen_by(seat)


def test_own_cards_can_be_read_back() -> None:
    """Value and suit by slot name every card but tell no Sylop from the other."""
    rng = random.Random(5)
    for knowledge in positions(load_rules("spacers"), 4, 5, rng):
        for seat, hand in enumerate(knowledge.game.hands):
            slots = blocks(observation(knowledge.game, seat)).own_slots
            read = []
            for value, suit, _ in slots:
                if value == np.float32(0.05):
                    read.append("0")
                elif value:
                    card = Card.of(round(float(value) * 10), round(float(suit) * 3) - 1)
                    read.append(str(card))
            assert read == ["0" if card.suit is None else str(card) for card in hand]


def test_index_names_are_unique() -> None:
    names = feature_names()
    assert len(names) == len(set(names)) == OBSERVATION_SIZE


def test_blocks_are_views_by_name_and_no_others() -> None:
    observations = np.zeros((2, OBSERVATION_SIZE), np.float32)
    seen = blocks(observations)
    for block in BLOCKS:
        part = getattr(seen, block.name)
        assert part.shape == (2, *block.shape)
        part += 1
    assert (observations == 1).all()  # every feature is in one block, and these are views
    assert {block.name for block in BLOCKS} <= set(dir(seen))
    with pytest.raises(AttributeError, match="no block 'own_hand'"):
        _ = seen.own_hand
