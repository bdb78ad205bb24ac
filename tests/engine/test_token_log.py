"""The token form: perfect recall, nothing else, and the same in every batch."""

import itertools
import pickle
import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sabacc_training.config.game import rungs
from sabacc_training.solved_games.agent_policy import tokens_at
from sabacc_training.solved_games.game_tree import flatten
from sabacc_training.solved_games.rung import load_rung

from sabacc_env import Game, Move, Tables, load_rules, rule_sets
from sabacc_env.actions import DEFAULT_BET_SIZES, encode_bet_sizes
from sabacc_env.cards import CARDS
from sabacc_env.engine.layout import KINDS
from sabacc_env.errors import SabaccError
from sabacc_env.game.turn_buffers import TurnBuffers
from sabacc_env.observation import decode_tokens, is_truncated, token_mask, token_names
from sabacc_env.policies import random_legal
from tests.support.random_play import HOUSE_RULES, random_move

LARGE = ["great_casino", "three_seats", "side_pots"]
SMALL = [name for name in rungs() if name not in LARGE]
EVERY_RULES = [load_rules(name) for name in rule_sets()] + list(HOUSE_RULES.values())


@pytest.mark.parametrize(
    "name",
    [name if name in SMALL else pytest.param(name, marks=pytest.mark.slow) for name in rungs()],
)
def test_no_two_information_states_look_alike(name):
    """On every rung the sequences tell all information states apart, and nothing more."""
    tree = flatten(load_rung(name))
    tokens = tokens_at(tree, np.arange(len(tree.states.nodes)))
    assert not is_truncated(tokens).any()
    told_apart = len(np.unique(tokens, axis=0))
    assert told_apart == len(tree.states.nodes)


def test_with_dice_has_more_information_states_than_flat_observations():
    assert len(flatten(load_rung("with_dice")).states.nodes) == 7591


class Told:
    """What a sequence says, read without the code that writes it.

    ``smallest_raises`` are, for each move of the hand, who was to act and the least that it could
    raise to: what the rules say about moves that a sequence only counts.
    """

    def __init__(self, tokens, seat, num_players, smallest_raises=()):
        self.moves, self.dice, self.own, self.face_up = [], [], [], []
        self.spikes, self.credits, number_of = {}, {}, None
        self.hands_left = self.sabacc_pot = None
        for name in decode_tokens(tokens):
            group, _, value = name.partition(" ")
            if group == "digit":
                self._add_digit(number_of, int(value))
                continue
            number_of = None
            if group == "move":
                after, kind = value.split(" ")
                self.moves.append([(seat + int(after)) % num_players, kind, None])
                number_of = "raise"
            elif group == "smallest":
                del self.moves[-1]
                first = len(self.moves)
                for raiser, total in smallest_raises[first : first + int(value)]:
                    self.moves.append([raiser, "raise", total])
            elif group == "dice":
                self.dice.append(tuple(map(int, value.split("-"))))
            elif group == "own_card":
                self.own.append(value)
            elif group == "face_up":
                self.face_up.append(value)
            elif group == "dealer":
                self.dealer = (seat + int(value)) % num_players
            elif group == "credits":
                number_of = "credits", (seat + int(value)) % num_players
                self.credits[number_of[1]] = 0
            elif group in ("hands_left", "sabacc_pot"):
                number_of = group
                setattr(self, group, 0)

    def _add_digit(self, number_of, digit):
        if number_of == "raise":
            self.moves[-1][2] = 100 * (self.moves[-1][2] or 0) + digit
        elif isinstance(number_of, tuple):
            self.credits[number_of[1]] = 100 * self.credits[number_of[1]] + digit
        else:
            setattr(self, number_of, 100 * getattr(self, number_of) + digit)


@pytest.mark.parametrize("rules", EVERY_RULES, ids=lambda rules: rules.name)
def test_a_sequence_says_what_a_view_says(rules):
    """All moves and dice, the own hand, the discards: read back from the tokens of random hands."""
    rng = random.Random(rules.name)
    for num_players in {rules.seats[0], min(3, rules.seats[1]), rules.seats[1]}:
        game, smallest = Game(rules, num_players, seed=rng.getrandbits(64)), []
        while game.seat_to_act is not None:
            seat = game.seat_to_act
            view, told = game.view(seat), Told(game.tokens(seat, 1024), seat, num_players, smallest)
            assert told.dealer == view.dealer
            assert told.dice == list(view.dice)
            assert [tuple(move[:2]) for move in told.moves] == [
                (turn.seat, turn.move.kind) for turn in view.history
            ]
            assert [move[2] for move in told.moves if move[1] == "raise"] == [
                turn.move.amount for turn in view.history if turn.move.kind == "raise"
            ]
            mine = {str(card) for card in (*view.hand, *filter(None, [view.drawn_card]))}
            assert mine <= {*told.own, *told.face_up}
            assert {str(card) for card in view.discard_pile} <= set(told.face_up)
            spikes = {str(card) for card in view.spike_cards if card is not None}
            assert spikes <= set(told.face_up)
            smallest.append((seat, smallest_raise(game)))
            game.play(random_move(game, rng))


def smallest_raise(game):
    """Return the least total that the seat to act may raise to, None if it may not raise."""
    return next((move.low for move in game.legal_moves() if move.kind == "raise"), None)


def raised(game, *above):
    """Raise by the smallest raise and so much more, one after another; return the tokens' names."""
    for more in above:
        game.play(Move("raise", amount=smallest_raise(game) + more))
    return decode_tokens(game.tokens(0, 96))


def war():
    """Return a hand in which two seats may raise each other by one credit at a time."""
    game = Game("yarith_bespin", 2, seed=1, dealer=1)
    return game, len(decode_tokens(game.tokens(0)))


def test_a_run_of_smallest_raises_is_one_number():
    game, start = war()
    assert raised(game, 0)[start:] == ["move 0 raise", "smallest 1"]
    assert raised(game, 0, 0)[start:] == ["move 0 raise", "smallest 3"]
    assert raised(game, 7)[start:] == [
        *("move 0 raise", "smallest 3"),
        *("move 1 raise", "digit 11"),
    ]
    assert raised(game, 0, 0)[start + 4 :] == ["move 0 raise", "smallest 2"]
    game.play(Move("call"))
    assert decode_tokens(game.tokens(0))[start + 4 : start + 7] == [
        *("move 0 raise", "smallest 2"),
        "move 0 call",
    ]


def test_a_longer_run_is_written_as_several():
    game, start = war()
    assert raised(game, *[0] * 250)[start:] == [
        *("move 0 raise", "smallest 100") * 2,
        *("move 0 raise", "smallest 50"),
    ]


@pytest.mark.parametrize("length", [2, 3, 5, 9, 96])
def test_a_run_reads_the_same_whenever_it_is_read(length):
    """Read after every move, after the last one only, and where its beginning is left out."""
    often, _ = war()
    for more in [3, *[0] * 130, 2, 0, 0]:
        raised(often, more)
        often.tokens(0, length), often.tokens(1, length)
    once = Game.from_bytes(often.to_bytes())
    for seat in range(2):
        whole, seen = once.tokens(seat, 96), often.tokens(seat, length)
        np.testing.assert_array_equal(seen, once.tokens(seat, length))
        size = int(token_mask(whole).sum())
        assert is_truncated(seen) == (size > length)
        latest = whole[:size] if size <= length else whole[size - length + 1 : size]
        told = seen[:size] if size <= length else seen[1:]
        np.testing.assert_array_equal(told, latest)


def test_different_runs_look_different():
    """Of all short sequences of smallest and larger raises, no two look alike."""
    seen = Counter()
    for above in itertools.chain.from_iterable(
        itertools.product((0, 1, 5), repeat=count) for count in range(6)
    ):
        game, _ = war()
        raised(game, *above)
        seen.update([tuple(game.tokens(0)), tuple(game.tokens(1))])
    assert set(seen.values()) == {1}


@given(st.integers(0, 2**32 - 1), st.sampled_from(EVERY_RULES), st.data())
def test_nothing_hidden_is_told(seed, rules, data):
    """Own cards are told only to who has held them, and face up only what has lain open."""
    rng = random.Random(seed)
    game = Game(rules, data.draw(st.integers(*rules.seats)), seed=seed)
    seats = range(game.num_players)
    held, open_cards = [set() for _ in seats], set()
    while True:
        for seat in seats:
            held[seat].update(map(str, game.hands[seat]))
            open_cards.update(map(str, game.known_cards(seat)))
        open_cards.update(map(str, (*game.discard_pile, *filter(is_card, game.spike_cards))))
        if game.seat_to_act is None:
            break
        if game.drawn_card is not None:
            held[game.seat_to_act].add(str(game.drawn_card))
        before = {str(card) for hand in (*game.hands, game.spike_cards) for card in hand if card}
        before.add(str(game.draw_pile[0]))  # which the move may draw
        rolled = len(game.dice)
        game.play(random_move(game, rng))
        if len(game.dice) > rolled and game.dice[-1][0] == game.dice[-1][1]:
            open_cards |= before  # all hands were discarded, if the rules say so
    for seat in seats:
        told = Told(game.tokens(seat, 2048), seat, game.num_players)
        shown = game.view(seat, events=True).events  # which code of its own tells
        assert Counter(told.own) == Counter(str(c) for event in shown for c in event.drawn)
        assert Counter(told.face_up) == face_up_in(shown)
        if all(event.kind != "reshuffle" for event in shown):
            # Otherwise a card may have lain open and been shuffled away within one move.
            assert set(told.own) <= held[seat] | open_cards
            assert set(told.face_up) <= open_cards


def face_up_in(events):
    """Count the cards that events show to everyone."""
    named = [event.move.card for event in events if event.move is not None]
    taken = [event.taken for event in events]
    shown = [card for event in events for card in event.face_up]
    return Counter(str(card) for card in (*shown, *named, *taken) if card is not None)


def is_card(card):
    return card is not None


@pytest.mark.parametrize("rules", EVERY_RULES, ids=lambda rules: rules.name)
def test_tables_and_games_tell_the_same(rules):
    """The compiled loop appends what a game that is played again from its deal appends."""
    rng = np.random.default_rng(5)
    num_players = rules.seats[1]
    tables = Tables(rules, 1, num_players, seed=3, observation="tokens", keys=[77], dealers=[0])
    game = Game(rules, num_players, key=77, dealer=0)
    buffers = TurnBuffers(rules, encode_bet_sizes(DEFAULT_BET_SIZES))
    while not tables.finished[0]:
        seat = game.seat_to_act
        np.testing.assert_array_equal(game.tokens(seat), tables.observations[0])
        action = rng.choice(np.flatnonzero(tables.action_masks[0]))
        game.play_action(buffers, int(action))
        tables.step([action])
    for seat in range(num_players):
        np.testing.assert_array_equal(
            game.tokens(seat), tables.final_observations([0], seat, "tokens")[0]
        )


def test_a_longer_hand_keeps_its_latest_tokens_and_says_so():
    game = Game("casino", 8, seed=4)
    rng = random.Random(2)
    for _ in range(25):
        game.play(random_move(game, rng))
        if game.seat_to_act is None:
            break
    whole = game.tokens(0, 512)
    length = int(token_mask(whole).sum())
    short = game.tokens(0, 12)
    assert not is_truncated(whole)
    assert is_truncated(short)
    assert token_names()[short[0]] == "truncated"
    np.testing.assert_array_equal(short[1:], whole[length - 11 : length])
    np.testing.assert_array_equal(game.tokens(0, length), whole[:length])
    assert not is_truncated(game.tokens(0, length))
    assert is_truncated(game.tokens(0, length - 1))


def played(tables, steps=40):
    rng = np.random.default_rng(0)
    for _ in range(steps):
        tables.step([rng.choice(np.flatnonzero(mask)) for mask in tables.action_masks])
    return tables


def make_tables(**settings):
    return Tables("spacers", 6, 3, seed=2, observation="tokens", hands=3, **settings)


def test_tables_go_on_from_bytes_copies_and_clones():
    tables = played(make_tables())
    clone = make_tables()
    clone.clone_from(tables, range(6), range(6))
    others = [Tables.from_bytes(tables.to_bytes()), pickle.loads(pickle.dumps(tables)), clone]
    for _ in range(30):
        for other in others:
            np.testing.assert_array_equal(other.observations, tables.observations)
        actions = tables.action_masks.argmax(axis=1)
        for each in (tables, *others):
            each.step(actions)


def test_threads_and_play_do_not_matter():
    one, two = make_tables(), make_tables(threads=2)
    for _ in range(20):
        one.play(random_legal, 7), two.play(random_legal, 7)
        np.testing.assert_array_equal(one.observations, two.observations)


def test_sequences_start_afresh_with_a_restart():
    tables = played(make_tables())
    tables.restart(range(6))
    assert all(decode_tokens(row)[0] == "start" for row in tables.observations)
    assert all("move" not in " ".join(decode_tokens(row)[:6]) for row in tables.observations)
    for table in range(6):
        names = decode_tokens(tables.observations[table])
        assert names.count("start") == 1
        assert sum(name.startswith("own_card") for name in names) >= 2


def test_every_name_is_different():
    names = token_names()
    assert len(set(names)) == len(names)
    assert {f"move 3 {kind}" for kind in KINDS} <= set(names)
    assert {f"own_card {card}" for card in CARDS} <= set(names)


@pytest.mark.parametrize(
    ("tokens", "sentence"),
    [
        (np.zeros((2, 3), np.int16), "tokens: give one sequence, whole numbers"),
        (np.array([0.5]), "tokens: give one sequence, whole numbers"),
        (np.array([9999]), "tokens: there are only tokens from 0 to"),
        ([[1], [1, 2]], "tokens: give one sequence, whole numbers"),
    ],
)
def test_what_is_no_sequence_is_refused(tokens, sentence):
    with pytest.raises(SabaccError, match=sentence):
        decode_tokens(tokens)


@pytest.mark.parametrize("read", [token_mask, is_truncated])
@pytest.mark.parametrize("tokens", [None, "start", np.int16(1), np.zeros((2, 0), np.int16)])
def test_what_holds_no_sequences_is_refused(read, tokens):
    with pytest.raises(SabaccError, match="tokens: give sequences, whole numbers of shape"):
        read(tokens)


def test_a_game_without_its_start_has_no_tokens():
    game = Tables("casino", 1, 2, seed=0).game(0)
    with pytest.raises(SabaccError, match="tokens: this game was copied from tables"):
        game.tokens(0)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"observation": "token"}, "observation: 'token' is not an array form; use one of"),
        ({"observation": None}, "observation: None is not an array form; use one of"),
        ({"observation": "tokens", "max_tokens": 1}, "max_tokens: 1 is not from 2 to 65536"),
        ({"observation": "planes", "packed": True}, 'packed: only the observation "flat"'),
    ],
)
def test_wrong_settings_are_refused(settings, sentence):
    with pytest.raises(SabaccError, match=sentence):
        Tables("casino", 1, 2, **settings)
