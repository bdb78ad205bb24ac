"""OpenSpiel's own checks and algorithms on our games, which play as ``Game`` does."""

from __future__ import annotations

import pickle
import random
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pytest
from sabacc_training.solved_games import flatten, load_rung, policy_values

from sabacc_env import Game, IllegalMove, RuleSet, SabaccError, load_rules, rule_sets
from sabacc_env.actions import action_names, encode_bet_sizes
from sabacc_env.game.turn_buffers import TurnBuffers
from tests.support.random_play import HOUSE_RULES

pyspiel = pytest.importorskip("pyspiel")

from open_spiel.python import policy as policies  # noqa: E402
from open_spiel.python.algorithms import (  # noqa: E402
    cfr,
    expected_game_score,
    exploitability,
    external_sampling_mccfr,
)

from sabacc_env.adapters.openspiel import SabaccGame, SabaccState, load_game  # noqa: E402

TABLES = [
    *[(rules, seats) for rules in rule_sets() for seats in (2, 4, load_rules(rules).seats[1])],
    *[(rules, seats) for rules in HOUSE_RULES.values() for seats in (2, rules.seats[1])],
]
ONE_CARD = load_rung("one_card").rule_set
ODDLY_NAMED = RuleSet(name="a, b (c)=%3D{", title="é", source="one\ntwo")
SMALL = [
    ONE_CARD,
    load_rung("side_pots").rule_set,
    *(
        load_rung(name).rule_set.replace(highest_value=3, sylops=0)
        for name in ("little_spire", "one_draw")
    ),
]
"""Small games without a pair of Sylops, which the flat observation does not tell apart."""


def table_name(value: object) -> str:
    return value.name if isinstance(value, RuleSet) else str(value)


def small_game(rules: RuleSet, chance: str = "auto") -> SabaccGame:
    return load_game(rules, rules.seats[1], bet_sizes=("min",), chance=chance)


def random_hand(game: SabaccGame, rng: random.Random) -> Iterator[SabaccState]:
    """Yield one state before each random action of a hand, then at the end."""
    state = game.new_initial_state()
    while not state.is_terminal():
        yield state
        state.apply_action(rng.choice(state.legal_actions()))
    yield state


# The same game as ``Game``.


@pytest.mark.parametrize(("rules", "seats"), TABLES, ids=table_name)
def test_plays_as_game_does(rules: str | RuleSet, seats: int) -> None:
    """The same seed and moves give the same players, legal actions, observations and returns."""
    rng = random.Random(0)
    sizes = ("min", 0.5, 1, "max")
    buffers = TurnBuffers(load_rules(rules), encode_bet_sizes(sizes))
    spiel = load_game(rules, seats, bet_sizes=sizes, chance="seed")
    for _ in range(5):
        seed = rng.getrandbits(32)
        state = spiel.new_initial_state()
        for byte in seed.to_bytes(4):
            assert state.is_chance_node()
            state.apply_action(byte)
        game = Game(rules, seats, seed=seed, dealer=seats - 1)
        while (seat := game.write_turn(buffers)) >= 0:
            assert state.current_player() == seat
            assert state.legal_actions() == np.flatnonzero(buffers.mask).tolist()
            assert state.observation_tensor(seat) == buffers.observation.tolist()
            action = rng.choice(state.legal_actions())
            state.apply_action(action)
            game.play_action(buffers, action)
        assert state.is_terminal()
        net = game.net_credits
        assert net is not None
        assert state.returns() == [credits / game.rules.ante_unit for credits in net]
        assert state.hand.game == game


@pytest.mark.parametrize("rules", SMALL, ids=table_name)
def test_cards_as_chance_nodes_have_the_right_probabilities(rules: RuleSet) -> None:
    """Uniform play wins what it wins in the flattened tree, which is tested on its own."""
    game = small_game(rules)
    assert game.chance == "cards"
    uniform = [policies.UniformRandomPolicy(game)] * game.num_players()
    tree = flatten(_rung(rules))
    widths = np.diff(tree.states.first_sequence)
    weights = tree.chance_probabilities.copy()
    weights[: tree.num_sequences] = np.repeat(1 / widths, widths)
    values = expected_game_score.policy_value(game.new_initial_state(), uniform)
    assert values == pytest.approx(policy_values(tree, weights).on_policy)


@pytest.mark.parametrize("rules", SMALL, ids=table_name)
def test_information_states_are_those_of_the_tree(rules: RuleSet) -> None:
    """Texts tell apart what the engine's information states tell apart, and nothing else."""
    found: dict[str, set[tuple[int, ...]]] = {}

    def visit(state: SabaccState) -> None:
        if state.is_player_node():
            text = state.information_state_string(state.current_player())
            found.setdefault(text, set()).add(tuple(state.legal_actions()))
        for action in state.legal_actions():
            visit(state.child(action))

    visit(small_game(rules).new_initial_state())
    assert len(found) == len(flatten(_rung(rules), merge_isomorphic=False).states.seats)
    assert all(len(legal) == 1 for legal in found.values())


def _rung(rules: RuleSet):
    from sabacc_training.config.base import validated
    from sabacc_training.solved_games import Rung

    return validated(
        Rung,
        {
            "rules": "casino",
            "rule_overrides": rules.model_dump(),
            "num_players": rules.seats[1],
            "bet_sizes": ["min"],
        },
    )


def test_what_a_player_knows_does_not_depend_on_hidden_cards() -> None:
    """Two deals in which one seat sees the same are the same to it, in every form."""
    hands: dict[str, set[tuple[float, ...]]] = {}
    game = small_game(SMALL[2])

    def visit(state: SabaccState) -> None:
        if not state.is_chance_node():
            for player in range(2):
                hands.setdefault(state.information_state_string(player), set()).add(
                    (*state.observation_tensor(player), state.observation_string(player))
                )
        for action in state.legal_actions():
            visit(state.child(action))

    visit(game.new_initial_state())
    assert all(len(seen) == 1 for seen in hands.values())


# What OpenSpiel is told of a game.


def test_types() -> None:
    kind = pyspiel.GameType
    casino, spire = load_game("casino", 3), load_game("black_spire", 3)
    assert casino.get_type().utility == kind.Utility.GENERAL_SUM
    assert casino.utility_sum() is None
    assert (casino.min_utility(), casino.max_utility()) == (-50, 100)
    assert spire.get_type().utility == kind.Utility.ZERO_SUM
    assert (spire.min_utility(), spire.max_utility()) == (-1, 2)
    assert casino.observation_tensor_shape() == [400]
    assert casino.num_distinct_actions() == 33
    explicit, sampled = kind.ChanceMode.EXPLICIT_STOCHASTIC, kind.ChanceMode.SAMPLED_STOCHASTIC
    modes = {"seed": explicit, "sampled": sampled}
    for chance, mode in modes.items():
        assert load_game("casino", chance=chance).get_type().chance_mode == mode
    assert small_game(ONE_CARD).chance == "cards"
    assert casino.chance == "seed"


def test_limited_bets_limit_what_can_be_won() -> None:
    game = small_game(ONE_CARD)  # an ante of 1, a bet of 1 and one raise of 1
    returns: set[float] = set()

    def visit(state: SabaccState) -> None:
        if state.is_terminal():
            returns.update(state.returns())
        for action in state.legal_actions():
            visit(state.child(action))

    visit(game.new_initial_state())
    assert (min(returns), max(returns)) == (game.min_utility(), game.max_utility())


def test_actions_have_the_names_of_the_action_table() -> None:
    game = load_game("casino", bet_sizes=("min", 0.25, "max"))
    names = action_names(("min", 0.25, "max"))
    fresh = game.new_initial_state()
    for byte in range(4):
        fresh.apply_action(byte)
    for action in fresh.legal_actions():
        assert fresh.action_to_string(action) == names[action]


# As text, and saved.


@pytest.mark.parametrize(
    "rules",
    ["orsl", *HOUSE_RULES.values(), ODDLY_NAMED],
    ids=table_name,
)
def test_a_game_is_loaded_again_from_its_text(rules: str | RuleSet) -> None:
    game = load_game(rules, 2, bet_sizes=("min", 1 / 3, 0.5, 2, "max"))
    for again in (
        pyspiel.load_game(str(game)),
        pyspiel.deserialize_game(game.serialize()),
        pickle.loads(pickle.dumps(game)),
    ):
        assert again.settings == game.settings
        assert str(again) == str(game)


def test_a_single_bet_size_is_text() -> None:
    for size in (0.5, 1, "min"):
        game = load_game("casino", bet_sizes=(size,))
        assert pyspiel.load_game(str(game)).settings.bet_sizes == (size,)


def test_games_are_loaded_by_name_as_openspiel_does() -> None:
    by_parameters = pyspiel.load_game("sabacc", {"rules": "orsl", "players": 4})
    by_text = pyspiel.load_game("sabacc(rules=orsl,players=4)")
    assert str(by_parameters) == str(by_text) == str(load_game("orsl", 4))
    assert str(pyspiel.load_game("sabacc")) == "sabacc()"


@pytest.mark.parametrize(("rules", "seats"), TABLES[::2], ids=table_name)
def test_states_are_copied_saved_and_restored(rules: str | RuleSet, seats: int) -> None:
    """From any point of a hand, a copy goes on exactly as the original does."""
    rng = random.Random(1)
    game = load_game(rules, seats)
    for state in random_hand(game, rng):
        if rng.random() < 0.5:
            continue
        text = pyspiel.serialize_game_and_state(game, state)
        for twin in (
            state.clone(),
            pickle.loads(pickle.dumps(state)),
            pyspiel.deserialize_game_and_state(text)[1],
        ):
            assert str(twin) == str(state)
            assert twin.history() == state.history()
            before = str(state)
            other = state.clone()
            while not twin.is_terminal():
                action = rng.choice(twin.legal_actions())
                twin.apply_action(action)
                other.apply_action(action)
            assert str(other) == str(twin)
            assert other.returns() == twin.returns()
            assert str(state) == before


# OpenSpiel's own checks.


@pytest.mark.parametrize(("rules", "seats"), TABLES, ids=table_name)
def test_openspiels_random_simulations(rules: str | RuleSet, seats: int) -> None:
    pyspiel.random_sim_test(load_game(rules, seats), num_sims=1, serialize=True, verbose=False)


@pytest.mark.parametrize("rules", SMALL, ids=table_name)
def test_openspiels_random_simulations_of_small_games(rules: RuleSet) -> None:
    for chance in ("cards", "seed"):
        game = small_game(rules, chance=chance)
        pyspiel.random_sim_test(game, num_sims=10, serialize=True, verbose=False)
    pyspiel.random_sim_test(
        small_game(rules, chance="sampled"), num_sims=10, serialize=False, verbose=False
    )


def test_sampled_hands_follow_their_seed() -> None:
    first, second = (load_game("casino", chance="sampled", rng_seed=5) for _ in range(2))
    deals: tuple[list[str], list[str]] = ([], [])
    for game, found in zip((first, second), deals, strict=True):
        for _ in range(3):
            state = game.new_initial_state()
            assert state.chance_outcomes() == [(0, 1.0)]
            state.apply_action(0)
            found.append(state.observation_string(0))
    assert deals[0] == deals[1]
    assert len(set(deals[0])) == 3


# OpenSpiel's algorithms.


def test_exploitability_is_that_of_our_solver() -> None:
    game = small_game(ONE_CARD)
    uniform = policies.UniformRandomPolicy(game)
    assert exploitability.nash_conv(game, uniform) == pytest.approx(1.25)  # docs: the ladder


def test_cfr_finds_the_value() -> None:
    game = small_game(ONE_CARD)
    solver = cfr.CFRPlusSolver(game)
    for _ in range(30):
        solver.evaluate_and_update_policy()
    assert exploitability.nash_conv(game, solver.average_policy()) < 0.05


def test_mccfr_samples() -> None:
    game = small_game(ONE_CARD)
    solver = external_sampling_mccfr.ExternalSamplingSolver(game)
    for _ in range(100):
        solver.iteration()
    assert exploitability.nash_conv(game, solver.average_policy()) < 1  # 1.25 at random


@pytest.mark.parametrize("chance", ["seed", "sampled"])
def test_mccfr_samples_a_game_that_cannot_be_enumerated(chance: str) -> None:
    game = load_game("black_spire", chance=chance)
    solver = external_sampling_mccfr.ExternalSamplingSolver(game)
    solver.iteration()
    assert solver.average_policy()


# Errors.


def test_an_illegal_action_changes_nothing() -> None:
    for game in (load_game("casino"), small_game(ONE_CARD)):
        for state in random_hand(game, random.Random(3)):
            before = str(state)
            with pytest.raises(IllegalMove):
                state.apply_action(300)
            with pytest.raises(pyspiel.SpielError):
                state.apply_action_with_legality_check(300)
            assert str(state) == before


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: load_game("casinoo"), '"casinoo" is not a rule set'),
        (lambda: pyspiel.load_game("sabacc(rules=casinoo)"), '"casinoo" is not a rule set'),
        (lambda: load_game("casino", 9), "num_players: 9 is not from 2 to 8"),
        (lambda: pyspiel.load_game("sabacc(players=1)"), "num_players: 1 is not from 2 to 8"),
        (lambda: load_game("casino", chance="all"), "chance: 'all' is unknown"),
        (lambda: load_game("casino", chance="cards"), 'use chance="seed"'),
        (lambda: load_game("casino", bet_sizes=()), "bet_sizes: give a sequence"),
        (lambda: pyspiel.load_game("sabacc(bet_sizes=min half)"), "bet_sizes: 'half' is not"),
        (lambda: load_game("casino", rng_seed=-7), "rng_seed: -7 is not from"),
    ],
)
def test_wrong_arguments_are_refused(make, sentence: str) -> None:
    with pytest.raises(SabaccError, match=sentence.replace("(", r"\(")):
        make()


def test_without_openspiel_a_sentence_says_what_to_install() -> None:
    code = "import sys; sys.modules['pyspiel'] = None; import sabacc_env.adapters.openspiel"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "needs OpenSpiel; install it from a checkout" in done.stderr.splitlines()[-1]
    assert ".[openspiel]" in done.stderr.splitlines()[-1]


def test_python_ends_cleanly() -> None:
    """OpenSpiel frees what was registered after Python has ended: that must not abort."""
    code = """
import pyspiel
import sabacc_env.adapters.openspiel
print(pyspiel.load_game("sabacc(rules=orsl,players=4)").new_initial_state().clone().num_players())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "4\n", "")
